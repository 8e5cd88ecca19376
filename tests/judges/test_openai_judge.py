import asyncio
import dataclasses
import errno
import gzip
import logging
import random
import re
import socket
import ssl
import sys
import tracemalloc
import zlib
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache

import httpx2
import judge_stage
import pytest
from judge_stage import QUICK, WHERE
from msgspec.structs import replace

from appellate.core.trace import Trace
from appellate.judges.client import _certificates, why_unreached
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import JudgmentFailed, Question
from appellate.judges.rate_limiter import Limits, RateLimiter
from appellate.judges.size_limit import LARGEST
from appellate.traits.metric import KIND
from loopback import (
    FAULTS,
    Answer,
    Loopback,
    altered,
    completion,
    connections_closed,
    error,
    in_order,
    reply_to,
    rungs,
    slowly,
    truthful,
    until,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

KEY = "sk-verysecret0123456789"

OWN_CERTIFICATE = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXD11Z8qHEGXQlYRx
i9MPDujj8FHGQCEFFh0s9wO1rRShRANCAASPHxUH1d980xgTbRiWW1kx3gzcA7Fi
OfQLvtHQ2TFDRxIYpzLkEvnV13bOhm3wvAcV+piLbVfnY9LrAM8LcnXX
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUDNB5UIc50hkCuvq01qQ3LSXI3e4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjE2MTQ1M1oYDzIxMjYxMTAy
MTYxNDUzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASPHxUH1d980xgTbRiWW1kx3gzcA7FiOfQLvtHQ2TFDRxIYpzLkEvnV
13bOhm3wvAcV+piLbVfnY9LrAM8LcnXXo2QwYjAdBgNVHQ4EFgQU6sobllFrLDk/
Q1moRi5Z55KnWIAwHwYDVR0jBBgwFoAU6sobllFrLDk/Q1moRi5Z55KnWIAwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IQDCYesIB/hYSeLFa0YVairzskcF0qPaErivuk3lsGkZdgIgMW8+tRYlyC4rVE9Y
G0TeEbU+V+6ay5g5OScx/m6uiYU=
-----END CERTIFICATE-----
"""
"""Of this test's own, which nobody trusts, and with its key; it opens nothing."""


class Asking(judge_stage.Asking):
    """The same with a key."""

    def __init__(self, script, timeout=60.0, **judge):
        made_with = {"environ": {"KEY": KEY}} | judge
        wishes = {"model": "loopback", "api_key_env": "KEY", "timeout": timeout}
        super().__init__(script, of=WHERE, judge=made_with, **wishes)


async def test_a_truthful_server_gives_labels_and_a_full_record():
    async with Asking(truthful) as asking:
        proposal = await asking.judged()
    record = proposal.record
    assert proposal.labels["tp"] == [
        "BCL2 is a gene.",
        "It is located on chromosome 1.",
    ]
    assert proposal.labels["fp"] == ["It is located on chromosome 1."]
    assert (record.name, record.model, record.tokens_in) == (
        "loopback",
        "loopback",
        100,
    )
    assert record.tokens_out == 20
    assert record.latency > 0
    assert len(record.prompt_sha256) == 64
    assert record.parameters == {
        "base_url": asking.server.url,
        "max_completion_tokens": 4096,
        "response_format": "json_schema",
        "served_model": "loopback-1",
        "temperature": 0,
    }


def denying(reply):
    """The second instruction is denied, in words of the response."""
    excerpts = ["it is located on *chromosome 1*"]
    reply["tp_answers"][1] |= {"verdict": "denied", "excerpts": excerpts}


async def test_a_denial_comes_with_its_words_and_is_held_to_the_schema():
    async with Asking(altered(denying)) as asking:
        proposal = await asking.judged()
        (asked,) = asking.server.asked
    wanted = asked.body["response_format"]["json_schema"]["schema"]["$defs"]
    assert wanted["tp_answer"]["properties"]["verdict"]["enum"] == [
        "found",
        "missing",
        "denied",
    ]
    trait, trace = WHERE.trait, WHERE.trace
    labels = KIND.labels(trait, trace, KIND.locate(trait, trace, proposal.labels))
    assert [item.denied for item in labels.fn] == ["It is located on chromosome 1"]


async def test_tokens_and_latency_are_summed_over_the_requests():
    async with Asking(in_order(FAULTS["missing-instruction"])) as asking:
        record = (await asking.judged()).record
    assert (record.tokens_in, record.tokens_out) == (200, 40)


# -- trouble that passes --------------------------------------------------------------------------

PASSING = {
    "429 with Retry-After": error(429, "Slow down.", {"Retry-After": "0.05"}),
    "429 with milliseconds": error(429, "Slow down.", {"retry-after-ms": "50"}),
    "429 by a proxy": error(429, "Slow down.", {"llm_provider-retry-after": "0.05"}),
    "429 without a word": error(429, "Slow down."),
    "429 with a date": error(
        429,
        "Slow down.",
        {"Retry-After": format_datetime(datetime.now(UTC), usegmt=True)},
    ),
    "429 with nonsense": error(429, "Slow down.", {"Retry-After": "soon"}),
    "500": FAULTS["broken"],
    "503": error(503, "Overloaded.", {"Retry-After": "0.05"}),
    "408": error(408, "Too slow."),
    "garbage": FAULTS["garbage"],
    "broken JSON": FAULTS["broken-json"],
    "an error in 200": FAULTS["error-in-200"],
    "no choices": FAULTS["no-choices"],
    "a list": Answer([1, 2]),
    "a number": Answer("7"),
    "deep nesting": Answer("[" * 100_000),
    "an error within the completion": Answer(
        {"choices": [{"finish_reason": "error", "message": {}}]},
    ),
    "a dropped connection": FAULTS["drop"],
    "half a JSON": FAULTS["half"],
    "half a JSON, cut": FAULTS["half-cut"],
    "an empty object": FAULTS["empty-object"],
    "nothing": FAULTS["nothing"],
    "prose": FAULTS["prose"],
    "a missing instruction": FAULTS["missing-instruction"],
    "a repeated instruction": FAULTS["repeated-instruction"],
    "an unknown instruction": FAULTS["unknown-instruction"],
    "found without excerpt": FAULTS["without-excerpt"],
}


@pytest.mark.parametrize("first", PASSING.values(), ids=PASSING)
async def test_one_trouble_is_got_over(first):
    async with Asking(in_order(first)) as asking:
        proposal = await asking.judged()
    assert proposal.labels["tp"] == [
        "BCL2 is a gene.",
        "It is located on chromosome 1.",
    ]
    assert len(asking.bodies) == 2


async def test_a_request_that_takes_too_long_is_asked_again():
    async with Asking(in_order(slowly(truthful, 60.0)), timeout=0.2) as asking:
        await asking.judged()
    assert len(asking.bodies) >= 2  # a busy machine may take too long itself


@pytest.mark.parametrize("status", [429, 503, 529])
async def test_whoever_waits_for_the_place_of_one_refused_is_not_let_through_to_a_full_server(
    status,
):
    calls, slow_down = [], error(status, "Slow down.", {"Retry-After": "0.3"})

    def script(request):
        calls.append(asyncio.get_running_loop().time())
        return slow_down if request.n == 1 else truthful(request)

    async with Asking(script, limiter=RateLimiter(Limits(concurrency=1))) as asking:
        other = Trace(
            id="u",
            question="What is BCL2?",
            response="This is another answer.",
        )
        await asyncio.gather(
            asking.judged(),
            asking.judged(replace(WHERE, asked=other)),
        )
    assert len(calls) == 3
    assert calls[1] - calls[0] >= 0.3


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_server_makes_every_worker_wait(status):
    calls = []
    loop = asyncio.get_running_loop()

    def script(asked):
        calls.append(loop.time())
        if asked.n == 1:
            return error(status, "Slow down.", {"Retry-After": "0.2"})
        return truthful(asked)

    limiter = RateLimiter()
    async with Asking(script, limiter=limiter) as asking:
        first = asyncio.create_task(asking.judged())
        # `closed_for` may be over before one looks
        await until(lambda: limiter._closed_until)
        await asyncio.gather(first, *(asking.judged() for _ in range(5)))
    assert min(calls[1:]) - calls[0] >= 0.2
    assert asking.server.most_at_once < 6


# -- trouble that stays ---------------------------------------------------------------------------

LASTING = {
    "broken": (
        FAULTS["broken"],
        5,
        "answered 500: The server had an error. 5 requests were sent.",
    ),
    "garbage": (FAULTS["garbage"], 5, "no chat completion: <html>"),
    "cut": (FAULTS["half-cut"], 4, "cut by the token limit"),
    "incomplete": (
        FAULTS["missing-instruction"],
        3,
        "TP instruction 2 is not answered",
    ),
    "empty object": (FAULTS["empty-object"], 3, "the object was empty"),
    "empty": (FAULTS["empty"], 9, "it was empty"),
    "refusal": (FAULTS["refusal"], 1, "The model refused: I cannot help with that."),
    "filtered": (FAULTS["filtered"], 1, "content filter"),
    "bad request": (error(400, "Too strange."), 1, "answered 400: Too strange."),
    "bad request, bare": (
        Answer({"error": "Too strange."}, 400),
        1,
        "answered 400: Too strange.",
    ),
    "bad request, detail": (
        Answer({"detail": "Too strange."}, 422),
        1,
        "answered 422: Too strange.",
    ),
    "bad request, mute": (Answer("", 400), 1, "answered 400: no reason given"),
}


@pytest.mark.parametrize(
    ("script", "requests", "reason"),
    LASTING.values(),
    ids=LASTING,
)
async def test_lasting_trouble_is_told_in_a_sentence(script, requests, reason):
    async with Asking(in_order(then=_script(script))) as asking:
        failure = await asking.failure()
    assert reason in failure.full_reason
    assert len(asking.bodies) == requests
    assert failure.requests == requests
    assert failure.record.model == "loopback"
    assert not failure.final


def _script(script):
    return script if callable(script) else lambda asked: script


async def test_the_raw_reply_is_kept():
    async with Asking(FAULTS["missing-instruction"]) as asking:
        assert '"tp_answers"' in (await asking.failure()).raw


@pytest.mark.parametrize("fault", ["unauthorized", "no-model", "no-credit"])
async def test_what_no_other_cell_would_survive_is_final_and_asked_once(fault):
    async with Asking(FAULTS[fault]) as asking:
        assert (await asking.failure()).final
    assert len(asking.bodies) == 1


async def test_a_401_without_a_key_names_the_option_that_takes_one():
    ambient = {"OPENAI_API_KEY": "sk-ambient-0123456789"}
    unauthorized = FAULTS["unauthorized"]
    async with judge_stage.Asking(unauthorized, judge={"environ": ambient}) as asking:
        reason = (await asking.failure()).reason
    assert "answered 401: " in reason
    assert "name the variable of its key with --api-key-env" in reason


async def test_a_server_that_takes_too_long_is_not_final():
    async with Asking(slowly(truthful, 60.0), timeout=0.05) as asking:
        failure = await asking.failure()
    assert "no answer within 0.05 s" in failure.reason
    assert not failure.final


# -- servers that are not there ---------------------------------------------------------------------


BRIEFLY = Limits(connecting=0.1)


async def failures_at(url, limits=BRIEFLY, cells=3, **endpoint):
    """What comes of asking about some cells at once where nobody can be reached."""
    judge = OpenAIJudge(
        Endpoint("m", url, **endpoint),
        policy=QUICK,
        environ={},
        limiter=RateLimiter(limits),
    )
    asking = (judge.judge(Question(WHERE, WHERE.trace)) for _ in range(cells))
    failed = await asyncio.gather(*asking, return_exceptions=True)
    await judge.close()
    return [one.failure for one in failed]


async def free_port():
    """A port of this machine at which nobody listens."""
    async with Loopback() as server:
        return int(server.url.rpartition(":")[2].removesuffix("/v1"))


async def test_a_server_that_is_not_there_is_final_for_all_after_a_short_time_with_its_cause():
    port = await free_port()
    for failure in await failures_at(f"http://127.0.0.1:{port}/v1"):
        assert failure.final
        assert failure.reason == (
            f"127.0.0.1:{port} cannot be reached: nothing listens on this port (is the server"
            " running?). It was tried for 0.1s; --patience sets a longer time."
        )


async def test_an_address_where_nobody_answers_is_told_from_a_server_that_takes_long():
    async with Loopback() as server:  # takes connections, and is asked by nobody
        judge = OpenAIJudge(
            Endpoint("m", server.url, timeout=0.01),
            policy=QUICK,
            environ={},
        )
        connection = judge._connection
        client = await connection.opened()
        silent = asyncio.Event().wait

        async def never(*_, **__):
            await silent()

        client._client._transport._pool._network_backend.connect_tcp = never
        trouble = await connection.post(client, "/chat/completions", {})
        await judge.close()
    assert (trouble.message, trouble.unreachable) == (
        "this address does not answer",
        True,
    )


async def test_a_certificate_that_nobody_knows_is_the_cause(tmp_path):
    (tmp_path / "own.pem").write_text(OWN_CERTIFICATE)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "own.pem")
    server = await asyncio.start_server(
        lambda _, writer: writer.close(),
        "127.0.0.1",
        0,
        ssl=context,
    )
    async with server:
        port = server.sockets[0].getsockname()[1]
        (failure, *_) = await failures_at(f"https://127.0.0.1:{port}/v1")
    await connections_closed(server)
    assert (
        f"127.0.0.1:{port} cannot be reached: its certificate is not trusted ("
        in failure.reason
    )
    assert failure.final


async def test_a_connection_that_is_given_up_in_its_tls_handshake_is_closed():
    begun = asyncio.Event()
    ended = asyncio.Event()

    async def silent(reader, writer):
        await reader.read(1)
        begun.set()
        await reader.read()  # to the end, which is when the judge closes it
        ended.set()
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        judge = OpenAIJudge(Endpoint("m", url), environ={})
        asking = asyncio.create_task(judge.judge(Question(WHERE, WHERE.trace)))
        await begun.wait()
        asking.cancel()
        await asyncio.wait([asking])
        await asyncio.wait_for(ended.wait(), 60)
        await judge.close()
    await connections_closed(server)


async def test_a_server_without_tls_at_an_address_of_https_is_the_cause():
    def plain(_, writer):
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        (failure, *_) = await failures_at(f"https://127.0.0.1:{port}/v1")
    await connections_closed(server)
    assert (
        "it does not answer in TLS (does its address begin with http://?)"
        in failure.reason
    )


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (
            socket.gaierror(-2, "Name or service not known"),
            "there is no host of this name (Name",
        ),
        (
            OSError(errno.ENETUNREACH, "Network is unreachable"),
            "this network has no route to it",
        ),
        (
            OSError(errno.EHOSTUNREACH, "No route to host"),
            "this network has no route to it",
        ),
        (OSError(errno.EMFILE, "Too many open files"), "it failed"),
    ],
)
def test_why_nobody_was_reached_is_told_in_words_wherever_it_lies(cause, told):
    for wrapped in (cause, ExceptionGroup("several", [cause, ConnectionResetError()])):
        failed = httpx2.ConnectError("it failed")
        failed.__cause__ = OSError("All connection attempts failed")
        failed.__cause__.__cause__ = wrapped
        error = Exception("Connection error.")
        error.__cause__ = failed
        assert told in why_unreached(error)


def test_an_error_in_connecting_without_a_cause_is_told_on_one_line():
    assert why_unreached(httpx2.ConnectError("it\nfailed " * 200)).startswith(
        "it failed it",
    )
    assert "\n" not in why_unreached(httpx2.ConnectError("it\nfailed"))


async def test_a_server_that_begins_within_that_time_loses_no_cell():
    port = await free_port()
    limiter = RateLimiter(Limits(connecting=60))
    patient = replace(QUICK, longest=0.05)
    url = f"http://127.0.0.1:{port}/v1"
    judge = OpenAIJudge(Endpoint("m", url), policy=patient, environ={}, limiter=limiter)
    asking = asyncio.create_task(judge.judge(Question(WHERE, WHERE.trace)))
    await until(lambda: limiter.patience.latest_failure.trouble)
    async with Loopback(port=port):
        assert (await asking).labels["tp"]
    await judge.close()


async def test_a_server_that_is_there_and_takes_long_for_its_first_answer_is_waited_for():
    limiter = RateLimiter(Limits(connecting=0.05))
    async with Asking(slowly(truthful, 0.3), limiter=limiter) as asking:
        assert (await asking.judged()).labels["tp"]


# -- odd completions ------------------------------------------------------------------------------


def _content(change):
    def script(asked):
        text = completion(reply_to(asked)).body["choices"][0]["message"]["content"]
        return completion(change(text))

    return script


@pytest.mark.parametrize(
    "change",
    [
        lambda text: f"<think>Let me see {{}}.</think>\n```json\n{text}\n```",
        lambda text: [
            {"type": "text", "text": text[:9]},
            {"type": "text", "text": text[9:]},
        ],
        lambda text: [text],
        lambda text: text.replace('"verdict"', "'verdict'"),
    ],
)
async def test_odd_content_is_read(change):
    async with Asking(_content(change)) as asking:
        assert len((await asking.judged()).labels["tp"]) == 2
    assert len(asking.bodies) == 1


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (None, None),
        ({"prompt_tokens": "7"}, 7),
        ({"prompt_tokens": None}, None),
        ([], None),
    ],
)
async def test_odd_usage_is_read(usage, tokens):
    def script(asked):
        answer = truthful(asked)
        return dataclasses.replace(answer, body=answer.body | {"usage": usage})

    async with Asking(script) as asking:
        assert (await asking.judged()).record.tokens_in == tokens


# -- what the server can do -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "learning", "then"),
    [
        ("no-schema", ["json_schema", "json_object"], "json_object"),
        ("no-schema-500", ["json_schema", "json_object"], "json_object"),
        ("no-json", ["json_schema", "json_object", "text"], "text"),
    ],
)
async def test_a_format_that_the_server_refuses_is_given_up_for_good(
    fault,
    learning,
    then,
):
    async with Asking(FAULTS[fault]) as asking:
        await asking.judged()
        await asking.judged()
    assert asking.formats == [*learning, then]


@pytest.mark.parametrize(
    ("fault", "name"),
    [("no-temperature", "temperature"), ("no-limit", "max_completion_tokens")],
)
async def test_a_parameter_that_the_server_refuses_is_left_out_for_good(fault, name):
    async with Asking(FAULTS[fault]) as asking:
        await asking.judged()
        learnt = len(asking.bodies)
        record = (await asking.judged()).record
    assert len(asking.bodies) == learnt + 1
    assert name not in asking.server.asked[-1].body
    assert name not in record.parameters


async def test_many_workers_that_are_refused_at_once_step_down_once():
    async with Asking(FAULTS["no-schema"]) as asking:
        await asyncio.gather(*(asking.judged() for _ in range(8)))
    assert set(rungs(asking.server)) == {"json_schema", "json_object"}


async def test_a_size_that_is_too_large_for_one_cell_is_left_out_for_that_one_only():
    said = "max_completion_tokens is too large: 4096. This model supports at most 2048."
    async with Asking(
        in_order(error(400, said, param="max_completion_tokens")),
    ) as asking:
        await asking.judged()
        await asking.judged()
    limited = ["max_completion_tokens" in asked.body for asked in asking.server.asked]
    assert limited == [True, False, True]


async def test_a_server_that_refuses_several_things_is_understood():
    large = error(
        400,
        "max_completion_tokens is too large.",
        param="max_completion_tokens",
    )

    def script(asked):
        if "max_completion_tokens" in asked.body:
            return large
        return FAULTS["no-temperature" if "temperature" in asked.body else "no-schema"](
            asked,
        )

    async with Asking(script) as asking:
        await asyncio.gather(*(asking.judged() for _ in range(4)))
    last = asking.server.asked[-1]
    assert (last.rung, "temperature" in last.body) == ("json_object", False)


async def test_three_malformed_replies_lose_no_cell_where_another_format_works():
    def script(asked):
        return (
            FAULTS["prose"](asked) if asked.rung == "json_schema" else truthful(asked)
        )

    async with Asking(script) as asking:
        await asking.judged()
        await asking.judged()
    assert asking.formats == ["json_schema"] * 3 + ["json_object"] * 2


async def test_a_format_that_has_worked_is_not_given_up_for_a_model_that_rambles():
    async with Asking(in_order(truthful, *[FAULTS["prose"]] * 3)) as asking:
        await asking.judged()
        await asking.failure()
        await asking.judged()
    assert set(rungs(asking.server)) == {"json_schema"}


async def test_cut_replies_say_nothing_about_the_format():
    async with Asking(FAULTS["half-cut"]) as asking:
        await asking.failure()
    assert set(rungs(asking.server)) == {"json_schema"}
    rooms = [asked.body["max_completion_tokens"] for asked in asking.server.asked]
    assert rooms == [4096, 8192, 16384, 32768]


# -- keys and quiet -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    sorted(FAULTS.keys() - {"hang", "busy", "unavailable"}),
)
async def test_the_key_is_sent_but_never_told(fault, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    async with Asking(FAULTS[fault]) as asking:
        try:
            told = repr(await asking.judged())
        except JudgmentFailed as failed:
            told = f"{failed!r} {failed} {failed.failure} {failed.__cause__!r}"
        told += repr(asking.judge) + repr(vars(asking.judge))
    assert asking.server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in told + caplog.text + "".join(capfd.readouterr())
    assert "verysecret" not in told


def quoting(text):
    """A reply whose first reason is this text."""

    def change(reply):
        reply["tp_answers"][0]["rationale"] = text

    return altered(change)


@pytest.mark.parametrize("quoted", [KEY, KEY[:12], KEY[5:20]])
async def test_a_key_that_a_good_answer_quotes_is_in_no_label(quoted):
    async with Asking(quoting(f"By {quoted}")) as asking:
        proposal = await asking.judged()
    assert proposal.labels["items"][0]["rationale"] == "By [key]"


async def test_a_key_of_which_an_answer_has_parts_is_in_no_label():
    """The parts make up one text; by itself none of them tells."""

    def script(asked):
        answer = quoting(f"By {KEY}")(asked)
        message = answer.body["choices"][0]["message"]
        words, at = message["content"], message["content"].index(KEY)
        parts = words[: at + 8], words[at + 8 : at + 16], words[at + 16 :]
        message["content"] = [{"type": "text", "text": part} for part in parts]
        return answer

    async with Asking(script) as asking:
        assert (await asking.judged()).labels["items"][0]["rationale"] == "By [key]"


async def test_pieces_of_a_key_in_a_refusal_of_it_are_not_told():
    async with Asking(
        lambda _: error(401, f"No key begins {KEY[:14]} or ends {KEY[-13:]}."),
    ) as asking:
        failure = await asking.failure()
    assert "No key begins [key] or ends [key]." in failure.full_reason
    assert KEY[3:14] not in failure.raw


async def test_nothing_of_the_users_openai_settings_goes_to_another_server(monkeypatch):
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "leaked")
    monkeypatch.setenv(
        "OPENAI_CUSTOM_HEADERS",
        "X-Gateway: leaked\nAuthorization: Bearer leaked",
    )
    async with Loopback() as server:
        judge = OpenAIJudge(Endpoint("m", server.url), policy=QUICK)
        await judge.judge(Question(WHERE, WHERE.trace))
        await judge.close()
    assert "leaked" not in repr(server.asked)


@pytest.mark.parametrize("name", ["ORG_ID", "PROJECT_ID", "CUSTOM_HEADERS"])
async def test_a_setting_of_the_user_that_no_header_can_have_is_named(
    monkeypatch,
    name,
):
    monkeypatch.setenv(f"OPENAI_{name}", "X-Owner: Łukasz")
    async with Loopback() as server:
        trusted = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sesame-open-0123"}
        judge = OpenAIJudge(Endpoint("m"), policy=QUICK, environ=trusted)
        with pytest.raises(
            JudgmentFailed,
            match=f"OPENAI_{name} has characters",
        ) as failed:
            await judge.judge(Question(WHERE, WHERE.trace))
        await judge.close()
        assert failed.value.failure.final
        other = OpenAIJudge(Endpoint("m", server.url), policy=QUICK, environ={})
        await other.judge(Question(WHERE, WHERE.trace))
        await other.close()


@pytest.mark.parametrize("host", ["192.168.1.300", "[::1]x:3", "ł" * 80])
async def test_an_address_that_no_request_can_have_is_named(host):
    judge = OpenAIJudge(Endpoint("m", f"http://{host}/v1"), policy=QUICK, environ={})
    with pytest.raises(JudgmentFailed, match=r"cannot be reached \(Invalid") as failed:
        await judge.judge(Question(WHERE, WHERE.trace))
    await judge.close()
    assert failed.value.failure.final


async def test_no_proxy_stands_between_us_and_this_machine(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with Asking(truthful) as asking:
        await asking.judged()


async def test_a_debugging_environment_prints_nothing(monkeypatch):
    async with Loopback() as server:
        code = (
            "import asyncio\n"
            "from appellate.core.trace import Trace\n"
            "from appellate.judges.endpoint import Endpoint\n"
            "from appellate.judges.openai import OpenAIJudge\n"
            "from appellate.core.kind import Subject\n"
            "from appellate.judges.proposal import Question\n"
            "from appellate.traits.metric import KIND\n"
            "from appellate.traits.metric.spec import MetricRubricTrait\n"
            "async def main():\n"
            f"    judge = OpenAIJudge(Endpoint('m', {server.url!r}))\n"
            "    trait = MetricRubricTrait(name='x', metrics=['f1'], tp_instructions=['a'])\n"
            "    subject = Subject(KIND, trait, Trace(id='t'))\n"
            "    await judge.judge(Question(subject, Trace(id='t', response='a')))\n"
            "    await judge.close()\n"
            "asyncio.run(main())\n"
        )
        monkeypatch.setenv("OPENAI_LOG", "debug")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            code,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
    assert (process.returncode, output) == (0, b"")


async def test_cancelling_half_way_leaves_the_judge_usable():
    async with Asking(in_order(slowly(truthful, 60.0))) as asking:
        task = asyncio.create_task(asking.judged())
        await asking.server.came()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asking.judged()


@pytest.mark.parametrize("turns", [1, 2, 3])
async def test_closing_that_is_cancelled_half_way_leaves_no_connection_open(turns):
    limiter = RateLimiter(Limits(concurrency=3))
    async with Asking(slowly(truthful, 0.01), limiter=limiter) as asking:
        await asyncio.gather(*(asking.judged() for _ in range(3)))
        (client,) = asking.judge._connection._clients
        connections = client._client._transport._pool.connections
        assert len(connections) == 3
        closing = asyncio.create_task(asking.judge.close())
        for _ in range(turns):
            await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        assert all(connection.is_closed() for connection in connections)


async def test_invented_excerpts_are_asked_for_once_more_and_then_kept():
    async with Asking(FAULTS["invented"]) as asking:
        proposal = await asking.judged()
    assert proposal.labels["tp"][0] == "words that nobody wrote"
    assert len(asking.bodies) == 2


async def test_what_points_elsewhere_is_told_and_not_followed():
    elsewhere = Answer(
        "",
        307,
        {"Location": "https://elsewhere.example/v1/chat/completions"},
    )
    async with Asking(lambda asked: elsewhere) as asking:
        failed = await asking.failure()
    assert re.search(
        r"307: it points to https://elsewhere.example/.*--base-url",
        failed.reason,
    )
    assert (len(asking.bodies), failed.final) == (1, True)


SLOW = pytest.mark.slow


@cache
def gzipped(size):
    """So many blanks as a server packs them, a thousandth of that."""
    return gzip.compress(b" " * size)


def zstandard(size):
    """The same by zstd, a ten thousandth of that."""
    return zstd.compress(b" " * size)


@pytest.mark.parametrize(
    ("packed_body", "status", "packed", "size"),
    [  # made when they are sent: every worker reads this list
        pytest.param(lambda: b"x" * (17 * 2**20), 200, "identity", 16, id="200"),
        pytest.param(
            lambda: b"x" * (17 * 2**20),
            500,
            "identity",
            16,
            id="500",
            marks=SLOW,
        ),
        pytest.param(lambda: gzipped(2**26), 200, "gzip", 16, id="gzip", marks=SLOW),
        pytest.param(lambda: gzipped(2**26), 500, "gzip", 16, id="gzip-500"),
        pytest.param(
            lambda: zlib.compress(b" " * 2**26),
            *(200, "deflate", 16),
            id="deflate",
            marks=SLOW,
        ),
        pytest.param(lambda: zstandard(2**26), 200, "zstd", 16, id="zstd", marks=SLOW),
        pytest.param(
            lambda: gzip.compress(gzipped(2**26)),
            200,
            "gzip, gzip",
            16,
            id="twice",
        ),
        pytest.param(lambda: zstandard(2**20) * 300, 200, "zstd", 16, id="frames"),
        pytest.param(
            lambda: gzip.compress(random.randbytes(1_200_000)),
            *(200, "gzip", 1),
            id="noise",
        ),
        # nothing comes of it, without end
        pytest.param(
            lambda: zstandard(0) * 2**18,
            200,
            "zstd",
            1,
            id="nothing",
            marks=SLOW,
        ),
    ],
)
async def test_an_answer_without_end_is_read_no_further(
    packed_body,
    status,
    packed,
    size,
):
    async with Asking(truthful) as asking:  # what asking loads is no part of an answer
        await asking.judged()
    answer = Answer(packed_body(), status, {"Content-Encoding": packed})
    async with Asking(in_order(answer), policy=replace(QUICK, attempts=1)) as asking:
        tracemalloc.start()
        failure = await asking.failure()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert f"an answer of more than {size} MB" in failure.reason
    assert most < 3 * LARGEST


@pytest.mark.parametrize("packed", ["gzip", "deflate", "zstd", "gzip, zstd"])
async def test_an_answer_that_is_packed_is_read(packed):
    ways = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstd.compress}

    def script(asked):
        body = truthful(asked).raw
        for name in packed.split(", "):
            body = ways[name](body)
        return Answer(body, headers={"Content-Encoding": packed})

    async with Asking(script) as asking:
        assert (await asking.judged()).labels["tp"]


@pytest.mark.parametrize("status", [200, 500])
async def test_an_answer_that_nobody_asked_for_is_not_taken_for_the_next_ones(status):
    forged = completion({"tp_answers": [], "wrong_candidates": []}).raw
    unasked = b"HTTP/1.1 200 -\r\nContent-Length: %d\r\n\r\n%s" % (len(forged), forged)

    def twice(asked):
        asked_for = truthful(asked)
        if status != 200:
            asked_for = error(status, "It broke.")
        return Answer(
            asked_for.raw + unasked,
            asked_for.status,
            {"Content-Length": str(len(asked_for.raw))},
        )

    async with Asking(
        in_order(twice),
        policy=replace(QUICK, first=0.0, longest=0.0),
    ) as asking:
        first = await asking.judged()
        second = await asking.judged()
        assert second.labels == first.labels
        assert len(asking.bodies) == (2 if status == 200 else 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTPS_PROXY", "nonsense://u:pw@x"),
        ("HTTPS_PROXY", "http://u:pw/pw@x:1"),
        ("SSL_CERT_FILE", "/not/there"),
    ],
)
async def test_an_environment_that_allows_of_no_client_is_named(
    monkeypatch,
    name,
    value,
):
    monkeypatch.setenv(name, value)
    _certificates.cache_clear()
    judge = OpenAIJudge(
        Endpoint("loopback", "https://example.invalid/v1"),
        policy=QUICK,
        environ={},
    )
    with pytest.raises(
        JudgmentFailed,
        match=r"example.invalid cannot be reached \(.*environment",
    ) as failed:
        await judge.judge(Question(WHERE, WHERE.trace))
    assert failed.value.failure.final
    assert "pw" not in failed.value.failure.reason


async def test_many_requests_at_once_are_spread_over_clients_that_have_few_connections_each():
    async with Asking(truthful, limiter=RateLimiter(Limits(concurrency=20))) as at:
        responses = [f"{n}. {WHERE.trace.response}" for n in range(20)]
        traces = [
            WHERE.trace.model_copy(update={"response": text}) for text in responses
        ]
        await asyncio.gather(
            *(at.judged(replace(WHERE, asked=trace)) for trace in traces),
        )
        clients = at.judge._connection._clients
        connections = [
            len(client._client._transport._pool.connections) for client in clients
        ]
        assert len(clients) == 3
        assert all(0 < count <= 8 for count in connections)
        await at.judge.close()
        assert all(client.is_closed() for client in clients)
