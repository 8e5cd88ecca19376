"""An LLM trait and its verdicts in the words of the screen, without drawing any."""

from appellate.traits.llm.spec import LLMRubricTrait, Value

LONGEST = 21
"""Scores that each get a row; of a longer scale only some do."""
DIGITS = 9
"""Values that each get a digit."""


def offered(trait: LLMRubricTrait, *flags: Value | None) -> list[Value]:
    """What gets a row: all that may be said; of a long scale its ends, and what is explained or
    said.
    """
    if trait.kind == "boolean":
        return [True, False]
    if len(trait.values) <= LONGEST:
        return list(trait.values)
    shown = {trait.low, trait.high, *trait.anchors()}
    shown.update(value for value in flags if value is not None)
    return sorted(shown)


def question_of(trait: LLMRubricTrait) -> str:
    """What is asked: the description, without the lines that have a row of their own."""
    anchors = trait.anchors().values()
    lines = trait.question.strip().splitlines()
    kept = []
    for line in lines:
        bare = line.rstrip(" ,;.")
        if not any(bare.endswith(f"= {meaning}") for meaning in anchors):
            kept.append(line)
    return "\n".join(kept)


def has_digits(trait: LLMRubricTrait) -> bool:
    """Whether every verdict has a key of its own."""
    if trait.kind == "literal":
        return len(trait.values) <= DIGITS
    return trait.low >= 0 and trait.high <= DIGITS


def key_of(trait: LLMRubricTrait, value: Value) -> str:
    """What a person presses, or types in a list, for a value."""
    if trait.kind == "boolean":
        return "1" if value else "2"
    if trait.kind == "literal":
        return str(value + 1)
    return str(value)


def meaning_of(trait: LLMRubricTrait, value: Value) -> str:
    if trait.kind == "literal":
        name = trait.describe(value)
        return f"{name}: {(trait.classes or {}).get(name, '')}"
    if trait.kind == "score":
        return trait.anchors().get(value, "")
    return trait.describe(value)


def scale(trait: LLMRubricTrait) -> str:
    """What sort of verdict it is, and which end of it is good."""
    sort = {"boolean": "Yes or no", "literal": "Classes"}
    text = sort.get(trait.kind, f"Score {trait.low}–{trait.high}")
    return f"{text} · {better(trait)}"


def better(trait: LLMRubricTrait) -> str:
    ends = {"boolean": ("no", "yes"), "score": ("lower", "higher"), "literal": ("earlier", "later")}
    return f"{ends[trait.kind][trait.higher_is_better]} is better"
