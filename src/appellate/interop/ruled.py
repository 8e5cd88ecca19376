"""What people ruled, a value for each cell that somebody signed off, as every export needs it."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.core.cell import Cell
from appellate.core.facts import Fact, SignedOff
from appellate.core.kind import CANNOT_TELL, Span, Subject
from appellate.core.problem import Unusable, many, shape_error_text
from appellate.core.trace import Trace
from appellate.core.transcript import ConversationTrace
from appellate.interop.foreign import Row
from appellate.interop.json_copy import changed_text
from appellate.store import judgment
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import stamp

HEADLINES = ("f1", "recall", "precision", "average")
"""The metric that stands for labels that are no single value, the first that there is."""


BUCKETS = ("tp", "fn", "fp", "tn")
_TEXTS = (*BUCKETS, "evidence")
"""The keys of labels that are lists of items or excerpts, which stand at the places of `items`."""
_PLACES = ("matches", "spans")
"""The keys of labels that are lists of places alone."""


class Excerpt(NamedTuple):
    """One item or excerpt of some labels: where it stands in them, and in what was judged.

    `key` is a bucket, "evidence", "matches" or "spans". `start` and `end` are codepoints of what
    was judged; None of what is not found there.
    """

    key: str
    position: int
    text: str
    start: int | None = None
    end: int | None = None
    of: str = ""
    """The list of the instruction that the item answers; "" if it answers none."""
    instruction: int | None = None
    """The number (from 1) of the instruction that the item answers; None if it answers none."""
    answer: str = ""
    """Which of two responses the excerpt is from, `response` or `other`; "" of a single one."""


class RuledCell(Struct, frozen=True):
    """One cell that a person signed off, with both sides' labels as an audit file has them.

    `judged` has the judge's labels, and is empty without a judge. `table` is the cell's, with only
    those corrections that were made with the judge's labels visible. `at` is the time of the
    sign-off in UTC. `reasons` are why the verdict is as it is, in their order: those of
    corrections, and that of an imported verdict that is the judge's.
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
    spans: Sequence[Span] = ()
    """What the person's labels stand on: places in what was judged."""
    said_at: str = ""
    """When an imported verdict was made, by the file that it came from; "" where that is unknown.

    `at` is the time of the import then.
    """
    cell: Cell | None = None
    """The cell itself; None where only its verdicts are known."""

    @property
    def value(self) -> Any:
        """The person's verdict on the cell: a class's name, or a value such as a bool or number.

        For a metric trait, whose labels are lists, it is the headline metric. None if the
        metric is undefined (0/0) or there is none.
        """
        return self._value(self.labels, "")

    @property
    def judge_value(self) -> Any:
        """The judge's verdict, of the same sorts as `value`; None where there is none."""
        return self._value(self.judged, "judge_")

    def _value(self, labels: Row, side: str) -> Any:
        """Return the verdict that labels give: the class, else the value, else the headline metric.

        The metric is the first of `HEADLINES` in the cell's table, else its first. None if it is
        undefined (0/0) or there is none. `side` is "judge_" for the judge's metrics, "" for the
        person's.
        """
        if "class" in labels:
            return labels["class"]
        if "value" in labels:
            return labels["value"]
        metrics = self.table.get(f"{side}metrics", {})
        undefined = self.table.get(f"{side}undefined", ())
        for name in (*HEADLINES, *metrics):
            if name in metrics:
                if name in undefined:
                    return None
                return metrics[name]
        return None

    @property
    def is_untold(self) -> bool:
        """Whether the person's verdict on the cell is that it cannot be told."""
        return bool(self.value == CANNOT_TELL) and self.labels.get("class") is None

    @property
    def score(self) -> float | None:
        """The person's verdict as a number, 1.0 or 0.0 for a bool.

        None for a class, a letter or a table, and if there is no verdict.
        """
        return _as_number(self.value)

    @property
    def label(self) -> str:
        """The person's verdict as a word: "yes" or "no" for a bool, JSON for a table of several.

        "" for a number, and if there is no verdict.
        """
        return _as_word(self.value)

    @property
    def judge_score(self) -> float | None:
        """The judge's verdict as a number, 1.0 or 0.0 for a bool.

        None for a class, a letter or a table, and if there is no verdict.
        """
        return _as_number(self.judge_value)

    @property
    def judge_reason(self) -> str:
        """The judge's reason."""
        return str(self.judged.get("rationale") or self.judged.get("explanation") or "")

    @property
    def excerpts(self) -> list[Excerpt]:
        """The person's items and excerpts."""
        return list(self._excerpts(self.labels, self.table.get("items", ())))

    @property
    def judge_excerpts(self) -> list[Excerpt]:
        """The judge's items and excerpts, as the judge worded them."""
        return list(self._excerpts(self.judged, self.judged.get("items", ())))

    def _excerpts(self, labels: Row, items: Sequence[Row]) -> Iterator[Excerpt]:
        """Yield each text or span in a cell's labels, once for each place in what was judged.

        A text without a place is yielded once, without offsets. `labels` are the person's or the
        judge's, and `items` their entries on places and linked instructions. Offsets are codepoints
        from 0.
        """
        items_by_text = _items_by_text(items)
        answers = _answers(items)
        for key in _TEXTS:
            for index, text in enumerate(labels.get(key, ())):
                of_text = items_by_text.get((key, index), [])
                yield from _excerpts_of_text(
                    Excerpt(key, index, text, answer=answers.get(index, "")),
                    of_text,
                )
        for key in _PLACES:
            for index, (start, end) in enumerate(labels.get(key, ())):
                words = self.subject.text[start:end]
                yield Excerpt(key, index, words, start, end)

    def place(self, start: int | None, end: int | None) -> Row:
        """Return where an excerpt is in what was judged, as exports have it; {} if it has no place.

        `start` and `end` are codepoints of the judged text. In a conversation there is also the
        `step` (from 1), its `message` in the trace (from 0) if one holds it, and `step_start` and
        `step_end` within the step's words; these two are missing if it begins in the step's
        heading. In a pair there is the `answer` ("response" or "other") with `answer_start` and
        `answer_end`.
        """
        if start is None or end is None:
            return {}
        place: Row = {"start": start, "end": end}
        trace = self.subject.trace
        if not isinstance(trace, ConversationTrace):
            return place | trace.place_in_answer(start, end)
        step = trace.transcript.step_of((start, end))
        if step is None:
            return place
        place["step"] = step.no
        message = trace.messages_of_steps[step.no - 1]
        if message is not None:
            place["message"] = message
        if start >= step.start:
            place["step_start"] = start - step.start
            place["step_end"] = end - step.start
        return place

    @property
    def evidence(self) -> list[Row]:
        """What the person's verdict on the cell is based on: text and place of each span.

        Each is a table with the `text`, and with `start` and `end` in what was judged, in
        codepoints from 0. In a conversation it has the `step`, too, and in a pair the `answer`.
        Spans in documents are left out; [] if there are no others.
        """
        excerpts: list[Row] = []
        for start, end, document in self.spans:
            if document is None:
                excerpts.append(
                    {"text": self.subject.text[start:end], **self.place(start, end)},
                )
        return excerpts

    @property
    def steps(self) -> list[int]:
        """The numbers, from 1, of the steps that the evidence is in, ascending, each once."""
        return sorted({place["step"] for place in self.evidence if "step" in place})

    @property
    def why(self) -> str:
        """The person's reasons in one text, with "; " between; "" if they gave none."""
        return "; ".join(self.reasons)


def _items_by_text(items: Sequence[Row]) -> dict[tuple[str, int], list[Row]]:
    """Return the items of some labels by the text that they are about, in order.

    The key is (key of the labels' list, index in it from 0); an item without a `bucket` is about
    "evidence". Raises KeyError for an item without `index`.
    """
    items_by_text: dict[tuple[str, int], list[Row]] = {}
    for item in items:
        list_key = item.get("bucket", "evidence")
        place = (list_key, item["index"])
        items_of_text = items_by_text.setdefault(place, [])
        items_of_text.append(item)
    return items_by_text


def _excerpts_of_text(text: Excerpt, items: Sequence[Row]) -> Iterator[Excerpt]:
    """Yield one text of some labels once for each place that its items name, with their offsets.

    A text without a place is yielded once, as it is. The first instruction that an item names is
    that of all.
    """
    for item in items:
        if item.get("instruction"):
            text = text._replace(
                of=item.get("of") or "",
                instruction=item["instruction"],
            )
            break
    has_place = False
    for item in items:
        if "start" in item and "end" in item:
            has_place = True
            yield text._replace(start=item["start"], end=item["end"])
    if not has_place:
        yield text


def _answers(items: Sequence[Row]) -> dict[int, str]:
    """Return which of two responses each excerpt is from, "response" or "other", by its index.

    Items without an `answer` are left out, so that it is empty of a single response.
    """
    return {item["index"]: item["answer"] for item in items if "answer" in item}


def _as_number(value: object) -> float | None:
    """Return a bool or number as a float, None for anything else: a word, a table, None."""
    if isinstance(value, bool | int | float):
        return float(value)
    return None


def _as_word(value: object) -> str:
    """Return a verdict as a word: "yes" or "no" for a bool, a text as it is, JSON for a table.

    "" for a number, None and a list.
    """
    if isinstance(value, bool):
        if value:
            return "yes"
        return "no"
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        return value
    return ""


class Merged(NamedTuple):
    """A document with what people ruled, and how many of its traces the audit has rulings of.

    `notes` say which rulings are not in it, and what in it is older than they are.
    """

    document: Any
    matched: int
    notes: Sequence[str] = ()


Merge = Callable[[Any, Iterable[RuledCell]], Merged]
"""Puts what people ruled into a document, which it may change."""


class Copied(NamedTuple):
    """The text of a file with what people ruled, and what is to be said of it."""

    text: str
    notes: Sequence[str]


def copied(source: Path, cells: Iterable[RuledCell], form: str, merge: Merge) -> Copied:
    """Return the text of the file that an audit was made of with people's verdicts, and notes.

    `source` is JSON or JSON Lines in UTF-8, and is only read. `merge` puts the verdicts into its
    document; `form` is the tool's name in messages. Wherever nothing changed the text stays byte
    for byte, except that control characters are escaped. Raises Unusable if the file cannot be
    read, is not as the tool writes it, or has no trace of the audit.
    """
    full_text = _text_of(source)
    text = full_text.removeprefix(_BOM)
    begin = full_text[: len(full_text) - len(text)]
    document, lines = _document_and_lines(source, text)
    right = "name the file that the audit was made of"
    try:
        merged = merge(document, cells)
    except (AttributeError, LookupError, TypeError) as error:
        wrong = f"it is not as {form} writes it: {shape_error_text(error)}"
        raise unusable(str(source), wrong, right) from error
    if not merged.matched:
        raise unusable(
            str(source),
            f"no trace of the audit is in it, as {form} knows them",
            right,
        )
    if not lines:
        return Copied(begin + changed_text(text, merged.document), merged.notes)
    rows = iter(merged.document)
    changed = [
        changed_text(line, next(rows)) if line.strip() else line for line in lines
    ]
    return Copied(begin + "\n".join(changed), merged.notes)


_BOM = "\ufeff"


def _text_of(path: Path) -> str:
    """Return the text of a UTF-8 file, still with its byte-order mark if it has one.

    Raises Unusable if it cannot be read or is not UTF-8.
    """
    try:
        return path.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _document_and_lines(path: Path, text: str) -> tuple[Any, list[str]]:
    """Return (the document, []) of a JSON text, or (its rows, its lines) if it is JSON Lines.

    Blank lines are among the lines and not among the rows. Raises Unusable if it is neither; `path`
    is named in the message.
    """
    try:
        try:
            return json.loads(text), []
        except ValueError:
            lines = text.split("\n")
            return [json.loads(line) for line in lines if line.strip()], lines
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> Unusable:
    """Return, without raising it, the error that a file to be copied cannot be read.

    `error` is what was raised, and is quoted.
    """
    right = "an export goes back into JSON alone"
    return unusable(str(path), f"this file cannot be read: {error}", right)


def untold_notes(cells: Iterable[RuledCell]) -> list[str]:
    """Return a list of one clause on how many verdicts "cannot tell" a copy leaves out, or [].

    Other tools have no number that says so.
    """
    count = sum(cell.is_untold for cell in cells)
    if not count:
        return []
    verdicts = many(count, "verdict is", "verdicts are")
    return [
        f"{verdicts} that it cannot be told: these are left out, for no number says so",
    ]


def written(writer: Any, cells: Iterable[RuledCell]) -> tuple[list[str], str]:
    """Return the lines that a plug-in's writer makes of cells, and a text on what it leaves out.

    `writer.write(cells)` makes the lines, which are held in memory. The text is the writer's
    `lost`, or "what its package leaves out" if it has none. What the writer raises passes through.
    """
    return list(writer.write(cells)), str(
        getattr(writer, "lost", "what its package leaves out"),
    )


def ruled_cells(audit: AnyAudit) -> Iterator[RuledCell]:
    """Yield each cell of an audit that somebody signed off, in the audit's order, one by one.

    Its corrections are only those in force that were made with the judge's labels visible. Its
    reasons are all that are in force. `at` is when it was signed off. A cell whose sign-off was
    undone is left out.
    """
    for audit_cell in audit.cells:
        cell = audit_cell.cell.shown
        if not cell.signed:
            continue
        table = dict(judgment.written(cell))
        reasons = _reasons(table, cell.signed)
        corrections = [
            edit for edit in table.get("corrections", ()) if not edit.get("undone_by")
        ]
        unseeing = {fact.n for fact in cell.corrections if cell.is_unseeing(fact)}
        # who ruled without the judge's labels in sight corrected nothing
        table["corrections"] = [
            edit for edit in corrections if edit["n"] not in unseeing
        ]
        yield RuledCell(
            audit_cell.trace,
            cell.subject,
            cell.signed.by or "",
            stamp(table["signed"]["at"]),
            table,
            reasons,
            cell.subject.trait.name,
            table.get("audited", {}),
            table.get("judge", {}),
            _spans(cell),
            _said_at(cell.signed),
            cell,
        )


def _reasons(table: Row, signed: Fact) -> tuple[str, ...]:
    """Return the reasons that a person gave for what they signed off, each once, in order.

    They are the reasons of corrections in force, then comments in force that were made in
    the act of the sign-off (`signed`), as an imported verdict has. `table` is the cell's as
    an audit file has it.
    """
    reasons: list[str] = []
    for correction in table.get("corrections", ()):
        is_undone = bool(correction.get("undone_by"))
        if correction.get("reason") and not is_undone:
            reasons.append(str(correction["reason"]))
    for comment in table.get("comments", ()):
        is_undone = bool(comment.get("undone_by"))
        act = comment.get("part_of", comment["n"])
        if act == signed.part_of and not is_undone:
            reasons.append(str(comment["text"]))
    return tuple(dict.fromkeys(reasons))


def _said_at(signed: Fact) -> str:
    """Return when a person ruled in the tool that a sign-off was imported from; "" if not known."""
    if isinstance(signed.what, SignedOff):
        return signed.what.said_at or ""
    return ""


def _spans(cell: Cell) -> Sequence[Span]:
    """Return the places in the judged text that a cell's labels are based on.

    () without labels, and empty if the labels name no place.
    """
    if cell.labels is None:
        return ()
    return cell.subject.kind.evidence(cell.subject.trait, cell.labels)
