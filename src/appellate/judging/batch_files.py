"""Files of requests, each within what the Batch API takes."""

from pathlib import Path
from typing import IO, NamedTuple, Self

from appellate.core.problem import Problem, Unusable

MOST_LINES, MOST_BYTES = 50_000, 200_000_000
"""What the Batch API takes in one file."""


class Shard(NamedTuple):
    """One file of requests."""

    file: Path
    lines: int


class Shards:
    """The files of one export; they get their names when all are whole, and none stays where something fails."""

    def __init__(self, out: Path, most_lines: int = MOST_LINES, most_bytes: int = MOST_BYTES) -> None:
        """Raises Unusable where the files would take the place of others."""
        _check(out)
        self._out = out
        self._most_lines, self._most_bytes = most_lines, most_bytes
        self._done: list[Shard] = []
        self._file: IO[bytes] | None = None
        self._lines = self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()
        for number in range(1, len(self._done) + 2):
            self._unnamed(number).unlink(missing_ok=True)

    def add(self, line: bytes) -> None:
        if self._lines >= self._most_lines or (self._lines and self._size + len(line) > self._most_bytes):
            self._finish()
        if self._file is None:
            self._file = self._unnamed(len(self._done) + 1).open("wb")
        self._file.write(line)
        self._lines, self._size = self._lines + 1, self._size + len(line)

    def named(self) -> list[Shard]:
        """The finished files: one under the name that was asked for, several with numbers in it."""
        self._finish()
        if len(self._done) == 1:
            return [_renamed(self._done[0], self._out)]
        return [_renamed(shard, numbered(self._out, number)) for number, shard in enumerate(self._done, 1)]

    def _finish(self) -> None:
        if self._file:
            self._file.close()
            self._done.append(Shard(self._unnamed(len(self._done) + 1), self._lines))
        self._file, self._lines, self._size = None, 0, 0

    def _unnamed(self, number: int) -> Path:
        return self._out.with_name(f".{self._out.name}.{number}.tmp")


def numbered(out: Path, number: int) -> Path:
    """`x-0001.jsonl` for `x.jsonl`."""
    return out.with_name(f"{out.stem}-{number:04}{out.suffix}")


def _renamed(shard: Shard, file: Path) -> Shard:
    return shard._replace(file=shard.file.rename(file))


def _check(out: Path) -> None:
    if not out.name:
        raise Unusable([Problem(str(out), "", "this is a folder", "name a file in it")])
    if not out.parent.is_dir():
        raise Unusable([Problem(str(out), "", f"there is no folder {out.parent}", "make it first")])
    for path in (out, numbered(out, 1)):
        if path.exists():
            raise Unusable([Problem(str(path), "", "there is a file of this name", "name another with -o")])
