"""What a server turned out to be able to do, learnt from its own words and kept for all cells."""

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from appellate.core.dialogue import Prompt
from appellate.judges.completion import Trouble

Rung = Literal["json_schema", "json_object", "text"]
_RUNGS: tuple[Rung, ...] = ("json_schema", "json_object", "text")
_LIMITS = ("max_completion_tokens", "max_tokens", None)
_ASPECTS = ("rung", "limit", "temperature")
MALFORMED = 3
"""Replies that are no JSON before a format counts as not understood."""

_FORMAT = re.compile(r"response_format|json_schema|json_object|json mode|schema|grammar|literal_error", re.IGNORECASE)
_FORMAT_STATUS = (400, 404, 415, 422, 500, 501)
_TOO_MUCH = re.compile(r"context.(?:length|size|window)|too (?:large|long)|at most|exceed|less than", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Abilities:
    """How to ask: the structured-output format, the name of the token limit (or none), and temperature."""

    rung: Rung = "json_schema"
    limit: str | None = "max_completion_tokens"
    temperature: bool = True
    malformed: int = 0
    proven: bool = False

    def parameters(self, prompt: Prompt) -> dict[str, Any]:
        """The parameters of a request, as sent and as recorded, all but the format's schema."""
        limit = {self.limit: prompt.room} if self.limit else {}
        return limit | ({"temperature": 0} if self.temperature else {})

    def response_format(self, prompt: Prompt) -> dict[str, Any]:
        match self.rung:
            case "json_schema":
                named = {"name": "answer", "strict": True, "schema": prompt.schema}
                return {"response_format": {"type": "json_schema", "json_schema": named}}
            case "json_object":
                return {"response_format": {"type": "json_object"}}
            case "text":
                return {}

    def after(self, trouble: Trouble) -> "Abilities":
        """What is left to try when the server refuses a parameter by name; unchanged where it does not."""
        about = f"{trouble.param} {trouble.said} {trouble.raw}"
        if trouble.status in (400, 422) and self.temperature and _names(trouble, "temperature"):
            return replace(self, temperature=False)
        if trouble.status in (400, 422) and self.limit and _names(trouble, self.limit):
            return replace(self, limit=_LIMITS[_LIMITS.index(self.limit) + 1])
        if trouble.status in _FORMAT_STATUS and self.rung != "text" and _FORMAT.search(about):
            return self.lower()
        return self

    def learning(self, sent: "Abilities", better: "Abilities") -> "Abilities":
        """These abilities with what changed from `sent` to `better`, unless it has changed here already."""
        here: dict[str, Any] = {
            name: getattr(better, name)
            for name in _ASPECTS
            if getattr(self, name) == getattr(sent, name) != getattr(better, name)
        }
        here |= {"malformed": 0, "proven": False} if "rung" in here else {}
        return replace(self, **here)

    def lower(self) -> "Abilities":
        """One step down the ladder, if there is one."""
        step = min(_RUNGS.index(self.rung) + 1, len(_RUNGS) - 1)
        return replace(self, rung=_RUNGS[step], malformed=0, proven=False)

    def heard(self, *, malformed: bool) -> "Abilities":
        """What a reply says about the format: it works, or it is given up after some that are no JSON.

        Where it has worked before, malformed replies are the model's, not the format's.
        """
        if not malformed or self.proven:
            return replace(self, proven=True)
        counted = replace(self, malformed=self.malformed + 1)
        return counted.lower() if counted.malformed >= MALFORMED and self.rung != "text" else counted


def _names(trouble: Trouble, parameter: str) -> bool:
    """Whether the server complains about this parameter: by its own field, else in its words."""
    if trouble.param:
        return trouble.param == parameter
    return parameter in f"{trouble.said} {trouble.raw}"


def too_much_room(trouble: Trouble) -> bool:
    """Whether the server complains of the size asked for, which says nothing about the next cell."""
    limits = [limit for limit in _LIMITS if limit]
    about = f"{trouble.param} {trouble.said}"
    return trouble.status in (400, 422) and any(name in about for name in limits) and bool(_TOO_MUCH.search(about))
