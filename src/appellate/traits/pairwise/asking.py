"""Asks a model which of two responses is better: two requests, with either response first."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from appellate.core.kind import CANNOT_TELL, UNBRIEFED, Briefing, Example
from appellate.core.trace import OTHER_RESPONSE, Trace
from appellate.talk.dialogue import (
    TEXT,
    Dialogue,
    NoAnswer,
    Prompt,
    Schema,
    ask_until_usable,
    either,
    longest_answer_for,
    max_tokens_for,
    readable,
    shape,
    table,
)
from appellate.talk.json_reply import object_in, quote, text_of
from appellate.traits.pairwise import KIND
from appellate.traits.pairwise.spec import (
    IS_OTHER,
    IS_RESPONSE,
    IS_TIE,
    WINNERS,
    PairwiseRubricTrait,
)
from appellate.traits.template import (
    EARLIER,
    PromptTemplate,
    PromptWording,
    Slots,
    again,
    example_material,
    inert,
    joined,
    material,
    one_line,
    user_text,
)

TEMPLATE = PromptTemplate(
    "appellate.traits.pairwise",
    {
        **EARLIER,
        OTHER_RESPONSE: Slots(("nonce", "other")),
        "trait": Slots((), ("name",)),
        "description": Slots(("description",), spare=True),
        "choice": Slots(),
        "tie": Slots(),
        "no_tie": Slots(),
        "cannot_tell": Slots(),
    },
)
USUAL = 60
"""Tokens that a reply takes: a sentence or two that compare, and the verdict."""
FIRST = "first"
SECOND = "second"
_TIE = "tie"
_PLAIN_REASONS = {
    FIRST: "By this criterion the first answer is better.",
    SECOND: "By this criterion the second answer is better.",
    _TIE: "By this criterion neither answer is better.",
    CANNOT_TELL: "What is shown here does not decide it.",
}


def sayable(trait: PairwiseRubricTrait) -> list[str]:
    """Return the verdicts that a model may give: first, second, and what else the trait allows."""
    words = [FIRST, SECOND]
    if trait.tie:
        words.append(_TIE)
    if trait.cannot_tell:
        words.append(CANNOT_TELL)
    return words


def schema(trait: PairwiseRubricTrait) -> Schema:
    """Return the JSON schema of a reply: the reason, then the verdict."""
    return table({"answer": table({"rationale": TEXT, "verdict": either(*sayable(trait))})})


def read(trait: PairwiseRubricTrait, text: str) -> tuple[str, str]:
    """Return the verdict and the reason of a model's reply.

    The verdict is one of `sayable`. "Cannot tell" needs a reason. Raises NoAnswer with what is
    wrong, or if the text holds no JSON object.
    """
    reply = object_in(text)
    answer = reply.get("answer", reply)
    if not isinstance(answer, dict):
        raise NoAnswer("incomplete", f'"answer" is {quote(answer)}, not an object.')
    if "verdict" not in answer:
        raise NoAnswer("incomplete", '"verdict" is not there.')
    reason = text_of(answer.get("rationale")).strip()
    verdict = " ".join(text_of(answer["verdict"]).casefold().split())
    if verdict not in sayable(trait):
        wanted = ", ".join(json.dumps(word) for word in sayable(trait))
        wrong = f"the verdict is {quote(answer['verdict'])}, not one of {wanted}."
        raise NoAnswer("incomplete", wrong)
    if verdict == CANNOT_TELL and not reason:
        wrong = f'the verdict is "{CANNOT_TELL}" and "rationale" does not say why.'
        raise NoAnswer("incomplete", wrong)
    return verdict, reason


def winner_of(verdict: str, *, other_first: bool) -> str:
    """Return what files call a model's verdict: `response`, `other`, `tie` or "cannot tell"."""
    if verdict not in (FIRST, SECOND):
        return verdict
    is_other = (verdict == FIRST) == other_first
    return WINNERS[IS_OTHER if is_other else IS_RESPONSE]


# -- the dialogue ----------------------------------------------------------------------------------


def dialogue(
    trait: PairwiseRubricTrait, trace: Trace, briefing: Briefing = UNBRIEFED
) -> Dialogue[dict[str, Any]]:
    """Ask with the response first, then with the other first, and return the judge's table.

    Two equal verdicts are the judge's. Where they differ, it is a tie, and both stay in `orders`.
    If the trait allows no tie, the table has no verdict then. Raises Unreadable if no reply is
    usable.
    """
    words = TEMPLATE.wording(briefing.parts)
    winners: list[str] = []
    reasons: list[str] = []
    for other_first in (False, True):
        prompt = opening(trait, trace, briefing, other_first=other_first)
        reading = partial(read, trait)
        verdict, reason = yield from ask_until_usable(prompt, reading, partial(again, words))
        winners.append(winner_of(verdict, other_first=other_first))
        reasons.append(reason)
    answer: dict[str, Any] = {"orders": winners, "rationale": both_reasons(reasons)}
    if winners[0] == winners[1]:
        return {**_verdict(winners[0]), **answer}
    if trait.tie:
        return {**_verdict(WINNERS[IS_TIE]), **answer}
    return answer


def both_reasons(reasons: Sequence[str]) -> str:
    """Return the reasons of both orders as one text that says which response stood first."""
    first_names = (WINNERS[IS_RESPONSE], WINNERS[IS_OTHER])
    lines = []
    for name, reason in zip(first_names, reasons, strict=True):
        if reason:
            lines.append(f"[{name} first] {reason}")
    return "\n".join(lines)


def _verdict(winner: str) -> dict[str, Any]:
    """Return the part of a judge's table that holds a verdict."""
    if winner == CANNOT_TELL:
        return {"value": CANNOT_TELL}
    return {"value": WINNERS.index(winner), "class": winner}


def opening(
    trait: PairwiseRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
    *,
    other_first: bool = False,
) -> Prompt:
    """Return the first prompt about a cell in one of its two orders.

    It is always the same for the same trait, trace, briefing and order.
    """
    words = TEMPLATE.wording(briefing.parts)
    reply_schema = schema(trait)
    question = joined(
        [readable(_criterion(words, trait)), words.say("shape", shape=shape(reply_schema))]
    )
    examples = []
    for example in briefing.examples:
        texts = example_material(example.trace, trait.material, ())
        reply = _example_reply(trait, example, other_first=other_first)
        examples.append((_in_order(texts, example.trace, other_first=other_first), reply))
    materials = _in_order(material(trace, trait.material), trace, other_first=other_first)
    reminder = readable(words.say("reminder", name=one_line(trait.name)))
    return Prompt(
        words.say("system").strip(),
        user_text(words, materials, examples, question, reminder),
        reply_schema,
        max_tokens_for(USUAL),
        template=words.sha256,
        usual_tokens=USUAL,
        longest_answer=longest_answer_for(USUAL),
    )


def _in_order(texts: dict[str, str], trace: Trace, *, other_first: bool) -> dict[str, str]:
    """Return a copy of a trace's material, its two responses in the order of a request.

    Part `response` holds the one that stands first, part `other` the second: the trace's own is
    first unless `other_first`. Both are made inert here. A missing response is "".
    """
    other = "" if trace.other is None else inert(trace.other.response)
    both = [inert(trace.response), other]
    if other_first:
        both.reverse()
    return {**texts, "response": both[0], OTHER_RESPONSE: both[1]}


def _example_reply(trait: PairwiseRubricTrait, example: Example, *, other_first: bool) -> str:
    """Return the reply that would have been right for an example in one of the two orders."""
    labels = KIND.labels(trait, example.trace, example.table)
    verdict = trait.describe(labels.value)
    if verdict in (WINNERS[IS_RESPONSE], WINNERS[IS_OTHER]):
        is_first = (verdict == WINNERS[IS_OTHER]) == other_first
        verdict = FIRST if is_first else SECOND
    answer = {"rationale": _PLAIN_REASONS.get(verdict, ""), "verdict": verdict}
    return inert(json.dumps({"answer": answer}, ensure_ascii=False))


def _criterion(words: PromptWording, trait: PairwiseRubricTrait) -> str:
    """Return the part of the prompt that says what the trait asks, and what the verdict may be."""
    parts = [words.say("trait", name=one_line(trait.name))]
    if trait.description:
        parts.append(words.say("description", description=trait.description))
    parts.append(words.say("choice"))
    parts.append(words.say("tie" if trait.tie else "no_tie"))
    if trait.cannot_tell:
        parts.append(words.say("cannot_tell"))
    return joined(parts)
