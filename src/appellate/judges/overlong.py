"""Requests that are too long: how servers say so, and how to tell that one was cut.

Most servers refuse a request that is longer than their model's context, each in its own words.
Some (Ollama, and proxies that are set so) cut it and answer about what is left.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from appellate.judges.completion import Trouble
from appellate.talk.dialogue import Prompt

_STATUSES = (200, 400, 413, 422, 500)
_LIMITED = 429
_PER_MINUTE = re.compile(r"per[ -]?min|rate.?limit|too many requests|please wait", re.IGNORECASE)
"""Words of a limit on how much is asked for in a time, which a later request may meet."""
_NEVER_WITHIN = re.compile(r"request too large for", re.IGNORECASE)
"""OpenAI and Groq: one request takes more than a whole minute may."""
_WITHIN_CONTEXT = re.compile(
    # OpenAI, Azure, vLLM, SGLang, DeepSeek, OpenRouter, LiteLLM, Mistral, llama.cpp, Ollama,
    # LM Studio, Together, Anthropic, MiniMax, llama-cpp-python
    r"context[ _-](?:length|window|size|limit)",
    re.IGNORECASE,
)
_BEYOND = re.compile(
    r"exceed|maximum|only|longer|greater|too (?:large|long)|not enough|configured", re.IGNORECASE
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
_OF_SCHEMA = re.compile(r"\bschema (?:\S+ ){0,3}too (?:large|long|complex|deep)", re.IGNORECASE)
"""Words about the shape of the reply, for which a plainer one is asked for."""
_NESTED = re.compile(r"provider returned error", re.IGNORECASE)
"""OpenRouter's words, whose provider's are further inside."""
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
"""What a server says that its model takes, in one of the groups."""
_SENT = re.compile(
    rf"(?:resulted in|you requested(?: about)?|\brequested:?|you passed|keep the first"
    rf"|prompt contains|prompt has|request contains|request has|prompt is too long:"
    rf"|token count of|token count|n_prompt_tokens|decoder prompt \(length|input length"
    rf"|\binput|\brequest|\bgiven:|n_keep)"
    rf"{_NUMBER}(?! ?(?:in the completion|output))"
    rf"|context limit:{_NUMBER}",
    re.IGNORECASE,
)
"""What it says that was sent."""
_FEWEST = 256
"""A smaller number is no context and no request, such as the 1 of "input length [1, 98304]"."""


SHORTEN = "longest_result in a trait that reads conversations shortens tools' results"


class Overlong(Struct, frozen=True):
    """A refusal for length: the tokens that were sent and those that are taken, where told."""

    sent: int | None = None
    taken: int | None = None
    a_minute: bool = False
    """Whether `taken` is what the server lets anybody send in a minute."""

    def describe(self, model: str, prompt: Prompt) -> str:
        """Return the sentences that a cell fails with."""
        tokens = f"about {prompt.tokens:,} tokens"
        if self.sent is not None:
            tokens = f"{self.sent:,} tokens"
        limit = "more than it takes"
        if self.taken is not None:
            limit = f"and it takes {self.taken:,} at most"
        if self.taken is not None and self.a_minute:
            limit = f"and it takes {self.taken:,} a minute"
        text = f"The request is too long for {model}: {tokens}, {limit}. Nothing was cut."
        return f"{text} Ask a model with a longer context; {SHORTEN}."


def refused_for_length(trouble: Trouble) -> Overlong | None:
    """Return what a server says of a request that is too long for it; None for other trouble.

    What the reply may take counts in the words of most servers, too.
    """
    about = f"{trouble.code} {trouble.message}"
    if _NESTED.search(trouble.message):
        about += f" {trouble.raw}"
    a_minute = bool(_PER_MINUTE.search(about))
    if a_minute or trouble.status == _LIMITED:
        if not _NEVER_WITHIN.search(about):
            return None
    elif trouble.status not in _STATUSES or not _is_about_length(about):
        return None
    numbers = f"{about} {trouble.raw}"
    taken = _first_number(_TAKEN, numbers)
    sent = _first_number(_SENT, numbers)
    if sent is not None and taken is not None and sent < taken:
        sent = None  # a part of the request
    return Overlong(sent, taken, a_minute)


def _is_about_length(words: str) -> bool:
    if _OF_SCHEMA.search(words):
        return False
    if _WITHIN_CONTEXT.search(words) and _BEYOND.search(words):
        return True
    return bool(_TOO_LONG.search(words))


def _first_number(pattern: re.Pattern[str], words: str) -> int | None:
    for number in _numbers(pattern, words):
        if number >= _FEWEST:
            return number
    return None


def _numbers(pattern: re.Pattern[str], words: str) -> Iterator[int]:
    for match in pattern.finditer(words):
        for group in match.groups():
            if group is not None:
                yield int(group.replace(",", ""))


# -- what was cut ---------------------------------------------------------------------------------

_LEAST = 1024
"""Tokens of the smallest context there is; servers that count fewer count otherwise."""
_MOST_LETTERS = 8
"""Characters of a token, on average over a whole prompt: English has 4.5, no language over 6."""
_RUN = re.compile(r"(.)\1{3,}", re.DOTALL)


def describe_cut(model: str, prompt: Prompt, tokens: int | None) -> str:
    """Return the sentences that a cell fails with whose request the server cut."""
    text = f"The server cut the request: {model} read only {tokens or 0:,} tokens of it"
    text += f" (it has about {prompt.tokens:,}), and what it says rests on a part"
    return f"{text}. Load the model with a larger context, as num_ctx of Ollama; {SHORTEN}."


def was_cut(prompt: Prompt, tokens: int | None, cached: int = 0) -> bool:
    """Return whether a server that read so many tokens cannot have read a whole prompt.

    Runs of one character, which a token may have many of, count as four. Tokens that the server had
    in its cache are among the others, but at some proxies: they count beside them.
    """
    if tokens is None or tokens < _LEAST:
        return False
    tokens += cached
    if len(prompt.system) + len(prompt.user) <= _MOST_LETTERS * tokens:
        return False
    letters = len(_RUN.sub(r"\1\1\1\1", prompt.system + prompt.user))
    return letters > _MOST_LETTERS * tokens
