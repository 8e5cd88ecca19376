"""Recorded replies of models, so that a check needs no key and no network.

The file has a JSON line a reply, found by the hash of its request, a line a server with what was
learnt about it, and a line a cell that got no judgment. Address, model, prompt and all parameters
are in the hash of a request, so a reply to another question is never taken. Keys are never in it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any

from appellate.store.database import WorkspaceLocked, locked
from appellate.store.files import atomic
from appellate.store.files.text_file import MIB, text_of, unusable

FORMAT = "appellate-replies/1"
LARGEST = 1024 * MIB


class ReplyFile:
    """The replies in a file, as judges use them (`judges.reply_cache.SavedReplies`)."""

    def __init__(self) -> None:
        self.part: FileIO | None = None
        """Gets a line for each change at once, so that a kill loses none; None if nothing does."""
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
        """Record why a model gave no judgment on a prompt, and append it to `part`.

        A later reason replaces an earlier one. With an empty reason, forget that it gave none. If
        `part` is None or cannot be written, the object alone has it; nothing is raised.
        """
        key = _failure_key(model, prompt_sha256)
        self._failures.pop(key, None)
        if reason:
            self._failures[key] = reason
        self._append([{"asked": key, "failed": reason}])

    def get(self, key: str) -> bytes | None:
        """Return the body of the recorded answer to a request, as JSON; None if there is none.

        `key` is the hash of the request. The JSON means what the server sent, but its spaces may
        differ.
        """
        if key not in self._replies:
            return None
        return json.dumps(self._replies[key]).encode()

    def put(self, replies: dict[str, bytes]) -> None:
        """Record answers by the hash of their request, and append them to `part`.

        A later answer replaces an earlier one. A body that is no JSON is left out, and what was
        recorded for its request stays. If `part` is None or cannot be written, the object alone has
        them; nothing is raised.
        """
        rows: list[Mapping[str, Any]] = []
        for key, body in replies.items():
            try:
                reply = json.loads(body)
            except (ValueError, RecursionError):
                continue
            self._replies[key] = reply
            rows.append({"request": key, "reply": reply})
        self._append(rows)

    def drop(self, keys: list[str]) -> None:
        """Forget recorded answers, by the hash of their request, and append that to `part`.

        Unknown hashes change no answer. If `part` is None or cannot be written, nothing is raised.
        """
        for key in keys:
            self._replies.pop(key, None)
        self._append([{"request": key, "dropped": True} for key in keys])

    def abilities(self, server: str) -> dict[str, Any]:
        """Return a copy of what was learnt about a server; {} if nothing was.

        `server` names the API, the URL and the model.
        """
        return dict(self._servers.get(server, {}))

    def learn(self, server: str, abilities: dict[str, Any]) -> None:
        """Record what was learnt about a server, and append it to `part`.

        It replaces what was known of the server, which `server` names as `abilities` does. The dict
        is kept itself, not a copy. If `part` is None or cannot be written, the object alone has it;
        nothing is raised.
        """
        self._servers[server] = abilities
        self._append([{"server": server, "abilities": abilities}])

    def __len__(self) -> int:
        return len(self._replies)

    @property
    def is_empty(self) -> bool:
        """Whether there are neither replies nor failures."""
        return not self._replies and not self._failures

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

    def _append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows to `part` in one write, so that a kill takes none back; errors are ignored.

        An empty line goes first: it ends a line that a full disk may have cut. Does nothing if
        `part` is None.
        """
        if self.part is None:
            return
        text = "\n" + "".join(_line(row) for row in rows)
        with suppress(OSError):
            self.part.write(text.encode())


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


@contextmanager
def recording(
    path: Path,
    on_written: Callable[[int], object],
) -> Iterator[ReplyFile]:
    """Yield the replies in a file, to which a check adds what models answer.

    The file is written when the block is left, also by an error, and `on_written` is called with
    the number of replies; a new file is not made for nothing. Until then each reply is appended to
    a hidden file beside it as it comes. A check that is killed leaves that file, and the next one
    begins with what it holds. Raises Unusable for a file of something else, or if another check
    records into it, NotKept where the file system has no locks, and OSError if the disk refuses.
    """
    real = atomic.target_of(path)
    try:
        lock = locked(real)
    except WorkspaceLocked:
        right = "wait until it ends, or name another file"
        raise unusable(str(path), "another check records into it", right) from None
    except OSError as error:
        error.filename = str(path)  # nobody knows the name of the lock
        raise
    try:
        replies = read_replies(path) if path.exists() else ReplyFile()
        part_path = real.with_name(f".{real.name}.part")
        if part_path.exists():
            _add_part(replies, part_path)
        with open(part_path, "ab", buffering=0, opener=atomic.private) as part:
            replies.part = part
            try:
                yield replies
            finally:
                replies.part = None
                if not replies.is_empty or path.exists():
                    replies.write(path)
                    on_written(len(replies))
                part_path.unlink()
    finally:
        Path(lock.lock_file).unlink(missing_ok=True)
        lock.release()


def _add_part(replies: ReplyFile, part_path: Path) -> None:
    """Add to `replies` what a killed check appended to its file, in the order in which it came.

    A line that a kill or a full disk cut adds nothing. Raises Unusable if the file cannot be read.
    """
    for line in text_of(part_path, LARGEST).split("\n"):
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            if not isinstance(row, Mapping):
                continue
            if row.get("dropped") is True:
                replies.drop([str(row.get("request"))])
            else:
                _keep_row(replies, row)


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
