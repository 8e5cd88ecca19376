"""Results of Harbor's Reward Kit: what its criteria scored in one run, beside the run itself.

`reward-details.json` has a table for each reward: its `criteria`, or with `kind` "group" its
`components`, each with a `detail` of the same form. The run is another file, as an ATIF trajectory;
of several runs the one is meant whose folder lies nearest. Read from the tool's source, 0.2.3.
"""

import os
import re
from collections.abc import Collection, Iterator, Sequence
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
)
from appellate.store.files.text_file import unusable

FORM = "Reward Kit's results"
_LOST = ["rewards, weights, what several samples of a criterion scored"]
_SLUG = 40
"""Letters of a criterion's description that the tool makes a name of."""


class _Criterion(NamedTuple):
    """One criterion that Reward Kit scored."""

    reward: str
    """The name of the reward that it is of."""
    table: Row
    """What the details say of it."""
    judge: str
    """Who scored it."""


class Details(NamedTuple):
    """The results of one run, and the file that they are in."""

    path: Path
    document: Row


def is_details(document: object) -> bool:
    """Return whether a JSON document is a `reward-details.json` of Harbor's Reward Kit.

    Each of its values, one for each reward, is a table with a score and a list of criteria or of
    components, or a list of such tables. False if the document or one list is empty.
    """
    if not isinstance(document, dict) or not document:
        return False
    for detail in document.values():
        parts = detail if isinstance(detail, list) else [detail]
        if not parts or not all(map(_is_detail, parts)):
            return False
    return True


def _is_detail(detail: object) -> bool:
    """Return whether a value is a reward's detail in Reward Kit: a table with a score and a list.

    The list is `criteria`, or without that key `components`.
    """
    if not isinstance(detail, dict) or "score" not in detail:
        return False
    return isinstance(detail.get("criteria", detail.get("components")), list)


def is_summary(document: object, path: Path) -> bool:
    """Return whether a document is Reward Kit's `reward.json`, by the path's name.

    It must be a table of numbers or bools, and may be empty. Such a file has nothing that the
    details lack.
    """
    if path.name != "reward.json" or not isinstance(document, dict):
        return False
    return all(isinstance(score, int | float) for score in document.values())


def with_details(file: ForeignFile, details: Sequence[Details]) -> ForeignFile:
    """Add Reward Kit's verdicts on a run to the first trace of the run's file; return that file.

    `details` are the results of the run. `file` itself is changed: its traits, form, mapping and
    losses too. No traces are read here; the first gets the verdicts each time that they are. If two
    criteria have one name the later one's trait gets the reward's name before it (`_free_name`). A
    criterion with an error or without a score has a failed verdict. The description of one that the
    tool inverts says that a yes is bad.
    """
    verdicts: list[JudgeVerdict] = []
    for part in details:
        for criterion in _criteria_in(part.document):
            known_names = {verdict.trait for verdict in verdicts}
            verdict = _verdict(criterion.table, criterion.judge)
            if verdict.trait in known_names:
                name = _free_name(verdict.trait, criterion.reward, known_names)
                verdict = replace(verdict, trait=name)
            verdicts.append(verdict)
            if verdict.trait not in file.traits:
                description = text_value(criterion.table.get("description"))
                if criterion.table.get("negate"):
                    description = f"{description} (A yes is bad.)".strip()
                file.traits[verdict.trait] = ForeignTrait(verdict.trait, description)
    traces_of_run = file.traces

    def traces() -> Iterator[ForeignTrace]:
        """Yield a run's traces in order; the first gets Reward Kit's verdicts behind its own.

        Sub-agents' traces, which follow, get none. Changes the first trace.
        """
        for number, trace in enumerate(traces_of_run()):
            if number == 0:
                trace.judged = [*trace.judged, *verdicts]
            yield trace

    file.traces = traces
    file.form = f"{file.form} with {FORM}"
    file.mapping = {**file.mapping, "verdicts": "criteria[].raw of reward-details.json"}
    file.lost = [*file.lost, *_LOST]
    return file


def _free_name(name: str, reward: str, known_names: Collection[str]) -> str:
    """Return a trait's name with that of its reward before it: "quality: style", cut to its length.

    If that is in `known_names`, too, the reward gets the first free number: "quality 2: style".
    """
    longer_name = trait_name(f"{reward}: {name}")
    number = 1
    while longer_name in known_names:
        number += 1
        longer_name = trait_name(f"{reward} {number}: {name}")
    return longer_name


def _criteria_in(document: Row) -> Iterator[_Criterion]:
    """Yield the criteria in Reward Kit's details, reward by reward, in the order of the file."""
    for name, detail in document.items():
        parts = detail if isinstance(detail, list) else [detail]
        for part in parts:
            yield from _criteria_of(name, part)


def _criteria_of(reward: str, detail: Row) -> Iterator[_Criterion]:
    """Yield the criteria in the detail of one reward of Reward Kit; those of components come first.

    Criteria of a component have its name as reward. The judge is the criterion's model, else the
    agent or model of the detail's judge, else the detail's kind, else "reward-kit". Raises KeyError
    for a component without a name or detail.
    """
    components = detail.get("components") or []
    for component in components:
        name = str(component["name"])
        yield from _criteria_of(name, component["detail"])
    judge = table_at(detail, "judge")
    usual_judge = judge.get("agent") or judge.get("model") or detail.get("kind")
    criteria = detail.get("criteria") or []
    for table in criteria:
        name_of_judge = table.get("model") or usual_judge or "reward-kit"
        yield _Criterion(reward, table, str(name_of_judge))


def _verdict(criterion: Row, judge: str) -> JudgeVerdict:
    """Return the judge's verdict on one criterion of Reward Kit, with its reasoning as reason.

    `criterion` is its table, and `judge` who scored it. The value is the raw score, before the tool
    inverts it. It failed if there is an error or no score. A whole number is also kept as the label
    of its trait, where it is the index of a level from 0.
    """
    name = _name_of_criterion(criterion)
    value = cell_value(criterion.get("raw"))
    error = criterion.get("error")
    if error:
        return JudgeVerdict(name, judge=judge, failed=str(error))
    if value is None:
        return JudgeVerdict(name, judge=judge, failed="Reward Kit gave no score.")
    reason = text_value(criterion.get("reasoning"))
    labels: Row | None = None
    is_number = not isinstance(value, bool | str)
    if is_number and float(value).is_integer():
        labels = {"value": int(value)}
        if reason:
            labels["rationale"] = reason
    return JudgeVerdict(name, value, reason, judge, labels=labels)


def _name_of_criterion(criterion: Row) -> str:
    """Return the name of the trait that a criterion of Reward Kit becomes, cut to a name's length.

    It is the criterion's name, or its description if the tool made the name from that. Such
    a name is made of the description's first `_SLUG` letters, with "_" for all but a to z
    and digits. Raises KeyError without a name.
    """
    name = str(criterion["name"])
    description = text_value(criterion.get("description"))
    beginning = description[:_SLUG].lower()
    slug = re.sub(r"[^a-z0-9]+", "_", beginning).strip("_")
    if description and slug == name:
        return trait_name(description)
    return trait_name(name)


def nearest(details: Details, runs: Sequence[Path]) -> Path:
    """Return the run whose folder shares the longest path with the folder of Reward Kit's results.

    `runs` are the files of runs, at least one. Only folders are compared, and symbolic links are
    followed. Raises Unusable, with the first three, if several are equally near.
    """
    folder = details.path.resolve().parent
    lengths: dict[Path, int] = {}
    for run in runs:
        folder_of_run = run.resolve().parent
        common = os.path.commonpath([folder_of_run, folder])
        lengths[run] = len(Path(common).parts)
    longest = max(lengths.values())
    candidates = [run for run, length in lengths.items() if length == longest]
    if len(candidates) > 1:
        paths = map(str, candidates[:3])
        names = ", ".join(map(quoted, paths))
        right = "put each run and its results into a folder of their own"
        raise unusable(str(details.path), f"it may be of {names}", right)
    return candidates[0]
