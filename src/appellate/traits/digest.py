"""Defines a part of a rubric, its hash, and keys that several kinds share."""

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo

from appellate.core.kind import Reads, Table, json_sha256
from appellate.core.problem import quoted

_Value = TypeVar("_Value")
_KEPT = "kept, and changes nothing"
Unused = Annotated[_Value, Field(description=_KEPT)]
"""The type of a key of other tools that means nothing here: it is read and written back."""


def _is_response(reads: Reads) -> bool:
    """Return whether a trait reads the response, which is the default."""
    return reads == "response"


ReadsKey = Annotated[Reads, Field(exclude_if=_is_response)]
"""The key `reads` of a trait.

The default is not written, so that such a trait has only Karenina's keys.
"""


def _is_none(value: object) -> bool:
    """Return whether a value is None."""
    return value is None


def _check_longest_result(value: int | None, info: ValidationInfo) -> int | None:
    """Return the value of `longest_result`; raise ValueError if the trait reads only the response.

    None is right for every trait.
    """
    if value is not None and info.data.get("reads") == "response":
        raise ValueError(
            "shortens results of tools, which only a trait that reads the conversation gets:"
            ' add reads = "conversation", or leave it out',
        )
    return value


LongestResultKey = Annotated[
    Annotated[int, Field(strict=True, ge=0)] | None,
    Field(exclude_if=_is_none),
    AfterValidator(_check_longest_result),
]
"""The key `longest_result` of a trait: how many characters of a tool's result are read. None
means all of them. The field `reads` has to be declared before it.
"""


HeadlineKey = Annotated[str | None, Field(exclude_if=_is_none)]
"""The key `headline` of a trait: the measure that stands for the trait. None leaves the choice to
the kind.
"""


def check_headline(headline: str | None, names: Collection[str]) -> None:
    """Raise ValueError if a trait has no measure of the name that its `headline` gives.

    `names` are those of its measures. None, for a trait without the key, is right.
    """
    if headline is None or headline in names:
        return
    choices = ", ".join(names)
    wrong = f"{quoted(headline)} is no number of this trait"
    raise ValueError(f"{wrong}: choose from {choices}")


def digest(table: Mapping[str, object]) -> str:
    """Return the SHA-256 of a table's canonical JSON, by which files know it again."""
    return json_sha256(table)


class RubricPart(BaseModel):
    """A table of a rubric file."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    PLAINLY_WRITTEN: ClassVar[bool] = False
    """Whether `to_file` writes the values of all fields as the part has them."""

    @classmethod
    def kept(cls, table: Table) -> Self:
        """Return the part that `to_file` wrote as this table; a workspace keeps such tables.

        One that is `PLAINLY_WRITTEN` is not validated again, because to build the model for that
        takes longer than all that is done with a trait before the first paint. Raises
        ValidationError for keys that `to_file` cannot have written: those that are no fields, and
        missing ones.
        """
        fields = cls.model_fields
        needed_keys = {key for key, field in fields.items() if field.is_required()}
        if cls.PLAINLY_WRITTEN and needed_keys <= table.keys() <= fields.keys():
            return cls.model_construct(**table)  # type: ignore[return-value]
        return cls.model_validate(table)

    def to_file(self) -> dict[str, Any]:
        """Return the table as a rubric file has it: only what differs from the defaults."""
        return self.model_dump(exclude_defaults=True)

    def sha256(self) -> str:
        """Return the hash by which an audit recognises this version."""
        return digest(self.to_file())


def unused_keys(part: BaseModel) -> Iterator[str]:
    """Yield the names of a trait's keys that have a value and no effect here.

    These are keys of other tools, of the type `Unused`, which are only read and written back. Those
    of the parts in the trait's lists are among them. A key with its default is left out. A name may
    come more than once.
    """
    for key, field in type(part).model_fields.items():
        value = getattr(part, key)
        if field.description == _KEPT and value != field.default:
            yield key
        if isinstance(value, list):
            for inner in value:
                if isinstance(inner, BaseModel):
                    yield from unused_keys(inner)
