"""The one pattern of a regex trait in any cell: how it stands, and the edit that overrules it."""

from collections.abc import Mapping, Sequence

from appellate.core.kind import Grounds, Instruction
from appellate.core.problem import Refused
from appellate.traits.regex.edits import Edit
from appellate.traits.regex.labels import Labels, evidence, word
from appellate.traits.regex.spec import RegexRubricTrait

_SAID = {"yes": True, "no": False}


def grounds(trait: RegexRubricTrait, labels: Labels, asked: Instruction) -> Grounds:  # noqa: ARG001
    """The verdict, and what the pattern matches."""
    spans = tuple((span.start, span.end) for span in evidence(trait, labels))
    return Grounds(word(labels.value) or "open", "", spans)


def sayable(trait: RegexRubricTrait, asked: Instruction) -> Mapping[str, str]:  # noqa: ARG001
    return {answer: answer for answer in _SAID}


def edits(
    trait: RegexRubricTrait,  # noqa: ARG001
    labels: Labels,
    asked: Instruction,  # noqa: ARG001
    answer: str,
) -> Sequence[Edit]:
    """The overruling; raises Refused for what is neither yes nor no."""
    if answer not in _SAID:
        raise Refused("The verdict of a pattern is yes or no.")
    if labels.value == _SAID[answer]:
        return ()
    return (Edit("overrule", _SAID[answer]),)
