"""Reading traces: files or standard input in, Traces out one by one, or all that is wrong."""

import sqlite3
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct, field

from appellate.core.problem import Loaded, Problem, Unusable, closest, quoted
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace, name_of
from appellate.store.files import trace_record
from appellate.store.files.temporary_disk import no_room
from appellate.store.files.text_file import MIB, opened, standard_input, unusable
from appellate.store.files.trace_record import ALIASES, FIELDS, columns, trace_of
from appellate.store.files.trace_source import Record, records
from appellate.store.files.wording import of_trace
from appellate.traits.rubric import Rubric

LARGEST = 1024 * MIB
LISTED = 10
STDIN = "standard input"
RecordReader = Callable[[BinaryIO, str, int], Iterator[Record | Problem | str]]
"""Gives the records of a stream, by its file's name and the most bytes that it may have.

A text is a sentence on the file, which can be used nevertheless.
"""
_HEARD_OF = 100
"""Traces between two words about how far the reading has come."""


class _Named(Struct):
    """Traces to name in a note: how many they are, and the names of the first ones."""

    count: int = 0
    names: list[str] = field(default_factory=list)

    def add(self, trace: Trace) -> None:
        """Count a trace, and keep its name if it is among the first `LISTED`."""
        self.count += 1
        if len(self.names) < LISTED:
            self.names.append(name_of(*trace.key))

    @property
    def describe(self) -> str:
        return _names_and_count(self.names, self.count)


class _Responses(Struct):
    """Which traces of a file have no response, or an empty one."""

    silent: _Named = field(default_factory=_Named)
    _without: Record | None = None  # the first that has no such key
    _is_given: bool = False

    def add(self, trace: Trace, record: Record) -> None:
        """Note a trace that was read from `record`, and whether it has a response.

        An empty text and labels count as a response for `check`; a trace with an empty or no
        response is counted in `silent`.
        """
        if not trace.response:
            self.silent.add(trace)
        if "response" in trace.model_fields_set or trace.judgments:
            self._is_given = True
        elif self._without is None:
            self._without = record

    def check(self, file: str) -> None:
        """Raise Unusable if records were added, and none of them had a response or labels for one.

        An empty text is a response here, since its key is there. The problem names the columns of
        the first record, as the response may be under another name.
        """
        if self._without is None or self._is_given:
            return
        wrong = (
            f"no trace has a response; the columns are {columns(self._without.value)}"
        )
        right = "call the one with the answer response, output, answer or completion"
        raise unusable(file, wrong, right, self._without.place())

    def notes(self, file: str) -> Iterator[str]:
        """Yield one sentence that counts and names the traces whose response is missing or empty.

        Both sorts are counted together; nothing is yielded if there are none. `file` is named
        first.
        """
        silent = self.silent
        if not silent.count:
            return
        traces_have = f"{silent.count} traces have"
        if silent.count == 1:
            traces_have = "1 trace has"
        yield f"{file}: {traces_have} no response, or an empty one: {silent.describe}"


class TraceReading(Struct):
    """The traces of files, read as one goes through them; with `skip_bad` bad ones are left out.

    Going through them raises Unusable after the last one, with every problem of all files, and
    yields none after the first problem. `notes` and `skipped` are complete then.
    """

    paths: Sequence[str | Path]
    rubric: Rubric | None = None
    stdin: BinaryIO | None = None
    skip_bad: bool = False
    on_progress: OnProgress = ignore_progress
    read: RecordReader = records
    notes: list[str] = field(default_factory=list)
    count: int = 0
    _bad: list[Problem] = field(default_factory=list)  # of one trace: may be skipped
    _broken: list[Problem] = field(default_factory=list)  # of a file
    _cells: int = 0
    _recorded: int = 0
    _bare: _Named = field(default_factory=_Named)
    _first: str = ""  # the file that the first trace is in
    _size: int = 0  # of all files, if it is known
    _done: int = 0  # bytes of the files before

    @property
    def skipped(self) -> list[Problem]:
        """The problems of the bad traces that were left out; empty unless bad ones are skipped."""
        if not self.skip_bad:
            return []
        return self._bad

    def __iter__(self) -> Iterator[Trace]:
        """Yield the traces of all files in turn; raise Unusable at the end with every problem.

        After a problem of a file, or of a trace if bad ones are not skipped, the rest is read and
        checked but no trace is yielded. `notes`, `count` and `skipped` are filled on the way. A
        full disk for temporary files ends the reading with a problem.
        """
        columns = "id, epoch, place, PRIMARY KEY (id, epoch)"
        # in memory, and in a temporary file once it grows
        with closing(sqlite3.connect("", isolation_level=None)) as seen:
            seen.execute("PRAGMA journal_mode = OFF")
            seen.execute(f"CREATE TABLE seen ({columns}) WITHOUT ROWID")
            if "-" not in map(str, self.paths):
                with suppress(OSError, ValueError):
                    stats = [Path(path).stat() for path in self.paths]
                    # a pipe has no size, and cannot say how far it is read
                    if all(stat.S_ISREG(file_stat.st_mode) for file_stat in stats):
                        self._size = sum(file_stat.st_size for file_stat in stats)
            for path in self.paths:
                try:
                    yield from self._of_file(path, seen)
                except Unusable as refusal:
                    self._broken += refusal.problems
                except sqlite3.OperationalError as error:
                    self._broken += no_room(str(path), error).problems
                    break
        self._conclude()

    def problems(self) -> list[Problem]:
        """Read the files to their end and return every problem; an empty list if there is none.

        The traces are thrown away, and `notes` are filled.
        """
        try:
            for _ in self:
                pass
        except Unusable as refusal:
            return refusal.problems
        return []

    def _of_file(self, path: str | Path, seen: sqlite3.Connection) -> Iterator[Trace]:
        """Yield the traces of a file, or for "-" of standard input, as `_of_stream` does.

        Raises Unusable also if the file cannot be opened or read, and if standard input is closed.
        """
        if str(path) == "-":
            stream = self.stdin or standard_input()
            yield from self._of_stream(stream, STDIN, seen)
            return
        with opened(path) as stream:
            yield from self._of_stream(stream, str(path), seen)
            if self._size:
                self._done += stream.tell()

    def _of_stream(
        self,
        stream: BinaryIO,
        file: str,
        seen: sqlite3.Connection,
    ) -> Iterator[Trace]:
        """Yield the traces of one file that fit; note the problems of the others.

        `file` is its name in problems and notes. `seen` gets the key of each trace. Notes on other
        keys and on missing responses are added at the end. Raises Unusable for what keeps the file
        from being read on, if it has no trace, and if no trace has a response.
        """
        strays: Counter[str] = Counter()
        responses = _Responses()
        number = 0
        for record in self.read(stream, file, LARGEST):
            if isinstance(record, str):
                self.notes.append(f"{file}: {record}")
                continue
            number += 1
            if number % _HEARD_OF == 0:
                self.on_progress(self.count, self._part(stream))
            if isinstance(record, Problem):
                self._bad.append(record)
                continue
            read_trace = trace_of(record, file)
            if isinstance(read_trace, list):
                self._bad += of_trace(record.value, read_trace)
                continue
            trace, stray = read_trace
            strays.update(stray)
            responses.add(trace, record)
            if self._fits(trace, record, file, seen):
                yield trace
        if not number:
            raise unusable(
                file,
                "there is no trace in it",
                "it should hold at least one",
            )
        if self.skip_bad or not self._bad:
            responses.check(file)
        if strays:
            texts = [
                f"{_stray(key)} ({times})" for key, times in strays.most_common(LISTED)
            ]
            and_more = _and_more(len(strays))
            self.notes.append(
                f"{file}: other keys went to metadata: {', '.join(texts)}{and_more}",
            )
        self.notes += responses.notes(file)

    def _part(self, stream: BinaryIO) -> float | None:
        """Return which part of the bytes of all files is read, from 0 to 1.

        None if their size is not known, as for standard input and pipes.
        """
        if not self._size:
            return None
        return (self._done + stream.tell()) / self._size

    def _fits(
        self,
        trace: Trace,
        record: Record,
        file: str,
        seen: sqlite3.Connection,
    ) -> bool:
        """Return whether to yield a trace; note its problems, or count it if it has none.

        A trace whose id and epoch are in `seen` has a problem that names the earlier place; any
        other is added to `seen`. False for a trace with a problem, for any after a problem of a
        file, and for any after a bad trace unless bad ones are skipped.
        """
        faults = of_trace(record.value, self._unfit(trace, record, file))
        place = record.place()
        try:
            seen.execute(
                "INSERT INTO seen VALUES (?, ?, ?)",
                (*trace.key, f"{file}: {place}"),
            )
        except sqlite3.IntegrityError:
            earlier_rows = seen.execute(
                "SELECT place FROM seen WHERE id = ? AND epoch = ?",
                trace.key,
            )
            where = earlier_rows.fetchone()[0].removeprefix(f"{file}: ")
            wrong = f"the id {quoted(trace.id)} with epoch {trace.epoch} stands already at {where}"
            right = "give each trace its own id, or its own epoch"
            faults.insert(0, Problem(file, record.place(("id",)), wrong, right))
        self._bad += faults
        if faults:
            return False
        self._first = self._first or file
        self.count += 1
        self._recorded += len(trace.judgments)
        if self.rubric:
            traits = len(self.rubric.traits_of(trace))
            self._cells += traits
            if not traits:
                self._bare.add(trace)
        return not self._broken and (self.skip_bad or not self._bad)

    def _unfit(self, trace: Trace, record: Record, file: str) -> Iterator[Problem]:
        """Yield the problems in `file` of a trace and its recorded labels under the rubric.

        A question that the rubric does not have is the only problem of its trace. Without a rubric
        the question is not checked, and the labels are checked by themselves.
        """
        question_id = trace.question_id
        rubric = self.rubric
        if rubric and question_id is not None:
            questions = rubric.questions_by_id
            if question_id not in questions:
                right = ""
                # a guess costs time, and one wrong file may hold 100,000
                if len(self._bad) < LISTED:
                    suggestion = closest(question_id, questions)
                    if suggestion:
                        right = f"did you mean {quoted(suggestion)}?"
                wrong = f"the rubric has no question with the id {quoted(question_id)}"
                yield Problem(file, record.place(("question_id",)), wrong, right)
                return
        traits = rubric.traits_of(trace) if rubric else {}
        for name, table in trace.judgments.items():
            path = ("judgments", name)
            if rubric and name not in traits:
                wrong, right = _no_trait(name, traits, rubric)
                yield Problem(file, record.place(path), wrong, right)
                continue
            for fault in trace_record.label_faults(table, trace, traits.get(name)):
                place = record.place((*path, *fault.path))
                yield Problem(file, place, fault.wrong, fault.right)

    def _conclude(self) -> None:
        """Add the notes on all files together; raise Unusable with every problem there is.

        Bad traces that are skipped are no problem, unless no trace is left. If nothing else is
        wrong, it is a problem that no trace gets any trait.
        """
        broken = self._broken
        is_nothing_left = not self.count and not broken
        if not self.skip_bad or is_nothing_left:
            broken = broken + self._bad
        bare = self._bare
        is_every_trace_bare = bare.count > 0 and bare.count == self.count
        if is_every_trace_bare and not broken:
            text = (
                "no trace gets any trait: the rubric has no global trait, and no"
                " question matches"
            )
            right = "give a question_id, or the question's exact text"
            broken = [Problem(self._first, "", text, right)]
        elif bare.count:
            many = "1 trace gets" if bare.count == 1 else f"{bare.count} traces get"
            self.notes.append(f"{many} no trait: {bare.describe}")
        if self.rubric and self._recorded:
            self.notes.append(
                f"{self._recorded} of {self._cells} cells carry recorded labels.",
            )
        if broken:
            raise Unusable(broken)


def load_traces(
    path: str | Path,
    rubric: Rubric | None = None,
    *,
    stdin: BinaryIO | None = None,
    skip_bad: bool = False,
) -> list[Trace]:
    """Return the traces in a file, or in JSON Lines from `-`: standard input, or `stdin` if given.

    Raises Unusable with every problem. With `skip_bad` bad traces are left out instead, unless none
    is left. With a `rubric` each trace is checked against it.
    """
    return read_traces(path, rubric, stdin=stdin, skip_bad=skip_bad).usable()


def read_traces(
    paths: str | Path | Sequence[str | Path],
    rubric: Rubric | None = None,
    *,
    stdin: BinaryIO | None = None,
    skip_bad: bool = False,
    read: RecordReader = records,
) -> Loaded[list[Trace]]:
    """Return the traces of one or several files, with their problems and notes as values.

    "-" is standard input, or `stdin` if that is given. With any problem there are no traces; but
    with `skip_bad` bad traces are left out, and their problems are in `skipped`. With a `rubric`
    each trace is checked against it. `read` yields the records of a file.
    """
    if isinstance(paths, (str, Path)):
        paths = [paths]
    reading = TraceReading(paths, rubric, stdin, skip_bad, read=read)
    try:
        return Loaded(list(reading), [], reading.notes, reading.skipped)
    except Unusable as refusal:
        return Loaded([], refusal.problems, reading.notes, reading.skipped)


def _no_trait(name: str, traits: Collection[str], rubric: Rubric) -> tuple[str, str]:
    """Return why a trace has no trait of the name `name`, and a suggestion to the user.

    `traits` are the names of the trace's own traits, and `name` is none of them. The suggestion is
    the name most like it ("did you mean …?"), else the list of `traits`. It is "" where there is
    none and where the trait belongs to another question of the rubric.
    """
    if name in rubric.trait_names():
        return (
            f"the trait {quoted(name)} belongs to another question than this trace's",
            "",
        )
    meant = closest(name, traits)
    right = ""
    if meant:
        right = f"did you mean {quoted(meant)}?"
    elif traits:
        names = _names_and_count(traits, len(traits))
        right = f"its traits are {names}"
    return f"the rubric has no trait {quoted(name)} for this trace", right


def _stray(key: str) -> str:
    """Return a key that is no field, in quotes, with the name it is perhaps meant as.

    As in `"respnse", perhaps meant as "response"`. Only the key is there for one of the `ALIASES`,
    and if no name is alike.
    """
    if key in ALIASES:
        return quoted(key)
    meant = closest(key, [*FIELDS, *ALIASES], 0.8)
    if not meant:
        return quoted(key)
    return f"{quoted(key)}, perhaps meant as {quoted(meant)}"


def _names_and_count(names: Collection[str], count: int) -> str:
    """Return the first `LISTED` names in quotes, and how many more of `count` there are."""
    return ", ".join(map(quoted, islice(names, LISTED))) + _and_more(count)


def _and_more(count: int) -> str:
    """Return " and 3 more" for 3 names of `count` beyond the first `LISTED`; "" if none are."""
    if count <= LISTED:
        return ""
    return f" and {count - LISTED} more"
