"""Requests that are too long: how servers say so, and how to notice that one was cut.

Most servers refuse a request that is longer than their model's context, each in its own words.
`refused_for_length()` reads them. Some servers (Ollama, and proxies that are set so) cut the
request and answer about what is left. `was_cut()` notices that.
"""

import re

from msgspec import Struct

from appellate.judges.completion import Trouble
from appellate.stats.whole_number import whole_number
from appellate.talk.dialogue import Prompt

_STATUSES = (200, 400, 413, 422, 500)
"""Statuses with which servers refuse a request for its length."""
_LIMITED = 429
_PER_MINUTE = re.compile(
    r"per[ -]?min|rate.?limit|too many requests|please wait",
    re.IGNORECASE,
)
"""Words about a limit a minute: the same request may succeed later."""
_NEVER_WITHIN = re.compile(r"request too large for", re.IGNORECASE)
"""Words of OpenAI and Groq: one request is larger than the limit of a whole minute."""
_WITHIN_CONTEXT = re.compile(
    # OpenAI, Azure, vLLM, SGLang, DeepSeek, OpenRouter, LiteLLM, Mistral, llama.cpp, Ollama,
    # LM Studio, Together, Anthropic, MiniMax, llama-cpp-python
    r"context[ _-](?:length|window|size|limit)",
    re.IGNORECASE,
)
"""Names of a context. Only together with `_BEYOND` they are about length."""
_BEYOND = re.compile(
    r"exceed|maximum|only|longer|greater|too (?:large|long)|not enough|configured",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    # Anthropic, Bedrock, Zhipu, proxies before a server
    r"\b(?:prompt|inputs?|requests?|messages?|conversation|payload|entity|content)\b"
    r"(?: \S+){0,4} too (?:long|large)"
    r"|request_too_large|prompt_too_long|string_above_max_length"
    # Groq
    r"|reduce (?:the length of |your )(?:the )?(?:messages?|prompt|input)"
    # xAI, vLLM, Poolside
    r"|maximum (?:allowed )?(?:prompt|model|input) length"
    # Gemini, Copilot, OpenAI's Responses
    r"|input token count.{0,60}exceed|token count of \d+ exceed|input tokens exceed"
    r"|model_max_prompt_tokens_exceeded"
    # LM Studio
    r"|n_keep.{0,40}n_ctx"
    # Kimi, DashScope, text-generation-inference
    r"|exceeded model token limit|range of input length should be"
    r"|`inputs`.{0,60}must (?:be|have)"
    r"|too many tokens|token limit exceeded",
    re.IGNORECASE | re.DOTALL,
)
"""Words that are about length by themselves."""
_OF_SCHEMA = re.compile(
    r"\bschema (?:\S+ ){0,3}too (?:large|long|complex|deep)",
    re.IGNORECASE,
)
"""Words about the schema of the reply, and not about the length of the request."""
_NESTED = re.compile(r"provider returned error", re.IGNORECASE)
"""The message of OpenRouter when the raw body holds the words of its provider."""
_NUMBER = r"\D{0,3}(\d[\d,]*)"
_TAKEN = re.compile(
    rf"(?:context (?:length|size|window)|maximum (?:allowed )?(?:prompt|model|input) length"
    rf"|model token limit)"
    rf"(?: is| of|:)?(?: only)?{_NUMBER}"
    rf"|model with{_NUMBER} maximum context length"
    rf"|input length should be \[1,{_NUMBER}"
    rf"|n_ctx\W{_NUMBER}"
    rf"|>={_NUMBER}|(?<=tokens) >{_NUMBER}|\+ \d+ >{_NUMBER}|must be <={_NUMBER}|less than{_NUMBER}"
    rf"|exceeds? (?:the )?(?:(?:configured )?limit|maximum number of tokens allowed)"
    rf"(?: of)?{_NUMBER}"
    rf"|\blimit:?{_NUMBER}",
    re.IGNORECASE,
)
"""The tokens that a server says its model takes, in one of the groups."""
_SENT = re.compile(
    rf"(?:resulted in|you requested(?: about)?|\brequested:?|you passed|keep the first"
    rf"|prompt contains|prompt has|request contains|request has|prompt is too long:"
    rf"|token count of|token count|n_prompt_tokens|decoder prompt \(length|input length"
    rf"|\binput|\brequest|\bgiven:|n_keep)"
    rf"{_NUMBER}(?! ?(?:in the completion|output))"
    rf"|context limit:{_NUMBER}",
    re.IGNORECASE,
)
"""The tokens that a server says were sent, in one of the groups."""
_FEWEST_TOKENS = 256
"""A smaller number is neither a context nor a request.

An example is the 1 of "input length [1, 98304]".
"""


SHORTEN = (
    "or shorten tools' results with longest_result in a trait that reads conversations"
)
"""What a person can do, for the end of a sentence."""


class Overlong(Struct, frozen=True):
    """A server's refusal of a request for its length."""

    sent: int | None = None
    """Tokens that were sent; None if the server does not say."""
    taken: int | None = None
    """Tokens that the server takes at most; None if it does not say."""
    a_minute: bool = False
    """Whether `taken` is a limit a minute, and not one for each request."""

    def describe(self, model: str, prompt: Prompt) -> str:
        """Return the sentences for a cell whose request `model` refused, with what a person can do.

        They say `9,000 tokens, and it takes 8,192 at most`. If the server does not say how many
        were sent, it is an estimate of the prompt's tokens: `about 9,000`. If it does not say how
        many it takes: `more than it takes`.
        """
        tokens = f"about {prompt.tokens:,} tokens"
        if self.sent is not None:
            tokens = f"{self.sent:,} tokens"
        limit = "more than it takes"
        if self.taken is not None:
            span = "a minute" if self.a_minute else "at most"
            limit = f"and it takes {self.taken:,} {span}"
        return (
            f"The request is too long for {model}: {tokens}, {limit}. Nothing was cut."
            f" Ask a model with a longer context, {SHORTEN}."
        )


def refused_for_length(trouble: Trouble) -> Overlong | None:
    """Return the refusal if a server's trouble is the length of a request; None for other trouble.

    A limit a minute counts only if one request is larger than a whole minute's. `sent` may include
    the tokens that the reply may take. It is None if the server says fewer than it takes, because
    then it counted a part of the request.
    """
    message = f"{trouble.code} {trouble.message}"
    if _NESTED.search(trouble.message):
        message += f" {trouble.raw}"
    a_minute = bool(_PER_MINUTE.search(message))
    if a_minute or trouble.status == _LIMITED:
        if not _NEVER_WITHIN.search(message):
            return None
    elif trouble.status not in _STATUSES or not _is_about_length(message):
        return None

    message_and_body = f"{message} {trouble.raw}"
    taken = _token_count(_TAKEN, message_and_body)
    sent = _token_count(_SENT, message_and_body)
    if sent is not None and taken is not None and sent < taken:
        sent = None  # the server counts a part of the request
    return Overlong(sent, taken, a_minute)


def _is_about_length(message: str) -> bool:
    """Return whether a server's message complains about the length of a request.

    False if it is about a schema that is too large.
    """
    if _OF_SCHEMA.search(message):
        return False
    if _WITHIN_CONTEXT.search(message) and _BEYOND.search(message):
        return True
    return bool(_TOO_LONG.search(message))


def _token_count(pattern: re.Pattern[str], text: str) -> int | None:
    """Return the first number of tokens in the groups of a pattern's matches, or None.

    Commas in a number are ignored. Numbers that cannot be one of tokens are skipped: those below
    `_FEWEST_TOKENS`, and those that are too long for `whole_number`.
    """
    for match in pattern.finditer(text):
        for group in match.groups(""):
            number = whole_number(group.replace(",", ""))
            if number is not None and number >= _FEWEST_TOKENS:
                return number
    return None


# -- what was cut ---------------------------------------------------------------------------------

_SMALLEST_CONTEXT = 1024
"""Tokens of the smallest context. A server that counts fewer counts in another way."""
_MOST_CHARACTERS = 8
"""Characters of a token, as a mean over a prompt, are fewer than these.

English has 4.5, and no language over 6.
"""
_REPEATED_CHARACTER = re.compile(r"(.)\1{3,}", re.DOTALL)


def describe_cut(model: str, prompt: Prompt, tokens_read: int) -> str:
    """Return the sentences for a cell whose request the server cut, with what a person can do.

    `tokens_read` is the number of tokens that the server read of it.
    """
    return (
        f"The server cut the request: {model} read only {tokens_read:,} of about"
        f" {prompt.tokens:,} tokens, so its answer is about a part."
        f" Load the model with a larger context (num_ctx in Ollama), {SHORTEN}."
    )


def was_cut(prompt: Prompt, tokens: int | None, cached: int = 0) -> bool:
    """Return whether a server must have cut a prompt, because it read only `tokens` tokens.

    It must if the prompt has more than eight characters for each token that it read. A repeated
    character counts four times at most, because a token may hold many of it. `cached` tokens are
    added, which some proxies count apart. False if `tokens` is None, or below 1,024: then the
    server counts in another way.
    """
    if tokens is None or tokens < _SMALLEST_CONTEXT:
        return False

    most_characters = _MOST_CHARACTERS * (tokens + cached)
    text = prompt.system + prompt.user
    if len(text) <= most_characters:
        return False
    without_repeats = _REPEATED_CHARACTER.sub(r"\1\1\1\1", text)
    return len(without_repeats) > most_characters
