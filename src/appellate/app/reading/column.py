"""The column of texts on the review screen: prompt, response, and a docked text below.

`ReadingColumn` shares its rows among the three by what each needs. `PromptPane` shows the newest
turn of the prompt in whole, and a line for each turn before.
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
from appellate.ui.textual_compat import draw_by_lines, draw_nothing

# -- the prompt ------------------------------------------------------------------------------------


FOLDED = 2
"""Number of turns before the newest that are shown, in a line each."""
PART = 4_000
"""Characters at the beginning of a long turn, and at its end, that are wrapped into lines."""
NOTHING = "No question was recorded."
READS = "press {material:K}"
ROLES = "user assistant system tool"

Line = list[StyledText]


class Wrapped(Struct, frozen=True):
    """A text wrapped at a width; of a long text only its beginning and its end."""

    lines: list[str]
    between: int = 0
    """Number of characters between beginning and end that were left out."""

    @property
    def rows(self) -> int:
        """The rows that it takes, with one for what was left out."""
        return len(self.lines) + bool(self.between)


def wrapped(text: str, width: int) -> Wrapped:
    """Return a text wrapped at a width in columns; its own line breaks stay.

    Of a text longer than two times `PART` characters only the first and the last `PART` are
    wrapped.
    """
    left_out = len(text) - 2 * PART
    if left_out <= 0:
        return Wrapped(list(_wrapped_rows(text, width)))
    rows = list(_wrapped_rows(text[:PART], width))
    rows.extend(_wrapped_rows(text[-PART:], width))
    return Wrapped(rows, left_out)


def _wrapped_rows(text: str, width: int) -> Iterator[str]:
    """Yield a text row by row as it is drawn at a width, without control characters.

    A tab is four blanks. White space at the end of a row is left out.
    """
    start = 0
    for end in breaks(text, 0, width, ()):
        yield (
            inert(text[start : drawn_end(text, start, end)])
            .replace("\t", "    ")
            .rstrip()
        )
        start = end


def fitted(text: Wrapped, rows: int, marks: Marks, reads: str) -> list[StyledText]:
    """Return the lines of a text that fit into `rows` rows: its beginning and its end.

    A text that fits, and of which nothing was left out when it was wrapped, is returned whole. Else
    a line between the two halves says how many characters are left out, and ends with `reads`,
    which says how to read them. At least one line is returned, even for 0 rows.
    """
    lines = [StyledText(line) for line in text.lines]
    if text.rows <= rows and not text.between:
        return lines
    first_end = max(rows // 2, 1)
    last_count = max(rows - 1 - first_end, 0)
    last_start = len(lines) - last_count
    left_out = text.between
    for line in text.lines[first_end:last_start]:
        left_out += len(line)
    gap = spelt(f"… {left_out:,} more characters{reads}", marks)

    fitting = lines[:first_end]
    fitting.append(StyledText(gap, "muted"))
    fitting.extend(lines[last_start:])
    return fitting[: max(rows, 1)]


class PromptPane(Widget):
    """The prompt that the response answers, in a frame; it takes no focus and no key."""

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
    # the layout that sets it repaints anyway
    virtual_size = Reactive(Size(), repaint=False)

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        draw_by_lines(self)
        self.marks = marks
        self._prompt: PromptTurns | None = None
        self._text_names: Sequence[str] = ()
        self._note = ""
        self._wrapped: tuple[int, Wrapped] = (0, Wrapped([]))
        """A width, and the newest turn wrapped at that width."""
        self._lines: tuple[Size, list[Line]] = (Size(), [])
        """A size, and the lines drawn for that size."""
        entitle(self, self._title())

    def show(
        self,
        prompt: PromptTurns | None,
        text_names: Sequence[str] = (),
        note: str = "",
    ) -> None:
        """Show a prompt, or that no question was recorded if it is None.

        `text_names` names the other texts that can be read; the title names them. `note` is a
        remark on the newest turn, in the title too. Does nothing if all three are shown already.
        The column is laid out again only if the prompt needs another number of rows.
        """
        if (prompt, text_names, note) == (self._prompt, self._text_names, self._note):
            return
        width = self.content_size.width
        previous_rows = self.rows_wanted
        self._prompt = prompt
        self._text_names = text_names
        self._note = note
        self._wrapped = (0, Wrapped([]))
        self._lines = (Size(), [])
        entitle(self, spelt(self._title(), self.marks))
        self.refresh(layout=not width or self.rows_wanted != previous_rows)

    def _title(self) -> str:
        """Return "Prompt", then the remark on the newest turn, then the key that opens other texts.

        A remark or other texts that do not exist are left out.
        """
        texts = ["Prompt"]
        if self._note:
            texts.append(self._note)
        if self._text_names:
            texts.append(
                f"{in_own_keys(READS, self.app)}: {', '.join(self._text_names)}",
            )
        return " · ".join(texts)

    # -- what it says --------------------------------------------------------------------------

    def _newest(self, width: int) -> Wrapped:
        """Return the newest turn wrapped at a width, with its role if there are other turns.

        The result is kept until the width or the prompt changes. Without a prompt it has no lines.
        """
        wrapped_width, lines = self._wrapped
        if wrapped_width != width and self._prompt:
            text = f"{self._role}{self._prompt.newest.text}".strip("\n")
            lines = wrapped(text, max(width, 1))
            self._wrapped = (width, lines)
        return lines

    @property
    def _role(self) -> str:
        """The role of the newest turn with a colon if there are other turns; else ""."""
        if self._prompt and (self._prompt.earlier or self._prompt.since):
            return f"{self._prompt.newest.role}: "
        return ""

    @property
    def rows_wanted(self) -> int:
        """The rows that the prompt needs to be shown in whole at its current width."""
        return self._rows_at(self.content_size.width)

    def _rows_at(self, width: int) -> int:
        """Return the rows that the prompt needs at a width: the newest turn, and its folded turns.

        Of folded turns `FOLDED` at most have a row. Returns 1 without a prompt, and before the
        width is known.
        """
        if self._prompt is None or not width:
            return 1
        return self._newest(width).rows + min(len(self._prompt.earlier), FOLDED)

    def get_content_height(
        self,
        container: Size,  # noqa: ARG002
        viewport: Size,  # noqa: ARG002
        width: int,
    ) -> int:
        """Return the rows that the prompt needs at `width` columns; Textual asks for them."""
        return self._rows_at(width)

    def _lines_for(self, size: Size) -> list[Line]:
        """Return the lines of the prompt for a size: earlier turns if they fit, then the newest.

        At most `FOLDED` earlier turns are shown, the latest ones, in a line each. A newest turn
        that is too long is cut in the middle. The role before it has the colour of that role.
        Without a prompt the only line says that no question was recorded.
        """
        if self._prompt is None:
            return [[StyledText(NOTHING, "muted")]]
        newest = self._newest(size.width)
        free_rows = max(size.height - newest.rows, 0)
        first = max(len(self._prompt.earlier) - min(free_rows, FOLDED), 0)
        lines = [
            self._folded(turn, size.width) for turn in self._prompt.earlier[first:]
        ]

        role = self._role.strip()
        reads = in_own_keys(": {material:K} reads all", self.app)
        for styled in fitted(newest, size.height - len(lines), self.marks, reads):
            if role and styled.text.startswith(role):
                head = StyledText(role, self._style(self._prompt.newest))
                lines.append([head, StyledText(styled.text.removeprefix(role))])
            else:
                lines.append([styled])
            role = ""  # it stands at the beginning of the first line only
        return lines

    def _folded(self, turn: ChatTurn, width: int) -> Line:
        """Return the role and the beginning of an earlier turn in one line of `width` columns."""
        pieces = [
            StyledText(f"{turn.title}: ", self._style(turn)),
            StyledText(" ".join(turn.text[: 4 * width].split()), "muted"),
        ]
        return cut(pieces, width, self.marks)

    def _style(self, turn: ChatTurn) -> str:
        return turn.role if turn.role in ROLES.split() else "muted"

    # -- drawing -------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Return row `y` of the prompt, from 0, as it is drawn; rows after its last line are blank.

        All lines are worked out again only when the size has changed.
        """
        size = self.content_size
        if self._lines[0] != size:
            self._lines = (size, self._lines_for(size))
        _, lines = self._lines
        pieces: Line = []
        if y < len(lines):
            pieces = lines[y]
        base: Style = self.visual_style.rich_style
        return strip(self, "prompt", pieces, size.width, base)

    def on_resize(self, _: Resize) -> None:
        self._lines = (Size(), [])


# -- the column ------------------------------------------------------------------------------------


PROMPT = 3
"""The prompt has at most a third of the rows, and more only if the response needs fewer."""
TIGHT = 15
"""Rows below which an open material hides the prompt."""
LEAST = 4
"""Rows that the response has in any case, with its frame."""


def shared(
    rows: int,
    prompt: int,
    response: int,
    material: int,
    least: int,
) -> tuple[int, int]:
    """Return how many of `rows` rows the prompt and the material get; the response gets the rest.

    `prompt`, `response` and `material` are the rows that each needs. The prompt gets up to a third.
    An open material gets `least` rows, or half of what the prompt leaves if that is fewer. It gets
    more, up to what it needs, if the response leaves rows free. What is free after that goes to a
    prompt that needs more; for this a response counts as needing at least `LEAST` rows. With
    `least` 0 no material is open, and it gets 0 rows.
    """
    prompt_rows = min(prompt, rows // PROMPT)
    material_rows = min(least, (rows - prompt_rows) // 2)
    if least:
        material_rows = max(material_rows, min(material, rows - prompt_rows - response))
    free_rows = rows - material_rows - max(response, LEAST)
    prompt_rows = max(prompt_rows, min(prompt, free_rows))
    return prompt_rows, material_rows


def _rows(view: TextView, most: int) -> int:
    """Return the rows that a text takes, or `most` if it takes more than that."""
    view.page.rows.extend_rows(most)
    return min(len(view.page.rows.starts), most)


class ReadingColumn(Vertical):
    """The column of prompt, response and material, which share its rows."""

    def __init__(
        self,
        prompt: PromptPane,
        response: ResponseView,
        material: DockedText,
        *,
        rows: int,
    ) -> None:
        super().__init__(prompt, response, material, id="reading")
        draw_nothing(self)
        self._prompt = prompt
        self._response = response
        self._material = material
        self.material_rows = rows
        """Rows that the reviewer wants for the material."""
        self._has_prompt = True
        """Whether the prompt is shown; a conversation contains it."""

    def show_prompt(self, *, on: bool) -> None:
        """Show the prompt above the response with `on`, or hide it, as for a conversation.

        A prompt that is shown again appears after the next refresh, when its width is known.
        """
        if on and not self._has_prompt:
            self.call_after_refresh(self.share)  # once it has a width to be wrapped for
        self._has_prompt = on
        if not on:
            self._prompt.display = False

    def share(self) -> None:
        """Set the heights of prompt and material by what prompt, response and material need.

        The prompt is hidden in a column of fewer than `TIGHT` rows with an open material. Does
        nothing before the column has a height.
        """
        rows = self.size.height
        if not rows:
            return
        has_rows_for_prompt = rows >= TIGHT or not self._material.is_open
        self._prompt.display = self._has_prompt and has_rows_for_prompt
        frame = self._prompt.gutter.height
        prompt = 0
        if self._prompt.display:
            prompt = self._prompt.rows_wanted + frame
        material = 0
        least = 0
        if self._material.is_open:
            least = self.material_rows
            material = _rows(self._material, rows) + self._material.gutter.height
        response = _rows(self._response, rows) + self._response.gutter.height
        prompt_rows, material_rows = shared(rows, prompt, response, material, least)
        self._prompt.styles.max_height = max(prompt_rows, frame + 1)
        self._material.styles.height = material_rows

    def on_resize(self, _: Resize) -> None:
        """Share the rows again, after the texts have been wrapped for the new width."""
        self.call_after_refresh(self.share)
