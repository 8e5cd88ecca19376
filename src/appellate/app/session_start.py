"""How a session begins on the screen: what the first paint shows, and what is loaded after it."""

import asyncio
import gc
from collections.abc import Sequence
from importlib import import_module

from appellate.app import header
from appellate.app.queue.lineup import Lineup
from appellate.app.workplace import Workplace
from appellate.ui.conversation import begin
from appellate.ui.text import plain
from appellate.ui.textual_compat import beside, later

_BREATH = 0.02  # seconds between two of them, for keys
LATER = (  # what opens on a key, and is no part of the first paint
    "appellate.ui.picker",
    "appellate.app.numbers",
    "appellate.app.numbers.screen",
    "appellate.app.edit_rubric",
    "appellate.app.keys.help",
    "appellate.app.appearance.theming",
    "appellate.app.history_screen",
    "appellate.app.reading.material_pages",
    "appellate.app.reading.screen",
    "appellate.app.compare",
    "appellate.app.compare.visits",
    "appellate.app.sample",
    "appellate.judging.control",
    "appellate.judging.run",
    "appellate.app.reading.external_editor",
    "appellate.app.jumping",
    "rapidfuzz",  # whole: a judge's thread may be loading it, and a part does not wait for that
    "rich.traceback",
)


def start_session(at: Workplace, notes: Sequence[str], *, greet: bool) -> None:
    """Shows the cell where the reviewer was, and the notes.

    `greet` shows whoever is new the keys that matter.
    """
    screen, bench, parts, settings = at.screen, at.bench, at.parts, at.settings
    start = bench.position()
    if greet:
        at.greet()
    at.layout.fit(screen.app.size)  # before the first paint, so that nothing jumps
    bench.listeners.append(at.changed)
    parts.response.set_rendered(settings.markdown == "rendered")
    parts.header.tooltip = plain(header.describe(at.marks))
    if settings.view == "checklist":
        parts.panes.turn_view()
    at.view.show(fresh=True)
    if not at.view.cell.hidden:  # that begins with what is still to be ruled
        at.view.pane.go(start.pane, start.item)
    at.view.pane.take_focus()
    at.view.looked()
    if notes:
        at.dialogs.say(" ".join(notes))
    at.saving.write_soon()
    # Nobody tells when a file is deleted, moved or taken over. The place is kept on that occasion:
    # it changes at every key, and is no one's work.
    screen.set_interval(1.0, at.saving.look_after)
    later(0.5, screen, lambda: beside(screen, _settle, "settle"))


def go_on(at: Workplace) -> None:
    """Begins what follows the first paint: the judge's run, the queue as it was left, a ruling."""
    bench, cell, settings = at.bench, at.view.cell, at.settings
    at.ask()
    remembered = Lineup.remembered(bench.workspace, bench.reviewer, settings.order, settings.seed)
    if not remembered.plain:
        at.queue_control.line_up(remembered, quietly=True)
    if cell.contest and cell.hidden:
        begin(at.comparing.rule())


async def _settle() -> None:
    """Loads what other keys need.

    What is loaded by now stays: walking it for rubbish between two keys took 40 ms, and would now.
    """
    for module in LATER:
        import_module(module)
        await asyncio.sleep(_BREATH)
    gc.freeze()
    gc.enable()
