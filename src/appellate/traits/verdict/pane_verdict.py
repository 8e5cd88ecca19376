"""Shows a cell with verdicts on the screen.

`DrawnVerdict` draws texts and rows, `VerdictPane` acts on keys and cursor; kinds with a verdict
extend both.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.core.deciding import AT_WORK, locking_text
from appellate.core.describe import panel_of
from appellate.core.kind import CANNOT_TELL, Table
from appellate.traits.verdict.pane_corrections import (
    DIGIT_KEYS,
    OF_CANNOT_TELL,
    PICK_KEYS,
    TURN_KEY,
    VALUE_KEYS,
    VerdictCorrections,
    VerdictInSight,
    answer_keys,
    key_shown,
    verdict_key_offers,
    verdict_keys_shown,
    words_of_keys,
)
from appellate.ui.contract import Evidence, Place, Review, keyed, pick_action
from appellate.ui.conversation import Conversation
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import Hint, Key, OwnAct, in_group
from appellate.ui.lines import Lines, ListSection, legend
from appellate.ui.marks import MarkHelp, Marks, spelt
from appellate.ui.own_keys import bindings
from appellate.ui.pane import KindPane
from appellate.ui.row_layout import Cursor
from appellate.ui.rows import ListRow, StyledText
from appellate.ui.text import entitle, inert, update_text

LONGEST_CARD = 40  # letters of the verdicts that a card names; of more it names none


class DrawnVerdict:
    """The question, the verdict in large and the reason, and rows of all verdicts and their
    evidence.

    `is_small` is whether there is so little room that the scale has no row.
    """

    PARTS = (3, 4)
    FEW = (5, 6)
    LEAST = 3
    """The least lines of the reason. `PARTS` are the parts of the pane that question and reason
    may have at most (a third, a quarter), `FEW` those in a small one.
    """
    FAILED = "The judge failed here."
    NOT_YET = "Not judged yet."
    AGAIN = "{cell.judge:J} asks again"
    FIRST = "{cell.judge:J} has it judged"
    """What gives the first verdict. `FAILED` and `NOT_YET` say why there is no verdict, `AGAIN`
    what gives one after a failure.
    """
    sight_of: ClassVar[type[VerdictInSight]] = VerdictInSight
    cell: Cell

    def __init__(self, review: Review) -> None:
        """Make the three texts and the list of rows, empty; `show` gives a cell."""
        self.review = review
        self.marks = review.marks
        self.sight: Any = self.sight_of(self)
        self.texts = [
            Static(id=name, markup=False) for name in ("criterion", "verdict", "reason")
        ]
        self.lines = Lines(marks=review.marks, id="answers")
        self.is_small = False
        self.offered: list[Any] = []

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Draw the rows of a cell, a fresh one with the cursor on its verdict.

        Otherwise the cursor stays in its row.
        """
        self.cell = self.sight.cell = cell
        self.offer()
        self.draw()
        if fresh:
            self.to_verdict()

    def offer(self) -> None:
        """Set `offered` to the verdicts that get rows, in their order."""
        self.offered = self.sight.scale.offered(self.sight.value, self.sight.found)

    @property
    def option(self) -> Any:
        """The verdict of the row under the cursor.

        None on a row of evidence, and if no verdict has a row.
        """
        group, number = self.place
        verdicts, *_ = self.sight.GROUPS
        if group != verdicts or not self.offered:
            return None
        return self.offered[number]

    # -- the texts --------------------------------------------------------------------------------

    def draw_texts(self, size: Size) -> None:
        """Draw the question, the verdict and the reason in a pane of this size, in cells.

        Question and reason are each cut to a part of the height, and hidden if they are empty; the
        verdict has one line.
        """
        width = size.width - 2
        height = size.height
        question_part, reason_part = self.FEW if self.is_small else self.PARTS
        criterion, verdict, reason = self.texts
        question = Content(inert(self.question()))
        criterion.display = bool(question.plain)
        question_height = max(height // question_part, 2)
        update_text(criterion, fitting(question, width, question_height))
        verdict.update(self.wording(), layout=False)
        reason_height = max(height // reason_part, self.LEAST)
        reason_text = fitting(self.why(), width, reason_height)
        reason.display = bool(reason_text.plain)
        update_text(reason, reason_text)

    def detail(self) -> Content:
        """Return all that there is to know of the verdict: the question and the lines below.

        A blank line separates the two; an empty one is left out.
        """
        parts = [Content(inert(self.question())), self.why()]
        return Content("\n\n").join([part for part in parts if part.plain])

    def question(self) -> str:
        """Return the question without the lines that have rows of their own."""
        return str(self.sight.scale.question_text())

    def wording(self) -> Content:
        """Return the verdict in large, its scale and its source; without one, why there is none.

        The source is such as "as the judge says", or in colour what the judge says if a person
        changed it. While the judge is hidden, it is "not locked yet", without colour.
        """
        value = self.sight.value
        if value is None:
            return Content.assemble(
                (f" {self.marks.none} ", "reverse"),
                f"  {self.why_no_verdict()}",
            )
        colour = "$muted"
        if self.sight.is_overruled and not self.cell.hidden:
            colour = "$state-corrected"
        text = (f"  {inert(self.in_large(value))}  ", "bold reverse")
        source_text = inert(spelt(self.sight.whose, self.marks))
        scale = "" if value == CANNOT_TELL else self.scale_beside_verdict()
        return Content.assemble(text, scale, (f"   {source_text}", colour))

    def in_large(self, value: Any) -> str:
        """Return the verdict as it is written in large: "YES" and "NO", else as files have it."""
        text = str(self.sight.scale.describe(value))
        return text.upper() if isinstance(value, bool) else text

    def scale_beside_verdict(self) -> str:
        """Return what follows the verdict on its line, each part after two blanks.

        That is the bounds of a score, and in a small pane which end is better: "  1–5  higher is
        better". Returns "" for a verdict that is no score in a pane that is not small.
        """
        scale = self.sight.scale
        text = ""
        if scale.kind == "score":
            text = f"  {self.bounds()}".rstrip()
        if self.is_small:
            good_end = scale.good_end_text()
            text += f"  {good_end}"
        return text

    def bounds(self) -> str:
        """Return the bounds of a score as text, "" if there are none."""
        return str(self.sight.scale.span())

    def why_no_verdict(self) -> str:
        """Return why there is no verdict, in a sentence.

        The first that fits is said: the judge is hidden, failed, is at work, or was not asked.
        """
        if self.cell.hidden:
            return f"Blind: the {self.sight.scale.word} is yours first."
        if self.cell.error:
            return self.FAILED
        return f"{AT_WORK}." if self.review.judging else self.NOT_YET

    def why(self) -> Content:
        """Return the lines below the verdict: what its source goes by, and the person's reason.

        The reason stands after "because: " and is left out if it is not to be told. Without a
        verdict there is no reason, and the lines that say what can be done come first. Empty if
        there is nothing to say.
        """
        parts: list[Content] = []
        if self.sight.value is None:
            parts.extend(self.no_verdict())
        parts.extend(self.grounds())
        if self.sight.value is not None and self.sight.tells_reason:
            reason = inert(self.sight.reason)
            because = Content.styled(f"because: {reason}", "$state-corrected")
            parts.append(because)
        with_words = [part for part in parts if part.plain]
        return Content("\n").join(with_words)

    def grounds(self) -> Sequence[Content]:
        """Return what the source of the verdict goes by, as texts to draw; here nothing."""
        return ()

    def no_verdict(self) -> list[Content]:
        """Return what can be done without a verdict, and the judge's error if it failed.

        For example "J has it judged; 1 2 gives the verdict." If the judge is hidden, only the keys
        that give a verdict, and what locks it, are named.
        """
        keys = verdict_keys_shown(self.sight.scale, self.review.keys)
        if self.cell.hidden:
            what_follows = locking_text(self.cell)
            text = keyed(f"{keys} gives it, {what_follows}", self.review)
            return [Content(text)]
        failure = self.cell.error
        judging = keyed(self.AGAIN if failure else self.FIRST, self.review)
        parts = [Content(f"{judging}; {keys} gives the {self.sight.scale.word}.")]
        if failure:
            parts.append(Content.styled(inert(failure.error), "$state-failed"))
        return parts

    # -- the rows ---------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw the rows."""
        self.lines.show(self.options("({verdict.pick:i} types a score)"))

    def options(self, empty: str) -> ListSection:
        """Return the rows of the verdicts to choose from, under the scale.

        `empty`, such as "({verdict.pick:i} types a score)", says what to do if they have no rows;
        it is left out if nothing may be corrected. In a small pane the scale has no row.
        """
        header = None
        if not self.is_small:
            header = ListRow(f" {self.sight.scale.scale_text()}", style="header")
        return ListSection(
            self.option_rows(),
            header,
            "" if self.review.readonly else empty,
            whole=True,
        )

    def option_rows(self) -> list[ListRow]:
        return [self._option(value) for value in self.offered]

    def _option(self, value: Any) -> ListRow:
        """Return the row of a verdict, with its key and who gives it.

        At its end are the panel's votes, the source if it gave it, and the cell's state if it is
        the current one. A current one that a person changed has a sign and what it was.
        """
        right = []
        sign = StyledText(" ")
        if value == self.sight.value and self.sight.is_overruled:
            sign = StyledText(self.marks.moved, "corrected")
            if self.sight.found != value:
                right.append(
                    StyledText(
                        f" was {self.sight.scale.describe(self.sight.found)}",
                        "corrected",
                    ),
                )
        right += self.votes_shown(value)
        if value == self.sight.found:
            right.append(StyledText(f" {self.sight.source}", "muted"))
        style = ""
        if value == self.sight.value:
            style = "key"
            state = self.cell.state
            right.append(
                StyledText(
                    f" {getattr(self.marks, state)} {self.sight.scale.word}",
                    state,
                ),
            )
        key = key_shown(self.sight.scale, value, self.review)
        left = StyledText(f"{key:>2} ", "key")
        text = self.sight.scale.meaning_of(value)
        return ListRow(text, (left,), tuple(right), style=style, sign=sign)

    def verdict_in(self, table: Table, key: str) -> Any:
        """Return the verdict in a judge's table as a value of the scale, or None if it has none.

        `key` says which of several verdicts; in a kind with one it makes no difference.
        """
        return self.sight.kind.value(self.sight.trait, table)

    def votes_shown(self, value: Any, key: str = "") -> list[StyledText]:
        """Return how many judges of a panel give a verdict, as one text such as " 2/3".

        `value` is a value of the scale, as true or 3, and `key` says which of several verdicts is
        meant. If not all judges give it, a sign stands before the numbers. Empty if none does, and
        without a panel.
        """
        members = panel_of(self.cell)
        verdicts = [self.verdict_in(member.table, key) for member in members]
        vote_count = verdicts.count(value)
        if not vote_count:
            return []
        member_count = len(members)
        split = self.marks.split if vote_count < member_count else ""
        return [StyledText(f" {split}{vote_count}/{member_count}", "flag")]

    # -- the cursor --------------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        section, row = self.lines.cursor
        return self.sight.GROUPS[section], row

    def go(self, group: str, number: int) -> None:
        self.lines.go(int(group == self.sight.GROUPS[1]), number)

    def go_over(self) -> None:
        """Move the cursor from the verdicts to what they are based on, or back from there."""
        self.lines.visit(*Cursor(int(self.place[0] == self.sight.GROUPS[0]), 0))

    def to_verdict(self) -> None:
        """Move the cursor to the current verdict."""
        self.go(self.sight.GROUPS[0], self.standing_row)

    @property
    def standing_row(self) -> int:
        """The row (from 0) of the current verdict, or 0 if there is none or it has no row."""
        if self.sight.value not in self.offered:
            return 0
        return self.offered.index(self.sight.value)

    def evidence(self) -> Sequence[Evidence]:
        """Return the spans of the response that the verdict is based on, numbered from 1.

        Those that are not in the response, and empty ones, are left out; the others keep their
        numbers.
        """
        return [
            Evidence(
                span[0],
                span[1],
                "evidence",
                str(number + 1),
                (self.sight.GROUPS[1], number),
            )
            for number, span in enumerate(self.sight.stretches)
            if span and span[0] < span[1]
        ]

    # -- what the menu offers ---------------------------------------------------------------------

    def menu_title(self) -> str:
        """Return what is under the cursor, as the title of a menu."""
        return str(self.sight.title)

    def evidence_offers(self) -> Mapping[str, str]:
        """Return what can be looked at here, as {"text.evidence": "bring its words into sight"}.

        Empty if the verdict is based on no words.
        """
        if not self.sight.stretches:
            return {}
        return {"text.evidence": "bring its words into sight"}

    def verdict_offers(self) -> Mapping[str, str]:
        """Return the corrections for the menu: what each does, by the id of its key.

        For example {"verdict.turn": "the other verdict", "verdict.1": "the verdict: yes",
        "verdict.2": "the verdict: no", "verdict.pick": "pick the verdict from a list"}. The one of
        the row under the cursor is first, then each verdict that has a key, then to pick from the
        list of verdicts, or to type a score if there is none. It is never empty: whether the
        session may correct at all is for the caller to ask.
        """
        option = self.option
        scale = self.sight.scale
        at_cursor = {}
        if option is not None:
            meaning = scale.meaning_of(option) or scale.in_words(option)
            at_cursor["verdict.turn"] = f"the {scale.word}: {meaning}"
            if option == self.sight.value and scale.has_contrary(option):
                at_cursor["verdict.turn"] = f"the other {scale.word}"
        return {
            **at_cursor,
            **verdict_key_offers(scale),
            "verdict.pick": _pick_help(scale),
        }


def _pick_help(scale: Any) -> str:
    """Return what the key to pick does: "pick the verdict from a list", or "type the verdict".

    A scale with another word than "verdict", as "score", has that.
    """
    if scale.is_picked_from_list:
        return f"pick the {scale.word} from a list"
    return f"type the {scale.word}"


class VerdictPane(KindPane):
    """Shows verdicts under one cursor with what they are based on, and texts above them."""

    DEFAULT_CSS = """
    VerdictPane {
        & > #criterion { height: auto; padding: 0 1; color: $text; }
        & > #verdict { height: 1; margin: 1 0 0 0; padding: 0 1; }
        & > #reason { height: auto; margin: 0 0 1 0; padding: 0 1; color: $text-muted; }
        & > #answers { height: 1fr; min-height: 3; }
        &.-one > #verdict { margin: 0; }
        &.-one > #reason { margin: 0; }
    }
    """
    ANSWER_KEYS = staticmethod(answer_keys)
    NEAR: ClassVar[tuple[str, ...]] = ("verdict.",)
    TITLE = "Verdict"
    ABOUT = "the verdict, and all that it could be"
    GOES_OVER = False
    """Whether what a verdict is based on has rows."""
    SOURCE = "judge"
    """Who gives the verdict if no person does, for the help."""
    drawn_of: ClassVar[type[DrawnVerdict]] = DrawnVerdict
    corrections_of: ClassVar[Any] = VerdictCorrections

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        """Begin without a cell; `id` is the widget's, for its styles. `show` gives a cell."""
        super().__init__(review, id=id)
        self.drawn = self.drawn_of(review)
        self.sight = self.drawn.sight
        self.corrections = self.corrections_of(review, self.sight)
        self.enter_words = self.corrections.enter_words

    def compose(self) -> ComposeResult:
        yield from self.drawn.texts
        yield self.drawn.lines

    # -- about itself -----------------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        """Return the three marks of this pane's rows with what they mean, for the help.

        They are that of the cell's state before the current verdict, the source's name beside what
        it said, and a panel's votes with the sign that not all agree.
        """
        verdict = "the label now, with the mark of the cell's state"
        votes = "how many of a panel say so; with the sign: not all"
        return [
            MarkHelp(f"{marks.proposed} verdict", verdict, "proposed"),
            MarkHelp(cls.SOURCE, f"what the {cls.SOURCE} said", "muted"),
            MarkHelp(f"{marks.split}2/3", votes, "flag"),
        ]

    @property
    def keys_here(self) -> Sequence[Key]:
        return [key for key in self.KEYS if key.id not in self._idle_key_ids]

    @property
    def _idle_key_ids(self) -> set[str]:
        """The ids of the keys that do nothing in the current cell.

        That is "verdict.over", the key to the evidence, in a pane without rows of it, and
        "verdict.cannot_tell" where the scale does not have it.
        """
        key_ids = set() if self.GOES_OVER else {"verdict.over"}
        if self.cell is not None and not self.sight.scale.takes_cannot_tell:
            key_ids.add(OF_CANNOT_TELL)
        return key_ids

    def told(self) -> Sequence[Key]:
        """Return the keys of the pane for the help, with the verdicts of the current scale.

        The help of a digit becomes the verdict that it gives, as "yes", and digits that give none
        are left out. The key of the list says "pick the verdict from a list" or "type the verdict".
        Without a cell the keys have general words. Keys that do nothing here are always left out.
        """
        if self.cell is None:
            return self.keys_here
        scale = self.sight.scale
        verdict_words = words_of_keys(scale)
        keys = []
        for key in self.keys_here:
            if key.id in verdict_words:
                keys.append(replace(key, label=scale.word, help=verdict_words[key.id]))
            elif key.id == "verdict.pick":
                keys.append(replace(key, help=_pick_help(scale)))
            elif key.id not in DIGIT_KEYS:
                keys.append(key)
        return keys

    def first_keys(self, names: Mapping[str, str]) -> Sequence[tuple[str, str]]:
        """Return the keys that give a verdict and what they give, as pairs; none without a cell.

        `names` has what to press by the id of a key. If every verdict has a digit, the digits come
        first, with their verdicts or just "the verdict", as ("1 2", "yes, no") or ("1-5", "the
        verdict"). The key to pick or to type is always there and last, as ("i", "from a list") or
        ("i", "type the verdict").
        """
        if self.cell is None:
            return ()
        scale = self.sight.scale
        pick_text = (
            "from a list" if scale.is_picked_from_list else f"type the {scale.word}"
        )
        hints = [(names["verdict.pick"], pick_text)]
        digits = verdict_keys_shown(scale, self.review.keys)
        if scale.has_digits and digits:
            verdict_list = ", ".join(map(scale.briefly, scale.sayable.values()))
            if scale.kind == "score" or len(verdict_list) > LONGEST_CARD:
                verdict_list = f"the {scale.word}"
            hints.insert(0, (digits, verdict_list))
        return hints

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for "act" with the id of a key that does nothing in the current cell.

        The id is the first of `parameters`. So the screen may have that key. Otherwise Textual's
        own check decides.
        """
        if action == "act" and parameters[0] in self._idle_key_ids:
            return False
        return super().check_action(action, parameters)

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        """Return one hint, of the keys that give a verdict; none without a cell or such keys.

        It has a word and not what the keys give, as "1-5" and "verdict"; scores of a scorer have
        "score". Without digits it has the key of the list. Only `keys` that are set count.
        """
        text = verdict_keys_shown(self.sight.scale, keys) if self.cell else ""
        if not text:
            return []
        return [Hint(text, self.sight.scale.word, "verdict.pick", is_own=True)]

    # -- the cell ---------------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Show a cell and who labelled it, a fresh one with the cursor on its verdict.

        Its rows and texts, and what the frame says of marks, are drawn again. For a cell that is
        not fresh the cursor stays in its row.
        """
        super().show(cell, fresh=fresh)
        self.drawn.show(cell, fresh=fresh)
        self.labelled_by = self.sight.source
        self.drawn.draw_texts(self.content_size)
        self.tell_marks()

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        self.sight.follow_edit(self.sight.kind.edit(edit))
        self.drawn.draw_texts(self.content_size)

    def evidence(self) -> Sequence[Evidence]:
        return self.drawn.evidence()

    def on_resize(self) -> None:
        """Draw the texts, and what the frame says of marks, again in the new size.

        Does nothing before a cell is shown.
        """
        if self.cell is not None:
            self.drawn.draw_texts(self.content_size)
            self.tell_marks()

    def tell_marks(self) -> None:
        """Say in the pane's frame which rows are changed or added by the person, by their marks.

        Only marks that are in the rows are named, and as many as there is room for.
        """
        meanings = {
            self.marks.moved: "changed by you",
            self.marks.added: "added by you",
        }
        entitle(self, subtitle=legend([self.drawn.lines], meanings, self.size.width))

    def one_at_a_time(self, one: bool) -> None:
        """Show the pane small, with shorter texts and no row for the scale.

        If `one` is False, show it in full.
        """
        self.set_class(one, "-one")
        self.drawn.is_small = one
        if self.cell is not None:
            self.drawn.draw()
            self.drawn.draw_texts(self.content_size)

    def detail(self) -> Content:
        return self.drawn.detail() if self.cell else Content()

    # -- the cursor -------------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        return self.drawn.place

    def go(self, group: str, number: int) -> None:
        self.drawn.go(group, number)
        self.drawn.draw_texts(self.content_size)

    def action_over(self) -> None:
        self.drawn.go_over()

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        """Draw the texts for the row that the cursor is on now, and show its evidence."""
        event.stop()
        self.drawn.draw_texts(self.content_size)
        self.review.looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """Open the menu of what can be done here, when Enter is pressed on a row."""
        event.stop()
        self.begin(self.menu())

    def on_lines_touched(self, event: Lines.Touched) -> None:
        """Open the menu on a click of the right button; other clicks do nothing more here."""
        event.stop()
        if event.right:
            self.begin(self.menu())

    async def menu(self) -> None:
        """Show a menu of what can be done under the cursor, and run the key of what is picked.

        It offers to look at the evidence, then corrections unless the session is read-only, then
        the list of what each judge proposed, if several did or one did again. Raises Left if the
        person leaves the menu.
        """
        offers = dict(self.drawn.evidence_offers())
        if not self.review.readonly:
            offers |= self.drawn.verdict_offers()
        if panel_of(self.drawn.cell) or self.drawn.cell.rounds:
            offers["cell.proposals"] = "what each judge proposed, to adopt one"
        await pick_action(self.review, self.drawn.menu_title(), offers)

    # -- corrections ------------------------------------------------------------------------------

    def action_turn(self) -> None:
        self.begin(self.turn_here())

    def turn_here(self) -> Conversation:
        """Return the coroutine that gives the cell the verdict under the cursor.

        If it is given already and has a contrary, as "yes", the contrary is given. On a row of no
        verdict a person is asked for one. Awaiting it raises Left if the person leaves, and Refused
        for a typed text that is no number.
        """
        conversation: Conversation = self.corrections.take(self.drawn.option)
        return conversation

    # -- the keys ---------------------------------------------------------------------------------

    KEYS: ClassVar[tuple[Key, ...]] = (
        *VALUE_KEYS,
        *in_group("Verdict", replace(TURN_KEY, does=OwnAct(action_turn))),
        *PICK_KEYS,
        *in_group(
            "Going about",
            Key(
                "verdict.over",
                "l,right,tab,h,left,shift+tab",
                "verdict, evidence",
                "go from the verdict to what it rests on and back",
                OwnAct(action_over),
                shown="l h Tab",
            ),
        ),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
