"""What a verdict may need beside the response: the whole question, the reference, the documents."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from appellate.core.trace import Document, Trace
from appellate.traits.rubric import Rubric
from appellate.ui.reading import TextView
from appellate.ui.text import plain


def material(rubric: Rubric, trace: Trace) -> str:
    """All of it as one text."""
    reference = rubric.reference_for(trace)
    parts = [("Question", rubric.question_text(trace) or "(none was recorded)")]
    parts += [("Reference", reference if isinstance(reference, str) else "\n".join(reference))] if reference else []
    parts += [("Choices", "\n".join(trace.choices))] if trace.choices else []
    parts += [(f"Document {n}", _text(document)) for n, document in enumerate(trace.documents or (), 1)]
    parts += [("Model", trace.model)] if trace.model else []
    return "\n\n".join(f"── {title} ──\n{text}" for title, text in parts)


def _text(document: str | Document) -> str:
    if isinstance(document, str):
        return document
    return f"[{document.id}] {document.text}" if document.id else document.text


class MaterialScreen(ModalScreen[None]):
    """The material, to read; Esc, K and q close it."""

    DEFAULT_CSS = """
    MaterialScreen { align: center middle; }
    MaterialScreen > Vertical {
        width: 94%; max-width: 110; height: 94%; border: round $primary; background: $surface; padding: 0 1;
    }
    MaterialScreen TextView { height: 1fr; }
    MaterialScreen Static { height: 1; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,K", "dismiss", "close", show=False, id="material.close"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical():
            yield TextView()
            yield Static(plain("↑ ↓ PgUp PgDn read · Esc closes"))

    def on_mount(self) -> None:
        view = self.query_one(TextView)
        view.show(self._text)
        view.focus()
