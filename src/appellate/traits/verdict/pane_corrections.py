"""Corrects verdicts by keys that are the same for every kind, on the screen and in line mode."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from appellate.core.cell import Cell, reason_for
from appellate.core.kind import CANNOT_TELL, Subject
from appellate.traits.verdict.kind import Edit
from appellate.traits.verdict.scale import DIGITS, Value
from appellate.ui.contract import Choice, Place, Review, keyed, may_correct
from appellate.ui.conversation import Conversation
from appellate.ui.key import Act, Key, Strip, in_group

OF_CANNOT_TELL = "verdict.cannot_tell"
DIGIT_KEYS = tuple(f"verdict.{digit}" for digit in range(DIGITS + 1))
TAKING = frozenset({"verdict.pick", *DIGIT_KEYS[1:]})
"""The keys that can give a verdict on words that are being selected."""


def answer_keys(trait: Any) -> Mapping[str, str]:
    """Return the answer that each key gives by itself, by the id of the key.

    An answer is the text that stands for a verdict in `trait.sayable`: {"verdict.1": "1",
    "verdict.2": "0"} for yes and no, {"verdict.1": "0", "verdict.2": "1"} for two classes. If
    verdicts have no digits, only "cannot tell" has a key, if the trait allows it.
    """
    answer_of = {}
    for answer, value in trait.sayable.items():
        if value == CANNOT_TELL or trait.has_digits:
            answer_of[key_id(trait, value)] = answer
    return answer_of


def key_id(scale: Any, value: Any) -> str:
    """Return the id of the key that gives a verdict, as "verdict.1".

    It is "verdict.cannot_tell" for one that cannot be told. There need not be such a key: on a
    scale without digits it may be "verdict.37".
    """
    if value == CANNOT_TELL:
        return OF_CANNOT_TELL
    return f"verdict.{scale.key_of(value)}"


def words_of_keys(scale: Any) -> dict[str, str]:
    """Return the verdict that each key gives by itself, as sentences say it, by the id of the key.

    For example {"verdict.1": "yes", "verdict.2": "no"}. Verdicts without a key are left out.
    """
    words: dict[str, str] = {}
    for key, answer in answer_keys(scale).items():
        value = scale.sayable[answer]
        words[key] = scale.in_words(value)
    return words


def verdict_key_offers(scale: Any) -> dict[str, str]:
    """Return what a menu says of each key that gives a verdict by itself, by the id of the key.

    For example {"verdict.1": "the verdict: yes"}. Verdicts without a key are left out; empty if
    none has one.
    """
    return {
        key: f"the {scale.word}: {words}" for key, words in words_of_keys(scale).items()
    }


def key_shown(scale: Any, value: Any, review: Review) -> str:
    """Return the key that gives a verdict, as the person has set it.

    For a verdict without a key, return what is typed for it in lists; it may be "".
    """
    key: str = scale.key_of(value)
    id_of_key = key_id(scale, value)
    if not key or id_of_key not in answer_keys(scale):
        return key
    return keyed(f"{{{id_of_key}:{key}}}", review)


def verdict_keys_shown(scale: Any, keys: Iterable[Key]) -> str:
    """Return the keys that give a verdict, as the person has set them, for a sentence.

    They are "1 2", or "1-5" for three or more usual digits, and the key of "cannot tell" after them
    if allowed. Without a digit it is the key of the list of verdicts. A key that is not among
    `keys`, or is unset, is left out; "" if none is left.
    """
    names = {key.id: key.shown.partition(" ")[0] for key in keys if key.keys}
    digits = [key for key in answer_keys(scale) if key != OF_CANNOT_TELL]
    usual = [key.removeprefix("verdict.") for key in digits]
    texts = [names[key] for key in digits if key in names]
    is_range = "".join(usual) in "0123456789" and len(usual) > 2  # noqa: PLR2004 - two are none
    if is_range and texts == usual:
        texts = [f"{texts[0]}-{texts[-1]}"]
    if not texts and "verdict.pick" in names:
        texts = [names["verdict.pick"]]
    if scale.takes_cannot_tell and OF_CANNOT_TELL in names:
        texts.append(names[OF_CANNOT_TELL])
    return " ".join(texts)


OLD_IDS: Mapping[str, str] = {
    **{
        f"{kind}.{name}": f"verdict.{name}"
        for kind in ("llm", "callable", "scorer")
        for name in ("turn", "pick", "over", *map(str, range(DIGITS + 1)))
    },
    "callable.ask": "verdict.pick",
    "regex.yes": "verdict.1",
    "regex.no": "verdict.2",
    "regex.turn": "verdict.turn",
    **{
        f"scorer.{letter}": f"verdict.{digit}" for digit, letter in enumerate("cpin", 1)
    },
}
"""The ids of these keys in keymaps of earlier versions, which had them once for each kind."""


Stretches = Sequence[tuple[int, int] | None]


class VerdictInSight:
    """The verdict that is shown, its source and its scale; for pane and lines."""

    GROUPS: ClassVar[tuple[str, str]] = ("verdict", "evidence")
    """The names of the groups of verdicts, and of the spans that they are based on."""
    cell: Cell | None = None

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    @property
    def kind(self) -> Any:
        """The kind of the current cell. Raises LookupError before there is one."""
        return self.subject.kind

    @property
    def subject(self) -> Subject:
        """The trait and trace of the current cell. Raises LookupError before there is one."""
        if self.cell is None:
            raise LookupError("no cell is shown yet")
        return self.cell.subject

    @property
    def trait(self) -> Any:
        return self.subject.trait

    @property
    def labels(self) -> Any:
        labels = self.cell.labels if self.cell else None
        return self.kind.blank if labels is None else labels

    @property
    def scale(self) -> Any:
        """The `Scale` of the verdict."""
        return self.trait

    @property
    def title(self) -> str:
        return str(self.trait.name)

    @property
    def source(self) -> str:
        """The giver of the verdict if no person gives one."""
        return str(self.kind.by)

    @property
    def value(self) -> Any:
        return self.labels.value

    @property
    def found(self) -> Any:
        """The verdict that the source gave."""
        return self.labels.found

    @property
    def is_overruled(self) -> bool:
        """Whether a person changed the verdict of the source."""
        return self.found not in (None, self.value)

    @property
    def whose(self) -> str:
        """The giver of the current verdict, in words such as "as the judge says".

        For a changed one it is what the source says, as "the judge says no", and "given by a
        person" if the source gave none. While the judge of the cell is hidden, it is "not locked
        yet". Raises LookupError before there is a cell.
        """
        if self.cell and self.cell.hidden:
            return "not locked yet"
        if self.found is None:
            return "given by a person"
        if not self.is_overruled:
            return f"as the {self.source} says"
        return f"the {self.source} says {self.scale.describe(self.found)}"

    @property
    def reason(self) -> str:
        """The reason of the last correction in force, or "" if there is none or no cell."""
        cell = self.cell
        if cell is None:
            return ""
        fact_numbers = [step.n for step in cell.steps if step.n in cell.edits]
        if not fact_numbers:
            return ""
        return reason_for(cell, fact_numbers[-1])

    @property
    def tells_reason(self) -> bool:
        """Whether the person's reason is shown: for a changed verdict, and for "cannot tell"."""
        return bool(self.reason) and (self.is_overruled or self.value == CANNOT_TELL)

    @property
    def stretches(self) -> Stretches:
        """The spans that the verdicts are based on; None for one that is not in the response."""
        return ()

    @property
    def place(self) -> Place:
        place: Place = self._cursor.place
        return place

    def go(self, group: str, number: int) -> None:
        """Move the cursor to a verdict, or to what it is based on.

        `group` is one of `GROUPS`, and `number` a position in it, from 0.
        """
        self._cursor.go(group, number)

    def follow_edit(self, edit: Any) -> None:
        """Move the cursor to what a correction was about."""
        self._cursor.to_verdict()


class VerdictCorrections:
    """The acts of keys on the current verdict."""

    enter_words: Callable[[], Conversation] | None = None
    """What Enter does while words are being selected."""

    def __init__(self, review: Review, sight: Any) -> None:
        self._review = review
        self._sight = sight

    def new_verdict_edit(self) -> Any:
        """Return an empty edit of the verdict, for the caller to put a value into.

        Here it is always an "overrule", and no selection is looked at. A kind whose verdicts take
        selected words overrides this: it puts the words into the edit and ends the selection. If a
        person is selecting and has no words yet, that kind says so and returns None.
        """
        return Edit("overrule")

    async def give(self, value: Any) -> None:
        """Give a verdict to the cell; giving the source's own takes a change back.

        Does nothing, and says why, if nothing may be corrected, if the verdict is refused, as one
        that is given already or not on the scale, or if words are being selected and there are none
        yet.
        """
        if not self.may_correct():
            return
        edit = self.new_verdict_edit()
        if edit is not None:
            self._correct_to(edit, value)

    def _correct_to(self, edit: Any, value: Any) -> None:
        """Correct the cell by an edit of `new_verdict_edit` that gets this verdict.

        If the edit is refused, as for a verdict that is given already, only a note says why.
        """
        self._review.correct([(replace(edit, value=value),)], "changed")

    async def cannot_tell(self) -> None:
        """Give the cell the verdict "cannot tell".

        Does nothing, and says why, if the trait does not allow that, if it is given already, if
        nothing may be corrected, or if words are being selected and there are none yet.
        """
        await self.give(CANNOT_TELL)

    async def take(self, option: Any) -> None:
        """Give the verdict of the row under the cursor.

        If it is given already and has a contrary, give that. For None, a row of no verdict, the
        person picks from a list of all verdicts, or types a score that no list has. Does nothing,
        and says why, in the same cases as `give`. Raises Left if the person leaves, and Refused for
        a typed text that is no number.
        """
        if option is None:
            await self.pick()
        elif option == self._sight.value and self._sight.scale.has_contrary(option):
            await self.turn()
        else:
            await self.give(option)

    async def turn(self) -> None:
        """Give the contrary of the current verdict: no for yes and yes for no.

        Of letters I is given for C, and C for any other. Does nothing, and says why, if nothing may
        be corrected, or if words are being selected and there are none yet. Raises Refused if there
        is no verdict or it has no contrary.
        """
        await self.give(self._sight.scale.contrary(self._sight.value))

    async def value(self, number: int) -> None:
        """Give the verdict of a digit key: 1 is yes and 2 no, and classes count from 1.

        A score is its digit. If verdicts have no digits here, one is asked for, beginning with the
        digit. Does nothing, and says why, in the same cases as `give`. Raises Refused for a digit
        that gives nothing and for a typed text that is no number, and Left if the person leaves the
        question.
        """
        value = self._sight.scale.of_digit(number)
        if value is None:
            await self.pick(str(number))
        else:
            await self.give(value)

    async def pick(self, typed: str = "") -> None:
        """Ask for one of all verdicts in a list, and give it.

        The list is searched for `typed` at first. Where a score need not be whole, and on an
        unbounded scale, it is typed instead, and the line begins with `typed`. Does nothing, and
        says why, if nothing may be corrected, if the verdict is refused, as one that is given
        already, or if words are being selected and there are none yet. Raises Left if the person
        leaves, and Refused for a typed text that is no number.
        """
        if not self.may_correct():
            return
        edit = self.new_verdict_edit()
        if edit is None:
            return
        if self._sight.scale.is_picked_from_list:
            value = await self._pick_verdict(typed)
        else:
            value = await self._ask_score(typed)
        self._correct_to(edit, value)

    async def _pick_verdict(self, typed: str) -> Value:
        """Return the verdict that a person picks from a list of all, searched for `typed` at first.

        The list marks the current verdict and the source's. The cell is not changed. Raises Left if
        the person leaves.
        """
        scale = self._sight.scale
        values = scale.choices
        choices = []
        for index, value in enumerate(values):
            number = scale.key_of(value) or str(index + 1)
            says = []
            if value == self._sight.value:
                says.append(scale.word)
            if value == self._sight.found:
                says.append(self._sight.source)
            choices.append(
                Choice(str(index), number, scale.meaning_of(value), ", ".join(says)),
            )
        title = f"{scale.word.capitalize()}: {self._sight.title}"
        picked_index = await self._review.pick(title, choices, typed=typed)
        picked: Value = values[int(picked_index)]
        return picked

    async def _ask_score(self, typed: str) -> Value:
        """Return the score that a person types, which need not be on the scale.

        The line begins with `typed`, or with the current score if that is "", and says what is
        wrong while it is typed. The cell is not changed. Raises Refused for a text that is no
        number, and Left if the person leaves.
        """
        scale = self._sight.scale
        about = "Score", self._sight.title, scale.describe(self._sight.value)
        label = f"Score {scale.span()}".strip()
        text = await self._review.line(
            label,
            about[-1],
            about=about,
            typed=typed,
            checking=self._fault,
        )
        score: Value = scale.read(text)
        self._review.done_with(about)
        return score

    def _fault(self, typed: str) -> str:
        """Return a sentence on what is wrong with a score as far as it is typed, or "".

        Keys in it are those that the person has set.
        """
        return keyed(self._sight.scale.fault(typed), self._review)

    async def _words(self, which: str = "") -> tuple[int, int] | None:
        """Return the span of the words that are selected, or that a person is asked to select.

        Its offsets are in the text that is judged. A selection is ended; if it has no words yet, a
        note says so. `which` says what they are for. Returns None for none. Raises Left if the
        person leaves.
        """
        if self._review.selecting:
            return self._review.take_words()
        return await self._review.select_words(which=which)

    def may_correct(self) -> bool:
        """Return whether the verdict can be corrected now; says why not."""
        return may_correct(self._review)


# -- the keys --------------------------------------------------------------------------------------

VALUE_KEYS = in_group(
    "Verdict",
    Key(
        "verdict.0",
        "0",
        "score 0",
        "score 0",
        Act(VerdictCorrections.value, 0),
        in_lines=True,
    ),
    Key(
        "verdict.1",
        "1",
        "score 1",
        "yes, score 1 or class 1; of letters C, correct",
        Act(VerdictCorrections.value, 1),
        in_lines=True,
    ),
    Key(
        "verdict.2",
        "2",
        "score 2",
        "no, score 2 or class 2; of letters P, partly correct",
        Act(VerdictCorrections.value, 2),
        in_lines=True,
    ),
    Key(
        "verdict.3",
        "3",
        "score 3",
        "score 3 or class 3; of letters I, incorrect",
        Act(VerdictCorrections.value, 3),
        in_lines=True,
    ),
    Key(
        "verdict.4",
        "4",
        "score 4",
        "score 4 or class 4; of letters N, no answer",
        Act(VerdictCorrections.value, 4),
        in_lines=True,
    ),
    Key(
        "verdict.5",
        "5",
        "score 5",
        "score 5 or class 5",
        Act(VerdictCorrections.value, 5),
        in_lines=True,
    ),
    Key(
        "verdict.6",
        "6",
        "score 6",
        "score 6 or class 6",
        Act(VerdictCorrections.value, 6),
        in_lines=True,
    ),
    Key(
        "verdict.7",
        "7",
        "score 7",
        "score 7 or class 7",
        Act(VerdictCorrections.value, 7),
        in_lines=True,
    ),
    Key(
        "verdict.8",
        "8",
        "score 8",
        "score 8 or class 8",
        Act(VerdictCorrections.value, 8),
        in_lines=True,
    ),
    Key(
        "verdict.9",
        "9",
        "score 9",
        "score 9 or class 9",
        Act(VerdictCorrections.value, 9),
        in_lines=True,
    ),
)
TURN_KEY = Key(
    "verdict.turn",
    "space",
    "turn",
    "the verdict under the cursor; of one that is given the contrary",
    Act(VerdictCorrections.turn),
    shown="Space",
    near=True,
    in_lines="the contrary of the verdict",
)
"""What it does line by line; a pane goes by its cursor."""
PICK_KEYS = in_group(
    "Verdict",
    Key(
        "verdict.pick",
        "i",
        "list",
        "pick the verdict from a list, or type a score",
        Act(VerdictCorrections.pick),
        strip=Strip(9, 7),
        in_lines=True,
    ),
    Key(
        "verdict.cannot_tell",
        "x",
        "cannot tell",
        "cannot tell: what is shown does not decide it (LLM traits with cannot_tell = true)",
        Act(VerdictCorrections.cannot_tell),
        in_lines=True,
    ),
)
