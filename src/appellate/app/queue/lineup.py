"""What the queue holds and in which order, remembered for each reviewer."""

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
from appellate.query.language import QueryUnreadable, Suggestion, Vocabulary, completions, parse
from appellate.query.sql import Order, is_order, orders
from appellate.store import injection, meta
from appellate.store.database import NotKept
from appellate.store.queue import FoundQueue, LoadedQueue, Queue, look_up, vocabulary
from appellate.store.workspace import Workspace

_AT_ONCE = 20
"""Traces looked at for words to the judge before the screen has its turn."""


class Lineup:
    """A reviewer's wish about the queue; `hides` leaves out what is signed off."""

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
        self._workspace = workspace
        self._reviewer = reviewer
        self.filter = filter
        self.order = order
        self.seed = seed
        self.hides = hides

    @classmethod
    def remembered(cls, workspace: Workspace, reviewer: str, order: str, seed: int) -> "Lineup":
        """The wish of the last session, else an order and every cell; see `look_up`."""
        kept = workspace.meta(meta.queue(reviewer))
        wish: dict[str, Any] = json.loads(kept) if kept else {"order": order, "seed": seed}
        if not is_order(wish.get("order", "loaded")):
            wish = {}
        return cls(workspace, reviewer, **wish)

    @property
    def _wish(self) -> dict[str, Any]:
        """The filter, order, seed and hiding, by the names they are remembered by."""
        wish = {"filter": self.filter, "order": self.order, "seed": self.seed}
        return {**wish, "hides": self.hides}

    def but(self, **otherwise: Any) -> "Lineup":
        """The same, but for what is asked otherwise."""
        return Lineup(self._workspace, self._reviewer, **{**self._wish, **otherwise})

    def remember(self) -> None:
        """Keeps the wish for the next session, if the disk lets it."""
        if not self._workspace.readonly:
            with suppress(NotKept):
                self._workspace.set_meta(meta.queue(self._reviewer), json.dumps(self._wish))

    @property
    def plain(self) -> bool:
        """Whether it is every cell in the order loaded, for which nothing need be looked up."""
        return not self.narrowed and not self.hides and self.order == "loaded"

    @property
    def narrowed(self) -> bool:
        return bool(self.filter.strip())

    def orders(self) -> list[Order]:
        """The orders to choose from, the present one first."""
        measures = [measure.name for measure in self._vocabulary.measures]
        return sorted(orders(measures), key=lambda order: order.id != self.order)

    async def look_up(self, say: Callable[[str], None] = lambda _: None) -> Queue:
        """The cells, found in a thread; raises Refused where filter or workspace cannot be read."""
        if self.plain:
            return LoadedQueue(self._workspace)
        try:
            if await asyncio.to_thread(self._asks_for_pleas):
                await self._look_for_pleas(say)
            return await asyncio.to_thread(self._found)
        except QueryUnreadable as unreadable:
            raise Refused(f"The filter {self.filter} cannot be read. {unreadable}") from unreadable
        except sqlite3.Error as error:
            raise Refused(f"The workspace cannot be searched now ({error}).") from error

    def _asks_for_pleas(self) -> bool:
        return "suspicious" in parse(self.filter, self._vocabulary).marks

    async def _look_for_pleas(self, say: Callable[[str], None]) -> None:
        """Looks at traces that were not looked at, a few at a time, and keeps what was found."""
        if self._workspace.readonly:
            return
        unseen = injection.unseen(self._workspace.db)
        progress = Progress("Looking for words to the judge", say, time.monotonic, len(unseen))
        for done in range(0, len(unseen), _AT_ONCE):
            injection.look_through(self._workspace, unseen[done : done + _AT_ONCE])
            progress.received(done + _AT_ONCE)
            await asyncio.sleep(0)

    def _found(self) -> Queue:
        text = self.filter
        if self.hides:
            text = f"{text} -state:reviewed".strip()
        query = parse(text, self._vocabulary)
        found = look_up(self._workspace.path, query, self.order, self.seed, self._reviewer)
        return FoundQueue(self._workspace, found)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return vocabulary(self._workspace.path)

    def completions(self, text: str, cursor: int) -> list[Suggestion]:
        """What may be at the cursor of a filter."""
        return completions(text, cursor, self._vocabulary)

    def fault(self, text: str) -> str:
        """What is wrong with a filter, or nothing."""
        try:
            parse(text, self._vocabulary)
        except QueryUnreadable as unreadable:
            return str(unreadable)
        return ""

    @property
    def name(self) -> str:
        """The filter and the order in few words; nothing where there is neither."""
        named = {"loaded": "", "random": f"random {self.seed}"}
        hidden = "signed off hidden" if self.hides else ""
        parts = (self.filter, named.get(self.order, self.order), hidden)
        return " · ".join(filter(None, parts))

    @property
    def nothing(self) -> str:
        """Why the queue is empty, and what to press."""
        if not self.hides:
            return "There is nothing to review."
        if self.narrowed:
            text = f"Nothing that fits {self.filter} is left to sign off: "
            return text + "{queue.hide:Z} shows it, {queue.filter:f} widens."
        return "Every cell is signed off: {queue.hide:Z} shows them, {quit:q} exports the audit."

    @property
    def nothing_here(self) -> str:
        """The same for the list itself, which is narrow."""
        return "All signed off: {queue.hide:Z} shows" if self.hides else self.nothing
