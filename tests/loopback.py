"""A real OpenAI-compatible server on the loopback interface, truthful or faulty as scripted.

In tests: `async with Loopback(script) as server:` or, in a thread, `with served(script) as server:`;
then `server.url` and `server.asked`. For people: `python tests/loopback.py --port 8399 --fault busy`.
A script takes an Asked and returns an Answer.
"""

import argparse
import asyncio
import json
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any, Self

PATIENCE = 120.0
"""Seconds after which what is waited for is given up: a test fails, and holds nobody up."""


@dataclass(frozen=True)
class Asked:
    """One request as the server saw it; `n` counts from 1."""

    n: int
    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def user(self) -> str:
        return (
            self.body["messages"][-1]["content"]
            if "messages" in self.body
            else self.body["input"]
        )

    @property
    def rung(self) -> str:
        wanted = self.body.get("response_format") or self.body.get("text", {}).get(
            "format",
            {},
        )
        return wanted.get("type", "text")

    @property
    def room(self) -> int | None:
        """The tokens that the reply may take, whatever that is called."""
        names = ("max_completion_tokens", "max_tokens", "max_output_tokens")
        return next((self.body[name] for name in names if name in self.body), None)


@dataclass(frozen=True)
class Answer:
    """What the server sends: after `delay` seconds, or nothing at all and the connection dropped."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    dropped: bool = False

    @property
    def raw(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (
            self.body.encode()
            if isinstance(self.body, str)
            else json.dumps(self.body).encode()
        )


Script = Callable[[Asked], Answer]


def completion(content: Any, finish: str = "stop", **message: Any) -> Answer:
    """A chat completion with this content (an object becomes JSON)."""
    text = json.dumps(content) if isinstance(content, dict) else content
    return Answer(
        {
            "id": "chatcmpl-loopback",
            "object": "chat.completion",
            "created": 0,
            "model": "loopback-1",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "message": {"role": "assistant", "content": text} | message,
                },
            ],
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "total_tokens": 120,
            },
        },
    )


_UNFINISHED = {"length": "max_output_tokens", "content_filter": "content_filter"}


def as_response(answer: Answer) -> Answer:
    """A chat completion in the shape of the Responses API; what is none stays as it is."""
    choices = answer.body.get("choices") if isinstance(answer.body, dict) else None
    if not choices:
        return answer
    message, why = choices[0]["message"], _UNFINISHED.get(choices[0]["finish_reason"])
    said = (
        [{"type": "output_text", "text": message["content"], "annotations": []}]
        if message["content"]
        else []
    )
    said += (
        [{"type": "refusal", "refusal": message["refusal"]}]
        if "refusal" in message
        else []
    )
    thought = [{"type": "reasoning_text", "text": message.get("reasoning_content", "")}]
    usage = answer.body["usage"]
    body = {
        "id": "resp_loopback",
        "object": "response",
        "status": "incomplete" if why else "completed",
        "error": None,
        "incomplete_details": {"reason": why} if why else None,
        "model": answer.body["model"],
        "output": [
            {"type": "reasoning", "summary": [], "content": thought},
            {
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": said,
            },
        ],
        "usage": {
            "input_tokens": usage["prompt_tokens"],
            "output_tokens": usage["completion_tokens"],
        },
    }
    return replace(answer, body=body)


def error(
    status: int,
    message: str,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Answer:
    return Answer({"error": {"message": message, **more}}, status, headers or {})


# -- a truthful model -----------------------------------------------------------------------------


def reply_to(asked: Asked) -> dict[str, Any]:
    """A complete reply: an instruction is found in the sentence that shares most words with it, if any."""
    if '{"excerpts": [{"number"' in asked.user:
        return {"excerpts": []}
    response = _between(asked.user, "response") or _own_steps(
        _between(asked.user, "conversation"),
    )
    if '{"answer": {"rationale"' in asked.user:
        return _verdict(asked.user, response)
    if '{"answer": {"relevance_explanation"' in asked.user:
        return _grounding(_between(asked.user, "documents"), response)
    reply: dict[str, Any] = {
        "tp_answers": _verdicts(asked.user, "TP", response, ("found", "missing")),
    }
    if "\nTN instructions:" in asked.user:
        reply["tn_answers"] = _verdicts(
            asked.user,
            "TN",
            response,
            ("present", "absent"),
        )
    if '"wrong_candidates"' in asked.user:
        reply["wrong_candidates"] = []
    return reply


def _verdict(prompt: str, response: str) -> dict[str, Any]:
    """The first verdict that may be said where a sentence shares words with the criterion, else the last."""
    asked = _after_material(prompt)
    criterion, _, shape = asked.partition("The verdict is ")
    options = [
        json.loads(option)
        for option in re.findall(r'"verdict": (.*?)}}', shape)[-1].split(" or ")
    ]
    excerpt = _closest(criterion.partition("\n")[2], response)
    verdict = options[0 if excerpt else -1]
    answer = {
        "rationale": "Nothing here says so." if verdict == "cannot tell" else "",
        "excerpts": [excerpt] if excerpt else [],
        "verdict": verdict,
    }
    return {"answer": answer}


def _grounding(documents: str, response: str) -> dict[str, Any]:
    """A sentence of the response is supported by the document sentence that shares most words with it, if any."""
    keys = {
        words: key
        for key, words in re.findall(r"^(\w+): (.*)$", documents, re.MULTILINE)
    }
    said = []
    for key, words in re.findall(r"^(\w+): (.*)$", response, re.MULTILINE):
        best = keys.get(_closest(words, "\n".join(keys)))
        row = {"sentence": key, "explanation": "", "supporting": [best] if best else []}
        said.append({**row, "support": "full" if best else "none"})
    used = sorted({key for row in said for key in row["supporting"]})
    answer = {
        "relevance_explanation": "",
        "relevant": used,
        "overall_explanation": "",
        "sentences": said,
        "all_supported": "yes" if all(row["supporting"] for row in said) else "no",
        "utilized": used,
    }
    return {"answer": answer}


def _between(prompt: str, tag: str) -> str:
    found = re.search(rf"<{tag} (\w+)>\n(.*)\n</{tag} \1>", prompt, re.DOTALL)
    return found.group(2) if found else ""


def _own_steps(conversation: str) -> str:
    """What the assistant says and calls in a conversation of numbered steps."""
    steps = re.split(r"^\[\d+\] ", conversation, flags=re.MULTILINE)
    return "\n".join(
        step.partition("\n")[2] for step in steps if step.startswith("assistant")
    )


def _after_material(prompt: str) -> str:
    """What is asked, which stands behind what is judged."""
    of_conversation = re.split(r"</conversation \w+>\n", prompt)[-1]
    return of_conversation.rpartition("The material has ended.")[2]


def _instructions(prompt: str, of: str) -> list[str]:
    checklist = _after_material(prompt)
    section = checklist.partition(f"\n{of} instructions:")[2].partition("\n\n")[0]
    return re.findall(r"^\d+\. (.*)$", section, re.MULTILINE)


def _verdicts(
    prompt: str,
    of: str,
    response: str,
    words: tuple[str, str],
) -> list[dict[str, Any]]:
    rows = []
    for number, instruction in enumerate(_instructions(prompt, of), 1):
        excerpt = _closest(instruction, response)
        verdict = words[0] if excerpt else words[1]
        excerpts = [excerpt] if excerpt else []
        rows.append(
            {
                "instruction": number,
                "rationale": "",
                "excerpts": excerpts,
                "verdict": verdict,
            },
        )
    return rows


def _closest(instruction: str, response: str) -> str:
    wanted = _long_words(instruction)
    sentences = [
        part.strip() for part in re.split(r"(?<=[.!?])\s|\n", response) if part.strip()
    ]
    best = max(
        sentences,
        key=lambda sentence: len(wanted & _long_words(sentence)),
        default="",
    )
    return best if len(wanted & _long_words(best)) * 3 >= len(wanted) > 0 else ""


def _long_words(text: str) -> set[str]:
    return {
        word
        for word in re.findall(r"\w+", text.lower())
        if len(word) > 3 or word.isdigit()
    }


def shaped(asked: Asked, reply: dict[str, Any]) -> str:
    """The reply as it was asked for: where a schema has a field for each answer, rows become such fields."""
    numbered = asked.rung == "json_schema" and '{"1": {' in asked.user
    if (
        asked.rung == "json_schema"
        and '"sentences": {"a": {' in asked.user
        and "answer" in reply
    ):
        rows = reply["answer"]["sentences"]
        keyed = {
            row["sentence"]: {k: v for k, v in row.items() if k != "sentence"}
            for row in rows
        }
        reply = {"answer": reply["answer"] | {"sentences": keyed}}
    told = {
        key: _fields(value) if numbered and key.endswith("_answers") else value
        for key, value in reply.items()
    }
    return (
        "{"
        + ", ".join(f"{json.dumps(key)}: {_json(value)}" for key, value in told.items())
        + "}"
    )


def _fields(rows: list[dict[str, Any]]) -> "Fields":
    return Fields(
        (str(row["instruction"]), {k: v for k, v in row.items() if k != "instruction"})
        for row in rows
    )


class Fields(list[tuple[str, Any]]):
    """The fields of an object, which may come more than once."""


def _json(value: Any) -> str:
    if isinstance(value, Fields):
        return (
            "{"
            + ", ".join(
                f"{json.dumps(key)}: {json.dumps(field)}" for key, field in value
            )
            + "}"
        )
    return json.dumps(value)


def truthful(asked: Asked) -> Answer:
    return completion(shaped(asked, reply_to(asked)))


_ABSENT = re.compile(r"(?:fails to|does not|doesn.t|lacks|neglects) ", re.IGNORECASE)


def omitting(asked: Asked) -> Answer:
    """A truthful reply to what an answer is said to leave out: it does, and no words can show it."""
    reply = reply_to(asked)
    for of, verdict in (("TP", "found"), ("TN", "present")):
        rows = reply.get(f"{of.lower()}_answers", ())
        for row, text in zip(rows, _instructions(asked.user, of), strict=bool(rows)):
            if _ABSENT.match(text):
                said = {
                    "rationale": "It is nowhere said.",
                    "excerpts": [],
                    "omission": True,
                }
                row |= {**said, "verdict": verdict}
    return completion(shaped(asked, reply))


# -- faults ---------------------------------------------------------------------------------------


def altered(change: Callable[[dict[str, Any]], Any]) -> Script:
    """A truthful reply with one thing wrong."""

    def script(asked: Asked) -> Answer:
        reply = reply_to(asked)
        if "tp_answers" in reply:
            change(reply)
        return completion(shaped(asked, reply))

    return script


def _without_excerpt(reply: dict[str, Any]) -> None:
    reply["tp_answers"][0] |= {"verdict": "found", "excerpts": []}


def _invented(reply: dict[str, Any]) -> None:
    reply["tp_answers"][0] |= {
        "verdict": "found",
        "excerpts": ["words that nobody wrote"],
    }


def _half(asked: Asked, finish: str) -> Answer:
    text = shaped(asked, reply_to(asked))
    return completion(text[: len(text) // 2], finish)


def _refusing(rungs: tuple[str, ...], status: int) -> Script:
    def script(asked: Asked) -> Answer:
        if asked.rung in rungs:
            return error(
                status,
                f"response_format of type {asked.rung} is not supported",
                param="response_format",
            )
        return truthful(asked)

    return script


def _refusing_parameter(*names: str) -> Script:
    def script(asked: Asked) -> Answer:
        wrong = next((name for name in names if name in asked.body), None)
        if wrong is None:
            return truthful(asked)
        return error(
            400,
            f"Unsupported parameter: '{wrong}' is not supported with this model.",
            param=wrong,
        )

    return script


def _without_system_role(asked: Asked) -> Answer:
    roles = [message["role"] for message in asked.body.get("messages", ())]
    if "system" in roles or "instructions" in asked.body:
        return error(400, "System role not supported", code="invalid_request_error")
    return truthful(asked)


def _thinking(asked: Asked) -> Answer:
    """A model that thinks for 5,000 tokens before it answers, and says nothing where they are not to be had."""
    if asked.room is None or asked.room > 5000:
        return completion(
            shaped(asked, reply_to(asked)),
            reasoning_content="Let me see.",
        )
    return completion("", reasoning_content="Let me see. First,")


def _answering_in_thoughts(asked: Asked) -> Answer:
    return completion(None, reasoning_content=shaped(asked, reply_to(asked)))


def _quoting_the_key(asked: Asked) -> Answer:
    key = asked.headers.get("authorization", "").removeprefix("Bearer ")
    return error(401, f"Incorrect API key provided: {key}.", code="invalid_api_key")


FAULTS: dict[str, Script] = {
    "busy": lambda asked: error(429, "Rate limit reached.", {"Retry-After": "1"}),
    "broken": lambda asked: error(500, "The server had an error."),
    "unavailable": lambda asked: error(503, "Overloaded.", {"Retry-After": "1"}),
    "garbage": lambda asked: Answer("<html><body>It works!</body></html>"),
    "broken-json": lambda asked: Answer('{"choices": [{"message": {"conte'),
    "error-in-200": lambda asked: Answer(
        {"error": {"code": 502, "message": "Upstream failed."}},
    ),
    "no-choices": lambda asked: Answer({"id": "x", "choices": None}),
    "prose": lambda asked: completion("I think the response is rather good."),
    "half": lambda asked: _half(asked, "stop"),
    "half-cut": lambda asked: _half(asked, "length"),
    "empty-object": lambda asked: completion({}),
    "empty": lambda asked: completion(""),
    "nothing": lambda asked: completion(None),
    "missing-instruction": altered(lambda reply: reply["tp_answers"].pop()),
    "repeated-instruction": altered(
        lambda reply: reply["tp_answers"].append(reply["tp_answers"][0]),
    ),
    "unknown-instruction": altered(
        lambda reply: reply["tp_answers"].append(
            reply["tp_answers"][0] | {"instruction": 99},
        ),
    ),
    "without-excerpt": altered(_without_excerpt),
    "invented": altered(_invented),
    "refusal": lambda asked: completion(None, refusal="I cannot help with that."),
    "filtered": lambda asked: completion("", "content_filter"),
    "no-schema": _refusing(("json_schema",), 400),
    "no-schema-500": _refusing(("json_schema",), 500),
    "no-json": _refusing(("json_schema", "json_object"), 400),
    "no-temperature": _refusing_parameter("temperature"),
    "no-system": _without_system_role,
    "thinking": _thinking,
    "thoughts": _answering_in_thoughts,
    "refusal-part": lambda asked: completion(
        [{"type": "refusal", "refusal": "I cannot help with that."}],
    ),
    "no-limit": _refusing_parameter("max_completion_tokens", "max_tokens"),
    "hang": lambda asked: replace(truthful(asked), delay=3600),
    "drop": lambda asked: replace(truthful(asked), dropped=True),
    "unauthorized": _quoting_the_key,
    "no-model": lambda asked: error(
        404,
        "The model does not exist.",
        code="model_not_found",
    ),
    "no-credit": lambda asked: error(
        429,
        "You exceeded your current quota.",
        code="insufficient_quota",
    ),
}


def in_order(*scripts: Script | Answer, then: Script = truthful) -> Script:
    """One script or answer for each request in turn, and `then` for the rest."""
    upcoming = iter(scripts)

    def script(asked: Asked) -> Answer:
        this = next(upcoming, then)
        return this if isinstance(this, Answer) else this(asked)

    return script


def every(k: int, *faults: Script) -> Script:
    """The faults in turn on every k-th request; the others are answered truthfully."""
    turn = cycle(faults)
    return lambda asked: next(turn)(asked) if asked.n % k == 0 else truthful(asked)


def slowly(script: Script, seconds: float) -> Script:
    return lambda asked: replace(script(asked), delay=max(seconds, script(asked).delay))


# -- the server -----------------------------------------------------------------------------------


async def connections_closed(server: asyncio.Server) -> None:
    """Wait in turns of the loop until no connection of a closed server is there any more.

    The first turns are for a connection that just came. From 3.12 on Python counts no connections,
    and closes them with the server.
    """
    for turn in range(1_000):
        if turn > 3 and not getattr(server, "_active_count", 0):
            return
        await asyncio.sleep(0)


class Loopback:
    """The server: an asynchronous context; `asked` holds what came, `most_at_once` the most under way.

    `came` waits for requests; between `hold` and `go_on`, which any thread may call, none is answered.
    """

    def __init__(
        self,
        script: Script = truthful,
        *,
        port: int = 0,
        keeping: bool = True,
        responses: bool = False,
    ) -> None:
        """`responses`: whether it knows that API, too."""
        self._script = script
        self._responses = responses
        self._port = port
        self._keeping = keeping
        self._talks: set[asyncio.Task[None]] = set()
        self._n = 0
        self._busy = 0
        self._news = asyncio.Condition()
        self._answering = asyncio.Event()
        self._answering.set()
        self.most_at_once = 0
        self.asked: list[Asked] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    async def came(self, count: int = 1) -> None:
        """Waits until so many requests have come, in the loop of the server."""
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: self._n >= count)

    def hold(self) -> None:
        self._answering.clear()

    def go_on(self) -> None:
        self.loop.call_soon_threadsafe(self._answering.set)

    async def __aenter__(self) -> Self:
        self.loop = asyncio.get_running_loop()
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for _ in range(4):  # a connection that just came is a talk some turns later
            await asyncio.sleep(0)
        while self._talks:
            for talk in self._talks:
                talk.cancel()
            await asyncio.gather(*self._talks, return_exceptions=True)
        await connections_closed(self._server)

    def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.get_running_loop().create_task(self._talk(reader, writer))
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)
        talk.add_done_callback(lambda _: writer.close())  # also of one that never began

    async def _talk(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while await self._exchange(reader, writer):
                    pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _exchange(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """One request and its answer; whether the connection goes on."""
        method, path, headers, body = await _request(reader)
        self._n += 1
        asked = Asked(self._n, method, path, headers, json.loads(body or b"{}"))
        if self._keeping:
            self.asked.append(asked)
        self._busy += 1
        self.most_at_once = max(self.most_at_once, self._busy)
        try:
            async with self._news:
                self._news.notify_all()
            await self._answering.wait()
            answer = self._answer(asked)
            await asyncio.sleep(answer.delay)
        finally:
            self._busy -= 1
        if answer.dropped:
            return False
        writer.write(_response(answer))
        await writer.drain()
        return True

    def _answer(self, asked: Asked) -> Answer:
        if asked.path.endswith("/chat/completions"):
            return self._script(asked)
        if self._responses and asked.path.endswith("/responses"):
            return as_response(self._script(asked))
        return _models(asked.path)


async def _request(
    reader: asyncio.StreamReader,
) -> tuple[str, str, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ")
    lines = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in lines}
    return (
        method,
        path,
        headers,
        await reader.readexactly(int(headers.get("content-length", 0))),
    )


def _models(path: str) -> Answer:
    if path.endswith("/models"):
        return Answer(
            {"object": "list", "data": [{"id": "loopback-1", "object": "model"}]},
        )
    return error(404, f"There is nothing at {path}.")


def _response(answer: Answer) -> bytes:
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(answer.raw)),
        **answer.headers,
    }
    lines = [
        f"HTTP/1.1 {answer.status} -",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + answer.raw


@contextmanager
def served(script: Script = truthful) -> Iterator[Loopback]:
    """The server in a thread, for tests whose program runs elsewhere."""
    server, ready, stop = Loopback(script), threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with server:
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(60), "the server did not begin"
    try:
        yield server
    finally:
        server.loop.call_soon_threadsafe(stop.set)
        thread.join()


# -- for people -----------------------------------------------------------------------------------


async def _serve(arguments: argparse.Namespace) -> None:
    faults = [FAULTS[name] for name in arguments.fault]
    script = every(arguments.every, *faults) if faults else truthful
    script = slowly(script, arguments.delay)
    async with Loopback(
        script,
        port=arguments.port,
        keeping=False,
        responses=arguments.responses,
    ) as server:
        print(f"--base-url {server.url} --model loopback-1", flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8399)
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        choices=sorted(FAULTS),
        help="may be repeated",
    )
    parser.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="K",
        help="only on every K-th request",
    )
    parser.add_argument(
        "--responses",
        action="store_true",
        help="know the Responses API, too",
    )
    parser.add_argument(
        "--delay",
        type=float,
        default=0.0,
        help="seconds before each answer",
    )
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(parser.parse_args()))


async def until(condition: Callable[[], bool]) -> None:
    """Waits for what is told to nobody, as in another thread or process: by looking."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - what is looked at has no event
            await asyncio.sleep(0.005)


def rungs(server: Loopback) -> Counter[str]:
    """How often each format was asked for."""
    return Counter(asked.rung for asked in server.asked)


if __name__ == "__main__":
    sys.exit(main())
