"""Results of Harbor's Reward Kit: what its criteria scored in one run, beside the run itself.

`reward-details.json` has a table for each reward: its `criteria`, or with `kind` "group" its
`components`, each with a `detail` of the same form. The run is another file, as an ATIF trajectory;
of several runs the one is meant whose folder lies nearest. Read from the tool's source, 0.2.3.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from appellate.core.problem import quoted
from appellate.interop.cell_values import cell_value, text_value
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    JudgeVerdict,
    Row,
    table_at,
    trait_name,
    without_empty,
)
from appellate.store.files.text_file import unusable

FORM = "Reward Kit's results"
_LOST = ["rewards, weights, what several samples of a criterion scored"]
_SLUG = 40
"""Letters of a criterion's description that the tool makes a name of."""


class Details(NamedTuple):
    """The results of one run, and the file that they are in."""

    path: Path
    document: Row


def is_details(document: object) -> bool:
    """Return whether a document is details of Reward Kit: a table, or several, for each reward."""
    if not isinstance(document, dict) or not document:
        return False
    for detail in document.values():
        parts = detail if isinstance(detail, list) else [detail]
        if not parts or not all(map(_is_detail, parts)):
            return False
    return True


def _is_detail(detail: object) -> bool:
    """Return whether a value is the detail of a reward: a score with a list of criteria.

    The list may also be called `components`, which counts only if there are no `criteria`.
    """
    if not isinstance(detail, dict) or "score" not in detail:
        return False
    return isinstance(detail.get("criteria", detail.get("components")), list)


def is_summary(document: object, path: Path) -> bool:
    """Return whether a document is the `reward.json` beside the details: a number a reward."""
    if path.name != "reward.json" or not isinstance(document, dict):
        return False
    return all(isinstance(score, int | float) for score in document.values())


def with_details(file: ForeignFile, details: Sequence[Details]) -> ForeignFile:
    """Return a file of one run with the verdicts of its results on the first trace.

    `file` is changed. A criterion that has the name of another one of the run has the reward's name
    before it. A criterion with an error failed.
    """
    verdicts: list[JudgeVerdict] = []
    for part in details:
        for reward, criterion, judge in _criteria(part.document):
            known_names = {verdict.trait for verdict in verdicts}
            verdict = _verdict(criterion, judge)
            if verdict.trait in known_names:
                verdict = replace(
                    verdict, trait=trait_name(f"{reward}: {verdict.trait}")
                )
            verdicts.append(verdict)
            if verdict.trait not in file.traits:
                description = text_value(criterion.get("description"))
                if criterion.get("negate"):
                    description = f"{description} (A yes is bad.)".strip()
                file.traits[verdict.trait] = ForeignTrait(verdict.trait, description)
    traces_of_run = file.traces

    def traces() -> Iterator[ForeignTrace]:
        """Yield the traces of the run, the first with the verdicts."""
        for number, trace in enumerate(traces_of_run()):
            if number == 0:
                trace.judged = [*trace.judged, *verdicts]
            yield trace

    file.traces = traces
    file.form = f"{file.form} with {FORM}"
    file.mapping = {**file.mapping, "verdicts": "criteria[].raw of reward-details.json"}
    file.lost = [*file.lost, *_LOST]
    return file


def _criteria(document: Row) -> Iterator[tuple[str, Row, str]]:
    """Yield each criterion with the name of its reward and of who judged it."""
    for name, detail in document.items():
        parts = detail if isinstance(detail, list) else [detail]
        for part in parts:
            yield from _criteria_of(name, part)


def _criteria_of(name: str, detail: Row) -> Iterator[tuple[str, Row, str]]:
    """Yield the criteria of a table of details, each after its name and before its judge.

    Criteria of a group come first, under the names of its components. `name` is that of the reward.
    Where nothing names a judge it is the kind of the detail.
    """
    for component in detail.get("components") or []:
        yield from _criteria_of(str(component["name"]), component["detail"])
    judge = table_at(detail, "judge")
    kind = str(detail.get("kind") or "reward-kit")
    by = str(judge.get("agent") or judge.get("model") or kind)
    for criterion in detail.get("criteria") or []:
        yield name, criterion, str(criterion.get("model") or by)


def _verdict(criterion: Row, judge: str) -> JudgeVerdict:
    """Return what a criterion scored, as the judge said it and before the tool turned it round.

    A whole number is also the label of a trait with that value: of levels it is the index, from 0.
    It failed if the criterion has an error or no raw score.
    """
    name = _name(criterion)
    value = cell_value(criterion.get("raw"))
    if criterion.get("error") or value is None:
        failed = str(criterion.get("error") or "Reward Kit gave no score.")
        return JudgeVerdict(name, judge=judge, failed=failed)
    reason = text_value(criterion.get("reasoning"))
    labels: Row | None = None
    if not isinstance(value, bool | str) and float(value).is_integer():
        labels = {"value": int(value)} | without_empty({"rationale": reason})
    return JudgeVerdict(name, value, reason, judge, labels=labels)


def _name(criterion: Row) -> str:
    """Return what the trait of a criterion is called, as it is in a rubric of the tool's TOML.

    A name that the tool made of the description stands for the whole description.
    """
    name = str(criterion["name"])
    description = text_value(criterion.get("description"))
    slug = re.sub(r"[^a-z0-9]+", "_", description[:_SLUG].lower()).strip("_")
    return trait_name(description if description and slug == name else name)


def nearest(details: Details, runs: Sequence[Path]) -> Path:
    """Return the file of the run whose folder shares the longest path with that of the results.

    Raises Unusable if two are as near.
    """
    lengths: dict[Path, int] = {}
    for run in runs:
        common = os.path.commonpath(
            [run.resolve().parent, details.path.resolve().parent]
        )
        lengths[run] = len(Path(common).parts)
    longest = max(lengths.values())
    candidates = [run for run, length in lengths.items() if length == longest]
    if len(candidates) > 1:
        names = ", ".join(quoted(str(run)) for run in candidates[:3])
        right = "put each run and its results into a folder of their own"
        raise unusable(str(details.path), f"it may be of {names}", right)
    return candidates[0]
