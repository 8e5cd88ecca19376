"""Corrections of a callable cell: a person overrules the verdict, or takes that back."""

from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Outcome, Table
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.callable.labels import Labels
from appellate.traits.callable.spec import CallableRubricTrait, Value


class Edit(Struct, frozen=True):
    """One correction: "overrule" says `value` (and its class's `name`), "restore" what the function
    itself says.
    """

    action: Literal["overrule", "restore"]
    value: Value | None = None
    name: str | None = None

    def to_row(self) -> dict[str, Any]:
        """The edit as facts and files keep it, the class as `class`."""
        row: dict[str, Any] = {"action": self.action}
        if self.value is not None:
            row["value"] = self.value
        if self.name is not None:
            row["class"] = self.name
        return row


def from_row(row: Table) -> Edit:
    """The edit that a row of a file is; raises ValueError for what is none."""
    action, value, name = row.get("action"), row.get("value"), row.get("class")
    is_named = name is None or isinstance(name, str)
    if action == "overrule" and isinstance(value, bool | int | float) and is_named:
        return Edit("overrule", value, name)
    if action == "restore" and value is None and name is None:
        return Edit("restore")
    wanted = 'action = "overrule" with a value, or action = "restore"'
    raise ValueError(f"a correction has {wanted}")


def permit(
    trait: CallableRubricTrait,
    trace: Trace,  # noqa: ARG001
    labels: Labels,
    edit: Edit,
) -> Edit:
    """An edit as it is kept: to say by hand what the function says is to take an overruling back,
    and a class has its name.
    """
    return _as_kept(trait, labels, edit)


def _as_kept(trait: CallableRubricTrait, labels: Labels, edit: Edit) -> Edit:
    if edit.action == "overrule" and labels.is_overruled and _same(edit.value, labels.found):
        return Edit("restore")
    if edit.action == "overrule" and trait.kind == "literal" and trait.is_value(edit.value):
        return replace(edit, name=trait.describe(edit.value))
    return edit


def _same(one: Value | None, other: Value | None) -> bool:
    """Whether two verdicts are one; true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def apply(
    trait: CallableRubricTrait,
    trace: Trace,  # noqa: ARG001
    labels: Labels,
    edit: Edit,
) -> Outcome[Labels]:
    """The labels after an edit, and the verdict in words before and after it.

    Raises Refused with what to do instead.
    """
    if edit.action == "restore":
        if not labels.is_overruled:
            raise Refused("Nobody overruled the function here.")
        value = labels.found
    else:
        if not trait.is_value(edit.value):
            raise Refused(f"The verdict of this trait is {trait.wanted()}.")
        if _same(edit.value, labels.value):
            raise Refused(f"The verdict is {trait.describe(labels.value)} already: a signs it off.")
        value = edit.value
    after = replace(labels, value=value)
    return Outcome(after, trait.describe(labels.value), trait.describe(value))


class Meaning(NamedTuple):
    """What a verdict meant: the sort of it, its bounds, and whether it was inverted."""

    kind: str
    bounds: tuple[float, float]
    inverted: bool


def anchor(trait: CallableRubricTrait, labels: Labels, edit: Edit) -> Meaning:  # noqa: ARG001
    """What verdicts of a trait mean, to hold a later version of it against."""
    bounds = (0.0, 0.0)
    if trait.kind == "score":
        bounds = (trait.low, trait.high)
    return Meaning(trait.kind, bounds, trait.kind == "boolean" and trait.invert_result)


def carried(trait: CallableRubricTrait, labels: Labels, edit: Edit, meant: Meaning) -> Edit | None:
    """The same edit for other labels; None where they say so already.

    A person's verdict is about the response, so it stands under a changed function, too. Raises
    Refused where the trait's verdicts mean something else by now.
    """
    if anchor(trait, labels, edit) != meant:
        raise Refused("The trait's verdicts mean something else now.")
    if edit.name is not None:
        if edit.name not in trait.class_names:
            raise Refused(f"There is no class {edit.name} any more.")
        edit = replace(edit, value=trait.class_names.index(edit.name))
    if edit.action == "restore" and labels.is_overruled:
        return edit
    if edit.action == "restore" or _same(edit.value, labels.value):
        return None
    return _as_kept(trait, labels, edit)


def describe(edit: Edit, before: str, after: str) -> str:
    """What an edit did, in the past tense."""
    if edit.action == "restore":
        return f"took the overruling back: {before} → {after}"
    if not before:
        return f"ruled {after} by hand"
    return f"overruled the function: {before} → {after}"


def brief(edit: Edit) -> str:
    """The sort of an edit in a word or two."""
    if edit.action == "restore":
        return "taken back"
    return "overruled"
