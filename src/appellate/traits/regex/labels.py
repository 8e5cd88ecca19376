"""The labels of a regex cell: the verdict, and what the pattern matched; their shape in files, and
what they come to.

A judge's table has `value` (the trait's result, after inversion), `hits` (how often the pattern
matched), `matches` (offsets of the first of them in the response, `[[start, end], …]`), and
`more = true` where counting ended before the response did. The audited table has `value` and
`hits`.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from appellate.core.kind import (
    Check,
    Fault,
    Figures,
    Grounds,
    Instruction,
    NotComputed,
    QueryField,
    Span,
    Table,
)
from appellate.core.problem import describe_value
from appellate.core.trace import Trace
from appellate.traits.matching import Matches, Offsets, Unmatched, matcher
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.verdict.labels import (
    YES,
    Verdict,
    figures,
    is_count,
    pair_faults,
    pairs_schema,
    word_of,
)

LABEL_KEYS = ("value", "hits", "matches", "more")

LABEL_SCHEMA: Table = {
    "value": {"type": "boolean", "description": "the trait's result, after inversion"},
    "hits": {"type": "integer", "minimum": 0, "description": "how often the pattern matched"},
    "matches": pairs_schema("start and end of the first matches, codepoints of the response"),
    "more": {"type": "boolean", "description": "whether there may be more matches than hits"},
}


class Labels(Verdict, frozen=True):
    """The verdict, the pattern's own, and what it matched."""

    hits: int = 0
    matches: tuple[Offsets, ...] = ()
    more: bool = False


def compute(trait: RegexRubricTrait, trace: Trace) -> dict[str, Any]:
    """The judge's table of a response; raises NotComputed where the pattern takes too long."""
    try:
        found = matcher().find(trait.pattern, trace.response, case_sensitive=trait.case_sensitive)
    except Unmatched as failure:
        raise NotComputed(str(failure)) from None
    return table_of(trait, found)


def table_of(trait: RegexRubricTrait, found: Matches) -> dict[str, Any]:
    """What a pattern's matches come to under a trait."""
    table: dict[str, Any] = {
        "value": trait.verdict(is_found=found.hits > 0),
        "hits": found.hits,
        "matches": [list(span) for span in found.matches],
    }
    if found.more:
        table["more"] = True
    return table


def located(trait: RegexRubricTrait, trace: Trace, table: Table) -> dict[str, Any]:
    """A table with its hits counted, where recorded labels say only what was matched, and with its
    matches looked for, where they say only the verdict: that stands, whatever is found.
    """
    if "hits" not in table and "matches" not in table:
        with suppress(NotComputed):
            return {**compute(trait, trace), "value": table["value"]}
    matches = [list(span) for span in table.get("matches", ())]
    found = {"value": table["value"], "hits": table.get("hits", len(matches)), "matches": matches}
    if table.get("more"):
        found["more"] = True
    return found


def from_table(trait: RegexRubricTrait, trace: Trace, table: Table) -> Labels:  # noqa: ARG001
    """The labels that a located table stands for."""
    matches = tuple((start, end) for start, end in table.get("matches", ()))
    value = table["value"]
    return Labels(value, value, table.get("hits", len(matches)), matches, table.get("more", False))


def written(labels: Labels) -> dict[str, Any]:
    """What a file has of the labels that stand."""
    return {"audited": {"value": labels.value, "hits": labels.hits}}


def faults(
    trait: RegexRubricTrait | None,  # noqa: ARG001
    trace: Trace,
    table: Table,
) -> Iterator[Fault]:
    """What is wrong with a recorded, judged or audited table."""
    value, hits, matches = table.get("value"), table.get("hits"), table.get("matches", [])
    if value is None:
        yield Fault(("value",), "is missing", "value = true where the verdict is yes, else false")
    elif not isinstance(value, bool):
        yield Fault(("value",), f"must be true or false, not {describe_value(value)}")
    if not isinstance(table.get("more", False), bool):
        yield Fault(("more",), f"must be true or false, not {describe_value(table['more'])}")
    if hits is not None and not is_count(hits):
        yield Fault(("hits",), f"must be a whole number from 0, not {describe_value(hits)}")
    if "items" in table:
        yield Fault(
            ("items",),
            "a regex trait has no items",
            "matches = [[start, end], …] says what was matched",
        )
    yield from pair_faults("matches", matches, len(trace.response), least=0)
    if isinstance(matches, list) and is_count(hits) and hits < len(matches):
        yield Fault(("hits",), f"is {hits}, but there are {len(matches)} matches")


# -- figures ---------------------------------------------------------------------------------------


EVERY_MEASURE = (YES,)
"""The measure as queries know it, of whatever trait: which end is good is the trait's."""
FIELDS = (
    QueryField("hits", "counts.hits", "count", "how often the pattern matches (at most 10,000)"),
    QueryField("verdict", "words.verdict", "text", "the verdict: yes or no"),
)


def measure(trait: RegexRubricTrait, labels: Labels) -> Figures:
    """The verdict as a number, the hits, the verdict's word."""
    return figures(trait, labels.value, {"hits": labels.hits})


def measure_table(trait: RegexRubricTrait, trace: Trace, table: Table) -> Figures:  # noqa: ARG001
    """The same, of a judge's table."""
    hits = table.get("hits", len(table.get("matches", ())))
    return figures(trait, table.get("value"), {"hits": hits})


def form(trait: RegexRubricTrait) -> str:
    """Whether the trait wants a match or none."""
    if trait.invert_result:
        return "inverted pattern"
    return "pattern"


def vocabulary(trait: RegexRubricTrait) -> Sequence[str]:  # noqa: ARG001
    """What `answers` says, in the order that it is told in."""
    return ("match", "no match", "unclear")


READING = (
    "A response answers a pattern with a match or with none, as the verdict that stands has it;"
    " yes is the share of responses whose verdict is yes, whether a match or none makes it that."
)


def answers(trait: RegexRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """Whether the response matches the pattern, as the verdict that stands has it."""
    question = Instruction("pattern", 1, trait.pattern)
    if labels.value is None:
        return {question: "unclear"}
    if labels.value != trait.invert_result:
        return {question: "match"}
    return {question: "no match"}


def checks(trait: RegexRubricTrait, labels: Labels) -> Sequence[Check]:  # noqa: ARG001
    """Nothing can be inconsistent, and no match is unverified."""
    return ()


def evidence(trait: RegexRubricTrait, labels: Labels) -> Sequence[Span]:  # noqa: ARG001
    """The matches in the response; those of nothing, which have no width, are left out."""
    return [Span(start, end) for start, end in labels.matches if start < end]


def grounds(trait: RegexRubricTrait, labels: Labels, asked: Instruction) -> Grounds:  # noqa: ARG001
    """The verdict, and what the pattern matches."""
    spans = tuple((span.start, span.end) for span in evidence(trait, labels))
    return Grounds(word_of(trait, labels.value), "", spans)
