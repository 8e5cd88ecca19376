"""What stands on a request: which cell it is about, and under which terms it was asked."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

from appellate.core.briefing import Briefing, Example
from appellate.core.trace import Trace
from appellate.judges.endpoint import Endpoint, Prices
from appellate.judging.assign import Ask

_LABEL = re.compile(r"(\d{1,12})-(\d{1,6})-([0-9a-f]{8})-([0-9a-f]{12})-([0-9a-f]{12})", re.ASCII)
_CONTENT = ("model", "messages", "input", "instructions")


class Label(NamedTuple):
    """A request's custom id: cell and round, the tag of its terms, hashes of what it is about and of its prompt."""

    cell: int
    round: int
    tag: str
    subject: str
    prompt: str

    def __str__(self) -> str:
        return "-".join(map(str, self))

    @classmethod
    def read(cls, text: str) -> "Label | None":
        found = _LABEL.fullmatch(text)
        return cls(int(found[1]), int(found[2]), *found.groups()[2:]) if found else None


def subject_hash(ask: Ask) -> str:
    """The hash of all that an answer is about: another response, question or trait makes it another cell."""
    trace = ask.trace
    shown = [trace.id, trace.epoch, trace.question, trace.reference, trace.response]
    return _digest([*shown, ask.subject.trait.sha256()], 12)


def prompt_hash(ask: Ask, *, listed: bool) -> str:
    """The beginning of the hash by which a judgment names its prompt."""
    prompt = next(ask.subject.dialogue(ask.trace, ask.briefing))
    return prompt.sha256(listed=listed)[:12]


def _digest(value: Any, length: int) -> str:
    whole = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(whole.encode()).hexdigest()[:length]


@dataclass(frozen=True)
class Terms:
    """How requests are made: kept in the workspace, so that taking in their answers needs no options.

    `parameters` are the body's, as they are recorded.
    """

    endpoint: Endpoint
    briefing: Briefing
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def tag(self) -> str:
        return _digest(self.to_json(), 8)

    @property
    def key(self) -> str:
        return key_of(self.tag)

    def to_json(self) -> dict[str, Any]:
        examples = [[example.trace.model_dump(exclude_none=True), example.table] for example in self.briefing.examples]
        briefing = {"parts": dict(self.briefing.parts), "examples": examples}
        return {"endpoint": asdict(self.endpoint), **briefing, "parameters": dict(self.parameters)}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        prices = told["endpoint"]["prices"]
        endpoint = Endpoint(**{**told["endpoint"], "prices": prices and Prices(**prices)})
        examples = tuple(Example(Trace.model_validate(trace), table) for trace, table in told["examples"])
        return cls(endpoint, Briefing(told["parts"], examples), told["parameters"])


def key_of(tag: str) -> str:
    """Where the workspace keeps the terms of this tag."""
    return f"batch:{tag}"


def parameters_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request's parameters as they are recorded: the format by its name, its schema left out."""
    told = {name: value for name, value in body.items() if name not in (*_CONTENT, "response_format", "text")}
    form = body.get("response_format") or (body.get("text") or {}).get("format") or {}
    return {**told, "response_format": form.get("type", "text"), "batch": True}
