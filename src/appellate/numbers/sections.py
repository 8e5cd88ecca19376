"""The order of a report and what is in each part, before any form (`blocks`)."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from sys import float_info
from typing import Any

from msgspec.structs import replace

from appellate.core.agreement import ENOUGH
from appellate.core.describe import describe_design, judge_name
from appellate.core.design_facts import (
    DesignFact,
    Probed,
    RubricEvent,
    Sample,
    withdrawals,
    withdrawn_text,
)
from appellate.core.figures import FigureBlock, FigureTable, Sentence
from appellate.core.kind import CANNOT_TELL_COUNT, Measure, TraitKey
from appellate.core.problem import many
from appellate.core.scale import is_bounded
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF
from appellate.numbers.blocks import (
    Acts,
    Block,
    ReportSection,
    ReportTable,
    RowsAsRead,
    TableRow,
    Verbatim,
)
from appellate.numbers.estimates import COVERAGE, AuditedSample, Worth
from appellate.numbers.figures_page import measures, trait_page
from appellate.numbers.formatting import (
    LIST,
    TABLE,
    answer_name,
    between,
    called,
    capital,
    cut,
    figure,
    number,
    percent,
    when,
)
from appellate.numbers.judge_page import Sides
from appellate.numbers.pictures import (
    PICTURED,
    confusion_grid,
    estimate_rows,
    group_means,
    histogram,
    metric_bars,
    stacked,
)
from appellate.numbers.report import (
    ENOUGH_AUDITS,
    READ_TEXT,
    Amiss,
    CellPlace,
    CellReport,
    ClosingWords,
    FailedCell,
    JudgeUsed,
    Report,
    Reviewer,
    TraitReport,
)
from appellate.numbers.samples import SampleNumbers
from appellate.numbers.sentences import (
    ERRORS_TABLE,
    HEADING,
    NO_SAMPLE,
    estimate_page,
    sample_text,
    side_text,
    stopping_text,
    uncounted_texts,
)
from appellate.numbers.suspicions import ChangedCell, SuspiciousCell
from appellate.stats.looks import FEWEST
from appellate.store.samples.sample_plans import draw_command

CLOSINGS = 40
"""Cells that are told in words; JSON has them all."""
ROWS = 100
"""Rows of a table of the audit, and of instructions; JSON has them all."""


def title(report: Report) -> str:
    """Return the title of the report, with the rubric's name if it has one."""
    return f"Audit of {cut(report.rubric)}" if report.rubric else "Audit"


def sections(report: Report) -> list[ReportSection]:
    """Return all sections of a report in order, without those that have nothing to say.

    The estimates come right before what is signed off. Without a sample they come right after it,
    as a sentence that says so. Each trait has a section of its own. In short, Traits and Where the
    judge errs are open, the others folded.
    """
    traits = [
        _trait(f"trait-{number}", trait)
        for number, trait in enumerate(report.traits, 1)
    ]
    numbers = [
        _section("worth", HEADING, _estimates(report)),
        _section("numbers", "What is signed off", _signed_numbers(report)),
    ]
    if report.sample is None:
        numbers.reverse()
    all_sections = [
        _section("headline", "In short", headline(report), is_open=True),
        _section("traits", "Traits", traits_table(report), is_open=True),
        _section("errs", "Where the judge errs", errs(report), is_open=True),
        *numbers,
        _section("limits", "What the numbers do not say", limits(report)),
        _section("audit", "The audit", _audit(report)),
        _section("design", "Sample and looks", design(report)),
        _section("rubric", "Changes of the rubric", rubric_changes(report)),
        _section("judge", "The judge", judges(report)),
        _section("probes", "Probes of the judge", probes(report)),
        _section("people", "Who reviewed", _people(report)),
        *traits,
        _section("closing", "In words", _closing(report)),
        _section("corrections", "Corrections", _corrections(report)),
        _section("comments", "Comments", [Acts(report.comments, "said")]),
        _section("flagged", "Flagged cells", _flagged(report)),
        _section("untold", "What could not be told", _untold(report)),
        _section("failed", "Cells where the judge failed", _failed(report)),
        _section("amiss", "Checks", _amiss(report)),
        _section("suspicious", "Responses that address the judge", _addressed(report)),
        _section("changed", "Changed after it was read", _changed(report)),
        _section("served", "Other models than were asked", _other_models(report)),
        _section(
            "members",
            "Cells that members of a panel gave no labels to",
            _members(report),
        ),
        _section("signed", "Sign-offs", _signed(report)),
        _section("reading", "How to read this", _reading(report)),
        _section("methods", "Where the methods are from", methods(report)),
    ]
    return [section for section in all_sections if section.blocks]


def _section(
    anchor: str,
    title: str,
    blocks: Iterable[Block],
    *,
    is_open: bool = False,
) -> ReportSection:
    """Return a section of these blocks without empty lists of acts and empty tables of texts.

    A table of figures stays, since it has a sentence in place of rows. The section may have no
    block left; the caller leaves it out then. It is folded unless `is_open`. `anchor` is its id on
    the page. `blocks` are consumed.
    """
    kept_blocks: list[Block] = []
    for block in blocks:
        match block:
            case ReportTable(_, rows) if not len(rows):
                continue
            case Acts(acts) if not acts:
                continue
        kept_blocks.append(block)
    return ReportSection(anchor, title, tuple(kept_blocks), is_open)


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
    """Yield sentences on what the numbers of a report mean and how its texts are cut.

    They are in any report. What the kinds of its traits add to that comes before those on overruled
    instructions and on texts, each kind once.
    """
    numbers = _NUMBERS
    for trait in report.traits:
        if any(measure.pool is None for measure in trait.numbers.measures):
            numbers = _NUMBERS + _MEANS
    kinds = dict.fromkeys(trait.kind.reading for trait in report.traits)
    texts = numbers.splitlines()
    texts += filter(None, kinds)
    texts += [_OVERRULED, _TEXTS]
    yield from map(Sentence, texts)


# -- in short -------------------------------------------------------------------------------------

TRAITS = 12
"""Traits in the first table, and among those where the judge errs."""
_MOST_SIGNERS = 3
"""People that the opening names."""
EXAMPLES = 2
_NAME = 60  # characters of a trait's name or of an example's trace
_EXAMPLE = 200
_READ = READ_TEXT - 1
"""Characters of a question or a response; one less than is kept, so that a cut shows."""


def headline(report: Report) -> Iterator[Block]:
    """Yield what the audit came to and on what that rests, in sentences, then a picture.

    What a gold set says of the judge goes first, if its check was given. The picture has the
    interval of the headline of the first `TRAITS` traits with an estimate. Without a sample a last
    sentence says how to draw one, if enough can be drawn and not all is signed off. If the sample's
    records disagree, the last sentence says that.
    """
    gold = report.gold.describe() if report.gold is not None else ()
    for text in (*gold, *report.first_sentences):
        yield Sentence(text)
    yield from _rests_on(report)
    if report.sound_sample is not None:
        headlines = {trait.key: trait.headline.name for trait in report.traits}
        drawn: list[Worth] = []
        for worth in report.sound_sample.worths:
            is_headline = headlines.get(worth.trait.key) == worth.measure.name
            if is_headline and worth.estimate is not None:
                drawn.append(worth)
        if drawn:
            yield estimate_rows(drawn[:TRAITS])
    yield from _on_the_sample(report)


def _on_the_sample(report: Report) -> Iterator[Sentence]:
    """Yield a sentence on how to draw a sample where that helps, or that its records disagree.

    Drawing helps if there is no sample, at least `FEWEST` units could be drawn, and not all cells
    are signed off. Else nothing.
    """
    if report.sample is None:
        if report.drawable >= FEWEST and not report.is_census:
            command = draw_command(report.drawable)
            text = "For a number that holds for all traces, draw a random sample"
            yield Sentence(f"{text}: {command}.")
    elif report.sample.audit.wanting:
        yield Sentence(
            "A sample is drawn, but its records disagree: see “How good the judge is”.",
        )


def _rests_on(report: Report) -> Iterator[Sentence]:
    """Yield a sentence on how the sample was drawn and who ruled; nothing while nobody signed off.

    Without a sample that agrees with itself it is only who signed off. With one it names who ruled
    on cells of the sample, or says that nothing of it is ruled on yet.
    """
    if not report.signers:
        return
    sample = report.sound_sample
    if sample is None:
        yield Sentence(f"Signed off by {_first_names(report.signers)}.")
        return
    drawn_how = capital(sample.audit.sample.describe)
    ruled_by = dict.fromkeys(
        cell.signed_by for cell in report.cells if cell.signed_by and cell.sampled
    )
    if ruled_by:
        yield Sentence(f"{drawn_how}; ruled by {_first_names(list(ruled_by))}.")
    else:
        yield Sentence(f"{drawn_how}; nothing of it is ruled on yet.")


def _first_names(names: Sequence[str]) -> str:
    """Return the first `_MOST_SIGNERS` of some names, inert and cut, and how many more follow."""
    texts = [cut(name, _NAME) for name in names[:_MOST_SIGNERS]]
    rest = len(names) - len(texts)
    if rest:
        texts.append(f"{rest} more")
    return ", ".join(texts)


# -- traits ---------------------------------------------------------------------------------------


def traits_table(report: Report) -> Iterator[Block]:
    """Yield a table with a row for each measure of each trait, the trait's headline first.

    The first `TRAITS` traits are in it, and a sentence counts the others. Numbers are micro: of the
    signed cells by people and by the judge, of all cells by the judge, and the estimate for all.
    Without any estimate its column is left out. A last sentence says where more is.
    """
    estimated = _estimate_texts(report)
    rows: list[tuple[str, ...]] = []
    for trait in report.traits[:TRAITS]:
        other_measures = [
            measure
            for measure in trait.numbers.measures
            if measure is not trait.headline
        ]
        for measure in (trait.headline, *other_measures):
            row = _measure_row(trait, measure)
            estimate = estimated.get((trait.key, measure.name), "–")
            rows.append((*row, estimate))
    heads = ["trait", "measure (micro)", "signed off", "people", "judge, same cells"]
    heads += ["judge, all cells", "estimate for all (95 %)"]
    if not estimated:
        heads.pop()
        rows = [row[:-1] for row in rows]
    yield ReportTable(tuple(heads), rows, 2)
    rest = len(report.traits) - TRAITS
    if rest > 0:
        yield Sentence(f"{many(rest, 'further trait')}: What is signed off has them.")
    if rows:
        yield Sentence(_where_numbers_are(report))


def _where_numbers_are(report: Report) -> str:
    """Return a sentence on the sections below in which the numbers of the table are in full.

    The section of estimates is named only if there is a sample that agrees with itself.
    """
    text = (
        "More below: people's numbers and the judge's on the same cells under “What is signed off”,"
        " each answer of the judge beside people's under the name of the trait"
    )
    if report.sound_sample is not None:
        text += f", estimates, bars and groups under “{HEADING}”"
    return f"{text}."


def _measure_row(trait: TraitReport, measure: Measure) -> tuple[str, ...]:
    """Return the row of one measure: people's number, the judge's on the same cells and on all.

    Before them are the trait's name, the measure, and how much of the trait is signed off. Name and
    count are "" in rows of other measures than the trait's headline. A number that is not known is
    a dash. A number of fewer than `ENOUGH` cells says of how many it is. So does the judge's, where
    it lacks some of the cells that people signed off.
    """
    name = ""
    signed_off = ""
    if measure is trait.headline:
        name = cut(trait.name, _NAME)
        signed_off = f"{trait.signed:,} of {trait.numbers.whole.cells:,}"
    by_side = trait.sides(measure)
    signed_count = by_side["signed"].n
    texts: list[str] = []
    for side in ("signed", "judge", "judge_all"):
        value = by_side[side].micro
        count = by_side[side].n
        is_of_fewer = side == "judge" and count < signed_count
        text = figure(value)
        if value is not None and (count < ENOUGH or is_of_fewer):
            text += f" (n {count:,})"
        texts.append(text)
    return name, called(measure), signed_off, *texts


def _estimate_texts(report: Report) -> dict[tuple[TraitKey, str], str]:
    """Return the estimates with their intervals as texts, by trait and by the measure's name.

    For several traits together the name in the key is "". An interval of another level than 95 %
    says its level. Numbers without an estimate are left out. Empty without a sample that agrees
    with itself.
    """
    texts: dict[tuple[TraitKey, str], str] = {}
    sample = report.sound_sample
    if sample is None:
        return texts
    for worth in sample.worths:
        estimate = worth.estimate
        if estimate is None:
            continue
        interval = between(estimate.low, estimate.high)
        if estimate.level != COVERAGE:
            # planned looks share what they may be wrong
            interval = f"{interval}, {percent(estimate.level)}"
        key = worth.trait.key, worth.measure.name
        texts[key] = f"{figure(estimate.value)} ({interval})"
    return texts


# -- where the judge errs -------------------------------------------------------------------------


def errs(report: Report) -> Iterator[Block]:
    """Yield on which side the judge goes wrong in each trait, and a table of cells that show it.

    The first `TRAITS` traits are told, each with at most `EXAMPLES` cells. The side is told from
    `FEWEST` audits of a sample on. If a trait has more overruled answers than cells in the table,
    both are counted in a sentence. A last sentence leads to the corrections, if there are any.
    Without such cells the table has no rows.
    """
    sides = _sides(report)
    rows: list[tuple[str, ...]] = []
    for trait in report.traits[:TRAITS]:
        if trait.key in sides:
            yield Sentence(sides[trait.key])
        examples = _examples(report, trait)
        overruled = trait.numbers.whole.overruled
        if len(examples) < overruled:
            answers = many(overruled, "answer")
            shown = many(len(examples), "cell is", "cells are")
            name = cut(trait.name, _NAME)
            yield Sentence(
                f"{name}: people overruled {answers} of the judge; {shown} shown here.",
            )
        rows += examples
    heads = ("trait", "example", "question", "response", "people against the judge")
    yield ReportTable(heads, rows)
    if report.corrections:
        yield Sentence(
            "All of them, with who, when and why, are below under “Corrections”.",
        )


def _sides(report: Report) -> dict[TraitKey, str]:
    """Return a sentence on which side the judge goes wrong in each of the first `TRAITS` traits.

    The sentences are by the names of kind and trait. Those of fewer than `FEWEST` audits are left
    out; all are without a sample that agrees with itself.
    """
    sentences: dict[TraitKey, str] = {}
    sample = report.sound_sample
    if sample is None:
        return sentences
    told = {trait.key for trait in report.traits[:TRAITS]}
    for errors in sample.errors:
        key = errors.trait.key
        if errors.n >= FEWEST and key in told:
            sentences[key] = side_text(errors)
    return sentences


def _examples(report: Report, trait: TraitReport) -> list[tuple[str, ...]]:
    """Return rows for at most `EXAMPLES` cells of a trait that show how the judge errs.

    Corrections in force come first, those with a reason before the others. Then come signed cells
    where the headline differs most. A cell comes once, and one whose texts the report has not kept
    is left out. A row has the trait, the cell, its question, its response, and people against the
    judge, all cut.
    """
    texts: dict[CellPlace, str] = {}
    places = {
        place for place, read in report.read_texts.items() if read.trait == trait.key
    }
    acts = [act for act in report.corrections if act.place in places and not act.fate]
    for act in sorted(acts, key=lambda act: not act.reason):
        text = cut(act.did, _EXAMPLE)
        if act.reason:
            text += f" (because: {cut(act.reason, _EXAMPLE)})"
        texts.setdefault(act.place, text)

    disagreements: list[tuple[CellReport, float, float]] = []
    for cell in report.cells:
        if cell.place not in places or not cell.signed_by:
            continue
        for people, judge in _people_and_judge(cell, trait.headline.name):
            if people != judge:
                disagreements.append((cell, people, judge))
    disagreements.sort(key=_size_of_disagreement, reverse=True)
    for cell, people, judge in disagreements:
        value_name = answer_name(trait.headline)
        text = f"{value_name}: people {number(people)}, the judge {number(judge)}"
        if cell.differs:
            text = cut(cell.differs, _EXAMPLE)
        texts.setdefault(cell.place, text)

    rows: list[tuple[str, ...]] = []
    for place, text in islice(texts.items(), EXAMPLES):
        read = report.read_texts[place]
        cell_name = cut(place.at, _NAME)
        question = cut(read.question, _READ)
        response = cut(read.response, _READ)
        rows.append((cut(trait.name, _NAME), cell_name, question, response, text))
    return rows


def _size_of_disagreement(disagreement: tuple[CellReport, float, float]) -> float:
    """Return how far people's number of a cell and the judge's are apart."""
    _, people, judge = disagreement
    return abs(people - judge)


def _people_and_judge(cell: CellReport, name: str) -> Iterator[tuple[float, float]]:
    """Yield people's number of a cell and the judge's for the measure `name`, if it has both."""
    for measure in cell.figures:
        if measure.metric == name and measure.both is not None:
            yield measure.both


# -- estimates ------------------------------------------------------------------------------------

PLOTTED = 30
CENSUS = (
    "All cells are signed off: the figures are of all responses here, with nothing to estimate."
    " They say nothing of responses that are not in this audit."
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


def _estimates(report: Report) -> Iterator[Block]:
    """Yield the page Estimate below pictures of its numbers; one sentence without a sample.

    It is one sentence, too, if all cells are signed off, with the first `TRAITS` traits. Of all
    cells, and of groups, the first `PLOTTED` numbers with an estimate are drawn, a picture each. On
    which side the judge errs is left out where the report says it further up. Of a sample that does
    not agree with itself there is only why.
    """
    numbers = report.sample
    if report.is_census:
        traits = ", ".join(cut(trait.name, _NAME) for trait in report.traits[:TRAITS])
        yield Sentence(
            f"No sample is needed. The judge stands beside people in: {traits}.",
        )
        return
    if numbers is None:
        yield Sentence(NO_SAMPLE)
        return
    if not numbers.audit.wanting:
        yield Sentence(sample_text(numbers.audit))
    for worths in (numbers.worths, numbers.by_group):
        estimated = [worth for worth in worths if worth.estimate is not None]
        if estimated:
            yield estimate_rows(estimated[:PLOTTED])
    for block in estimate_page(numbers):
        untold = _without(block, _sides(report).values())
        if untold is not None:
            yield untold


def _without(block: FigureBlock, sentences: Collection[str]) -> FigureBlock | None:
    """Return a block without the rows of the judge's errors whose sentence is told elsewhere.

    `sentences` are those told elsewhere. None if that leaves no row. Any block but the table of the
    judge's errors is returned as it is.
    """
    if not isinstance(block, FigureTable) or block.key != ERRORS_TABLE:
        return block
    rows = [row for row in block.rows if row.detail not in sentences]
    if not rows:
        return None
    return replace(block, rows=rows)


def _signed_numbers(report: Report) -> Iterator[Block]:
    """Yield how many cells are signed off, and a table of the measures of only these.

    The table has people's numbers and the judge's on the same cells. If nobody signed off anything,
    there is a sentence only. Traits without a signed cell are not in the table.
    """
    signed = report.states["reviewed"]
    cells = many(len(report.cells), "cell")
    text = f"Signed off: {signed:,} of {cells}."
    if not signed:
        yield Sentence(f"{text} There are no audited numbers yet.")
        return
    yield Sentence(
        f"{text} The numbers are of these alone, and the judge's of the same cells.",
    )
    signed_traits = [trait for trait in report.traits if trait.signed]
    yield measures("", signed_traits, SIGNED_OFF)


# -- design and looks -----------------------------------------------------------------------------


def design(report: Report) -> Iterator[Block]:
    """Yield how the sample was drawn, in which strata, and what was decided at which looks.

    A digest that was given comes first, with whether it holds. Of a sample come its size, seed,
    frame and digest, then waves and strata in a table each, of at most `ROWS` rows. Withdrawn
    samples are told in sentences. What happened to the audit as a whole is a table, without changes
    of the rubric. Of a sample a last sentence says if no bar was planned or decided, and whether to
    stop by an interval.
    """
    if report.digest is not None:
        yield Sentence(report.digest.text)
    numbers = report.sample
    if numbers is not None:
        sample = numbers.audit.sample
        yield Sentence(sample_text(numbers.audit))
        yield _draw_table(numbers.audit)
        if sample.is_in_waves:
            yield _waves(sample)
        if len(sample.strata) > 1:
            yield _strata(sample)
    yield from map(Sentence, withdrawn_text(report.design))
    events = [fact for fact in report.design if not isinstance(fact.what, RubricEvent)]
    yield _events(events)
    if numbers is not None and not numbers.gates:
        yield Sentence(f"No bar was planned or decided. {stopping_text(numbers)}")


def _draw_table(audit: AuditedSample) -> ReportTable:
    """Return a table of how a sample was drawn, with empty heads.

    The first row has how many units were drawn of how many in the frame. Then come the seed, the
    digest of the frame, and whether the judge was hidden; of several waves they are those of the
    last. The latest digest of the draw is the last row, which is left out if there is none.
    """
    sample = audit.sample
    labels = "hidden until ruled" if sample.last.blind else "in sight"
    rows = [
        ("Drawn", f"{len(sample):,} of {sample.frame:,} {audit.unit}s"),
        ("Seed", f"{sample.last.seed}"),
        ("sha256 of the frame", cut(sample.last.frame_sha256)),
        ("Judge's labels", labels),
    ]
    if audit.digests:
        latest = audit.digests[-1]
        rows.append(("Digest (for --drawn-as)", latest.letters))
    return ReportTable(("", ""), rows)


def _waves(sample: Sample) -> ReportTable:
    """Return a table of how each wave of a sample was drawn: the first `ROWS`, in their order.

    A row has the wave's name, inert and cut, its units, how many were drawn, the seed and the hash
    of the frame. Units are those that could be drawn. Nothing says that there are more.
    """
    rows = []
    for wave in sample.waves[:ROWS]:
        row = (
            cut(wave.name),
            f"{wave.frame:,}",
            f"{len(wave):,}",
            f"{wave.last.seed}",
            cut(wave.last.frame_sha256),
        )
        rows.append(row)
    return ReportTable(
        ("wave", "units", "drawn", "seed", "sha256 of the frame"),
        rows,
        1,
    )


def _strata(sample: Sample) -> ReportTable:
    """Return a table of the strata of a sample as texts: the first `ROWS`, in the sample's order.

    A row has the stratum's name, inert and cut, its units, how many were drawn, and the chance of
    each of its units from 0 to 1. Nothing says that there are more.
    """
    rows = []
    for stratum in sample.strata[:ROWS]:
        row = (
            cut(stratum.name),
            f"{stratum.units:,}",
            f"{stratum.drawn:,}",
            f"{stratum.chance:.3f}",
        )
        rows.append(row)
    return ReportTable(("stratum", "units", "drawn", "chance"), rows, 1)


def rubric_changes(report: Report) -> Iterator[Block]:
    """Yield a table of the rubrics that were taken, taken back and taken again, in order.

    A row has when, who and what. It has no rows if the rubric never changed.
    """
    yield _events(
        [fact for fact in report.design if isinstance(fact.what, RubricEvent)],
    )


def _events(facts: Iterable[DesignFact]) -> ReportTable:
    """Return a table of what happened to the audit as a whole: when, who and what, a row each.

    The rows are in the order of `facts`. What happened is in words, cut.
    """
    rows: list[TableRow] = []
    for fact in facts:
        what = describe_design(fact.what)
        row = (when(fact.at), cut(fact.by), cut(what))
        rows.append(row)
    return ReportTable(("when", "who", "what"), rows)


# -- the judge and its probes ---------------------------------------------------------------------


def judges(report: Report) -> Iterator[Block]:
    """Yield a table of who judged, by which prompt and with which parameters: the first `ROWS`.

    A row has the judge, the members of a panel, the sha256 of the prompt, the parameters, the most
    examples that were shown with one cell, and the number of cells. It has no rows if nobody
    judged. Nothing says that there are more.
    """
    rows = list(map(_judge, report.judges_used[:ROWS]))
    heads = (
        "judge",
        "members",
        "sha256 of the prompt",
        "parameters",
        "examples",
        "cells",
    )
    yield ReportTable(heads, rows, 4)


def _judge(judge: JudgeUsed) -> tuple[str, ...]:
    """Return the row of a judge: name, members, prompt, parameters, examples and cells.

    The prompt is the sha256 of the template and, if all cells were sent one text, of that text;
    texts that differ are only counted. Members are named. Examples are the most that it was shown
    with one cell, and cells are how many it judged. A dash stands for no members, no template or no
    parameters.
    """
    prompt = judge.template_sha256 or "–"
    if len(judge.prompts) == 1:
        (sent,) = judge.prompts
        prompt += f" (as sent: {sent})"
    elif judge.prompts:
        prompt += f" (as sent: {len(judge.prompts):,} that differ)"
    parameters = [f"{name} {value}" for name, value in judge.parameters.items()]
    parameters_text = ", ".join(parameters) or "–"
    members_text = ", ".join(judge.members) or "–"
    return (
        cut(judge.name),
        cut(members_text),
        cut(prompt),
        cut(parameters_text),
        f"{judge.shown:,}",
        f"{judge.cells:,}",
    )


def probes(report: Report) -> Iterator[Block]:
    """Yield how often the judge turned its answer when asked otherwise; nothing without probes.

    A sentence comes first, then a table with a row for each probe, in order. A dash stands for what
    was not recorded.
    """
    rows: list[TableRow] = []
    for fact in report.design:
        if isinstance(fact.what, Probed):
            rows.append(_probe_row(fact.at, fact.what))
    if not rows:
        return
    yield Sentence(
        "The same cells, asked in another way: how many answers turned. Of stay and turn, what a"
        " sound judge does.",
    )
    heads = ("when", "probe", "judge", "expected")
    figures = ("cells", "answers", "turned", "share", "interval")
    yield ReportTable((*heads, *figures), rows, 4)


def _probe_row(at: str, probed: Probed) -> TableRow:
    """Return the row of a probe: when, probe, judge, what a sound judge does, and its counts.

    The counts are cells, answers and turned answers, then the share that turned, and last its
    interval. `at` is when it was made. A dash stands for a number that was not recorded, and ""
    for what a sound judge does.
    """
    outcome = probed.outcome
    low = _number_or_none(outcome.get("low"))
    high = _number_or_none(outcome.get("high"))
    interval = "–"
    if low is not None and high is not None:
        interval = between(low, high)
    return (
        when(at),
        cut(probed.probe),
        cut(judge_name(probed.judge)),
        cut(str(outcome.get("expected", ""))),
        f"{probed.cells:,}",
        _count_text(outcome.get("answers")),
        _count_text(outcome.get("turned")),
        figure(_number_or_none(outcome.get("share"))),
        interval,
    )


def _number_or_none(value: object) -> float | None:
    """Return a value of a saved outcome if it is a finite number; None for any other value.

    None, too, for a whole number that is larger than a float can be.
    """
    if isinstance(value, float | int) and abs(value) <= float_info.max:
        return value
    return None


def _count_text(value: Any) -> str:
    """Return a whole number as text; a dash for any other value."""
    return f"{value:,}" if isinstance(value, int) else "–"


# -- what it does not say -------------------------------------------------------------------------


def limits(report: Report) -> Iterator[Block]:
    """Yield sentences on what nobody should conclude from the numbers.

    The first ones say what the numbers are of: all responses here, a sample, or cells that people
    chose. One on the number of people who ruled is in any report. Others come only where they
    apply: several judges of one trait, examples, revised traits, labels about different texts,
    suspicions, a digest that does not hold, and no probe.
    """
    if report.is_census:
        yield Sentence(CENSUS)
    elif report.sound_sample is None:
        yield Sentence(CHOSEN)
    else:
        yield from map(Sentence, _of_the_sample(report.sound_sample))
        if withdrawals(report.design):
            yield Sentence(CHOSEN_SAMPLE)
    yield Sentence(_of_the_people(report.signers))
    judged_by = Counter(trait for used in report.judges_used for trait in used.traits)
    mixed = [trait for trait, count in judged_by.items() if count > 1]
    if mixed:
        numbers = f"the judge's numbers of {', '.join(mixed)} together"
        yield Sentence(
            f"Several judges or prompts are in {numbers}: they are of no single one.",
        )
    if report.examples:
        yield Sentence(
            f"{_examples_text(report)}. No trace shown is to be drawn, or the judge would be"
            " measured by what it was told.",
        )
    if report.revised:
        yield Sentence(
            f"{many(report.revised, 'cell')} began under earlier words of the trait.",
        )
    for reading in report.mixed:
        yield Sentence(reading.describe)
    yield from map(Sentence, report.suspicions.texts)
    if report.digest is not None and not report.digest.holds:
        yield Sentence(report.digest.text)
    if not any(isinstance(fact.what, Probed) for fact in report.design):
        yield Sentence(
            "Whether the judge would say the same to the same question in other words is not known:"
            " it was not probed (appellate probe asks it again in other ways).",
        )


def _of_the_sample(numbers: SampleNumbers) -> Iterator[str]:
    """Yield sentences on what the estimates of a sample do not say.

    Two always come: what they are of, and what an interval covers. Others follow if people had the
    labels in sight, if cells of the frame were not judged, and if some rest on fewer than
    `ENOUGH_AUDITS` audits, not all that there could be, and have no interval by betting.
    """
    audit = numbers.audit
    yield (
        f"The estimates are of the {audit.sample.frame:,} {audit.unit}s that could be drawn,"
        " as this judge judged them and these people ruled; of other questions, models or times"
        " they say nothing."
    )
    yield (
        "An interval covers what the chance of the draw may do: of 100 such audits about 95 hold"
        " the number that people would have come to on all. It covers no mistakes of people."
    )
    fewest = min(
        (
            worth.estimate.n
            for worth in numbers.worths
            if worth.estimate is not None
            and not worth.is_by_betting
            and worth.estimate.n < worth.estimate.frame
        ),
        default=ENOUGH_AUDITS,
    )
    if fewest < ENOUGH_AUDITS:
        audits = many(fewest, "audit")
        yield (
            f"Some rest on {audits}. Below {ENOUGH_AUDITS} the intervals hold the truth"
            " somewhat more or less often than they say (90 to 100 of 100 at 20, simulated)."
        )
    if not audit.sample.last.blind:
        yield (
            "People had the judge's labels before them as they ruled. That draws them to the judge,"
            " and makes it look better than it is."
        )
    unjudged = max((worth.part.unjudged for worth in numbers.worths), default=0)
    if unjudged:
        yield (
            f"{many(unjudged, 'cell of the frame has', 'cells of the frame have')} no labels of the"
            " judge: judge only leaves"
            " them out, and they are in the corrected number through the people alone."
        )


def _of_the_people(reviewers: Sequence[str]) -> str:
    """Return in a sentence or two what the number of people who signed off means for the figures.

    `reviewers` are their names, each once, which are told. Without any it says that all figures are
    the judge's.
    """
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
    """Yield a table of the works that the methods are from, then one block of their BibTeX entries.

    Works for methods that this report does not use are left out.
    """
    rows: list[TableRow] = []
    entries: list[str] = []
    for reference in report.references:
        rows.append((reference.key, reference.used_for))
        entries.append(reference.entry)
    yield ReportTable(("work", "used for"), rows)
    yield Verbatim("\n\n".join(entries))


# -- the audit and its people ---------------------------------------------------------------------


def _audit(report: Report) -> Iterator[Block]:
    """Yield a table of what the audit is, and sentences on what of it counts in no number.

    The table has a line each for when it was saved, rubric, traces, cells by state, judges and
    version. The sentences are on cells without labels, cells to be ruled on blind, cells that began
    under an earlier trait, and examples, each if there are any.
    """
    cells = f"{len(report.cells):,}"
    if report.cells:
        cells += f": {_states(report.states, report.hidden)}"
    judges = "; ".join(
        f"{cut(judge)} ({many(count, 'cell')})" for judge, count in report.judges
    )
    yield ReportTable(
        ("", ""),
        [
            ("As of", when(report.saved)),
            ("Rubric", cut(report.rubric) or "without a name"),
            ("its sha256", report.rubric_sha256),
            ("Traces", f"{report.trace_count:,}"),
            ("Cells", cells),
            ("Judge", judges or "none"),
            ("Written by", f"Appellate {cut(report.version)}"),
        ],
    )
    bare = report.states["pending"] + report.states["failed"]
    yield from map(Sentence, uncounted_texts(len(report.cells), bare, report.hidden))
    if report.revised:
        yield Sentence(
            f"{many(report.revised, 'cell')} began under an earlier version of the trait.",
        )
    if report.examples:
        yield Sentence(
            f"{_examples_text(report)}: no instruction counts as overruled there.",
        )


def _examples_text(report: Report) -> str:
    """Return in words how many cells were shown to a judge as examples."""
    singular = "cell was shown to a judge as an example"
    plural = "cells were shown to a judge as examples"
    return many(report.examples, singular, plural)


def _people(report: Report) -> Iterator[Block]:
    """Yield a table of who reviewed and how much, and sentences about the pace of each person.

    Each person and each agent has a row, an agent with " (agent)" after its name. It has the first
    and the last act, corrections, sign-offs, comments, and what was undone. If nobody reviewed,
    there is only the table, without rows. Where agents acted, a sentence says that all sign-offs
    are persons'. What a person judged a second time is told after that person's pace. Agents have
    no such sentences.
    """
    rows = []
    for reviewer in report.reviewers:
        counts = (
            reviewer.corrections,
            reviewer.signed_off,
            reviewer.comments,
            reviewer.undone,
        )
        texts = [f"{count:,}" for count in counts]
        name = cut(reviewer.name)
        if reviewer.as_agent:
            name += " (agent)"
        rows.append((name, when(reviewer.first), when(reviewer.last), *texts))
    heads = (
        "who",
        "first act",
        "last act",
        "corrections",
        "sign-offs",
        "comments",
        "undone",
    )
    yield ReportTable(heads, rows, 3)
    if any(reviewer.as_agent for reviewer in report.reviewers):
        signed = many(
            sum(reviewer.signed_off for reviewer in report.reviewers),
            "sign-off is",
            "sign-offs are",
        )
        yield Sentence(
            f"All {signed} persons'. What agents did counts once a person signed it off.",
        )
    for reviewer in report.reviewers:
        if reviewer.as_agent:
            continue
        name = cut(reviewer.name)
        if reviewer.pace.median_seconds is not None:
            yield Sentence(f"{name}: {_pace(reviewer)}")
        for text in reviewer.pace.describe():
            yield Sentence(f"{name}: {text}")
        for text in _second_pass_texts(reviewer):
            yield Sentence(f"{name}, {text}")


def _second_pass_texts(reviewer: Reviewer) -> Iterator[str]:
    """Yield a clause for each trait that a person judged a second time: how far both agree.

    It begins in lower case, to follow the person's name, and ends with a full stop. Traits without
    a name or counts, as an edited file may have, are left out. Nothing if the person judged nothing
    a second time.
    """
    tables = reviewer.again.get("traits")
    if not isinstance(tables, list):
        return
    for table in tables:
        if not _counts_both_passes(table):
            continue
        name = cut(table["trait"])
        sight_at_first = "with the judge in sight at first"
        if table.get("blind_before"):
            sight_at_first = "blind both times"
        alike = table["alike"]
        answers = many(table["answers"], "answer")
        text = f"{alike:,} of {answers} alike"
        kappa = _number_or_none(table.get("kappa"))
        if kappa is not None:
            text += f", kappa {figure(kappa)}"
        yield f"a second time, on {name}, {sight_at_first}: {text}."


def _counts_both_passes(table: object) -> bool:
    """Return whether an entry of a saved second pass names its trait and counts its answers.

    A file that was edited may hold anything there.
    """
    if not isinstance(table, Mapping) or not isinstance(table.get("trait"), str):
        return False
    counts = (table.get("answers"), table.get("alike"))
    return all(isinstance(count, int) for count in counts)


def _pace(reviewer: Reviewer) -> str:
    """Return a sentence on how long a person saw cells, and how often they changed nothing.

    It has no name in it, to follow the person's. The time is the median in seconds, which must be
    known. The second part counts sign-offs of what the judge proposed among those in sight of the
    judge, and is left out if all were ruled blind.
    """
    pace = reviewer.pace
    text = f"{pace.median_seconds:g} s in sight before a sign-off (median of {pace.timed:,})"
    signed_in_sight = pace.signed - reviewer.ruled
    if signed_in_sight:
        cells = many(signed_in_sight, "cell")
        text += f", {pace.accepted:,} of {cells} signed off as the judge proposed"
    return f"{text}."


# -- traits ---------------------------------------------------------------------------------------


def _trait(anchor: str, trait: TraitReport) -> ReportSection:
    """Return the section of a trait: its cells by state, its pictures, then its figures.

    Measures are drawn of signed cells, and of all cells as they are now if some have labels that
    nobody signed off. The main one has a histogram, too, if it has bounds. Pairs of answers, groups
    and instructions have a picture if there are any, instructions only if one is in two cells or
    more. `anchor` is the section's id on the page. The section is folded.
    """
    totals = trait.numbers.whole
    cells = many(totals.cells, "cell")
    states = _states(trait.states, trait.hidden)
    text = f"{cells} of the kind {trait.kind.name}: {states}."
    blocks: list[Block] = [Sentence(text)]
    sides_with_labels: list[Sides] = []
    if trait.signed:
        sides_with_labels.append(SIGNED_OFF)
    if trait.unsigned:
        sides_with_labels.append(AS_THEY_STAND)
    for sides in sides_with_labels:
        blocks.append(metric_bars(trait, sides))
        if is_bounded(trait.headline):
            spread: dict[str, Sequence[int]] = {}
            for side in sides:
                spread[side] = trait.spread[trait.headline.name][side]
            blocks.append(histogram(trait.headline, spread))
    for agreement in (totals.blind, totals.agreement):
        if agreement.n:
            blocks.append(confusion_grid(agreement))
    if trait.numbers.by:
        blocks.append(group_means(trait, SIGNED_OFF if trait.signed else AS_THEY_STAND))
    if any(
        instruction.stats.cells > 1
        for instruction in trait.numbers.instructions[:PICTURED]
    ):
        blocks.append(stacked(trait))
    return _section(anchor, cut(trait.name), [*blocks, *trait_page(trait, ROWS)])


def _states(states: Mapping[str, int], hidden: int) -> str:
    """Return in words how many cells are in each state, with commas; those without are left out.

    `hidden` cells are those still to be ruled on blind. "" if all are 0.
    """
    texts: list[str] = []
    for state, count in states.items():
        if count:
            texts.append(f"{count:,} {state}")
    if hidden:
        texts.append(f"{hidden:,} to be ruled on blind")
    return ", ".join(texts)


# -- acts and cells -------------------------------------------------------------------------------


def _corrections(report: Report) -> Iterator[Block]:
    """Yield how many corrections there are, their reasons, and all of them as acts.

    It is said how many are undone or replaced, in how many cells they are not told while the judge
    is hidden, and that verdicts ruled blind are no corrections. Without corrections there is only
    the sentence on hidden cells, if there are such, and an empty list of acts.
    """
    if report.corrections:
        text = f"{many(len(report.corrections), 'correction')}, in the order they were made"
        if report.undone:
            text += f"; {report.undone:,} of them undone"
        if report.gone:
            text += (
                f"; {report.gone:,} not in the labels any more, since later ones came"
            )
        yield Sentence(f"{text}.")
    if report.withheld:
        cells = many(report.withheld, "cell was", "cells were")
        yield Sentence(
            f"{cells} worked on before the judge was hidden there: what was done is shown once"
            " ruled on.",
        )
    if report.corrections and report.blind:
        cells = many(report.blind, "cell was", "cells were")
        yield Sentence(
            f"{cells} ruled blind: the verdicts there are no corrections, as the judge was not"
            " in sight.",
        )
    yield from reasons(report)
    yield Acts(report.corrections, "did")


def _amiss(report: Report) -> Iterator[Block]:
    """Yield what is wrong in labels: a sentence with counts, then a table with a row for each cell.

    The sentence counts excerpts that are not found, inconsistencies and cells, and is left out if
    nothing is wrong. A row has the trace, the trait, how many excerpts are not found, and what is
    inconsistent in words. Without such cells the table has no rows.
    """
    if report.amiss:
        unverified = 0
        breach_count = 0
        for amiss in report.amiss:
            unverified += amiss.unverified
            breach_count += len(amiss.breaches)
        excerpts = many(unverified, "excerpt")
        inconsistent = many(breach_count, "inconsistency", "inconsistencies")
        cells = many(len(report.amiss), "cell")
        yield Sentence(
            f"{excerpts} not found, {inconsistent}, in {cells}. They change no number.",
        )
    heads = ("trace", "trait", "unverified", "inconsistent")
    yield ReportTable(heads, RowsAsRead(report.amiss, _amiss_row))


def _amiss_row(amiss: Amiss) -> TableRow:
    """Return the row of a cell with something wrong: trace, trait, excerpts, and breaches.

    Trace and trait are inert and cut. The excerpts are the number of those not found, also "0". The
    breaches of rules are in words, in one text that is cut; "" without any.
    """
    trace, trait = _where(amiss.place)
    text = cut(" ".join(amiss.breaches), 3 * TABLE)
    return trace, trait, f"{amiss.unverified:,}", text


def _closing(report: Report) -> Iterator[Block]:
    """Yield what cells come to in words: their scores, what falls short, what to do.

    A sentence counts the cells that lack something. The first `CLOSINGS` cells have a table each,
    in the order of the report, headed by the cell and whose labels it is by; the others are
    counted. Nothing if no cell has such words.
    """
    if not report.closings:
        return
    short_count = 0
    gap_count = 0
    for closing_report in report.closings:
        gaps = closing_report.closing.gaps
        short_count += bool(gaps)
        gap_count += len(gaps)
    cells = many(len(report.closings), "cell")
    gaps_text = many(gap_count, "sentence")
    yield Sentence(
        f"In {short_count:,} of {cells} something lacks full support: {gaps_text}."
        " Those come first.",
    )
    for closing_report in report.closings[:CLOSINGS]:
        yield _closing_table(closing_report)
    rest = len(report.closings) - CLOSINGS
    if rest > 0:
        further = many(rest, "further cell")
        yield Sentence(f"{further}: the report with --format json has them.")


def _closing_table(closing_report: ClosingWords) -> ReportTable:
    """Return a table of what one cell comes to in words: scores, what falls short, what to do.

    Its heads are the cell, and whose labels it is by. Quoted words are cut. The row of the scores
    is always there; each thing that falls short and each advice has a row.
    """
    closing = closing_report.closing
    scores = "; ".join(closing.meanings)
    rows = [("scores", f"{scores}.")]
    for gap, words in closing.gaps:
        quoted_words = cut(words, LIST)
        rows.append((cut(gap), f"“{quoted_words}”"))
    for advice in closing.advice:
        rows.append(("what to do", advice))
    heads = (where(closing_report.place), f"by the labels {closing_report.labels}")
    return ReportTable(heads, rows)


def _addressed(report: Report) -> Iterator[Block]:
    """Yield a table of all cells whose traces may address the judge: trace, trait, passages.

    The passages are counted. A sentence on how they were found comes before it. Without such cells
    it is a table without rows only.
    """
    addressed = report.suspicions.addressed
    if addressed:
        yield Sentence(
            "A response may ask its judge for a verdict. The passages are found by their words:"
            " some may be harmless, and others are missed. They change no number.",
        )
    yield ReportTable(
        ("trace", "trait", "passages"),
        RowsAsRead(addressed, _addressed_row),
    )


def _addressed_row(cell: SuspiciousCell) -> TableRow:
    """Return the row of a cell: trace, trait, and how many passages of it may address the judge.

    Trace and trait are inert and cut.
    """
    return cut(cell.at), cut(cell.trait), f"{cell.passages:,}"


def _changed(report: Report) -> Iterator[Block]:
    """Yield a table of all cells that were changed after they were signed off or judged.

    A row has the trace, the trait and what was changed. Cells that people had settled before the
    change come first. Without any it has no rows.
    """
    changed = [*report.suspicions.unsettled, *report.suspicions.moved]
    yield ReportTable(("trace", "trait", "what"), RowsAsRead(changed, _changed_row))


def _changed_row(cell: ChangedCell) -> TableRow:
    """Return the row of a changed cell: trace, trait and what was changed, each inert and cut."""
    return cut(cell.at), cut(cell.trait), cut(cell.changed)


def _other_models(report: Report) -> Iterator[Block]:
    """Yield a table of all cells in which another model answered than was asked.

    A row has the model asked, the one that answered, the trace and the trait, each inert and cut.
    It has no rows without such cells.
    """
    rows: list[TableRow] = []
    for other_model in report.suspicions.other_models:
        asked = cut(other_model.asked)
        served = cut(other_model.served)
        for trace, trait in other_model.cells:
            rows.append((asked, served, cut(trace), cut(trait)))
    yield ReportTable(("asked", "answered", "trace", "trait"), rows)


def _members(report: Report) -> Iterator[Block]:
    """Yield a table of all cells that a member of a panel gave no labels to, with why.

    A row has the member, the trace, the trait and the reason, each inert and cut. It has no rows
    without such cells.
    """
    rows: list[TableRow] = []
    for member in report.suspicions.failed_members:
        name = cut(member.name)
        for trace, trait, reason in member.cells:
            row = (name, cut(trace), cut(trait), cut(reason))
            rows.append(row)
    yield ReportTable(("member", "trace", "trait", "why"), rows)


def _flagged(report: Report) -> Iterator[Block]:
    """Yield a table of all flagged cells, with who raised the flag last and when.

    A row has the trace, the trait and the name, each inert and cut, and the time. It has no rows if
    no flag is up.
    """
    rows: list[TableRow] = []
    for act in report.flags:
        trace, trait = _where(act.place)
        person = cut(act.by)
        rows.append((trace, trait, person, when(act.at)))
    yield ReportTable(("trace", "trait", "by", "when"), rows)


def _untold(report: Report) -> Iterator[Block]:
    """Yield how many verdicts cannot be told, by trait, and a table of the first with reasons.

    Each trait with any has a sentence, with how many cells that is by the labels now and how many
    by the judge. The table comes last, and has no rows if there are no such verdicts. The first
    `ROWS` verdicts are in it, each with its cell, who says so and why; nothing says that there are
    more.
    """
    for trait in report.traits:
        counts = trait.numbers.whole.counts
        people_side, judge_side = AS_THEY_STAND
        current_count = counts[people_side].get(CANNOT_TELL_COUNT, 0)
        judge_count = counts[judge_side].get(CANNOT_TELL_COUNT, 0)
        if current_count or judge_count:
            name = cut(trait.name, _NAME)
            cells = many(current_count, "cell")
            yield Sentence(
                f"{name}: cannot tell, in {cells} as the labels are now, and in {judge_count:,} by"
                " the judge. These are in no mean, no agreement and no estimate of this report.",
            )
    rows = []
    for untold in report.untold[:ROWS]:
        cell_trace, cell_trait = _where(untold.place)
        reason = cut(untold.why, 3 * TABLE)
        rows.append((cell_trace, cell_trait, cut(untold.by, _NAME), reason))
    yield ReportTable(("trace", "trait", "who", "why"), rows)


def _failed(report: Report) -> Iterator[Block]:
    """Yield a table of all cells where the judge failed last: trace, trait, state, when and why.

    Cells that the judge labelled since are not in it. It has no rows if there are none.
    """
    heads = ("trace", "trait", "the cell is", "when", "reason")
    yield ReportTable(heads, RowsAsRead(report.failures, _failed_row))


def _failed_row(cell: FailedCell) -> TableRow:
    """Return the row of a cell where the judge failed: trace, trait, its state, when and why.

    Texts are inert and cut.
    """
    trace, trait = _where(cell.place)
    error = cut(cell.error, 3 * TABLE)
    return trace, trait, cell.state, when(cell.at), error


def _signed(report: Report) -> Iterator[Block]:
    """Yield a table of all sign-offs that count now, in the order of signing.

    A row has the trace, the trait, who signed the cell off, when, and how many corrections are in
    its labels, without those made blind. It has no rows if nobody signed off anything.
    """
    heads = ("trace", "trait", "by", "when", "corrections")
    yield ReportTable(heads, RowsAsRead(report.signed, _signed_row))


def _signed_row(cell: CellReport) -> TableRow:
    """Return the row of a signed cell: trace, trait, who signed it off, when, and its corrections.

    Texts are inert and cut. The corrections are counted: those in its labels now, without those
    made blind.
    """
    trace, trait = _where(cell.place)
    person = cut(cell.signed_by)
    return trace, trait, person, when(cell.signed_at), f"{cell.corrections:,}"


def where(place: CellPlace) -> str:
    """Return the trace and the trait of a cell as one text, inert and cut."""
    return " · ".join(_where(place))


def _where(place: CellPlace) -> tuple[str, str]:
    """Return the trace and the trait of a cell, each inert and cut."""
    return cut(place.at), cut(place.trait)


def reasons(report: Report) -> Iterator[Block]:
    """Yield a sentence and a table of the reasons of the corrections in force, the commonest first.

    The first `ROWS` are in it. Nothing if no correction has a reason.
    """
    counts_by_reason = report.reasons
    if not any(reason for reason, _ in counts_by_reason):
        return
    rows: list[TableRow] = []
    for reason, count in counts_by_reason[:ROWS]:
        rows.append((cut(reason) or "none given", f"{count:,}"))
    yield Sentence("Corrections in the labels now, by reason:")
    yield ReportTable(("reason", "corrections"), rows, 1)
