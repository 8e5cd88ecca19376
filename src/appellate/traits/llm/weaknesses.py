"""What makes an LLM trait hard to judge the same way twice."""

import re
from collections.abc import Iterator

from appellate.core.kind import Weakness
from appellate.core.problem import quoted
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.weak_words import about_form, two_things, vague

_FEW = 15  # words of a description that may explain its vague one


def weaknesses(trait: LLMRubricTrait) -> Iterator[Weakness]:
    """Of the description, then of the scale and the classes."""
    text, path = trait.description or "", ("description",)
    if not text.strip():
        reason = f"a judge is asked with the name {quoted(trait.name)} alone"
        yield Weakness("bare", path, reason, "describe what makes an answer one or the other")
    if trait.kind == "boolean":
        yield from two_things(text, path)
        yield from about_form(text, path)
    if len(text.split()) <= _FEW:
        yield from vague(text, path)
    if trait.kind == "score" and text.strip() and not _is_anchored(trait, text):
        reason = f"the description does not say what earns {trait.low} and what {trait.high}"
        fix = "describe both ends and the middle, so that a number means the same to everybody"
        yield Weakness("anchors", path, reason, fix)


def _is_anchored(trait: LLMRubricTrait, text: str) -> bool:
    """Whether both ends of the scale are spoken of by their number."""
    return all(re.search(rf"(?<!\d){end}(?!\d)", text) for end in (trait.low, trait.high))
