"""Which cells the queue of a reviewer holds, and in which order.

A `Lineup` is what the reviewer asked for; `look_up` finds the cells. It is remembered from one
session to the next.
"""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any

from appellate.core.problem import Refused
from appellate.core.step_progress import Progress
from appellate.query.language import (
    QueryUnreadable,
    Suggestion,
    Vocabulary,
    completions,
    parse,
)
from appellate.query.sql import Order, is_order, orders
from appellate.store import injection, meta
from appellate.store.database import NotKept
from appellate.store.queue import (
    FoundQueue,
    LoadedQueue,
    Queue,
    look_up,
    unsearchable,
    vocabulary,
)
from appellate.store.workspace import Workspace

_AT_ONCE = 20
"""Number of traces searched for words to the judge before keys are handled again."""


class Lineup:
    """The filter and the order that a reviewer wants for the queue.

    With `hides`, cells that are signed off are left out.
    """

    def __init__(
        self,
        workspace: Workspace,
        reviewer: str,
        filter: str = "",  # noqa: A002 - the word it is remembered in
        order: str = "loaded",
        seed: int = 0,
        *,
        hides: bool = False,
    ) -> None:
        """Take the audit, its reviewer, and the filter and order that are wanted.

        With `hides`, cells that are signed off are left out. `seed` is for the order "random".
        Nothing is read or checked yet.
        """
        self._workspace = workspace
        self._reviewer = reviewer
        self.filter = filter
        self.order = order
        self.seed = seed
        self.hides = hides

    @classmethod
    def remembered(
        cls,
        workspace: Workspace,
        reviewer: str,
        order: str,
        seed: int,
    ) -> "Lineup":
        """Return the lineup that was saved for a reviewer, or all cells in the given order.

        `seed` is for the order "random". An order that no longer exists gives all cells in the
        order loaded, without a filter.
        """
        saved = workspace.meta(meta.queue(reviewer))
        settings: dict[str, Any] = {"order": order, "seed": seed}
        if saved:
            settings = json.loads(saved)
        if not is_order(settings.get("order", "loaded")):
            settings = {}
        return cls(workspace, reviewer, **settings)

    @property
    def _settings(self) -> dict[str, Any]:
        """The filter, order, seed and hiding, by the names under which they are saved."""
        return {
            "filter": self.filter,
            "order": self.order,
            "seed": self.seed,
            "hides": self.hides,
        }

    def but(self, **changed: Any) -> "Lineup":
        """Return a copy with these settings changed."""
        return Lineup(self._workspace, self._reviewer, **(self._settings | changed))

    def remember(self) -> None:
        """Save the lineup for the reviewer's next session; do nothing if it cannot be saved."""
        if not self._workspace.readonly:
            with suppress(NotKept):
                self._workspace.set_meta(
                    meta.queue(self._reviewer),
                    json.dumps(self._settings),
                )

    @property
    def plain(self) -> bool:
        """Whether it holds all cells in the order loaded, so that nothing must be looked up."""
        return not self.narrowed and not self.hides and self.order == "loaded"

    @property
    def narrowed(self) -> bool:
        """Whether a filter leaves cells out."""
        return bool(self.filter.strip())

    def orders(self) -> list[Order]:
        """Return the orders to choose from, the current one first.

        Those by a measure are left out if the workspace cannot be read.
        """
        measures: list[str] = []
        with suppress(sqlite3.Error):
            measures = [measure.name for measure in self._vocabulary.measures]
        return sorted(orders(measures), key=lambda order: order.id != self.order)

    async def look_up(self, say: Callable[[str], None] = lambda _: None) -> Queue:
        """Find the cells in a thread and return them; `say` shows the progress of a long search.

        All cells in the order loaded are returned without a search. If the filter asks for traces
        that address the judge, these are looked for first, and the result is saved. Raises Refused
        if the filter or the workspace cannot be read, and NotKept if that result cannot be saved.
        """
        if self.plain:
            return LoadedQueue(self._workspace)
        try:
            if await asyncio.to_thread(self._asks_for_pleas):
                await self._look_for_pleas(say)
            return await asyncio.to_thread(self._matching_queue)
        except QueryUnreadable as unreadable:
            raise Refused(
                f"The filter {self.filter} cannot be read. {unreadable}",
            ) from unreadable
        except sqlite3.Error as error:
            raise Refused(unsearchable(error)) from error

    def _asks_for_pleas(self) -> bool:
        """Return whether the filter asks for traces that address the judge."""
        return "suspicious" in parse(self.filter, self._vocabulary).marks

    async def _look_for_pleas(self, say: Callable[[str], None]) -> None:
        """Search traces for words to the judge, if they were not searched yet, and save the result.

        Keys are handled after every `_AT_ONCE` traces. A session that only reads searches nothing,
        so that such a filter finds only what was found before. Raises NotKept if the result cannot
        be saved.
        """
        if self._workspace.readonly:
            return
        unseen = injection.unseen(self._workspace.db)
        progress = Progress(
            "Looking for words to the judge",
            say,
            time.monotonic,
            len(unseen),
        )
        for start in range(0, len(unseen), _AT_ONCE):
            injection.look_through(self._workspace, unseen[start : start + _AT_ONCE])
            progress.received(start + _AT_ONCE)
            await asyncio.sleep(0)

    def _matching_queue(self) -> Queue:
        """Return the cells that fit the filter, in order; with `hides`, without signed off ones.

        Raises QueryUnreadable for the filter, and sqlite3.Error for the workspace.
        """
        text = self.filter
        if self.hides:
            text = f"{text} -state:reviewed".strip()
        query = parse(text, self._vocabulary)
        cells = look_up(
            self._workspace.path,
            query,
            self.order,
            self.seed,
            self._reviewer,
        )
        return FoundQueue(self._workspace, cells)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return vocabulary(self._workspace.path)

    def completions(self, text: str, cursor: int) -> list[Suggestion]:
        """Return what may be typed at the cursor of a filter.

        Nothing is offered if the workspace cannot be read.
        """
        with suppress(sqlite3.Error):
            return completions(text, cursor, self._vocabulary)
        return []

    def fault(self, text: str) -> str:
        """Return in a sentence what is wrong with a filter, or "" if it can be read.

        If the workspace cannot be read, the sentence says so.
        """
        try:
            parse(text, self._vocabulary)
        except QueryUnreadable as unreadable:
            return str(unreadable)
        except sqlite3.Error as error:
            return unsearchable(error)
        return ""

    @property
    def name(self) -> str:
        """The filter, the order, and that signed off cells are hidden, in few words.

        "" for all cells in the order loaded.
        """
        order_names = {"loaded": "", "random": f"random {self.seed}"}
        order_name = order_names.get(self.order, self.order)
        parts = [self.filter, order_name]
        if self.hides:
            parts.append("signed off hidden")
        return " · ".join(filter(None, parts))

    @property
    def nothing(self) -> str:
        """The sentence for an empty queue: why it is empty, and which key changes that.

        A queue from which signed off cells are left out may be empty because everything is signed
        off. Keys are written in it as `{id:usual key}`, for `with_keys`.
        """
        if not self.hides:
            return "There is nothing to review."
        if self.narrowed:
            text = f"Nothing that fits {self.filter} is left to sign off: "
            return text + "{queue.hide:Z} shows it, {queue.filter:f} widens."
        return "Every cell is signed off: {queue.hide:Z} shows them, {quit:q} exports the audit."

    @property
    def nothing_here(self) -> str:
        """The text in an empty queue, which is narrow: why it is empty.

        Keys are written in it as `{id:usual key}`, for `with_keys`.
        """
        return "All signed off: {queue.hide:Z} shows" if self.hides else self.nothing
