"""How good the judge is, as parts of a report: estimates with what they rest on, the design, the
looks, the judge and its probes, what none of it says, and where the methods are from.
"""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter, itemgetter
from typing import Any

from appellate.core.describe import describe_design, judge_name
from appellate.core.design_facts import Probed, withdrawals, withdrawn_text
from appellate.core.figures import Sentence
from appellate.core.problem import many
from appellate.numbers.blocks import Block, EstimatePlot, ReportTable, Verbatim
from appellate.numbers.estimate_page import carried_by_few, notes
from appellate.numbers.estimates import AuditedSample, Worth
from appellate.numbers.formatting import LIST, between, called, cut, figure, when
from appellate.numbers.groundwork import ENOUGH_AUDITS, JudgeUsed
from appellate.numbers.report import Report
from appellate.numbers.sample_numbers import SampleNumbers
from appellate.numbers.sentences import (
    FURTHER,
    READING,
    difference_text,
    gate_text,
    number_text,
    passed_text,
    sample_text,
    whose,
)
from appellate.stats.estimates import Estimate

ROWS = 100
"""Estimates in a table; JSON has them all."""
PLOTTED = 30
NO_SAMPLE = (
    "There is no random sample, so there is no estimate of what people would measure on all traces."
)
CHOSEN = (
    "What people signed off is of cells that they chose to open, for whatever reason: the figures"
    " say nothing of the others."
)
CHOSEN_SAMPLE = (
    "This is not the first sample that was drawn (Sample and looks). Each was drawn at random, and"
    " the earlier were withdrawn before any verdict; but whoever draws again may choose the traces"
    " that suit them."
)


def estimates(report: Report) -> Iterator[Block]:
    """Judge only, people only and corrected, with what they rest on."""
    numbers = report.groundwork.numbers
    if numbers is None:
        yield Sentence(NO_SAMPLE)
        return
    if numbers.at.wanting:
        yield from (Sentence(cut(text, LIST)) for text in notes(numbers))
        return
    yield Sentence(_rests_on(numbers.at))
    yield from _estimated(numbers.at, numbers.worths)
    yield from _wanting(numbers.worths, numbers.at.unit)
    if numbers.by_group:
        yield Sentence(
            f"By {cut(numbers.at.by)}, each corrected by its own audits: one correction shared by"
            " all can turn their order round."
        )
        yield from _estimated(numbers.at, numbers.by_group)
        yield from _wanting(numbers.by_group, numbers.at.unit)
        for difference in numbers.differences[:ROWS]:
            yield Sentence(cut(difference_text(difference), LIST))


def _rests_on(at: AuditedSample) -> str:
    return (
        f"{cut(sample_text(at), LIST)} Judge only is what the judge says of all"
        f" {at.sample.last.frame:,} {at.unit}s; people only what people say of those that they"
        f" {_did(at)}; corrected takes the judge on all and corrects it by people."
    )


def _did(at: AuditedSample) -> str:
    return "ruled on before they saw the judge" if at.sample.last.blind else "signed off"


def _estimated(at: AuditedSample, numbers: Sequence[Worth]) -> Iterator[Block]:
    """Those that can be told, in a picture and a table, and where the judge is of no help."""
    found = list(_describe(numbers))
    if not found:
        return
    yield EstimatePlot(list(map(itemgetter(0), found[:PLOTTED])))
    grouped = found[0][0].group is not None
    heads = ["trait", "metric"]
    if grouped:
        heads.insert(1, "group")
    first_figure = len(heads)
    heads += ["corrected (95 % interval)", "people only (interval)", "judge only"]
    heads += [f"audited {at.unit}s", "the judge's weight", "its share"]
    if not grouped:
        heads.append("with more audits")
    rows: list[tuple[str, ...]] = []
    unhelped: list[str] = []
    for one, estimate in found[:ROWS]:
        named = [cut(whose(one)), called(one.measure)]
        if grouped:
            named.insert(1, cut(one.group or "") or "–")
        rows.append((*named, *_row(estimate))[: len(heads)])
        if not estimate.helps:
            unhelped.append(cut(number_text(one)))
    yield ReportTable(tuple(heads), rows, first_figure)
    rest = len(found) - ROWS
    if rest > 0:
        yield Sentence(f"{many(rest, 'further number')} left out here; --format json has them all.")
    for text in carried_by_few(map(itemgetter(0), found[:ROWS])):
        yield Sentence(cut(text, LIST))
    if unhelped:
        text = "The judge does not help here (its weight is 0)"
        yield Sentence(f"{text}: {', '.join(unhelped)}.")


def _describe(numbers: Iterable[Worth]) -> Iterator[tuple[Worth, Estimate]]:
    """Those that can be told."""
    for one in numbers:
        if one.estimate is not None:
            yield one, one.estimate


def _row(one: Estimate) -> Iterator[str]:
    for value, low, high in (one.interval, one.people_only):
        yield f"{figure(value)} ({between(low, high)})"
    yield from (figure(one.judge_only), f"{one.n:,} of {one.frame:,}")
    yield from (f"{one.weight:.2f}", f"{100 * one.judge_share:.0f} %")
    more = min(FURTHER, one.frame - one.n)
    yield f"±{figure(one.further(more))} ({more} more)" if more else "–"


def _wanting(found: Sequence[Worth], unit: str) -> Iterator[Block]:
    """Which numbers cannot be told, and why; what was passed over."""
    why: dict[str, list[str]] = {}
    passed: dict[str, None] = {}
    for one in found:
        if one.estimate is None:
            why.setdefault(one.wanting, []).append(number_text(one))
        passed[passed_text(one, unit)] = None
    for reason, names in why.items():
        yield Sentence(
            f"Not shown: {cut(', '.join(names), LIST)}. {reason[:1].upper()}{reason[1:]}."
        )
    for text in passed:
        if text:
            yield Sentence(text)


# -- design and looks -----------------------------------------------------------------------------


def design(report: Report) -> Iterator[Block]:
    """How the sample was drawn, in which strata, and what was decided at which looks."""
    ground = report.groundwork
    numbers = ground.numbers
    if numbers is not None:
        sample = numbers.at.sample
        yield Sentence(cut(sample_text(numbers.at), LIST))
        yield ReportTable(
            ("", ""),
            [
                ("Drawn", f"{len(sample):,} of {sample.last.frame:,} {numbers.at.unit}s"),
                ("Seed", f"{sample.last.seed}"),
                ("sha256 of the frame", sample.last.frame_sha256),
                ("Judge's labels", "hidden until ruled" if sample.last.blind else "in sight"),
            ],
        )
        if len(sample.strata) > 1:
            rows = []
            for one in sample.strata[:ROWS]:
                counts = f"{one.units:,}", f"{one.drawn:,}"
                rows.append((cut(one.name), *counts, f"{one.chance:.3f}"))
            yield ReportTable(("stratum", "units", "drawn", "chance"), rows, 1)
    yield from (Sentence(cut(text, LIST)) for text in withdrawn_text(ground.happened))
    if ground.happened:
        events = [
            (when(fact.at), cut(fact.by), cut(describe_design(fact.what)))
            for fact in ground.happened
        ]
        yield ReportTable(("when", "who", "what"), events)
    yield from _decided(numbers)


def _decided(numbers: SampleNumbers | None) -> Iterator[Block]:
    if numbers is None:
        return
    for gate in numbers.gates:
        for text in gate_text(gate, numbers.at.unit):
            yield Sentence(cut(text, LIST))
    if not numbers.gates:
        yield Sentence(f"No look was planned, so nothing is decided against a bar here. {READING}")


# -- the judge and its probes ---------------------------------------------------------------------


def judges(report: Report) -> Iterator[Block]:
    """Who judged, by which prompt and with which parameters."""
    if not report.groundwork.judges:
        return
    rows = list(map(_judge, report.groundwork.judges[:ROWS]))
    heads = ("judge", "members", "sha256 of the prompt", "parameters", "examples", "cells")
    yield ReportTable(heads, rows, 4)


def _judge(one: JudgeUsed) -> tuple[str, ...]:
    prompt = one.template_sha256 or "–"
    if len(one.prompts) == 1:
        prompt += f" (as sent: {next(iter(one.prompts))})"
    elif one.prompts:
        prompt += f" (as sent: {len(one.prompts):,} that differ)"
    parameters = ", ".join(f"{name} {value}" for name, value in one.parameters.items()) or "–"
    voices = ", ".join(one.members) or "–"
    return cut(one.name), cut(voices), prompt, cut(parameters), f"{one.shown:,}", f"{one.cells:,}"


def probes(report: Report) -> Iterator[Block]:
    """How often the judge turned its answer when it was asked otherwise."""
    rows = [
        (when(fact.at), *_probe(fact.what))
        for fact in report.groundwork.happened
        if isinstance(fact.what, Probed)
    ]
    if not rows:
        return
    yield Sentence(
        "The same cells, asked in another way: how many answers turned. Of stay and turn, what a"
        " sound judge does."
    )
    heads = (
        "when",
        "probe",
        "judge",
        "expected",
        "cells",
        "answers",
        "turned",
        "share",
        "interval",
    )
    yield ReportTable(heads, rows, 4)


def _probe(probed: Probed) -> tuple[str, ...]:
    outcome = probed.outcome
    answers, turned = (outcome.get(name) for name in ("answers", "turned"))
    interval = "–"
    if outcome.get("low") is not None:
        interval = between(outcome["low"], outcome["high"])
    figures = figure(outcome.get("share")), interval
    counts = f"{probed.cells:,}", _count(answers), _count(turned)
    name = cut(judge_name(probed.judge)), cut(str(outcome.get("expected", "")))
    return cut(probed.probe), *name, *counts, *figures


def _count(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "–"


# -- what it does not say -------------------------------------------------------------------------


def limits(report: Report) -> Iterator[Block]:
    """In plain words, what nobody should take from the numbers."""
    ground, numbers = report.groundwork, report.groundwork.numbers
    if numbers is None or numbers.at.wanting:
        yield Sentence(CHOSEN)
    else:
        yield from map(Sentence, _of_the_sample(numbers))
        if withdrawals(ground.happened):
            yield Sentence(CHOSEN_SAMPLE)
    yield Sentence(_of_the_people(ground.reviewers))
    if len(ground.judges) > 1:
        text = f"{many(len(ground.judges), 'judge')} or prompts are in the judge's numbers together"
        yield Sentence(f"{text}: they are of no single one of them.")
    if report.examples:
        yield Sentence(
            f"A judge was shown {many(report.examples, 'cell')} of this audit as an example. Their"
            " traces are not to be drawn, or the judge would be measured by what it was told."
        )
    if report.revised:
        yield Sentence(f"{many(report.revised, 'cell')} began under earlier words of the trait.")
    if not any(isinstance(fact.what, Probed) for fact in ground.happened):
        yield Sentence(
            "Whether the judge would say the same to the same question in other words is not known:"
            " it was not probed (appellate probe asks it again in other ways)."
        )


def _of_the_sample(numbers: SampleNumbers) -> Iterator[str]:
    at = numbers.at
    yield (
        f"The estimates are of the {at.sample.last.frame:,} {at.unit}s that could be drawn, as this"
        " judge judged them and these people ruled; of other questions, models or times they say"
        " nothing."
    )
    yield (
        "An interval covers what the chance of the draw may do: of 100 such audits about 95 hold"
        " the number that people would have come to on all. It covers no mistakes of people."
    )
    fewest = min((one.n for _, one in _describe(numbers.worths)), default=ENOUGH_AUDITS)
    if fewest < ENOUGH_AUDITS:
        yield (
            f"Some rest on {fewest:,} audits. Below {ENOUGH_AUDITS} the intervals hold the truth"
            " somewhat more or less often than they say (90 to 100 of 100 at 20, simulated)."
        )
    if not at.sample.last.blind:
        yield (
            "People had the judge's labels before them as they ruled. That draws them to the judge,"
            " and makes it look better than it is."
        )
    unjudged = max((one.part.unjudged for one in numbers.worths), default=0)
    if unjudged:
        yield (
            f"{many(unjudged, 'cell of the frame has', 'cells of the frame have')} no labels of the"
            " judge: judge only leaves"
            " them out, and they are in the corrected number through the people alone."
        )


def _of_the_people(reviewers: Sequence[str]) -> str:
    if not reviewers:
        return "Nobody has signed anything off: all figures are the judge's."
    if len(reviewers) == 1:
        return (
            f"One person ({cut(reviewers[0])}) ruled. How far another would have ruled alike is not"
            " known; appellate compare tells it of two audits of the same sample."
        )
    text = ", ".join(map(cut, reviewers))
    return (
        f"{len(reviewers)} people ({text}) ruled, each on other cells: differences between them"
        " are in the numbers and not told apart."
    )


def methods(report: Report) -> Iterator[Block]:
    """Where the methods are from."""
    found = report.groundwork.references
    rows = list(map(attrgetter("key", "used_for"), found))
    yield ReportTable(("work", "used for"), rows)
    yield Verbatim("\n\n".join(map(attrgetter("entry"), found)))


# -- corrections ----------------------------------------------------------------------------------


def reasons(report: Report) -> Iterator[Block]:
    """The reasons of the corrections that stand, the commonest first."""
    found = report.groundwork.reasons
    if not any(reason for reason, _ in found):
        return
    yield Sentence("Corrections in the labels now, by reason:")
    rows = [(cut(reason) or "none given", f"{count:,}") for reason, count in found[:ROWS]]
    yield ReportTable(("reason", "corrections"), rows, 1)
