"""Corrections of a verdict that is computed: a person overrules it, or takes that back."""

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Instruction, Outcome, Table
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.verdict.labels import Verdict
from appellate.traits.verdict.scale import Meaning, Scale, Value, meaning

L = TypeVar("L", bound=Verdict)


class Edit(Struct, frozen=True):
    """One correction: "overrule" says `value` (and its class's `name`), "restore" what the source
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


class Overruling(Struct, frozen=True):
    """The corrections of a kind, whose `source` gives the verdict ("function"), by what `types`
    a value may have.
    """

    source: str
    types: tuple[type, ...] = (bool, int, float)

    def from_row(self, row: Table) -> Edit:
        """The edit that a row of a file is; raises ValueError for what is none."""
        action, value, name = row.get("action"), row.get("value"), row.get("class")
        is_named = name is None or isinstance(name, str)
        is_typed = isinstance(value, self.types)
        if action == "overrule" and is_typed and is_named:
            return Edit("overrule", value, name)
        if action == "restore" and value is None and name is None:
            return Edit("restore")
        given = "a value"
        if self.types == (bool,):
            given = "value = true or false"
        raise ValueError(
            f'a correction has action = "overrule" with {given}, or action = "restore"'
        )

    def apply(
        self,
        trait: Scale,
        trace: Trace,  # noqa: ARG002
        labels: L,
        edit: Edit,
    ) -> Outcome[L]:
        """The labels after an edit, and the verdict in words before and after it.

        Raises Refused with what to do instead.
        """
        if edit.action == "restore":
            if not labels.is_overruled:
                raise Refused(f"Nobody overruled the {self.source} here.")
            value = labels.found
        else:
            if not trait.is_value(edit.value):
                raise Refused(f"The verdict of this trait is {trait.wanted()}.")
            if same(edit.value, labels.value):
                already = f"The verdict is {trait.describe(labels.value)} already"
                raise Refused(f"{already}: {{cell.sign:a}} signs it off.")
            value = edit.value
        after = replace(labels, value=value)
        return Outcome(after, trait.describe(labels.value), trait.describe(value))

    def describe(self, edit: Edit, before: str, after: str) -> str:
        """What an edit did, in the past tense."""
        if edit.action == "restore":
            return f"took the overruling back: {before} → {after}"
        if not before:
            return f"ruled {after} by hand"
        return f"overruled the {self.source}: {before} → {after}"


def same(one: Value | None, other: Value | None) -> bool:
    """Whether two verdicts are one; true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def permit(trait: Scale, trace: Trace, labels: Verdict, edit: Edit) -> Edit:  # noqa: ARG001
    """An edit as it is kept: to say by hand what the source says is to take an overruling back,
    and a class has its name.
    """
    return _as_kept(trait, labels, edit)


def _as_kept(trait: Scale, labels: Verdict, edit: Edit) -> Edit:
    if edit.action == "overrule" and labels.is_overruled and same(edit.value, labels.found):
        return Edit("restore")
    if edit.action == "overrule" and trait.kind == "literal" and trait.is_value(edit.value):
        return replace(edit, name=trait.describe(edit.value))
    return edit


def anchor(trait: Scale, labels: Verdict, edit: Edit) -> Meaning:  # noqa: ARG001
    """What verdicts of a trait mean, to hold a later version of it against."""
    return meaning(trait)


def carried(trait: Scale, labels: Verdict, edit: Edit, meant: Meaning) -> Edit | None:
    """The same edit for other labels; None where they say so already.

    A person's verdict is about the response, so it stands under a changed source, too. Raises
    Refused where the trait's verdicts mean something else by now.
    """
    now = meaning(trait)
    if now[:2] == meant[:2] and now != meant:
        raise Refused("The trait was inverted, so yes and no mean something else now.")
    if now != meant:
        raise Refused("The trait's verdicts mean something else now.")
    if edit.name is not None:
        if edit.name not in trait.class_names:
            raise Refused(f"There is no class {edit.name} any more.")
        edit = replace(edit, value=trait.class_names.index(edit.name))
    if edit.action == "restore" and labels.is_overruled:
        return edit
    if edit.action == "restore" or same(edit.value, labels.value):
        return None
    return _as_kept(trait, labels, edit)


def brief(edit: Edit) -> str:
    """The sort of an edit in a word or two."""
    if edit.action == "restore":
        return "taken back"
    return "overruled"


# -- the one question in any cell ------------------------------------------------------------------


def given(trait: Scale, standing: Value | None, answer: str) -> Value | None:
    """The verdict that an answer means; None where it stands already. Raises Refused for one that
    the trait does not have.
    """
    if answer not in trait.sayable:
        raise Refused(f"The verdict of this trait is {trait.wanted()}.")
    value = trait.sayable[answer]
    return None if standing == value else value


def answered(
    trait: Scale,
    labels: Verdict,
    asked: Instruction,  # noqa: ARG001
    answer: str,
) -> Sequence[Edit]:
    """The overruling that answers the question so; none where it is answered so."""
    value = given(trait, labels.value, answer)
    return () if value is None else (Edit("overrule", value),)
