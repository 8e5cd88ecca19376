"""What there is to show of a regex cell: its verdict and its flags in words, its matches."""

from typing import NamedTuple

from appellate.core.problem import many
from appellate.traits.regex.labels import Labels
from appellate.traits.regex.spec import RegexRubricTrait

CONTEXT = 24
"""So many characters of the response stand before a match in its row."""
_LONGEST = 400
"""So many characters of a match and of what follows it are looked at for its row."""


class MatchRow(NamedTuple):
    """One match with what stands around it; `start` and `end` are codepoints of the response."""

    number: int
    start: int
    end: int
    before: str
    text: str
    after: str


def match_rows(labels: Labels, response: str) -> list[MatchRow]:
    """The matches that are listed, in their order, numbered from 1."""
    rows = []
    for number, (start, end) in enumerate(labels.matches, 1):
        before = response[max(0, start - CONTEXT) : start]
        text = response[start : min(end, start + _LONGEST)]
        rows.append(MatchRow(number, start, end, before, text, response[end : end + _LONGEST]))
    return rows


def verdict_text(trait: RegexRubricTrait, labels: Labels) -> str:
    """What stands, and whether that is the pattern's word or a person's."""
    if labels.value is None:
        return ""
    if labels.found is None:
        return f"{trait.describe(labels.value)}, by hand"
    if labels.is_overruled:
        return f"{trait.describe(labels.value)}, by hand; {_own_verdict(trait, labels)}"
    return _own_verdict(trait, labels)


def _own_verdict(trait: RegexRubricTrait, labels: Labels) -> str:
    text = trait.describe(labels.found)
    if labels.is_overruled:
        text = f"the pattern says {text}"
    if not has_matches_known(trait, labels):
        return f"{text}, as it was recorded"
    text += f": it {hits_text(labels)}"
    if trait.invert_result:
        text += ", which the trait inverts"
    return text


def has_matches_known(trait: RegexRubricTrait, labels: Labels) -> bool:
    """Whether the pattern was tried: a verdict that came alone says nothing of matches."""
    return labels.found is not None and trait.verdict(is_found=labels.hits > 0) == labels.found


def hits_text(labels: Labels) -> str:
    """How often the pattern matches: "matches nowhere", "matches once", "matches 3 times"."""
    if labels.more:
        return f"matches {many(labels.hits, 'time')} or more"
    often = {0: "nowhere", 1: "once", 2: "twice"}
    return f"matches {often.get(labels.hits) or many(labels.hits, 'time')}"


def flags_text(trait: RegexRubricTrait) -> str:
    """What differs from the defaults, in words."""
    flags = []
    if not trait.case_sensitive:
        flags.append("in any case of letters")
    if trait.invert_result:
        flags.append("yes where nothing matches")
    if not trait.higher_is_better:
        flags.append("no is better")
    return ", ".join(flags)
