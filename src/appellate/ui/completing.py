"""What may come next on a line that is being typed: listed above it, never in its way.

Nothing here takes the focus or room: the list lies over what is above the line and goes as it came.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Protocol

from rich.style import Style
from textual.events import Click
from textual.strip import Strip
from textual.widget import Widget

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rendered_text import StyledText, cells, components, flowing, spread, strip
from appellate.ui.text import cell_width, column, flat

MOST = 6
LONGEST_FAULT = 4
LONGEST_TEXT = 30
KEPT = 50


class Candidate(Protocol):
    """What would stand in the line instead of `start` to `end`, and what it means."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def meaning(self) -> str: ...


Completing = Callable[[str, int], Sequence[Candidate]]
Checking = Callable[[str], str]


class Line(NamedTuple):
    """What stands in a line, and where its cursor is."""

    text: str
    cursor: int


@dataclass(frozen=True, slots=True)
class CandidateList:
    """Candidates for a line, and the one chosen by hand, if any."""

    candidates: tuple[Candidate, ...] = ()
    chosen: int | None = None

    def moved(self, by: int) -> "CandidateList":
        """The next or previous one chosen; beyond the ends none is, as before."""
        place = 0  # none of them
        if self.chosen is not None:
            place = self.chosen + 1
        place = (place + by) % (len(self.candidates) + 1)
        return replace(self, chosen=place - 1 if place else None)

    @property
    def first(self) -> Candidate | None:
        """What Tab takes: the one chosen, or the likeliest."""
        if not self.candidates:
            return None
        return self.candidates[self.chosen or 0]

    @property
    def top(self) -> int:
        """The first one in sight."""
        return max((self.chosen or 0) - MOST + 1, 0)

    @property
    def sight(self) -> tuple[Candidate, ...]:
        return self.candidates[self.top : self.top + MOST]


def taken(line: str, candidate: Candidate) -> Line:
    """The line with a candidate in it, and the cursor behind that."""
    return Line(
        line[: candidate.start] + candidate.text + line[candidate.end :],
        candidate.start + len(candidate.text),
    )


def offered(line: Line, completing: Completing | None) -> CandidateList:
    """What may come at the cursor; nothing that stands there already."""
    if completing is None:
        return CandidateList()
    found = completing(line.text, line.cursor)
    return CandidateList(tuple(one for one in found if taken(line.text, one).text != line.text))


@dataclass
class History:
    """What was answered before, by purpose, for as long as the program runs.

    A purpose of "" keeps nothing.
    """

    purpose: str = ""
    _answers: dict[str, list[str]] = field(default_factory=dict)
    _back: int = 0

    def begin(self, purpose: str) -> None:
        """The next step back is to the latest answer."""
        self.purpose, self._back = purpose, 0

    @property
    def shown(self) -> str | None:
        """The answer gone back to; None where one has not gone back."""
        if not self._back:
            return None
        return self._answers[self.purpose][-self._back]

    def keep(self, answer: str) -> None:
        """Keeps an answer as the latest, once."""
        if not self.purpose or not answer.strip():
            return
        answers = self._answers.setdefault(self.purpose, [])
        if answer in answers:
            answers.remove(answer)
        answers.append(answer)
        del answers[:-KEPT]

    def step(self, by: int) -> str | None:
        """An answer further back, or on again, "" at the line one came from.

        None where there is none.
        """
        back = self._back + by
        if not 0 <= back <= len(self._answers.get(self.purpose, ())):
            return None
        self._back = back
        return self.shown or ""


class Candidates(Widget):
    """Up to six candidates and a sentence on what is wrong with the line.

    They are drawn over what is above the line. The sentence keeps quiet as long as there is
    something to go on with.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Candidates {
        overlay: screen; display: none; width: auto; height: auto; background: $panel;
        & > .candidates--chosen { text-style: bold; background: $block-cursor-background; }
        & > .candidates--text { text-style: bold; }
        & > .candidates--told { color: $muted; }
        & > .candidates--fault { color: $state-failed; }
        & > .candidates--refused { color: $state-failed; text-style: bold reverse; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = components(
        "candidates", "chosen text told fault refused"
    )

    def __init__(self, take: Callable[[Candidate], None], marks: Marks = UNICODE) -> None:
        super().__init__()
        self.marks = marks
        self._take = take
        self.offer = CandidateList()
        self.fault = ""
        self.refused = False
        self._longest = 1

    def show(self, offer: CandidateList, fault: str = "", *, refused: bool = False) -> None:
        """Shows candidates and a fault; `refused` where it kept the line from being answered."""
        self.offer, self.fault, self.refused = offer, fault, refused
        longest = max((cell_width(flat(one.text)) for one in offer.candidates), default=1)
        self._longest = min(longest, LONGEST_TEXT)
        self.fit()
        self.refresh()

    def fit(self) -> None:
        """As wide as the widest candidate, so that it stands still while one goes through them."""
        room = self.app.size.width  # the rest of a line would read as part of the sentence
        if self.offer.candidates:
            widest = cell_width(flat(self.fault)) + 1
            for one in self.offer.candidates:
                widest = max(widest, cells(self._candidate(one, chosen=False)))
            room = min(widest + 1, room)
        height = len(self.offer.sight) + len(self._fault(room))
        self.styles.display = "block" if height else "none"
        self.styles.width, self.styles.height = room, height
        self.styles.offset = (0, -height)

    def _fault(self, room: int) -> list[list[StyledText]]:
        """The sentence in a few lines."""
        style = "fault"
        if self.refused:
            style = "refused"
        elif self.offer.candidates:
            style = "told"
        words = [(StyledText(word),) for word in self.fault.split()]
        if not words:
            return []
        lines = flowing([words], room - 2)[:LONGEST_FAULT]
        return [[StyledText("".join(piece.text for piece in line), style)] for line in lines]

    def render_line(self, y: int) -> Strip:
        sight, room = self.offer.sight, self.size.width
        if y < len(sight):
            chosen = self.offer.top + y == self.offer.chosen
            base = self.rich_style
            if chosen:
                base = self.get_component_rich_style("candidates--chosen")
            return self._drawn(self._candidate(sight[y], chosen=chosen), room, base)
        line = [StyledText(" ")]
        fault = self._fault(room)
        if y < len(sight) + len(fault):
            line += fault[y - len(sight)]
        return self._drawn(line, room, self.rich_style)

    def _drawn(self, pieces: Sequence[StyledText], room: int, base: Style) -> Strip:
        return strip(self, "candidates", spread(pieces, [], room, self.marks), room, base)

    def _candidate(self, one: Candidate, *, chosen: bool) -> list[StyledText]:
        mark = self.marks.cursor if chosen else " " * cell_width(self.marks.cursor)
        named = column(one.text, max(self._longest, 1), self.marks)
        return [
            StyledText(f"{mark} "),
            StyledText(named, "text"),
            StyledText(f"  {one.meaning}", "told"),
        ]

    def on_click(self, event: Click) -> None:
        """A click takes a candidate; the line keeps the focus."""
        event.stop()
        place = event.get_content_offset(self)
        if place and place.y < len(self.offer.sight):
            self._take(self.offer.sight[place.y])
