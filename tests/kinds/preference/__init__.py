"""A kind of the tests alone: which of two answers is better, the response (A) or document 1 (B).

It is the worked example of a kind with one verdict: what it shares with others is all in
`appellate.traits.verdict`, so that this has a trait, a prompt and the reply alone.
"""

from functools import partial
from typing import Any

from appellate.core.kind import Asked, Briefing
from appellate.core.trace import DOCUMENTS, QUESTION, REFERENCE, RESPONSE, Trace
from appellate.talk.dialogue import (
    Dialogue,
    NoAnswer,
    Prompt,
    ask_until_usable,
    shape,
    table,
)
from appellate.talk.json_reply import object_in
from appellate.traits.template import (
    PromptTemplate,
    Slots,
    inert,
    joined,
    material,
    retry_text,
    user_text,
)
from appellate.traits.verdict.kind import Overrulable, OverruledKind
from appellate.traits.verdict.reply import not_a_verdict, verdict_meant, verdict_schema
from appellate.traits.verdict.scale import Sort, VerdictTrait


class PreferenceTrait(VerdictTrait):
    """Which answer is better? Neither, where there may be ties."""

    ties: bool = True
    cannot_tell: bool = False

    @property
    def kind(self) -> Sort:
        return "literal"

    @property
    def higher_is_better(self) -> bool:
        return False  # A, the response, is the first class

    @property
    def classes(self) -> dict[str, str]:
        classes = {"A": "the response is better", "B": "document 1 is better"}
        return {**classes, "tie": "neither is better"} if self.ties else classes


PARTS = {"trait": Slots(("question",)), "documents": Slots(("nonce", "documents"))}
SHOWN = frozenset({QUESTION, REFERENCE, DOCUMENTS, RESPONSE})
"""What a request holds of each trace."""
TEMPLATE = PromptTemplate("appellate.traits.preference", PARTS)


def second(trace: Trace) -> str:
    """The answer that the response is held against."""
    given = (trace.documents or [""])[0]
    return given if isinstance(given, str) else given.text


def answers_of(trace: Trace) -> dict[str, str]:
    return {**material(trace, SHOWN), "documents": inert(second(trace))}


def dialogue(
    trait: PreferenceTrait,
    trace: Trace,
    briefing: Briefing,
) -> Dialogue[dict[str, Any]]:
    words, reply = (
        TEMPLATE.wording(briefing.parts),
        table({"verdict": verdict_schema(trait)}),
    )
    wanted = joined(
        [
            words.say("trait", question=trait.question),
            words.say("shape", shape=shape(reply)),
        ],
    )
    shown = [
        (
            answers_of(one.trace),
            f'{{"verdict": "{trait.describe(KIND.value(trait, one.table))}"}}',
        )
        for one in briefing.examples
    ]
    user = user_text(words, answers_of(trace), shown, wanted, "")
    prompt = Prompt(
        words.say("system"),
        user,
        reply,
        max_tokens=512,
        template=words.sha256,
    )
    return (
        yield from ask_until_usable(
            prompt,
            partial(read, trait),
            partial(retry_text, words),
        )
    )


def read(trait: PreferenceTrait, reply: str) -> dict[str, Any]:
    answer = object_in(reply)
    value = verdict_meant(trait, answer.get("verdict"))
    if value is None:
        raise NoAnswer("incomplete", f"{not_a_verdict(trait, answer)}.")
    return trait.table(value)


def longer(
    trait: PreferenceTrait,
    trace: Trace,
    share: float | None = None,
) -> dict[str, Any]:
    """The longer one, as a judge that is biased would say."""
    return trait.table(int(len(second(trace)) > len(trace.response)))


def asks_the_same(trait: PreferenceTrait, other: PreferenceTrait) -> bool:
    mine = trait.question, trait.ties, trait.cannot_tell
    return mine == (other.question, other.ties, other.cannot_tell)


class PreferenceKind(OverruledKind[PreferenceTrait, Overrulable]):
    """One of two answers."""

    name = "preference"
    spec = PreferenceTrait
    label_schema = {"value": {"type": "integer"}, "class": {"type": "string"}}
    asked = Asked(
        dialogue,
        asks_the_same,
        lambda _: SHOWN,
        TEMPLATE.shipped_text,
        TEMPLATE.faults,
        longer,
        frozenset({DOCUMENTS, RESPONSE}),
    )
    positives = frozenset({"A"})
    reading = "A is the response, B document 1; tie says that neither is better."


KIND = PreferenceKind()
