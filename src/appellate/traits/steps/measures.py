"""Computes what the labels of a steps cell come to, and how a judge's compare with a person's."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from appellate.core.kind import (
    CANNOT_TELL,
    CANNOT_TELL_COUNT,
    Check,
    Figures,
    Instruction,
    Measure,
    QueryField,
    Ratio,
    Table,
    with_headline,
)
from appellate.core.problem import many
from appellate.core.scale import NO_BOUND
from appellate.core.trace import Trace
from appellate.traits.steps.labels import (
    OUTCOME,
    SEEN,
    STEPS,
    Labels,
    StepLabel,
    in_words,
)
from appellate.traits.steps.spec import OPEN, RIGHT, WRONG, StepsRubricTrait

STEP = "step"
ENDS = "outcome"
ASKED_OF_STEP = "Step of the run"
ASKED_OF_RUN = "How the run ended"
"""The words of the two questions. All steps share one: numbers are of all steps together."""
AGENT = "first_wrong_agent"


def _share_right(counts: Mapping[str, int]) -> float | None:
    """Return the share of right steps among all that have a verdict; None without any.

    For example 0.75 of {"right_steps": 3, "judged_steps": 4}. A number that is missing is 0.
    """
    if not counts.get("judged_steps"):
        return None
    return counts.get("right_steps", 0) / counts["judged_steps"]


MEASURES = {
    "right": Measure(
        "right",
        "Right",
        pool=_share_right,
        ratio=Ratio({"right_steps": 1}, {"judged_steps": 1}),
    ),
    "first_wrong": Measure(
        "first_wrong",
        "First",
        low=1.0,
        high=NO_BOUND,
        higher_is_better=None,
        word="first_wrong",
    ),
    "outcome": Measure("outcome", "Outcome", word="ended"),
}
FIELDS = (
    QueryField(
        "wrong_steps",
        "counts.wrong_steps",
        "count",
        "how many steps are wrong",
    ),
    QueryField(
        "steps_not_right",
        "counts.steps_not_right",
        "count",
        "how many steps are not right",
    ),
    QueryField("ended", "words.ended", "text", "how the run ended: solved, failed"),
    QueryField(
        "error_tag",
        "words.error_tag",
        "values",
        "an error of a step that is not right",
    ),
)
READING = (
    "A steps trait has a verdict for each step that the agent took. right is the share of steps"
    " with the good verdict; first_wrong is the number of the first step with the second verdict"
    " (wrong), undefined where no step has it; outcome is the share of runs that ended in the first"
    " outcome of the trait's list. Sensitivity and precision are of single steps: how many of the"
    " wrong ones the judge called wrong, and how many that it called wrong were. same_first_wrong"
    " is the share of runs in which judge and person name the same first wrong step, or both none;"
    " within_one allows one step before or after it; same_agent is of runs of several agents in"
    " which both name one."
)


def measures(trait: StepsRubricTrait) -> Sequence[Measure]:
    """Return the measures of a trait in order: "right", "first_wrong" and "outcome".

    A trait that does not ask for an outcome has no measure of it. With exactly two outcomes the
    measure's 1 has the name of the first and its 0 that of the second. The trait's headline is
    marked if it names one; otherwise none is marked.
    """
    trait_measures = [MEASURES[name] for name in trait.measure_names]
    if len(trait.outcome) == 2:  # noqa: PLR2004 - of more, 0 would be several
        good, bad = trait.outcome_names
        trait_measures[-1] = replace(trait_measures[-1], steps=(bad, good))
    return with_headline(trait_measures, trait.headline)


def first_wrong(trait: StepsRubricTrait, labels: Labels) -> StepLabel | None:
    """Return the first step of the run with the trait's wrong verdict, or None."""
    return next((step for step in labels.steps if step.verdict == trait.wrong), None)


def measure(trait: StepsRubricTrait, labels: Labels) -> Figures:
    """Return the figures of a run: the share of right steps, the first wrong one and the outcome.

    "right" is from 0 to 1, "first_wrong" the number of the step, and "outcome" 1 for the trait's
    first outcome and 0 for another; it is there only if the trait asks for it. A value is undefined
    if no step counts, none is wrong, or nobody could say the outcome. Steps whose verdict is
    "cannot tell" do not count, nor do steps astray, which are not the run's.

    Counted are "right_steps", "wrong_steps", "steps_not_right", "judged_steps" and, if the trait
    allows it, the answers that cannot be told. The words are "ended" (the outcome, also "cannot
    tell"), "first_wrong" ("step 3"), "first_wrong_agent" ("" for the only agent) and "error_tag"
    (the errors of steps, each once, joined by commas); those without such a thing are left out.
    "outcome" is named as one that cannot be told if that was said, and "right" if it was said of
    all steps.
    """
    told = [step for step in labels.steps if step.is_told]
    right_count = sum(step.is_right for step in told)
    counts = {
        "right_steps": right_count,
        "judged_steps": len(told),
        "wrong_steps": sum(step.verdict == trait.wrong for step in told),
        "steps_not_right": len(told) - right_count,
    }
    if trait.cannot_tell:
        untold_count = len(labels.steps) - len(told)
        counts[CANNOT_TELL_COUNT] = untold_count + (labels.outcome == CANNOT_TELL)
    values: dict[str, float | None] = {
        "right": right_count / len(told) if told else None,
        "first_wrong": None,
    }
    words: dict[str, str] = {}
    first = first_wrong(trait, labels)
    if first is not None:
        values["first_wrong"] = float(first.no)
        words["first_wrong"] = f"step {first.no}"
        words[AGENT] = first.agent
    if trait.outcome:
        values["outcome"] = None
        if labels.outcome and labels.outcome != CANNOT_TELL:
            values["outcome"] = float(labels.outcome == trait.outcome_names[0])
    if labels.outcome:
        words["ended"] = labels.outcome
    errors = [step.error for step in labels.not_right if step.error]
    if errors:
        words["error_tag"] = ", ".join(dict.fromkeys(errors))
    untold: set[str] = set()
    if labels.outcome == CANNOT_TELL:
        untold.add("outcome")
    if labels.steps and not told:
        untold.add("right")
    return Figures.of(values, counts, words=words, cannot_tell=frozenset(untold))


def between(judged: Figures, audited: Figures) -> Mapping[str, float]:
    """Return how a judge's and a person's first wrong step of one run compare, as Who&When does.

    `same_first_wrong` and `within_one` are 1 or 0. Both are 1 if neither has a wrong step, and 0 if
    only one has. `same_agent` is there only if both have one and the run names its agents. Empty if
    one of them has judged no step.
    """
    if "right" in judged.undefined or "right" in audited.undefined:
        return {}
    has_judges = "first_wrong" not in judged.undefined
    has_persons = "first_wrong" not in audited.undefined
    if not (has_judges and has_persons):
        agrees = float(has_judges == has_persons)
        return {"same_first_wrong": agrees, "within_one": agrees}
    distance = abs(judged.values["first_wrong"] - audited.values["first_wrong"])
    numbers = {
        "same_first_wrong": float(distance == 0),
        "within_one": float(distance <= 1),
    }
    agent = audited.words.get(AGENT, "")
    if agent:
        numbers["same_agent"] = float(agent == judged.words.get(AGENT))
    return numbers


def majority(
    trait: StepsRubricTrait,
    trace: Trace,
    tables: Sequence[Table],
) -> dict[str, Any]:
    """Return the table of what most members say, step by step, and of how the run ended.

    It has `steps`, and `outcome` and `seen` if they are known. Of equal votes the first member's
    counts. A step that a member does not name is right to it, and a member without an outcome votes
    for none. Steps that are right by the vote are left out; the others are in the order of their
    numbers. What else is said of a step is of the first member with that verdict. How many steps
    were seen is what the first member says. `tables` are those of the members, at least one.
    """
    rows_of_members: list[Mapping[tuple[int, str], Table]] = []
    named: dict[tuple[int, str], None] = {}
    for table in tables:
        rows: dict[tuple[int, str], Table] = {}
        for row in table[STEPS]:
            step = (row["step"], row.get("step_sha") or "")
            rows[step] = row
            named[step] = None
        rows_of_members.append(rows)

    result: dict[str, Any] = {}
    outcome = _most(table.get(OUTCOME) for table in tables)
    if outcome is not None:
        result[OUTCOME] = outcome
    if tables[0].get(SEEN) is not None:
        result[SEEN] = tables[0][SEEN]
    result[STEPS] = []
    for step in sorted(named):
        step_no, _ = step
        right = {"step": step_no, "verdict": trait.good}
        votes = [rows.get(step, right) for rows in rows_of_members]
        verdict = _most(row["verdict"] for row in votes)
        if verdict == trait.good:
            continue
        speaker = next(row for row in votes if row["verdict"] == verdict)
        result[STEPS].append(dict(speaker))
    return result


def _most(values: Iterable[Any]) -> Any:
    """Return the value that is there most often; of equally frequent ones the earliest.

    Raises ValueError if there are no values.
    """
    (winner, _), *_ = Counter(values).most_common(1)
    return winner


def answers(trait: StepsRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """Return the answer of each step by its number, and how the run ended if the trait asks that.

    For example {Instruction("step", 2, "Step of the run"): "wrong", Instruction("outcome", 1, "How
    the run ended"): "failed"}. The trait's first verdict is "right" and its second "wrong",
    whatever it calls them; other verdicts keep their names. An ending that nobody gave is `OPEN`.
    Only `labels.steps` count: those that are not in the run, or have other words there, are left
    out.
    """
    answer_to: dict[Instruction, str] = {}
    for step in labels.steps:
        answer_to[Instruction(STEP, step.no, ASKED_OF_STEP)] = trait.answer(
            step.verdict,
        )
    if trait.outcome:
        answer_to[Instruction(ENDS, 1, ASKED_OF_RUN)] = labels.outcome or OPEN
    return answer_to


def vocabulary(trait: StepsRubricTrait) -> Sequence[str]:
    """Return the words of all answers: those of steps first, then those of the run.

    The first two of steps are "right" and "wrong", whatever the trait calls them. If the trait asks
    how a run ended, its outcomes and `OPEN` follow. Last is "cannot tell" if the trait allows it.
    """
    words = [RIGHT, WRONG, *trait.verdict_names[2:]]
    if trait.outcome:
        words += [*trait.outcome_names, OPEN]
    if trait.cannot_tell:
        words.append(CANNOT_TELL)
    return words


def checks(labels: Labels) -> list[Check]:
    """Return what is odd in labels, each as a check named "breach"; empty if nothing is.

    First come labels of steps that are not in the run, or have other words there. Then comes the
    number of steps that the judge looked at, if the run has more or fewer: "3 steps were looked at;
    2 get a verdict: 2, 3."
    """
    breaches: list[Check] = []
    for step in labels.astray:
        sentence = (
            f"Step {step.no} ({step.verdict}) is none that gets a verdict in this run as it is:"
            " kept, not counted."
        )
        breaches.append(Check("breach", sentence))
    if labels.seen is not None and labels.seen != len(labels.steps):
        steps_were = many(labels.seen, "step was", "steps were")
        steps_get = many(len(labels.steps), "gets", "get")
        sentence = (
            f"{steps_were} looked at; {steps_get} a verdict:"
            f" {in_words([step.no for step in labels.steps])}."
        )
        breaches.append(Check("breach", sentence))
    return breaches
