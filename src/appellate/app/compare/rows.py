"""The rows of one instruction in many cells: what is known of each, and how it is drawn."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from appellate.core import describe
from appellate.core.cell import Cell, State
from appellate.core.describe import answered
from appellate.core.kind import Grounds, Instruction
from appellate.core.problem import Refused
from appellate.core.trace import Trace, name_of
from appellate.session.workbench import Workbench
from appellate.store.files.wordings import AskedCell
from appellate.ui.marks import Marks, in_quotes
from appellate.ui.rendered_text import cells
from appellate.ui.rows import ListRow, StyledText
from appellate.ui.selecting import Stretch
from appellate.ui.text import cell_width, clip, column, flat

KEPT = 400  # rows that are known at once
WORD = 10  # cells of an answer and its mark
LEAST, MOST = 6, 30  # cells of a trace's name
BEFORE = 4  # of a row's text, the part that stands before the excerpt: one in so many


class AskedRow(Struct, frozen=True):
    """What is known of one cell that is asked the instruction.

    `was` is how the judge answered where a person says otherwise, `agreed` how many members of a
    panel answer as it stands, of how many. `offers` are what may bear out an answer that lacks
    words, None where none does.
    """

    asked: AskedCell
    trace: Trace
    state: State
    flag: bool
    grounds: Grounds
    was: str
    agreed: tuple[int, int] | None
    offers: Sequence[Stretch] | None

    @property
    def name(self) -> str:
        return name_of(self.trace.id, self.trace.epoch)

    @property
    def is_split(self) -> bool:
        return self.agreed is not None and self.agreed[0] < self.agreed[1]


class RowReader:
    """Reads rows from the workspace, and keeps those that were read last."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._rows: dict[AskedCell, AskedRow] = {}

    def row(self, asked: AskedCell) -> AskedRow:
        if asked not in self._rows:
            if len(self._rows) > KEPT:
                self._rows.clear()
            self._rows[asked] = row_of(asked, self._bench.workspace.cell(asked.cell)[1].shown)
        return self._rows[asked]

    def forget(self, cell: int | None = None) -> None:
        """To call when a cell changed, or, with no number, when any may have."""
        for asked in list(self._rows):
            if cell in (None, asked.cell):
                del self._rows[asked]


def row_of(asked: AskedCell, cell: Cell, *, offering: bool = True) -> AskedRow:
    """What there is to know of a cell about the instruction that it is asked."""
    subject, instruction = cell.subject, asked.instruction
    answering = subject.kind.answering
    if answering is None:
        raise LookupError(f"a {subject.kind.name} trait is not gone through by instruction")
    labels = cell.labels or subject.kind.blank
    grounds = answering.grounds(subject.trait, labels, instruction)
    now, judged = cell.answers.get(instruction), cell.judge_answers.get(instruction)
    was = ""
    if now and judged and now != judged:
        judge = subject.labels(cell.judge.table) if cell.judge else labels
        was = subject.kind.standings(subject.trait, judge)[instruction]
    offers = None
    if offering and _may_lack_words(cell, instruction):
        offers = answering.likely(cell, instruction)
    return AskedRow(
        asked,
        subject.trace,
        cell.state,
        cell.flag,
        grounds,
        was,
        _agreed(cell, asked, now),
        offers,
    )


def _may_lack_words(cell: Cell, instruction: Instruction) -> bool:
    """Whether an answer that may be given now has to be borne out by words."""
    subject = cell.subject
    answering = subject.kind.answering
    labels = cell.labels or subject.kind.blank
    if answering is None:
        return False
    for answer in answering.sayable(subject.trait, instruction):
        with suppress(Refused):
            edits = answering.edits(subject.trait, labels, instruction, answer)
            if answering.takes_words(edits):
                return True
    return False


def _agreed(cell: Cell, asked: AskedCell, now: str | None) -> tuple[int, int] | None:
    """How many members of the cell's panel answer as it stands."""
    if cell.judge is None or now is None:
        return None
    tables = [member.table for member in answered(cell.judge.judge)]
    if len(tables) < 2:  # noqa: PLR2004 - one judge is no panel
        return None
    vote = describe.votes(cell.subject, tables).get(asked.instruction, {})
    return len(vote.get(now, ())), len(tables)


# -- drawing ---------------------------------------------------------------------------------------


def drawn(
    row: AskedRow,
    offered: Stretch | None,
    marks: Marks,
    width: int,
    named: int,
    *,
    sign: bool | None,
    whole: bool = False,
) -> ListRow:
    """A row in so many cells: its cell, the answer, and the words in their context.

    `offered` is the stretch that an answer would take, `named` the cells of the trace's name,
    `sign` whether it is marked, None where no row is. Where it is `whole`, the words stand below.
    """
    left: list[StyledText] = []
    if sign is not None:
        left.append(StyledText(f"{marks.marked} " if sign else "  ", "key"))
    left.append(StyledText(f"{getattr(marks, row.state)}", row.state))
    left.append(StyledText(f"{marks.flag if row.flag else ' '}", "flag"))
    left.append(StyledText(column(row.name, named, marks) + " "))
    answer = column(answer_text(row.grounds, marks), WORD, marks)
    left.append(StyledText(answer, row.grounds.style or "key"))
    right = _right(row, marks)
    if whole:
        below = (tuple(_text(row, offered, marks, 3 * width)),)
        return ListRow("", tuple(left), tuple(right), below=below)
    room = width - cells(left) - cells(right) - 4
    return ListRow("", (*left, *_text(row, offered, marks, room)), tuple(right))


def name_cells(names: Iterable[str], width: int) -> int:
    """How many cells the traces' names get in so many: as the longest takes, within bounds."""
    longest = max(map(len, names), default=LEAST)
    return max(min(longest, MOST, width // 4), LEAST)


def answer_text(grounds: Grounds, marks: Marks) -> str:
    """`+ found`: the mark of its bucket, where it has one, and the word."""
    mark = getattr(marks, grounds.style, "") if grounds.style else ""
    return f"{mark} {grounds.word}".strip()


def omission_text(grounds: Grounds, marks: Marks) -> Sequence[StyledText]:
    """That nothing can be shown for an answer, and the judge's reason."""
    sign = StyledText(f"{marks.omission} by omission", grounds.style)
    if not grounds.reason:
        return (sign,)
    return (sign, StyledText(f" · judge: {flat(grounds.reason)}", "muted"))


def place_text(cell: Cell, asked: Instruction) -> tuple[StyledText, ...]:
    """Which instruction it is, by its list and number, where it has any."""
    if not asked.of:
        return ()
    place = f"{cell.subject.kind.spelled.get(asked.of, asked.of)} {asked.number} "
    return (StyledText(place, "muted"),)


def borne_out(grounds: Grounds, response: str, marks: Marks) -> Sequence[StyledText]:
    """The excerpts that an answer rests on, else the judge's reason."""
    if grounds.spans:
        words = [flat(response[start:end]) for start, end in grounds.spans]
        return (StyledText(f" {marks.dot} ".join(words), grounds.style),)
    if grounds.loose:
        styled_text = StyledText("not in the response: ", "flag")
        return (styled_text, StyledText(in_quotes(flat(grounds.loose[0]), marks), grounds.style))
    if grounds.omission:
        return omission_text(grounds, marks)
    if grounds.reason:
        return (StyledText(f"judge: {flat(grounds.reason)}", "muted"),)
    return ()


def _right(row: AskedRow, marks: Marks) -> list[StyledText]:
    """That a person overruled the judge, and how a panel is split."""
    styled = []
    more = len(row.grounds.spans) - 1
    if more > 0:
        styled.append(StyledText(f" (+{more})", "muted"))
    if row.was:
        styled.append(StyledText(f" was {row.was}", "corrected"))
    if row.agreed:
        sign, style = (marks.split, "flag") if row.is_split else ("", "muted")
        styled.append(StyledText(f" {sign}{row.agreed[0]}/{row.agreed[1]}", style))
    return styled


def _text(row: AskedRow, offered: Stretch | None, marks: Marks, room: int) -> Sequence[StyledText]:
    """The excerpt with the words around it, else what is proposed as one, else the reason."""
    grounds = row.grounds
    if grounds.spans:
        return in_context(row.trace.response, grounds.spans[0], grounds.style, marks, room)
    if grounds.loose:
        styled_text = StyledText("not in the response: ", "flag")
        return (styled_text, StyledText(in_quotes(grounds.loose[0], marks), grounds.style))
    if grounds.omission:
        return omission_text(grounds, marks)
    if offered:
        words = flat(row.trace.response[slice(*offered)])
        return (StyledText(f"likely: {words}", "muted"),)
    if row.offers:
        return (StyledText("taken without words of the response (0)", "muted"),)
    if grounds.reason:
        return (StyledText(f"judge: {grounds.reason}", "muted"),)
    if row.offers is not None:
        return (StyledText("no sentence shares words with it", "muted"),)
    return (StyledText(row.trace.response.lstrip()[: max(room, 0)], "muted"),)


def in_context(
    response: str, span: Stretch, style: str, marks: Marks, room: int
) -> Sequence[StyledText]:
    """An excerpt in its style, the words before and behind it muted, in so many cells."""
    start, end = span
    before = flat(response[max(start - room, 0) : start])
    words = clip(response[start:end], room, marks)
    left = max(room // BEFORE, room - cell_width(words) - len(response) + end)
    shown = _last_words(before, min(left, room - cell_width(words)), marks)
    behind = flat(response[end : end + room])
    return (
        StyledText(shown, "muted"),
        StyledText(words, style or "key"),
        StyledText(behind.rstrip(), "muted"),
    )


def _last_words(text: str, room: int, marks: Marks) -> str:
    """The end of a text, from a word on, in so many cells."""
    text = text.lstrip()
    if cell_width(text) <= room:
        return text
    while text and cell_width(text) + cell_width(marks.ellipsis) > room:
        _, space, text = text.partition(" ")
        if not space:
            return ""
    return f"{marks.ellipsis}{text}" if text else ""
