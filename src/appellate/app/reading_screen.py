"""What a verdict may need to be read whole: the question, the reference, the documents, and what
happened to the cell.
"""

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from appellate.core.cell import Cell, reason_of
from appellate.core.describe import describe, describe_loss
from appellate.core.facts import Commented
from appellate.core.trace import Document, Trace
from appellate.core.wordforms import many
from appellate.store.toml import moment
from appellate.traits.rubric import Rubric
from appellate.ui.conversation import Left, begin
from appellate.ui.marks import Marks, spelt
from appellate.ui.prompt import LinePrompt
from appellate.ui.text import plain
from appellate.ui.text_view import TextView

KEYS = "↑ ↓ PgUp PgDn read · / find, n N from hit to hit · Esc closes"


def material(rubric: Rubric, trace: Trace, item: str = "") -> str:
    """All of it as one text, what there is to know of the item under the cursor first."""
    parts = []
    if item:
        parts.append(("This item", item))
    parts.append(("Question", rubric.question_text(trace) or "(none was recorded)"))
    reference = rubric.reference_for(trace) or ""
    if not isinstance(reference, str):
        reference = "\n".join(reference)
    if reference:
        parts.append(("Reference", reference))
    if trace.choices:
        parts.append(("Choices", "\n".join(trace.choices)))
    for n, document in enumerate(trace.documents or (), 1):
        parts.append((f"Document {n}", _text(document)))
    if trace.model:
        parts.append(("Model", trace.model))
    return _joined(parts)


def _text(document: str | Document) -> str:
    if isinstance(document, str):
        return document
    if document.id:
        return f"[{document.id}] {document.text}"
    return document.text


def story(cell: Cell) -> str:
    """Comments, then everything that happened, whole."""
    comments = [
        f"{when(fact.at)}  {fact.by}\n{fact.what.text}"
        for fact in cell.comments
        if isinstance(fact.what, Commented)
    ]
    happened = []
    for fact in cell.facts:
        told = describe(cell, fact)
        if told:
            reason = reason_of(cell, fact)
            if reason:
                told += f"\nbecause: {reason}"
            loss = describe_loss(cell, fact)
            if loss:
                told += f" [{loss}]"
            happened.append(f"{when(fact.at)}  {fact.by}\n{told}")
    return _joined(
        [
            ("Comments", "\n\n".join(comments or ["(none)"])),
            ("History", "\n\n".join(happened or ["Nothing has happened to this cell yet."])),
        ]
    )


def _joined(parts: Sequence[tuple[str, str]]) -> str:
    return "\n\n".join(f"── {title} ──\n{text}" for title, text in parts)


def when(at: str, zone: tzinfo | None = None) -> str:
    """A moment of a fact in local time."""
    return f"{moment(at).astimezone(zone):%Y-%m-%d %H:%M}"


class ReadingScreen(ModalScreen[None]):
    """The material, to read and to search; Esc, K, C and q close it."""

    DEFAULT_CSS = """
    ReadingScreen { align: center middle; }
    ReadingScreen > Vertical {
        width: 94%; max-width: 110; height: 94%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    ReadingScreen TextView { height: 1fr; }
    ReadingScreen .material--keys { height: 1; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close", show=False, id="material.leave"),
        Binding("q,K,C", "dismiss", "close", show=False, id="material.close"),
        Binding("slash", "search", "find", show=False, id="material.search"),
        Binding("n", "hit(1)", "next hit", show=False, id="material.next"),
        Binding("N", "hit(-1)", "previous hit", show=False, id="material.previous"),
        Binding("space", "page(1)", "on", show=False, id="material.down"),
        Binding("g", "to_end('home')", "start", show=False, id="material.first"),
        Binding("G", "to_end('end')", "end", show=False, id="material.last"),
    ]

    def __init__(self, text: str, *, marks: Marks) -> None:
        super().__init__()
        self._text, self._marks = text, marks

    def compose(self) -> ComposeResult:
        with Vertical():
            yield TextView(marks=self._marks)
            yield LinePrompt(marks=self._marks)
            yield Static(plain(spelt(KEYS, self._marks)), classes="material--keys")

    def on_mount(self) -> None:
        self._view.show(self._text)
        self._view.focus()

    @property
    def _view(self) -> TextView:
        return self.query_one(TextView)

    def _say(self, text: str) -> None:
        self.query_one(".material--keys", Static).update(plain(spelt(text, self._marks)))

    def action_search(self) -> None:
        begin(self._search())

    async def _search(self) -> None:
        try:
            text = await self.query_one(LinePrompt).ask("search", "Find", checking=self._look_for)
        except Left:
            self._view.end_search()
            raise
        finally:
            self._view.focus()
        if text:
            told = many(self._view.search(text), "hit")
            self._say(f"{told}: n N from one to the next, Esc ends the search.")

    def _look_for(self, text: str) -> str:
        if not text or self._view.search(text):
            return ""
        return "not in here"

    def action_hit(self, by: int) -> None:
        if self._view.searching:
            index, total = self._view.next_hit(by)
            self._say(f"Hit {index} of {total}; Esc ends the search.")

    def action_page(self, by: int) -> None:
        self._view.action_roll_page(by)

    def action_to_end(self, which: str) -> None:
        if which == "home":
            self._view.action_roll_home()
        else:
            self._view.action_roll_end()

    def action_leave(self) -> None:
        """Leaves the search first, if there is one."""
        if self._view.searching:
            self._view.end_search()
            self._say(KEYS)
        else:
            self.dismiss(None)
