"""Hands faster than the screen: whatever they press and click the program goes on, and words reach their box."""

import asyncio
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from random import Random

import pytest
from review_stage import LEAST, NARROW, NOBODY, WIDE, Sitting, bcl2, deliberate, sitting
from test_edit_rubric import drafted
from test_review_blind import ALL as RULED
from test_review_blind import blind, two
from test_sample_screen import twenty
from test_side_by_side import three
from textual.events import Key, MouseDown, MouseUp, Resize
from textual.geometry import Size

from all_kinds import bench_of_all_kinds
from appellate.app.application import AppellateApp
from appellate.core.facts import Commented, Proposed
from cells import proposal
from two_reviewers import BOTH_MISSED, MISSED, adjudicator

pytestmark = pytest.mark.slow

PRESSED = [
    "enter",
    "enter",
    "enter",
    "escape",
    "escape",
    "escape",
    "tab",
    "up",
    "down",
    "space",
]
LETTERS = "abcdefghijklmnoprstuvwxyz0123456789/:?%BCDFGHKLMNOPRSTUVWXY"  # q would quit
SIZES = [WIDE, NARROW, (60, 15), (40, 10), (100, 30)]
KEYS = 30
"""What hands do in a session, most of it keys."""


class Hands:
    """Presses, clicks and resizes, and never waits for the program."""

    def __init__(self, app, chance):
        self.app, self.chance = app, chance

    def press(self, *keys):
        for key in keys:
            self.app.post_message(Key(key, key if len(key) == 1 else None))

    def click(self):
        width, height = self.app.size
        x, y = self.chance.randrange(width), self.chance.randrange(height)
        for event in (MouseDown, MouseUp):
            self.app.post_message(event(None, x, y, 0, 0, 1, False, False, False, x, y))

    def resize(self):
        size = Size(*self.chance.choice(SIZES))
        self.app.post_message(Resize(size, size))

    def act(self, opening):
        """Something at random; now and then what opens a screen, whatever is open."""
        what = self.chance.random()
        if what < 0.15:
            self.press(*["escape"] * self.chance.randrange(4), *opening)
        elif what < 0.65:
            self.press(self.chance.choice(PRESSED))
        elif what < 0.87:
            self.press(self.chance.choice(LETTERS))
        elif what < 0.97:
            self.click()
        else:
            self.resize()

    async def wait(self, most):
        """Some turns of the loop, or so many seconds at most."""
        if self.chance.random() < 0.3:
            await asyncio.sleep(self.chance.uniform(0, most))
        for _ in range(self.chance.choice([0, 1, 3, 10, 30])):
            await asyncio.sleep(0)

    async def rest(self, at):
        await at.until(
            lambda: not self.app.message_queue_size and self.app.key_queue.is_empty,
            600,
        )


# -- every screen -----------------------------------------------------------------------------------


@asynccontextmanager
async def all_kinds(folder):
    with bench_of_all_kinds(folder):
        pass
    async with sitting(folder) as at:
        yield at


@asynccontextmanager
async def beside(folder):
    async with sitting(folder, three()) as at:
        yield at


@asynccontextmanager
async def sampling(folder):
    async with sitting(folder, twenty()) as at:
        yield at


@asynccontextmanager
async def revealing(folder):
    blind(folder, two(proposal()))
    async with sitting(folder) as at:
        Hands(at.app, Random()).press(*RULED, "a")
        yield at


@asynccontextmanager
async def drafting(folder):
    async with sitting(folder, bcl2()) as at:
        await drafted(at, "gene", "genes")
        yield at


@asynccontextmanager
async def ruling(folder):
    with adjudicator(folder, {1: BOTH_MISSED, 3: MISSED}, {}) as bench:
        program = AppellateApp(bench, NOBODY, arrived=deliberate())
        async with program.run_test(size=NARROW) as pilot:
            yield Sitting(program, pilot, bench)


SCREENS = {
    "bench": (all_kinds, ()),
    "another cell": (all_kinds, ("full_stop",)),
    "numbers": (all_kinds, ("S",)),
    "history": (all_kinds, ("H",)),
    "proposals": (all_kinds, ("V",)),
    "sizes": (beside, ("W",)),
    "theme": (beside, ("T",)),
    "help": (beside, ("question_mark",)),
    "palette": (beside, ("ctrl+p",)),
    "by instruction": (beside, ("b",)),
    "side by side": (beside, ("s",)),
    "list": (beside, ("l", "1")),
    "line": (beside, ("slash",)),
    "comment": (beside, ("c",)),
    "jump": (beside, ("g",)),
    "sample": (sampling, ("percent_sign",)),
    "reveal": (revealing, ("a",)),
    "draft": (drafting, ()),
    "ruling": (ruling, ("V",)),
}
"""An audit in which a screen can be opened, and its keys; some are open at first."""


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_nothing_that_hands_do_ends_the_program(tmp_path, screen, seed):
    scene, opening = SCREENS[screen]
    async with scene(tmp_path) as at:
        hands = Hands(at.app, Random(f"{screen} {seed}"))
        for _ in range(KEYS):
            if not at.app.is_running:  # the palette and the strip can quit
                return
            hands.act(opening)
            await hands.wait(0.05)
        hands.press(*["escape"] * 6)
        await hands.rest(at)


# -- words ------------------------------------------------------------------------------------------


@contextmanager
def loaded_machine():
    """Another program wants the processor all the time."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            yield
        finally:
            busy.kill()


BETWEEN = [
    ("H", "escape"),
    ("ctrl+p", *"theme", "escape"),
    ("slash", *"1a2", "escape"),
    ("S", "escape"),
    ("percent_sign", "escape", "W", "escape"),
]
"""What opens and closes before a comment."""
COMMENT = [("c",), ("ctrl+p", *"comment", "enter")]


@pytest.mark.parametrize("seed", range(4))
async def test_words_that_are_typed_while_boxes_open_and_close_are_kept_whole(
    tmp_path,
    seed,
):
    chance, words = Random(seed), []
    with loaded_machine():
        async with sitting(tmp_path, size=LEAST, at=2) as at:
            hands = Hands(at.app, chance)
            for count in range(250):
                words.append(
                    "".join(chance.choices("aqjkn123450yx", k=chance.randrange(1, 8))),
                )
                between = () if count % 5 else chance.choice(BETWEEN)
                opening = COMMENT[count % 20 == 19]
                keys = [*between, *opening, *words[-1], "enter"]
                if count % 10 < 8:  # the others a key at a time
                    hands.press(*keys)
                    await hands.wait(0.02)
                    continue
                for key in keys:
                    hands.press(key)
                    await asyncio.sleep(chance.uniform(0, 0.06))
            await hands.rest(at)
            facts = [fact.what for fact in at.cell.facts]
    assert [what.text for what in facts if isinstance(what, Commented)] == words
    assert {type(what) for what in facts} == {Commented, Proposed}
