"""Defines the labels of a steps cell: a verdict for each step, and how the run ended.

A table names only the steps that are not right. A step is its number and a fingerprint of its
words (`step_sha`); one that the run has not, or has with other words, is kept and not counted.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import (
    CANNOT_TELL,
    PART_DIGITS,
    Fault,
    Table,
    as_read,
    json_sha256,
)
from appellate.core.messages import THINKS
from appellate.core.problem import describe_value
from appellate.core.trace import Trace
from appellate.core.transcript import Step
from appellate.traits.evidence import item_faults, type_faults
from appellate.traits.steps.spec import Role, StepsRubricTrait

STEPS = "steps"
SEEN = "seen"
OUTCOME = "outcome"
_ROW_SCHEMA: Table = {
    "step": {"type": "integer"},
    "step_sha": {"type": "string"},
    "verdict": {"type": "string"},
    "error": {"type": "string"},
    "instead": {"type": "string"},
    "rationale": {"type": "string"},
}
LABEL_SCHEMA: Table = {
    OUTCOME: {"type": "string"},
    SEEN: {"type": "integer"},
    STEPS: {
        "type": "array",
        "items": {
            "type": "object",
            "properties": _ROW_SCHEMA,
            "required": ["step", "verdict"],
        },
    },
}
_TEXTS = ("step_sha", "error", "instead", "rationale")
"""The keys of a step's row that may be missing; all are texts."""


class StepLabel(Struct, frozen=True):
    """What is said of one step."""

    no: int
    """The number of the step in the transcript, from 1."""
    sha: str
    """`PART_DIGITS` digits of the hash of its words; "" for one that is known by its number
    only.
    """
    verdict: str
    """A verdict's name in the trait, or `CANNOT_TELL`."""
    is_right: bool = True
    """Whether the verdict is the trait's good one."""
    error: str = ""
    instead: str = ""
    """What would have been right."""
    rationale: str = ""
    """The judge's reason."""
    agent: str = ""
    """Which of several agents took the step, without an addition; "" for the only one."""
    span: tuple[int, int] | None = None
    """Where its words are in the transcript, or what its heading says was called."""

    @property
    def is_told(self) -> bool:
        """Whether the verdict counts: it is not that it cannot be told."""
        return self.verdict != CANNOT_TELL


class Labels(Struct, frozen=True):
    """The labels of one run. Without any step and outcome nobody has labelled it."""

    steps: tuple[StepLabel, ...] = ()
    """Every step of the trait's roles, in order."""
    astray: tuple[StepLabel, ...] = ()
    """What is said of steps that the run has not, or has with other words."""
    outcome: str = ""
    """How the run ended; "" if nobody said."""
    seen: int | None = None
    """How many steps were looked at, as whoever labelled them says; None if they did not."""

    @property
    def is_blank(self) -> bool:
        """Whether nobody has labelled the run."""
        return self == Labels()

    @property
    def not_right(self) -> list[StepLabel]:
        """The steps of the run whose verdict is not the good one."""
        return [step for step in self.steps if not step.is_right]

    def find(self, no: int | None, sha: str = "") -> StepLabel | None:
        """Return the label of the step with this number, or None if there is none.

        A number of None is none. With a fingerprint `sha` the step must have the words that it is
        of; then labels of steps that are not in the run, or have other words there now, are found
        too. Without one only the run's own steps are looked at.
        """
        for step in self.steps:
            if step.no == no and sha in ("", step.sha):
                return step
        for step in self.astray:
            if step.no == no and sha and step.sha == sha:
                return step
        return None


def role_of(step: Step) -> Role | None:
    """Return whose step it is, as a trait's `roles` has it; None for a user, system or tool.

    An assistant's step is "thinks" or "calls" if it is a thought or a call, else "assistant".
    """
    if not step.is_assistants:
        return None
    if step.turn.does == THINKS:
        return "thinks"
    if step.turn.calls:
        return "calls"
    return "assistant"


def sha_of(step: Step, text: str) -> str:
    """Return the fingerprint of a step, whose words are cut out of the transcript's `text`.

    It is 12 hexadecimal digits, of who took the step, what was called, and the words, but not of
    the number: the same step after an insertion before it has the same fingerprint.
    """
    return json_sha256([step.turn.title, text[step.start : step.end]])[:PART_DIGITS]


def all_steps(trait: StepsRubricTrait, trace: Trace) -> Sequence[Step]:
    """Return the steps of a trace's conversation as the trait reads it; empty without one."""
    transcript = as_read(trait, trace).transcript
    return transcript.steps if transcript is not None else ()


def steps_of_roles(trait: StepsRubricTrait, trace: Trace) -> list[Step]:
    """Return the steps of a trace that get a verdict, in order: those of the trait's roles."""
    return [step for step in all_steps(trait, trace) if role_of(step) in trait.roles]


def all_right(trait: StepsRubricTrait, trace: Trace) -> tuple[StepLabel, ...]:
    """Return a label with the good verdict for each step of a trace that gets one, in order.

    A label has the step's number, fingerprint, agent and last span. Empty for a trace without a
    conversation.
    """
    text = as_read(trait, trace).text
    labels: list[StepLabel] = []
    for step in steps_of_roles(trait, trace):
        sha = sha_of(step, text)
        last_span = step.stretches[-1] if step.stretches else None
        agent = _without_addition(step.turn.name)
        label = StepLabel(step.no, sha, trait.good, agent=agent, span=last_span)
        labels.append(label)
    return tuple(labels)


def _without_addition(name: str) -> str:
    """Return an agent's name without the brackets that may end it.

    Files add in them what the agent does or whom it speaks to: `Orchestrator (thought)`,
    `Orchestrator (-> WebSurfer)`. Brackets with brackets in them stay.
    """
    if not name.endswith(")"):
        return name
    before, opening, addition = name.removesuffix(")").rpartition("(")
    if not opening or ")" in addition:
        return name
    return before.rstrip()


def in_words(numbers: Sequence[int]) -> str:
    """Return numbers as a text, a run of three or more as a range: "3, 5, 7 to 9"; "" for none.

    They must be given in ascending order: they are not sorted here.
    """
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    texts: list[str] = []
    for run in ranges:
        if len(run) > 2:  # noqa: PLR2004 - two are told one by one
            texts.append(f"{run[0]} to {run[-1]}")
        else:
            texts += map(str, run)
    return ", ".join(texts)


# -- tables ----------------------------------------------------------------------------------------


def faults(trait: StepsRubricTrait | None, table: Table) -> Iterator[Fault]:
    """Yield what is wrong with a judge's, a recorded or an audited table; nothing if it is right.

    A fault has its place, as ("steps", 0, "verdict") for the first row. A table needs `steps`, each
    named once, and must not have `items`; `seen` and `outcome` may be absent. Without a trait any
    verdict, error and outcome is right that is a text. Whether the run has the steps is not
    checked.
    """
    if STEPS not in table:
        yield Fault(
            (STEPS,),
            "is missing",
            "an empty list says that every step is right",
        )
    yield from item_faults(
        table,
        tuple(_ROW_SCHEMA),
        _row_faults(trait),
        STEPS,
    )
    yield from _repetitions(table.get(STEPS))
    seen = table.get(SEEN)
    if seen is not None and (type(seen) is not int or seen < 0):
        yield Fault(
            (SEEN,),
            f"must be a whole number from 0, not {describe_value(seen)}",
        )
    outcome = table.get(OUTCOME)
    if outcome is not None:
        names = None if trait is None else trait.sayable_outcomes
        yield from _name_faults(OUTCOME, outcome, names)
    if "items" in table:
        yield Fault(("items",), "a steps trait has no items")


def _row_faults(
    trait: StepsRubricTrait | None,
) -> Callable[[Table], Iterator[Fault]]:
    """Return a function that yields what is wrong with the row of one step.

    The place of a fault is its key in the row, as ("verdict",). Without a trait the function only
    checks types: any verdict and error is right.
    """

    def check(row: Table) -> Iterator[Fault]:
        """Yield what is wrong with the row of one step: its number, verdict, texts and error.

        Without a trait any verdict and error is right. Whether the run has the step is not checked.
        """
        step = row.get("step")
        if type(step) is not int or step < 1:
            shown_value = describe_value(step)
            wrong = f"must be a step's number from 1, not {shown_value}"
            yield Fault(("step",), wrong)
        names = None if trait is None else trait.sayable_verdicts
        yield from _name_faults("verdict", row.get("verdict"), names)
        yield from type_faults(row, _ROW_SCHEMA, *_TEXTS)
        error = row.get("error")
        if trait and error and isinstance(error, str):
            yield from _name_faults("error", error, trait.error_names)

    return check


def _name_faults(
    key: str,
    value: object,
    names: Sequence[str] | None,
) -> Iterator[Fault]:
    """Yield a fault for a value that is no text or none of the names; at most one.

    Any text is right if `names` is None, and none if there are no names. `key` is where the value
    is.
    """
    if not isinstance(value, str):
        yield Fault((key,), f"must be text, not {describe_value(value)}")
    elif names is not None and value not in names:
        right = (
            f"choose from {', '.join(names)}" if names else f"the trait has no {key}"
        )
        yield Fault((key,), f"the trait has no {key} {describe_value(value)}", right)


def _repetitions(rows: object) -> Iterator[Fault]:
    """Yield a fault for each row of a step that an earlier row has already.

    A step is its number and fingerprint. What is no list, and rows without a number, are ignored.
    """
    if not isinstance(rows, list):
        return
    known: set[tuple[int, str]] = set()
    for index, row in enumerate(rows):
        if not isinstance(row, Mapping) or type(row.get("step")) is not int:
            continue
        key = (row["step"], str(row.get("step_sha") or ""))
        if key in known:
            yield Fault((STEPS, index, "step"), f"step {row['step']} is there twice")
        known.add(key)


def located(trait: StepsRubricTrait, trace: Trace, table: Table) -> dict[str, Any]:
    """Return a judge's table with the fingerprint of each step that the run has.

    The row {"step": 2, "verdict": "wrong", "error": ""} becomes {"step": 2, "step_sha": "…",
    "verdict": "wrong"}. A fingerprint that is there stays, even if the step has another one. Null
    values, empty texts and unknown keys are left out. The table must be free of faults, and is not
    changed.
    """
    shas = {step.no: step.sha for step in all_right(trait, trace)}
    result: dict[str, Any] = {}
    for key in (OUTCOME, SEEN):
        if table.get(key) is not None:
            result[key] = table[key]
    rows: list[dict[str, Any]] = []
    for row in table[STEPS]:
        sha = row.get("step_sha") or shas.get(row["step"], "")
        with_sha = {**row, "step_sha": sha}
        rows.append(_without_blanks(with_sha))
    result[STEPS] = rows
    return result


def _without_blanks(row: Table) -> dict[str, Any]:
    """Return a step's row with its known keys in order, without those that are None or ""."""
    return {key: row[key] for key in _ROW_SCHEMA if row.get(key) not in (None, "")}


def from_table(trait: StepsRubricTrait, trace: Trace, table: Table) -> Labels:
    """Return the labels of a table that is free of faults; steps that it does not name are right.

    Rows of steps that are not in the run, or have other words there, become `astray`. A row without
    a fingerprint fits any words. `seen` is the table's; without one it is None, or 0 for a run
    without steps to label.
    """
    labels = {step.no: step for step in all_right(trait, trace)}
    astray: list[StepLabel] = []
    for row in table.get(STEPS, ()):
        step_no = row["step"]
        verdict = row["verdict"]
        sha = row.get("step_sha") or ""
        label = StepLabel(
            step_no,
            sha,
            verdict,
            verdict == trait.good,
            row.get("error") or "",
            row.get("instead") or "",
            row.get("rationale") or "",
        )
        known = labels.get(step_no)
        if known is None or sha not in ("", known.sha):
            astray.append(label)
        else:
            labels[step_no] = replace(
                label,
                sha=known.sha,
                agent=known.agent,
                span=known.span,
            )
    seen = table.get(SEEN)
    if seen is None and not labels:
        seen = 0  # what is empty is no run that nobody labelled
    return Labels(tuple(labels.values()), tuple(astray), table.get(OUTCOME) or "", seen)


def write(labels: Labels) -> dict[str, Any]:
    """Return labels as a judgment of an audit file has them: {"audited": a table}.

    For example {"audited": {"outcome": "failed", "seen": 4, "steps": [row]}}. The table is empty
    for blank labels. `outcome` and `seen` are left out if they are not known. The rows are as
    `row_of` makes them: of steps that are not right, and of those that are not in the run or have
    other words there, in the order of their numbers.
    """
    if labels.is_blank:
        return {"audited": {}}
    rows = [
        row_of(step)
        for step in sorted((*labels.not_right, *labels.astray), key=_in_order)
    ]
    audited: dict[str, Any] = {}
    if labels.outcome:
        audited[OUTCOME] = labels.outcome
    if labels.seen is not None:
        audited[SEEN] = labels.seen
    return {"audited": {**audited, STEPS: rows}}


def _in_order(step: StepLabel) -> tuple[int, str]:
    """Return what steps are sorted by: the number, then the fingerprint."""
    return step.no, step.sha


def row_of(step: StepLabel) -> dict[str, Any]:
    """Return the row of a step in a table: its number, fingerprint, verdict, and what else is said.

    It is such as {"step": 2, "step_sha": "…", "verdict": "wrong", "rationale": "…"}, with `error`
    and `instead` before `rationale`. A key is left out if its text is "".
    """
    row = {"step": step.no, "step_sha": step.sha, "verdict": step.verdict}
    return _without_blanks(
        {
            **row,
            "error": step.error,
            "instead": step.instead,
            "rationale": step.rationale,
        },
    )
