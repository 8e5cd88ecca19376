"""Whatever stands in a text of a server, a run goes on over all cells, and what came of it can be saved and read."""

import copy
import json
import re
from typing import Any, NamedTuple

import pytest

from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge, RetryPolicy
from appellate.judges.proposal import JudgeRecord, JudgmentFailed, Proposal
from appellate.judging.batches import Shards, export, import_results
from appellate.judging.choice import JudgeChoice
from appellate.judging.questions import CellScope, PendingCells
from appellate.judging.run import run
from appellate.store.audits.audit import load_audit
from appellate.store.workspace import Workspace
from batch_stage import lines, requests
from cells import RESPONSE, bench, trace
from loopback import Answer, Asked, Loopback, as_response, truthful

HALF = "a\ud800b"
"""Holds half a character, which no file takes."""
OTHERS = (
    "a\x00b",
    "\x1b]52;c;QQ==\x07\x1b[2J\x9b31m",
    "a\u202eb\u2066c\u200b",
    "long " * 200_000,
)
BY_TEXT = pytest.mark.parametrize(
    "texts",
    [(HALF,), pytest.param(OTHERS, marks=pytest.mark.slow)],
    ids=["half", "others"],
)
QUICK = RetryPolicy(first=0.0, longest=0.0, attempts=2, attempts_busy=2)
SUBJECT = "about number"
"""Before the number that an answer is told by."""


def full(answer):
    """An answer with every text that servers put into one."""
    body = copy.deepcopy(answer.body)
    (choice,) = body["choices"]
    choice["logprobs"] = {
        "content": [{"token": "{", "logprob": -0.1, "top_logprobs": []}],
    }
    choice["message"] |= {
        "reasoning_content": "I see.",
        "reasoning": "I see.",
        "annotations": [{"type": "url_citation", "url": "https://example.org"}],
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "answer", "arguments": "{}"},
            },
        ],
        "provider_specific_fields": {"citation": "none"},
    }
    body["usage"] |= {"cost": "0.1", "prompt_tokens_details": {"cached_tokens": "3"}}
    return Answer(body | {"system_fingerprint": "fp_1", "service_tier": "default"})


def refused(asked):
    message = {
        "message": "Never.",
        "type": "server_error",
        "code": "odd",
        "param": "odd",
    }
    return Answer(
        {"error": message, "detail": [{"loc": ["body", "odd"], "msg": "Never."}]},
        500,
    )


def places(value, path=()):
    """Where the texts are, keys too: a key by its path and None."""
    if isinstance(value, str):
        yield path
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from places(each, (*path, index))
    if isinstance(value, dict):
        for key, each in value.items():
            yield (*path, key, None)
            yield from places(each, (*path, key))


def spoilt(value, path, text):
    """The value with this text in a place of it."""
    if not path:
        return text
    step, *rest = path
    value = copy.copy(value)
    if rest == [None]:
        value[step + text] = value.pop(step)
    else:
        value[step] = spoilt(value[step], rest, text)
    return value


def wholly(script):
    """The places in an answer of a script, also those in the words of the model."""

    def answer(asked):
        return full(script(asked))

    return answer


def about(number):
    return f"{RESPONSE} This is {SUBJECT} {number}."


ASKED = Asked(1, "POST", "/v1/chat/completions", {}, {})


class Spoiling(NamedTuple):
    """One text in one place of an answer, or of the JSON that the model wrote in it."""

    path: tuple[Any, ...]
    text: str
    in_words: bool = False

    def body(self, answer):
        if not self.in_words:
            return spoilt(answer.body, self.path, self.text)
        body = copy.deepcopy(answer.body)
        message = body["choices"][0]["message"]
        words = spoilt(json.loads(message["content"]), self.path, self.text)
        return body | {
            "choices": [
                body["choices"][0] | {"message": {"content": json.dumps(words)}},
            ],
        }


def spoilings(script, example, texts):
    """Every text in every place of the answer that a script gives to an example."""
    body = script(example).body
    for text in texts:
        for path in places(body):
            yield Spoiling(path, text)
        if "choices" in body:
            for path in places(json.loads(body["choices"][0]["message"]["content"])):
                yield Spoiling(path, text, in_words=True)


async def example_of(folder):
    """A request as it is sent."""
    folder.mkdir()
    async with Loopback() as server:
        with bench(folder, trace("0", response=about(0))) as at:
            await run(at, choice_at(server.url))
    return server.asked[0]


def choice_at(url, **more):
    judge = OpenAIJudge(Endpoint("m", url, **more), policy=QUICK, environ={})
    return JudgeChoice("m", judge, concurrency=8)


def saved_cells(at):
    """The cells of the audit as it is read from its file."""
    at.save()
    return [one.cell for one in load_audit(at.audit).cells]


@BY_TEXT
@pytest.mark.parametrize(
    ("script", "api"),
    [
        pytest.param(wholly(truthful), "chat", id="answer"),
        pytest.param(wholly(truthful), "responses", id="answer-responses"),
        # an error is the same by both APIs
        pytest.param(refused, "chat", id="error"),
    ],
)
async def test_a_text_of_an_answer_whatever_it_is_ends_no_run_and_the_audit_is_written(
    tmp_path,
    script,
    api,
    texts,
):
    ways = list(spoilings(script, await example_of(tmp_path / "example"), texts))

    def spoiling(asked):
        number = int(re.search(rf"{SUBJECT} (\d+)", asked.user)[1])
        answer = script(asked)
        spoiled = replace_body(answer, ways[number].body(answer))
        if api == "responses" and answer.status == 200:
            spoiled = shaped_as_response(spoiled)
        return spoiled

    async with Loopback(spoiling, responses=True) as server:
        many = [
            trace(str(number), response=about(number)) for number in range(len(ways))
        ]
        with bench(tmp_path, *many) as at:
            done = await run(at, choice_at(server.url, api=api))
            cells = saved_cells(at)
    assert done.done == len(cells) == len(ways)
    assert {cell.state for cell in cells} <= {"proposed", "failed"}
    with Workspace(at.workspace.path, readonly=True) as again:
        assert again.cells.count() == len(ways)


def replace_body(answer, body):
    return Answer(body, answer.status, answer.headers)


def shaped_as_response(answer):
    """The same by the other API, where the spoilt body still has a shape."""
    try:
        return as_response(answer)
    except (KeyError, TypeError):
        return answer


@BY_TEXT
async def test_a_file_of_such_answers_is_taken_in_line_by_line(tmp_path, texts):
    script = wholly(truthful)
    ways = list(spoilings(script, await example_of(tmp_path / "example"), texts))
    many = [trace(str(number), response=about(number)) for number in range(len(ways))]
    with bench(tmp_path, *many) as at:
        choice = choice_at("http://127.0.0.1:9/v1")
        pending = PendingCells(at.workspace, choice, CellScope())
        with Shards(tmp_path / "asked.jsonl") as shards:
            export(pending.questions(), choice.judge, at.workspace, shards)
        rows = []
        for number, request in enumerate(requests(tmp_path / "asked.jsonl")):
            answer = script(Asked(1, "POST", request["url"], {}, request["body"]))
            response = {"status_code": 200, "body": ways[number].body(answer)}
            rows.append(
                {
                    "custom_id": request["custom_id"],
                    "response": response,
                    "error": None,
                },
            )
        for path in places(rows[0] | {"error": {"message": "No.", "code": "odd"}}):
            if path[0] in ("custom_id", "error"):
                rows.append(spoilt(rows[0], path[:1], HALF))
        (tmp_path / "out.jsonl").write_bytes(lines(rows))
        taken = import_results(at, [tmp_path / "out.jsonl"])
        cells = saved_cells(at)
    assert taken.counts["judged"] + taken.counts["failed"] == len(ways)
    assert taken.counts["judged"] > len(ways) / 2
    assert {cell.state for cell in cells} == {"proposed", "failed"}


class Reckless:
    """A judge that lets through what no file can hold."""

    name = "reckless"

    async def judge(self, question):
        number = int(question.trace.id)
        if number == 1:
            raise JudgmentFailed("It failed \udc00.", "raw \udc00")
        parameters = {}
        if number == 2:
            parameters = {"odd": HALF}
        return Proposal({"tp": []}, JudgeRecord(self.name, parameters=parameters))

    async def close(self):
        pass


async def test_an_answer_that_cannot_be_saved_fails_its_cell_alone(tmp_path):
    with bench(tmp_path, *(trace(str(number)) for number in range(1, 4))) as at:
        done = await run(at, JudgeChoice("reckless", Reckless()))
        cells = saved_cells(at)
    assert done.done == 3
    errors = [cell.error and cell.error.error for cell in cells]
    cannot = "The answer cannot be saved: it has half a character (a lone surrogate)."
    assert errors == [cannot, cannot, None]
