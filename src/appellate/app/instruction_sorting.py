"""Marking rows of the list of one instruction, and choosing which of them are shown."""

from collections.abc import Iterable, Iterator, Mapping
from time import perf_counter

from textual.screen import Screen

from appellate.app.instruction_frame import InstructionFrame
from appellate.app.instruction_list import ONLY, ORDERS, InstructionList, Sorting
from appellate.store.wordings import AskedCell
from appellate.ui.contract import Choice
from appellate.ui.marks import Marks
from appellate.ui.picker import Picker
from appellate.ui.textual_compat import later

SLICE, PAUSE = 0.008, 0.004  # seconds of looking through rows at once, and between


class RowMarking:
    """Marks rows, so that an answer goes to all of them."""

    def __init__(self, shown: InstructionList, frame: InstructionFrame) -> None:
        self._shown = shown
        self._frame = frame
        self._last: AskedCell | None = None

    def mark(self, way: str) -> None:
        """Marks "one" row or lets it go, all "to" here, "all" there are, or on the way "up" or
        "down".
        """
        here = self._frame.here
        if here is None:
            self._frame.say("There is no cell here.")
            return
        match way:
            case "one":
                self._shown.marked ^= {here}
                self._frame.lines.action_move(1)
            case "to" if self._last and self._shown.place(self._last):
                self._add(self._shown.between(self._last, here))
            case "to":
                self._frame.say("x marks a row first; w then marks all from there to here.")
                return
            case "all":
                self._add(self._shown.everywhere())
                self._frame.say(
                    f"{len(self._shown.marked)} marked: an answer goes to all of them; "
                    "Esc lets them go."
                )
            case _:
                self._frame.lines.action_move(1 if way == "down" else -1)
                self._add({here, self._frame.here or here})
                here = self._frame.here or here
        self._last = here
        self._frame.draw_anew()

    def _add(self, rows: Iterable[AskedCell]) -> None:
        self._shown.marked.update(rows)


class RowSorting:
    """Asks which rows are shown, and looks through them between two keys."""

    def __init__(
        self,
        screen: Screen[AskedCell | None],
        shown: InstructionList,
        frame: InstructionFrame,
        marks: Marks,
    ) -> None:
        self._screen = screen
        self._shown = shown
        self._frame = frame
        self._marks = marks
        self._looking: Iterator[int] = iter(())

    async def choose(self, what: str) -> None:
        """Has one choose "only" which rows are shown or their "order"; turns "like" ones on or
        off.
        """
        if what == "like":
            self._turn_like()
        elif what == "only":
            offered = ONLY | {word: f"those with “{word}”" for word in self._shown.answers()}
            await self._pick("Which rows", offered, what)
        else:
            await self._pick("In which order", ORDERS, what)

    def _turn_like(self) -> None:
        """With the instructions in like words, or without."""
        if not self._shown.like:
            self._frame.say("No instruction is in like words.")
            return
        self._shown.with_like = not self._shown.with_like
        self._sort(self._shown.sorting)

    async def _pick(self, title: str, offered: Mapping[str, str], what: str) -> None:
        choices = [Choice(key or "all", "", words) for key, words in offered.items()]
        picker = Picker(title, choices, marks=self._marks)
        self._screen.app.push_screen(picker)
        key = await picker.picked
        if key == "all":
            key = ""
        self._sort(self._shown.sorting._replace(**{what: key}))

    def _sort(self, sorting: Sorting) -> None:
        self._looking = self._shown.sort_out(sorting)
        self._go_on()

    def _go_on(self) -> None:
        until = perf_counter() + SLICE
        for count in self._looking:
            if perf_counter() > until:
                self._frame.say(f"Looked through {count} cells …")
                later(PAUSE, self._screen, self._go_on)
                return
        self._frame.say("")
        self._frame.show_rows(self._frame.here)
