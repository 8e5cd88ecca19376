"""What a server turned out to be able to do, learnt from its own words and kept for all cells."""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from appellate.judges.completion import Trouble
from appellate.judges.endpoint import Api
from appellate.talk.dialogue import Prompt

ReplyFormat = Literal["json_schema", "json_object", "text"]
_FORMATS: tuple[ReplyFormat, ...] = ("json_schema", "json_object", "text")
_LIMITS: dict[Api, tuple[str | None, ...]] = {
    "chat": ("max_completion_tokens", "max_tokens", None),
    "responses": ("max_output_tokens", None),
}
LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")
"""What a token limit may be called."""
_ASPECTS = (
    *("api", "reply_format", "fields_below", "lists_below", "plain", "bounds", "limit", "system"),
)
MALFORMED = 3
"""Replies that are no JSON before a format counts as not understood."""

_FORMAT = re.compile(
    r"response_format|text\.format|json_schema|json_object|json mode|schema|grammar|literal_error",
    re.IGNORECASE,
)
_SCHEMA = re.compile(
    r"(?:invalid|unsupported) (?:json )?schema|features not supported|\$ref|\$defs|propert|grammar"
    r"|compil|too (?:many|complex|deep|large)|exceed|nest",
    re.IGNORECASE,
)
"""Words about this schema, where others refuse any."""
_BOUNDS = re.compile(
    r"max_?items|array (?:constraint|length|size)|features not supported", re.IGNORECASE
)
"""Words about how long a list may be, which Azure, Anthropic and old grammars let nobody say."""
_FORMAT_STATUS = (400, 404, 415, 422, 500, 501)
BAD_REQUEST = (400, 422)
"""Statuses of a request that the server takes for a bad one."""
_SYSTEM = re.compile(
    r"system (?:role|message|prompt|instruction)|role.{0,60}\bsystem\b|'system'"
    r"|only user and assistant|must alternate",
    re.IGNORECASE | re.DOTALL,
)
_SYSTEM_STATUS = (400, 422, 500)
_NO_SUCH_PATH = (404, 405, 501)
_NO_SUCH_WORDS = ("unexpected endpoint", "invalid url", "unknown request url")
_TOO_MUCH = re.compile(
    r"context.(?:length|size|window)|too (?:large|long)|at most|exceed|less than", re.IGNORECASE
)


class Capabilities(Struct, frozen=True):
    """How to ask: by which API, for which format of the reply, with which parameters.

    `fields_below` and `lists_below` are the smallest schemas that were refused, `plain` is the
    format without a schema, `bounds` whether a schema may bound a list, `limit` the name of the
    token limit, `system` whether there may be such a message; `refused` parameters are left out.
    """

    api: Api = "chat"
    reply_format: ReplyFormat = "json_schema"
    fields_below: int | None = None
    lists_below: int | None = None
    plain: ReplyFormat = "json_object"
    bounds: bool = True
    limit: str | None = "max_completion_tokens"
    system: bool = True
    refused: frozenset[str] = frozenset()
    malformed: int = 0
    proven: bool = False

    def after(
        self, trouble: Trouble, prompt: Prompt, params: Iterable[str] = ("temperature",)
    ) -> "Capabilities":
        """What is left to try when the server refuses something, else unchanged.

        These are what `prompt` and `params` were sent by (`for_prompt`).
        """
        if trouble.status in BAD_REQUEST:
            for name in params:
                if _names(trouble, name):
                    return replace(self, refused=self.refused | {name})
            if self.limit and _names(trouble, self.limit):
                following = dict(pairwise(_LIMITS[self.api]))
                return replace(self, limit=following.get(self.limit))
        plainer = self._after_format(trouble, prompt)
        if plainer:
            return plainer
        about_system = _SYSTEM.search(f"{trouble.param} {trouble.message}")
        if self.system and trouble.status in _SYSTEM_STATUS and about_system:
            return replace(self, system=False)
        if self.api == "responses" and _unknown(trouble):
            return asked_by("chat")
        return self

    def _after_format(self, trouble: Trouble, prompt: Prompt) -> "Capabilities | None":
        """What is left where the server complains of the reply's format, else None.

        Of a schema that it cannot take, first a smaller and plainer one; others stay.
        """
        about = f"{trouble.param} {trouble.message} {trouble.raw}"
        if self.reply_format == "text" or trouble.status not in _FORMAT_STATUS:
            return None
        strict = self.reply_format == "json_schema"
        if strict and self.bounds and _BOUNDS.search(about):
            return replace(self, bounds=False)
        if not _FORMAT.search(about):
            return None
        if strict and _SCHEMA.search(about):
            if self.holds(prompt):
                return replace(self, fields_below=prompt.schema_size)
            return replace(self, lists_below=prompt.schema_size)
        return self.lower()

    def learning(self, sent: "Capabilities", better: "Capabilities") -> "Capabilities":
        """These with what changed from `sent` to `better`, unless it has changed here already."""
        changed: dict[str, Any] = {}
        for name in _ASPECTS:
            was = getattr(sent, name)
            now = getattr(better, name)
            if getattr(self, name) == was != now:
                changed[name] = now
        if changed.keys() & {"reply_format", "api"}:
            changed |= {"malformed": 0, "proven": False}
        return replace(self, refused=self.refused | (better.refused - sent.refused), **changed)

    def holds(self, prompt: Prompt) -> bool:
        """Whether the server holds the model to a field for each answer of a prompt."""
        fits = self.fields_below is None or prompt.schema_size < self.fields_below
        return self.reply_format == "json_schema" and fits

    def for_prompt(self, prompt: Prompt) -> "Capabilities":
        """These, with the plain format where a prompt has too large a schema in either shape."""
        if self.holds(prompt) or self.lists_below is None:
            return self
        if self.reply_format == "json_schema" and prompt.schema_size >= self.lists_below:
            return replace(self, reply_format=self.plain)
        return self

    def lower(self, steps: int = 1) -> "Capabilities":
        """So many formats plainer, as far as there are any."""
        lowered = self
        for _ in range(steps):
            below: ReplyFormat = "text"
            if lowered.reply_format == "json_schema":
                below = lowered.plain
            lowered = replace(lowered, reply_format=below, plain=below, malformed=0, proven=False)
        return lowered

    def received(self, *, malformed: bool) -> "Capabilities":
        """Counts a reply: the format works for good, or is given up after several without JSON."""
        if self.proven:
            return self
        if not malformed:
            return replace(self, proven=True)
        counted = replace(self, malformed=self.malformed + 1)
        if counted.malformed >= MALFORMED and self.reply_format != "text":
            return counted.lower()
        return counted

    def to_keep(self) -> dict[str, Any]:
        """What is worth knowing in a later session; the format goes by the name `rung`."""
        return {
            "api": self.api,
            "rung": self.reply_format,
            "fields_below": self.fields_below,
            "lists_below": self.lists_below,
            "plain": self.plain,
            "bounds": self.bounds,
            "limit": self.limit,
            "system": self.system,
            "refused": sorted(self.refused),
        }


def asked_by(api: Api) -> Capabilities:
    """What is expected of a server that nothing is known about."""
    return Capabilities(api=api, limit=_LIMITS[api][0])


def recalled(kept: Mapping[str, Any], api: Api) -> Capabilities:
    """What an earlier session learnt; all that makes no sense is what it would be without."""
    if kept.get("api") in tuple(_LIMITS):
        api = cast("Api", kept["api"])
    known: dict[str, Any] = {"system": kept.get("system") is not False}
    known["bounds"] = kept.get("bounds") is not False
    if kept.get("rung") in _FORMATS:
        known["reply_format"] = kept["rung"]
    if "limit" in kept and kept["limit"] in _LIMITS[api]:
        known["limit"] = kept["limit"]
    if kept.get("plain") in _FORMATS[1:]:
        known["plain"] = kept["plain"]
    for name in ("fields_below", "lists_below"):
        if type(kept.get(name)) is int:
            known[name] = kept[name]
    refused = kept.get("refused")
    if isinstance(refused, list):
        known["refused"] = frozenset(name for name in refused if isinstance(name, str))
    return replace(asked_by(api), **known)


def _names(trouble: Trouble, parameter: str) -> bool:
    """Whether the server complains about this parameter: by its own field, else in its words."""
    if trouble.param:
        return trouble.param.partition(".")[0] == parameter
    named = rf"(?<![\w-]){re.escape(parameter)}(?![\w-])"
    return bool(re.search(named, f"{trouble.message} {trouble.raw}"))


def _unknown(trouble: Trouble) -> bool:
    """Whether a server knows no such path: a model that is not there is another matter."""
    about = f"{trouble.code} {trouble.param} {trouble.message}".lower()
    if any(words in about for words in _NO_SUCH_WORDS):
        return True
    return trouble.status in _NO_SUCH_PATH and "model" not in about


def too_much_room(trouble: Trouble) -> bool:
    """Whether the server complains of the size asked for: that tells of no other cell."""
    about = f"{trouble.param} {trouble.message}"
    named = any(name in about for name in (*LIMITS, "in the completion"))
    return trouble.status in BAD_REQUEST and named and bool(_TOO_MUCH.search(about))
