"""What a sample says, for `appellate metrics`: lines of 80 characters."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from appellate.report.formatting import cut
from appellate.worth.sample_numbers import SampleNumbers
from appellate.worth.worth_sentences import (
    BY_WIDTH_TOLD,
    READING,
    between,
    difference_told,
    figure,
    further_told,
    gate_told,
    help_told,
    passed_over,
    percent,
    sample_told,
    side_told,
    whose,
)
from appellate.worth.worths import Worth

_WIDTH = 80
_NAME = 24
_COLUMNS = (
    *(("n", 5), ("judge", 7), ("people", 8), ("corrected", 11), ("95 %", 14), ("judge's", 9)),
)


def worth_lines(found: SampleNumbers) -> Iterator[str]:
    """All that a sample says."""
    unit = found.at.unit
    yield "What the judge is worth"
    yield from _sentence(sample_told(found.at))
    yield ""
    yield from _table(found.worths, grouped=False)
    yield ""
    yield from _sentence(
        f"judge: on all {found.at.sample.frame:,} that could be drawn. people: on the n audited"
        " alone. corrected: the judge on all, put right by the audited, with its interval."
        " judge's: the share of the uncertainty that the judge took away."
    )
    for told in (f"{READING} {BY_WIDTH_TOLD}", *passed_over(found.worths, unit)):
        yield from _sentence(told)
    yield from _judge(found)
    if found.by_group:
        yield ""
        yield f"  By {found.at.by}, each group put right by its own audits:"
        yield from _table(found.by_group, grouped=True)
        for difference in found.differences:
            yield from _sentence(difference_told(difference))
    for gate in found.gates:
        yield ""
        for told in gate_told(gate, unit):
            yield from _sentence(told)


def _table(rows: Sequence[Worth], *, grouped: bool) -> Iterator[str]:
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
        yield f"    {cut(name, _NAME - 2):{_NAME - 2}}{_figures(one)}"


def _figures(one: Worth) -> str:
    found = one.estimate
    n = f"{one.part.n:>5,}"
    if found is None:
        return f"{n}  {one.wanting}"
    shown = [figure(found.judge_only), figure(found.people_only.value), figure(found.value)]
    shown += [between(found.low, found.high), percent(round(found.judge_share, 2))]
    for text, (_, room) in zip(shown, _COLUMNS[1:], strict=True):
        n += text.rjust(room)
    return n


def _judge(found: SampleNumbers) -> Iterator[str]:
    """What more audits would give, where the judge does not help, and where it goes wrong."""
    told: list[str] = []
    for one in found.worths:
        name = f"{one.measure.name} of {whose(one)}"
        if one.measure is one.trait.measures[-1] and one.estimate is not None:
            told.append(f"{name}: {further_told(one)}")
        if one.estimate is not None and not one.estimate.helps:
            told.append(f"{name}: {help_told(one)}")
    told += [side_told(one) for one in found.errors if one.by is not None]
    if told:
        yield ""
    for sentence in told:
        yield from _sentence(sentence)


def _sentence(text: str) -> list[str]:
    return wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
