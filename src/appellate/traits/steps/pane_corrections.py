"""Corrects a steps cell by keys, on the screen and in line mode.

Each correction is a coroutine that asks for what it lacks and makes one request.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from appellate.core.kind import CANNOT_TELL
from appellate.traits.steps.edits import NO_ERROR, Edit
from appellate.traits.steps.labels import StepLabel
from appellate.traits.steps.pane_items import StepRows
from appellate.traits.steps.spec import MOST, StepsRubricTrait
from appellate.ui.contract import Choice, Review, may_correct, pick_action, step_named
from appellate.ui.key import Act, Key, Strip, in_group

NO_STEP = "No step of this run gets a verdict."
OF_CANNOT_TELL = "steps.cannot_tell"
TITLE_LETTERS = 60
"""Letters of a step that the title of a question has."""


class StepCorrections:
    """The acts of keys on the step under the cursor, and on the whole run."""

    def __init__(self, review: Review, rows: StepRows) -> None:
        self._review = review
        self._rows = rows

    # -- a step -----------------------------------------------------------------------------------

    async def rule(self, index: int) -> None:
        """Give the step under the cursor the trait's verdict at an index, from 0.

        If no step can be corrected, the trait has fewer verdicts, or the step has this one already,
        a message says so, and nothing changes.
        """
        step = self._step_to_correct()
        if step is None:
            return
        names = self._rows.trait.verdict_names
        if index >= len(names):
            self._review.say(
                f"This trait has {len(names)} verdicts: {', '.join(names)}.",
            )
            return
        self._give(step, names[index])

    async def cannot_tell(self) -> None:
        """Give the step under the cursor the verdict "cannot tell".

        If no step can be corrected, the trait does not allow it, or it is given already, a message
        says so and nothing changes.
        """
        step = self._step_to_correct()
        if step is None:
            return
        if not self._rows.trait.cannot_tell:
            self._review.say(
                f"This trait has no “{CANNOT_TELL}”: cannot_tell = true allows it.",
            )
            return
        self._give(step, CANNOT_TELL)

    def _give(self, step: StepLabel, verdict: str) -> None:
        """Correct a step's verdict, in the trait's word; a message says so if that is refused."""
        edit = Edit("verdict", step.no, step.sha, verdict=verdict)
        self._review.correct([(edit,)], f"step {step.no} {verdict}")

    async def error(self) -> None:
        """Ask which error the step under the cursor is, and correct it by the answer.

        A step with an error may be given none again. A step that is right, or of which it cannot be
        told, becomes wrong in the same correction. If no step can be corrected, the trait lists no
        errors, or the step has that error already, a message says so. Raises Left if the person
        leaves the list.
        """
        step = self._step_to_correct()
        if step is None:
            return
        trait = self._rows.trait
        if not trait.errors:
            self._review.say(
                "This trait has no list of errors (errors = […] in the rubric).",
            )
            return
        choices: list[Choice] = []
        for number, named in enumerate(trait.errors, 1):
            note = "given" if named.name == step.error else named.means
            choices.append(Choice(named.name, str(number), named.name, note))
        title = f"Error of {self._title(step)}"
        if step.error:
            picked = await self._review.pick(title, choices, none=NO_ERROR)
        else:
            picked = await self._review.pick(title, choices)
        edits: list[Edit] = []
        if step.is_right or not step.is_told:
            edits.append(Edit("verdict", step.no, step.sha, verdict=trait.wrong))
        edits.append(Edit("error", step.no, step.sha, error=picked))
        error = picked or NO_ERROR
        self._review.correct([edits], f"step {step.no} {error}")

    async def instead(self) -> None:
        """Ask what would have been right instead of the step under the cursor, and keep it.

        The text is kept without blanks at its ends; an empty one takes the earlier text away. If no
        step can be corrected, or it is right or cannot be told, a message says so. What was typed
        stays to be taken up again until a correction is accepted. Raises Left if the person leaves
        the line.
        """
        step = self._step_to_correct()
        if step is None:
            return
        if step.is_right or not step.is_told:
            self._review.say(
                f"Step {step.no} is {step.verdict}: say first what else it is ({{steps.2:2}}).",
            )
            return
        about = (STEP_INSTEAD, step.no)
        said = await self._review.line(
            f"Instead of step {step.no}",
            step.instead,
            about=about,
        )
        edit = Edit("instead", step.no, step.sha, instead=said.strip())
        if self._review.correct([(edit,)], f"instead of step {step.no} said"):
            self._review.done_with(about)

    async def go_to(self) -> None:
        """Ask for a step by its number, as `19` or `s19`, and put the cursor on it.

        If there is no such step, or what is typed is no number, a message says so and the cursor
        stays. Raises Left if the person leaves the line.
        """
        typed = await self._review.line("Which step")
        number = step_named(f"s{typed.strip().lower().removeprefix('s')}")
        if number is None:
            self._review.say(
                "Type the number of a step, as it stands in the conversation.",
            )
        elif self._rows.to_step(number):
            self._review.looked()
        else:
            self._review.say(f"Step {number} gets no verdict.")

    # -- the run ----------------------------------------------------------------------------------

    async def outcome(self) -> None:
        """Ask how the run ended, and correct the labels by the answer.

        If the labels cannot be corrected, the trait does not ask, or the answer is refused as given
        already, a message says so. Raises Left if the person leaves the list.
        """
        if not may_correct(self._review):
            return
        trait = self._rows.trait
        if not trait.outcome:
            self._review.say("This trait does not ask how a run ended.")
            return
        meanings = {named.name: named.means for named in trait.outcome}
        current = self._rows.labels.outcome
        choices: list[Choice] = []
        for number, name in enumerate(trait.sayable_outcomes, 1):
            note = "given" if name == current else meanings.get(name, "")
            choices.append(Choice(name, str(number), name, note))
        picked = await self._review.pick("How did the run end?", choices)
        self._review.correct(
            [(Edit("outcome", outcome=picked),)],
            f"the run ended: {picked}",
        )

    # -- the menu ---------------------------------------------------------------------------------

    async def menu(self) -> None:
        """List what can be done with the step under the cursor and the run; do what is picked.

        Corrections are in it only if the session may make them. Raises Left if the person leaves
        the list.
        """
        rows = self._rows
        offers = {"text.evidence": "bring it into sight"}
        if not self._review.readonly:
            offers |= verdict_words(rows.trait)
            if rows.trait.errors:
                offers["steps.error"] = "which error it is"
            offers["steps.instead"] = "what would have been right instead"
            if rows.trait.outcome:
                offers["steps.outcome"] = "how the run ended"
        offers["steps.next"] = f"to the next step that is not {rows.trait.good}"
        if rows.shown.rounds:
            offers["cell.proposals"] = "what each judge proposed, to adopt one"
        step = rows.step
        await pick_action(
            self._review,
            self._title(step) if step else "The run",
            offers,
        )

    def _title(self, step: StepLabel) -> str:
        """Return a step's number and its first words, as "step 3: Searches the web for"."""
        return f"step {step.no}: {self._rows.words(step)[:TITLE_LETTERS]}"

    def _step_to_correct(self) -> StepLabel | None:
        """Return the step under the cursor, or None, after a message, if it cannot be corrected.

        It cannot if the session may not correct, or if no step is under the cursor.
        """
        if not may_correct(self._review):
            return None
        step = self._rows.step
        if step is None:
            self._review.say(NO_STEP)
        return step


STEP_INSTEAD = "steps.instead"
"""What a typed alternative is kept under, with the number of its step, until it is accepted."""
THE_STEP_IS = "the step is: "
"""How the help of a key that gives a verdict begins."""


def verdict_words(trait: StepsRubricTrait) -> dict[str, str]:
    """Return what each key that gives a verdict says, by the id of the key.

    For example {"steps.1": "the step is: right", "steps.2": "the step is: wrong"}, and last
    "steps.cannot_tell" if the trait allows that.
    """
    words = {f"steps.{no}": name for no, name in enumerate(trait.verdict_names, 1)}
    if trait.cannot_tell:
        words[OF_CANNOT_TELL] = CANNOT_TELL
    return {key: f"{THE_STEP_IS}{name}" for key, name in words.items()}


def keys_at(keys: Sequence[Key], trait: StepsRubricTrait) -> list[Key]:
    """Return those of some keys that mean something under a trait, in their order.

    A trait has as many keys of verdicts as verdicts, with its words for them; keys of errors or of
    outcomes only if it has those. Other keys stay as they are. The given keys are not changed.
    """
    words: Mapping[str, str] = verdict_words(trait)
    meaningless = set(VERDICT_KEYS - words.keys())
    if not trait.errors:
        meaningless.add("steps.error")
    if not trait.outcome:
        meaningless.add("steps.outcome")
    meaningful_keys: list[Key] = []
    for key in keys:
        if key.id in words:
            label = words[key.id].removeprefix(THE_STEP_IS)
            meaningful_keys.append(replace(key, label=label, help=words[key.id]))
        elif key.id not in meaningless:
            meaningful_keys.append(key)
    return meaningful_keys


# -- the keys --------------------------------------------------------------------------------------

VERDICT_KEYS = frozenset(
    {OF_CANNOT_TELL, *(f"steps.{no}" for no in range(1, MOST + 1))},
)
"""The ids of the keys that give a step a verdict."""
OF_STEPS = "steps trait: "
"""How the help of each of these keys begins."""
_ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
)
_MEANS = {1: " (the good one)", 2: " (wrong)"}


def _verdict_key(no: int) -> Key:
    """Return the key of the verdict with a number, from 1: the digit, which gives that verdict.

    Its id is such as "steps.1". Its help calls the verdict by its place, as "first". `keys_at` puts
    the trait's own word there.
    """
    return Key(
        f"steps.{no}",
        str(no),
        f"verdict {no}",
        f"the step gets the trait's {_ORDINALS[no - 1]} verdict{_MEANS.get(no, '')}",
        Act(StepCorrections.rule, no - 1),
        in_lines=True,
    )


KEYS = in_group(
    "Steps",
    *(_verdict_key(no) for no in range(1, MOST + 1)),
    Key(
        OF_CANNOT_TELL,
        "x",
        CANNOT_TELL,
        "it cannot be told of the step",
        Act(StepCorrections.cannot_tell),
        in_lines=True,
    ),
    Key(
        "steps.error",
        "e",
        "error",
        "which error the step is; one that is right becomes wrong",
        Act(StepCorrections.error),
        strip=Strip(2, 2),
        in_lines=True,
    ),
    Key(
        "steps.instead",
        "equals_sign",
        "instead",
        "what would have been right instead",
        Act(StepCorrections.instead),
        shown="=",
        strip=Strip(9, 6),
        in_lines=True,
    ),
    Key(
        "steps.outcome",
        "o",
        "outcome",
        "how the run ended",
        Act(StepCorrections.outcome),
        strip=Strip(3, 3),
        in_lines=True,
    ),
    about=OF_STEPS,
)
