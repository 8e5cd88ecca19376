"""What a report opens with: its numbers in a sentence, one table of traits, and where the judge
errs, with two examples of each trait.
"""

from collections.abc import Iterator, Sequence

from appellate.core.figures import Sentence
from appellate.core.kind import Measure
from appellate.core.problem import many
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF
from appellate.numbers.blocks import Block, ReportTable
from appellate.numbers.estimates import Worth
from appellate.numbers.formatting import LIST, answer_name, between, called, cut, figure, number
from appellate.numbers.report import ActReport, CellReport, Report, TraitReport
from appellate.numbers.sentences import side_text, whose
from appellate.stats.looks import FEWEST
from appellate.store.samples.sample_plans import draw_command

TRAITS = 12
"""Traits in the first table, and among those where the judge errs."""
EXAMPLES = 2
_NAME = 60  # characters of a trait's name or of an example's trace
_EXAMPLE = 200


def headline(report: Report) -> Iterator[Block]:
    """What the audit came to, and on what that rests, in two or three sentences."""
    numbers = report.groundwork.numbers
    if numbers is not None and not numbers.at.wanting:
        headlines = list(_headlines(report, numbers.worths))
        for one in headlines[:1]:
            if one.estimate is None:
                yield Sentence(f"{_capital(_named(one))} has no estimate ({one.wanting}).")
        for one in headlines:
            if one.estimate is not None:
                yield Sentence(_estimated(report, one))
                yield from _side(report, one)
                return
    yield from _without_estimate(report)


def _headlines(report: Report, found: Sequence[Worth]) -> Iterator[Worth]:
    """Each trait's number in the queue, in the rubric's order."""
    for trait in report.traits:
        for one in found:
            if (one.trait.name, one.measure.name) == (trait.name, trait.headline.name):
                yield one


def _estimated(report: Report, one: Worth) -> str:
    """The first number that the sample allows, with the judge's beside."""
    numbers, found = report.groundwork.numbers, one.estimate
    if numbers is None or found is None:
        return ""
    unit = numbers.at.unit
    if unit == "trace":
        unit = "answer"
    how = "signed off with the judge in sight"
    if numbers.at.sample.last.blind:
        how = "ruled blind"
    value, low, high = found.interval
    text = (
        f"On {found.n:,} of {found.frame:,} {unit}s {how}, {_named(one)} is {figure(value)}"
        f" (95 % interval {between(low, high)})"
    )
    if found.judge_only is None:
        return f"{text}; the judge's is not defined."
    return f"{text}; the judge says {figure(found.judge_only)}."


def _side(report: Report, one: Worth) -> Iterator[Block]:
    """On which side the judge goes wrong in the trait of the headline."""
    numbers = report.groundwork.numbers
    for errors in numbers.errors if numbers is not None else ():
        if errors.trait is one.trait and errors.n >= FEWEST:
            text = side_text(errors).removeprefix(f"{whose(errors)}: ")
            yield Sentence(cut(_capital(text), LIST))
            return


def _without_estimate(report: Report) -> Iterator[Block]:
    """What people signed off, or what the judge says where nobody did yet; and what comes next."""
    cells = many(len(report.cells), "cell")
    signed = report.states["reviewed"]
    if signed:
        live = len(report.corrections) - report.undone - report.gone
        text = f"People signed off {signed:,} of {cells}"
        if report.blind:
            text += f", ruled blind on {report.blind:,}"
        if live or not report.blind:
            text += f" and made {many(live, 'correction')}"
        yield Sentence(f"{text}.{_first(report, SIGNED_OFF)}")
        yield Sentence("This is of the cells that they signed off, and of no others.")
    else:
        yield Sentence(
            f"Nobody has signed off any of {cells} yet.{_first(report, AS_THEY_STAND)}"
            " No number here is audited."
        )
    if report.groundwork.numbers is None:
        if report.groundwork.drawable >= FEWEST:
            command = draw_command(report.groundwork.drawable)
            text = "For a number that holds for all traces, draw a random sample"
            yield Sentence(f"{text}: {command}.")
    elif report.groundwork.numbers.at.wanting:
        yield Sentence("A sample is drawn, but its records disagree: see “How good the judge is”.")
    elif len(report.groundwork.numbers.at.sample) >= FEWEST:  # else the first sentence says it
        yield Sentence("A sample is drawn: sign off more of it to get a number for all traces.")


def _first(report: Report, sides: tuple[str, str]) -> str:
    """The number of the first trait that has one on either side."""
    people, judge = sides
    for trait in report.traits:
        metric = trait.headline
        ours, theirs = (metric.sides[side].micro for side in sides)
        name = f"{_called(metric.measure)} in {cut(trait.name, _NAME)}"
        if ours is not None and people == SIGNED_OFF[0]:
            return f" There, {name} is {number(ours)}; the judge says {figure(theirs)}."
        if theirs is not None and people != SIGNED_OFF[0]:
            side_figures = metric.sides[judge]
            of = many(side_figures.n + side_figures.undefined, "judged cell")
            return f" By the judge, {name} is {number(theirs)}, over {of}."
    return ""


def _named(one: Worth) -> str:
    return f"{_called(one.measure)} in {cut(whose(one), _NAME)}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _called(measure: Measure) -> str:
    """A number as a sentence has it."""
    name = called(measure)
    return f"the {name}" if measure.word in {"verdict", "class"} else name


# -- traits ---------------------------------------------------------------------------------------


def traits(report: Report) -> Iterator[Block]:
    """Each trait's number in the queue: people beside the judge, and the estimate for all."""
    estimated = _estimates(report)
    rows = []
    for trait in report.traits[:TRAITS]:
        metric = trait.headline
        signed, judge, every = (
            metric.sides[side].micro for side in ("signed", "judge", "judge_all")
        )
        row = (cut(trait.name, _NAME), called(metric.measure))
        counts = (f"{trait.signed:,} of {trait.cells:,}",)
        texts = (*map(figure, (signed, judge, every)),)
        rows.append((*row, *counts, *texts, estimated.get((trait.name, metric.name), "–")))
    heads = ["trait", "measure (micro)", "signed off", "people", "judge, same cells"]
    heads += ["judge, all cells", "estimate for all (95 %)"]
    if not estimated:
        heads.pop()
        rows = [row[:-1] for row in rows]
    if rows:
        yield ReportTable(tuple(heads), rows, 2)
    rest = len(report.traits) - TRAITS
    if rest > 0:
        yield Sentence(f"{many(rest, 'further trait')}: What is signed off has them.")


def _estimates(report: Report) -> dict[tuple[str, str], str]:
    """The corrected estimates, by the trait's name and the measure's."""
    numbers = report.groundwork.numbers
    if numbers is None or numbers.at.wanting:
        return {}
    found: dict[tuple[str, str], str] = {}
    for one in numbers.worths:
        if one.estimate is not None:
            value, low, high = one.estimate.interval
            text = f"{figure(value)} ({between(low, high)})"
            found.setdefault((one.trait.name, one.measure.name), text)
    return found


# -- where the judge errs -------------------------------------------------------------------------


def errs(report: Report) -> Iterator[Block]:
    """On which side the judge goes wrong in each trait, with two cells that show it."""
    numbers = report.groundwork.numbers
    sides: dict[str, str] = {}
    if numbers is not None and not numbers.at.wanting:
        for errors in numbers.errors:
            if errors.n >= FEWEST:
                sides.setdefault(errors.trait.name, side_text(errors))
    rows: list[tuple[str, ...]] = []
    for trait in report.traits[:TRAITS]:
        if trait.name in sides:
            yield Sentence(cut(sides[trait.name], LIST))
        rows += _examples(report, trait)
    if rows:
        yield ReportTable(("trait", "example", "people against the judge"), rows)


def _examples(report: Report, trait: TraitReport) -> list[tuple[str, ...]]:
    """Two cells: corrections with what was said for them, else where the numbers differ most."""
    name = cut(trait.name, _NAME)
    rows: dict[str, tuple[str, ...]] = {}
    acts = [act for act in report.corrections if act.place.trait == trait.name and not act.fate]
    for act in sorted(acts, key=lambda act: not act.reason):
        rows.setdefault(act.place.at, (name, cut(act.place.at, _NAME), _did(act)))
        if len(rows) == EXAMPLES:
            return list(rows.values())
    apart = [
        (-abs(people - judge), place, cell, people, judge)
        for place, cell in enumerate(report.cells)
        if cell.place.trait == trait.name and cell.signed_by
        for people, judge in _both(cell, trait.headline.name)
        if people != judge
    ]
    for _, _, cell, people, judge in sorted(apart, key=lambda one: one[:2])[:EXAMPLES]:
        name_of = answer_name(trait.headline.measure)
        text = f"{name_of}: people {number(people)}, the judge {number(judge)}"
        if cell.differs:
            text = cut(cell.differs, _EXAMPLE)
        rows.setdefault(cell.place.at, (name, cut(cell.place.at, _NAME), text))
    return list(rows.values())[:EXAMPLES]


def _did(act: ActReport) -> str:
    text = cut(act.did, _EXAMPLE)
    if act.reason:
        text += f" (because: {cut(act.reason, _EXAMPLE)})"
    return text


def _both(cell: CellReport, name: str) -> Iterator[tuple[float, float]]:
    """People's number of a cell and the judge's, where it has both; a blind verdict goes first."""
    for one in cell.figures:
        people = one.standing if one.verdict is None else one.verdict
        if one.metric == name and people is not None and one.judge is not None:
            yield people, one.judge
