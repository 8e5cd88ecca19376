"""A scorer cell in the words of the screen: what stands, what was extracted, the settings."""

from collections.abc import Mapping
from typing import Literal

from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.scorer.grades import offered
from appellate.traits.scorer.labels import (
    LETTERS,
    UNSCORED,
    Labels,
    Ruling,
    Scalar,
    legal,
    spoken,
    targets_of,
    value_text,
    wanted,
)
from appellate.traits.scorer.multiple_choice import named, places_of
from appellate.traits.scorer.rules import wording
from appellate.traits.scorer.spec import ScorePart, Scorer, ScorerRubricTrait

_PLACES = {
    "begin": "at the beginning",
    "end": "at the end",
    "any": "anywhere",
    "exact": "the whole response",
}


def part_of(trait: ScorerRubricTrait, key: str) -> ScorePart:
    """The value of a key; raises KeyError where the trait has none."""
    return trait.part(key)


Sort = Literal["letter", "boolean", "number"]


def sort_of(trait: ScorerRubricTrait, labels: Labels, key: str) -> Sort:
    """What the value of a key is: as the trait has it, else as the scorer, or a person, said."""
    if part_of(trait, key).is_letter:
        return "letter"
    texts = [labels.proposed.of(key)] if labels.proposed else []
    for value in (*texts, labels.standing.of(key)):
        if isinstance(value, bool):
            return "boolean"
        if value in LETTERS:
            return "letter"
    return "number"


def offered_values(trait: ScorerRubricTrait, key: str = "") -> list[Scalar]:
    """The values that get a key each; none where a number is to be typed."""
    if not part_of(trait, key).is_letter:
        return []
    if trait.scorer in ("model_graded_qa", "model_graded_fact") and not trait.has_own_words:
        return list(offered(partial_credit=trait.partial_credit))
    if trait.scorer == "choice":
        return ["C", "I", "N"]
    if trait.takes_answer:
        return ["C", "I"]
    return list(LETTERS)


def read_value(trait: ScorerRubricTrait, key: str, text: str) -> Scalar:
    """The value that a person typed; raises Refused with what would be right."""
    part = part_of(trait, key)
    bare = text.strip().lower()
    if bare.upper() in LETTERS:
        bare = bare.upper()
    value = legal(part, bare)
    if value is None:
        raise Refused(f"The value here is {wanted(part)}.")
    return value


def verdict_text(labels: Labels, key: str = "") -> str:
    """What stands, and whose word that is: "C, correct", "I, incorrect, by hand; it was C"."""
    value = labels.standing.of(key)
    if value is None:
        return ""
    text = spoken(value)
    if labels.proposed is None:
        return f"{text}, by hand"
    was = labels.proposed.of(key)
    if was == value:
        return text
    if labels.standing.answer != labels.proposed.answer:
        return f"{text}, by the answer given by hand; it was {value_text(was) or UNSCORED}"
    return f"{text}, by hand; it was {value_text(was) or UNSCORED}"


def extracted_text(trait: ScorerRubricTrait, one: Ruling) -> str:
    """What was taken for the answer."""
    if one.answer:
        return wording([one.answer])
    if trait.scorer in ("exact", "f1") or trait.is_graded or trait.location == "exact":
        return "the whole response"
    if trait.scorer in ("recorded", "multi_scorer"):
        return ""
    return "nothing was extracted"


def targets(labels: Labels, trace: Trace) -> list[str]:
    """What it is compared with."""
    return list(labels.target) or targets_of(trace)


def target_text(trait: ScorerRubricTrait, labels: Labels, trace: Trace) -> str:
    """The same in a line; a choice with its words."""
    found = targets(labels, trace)
    choices = trace.choices or ()
    if trait.scorer == "choice" and choices:
        try:
            places = places_of(found, choices)
        except ValueError:
            return wording(found)
        return named(places, choices)
    if not found:
        return ""
    return wording(found)


def source_text(trait: ScorerRubricTrait, labels: Labels) -> str:
    """Whose word the explanation is."""
    if labels.proposed is None:
        return ""
    if trait.is_graded:
        return "the judge"
    return "the rule"


def settings_text(trait: ScorerRubricTrait) -> str:
    """The scorer and its settings, in words."""
    if trait.scorer != "multi_scorer":
        return _one_text(trait)
    members = ", ".join(map(_member_text, trait.scorers))
    if trait.reducer is None:
        return f"a value by each of {members}"
    return f"{trait.reducer} of {members}"


def _member_text(member: Scorer) -> str:
    if member.name is None:
        return _one_text(member)
    return f"{member.name} ({_one_text(member)})"


def _one_text(one: Scorer) -> str:
    parts = [one.scorer.replace("_", " ")]
    fields: Mapping[str, str] = {
        "match": _PLACES[one.location],
        "pattern": one.pattern or "",
        "answer": f"the {one.pattern} after ANSWER:",
    }
    if one.scorer in fields:
        parts.append(fields[one.scorer])
    if one.numeric:
        parts.append("as a number")
    if not one.ignore_case:
        parts.append("in the same case of letters")
    if one.match_all:
        parts.append("every group")
    if one.multiple_correct:
        parts.append("several may be right")
    if one.stop_words:
        parts.append(f"without {', '.join(one.stop_words)}")
    if one.partial_credit:
        parts.append("partial credit")
    if one.include_history:
        parts.append("with the conversation")
    return " · ".join(parts)
