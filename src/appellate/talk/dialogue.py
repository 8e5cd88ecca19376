"""The dialogue of a trait kind with a model, until one of its replies can be used.

A kind's dialogue is a generator: it yields a `Prompt`, is sent a `Reply`, and returns an answer or
raises `Unreadable`. So a test can play the model by sending text. A judge (`judges/openai.py`)
carries prompts and replies, and handles failed connections.

The first part builds the JSON Schemas that replies must follow. It uses only what every server with
a strict mode knows.
"""

import hashlib
import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

# -- the schema of a reply -------------------------------------------------------------------------

Schema = dict[str, Any]
"""A JSON Schema."""

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}
MOST_ITEMS = "maxItems"
"""The key that bounds a list. OpenAI's strict mode knows it, Azure's older versions do not."""
_EXAMPLES = {
    "string": '"..."',
    "integer": "1",
    "boolean": "true or false",
    "null": "null",
}
"""What stands for a value of each type in `shape`."""


def either(*words: str) -> Schema:
    """Return the schema of a text that is one of these words."""
    return {"type": "string", "enum": list(words)}


def or_null(schema: Schema) -> Schema:
    """Return the schema of a value that is null or follows `schema`."""
    return {"anyOf": [schema, NULL]}


def list_of(schema: Schema, most: int | None = None) -> Schema:
    """Return the schema of a list of values that follow `schema`.

    The list has at most `most` values, under the key `maxItems`, or any number for None. A server
    that enforces the bound keeps a model from writing endless lists.
    """
    list_schema: Schema = {"type": "array", "items": schema}
    if most is not None:
        list_schema[MOST_ITEMS] = most
    return list_schema


def without_bounds(schema: Any) -> Any:
    """Return a copy of a schema in which lists may have any number of items, at any depth.

    Every key `maxItems` is left out, for servers that do not know it. What is no dict or list is
    returned unchanged.
    """
    if isinstance(schema, dict):
        return {
            key: without_bounds(value)
            for key, value in schema.items()
            if key != MOST_ITEMS
        }
    if isinstance(schema, list):
        return [without_bounds(value) for value in schema]
    return schema


def table(fields: Mapping[str, Schema]) -> Schema:
    """Return the schema of an object with exactly these fields, by name, all of them required.

    Other fields are forbidden: servers with a strict mode accept no other objects.
    """
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


def numbered_fields(schema_names: Sequence[str]) -> Schema:
    """Return the schema of an object with required fields "1", "2" and so on, and no others.

    Field n has the schema that is called `schema_names[n - 1]` in `$defs`. The caller adds these
    `$defs` to the whole schema.
    """
    fields: dict[str, Schema] = {}
    for number, name in enumerate(schema_names, 1):
        reference = f"#/$defs/{name}"
        fields[str(number)] = {"$ref": reference}
    return table(fields)


def shape(schema: Schema, defined: Mapping[str, Schema] = MappingProxyType({})) -> str:
    """Return an example of a reply that follows a schema, as a prompt shows it to a model.

    It is not strict JSON, as in `{"pass": true or false, "why": "..."}`. Of numbered fields only
    the first of each schema is shown, and then "and so on" to the last. Of fields named a, b, c
    only a is shown. `defined` has the schemas that a `$ref` may name; it is ignored if the schema
    has `$defs` of its own. Raises KeyError for a `$ref` that is in neither.
    """
    defined = schema.get("$defs", defined)
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return shape(defined[name], defined)
    if "anyOf" in schema:
        choices = [shape(choice, defined) for choice in schema["anyOf"]]
        return " or ".join(choices)
    if "enum" in schema:
        words = [json.dumps(word) for word in schema["enum"]]
        return " or ".join(words)
    if schema["type"] == "array":
        item = shape(schema["items"], defined)
        return f"[{item}]"
    if schema["type"] == "object":
        fields = ", ".join(_field_examples(schema["properties"], defined))
        return f"{{{fields}}}"
    return _EXAMPLES[schema["type"]]


def _field_examples(
    fields: Mapping[str, Schema],
    defined: Mapping[str, Schema],
) -> Iterator[str]:
    """Yield an example of each field of an object, as `"name": example`; nothing without fields.

    Of fields "1", "2" and so on only the first of each schema is shown, and then `and so on to "9"`
    for the last. Of fields a, b, c (sentences) with a `$ref` only a is shown, and then "and so on":
    prompts for different responses then begin with the same words, which servers can cache.
    `defined` has the schemas that a `$ref` may name. Raises KeyError for one that it lacks.
    """
    if "$ref" in fields.get("a", {}):
        example = shape(fields["a"], defined)
        yield f'"a": {example}'
        yield "and so on"
        return

    is_numbered = "1" in fields and len(fields) > 1
    shown_fields = []
    for name, field in fields.items():
        if is_numbered and field in shown_fields:
            continue
        shown_fields.append(field)
        example = shape(field, defined)
        yield f'"{name}": {example}'
    if is_numbered:
        *_, last_name = fields
        yield f'and so on to "{last_name}"'


# -- asking ----------------------------------------------------------------------------------------

TRIES = 3
"""How often a model is asked, in all, before its replies count as unreadable."""
MOST_REPLY_TOKENS = 32_768
"""The most tokens that a reply may take, after replies were cut."""
_FEWEST_REPLY_TOKENS = 4096
"""The fewest tokens that a first reply may take: models think before they answer."""
_TOKENS_TO_THINK = 2048
"""Tokens that a first reply may take besides those of its answer."""
_ANSWERS_THAT_FIT = 4
"""How many answers of usual length fit into a first reply."""
_LONGEST_IN_ANSWERS = 8
"""How many times as long as usual an answer may be."""
_ALWAYS_ALLOWED_TOKENS = 2048
"""Tokens that any answer may take, however short it usually is."""
_CHARACTERS_PER_TOKEN = 4
"""In English text. Other languages have fewer, so their answers count as too long later."""


def max_tokens_for(usual_tokens: int) -> int:
    """Return how many tokens a first reply may take, from those that its answer usually takes.

    It is 4096, or 4096 doubled until thoughts and some usual answers fit. It is at most half of
    `MOST_REPLY_TOKENS`, so that a reply that was cut can be asked for again with twice as many.
    """
    max_tokens = _FEWEST_REPLY_TOKENS
    enough = min(
        _TOKENS_TO_THINK + _ANSWERS_THAT_FIT * usual_tokens,
        MOST_REPLY_TOKENS // 2,
    )
    while max_tokens < enough:
        max_tokens *= 2
    return max_tokens


def longest_answer_for(usual_tokens: int) -> int:
    """Return the length in characters above which a cut answer shows that the model runs on.

    It is several times the length of a usual answer, which takes `usual_tokens` tokens, and at
    least that of `_ALWAYS_ALLOWED_TOKENS`. Thoughts are not counted in either.
    """
    longest_tokens = max(_LONGEST_IN_ANSWERS * usual_tokens, _ALWAYS_ALLOWED_TOKENS)
    return _CHARACTERS_PER_TOKEN * longest_tokens


Why = Literal["first", "unreadable", "incomplete", "cut", "further"]
"""Why a prompt is sent: as the first one, because of a fault of the reply, or to ask more."""

OCTETS_PER_TOKEN = 4.5
"""By OpenAI's o200k. English responses have 4.8 (3.9 to 5.3), Chinese ones 3.1."""


class Form(NamedTuple):
    """The wording of a request, and the schema of the reply that it asks for."""

    user: str
    schema: Schema


class Prompt(Struct, frozen=True):
    """One request to a model: what is said to it, and what its reply may be."""

    system: str
    user: str
    schema: Schema
    """The schema of the reply, in strict mode."""
    max_tokens: int
    """How many tokens the reply may take, thoughts included."""
    why: Why = "first"
    template: str | None = None
    """The SHA-256 of the words that the prompt was made from."""
    usual_tokens: int = 0
    """About how many tokens a reply takes, without thoughts."""
    list_form: Form | None = None
    """How to ask for lists instead, for a server that does not enforce a field for each answer."""
    first_size: int | None = None
    """In a further question, the size of the first question's schema; None in a first question."""
    longest_answer: int = 0
    """A cut reply with more characters is of a model that runs on; 0 if any length is right."""

    def form(self, *, as_lists: bool) -> Form:
        """Return the user's message and the schema of the reply, without the system's message.

        With `as_lists` they are those of `list_form`, or the usual ones if the prompt has no such
        form.
        """
        if as_lists and self.list_form:
            return self.list_form
        return Form(self.user, self.schema)

    @property
    def schema_size(self) -> int:
        """The length in characters of the schema as JSON.

        In a further question it is the length of the first question's schema.
        """
        if self.first_size is not None:
            return self.first_size
        return len(json.dumps(self.schema))

    @property
    def octets(self) -> int:
        """The size of both messages and of the schema as JSON, in bytes of UTF-8.

        It is that of the usual form, also if the prompt has a form for lists.
        """
        sent_text = "".join([self.system, self.user, json.dumps(self.schema)])
        return len(sent_text.encode())

    @property
    def tokens(self) -> int:
        """About how many tokens everything that is sent takes."""
        return round(self.octets / OCTETS_PER_TOKEN)

    def sha256(self, *, as_lists: bool = False) -> str:
        """Return the SHA-256 of both messages and the schema, as 64 hexadecimal digits.

        With `as_lists` the user's message and the schema are those of `list_form`, or the usual
        ones if the prompt has no such form. Token limits and the rest of the prompt do not count.
        """
        content = [self.system, *self.form(as_lists=as_lists)]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def with_text(self, text: str) -> "Prompt":
        """Return a copy of the prompt with a text on a new line below the user's message.

        The text is added to the message of `list_form`, too, if there is one. Blanks and line
        breaks at the end are left out. The beginning is unchanged, so what a server cached of it
        remains useful.
        """
        list_form = self.list_form
        if list_form:
            text_of_list = f"{list_form.user}\n{text}"
            list_form = list_form._replace(user=text_of_list.rstrip())
        user_text = f"{self.user}\n{text}"
        return replace(self, user=user_text.rstrip(), list_form=list_form)

    def as_further_question(self, schema: Schema) -> "Prompt":
        """Return a copy of the prompt as a further question, whose reply follows `schema`.

        The messages stay, `why` is "further", and `list_form` gets the schema, too, if there is
        one. `first_size` is the length in characters of the first question's schema, however many
        questions came between.
        """
        list_form = self.list_form
        if list_form:
            list_form = list_form._replace(schema=schema)
        return replace(
            self,
            schema=schema,
            why="further",
            first_size=self.schema_size,
            list_form=list_form,
        )


class Reply(Struct, frozen=True):
    """What came back from a model."""

    text: str
    cut: bool = False
    """Whether the token limit cut the reply."""
    unread: str = ""
    """The server's words if it could not read the model's reply, else ""."""


Answer = TypeVar("Answer")
Dialogue = Generator[Prompt, Reply, Answer]
"""A generator that yields prompts, is sent replies and returns an answer; raises Unreadable."""


class NoAnswer(Exception):
    """A reply that is not an answer, with the reason to tell the model."""

    def __init__(self, why: Why, fault: str) -> None:
        """Keep why the model is asked again, and the fault of its reply, which is the message, too.

        The fault is a sentence that begins in lower case and calls the reply "it", as "it was
        empty.", for the model and for people.
        """
        super().__init__(fault)
        self.why = why
        self.fault = fault


class Unreadable(Exception):
    """A model gave no usable reply: in `TRIES` tries, or because its reply was cut.

    The message is the reason, a sentence for people.
    """

    def __init__(
        self,
        reason: str,
        raw: str,
        *,
        unread: bool = False,
        shapeless: bool = False,
    ) -> None:
        """Keep why the model failed; `reason` is a sentence for people, and the message, too.

        `raw` is the text of its last reply. `unread` says whether the server could not read that
        reply. `shapeless` says whether no reply followed the schema, or the last one was cut.
        """
        super().__init__(reason)
        self.reason = reason
        self.raw = raw
        self.unread = unread
        self.shapeless = shapeless


def ask_until_usable(
    first: Prompt,
    read: Callable[[str], Answer],
    word_fault: Callable[[str], str],
) -> Dialogue[Answer]:
    """Ask a model up to `TRIES` times for a reply that can be read, and return its answer.

    It is a generator that yields each prompt and is sent the reply. `read` returns the answer in a
    reply's text, in which U+FFFD stands for each lone surrogate, or raises NoAnswer. After NoAnswer
    the next prompt is `first` with `word_fault(fault)` below it: only the last fault is told, and
    the model is not shown its own reply. A reply that the server could not read is a try, too, and
    `read` is not asked. A reply that the token limit cut is no try: the same is asked with twice as
    many tokens, and later tries keep that limit.

    Raises Unreadable after `TRIES` tries, for a reply that is cut at `MOST_REPLY_TOKENS`, and at
    once for a cut one that is longer than any answer.
    """
    prompt = first
    reply = Reply("")
    fault = ""
    shapeless = True
    for _ in range(TRIES):
        prompt, reply = yield from _ask_until_uncut(prompt)
        try:
            return _answer_of(reply, read)
        except NoAnswer as no_answer:
            fault = no_answer.fault
            shapeless = shapeless and no_answer.why == "unreadable"
            asked_again = first.with_text(word_fault(fault))
            prompt = replace(
                asked_again,
                max_tokens=prompt.max_tokens,
                why=no_answer.why,
            )

    reason = f"The judge gave no usable reply: {fault}"
    if reply.unread:
        reason += f" It said: {reply.unread}"
    raise Unreadable(reason, reply.text, unread=bool(reply.unread), shapeless=shapeless)


RUNS_ON = (
    "The model runs on: the token limit cut a reply far longer than an answer takes."
)
"""The reason of Unreadable for a model that does not stop."""


def _ask_until_uncut(
    prompt: Prompt,
) -> Generator[Prompt, Reply, tuple[Prompt, Reply]]:
    """Ask a model until its reply is not cut; return the prompt of that reply, and the reply.

    It yields each prompt and is sent the reply to it. After a reply that the token limit cut, the
    same is asked with twice as many tokens, at most `MOST_REPLY_TOKENS`. The returned prompt has
    the last limit, and the text of the reply can be encoded.

    Raises Unreadable for a reply that is cut at `MOST_REPLY_TOKENS`, and for one that is cut and
    longer than any answer, because that model is likely to run on.
    """
    reply = yield prompt
    while reply.cut:
        if _runs_on(reply.text, prompt):
            raise Unreadable(RUNS_ON, readable(reply.text), shapeless=True)
        if prompt.max_tokens >= MOST_REPLY_TOKENS:
            limit = f"the token limit, even with room for {prompt.max_tokens} tokens"
            reason = f"The reply was cut by {limit}."
            raise Unreadable(reason, readable(reply.text), shapeless=True)
        doubled = min(2 * prompt.max_tokens, MOST_REPLY_TOKENS)
        prompt = replace(prompt, max_tokens=doubled, why="cut")
        reply = yield prompt
    return prompt, replace(reply, text=readable(reply.text))


def _runs_on(reply_text: str, prompt: Prompt) -> bool:
    """Return whether the text of a reply is longer than `longest_answer` of its prompt allows.

    Thoughts do not count: False for a reply that is still in its thoughts, and for a prompt to
    which an answer of any length is right.
    """
    answer = reply_text.rpartition("</think>")[2]
    if answer.lstrip().startswith("<think>"):
        return False
    return 0 < prompt.longest_answer < len(answer)


def _answer_of(reply: Reply, read: Callable[[str], Answer]) -> Answer:
    """Return the answer that `read` finds in the text of a reply.

    Raises NoAnswer if the server could not read the reply, whatever its text is. Else it raises
    what `read` raises.
    """
    if reply.unread:
        # the server's own words may quote other people's, so the model is not told them
        raise NoAnswer("unreadable", "the server could not read it.")
    return read(reply.text)


def readable(text: str) -> str:
    """Return a text that can be encoded: each lone surrogate becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def readable_value(value: object) -> Any:
    """Return a copy of a JSON value in which U+FFFD stands for each lone surrogate, at any depth.

    Its texts and keys can all be encoded then, as files and terminals need it. Numbers, true, false
    and null are returned as they are. Raises RecursionError for a value that is nested too deeply.
    """
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, list):
        return [readable_value(item) for item in value]
    if isinstance(value, dict):
        return {readable(key): readable_value(item) for key, item in value.items()}
    return value
