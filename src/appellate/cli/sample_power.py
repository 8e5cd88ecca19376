"""`appellate sample --power`: how many audits an interval of a wanted width takes."""

from collections.abc import Iterator, Mapping
from textwrap import wrap

from appellate.core.wordforms import many
from appellate.report.formatting import cut
from appellate.session.workbench import Workbench
from appellate.store.expected_widths import HALF_HELP, expected_of
from appellate.worth.sample_in_workspace import sample_at
from appellate.worth.sample_numbers import sample_numbers

_NAME, _WIDTH = 36, 80
NOTHING = "No judge has said anything yet, so nothing can be expected of a sample: judge first."
EXPECTED = (
    "This is by what the judge says of every trace: where people's labels vary more than the"
    " judge's, it takes more. No help is what people alone would give; half is a judge that"
    " explains half of what people say."
)

AUDITED = "As audited is by what people said so far, with the help that the judge was of."


def power(bench: Workbench, half: float) -> Iterator[str]:
    """A line for each trait, and what they rest on."""
    path, sample = bench.workspace.path, bench.workspace.design.sample()
    frame, widths = expected_of(path, sample)
    if not widths:
        yield NOTHING
        return
    count = many(len(frame.units), frame.word)
    yield f"Audits for an interval of ± {half:g} (95 %), of {count} that could be drawn:"
    yield ""
    audited = _audited(bench, half)
    name = max(len("trait"), *(len(cut(width.trait)[:_NAME]) for width in widths))
    heads = f"  {'trait':{name}}  {'number':14}{'no help':>10}{'half':>10}"
    if audited:
        heads = f"{heads}{'as audited':>12}"
    yield heads
    for width in widths:
        alone, helped = width.audits(half), width.audits(half, HALF_HELP)
        line = f"  {cut(width.trait)[:_NAME]:{name}}  {width.measure:14}"
        line = f"{line}{alone:>10,}{helped:>10,}"
        if audited:
            line = f"{line}{audited.get((width.trait, width.measure), '–'):>12}"
        yield line
    yield ""
    yield from wrap(EXPECTED, _WIDTH)
    if audited:
        yield from wrap(AUDITED, _WIDTH)
    if sample is not None:
        yield f"{len(sample):,} are drawn already."


def _audited(bench: Workbench, half: float) -> Mapping[tuple[str, str], str]:
    """How many audits in all it takes by those that were made, by trait and number."""
    at = sample_at(bench.workspace.path)
    found: dict[tuple[str, str], str] = {}
    if at is None:
        return found
    for one in sample_numbers(at).worths:
        if one.estimate is not None:
            total = one.estimate.n + one.estimate.needed(half)
            found[one.trait.name, one.measure.name] = f"{total:,}"
    return found
