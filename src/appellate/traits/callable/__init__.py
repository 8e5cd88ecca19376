"""Defines the callable kind: a function that a rubric names, run only if a person allows it.

A table has `value` (true or false, after inversion; a number; the index of a class) and, for a
literal trait, `class`. In recorded labels the class alone is enough.
"""

from collections.abc import Sequence
from typing import Any

from appellate.core.kind import Code, CodeSession, Computed, Instruction, NotComputed
from appellate.core.trace import Trace
from appellate.traits.callable.spec import CallableRubricTrait, notes
from appellate.traits.verdict.kind import Overrulable, OverruledKind


def never(trait: CallableRubricTrait, trace: Trace) -> dict[str, Any]:
    """Raise NotComputed: functions run only in a session, which takes a permission."""
    raise NotComputed(f"{trait.callable} was not run: that takes --allow-code.")


def begin(folders: Sequence[str]) -> CodeSession[CallableRubricTrait]:
    """Return a session in which functions may run.

    Their modules are looked for in these folders first. No process is started yet.
    """
    # only where functions run
    from appellate.traits.callable.running import CallableRunner

    return CallableRunner(folders)


class CallableKind(OverruledKind[CallableRubricTrait, Overrulable]):
    """The kind of traits whose verdict a function gives."""

    name = "callable"
    spec = CallableRubricTrait
    telling_keys = ("callable",)
    notes = staticmethod(notes)
    by = "function"
    label_schema = {
        "value": {
            "type": ["boolean", "number"],
            "description": "yes or no, after inversion; the score; the index of the class, from 0",
        },
        "class": {
            "type": "string",
            "description": "the name of the class, of a literal trait",
        },
    }
    computed = Computed(
        "callable",
        never,
        CallableRubricTrait.runs_the_same,
        Code(lambda trait: trait.callable, begin),
    )
    reading = (
        "A response answers a callable trait with what its function returned, or with what a person"
        " says instead: yes or no, a score, or a class, which counts as its place in the trait's"
        " list, from 0. yes is the share of responses whose verdict is yes, be that good or bad."
    )

    def question(self, trait: CallableRubricTrait) -> Instruction:
        return Instruction("verdict", 1, trait.description or trait.callable)


KIND = CallableKind()
