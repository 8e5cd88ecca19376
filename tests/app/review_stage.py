"""A person at the review screen: an audit in every state a cell can be in, keys, and what can be read.

`async with sitting(folder) as at:` opens it; then `await at.press("1")`, `at.said`, `at.marks`, `at.numbers`.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea

from appellate.app.appearance.sizes import THREE
from appellate.app.application import AppellateApp
from appellate.app.review_screen import ReviewScreen
from appellate.core.cell import Cell
from appellate.core.deciding import Correct
from appellate.core.facts import Failed, Proposed
from appellate.core.trace import Trace
from appellate.judging.choice import JudgeChoice
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import create, resume
from appellate.store.workspace import Workspace
from appellate.traits.metric.edits import Edit
from appellate.traits.rubric import Question, Rubric
from appellate.ui.bar import KeyStrip, MetricsBar, OneLine
from appellate.ui.measures import differs
from cells import (
    NOON,
    checklist,
    marks,
    matrix,
    place,
    proposal,
    rubric,
    table,
    trace,
    worked_example,
)
from golden import shown

WIDE, NARROW, LEAST = (140, 45), (80, 24), (60, 15)
ROOMY = (THREE, 30)
"""The smallest size with everything beside each other: drawing it takes half as long as `WIDE`."""
both_sizes = pytest.mark.parametrize(
    "size",
    [NARROW, pytest.param(WIDE, marks=pytest.mark.slow)],
    ids=["narrow", "wide"],
)
NOBODY = JudgeChoice("recorded", None)
REASON = "The reply leaves out TP instruction 4; asked again 2 times."
ASKED = "Briefly describe BCL2 and why it matters in cancer."

Happened = Proposed | Failed | list[dict[str, Any]]


def covered() -> Proposed:
    """The worked example in `tp_only`: the wrong chromosome tries to answer TP instruction 4."""
    judged = worked_example() | {"tn": []}
    judged["items"][3] |= {"of": "tp", "instruction": 4}
    return Proposed(judged, {"name": "gpt"})


def nothing_found() -> Proposed:
    """A judge that judged and put nothing anywhere."""
    return Proposed(table(), {"name": "gpt"})


def dropped(count: int, bucket: str) -> list[dict[str, Any]]:
    return [{"action": "drop", "bucket": bucket}] * count


# no instruction stands anywhere
UNTIDY = Proposed(table(tp=["a"], fn=["b"], fp=["c"], tn=["d"]), {"name": "gpt"})
EMPTIED = [*dropped(1, "tp"), *dropped(1, "fn"), *dropped(1, "fp"), *dropped(1, "tn")]


def bcl2() -> tuple[Rubric, list[Trace], list[list[Happened]]]:
    """The worked example in both modes: cell 1 tp_only, cell 2 full_matrix."""
    asked = Question(id="q", question=ASKED, metric_traits=[checklist(), matrix()])
    of = Rubric(name="BCL2", questions=[asked])
    return of, [trace("bcl2-1", question_id="q")], [[covered()], [proposal()]]


def states() -> tuple[Rubric, list[Trace], list[list[Happened]]]:
    """One cell in every state: proposed, pending, failed, judged empty, emptied by a person, filled by hand."""
    names = ("proposed", "pending", "failed", "judged-empty", "emptied", "by-hand")
    hand = [{"action": "add", "bucket": "fn", "of": "tp", "instruction": 4}]
    gpt = {"name": "gpt"}
    happened: list[list[Happened]] = [
        [proposal()],
        [],
        [Failed(REASON, "{", gpt)],
        [nothing_found()],
        [UNTIDY, EMPTIED],
        [hand],
    ]
    return rubric(matrix()), [trace(name, question=ASKED) for name in names], happened


Scene = tuple[Rubric, list[Trace], list[list[Happened]]]


def played(
    workspace: Workspace,
    folder: Path,
    happened: list[list[Happened]],
) -> Workbench:
    """The bench of a workspace in which all this happened, cell by cell."""
    clock = iter(range(10**6))
    bench = Workbench(
        workspace,
        place(folder).audit,
        "ada",
        lambda: NOON.replace(microsecond=next(clock)),
    )
    for number, events in enumerate(happened, 1):
        for event in events:
            if isinstance(event, list):
                for edit in event:
                    bench.do(number, Correct(Edit.from_row(edit)))
            else:
                bench.receive(number, event)
    return bench


@dataclass
class Sitting:
    """The person, the screen before them, and what it says."""

    app: AppellateApp
    pilot: Pilot[None]
    bench: Workbench

    @property
    def screen(self) -> ReviewScreen:
        return self.app.screen_of_review

    async def press(self, *keys: str) -> None:
        """Presses keys; the focus is somewhere after them."""
        await self.pilot.press(*keys)
        assert self.app.screen.focused is not None or not self.app._running, (
            f"{keys} lost the focus"
        )

    async def answer(self, *keys: str, text: str) -> None:
        """Answers what some keys ask."""
        await self.press(*keys)
        await self.type(text)
        await self.press("enter")

    async def says(self, *keys: str) -> str:
        """What the screen says at some keys."""
        await self.press(*keys)
        return self.said

    async def shows(self, *keys: str) -> str:
        """All that is on the screen after some keys."""
        await self.press(*keys)
        return self.text

    async def goes(self, *keys: str) -> int:
        """The cell that some keys lead to."""
        await self.press(*keys)
        return self.no

    async def click_key(self, label: str) -> None:
        """Clicks on a key in the strip of the top screen, by what it does."""
        strip = self.app.screen.query_one("#keys").region
        row = self.text.split("\n")[strip.y]
        await self.pilot.click(offset=(row.index(f" {label}", strip.x) + 1, strip.y))
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Fills the line or the box that has the focus, at once."""
        line = self.app.focused
        if isinstance(line, TextArea):
            line.text = text
        else:
            assert isinstance(line, Input)
            line.value = text
        await self.pilot.pause()

    async def until(self, true: Callable[[], bool], seconds: float = 30) -> None:
        for _ in range(int(seconds / 0.02)):
            if true():
                return
            assert self.app._running, f"the program has ended: {self.app._exception!r}"
            await self.pilot.pause(0.02)
        raise AssertionError(f"it did not come true; the screen:\n{self.text}")

    # -- what can be read ------------------------------------------------------------------------

    @property
    def text(self) -> str:
        return shown(self.app)

    def words(self, of: str) -> str:
        """The words in a part of the top screen as a reader takes them, across its lines."""
        region = self.app.screen.query_one(of).region
        rows = self.text.split("\n")[region.y : region.bottom]
        return " ".join(
            " ".join(row[region.x : region.right].strip(" │▸") for row in rows).split(),
        )

    def line(self, name: str) -> str:
        """What a line of the screen says: `header`, `numbers` or `keys`."""
        widget = self.screen.query_one(f"#{name}", OneLine)
        return "".join(piece.text for piece in widget.pieces(widget.size.width)).strip()

    @property
    def said(self) -> str:
        said = self.screen.query_one("#said", Static)
        return str(said.visual).strip() if said.has_class("-saying") else ""

    @property
    def answered(self) -> str:
        """What the screen on top says, in the place of its keys."""
        return str(self.app.screen.query_one("#said", Static).visual).strip()

    @property
    def numbers(self) -> dict[str, float]:
        return {one.name: one.value or 0.0 for one in self.bar.now}

    @property
    def moved(self) -> dict[str, float]:
        """By how much the last key moved the numbers that it moved."""
        if not self.bar.is_since_last_key:
            return {}
        by = {}
        for one in self.bar.now:
            if differs(one):
                by[one.name] = round((one.value or 0.0) - (one.base.value or 0.0), 3)
        return by

    @property
    def bar(self) -> Any:
        return self.screen.query_one(MetricsBar).measures

    @property
    def keys(self) -> str:
        return " ".join(hint.key for hint in self.screen.query_one(KeyStrip).hints)

    @property
    def marks(self) -> dict[str, list[Any]]:
        """The links of every bucket of the cell in sight."""
        return marks(self.screen.pane.cell.labels)

    def texts(self, bucket: str) -> list[str]:
        return [item.text for item in self.screen.pane.cell.labels.bucket(bucket)]

    @property
    def cell(self) -> Cell:
        return self.screen.objects.view.cell

    @property
    def state(self) -> str:
        return self.cell.state

    @property
    def no(self) -> int:
        return self.screen.objects.view.no

    @property
    def place(self) -> tuple[str, int]:
        return self.screen.pane.place

    @property
    def selected(self) -> str:
        return self.screen.response.selection.text

    @property
    def facts(self) -> int:
        return self.bench.workspace.facts.last_n()

    def named(self, name: str) -> bool:
        """Whether the focus is on the widget or within it."""
        focused = self.app.screen.focused
        return focused is not None and any(
            node.id == name for node in focused.ancestors_with_self
        )


def deliberate() -> Callable[[object], float]:
    """Every key is pressed a second after the one before it."""
    seconds = count()
    return lambda _: next(seconds)


@asynccontextmanager
async def sitting(
    folder: Path,
    scene: Scene | None = None,
    *,
    size: tuple[int, int] = ROOMY,
    choice: JudgeChoice = NOBODY,
    at: int | None = None,
    notes: Iterable[str] = (),
    readonly: bool = False,
    reviewer: str = "ada",
    **app: Any,
) -> AsyncIterator[Sitting]:
    """Opens an audit in a folder: the one that is there, else a new one of the scene."""
    where = place(folder)
    if not where.exists:
        of, traces, happened = scene or bcl2()
        opened = create(where, of, traces, "0.1.0")
        played(opened.workspace, folder, happened)
        opened.workspace.close()
    with resume(where, readonly=readonly).workspace as workspace:
        bench = Workbench(workspace, where.audit, reviewer)
        if at:
            bench.begin_at(at)
        app = {"arrived": deliberate(), **app}
        program = AppellateApp(bench, choice, notes=notes, **app)
        async with program.run_test(size=size) as pilot:
            await pilot.pause()
            yield Sitting(program, pilot, bench)
