"""Other tools' files made an audit of, for the tests of reading and writing them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from appellate.interop import recognise
from appellate.interop.table_map import map_of
from appellate.interop.taking_in import TakenIn, take_in
from appellate.store.audits.open_audit import AuditFiles


@contextmanager
def taken(folder: Path, *paths: Path, **mapped: str) -> Iterator[TakenIn]:
    """What came of a file; `mapped` has `__` for the dots in the names of fields."""
    given = {name.replace("__", "."): column for name, column in mapped.items()}
    place = AuditFiles.of(folder / "x.audit.toml")
    found = take_in(
        recognise.read(list(paths), map_of(given)),
        paths[-1].name,
        place,
        "0",
    )
    try:
        yield found
    finally:
        found.workspace.close()


def counts(found: TakenIn) -> tuple[int, int, int, int, int]:
    """Answers, verdicts, failures, reasons, verdicts of people."""
    return found.traces, found.verdicts, found.failed, found.reasons, found.people
