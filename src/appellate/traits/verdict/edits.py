"""Corrections as rows of facts and files: the fields of a value, each of its type."""

from typing import Any, ClassVar, Literal, Self

from msgspec import Struct, ValidationError, convert
from msgspec.structs import fields

from appellate.core.kind import Table
from appellate.traits.verdict.scale import Value


class RowEdit(Struct, frozen=True):
    """A correction: what is done, and what it says."""

    OF: ClassVar[str]
    """Of what it is one, for a sentence."""

    action: str

    @classmethod
    def from_row(cls, row: Table) -> Self:
        """The correction that a row is, whose other keys are not ours; raises ValueError for what
        is none.
        """
        given: dict[str, Any] = {}
        for field in fields(cls):
            value = row.get(field.encode_name)
            if value is None and field.name != "action":
                continue
            try:
                given[field.name] = convert(value, field.type)
            except ValidationError:
                wrong = f"{field.encode_name} cannot be {value!r}"
                if field.name == "action":
                    wrong = f"{value!r} is not an edit of {cls.OF}"
                raise ValueError(wrong) from None
        return cls(**given)

    def to_row(self) -> dict[str, Any]:
        """The correction as facts and files keep it: only what was given."""
        row = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "action" or value != field.default:
                row[field.encode_name] = value
        return row

    @property
    def span(self) -> tuple[int, int] | None:
        """The words of the response that it is about, where it has a `start` and an `end`."""
        start, end = getattr(self, "start", None), getattr(self, "end", None)
        return None if start is None or end is None else (start, end)


class Edit(RowEdit, frozen=True, rename={"name": "class"}):
    """A correction of one verdict: "overrule" says `value` (and its class's `name`), "restore" what
    the source itself says.
    """

    OF = "a verdict"

    action: Literal["overrule", "restore"]
    value: Value | None = None
    name: str | None = None
