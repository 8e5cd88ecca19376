"""tau-bench: a list of runs, each with its conversation (`traj`) and its reward.

A task that was run several times is one trace with epochs, so that pass^k can be counted.
"""

from collections.abc import Iterator
from typing import Any

from appellate.interop.cell_values import as_written
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    JudgeVerdict,
    table_at,
)
from appellate.interop.runs.run import run_of

FORM = "tau-bench runs"
REWARD = "reward"
MAPPING = {
    "id": "task_id",
    "epoch": "trial",
    "messages": "traj",
    "response": "traj (the assistant's last words)",
    "verdicts": "reward",
    "metadata.wanted": "info.task.actions",
}
_TRAIT = ForeignTrait(
    REWARD,
    key="scorer_traits",
    table={
        "scorer": "recorded",
        "description": "Whether the database and the answers are as the task wants them.",
    },
)


def knows(document: object) -> bool:
    """Return whether a document is a list of tau-bench's runs, each with `task_id`, `traj` and
    `reward`.

    False for an empty list, and if any entry lacks one of the three.
    """
    if not isinstance(document, list) or not document:
        return False
    keys = {"task_id", "traj", "reward"}
    return all(isinstance(row, dict) and keys <= row.keys() for row in document)


def read(document: list[Any], stem: str) -> ForeignFile:
    """Return what tau-bench's runs hold: a trace for each, with its reward as a recorded score.

    Several runs of one task have one id and different epochs. `stem` is not used. Reading its
    traces raises ValueError, TypeError or OverflowError for a reward or trial that is no usable
    number.
    """
    del stem  # tasks have ids of their own

    def traces() -> Iterator[ForeignTrace]:
        """Yield the trace of each tau-bench run in order, with its reward as the judge's verdict.

        The id is the task's, or the row's number from 1 if that is null. The epoch is the trial,
        counted from 1; without a trial it is 1. What the task wants is in the metadata. A run whose
        reward is null has no verdict. Raises ValueError for a reward or trial that is no number,
        TypeError for a table or list, and OverflowError for an infinite trial.
        """
        for number, row in enumerate(document, 1):
            task = table_at(row, "info", "task")
            verdicts = []
            if row["reward"] is not None:
                reward = float(row["reward"])
                verdicts.append(JudgeVerdict(REWARD, reward, judge="tau-bench"))
            yield run_of(
                as_written(row["task_id"]) or str(number),
                row["traj"],
                judged=verdicts,
                epoch=int(row.get("trial") or 0) + 1,
                metadata={
                    "wanted": task.get("actions"),
                    "outputs": task.get("outputs"),
                },
            )

    lost = ["info.source, info.user_cost, info.reward_info"]
    return ForeignFile(FORM, traces, MAPPING, {REWARD: _TRAIT}, lost)
