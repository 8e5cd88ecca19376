"""One correction, walked through on the demo: a line says what to press, and goes on once it has been done.

The tour only looks. Whatever is done on the way is done for real, by the keys that always do it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from textual.geometry import Size

from appellate.app.help import named
from appellate.store.workspace import Workspace
from appellate.ui.card import Card, Paragraph, flowing, worded
from appellate.ui.keys import Key
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.picker import Picker
from appellate.ui.styled_text import Piece


class Welcome(NamedTuple):
    """What a person is shown on sitting down: the tour, or the card with the keys that matter."""

    tour: bool = False
    card: bool = False


TRACE, TRAIT = "bcl2-2", "BCL2 Accuracy"
SENTENCE = "long arm of chromosome 18"  # of the item that the demo's judge put under FP
EVERY = 0.1  # seconds between two looks


@dataclass(frozen=True, slots=True)
class Look:
    """What can be seen at a moment: the cell in sight, the cursor, a list over it; and the tour's own cell.

    `away` is how many cells ahead the tour's is, 0 there; `holder` the bucket that holds its item, "" for none.
    """

    away: int = 0
    bucket: str = ""
    picking: bool = False
    holder: str = "fp"
    signed: bool = False


def _always(_: Look) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class TourStep:
    """What to do, how it is known to be done, and what to say when something else was; `{id}` is a key."""

    told: str
    done: Callable[[Look], bool]
    astray: Callable[[Look], str] = _always


def _elsewhere(look: Look) -> str:
    return f"This is another cell. {_way(look)} and the tour goes on." if look.away else ""


def _way(look: Look) -> str:
    key = "cell.next" if look.away > 0 else "cell.previous"
    times = {1: "once", 2: "twice"}.get(abs(look.away), f"{abs(look.away)} times")
    return f"Press {{{key}}} {times}"


def _unpicked(look: Look) -> str:
    elsewhere = _elsewhere(look)
    return elsewhere or (
        "" if look.picking else "The list was left without a pick: {move.tp} brings it back."
    )


def _misplaced(look: Look) -> str:
    if look.holder == "fp":
        return _elsewhere(look)
    where = f"It is in {look.holder.upper()} now" if look.holder else "It is gone now"
    return f"{where}, which is a correction as well. {{cell.undo}} takes it back."


def _untaken(look: Look) -> str:
    if look.holder != "tp":
        return (
            "The move was taken back. That is what {cell.undo} is for; {cell.redo} does it again."
        )
    return _elsewhere(look)


STEPS = (
    TourStep(
        f"One correction, step by step. Press {{cell.next}} until the header says {TRAIT} and {TRACE}.",
        lambda look: look.away == 0,
        lambda look: "" if look.away == 2 else f"{_way(look)}.",  # noqa: PLR2004 - as the demo opens
    ),
    TourStep(
        "The judge put a true sentence under FP. Press {bucket.next} twice, to the FP bucket; "
        "the response shows where its words stand.",
        lambda look: look.bucket == "fp" or look.holder != "fp",
        _elsewhere,
    ),
    TourStep(
        "Press {move.tp}: it puts the item under the cursor into TP, where it belongs. "
        "{move.fn} is FN, {move.fp} FP, {move.tn} TN.",
        lambda look: look.picking or look.holder == "tp",
        _misplaced,
    ),
    TourStep(
        "Which instruction does it answer? The likeliest stands first: Enter takes it. Typing would filter.",
        lambda look: look.holder == "tp",
        _unpicked,
    ),
    TourStep(
        "Every number shows by how much it moved; all is on disk already. "
        "{item.reason} says why, if you like. {cell.sign} signs the cell off.",
        lambda look: look.signed,
        _untaken,
    ),
    TourStep(
        "Signed off, and this is the next cell to look at. Press {cell.undo}: it takes back your last act, "
        "wherever that was.",
        lambda look: not look.signed,
    ),
    TourStep(
        "Back where it was, not signed off any more. Press {cell.redo} to do it again, or {cell.sign} to sign it off.",
        lambda look: look.signed,
    ),
)
END = (
    "That was one correction. {unreviewed.next} goes to the next cell, {help} lists every key, "
    "{quit} writes the audit and leaves. {leave} ends the tour."
)


@dataclass(frozen=True, slots=True)
class Tour:
    """How far a person has come; `aside` is said in the place of the step, when something else was done."""

    steps: Sequence[TourStep] = STEPS
    at: int = 0
    aside: str = ""

    @property
    def over(self) -> bool:
        return self.at >= len(self.steps)

    @property
    def told(self) -> str:
        return self.aside or (END if self.over else self.steps[self.at].told)

    def seen(self, look: Look) -> "Tour":
        """The tour after a look: on by every step that is done, with a word on what leads astray."""
        at = self.at
        while at < len(self.steps) and self.steps[at].done(look):
            at += 1
        return replace(
            self, at=at, aside="" if at == len(self.steps) else self.steps[at].astray(look)
        )


# -- on the screen ------------------------------------------------------------------------------------


def cell_of(workspace: Workspace) -> int | None:
    """The number of the cell that the tour is about; None in any other audit than the demo's."""
    rows = workspace.cells.rows(0, min(workspace.cells.count(), 100))
    return next((row.no for row in rows if (row.trace_id, row.trait) == (TRACE, TRAIT)), None)


def looked(screen: Any, number: int) -> Look:
    """What there is to see on the review screen."""
    _, cell = (
        screen.bench.open(number) if screen.no == number else screen.bench.workspace.cell(number)
    )
    buckets = {} if cell.labels is None else cell.subject.kind.write(cell.labels)["audited"]
    holder = next(
        (name for name, texts in buckets.items() if any(SENTENCE in text for text in texts)), ""
    )
    return Look(
        number - screen.no,
        screen.pane.place[0],
        isinstance(screen.app.screen, Picker),
        holder,
        cell.signed,
    )


class TourStrip(Card):
    """The tour's line at the bottom of the review screen; it looks by itself, and is empty where there is no tour."""

    def __init__(
        self,
        *,
        on: bool,
        keys: Sequence[Key],
        marks: Marks = UNICODE,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(marks=marks, id=id)
        self.tour = Tour()
        self._wanted = on
        self._keys: Mapping[str, str] = named(keys)
        self._number: int | None = None

    def on_mount(self) -> None:
        screen: Any = self.screen
        self._number = cell_of(screen.bench.workspace) if self._wanted else None
        if self._number is not None:
            self._say()
            self.set_interval(EVERY, self.look)

    def look(self) -> None:
        """Goes on where a step was done."""
        if self.shown and self._number is not None:
            self.tour = self.tour.seen(looked(self.screen, self._number))
            self._say()

    def _say(self) -> None:
        self.show(self._worded(self.tour.told))

    def _worded(self, told: str) -> Paragraph:
        """What is told, behind how far the tour is."""
        at, count = self.tour.at + 1, len(self.tour.steps)
        title = " Tour " if self.tour.over else f" Tour {at}/{count} "
        return [(Piece(title, "title"),), *worded(told, self._keys)]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As high as the longest step, so that nothing moves from one to the next."""
        every = [step.told for step in self.tour.steps] + [END]
        return min(max(len(flowing([self._worded(told)], width - 2)) for told in every), self.MOST)
