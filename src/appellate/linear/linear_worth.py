"""How good the judge is, line by line: the page of the numbers in sentences."""

from collections.abc import Iterator

from appellate.linear.console import Console
from appellate.session.workbench import Workbench
from appellate.ui.contract import Paragraph
from appellate.worth.gates import keep_looks
from appellate.worth.sample_in_workspace import sample_at
from appellate.worth.sample_numbers import SampleNumbers, sample_numbers
from appellate.worth.worth_page import HEADING, NO_SAMPLE, carried_by_few, judge_text, notes
from appellate.worth.worth_sentences import difference_text, gate_text, sample_text, worth_text

MANY = 2_000
"""Traces from which on counting is announced: it takes a second or more."""


class _Interrupted(Exception):
    """The person wants something else."""


def tell_worth(bench: Workbench, console: Console) -> None:
    """Counts the sample, keeps the looks that were reached, and prints it; Ctrl+C stops that."""
    sample = bench.workspace.design.sample()
    if sample is None:
        console.show(Paragraph(NO_SAMPLE))
        return
    if sample.last.frame >= MANY:
        console.say("Counting what the sample says …")

    def rest() -> None:
        if console.interrupted:
            raise _Interrupted

    try:
        at = sample_at(bench.workspace.path, lambda *_: rest())
        if at is None:
            return
        found = sample_numbers(at, rest)
    except _Interrupted:
        return
    keep_looks(bench, found.gates)
    console.show(*_describe(found))


def _describe(found: SampleNumbers) -> Iterator[Paragraph]:
    unit = found.at.unit
    yield Paragraph("")
    yield Paragraph(sample_text(found.at), f"{HEADING}:", "strong")
    for one in found.worths:
        yield Paragraph(worth_text(one, unit))
    yield from map(Paragraph, (*notes(found), *judge_text(found)))
    if found.by_group:
        yield Paragraph(
            f"By {found.at.by}, each group put right by its own audits:", style="strong"
        )
        for one in found.by_group:
            yield Paragraph(worth_text(one, unit))
        yield from map(Paragraph, carried_by_few(found.by_group))
        yield from map(Paragraph, map(difference_text, found.differences))
    for gate in found.gates:
        decided, *rest = gate_text(gate, unit)
        yield Paragraph(decided, style="strong")
        yield from map(Paragraph, rest)
