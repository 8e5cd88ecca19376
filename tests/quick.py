"""What makes the tests quick and changes nothing that they find: waits, stylesheets, the garbage collector.

Much of it is of Textual's and Python's insides. Where a name is no more there, the tests take longer and say the same.
"""

import asyncio
import gc
import multiprocessing
import os
import threading
from _thread import _count
from contextlib import suppress
from pathlib import Path
from time import monotonic, process_time
from typing import Any, TypeVar

FRAMES = 250  # a second: a wait after a key lasts until nothing was painted for a while
AT_ONCE = 0.01  # seconds until a timer that is still waited for: a resize takes 8.3 ms, a frame 4
LONGEST = 30  # seconds: something never rests
# of a look at the processor's clock, and what of it is no work
STEP, IDLE = (0.008, 0.0004)
_THREADS = Path("/proc/self/task")


def everything() -> None:
    with suppress(ImportError, AttributeError):
        _waits()
    with suppress(ImportError, AttributeError):
        _stylesheets()


# -- waits -----------------------------------------------------------------------------------------


async def quiet(app: Any, min_sleep: float = 0) -> None:
    """Waits at least so many seconds, and until the loop and the threads have nothing to do.

    Timers are not waited for once the app has exited: Textual ends a screen's own only after the test.

    Textual's own wait takes looks of 20 ms at the processor's clock, two or three at every key, for a second at
    most: a process that others keep from its work is idle to it. The loop can tell at once and for certain. Threads
    are still waited for by the clock, and are at work while others keep them from a processor.
    """
    loop: Any = asyncio.get_running_loop()
    until = monotonic() + LONGEST
    await asyncio.sleep(min_sleep)
    while monotonic() < until:
        await asyncio.sleep(0)
        at_work = _threads_at_work(loop)  # before one looks for what they bring
        if loop._ready:
            continue
        due = _next_timer(loop)
        if due <= AT_ONCE and not app._exit:
            await asyncio.sleep(max(0, due))
        elif not at_work or (await _idle() and not loop._ready):
            return


def _next_timer(loop: Any) -> float:
    """Seconds until the next one; infinite without one."""
    dues = [timer.when() for timer in loop._scheduled if not timer.cancelled()]
    return float(min(dues, default=float("inf")) - loop.time())


def _threads_at_work(loop: Any) -> bool:
    pool = loop._default_executor
    resting = pool._idle_semaphore._value if pool else 0
    return _count() > resting  # those that are no `threading.Thread`, too


async def _idle() -> bool:
    before = _worked()
    await asyncio.sleep(STEP)
    return _worked() - before < IDLE and not _is_kept_from_work()


def _worked() -> float:
    """Seconds that the other threads computed, or waited for a processor that others had.

    Where the system does not tell, those that all of them computed.
    """
    try:
        spent = [(thread / "schedstat").read_text().split()[:2] for thread in _others()]
    except OSError:
        return process_time()
    return sum(int(one) for both in spent for one in both) / 1e9


def _is_kept_from_work() -> bool:
    """Whether another thread waits for a processor or a disk."""
    with suppress(OSError):
        told = [(thread / "stat").read_text() for thread in _others()]
        return any(one.rpartition(") ")[2][0] in "RD" for one in told)
    return False


def _others() -> list[Path]:
    """The other threads, as Linux tells of them."""
    own = str(threading.get_native_id())
    return [thread for thread in _THREADS.iterdir() if thread.name != own]


def _waits() -> None:
    os.environ["TEXTUAL_FPS"] = str(FRAMES)
    from textual import pilot  # which reads that only now
    from textual.events import Key
    from textual.keys import REPLACED_KEYS, _character_to_key, key_to_character

    # processes that tests start draw as they do for people
    del os.environ["TEXTUAL_FPS"]
    loop = asyncio.new_event_loop()
    _ = loop._ready, loop._scheduled, loop._default_executor
    loop.close()

    result_type = TypeVar("result_type")

    class QuietPilot(pilot.Pilot[result_type]):
        """Waits once after a key, by the loop; Textual's own waits four times, by the clock."""

        async def press(self, *keys: str) -> None:
            for key in keys:
                is_name = len(key) > 1 or key.isalnum()
                name = key if is_name else _character_to_key(key)
                character = key_to_character(REPLACED_KEYS.get(name, name))
                self.app.post_message(Key(name, character))
                await quiet(self.app)

        async def pause(self, delay: float | None = None) -> None:
            await quiet(self.app, delay or 0)

        async def _wait_for_screen(self, timeout: float = 30) -> bool:  # noqa: ASYNC109 - Textual's
            await quiet(self.app)
            return True

    pilot.Pilot = QuietPilot


# -- stylesheets -----------------------------------------------------------------------------------


def _stylesheets() -> None:
    """Every application parses the same rules with the same colours: once is enough."""
    from textual.css.stylesheet import Stylesheet

    parse = Stylesheet._parse_rules
    parsed: dict[Any, dict[Any, Any]] = {}

    def once(self: Any, css: str, read_from: Any, *more: Any, **named: Any) -> Any:
        known = parsed.setdefault(frozenset(self._variables.items()), {})
        key = (css, read_from, more, *named.items())
        if key not in known:
            known[key] = parse(self, css, read_from, *more, **named)
        return known[key]

    Stylesheet._parse_rules = once


# -- asserts ---------------------------------------------------------------------------------------


def rewrite_asserts(config: Any) -> None:
    """Before all tests run: pytest rewrites their files once, and not each of its workers every one of them."""
    if config.args_source is not config.ArgsSource.TESTPATHS or hasattr(
        config,
        "workerinput",
    ):
        return
    folder, count = Path(__file__).parent, os.cpu_count() or 1
    files = [*folder.rglob("test_*.py"), *folder.rglob("conftest.py")]
    fork = multiprocessing.get_context("fork")
    at_work = [
        fork.Process(target=_rewritten, args=(config, files[n::count]))
        for n in range(count)
    ]
    for process in at_work:
        process.start()
    for process in at_work:
        process.join()


def _rewritten(config: Any, files: list[Path]) -> None:
    from _pytest.assertion import rewrite

    for path in files:
        pyc = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
        if rewrite._read_pyc(path, pyc) is None:
            pyc.parent.mkdir(exist_ok=True)
            known, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, known, pyc)


# -- the garbage collector --------------------------------------------------------------------------


def keep_what_is_loaded() -> None:
    """Thousands of tests, pytest and this program are no garbage, and the collector would look among them each time.

    Nobody else may freeze: a session at the screen does, and its widgets would stay until the tests have ended.
    """
    collect()
    gc.freeze = lambda: None
    gc.set_threshold(50_000, 20, 10)
    gc.enable()


_freeze = gc.freeze


def collect() -> None:
    """Collects garbage before or between tests. What is left is not looked through again.

    Else each collection would take longer than the one before.
    """
    gc.collect()
    _freeze()
