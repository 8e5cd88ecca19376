"""The callable cell on the screen: the verdict, whose it is, and the function that gives it."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.core.kind import Table
from appellate.core.ruling import LOCKS
from appellate.traits.callable.spec import CallableRubricTrait, scale
from appellate.traits.verdict.labels import Verdict
from appellate.traits.verdict.pane_corrections import VerdictCorrections, reason_given, whose
from appellate.traits.verdict.scale import (
    DIGITS,
    Value,
    has_digits,
    key_of,
    keys_text,
    meaning_of,
    offered,
    question_of,
)
from appellate.ui.bar import Hint
from appellate.ui.contract import YES_NO, Place, Review, pick_action
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import Key, bindings
from appellate.ui.lines import Lines, Listed, ListRow, ListSection
from appellate.ui.marks import Marks
from appellate.ui.pane import KindPane, MarkHelp
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import inert, update_text

VERDICT = "verdict"
"""The one group of places: what may be said, numbered from 0."""
_GROUP = "Verdict"
_YES = "callable.yes"


def _key(name: str, key: str, label: str, text: str, action: str) -> Key:
    """A key that gives a verdict by itself."""
    text = f"callable trait: {text}"
    return Key(f"callable.{name}", key, key, label, _GROUP, text, own_action=action)


def _digit(number: int) -> Key:
    text = f"score {number}"
    if number in YES_NO:
        text = f"{('no', 'yes')[YES_NO[number]]}, score {number} or class {number}"
    elif number:
        text += f" or class {number}"
    return _key(str(number), str(number), f"score {number}", text, f"value({number})")


KEYS = (
    _key("yes", "y", "yes", "yes, where yes or no is asked", "yes"),
    *map(_digit, range(DIGITS + 1)),
    Key(
        "callable.turn",
        "space",
        "Space",
        "turn",
        _GROUP,
        "callable trait: the verdict under the cursor; of yes and no the other, where it is given",
        own_action="turn",
        near=True,
    ),
    Key(
        "callable.ask",
        "i",
        "i",
        "list",
        _GROUP,
        "callable trait: pick the verdict from a list, or type a score",
        9,
        7,
        "ask",
    ),
)


def answer_keys(trait: CallableRubricTrait) -> Mapping[str, str]:
    """The ids of the keys that give a verdict by themselves, and the number of each verdict."""
    if trait.kind == "boolean":
        return {"callable.1": "1", "callable.2": "0", _YES: "1"}
    if not has_digits(trait):
        return {}
    return {f"callable.{key_of(trait, value)}": str(value) for value in trait.counted}


class CallablePane(KindPane):
    """One verdict: what may be said, what is said, and by which function."""

    DEFAULT_CSS = """
    CallablePane {
        & > #criterion { height: auto; padding: 0 1; color: $text; }
        & > #verdict { height: 1; margin: 1 0 0 0; padding: 0 1; }
        & > #reason { height: auto; margin: 0 0 1 0; padding: 0 1; color: $text-muted; }
        & > #rows { height: 1fr; min-height: 2; }
        &.-one > #verdict { margin: 0; }
        &.-one > #reason { margin: 0; }
    }
    """
    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    ANSWER_KEYS = staticmethod(answer_keys)
    NEAR = ("callable.",)
    CARD = (("callable.1", "callable.2", "callable.ask"), "give the verdict by hand")
    TITLE = "Function"
    ABOUT = "the verdict, all that it could be, and the function that gave it"

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(review, id=id)
        self.labels = Verdict()
        self.lines = Lines(marks=self.marks, id="rows")
        self.corrections = VerdictCorrections(review, self, "function")
        self._is_small = False

    def compose(self) -> ComposeResult:
        yield Static(id="criterion", markup=False)
        yield Static(id="verdict", markup=False)
        yield Static(id="reason", markup=False)
        yield self.lines

    @property
    def trait(self) -> CallableRubricTrait:
        """That of the cell in sight; raises LookupError before there is one."""
        if self.cell is None:
            raise LookupError("no cell is shown yet")
        trait: CallableRubricTrait = self.cell.subject.trait
        return trait

    @property
    def value(self) -> Value | None:
        """The verdict that stands."""
        return self.labels.value

    @property
    def found(self) -> Value | None:
        """What the function says."""
        return self.labels.found

    # -- what it tells of itself ------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        verdict = "the label now, with the mark of the cell's state"
        return [
            MarkHelp(f"{marks.proposed} verdict", verdict, "proposed"),
            MarkHelp("function", "what the function said", "muted"),
        ]

    @property
    def keys_here(self) -> Sequence[Key]:
        """All but y where yes or no is not asked: it is the screen's there."""
        if self.cell is not None and self.trait.kind == "boolean":
            return KEYS
        return [key for key in KEYS if key.id != _YES]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "yes" and (self.cell is None or self.trait.kind != "boolean"):
            return False
        return super().check_action(action, parameters)

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        if self.cell is None or not offered(self.trait):
            return []
        shown = {key.id: key.shown for key in keys}
        answers = answer_keys(self.trait)
        texts = [shown[key] for key in answers if key in shown and key != _YES]
        if len(texts) > 2:  # noqa: PLR2004 - the ends of a row of digits
            return [Hint(f"{texts[0]}-{texts[-1]}", "verdict", "callable.ask")]
        return [Hint(" ".join(texts), "verdict", "callable.ask")] if texts else []

    # -- what is shown ----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one with the cursor on its verdict."""
        super().show(cell, fresh=fresh)
        self.labels = cell.labels or Verdict()
        self._draw()
        if fresh:
            self._to_verdict()

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:  # noqa: ARG002
        self._to_verdict()

    def on_resize(self) -> None:
        if self.cell is not None:
            self._draw_text()

    def one_at_a_time(self, one: bool) -> None:
        self.set_class(one, "-one")
        self._is_small = one
        if self.cell is not None:
            self._draw()

    def _draw(self) -> None:
        rows = [self._option(value) for value in offered(self.trait)]
        above = None
        if not self._is_small:
            above = ListRow(f" {scale(self.trait)}", style="header")
        empty = "" if self.review.readonly else "(i types a score)"
        self.lines.show(ListSection(Listed(rows), above, empty, whole=True))
        self._draw_text()

    def _draw_text(self) -> None:
        width, height = self.content_size.width - 2, self.content_size.height
        question = Content(inert(question_of(self.trait)))
        update_text(
            self.query_one("#criterion", Static), fitting(question, width, max(height // 3, 2))
        )
        self.query_one("#verdict", Static).update(self._wording(), layout=False)
        update_text(
            self.query_one("#reason", Static), fitting(self._why(), width, max(height // 3, 2))
        )

    def _option(self, value: Value) -> ListRow:
        """One thing that may be said, with the key that says it and who says it."""
        labels, right, sign, style = self.labels, [], StyledText(" "), ""
        if value == labels.found:
            right.append(StyledText(" function", "muted"))
        if value == labels.value:
            style = "key"
            if labels.is_overruled:
                sign = StyledText(self.marks.moved, "corrected")
            state = self.cell.state if self.cell else "pending"
            right.append(StyledText(f" {getattr(self.marks, state)} verdict", state))
        left = StyledText(f"{key_of(self.trait, value):>2} ", "key")
        text = meaning_of(self.trait, value)
        if self.trait.kind == "score":
            text = ""
        return ListRow(text, (left,), tuple(right), style=style, sign=sign)

    def _wording(self) -> Content:
        """The verdict in large, and whose it is."""
        trait, labels = self.trait, self.labels
        if labels.value is None:
            why = "The function gave no verdict." if self.cell and self.cell.error else "Not run."
            if self.cell and self.cell.hidden:
                why = "Blind: the verdict is yours first."
            return Content.assemble((f" {self.marks.none} ", "reverse"), f"  {why}")
        text = inert(trait.describe(labels.value))
        if trait.kind == "boolean":
            text = text.upper()
        bounds = f"  {trait.span()}" if trait.kind == "score" else ""
        colour = "$state-corrected" if labels.is_overruled else "$muted"
        source = whose(trait, labels.value, labels.found, "function")
        who = (f"   {inert(source)}", colour)
        if self.cell and self.cell.hidden:
            who = ("   not locked yet", "$muted")
        return Content.assemble((f"  {text}  ", "bold reverse"), bounds, who)

    @property
    def _is_recorded(self) -> bool:
        """Whether the function's verdict came with the trace, and nothing was run here."""
        judge = self.cell.judge if self.cell else None
        return judge is not None and judge.judge.get("name") == "recorded"

    def _why(self) -> Content:
        """The function by name; why a person says something else; what went wrong."""
        trait, cell = self.trait, self.cell
        parts = [Content(f"function {inert(trait.callable)}")]
        if self._is_recorded:
            parts[0] += Content("; its value came with the trace")
        if cell and self.labels.is_overruled and reason_given(cell):
            parts.append(
                Content.styled(f"because: {inert(reason_given(cell))}", "$state-corrected")
            )
        by_hand = f"{keys_text(trait)} by hand."
        if cell and cell.hidden:
            parts.append(Content(f"{keys_text(trait)} gives it, {LOCKS}"))
        elif cell and cell.error and self.labels.value is None:
            wrong = Content.styled(inert(cell.error.error), "$state-failed")
            parts = [Content(f"J tries again; {by_hand}"), wrong]
        elif self.labels.value is None:
            parts.append(Content(f"J runs it, where --allow-code does; {by_hand}"))
        return Content("\n").join(parts)

    # -- where the cursor is ----------------------------------------------------------------------

    @property
    def place(self) -> Place:
        if not offered(self.trait):
            return "", 0
        return VERDICT, self.lines.cursor.row

    def go(self, group: str, number: int) -> None:
        if group == VERDICT:
            self.lines.go(0, number)

    def _to_verdict(self) -> None:
        values = offered(self.trait)
        if self.labels.value in values:
            self.lines.go(0, values.index(self.labels.value))
        else:
            self.lines.go(0)

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self.review.looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """Enter tells what can be done."""
        event.stop()
        if not self.review.readonly:
            offers = {"callable.turn": "the verdict under the cursor", "callable.ask": "another"}
            self.begin(pick_action(self.review, self.trait.name, offers))

    def detail(self) -> Content:
        """All there is to know: the question, the scale, the function."""
        texts = [question_of(self.trait), scale(self.trait)]
        parts = [Content(inert(text)) for text in texts]
        return Content("\n\n").join([*parts, self._why()])

    # -- corrections ------------------------------------------------------------------------------

    def action_turn(self) -> None:
        """Gives the verdict under the cursor; where that stands and is yes or no, the other."""
        values = offered(self.trait)
        if not values:
            self.begin(self.corrections.pick())
            return
        value = values[self.lines.cursor.row]
        if value == self.labels.value and isinstance(value, bool):
            self.begin(self.corrections.turn())
        else:
            self.begin(self.corrections.give(value))

    def action_yes(self) -> None:
        self.begin(self.corrections.give(True))

    def action_value(self, number: int) -> None:
        self.begin(self.corrections.digit(number))

    def action_ask(self) -> None:
        self.begin(self.corrections.pick())


PANE = CallablePane
