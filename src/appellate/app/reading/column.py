"""The column that is read: prompt, response and docked text, as high as they need to be. The newest
turn of the prompt is whole, those before have a line each.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from msgspec import Struct
from rich.style import Style
from textual.containers import Vertical
from textual.events import Resize
from textual.geometry import Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget

from appellate.core.messages import ChatTurn, PromptTurns
from appellate.ui.docked import DockedText
from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.own_keys import in_own_keys
from appellate.ui.page import breaks, drawn_end
from appellate.ui.rendered_text import components, cut, strip
from appellate.ui.rows import StyledText
from appellate.ui.text import entitle, inert
from appellate.ui.text_view import ResponseView, TextView

# -- the prompt ------------------------------------------------------------------------------------


FOLDED = 2  # turns before the newest that get a line of their own
PART = 4_000  # characters of a long turn's beginning, and of its end, that are looked at
NOTHING = "No question was recorded."
READS = "press {material:K}"
ROLES = "user assistant system tool"

Line = list[StyledText]


class Wrapped(Struct, frozen=True):
    """The lines of a text at a width; of a long one those of its beginning and of its end."""

    lines: list[str]
    between: int = 0  # characters that were not looked at

    @property
    def rows(self) -> int:
        return len(self.lines) + bool(self.between)


def wrapped(text: str, width: int) -> Wrapped:
    """The lines of a text as it was written, each on as many rows as it needs."""
    if len(text) <= 2 * PART:
        return Wrapped(list(_wrapped_rows(text, width)))
    head = _wrapped_rows(text[:PART], width)
    tail = _wrapped_rows(text[-PART:], width)
    return Wrapped([*head, *tail], len(text) - 2 * PART)


def _wrapped_rows(text: str, width: int) -> Iterator[str]:
    start = 0
    for end in breaks(text, 0, width, ()):
        yield inert(text[start : drawn_end(text, start, end)]).replace("\t", "    ").rstrip()
        start = end


def fitted(text: Wrapped, rows: int, marks: Marks, reads: str) -> list[StyledText]:
    """The beginning and the end in so many rows, between them how much is left out."""
    lines = list(map(StyledText, text.lines))
    if text.rows <= rows and not text.between:
        return lines
    first = max(rows // 2, 1)
    behind = len(lines) - max(rows - 1 - first, 0)
    left_out = text.between + sum(map(len, text.lines[first:behind]))
    more = StyledText(spelt(f"… {left_out:,} more characters{reads}", marks), "muted")
    return [*lines[:first], more, *lines[behind:]][: max(rows, 1)]


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
        self._beside: Sequence[str] = ()
        self._note = ""
        self._wrapped: tuple[int, Wrapped] = 0, Wrapped([])  # at which width
        self._lines: tuple[Size, list[Line]] = Size(), []
        entitle(self, self._title())

    def show(self, asked: PromptTurns | None, beside: Sequence[str] = (), note: str = "") -> None:
        """Shows what a response answers, and names what else can be read beside the response.

        `note` is said of the newest turn. Lays out only where the prompt has other rows.
        """
        if (asked, beside, note) == (self._asked, self._beside, self._note):
            return
        width = self.content_size.width
        before = self.rows_wanted
        self._asked = asked
        self._beside = beside
        self._note = note
        self._wrapped, self._lines = (0, Wrapped([])), (Size(), [])
        entitle(self, spelt(self._title(), self.marks))
        self.refresh(layout=not width or self.rows_wanted != before)

    def _title(self) -> str:
        texts = ["Prompt"]
        if self._note:
            texts.append(self._note)
        if self._beside:
            texts.append(f"{in_own_keys(READS, self.app)}: {', '.join(self._beside)}")
        return " · ".join(texts)

    # -- what it says --------------------------------------------------------------------------

    def _newest(self, width: int) -> Wrapped:
        """The lines of the newest turn, behind its role where there are other turns."""
        if self._wrapped[0] != width and self._asked:
            text = self._asked.newest.text
            self._wrapped = width, wrapped(f"{self._role}{text}".strip("\n"), max(width, 1))
        return self._wrapped[1]

    @property
    def _role(self) -> str:
        """How the newest turn begins: with its role, where there are other turns."""
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
        reads = in_own_keys(": {material:K} reads all", self.app)
        for piece in fitted(newest, size.height - len(folded), self.marks, reads):
            if role and piece.text.startswith(role.strip()):
                head = StyledText(role.strip(), self._style(self._asked.newest))
                lines.append([head, StyledText(piece.text.removeprefix(role.strip()))])
            else:
                lines.append([piece])
            role = ""
        return lines

    def _folded(self, turn: ChatTurn, width: int) -> Line:
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


# -- the column ------------------------------------------------------------------------------------


PROMPT = 3  # the prompt has at most one row in three, and more where the response needs fewer
TIGHT = 15  # rows below which the material takes the prompt's place
LEAST = 4  # rows that the response has in any case, its frame included


def shared(room: int, prompt: int, response: int, material: int, least: int) -> tuple[int, int]:
    """The rows of the prompt and of the material, by what each needs; the response has the rest.
    The material has at least `least` rows, but at most half.
    """
    low = min(prompt, room // PROMPT)
    docked = min(least, (room - low) // 2)
    if least:
        docked = max(docked, min(material, room - low - response))
    low = max(low, min(prompt, room - docked - max(response, LEAST)))
    return low, docked


def _rows(view: TextView, most: int) -> int:
    """The rows that a text takes, counted no further than `most`."""
    view.page.rows.extend_rows(most)
    return min(len(view.page.rows.starts), most)


class ReadingColumn(Vertical):
    """Prompt, response and material."""

    def __init__(
        self, asked: PromptPane, response: ResponseView, material: DockedText, *, rows: int
    ) -> None:
        super().__init__(asked, response, material, id="reading")
        self._asked = asked
        self._response = response
        self._material = material
        self.material_rows = rows
        self._has_prompt = True

    def show_prompt(self, *, on: bool) -> None:
        """Shows the prompt above the response; a conversation has it in itself."""
        if on and not self._has_prompt:
            self.call_after_refresh(self.share)  # once it has a width to be wrapped for
        self._has_prompt = on
        if not on:
            self._asked.display = False

    def share(self) -> None:
        """Shares the rows that there are."""
        room = self.size.height
        if not room:
            return
        has_room = room >= TIGHT or not self._material.is_open
        self._asked.display = self._has_prompt and has_room
        frame = self._asked.gutter.height
        prompt = material = least = 0
        if self._asked.display:
            prompt = self._asked.rows_wanted + frame
        if self._material.is_open:
            least = self.material_rows
            material = _rows(self._material, room) + self._material.gutter.height
        response = _rows(self._response, room) + self._response.gutter.height
        low, docked = shared(room, prompt, response, material, least)
        self._asked.styles.max_height = max(low, frame + 1)
        self._material.styles.height = docked

    def on_resize(self, _: Resize) -> None:
        """Once the texts in it were wrapped for another width."""
        self.call_after_refresh(self.share)
