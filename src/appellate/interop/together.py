"""Several files of answers as one: runs of an agent, a log for each model, an export in parts."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from appellate.core.problem import many
from appellate.interop.foreign import ForeignFile, ForeignTrace

_SHOWN = 3


def together(files: Sequence[ForeignFile], paths: Sequence[Path]) -> ForeignFile:
    """Return one file with the traces of several, in their order.

    An id that a trace of an earlier file has in the same epoch gets the model behind it, or else
    the name of its file: `17 (gpt-4o)`. The ids within one file stay as they are.
    """
    renamed: set[Path] = set()

    def traces() -> Iterator[ForeignTrace]:
        """Yield the traces of all files in turn, each with its file and row (from 1).

        An id of an earlier file gets the model or the file behind it. Changes the traces.
        """
        taken: set[tuple[str, int]] = set()
        renamed.clear()
        for file, path in zip(files, paths, strict=True):
            own: set[tuple[str, int]] = set()
            for row, trace in enumerate(file.traces(), 1):
                trace.file = str(path)
                trace.row = row
                if _key(trace) in taken:
                    _rename(trace, path, taken)
                    renamed.add(path)
                own.add(_key(trace))
                yield trace
            taken |= own

    def notes() -> list[str]:
        """Return the notes of all files, each once, then how many files have ids of an earlier one.

        The last is complete only after all traces were read.
        """
        sentences = list(dict.fromkeys(chain.from_iterable(file.notes() for file in files)))
        if renamed:
            named = many(len(renamed), "file has", "files have")
            sentences.append(
                f"{named} ids of an earlier one: the model, or the file, is behind them"
            )
        return sentences

    first = files[0]
    whole = ForeignFile(" and ".join(dict.fromkeys(file.form for file in files)), traces, {})
    whole.notes = notes
    whole.untold = next(filter(None, (file.untold for file in files)), None)
    whole.unjudged = first.unjudged
    whole.documented = first.documented
    whole.columns = first.columns
    whole.table_map = first.table_map
    for file in files:
        whole.mapping = {**file.mapping, **whole.mapping}
        whole.traits = {**file.traits, **whole.traits}
        whole.groups = {**file.groups, **whole.groups}
        whole.lost = list(dict.fromkeys([*whole.lost, *file.lost]))
        known_questions = {str(question.get("id")) for question in whole.questions}
        further = [row for row in file.questions if str(row.get("id")) not in known_questions]
        whole.questions = [*whole.questions, *further]
    return whole


def names_of(paths: Sequence[Path]) -> str:
    """Return the names of files for a sentence: three of them, "…" if there are more."""
    names = ", ".join(path.name for path in paths[:_SHOWN])
    return f"{names}, …" if len(paths) > _SHOWN else names


def _key(trace: ForeignTrace) -> tuple[str, int]:
    return str(trace.record.get("id")), trace.record.get("epoch", 1)


def _rename(trace: ForeignTrace, path: Path, taken: set[tuple[str, int]]) -> None:
    """Give a trace an id that no trace of an earlier file has."""
    name = str(trace.record.get("id"))
    number = 1
    label = str(trace.record.get("model") or path.stem)
    trace.record["id"] = f"{name} ({label})"
    while _key(trace) in taken:
        number += 1
        trace.record["id"] = f"{name} ({path.stem} {number})"
