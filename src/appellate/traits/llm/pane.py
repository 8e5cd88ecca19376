"""The LLM cell on the screen: the verdict, the scale it is one of, the words it rests on, and why.

The pane changes nothing itself: it asks for corrections, and shows the cell that it is given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.core.describe import answered
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Excerpt, Labels, value_of
from appellate.traits.llm.spec import LLMRubricTrait, Value
from appellate.traits.llm.view import (
    DIGITS,
    better,
    has_digits,
    key_of,
    meaning_of,
    offered,
    question_of,
    scale,
)
from appellate.ui.bar import Hint
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import Key, bindings
from appellate.ui.lines import Cursor, Lines, Listed, ListRow, ListSection
from appellate.ui.marks import Marks
from appellate.ui.pane import READS_ONLY, Evidence, KindPane, MarkTold, Place, Review
from appellate.ui.picker import Choice
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import clip, inert

VERDICT, EXCERPTS = "verdict", "evidence"
TITLE = 60
ITEMS = "Verdict"


def _digit(number: int) -> Key:
    told = f"LLM trait: score {number}, or class {number}" if number else "LLM trait: score 0"
    label = f"score {number}"
    return Key(
        f"llm.{number}", str(number), str(number), label, ITEMS, told, own_action=f"value({number})"
    )


KEYS = (
    Key(
        "llm.yes",
        "y",
        "y",
        "yes",
        ITEMS,
        "LLM trait: yes, where yes or no is asked",
        own_action="say(True)",
    ),
    Key(
        "llm.no",
        "n",
        "n",
        "no",
        ITEMS,
        "LLM trait: no, where yes or no is asked",
        own_action="say(False)",
    ),
    *(_digit(number) for number in range(DIGITS + 1)),
    Key(
        "llm.pick", "i", "i", "list", ITEMS, "LLM trait: pick the verdict from a list", 9, 7, "pick"
    ),
    Key(
        "llm.add",
        "plus,+",
        "+",
        "evidence",
        ITEMS,
        "LLM trait: add words of the response as evidence",
        8,
        6,
        "add",
    ),
    Key(
        "llm.replace",
        "equals_sign,=",
        "=",
        "other words",
        ITEMS,
        "LLM trait: put other words of the response in the place of the excerpt",
        own_action="replace",
    ),
    Key(
        "llm.reword",
        "e",
        "e",
        "reword",
        ITEMS,
        "LLM trait: reword the excerpt and look it up",
        12,
        9,
        "reword",
    ),
    Key("llm.drop", "d", "d", "drop", ITEMS, "LLM trait: drop the excerpt", 11, 8, "drop"),
    Key(
        "llm.over",
        "l,right,tab,h,left,shift+tab",
        "l h Tab",
        "verdict, evidence",
        "Going about",
        "LLM trait: go from the verdict to the evidence and back",
        own_action="over",
    ),
)


class LLMPane(KindPane):
    """One verdict: what may be said, what is said, and the excerpts it rests on, under one cursor."""

    DEFAULT_CSS = """
    LLMPane {
        & > #criterion { height: auto; padding: 0 1; color: $text; }
        & > #verdict { height: 1; margin: 1 0 0 0; padding: 0 1; }
        & > #reason { height: auto; margin: 0 0 1 0; padding: 0 1; color: $text-muted; }
        & > #rows { height: 1fr; min-height: 3; }
        & > #whole { height: auto; padding: 0 1; color: $text-muted; }
        &.-one > #verdict { margin: 0; }
        &.-one > #reason { margin: 0; }
    }
    """
    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    TAKING = frozenset(
        {
            *("llm.yes", "llm.no", "llm.pick", "llm.add", "llm.replace"),
            *(f"llm.{number}" for number in range(1, DIGITS + 1)),
        }
    )
    NEAR = ("llm.",)
    CARD = (("llm.yes", "llm.no", "llm.pick"), "give the verdict, or pick it")
    ABOUT = "the verdict, all that it could be, and the words it rests on; the response shows where these stand"
    TAKES = (
        "y, n or a digit gives the verdict on these words, + takes them as evidence; Esc leaves."
    )

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(review, id=id)
        self._criterion = Static(id="criterion", markup=False)
        self._verdict = Static(id="verdict", markup=False)
        self._reason = Static(id="reason", markup=False)
        self.lines = Lines(marks=review.marks, id="rows")
        self._whole = Static(id="whole", markup=False)
        self._offered: list[Value] = []

    def compose(self) -> ComposeResult:
        yield self._criterion
        yield self._verdict
        yield self._reason
        yield self.lines
        yield self._whole

    # -- what it tells of itself ------------------------------------------------------------------

    @classmethod
    def told_marks(cls, marks: Marks) -> list[MarkTold]:
        return [
            MarkTold(
                f"{marks.proposed} verdict",
                "what stands, with the mark of the cell's state",
                "proposed",
            ),
            MarkTold("judge", "what the judge said", "muted"),
            MarkTold(
                f"{marks.split}2/3", "how many of a panel say so; with the sign: not all", "flag"
            ),
            MarkTold(
                f"{marks.doubt} unverified", "an excerpt that was not found in the response", "flag"
            ),
        ]

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        shown = {key.id: key.shown for key in keys}
        return [Hint(self._verdict_keys(shown), "verdict", "llm.pick")]

    def taking_hints(self) -> list[Hint]:
        shown = {key.id: key.shown for key in self.review.keys}
        return [
            Hint(self._verdict_keys(shown), "verdict", "llm.pick"),
            Hint(shown.get("llm.add", "+"), "evidence", "llm.add"),
        ]

    def _verdict_keys(self, shown: Mapping[str, str]) -> str:
        """The keys that give a verdict here: `y n`, `1-5`, or `i` for the list."""
        trait = self._trait
        if trait is None or not has_digits(trait):
            return shown.get("llm.pick", "i")
        if trait.kind == "boolean":
            return f"{shown.get('llm.yes', 'y')} {shown.get('llm.no', 'n')}"
        first = 1 if trait.kind == "literal" else trait.low
        last = len(trait.values) if trait.kind == "literal" else trait.high
        return f"{shown.get(f'llm.{first}', first)}-{shown.get(f'llm.{last}', last)}"

    @property
    def keys_here(self) -> Sequence[Key]:
        """All but yes and no where neither is asked: y and n are the screen's there."""
        if self._asks_yes_or_no:
            return KEYS
        return [key for key in KEYS if key.id not in ("llm.yes", "llm.no")]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "say" and not self._asks_yes_or_no:
            return False
        return super().check_action(action, parameters)

    @property
    def _asks_yes_or_no(self) -> bool:
        return self._trait is not None and self._trait.kind == "boolean"

    # -- what is shown ----------------------------------------------------------------------------

    @property
    def _trait(self) -> LLMRubricTrait | None:
        return self.cell.subject.trait if self.cell else None

    @property
    def _labels(self) -> Labels:
        labels: Labels | None = self.cell.labels if self.cell else None
        return labels or Labels()

    @property
    def _judged(self) -> Value | None:
        """The judge's verdict on the cell in sight."""
        if self.cell is None or self.cell.judge is None:
            return None
        return value_of(self.cell.subject.trait, self.cell.judge.table)

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one with the cursor on its verdict."""
        self.cell = cell
        trait: LLMRubricTrait = cell.subject.trait
        self._offered = offered(trait, self._labels.value, self._judged)
        self._draw()
        if fresh:
            self._to_verdict()

    def _to_verdict(self) -> None:
        value = self._labels.value
        self.lines.go(0, self._offered.index(value) if value in self._offered else 0)
        self.draw_around()

    def follow(self, edit: Mapping[str, Any], before: Cell, *, turned: bool) -> None:  # noqa: ARG002
        """Puts the cursor on the verdict that was given, or on the excerpt that came in or changed."""
        made = Edit.from_row(edit)
        if made.action == "set":
            self._to_verdict()
            return
        spans = [excerpt.span for excerpt in self._labels.evidence]
        if made.span in spans:
            self.go(EXCERPTS, spans.index(made.span))
        elif made.action == "reword":
            self.go(EXCERPTS, made.index)

    def _draw(self) -> None:
        cell, trait = self.cell, self._trait
        if cell is None or trait is None:
            return
        options = [self._option(trait, value) for value in self._offered]
        header = ListRow(f" Evidence {len(self._labels.evidence)}", style="header")
        above = None if self._small else ListRow(f" {scale(trait)}", style="header")
        excerpts = [self._excerpt(index) for index in range(len(self._labels.evidence))]
        self.lines.show(
            ListSection(Listed(options), above),
            ListSection(Listed(excerpts), header, self._no_evidence()),
        )
        self.draw_around()

    def _option(self, trait: LLMRubricTrait, value: Value) -> ListRow:
        """One thing that may be said, with the key that says it and who says it."""
        cell, right = self.cell, []
        votes = self._votes(value)
        if votes:
            right.append(StyledText(votes, "flag"))
        if value == self._judged:
            right.append(StyledText(" judge", "muted"))
        stands = cell is not None and self._labels.value == value
        if stands and cell:
            right.append(StyledText(f" {getattr(self.marks, cell.state)} verdict", cell.state))
        left = StyledText(f"{key_of(trait, value):>2} ", "key")
        return ListRow(
            meaning_of(trait, value), (left,), tuple(right), style="key" if stands else ""
        )

    def _votes(self, value: Value) -> str:
        """How many of a panel's judges say so; nothing where one judge or none of them does."""
        if self.cell is None or self.cell.judge is None:
            return ""
        tables = [member.table for member in answered(self.cell.judge.judge)]
        held = sum(value_of(self.cell.subject.trait, table) == value for table in tables)
        if len(tables) < 2 or not held:  # noqa: PLR2004 - one judge is no panel
            return ""
        return f" {self.marks.split if held < len(tables) else ''}{held}/{len(tables)}"

    def _excerpt(self, index: int) -> ListRow:
        excerpt = self._labels.evidence[index]
        left = [StyledText(f"{index + 1:>2} ", "key")]
        if self.in_doubt():
            sign = " " if excerpt.span else self.marks.doubt
            left.insert(0, StyledText(f"{sign} ", "flag"))
        if excerpt.span:
            return ListRow(excerpt.text, tuple(left))
        return ListRow(excerpt.text, tuple(left), (StyledText(" unverified", "flag"),))

    def _no_evidence(self) -> str:
        return "(none)" if self.review.readonly else "(none: + takes words of the response)"

    def draw_around(self) -> None:
        """Draws what stands above and below the rows, each as far as there is room for it."""
        trait = self._trait
        if trait is None:
            return
        room, small = self.content_size.width - 2, self._small
        self._criterion.update(fitting(Content(inert(question_of(trait))), room, 2 if small else 8))
        self._verdict.update(self._said(trait), layout=False)
        _put(self._reason, fitting(self._why(), room, 1 if small else 5))
        _put(self._whole, fitting(self._under_cursor(trait), room, 1 if small else 6))

    def on_resize(self) -> None:
        self.draw_around()

    def _said(self, trait: LLMRubricTrait) -> Content:
        """The verdict, large, and what the judge said where that is something else."""
        cell = self.cell
        if cell is None:
            return Content()
        value, judged = self._labels.value, self._judged
        if value is None:
            why = "The judge failed here." if cell.error else "Not judged yet."
            return Content.assemble((f" {self.marks.none} ", "reverse"), f"  {why}")
        told = inert(trait.told(value))
        if trait.kind == "boolean":
            told = told.upper()
        big = (f"  {told}  ", "bold reverse")
        of = f"  of {trait.low}–{trait.high}" if trait.kind == "score" else ""
        if self._small:
            of += f"  {better(trait)}"
        if judged is None:
            return Content.assemble(big, of, ("   by hand", "$muted"))
        if judged == value:
            return Content.assemble(big, of, ("   as the judge says", "$muted"))
        said = inert(trait.told(judged))
        return Content.assemble(big, of, (f"   the judge says {said}", "$state-corrected"))

    def _why(self) -> Content:
        """The judge's reason; where there is no verdict, what can be done and why there is none."""
        cell = self.cell
        if cell is None:
            return Content()
        if self._labels.value is None:
            return Content(self._unlabelled(cell))
        reason = cell.judge.table.get("rationale") if cell.judge else ""
        return Content(f"judge: {inert(str(reason))}") if reason else Content()

    def _under_cursor(self, trait: LLMRubricTrait) -> Content:
        """What the row under the cursor cuts, and what is wrong with it."""
        room = self.lines.size.width - 10
        excerpt, (group, number) = self._here, self.place
        if excerpt is not None:
            text = inert(excerpt.text) if len(excerpt.text) > room else ""
            if excerpt.span:
                return Content(text)
            wrong = "not found in the response: check it, reword it (e) or drop it (d)"
            return Content.assemble(f"{text}\n" if text else "", (wrong, "$state-failed"))
        if group == EXCERPTS or not self._offered:
            return Content()
        meaning = meaning_of(trait, self._offered[number])
        return Content(inert(meaning)) if len(meaning) > room else Content()

    def detail(self) -> Content:
        """All there is to know here: the criterion, the judge's reason, what is under the cursor."""
        trait = self._trait
        if trait is None:
            return Content()
        parts = [Content(inert(question_of(trait))), self._why(), self._under_cursor(trait)]
        return Content("\n\n").join([part for part in parts if part.plain])

    def _unlabelled(self, cell: Cell) -> str:
        """What can be done about a cell without a verdict, and why it has none."""
        keys = self._verdict_keys({key.id: key.shown for key in self.review.keys})
        if cell.error:
            return f"J asks again; {keys} answers by hand.\n{inert(cell.error.error)}"
        return f"J has it judged; {keys} answers by hand."

    def summary(self) -> str:
        return f"evidence {len(self._labels.evidence)}" if self._labels.value is not None else ""

    def evidence(self) -> list[Evidence]:
        """Where the excerpts stand in the response, with their numbers."""
        return [
            Evidence(*excerpt.span, "evidence", str(index + 1), (EXCERPTS, index))
            for index, excerpt in enumerate(self._labels.evidence)
            if excerpt.span
        ]

    def in_doubt(self) -> int:
        return sum(excerpt.span is None for excerpt in self._labels.evidence)

    def doubts(self) -> str:
        count = self.in_doubt()
        if not count:
            return ""
        if count == 1:
            return "An excerpt is not in the response."
        return f"{count} excerpts are not in the response."

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        """That excerpts are still those of another verdict."""
        was, now = before.labels or Labels(), after.labels or Labels()
        if was.value in (None, now.value) or was.evidence != now.evidence or not now.evidence:
            return []
        return ["The evidence stayed: d drops what does not speak for it."]

    # -- the cursor -------------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        section, row = self.lines.cursor
        return (EXCERPTS if section else VERDICT), row

    def go(self, group: str, number: int) -> None:
        """Puts the cursor on a thing that may be said, or on an excerpt."""
        self.lines.go(int(group == EXCERPTS), number)
        self.draw_around()

    def action_over(self) -> None:
        """From the verdict to the evidence, and back."""
        group, _ = self.place
        self.lines.visit(*Cursor(int(group == VERDICT), 0))

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self.draw_around()
        self.review.looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """Enter says what is under the cursor, or tells what can be done with an excerpt."""
        event.stop()
        group, number = self.place
        if group == VERDICT:
            self._set(self._offered[number])
        else:
            self.begin(self._menu())

    def on_lines_touched(self, event: Lines.Touched) -> None:
        event.stop()
        if event.right:
            self.begin(self._menu())

    def one_at_a_time(self, one: bool) -> None:
        self.set_class(one, "-one")
        self._draw()

    @property
    def _small(self) -> bool:
        """Whether there is little room: the scale is told beside the verdict, not above the rows."""
        return self.has_class("-one")

    # -- corrections ------------------------------------------------------------------------------

    def action_say(self, yes: bool) -> None:
        """Yes or no."""
        self._set(yes)

    def action_value(self, number: int) -> None:
        """The score of a digit, or the class of that number, counted from one; a long list opens."""
        trait = self._trait
        if trait is None:
            return
        if trait.kind == "literal" and not number:
            self.review.say("Classes are counted from 1 here.")
        elif trait.kind == "boolean":
            self.review.say("The verdict here is yes (y) or no (n).")
        elif not has_digits(trait):
            self.action_pick()
        else:
            self._set(number - 1 if trait.kind == "literal" else number)

    def _free(self) -> bool:
        """Whether something can be corrected now; says why not."""
        if self.cell is None or not self.review.sees_item():
            return False
        if self.review.readonly:
            self.review.say(READS_ONLY)
        return not self.review.readonly

    def _set(self, value: Value) -> None:
        if not self._free():
            return
        edit = Edit("set", value=value)
        if self.review.selecting:
            words = self.review.take_words()
            if words is None:
                return
            edit = replace(edit, start=words[0], end=words[1])
        self.review.correct([(edit,)])

    def action_pick(self) -> None:
        if self._free():
            self.begin(self._pick())

    async def _pick(self) -> None:
        """Offers everything that may be said; words narrow it."""
        trait = self._trait
        if trait is None:
            return
        edit = Edit("set")
        if self.review.selecting:
            words = self.review.take_words()
            if words is None:
                return
            edit = replace(edit, start=words[0], end=words[1])
        values: list[Value] = [True, False] if trait.kind == "boolean" else list(trait.values)
        choices = [
            Choice(str(place), key_of(trait, value), meaning_of(trait, value), self._note(value))
            for place, value in enumerate(values)
        ]
        place = await self.review.pick(clip(f"Verdict: {trait.name}", TITLE, self.marks), choices)
        self.review.correct([(replace(edit, value=values[int(place)]),)])

    def _note(self, value: Value) -> str:
        said = ["verdict"] if value == self._labels.value else []
        if value == self._judged:
            said.append("judge")
        return ", ".join(said)

    def action_add(self) -> None:
        if self._free():
            self.begin(self._with_words(Edit("add")))

    def action_replace(self) -> None:
        edit = self._edit_here("replace")
        if edit:
            self.begin(self._with_words(edit))

    async def _with_words(self, edit: Edit) -> None:
        """Makes an edit with the words that are selected, or that a person is asked to select."""
        if self.review.selecting:
            words = self.review.take_words()
        else:
            words = await self.review.select_words()
        if words is not None:
            self.review.correct([(replace(edit, start=words[0], end=words[1]),)])

    def _edit_here(self, action: Literal["replace", "reword", "drop"]) -> Edit | None:
        """An edit of the excerpt under the cursor; says why there is none."""
        if not self._free():
            return None
        excerpt = self._here
        if excerpt is None:
            self.review.say("There is no excerpt under the cursor: l goes to the evidence.")
            return None
        return Edit(action, index=self.place[1], seen=excerpt.text)

    @property
    def _here(self) -> Excerpt | None:
        group, number = self.place
        evidence = self._labels.evidence
        return evidence[number] if group == EXCERPTS and number < len(evidence) else None

    def action_drop(self) -> None:
        edit = self._edit_here("drop")
        if edit:
            self.review.correct([(edit,)], "dropped")

    def action_reword(self) -> None:
        edit = self._edit_here("reword")
        if edit:
            self.begin(self._reword(edit))

    async def _reword(self, edit: Edit) -> None:
        about = "Reword", edit.seen
        text = await self.review.line("Reword", edit.seen or "", about=about)
        if self.review.correct([(replace(edit, text=text),)]):
            self.review.done_with(about)

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        """The edit on the same excerpt, where that stands by now."""
        labels: Labels = now.labels or Labels()
        texts = [excerpt.text for excerpt in labels.evidence]
        if edit.seen in texts and texts[edit.index : edit.index + 1] != [edit.seen]:
            return replace(edit, index=texts.index(edit.seen))
        return edit

    async def _menu(self) -> None:
        """Everything that can be done here, to pick one."""
        here, offered = self._here, []
        if here and here.span:
            offered.append(("bring its words into sight", "text.evidence"))
        if not self.review.readonly:
            offered.append(("pick the verdict from a list", "llm.pick"))
            offered.append(("add words of the response as evidence", "llm.add"))
        if here and not self.review.readonly:
            offered.append(("put other words in its place", "llm.replace"))
            offered.append(("reword it", "llm.reword"))
            offered.append(("drop it", "llm.drop"))
        if self.cell and (self.cell.rounds or self._votes(self._judged or False)):
            offered.append(("what each judge proposed, to adopt one", "cell.proposals"))
        shown = {key.id: key.shown for key in self.review.keys}
        choices = [Choice(key, shown.get(key, ""), told) for told, key in offered]
        title = ""
        if here:
            title = here.text
        elif self._trait:
            title = self._trait.name
        self.review.run(await self.review.pick(clip(title, TITLE, self.marks), choices))


def _put(widget: Static, told: Content) -> None:
    """Shows a text, or nothing at all where there is none."""
    widget.display = bool(told.plain)
    widget.update(told)


PANE = LLMPane
