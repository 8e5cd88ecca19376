"""The score on its scale as it is shown, what it rests on in words, and what keys do to both."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from appellate.core.problem import Refused, many
from appellate.traits.scorer.labels import (
    LETTERS,
    UNSCORED,
    Edit,
    Labels,
    Ruling,
    legal,
    spoken,
    targets_of,
    value_text,
    wanted,
)
from appellate.traits.scorer.rules import named, places_of, wording
from appellate.traits.scorer.spec import GRADED, ScorePart, Scorer, ScorerRubricTrait, offered
from appellate.traits.verdict.pane_corrections import Stretches, VerdictCorrections, VerdictInSight
from appellate.traits.verdict.scale import Scale
from appellate.ui.key import Act, Key, Strip, in_group

VALUE = "value"
SPAN = "span"
"""The groups of places: scores (those that may be given, or those of a dictionary), and extracted
words.
"""
_PLACES = {
    "begin": "at the beginning",
    "end": "at the end",
    "any": "anywhere",
    "exact": "the whole response",
}
_CONTRARY: Mapping[Any, str] = {"C": "I", "I": "C", "N": "C", "P": "C"}


class ScoreScale(Scale):
    """One value of a trait: letters, yes and no, or numbers, as given or as the trait has it."""

    word = "score"
    kind: Literal["letter", "boolean", "number"]  # type: ignore[assignment]

    def __init__(self, trait: ScorerRubricTrait, labels: Labels, part: ScorePart) -> None:
        self._trait = trait
        self._part = part
        given = [labels.proposed.of(part.key)] if labels.proposed else []
        self.kind = "letter" if part.is_letter else "number"
        self._given = (*given, labels.standing.of(part.key))
        for value in self._given:
            if self.kind == "number" and isinstance(value, bool):
                self.kind = "boolean"
            elif self.kind == "number" and value in LETTERS:
                self.kind = "letter"

    @property
    def sayable(self) -> Mapping[str, Any]:
        if self.kind == "boolean":
            return {"yes": True, "no": False}
        if self.kind != "letter":
            return {}
        letters: Iterable[Any] = LETTERS
        if self._part.is_letter and not self._part.key:  # those that have a row
            letters = filter(LETTERS.__contains__, self.offered(*self._given))
        return {one: one for one in sorted(letters, key=self.key_of)}

    @property
    def has_digits(self) -> bool:
        return self.kind != "number"

    def offered(self, *also: Any) -> list[Any]:
        if self.kind == "boolean":
            return [True, False]
        values = list[Any]()
        if self._part.is_letter:
            values += self._letters()
            values += [one for one in dict.fromkeys(also) if one not in (None, *values)]
        return values

    def _letters(self) -> Sequence[str]:
        """Those that get a row each."""
        trait = self._trait
        if trait.scorer in GRADED and not trait.has_own_words:
            return offered(partial_credit=trait.partial_credit)
        if trait.scorer == "choice":
            return "C", "I", "N"
        if trait.takes_answer:
            return ("C", "I")
        return tuple(LETTERS)

    @property
    def choices(self) -> Sequence[Any]:
        return [*LETTERS, UNSCORED] if self._part.is_letter else []

    def describe(self, value: Any) -> str:
        return value_text(value)

    def in_words(self, value: Any) -> str:
        return spoken(value)

    def briefly(self, value: Any) -> str:
        return LETTERS.get(value) or spoken(value)

    def meaning_of(self, value: Any) -> str:
        return spoken(value)

    def scale_text(self) -> str:
        return "Score"

    def question_text(self) -> str:
        return self._trait.description or ""

    def span(self) -> str:
        return f"of {self._part.key}" if self._part.key else ""

    def key_of(self, value: Any) -> str:
        if isinstance(value, bool):
            return super().key_of(value)
        return str([*LETTERS].index(value) + 1) if value in LETTERS else ""

    def keys_text(self) -> str:
        if self.kind == "boolean":
            return super().keys_text()
        if self.kind == "number":
            return "{verdict.pick:i}"
        digits = [f"{{verdict.{digit}:{digit}}}" for digit in map(self.key_of, self.sayable)]
        return f"{', '.join(digits)} or {{verdict.pick:i}}"

    def of_digit(self, number: int) -> Any:
        if self.kind == "boolean":
            return super().of_digit(number)
        if self.kind == "number":
            return None
        by_digit = {self.key_of(value): value for value in self.sayable}
        if str(number) not in by_digit:
            scores = [f"{{verdict.{digit}:{digit}}} {value}" for digit, value in by_digit.items()]
            listed = "{verdict.pick:i} lists all that there are"
            raise Refused(f"The scores here are {', '.join(scores)}; {listed}.")
        return by_digit[str(number)]

    def is_value(self, value: object) -> bool:
        return legal(self._part, value) is not None

    def has_contrary(self, value: Any) -> bool:
        return isinstance(value, bool) or value in _CONTRARY

    def contrary(self, value: Any) -> Any:
        if isinstance(value, bool):
            return not value
        if value not in _CONTRARY:
            raise Refused("There is nothing to turn here: a digit, or i, gives the score.")
        return _CONTRARY[value]

    def read(self, text: str) -> Any:
        bare = text.strip().lower()
        value = legal(self._part, bare.upper() if bare.upper() in LETTERS else bare)
        if value is None:
            raise Refused(f"The value here is {wanted(self._part)}.")
        return value


class ScoreInSight(VerdictInSight):
    """The score under the cursor, and the answer that it rests on."""

    GROUPS = (VALUE, SPAN)

    @property
    def is_single(self) -> bool:
        """Whether there is one score, and no dictionary."""
        return len(self.trait.parts) == 1

    @property
    def part(self) -> ScorePart:
        group, number = self.place
        part: ScorePart = self.trait.parts[number if group == VALUE and not self.is_single else 0]
        return part

    @property
    def key(self) -> str:
        return self.part.key

    @property
    def scale(self) -> ScoreScale:
        return ScoreScale(self.trait, self.labels, self.part)

    @property
    def stretches(self) -> Stretches:
        spans: Stretches = self.labels.standing.spans
        return spans

    @property
    def title(self) -> str:
        return self.key or super().title

    @property
    def source(self) -> str:
        if self.trait.scorer == "recorded":
            return "record"
        if self.trait.scorer == "callable":
            return "function"
        return "judge" if self.trait.is_graded else "rule"

    @property
    def value(self) -> Any:
        return self.labels.standing.of(self.key)

    @property
    def found(self) -> Any:
        proposed = self.labels.proposed
        return proposed.of(self.key) if proposed else None

    @property
    def is_overruled(self) -> bool:
        return bool(self.labels.is_overruled)

    @property
    def whose(self) -> str:
        labels, proposed = self.labels, self.labels.proposed
        if proposed is None or not labels.is_overruled or (self.cell and self.cell.hidden):
            return super().whose
        what = "changed" if labels.standing.answer == proposed.answer else "answer changed"
        return f"{what} · was {value_text(self.found) or UNSCORED}"

    @property
    def extracted(self) -> str:
        """What was taken for the answer."""
        return self.extracted_by(self.labels.standing)

    def extracted_by(self, one: Ruling) -> str:
        """What one ruling took for the answer."""
        trait: ScorerRubricTrait = self.trait
        if one.answer:
            return "the whole response" if self.is_whole(one) else wording([one.answer])
        if trait.scorer in ("exact", "f1") or trait.is_graded or trait.location == "exact":
            return "the whole response"
        if trait.scorer in ("recorded", "multi_scorer", "callable"):
            return ""
        return "nothing"

    def is_whole(self, one: Ruling) -> bool:
        """Whether the answer is all that was responded, which points at nothing."""
        return bool(one.answer) and one.answer.strip() == self.subject.text.strip()

    @property
    def target(self) -> str:
        """What it is compared with, in a line; a choice with its words."""
        trace = self.subject.trace
        found = list(self.labels.target) or targets_of(trace)
        choices = trace.choices or ()
        if self.trait.scorer == "choice" and choices:
            try:
                return named(places_of(found, choices), choices)
            except ValueError:
                return wording(found)
        return wording(found) if found else ""

    @property
    def explanation(self) -> str:
        """Why it matched or did not, as its source says."""
        why: str = self.labels.standing.why
        if not why and self.labels.proposed:
            why = self.labels.proposed.why
        return why

    def follow_edit(self, edit: Edit) -> None:
        """Puts the cursor on the score that was given, or that the answer led to."""
        keys = [part.key for part in self.trait.parts]
        if edit.key in keys and not self.is_single:
            self.go(VALUE, keys.index(edit.key))
        else:
            super().follow_edit(edit)


def settings_text(trait: ScorerRubricTrait) -> str:
    """The scorer and its settings, in words."""
    if trait.scorer != "multi_scorer":
        return _one_text(trait)
    members = []
    for one in trait.scorers:
        text = _one_text(one)
        if one.name is not None:
            text = f"{one.name} ({text})"
        members.append(text)
    text = f"{many(len(members), 'score')}: {'; '.join(members)}"
    return f"{trait.reducer} of {text}" if trait.reducer else text


def _one_text(one: Scorer) -> str:
    settings: Sequence[tuple[str, object]] = (
        (one.scorer.replace("_", " "), True),
        (_PLACES[one.location], one.scorer == "match"),
        (one.callable or "", one.scorer == "callable"),
        (one.pattern or "", one.scorer == "pattern"),
        (f"the {one.pattern} after ANSWER:", one.scorer == "answer"),
        ("as a number", one.numeric),
        ("in the same case of letters", not one.ignore_case),
        ("every group", one.match_all),
        ("several may be right", one.multiple_correct),
        (f"ignoring {', '.join(one.stop_words)}", one.stop_words),
        ("partial credit", one.partial_credit),
        ("with the conversation", one.include_history),
    )
    return ", ".join(text for text, is_so in settings if is_so)


# -- what keys do ----------------------------------------------------------------------------------

TAKES = (
    "{scorer.words:=} takes these words as the answer, which is scored again; {select.leave:Esc} "
    "leaves."
)


class ScoreCorrections(VerdictCorrections):
    """What keys do to the score under the cursor and to the answer it rests on."""

    def begun(self) -> Edit:
        return Edit("overrule", key=self._sight.key)

    async def answer(self) -> None:
        """Asks for the answer in words, which is scored again."""
        if not self._may_answer():
            return
        standing = self._sight.labels.standing.answer
        about = "Answer", standing
        text = await self._review.line("Answer", standing, about=about)
        if self._review.correct([(Edit("answer", text=text),)], "changed"):
            self._review.done_with(about)

    async def words(self) -> None:
        """Takes words of the response for the answer."""
        if not self._may_answer():
            return
        words = await self._words(which="the answer")
        if words:
            edit = Edit("answer", start=words[0], end=words[1])
            self._review.correct([(edit,)], "changed")

    enter_words = words

    async def back(self) -> None:
        if self.may_correct():
            self._review.correct([(Edit("restore"),)], "taken back")

    def _may_answer(self) -> bool:
        if not self._sight.trait.takes_answer:
            text = "There is no answer here that a rule could score again"
            raise Refused(f"{text}: {self._sight.scale.keys_text()} gives the score itself.")
        return self.may_correct()


# -- the keys --------------------------------------------------------------------------------------

SCORER_KEYS = in_group(
    "Verdict",
    Key(
        "scorer.answer",
        "e",
        "answer",
        "type the answer that was to be extracted; it is scored again",
        Act(ScoreCorrections.answer),
        strip=Strip(8, 6),
        in_lines=True,
    ),
    Key(
        "scorer.words",
        "equals_sign,=",
        "its words",
        "select the answer in the response; it is scored again",
        Act(ScoreCorrections.words),
        shown="=",
        strip=Strip(10, 8),
        in_lines=True,
    ),
    Key(
        "scorer.back",
        "d",
        "take back",
        "take the change back",
        Act(ScoreCorrections.back),
        strip=Strip(11, 9),
        in_lines=True,
    ),
    about="scorer trait: ",
)
