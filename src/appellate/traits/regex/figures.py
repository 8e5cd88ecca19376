"""What regex labels come to: a verdict of yes or no, and how often the pattern matched."""

from collections.abc import Sequence
from dataclasses import replace

from appellate.core.kind import Check, Figures, Instruction, Measure, QueryField, Span, Table
from appellate.core.trace import Trace
from appellate.traits.regex.labels import Labels, word
from appellate.traits.regex.spec import RegexRubricTrait

YES = "yes"
"""The measure: 1 where the verdict is yes, 0 where it is no; over cells, the share of yes.

It is that whether yes is good or bad, as in the LLM kind.
"""
EVERY_MEASURE = (Measure(YES, "Yes", higher_is_better=None, word="verdict", steps=("no", "yes")),)
"""The measure as queries know it, of whatever trait: which end is good is the trait's."""

FIELDS = (
    QueryField("hits", "counts.hits", "count", "how often the pattern matches (at most 10,000)"),
    QueryField("verdict", "words.verdict", "text", "the verdict: yes or no"),
)


def measures(trait: RegexRubricTrait) -> Sequence[Measure]:
    """The one measure, with the trait's direction."""
    return tuple(replace(one, higher_is_better=trait.higher_is_better) for one in EVERY_MEASURE)


def measure(trait: RegexRubricTrait, labels: Labels) -> Figures:  # noqa: ARG001 - as the seam has it
    """The verdict as a number, the hits, the verdict's word."""
    return _figures(labels.value, labels.hits)


def measure_table(trait: RegexRubricTrait, trace: Trace, table: Table) -> Figures:  # noqa: ARG001
    """The same, of a judge's table."""
    return _figures(table.get("value"), table.get("hits", len(table.get("matches", ()))))


def _figures(value: bool | None, hits: int) -> Figures:
    if value is None:
        return Figures({YES: 0.0}, frozenset({YES}), {"hits": hits})
    return Figures({YES: float(value)}, frozenset(), {"hits": hits}, {"verdict": word(value)})


def form(trait: RegexRubricTrait) -> str:
    """Whether the trait wants a match or none."""
    return "inverted pattern" if trait.invert_result else "pattern"


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
    return {question: "match" if labels.value != trait.invert_result else "no match"}


def checks(trait: RegexRubricTrait, labels: Labels) -> Sequence[Check]:  # noqa: ARG001
    """Nothing can be inconsistent, and no match is unverified."""
    return ()


def evidence(trait: RegexRubricTrait, labels: Labels) -> Sequence[Span]:  # noqa: ARG001
    """The matches in the response; those of nothing, which have no width, are left out."""
    return [Span(start, end) for start, end in labels.matches if start < end]
