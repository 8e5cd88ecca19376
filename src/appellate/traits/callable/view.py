"""A callable trait and its verdicts in the words of the screen, without drawing any."""

from appellate.core.cell import Cell
from appellate.core.replay import reason_for
from appellate.traits.callable.labels import Labels
from appellate.traits.callable.spec import CallableRubricTrait, Value

DIGITS = 9
"""Values that each get a digit."""


def question_of(trait: CallableRubricTrait) -> str:
    """What is asked of a response, in words."""
    return trait.description or trait.name


def offered(trait: CallableRubricTrait) -> list[Value]:
    """What gets a row: yes and no, the classes, the scores that have a digit each."""
    if trait.kind == "boolean":
        return [True, False]
    return list(trait.counted)


def has_digits(trait: CallableRubricTrait) -> bool:
    """Whether every verdict has a digit of its own."""
    return trait.kind != "boolean" and 0 < len(trait.counted) <= DIGITS + 1 - (
        trait.kind == "literal"
    )


def key_of(trait: CallableRubricTrait, value: Value) -> str:
    """What a person presses, or types in a list, for a value."""
    if trait.kind == "boolean":
        return "1" if value else "2"
    if trait.kind == "literal":
        return str(int(value) + 1)
    return trait.describe(value)


def meaning_of(trait: CallableRubricTrait, value: Value) -> str:
    """A verdict in words, of a class with what it is."""
    text = trait.describe(value)
    if trait.kind == "literal" and trait.classes:
        return f"{text}: {trait.classes.get(text, '')}".rstrip(": ")
    return text


def scale(trait: CallableRubricTrait) -> str:
    """What sort of verdict it is, and which end of it is good."""
    if trait.kind == "boolean":
        text = "Yes or no"
        if trait.invert_result:
            text += ", the contrary of what the function returns"
        return f"{text} · {('no', 'yes')[trait.higher_is_better]} is better"
    if trait.kind == "literal":
        return f"Classes · {('earlier', 'later')[trait.higher_is_better]} is better"
    better = ("lower", "higher")[trait.higher_is_better]
    return f"{f'Score {trait.span()}'.strip()} · {better} is better"


def who(trait: CallableRubricTrait, labels: Labels) -> str:
    """Whose word the verdict is."""
    if labels.found is None:
        return "by hand"
    if labels.is_overruled:
        return f"was {trait.describe(labels.found)}"
    return "as the function says"


def is_recorded(cell: Cell) -> bool:
    """Whether the function's verdict came with the trace, and nothing was run here."""
    return cell.judge is not None and cell.judge.judge.get("name") == "recorded"


def why(cell: Cell) -> str:
    """The reason that a person gave last for overruling the function."""
    given = [reason_for(cell, step.n) for step in cell.steps]
    return given[-1] if given else ""


def keys_text(trait: CallableRubricTrait) -> str:
    """The keys that give a verdict."""
    if trait.kind == "boolean":
        return "1 (yes) and 2 (no)"
    if not has_digits(trait):
        return "i"
    values = trait.counted
    return f"{key_of(trait, values[0])} to {key_of(trait, values[-1])}"
