"""What a kind and a model write to each other, until a reply can be used.

A kind yields prompts and is sent replies, so that a test sends strings. Carrying them, and
trouble on the way, is a judge's matter.
"""

import hashlib
import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

# -- the shape of a reply, in the part of JSON Schema that every strict server knows ---------------

Schema = dict[str, Any]
"""A JSON Schema."""

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}
MOST_ITEMS = "maxItems"
"""The bound of a list. OpenAI's strict mode takes it; Azure's older versions and others do not."""
_EXAMPLES = {"string": '"..."', "integer": "1", "boolean": "true or false", "null": "null"}


def either(*words: str) -> Schema:
    return {"type": "string", "enum": list(words)}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, NULL]}


def listed(schema: Schema, most: int | None = None) -> Schema:
    """A list, of at most so many values where `most` says so: a model held to it cannot run on."""
    found: Schema = {"type": "array", "items": schema}
    if most is not None:
        found[MOST_ITEMS] = most
    return found


def without_bounds(schema: Any) -> Any:
    """Return a schema whose lists may be of any length, for servers that know no bounds."""
    if isinstance(schema, dict):
        return {key: without_bounds(value) for key, value in schema.items() if key != MOST_ITEMS}
    if isinstance(schema, list):
        return [without_bounds(value) for value in schema]
    return schema


def table(fields: Mapping[str, Schema]) -> Schema:
    """An object with exactly these fields, all of them given: strict servers take no other."""
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


def numbered(names: Sequence[str]) -> Schema:
    """An object with numbered fields; `names` are those of their schemas in `$defs`."""
    refs = [{"$ref": f"#/$defs/{name}"} for name in names]
    return table({str(number): ref for number, ref in enumerate(refs, 1)})


def shape(schema: Schema, defined: Mapping[str, Schema] = MappingProxyType({})) -> str:
    """The schema as an example, for models whose server does not show it to them."""
    defined = schema.get("$defs", defined)
    if "$ref" in schema:
        return shape(defined[schema["$ref"].rpartition("/")[2]], defined)
    if "anyOf" in schema:
        return " or ".join(shape(each, defined) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(map(json.dumps, schema["enum"]))
    if schema["type"] == "array":
        return f"[{shape(schema['items'], defined)}]"
    if schema["type"] == "object":
        return "{" + ", ".join(_fields(schema["properties"], defined)) + "}"
    return _EXAMPLES[schema["type"]]


def _fields(fields: Mapping[str, Schema], defined: Mapping[str, Schema]) -> Iterator[str]:
    """Each field; of numbered ones the first of each shape, and words that are no reply.

    Fields of sentences are shown without how many there are, so that prompts begin alike.
    """
    *_, last = fields
    if "$ref" in fields.get("a", {}):
        yield f'"a": {shape(fields["a"], defined)}'
        yield "and so on"
        return
    many = "1" in fields and last != "1"
    shown = []
    for name, field in fields.items():
        if not many or field not in shown:
            shown.append(field)
            yield f'"{name}": {shape(field, defined)}'
    if many:
        yield f'and so on to "{last}"'


# -- asking ----------------------------------------------------------------------------------------

TRIES = 3
"""How often a model is asked in all before its replies count as unreadable."""
MOST_ROOM = 32_768
"""The most tokens that a reply is given when replies are cut."""
_LEAST_ROOM = 4096
"""The fewest tokens that a first reply is given: models think before they answer."""
_ROOM_TO_THINK = 2048
"""Tokens that a first reply is given beside those of its answer."""
_ROOM_TIMES = 4
_LONGEST_TIMES = 8
"""How often the usual answer fits into a first reply, and how long the longest one may be."""
_LONGEST_LEAST = 2048
"""Tokens that no answer is too long with, however few things are asked."""
_CHARACTERS = 4
"""Of a token, where the text is English; elsewhere fewer, and an answer is too long later."""


def room_for(usual: int) -> int:
    """Return the tokens for a first reply whose answer usually takes so many; they can be doubled.

    They are 4096 doubled as often as it takes, so that a cut reply meets the most in few steps.
    """
    room = _LEAST_ROOM
    while room < min(_ROOM_TO_THINK + _ROOM_TIMES * usual, MOST_ROOM // 2):
        room *= 2
    return room


def longest_for(usual: int) -> int:
    """Return the characters beyond which an answer that usually takes so many tokens runs on."""
    return _CHARACTERS * max(_LONGEST_TIMES * usual, _LONGEST_LEAST)


Why = Literal["first", "unreadable", "incomplete", "cut", "further"]


OCTETS_PER_TOKEN = 4.5
"""By OpenAI's o200k; English responses are at 4.8 (3.9 to 5.3), Chinese at 3.1."""


class Form(NamedTuple):
    """The words that ask for a reply of some shape, and the shape."""

    user: str
    schema: Schema


class Prompt(Struct, frozen=True):
    """One request: a strict schema, the tokens a reply may take (`room`), and why it is asked.

    `listed` asks for lists, where a server holds no model to a field for each answer. `template`
    is the hash of the words it was made of, `usual` about how many tokens a reply takes without
    thinking, `first_size` the size of the first question's schema, in a further one. A cut reply of
    more than `longest` characters is of a model that runs on; 0 where any length is right.
    """

    system: str
    user: str
    schema: Schema
    room: int
    why: Why = "first"
    template: str | None = None
    usual: int = 0
    listed: Form | None = None
    first_size: int | None = None
    longest: int = 0

    def form(self, *, listed: bool) -> Form:
        """The words for the model, in the one shape or the other."""
        if listed and self.listed:
            return self.listed
        return Form(self.user, self.schema)

    @property
    def schema_size(self) -> int:
        """How many letters the schema of the first question has."""
        if self.first_size is not None:
            return self.first_size
        return len(json.dumps(self.schema))

    @property
    def octets(self) -> int:
        """The size of all that is sent, in bytes of UTF-8."""
        whole = "".join([self.system, self.user, json.dumps(self.schema)])
        return len(whole.encode())

    @property
    def tokens(self) -> int:
        """About how many tokens all that is sent takes."""
        return round(self.octets / OCTETS_PER_TOKEN)

    def sha256(self, *, listed: bool = False) -> str:
        """The hash of the words for the model, in the one shape or the other."""
        whole = json.dumps(
            [self.system, *self.form(listed=listed)], sort_keys=True, separators=(",", ":")
        )
        return hashlib.sha256(whole.encode()).hexdigest()

    def adding(self, text: str) -> "Prompt":
        """The prompt with more below it; what servers keep of its beginning stays of use."""
        listed = self.listed and self.listed._replace(user=f"{self.listed.user}\n{text}".rstrip())
        return replace(self, user=f"{self.user}\n{text}".rstrip(), listed=listed)

    def asking(self, schema: Schema) -> "Prompt":
        """The prompt as a further question, which has a reply of one shape only."""
        return replace(
            self,
            schema=schema,
            why="further",
            first_size=self.schema_size,
            listed=self.listed and self.listed._replace(schema=schema),
        )


class Reply(Struct, frozen=True):
    """What came back; `cut` by the token limit, `unread` where the server could not read it."""

    text: str
    cut: bool = False
    unread: str = ""


Answer = TypeVar("Answer")
Dialogue = Generator[Prompt, Reply, Answer]
"""Yields prompts, is sent replies and returns an answer; raises Unreadable."""


class NoAnswer(Exception):
    """One reply that is no answer, and how to say so to the model."""

    def __init__(self, why: Why, fault: str) -> None:
        super().__init__(fault)
        self.why = why
        self.fault = fault


class Unreadable(Exception):
    """No usable reply within the tries; `raw` is the last, which the server left `unread`.

    `shapeless`: none was of the shape that was asked for, or none came to an end.
    """

    def __init__(
        self, reason: str, raw: str, *, unread: bool = False, shapeless: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.raw = raw
        self.unread = unread
        self.shapeless = shapeless


def answered(
    first: Prompt, read: Callable[[str], Answer], again: Callable[[str], str]
) -> Dialogue[Answer]:
    """What the first usable reply says; `read` raises NoAnswer, `again` words its fault.

    A reply that is cut is asked for again with twice as much room, unless it is longer already than
    any answer: other cells then are likely to meet the same.
    """
    prompt = first
    reply = Reply("")
    fault = ""
    shapeless = True
    for _ in range(TRIES):
        reply = yield prompt
        while reply.cut:
            if _runs_on(reply.text, prompt):
                raise Unreadable(RUNS_ON, readable(reply.text), shapeless=True)
            if prompt.room >= MOST_ROOM:
                limit = f"the token limit, even with room for {prompt.room} tokens"
                wrong = f"The reply was cut by {limit}."
                raise Unreadable(wrong, readable(reply.text), shapeless=True)
            prompt = replace(prompt, room=min(2 * prompt.room, MOST_ROOM), why="cut")
            reply = yield prompt
        reply = replace(reply, text=readable(reply.text))
        try:
            return _read(reply, read)
        except NoAnswer as no:
            fault = no.fault
            shapeless = shapeless and no.why == "unreadable"
            prompt = replace(first.adding(again(fault)), room=prompt.room, why=no.why)
    reason = f"The judge gave no usable reply: {fault}"
    if reply.unread:
        reason += f" It said: {reply.unread}"
    raise Unreadable(reason, reply.text, unread=bool(reply.unread), shapeless=shapeless)


RUNS_ON = "The model runs on: the token limit cut a reply far longer than an answer takes."


def _runs_on(text: str, prompt: Prompt) -> bool:
    """Return whether a cut reply is longer than any answer, what the model thinks apart."""
    answer = text.rpartition("</think>")[2]
    if answer.lstrip().startswith("<think>"):
        return False
    return 0 < prompt.longest < len(answer)


def _read(reply: Reply, read: Callable[[str], Answer]) -> Answer:
    """What a reply says; a server's own words may quote others' and are not for the model."""
    if reply.unread:
        raise NoAnswer("unreadable", "the server could not read it.")
    return read(reply.text)


def readable(text: str) -> str:
    """The text as encodable Unicode: each lone surrogate is U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def readable_value(value: object) -> Any:
    """Return a JSON value whose texts and keys are all encodable Unicode, as by `readable`.

    JSON's escapes write lone surrogates, which no file and no terminal takes. Raises
    RecursionError for what is nested too deeply.
    """
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, list):
        return [readable_value(each) for each in value]
    if isinstance(value, dict):
        return {readable(key): readable_value(each) for key, each in value.items()}
    return value
