"""What a sample says, for `appellate metrics`: lines of 80 characters."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from appellate.report.formatting import cut
from appellate.worth.sample_numbers import SampleNumbers
from appellate.worth.worth_page import HEADING, estimate_figures, judge_text, notes
from appellate.worth.worth_sentences import difference_text, gate_text, sample_text, whose
from appellate.worth.worths import Worth

_WIDTH = 80
_NAME = 24
_COLUMNS = (
    *(("n", 5), ("judge", 7), ("people", 8), ("corrected", 11), ("95 %", 14), ("judge's", 9)),
)


def worth_lines(found: SampleNumbers) -> Iterator[str]:
    """All that a sample says."""
    unit = found.at.unit
    yield HEADING
    yield from _sentence(sample_text(found.at))
    yield ""
    if found.worths:
        yield from _table(found.worths, unit, grouped=False)
        yield ""
        frame = found.at.sample.last.frame
        yield from _sentence(
            f"judge: on all {frame:,} that could be drawn. people: on the n audited"
            " alone. corrected: the judge on all, put right by the audited, with its interval."
            " judge's: the share of the uncertainty that the judge took away."
        )
    for text in notes(found):
        yield from _sentence(text)
    of_judge = judge_text(found)
    if of_judge:
        yield ""
    for text in of_judge:
        yield from _sentence(text)
    if found.by_group:
        yield ""
        yield f"  By {found.at.by}, each group put right by its own audits:"
        yield from _table(found.by_group, unit, grouped=True)
        for difference in found.differences:
            yield from _sentence(difference_text(difference))
    for gate in found.gates:
        yield ""
        for text in gate_text(gate, unit):
            yield from _sentence(text)


def _table(rows: Sequence[Worth], unit: str, *, grouped: bool) -> Iterator[str]:
    """A row for each number below its trait, for each group below its number."""
    yield f"  {'':{_NAME}}{''.join(f'{head:>{room}}' for head, room in _COLUMNS)}"
    above = ""
    for one in rows:
        head, name = whose(one), one.measure.name
        if grouped:
            head, name = f"{head} · {name}", one.group or "–"
        if head != above:
            yield f"  {cut(head, _WIDTH - 2)}"
        above = head
        yield f"    {cut(name, _NAME - 2):{_NAME - 2}}{_figures(one, unit)}"


def _figures(one: Worth, unit: str) -> str:
    shown: dict[str, str] = {}
    for found in estimate_figures(one, unit):
        shown[found.title] = found.text
    line = f"{shown.pop('n'):>5}"
    if not shown:
        return f"{line}  {one.wanting}"
    for title, room in _COLUMNS[1:]:
        line += shown[title].rjust(room)
    return line


def _sentence(text: str) -> list[str]:
    return wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
