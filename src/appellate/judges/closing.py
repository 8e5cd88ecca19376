"""Closing what a judge opened, so that a cancellation interrupts nothing half way."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def to_the_end(closing: Coroutine[Any, Any, None]) -> None:
    """Await a coroutine to its end, even if this call is cancelled in the meantime, however often.

    After a cancellation CancelledError is raised once the coroutine has ended, and an error of the
    coroutine is dropped. Otherwise an error of the coroutine is raised.
    """
    task = asyncio.ensure_future(closing)
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as cancelled:
            cancellation = cancelled
    if cancellation is not None:
        if not task.cancelled():
            task.exception()  # it counts as retrieved
        raise cancellation
    task.result()
