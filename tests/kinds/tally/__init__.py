"""A kind of the tests alone, which is nowhere in `src`: how often a response says a word, as a
whole number.

It has all that a kind needs and no more, and is the worked example of how one is written: this
folder, and its examples in `tests/traits/tally/examples.py`. `tests/conftest.py` puts it beside the
kinds that ship.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from appellate.core.kind import (
    Asked,
    Briefing,
    Check,
    Fault,
    Figures,
    Instruction,
    Measure,
    Outcome,
    QueryField,
    Table,
    TraitKind,
)
from appellate.core.problem import Refused, describe_value
from appellate.core.trace import QUESTION, RESPONSE, Trace
from appellate.talk.dialogue import (
    NUMBER,
    Dialogue,
    NoAnswer,
    Prompt,
    ask_until_usable,
    shape,
    table,
)
from appellate.talk.json_reply import object_in, whole_number
from appellate.traits.digest import digest
from appellate.traits.template import (
    PromptTemplate,
    Slots,
    joined,
    material,
    one_line,
    retry_text,
    user_text,
)

MOST = 99

# -- the trait, its labels and an edit of them -----------------------------------------------------


class TallyTrait(BaseModel):
    """How often is `word` said? More is better."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    word: Annotated[str, Field(min_length=1)]

    def to_file(self) -> dict[str, Any]:
        return self.model_dump(exclude_defaults=True)

    def sha256(self) -> str:
        return digest(self.to_file())


@dataclass(frozen=True)
class Tally:
    """How often it is said; None where nobody knows."""

    times: int | None = None


@dataclass(frozen=True)
class Count:
    """An edit: it is said so often."""

    times: int

    def to_row(self) -> dict[str, Any]:
        return {"times": self.times}


def edit(row: Table) -> Count:
    if type(row.get("times")) is not int:
        raise ValueError("a correction of a tally has times, a whole number")
    return Count(row["times"])


def apply(
    trait: TallyTrait,
    trace: Trace,
    labels: Tally,
    edit: Count,
) -> Outcome[Tally]:
    if edit.times < 0:
        raise Refused("Nothing is said less than never.")
    if edit.times == labels.times:
        raise Refused("It says so already.")
    return Outcome(Tally(edit.times), said(labels), str(edit.times))


def anchor(trait: TallyTrait, labels: Tally, edit: Count) -> str:
    return trait.word


def carried(trait: TallyTrait, labels: Tally, edit: Count, anchor: str) -> Count | None:
    if anchor != trait.word:
        raise Refused("Another word is counted now.")
    if labels.times == edit.times:
        return None
    return edit


def describe(edit: Count, before: str, after: str) -> str:
    return f"counted {before or 'nothing'} → {after}"


def brief(edit: Count) -> str:
    return "count"


def said(labels: Tally) -> str:
    if labels.times is None:
        return ""
    return str(labels.times)


# -- tables ----------------------------------------------------------------------------------------


def faults(trait: TallyTrait | None, trace: Trace, table: Table) -> Iterator[Fault]:
    times = table.get("times")
    if type(times) is not int or times < 0:
        yield Fault(
            ("times",),
            f"must be a whole number from 0, not {describe_value(times)}",
        )


def locate(trait: TallyTrait, trace: Trace, table: Table) -> dict[str, Any]:
    return {"times": table["times"]}


def labels(trait: TallyTrait, trace: Trace, table: Table) -> Tally:
    return Tally(table["times"])


def write(labels: Tally) -> dict[str, Any]:
    if labels.times is None:
        return {"audited": {}}
    return {"audited": {"times": labels.times}}


# -- judging ---------------------------------------------------------------------------------------

TEMPLATE = PromptTemplate("appellate.traits.tally", {"trait": Slots(("word",))})
REPLY = table({"times": NUMBER})
SHOWN = frozenset({QUESTION, RESPONSE})
"""What a request holds of each trace."""


def dialogue(
    trait: TallyTrait,
    trace: Trace,
    briefing: Briefing,
) -> Dialogue[dict[str, Any]]:
    words = TEMPLATE.wording(briefing.parts)
    wanted = joined(
        [
            words.say("trait", word=one_line(trait.word)),
            words.say("shape", shape=shape(REPLY)),
        ],
    )
    shown = [
        (material(one.trace, SHOWN), f"{{times: {one.table['times']}}}")
        for one in briefing.examples
    ]
    user = user_text(words, material(trace, SHOWN), shown, wanted, "")
    prompt = Prompt(
        words.say("system"),
        user,
        REPLY,
        max_tokens=512,
        template=words.sha256,
    )
    return (yield from ask_until_usable(prompt, read, partial(retry_text, words)))


def read(reply: str) -> dict[str, Any]:
    times = whole_number(object_in(reply).get("times"))
    if times is None or times < 0:
        raise NoAnswer("incomplete", "times must be a whole number from 0.")
    return {"times": times}


def lexical(
    trait: TallyTrait,
    trace: Trace,
    share: float | None = None,
) -> dict[str, Any]:
    return {"times": trace.response.casefold().count(trait.word.casefold())}


def asks_the_same(trait: TallyTrait, other: TallyTrait) -> bool:
    return trait.word == other.word


# -- numbers ---------------------------------------------------------------------------------------


def pool(counts: Mapping[str, int]) -> float | None:
    if not counts.get("counted"):
        return None
    return counts.get("said", 0) / counts["counted"]


SAID = Measure("said", "said", pool=pool)
TIMES = Measure("times", "n", high=float(MOST))


def measures(trait: TallyTrait) -> tuple[Measure, ...]:
    return SAID, TIMES


def measure(trait: TallyTrait, labels: Tally) -> Figures:
    if labels.times is None:
        return Figures(
            {"said": 0.0, "times": 0.0},
            frozenset(("said", "times")),
            {"said": 0, "counted": 0},
        )
    was_said = int(labels.times > 0)
    counts = {"said": was_said, "counted": 1, "times": labels.times}
    return Figures(
        {"said": float(was_said), "times": float(labels.times)},
        frozenset(),
        counts,
    )


def answers(trait: TallyTrait, labels: Tally) -> dict[Instruction, str]:
    return {Instruction("word", 1, trait.word): said(labels) or "unclear"}


def checks(trait: TallyTrait, labels: Tally) -> list[Check]:
    if labels.times is not None and labels.times > MOST:
        return [Check("breach", f"It cannot be said {labels.times} times.")]
    return []


class TallyKind(TraitKind[TallyTrait, Tally, Count]):
    name = "tally"
    spec = TallyTrait
    label_schema = {"times": {"type": "integer"}}
    faults = staticmethod(faults)
    locate = staticmethod(locate)
    labels = staticmethod(labels)
    blank = Tally()
    write = staticmethod(write)
    asked = Asked(
        dialogue,
        asks_the_same,
        lambda _: SHOWN,
        TEMPLATE.shipped_text,
        TEMPLATE.faults,
        lexical,
    )
    edit = staticmethod(edit)
    apply = staticmethod(apply)
    anchor = staticmethod(anchor)
    carried = staticmethod(carried)
    describe = staticmethod(describe)
    brief = staticmethod(brief)
    measures = staticmethod(measures)
    measure = staticmethod(measure)
    answers = staticmethod(answers)
    checks = staticmethod(checks)
    fields = (
        QueryField("times", "counts.times", "count", "how often the word is said"),
    )


KIND = TallyKind()
