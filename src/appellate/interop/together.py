"""Several files of answers as one: runs of an agent, a log for each model, an export in parts."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from appellate.core.problem import many
from appellate.interop.foreign import ForeignFile, ForeignTrace

_SHOWN = 3


def _add_what_it_declares(joined_file: ForeignFile, file: ForeignFile) -> None:
    """Add what a further file says of its traces to a joined file: traits, questions, losses.

    `joined_file` is changed. A field, a trait or a group that it has already by name, and a
    question that it has by id, stay as they are. No traces are read.
    """
    joined_file.mapping = {**file.mapping, **joined_file.mapping}
    joined_file.traits = {**file.traits, **joined_file.traits}
    joined_file.groups = {**file.groups, **joined_file.groups}
    joined_file.lost = list(dict.fromkeys([*joined_file.lost, *file.lost]))
    known_ids = {str(question.get("id")) for question in joined_file.questions}
    further_questions = [
        question
        for question in file.questions
        if str(question.get("id")) not in known_ids
    ]
    joined_file.questions = [*joined_file.questions, *further_questions]


def together(files: Sequence[ForeignFile], paths: Sequence[Path]) -> ForeignFile:
    """Return one file with the traces of several, one file after the other.

    `paths` are those of `files`, at least one. Nothing is read here: all files are read
    anew each time that traces are asked for. Each trace is then changed to have its file
    and its row. If an earlier file has its id and epoch, its id gets the model, or else the
    file's name, behind it: `17 (gpt-4o)`. So do later epochs of it in the same file, which would
    be repetitions of the earlier file's answer otherwise. Equal ids within one file stay equal.

    Of traits, fields, groups and questions that several files have, the first file's count,
    as do its map and scale. The notes are those of all files, and say that ids were
    changed; they are right once the traces were read. The error that no column is the id is
    that of the first file which has it.
    """
    renamed: set[Path] = set()

    def traces() -> Iterator[ForeignTrace]:
        """Yield the traces of all files in turn, each changed to have its file and its row from 1.

        An id that an earlier file has with the same epoch gets the model or the file behind it, in
        all later rows of that model in this file as well. Reads all files anew.
        """
        earlier_keys: set[tuple[str, int]] = set()
        renamed.clear()
        for file, path in zip(files, paths, strict=True):
            keys_of_file: set[tuple[str, int]] = set()
            new_ids: dict[tuple[str, str], str] = {}
            """The ids that were changed, by what they were and the model."""
            for row, trace in enumerate(file.traces(), 1):
                trace.file = str(path)
                trace.row = row
                told = str(trace.record.get("id")), str(trace.record.get("model"))
                if told in new_ids:
                    trace.record["id"] = new_ids[told]
                if _key(trace) in earlier_keys:
                    _give_new_id(trace, path, earlier_keys)
                    renamed.add(path)
                    new_ids[told] = trace.record["id"]
                keys_of_file.add(_key(trace))
                yield trace
            earlier_keys |= keys_of_file

    def notes() -> list[str]:
        """Return the notes of all files, each once, and a clause on ids of an earlier file.

        It is right once all traces were read.
        """
        sentences = list(
            dict.fromkeys(chain.from_iterable(file.notes() for file in files)),
        )
        if renamed:
            count_text = many(len(renamed), "file has", "files have")
            sentences.append(
                f"{count_text} ids of an earlier one: the model, or the file, is behind them",
            )
        return sentences

    first = files[0]
    joined_file = ForeignFile(
        " and ".join(dict.fromkeys(file.form for file in files)),
        traces,
        {},
    )
    joined_file.notes = notes
    joined_file.untold = next(filter(None, (file.untold for file in files)), None)
    joined_file.unjudged = first.unjudged
    joined_file.documented = first.documented
    joined_file.columns = first.columns
    joined_file.table_map = first.table_map
    for file in files:
        _add_what_it_declares(joined_file, file)
    return joined_file


def names_of(paths: Sequence[Path]) -> str:
    """Return the names of files, without their folders, for a sentence: "a.csv, b.csv, c.csv, …".

    Three at most, then "…".
    """
    names = ", ".join(path.name for path in paths[:_SHOWN])
    if len(paths) > _SHOWN:
        return f"{names}, …"
    return names


def _key(trace: ForeignTrace) -> tuple[str, int]:
    return str(trace.record.get("id")), trace.record.get("epoch", 1)


def _give_new_id(
    trace: ForeignTrace,
    path: Path,
    earlier_keys: set[tuple[str, int]],
) -> None:
    """Put the model, or else the file's name, behind a trace's id; this changes its record.

    If an earlier file has that id with the same epoch as well, it is the file's name with the first
    free number from 2. `earlier_keys` are the (id, epoch) of earlier files.
    """
    name = str(trace.record.get("id"))
    number = 1
    label = str(trace.record.get("model") or path.stem)
    trace.record["id"] = f"{name} ({label})"
    while _key(trace) in earlier_keys:
        number += 1
        trace.record["id"] = f"{name} ({path.stem} {number})"
