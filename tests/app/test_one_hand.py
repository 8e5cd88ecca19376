"""One hand for every kind and every screen: what goes never rules, and what rules is the same key."""

from operator import attrgetter
from random import Random
from time import monotonic

import pytest
from hypothesis import Phase, find, settings
from review_stage import (
    NARROW,
    NOBODY,
    REASON,
    WIDE,
    Sitting,
    deliberate,
    played,
    sitting,
    states,
)
from test_kinds_on_screen import EXAMPLES
from textual.events import Key

from appellate.app.application import AppellateApp
from appellate.app.compare.by_instruction import InstructionScreen
from appellate.app.compare.judged import RevealScreen
from appellate.app.compare.ruling import AdjudicationScreen
from appellate.app.compare.side_by_side import SidesScreen
from appellate.core.deciding import Draw
from appellate.core.facts import Failed, Proposed
from appellate.judging.run import compute
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import create
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric
from cells import place
from linear.linear_stage import bench_of, told
from partly import partly_quick
from two_reviewers import MISSED, adjudicator

STATES = ("judged", "pending", "failed", "blind")
LEADING = {
    "items": (),
    "second item": ("j",),
    "beside": ("l",),
    "queue": ("Q",),
    "response": ("o", "o"),
    "selecting": ("v",),
    "searching": ("slash", "e", "enter"),
    "ruling": ("1",),
    "menu": ("enter",),
    "list": ("i",),
    "reasons": ("r",),
    "read more": ("K",),
    "by instruction": ("b",),
    "side by side": ("s",),
}
"""The keys that lead somewhere from a cell."""
WALKING = (
    *(
        "1",
        "2",
        "3",
        "4",
        "0",
        "y",
        "space",
        "enter",
        "escape",
        "tab",
        "j",
        "k",
        "h",
        "l",
        "b",
    ),
    *(
        "s",
        "r",
        "v",
        "o",
        "p",
        "Q",
        "a",
        "u",
        "t",
        "x",
        "i",
        "e",
        "d",
        "plus",
        "minus",
        "V",
        "K",
    ),
    *("z", "full_stop", "comma", "greater_than_sign", "slash", "C"),
)


def scene(most=1):
    """Example traits of every kind in every state: judged, pending, failed and drawn blind."""
    first = settings(phases=[Phase.generate], derandomize=True, database=None)
    questions, traces, happened = [], [], []
    for name, kind in kinds().items():
        traits = list(EXAMPLES[name].traits)[:most]
        questions.append({"id": name, f"{kind.name}_traits": traits})
        for number, state in enumerate(STATES):
            key = {
                "id": f"{name} {state}",
                "question_id": name,
                "epoch": 1,
                "cluster": str(number),
            }
            trace = EXAMPLES[name].trace.model_copy(update=key)
            traces.append(trace)
            for trait in traits:
                table = find(
                    EXAMPLES[name].tables(trait),
                    lambda _: True,
                    settings=first,
                )
                judged = Proposed(kind.locate(trait, trace, table), {"name": "gpt"})
                failed = Failed(REASON, "{", {"name": "gpt"})
                happened.append(
                    {"pending": [], "failed": [failed]}.get(state, [judged]),
                )
    return Rubric(questions=questions), traces, happened


async def laid_out(folder, most=1):
    """The audit of the scene, its last trace of each kind drawn blind; what cells there are.

    Patterns are computed, so that the program writes nothing of its own when it is opened.
    """
    of, traces, happened = scene(most)
    opened = create(place(folder), of, traces, "0.1.0")
    played(opened.workspace, folder, happened)
    bench = Workbench(opened.workspace, place(folder).audit, "sampler")
    cells = []
    for row in opened.workspace.cells.rows(0, opened.workspace.cells.count()):
        cells.append((row.no, row.trait, row.trace_id.split()[-1]))
        if row.trace_id.endswith("blind"):
            bench.do(row.no, Draw(True))
    await compute(bench)
    opened.workspace.close()
    return cells


async def at_rest(at, no):
    while at.app.screen is not at.screen:
        at.app.pop_screen()
        await at.pilot.pause()
    at.screen.objects.put_away()
    at.screen.objects.layout.hide_queue()
    at.screen.objects.navigation.open(no)
    at.screen.objects.rest()
    await at.pilot.pause()


async def went_on(at, where):
    """Presses what goes, and sees that nothing is written."""
    before = at.facts
    await at.pilot.press("n", "N", "n")
    assert at.facts == before, where


@pytest.mark.slow
async def test_n_never_writes_in_a_cell_of_any_kind(tmp_path):
    cells = await laid_out(tmp_path)
    async with sitting(tmp_path, size=NARROW) as at:
        for no, trait, state in cells:
            await at_rest(at, no)
            await went_on(at, (trait, state))


@pytest.mark.slow
async def test_n_never_writes_wherever_keys_lead_from_a_cell(tmp_path):
    cells = await laid_out(tmp_path)
    async with sitting(tmp_path, size=NARROW) as at:
        for no, trait, _ in [cell for cell in cells if cell[2] == "judged"]:
            for where, keys in LEADING.items():
                await at_rest(at, no)
                await at.pilot.press(*keys)
                await went_on(at, (trait, where))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "steps", "size"),
    [(1, 15, NARROW), (2, 60, (100, 30))],
)
async def test_n_never_writes_on_a_walk_over_cells_and_screens(
    tmp_path,
    seed,
    steps,
    size,
):
    cells, chance, trail = await laid_out(tmp_path), Random(seed), []
    async with sitting(
        tmp_path,
        size=size,
        at=cells[(seed - 1) * len(cells) // 2][0],
    ) as at:
        for _ in range(steps):
            trail.append(chance.choice(WALKING))
            await at.pilot.press(trail[-1])
            await went_on(at, trail[-20:])


@pytest.mark.slow
async def test_y_copies_and_never_writes_in_a_cell_of_any_kind(tmp_path):
    cells = await laid_out(tmp_path)
    async with sitting(tmp_path, size=NARROW) as at:
        for no, trait, state in cells:
            await at_rest(at, no)
            before = at.facts
            await at.press("y")
            assert "Copy" in at.text, (trait, state)
            await at.press(
                "escape",
                "Q",
                "y",
                "escape",
                "escape",
                "z",
                "y",
                "escape",
                "z",
            )
            assert at.facts == before, (trait, state)


def test_n_and_y_never_write_line_by_line(tmp_path):
    with bench_of(tmp_path, scene(9)) as bench:
        told(bench, "q")  # patterns are computed at the beginning
        before, cells = bench.workspace.facts.last_n(), bench.workspace.cells.count()
        told(bench, *["y", "n"] * cells, *["y", "N"] * 9, ".", "j", "n", "N", "q")
        assert bench.workspace.facts.last_n() == before


async def test_n_never_writes_on_the_screens_over_the_bench(tmp_path):
    with adjudicator(tmp_path, {1: MISSED, 3: MISSED}, {}) as bench:
        program = AppellateApp(bench, NOBODY, arrived=deliberate())
        async with program.run_test(size=NARROW) as pilot:
            at = Sitting(program, pilot, bench)
            await at.until(lambda: isinstance(program.screen, AdjudicationScreen))
            await at.until(lambda: "All of it" in at.text)
            await at.press("1")
            await went_on(at, "ruling")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "screen"),
    [(("b",), InstructionScreen), (("s",), SidesScreen), (("1", "a"), RevealScreen)],
)
async def test_the_screens_over_the_bench_go_on_by_the_same_key(tmp_path, keys, screen):
    cells = await laid_out(tmp_path)
    blind = screen is RevealScreen
    no = next(
        no
        for no, trait, state in cells
        if trait == "Warns" and (state == "blind") == blind
    )
    async with sitting(tmp_path, at=no) as at:
        await at.press(*keys)
        if isinstance(at.app.screen, screen):
            await went_on(at, screen.__name__)
        assert blind == (at.no != no)


@pytest.mark.slow
async def test_yes_is_1_no_is_2_and_0_rules_nothing_in_every_kind_that_asks_it(
    tmp_path,
):
    cells = await laid_out(tmp_path)
    answered = set()
    async with sitting(tmp_path) as at:
        for no, _, state in cells:
            await at_rest(at, no)
            kind, trait = at.cell.subject.kind, at.cell.subject.trait
            answering = kind.answering
            asked = next(iter(kind.standings(trait, kind.blank)), None)
            if state == "blind" or answering is None or asked is None:
                continue
            if set(answering.sayable(trait, asked).values()) != {"yes", "no"}:
                continue
            answered.add(kind.name)
            for key, value in (("2", False), ("1", True), ("2", False), ("1", True)):
                await at.press(key)
                assert at.cell.labels.value is value, (trait.name, key)
                assert at.app.screen is at.screen, "no list opens unasked"
            await at.press("space")
            assert at.cell.labels.value is False
            before = at.facts
            await at.press("0")
            assert at.facts == before
    assert answered == {"llm", "callable", "regex"}


# -- Enter ------------------------------------------------------------------------------------------

AT = ((), ("down",), ("end",), ("l",), ("l", "l"), ("t",), ("z",), ("o", "o"))
"""Where the cursor and the focus are: items, buckets, evidence, the checklist, the response."""


async def entered(at, times, pace):
    """Presses Enter so often, so many seconds one behind the other, without waiting for what it does."""
    begun = monotonic()
    for number in range(times):
        event = Key("enter", None)
        event.time = begun + number * pace
        at.app.post_message(event)
    await at.until(lambda: not at.app.message_queue_size and at.app.key_queue.is_empty)


async def enters_write_nothing(at, no, where, pace):
    """Presses Enter nine times somewhere in a cell, and sees that all stays as it is."""
    await at_rest(at, no)
    if where == ("o", "o") and at.cell.subject.kind.name == "steps":
        where = ()  # there `o` asks how the run ended, and Enter answers
    await at.pilot.press(*where)
    before = at.facts
    await entered(at, 9, pace)
    assert (at.facts, at.no) == (before, no), (
        at.cell.subject.trait.name,
        at.cell.state,
        where,
    )
    await at_rest(at, no)
    if where in (("t",), ("z",)):
        await at.pilot.press(*where)  # back again


@pytest.mark.slow
@pytest.mark.parametrize(("size", "pace"), [(NARROW, 0), (WIDE, 0.15)], ids=str)
@pytest.mark.parametrize(
    ("most", "readonly"),
    [(9, False), (1, True)],
    ids=["corrects", "reads"],
)
async def test_nine_enters_write_nothing_in_a_cell_of_any_kind(
    tmp_path,
    size,
    pace,
    most,
    readonly,
):
    cells = await laid_out(tmp_path, most)
    async with sitting(
        tmp_path,
        size=size,
        readonly=readonly,
        arrived=attrgetter("time"),
    ) as at:
        for step, (no, _, _) in enumerate(cells):
            await enters_write_nothing(at, no, AT[step % len(AT)], pace)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "pace"), [(NARROW, 0.15), (WIDE, 0)], ids=str)
async def test_nine_enters_write_nothing_in_a_bucket_of_any_state(tmp_path, size, pace):
    async with sitting(tmp_path, states(), size=size, arrived=attrgetter("time")) as at:
        for no in range(1, at.bench.workspace.cells.count() + 1):
            for where in (*AT, ("l", "l", "l"), ("x", "x")):
                await enters_write_nothing(at, no, where, pace)


async def pressed_at(at, second, *names):
    """Presses keys that all come in one second of the clock, and waits for what they do."""
    for name in names:
        event = Key(name, None)
        event.time = second
        at.app.post_message(event)
    await at.until(lambda: not at.app.message_queue_size and at.app.key_queue.is_empty)


@pytest.mark.parametrize(
    ("where", "act"),
    partly_quick([(("l",), "move.tp"), ((), "item.relink"), ((), "item.reword")], 3),
)
async def test_an_enter_right_behind_the_one_that_took_an_act_of_the_list_answers_nothing(
    tmp_path,
    where,
    act,
):
    """It asks for evidence, in a list, or for a line."""
    async with sitting(tmp_path, at=2, arrived=attrgetter("time")) as at:
        await pressed_at(at, 1, *where, "enter")
        row = [choice.key for choice in at.app.screen.shown].index(act)
        await pressed_at(at, 2, *["down"] * row, "enter")
        before, asking = at.facts, at.keys
        await pressed_at(at, 2.15, "enter", "enter")
        assert (at.facts, at.keys) == (before, asking)
        await pressed_at(at, 3, "enter")
        assert at.app.screen is at.screen
        assert not at.screen.objects.selection.on
        assert not at.screen.objects.parts.prompt.asking


async def test_the_list_that_enter_opens_takes_an_enter_after_a_while_and_one_of_a_digit_at_once(
    tmp_path,
):
    async with sitting(tmp_path, at=2, arrived=attrgetter("time")) as at:
        before = at.facts
        await pressed_at(at, 1, "enter")
        await pressed_at(at, 1.1, "down", "enter")
        assert "This opened just now" in at.text
        await pressed_at(at, 1.5, "enter")
        assert at.app.screen is at.screen
        assert at.facts == before
        await pressed_at(at, 2, "l", "l", "1")
        await pressed_at(at, 2, "enter")
        assert at.marks["tp"] == [1, 2, 3, 4]
