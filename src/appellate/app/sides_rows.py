"""The rows of two answers: an instruction whole, and below it how each side answers it."""

from appellate.app.instruction_rows import WORD, answer_text, omission_text
from appellate.app.sides import BOTH, Sides
from appellate.store.wordings import AskedCell
from appellate.ui.lines import ListRow
from appellate.ui.marks import Marks, in_quotes
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import cell_width, clip, column, flat

LABEL = 14  # cells of what tells a side from the other, at most


def drawn(sides: Sides, index: int, marks: Marks) -> ListRow:
    """A row: marked where the answers differ; both answers on one line, so that no cut parts them,
    then what each rests on.
    """
    asked, kind = sides.asked[index], sides.cell(0).subject.kind
    sign = marks.split if sides.differs(index) else ""
    left = [StyledText(column(sign, cell_width(marks.split) + 1), "flag")]
    if asked.of:
        left.append(StyledText(f"{kind.spelled.get(asked.of, asked.of)} {asked.number} ", "muted"))
    below = [[piece for side in BOTH for piece in _answer(sides, side, index, marks)]]
    for side in BOTH:
        grounds = _grounds(sides, side, index, marks)
        if grounds:
            below.append([_label(sides, side, marks), *grounds])
    return ListRow(asked.text, tuple(left), below=tuple(map(tuple, below)))


def _label(sides: Sides, side: int, marks: Marks) -> StyledText:
    """What tells the side from the other."""
    label = clip(sides.label(side), LABEL, marks)
    return StyledText(f"{label} ", "key" if side == sides.active else "muted")


def _answer(sides: Sides, side: int, index: int, marks: Marks) -> list[StyledText]:
    """A side, how it answers, and what the judge said instead."""
    styled = [_label(sides, side, marks)]
    if not sides.answer(side, index):
        styled.append(StyledText(column("not judged", WORD + 1, marks), "muted"))
        return styled
    row = sides.row(AskedCell(sides.numbers[side], sides.asked[index]))
    answer, style = answer_text(row.grounds, marks), row.grounds.style or "key"
    styled.append(StyledText(column(answer, WORD, marks) + " ", style))
    if row.was:
        styled.append(StyledText(f"was {row.was}  ", "corrected"))
    return styled


def _grounds(sides: Sides, side: int, index: int, marks: Marks) -> list[StyledText]:
    """The excerpts that an answer rests on, else the judge's reason."""
    if not sides.answer(side, index):
        return []
    row = sides.row(AskedCell(sides.numbers[side], sides.asked[index]))
    grounds = row.grounds
    if grounds.spans:
        words = [flat(row.trace.response[start:end]) for start, end in grounds.spans]
        return [StyledText(f" {marks.dot} ".join(words), grounds.style)]
    if grounds.loose:
        styled_text = StyledText("not in the response: ", "flag")
        return [styled_text, StyledText(in_quotes(flat(grounds.loose[0]), marks), grounds.style)]
    if grounds.omission:
        return list(omission_text(grounds, marks))
    if grounds.reason:
        return [StyledText(f"judge: {flat(grounds.reason)}", "muted")]
    return []
