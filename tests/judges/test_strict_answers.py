"""Strict schemas have a field for each answer; a server that refuses them is asked in lists, or more simply still."""

import json
import random
from collections import Counter

import pytest
from judge_stage import QUICK, about

from appellate.core.kind import Subject
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import Question
from appellate.judges.reply_cache import open_cache
from appellate.talk.dialogue import NoAnswer
from appellate.traits.metric import KIND
from appellate.traits.metric.asking import listed_schema, read, schema
from conforming import conforming, reply_in
from loopback import Loopback, completion, error, truthful

BCL2 = about(
    "BCL2 is a gene. It is located on chromosome 1.",
    evaluation_mode="full_matrix",
    metrics=["f1"],
    tp_instructions=[
        "Mentions a BCL2 gene",
        "Located on chromosome 18",
        "Names a drug",
    ],
    tn_instructions=["Located on chromosome 1", "Names two drugs"],
)
TRAIT, TRACE = BCL2.trait, BCL2.trace
INVALID = (
    "Invalid schema for response_format 'answer': In context=('properties', 'tp_answers'), property names must not "
    "begin with a digit."
)


def held_to_the_schema(asked):
    """A model without sense whose server enforces the schema, whichever it is."""
    if asked.rung != "json_schema":
        return truthful(asked)
    return completion(reply_in(asked.body, random.Random(asked.n)))


def has_fields(asked):
    if asked.rung != "json_schema":
        return False
    fields = asked.body["response_format"]["json_schema"]["schema"]["properties"]
    return fields["tp_answers"]["type"] == "object"


def taking_no_fields(asked):
    return (
        error(400, INVALID, param="response_format")
        if has_fields(asked)
        else truthful(asked)
    )


async def judged(server, times=1, subject=BCL2, **settings):
    judge = OpenAIJudge(Endpoint("m", server.url), policy=QUICK, environ={}, **settings)
    try:
        return [await judge.judge(Question(subject, TRACE)) for _ in range(times)]
    finally:
        await judge.close()


def completeness(shape, times=200):
    """How often random replies of a shape answer every instruction exactly once."""
    told = Counter()
    for seed in range(times):
        try:
            read(TRAIT, json.dumps(conforming(shape, random.Random(seed))))
        except NoAnswer as no:
            told[no.why] += 1
        else:
            told["complete"] += 1
    return told


def test_a_model_that_is_held_to_fields_answers_each_instruction_once_where_lists_hardly_ever_do():
    assert completeness(schema(TRAIT)) == {"complete": 200}
    assert completeness(listed_schema(TRAIT))["complete"] < 20


async def test_a_model_without_sense_is_asked_once_for_each_cell():
    async with Loopback(held_to_the_schema) as server:
        proposals = await judged(server, times=16)
    first = [
        asked for asked in server.asked if '{"excerpts": [{"number"' not in asked.user
    ]
    assert len(first) == 16
    assert all(has_fields(asked) for asked in first)
    answered = [
        {(row["of"], row["instruction"]) for row in proposal.labels["items"]}
        for proposal in proposals
    ]
    assert answered == [{("tp", 1), ("tp", 2), ("tp", 3), ("tn", 1), ("tn", 2)}] * 16


async def test_the_prompt_shows_the_shape_that_the_schema_has():
    async with Loopback(taking_no_fields) as server:
        await judged(server)
    first, last = server.asked
    assert has_fields(first)
    assert '{"tp_answers": {"1": {"rationale"' in first.user
    assert (last.rung, has_fields(last)) == ("json_schema", False)
    assert '{"tp_answers": [{"instruction": 1' in last.user


async def test_a_server_that_refuses_the_fields_is_asked_for_lists_for_good(tmp_path):
    async with Loopback(taking_no_fields) as server:
        *_, last = await judged(
            server,
            times=2,
            cache=open_cache(tmp_path / "cache.db"),
        )
        await judged(server, cache=open_cache(tmp_path / "cache.db"), sample=1)
    assert [has_fields(asked) for asked in server.asked] == [True, False, False]
    assert {asked.rung for asked in server.asked} == {"json_schema"}
    assert last.record.parameters["answers"] == "listed"


def taking_few_fields(asked):
    """It takes no more than 20 fields, and schemas without fields for answers."""
    if has_fields(asked):
        schema = asked.body["response_format"]["json_schema"]["schema"]
        fields = schema["properties"]["tp_answers"]["properties"]
        if len(fields) > 20:
            return error(
                400,
                f"Schema has too many properties: {len(fields)}, at most 20.",
            )
    return truthful(asked)


LONG = TRAIT.model_copy(
    update={"tp_instructions": [f"Says item {n}" for n in range(30)]},
)


async def asked_in_a_session(server, folder, sample):
    """What is asked about a long trait, then a short one, with what earlier sessions learnt."""
    cache = open_cache(folder / "cache.db")
    for trait in (LONG, TRAIT):
        await judged(
            server,
            subject=Subject(KIND, trait, TRACE),
            cache=cache,
            sample=sample,
        )
    asked, server.asked = server.asked, []
    return [(one.rung, one.rung == "json_schema" and has_fields(one)) for one in asked]


FIELDS, LISTS = ("json_schema", True), ("json_schema", False)
WORDS = ("text", False)


async def test_a_schema_that_is_too_large_puts_no_smaller_one_on_lists(tmp_path):
    async with Loopback(taking_few_fields) as server:
        assert await asked_in_a_session(server, tmp_path, 0) == [FIELDS, LISTS, FIELDS]
        assert await asked_in_a_session(server, tmp_path, 1) == [LISTS, FIELDS]


def taking_small_schemas(asked):
    """It takes no schema about many instructions, and as LM Studio no `json_object`."""
    if asked.rung == "json_object":
        return error(400, "'response_format.type' must be 'json_schema' or 'text'")
    if asked.rung == "json_schema" and "Says item 29" in asked.user:
        return error(400, "Invalid schema: the grammar is too large.")
    return truthful(asked)


async def test_a_schema_that_is_too_large_in_either_shape_leaves_smaller_ones_their_fields(
    tmp_path,
):
    async with Loopback(taking_small_schemas) as server:
        tried = await asked_in_a_session(server, tmp_path, 0)
        assert tried == [FIELDS, LISTS, ("json_object", False), WORDS, FIELDS]
        assert await asked_in_a_session(server, tmp_path, 1) == [WORDS, FIELDS]


@pytest.mark.parametrize(
    "said",
    [
        "Invalid JSON payload received. Unknown name \"$ref\" at 'generation_config.response_schema'.",
        "Schema has too many properties: 120, at most 100 are allowed.",
        "The specified schema produces a constraint that has too many states for serving.",
    ],
)
async def test_a_server_is_asked_more_simply_until_it_agrees(said):
    def script(asked):
        return error(400, said) if asked.rung == "json_schema" else truthful(asked)

    async with Loopback(script) as server:
        await judged(server)
    assert [asked.rung for asked in server.asked] == [
        "json_schema",
        "json_schema",
        "json_object",
    ]
    assert '{"tp_answers": [{"instruction": 1' in server.asked[-1].user


@pytest.mark.parametrize(
    "said",
    [
        "Invalid schema for response_format 'answer': 'maxItems' is not permitted.",
        "output_config.format.schema: For 'array' type, property 'maxItems' is not supported",
        "The provided JSON schema contains features not supported by xgrammar.",
    ],
)
async def test_a_server_that_lets_nobody_bound_a_list_keeps_the_schema_without(
    said,
    tmp_path,
):
    def script(asked):
        if "maxItems" in json.dumps(asked.body):
            return error(400, said)
        return truthful(asked)

    async with Loopback(script) as server:
        for _ in range(2):
            (proposal,) = await judged(server, cache=open_cache(tmp_path / "replies"))
    assert [(asked.rung, has_fields(asked)) for asked in server.asked] == [
        ("json_schema", True),
    ] * 2
    assert proposal.record.parameters["bounds"] is False


async def test_a_server_that_refuses_more_than_bounds_is_asked_more_simply():
    said = "The provided JSON schema contains features not supported by xgrammar."

    def script(asked):
        return error(400, said) if asked.rung == "json_schema" else truthful(asked)

    async with Loopback(script) as server:
        await judged(server)
    assert [asked.rung for asked in server.asked] == ["json_schema"] * 3 + [
        "json_object",
    ]


async def test_a_server_that_knows_no_schemas_is_not_asked_with_another():
    async with Loopback(_without_schemas) as server:
        await judged(server)
    assert [asked.rung for asked in server.asked] == ["json_schema", "json_object"]


def _without_schemas(asked):
    if asked.rung == "json_schema":
        return error(
            400,
            "'response_format.type' must be 'json_object' or 'text'",
            param="response_format.type",
        )
    return truthful(asked)
