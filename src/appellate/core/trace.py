"""One recorded response, as a person gave it to us."""

from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

TraceKey = tuple[str, int]


def name_of(trace_id: str, epoch: int) -> str:
    """What a trace is called: its id, with the epoch where it is not the first."""
    return trace_id if epoch == 1 else f"{trace_id}#{epoch}"


class Document(BaseModel):
    """One retrieved document."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: str | None = None
    text: str


class Trace(BaseModel):
    """One recorded response to one question (SPEC 3); `id` and `epoch` together are unique."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: Annotated[str, Field(min_length=1)]
    epoch: Annotated[int, Field(ge=0, le=2**63 - 1, strict=True)] = 1
    question_id: str | None = None
    question: str | None = None
    response: str = ""
    reference: str | list[str] | None = None
    choices: list[str] | None = None
    documents: list[str | Document] | None = None
    model: str | None = None
    messages: list[Any] | None = None
    cluster: str | None = None
    metadata: dict[str, Any] | None = None
    judgments: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @cached_property
    def key(self) -> TraceKey:
        return (self.id, self.epoch)
