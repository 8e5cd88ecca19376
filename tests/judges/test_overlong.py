"""Requests that are too long: each server's own words, and servers that cut without a word."""

import json

import pytest
from judge_stage import Asking

from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.completion import Trouble, read_error
from appellate.judges.overlong import refused_for_length, was_cut
from appellate.talk.dialogue import Prompt
from appellate.traits.llm import KIND as LLM
from appellate.traits.llm.spec import LLMRubricTrait
from loopback import Answer, completion, error, truthful

_OPENAI = {
    "type": "invalid_request_error",
    "param": "messages",
    "code": "context_length_exceeded",
}
SERVERS = {
    "OpenAI": (
        400,
        {
            "error": {
                "message": "This model's maximum context length is 128000 tokens. However, your"
                " messages resulted in 201901 tokens (including 92 in the response_format"
                " schemas.). Please reduce the length of the messages or schemas.",
                **_OPENAI,
            },
        },
        201_901,
        128_000,
    ),
    "OpenAI, GPT-5": (
        400,
        {
            "error": {
                "message": "Input tokens exceed the configured limit of 272000 tokens. Your"
                " messages resulted in 301234 tokens. Please reduce the length of the messages.",
                **_OPENAI,
            },
        },
        301_234,
        272_000,
    ),
    "OpenAI, Responses": (
        400,
        {
            "error": {
                "message": "Your input exceeds the context window of this model. Please adjust"
                " your input and try again.",
                "type": "invalid_request_error",
                "param": "input",
                "code": "context_length_exceeded",
            },
        },
        None,
        None,
    ),
    "OpenAI, tokens a minute": (
        429,
        {
            "error": {
                "message": "Request too large for gpt-4o in organization org-x on tokens per min"
                " (TPM): Limit 30000, Requested 45123. The input or output tokens must be reduced"
                " in order to run successfully.",
                "type": "tokens",
                "param": None,
                "code": "rate_limit_exceeded",
            },
        },
        45_123,
        30_000,
    ),
    "Azure": (
        400,
        {
            "error": {
                "message": "This model's maximum context length is 16385 tokens, however you"
                " requested 17096 tokens (17096 in your prompt; 0 for the completion). Please"
                " reduce your prompt; or completion length.",
                "type": "invalid_request_error",
                "param": None,
                "code": None,
            },
        },
        17_096,
        16_385,
    ),
    "vLLM": (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 32768 tokens. However, you requested"
            " 40010 tokens in the messages, Please reduce the length of the messages.",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        40_010,
        32_768,
    ),
    "vLLM, newer": (
        400,
        {
            "error": {
                "message": "You passed 131073 input tokens and requested 0 output tokens. However,"
                " the model's context length is only 131072 tokens, resulting in a maximum input"
                " length of 131072 tokens. Please reduce the length of the input prompt."
                " (parameter=input_tokens, value=131073)",
                "type": "BadRequestError",
                "param": "input_tokens",
                "code": 400,
            },
        },
        131_073,
        131_072,
    ),
    "vLLM, the engine": (
        400,
        {
            "error": {
                "message": "The decoder prompt (length 140000) is longer than the maximum model"
                " length of 131072. Make sure that `max_model_len` is no smaller than the number of"
                " text tokens.",
                "type": "BadRequestError",
                "code": 400,
            },
        },
        140_000,
        131_072,
    ),
    "SGLang": (
        400,
        {
            "object": "error",
            "message": "The input (265330 tokens) is longer than the model's context length"
            " (262144 tokens).",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        265_330,
        262_144,
    ),
    "llama.cpp": (
        400,
        {
            "error": {
                "code": 400,
                "message": "request (42947 tokens) exceeds the available context size (8192"
                " tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 42947,
                "n_ctx": 8192,
            },
        },
        42_947,
        8192,
    ),
    "llama.cpp, older": (
        200,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size. try increasing the"
                " context size or enable context shift",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 14429,
                "n_ctx": 8192,
            },
        },
        14_429,
        8192,
    ),
    "llama-cpp-python": (
        400,
        {
            "error": {
                "message": "This model's maximum context length is 2048 tokens. However, you"
                " requested 3301 tokens. Please reduce the length of the messages or completion.",
                **_OPENAI,
            },
        },
        3301,
        2048,
    ),
    "Ollama": (
        400,
        {
            "error": {
                "message": '{"error":{"code":400,"message":"request (26528 tokens) exceeds the'
                ' available context size (16384 tokens), try increasing it",'
                '"type":"exceed_context_size_error","n_prompt_tokens":26528,"n_ctx":16384}}',
                "type": "invalid_request_error",
                "param": None,
                "code": None,
            },
        },
        26_528,
        16_384,
    ),
    "Ollama, without truncation": (
        400,
        {
            "error": {
                "message": "the input length exceeds the context length",
                "type": "api_error",
            },
        },
        None,
        None,
    ),
    "LM Studio": (
        400,
        {
            "error": "Trying to keep the first 15857 tokens when context the overflows. However,"
            " the model is loaded with context length of only 4096 tokens, which is not enough. Try"
            " to load the model with a larger context length, or provide a shorter input",
        },
        15_857,
        4096,
    ),
    "LM Studio, newer": (
        400,
        {
            "error": "The number of tokens to keep from the initial prompt is greater than the"
            " context length (n_keep: 11378 >= n_ctx: 4096). Try to load the model with a larger"
            " context length, or provide a shorter input.",
        },
        11_378,
        4096,
    ),
    "Anthropic": (
        400,
        {
            "error": {
                "message": "prompt is too long: 213462 tokens > 200000 maximum",
                "type": "invalid_request_error",
            },
        },
        213_462,
        200_000,
    ),
    "Anthropic, bytes": (
        413,
        {
            "type": "error",
            "error": {
                "type": "request_too_large",
                "message": "Request exceeds the maximum allowed number of bytes.",
            },
        },
        None,
        None,
    ),
    "Mistral": (
        400,
        {
            "object": "error",
            "message": "Prompt contains 40123 tokens and 0 draft tokens, too large for model with"
            " 32768 maximum context length",
            "type": "invalid_request_prompt",
            "code": "3051",
        },
        40_123,
        32_768,
    ),
    "Groq": (
        400,
        {
            "error": {
                "message": "Please reduce the length of the messages or completion.",
                "type": "invalid_request_error",
                "param": "messages",
                "code": "context_length_exceeded",
            },
        },
        None,
        None,
    ),
    "Groq, tokens a minute": (
        413,
        {
            "error": {
                "message": "Request too large for model `openai/gpt-oss-120b` in organization"
                " `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 8000,"
                " Requested 11881, please reduce your message size and try again.",
                "type": "tokens",
                "code": "rate_limit_exceeded",
            },
        },
        11_881,
        8000,
    ),
    "OpenRouter": (
        400,
        {
            "error": {
                "message": "This endpoint's maximum context length is 131072 tokens. However, you"
                " requested about 537812 tokens (537812 of text input). Please reduce the length"
                " of either one, or use context-compression to compress your prompt automatically.",
                "code": 400,
            },
        },
        537_812,
        131_072,
    ),
    "OpenRouter, another's": (
        400,
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {
                    "raw": '{"error":{"message":"prompt is too long: 213462 tokens > 200000'
                    ' maximum"}}',
                },
            },
        },
        213_462,
        200_000,
    ),
    "Gemini": (
        400,
        [
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (1196265) exceeds the maximum number of"
                    " tokens allowed (1048575).",
                    "status": "INVALID_ARGUMENT",
                },
            },
        ],
        1_196_265,
        1_048_575,
    ),
    "xAI": (
        400,
        {
            "code": "Client specified an invalid argument",
            "error": "This model's maximum prompt length is 131072 but the request contains 537812"
            " tokens.",
        },
        537_812,
        131_072,
    ),
    "Poolside": (
        400,
        {
            "error": {
                "message": "Input length 265330 exceeds the maximum allowed input length of 262144"
                " tokens.",
            },
        },
        265_330,
        262_144,
    ),
    "Bedrock": (400, {"message": "Input is too long for requested model."}, None, None),
    "DashScope": (
        400,
        {
            "error": {
                "message": "Range of input length should be [1, 98304]",
                "type": "invalid_request_error",
                "code": "invalid_parameter_error",
            },
        },
        None,
        98_304,
    ),
    "text-generation-inference": (
        422,
        {
            "error": "Input validation error: `inputs` must have less than 4095 tokens. Given: 5120",
            "error_type": "validation",
        },
        5120,
        4095,
    ),
    "a proxy before it": (
        413,
        "<html><title>413 Request Entity Too Large</title></html>",
        None,
        None,
    ),
}


def met(server):
    status, body, _, _ = SERVERS[server]
    raw = body if isinstance(body, str) else json.dumps(body)
    return read_error(status, raw.encode(), {})


@pytest.mark.parametrize("server", SERVERS)
def test_each_servers_refusal_for_length_is_known_by_its_words_with_its_numbers(server):
    _, _, sent, taken = SERVERS[server]
    refusal = refused_for_length(met(server))
    assert refusal is not None
    assert (refusal.sent, refusal.taken) == (sent, taken)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (
            429,
            "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000",
        ),
        (429, "Throttling error: Too many tokens, please wait before trying again."),
        (503, "Service unavailable: too many tokens"),
        (
            400,
            "max_tokens is too large: 100000. This model supports at most 16384 output tokens",
        ),
        (
            400,
            "Invalid schema for response_format 'answer': schema exceeds maximum nesting depth",
        ),
        (400, "Unsupported parameter: 'max_tokens' is not supported with this model."),
        (400, "The input schema is too large to be compiled; reduce it."),
        (401, "Incorrect API key provided"),
        (400, "This model does not support a context window"),
        (500, "CUDA out of memory"),
    ],
)
def test_other_trouble_is_no_matter_of_length(status, said):
    assert refused_for_length(Trouble(status, said)) is None


# -- what comes of it ------------------------------------------------------------------------------

CALM = LLMRubricTrait(name="Calm", kind="boolean", description="Is it calm?")
LONG = Subject(LLM, CALM, Trace(id="t", response="All is well here, I say. " * 2000))


def refusing(server):
    status, body, _, _ = SERVERS[server]
    return lambda _: Answer(body, status)


@pytest.mark.parametrize("server", SERVERS)
async def test_a_cell_that_is_refused_for_length_says_so_and_what_to_do(server):
    _, _, sent, taken = SERVERS[server]
    async with Asking(refusing(server), of=LONG) as asking:
        failure = await asking.failure()
    assert "too long for m" in failure.reason
    assert "Nothing was cut" in failure.reason
    assert "Ask a model with a longer context, or shorten" in failure.reason
    if sent:
        assert f"{sent:,} tokens" in failure.reason
    if taken:
        assert f"{taken:,}" in failure.reason
    assert not failure.final
    assert not failure.general
    assert len(asking.server.asked) <= 2


async def test_a_refusal_for_length_that_names_schemas_teaches_nothing_about_the_format():
    too_long = refusing("OpenAI")

    def script(asked):
        if len(asked.user) > 20_000:
            return too_long(asked)
        return truthful(asked)

    async with Asking(script, of=LONG) as asking:
        await asking.failure()
        asking.server.script = truthful
        short = Subject(LLM, CALM, Trace(id="s", response="All is well."))
        with_schema = len(asking.formats)
        await asking.judged(short)
        assert set(asking.formats[with_schema:]) == {"json_schema"}


async def test_a_request_that_leaves_too_little_for_the_reply_is_sent_without_a_limit():
    said = (
        "You passed 31745 input tokens and requested 4096 output tokens. However, the model's"
        " context length is only 32768 tokens, resulting in a maximum input length of 28672 tokens."
    )

    def script(asked):
        return error(400, said) if asked.room else truthful(asked)

    async with Asking(script) as asking:
        await asking.judged()
        assert [asked.room is None for asked in asking.server.asked] == [False, True]


def reading_only(tokens):
    def script(asked):
        answer = completion({"rationale": "It is.", "excerpts": [], "verdict": "yes"})
        answer.body["usage"]["prompt_tokens"] = tokens
        return answer

    return script


async def test_a_server_that_cut_the_request_without_a_word_gives_no_judgment():
    async with Asking(reading_only(2050), of=LONG) as asking:
        failure = await asking.failure()
    assert "read only 2,050 of about" in failure.reason
    assert "larger context" in failure.reason
    assert not failure.final
    assert len(asking.server.asked) == 1


@pytest.mark.parametrize("tokens", [None, 0, 100, 11_000, 14_000])
async def test_a_server_that_read_it_all_or_does_not_say_is_believed(tokens):
    async with Asking(reading_only(tokens), of=LONG) as asking:
        await asking.judged()


def test_what_a_proxy_counts_beside_its_cache_was_not_cut():
    prompt = Prompt("", "a word " * 10_000, {}, 1)
    assert was_cut(prompt, 2000)
    assert not was_cut(prompt, 2000, 14_000)


def test_long_runs_of_one_character_are_few_tokens():
    prompt = Prompt("", "a word " * 1000 + " " * 200_000, {}, 1)
    assert not was_cut(prompt, 2000)
    assert was_cut(Prompt("", "a word " * 10_000, {}, 1), 2000)


def cut_after(tokens_in, tokens_out):
    def script(asked):
        answer = completion('{"rationale": "It is', "length")
        answer.body["usage"] = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
        }
        return answer

    return script


async def test_a_reply_that_fills_the_context_is_not_asked_for_again_with_more_room():
    async with Asking(cut_after(7900, 292), context=8192) as asking:
        failure = await asking.failure()
    assert failure.reason.startswith(
        "The reply was cut: with a request of 7,900 tokens it fills",
    )
    assert "8,192" in failure.reason
    assert len(asking.server.asked) == 1
    assert not failure.general
    async with Asking(cut_after(4000, 292), context=8192) as asking:
        assert "token limit" in (await asking.failure()).reason
        assert len(asking.server.asked) > 1


@pytest.mark.parametrize("words", ["maximum context length is ", "you requested "])
def test_a_number_of_thousands_of_digits_in_a_servers_words_counts_no_tokens(words):
    message = "This model's maximum context length is 8192 tokens."
    refusal = refused_for_length(Trouble(400, message, words + "9" * 5000))
    assert (refusal.sent, refusal.taken) == (None, 8192)
