"""What the response answers: the newest turn whole, the turns before it a line each, as far as
there is room. What is left out says so.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from rich.style import Style
from textual.events import Resize
from textual.geometry import Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget

from appellate.core.messages import ChatTurn, PromptTurns
from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.page import breaks, drawn_end
from appellate.ui.rendered_text import components, cut, strip
from appellate.ui.rows import StyledText
from appellate.ui.text import entitle, inert

FOLDED = 2  # turns before the newest that get a line of their own
PART = 4_000  # characters of a long turn's beginning, and of its end, that are looked at
NOTHING = "No question was recorded."
ROLES = "user assistant system tool"

Line = list[StyledText]


class Wrapped(NamedTuple):
    """The lines of a text at a width; of a long one those of its beginning and of its end."""

    head: list[str]
    tail: list[str]
    between: int  # characters that were not looked at

    @property
    def rows(self) -> int:
        return len(self.head) + len(self.tail) + bool(self.between)


def wrapped(text: str, width: int) -> Wrapped:
    """The lines of a text as it was written, each on as many rows as it needs."""
    if len(text) <= 2 * PART:
        return Wrapped(list(_rows(text, width)), [], 0)
    head, tail = _rows(text[:PART], width), _rows(text[-PART:], width)
    return Wrapped(list(head), list(tail), len(text) - 2 * PART)


def _rows(text: str, width: int) -> Iterator[str]:
    start = 0
    for end in breaks(text, 0, width, ()):
        yield inert(text[start : drawn_end(text, start, end)]).replace("\t", "    ").rstrip()
        start = end


def fitted(lines: Wrapped, rows: int, marks: Marks) -> list[StyledText]:
    """As many rows as there are: the beginning and the end, and between them what is left out."""
    if lines.rows <= rows and not lines.between:
        return [StyledText(line) for line in (*lines.head, *lines.tail)]
    every = [*lines.head, *lines.tail]
    first = max((rows - 1 + 1) // 2, 1)
    last = max(rows - 1 - first, 0)
    middle = every[first : len(every) - last]
    left_out = lines.between + sum(map(len, middle))
    styled_text = StyledText(spelt(f"… {left_out:,} more characters: K reads all", marks), "muted")
    kept = [StyledText(line) for line in every[:first]]
    return [*kept, styled_text, *map(StyledText, every[len(every) - last :])][: max(rows, 1)]


class PromptPane(Widget):
    """The prompt, in its frame; it takes no focus and no key."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    PromptPane {
        height: auto;
        & > .prompt--user { color: $accent; }
        & > .prompt--assistant { color: $secondary; }
        & > .prompt--system { color: $warning; }
        & > .prompt--tool { color: $success; }
        & > .prompt--muted { color: $muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = components("prompt", f"{ROLES} muted")
    virtual_size = Reactive(Size(), repaint=False)  # a layout sets it, and is enough

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.marks = marks
        self._asked: PromptTurns | None = None
        self._wrapped: tuple[int, Wrapped] = 0, Wrapped([], [], 0)  # at which width
        self._lines: tuple[Size, list[Line]] = Size(), []
        entitle(self, self._title())

    def show(self, asked: PromptTurns | None) -> None:
        """Shows what a response answers; the screen is laid out anew only where that takes another
        number of rows.
        """
        if asked == self._asked:
            return
        width = self.content_size.width
        before = self.rows_wanted
        self._asked = asked
        self._wrapped, self._lines = (0, Wrapped([], [], 0)), (Size(), [])
        entitle(self, spelt(self._title(), self.marks))
        self.refresh(layout=not width or self.rows_wanted != before)

    def _title(self) -> str:
        texts = []
        if self._asked and self._asked.earlier:
            texts.append(f"{_turns(self._asked.earlier)} earlier")
        if self._asked and self._asked.since:
            texts.append(f"{_turns(self._asked.since)} since")
        if texts:
            return f"Prompt · {', '.join(texts)}: K"
        return "Prompt"

    # -- what it says --------------------------------------------------------------------------

    def _newest(self, width: int) -> Wrapped:
        """The lines of the newest turn, behind its role where there are others."""
        if self._wrapped[0] != width and self._asked:
            text = self._asked.newest.text
            self._wrapped = width, wrapped(f"{self._role}{text}".strip("\n"), max(width, 1))
        return self._wrapped[1]

    @property
    def _role(self) -> str:
        """How the newest turn begins: with who said it, where others spoke too."""
        if self._asked and (self._asked.earlier or self._asked.since):
            return f"{self._asked.newest.role}: "
        return ""

    @property
    def rows_wanted(self) -> int:
        """How many rows would show it whole."""
        return self._wanted(self.content_size.width)

    def _wanted(self, width: int) -> int:
        if self._asked is None or not width:
            return 1
        return self._newest(width).rows + min(len(self._asked.earlier), FOLDED)

    def get_content_height(
        self,
        container: Size,  # noqa: ARG002
        viewport: Size,  # noqa: ARG002
        width: int,
    ) -> int:
        return self._wanted(width)

    def _drawn(self, size: Size) -> list[Line]:
        if self._asked is None:
            return [[StyledText(NOTHING, "muted")]]
        newest = self._newest(size.width)
        room = max(size.height - newest.rows, 0)
        folded = self._asked.earlier[max(len(self._asked.earlier) - min(room, FOLDED), 0) :]
        lines = [self._folded(turn, size.width) for turn in folded]
        role = self._role
        for piece in fitted(newest, size.height - len(folded), self.marks):
            if role and piece.text.startswith(role.strip()):
                head = StyledText(role.strip(), self._style(self._asked.newest))
                lines.append([head, StyledText(piece.text.removeprefix(role.strip()))])
            else:
                lines.append([piece])
            role = ""
        return lines

    def _folded(self, turn: ChatTurn, width: int) -> Line:
        """An earlier turn on one line, cut."""
        pieces = [
            StyledText(f"{turn.title}: ", self._style(turn)),
            StyledText(" ".join(turn.text[: 4 * width].split()), "muted"),
        ]
        return cut(pieces, width, self.marks)

    def _style(self, turn: ChatTurn) -> str:
        return turn.role if turn.role in ROLES.split() else "muted"

    # -- drawing -------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        size = self.content_size
        if self._lines[0] != size:
            self._lines = size, self._drawn(size)
        pieces: Line = []
        if y < len(self._lines[1]):
            pieces = self._lines[1][y]
        base: Style = self.visual_style.rich_style
        return strip(self, "prompt", pieces, size.width, base)

    def on_resize(self, _: Resize) -> None:
        self._lines = Size(), []


def _turns(turns: Sequence[ChatTurn]) -> str:
    return f"{len(turns)} turn{'s' * (len(turns) != 1)}"
