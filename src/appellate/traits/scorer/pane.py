"""The scorer cell on the screen: the score, what was extracted from where, the target, and why."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size

from appellate.core.deciding import AT_WORK, LOCKS
from appellate.core.kind import Table
from appellate.traits.scorer.edits import from_row
from appellate.traits.scorer.labels import LETTERS, Labels, Scalar, spoken, value_text, values_in
from appellate.traits.scorer.pane_corrections import (
    TAKES,
    ScoreCorrections,
    Sort,
    extracted_text,
    offered_values,
    settings_text,
    sort_of,
    target_text,
)
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.traits.verdict.pane_corrections import reason_given
from appellate.traits.verdict.pane_keys import KindKeys
from appellate.traits.verdict.pane_rows import VerdictRows
from appellate.traits.verdict.pane_verdict import VerdictPane, VerdictTexts
from appellate.ui.bar import Hint
from appellate.ui.contract import YES_NO, Evidence, Review, keyed, pick_action
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import Key, bindings
from appellate.ui.lines import ListSection
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkHelp
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import inert, update_text

# -- keys and marks --------------------------------------------------------------------------------

OWN = KindKeys("scorer", "scorer trait", "Score")
LETTER_KEYS = {letter: str(number) for number, letter in enumerate(LETTERS, 1)}
"""The digit of each letter: the same whatever letters a trait has."""
_LETTERS = dict(enumerate(LETTERS, 1))


def _digit(number: int) -> Key:
    """The key of a letter, of yes or no, or with which a number begins."""
    name, label = str(number), f"score {number}"
    texts = [f"a number that begins with {number}"]
    if number in _LETTERS:
        label = _LETTERS[number]
        name = label.lower()
        texts[:0] = [spoken(label)]
    if number in YES_NO:
        texts[:0] = ["yes" if YES_NO[number] else "no"]
    texts[-1:] = [f"or {texts[-1]}"] if len(texts) > 1 else texts
    words = f"the score is {'; '.join(texts)}"
    return OWN.give(name, str(number), label, words, f"value({number})")


KEYS = (
    *map(_digit, range(10)),
    OWN.give("yes", "y", "yes", "the score is yes, where it is yes or no", "yes"),
    OWN.turn("the score under the cursor; of one that is set the contrary"),
    OWN.correction("pick", "i", "list", "pick the score from a list, or type it", strip=9, place=7),
    OWN.correction(
        "answer",
        "e",
        "answer",
        "type the answer that was to be extracted; it is scored again",
        strip=8,
        place=6,
    ),
    OWN.correction(
        "words",
        "equals_sign,=",
        "its words",
        "select the answer in the response; it is scored again",
        strip=10,
        place=8,
    ),
    OWN.correction("back", "d", "take back", "take back what was said by hand", strip=11, place=9),
    OWN.over("score, answer", "go from the score to what was extracted and back"),
)


def score_keys(sort: Sort, values: Iterable[object], keys: Iterable[Key]) -> str:
    """The keys that give one of some scores of a sort: the digits of yes and no or of letters, else
    that of the list.
    """
    shown = {key.id: key.shown for key in keys}
    letters = filter(LETTER_KEYS.__contains__, values)
    if sort == "boolean":
        letters = filter(None, map(_LETTERS.get, YES_NO))
    found = filter(None, map(shown.get, (f"scorer.{one}".lower() for one in letters)))
    return " ".join(found) or shown.get("scorer.pick", "")


def given_scores(sort: Sort, values: Iterable[object]) -> dict[str, str]:
    """The scores that a digit gives, in words by the id of its key; of a number how it begins."""
    if sort == "boolean":
        words = {_LETTERS[number]: ("no", "yes")[yes] for number, yes in YES_NO.items()}
        named = {f"scorer.{letter.lower()}": word for letter, word in words.items()}
        return {key: f"the score: {word}" for key, word in (named | {"scorer.yes": "yes"}).items()}
    if sort == "letter":
        given = [value for value in LETTERS if value in set(values)]
        return {f"scorer.{one.lower()}": f"the score: {spoken(one)}" for one in given}
    return {}


def marks_help(marks: Marks) -> list[MarkHelp]:
    """What the marks of the rows mean."""
    return [
        MarkHelp(
            f"{marks.proposed} score", "the label now, with the mark of the state", "proposed"
        ),
        MarkHelp("rule, judge", "what the scorer said", "muted"),
        MarkHelp(f"{marks.split}2/3", "how many graders say so; with the sign: not all", "flag"),
    ]


# -- rows ------------------------------------------------------------------------------------------

VALUE, SPAN = "value", "span"
"""The groups of places: scores (those that may be given, or those of a dictionary), and extracted
words.
"""
_IN_SIGHT = 3
"""So many of the words that were extracted are to be in sight."""


def source_of(trait: ScorerRubricTrait) -> str:
    """Who gives the score where no person does."""
    if trait.scorer == "recorded":
        return "record"
    return "judge" if trait.is_graded else "rule"


class ScoreRows(VerdictRows):
    """A single score has a row for each that may be given (`offered`), a dictionary one for each
    key.
    """

    GROUPS, WORD = (VALUE, SPAN), "score"
    labels: Labels

    @property
    def trait(self) -> ScorerRubricTrait:
        trait: ScorerRubricTrait = self.cell.subject.trait
        return trait

    @property
    def is_single(self) -> bool:
        """Whether there is one score, and no dictionary."""
        return len(self.trait.parts) == 1

    @property
    def count(self) -> int:
        """How many lines the rows need, their headers among them; of many words a few are in
        sight.
        """
        spans = len(self.labels.standing.spans)
        scores = max(len(self.offered), len(self.trait.parts)) + (not self.is_small)
        return scores + (min(spans, _IN_SIGHT) + 1 if spans > 1 else 0)

    @property
    def given(self) -> Sequence[object]:
        """The scores that may be given here; of a dictionary any letter, for each key."""
        if self.is_single:
            return self.offered
        return list(LETTER_KEYS)

    @property
    def extracted(self) -> str:
        """What was taken for the answer, in words."""
        if self._is_whole:
            return "the whole response"
        return extracted_text(self.trait, self.labels.standing)

    @property
    def _is_whole(self) -> bool:
        """Whether the answer is all that was responded, which points at nothing."""
        answer = self.labels.standing.answer.strip()
        return bool(answer) and answer == self.cell.subject.trace.response.strip()

    @property
    def key(self) -> str:
        """Which score the keys are about: the one under the cursor."""
        group, number = self.place
        if self.is_single or group != VALUE:
            return self.trait.parts[0].key
        return self.trait.parts[number].key

    @property
    def sort(self) -> Sort:
        """What the score under the cursor is."""
        return sort_of(self.trait, self.labels, self.key)

    # -- what is shown ----------------------------------------------------------------------------

    def offer(self) -> None:
        self.SOURCE, self.offered = source_of(self.trait), []
        if self.is_single:
            self.offered = offered_values(self.trait)
            if self.sort == "boolean":
                self.offered = [True, False]
            for value in (self.value, self.found):
                if self.offered and value is not None and value not in self.offered:
                    self.offered.append(value)

    def draw(self) -> None:
        sections = [self.options("({scorer.pick:i} takes a score)" if self.is_single else "")]
        spans = self.labels.standing.spans
        if len(spans) > 1:
            above = ListRow(f" Extracted {len(spans)}", style="header")
            sections.append(ListSection(DrawnRows(range(len(spans)), self._span), above))
        self.lines.show(*sections)

    def scale(self) -> str:
        return "Score"

    def option_rows(self) -> list[ListRow]:
        if self.is_single:
            return super().option_rows()
        return [self._part(part.key) for part in self.trait.parts]

    @property
    def is_moved(self) -> bool:
        return self.labels.is_overruled

    def key_and_text(self, value: Scalar) -> tuple[str, str]:
        if isinstance(value, bool):
            return "1" if value else "2", spoken(value)
        return LETTER_KEYS.get(value_text(value), ""), spoken(value)

    def _part(self, key: str) -> ListRow:
        """One score of a dictionary: its key, what stands, and what the scorer said instead."""
        labels, sign, right, style = self.labels, StyledText(" "), [], ""
        value = labels.standing.of(key)
        was = labels.proposed.of(key) if labels.proposed else None
        if labels.proposed and was != value:
            style = "corrected"
            sign = StyledText(self.marks.moved, style)
            right.append(StyledText(f" was {value_text(was) or 'none'}", "corrected"))
        held, of = self.votes(value, key)
        if held:
            split = self.marks.split if held < of else ""
            right.append(StyledText(f" {split}{held}/{of}", "flag"))
        shown = StyledText(f" {spoken(value) or 'not scored'}", style)
        return ListRow(key, (), (*right, shown), sign=sign)

    def _span(self, number: int) -> ListRow:
        start, end = self.labels.standing.spans[number]
        words = self.cell.subject.trace.response[start:end]
        left = StyledText(f"{number + 1:>2} ", "key")
        return ListRow(f"“{words}”", (left,))

    def votes(self, value: Scalar | None, key: str = "") -> tuple[int, int]:
        """How many of several graders say so, and of how many; (0, 0) where there is one."""
        members = self.members()
        texts = [dict(values_in(self.trait, member.table)).get(key) for member in members]
        return texts.count(value), len(members)

    # -- where the cursor is ----------------------------------------------------------------------

    def go(self, group: str, number: int) -> None:
        spans = self.labels.standing.spans
        if group == VALUE or (group == SPAN and len(spans) > 1):
            self.lines.go(int(group == SPAN), number)

    def go_over(self) -> None:
        """Goes from the score to what was extracted, and back."""
        group, _ = self.place
        if group == SPAN:
            self.to_verdict()
        elif len(self.labels.standing.spans) > 1:
            super().go_over()
        else:
            self.review.say("There is one list here: e types the answer, = selects it.")

    def follow(self, edit: Table) -> None:
        """Puts the cursor on the score that was given, or that the answer led to."""
        keys, key = [part.key for part in self.trait.parts], from_row(edit).key
        if key in keys and not self.is_single:
            self.go(VALUE, keys.index(key))
        else:
            self.to_verdict()

    def evidence(self) -> Sequence[Evidence]:
        """Where the answer stands in the response."""
        found: list[Evidence] = []
        spans = self.labels.standing.spans
        if self._is_whole:
            return found
        for number, (start, end) in enumerate(spans):
            mark, place = "", (VALUE, self.standing_row)
            if len(spans) > 1:
                mark, place = str(number + 1), (SPAN, number)
            if start < end:
                found.append(Evidence(start, end, "evidence", mark, place))
        return found


# -- what stands above the rows --------------------------------------------------------------------

_LABEL = 10
_ROOMY = 10
"""Lines for the texts from which on the short ones may take two."""
_LEAST = 3
"""Lines that the texts get however many rows there are."""
_AROUND = 3
"""Lines of a pane that is not small for its score, and for what is left empty."""


class ScoreTexts(VerdictTexts):
    """The texts above the rows, each as far as there is room for it."""

    rows: ScoreRows

    def draw(self, size: Size) -> None:
        """Draws them in a pane of this size, whose rows come first."""
        width, height = size.width - 2, size.height
        around = 1 if self.rows.is_small else _AROUND
        left = max(height - self.rows.count - around, _LEAST)
        short = 2 if left > _ROOMY else 1
        trait, (criterion, score, grounds) = self.rows.trait, self.widgets
        criterion.display = bool(trait.description)
        if trait.description:
            question = fitting(Content(inert(trait.question)), width, max(left // 4, 1))
            update_text(criterion, question)
            left -= len(question.wrap(max(width, 1)))
        score.update(self._wording(), layout=False)
        parts = [fitting(self._settings(), width, 1), *self._labelled(width, short)]
        left -= sum(len(part.wrap(max(width, 1))) for part in parts)
        parts.append(fitting(self._why(), width, max(left, 1)))
        content = Content("\n").join([part for part in parts if part.plain])
        update_text(grounds, content)

    def detail(self) -> Content:
        """All there is to know, whole."""
        parts = [Content(inert(self.rows.trait.question)), self._settings()]
        parts += [*self._labelled(0, 0), self._why()]
        return Content("\n\n").join([part for part in parts if part.plain])

    def _wording(self) -> Content:
        """The score in large, and whose word it is; of a dictionary the rows say it."""
        rows, labels = self.rows, self.rows.labels
        if not labels.is_judged:
            why = f"{AT_WORK}." if rows.review.judging else "Not scored yet."
            if rows.cell.error:
                why = "Not scored: see below."
            if rows.cell.hidden:
                why = "Blind: the score is yours first."
            return Content.assemble((f" {self.rows.review.marks.none} ", "reverse"), f"  {why}")
        whose = self._whose()
        if not rows.is_single:
            return whose
        value = labels.standing.value
        words = ""
        if isinstance(value, str) and value in LETTERS:
            words = f"  {LETTERS[value]}"
        return Content.assemble(
            (f"  {inert(value_text(value))}  ", "bold reverse"), words, "   ", whose
        )

    def _whose(self) -> Content:
        """Who says so, and what was said before a person did."""
        labels = self.rows.labels
        if self.rows.cell.hidden:
            return Content.styled("not locked yet", "$muted")
        if labels.proposed is None:
            return Content.styled("by hand", "$muted")
        source = source_of(self.rows.trait)
        if not labels.is_overruled:
            return Content.styled(f"as the {source} says", "$muted")
        how = "by hand"
        if labels.standing.answer != labels.proposed.answer:
            how = "answer by hand"
        if self.rows.is_single:
            how += f" · was {inert(value_text(labels.proposed.value) or 'unscored')}"
        return Content.styled(how, "$state-corrected")

    def _settings(self) -> Content:
        return Content.styled(inert(settings_text(self.rows.trait)), "$muted")

    def _labelled(self, width: int, height: int) -> list[Content]:
        """What was extracted and what it was compared with, behind their names."""
        rows = self.rows
        labels, trace = rows.labels, rows.cell.subject.trace
        found = []
        fields = {
            "extracted": rows.extracted,
            "target": target_text(rows.trait, labels, trace),
        }
        if labels.proposed and labels.standing.answer != labels.proposed.answer:
            fields["extracted"] += f" (was {extracted_text(rows.trait, labels.proposed)})"
        if not labels.is_judged:
            del fields["extracted"]
        for name, words in fields.items():
            if words:
                text = Content.assemble((f"{name:<{_LABEL}}", "$muted"), inert(words))
                found.append(fitting(text, width, height))
        return found

    def _why(self) -> Content:
        """Why it matched or did not; where there is no score, what can be done and what went
        wrong.
        """
        rows, labels = self.rows, self.rows.labels
        if labels.is_judged:
            parts = []
            if labels.is_overruled and reason_given(rows.cell):
                reason = f"because: {inert(reason_given(rows.cell))}"
                parts.append(Content.styled(reason, "$state-corrected"))
            why = labels.standing.why
            if not why and labels.proposed:
                why = labels.proposed.why
            if why:
                label = (f"{source_of(rows.trait):<{_LABEL}}", "$muted")
                lines = [line for line in inert(why).splitlines() if line.strip()]
                parts.append(Content.assemble(label, "\n".join(lines)))
            return Content("\n").join(parts)
        text = score_keys(rows.sort, rows.given, rows.review.keys)
        if rows.cell.hidden:
            return Content(keyed(f"{text} gives it, {LOCKS}", rows.review))
        again = "{cell.judge:J} has it scored"
        if rows.cell.error:
            again = "{cell.judge:J} tries again"
        keys = Content(keyed(f"{again}; {text} gives the score by hand.", rows.review))
        if not rows.cell.error:
            return keys
        wrong = Content.styled(inert(rows.cell.error.error), "$state-failed")
        return Content("\n").join([keys, wrong])


# -- the pane --------------------------------------------------------------------------------------

_OFFERS: Mapping[str, str] = {
    "scorer.turn": "the score under the cursor; of one that is set the contrary",
    "scorer.pick": "pick the score from a list, or type it",
    "scorer.answer": "type the answer; it is scored again",
    "scorer.words": "select the answer in the response; it is scored again",
    "scorer.back": "take back what was said by hand",
}


class ScorerPane(VerdictPane):
    """One cell: its score or scores under a cursor, and what they rest on."""

    DEFAULT_CSS = """
    ScorerPane {
        & > #reason { color: $text; }
    }
    """
    KEYS = KEYS
    KIND_KEYS = OWN
    rows: ScoreRows
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    TAKING = frozenset({"scorer.words"})
    NEAR = ("scorer.",)
    CARD = (("scorer.c", "scorer.i", "scorer.pick"), "give the score, or pick it")
    TITLE = "Score"
    ABOUT = (
        "the score, what was extracted, what it was compared with and why it matched or did not;"
        " the response shows where the answer is"
    )
    TAKES = TAKES

    def fill(self, review: Review) -> None:
        self.rows = ScoreRows(review, Labels())
        self.texts = ScoreTexts(self.rows)
        self.corrections = ScoreCorrections(review, self.rows)
        self.by_name = self.corrections.by_name
        self.enter_words = self.corrections.words

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        return marks_help(marks)

    @property
    def has_yes_or_no(self) -> bool:
        if self.cell is None:
            return False
        rows = self.rows
        sorts = (sort_of(rows.trait, rows.labels, part.key) for part in rows.trait.parts)
        return "boolean" in sorts

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        if self.cell is None:
            return []
        text = score_keys(self.rows.sort, self.rows.given, keys)
        return [Hint(text, "score", "scorer.pick")] if text else []

    def taking_hints(self) -> list[Hint]:
        equals = next((key.shown for key in self.review.keys if key.id == "scorer.words"), "=")
        return [Hint(equals, "the answer", "scorer.words")]

    def summary(self) -> str:
        if self.cell is None or not self.rows.labels.standing.answer:
            return ""
        return self.rows.extracted

    async def menu(self) -> None:
        offers: dict[str, str] = {}
        if self.rows.labels.standing.spans:
            offers["text.evidence"] = "bring the answer into sight"
        if not self.review.readonly:
            offers |= {**given_scores(self.rows.sort, self.rows.given), **_OFFERS}
            if not self.rows.trait.takes_answer:
                del offers["scorer.answer"], offers["scorer.words"]
        if self.rows.cell.rounds or self.rows.votes(None)[1]:
            offers["cell.proposals"] = "what each grader said, to adopt one"
        await pick_action(self.review, self.rows.trait.name, offers)

    def action_yes(self) -> None:
        self.begin(self.corrections.yes())


PANE = ScorerPane
