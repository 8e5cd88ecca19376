"""Reading what a server sent: `read()` gives a completion, or what is wrong with the answer.

No type in an answer is trusted. Servers answer 200 with HTML, with an error inside or without
choices. They send content in parts, counts as strings, and thoughts where the answer belongs.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from msgspec import Struct

from appellate.judges.endpoint import Api
from appellate.talk.dialogue import readable, readable_value
from appellate.talk.json_reply import is_whole

# -- values ----------------------------------------------------------------------------------------


_LONGEST_MESSAGE = 400
"""Characters of a server's words that are shown to people."""
_NOTHING = "its answer was empty"


def loaded(body: bytes | str) -> Any:
    """Return the JSON value of what a server sent, with texts that can be encoded.

    Each lone surrogate in its texts and keys becomes U+FFFD, so that all of it can be saved. Raises
    ValueError for what is no JSON, is not in a UTF or is nested too deeply.
    """
    try:
        return readable_value(json.loads(body))
    except RecursionError:
        raise ValueError("It is nested too deeply.") from None


def parsed(body: bytes | str) -> Any:
    """Return the JSON value of what a server sent, or None if it is no JSON or is null.

    Its texts can be encoded: each lone surrogate becomes U+FFFD. Nothing is raised.
    """
    try:
        return loaded(body)
    except ValueError:
        return None


def decoded(body: bytes) -> str:
    """Return bytes as text, with a replacement character where they are no UTF-8."""
    return body.decode("utf-8", "replace")


def short(text: str) -> str:
    """Return a text on one line, cut to `_LONGEST_MESSAGE` characters and "…" if it is longer.

    Line breaks and rows of blanks become one blank, and there is none at either end. Characters
    that cannot be encoded are replaced.
    """
    one_line = " ".join(readable(text).split())
    if len(one_line) > _LONGEST_MESSAGE:
        return one_line[:_LONGEST_MESSAGE] + "…"
    return one_line


def mapping(value: object) -> dict[str, Any]:
    """Return a value that is an object, or {} for any other."""
    return value if isinstance(value, dict) else {}


def mappings(value: object) -> list[dict[str, Any]]:
    """Return the elements of a list that are objects, in order; [] for a value that is no list."""
    if not isinstance(value, list):
        return []
    return [element for element in value if isinstance(element, dict)]


def text(value: object) -> str:
    """Return a value that is a string, or "" for any other."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int | None:
    """Return a number from 0 on as a whole number, also if it comes as text; None for others.

    Digits after the point are cut off, so "12.7" gives 12. Text may have blanks around it and a
    negative exponent, but neither a sign nor a positive exponent. True, False, infinite numbers,
    NaN and numbers of `_SANE` and more give None.
    """
    number = amount(value)
    if number is None:
        return None
    return int(number)


_NUMBER = re.compile(r"\s*\d{1,15}(?:\.\d{1,15})?(?:[eE]-\d{1,2})?\s*", re.ASCII)
_SANE = 1e15
"""No cost, number of tokens or time is as large."""


def amount(value: object) -> float | None:
    """Return a number from 0 on, also if it comes as text; None for any other value.

    Text may have blanks around it, digits after a point and a negative exponent, such as "2.5e-05",
    but neither a sign nor a positive exponent. True, False, infinite numbers, NaN and numbers of
    `_SANE` and more give None.
    """
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    if isinstance(value, bool):
        return None
    if not isinstance(value, int | float):
        return None
    is_sane = 0 <= value < _SANE  # NaN is neither
    return float(value) if is_sane else None


# -- completions -----------------------------------------------------------------------------------


TOO_LATE = "too late"
"""Code of the trouble that the server did not answer within the timeout."""
NO_CONNECTION = "no connection"
"""Code of the trouble that no connection to the server opened."""
REDIRECTS = (301, 302, 303, 307, 308)
"""Statuses that point to another address."""
LONGEST_RAW = 20_000
"""Characters of an answer that are saved with a failure."""
_COST = "x-litellm-response-cost"
"""In which a proxy says what a request cost."""
_NO_HEADERS: Mapping[str, str] = {}


class Completion(Struct, frozen=True):
    """A model's answer: its text, or why there is none."""

    text: str
    cut: bool = False
    """Whether the token limit ended the reply."""
    refusal: str = ""
    """The model's words for refusing; "" if it did not refuse."""
    filtered: str = ""
    """The server's word for why its filter stopped the reply, such as `SAFETY`; "" if none did."""
    stopped: str = ""
    """The server's word for an unknown ending, if the reply has no text; else ""."""
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cached: int | None = None
    """Those of `tokens_in` that came from the server's cache of prompts."""
    cost: float | None = None
    """What the server says it charges, in its currency."""
    unread: str = ""
    """The message of a server whose parser failed on the model's words, which are `text` then."""


_GARBLED_STATUS = (200, 400, 422, 500, 502)
"""Statuses with which servers say that their parser failed on the model's words."""
_GARBLED = re.compile(
    # llama.cpp
    r"failed to parse input at pos|model produced output that does not match"
    r"|json\.exception\.parse_error"
    # Ollama, LM Studio, SGLang
    r"|(?:failed to parse|error parsing) (?:the )?tool.?call|tool.?call parsing failed"
    # vLLM and others, gpt-oss
    r"|tokens remaining in message header|could not decode header|harmony.{0,3}error"
    # LiteLLM
    r"|JSONSchemaValidationError|returned an invalid response=|JSONDecodeError"
    # Python's parser
    r"|Expecting (?:value|property name|'.' delimiter)|Unterminated string|Extra data: line"
    # Groq
    r"|json_validate_failed|output_parse_failed|tool_use_failed|failed to generate json",
    re.IGNORECASE,
)


class Trouble(Struct, frozen=True):
    """A failed request: the reason, and how long to wait."""

    status: int
    """The HTTP status; 0 if no answer came."""
    message: str
    """The server's words, on one line."""
    raw: str = ""
    """The whole body of the answer."""
    code: str = ""
    """The server's code for the error, or TOO_LATE or NO_CONNECTION; "" if there is none."""
    param: str = ""
    """The parameter that the server complains about; "" if it names none."""
    wait: float | None = None
    """Seconds that the server asks to wait; None if it does not ask for it."""

    @property
    def unreachable(self) -> bool:
        """Whether no answer came, for another reason than the timeout."""
        return self.status == 0 and self.code != TOO_LATE

    @property
    def garbled(self) -> bool:
        """Whether the model answered, but the server's parser failed on the model's words.

        It is so if the code or the message has the words of a known server for that, and the status
        is 200, 400, 422, 500 or 502. Then the raw body has the words of the model.
        """
        return self.status in _GARBLED_STATUS and bool(
            _GARBLED.search(f"{self.code} {self.message}"),
        )


def read(
    body: bytes,
    headers: Mapping[str, str] = _NO_HEADERS,
    api: Api = "chat",
) -> Completion | Trouble:
    """Return the completion or the trouble in the body of an answer with status 200.

    `api` is that of the request. Trouble is an error in the body, a body without a choice or
    output, and a reply that the server broke off; its status is 200, or the error's own. A reply
    that was cut, filtered or refused is a completion, and so is a prompt that the server's filter
    blocked, with no text. `headers` are those of the answer, which may say the cost. Nothing is
    raised for a body of any shape.
    """
    value = mapping(parsed(body))
    if value.get("error"):
        return read_error(_OK, body, {})

    raw = decoded(body)
    usage = mapping(value.get("usage"))
    cost = amount(usage.get("cost"))
    if cost is None:
        cost = amount(headers.get(_COST))

    if api == "responses":
        has_output = isinstance(value.get("output"), list)
        has_failed = value.get("status") in ("failed", "cancelled")
        if not has_output or has_failed:
            return Trouble(_OK, f"no response: {short(raw) or _NOTHING}", raw)
        return _completion_of_responses(value, cost)

    choice = _first_choice(mappings(value.get("choices")))
    if not choice:
        blocked = _blocking_word(value)
        if blocked:
            return Completion("", filtered=blocked)
        return Trouble(_OK, f"no chat completion: {short(raw) or _NOTHING}", raw)
    ending = _ending_word(choice)
    if choice.get("error") or ending_of(ending) == "broken":
        return Trouble(
            _OK,
            f"an error within the completion: {_error_message(choice) or ending}",
            raw,
        )
    return _completion_of_chat(value, choice, cost)


def _first_choice(choices: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the choice of the lowest index, as servers may send them in any order; {} for none.

    Choices without an index come after the others. Of equal ones the first in the sequence counts.
    """
    first: dict[str, Any] = {}
    lowest = math.inf
    for choice in choices:
        index = count(choice.get("index"))
        is_lower = index is not None and index < lowest
        if not first or is_lower:
            first = choice
            lowest = math.inf if index is None else index
    return first


def _completion_of_chat(
    value: Mapping[str, Any],
    choice: Mapping[str, Any],
    cost: float | None,
) -> Completion:
    """Return the completion in `choice`, a choice of `value`, an answer of Chat Completions.

    The text is that of the message, or else the arguments of its function calls, or else its
    thoughts if they have a brace. A reply that the token limit ended counts as cut unless its JSON
    is whole. How the choice ended decides about the rest: a filter's word goes to `filtered`, a
    refusal's text to `refusal`, that of a failed parser to `unread`, and an unknown word of a reply
    without text to `stopped`. No field is trusted: what is missing or of another type is left
    empty. `cost` is what the server charges, or None if it does not say.
    """
    message = mapping(choice.get("message"))
    usage = mapping(value.get("usage"))
    ending_word = _ending_word(choice)
    ending = ending_of(ending_word)
    thoughts = text(message.get("reasoning_content")) or text(message.get("reasoning"))
    thought_tokens = mapping(usage.get("completion_tokens_details")).get(
        "reasoning_tokens",
    )
    content = _text_of_message(message.get("content"))
    if not content.strip():
        content = _arguments_in_message(message)
    answer, is_thinking_cut = split_off_thoughts(
        content,
        thoughts,
        count(thought_tokens),
    )

    refusal = _refusal(message)
    filtered = stopped = unread = ""
    if ending == "filtered":
        filtered = ending_word
    cut = ending == "cut" and not is_whole(answer)
    if is_thinking_cut and not refusal and not filtered:
        cut = True
    if ending == "refused":
        refusal = refusal or answer or "no reason given"
    if ending == "garbled":
        unread = f"the reply ended with {ending_word}"
    if ending == "unknown" and not answer.strip() and not cut and not refusal:
        stopped = ending_word
    return Completion(
        text=answer,
        cut=cut,
        refusal=refusal,
        filtered=filtered,
        stopped=stopped,
        unread=unread,
        model=text(value.get("model")) or None,
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
        cached=count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        cost=cost,
    )


Ending = Literal["", "cut", "filtered", "refused", "broken", "garbled", "unknown"]
"""How a reply ended, by one name for the words of all servers; "" where the model was done."""

_ENDINGS: Mapping[Ending, frozenset[str]] = {
    "": frozenset(
        (
            *(
                "",
                "stop",
                "stopped",
                "stop_sequence",
                "end_turn",
                "eos",
                "eos_token",
                "endoftext",
            ),
            *(
                "end",
                "done",
                "complete",
                "completed",
                "finish",
                "finished",
                "normal",
                "null",
            ),
            *("none", "unspecified", "load", "tool_calls", "tool_call", "tool_use"),
            *("function_call", "pause_turn"),
        ),
    ),
    "cut": frozenset(
        (
            *("length", "max_tokens", "max_token", "maxtokens", "max_output_tokens"),
            *("max_new_tokens", "max_completion_tokens", "max_length", "model_length"),
            *(
                "token_limit",
                "context_length",
                "model_context_window_exceeded",
                "error_limit",
            ),
        ),
    ),
    "filtered": frozenset(
        (
            *(
                "content_filter",
                "content_filtered",
                "contentfilter",
                "safety",
                "recitation",
            ),
            *(
                "blocklist",
                "prohibited_content",
                "spii",
                "image_safety",
                "image_recitation",
            ),
            *(
                "image_prohibited_content",
                "model_armor",
                "jailbreak",
                "blocked",
                "moderation",
            ),
            *("guardrail_intervened", "guardrails", "sensitive", "error_toxic"),
            "content_policy_violation",
        ),
    ),
    "refused": frozenset(("refusal", "refused")),
    "broken": frozenset(
        (
            *(
                "error",
                "abort",
                "aborted",
                "cancelled",
                "canceled",
                "cancel",
                "user_cancel",
            ),
            *(
                "timeout",
                "time_limit",
                "network_error",
                "internal_error",
                "not_finished",
            ),
            "insufficient_system_resource",
        ),
    ),
    "garbled": frozenset(
        (
            *("malformed_function_call", "malformed_response", "unexpected_tool_call"),
            *("too_many_tool_calls", "missing_thought_signature"),
        ),
    ),
}
"""The words of servers for each ending, in lower case.

The servers are OpenAI, Azure, Gemini and Vertex AI, Anthropic, Bedrock, Cohere, Mistral,
DeepSeek, Zhipu, watsonx, Hugging Face's text-generation-inference, vLLM and Ollama.
"""
_ENUM = re.compile(r"^(?:finish_?reason|stop_?reason|block_?reason)[._]")


def ending_of(word: str) -> Ending:
    """Return how a reply ended, by its server's word: `FinishReason.MAX_TOKENS` is "cut".

    It is "" for a word of a reply that ended well, such as `stop`, and for an empty word. A word
    that no server is known to use is "unknown". Case, blanks and hyphens do not matter. Of a word
    with a colon, such as `content_filter: SAFETY`, either side may be the known one.
    """
    parts = [word, *word.split(":")]
    for part in parts:
        name = re.sub(r"[\s-]+", "_", part.strip().casefold())
        name = _ENUM.sub("", name)
        for ending, words in _ENDINGS.items():
            if name in words:
                return ending
    return "unknown"


def _ending_word(choice: Mapping[str, Any]) -> str:
    """Return a choice's word for why it ended, in its own case and on one line; "" if it has none.

    It is the first text that is not empty among the fields that servers use, `finish_reason` before
    the others.
    """
    for name in (
        "finish_reason",
        "finishReason",
        "stop_reason",
        "native_finish_reason",
    ):
        word = short(text(choice.get(name)))
        if word:
            return word
    return ""


def _blocking_word(value: Mapping[str, Any]) -> str:
    """Return the server's word for why it blocked the prompt, such as SAFETY; "" if it did not.

    The word is in Gemini's field for feedback on the prompt, in camel case or with underscores.
    """
    feedback = mapping(value.get("promptFeedback")) or mapping(
        value.get("prompt_feedback"),
    )
    return short(
        text(feedback.get("blockReason")) or text(feedback.get("block_reason")),
    )


def api_of(body: bytes) -> Api:
    """Return the API that the body of a recorded answer came by, which its fields show.

    It is "responses" for an object "response" and for a body with `output` but no `choices`.
    Anything else is "chat", even if it is no JSON.
    """
    fields = mapping(parsed(body))
    if fields.get("object") == "response" or (
        "output" in fields and "choices" not in fields
    ):
        return "responses"
    return "chat"


def _completion_of_responses(
    value: Mapping[str, Any],
    cost: float | None,
) -> Completion:
    """Return the completion in `value`, an answer of OpenAI's Responses API that has not failed.

    The text is that of the messages, or else the arguments of its function calls, or else its
    thoughts if they have a brace. An incomplete reply counts as cut unless its JSON is whole, a
    filter stopped it or the model refused. A filter's word goes to `filtered`, and a refusal's text
    to `refusal`. No field is trusted: what is missing or of another type is left empty, and nothing
    is raised. `cost` is what the server charges, or None if it does not say.
    """
    usage = mapping(value.get("usage"))
    thought_tokens = count(
        mapping(usage.get("output_tokens_details")).get("reasoning_tokens"),
    )
    thoughts = _response_texts(value, "reasoning", "text")
    content = _response_texts(value, "message", "text")
    if not content.strip():
        content = _arguments_in_response(value)
    answer, is_thinking_cut = split_off_thoughts(content, thoughts, thought_tokens)

    refusal = _response_texts(value, "message", "refusal")
    ending_word = text(mapping(value.get("incomplete_details")).get("reason"))
    filtered = ""
    if ending_of(ending_word) == "filtered":
        filtered = ending_word
    cut = is_thinking_cut or (
        value.get("status") == "incomplete" and not is_whole(answer)
    )
    return Completion(
        text=answer,
        cut=cut and not filtered and not refusal,
        refusal=refusal,
        filtered=filtered,
        model=text(value.get("model")) or None,
        tokens_in=count(usage.get("input_tokens")),
        tokens_out=count(usage.get("output_tokens")),
        cached=count(mapping(usage.get("input_tokens_details")).get("cached_tokens")),
        cost=cost,
    )


def _response_texts(value: Mapping[str, Any], item_type: str, field: str) -> str:
    """Return the texts of one field in an answer of Responses, joined without a blank; "" if none.

    They are in the parts of its items of type `item_type`, such as "message" or "reasoning".
    `field` is the field of these parts: "text" or "refusal".
    """
    joined = ""
    for item in mappings(value.get("output")):
        if item.get("type") != item_type:
            continue
        for part in mappings(item.get("content")):
            joined += text(part.get(field))
    return joined


def split_off_thoughts(
    content: str,
    thoughts: str,
    thought_tokens: int | None,
) -> tuple[str, bool]:
    """Return a model's answer, and whether its thoughts used up the token limit.

    `content` is the text of the reply, `thoughts` are those that came apart from it, and
    `thought_tokens` is how many tokens they took, or None if not known. Content that is not blank
    is the answer, with its own thoughts: these used up the limit if it begins with <think> and
    never ends them. For blank content the answer is `thoughts` if they have a brace, since some
    servers file it there. Otherwise the answer is "", and the limit was used up if the model
    thought at all.
    """
    if content.strip():
        begins_with_thoughts = content.lstrip().startswith("<think>")
        return content, begins_with_thoughts and "</think>" not in content
    if "{" in thoughts:
        return thoughts, False
    return "", bool(thoughts.strip() or thought_tokens)


def _refusal(message: Mapping[str, Any]) -> str:
    """Return a message's words of refusal, as the model wrote them, or "" if it has none.

    They are in its field `refusal`, or else in a proxy's field, or else in the parts of its
    content, which are joined.
    """
    refusal = text(message.get("refusal"))
    if refusal:
        return refusal
    fields_of_proxy = mapping(message.get("provider_specific_fields"))
    refusal = text(fields_of_proxy.get("refusal"))
    if refusal:
        return refusal
    parts = mappings(message.get("content"))
    return "".join(text(part.get("refusal")) for part in parts)


def _text_of_message(content: object) -> str:
    """Return the text in the content of a message, or "" for content of another shape.

    A string is the text itself. Of a list the texts of its parts are joined: a part is a string or
    has the field `text`, and other parts are left out. Of an object it is the field `text`; an
    object without this field is the answer itself, and is returned as JSON.
    """
    if isinstance(content, dict) and "text" not in content:
        return json.dumps(content)
    parts = content if isinstance(content, list) else [content]
    return "".join(text(part) or text(mapping(part).get("text")) for part in parts)


def _arguments_in_message(message: Mapping[str, Any]) -> str:
    """Return the arguments of the functions that a chat message calls, one call a line; "" if none.

    They are in calls of tools, in the older single call, or in parts of the content of type
    `tool_use`. Arguments that are an object become JSON. Some servers ask for JSON by a function of
    their own, and leave the answer in its arguments.
    """
    arguments: list[object] = []
    for call in mappings(message.get("tool_calls")):
        function = mapping(call.get("function"))
        arguments.append(function.get("arguments"))
    old_call = mapping(message.get("function_call"))
    arguments.append(old_call.get("arguments"))
    for part in mappings(message.get("content")):
        if part.get("type") == "tool_use":
            arguments.append(part.get("input"))
    return _argument_lines(arguments)


def _argument_lines(all_arguments: Iterable[object]) -> str:
    """Return the arguments of several calls as one text, each on a line of its own; "" if none.

    Arguments that are text stay as they are, and an object becomes JSON. Empty text and any other
    value are left out.
    """
    lines: list[str] = []
    for arguments in all_arguments:
        line = text(arguments)
        if isinstance(arguments, dict):
            line = json.dumps(arguments)
        if line:
            lines.append(line)
    return "\n".join(lines)


def _arguments_in_response(value: Mapping[str, Any]) -> str:
    """Return the arguments of the functions in an answer of Responses, one call a line; "" if none.

    They are in its items of type `function_call`. Arguments that are an object become JSON.
    """
    arguments: list[object] = []
    for item in mappings(value.get("output")):
        if item.get("type") == "function_call":
            arguments.append(item.get("arguments"))
    return _argument_lines(arguments)


def read_error(status: int, body: bytes, headers: Mapping[str, str]) -> Trouble:
    """Return the trouble that the status, the body and the headers of an error tell of.

    In an answer with status 200 a numeric `code` from 400 to 599 is the real status. The message is
    the server's, or else the body, on one line and shortened; the raw body stays whole. The code is
    the error's `code` or `type`, and the parameter its `param` or the path of a validation error;
    "" if there is none. The seconds to wait are those of the headers, or else of the body, or None.
    Nothing is raised for a body of any shape.
    """
    value = parsed(body)
    if isinstance(value, list):
        value = next(iter(value), None)
    value = mapping(value)
    error = mapping(value.get("error")) or value
    real_status = count(error.get("code"))
    if status == _OK and real_status and 400 <= real_status < 600:  # noqa: PLR2004 - HTTP's numbers
        status = real_status
    raw = decoded(body)
    wait = asked_to_wait(headers)
    delay = _DELAY.search(raw)
    if wait is None and delay:
        wait = float(delay.group(1))
    return Trouble(
        status=status,
        message=_error_message(value) or short(raw),
        raw=raw,
        code=text(error.get("code") or error.get("type")),
        param=text(error.get("param")) or _parameter_path(raw),
        wait=wait,
    )


_OK = 200
_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"', re.ASCII)
"""The seconds to wait in an error of Google's servers, which send no header for it."""


_PLACE = re.compile(r"""["']loc["']\s*:\s*[\[(]([^\])]{1,200})""")
_STEP = re.compile(r"[A-Za-z_]\w*")


def _parameter_path(raw: str) -> str:
    """Return the path of the parameter that a validation error is about, such as `messages.role`.

    `raw` is the body of the error. Servers built on Pydantic give the path as a list "loc", from
    which "body" and numbers are left out. "" if there is none.
    """
    location = _PLACE.search(raw)
    if not location:
        return ""
    return ".".join(step for step in _STEP.findall(location.group(1)) if step != "body")


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, or None if it does not ask for it.

    The header is `retry-after-ms`, or else `retry-after` (seconds or a date), or else LiteLLM's
    `llm_provider-retry-after`. A date in the past gives 0.0. A value that is neither a number from
    0 on nor a date counts as none.
    """
    milliseconds = amount(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after") or headers.get("llm_provider-retry-after")
    if not value:
        return None
    seconds = amount(value)
    if seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        left = (moment - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):  # a year or a zone beyond what a date can hold
        return None
    return max(0.0, left)


def _error_message(value: Mapping[str, Any]) -> str:
    """Return an error's message in the object of an answer, on one line and shortened; "" if none.

    It is the field `error` if that is a text, or else `message`, `detail` or `error` of that
    object, or of the answer if `error` is no object. An error without such a text is given as JSON.
    """
    error = value.get("error")
    fields = mapping(error) or value
    for message in (
        error,
        fields.get("message"),
        fields.get("detail"),
        fields.get("error"),
    ):
        if isinstance(message, str) and message.strip():
            return short(message)
    if not error:
        return ""
    return short(json.dumps(error))
