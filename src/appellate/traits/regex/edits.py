"""Corrections of a regex cell: a person overrules the verdict, or takes that back."""

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Outcome, Table
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.regex.labels import Labels, word
from appellate.traits.regex.spec import RegexRubricTrait


class Edit(Struct, frozen=True):
    """One correction: "overrule" says `value`, "restore" what the pattern itself says."""

    action: Literal["overrule", "restore"]
    value: bool | None = None

    def to_row(self) -> dict[str, Any]:
        """The edit as facts and files keep it."""
        if self.value is None:
            return {"action": self.action}
        return {"action": self.action, "value": self.value}


def from_row(row: Table) -> Edit:
    """The edit that a row of a file is; raises ValueError for what is none."""
    action, value = row.get("action"), row.get("value")
    if action == "overrule" and isinstance(value, bool):
        return Edit("overrule", value)
    if action == "restore" and value is None:
        return Edit("restore")
    wanted = 'action = "overrule" with value = true or false, or action = "restore"'
    raise ValueError(f"a correction has {wanted}")


def permit(
    trait: RegexRubricTrait,  # noqa: ARG001
    trace: Trace,  # noqa: ARG001
    labels: Labels,
    edit: Edit,
) -> Edit:
    """An edit as it is kept: to say by hand what the pattern says is to take an overruling back."""
    return _as_kept(labels, edit)


def _as_kept(labels: Labels, edit: Edit) -> Edit:
    if edit.action == "overrule" and labels.is_overruled and edit.value == labels.found:
        return Edit("restore")
    return edit


def apply(
    trait: RegexRubricTrait,  # noqa: ARG001
    trace: Trace,  # noqa: ARG001
    labels: Labels,
    edit: Edit,
) -> Outcome[Labels]:
    """The labels after an edit, and the verdict's word before and after.

    Raises Refused with what to do instead.
    """
    if edit.action == "restore":
        if not labels.is_overruled:
            raise Refused("Nobody overruled the pattern here: y and n do.")
        value = labels.found
    else:
        if edit.value == labels.value:
            raise Refused(f"The verdict is {word(labels.value)} already: a signs it off.")
        value = edit.value
    return Outcome(replace(labels, value=value), word(labels.value), word(value))


def anchor(trait: RegexRubricTrait, labels: Labels, edit: Edit) -> bool:  # noqa: ARG001
    """What a verdict means under a later pattern: whether it is yes where nothing is found."""
    return trait.invert_result


def carried(trait: RegexRubricTrait, labels: Labels, edit: Edit, was_inverted: bool) -> Edit | None:
    """The same edit for other labels; None where they say so already.

    A person's verdict is about the response, so it stands under a changed pattern, too. Where the
    trait was inverted since, yes and no have changed places: raises Refused.
    """
    if trait.invert_result != was_inverted:
        raise Refused("The trait was inverted, so yes means something else now.")
    if edit.action == "restore" and labels.is_overruled:
        return edit
    if edit.action == "restore" or edit.value == labels.value:
        return None
    return _as_kept(labels, edit)


def describe(edit: Edit, before: str, after: str) -> str:
    """What an edit did, in the past tense."""
    if edit.action == "restore":
        return f"took the overruling back: {before} → {after}"
    if not before:
        return f"ruled {after} by hand"
    return f"overruled the pattern: {before} → {after}"


def brief(edit: Edit) -> str:
    """The sort of an edit in a word or two."""
    if edit.action == "restore":
        return "taken back"
    return "overruled"
