"""Defines the steps kind: a verdict for each step of an agent's run, and how the run ended.

Labels name the steps that are not right; the others are. The first wrong step is computed from
them and never typed. A step is known by its number and a fingerprint of its words.
"""

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from appellate.core.kind import (
    CANNOT_TELL,
    Called,
    Check,
    Fault,
    Instruction,
    Span,
    Table,
    TraitKind,
    asked_by,
)
from appellate.core.trace import Trace
from appellate.traits.steps import edits
from appellate.traits.steps import labels as tables
from appellate.traits.steps import measures as figures
from appellate.traits.steps.edits import Edit
from appellate.traits.steps.labels import Labels
from appellate.traits.steps.spec import OPEN, WRONG
from appellate.traits.steps.spec import StepsRubricTrait as Trait


def _asks_the_same(trait: Trait, other: Trait) -> bool:
    """Return whether two traits ask a judge the same, so that labels of one hold for the other."""
    return trait.asked() == other.asked()


class StepsKind(TraitKind[Trait, Labels, Edit]):
    """The kind of traits that go through an agent's run step by step."""

    name = "steps"
    spec = Trait
    label_schema = tables.LABEL_SCHEMA
    blank = Labels()
    asked = asked_by(
        "appellate.traits.steps.asking",
        _asks_the_same,
        attrgetter("material"),
    )
    positives = frozenset({WRONG})
    unanswered = frozenset({OPEN})
    compared = frozenset({figures.STEP})
    """How runs ended is told apart: it is one answer a run, and steps are many."""
    fields = figures.FIELDS
    reading = figures.READING
    lists: Mapping[str, str] = {
        figures.STEP: "each step that the agent took",
        figures.ENDS: "how the whole run ended",
    }
    locate = staticmethod(tables.located)
    labels = staticmethod(tables.from_table)
    write = staticmethod(tables.write)
    majority = staticmethod(figures.majority)
    edit = staticmethod(Edit.from_row)
    permit = staticmethod(edits.permit)
    apply = staticmethod(edits.apply)
    describe = staticmethod(edits.describe)
    brief = staticmethod(edits.brief)
    measure = staticmethod(figures.measure)
    between = staticmethod(figures.between)
    answers = staticmethod(figures.answers)
    vocabulary = staticmethod(figures.vocabulary)
    measures = staticmethod(figures.measures)

    def lacking(self, trait: Trait, trace: Trace) -> str:
        """Return in a sentence why a trace is no run of steps for the trait; "" if it is one.

        It needs messages, at least two steps of the assistant, and one that gets a verdict.
        """
        if not trace.messages:
            return "The trace has no recorded conversation, whose steps would get a verdict."
        own_count = sum(step.is_assistants for step in tables.all_steps(trait, trace))
        if own_count < 2:  # noqa: PLR2004 - one is an answer, and no run
            return (
                "The conversation has one turn alone: there are no steps to go through."
            )
        if not tables.steps_of_roles(trait, trace):
            return f"No step of the conversation is of the trait's roles: {', '.join(trait.roles)}."
        return ""

    def faults(
        self,
        trait: Trait | None,
        trace: Trace,
        table: Table,
    ) -> Iterator[Fault]:
        """Yield what is wrong with a table of labels; nothing if it is right.

        Without a trait any verdict, error and outcome is right that is a text. Whether the run has
        the steps is not checked.
        """
        return tables.faults(trait, table)

    def toward(
        self,
        trait: Trait,
        trace: Trace,
        labels: Labels,
        table: Table,
    ) -> Sequence[Edit]:
        """Return edits that lead from labels to those of a table, in order, for an import.

        Steps that are not in the run get no edit. A run that nobody labelled gets one edit even if
        all its steps are right in the table.
        """
        from appellate.traits.steps.toward import edits_toward  # for imports alone

        return edits_toward(trait, trace, labels, table)

    def anchor(self, trait: Trait, labels: Labels, edit: Edit) -> None:
        """Return None: an edit has the step that it is about."""

    def carried(
        self,
        trait: Trait,
        labels: Labels,
        edit: Edit,
        anchor: None,
    ) -> Edit | None:
        """Return an edit for other labels, or None if they say already what it would do.

        A step is found by its number and words, else by its words alone; the edit gets the number
        that it has there. An edit of the outcome is about no step. Blank labels get the edit as it
        is. Raises Refused if its step is not in labels that are not blank, or if the trait lacks
        the verdict, error or outcome that the edit says.
        """
        return edits.carried(trait, labels, edit)

    def untold(self, trait: Trait) -> frozenset[str]:
        return frozenset({CANNOT_TELL}) if trait.cannot_tell else frozenset()

    def called(self, trait: Trait, labels: Labels, asked: Instruction) -> Called:
        """Return how tables name a question: a step by its number, how the run ended by "outcome".

        The words are those of the question. Only the outcome counts as open, if nobody said it.
        """
        if asked.of == figures.STEP:
            return Called(str(asked.number), asked.text)
        return Called("outcome", asked.text, not labels.outcome)

    def standings(self, trait: Trait, labels: Labels) -> Mapping[Instruction, str]:
        """Return nothing: the steps are each run's own, and cells share no instruction."""
        return {}

    def checks(self, trait: Trait, labels: Labels) -> Sequence[Check]:
        return figures.checks(labels)

    def evidence(self, trait: Trait, labels: Labels) -> Sequence[Span]:
        """Return the spans of the steps that are not right, in the conversation's text, in order.

        Labels of steps that are not in the run, or have other words there, have none.
        """
        return [Span(*step.span) for step in labels.not_right if step.span]


KIND = StepsKind()
