"""What a server can do: its API, its format of replies and the parameters that it accepts.

This is learnt from the errors of the server, and applies to all cells. The judge sends a request by
its `Capabilities`, and replaces them by `Capabilities.after()` when the server refuses something.
`reply_cache` saves them for later sessions.
"""

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
"""The formats of a reply, from the strictest to the plainest."""
MOST_STEPS = len(_FORMATS) - 1
"""How many steps plainer a format can become."""
_LIMITS: dict[Api, tuple[str | None, ...]] = {
    "chat": ("max_completion_tokens", "max_tokens", None),
    "responses": ("max_output_tokens", None),
}
"""Names of the token limit in the order they are tried; None sends no limit."""
LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")
"""All names that a token limit may have."""
_ASPECTS = (
    *(
        "api",
        "reply_format",
        "fields_below",
        "lists_below",
        "plain",
        "bounds",
        "limit",
        "system",
    ),
)
"""Fields of Capabilities that `learning` takes over one by one."""
MALFORMED = 3
"""Replies that are no JSON before a format counts as not supported."""

_FORMAT = re.compile(
    r"response_format|text\.format|json_schema|json_object|json mode|schema|grammar|literal_error",
    re.IGNORECASE,
)
_SCHEMA = re.compile(
    r"(?:invalid|unsupported) (?:json )?schema|features not supported|\$ref|\$defs|propert|grammar"
    r"|compil|too (?:many|complex|deep|large)|exceed|nest",
    re.IGNORECASE,
)
"""Words of a server that refuses this schema, and may take a smaller one."""
_BOUNDS = re.compile(
    r"max_?items|array (?:constraint|length|size)|features not supported",
    re.IGNORECASE,
)
"""Words of a server that refuses bounds on lists: Azure, Anthropic and old grammars do."""
_FORMAT_STATUS = (400, 404, 415, 422, 500, 501)
"""Statuses with which servers refuse a format of replies."""
BAD_REQUEST = (400, 422)
"""Statuses of a request that the server considers wrong."""
_SYSTEM = re.compile(
    r"system (?:role|message|prompt|instruction)|role.{0,60}\bsystem\b|'system'"
    r"|only user and assistant|must alternate",
    re.IGNORECASE | re.DOTALL,
)
"""Words of a server whose model takes no system message."""
_SYSTEM_STATUS = (400, 422, 500)
_NO_SUCH_PATH = (404, 405, 501)
"""Statuses of a server that has no path of this name."""
_NO_SUCH_WORDS = ("unexpected endpoint", "invalid url", "unknown request url")
_TOO_MUCH = re.compile(
    r"context.(?:length|size|window)|too (?:large|long)|at most|exceed|less than",
    re.IGNORECASE,
)


class Capabilities(Struct, frozen=True):
    """A way to ask a server: an API, a format of replies and the parameters that it accepts."""

    api: Api = "chat"
    reply_format: ReplyFormat = "json_schema"
    fields_below: int | None = None
    """Size of the smallest schema with a field for each answer that was refused; None if none was.

    Prompts whose schema is as large or larger are sent with a schema of one list of answers.
    """
    lists_below: int | None = None
    """Size of a prompt's schema from which on a schema of one list was refused, too; None if none
    was. Such prompts are sent in the format `plain`.
    """
    plain: ReplyFormat = "json_object"
    """The format to use when no schema can be sent."""
    bounds: bool = True
    """Whether a schema may say how long a list is."""
    limit: str | None = "max_completion_tokens"
    """Name of the token limit; None sends no limit."""
    system: bool = True
    """Whether there may be a system message."""
    refused: frozenset[str] = frozenset()
    """Parameters that the server refused, which are left out."""
    malformed: int = 0
    """Replies in this format that were no JSON, as long as none was."""
    proven: bool = False
    """Whether a reply in this format was JSON."""

    def after(
        self,
        trouble: Trouble,
        prompt: Prompt,
        params: Iterable[str] = ("temperature",),
    ) -> "Capabilities":
        """Return what to try next after the server refused a request, or these if nothing is left.

        `prompt` and `params`, the names of its parameters, are those of the request. It was sent
        with these capabilities, as `for_prompt` gives them. Only the first of these that the server
        complains about is changed: a parameter is left out, the token limit gets its next name or
        none, the format of replies changes, the system message is left out, and Responses gives way
        to Chat Completions. Trouble that is no such refusal changes nothing.
        """
        if trouble.status in BAD_REQUEST:
            for name in params:
                if _complains_about(trouble, name):
                    return replace(self, refused=self.refused | {name})
            if self.limit and _complains_about(trouble, self.limit):
                next_name = dict(pairwise(_LIMITS[self.api]))
                return replace(self, limit=next_name.get(self.limit))
        plainer = self._after_refused_format(trouble, prompt)
        if plainer:
            return plainer
        about_system = _SYSTEM.search(f"{trouble.param} {trouble.message}")
        if self.system and trouble.status in _SYSTEM_STATUS and about_system:
            return replace(self, system=False)
        if self.api == "responses" and _lacks_path(trouble):
            return initial_capabilities("chat")
        return self

    def _after_refused_format(
        self,
        trouble: Trouble,
        prompt: Prompt,
    ) -> "Capabilities | None":
        """Return what to try after the server refused the format of replies, or None if it did not.

        None also if the format is text, which cannot be plainer. If the server names bounds on
        lists, they are left out first. If it finds the schema invalid or too large, prompts of this
        size and larger get a schema of one list, and after that the format `plain`. Any other
        refusal of a format leads to the next plainer format for all prompts.
        """
        about = f"{trouble.param} {trouble.message} {trouble.raw}"
        if self.reply_format == "text" or trouble.status not in _FORMAT_STATUS:
            return None
        has_schema = self.reply_format == "json_schema"
        if has_schema and self.bounds and _BOUNDS.search(about):
            return replace(self, bounds=False)
        if not _FORMAT.search(about):
            return None
        if has_schema and _SCHEMA.search(about):
            if self.asks_for_fields(prompt):
                return replace(self, fields_below=prompt.schema_size)
            return replace(self, lists_below=prompt.schema_size)
        return self.plainer()

    def learning(self, sent: "Capabilities", better: "Capabilities") -> "Capabilities":
        """Return these capabilities with every change from `sent` to `better`.

        `sent` are those of a request, and `better` those that its refusal led to. A field in which
        these differ from `sent` already, because another request changed it, keeps its value.
        Parameters that `better` refuses are added to those refused. If the format or the API
        changes, replies that were no JSON are counted from 0.
        """
        changed: dict[str, Any] = {}
        for name in _ASPECTS:
            previous = getattr(sent, name)
            learnt = getattr(better, name)
            if getattr(self, name) == previous != learnt:
                changed[name] = learnt
        if changed.keys() & {"reply_format", "api"}:
            changed |= {"malformed": 0, "proven": False}
        return replace(
            self,
            refused=self.refused | (better.refused - sent.refused),
            **changed,
        )

    def asks_for_fields(self, prompt: Prompt) -> bool:
        """Return whether a request for this prompt sends a schema with a field for each answer.

        It does in the format json_schema, unless a schema of the prompt's size or a smaller one was
        refused. Otherwise the prompt's form for one list of answers is sent, by a schema or in
        words, if the prompt has such a form.
        """
        fits = self.fields_below is None or prompt.schema_size < self.fields_below
        return self.reply_format == "json_schema" and fits

    def for_prompt(self, prompt: Prompt) -> "Capabilities":
        """Return the capabilities to send a prompt with: these, or these with a plainer format.

        The format becomes `plain` if it is json_schema and the prompt is so large that its schema
        is refused, both with a field for each answer and as one list.
        """
        if self.asks_for_fields(prompt) or self.lists_below is None:
            return self
        if (
            self.reply_format == "json_schema"
            and prompt.schema_size >= self.lists_below
        ):
            return replace(self, reply_format=self.plain)
        return self

    def plainer(self, steps: int = 1) -> "Capabilities":
        """Return these capabilities with the reply format `steps` steps plainer.

        The steps are json_schema, then the format `plain`, then text. Text stays text. The new
        format also becomes `plain`, and replies that were no JSON are counted from 0 for it. With 0
        steps nothing changes.
        """
        capabilities = self
        for _ in range(steps):
            below: ReplyFormat = "text"
            if capabilities.reply_format == "json_schema":
                below = capabilities.plain
            capabilities = replace(
                capabilities,
                reply_format=below,
                plain=below,
                malformed=0,
                proven=False,
            )
        return capabilities

    def received(self, *, malformed: bool) -> "Capabilities":
        """Return these capabilities after one more reply, which was JSON unless `malformed`.

        A reply that was JSON proves the format, and after that nothing is counted. Before that, the
        MALFORMED-th reply that was no JSON makes the format one step plainer. Text stays text.
        """
        if self.proven:
            return self
        if not malformed:
            return replace(self, proven=True)
        counted = replace(self, malformed=self.malformed + 1)
        if counted.malformed >= MALFORMED and self.reply_format != "text":
            return counted.plainer()
        return counted

    def to_keep(self) -> dict[str, Any]:
        """Return what a later session may use, as an object for JSON that `from_saved` reads.

        Its keys are the names of the fields, but that of the reply format is `rung`. `refused` is a
        sorted list. Whether the format was proven and the count of replies that were no JSON are
        left out.
        """
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


def initial_capabilities(api: Api) -> Capabilities:
    """Return what is assumed of a server before its first answer."""
    return Capabilities(api=api, limit=_LIMITS[api][0])


def from_saved(saved: Mapping[str, Any], api: Api) -> Capabilities:
    """Return the capabilities in an object that an earlier session saved by `to_keep`.

    A value that is missing or not valid is replaced by what is assumed of an unknown server, so {}
    gives what `initial_capabilities` gives. The saved API has precedence over `api`. Nothing is
    raised.
    """
    if saved.get("api") in tuple(_LIMITS):
        api = cast("Api", saved["api"])
    fields: dict[str, Any] = {}
    fields["system"] = saved.get("system") is not False
    fields["bounds"] = saved.get("bounds") is not False
    if saved.get("rung") in _FORMATS:
        fields["reply_format"] = saved["rung"]
    if "limit" in saved and saved["limit"] in _LIMITS[api]:
        fields["limit"] = saved["limit"]
    plainer_formats = _FORMATS[1:]
    if saved.get("plain") in plainer_formats:
        fields["plain"] = saved["plain"]
    for name in ("fields_below", "lists_below"):
        size = saved.get(name)
        if type(size) is int:
            fields[name] = size
    refused = saved.get("refused")
    if isinstance(refused, list):
        names = [name for name in refused if isinstance(name, str)]
        fields["refused"] = frozenset(names)
    return replace(initial_capabilities(api), **fields)


def _complains_about(trouble: Trouble, parameter: str) -> bool:
    """Return whether the server complains about this parameter.

    If the trouble names a parameter in `param`, its part before the first dot must be this one.
    Otherwise the name must be in the message or in the raw answer, as a whole word and in the same
    case.
    """
    if trouble.param:
        first_part = trouble.param.partition(".")[0]
        return first_part == parameter
    text = f"{trouble.message} {trouble.raw}"
    whole_name = rf"(?<![\w-]){re.escape(parameter)}(?![\w-])"
    return re.search(whole_name, text) is not None


def _lacks_path(trouble: Trouble) -> bool:
    """Return whether the server has no such path, such as /responses.

    It has none if its code or message says so in known words, in any case. A status 404, 405 or 501
    says so, too, unless the trouble mentions a model: then the model is missing, not the path.
    """
    text = f"{trouble.code} {trouble.param} {trouble.message}"
    about = text.lower()
    if any(words in about for words in _NO_SUCH_WORDS):
        return True
    is_about_model = "model" in about
    return trouble.status in _NO_SUCH_PATH and not is_about_model


def is_limit_too_large(trouble: Trouble) -> bool:
    """Return whether the server complains that the token limit of a request is too large.

    The status must be 400 or 422, and its message must name a parameter of LIMITS, or the
    completion, and say that it is too much. It depends on the length of the prompt, so it says
    nothing about what the server can do.
    """
    if trouble.status not in BAD_REQUEST:
        return False
    about = f"{trouble.param} {trouble.message}"
    names = (*LIMITS, "in the completion")
    if not any(name in about for name in names):
        return False
    return _TOO_MUCH.search(about) is not None
