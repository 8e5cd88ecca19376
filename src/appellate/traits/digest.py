"""A part of a rubric, and the fingerprint by which an audit knows it again."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo

from appellate.core.kind import Reads

_Value = TypeVar("_Value")
_KEPT = "kept, and changes nothing"
Unused = Annotated[_Value, Field(description=_KEPT)]
"""The type of a key of other tools that means nothing here: it is loaded and written back."""


def _is_response(reads: Reads) -> bool:
    return reads == "response"


ReadsKey = Annotated[Reads, Field(exclude_if=_is_response)]
"""The key `reads` of a trait; a trait that reads the response has Karenina's keys alone."""


def _is_none(value: object) -> bool:
    return value is None


def _of_conversations(value: int | None, info: ValidationInfo) -> int | None:
    if value is not None and info.data.get("reads") == "response":
        raise ValueError(
            "shortens results of tools, which only a trait that reads the conversation gets:"
            ' add reads = "conversation", or leave it out'
        )
    return value


LongestResultKey = Annotated[
    Annotated[int, Field(strict=True, ge=0)] | None,
    Field(exclude_if=_is_none),
    AfterValidator(_of_conversations),
]
"""The key `longest_result` of a trait: characters of a tool's result that are read.

None where all are. `reads` stands before it among the fields.
"""


def digest(table: Mapping[str, object]) -> str:
    """SHA-256 of the canonical JSON of `table`: sorted keys, no spaces, UTF-8."""
    canonical = json.dumps(table, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


class RubricPart(BaseModel):
    """What a rubric file has a table of."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    def to_file(self) -> dict[str, Any]:
        """The table as a rubric file writes it: only what differs from the defaults."""
        return self.model_dump(exclude_defaults=True)

    def sha256(self) -> str:
        return digest(self.to_file())


def unused_keys(part: BaseModel) -> Iterator[str]:
    """Yield the `Unused` keys that a trait gives, and those of the parts in its lists."""
    for key, field in type(part).model_fields.items():
        value = getattr(part, key)
        if field.description == _KEPT and value != field.default:
            yield key
        if isinstance(value, list):
            for inner in value:
                if isinstance(inner, BaseModel):
                    yield from unused_keys(inner)
