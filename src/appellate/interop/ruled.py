"""What people ruled, a value for each cell that somebody signed off, as every export needs it."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from appellate.core.inert import inert_json
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.interop.foreign import Row
from appellate.store import judgment
from appellate.store.audits.audit import Audit
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import stamp

HEADLINES = ("f1", "recall", "precision", "average")
"""The metric that stands for labels that are no single value, the first that there is."""


class RuledCell(Struct, frozen=True):
    """One cell that a person signed off: their labels, and the judge's (`judged`, empty without
    one), as an audit file has them.

    `at` is the time of the sign-off in UTC, `reasons` why things were changed, in their order.
    """

    trace: Trace
    subject: Subject
    by: str
    at: str
    table: Row
    reasons: tuple[str, ...]
    trait: str
    labels: Row
    judged: Row

    @property
    def value(self) -> Any:
        """The person's verdict: a class by its name; of lists the headline metric, None for 0/0."""
        return self._value(self.labels, "")

    @property
    def judge_value(self) -> Any:
        """The judge's verdict; None where there is none."""
        return self._value(self.judged, "judge_")

    def _value(self, labels: Row, side: str) -> Any:
        if "class" in labels:
            return labels["class"]
        if "value" in labels:
            return labels["value"]
        metrics = self.table.get(f"{side}metrics", {})
        name = next((name for name in [*HEADLINES, *metrics] if name in metrics), "")
        return None if name in self.table.get(f"{side}undefined", ()) else metrics.get(name)

    @property
    def score(self) -> float | None:
        """The person's verdict as a number; None of a class or letter."""
        value = self.value
        if isinstance(value, bool | int | float):
            return float(value)
        return None

    @property
    def label(self) -> str:
        """The person's verdict as a word; a table of several as JSON."""
        value = self.value
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False)
        return value if isinstance(value, str) else ""

    @property
    def judge_reason(self) -> str:
        """The judge's reason."""
        return str(self.judged.get("rationale") or self.judged.get("explanation") or "")

    @property
    def why(self) -> str:
        """The person's reasons in one text; nothing where they gave none."""
        return "; ".join(self.reasons)


Merge = Callable[[Any, Iterable[RuledCell]], tuple[Any, int]]
"""Puts what people ruled into a document; says how much of it changed."""


def copied(source: Path, cells: Iterable[RuledCell], form: str, merge: Merge) -> Iterator[str]:
    """A copy of the file that an audit was made of, JSON or JSON Lines, with what people ruled.

    Raises Unusable.
    """
    document, is_lines = _document(source)
    right = "name the file that the audit was made of"
    try:
        found, count = merge(document, cells)
    except (AttributeError, LookupError, TypeError) as error:
        wrong = f"it is not as {form} writes it: {type(error).__name__}: {error}"
        raise unusable(str(source), wrong, right) from error
    if not count:
        raise unusable(str(source), f"no trace of the audit is in it, as {form} knows them", right)
    if is_lines:
        return (inert_json(row) + "\n" for row in found)
    return iter([inert_json(found, 2) + "\n"])


def _document(path: Path) -> tuple[Any, bool]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
        try:
            return json.loads(text), False
        except ValueError:
            return [json.loads(line) for line in text.splitlines() if line.strip()], True
    except (OSError, ValueError, RecursionError) as error:
        right = "an export goes back into JSON alone"
        raise unusable(str(path), f"this file cannot be read: {error}", right) from error


def written(writer: Any, cells: Iterable[RuledCell]) -> tuple[list[str], str]:
    """What a writer of another package makes of the cells, and what it leaves out."""
    return list(writer.write(cells)), str(getattr(writer, "lost", "what its package leaves out"))


def ruled_cells(audit: Audit) -> Iterator[RuledCell]:
    """The cells that somebody signed off, in the order of the file."""
    for one in audit.cells:
        cell = one.cell.counted
        if not cell.signed:
            continue
        table = dict(judgment.written(cell))
        made = [edit for edit in table.get("corrections", ()) if not edit.get("undone_by")]
        yield RuledCell(
            one.trace,
            cell.subject,
            cell.signed.by or "",
            stamp(table["signed"]["at"]),
            table,
            tuple(str(edit["reason"]) for edit in made if edit.get("reason")),
            cell.subject.trait.name,
            table.get("audited", {}),
            table.get("judge", {}),
        )
