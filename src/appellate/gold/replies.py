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
        """Begin without replies, and with no file to which they are appended."""
        self.part: FileIO | None = None
        """Gets a line for each change at once, so that a kill loses none; None if nothing does."""
        self._replies: dict[str, Any] = {}
        """The body of each answer, by the hash of its request."""
        self._servers: dict[str, Mapping[str, Any]] = {}
        self._failures: dict[str, str] = {}
        """Why a model gave no judgment, by the model and the hash of the prompt."""
        self._new_failures: set[str] = set()
        """The keys of those failures that did not come from a file."""

    def failure(self, model: str, prompt_sha256: str) -> str:
        """Return why a model gave no judgment on a prompt, as it was recorded; "" if no failure is.

        "" does not tell that it gave a judgment: nothing may be recorded about the prompt.
        """
        return self._failures.get(_failure_key(model, prompt_sha256), "")

    def fail(self, model: str, prompt_sha256: str, reason: str) -> None:
        """Record why a model gave no judgment on a prompt, and append it to `part`.

        `reason` is not empty. A later one replaces an earlier one. If `part` is None or cannot be
        written, the object alone has it; nothing is raised.
        """
        key = _failure_key(model, prompt_sha256)
        self._failures[key] = reason
        self._new_failures.add(key)
        self._append([{"asked": key, "failed": reason}])

    def forget_failure(self, model: str, prompt_sha256: str) -> None:
        """Forget that a model gave no judgment on a prompt in an earlier check, and append that.

        A failure that was recorded by `fail` of this object stays: the same model may have been
        asked with other parameters or at another server. Without a failure a line is appended, too.
        If `part` is None or cannot be written, nothing is raised.
        """
        key = _failure_key(model, prompt_sha256)
        if key in self._new_failures:
            return
        self._failures.pop(key, None)
        self._append([{"asked": key, "failed": ""}])

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

        Hashes of no answer are appended, too, and change nothing else. If `part` is None or cannot
        be written, nothing is raised.
        """
        for key in keys:
            self._replies.pop(key, None)
        self._append([{"request": key, "dropped": True} for key in keys])

    def abilities(self, server: str) -> dict[str, Any]:
        """Return a shallow copy of what was learnt about a server; {} if nothing was.

        `server` is one text that names the API, the URL and the model, just as it was learnt.
        """
        return dict(self._servers.get(server, {}))

    def learn(self, server: str, abilities: dict[str, Any]) -> None:
        """Record what was learnt about a server, and append it to `part`.

        It replaces all that was known of that server. `server` is one text that names the API, the
        URL and the model. The dict itself is kept, not a copy. If `part` is None or cannot be
        written, the object alone has it; nothing is raised.
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
        """Yield the lines of the file of replies, each one JSON object with its line end.

        First comes the format, then what was learnt about servers, then failures, then answers,
        each sorted by its key. Equal content gives equal lines.
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
        """Write all recorded answers, failures and facts about servers into a file, in one step.

        Its lines are those of `lines`. An older file is replaced, and kept beside it with `.bak` at
        its name's end. Raises OSError if the disk refuses; the older file is still whole then.
        `part` is left alone.
        """
        encoded_lines: list[bytes] = []
        for line in self.lines():
            encoded_lines.append(line.encode("utf-8", "surrogatepass"))
        atomic.write(path, encoded_lines)

    def take_row(self, row: Mapping[str, Any]) -> bool:
        """Take in what a recorded line says; return False for a line of another sort.

        A line tells what was learnt about a server, why a model gave no judgment, a reply to a
        request, or that the reply was dropped. It takes the place of what was there on the same. An
        empty reason says that the model's failure no longer counts. Nothing is appended to `part`.
        A line that says none of this, as that with the format, or has a value of another type,
        changes nothing. Nothing is raised for it.
        """
        server = row.get("server")
        abilities = row.get("abilities")
        if isinstance(server, str) and isinstance(abilities, Mapping):
            self._servers[server] = abilities
            return True

        request = row.get("request")
        if isinstance(request, str) and row.get("dropped") is True:
            self._replies.pop(request, None)
            return True
        if isinstance(request, str) and "reply" in row:
            self._replies[request] = row["reply"]
            return True

        prompt_and_model = row.get("asked")
        reason = row.get("failed")
        if isinstance(prompt_and_model, str) and isinstance(reason, str):
            self._failures.pop(prompt_and_model, None)
            if reason:
                self._failures[prompt_and_model] = reason
            return True
        return False

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
    """Return the replies in a file, with no `part` to which more are appended.

    The first line must hold the format; nothing else in it counts. Raises Unusable for a file that
    cannot be read or is empty, is of another format, or has a later line, also a blank one, that is
    no recorded reply, failure or fact about a server. Of two lines on one request the later one
    counts. The file is not changed.
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
        if number == 1:
            continue
        is_dropped = row.get("dropped") is True
        if is_dropped or not replies.take_row(row):
            raise unusable(file, "is neither a reply nor a server", place=place)
    return replies


@contextmanager
def recording(
    path: Path,
    on_written: Callable[[int], object],
) -> Iterator[ReplyFile]:
    """Yield the replies in a file, to which a check adds what models answer.

    Until the block is left, each reply is appended to a hidden file beside it as it comes. Then all
    are written into the file, also after an error, and `on_written` is called with the number of
    answers in it; failures do not count. With neither an answer nor a failure a file that is not
    there is not made, and `on_written` not called. A check that is killed leaves the hidden file,
    and the next one begins with what that holds.

    Raises Unusable for a file of something else, or if another check records into it, NotKept where
    the file system has no locks, and OSError if the disk refuses.
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
            _take_appended(replies, part_path)
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


def _take_appended(replies: ReplyFile, part_path: Path) -> None:
    """Add to `replies` what a killed check appended to its file, in the order in which it came.

    Replies that the check dropped are dropped again. A line that a kill or a full disk cut adds
    nothing, nor does one of another sort. Nothing is appended to `replies.part`. Raises Unusable if
    the file cannot be read.
    """
    for line in text_of(part_path, LARGEST).split("\n"):
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, Mapping):
                replies.take_row(row)
