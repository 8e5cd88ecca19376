"""How good the judge is, line by line: the page of the numbers in sentences."""

from collections.abc import Iterator

from appellate.core.figures import Sentences
from appellate.linear.console import Console
from appellate.numbers.bars import keep_looks
from appellate.numbers.samples import SampleNumbers, sample_at, sample_numbers
from appellate.numbers.sentences import HEADING, NO_SAMPLE, estimate_page, sample_text
from appellate.session.workbench import Workbench
from appellate.ui.contract import Paragraph

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

    def rest(_done: int, _part: float | None) -> None:
        if console.interrupted:
            raise _Interrupted

    try:
        at = sample_at(bench.workspace.path, rest)
        if at is None:
            return
        found = sample_numbers(at, rest)
    except _Interrupted:
        return
    keep_looks(bench, found.gates)
    console.show(*_describe(found))


def _describe(found: SampleNumbers) -> Iterator[Paragraph]:
    yield Paragraph("")
    yield Paragraph(sample_text(found.at), f"{HEADING}:", "strong")
    for place, block in enumerate(estimate_page(found)):
        if isinstance(block, Sentences):
            for one in block.texts:
                yield Paragraph(one.text, style="strong" if one.style else "")
            continue
        if place:
            yield Paragraph(f"{block.heading}:", style="strong")
        details = [row.detail for row in block.rows]
        yield from map(Paragraph, (*details, *block.notes, *block.in_words))
