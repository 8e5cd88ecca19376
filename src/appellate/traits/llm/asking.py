"""Asks a model to judge one response by one criterion: prompt, reply and dialogue."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from appellate.core.kind import CANNOT_TELL, UNBRIEFED, Briefing, reads_conversation
from appellate.core.trace import Trace
from appellate.talk.dialogue import (
    TEXT,
    Dialogue,
    NoAnswer,
    Prompt,
    Schema,
    ask_until_usable,
    list_of,
    longest_answer_for,
    max_tokens_for,
    readable,
    shape,
    table,
)
from appellate.talk.json_reply import object_in, quote, text_of
from appellate.traits.llm import KIND
from appellate.traits.llm.labels import Labels, named_steps, with_steps
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.template import (
    ANYWHERE,
    CONVERSATION,
    EARLIER,
    PromptTemplate,
    PromptWording,
    Quotable,
    Quote,
    Slots,
    corrected_quotes,
    example_material,
    excerpt_reply,
    excerpt_schema,
    inert,
    joined,
    material,
    one_line,
    quotable,
    quotes_of,
    retry_text,
    user_text,
)
from appellate.traits.verdict.reply import not_a_verdict, verdict_meant, verdict_schema

TEMPLATE = PromptTemplate(
    "appellate.traits.llm",
    {
        **EARLIER,
        **CONVERSATION,
        "trait": Slots((), ("name",)),
        "description": Slots(("description",), spare=True),
        "boolean": Slots(),
        "score": Slots(("low", "high")),
        "literal": Slots(("classes",)),
        "cannot_tell": Slots(),
        "evidence": Slots(),
        "most": Slots(("most",)),
    },
)


# -- the reply -------------------------------------------------------------------------------------


MOST_EXCERPTS = 3
"""The largest number of excerpts for a verdict, if the trait does not say how many."""


def most_excerpts(trait: LLMRubricTrait) -> int:
    """Return how many excerpts a verdict may have; 3 if the trait does not say.

    Prompt and schema name this number, and no more are read.
    """
    if trait.deep_judgment_max_excerpts is None:
        return MOST_EXCERPTS
    return trait.deep_judgment_max_excerpts


def schema(trait: LLMRubricTrait) -> Schema:
    """Return the JSON schema of a reply: an object in "answer", with the verdict last.

    The object has "rationale", "excerpts" if the trait wants excerpts, and "verdict". A reply that
    is cut short lacks the verdict.
    """
    fields: dict[str, Schema] = {"rationale": TEXT}
    if trait.wants_excerpts:
        fields["excerpts"] = list_of(excerpt_schema(trait), most_excerpts(trait))
    fields["verdict"] = verdict_schema(trait)
    return table({"answer": table(fields)})


def read(
    trait: LLMRubricTrait,
    text: str,
    source: Quotable = ANYWHERE,
) -> dict[str, Any]:
    """Return the judge's table that a model's reply stands for.

    A reply {"answer": {"rationale": "…", "excerpts": ["Paris"], "verdict": "yes"}}, or the inner
    object alone, is {"value": true, "evidence": ["Paris"], "rationale": "…"}; a class has its name
    as `class`, too. `items` has the steps that the model names, if any. Words of the request
    itself, which `source` knows, are no excerpts; whether the source has the others is not checked.
    Each is taken once, and no more than the trait allows. Raises NoAnswer if the text holds no JSON
    object, or with everything that is wrong: no such verdict, "cannot tell" without a reason, no
    "excerpts" where the trait wants them.
    """
    reply = object_in(text, source.response)
    answer = reply.get("answer", reply)
    if not isinstance(answer, dict):
        raise NoAnswer("incomplete", f'"answer" is {quote(answer)}, not an object.')
    value = verdict_meant(trait, answer.get("verdict"))
    faults = []
    if value is None:
        faults.append(not_a_verdict(trait, answer))
    if value == CANNOT_TELL and not text_of(answer.get("rationale")).strip():
        faults.append(
            f'the verdict is "{CANNOT_TELL}" and "rationale" does not say why',
        )
    excerpts = answer.get("excerpts")
    is_single = isinstance(excerpts, dict) and reads_conversation(trait)
    if trait.wants_excerpts and not (isinstance(excerpts, list | str) or is_single):
        faults.append(
            '"excerpts" is not there (it is an empty list where there are none)',
        )
    if faults:
        raise NoAnswer("incomplete", f"{'; '.join(faults)}.")
    result: dict[str, Any] = {"value": value}
    if trait.kind == "literal" and value != CANNOT_TELL:
        result["class"] = trait.describe(value)
    quotes: list[Quote] = []
    if trait.wants_excerpts:
        for excerpt in dict.fromkeys(quotes_of(trait, excerpts)):  # each once
            if not source.is_own(excerpt.text):
                quotes.append(excerpt)
        quotes = quotes[: most_excerpts(trait)]
    result |= _evidence(quotes)
    return {**result, "rationale": text_of(answer.get("rationale")).strip()}


def _evidence(quotes: Sequence[Quote]) -> dict[str, Any]:
    """Return the part of a judge's table with these excerpts: their words in "evidence".

    If a judge named steps, "items" has a row {"index": 0, "named_step": 2} for each such excerpt,
    by its position (from 0). Otherwise "items" is left out.
    """
    rows: list[dict[str, int]] = []
    for index, excerpt in enumerate(quotes):
        if excerpt.step_no is not None:
            rows.append({"index": index, "named_step": excerpt.step_no})
    table: dict[str, Any] = {"evidence": [excerpt.text for excerpt in quotes]}
    if rows:
        table["items"] = rows
    return table


def _quotes(table: Mapping[str, Any]) -> list[Quote]:
    """Return the excerpts of a judge's table in order, each with the step that it names.

    A step is None if the table names none. Raises KeyError for a table without "evidence".
    """
    steps_by_index = named_steps(table)
    return [
        Quote(text, steps_by_index.get(index))
        for index, text in enumerate(table["evidence"])
    ]


def as_reply(trait: LLMRubricTrait, labels: Labels) -> str:
    """Return the JSON reply of a model that would have given these labels.

    It is such as {"answer": {"rationale": "…", "excerpts": […], "verdict": "yes"}}, with all
    excerpts if the trait wants any, else without that key. A score is a number. Without a verdict
    that is "", or null for a score.
    """
    answer: dict[str, Any] = {"rationale": labels.rationale}
    if trait.wants_excerpts:
        excerpts: list[str | dict[str, Any]] = []
        for excerpt in labels.evidence:
            quote = Quote(excerpt.text, excerpt.named_step)
            excerpts.append(excerpt_reply(trait, quote))
        answer["excerpts"] = excerpts
    answer["verdict"] = trait.describe(labels.value)
    if trait.kind == "score":
        answer["verdict"] = labels.value
    return json.dumps({"answer": answer}, ensure_ascii=False)


# -- the dialogue ----------------------------------------------------------------------------------


_PLAIN_REASONS = {
    True: "That is true of the response.",
    False: "It is not true of the response.",
}
_PLAIN_UNTOLD = "What is shown here does not decide it."
USUAL = 40
_USUAL_EXCERPTS = 25
"""Tokens that a reply takes: a sentence or two and the verdict; and excerpts, where asked for."""


def dialogue(
    trait: LLMRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Dialogue[dict[str, Any]]:
    """Ask until there is a verdict of the trait, then once about excerpts that show nothing.

    Yields prompts, is sent replies, and returns the judge's table. The second question is about
    excerpts that are not found, and in a conversation also about those that only a user or the
    system says; it is left out if there are none. New words replace an excerpt as
    `corrected_quotes` says; all others stay, found or not. Raises Unreadable if no reply is usable.
    """
    prompt = opening(trait, trace, briefing)
    words = TEMPLATE.wording(briefing.parts)
    reminder = words.say("reminder", name=one_line(trait.name))
    source = quotable(words, prompt, reminder, trace)
    reading = partial(read, trait, source=source)
    answer = yield from ask_until_usable(prompt, reading, partial(retry_text, words))
    quotes = _quotes(answer)
    better = yield from corrected_quotes(words, prompt, quotes, trace)
    best_quotes = [better[quote] for quote in quotes]
    table = dict(answer)
    table.pop("items", None)  # the steps of the excerpts before
    return table | _evidence(best_quotes)


def opening(
    trait: LLMRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Prompt:
    """Return the first prompt about a cell: system text, user's message and shape of the reply.

    It is always the same for the same trait, trace and briefing. Each example of the briefing comes
    with the reply that would have been right. More tokens are allowed if excerpts are wanted.
    """
    words = TEMPLATE.wording(briefing.parts)
    reply_schema = schema(trait)
    question = joined(
        [
            readable(_criterion(words, trait)),
            words.say("shape", shape=shape(reply_schema)),
        ],
    )
    examples = []
    for example in briefing.examples:
        labels = with_steps(
            KIND.labels(trait, example.trace, example.table),
            example.trace,
        )
        reply = inert(as_reply(trait, _reasoned(trait, labels)))
        evidence = KIND.evidence(trait, labels)
        examples.append(
            (example_material(example.trace, trait.material, evidence), reply),
        )
    materials = material(trace, trait.material)
    reminder = readable(words.say("reminder", name=one_line(trait.name)))
    user = user_text(words, materials, examples, question, reminder)
    system = words.say("system").strip()
    usual_tokens = USUAL
    if trait.wants_excerpts:
        usual_tokens += _USUAL_EXCERPTS
    return Prompt(
        system,
        user,
        reply_schema,
        max_tokens_for(usual_tokens),
        template=words.sha256,
        usual_tokens=usual_tokens,
        longest_answer=longest_answer_for(usual_tokens),
    )


def _reasoned(trait: LLMRubricTrait, labels: Labels) -> Labels:
    """Return labels with a reason: their own, or a standard sentence if they have none.

    They must have a verdict. A person's verdict has no reason, and a model would imitate that.
    """
    verdict = json.dumps(trait.describe(labels.value))
    plain = f"{verdict} fits the response best."
    if labels.value == CANNOT_TELL:
        plain = _PLAIN_UNTOLD
    elif trait.kind == "boolean":
        plain = _PLAIN_REASONS[bool(labels.value)]
    return replace(labels, rationale=labels.rationale or plain)


def _criterion(words: PromptWording, trait: LLMRubricTrait) -> str:
    """Return the part of the prompt that says what the trait asks.

    It has the name, the description, the possible verdicts, and the rules for "cannot tell" and
    excerpts where these are possible.
    """
    parts = [words.say("trait", name=one_line(trait.name))]
    if trait.description:
        parts.append(words.say("description", description=trait.description))
    if trait.kind == "boolean":
        parts.append(words.say("boolean"))
    elif trait.kind == "score":
        parts.append(words.say("score", low=str(trait.low), high=str(trait.high)))
    else:
        classes = (trait.classes or {}).items()
        rows = [f'- "{name}": {one_line(meaning)}' for name, meaning in classes]
        parts.append(words.say("literal", classes="\n".join(rows)))
    if trait.cannot_tell:
        parts.append(words.say("cannot_tell"))
    if trait.wants_excerpts:
        parts.append(words.say("evidence"))
        parts.append(words.say("most", most=str(most_excerpts(trait))))
    return joined(parts)
