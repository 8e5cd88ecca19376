"""Describes the score of a cell for pane and lines, and corrects it by keys."""

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
from appellate.traits.scorer.spec import (
    GRADED,
    ScorePart,
    Scorer,
    ScorerRubricTrait,
    offered,
)
from appellate.traits.verdict.pane_corrections import (
    Stretches,
    VerdictCorrections,
    VerdictInSight,
)
from appellate.traits.verdict.scale import Scale
from appellate.ui.key import Act, Key, Strip, in_group

VALUE = "value"
SPAN = "span"
"""The group of extracted words.

`VALUE` is that of scores: those that may be given, or a dictionary's.
"""
_PLACES = {
    "begin": "at the beginning",
    "end": "at the end",
    "any": "anywhere",
    "exact": "the whole response",
}
_CONTRARY: Mapping[Any, str] = {"C": "I", "I": "C", "N": "C", "P": "C"}


class ScoreScale(Scale):
    """The scale of one value: letters, yes and no, or numbers, by its present value or by the
    trait.
    """

    word = "score"
    kind: Literal["letter", "boolean", "number"]  # type: ignore[assignment]

    def __init__(
        self,
        trait: ScorerRubricTrait,
        labels: Labels,
        part: ScorePart,
    ) -> None:
        """Find out what the value of a part is: a letter, yes or no, or a number.

        If the trait does not say, its current value and the scorer's decide, else it is a number.
        """
        self._trait = trait
        self._part = part
        present_values = [labels.proposed.of(part.key)] if labels.proposed else []
        self.kind = "letter" if part.is_letter else "number"
        self._given = (*present_values, labels.standing.of(part.key))
        for value in self._given:
            if self.kind == "number" and isinstance(value, bool):
                self.kind = "boolean"
            elif self.kind == "number" and value in LETTERS:
                self.kind = "letter"

    @property
    def sayable(self) -> Mapping[str, Any]:
        """The scores that an answer may name, by their texts, in the order of their keys.

        They are yes and no, or letters. Letters without a row in the pane are left out if others
        have one; in a dictionary none has, and all four are there. Empty for numbers.
        """
        if self.kind == "boolean":
            return {"yes": True, "no": False}
        if self.kind != "letter":
            return {}
        letters: Iterable[Any] = LETTERS
        if self._part.is_letter and not self._part.key:  # those that have a row
            letters = filter(LETTERS.__contains__, self.offered(*self._given))
        return {letter: letter for letter in sorted(letters, key=self.key_of)}

    @property
    def has_digits(self) -> bool:
        return self.kind != "number"

    def offered(self, *extra_values: Any) -> list[Any]:
        """Return the values that get a row.

        They are true and false, or the trait's letters and then those of `extra_values` that are
        new and not None. Empty for numbers, and if only the current value is a letter but the trait
        does not say that it is one.
        """
        if self.kind == "boolean":
            return [True, False]
        values = list[Any]()
        if self._part.is_letter:
            values += self._letters()
            for value in extra_values:
                if value is not None and value not in values:
                    values.append(value)
        return values

    def _letters(self) -> Sequence[str]:
        """Return the letters that get a row each, by the scorer of the trait.

        A judge that is asked in the usual words gives those that they offer: C and I, and P for
        partial credit. A choice has C, I and N; any other rule has C and I, as has a multi_scorer
        of rules only. All letters are returned for a judge that is asked in the trait's own words,
        and for what follows no rule.
        """
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
        """Return what a person presses, or types in a list, to give a value.

        Yes is "1" and no "2"; C, P, I and N are "1" to "4". Any other has "", as a number or None.
        """
        if isinstance(value, bool):
            return super().key_of(value)
        if value not in LETTERS:
            return ""
        letters = list(LETTERS)
        return str(letters.index(value) + 1)

    def keys_text(self) -> str:
        """Return the keys that give a score, for a sentence: "{verdict.1:1} or {verdict.pick:i}".

        For letters they are the digits and then the key that lists or takes all scores, for a
        number only the latter. For yes and no they are two digits with these words. They are marked
        up, so that a person's own keys replace them.
        """
        if self.kind == "boolean":
            return super().keys_text()
        if self.kind == "number":
            return "{verdict.pick:i}"
        digits = [
            f"{{verdict.{digit}:{digit}}}" for digit in map(self.key_of, self.sayable)
        ]
        return f"{', '.join(digits)} or {{verdict.pick:i}}"

    def of_digit(self, number: int) -> Any:
        """Return the value that a digit key gives, or None for numbers, which are typed.

        Yes is 1 and no 2. C, P, I and N are 1 to 4, whichever of them the scale has. Raises Refused
        for a digit without a value.
        """
        if self.kind == "boolean":
            return super().of_digit(number)
        if self.kind == "number":
            return None
        by_digit = {self.key_of(value): value for value in self.sayable}
        if str(number) not in by_digit:
            scores = [
                f"{{verdict.{digit}:{digit}}} {value}"
                for digit, value in by_digit.items()
            ]
            others = "{verdict.pick:i} takes any other"
            if self.is_picked_from_list:
                others = "{verdict.pick:i} lists all that there are"
            raise Refused(f"The scores here are {', '.join(scores)}; {others}.")
        return by_digit[str(number)]

    def is_value(self, value: object) -> bool:
        return legal(self._part, value) is not None

    def has_contrary(self, value: Any) -> bool:
        return isinstance(value, bool) or value in _CONTRARY

    def contrary(self, value: Any) -> Any:
        """Return the contrary of a score: yes for no and no for yes, I for C, and C for P, I and N.

        Raises Refused for any other value, such as a number, "unscored" or None.
        """
        if isinstance(value, bool):
            return not value
        if value not in _CONTRARY:
            keys = self.keys_text()
            raise Refused(f"There is nothing to turn here: {keys} gives the score.")
        return _CONTRARY[value]

    def read(self, text: str) -> Any:
        """Return the value that a person typed.

        It may be a letter in any case, a number, yes, no or "unscored". If the trait says that the
        value is a letter, 1 is C, 0.5 P and 0 I; yes is C and no I. Raises Refused, with what would
        be right, for anything else and for a number out of bounds.
        """
        folded = text.strip().lower()
        value = legal(
            self._part,
            folded.upper() if folded.upper() in LETTERS else folded,
        )
        if value is None:
            raise Refused(f"The value here is {wanted(self._part)}.")
        return value


class ScoreInSight(VerdictInSight):
    """The score under the cursor, and the answer that it is based on."""

    GROUPS = (VALUE, SPAN)

    @property
    def is_single(self) -> bool:
        """Whether there is one score rather than a dictionary."""
        return len(self.trait.parts) == 1

    @property
    def part(self) -> ScorePart:
        """The part of the score under the cursor.

        It is the first one if the cursor is on an extracted text, and the only one of a single
        score.
        """
        group, number = self.place
        index = 0
        if group == VALUE and not self.is_single:
            index = number
        part: ScorePart = self.trait.parts[index]
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
        """The giver of the score if no person gives one: "record", "function", "judge" or "rule".

        It is "judge" too if one member of a multi_scorer is graded.
        """
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
        """The giver of the current score, as "as the rule says", or what a changed score was.

        For a changed score it is "changed · was I", or "answer changed · was I" if the answer was
        changed, alone or with the score. A score that only a person gave is "given by a person".
        While the judge of the cell is hidden, it is "not locked yet".
        """
        labels = self.labels
        proposed = labels.proposed
        is_hidden = self.cell is not None and self.cell.hidden
        if proposed is None or not labels.is_overruled or is_hidden:
            return super().whose
        change = "changed"
        if labels.standing.answer != proposed.answer:
            change = "answer changed"
        earlier_score = value_text(self.found) or UNSCORED
        return f"{change} · was {earlier_score}"

    @property
    def extracted(self) -> str:
        """The answer that was extracted, in words, by the current score (see `extracted_by`)."""
        return self.extracted_by(self.labels.standing)

    def extracted_by(self, ruling: Ruling) -> str:
        """Return what a ruling took for the answer, in words.

        It is in quotes, or "the whole response". Without an answer it is "the whole response" for
        scorers that compare it all, and if a judge grades the trait or a member of it. It is
        "nothing" for other rules, and "" for recorded scores, functions and a multi_scorer of rules
        only, of which it is not known.
        """
        trait: ScorerRubricTrait = self.trait
        if ruling.answer:
            if self.is_whole(ruling):
                return "the whole response"
            return wording([ruling.answer])
        compares_all = trait.scorer in ("exact", "f1") or trait.location == "exact"
        if compares_all or trait.is_graded:
            return "the whole response"
        if trait.scorer in ("recorded", "multi_scorer", "callable"):
            return ""
        return "nothing"

    def is_whole(self, ruling: Ruling) -> bool:
        """Return whether the answer is the whole response, so that nothing need be marked in it.

        White space around both does not count, case does. It is False without an answer.
        """
        return (
            bool(ruling.answer) and ruling.answer.strip() == self.subject.text.strip()
        )

    @property
    def target(self) -> str:
        """The text that the response is compared with, on one line; "" if there is none.

        It is that of the labels, else the trace's reference, as “Paris” or “Lyon”; a long text is
        cut. The choices of a `choice` scorer are given with their words, as “A) Paris” and “B)
        Rome”.
        """
        trace = self.subject.trace
        targets = list(self.labels.target) or targets_of(trace)
        choices = trace.choices or ()
        if not targets:
            return ""
        if self.trait.scorer == "choice" and choices:
            try:
                return named(places_of(targets, choices), choices)
            except ValueError:
                return wording(targets)
        return wording(targets)

    @property
    def explanation(self) -> str:
        """The reason for the current score; without one, that of the scorer's own score, or ""."""
        text: str = self.labels.standing.why
        if not text and self.labels.proposed:
            text = self.labels.proposed.why
        return text

    def follow_edit(self, edit: Edit) -> None:
        """Move the cursor to the score that a correction gave or changed.

        In a dictionary that is the one of its key, if it has one.
        """
        keys = [part.key for part in self.trait.parts]
        if edit.key in keys and not self.is_single:
            self.go(VALUE, keys.index(edit.key))
        else:
            super().follow_edit(edit)


def settings_text(trait: ScorerRubricTrait) -> str:
    """Return the scorer and its settings, in words, on one line, such as "match, at the end".

    Of a multi_scorer it is what reduces the scores and each member, such as "mean of 2 scores: f1;
    strict (match, at the end)", where "strict" is a member's name. Without a reducer it begins with
    the number of scores.
    """
    if trait.scorer != "multi_scorer":
        return _one_text(trait)
    members: list[str] = []
    for member in trait.scorers:
        member_text = _one_text(member)
        if member.name is not None:
            member_text = f"{member.name} ({member_text})"
        members.append(member_text)
    scores = many(len(members), "score")
    members_text = "; ".join(members)
    text = f"{scores}: {members_text}"
    if trait.reducer:
        return f"{trait.reducer} of {text}"
    return text


def _one_text(scorer: Scorer) -> str:
    """Return one scorer and its settings, in words, such as "match, at the end, as a number".

    The place that `match` compares is always named. Other settings that are as usual are left out.
    The scorer's own name, bounds, keys, reducer and words to a judge are never named.
    """
    settings: Sequence[tuple[str, object]] = (
        (scorer.scorer.replace("_", " "), True),
        (_PLACES[scorer.location], scorer.scorer == "match"),
        (scorer.callable or "", scorer.scorer == "callable"),
        (scorer.pattern or "", scorer.scorer == "pattern"),
        (f"the {scorer.pattern} after ANSWER:", scorer.scorer == "answer"),
        ("as a number", scorer.numeric),
        ("in the same case of letters", not scorer.ignore_case),
        ("every group", scorer.match_all),
        ("several may be right", scorer.multiple_correct),
        (f"ignoring {', '.join(scorer.stop_words)}", scorer.stop_words),
        ("partial credit", scorer.partial_credit),
        ("with the conversation", scorer.include_history),
    )
    return ", ".join(text for text, is_so in settings if is_so)


# -- what keys do ----------------------------------------------------------------------------------

TAKES = (
    "{scorer.words:=} takes these words as the answer, which is scored again; {select.leave:Esc} "
    "leaves."
)


class ScoreCorrections(VerdictCorrections):
    """The acts of keys on the score under the cursor, and on the answer it is based on."""

    def new_verdict_edit(self) -> Edit:
        return Edit("overrule", key=self._sight.key)

    async def answer(self) -> None:
        """Ask for the answer in words, which is scored again.

        Does nothing, and says why, if nothing may be corrected or the answer is refused. What was
        typed is offered again until a correction is accepted. Raises Refused if no rule would score
        it, and Left if the person leaves.
        """
        if not self._may_answer():
            return
        standing = self._sight.labels.standing.answer
        about = "Answer", standing
        text = await self._review.line("Answer", standing, about=about)
        if self._review.correct([(Edit("answer", text=text),)], "changed"):
            self._review.done_with(about)

    async def words(self) -> None:
        """Take words of the response as the answer, which is scored again.

        They are the selected ones, else they are asked for; without any nothing changes. Does
        nothing, and says why, if nothing may be corrected or the words are refused. Raises Refused
        if no rule would score them, and Left if the person leaves.
        """
        if not self._may_answer():
            return
        span = await self._words(which="the answer")
        if span:
            edit = Edit("answer", start=span[0], end=span[1])
            self._review.correct([(edit,)], "changed")

    enter_words = words

    async def back(self) -> None:
        if self.may_correct():
            self._review.correct([(Edit("restore"),)], "taken back")

    def _may_answer(self) -> bool:
        """Return whether the answer can be given now; if not, the person is told why.

        Raises Refused if no rule would score it.
        """
        if not self._sight.trait.takes_answer:
            text = "There is no answer here that a rule could score again"
            raise Refused(
                f"{text}: {self._sight.scale.keys_text()} gives the score itself.",
            )
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
