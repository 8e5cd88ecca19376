"""The report for programs: JSON with everything, and CSV with a row for each metric of each cell.

In CSV a text that a spreadsheet would take for a formula gets an apostrophe before it, and what
acts or hides is told by its codepoint; JSON keeps every text exactly, with escapes for such
characters.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import to_builtins

from appellate.core.breakdown import InstructionFigures
from appellate.core.inert import spelled_out
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF
from appellate.report.blocks import Sentence
from appellate.report.contents import (
    FORMAT,
    ActReport,
    Amiss,
    CellReport,
    FailedCell,
    Metric,
    Report,
    TraitReport,
    less,
)
from appellate.report.estimating import limits
from appellate.report.groundwork import Groundwork, JudgeUsed, design_table
from appellate.report.measured import instruction_table, trait_table
from appellate.worth.worth_tables import numbers_table

COLUMNS = (
    *("trace", "epoch", "trait", "question_id", "model", "judged_by", "round"),
    *("state", "signed", "flagged", "signed_by", "signed_at", "corrections"),
    *("metric", "standing", "judge", "difference", "cluster", "group", "sampled", "verdict"),
)
"""Of every row; behind them stand what was counted and said in words, on either side."""
CSV_BEGINS = ",".join(COLUMNS[:8])
BEGINS = '{\n  "format": "appellate-report/'
_FORMULA = re.compile(r"\s*[=+\-@|%\t]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def as_json(report: Report) -> str:
    """Everything in the report, nothing cut."""
    document = {
        "format": FORMAT,
        "signed_off": {"cells": report.states["reviewed"], "of": len(report.cells)},
        "saved": report.saved,
        "appellate": report.version,
        "rubric": {"name": report.rubric, "sha256": report.rubric_sha256},
        "traces": report.traces,
        "by": report.by or None,
        "states": report.states,
        "hidden": report.hidden,
        "ruled_blind": report.blind,
        "examples": report.examples,
        "revised": report.revised,
        "judges": [{"judge": judge, "cells": cells} for judge, cells in report.judges],
        "reviewers": list(map(to_builtins, report.reviewers)),
        "worth": _worth(report.groundwork),
        "design": list(map(design_table, report.groundwork.happened)),
        "judge": list(map(_judge, report.groundwork.judges)),
        "traits": list(map(_trait, report.traits)),
        "cells": list(map(_placed, report.cells)),
        "corrections": list(map(_placed, report.corrections)),
        "withheld": report.withheld,
        "reasons": [
            {"reason": reason or None, "corrections": count}
            for reason, count in report.groundwork.reasons
        ],
        "comments": list(map(_placed, report.comments)),
        "flags": list(map(_placed, report.flags)),
        "failures": list(map(_placed, report.failures)),
        "amiss": list(map(_placed, report.amiss)),
        "limits": [block.text for block in limits(report) if isinstance(block, Sentence)],
        "bibtex": [one.entry for one in report.groundwork.references],
    }
    return _quiet(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def _worth(ground: Groundwork) -> dict[str, object] | None:
    """As in `metrics --json`; null where nothing was drawn at random."""
    if ground.numbers is None:
        return None
    return numbers_table(ground.numbers)


def _judge(one: JudgeUsed) -> dict[str, object]:
    return {
        "judge": one.name,
        "members": list(one.members),
        "template_sha256": one.template_sha256 or None,
        "prompt_sha256": list(one.prompts),
        "parameters": one.parameters,
        "examples": one.shown,
        "cells": one.cells,
    }


def _trait(trait: TraitReport) -> dict[str, object]:
    numbers = trait_table(trait.numbers)
    return {
        "name": trait.name,
        "kind": trait.kind.name,
        "cells": trait.cells,
        "states": trait.states,
        "hidden": trait.hidden,
        "counts": trait.counts,
        "metrics": {metric.name: _metric(metric) for metric in trait.metrics},
        "instructions": list(map(_instruction, trait.numbers.instructions)),
        "reviewed": trait.signed,
        "agreement": numbers["agreement"],
        "blind_agreement": numbers["blind_agreement"],
        "panel": numbers.get("panel"),
        "epochs": numbers["epochs"],
        "groups": numbers.get("groups", []),
    }


def _instruction(one: InstructionFigures) -> dict[str, object]:
    """With a count for each answer; `answers` has those that are named like another key, too."""
    return {**one.stats.answers, **instruction_table(one)}


def _metric(metric: Metric) -> dict[str, object]:
    difference = {}
    for people, judge in (SIGNED_OFF, AS_THEY_STAND):
        difference[people] = metric.changes[people, judge]._asdict()
    sides = {name: to_builtins(side) for name, side in metric.sides.items()}
    measure = metric.measure
    scale = {"bounds": [measure.low, measure.high], "higher_is_better": measure.higher_is_better}
    return {**sides, "spread": metric.spread, "difference": difference, **scale}


def _placed(row: CellReport | ActReport | FailedCell | Amiss) -> dict[str, object]:
    """A row with its cell's trace, epoch and trait first."""
    table = to_builtins(row)
    table.pop("place")
    return {**row.place._asdict(), **table}


def _quiet(text: str) -> str:
    """JSON text with every unprintable character as an escape, so that no terminal obeys it."""
    if text.isascii():
        return text
    return re.sub(r"[^\x00-\x7e]", _escaped, text)


def _escaped(match: re.Match[str]) -> str:
    if match[0].isprintable():
        return match[0]
    return json.dumps(match[0])[1:-1]


def as_csv(report: Report) -> str:
    """A row for each metric of each cell, which says whether it is signed off.

    What is 0/0 or not there is empty.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    counted = _names(cell.counts for cell in report.cells)
    texts = _names(cell.words for cell in report.cells)
    writer.writerow([*COLUMNS, *map(entry, (*counted, *texts))])
    for cell in report.cells:
        beside = [*_beside(cell.counts, counted), *_beside(cell.words, texts)]
        for row in _rows(cell):
            writer.writerow(map(entry, (*row, *beside)))
    return file.getvalue()


BySide = Mapping[str, Mapping[str, int | str]]


def _names(cells: Iterable[BySide]) -> list[str]:
    """The columns for everything that any cell has on a side, the side before the name."""
    names: dict[str, None] = {}
    for cell in cells:
        for side in cell.values():
            names |= dict.fromkeys(side)
    return [f"{side}_{name}" for side in ("standing", "judge") for name in names]


def _beside(sides: BySide, columns: Iterable[str]) -> Iterator[int | str | None]:
    """What a cell has in the columns that `_names` made."""
    for column in columns:
        side, _, name = column.partition("_")
        yield sides.get(side, {}).get(name)


def _rows(cell: CellReport) -> Iterator[list[object]]:
    place = cell.place
    of = [place.trace, place.epoch, place.trait, cell.question_id, cell.model]
    judged = [cell.judged_by, cell.round]
    now = [cell.state, bool(cell.signed_by), cell.flagged, cell.signed_by, cell.signed_at]
    head = [*of, *judged, *now, cell.corrections]
    group = "; ".join(cell.groups)
    for one in cell.figures:
        difference = less(one.standing, one.judge)
        figures = [one.metric, one.standing, one.judge, difference]
        yield [*head, *figures, cell.cluster, group, cell.sampled, one.verdict]


def entry(value: object) -> str:
    """A value as CSV has it: nothing for None, and no formula."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case str():
            return _harmless(spelled_out(value))
        case _:
            return repr(value)


def _harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula; a plain number is none."""
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text
