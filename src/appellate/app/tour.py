"""One correction on the demo: a line says which usual keys to press, and goes on then."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.session.workbench import Workbench
from appellate.store.cell_names import cell_called
from appellate.ui.bar import Card, worded
from appellate.ui.key import Key, first_names
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rendered_text import Paragraph, flowing
from appellate.ui.rows import StyledText


class Welcome(Struct, frozen=True):
    """What a person is shown on sitting down: the tour, or the card with the keys that matter."""

    tour: bool = False
    card: bool = False


TRACE = "bcl2-2"
TRAIT = "BCL2 Accuracy"
OPENS = 2  # so many cells before that one the demo opens
SENTENCE = "long arm of chromosome 18"  # of the item that the demo's judge put under FP


class Look(NamedTuple):
    """What can be seen at a moment: the cell and the cursor, a list over it, and of the tour's own
    cell how far `away` it is and the bucket that holds its item, "" for none.
    """

    away: int = 0
    bucket: str = ""
    picking: bool = False
    holder: str = "fp"
    signed: bool = False


class TourStep(Struct, frozen=True):
    """What to do, with `{id}` for a key, when it is done, what to say of anything else."""

    text: str
    done: Callable[[Look], bool]
    astray: Callable[[Look], str] = lambda _: ""


def _way(look: Look) -> str:
    key = "cell.next" if look.away > 0 else "cell.previous"
    times = {1: "once", 2: "twice"}.get(abs(look.away), f"{abs(look.away)} times")
    return f"Press {{{key}}} {times}"


def _elsewhere(look: Look) -> str:
    return f"This is another cell. {_way(look)} and the tour goes on." if look.away else ""


def _unpicked(look: Look) -> str:
    if look.away or look.picking:
        return _elsewhere(look)
    return "The list was left without a pick: {move.tp} brings it back."


def _misplaced(look: Look) -> str:
    if look.holder == "fp":
        return _elsewhere(look)
    where = f"It is in {look.holder.upper()} now" if look.holder else "It is gone now"
    return f"{where}, which is a correction as well. {{cell.undo}} takes it back."


def _untaken(look: Look) -> str:
    if look.holder == "tp":
        return _elsewhere(look)
    return "The move was taken back. That is what {cell.undo} is for; {cell.redo} does it again."


STEPS = (
    TourStep(
        f"One correction, step by step. Press {{cell.next}} until the header says {TRAIT} and "
        f"{TRACE}.",
        lambda look: look.away == 0,
        lambda look: "" if look.away == OPENS else f"{_way(look)}.",
    ),
    TourStep(
        "The judge put a true sentence under FP. Press {bucket.next} twice, to the FP bucket; "
        "the response shows its words.",
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
        "Which instruction does it answer? The likeliest is first: Enter takes it. Typing filters.",
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
        "Signed off, and this is the next cell to look at. Press {cell.undo} twice: it takes back "
        "your last act, also in another cell.",
        lambda look: not look.signed,
    ),
    TourStep(
        "Back where it was, not signed off any more. Press {cell.redo} to do it again, or "
        "{cell.sign} to sign it off.",
        lambda look: look.signed,
    ),
    TourStep(
        "That was one correction. {unreviewed.next} goes to the next cell, {help} lists every key, "
        "{quit} exports the audit and leaves. {leave} ends the tour.",
        lambda _: False,
    ),
)
LAST = len(STEPS) - 1


def seen(at: int, look: Look) -> tuple[int, str]:
    """The step that a person has come to after a look, and what to say there."""
    while STEPS[at].done(look):
        at += 1
    return at, STEPS[at].astray(look) or STEPS[at].text


# -- on the screen ---------------------------------------------------------------------------------


class TourStrip(Card):
    """The tour's line, empty where there is none. Call `look` when another cell or item came into
    sight, or a cell changed.
    """

    def __init__(
        self,
        bench: Workbench,
        keys: Sequence[Key],
        *,
        on: bool,
        marks: Marks = UNICODE,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(marks=marks, id=id)
        self.at = 0
        self._keys = first_names(keys)
        self._workspace = bench.workspace
        self._number = cell_called(bench.workspace, f"{TRACE}/{TRAIT}") if on else None
        if self._number is not None:
            self._say(STEPS[0].text)

    def on_mount(self) -> None:
        if self._number is not None:
            self.app.screen_change_signal.subscribe(self, lambda _: self.look())

    def look(self) -> None:
        """Goes on where a step was done."""
        if self.shown and self._number is not None:
            self.at, text = seen(self.at, self._look(self._number))
            self._say(text)

    def _look(self, number: int) -> Look:
        screen: Any = self.screen
        from appellate.ui.picker import Picker

        view = screen.at.view
        over = self.app.screen
        _, cell = self._workspace.cell(number)
        buckets = {} if cell.labels is None else cell.subject.kind.write(cell.labels)["audited"]
        holders = [
            name for name, texts in buckets.items() if any(SENTENCE in text for text in texts)
        ]
        return Look(
            number - view.no,
            view.pane.place[0],
            isinstance(over, Picker) and not over.grouped,
            holders[0] if holders else "",
            cell.signed is not None,
        )

    def _say(self, text: str) -> None:
        self.show(self._worded(text))

    def _worded(self, text: str) -> Paragraph:
        """A text, behind how far the tour is."""
        title = " Tour " if self.at == LAST else f" Tour {self.at + 1}/{LAST} "
        return [(StyledText(title, "title"),), *worded(text, self._keys)]

    def height_at(self, width: int) -> int:
        """As high as the longest step, so that nothing moves from one to the next."""
        heights = [len(flowing([self._worded(step.text)], width - 2)) for step in STEPS]
        return min(max(heights), self.MOST)
