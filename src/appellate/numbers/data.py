"""Numbers for programs: the report as JSON and CSV, the figures of `appellate metrics` as both.

In CSV an apostrophe keeps a text from being a formula, and what acts or hides is shown as its
codepoint; JSON keeps every text exactly, with escapes for such characters.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from msgspec import to_builtins

from appellate.core.agreement import FULL_NAMES, Agreement, Rates
from appellate.core.breakdown import Breakdown, BySide, GroupFigures, InstructionFigures
from appellate.core.design_facts import Sample
from appellate.core.figures import Sentence
from appellate.core.inert import inert_json_parts, spelled_out
from appellate.core.kind import CANNOT_TELL_COUNT
from appellate.core.panel_agreement import PanelAgreement
from appellate.numbers.bars import Gate, LookTaken, asked_bars
from appellate.numbers.census import Census, CensusGate
from appellate.numbers.differences import read_difference
from appellate.numbers.digests import DigestCheck
from appellate.numbers.estimates import (
    COVERAGE,
    AuditedSample,
    EstimatedTrait,
    GroupDifference,
    JudgeErrors,
    Worth,
)
from appellate.numbers.gold_verdict import GoldVerdict
from appellate.numbers.judge_page import less
from appellate.numbers.report import (
    FORMAT,
    ActReport,
    Amiss,
    CellReport,
    FailedCell,
    JudgeUsed,
    Report,
    TraitReport,
    UntoldVerdict,
    design_table,
)
from appellate.numbers.samples import SampleNumbers
from appellate.numbers.sections import limits
from appellate.numbers.sentences import has_sides, wrongly
from appellate.numbers.suspicions import FailedMember, Suspicions
from appellate.numbers.waves import WaveNumber
from appellate.stats.betting import Evidence
from appellate.stats.estimates import Estimate
from appellate.stats.looks import LEVEL

CELL_COLUMNS = (
    "trace",
    "epoch",
    "trait",
    "question_id",
    "model",
    "judged_by",
    "round",
    "state",
    "signed",
    "flagged",
    "signed_by",
    "signed_at",
    "corrections",
    "metric",
    "standing",
    "judge",
    "difference",
    "cluster",
    "group",
    "sampled",
    "verdict",
)
"""The columns of every row; after them come what was counted and the words, on either side."""
CSV_BEGINS = ",".join(CELL_COLUMNS[:8])
BEGINS = '{\n  "format": "appellate-report/'
Table = dict[str, Any]
_Row = Mapping[str, Any]
_FORMULA = re.compile(r"'*\s*[=+\-@|%\t]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def json_parts(report: Report) -> Iterator[str]:
    """Yield everything in the report as JSON in parts, nothing cut, with a newline at its end.

    The keys are format, sentence, signed_off, saved, appellate, rubric, traces, by, states, hidden,
    ruled_blind, examples, revised, judges, reviewers, worth, design, judge, traits, cells,
    corrections, withheld, reasons, comments, flags, failures, amiss, limits and bibtex. `worth` has
    the numbers of the sample and is null if none was drawn. Cells, acts and failures are tables
    that begin with trace, epoch and trait. Characters that are not printable are JSON's escapes, so
    that no terminal obeys them. What there may be none of, as closings in words, suspicions, a
    digest or a gold set, has a key only if there is some.
    """
    worth = None if report.sample is None else numbers_table(report.sample)
    document = {
        "format": FORMAT,
        "sentence": " ".join(report.first_sentences),
        "signed_off": {"cells": report.states["reviewed"], "of": len(report.cells)},
        "saved": report.saved,
        "appellate": report.version,
        "rubric": {"name": report.rubric, "sha256": report.rubric_sha256},
        "traces": report.trace_count,
        "by": report.by or None,
        "states": report.states,
        "hidden": report.hidden,
        "ruled_blind": report.blind,
        "examples": report.examples,
        "revised": report.revised,
        "judges": [{"judge": judge, "cells": cells} for judge, cells in report.judges],
        "reviewers": list(map(to_builtins, report.reviewers)),
        "worth": worth,
        "design": list(map(design_table, report.design)),
        "judge": list(map(_judge, report.judges_used)),
        "traits": map(_trait, report.traits),
        "cells": map(_with_place_first, report.cells),
        "corrections": map(_with_place_first, report.corrections),
        "withheld": report.withheld,
        "reasons": [
            {"reason": reason or None, "corrections": count}
            for reason, count in report.reasons
        ],
        "comments": map(_with_place_first, report.comments),
        "flags": map(_with_place_first, report.flags),
        "failures": map(_with_place_first, report.failures),
        "amiss": map(_with_place_first, report.amiss),
        **_closings(report),
        **_untold(report),
        **suspicions_table(report.suspicions),
        **_drawn_as(report.digest),
        **gold_under(report.gold),
        "limits": [
            block.text for block in limits(report) if isinstance(block, Sentence)
        ],
        "bibtex": [reference.entry for reference in report.references],
    }
    yield from inert_json_parts(document, 2)
    yield "\n"


def _closings(report: Report) -> Table:
    """Return what the labels of cells come to in words, as rows under `in_words`.

    A row has the cell's trace, epoch and trait, labels, scores, gaps and what_to_do. "scores" and
    "what_to_do" are lists of texts. Each of "gaps" has a gap and its words. {} if there are no such
    words for any cell.
    """
    rows: list[Table] = []
    for closing_report in report.closings:
        closing = closing_report.closing
        gaps: list[Table] = []
        for gap, words in closing.gaps:
            gaps.append({"gap": gap, "words": words})
        row = {
            **closing_report.place._asdict(),
            "labels": closing_report.labels,
            "scores": list(closing.meanings),
            "gaps": gaps,
            "what_to_do": list(closing.advice),
        }
        rows.append(row)
    if not rows:
        return {}
    return {"in_words": rows}


def _untold(report: Report) -> Table:
    """Return what could not be told under the one key `cannot_tell`; {} if all was told.

    Each of its rows has trace, epoch, trait, by (who says so) and why.
    """
    if not report.untold:
        return {}
    return {CANNOT_TELL_COUNT: list(map(_with_place_first, report.untold))}


def suspicions_table(suspicions: Suspicions) -> Table:
    """Return what to look at before verdicts are believed, as a part of the report's JSON.

    The keys are `addressed`, `unsettled`, `moved`, `edits`, `other_models` and `failed_members`.
    Each has tables, but `edits` a list of sentences. Those of which there is nothing are left out;
    {} if there is nothing at all. The first three are iterators of tables, made as they are
    written.
    """
    table: Table = {}
    if suspicions.addressed:
        table["addressed"] = map(to_builtins, suspicions.addressed)
    if suspicions.unsettled:
        table["unsettled"] = map(to_builtins, suspicions.unsettled)
    if suspicions.moved:
        table["moved"] = map(to_builtins, suspicions.moved)
    if suspicions.edits:
        table["edits"] = list(suspicions.edits)
    if suspicions.other_models:
        table["other_models"] = []
        for other_model in suspicions.other_models:
            cells = [
                {"trace": trace, "trait": trait} for trace, trait in other_model.cells
            ]
            row = {
                "asked": other_model.asked,
                "served": other_model.served,
                "cells": cells,
            }
            table["other_models"].append(row)
    if suspicions.failed_members:
        table["failed_members"] = list(map(_failed_member, suspicions.failed_members))
    return table


def _failed_member(member: FailedMember) -> Table:
    """Return a member of a panel as plain data: the cells that it gave no labels to, with why.

    The keys are member, asked and cells. "asked" is how many cells it was asked about. Each of
    "cells" has trace, trait and reason.
    """
    cells: list[Table] = []
    for trace, trait, reason in member.cells:
        cells.append({"trace": trace, "trait": trait, "reason": reason})
    return {"member": member.name, "asked": member.asked, "cells": cells}


def _judge(judge: JudgeUsed) -> dict[str, object]:
    """Return a judge and how it was asked, as plain data.

    The keys are judge, members, template_sha256, prompt_sha256 (a list), parameters (a table),
    examples and cells. "template_sha256" is None without a template, "members" lists names and is
    empty for a single judge. "examples" is the most that it was shown with one cell, and "cells"
    how many it judged.
    """
    return {
        "judge": judge.name,
        "members": list(judge.members),
        "template_sha256": judge.template_sha256 or None,
        "prompt_sha256": list(judge.prompts),
        "parameters": judge.parameters,
        "examples": judge.shown,
        "cells": judge.cells,
    }


def _trait(trait: TraitReport) -> dict[str, object]:
    """Return the numbers of a trait as the report's JSON has them.

    The keys are name, kind, cells, states, hidden, counts, metrics, instructions, reviewed,
    agreement, blind_agreement, panel, epochs and groups. "metrics" has for each measure its figures
    by side, its spread over the scale, people's difference to the judge, its bounds and its
    direction. "instructions" is an iterator of tables, made as they are written. "panel" is None
    without a panel, and "groups" empty without groups.
    """
    numbers = trait_table(trait.numbers)
    metrics: Table = {}
    for measure in trait.numbers.measures:
        changes = trait.changes[measure.name].items()
        metrics[measure.name] = {
            **_by_side(trait.sides(measure)),
            "spread": trait.spread[measure.name],
            "difference": {people: change._asdict() for (people, _), change in changes},
            "bounds": [measure.low, measure.high],
            "higher_is_better": measure.higher_is_better,
        }
    return {
        "name": trait.name,
        "kind": trait.kind.name,
        "cells": trait.numbers.whole.cells,
        "states": trait.states,
        "hidden": trait.hidden,
        "counts": trait.numbers.whole.counts,
        "metrics": metrics,
        "instructions": map(_instruction, trait.numbers.instructions),
        "reviewed": trait.signed,
        "agreement": numbers["agreement"],
        "blind_agreement": numbers["blind_agreement"],
        "panel": numbers.get("panel"),
        "epochs": numbers["epochs"],
        "groups": numbers.get("groups", []),
    }


def _instruction(instruction: InstructionFigures) -> dict[str, object]:
    """Return an instruction as plain data, as `metrics --json` has it, with its counts of answers.

    Each count of answers is also a key of its own. One whose answer is named like another key is
    only in `answers`.
    """
    return {**instruction.stats.answers, **instruction_table(instruction)}


def _with_place_first(
    row: CellReport | ActReport | FailedCell | Amiss | UntoldVerdict,
) -> Table:
    """Return a row as plain data, with its cell's trace, epoch and trait first.

    These three keys come in place of the key `place`; the other fields keep their names. The row
    does not change.
    """
    table = to_builtins(row)
    table.pop("place")
    return {**row.place._asdict(), **table}


def csv_parts(report: Report) -> Iterator[str]:
    """Yield the report's cells as CSV in parts: a row for each metric of each cell.

    The first line has the names of the columns. What is 0/0 or not there is empty. Columns for
    counts and words that any cell has come last. A cell without metrics has no row. A text that a
    spreadsheet would take for a formula gets an apostrophe before it.
    """
    counted = _counted_columns(cell.counts for cell in report.cells)
    texts = _counted_columns(cell.words for cell in report.cells)
    columns = [*CELL_COLUMNS, *counted, *texts]
    rows = chain.from_iterable(map(_rows, report.cells))
    yield from _csv_parts(columns, rows)


def csv_text(columns: Sequence[str], rows: Iterable[_Row]) -> str:
    """Return rows as CSV under the names of their columns, lines ending with a newline.

    An entry is empty where a row has no such key; a key that has no column is left out. A text that
    a spreadsheet would take for a formula gets an apostrophe before it. Without rows it is the line
    of names only.
    """
    return "".join(_csv_parts(columns, rows))


_ROWS = 500
"""Rows of CSV that are written at once."""


def _csv_parts(columns: Sequence[str], rows: Iterable[_Row]) -> Iterator[str]:
    """Yield CSV in parts of at most `_ROWS` lines: first the names of the columns, then the rows.

    An entry is empty where a row has no such key; a key that has no column is left out. `rows` are
    consumed part by part.
    """
    rows_of_values = (map(row.get, columns) for row in rows)
    lines = chain([columns], rows_of_values)
    while batch := list(islice(lines, _ROWS)):
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        for values in batch:
            writer.writerow(map(entry, values))
        yield file.getvalue()


def _counted_columns(
    cells: Iterable[Mapping[str, Mapping[str, int | str]]],
) -> list[str]:
    """Return the columns for all that any cell has on a side, such as "judge_tp".

    A column is named by the side, "standing" or "judge", and the name. Those of "standing" come
    first, each side with the same names in the order of first occurrence.
    """
    names: dict[str, None] = {}
    for cell in cells:
        for side in cell.values():
            names |= dict.fromkeys(side)
    return [f"{side}_{name}" for side in ("standing", "judge") for name in names]


def _rows(cell: CellReport) -> Iterator[_Row]:
    """Yield a row for each metric of a cell, with all else of the cell in each of them.

    What is counted and the words of a side are in columns such as `judge_tp`. "difference" is
    people's figure less the judge's, None if either is missing. Nothing is yielded without metrics.
    """
    shared_columns = _with_place_first(cell)
    shared_columns["signed"] = bool(cell.signed_by)
    shared_columns["group"] = "; ".join(cell.groups)
    for sides in (cell.counts, cell.words):
        for side, values in sides.items():
            for name, value in values.items():
                shared_columns[f"{side}_{name}"] = value
    for figure in cell.figures:
        row = shared_columns | to_builtins(figure)
        row["difference"] = less(figure.standing, figure.judge)
        yield row


def entry(value: object) -> str:
    """Return a value as CSV has it: "" for None, true or false, a table as JSON.

    Numbers are written in full. A text is inert. If a spreadsheet would take it for a formula, it
    gets an apostrophe before it; so does one that has such apostrophes already. A text that is a
    plain number stays. `as_entered` takes the apostrophe away.
    """
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case str():
            text = spelled_out(value)
            if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
                return f"'{text}"
            return text
        case dict():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return repr(value)


def as_entered(text: str) -> str:
    """Return an entry of CSV without the apostrophe that `entry` put before it.

    Only one apostrophe before what looks like a formula is taken away; another text stays.
    Characters that `entry` spelled out stay so.
    """
    without_first = text[1:]
    if text.startswith("'") and _FORMULA.match(without_first):
        return without_first
    return text


_AGREEMENT = (
    "compared",
    "agreed",
    "observed",
    "kappa",
    "ac1",
    *Rates._fields,
    "reason",
)
"""The columns of the judge beside people; those of blind rulings begin with "blind_"."""
_FIGURES = (
    "trait",
    "kind",
    "by",
    "group",
    "epochs_by",
    "metric",
    "side",
    "micro",
    "macro",
    "stderr",
    "std",
    "n",
    "undefined",
    "unscored",
    CANNOT_TELL_COUNT,
    "clusters",
    "traces",
    "cells",
    "signed",
    "overruled",
)
_ESTIMATES = (
    "less",
    "value",
    "low",
    "high",
    "level",
    "drawn",
    "frame",
    "weight",
    "judge_share",
    "passed_over",
    "wanting",
    "design",
    "blind",
)
_BLIND = tuple(f"blind_{name}" for name in _AGREEMENT)
COLUMNS = _FIGURES + _AGREEMENT + _BLIND + _ESTIMATES


def figures_csv(
    traits: Iterable[Breakdown],
    sampled: SampleNumbers | None = None,
) -> str:
    """Return numbers as CSV, with a row for each measure and side of each trait.

    The first line has the names of the columns. Trait after trait come the numbers of all its
    cells, then those of its groups. Each has people's and the judge's, its reduced epochs, and the
    numbers between both sides. The estimates of the sample, if there is one, come last. What is
    undefined, or of too few, is empty. A text is never a formula.
    """
    rows: list[_Row] = []
    for trait in traits:
        by_and_groups = [("", trait.whole)]
        for group in trait.groups:
            by_and_groups.append((trait.by, group))
        for by, figures in by_and_groups:
            trait_columns = {"trait": trait.trait, "kind": trait.kind.name, "by": by}
            for row in _figures(figures):
                rows.append(trait_columns | row)
    if sampled is not None:
        rows += _of_sample(sampled)
    return csv_text(COLUMNS, rows)


def _figures(group: GroupFigures) -> Iterator[Table]:
    """Yield the rows of a group in a CSV of numbers: one for each measure and side.

    First come people's and the judge's over all its cells, then those of its reduced epochs. Last
    of all come the numbers between both sides, whose side is "between". The column "epochs_by" has
    the reducer, and "" where nothing is reduced. Each row has the group's counts and agreement,
    that of blind rulings in columns that begin with "blind_".
    """
    shared_columns: Table = {
        "group": group.name,
        "traces": group.traces,
        "cells": group.cells,
        "signed": group.signed,
        "overruled": group.overruled,
    }
    for prefix, agreement in (("", group.agreement), ("blind_", group.blind)):
        shared_columns[f"{prefix}compared"] = agreement.n
        shared_columns[f"{prefix}reason"] = agreement.reason
        for name in ("agreed", "observed", "kappa", "ac1"):
            shared_columns[f"{prefix}{name}"] = getattr(agreement, name)
        for name, rate in agreement.rates._asdict().items():
            shared_columns[f"{prefix}{name}"] = rate

    figures_by_reducer = [("", group.sides)]
    for reduced in group.epochs:
        figures_by_reducer.append((reduced.reducer, reduced.sides))
    between = {name: {"between": figures} for name, figures in group.between.items()}
    figures_by_reducer.append(("", between))
    for reducer, metrics in figures_by_reducer:
        for metric, sides in metrics.items():
            for side, figures_of_side in sides.items():
                number_columns = {"epochs_by": reducer, "metric": metric, "side": side}
                yield shared_columns | number_columns | to_builtins(figures_of_side)


def _of_sample(sampled: SampleNumbers) -> Iterator[_Row]:
    """Yield the estimates of a sample: judge only, people only and corrected, a row each.

    Those of groups and of waves follow, and by how much groups differ, with the group that is
    subtracted in "less". Differences that are not shown are among them, and not marked. Each row
    has the design and whether people ruled blind. A number without an estimate has one row,
    "corrected", which says why. If the sample cannot be used, the only row is of no trait, and says
    why.
    """
    sample = sampled.audit.sample
    design = {"design": sample.last.design, "blind": sample.last.blind}
    if sampled.audit.wanting:
        yield design | {"side": "corrected", "wanting": sampled.audit.wanting}
    for worth in sampled.worths:
        for row in _estimates(worth):
            yield row | design
    for worth in sampled.by_group:
        for row in _estimates(worth):
            yield row | design | {"by": sampled.audit.by, "group": worth.group}
    for number in sampled.by_wave:
        for row in _estimates(number.worth):
            yield row | design | {"by": "wave", "group": number.wave.sample.name}
    for difference in sampled.differences:
        yield {
            **_of_trait(difference.trait),
            "metric": difference.measure.name,
            "side": "difference",
            "by": sampled.audit.by,
            "group": difference.one,
            "less": difference.other,
            "level": COVERAGE,
            **difference.by._asdict(),
            **design,
        }


def _estimates(worth: Worth) -> Iterator[dict[str, Any]]:
    """Yield the rows of a number: judge only, people only and corrected, in the column "side".

    Without an estimate it is one row, "corrected", which says why. Weight and the judge's share are
    empty while too few are audited to know them, and in the first two rows.
    """
    part = worth.part
    estimate = worth.estimate
    shared_columns = {
        **_of_trait(worth.trait),
        "metric": worth.measure.name,
        "n": part.n,
        "drawn": part.drawn,
        "frame": part.frame,
        "passed_over": part.passed,
    }
    if estimate is None:
        yield {**shared_columns, "side": "corrected", "wanting": worth.wanting}
        return
    yield {**shared_columns, "side": "judge_only", "value": estimate.judge_only}
    yield {
        **shared_columns,
        "side": "people_only",
        **estimate.people_only._asdict(),
        "level": estimate.level,
    }
    corrected = {
        **shared_columns,
        "side": "corrected",
        **estimate.interval._asdict(),
        "level": estimate.level,
    }
    if estimate.knows_help:
        corrected["weight"] = estimate.weight
        corrected["judge_share"] = estimate.judge_share
    yield corrected


def _of_trait(trait: EstimatedTrait) -> dict[str, Any]:
    """Return the columns that name a trait; the name is "" for all traits of a kind together."""
    return {"trait": trait.name, "kind": trait.kind.name}


METRICS_FORMAT = "appellate-metrics/2"


def document(by: str, traits: Sequence[Breakdown], sentences: Sequence[str]) -> Table:
    """Return the document of `metrics --json` (SPEC 12) as plain data.

    The keys are format, sentence, by and traits. `by` is what cells are grouped by, null for "".
    `sentences` are what the audit comes to, and are joined by spaces. "traits" is an iterator of
    their tables (`trait_table`), made one after the other.
    """
    return {
        "format": METRICS_FORMAT,
        "sentence": " ".join(sentences),
        "by": by or None,
        "traits": map(trait_table, traits),
    }


def trait_table(trait: Breakdown) -> Table:
    """Return one trait as in `metrics --json`; None is what is undefined, or of too few.

    It has name and kind. The figures of all cells are cells, reviewed (signed off), traces,
    overruled, metrics, agreement, blind_agreement, between and epochs. The instructions are an
    iterator, as a trait may have thousands: `inert_json_parts` writes it as a list. `panel` is
    there only for a panel. `asides`, counts that are in no measure, are there only for a kind that
    has such. `groups` is there if cells are grouped, each with its name and the keys of these
    figures; a group without a name has null.
    """
    table: Table = {
        "name": trait.trait,
        "kind": trait.kind.name,
        **figures_table(trait.whole),
        "instructions": map(instruction_table, trait.instructions),
    }
    if trait.panel is not None:
        table["panel"] = panel_table(trait.panel)
    counts = trait.whole.counts
    if trait.kind.aside_words:
        asides: Table = {}
        for word in trait.kind.aside_words:
            asides[word] = {side: counts[side].get(word, 0) for side in counts}
        table["asides"] = asides
    if trait.by:
        groups: list[Table] = []
        for group in trait.groups:
            groups.append({"name": group.name or None, **figures_table(group)})
        table["groups"] = groups
    return table


def figures_table(group: GroupFigures) -> Table:
    """Return the numbers of the cells of a trait, or of one of its groups, as plain data.

    The keys are cells, reviewed (signed off), traces, overruled, metrics, agreement,
    blind_agreement, between and epochs. "metrics" has figures by measure and side, "epochs" those
    by reducer as well, and "between" by measure only. Figures are micro, macro, n, undefined,
    unscored, std, stderr, clusters and cannot_tell.
    """
    return {
        "cells": group.cells,
        "reviewed": group.signed,
        "traces": group.traces,
        "overruled": group.overruled,
        "metrics": _sides(group.sides),
        "agreement": agreement_table(group.agreement),
        "blind_agreement": agreement_table(group.blind),
        "between": _by_side(group.between),
        "epochs": {reduced.reducer: _sides(reduced.sides) for reduced in group.epochs},
    }


def _sides(sides: Mapping[str, BySide]) -> Table:
    return {name: _by_side(by_side) for name, by_side in sides.items()}


def _by_side(figures: BySide) -> Table:
    return {name: to_builtins(side_figures) for name, side_figures in figures.items()}


def agreement_table(agreement: Agreement) -> Table:
    """Return the judge against the person as plain data: coefficients, rates and counts of pairs.

    The keys are compared, agreed, clusters, the names of all coefficients and rates, intervals,
    positive, by_answer and pairs. They are always there. A coefficient or rate is None for 0/0, for
    too few answers, and if the answers have none such. `intervals` has a list of low and high at 95
    % for each that is known. `positive` lists the positive answers that occur. `by_answer` has the
    rates of each answer, and `pairs` is a list of judge, person and answers, how often that pair
    was given. Where these answers can have no coefficient at all, `reason` says why. All
    coefficients and rates are None then. Else there is no such key.
    """
    coefficients: Table = {}
    for name in FULL_NAMES:
        coefficients[name] = agreement.known(name).value
    intervals: dict[str, list[float]] = {}
    for name in (*FULL_NAMES, *Rates._fields):
        bounds = agreement.known(name).bounds
        if bounds:
            intervals[name] = [bounds.low, bounds.high]
    rates_by_answer: Table = {}
    for word in agreement.words:
        rates_by_answer[word] = agreement.rates_of(word)._asdict()
    pairs: list[Table] = []
    for (judge, person), count in agreement.counts.items():
        pairs.append({"judge": judge, "person": person, "answers": count})
    reason = {"reason": agreement.reason} if agreement.reason else {}
    return {
        **reason,
        "compared": agreement.n,
        "agreed": agreement.agreed,
        "clusters": agreement.traces,
        **coefficients,
        "intervals": intervals,
        "positive": [word for word in agreement.words if word in agreement.positives],
        **agreement.rates._asdict(),
        "by_answer": rates_by_answer,
        "pairs": pairs,
    }


def panel_table(panel: PanelAgreement) -> Table:
    """Return a panel as plain data: its members against each other and against the person.

    The keys are members, answers, compared, alpha, alpha_interval, ac1, ac1_interval,
    effective_votes, blind, by_member and by_pair. What is not known is None. An interval is a list
    of low and high at 95 %. "blind" is whether the person ruled blind. "by_member" has each member
    beside people (`agreement_table`), in the order of "members". "by_pair" has members, agreed,
    kappa and ac1 of each two; its members are their positions in "members", from 0. `reason` is
    there only if nothing but counts is shown of people's answers, and says why.
    """
    fields: Table = {
        "members": list(panel.members),
        "answers": panel.n,
        "compared": panel.compared,
    }
    if panel.reason:
        fields["reason"] = panel.reason
    for name, bounded_value in ("alpha", panel.alpha), ("ac1", panel.ac1):
        bounds = bounded_value.bounds
        fields[name] = bounded_value.value
        fields[f"{name}_interval"] = bounds and [bounds.low, bounds.high]
    between: list[Table] = []
    for pair, pair_agreement in panel.between.items():
        between.append(
            {
                "members": list(pair),
                "agreed": pair_agreement.agreed,
                "kappa": pair_agreement.kappa,
                "ac1": pair_agreement.ac1,
            },
        )
    return {
        **fields,
        "effective_votes": panel.votes and panel.votes._asdict(),
        "blind": panel.blind,
        "by_member": list(map(agreement_table, panel.against)),
        "by_pair": between,
    }


def instruction_table(instruction: InstructionFigures) -> Table:
    """Return one instruction over all cells as plain data, with the judge against the person.

    The keys are of (its list), instruction, answers, overruled, cells, asides, agreement and
    blind_agreement. "answers" counts cells by how the current labels answer, and "overruled" those
    where the judge answered differently. "cells" is how many have labels. "asides" is in how many
    of them each aside is given, which is a count that is in no measure.
    """
    return {
        "of": instruction.stats.of,
        "instruction": instruction.stats.instruction,
        "answers": dict(instruction.stats.answers),
        "overruled": instruction.stats.overruled,
        "cells": instruction.stats.cells,
        "asides": dict(instruction.stats.asides),
        "agreement": agreement_table(instruction.agreement),
        "blind_agreement": agreement_table(instruction.blind),
    }


FURTHER = (20, 40, 80)
"""Audits more, whose interval is given."""


def gold_under(verdict: GoldVerdict | None) -> Table:
    """Return what the check of a gold set came to, under `gold`; {} if no set was given.

    It is plain data: source, frozen, digest, cells and judges. The key `sentences` has the result
    in words, as a list.
    """
    if verdict is None:
        return {}
    return {"gold": {**to_builtins(verdict), "sentences": list(verdict.describe())}}


def _drawn_as(digest: DigestCheck | None) -> Table:
    """Return whether the given digest holds, under the key `drawn_as`; {} if none was given.

    Below it are the keys digest, holds and says.
    """
    if digest is None:
        return {}
    return {"drawn_as": digest_table(digest)}


def digest_table(check: DigestCheck) -> Table:
    """Return whether a digest that somebody kept still holds, as plain data.

    The keys are digest, holds and says; "says" is a sentence.
    """
    return {"digest": check.letters, "holds": check.holds, "says": check.text}


def sample_table(audit: AuditedSample) -> Table:
    """Return the design of a sample as plain data, with its latest digest.

    The keys are design, by, seed, blind, unit, frame, frame_sha256, drawn, strata and faults, and
    `waves` of a sample in waves. Of several waves, design, by, seed, blind and frame_sha256 are
    those of the last. "frame" counts the units that could be drawn, and "drawn" those that were.
    Each of `strata` has name, units, drawn and chance. `faults` is empty without any. `unsettled`
    (cells that do not count any more), `doubts` (what was, or may have been, changed by hand) and
    `digest` are there only if there is any.
    """
    sample = audit.sample
    changed: Table = {}
    if audit.unsettled:
        changed["unsettled"] = list(audit.unsettled)
    if audit.doubts:
        changed["doubts"] = list(audit.doubts)
    if audit.digests:
        changed["digest"] = audit.digests[-1].letters
    return {
        "design": sample.last.design,
        "by": list(sample.last.strata_by),
        "seed": sample.last.seed,
        "blind": sample.last.blind,
        "unit": audit.unit,
        "frame": sample.frame,
        "frame_sha256": sample.last.frame_sha256,
        "drawn": len(sample),
        "strata": list(map(to_builtins, sample.strata)),
        "faults": list(audit.faults),
        **waves_under(sample),
    } | changed


def waves_under(sample: Sample) -> Table:
    """Return how each wave of a sample was drawn, under `waves`; {} for a sample that is no wave.

    A row has wave (its name), design, by, seed, frame, frame_sha256 and drawn; "frame" and "drawn"
    count units. What the sample says of itself beside them (design, seed, fingerprint) is of the
    last wave.
    """
    if not sample.is_in_waves:
        return {}
    waves: list[Table] = []
    for wave in sample.waves:
        waves.append(
            {
                "wave": wave.name,
                "design": wave.last.design,
                "by": list(wave.last.strata_by),
                "seed": wave.last.seed,
                "frame": wave.frame,
                "frame_sha256": wave.last.frame_sha256,
                "drawn": len(wave),
            },
        )
    return {"waves": waves}


def worth_table(worth: Worth) -> Table:
    """Return the estimate of one number as plain data.

    The keys trait, kind, metric, group, n, drawn, frame, passed_over, after_it, unjudged and
    wanting come first, with `cannot_tell` and `judge_cannot_tell` if anything could not be told.
    Then come judge_only, people_only, corrected, weight, judge_share, effective_residuals,
    effective_units, decided_by and further. `judge_only` is a number. `people_only` and `corrected`
    have value, low and high, `corrected` its level, too. Without an estimate they are None,
    `further` is empty, and `wanting` says why. Where too few are audited to know how much the judge
    helps, weight, share and both effective numbers are None. `further` lists audits and half_width,
    which is half the width of the interval after 20, 40 and 80 more audits, as far as there are
    units, or after all that are left.
    """
    estimate = worth.estimate
    table = _number_with_counts(worth)
    if estimate is None:
        return {
            **table,
            "judge_only": None,
            "people_only": None,
            "corrected": None,
            "weight": None,
            "judge_share": None,
            "effective_residuals": None,
            "effective_units": None,
            "decided_by": None,
            "further": [],
        }
    possible = [more for more in FURTHER if estimate.n + more <= estimate.frame]
    if not possible and estimate.n < estimate.frame:
        possible = [estimate.frame - estimate.n]
    further: list[Table] = []
    for more in possible:
        further.append({"audits": more, "half_width": estimate.further(more)})
    return {
        **table,
        "judge_only": estimate.judge_only,
        "people_only": estimate.people_only._asdict(),
        "corrected": {**estimate.interval._asdict(), "level": estimate.level},
        "weight": estimate.weight if estimate.knows_help else None,
        "judge_share": estimate.judge_share if estimate.knows_help else None,
        "effective_residuals": estimate.residuals if estimate.knows_help else None,
        "effective_units": estimate.units if estimate.knows_help else None,
        "decided_by": _decided_by(worth, estimate),
        "further": further,
    }


def _decided_by(worth: Worth, estimate: Estimate) -> str | None:
    """Return which interval a look goes by: "betting", "corrected" or "people_only".

    It is "people_only" where few residuals or units carry the number with the judge's help. None if
    no look decides by this number.
    """
    if worth.undecided:
        return None
    if worth.is_by_betting:
        return "betting"
    if estimate.has_few_residuals or estimate.has_few_units:
        return "people_only"
    return "corrected"


def _number(number: Worth | GroupDifference | JudgeErrors) -> Table:
    """Return the keys that name a number: trait, kind and metric.

    The trait is None for all of a kind together.
    """
    trait = number.trait
    return {
        "trait": trait.name or None,
        "kind": trait.kind.name,
        "metric": number.measure.name,
    }


def _number_with_counts(worth: Worth) -> Table:
    """Return the keys of a number with what it is of: units drawn, audited and left out.

    The keys are trait, kind, metric, group, n, drawn, frame, passed_over, after_it, unjudged and
    wanting. "group" is None for all cells. "n" counts audited units, "passed_over" is the number of
    the first unit that was passed over or None, and "after_it" how many audited ones come after it.
    "unjudged" counts cells. "wanting" is why there is no interval, None if there is one. What could
    not be told is counted, in `cannot_tell` and `judge_cannot_tell`, only if there is any.
    """
    part = worth.part
    untold: Table = {}
    if part.untold or part.judge_untold:
        untold[CANNOT_TELL_COUNT] = part.untold
        untold[f"judge_{CANNOT_TELL_COUNT}"] = part.judge_untold
    return {
        **_number(worth),
        "group": worth.group,
        "n": part.n,
        "drawn": part.drawn,
        "frame": part.frame,
        "passed_over": part.passed,
        "after_it": part.later,
        "unjudged": part.unjudged,
        **untold,
        "wanting": worth.wanting or None,
    }


def errors_table(errors: JudgeErrors) -> Table:
    """Return on which side the judge goes wrong, as plain data.

    The keys are trait, kind, metric, n, judge_by, answers, positive, too_often, too_seldom, cells,
    higher and lower. "n" counts audited units, "answers" the answers compared, and "cells" the
    cells whose numbers are compared, of which "higher" and "lower" count those where the judge's is
    above or below people's. "judge_by" is how much more the judge measures than the estimate; None
    if either is not known. "positive" lists, sorted, the answers that occur and count as positive.
    "too_often" and "too_seldom" count how often only the judge, and only the person, gives one of
    them; both are None if none occurs.
    """
    too_often: int | None = None
    too_seldom: int | None = None
    if has_sides(errors.agreement):
        too_often, too_seldom = wrongly(errors.agreement)
    return {
        **_number(errors),
        "n": errors.n,
        "judge_by": errors.by,
        "answers": errors.agreement.n,
        "positive": sorted(errors.agreement.positives),
        "too_often": too_often,
        "too_seldom": too_seldom,
        "cells": errors.cells,
        "higher": errors.higher,
        "lower": errors.lower,
    }


def judge_number_table(worth: Worth) -> Table:
    """Return a number of the judge over all that could be drawn, as plain data.

    The keys are trait, kind, metric, group, n, drawn, frame, passed_over, after_it, unjudged and
    wanting, then value, low, high and exact. value, low and high are None where there is no
    interval, with the reason in `wanting`. `exact` says whether the interval holds at every n and
    at any look. What could not be told is counted, in `cannot_tell` and `judge_cannot_tell`, only
    if there is any.
    """
    interval = worth.interval
    if interval is None:
        return {
            **_number_with_counts(worth),
            "value": None,
            "low": None,
            "high": None,
            "exact": False,
        }
    return {
        **_number_with_counts(worth),
        **interval._asdict(),
        "exact": worth.is_by_betting,
    }


def gate_table(gate: Gate) -> Table:
    """Return a bar, the looks at it, and its number now, as plain data.

    The keys are bar, of, trait, metric, decision, planned, rule, planned_beside, level, looks,
    evidence, sharing_the_level, taken, audited, next_look, more_audits, judge_only and now. "of" is
    "judge", "difference" or "responses", and `trait` is None for all of a kind. `looks` lists the
    audits at which it is to be decided, and `sharing_the_level` those of all looks at its number.
    Both are empty for a bar that may be decided at any look, and for one that is never decided, as
    only other bars on its number are planned; `planned_beside` lists these. `taken` lists what each
    look saw: look (from 1), n, value, low, high, decision, undecided, saved and differs. `evidence`
    has capital and needed under "reached" and "not reached"; {} without betting. `next_look` and
    `more_audits` are None where there is none. `judge_only` is None unless the bar is on the
    responses.
    """
    status = gate.standing
    subject = _subject_of_bar(gate)
    evidence: Table = {}
    for side, evidence_of_side in gate.evidence.items():
        evidence[side] = _evidence(evidence_of_side)
    judge_only = None
    if subject == "responses":
        judge_only = gate.worth.part.judge_only
    return {
        "bar": str(gate.bar),
        "of": subject,
        "trait": gate.worth.trait.name or None,
        "metric": gate.worth.measure.name,
        "decision": status.decision,
        "planned": gate.planned,
        "rule": status.plan.rule,
        "planned_beside": [str(plan.bar) for plan in gate.beside],
        "level": status.plan.level,
        "looks": list(status.plan.looks),
        "evidence": evidence,
        "sharing_the_level": status.plan.sharing,
        "taken": list(map(_look, status.taken)),
        "audited": status.audited,
        "next_look": status.next_look,
        "more_audits": gate.more_audits,
        "judge_only": judge_only,
        "now": _current_number(gate),
    }


def _evidence(evidence: Evidence) -> Table:
    """Return how far betting has come, as multiples of the first capital: `capital` and `needed`.

    `capital` is at most `needed`: one beyond it is given as that.
    """
    return {
        "capital": min(evidence.capital, evidence.needed),
        "needed": evidence.needed,
    }


def _subject_of_bar(gate: Gate) -> str:
    """Return what a bar is on: "judge", "difference" of two groups, or "responses"."""
    if gate.bar.is_on_judge:
        return "judge"
    if read_difference(gate.bar.measure) is not None:
        return "difference"
    return "responses"


def _current_number(gate: Gate) -> Table:
    """Return the number of a bar as it is now, as plain data.

    For a bar on the responses, and if the sample has faults, it is the whole estimate with its
    keys. For other bars it is the number's name and counts, and under "judge" or "difference"
    value, low, high and level. Without an interval that key has None.
    """
    subject = _subject_of_bar(gate)
    if gate.wanting or subject == "responses":
        return worth_table(gate.worth)
    worth = gate.worth
    table = _number_with_counts(worth) | {subject: None}
    if worth.interval is not None:
        level = gate.standing.plan.coverage
        table[subject] = worth.interval._asdict() | {"level": level}
    return table


def _look(look: LookTaken) -> Table:
    """Return a look that was taken as plain data.

    The keys are look (from 1), n, value, low, high, decision, undecided, saved and differs. `saved`
    has n, value, low, high and decision as they were saved, None for a look that was not. `differs`
    is whether it was saved otherwise than it is now; False for a look that was not saved.
    """
    table: Table = to_builtins(look)
    return table | {"differs": look.differs}


def numbers_table(numbers: SampleNumbers) -> Table:
    """Return all that a sample tells, as `metrics --json` has it under "worth".

    The keys are sample, estimates, by, groups, differences, judge, judge_numbers and bars. by_wave
    is there, too, if there are waves. `by` is what cells are grouped by, or None, and `groups` has
    the estimates of groups. `judge` says on which side the judge goes wrong, and `judge_numbers`
    how well it agrees with people. A difference has trait, kind, metric, group, the one that is
    subtracted (less), value, low, high, among and shown. "shown" is whether it is shown among all
    (Holm), and its own interval does not hold 0.
    """
    differences: list[Table] = []
    for difference in numbers.differences:
        holds_zero = difference.by.low <= 0 <= difference.by.high
        differences.append(
            {
                **_number(difference),
                "group": difference.one,
                "less": difference.other,
                **difference.by._asdict(),
                "among": difference.among,
                "shown": difference.is_shown and not holds_zero,
            },
        )
    return {
        "sample": sample_table(numbers.audit),
        "estimates": list(map(worth_table, numbers.worths)),
        "by": numbers.audit.by or None,
        "groups": list(map(worth_table, numbers.by_group)),
        "differences": differences,
        **_by_wave(numbers.by_wave),
        "judge": list(map(errors_table, numbers.errors)),
        "judge_numbers": list(map(judge_number_table, numbers.rates)),
        "bars": list(map(gate_table, numbers.gates)),
    }


def _by_wave(numbers: Sequence[WaveNumber]) -> Table:
    """Return the number of each wave, under `by_wave`; {} for a sample of a single wave.

    A row has all keys of an estimate (judge_only, people_only, corrected and so on), and wave (its
    name), change and shown. `change` is by how much it is above the wave before, as value, low and
    high; None where that is not known. `shown` is whether the wave differs from the one before by
    more than chance gives.
    """
    if not numbers:
        return {}
    rows: list[Table] = []
    for number in numbers:
        change = number.change._asdict() if number.change else None
        row = {
            "wave": number.wave.sample.name,
            "change": change,
            "shown": number.has_shifted,
        }
        rows.append(worth_table(number.worth) | row)
    return {"by_wave": rows}


GATE_FORMAT = "appellate-gate/1"


def census_gates_table(census: Census, gates: Sequence[CensusGate]) -> Table:
    """Return the document of `gate --json` where all cells are signed off, as plain data.

    The keys are format, census (with the number of cells) and bars. Each bar has bar, of, trait,
    metric, decision, how (people ruled), answers, units, wanting and now. "wanting" is why it has
    no interval or is not decided, or None. "now" has the number under "judge": None where it has no
    interval, and else value, low, high and a level of .95.
    """
    bars: list[Table] = []
    for gate in gates:
        number = None
        if gate.interval is not None:
            number = gate.interval._asdict() | {"level": 1 - LEVEL}
        bars.append(
            {
                "bar": str(gate.bar),
                "of": "judge",
                "trait": gate.trait.name or None,
                "metric": gate.measure.name,
                "decision": gate.decision,
                "how": gate.how,
                "answers": gate.answers,
                "units": gate.units,
                "wanting": gate.wanting or None,
                "now": {"judge": number},
            },
        )
    return {"format": GATE_FORMAT, "census": {"cells": census.cells}, "bars": bars}


def gates_table(
    audit: AuditedSample,
    gates: Sequence[Gate],
    digest: DigestCheck | None = None,
) -> Table:
    """Return the document of `gate --json` as plain data.

    The keys are format, sample, bars and looked_unplanned. The last has, as they were saved, the
    looks at bars that nobody planned. `drawn_as` is there only if a digest was given. `decided_by`
    is there only in a sample of waves, and names the last wave, which decides.
    """
    decided_by = {}
    if audit.sample.is_in_waves:
        decided_by["decided_by"] = audit.last_wave.sample.name
    return {
        "format": GATE_FORMAT,
        **decided_by,
        **_drawn_as(digest),
        "sample": sample_table(audit),
        "bars": list(map(gate_table, gates)),
        "looked_unplanned": [
            to_builtins(plan.seen) for plan in asked_bars(audit.last_wave.facts)
        ],
    }
