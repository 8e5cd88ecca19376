"""The tour of the demo: eight steps through one correction, shown in a line above the keys.

A step says which key to press, and the next one follows when that was done. `STEPS` is tested
without a screen; `TourStrip` shows it.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.core.cell import Cell
from appellate.session.workbench import Workbench
from appellate.ui.bar import Card, sentence_atoms
from appellate.ui.key import Key, first_names
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rendered_text import Paragraph, flowing
from appellate.ui.rows import StyledText


class Welcome(Struct, frozen=True):
    """What is shown above the keys at the start: the tour, or the card of important keys."""

    tour: bool = False
    card: bool = False


TRACE = "bcl2-2"
"""The id of the trace that the tour is about."""
TRAIT = "BCL2 Accuracy"
"""The trait of the cell that the tour is about."""
OPENS = 2
"""Number of cells between the one at which the demo opens and the tour's own."""
SENTENCE = "long arm of chromosome 18"
"""Words of the item that the demo's judge put under FP."""


class Look(NamedTuple):
    """What can be seen on the screen at one moment, as far as the tour needs it."""

    away: int = 0
    """Number of cells from the open cell on to the tour's own; negative if it lies before."""
    bucket: str = ""
    """The bucket that the cursor is in."""
    picking: bool = False
    """Whether a list of choices is open."""
    holder: str = "fp"
    """The bucket of the tour's cell that holds its item; "" if it was dropped."""
    signed: bool = False
    """Whether the tour's cell is signed off."""


class TourStep(Struct, frozen=True):
    """A step of the tour."""

    text: str
    """What to do, with `{id}` for a key."""
    done: Callable[[Look], bool]
    """Returns whether it was done."""
    astray: Callable[[Look], str] = lambda _: ""
    """Returns what to say if something else was done; "" if nothing was."""


def _way_back(look: Look) -> str:
    """Return the words on how to get to the tour's own cell: which key, and how often."""
    key = "cell.next" if look.away > 0 else "cell.previous"
    count = abs(look.away)
    times = f"{count} times"
    if count == 1:
        times = "once"
    elif count == 2:  # noqa: PLR2004 - a word of its own
        times = "twice"
    return f"Press {{{key}}} {times}"


def _if_elsewhere(look: Look) -> str:
    """Return the sentences to say if another cell than the tour's own is open; else ""."""
    if not look.away:
        return ""
    return f"This is another cell. {_way_back(look)} and the tour goes on."


def _if_not_picked(look: Look) -> str:
    """Return the sentence to say if another cell is open, or the list of instructions was left.

    While that list is open, only another cell is a reason to say something; else "".
    """
    if look.away or look.picking:
        return _if_elsewhere(look)
    return "The list was left without a pick: {move.tp} brings it back."


def _if_misplaced(look: Look) -> str:
    """Return what to say, in sentences, if the tour's item left FP, or another cell is open.

    If both are so, only where the item is now is said. Returns "" if neither is so.
    """
    if look.holder == "fp":
        return _if_elsewhere(look)
    where = f"It is in {look.holder.upper()} now" if look.holder else "It is gone now"
    return f"{where}, which is a correction as well. {{cell.undo}} undoes it."


def _if_undone(look: Look) -> str:
    """Return what to say, in sentences, if the tour's item left TP, or another cell is open.

    If both are so, only that the move was undone is said. Returns "" if neither is so.
    """
    if look.holder == "tp":
        return _if_elsewhere(look)
    return "The move was taken back. That is what {cell.undo} is for; {cell.redo} does it again."


STEPS = (
    TourStep(
        f"One correction, step by step. Press {{cell.next}} until the header says {TRAIT} and "
        f"{TRACE}.",
        lambda look: look.away == 0,
        lambda look: "" if look.away == OPENS else f"{_way_back(look)}.",
    ),
    TourStep(
        "The judge put a true sentence under FP. Press {bucket.next} twice, to the FP bucket; "
        "the response shows its words.",
        lambda look: look.bucket == "fp" or look.holder != "fp",
        _if_elsewhere,
    ),
    TourStep(
        "Press {move.tp}: it puts the item under the cursor into TP, where it belongs. "
        "{move.fn} is FN, {move.fp} FP, {move.tn} TN.",
        lambda look: look.picking or look.holder == "tp",
        _if_misplaced,
    ),
    TourStep(
        "Which instruction does it answer? The likeliest is first: Enter takes it. Typing filters.",
        lambda look: look.holder == "tp",
        _if_not_picked,
    ),
    TourStep(
        "Every number shows by how much it moved; all is on disk already. "
        "{item.reason} says why, if you like. {cell.sign} signs the cell off.",
        lambda look: look.signed,
        _if_undone,
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


def seen(index: int, look: Look) -> tuple[int, str]:
    """Return the index of the step to do next, from step `index` on, and the text to show.

    The look is what can be seen on the screen. Steps that it shows as done are passed over; the
    last step is never done. The text is the step's own, or what to say if something else was done.
    """
    while STEPS[index].done(look):
        index += 1
    step = STEPS[index]
    return index, step.astray(look) or step.text


# -- on the screen ---------------------------------------------------------------------------------


def _bucket_of_sentence(cell: Cell) -> str:
    """Return the first bucket of a cell with an item that contains `SENTENCE`.

    Returns "" if no bucket has one, and for a cell without labels.
    """
    if cell.labels is None:
        return ""
    buckets = cell.subject.kind.write(cell.labels)["audited"]
    for bucket, texts in buckets.items():
        if any(SENTENCE in text for text in texts):
            return str(bucket)
    return ""


class TourStrip(Card):
    """The line of the tour; empty without a tour.

    `look` is called when another cell or item is opened, or a cell changes.
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
        """Show the first step of the tour, with `on` and if the audit has the tour's cell.

        Otherwise the line is empty.
        """
        super().__init__(marks=marks, id=id)
        self.step_index = 0
        self._keys = keys
        self._workspace = bench.workspace
        self._cell_no: int | None = None
        """The number of the tour's own cell; None without a tour, or if the audit lacks it."""
        if on:
            from appellate.store.cell_names import cell_called

            self._cell_no = cell_called(bench.workspace, f"{TRACE}/{TRAIT}")
        if self._cell_no is not None:
            self._say(STEPS[0].text)

    def on_mount(self) -> None:
        if self._cell_no is not None:
            self.app.screen_change_signal.subscribe(self, lambda _: self.look())

    def look(self) -> None:
        """Look at the screen, and show the next step if the current one was done.

        Does nothing without a tour, and after the reviewer has closed it.
        """
        if self.shown and self._cell_no is not None:
            self.step_index, text = seen(self.step_index, self._look(self._cell_no))
            self._say(text)

    def _look(self, cell_no: int) -> Look:
        """Return what the tour can see now; its own cell has this number.

        That is where the open cell lies, where the cursor is, whether a list is open, and the state
        of the tour's own cell.
        """
        from appellate.ui.picker import Picker

        screen: Any = self.screen
        view = screen.objects.view
        top_screen = self.app.screen
        _, cell = self._workspace.cell(cell_no)
        return Look(
            away=cell_no - view.no,
            bucket=view.pane.place[0],
            picking=isinstance(top_screen, Picker) and not top_screen.grouped,
            holder=_bucket_of_sentence(cell),
            signed=cell.signed is not None,
        )

    def _say(self, text: str) -> None:
        self.show(self._worded(text))

    def _worded(self, text: str) -> Paragraph:
        """Return a text of the tour after the number of the current step, ready to be drawn."""
        title = f" Tour {self.step_index + 1}/{LAST} "
        if self.step_index == LAST:
            title = " Tour "
        return [
            (StyledText(title, "title"),),
            *sentence_atoms(text, first_names(self._keys)),
        ]

    def height_at(self, width: int) -> int:
        """Return the rows of the longest step at a width, so that no step moves the screen.

        The width is in columns. The result is `MOST` at most.
        """
        heights = [len(flowing([self._worded(step.text)], width - 2)) for step in STEPS]
        return min(max(heights), self.MOST)
