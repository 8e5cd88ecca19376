"""Corrects the labels of a steps cell: a verdict, its error, what instead, and the outcome.

Each is a correction of its own and undone alone. A cell that nobody labelled gets all steps as
right with the first one.
"""

from typing import Literal

from msgspec.structs import replace

from appellate.core.kind import CANNOT_TELL, Outcome
from appellate.core.problem import Refused, quoted
from appellate.core.trace import Trace
from appellate.traits.steps.labels import Labels, StepLabel, all_right, in_words
from appellate.traits.steps.spec import StepsRubricTrait
from appellate.traits.verdict.kind import RowEdit

NO_ERROR = "no error"
NOTHING_SAID = "nothing"


class Edit(RowEdit, frozen=True):
    """One correction: what it changes, the step by its number and fingerprint, the new value."""

    OF = "a run's steps"

    action: Literal["verdict", "error", "instead", "outcome"]
    step: int | None = None
    step_sha: str = ""
    verdict: str = ""
    error: str = ""
    """"" takes the error off."""
    instead: str = ""
    outcome: str = ""


def permit(trait: StepsRubricTrait, trace: Trace, labels: Labels, edit: Edit) -> Edit:
    """Return an edit with the fingerprint of its step; one of the outcome is returned as it is.

    Raises Refused for a step that gets no verdict, and for a fingerprint in the edit that no label
    of that step has. Steps of blank labels are those of the trace.
    """
    if edit.action == "outcome":
        return edit
    steps = labels.steps or all_right(trait, trace)
    label = Labels(steps, labels.astray).find(edit.step, edit.step_sha)
    if label is None:
        numbers = in_words([step.no for step in steps]) or "none"
        raise Refused(
            f"Step {edit.step} is none that gets a verdict: those are {numbers}.",
        )
    return replace(edit, step_sha=label.sha)


def apply(
    trait: StepsRubricTrait,
    trace: Trace,
    labels: Labels,
    edit: Edit,
) -> Outcome[Labels]:
    """Return the labels after an edit, with its effect as two texts: before and after.

    A missing verdict, outcome or alternative is "nothing", a missing error "no error". If the
    labels are blank, all steps first get the good verdict; an edit that gives one of them just that
    is accepted. `labels` are not changed. Raises Refused, with advice, if nothing would change, for
    a step without label if the edit has no fingerprint, for a verdict, error or outcome that the
    trait does not have, and for an error or an alternative of a step that is right or "cannot
    tell".
    """
    is_first = labels.is_blank
    if is_first:
        steps = all_right(trait, trace)
        labels = Labels(steps, seen=len(steps))
    if edit.action == "outcome":
        return _ended(trait, labels, edit)
    before = _step_of_edit(trait, labels, edit)
    if is_first and edit.action == "verdict" and edit.verdict == trait.good:
        return Outcome(labels, NOTHING_SAID, trait.good)
    if edit.action == "verdict":
        return _ruled(trait, labels, before, edit)
    if before.is_right or not before.is_told:
        verdict_count = len(trait.verdicts)
        keys = ", ".join(f"{{steps.{no}:{no}}}" for no in range(2, verdict_count + 1))
        raise Refused(
            f"Step {before.no} is {before.verdict}: say first what else it is ({keys}).",
        )
    if edit.action == "error":
        return _tagged(trait, labels, before, edit)
    return _replaced(labels, before, edit)


def _step_of_edit(trait: StepsRubricTrait, labels: Labels, edit: Edit) -> StepLabel:
    """Return the label that an edit changes.

    If the step is not in the labels, or has other words there, it is a new label with the good
    verdict, which the labels do not contain. Raises Refused for such an edit without a fingerprint.
    """
    label = labels.find(edit.step, edit.step_sha)
    if label is not None:
        return label
    if not edit.step_sha:
        raise Refused(f"Step {edit.step} is none that gets a verdict.")
    return StepLabel(edit.step or 0, edit.step_sha, trait.good)


def _ended(trait: StepsRubricTrait, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """Return the outcome of an edit that says how the run ended, in words before and after it.

    Without an earlier word, the text before is "nothing". Raises Refused for a word that the trait
    does not have, and for the one that is given already.
    """
    if edit.outcome not in trait.sayable_outcomes:
        right = "The trait does not ask how a run ended."
        if trait.outcome:
            right = f"A run ends as {', '.join(trait.sayable_outcomes)}."
        raise Refused(right)
    if edit.outcome == labels.outcome:
        raise Refused(f"The run ended as {edit.outcome} already.")
    return Outcome(
        replace(labels, outcome=edit.outcome),
        labels.outcome or NOTHING_SAID,
        edit.outcome,
    )


def _ruled(
    trait: StepsRubricTrait,
    labels: Labels,
    before: StepLabel,
    edit: Edit,
) -> Outcome[Labels]:
    """Return the outcome of an edit that gives a step a verdict, with its name before and after.

    The judge's reason is dropped, and with the good verdict or "cannot tell" the error and the
    alternative are, too. Raises Refused for the verdict that the step has already, and for one that
    the trait does not have.
    """
    verdict = edit.verdict
    if verdict not in trait.sayable_verdicts:
        raise Refused(f"A step is {', '.join(trait.sayable_verdicts)}.")
    if verdict == before.verdict:
        raise Refused(f"Step {before.no} is {verdict} already.")
    after = replace(
        before,
        verdict=verdict,
        is_right=verdict == trait.good,
        rationale="",
    )
    if after.is_right or verdict == CANNOT_TELL:
        after = replace(after, error="", instead="")
    return Outcome(_with_label(labels, before, after), before.verdict, verdict)


def _tagged(
    trait: StepsRubricTrait,
    labels: Labels,
    before: StepLabel,
    edit: Edit,
) -> Outcome[Labels]:
    """Return the outcome of an edit that names the error of a step, or "" for none.

    The texts before and after are the error, or "no error". Raises Refused for an error that the
    trait does not list, and for the one that is named already.
    """
    error = edit.error
    if error and error not in trait.error_names:
        right = "The trait has no list of errors."
        if trait.errors:
            right = f"The trait's errors are {', '.join(trait.error_names)}."
        raise Refused(right)
    if error == before.error:
        present = error or NO_ERROR
        raise Refused(f"Step {before.no} has {present} already.")
    after = replace(before, error=error)
    return Outcome(
        _with_label(labels, before, after),
        before.error or NO_ERROR,
        error or NO_ERROR,
    )


def _replaced(labels: Labels, before: StepLabel, edit: Edit) -> Outcome[Labels]:
    """Return the outcome of an edit that says what would have been right instead of a step.

    Blanks around the words are dropped; "" removes them. The texts before and after are these
    words, or "nothing". Raises Refused for the words that are there already, and if there are none
    to remove.
    """
    instead = edit.instead.strip()
    if instead == before.instead:
        raise Refused(
            "It says so already." if instead else "Nothing is said instead of it.",
        )
    after = replace(before, instead=instead)
    changed = _with_label(labels, before, after)
    return Outcome(changed, before.instead or NOTHING_SAID, instead or NOTHING_SAID)


def _with_label(labels: Labels, before: StepLabel, after: StepLabel) -> Labels:
    """Return labels in which the label `before` of a step is replaced by `after`.

    Among the run's steps it keeps its place. Otherwise it is a label of a step that is not in the
    run, or has other words there: then `before` is left out of the astray labels, if it is among
    them, and `after` is added as their last.
    """
    if before in labels.steps:
        steps = tuple(after if step == before else step for step in labels.steps)
        return replace(labels, steps=steps)
    others = tuple(step for step in labels.astray if step != before)
    return replace(labels, astray=(*others, after))


# -- carrying to other labels ----------------------------------------------------------------------


def carried(trait: StepsRubricTrait, labels: Labels, edit: Edit) -> Edit | None:
    """Return an edit for other labels, or None if they say already what it would do.

    A step is found by its number and words, else by its words alone. Blank labels get the edit as
    it is, since all their steps are still open. Raises Refused if the step is not there, or if the
    trait lacks what the edit says.
    """
    _refuse_unknown(trait, edit)
    if edit.action == "outcome":
        return None if labels.outcome == edit.outcome else edit
    if labels.is_blank:
        return edit
    step = labels.find(edit.step, edit.step_sha)
    if step is None:
        step = next(
            (known for known in labels.steps if known.sha == edit.step_sha),
            None,
        )
    if step is None:
        raise Refused("Its step is not among these.")
    moved = replace(edit, step=step.no, step_sha=step.sha)
    if edit.action == "verdict":
        return None if step.verdict == edit.verdict else moved
    if edit.action == "error":
        return None if step.error == edit.error else moved
    return None if step.instead == edit.instead.strip() else moved


def _refuse_unknown(trait: StepsRubricTrait, edit: Edit) -> None:
    """Raise Refused if an edit says a verdict, an error or an outcome that the trait does not have.

    "" for no error is known to every trait. Other edits are never refused.
    """
    match edit.action:
        case "verdict":
            word = edit.verdict
            is_known = word in trait.sayable_verdicts
        case "error":
            word = edit.error
            is_known = not word or word in trait.error_names
        case "outcome":
            word = edit.outcome
            is_known = word in trait.sayable_outcomes
        case _:
            return
    if not is_known:
        raise Refused(f"The trait has no {edit.action} {quoted(word)} any more.")


# -- telling ---------------------------------------------------------------------------------------


def describe(edit: Edit, before: str, after: str) -> str:
    """Return what an edit did in a clause with its texts, as "ruled step 3: right → wrong"."""
    match edit.action:
        case "outcome":
            return f"said how the run ended: {before} → {after}"
        case "verdict":
            return f"ruled step {edit.step}: {before} → {after}"
        case "error":
            return f"said the error of step {edit.step}: {before} → {after}"
        case "instead":
            return f"said what instead of step {edit.step}: {before} → {after}"


def brief(edit: Edit) -> str:
    """Return the sort of an edit in a word: "verdict", "error", "instead" or "outcome"."""
    return edit.action
