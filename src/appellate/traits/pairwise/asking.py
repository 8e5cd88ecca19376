"""Asks a model which of two responses is better: two requests, with either response first."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

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
    list_of,
    longest_answer_for,
    max_tokens_for,
    readable,
    shape,
    table,
)
from appellate.talk.json_reply import object_in, quote, rows, text_of
from appellate.traits.pairwise import KIND
from appellate.traits.pairwise.spec import (
    ANSWERS,
    IS_OTHER,
    IS_RESPONSE,
    IS_TIE,
    WINNERS,
    PairTrace,
    PairwiseRubricTrait,
)
from appellate.traits.template import (
    ANYWHERE,
    EARLIER,
    PromptTemplate,
    PromptWording,
    Quotable,
    Quote,
    Slots,
    corrected_quotes,
    example_material,
    inert,
    joined,
    material,
    one_line,
    quotable,
    retry_text,
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
        "evidence": Slots(("most",)),
    },
)
MOST_EXCERPTS = 3
"""The largest number of excerpts that a judge may give in one of its two replies."""
USUAL = 110
"""Tokens that a reply takes: a sentence or two that compare, excerpts, and the verdict."""
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
    """Return the verdicts that a model may give: "first", "second", then "tie" and "cannot tell".

    The last two are there only if the trait allows them.
    """
    words = [FIRST, SECOND]
    if trait.tie:
        words.append(_TIE)
    if trait.cannot_tell:
        words.append(CANNOT_TELL)
    return words


def schema(trait: PairwiseRubricTrait) -> Schema:
    """Return the JSON schema of a reply: an object in "answer", with the verdict last.

    For example {"answer": {"rationale": "…", "excerpts": [{"answer": "first", "text": "…"}],
    "verdict": "second"}}. The verdict is one of `sayable`.
    """
    excerpt = table({"answer": either(FIRST, SECOND), "text": TEXT})
    fields = {
        "rationale": TEXT,
        "excerpts": list_of(excerpt, MOST_EXCERPTS),
        "verdict": either(*sayable(trait)),
    }
    return table({"answer": table(fields)})


class Opinion(NamedTuple):
    """What a judge said of two answers in one of the two orders."""

    verdict: str
    """One of `sayable`."""
    reason: str
    excerpts: Sequence[tuple[str, str]] = ()
    """`first` or `second`, the answer that an excerpt is said to be from, and its words."""


def read(trait: PairwiseRubricTrait, text: str, source: Quotable = ANYWHERE) -> Opinion:
    """Return the verdict, the reason and the excerpts of a model's reply.

    A reply {"answer": {"rationale": "…", "excerpts": [{"answer": "first", "text": "Paris"}],
    "verdict": "first"}} is Opinion("first", "…", [("first", "Paris")]). The outer "answer" may be
    missing, and the reason and excerpts too. Left out are excerpts that name neither answer, words
    of the request itself, which `source` knows, and those after the first `MOST_EXCERPTS`. Raises
    NoAnswer if the text holds no JSON object, if the verdict is not one of `sayable`, whatever its
    case, or for "cannot tell" without a reason.
    """
    reply = object_in(text)
    answer = reply.get("answer", reply)
    if not isinstance(answer, dict):
        raise NoAnswer("incomplete", f'"answer" is {quote(answer)}, not an object.')
    if "verdict" not in answer:
        raise NoAnswer("incomplete", '"verdict" is not there.')
    reason = text_of(answer.get("rationale")).strip()
    verdict = _word(answer["verdict"])
    if verdict not in sayable(trait):
        possible = ", ".join(json.dumps(word) for word in sayable(trait))
        said = quote(answer["verdict"])
        wrong = f"the verdict is {said}, not one of {possible}."
        raise NoAnswer("incomplete", wrong)
    if verdict == CANNOT_TELL and not reason:
        wrong = f'the verdict is "{CANNOT_TELL}" and "rationale" does not say why.'
        raise NoAnswer("incomplete", wrong)
    excerpts = _excerpts_in(answer, source)
    return Opinion(verdict, reason, excerpts[:MOST_EXCERPTS])


def _excerpts_in(
    answer: Mapping[str, Any],
    source: Quotable,
) -> list[tuple[str, str]]:
    """Return the excerpts of a model's answer, as ("first", words) or ("second", words).

    The answer is such as {"excerpts": [{"answer": "first", "text": "Paris"}]}. They are in its
    order, each once, with the words as the model wrote them. Left out are rows that name neither
    response, blank words, and words of the request itself, which `source` knows.
    """
    excerpts: list[tuple[str, str]] = []
    for row in rows(answer.get("excerpts")):
        side = _word(row.get("answer"))
        text = text_of(row.get("text"))
        if side not in (FIRST, SECOND) or not text.strip():
            continue
        if (side, text) in excerpts or source.is_own(text):
            continue
        excerpts.append((side, text))
    return excerpts


def _word(value: object) -> str:
    """Return a word of a reply in lower case, with single blanks."""
    return " ".join(text_of(value).casefold().split())


def winner_of(verdict: str, *, other_first: bool) -> str:
    """Return what files call a model's verdict: `response`, `other`, `tie` or "cannot tell".

    A model says "first" or "second", and `other_first` is whether the `other` response stood first
    in the request: then "first" is `other`. Any other verdict is returned as it is.
    """
    if verdict not in (FIRST, SECOND):
        return verdict
    is_other = (verdict == FIRST) == other_first
    return WINNERS[IS_OTHER if is_other else IS_RESPONSE]


# -- the dialogue ----------------------------------------------------------------------------------


def dialogue(
    trait: PairwiseRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Dialogue[dict[str, Any]]:
    """Ask with the response first, then with the other first, and return the judge's table.

    Yields prompts and is sent replies. `orders` and `rationale` are from both replies, and so are
    the excerpts, each with the answer that it is from. A model is asked once more about those that
    are not in their answer. Two equal verdicts are the judge's; two that differ are a tie, or no
    verdict if the trait allows no tie. Raises Unreadable if no reply to one of the two requests is
    usable.
    """
    words = TEMPLATE.wording(briefing.parts)
    pair = trait.as_read(trace)
    winners: list[str] = []
    reasons: list[str] = []
    excerpts: list[tuple[str, str]] = []
    for other_first in (False, True):
        prompt = opening(trait, trace, briefing, other_first=other_first)
        source = quotable(words, prompt, _reminder(words, trait), pair)
        reading = partial(read, trait, source=source)
        opinion = yield from ask_until_usable(
            prompt,
            reading,
            partial(retry_text, words),
        )
        winners.append(winner_of(opinion.verdict, other_first=other_first))
        reasons.append(opinion.reason)
        given = [
            (winner_of(position, other_first=other_first), text)
            for position, text in opinion.excerpts
        ]
        excerpts += yield from _better_excerpts(words, prompt, given, pair)
    answer: dict[str, Any] = {
        "orders": winners,
        "rationale": both_reasons(reasons),
        **_evidence(excerpts),
    }
    if winners[0] == winners[1]:
        return {**_verdict(winners[0]), **answer}
    if trait.tie:
        return {**_verdict(WINNERS[IS_TIE]), **answer}
    return answer


def _better_excerpts(
    words: PromptWording,
    prompt: Prompt,
    excerpts: Sequence[tuple[str, str]],
    pair: PairTrace,
) -> Dialogue[list[tuple[str, str]]]:
    """Return excerpts, with the model's better words for those that are not in their answer.

    Each is an answer (`response` or `other`) and words; those of `response` come first. The model
    is asked once about all that are not in `response`, and once about those of `other`. New words
    replace the old ones only if they are in the same answer.
    """
    kept: list[tuple[str, str]] = []
    for answer in ANSWERS:
        texts = [text for named, text in excerpts if named == answer]
        quotes = [Quote(text) for text in texts]
        only_answer = Trace(id=pair.id, response=pair.side_of(answer).text)
        better_quotes = yield from corrected_quotes(words, prompt, quotes, only_answer)
        kept += [(answer, better_quotes[quote].text) for quote in quotes]
    return kept


def _evidence(excerpts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the part of a judge's table that holds excerpts, each once in the order given.

    Each of `excerpts` is the answer that it is from and its text, as ("other", "Paris"). Of that
    one it is {"evidence": ["Paris"], "items": [{"index": 0, "answer": "other"}]}. Empty without
    excerpts.
    """
    distinct = list(dict.fromkeys(excerpts))
    if not distinct:
        return {}
    texts: list[str] = []
    items: list[dict[str, Any]] = []
    for index, (answer, text) in enumerate(distinct):
        texts.append(text)
        items.append({"index": index, "answer": answer})
    return {"evidence": texts, "items": items}


def both_reasons(reasons: Sequence[str]) -> str:
    """Return the reasons of both orders as one text, a line for each that is not empty.

    `reasons` has two, the first given with the trace's own response first. A line begins with which
    response stood first, as in "[other first] ".
    """
    first_names = (WINNERS[IS_RESPONSE], WINNERS[IS_OTHER])
    lines = []
    for name, reason in zip(first_names, reasons, strict=True):
        if reason:
            lines.append(f"[{name} first] {reason}")
    return "\n".join(lines)


def _verdict(winner: str) -> dict[str, Any]:
    """Return the part of a judge's table that holds a verdict, by its name in files.

    Of "other" it is {"value": 1, "class": "other"}. "Cannot tell" has no `class`, and is its own
    value.
    """
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

    It has system text, user's message and shape of the reply, and is always the same for the same
    trait, trace, briefing and order. Each example of the briefing has its responses in the same
    order, and comes with the reply that would have been right.
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
        texts = example_material(example.trace, trait.material, ())
        reply = _example_reply(trait, example, other_first=other_first)
        examples.append(
            (_in_order(texts, example.trace, other_first=other_first), reply),
        )
    materials = _in_order(
        material(trace, trait.material),
        trace,
        other_first=other_first,
    )
    reminder = readable(_reminder(words, trait))
    return Prompt(
        words.say("system").strip(),
        user_text(words, materials, examples, question, reminder),
        reply_schema,
        max_tokens_for(USUAL),
        template=words.sha256,
        usual_tokens=USUAL,
        longest_answer=longest_answer_for(USUAL),
    )


def _reminder(words: PromptWording, trait: PairwiseRubricTrait) -> str:
    """Return the last part of a prompt, filled in."""
    return words.say("reminder", name=one_line(trait.name))


def _in_order(
    texts: dict[str, str],
    trace: Trace,
    *,
    other_first: bool,
) -> dict[str, str]:
    """Return a copy of a trace's material, its two responses in the order of a request.

    Part `response` holds the one that stands first, part `other` the second: the trace's own is
    first unless `other_first`. Both are made inert here. A missing response is "".
    """
    other = "" if trace.other is None else inert(trace.other.response)
    both = [inert(trace.response), other]
    if other_first:
        both.reverse()
    return {**texts, "response": both[0], OTHER_RESPONSE: both[1]}


def _example_reply(
    trait: PairwiseRubricTrait,
    example: Example,
    *,
    other_first: bool,
) -> str:
    """Return the reply that would have been right for an example in one of the two orders.

    It is JSON, made inert, with at most `MOST_EXCERPTS` excerpts of those for the verdict. Its
    reason is a stock sentence, "" for a verdict that has none.
    """
    labels = KIND.labels(trait, example.trace, example.table)
    verdict = trait.describe(labels.value)
    if verdict in ANSWERS:
        verdict = _position(verdict, other_first=other_first)
    excerpts = []
    for excerpt in labels.supporting[:MOST_EXCERPTS]:
        position = _position(excerpt.answer, other_first=other_first)
        excerpts.append({"answer": position, "text": excerpt.text})
    answer = {
        "rationale": _PLAIN_REASONS.get(verdict, ""),
        "excerpts": excerpts,
        "verdict": verdict,
    }
    return inert(json.dumps({"answer": answer}, ensure_ascii=False))


def _position(answer: str, *, other_first: bool) -> str:
    """Return where a response stands in a request: `first` or `second`.

    `answer` is `response` or `other`.
    """
    is_first = (answer == WINNERS[IS_OTHER]) == other_first
    return FIRST if is_first else SECOND


def _criterion(words: PromptWording, trait: PairwiseRubricTrait) -> str:
    """Return the part of the prompt that tells a model what to judge by, and what to answer.

    It has the trait's name on one line and its description if any. Then it says how to choose,
    whether a tie and "cannot tell" are allowed, and asks for excerpts.
    """
    parts = [words.say("trait", name=one_line(trait.name))]
    if trait.description:
        parts.append(words.say("description", description=trait.description))
    parts.append(words.say("choice"))
    parts.append(words.say("tie" if trait.tie else "no_tie"))
    if trait.cannot_tell:
        parts.append(words.say("cannot_tell"))
    parts.append(words.say("evidence", most=str(MOST_EXCERPTS)))
    return joined(parts)
