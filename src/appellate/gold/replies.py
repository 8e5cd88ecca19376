"""Recorded replies of models, so that a check needs no key and no network.

The file has a JSON line a reply, found by the hash of its request, a line a server with what was
learnt about it, and a line a cell that got no judgment. Address, model, prompt and all parameters
are in the hash of a request, so a reply to another question is never taken. Keys are never in it.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from appellate.store.files import atomic
from appellate.store.files.text_file import MIB, text_of, unusable

FORMAT = "appellate-replies/1"
LARGEST = 1024 * MIB


class ReplyFile:
    """The replies in a file, as judges use them (`judges.reply_cache.SavedReplies`)."""

    def __init__(self) -> None:
        self._replies: dict[str, Any] = {}
        """The body of each answer, by the hash of its request."""
        self._servers: dict[str, Mapping[str, Any]] = {}
        self._failures: dict[str, str] = {}
        """Why a model gave no judgment, by the model and the hash of the prompt."""

    def failure(self, model: str, prompt_sha256: str) -> str:
        """Return why a model gave no judgment on a prompt when it was recorded.

        "" if it gave one, and if nothing was recorded.
        """
        return self._failures.get(_failure_key(model, prompt_sha256), "")

    def fail(self, model: str, prompt_sha256: str, reason: str) -> None:
        """Record in memory that a model gave no judgment on a prompt, and why.

        A later reason replaces an earlier one. With an empty reason, forget that it gave none.
        """
        key = _failure_key(model, prompt_sha256)
        self._failures.pop(key, None)
        if reason:
            self._failures[key] = reason

    def get(self, key: str) -> bytes | None:
        """Return the body of the recorded answer to a request, as JSON; None if there is none.

        `key` is the hash of the request. The JSON means what the server sent, but its spaces may
        differ.
        """
        if key not in self._replies:
            return None
        return json.dumps(self._replies[key]).encode()

    def put(self, replies: dict[str, bytes]) -> None:
        """Record answers in memory by the hash of their request.

        A later answer replaces an earlier one. A body that is no JSON is left out, and what was
        recorded for its request stays.
        """
        for key, body in replies.items():
            try:
                self._replies[key] = json.loads(body)
            except ValueError:
                continue

    def drop(self, keys: list[str]) -> None:
        """Forget recorded answers in memory, by the hash of their request.

        Unknown hashes are ignored.
        """
        for key in keys:
            self._replies.pop(key, None)

    def abilities(self, server: str) -> dict[str, Any]:
        """Return a copy of what was learnt about a server, by its address; {} if nothing was."""
        return dict(self._servers.get(server, {}))

    def learn(self, server: str, abilities: dict[str, Any]) -> None:
        """Record what was learnt about a server."""
        self._servers[server] = abilities

    def __len__(self) -> int:
        return len(self._replies)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the file of replies, each with its line end.

        First comes the format, then what was learnt about servers, failures, and answers, each
        sorted by its key. Equal content gives equal lines.
        """
        yield _line({"format": FORMAT})
        for server in sorted(self._servers):
            abilities = self._servers[server]
            yield _line({"server": server, "abilities": abilities})
        for model_and_prompt in sorted(self._failures):
            reason = self._failures[model_and_prompt]
            yield _line({"asked": model_and_prompt, "failed": reason})
        for key in sorted(self._replies):
            body = self._replies[key]
            yield _line({"request": key, "reply": body})

    def write(self, path: Path) -> None:
        """Write all recorded replies, failures and facts about servers into a file, in one step.

        It has a line of JSON for each, sorted by sort and key, after one with the format. An older
        file is replaced, and kept beside it with `.bak` at its name's end. Raises OSError; the
        older file is still whole then.
        """
        encoded_lines: list[bytes] = []
        for line in self.lines():
            encoded_lines.append(line.encode("utf-8", "surrogatepass"))
        atomic.write(path, encoded_lines)


def _failure_key(model: str, prompt_sha256: str) -> str:
    return f"{prompt_sha256} {model}"


def _line(value: Mapping[str, Any]) -> str:
    """Return a value as one line of JSON with its line end.

    It is ASCII with sorted keys, since a reply may hold half characters.
    """
    return json.dumps(value, sort_keys=True) + "\n"


def read_replies(path: Path) -> ReplyFile:
    """Return the replies in a file.

    The first line must hold the format. Raises Unusable for a file that cannot be read or is empty,
    is of another format, or has a line that is no recorded reply. Of two lines on one request the
    later one counts.
    """
    file = str(path)
    replies = ReplyFile()
    text = text_of(path, LARGEST)
    lines = text.rstrip("\n").split("\n")
    for number, line in enumerate(lines, 1):
        place = f"line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            wrong = f"is no line of recorded replies ({error})"
            right = "record them again (--record)"
            raise unusable(file, wrong, right, place) from None
        if not isinstance(row, Mapping):
            raise unusable(file, "must be an object", place=place)
        if number == 1 and row.get("format") != FORMAT:
            right = "`appellate gold check … --record FILE` makes such a file"
            raise unusable(file, f"is not in the format {FORMAT!r}", right)
        is_kept = _keep_row(replies, row)
        if number > 1 and not is_kept:
            raise unusable(file, "is neither a reply nor a server", place=place)
    return replies


def _keep_row(replies: ReplyFile, row: Mapping[str, Any]) -> bool:
    """Add to `replies` what one line of their file says; return whether the line says anything.

    A line tells what was learnt about a server, a reply to a request, or why a model gave no
    judgment. It replaces what an earlier line says of the same. Of a line with several of these
    only the first counts. Any other line adds nothing.
    """
    server = row.get("server")
    abilities = row.get("abilities")
    if isinstance(server, str) and isinstance(abilities, Mapping):
        replies.learn(server, dict(abilities))
        return True

    request = row.get("request")
    if isinstance(request, str) and "reply" in row:
        body = json.dumps(row["reply"])
        replies.put({request: body.encode()})
        return True

    prompt_and_model = row.get("asked")
    reason = row.get("failed")
    if isinstance(prompt_and_model, str) and isinstance(reason, str):
        prompt_sha256, _, model = prompt_and_model.partition(" ")
        replies.fail(model, prompt_sha256, reason)
        return True
    return False
