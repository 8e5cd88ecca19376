"""The order of a report and what stands in each part, before any form: tables, sentences, pictures,
lists of acts.

Texts in it are inert and cut, and not yet escaped.
"""

from collections.abc import Iterator, Mapping, Sequence

from appellate.core.figures import Sentence
from appellate.core.planted_errors import outcome_texts
from appellate.core.problem import many
from appellate.core.scale import bounds
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF, AnswerStats
from appellate.numbers.blocks import Acts, Bars, Block, ReportSection, ReportTable, Shares, Spread
from appellate.numbers.comparing import by_group, epochs, judge_beside_person
from appellate.numbers.estimating import (
    design,
    estimates,
    judges,
    limits,
    methods,
    probes,
    reasons,
)
from appellate.numbers.formatting import (
    LIST,
    TABLE,
    answer_name,
    called,
    change,
    cut,
    figure,
    mean,
    side_word,
    when,
)
from appellate.numbers.opening import errs, headline
from appellate.numbers.opening import traits as in_one_table
from appellate.numbers.report import (
    ActReport,
    CellPlace,
    Metric,
    Report,
    Reviewer,
    Sides,
    TraitReport,
)

PART = 12
"""Characters of what a part of a histogram is called."""
INSTRUCTIONS = 100
"""Rows of a trait's table of instructions."""
PICTURED = 12
"""Instructions in a picture."""
COLUMNS = 6
"""Words that answers may be given in, for each of them to have a column; of more, the commonest are
told.
"""
COMMONEST = 3


def spread_name(metric: Metric) -> str:
    """What cells are counted by in a histogram, and in which parts."""
    if metric.measure.steps:
        return answer_name(metric.measure)
    scale = bounds(metric.measure)
    return ", ".join(filter(None, (answer_name(metric.measure), scale, "in tenths")))


def title(report: Report) -> str:
    return f"Audit of {cut(report.rubric)}" if report.rubric else "Audit"


def sections(report: Report) -> list[ReportSection]:
    """Every part, in order."""
    traits = [_trait(f"trait-{number}", trait) for number, trait in enumerate(report.traits, 1)]
    numbers = [
        ReportSection("worth", "How good the judge is", tuple(estimates(report))),
        ReportSection("numbers", "What is signed off", tuple(_signed_numbers(report))),
    ]
    if report.groundwork.numbers is None:
        numbers.reverse()
    every = [
        ReportSection("headline", "In short", tuple(headline(report)), open=True),
        ReportSection("traits", "Traits", tuple(in_one_table(report)), open=True),
        ReportSection("errs", "Where the judge errs", tuple(errs(report)), open=True),
        *numbers,
        ReportSection("limits", "What the numbers do not say", tuple(limits(report))),
        ReportSection("audit", "The audit", tuple(_audit(report))),
        ReportSection("design", "Sample and looks", tuple(design(report))),
        ReportSection("judge", "The judge", tuple(judges(report))),
        ReportSection("probes", "Probes of the judge", tuple(probes(report))),
        ReportSection("people", "Who reviewed", tuple(_people(report))),
        *traits,
        ReportSection("corrections", "Corrections", tuple(_corrections(report))),
        ReportSection("comments", "Comments", _listed(report.comments, "said")),
        ReportSection("flagged", "Flagged cells", _flagged(report)),
        ReportSection("failed", "Cells where the judge failed", _failed(report)),
        ReportSection("amiss", "Checks", tuple(_amiss(report))),
        ReportSection("signed", "Sign-offs", _signed(report)),
        ReportSection("reading", "How to read this", tuple(_reading(report))),
        ReportSection("methods", "Where the methods are from", tuple(methods(report))),
    ]
    return [section for section in every if section.blocks]


_NUMBERS = (
    "Only signed figures are audited: they are of the cells that a person signed off, and judge is"
    " of the judge's lists on the same cells. Figures as they are now are of the labels in"
    " every cell that has any, signed off or not, and judge, all cells is of the judge's lists on"
    " every judged cell. A cell that is edited after its sign-off is not signed off until somebody"
    " does so again; one that was filled by hand has no judge beside it.\n"
    "A change is people's figure less the judge's over the same cells: micro, where both have"
    " labels; macro, where it is defined for both. Where a cell was judged in several rounds,"
    " the judge is that of the latest. What people said before they saw the judge is a ruling, and"
    " no correction.\n"
    "Micro pools the counts of the cells; macro is the mean over the traces where the metric is"
    " defined (n). 0/0 is undefined: it is in no mean, and no score. stderr is the standard error"
    " of macro; the traces of one cluster, else the epochs of one trace, count as belonging"
    " together."
)
_MEANS = " A measure that is not made of counts has the mean in place of micro."
_OVERRULED = (
    "An instruction is overruled in a cell where the labels now answer it otherwise than the judge"
    " did."
)
_TEXTS = (
    f"Texts in tables are cut at {TABLE} characters, in lists at {LIST:,}; the report with"
    " --format json has them whole. ⟨U+…⟩ stands for a character that would act or hide."
)


def _reading(report: Report) -> Iterator[Sentence]:
    """What the numbers are, what each kind in the audit says of its own, and how texts are told."""
    numbers = _NUMBERS
    for trait in report.traits:
        if any(metric.measure.pool is None for metric in trait.metrics):
            numbers = _NUMBERS + _MEANS
    kinds = dict.fromkeys(trait.kind.reading for trait in report.traits)
    for text in (*numbers.splitlines(), *filter(None, kinds), _OVERRULED, _TEXTS):
        yield Sentence(text)


# -- the numbers to go by -------------------------------------------------------------------------


def _signed_numbers(report: Report) -> Iterator[Block]:
    signed = report.states["reviewed"]
    text = f"Signed off: {signed:,} of {many(len(report.cells), 'cell')}."
    if not signed:
        yield Sentence(f"{text} There are no audited numbers yet.")
        return
    yield Sentence(f"{text} The numbers are of these alone, and the judge's of the same cells.")
    rows = []
    for trait in report.traits:
        if trait.signed:
            head = (cut(trait.name), f"{trait.signed:,} of {trait.cells:,}")
            rows += [(*head, *row[:9]) for row in _metrics(trait, SIGNED_OFF).rows]
    yield ReportTable(("trait", "signed off", *_heads(SIGNED_OFF)[:9]), rows, 3)


# -- the audit and its people ---------------------------------------------------------------------


def _audit(report: Report) -> Iterator[Block]:
    cells = f"{len(report.cells):,}"
    if report.cells:
        cells += f": {_states(report.states, report.hidden)}"
    judges = "; ".join(f"{cut(judge)} ({many(count, 'cell')})" for judge, count in report.judges)
    yield ReportTable(
        ("", ""),
        [
            ("As of", when(report.saved)),
            ("Rubric", cut(report.rubric) or "without a name"),
            ("its sha256", report.rubric_sha256),
            ("Traces", f"{report.traces:,}"),
            ("Cells", cells),
            ("Judge", judges or "none"),
            ("Written by", f"Appellate {cut(report.version)}"),
        ],
    )
    bare = report.states["pending"] + report.states["failed"]
    if bare:
        of = many(len(report.cells), "cell")
        yield Sentence(f"{bare:,} of {of} have no labels yet and count in no number.")
    if report.hidden:
        yield Sentence(
            f"{many(report.hidden, 'cell is', 'cells are')} still to be ruled on blind: what the"
            " judge says there is in no number of single traits."
        )
    if report.revised:
        yield Sentence(
            f"{many(report.revised, 'cell')} began under an earlier version of the trait."
        )
    if report.examples:
        shown = many(report.examples, "cell was", "cells were")
        yield Sentence(
            f"{shown} shown to a judge as an example: no instruction counts as overruled there."
        )


def _people(report: Report) -> Iterator[Block]:
    rows = []
    for one in report.reviewers:
        counts = _counted(one.corrections, one.signed_off, one.comments, one.undone)
        rows.append((cut(one.name), when(one.first), when(one.last), *counts))
    heads = ("who", "first act", "last act", "corrections", "sign-offs", "comments", "undone")
    yield from _table(heads, rows, 3)
    for one in report.reviewers:
        texts = [f"{cut(one.name)}: {sentence}" for sentence in one.pace.describe()]
        if one.pace.median_seconds is not None:
            texts.insert(0, _pace(one))
        texts += [f"{cut(one.name)}, {sentence}" for sentence in _again(one)]
        if one.sentinels:
            texts += [f"{cut(one.name)}: {sentence}" for sentence in outcome_texts(one.sentinels)]
        for sentence in texts:
            yield Sentence(sentence)


def _again(one: Reviewer) -> Iterator[str]:
    """How far a person agreed with themselves in a second pass, by trait."""
    for trait in one.again.get("traits", ()):
        before = "blind both times" if trait["blind_before"] else "with the judge in sight at first"
        text = f"{trait['alike']:,} of {many(trait['answers'], 'answer')} alike"
        if trait.get("kappa") is not None:
            text += f", kappa {figure(trait['kappa'])}"
        yield f"a second time, on {cut(trait['trait'])}, {before}: {text}."


def _pace(one: Reviewer) -> str:
    """How long a person had cells in sight, and how often they changed nothing."""
    pace = one.pace
    seen = f"{pace.median_seconds:g} s in sight before a sign-off (median of {pace.timed:,})"
    in_sight = pace.signed - one.ruled
    if in_sight:
        seen += f", {pace.accepted:,} of {many(in_sight, 'cell')} signed off as the judge proposed"
    return f"{cut(one.name)}: {seen}."


# -- traits ---------------------------------------------------------------------------------------


def _trait(anchor: str, trait: TraitReport) -> ReportSection:
    kind = f"{many(trait.cells, 'cell')} of the kind {trait.kind.name}"
    blocks = [
        Sentence(f"{kind}: {_states(trait.states, trait.hidden)}."),
        *_signed_and_standing(trait),
        *_instructions(trait),
    ]
    return ReportSection(anchor, cut(trait.name), tuple(blocks))


def _states(states: Mapping[str, int], hidden: int) -> str:
    texts = [f"{count:,} {state}" for state, count in states.items() if count]
    if hidden:
        texts.append(f"{hidden:,} to be ruled on blind")
    return ", ".join(texts)


def _signed_and_standing(trait: TraitReport) -> Iterator[Block]:
    """What is signed off, and what stands everywhere where that is more."""
    if trait.signed:
        yield Sentence(f"Signed off: {many(trait.signed, 'cell')}, and the judge on the same.")
        yield from _numbers(trait, SIGNED_OFF)
    else:
        yield Sentence("No cell is signed off: there are no audited numbers of this trait.")
    if trait.unsigned:
        labelled = many(trait.signed + trait.unsigned, "cell")
        text = f"Not audited: the labels as they are now in {labelled}, signed off or not"
        yield Sentence(f"{text}, and the judge on every judged cell.")
        yield from _numbers(trait, AS_THEY_STAND)
    elif trait.signed:
        yield Sentence("No other cell has labels.")
    yield from judge_beside_person(trait)
    sides = SIGNED_OFF if trait.signed else AS_THEY_STAND
    yield from epochs(trait, sides)
    yield from by_group(trait, sides)


def _numbers(trait: TraitReport, sides: Sides) -> Iterator[Block]:
    yield _metrics(trait, sides)
    yield Bars(trait, sides)
    counted = _counts(trait, sides)
    if counted.rows:
        yield counted
    yield Spread(trait.headline, sides)


def _heads(sides: Sides) -> tuple[str, ...]:
    heads = ["metric"]
    for mean_of in ("micro", "macro"):
        heads += [f"{mean_of} {side_word(what)}" for what in (*sides, "change")]
    for count_of in ("n", "0/0", "stderr"):
        heads += [f"{count_of} {side_word(side)}" for side in sides]
    return tuple(heads)


def _metrics(trait: TraitReport, sides: Sides) -> ReportTable:
    return ReportTable(_heads(sides), [_metric(metric, sides) for metric in trait.metrics], 1)


def _metric(metric: Metric, sides: Sides) -> tuple[str, ...]:
    people, judge = metric.sides[sides[0]], metric.sides[sides[1]]
    numbers: list[str] = []
    for of in ("micro", "macro"):
        numbers += [mean(getattr(side, of), side.n + side.undefined) for side in (people, judge)]
        numbers.append(change(getattr(metric.changes[sides], of)))
    counts = _counted(people.n, judge.n, people.undefined, judge.undefined)
    errors = figure(people.stderr), figure(judge.stderr)
    return (called(metric.measure), *numbers, *counts, *errors)


def _counts(trait: TraitReport, sides: Sides) -> ReportTable:
    people, judge = trait.counts[sides[0]], trait.counts[sides[1]]
    rows = []
    for name in dict.fromkeys((*people, *judge)):
        now, was = people.get(name, 0), judge.get(name, 0)
        if not now and not was:
            continue
        by = "0" if now == was else f"{now - was:+,}".replace("-", "−")
        rows.append((cut(trait.kind.spelled.get(name, name)), f"{now:,}", f"{was:,}", by))
    return ReportTable(("counted items", *map(side_word, sides), "change"), rows, 1)


def _instructions(trait: TraitReport) -> Iterator[Block]:
    shown = trait.instructions[:INSTRUCTIONS]
    if not shown:
        return
    yield Sentence(
        "Instructions, by the labels as they are now in every cell that has any, signed off or not."
    )
    if any(one.cells > 1 for one in shown[:PICTURED]):
        yield Shares(trait)
    yield _instruction_table(trait, shown)
    rest = trait.instructions[INSTRUCTIONS:]
    if not rest:
        return
    most = "none overruled"
    if rest[0].overruled:
        most = f"each overruled at most {many(rest[0].overruled, 'time')}"
    left_out = many(len(rest), "further instruction")
    yield Sentence(f"{left_out} left out here, {most}; --format json has them all.")


def _instruction_table(trait: TraitReport, shown: Sequence[AnswerStats]) -> ReportTable:
    """A column for each answer where they are few, and one for all of them where they are many."""
    few = len(trait.vocabulary) <= COLUMNS
    texts = ["instruction"]
    if trait.kind.lists:
        texts.append("the response")
    answers = ["answers"]
    if few:
        answers = list(map(cut, trait.vocabulary))
    asides: dict[str, str] = {}
    for word in trait.kind.aside_words:
        if any(word in one.asides for one in shown):
            asides[word] = trait.kind.spelled.get(word, word)
    rows = []
    for one in shown:
        row = [cut(one.instruction)]
        if trait.kind.lists:
            row.append(trait.kind.lists.get(one.of, one.of))
        row += _counted(one.cells)
        if few:
            row += _counted(*map(one.times, trait.vocabulary))
        else:
            row.append(commonest(one))
        for word in asides:
            row += _counted(one.asides.get(word, 0))
        rows.append((*row, *_counted(one.overruled)))
    heads = (*texts, "in all", *answers, *asides.values(), "overruled")
    return ReportTable(heads, rows, len(texts))


def commonest(one: AnswerStats) -> str:
    """The answers that were given most often, and in how many cells: `4 (12), 5 (9), …`."""
    given = sorted(one.answers.items(), key=lambda pair: -pair[1])
    texts = [f"{cut(answer)} ({count:,})" for answer, count in given[:COMMONEST]]
    if len(given) > COMMONEST:
        texts.append("…")
    return ", ".join(texts)


# -- acts and cells -------------------------------------------------------------------------------


def _corrections(report: Report) -> Iterator[Block]:
    if report.corrections:
        text = f"{many(len(report.corrections), 'correction')}, in the order they were made"
        if report.undone:
            text += f"; {report.undone:,} of them undone"
        if report.gone:
            text += f"; {report.gone:,} not in the labels any more, since later ones came"
        yield Sentence(f"{text}.")
    if report.withheld:
        cells = many(report.withheld, "cell was", "cells were")
        yield Sentence(
            f"{cells} worked on before the judge was hidden there: what was done is shown once"
            " ruled on."
        )
    if report.corrections and report.blind:
        cells = many(report.blind, "cell was", "cells were")
        yield Sentence(
            f"{cells} ruled blind: the verdicts there are no corrections, as the judge was not"
            " in sight."
        )
    yield from reasons(report)
    yield from _listed(report.corrections, "did")


def _amiss(report: Report) -> Iterator[Block]:
    rows: list[tuple[str, ...]] = []
    unverified = breaches = 0
    for one in report.amiss:
        unverified += one.unverified
        breaches += len(one.breaches)
        text = cut(" ".join(one.breaches), 3 * TABLE)
        rows.append((*_where(one.place), f"{one.unverified:,}", text))
    if rows:
        excerpts = many(unverified, "excerpt")
        inconsistent = many(breaches, "inconsistency", "inconsistencies")
        yield Sentence(
            f"{excerpts} not found, {inconsistent}, in {many(len(rows), 'cell')}."
            " They change no number."
        )
    yield from _table(("trace", "trait", "unverified", "inconsistent"), rows)


def _flagged(report: Report) -> tuple[Block, ...]:
    rows = [(*_where(act.place), cut(act.by), when(act.at)) for act in report.flags]
    return _table(("trace", "trait", "by", "when"), rows)


def _failed(report: Report) -> tuple[Block, ...]:
    rows = []
    for cell in report.failures:
        error = cut(cell.error, 3 * TABLE)
        rows.append((*_where(cell.place), cell.state, when(cell.at), error))
    heads = ("trace", "trait", "the cell is", "when", "reason")
    return _table(heads, rows)


def _signed(report: Report) -> tuple[Block, ...]:
    rows = []
    for cell in report.signed:
        by = (cut(cell.signed_by), when(cell.signed_at))
        rows.append((*_where(cell.place), *by, f"{cell.corrections:,}"))
    heads = ("trace", "trait", "by", "when", "corrections")
    return _table(heads, rows)


def _counted(*counts: int) -> list[str]:
    return [f"{count:,}" for count in counts]


def where(place: CellPlace) -> str:
    return " · ".join(_where(place))


def _where(place: CellPlace) -> tuple[str, str]:
    return cut(place.at), cut(place.trait)


def _table(
    heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], figures: int = 99
) -> tuple[Block, ...]:
    if not rows:
        return ()
    return (ReportTable(heads, rows, figures),)


def _listed(acts: Sequence[ActReport], verb: str) -> tuple[Block, ...]:
    if not acts:
        return ()
    return (Acts(acts, verb),)
