"""The queue: its filter, its order, what goes through it, and the ways back; all of it remembered."""

import asyncio

import pytest
from review_stage import NARROW, WIDE, sitting

from appellate.app.queue.lineup import Lineup
from appellate.core.facts import Failed, Proposed
from appellate.session.settings import Settings
from appellate.ui.lines import Lines
from appellate.ui.prompt import LinePrompt
from appellate.ui.row_layout import Cursor
from cells import checklist, matrix, proposal, rubric, table, trace

GPT = {"name": "gpt"}


def mixed():
    """Six cells: proposed, failed, pending, nothing found, proposed, proposed."""
    names = ("apple", "bread", "cheese", "dill", "egg", "fig")
    empty = Proposed(table(fn=matrix().tp_instructions), GPT)
    happened = [
        [proposal()],
        [Failed("no reply", "", GPT)],
        [],
        [empty],
        [proposal()],
        [proposal()],
    ]
    asked = {"fig": "Is it a fruit?"}
    return (
        rubric(matrix()),
        [trace(name, question=asked.get(name, "What?")) for name in names],
        happened,
    )


def names(at):
    """The traces in the queue, from the top."""
    return [
        at.screen.objects.parts.queue.cells.rows(place, 1)[0].trace_id
        for place in range(len(at.screen.objects.parts.queue.cells))
    ]


async def filtered(at, text):
    await at.answer("f", text=text)
    await at.until(
        lambda: (
            at.screen.objects.parts.queue.lineup.filter == text or "No cell" in at.said
        ),
    )


async def ordered(at, words):
    await at.answer("O", text=words)
    await at.until(lambda: "line" not in {worker.group for worker in at.app.workers})


@pytest.fixture
def scene():
    return mixed()


@pytest.fixture
def cell():
    return None


@pytest.mark.slow
@pytest.mark.parametrize(
    "size",
    [WIDE, pytest.param(NARROW, marks=pytest.mark.slow)],
    ids=["wide", "narrow"],
)
async def test_a_filter_leaves_its_cells_in_the_queue_and_goes_to_the_first(at):
    await filtered(at, "state:failed,pending")
    assert names(at) == ["bread", "cheese"]
    assert at.no == 2
    assert "1/2" in at.line("header")
    assert await at.goes("left_parenthesis") == 1
    await at.press("right_parenthesis")
    assert await at.goes("full_stop") == 3
    assert "last cell of this queue" in await at.says("full_stop")


@pytest.mark.slow
async def test_a_filter_that_cannot_be_says_so_and_changes_nothing_and_an_empty_one_brings_all_back(
    at,
):
    await filtered(at, "text:zeppelin")
    assert "No cell fits text:zeppelin" in at.said
    assert len(names(at)) == 6
    await at.answer("f", text="state:finished")
    assert at.app.focused.value == "state:finished"
    assert "reviewed" in at.text
    await at.press("escape")
    assert len(names(at)) == 6
    await filtered(at, "fig")
    assert names(at) == ["fig"]
    await filtered(at, "")
    assert len(names(at)) == 6


async def test_signing_off_goes_through_the_queue_which_keeps_its_cells_until_it_is_asked_for_again(
    at,
):
    await filtered(at, "state:proposed")
    assert names(at) == ["apple", "dill", "egg", "fig"]
    await at.press("a")
    assert names(at) == ["apple", "dill", "egg", "fig"]
    assert at.no == 4
    await filtered(at, "state:proposed")
    await at.until(lambda: names(at) == ["dill", "egg", "fig"])
    # what is typed takes the place of what was there
    await at.press("f", *"egg", "enter")
    await at.until(lambda: names(at) == ["egg"])
    assert at.no == 5
    await filtered(at, "state:proposed")
    assert at.no == 5, "a cell that fits the filter is not left"
    assert at.screen.objects.parts.queue.cursor.row == names(at).index("egg")
    await filtered(at, "egg")
    assert await at.goes("a") == 5
    assert "Every cell of this queue" in at.said


async def test_a_row_that_was_chosen_before_the_queue_got_other_cells_opens_none_of_them(
    at,
):
    queue = at.screen.objects.parts.queue
    chosen = Lines.Chosen(queue, Cursor(0, 5))
    moved = Lines.Highlighted(queue, Cursor(0, 5))
    await filtered(at, "state:failed")
    opened = at.no
    assert chosen.is_outdated
    queue.post_message(chosen)
    queue.post_message(moved)
    await at.press("k")
    assert at.no == opened
    assert not Lines.Chosen(queue, Cursor(0, 0)).is_outdated


@pytest.mark.slow
async def test_an_order_puts_first_what_it_says(tmp_path):
    orders = {
        "failed": "bread",
        "lowest": "dill",
        "unreviewed": "bread",
        "file order": "apple",
    }
    async with sitting(tmp_path, mixed()) as at:
        await at.press("a")
        queue = at.screen.objects.parts.queue
        for words, first in orders.items():
            await ordered(at, words)
            order = {"file order": "loaded"}.get(words, words)
            await at.until(lambda order=order: order in queue.lineup.order)
            assert names(at)[0] == first, words


@pytest.mark.slow
async def test_the_same_seed_gives_the_same_random_order(at):
    seen = []
    for seed in ("7", "8", "7"):
        await ordered(at, "random")
        await at.type(seed)
        await at.press("enter")
        await at.until(
            lambda seed=seed: (
                at.screen.objects.parts.queue.lineup.seed == int(seed)
                and "seed" in at.said
            ),
        )
        seen.append(names(at))
    assert seen[0] == seen[2] != seen[1]
    assert sorted(seen[0]) == sorted(seen[1])


@pytest.mark.slow
async def test_the_queue_is_remembered_and_so_are_bookmarks(tmp_path):
    async with sitting(tmp_path, mixed(), at=5) as at:
        await filtered(at, "state:proposed")
        await at.answer("ctrl+p", text="bookmark")
        assert at.said == (
            "Bookmarked: Ctrl+P bookmarks lists them, f is:bookmarked finds them."
        )
    async with sitting(tmp_path) as at:
        await at.until(
            lambda: (
                at.screen.objects.parts.queue.lineup.filter == "state:proposed"
                and len(names(at)) == 4
            ),
        )
        assert at.bench.bookmarks() == {5}
        await at.press("comma")
        await at.answer("ctrl+p", text="bookmarks")
        assert await at.goes("enter") == 5
        await at.answer("ctrl+p", text="bookmark")
        assert at.bench.bookmarks() == set()
        await at.answer("ctrl+p", text="bookmarks")
        assert "There are no bookmarks; Ctrl+P bookmark sets one" in at.said


@pytest.mark.slow
async def test_a_remembered_queue_moves_nobody(tmp_path):
    async with sitting(tmp_path, mixed(), at=5) as at:
        await filtered(at, "state:proposed")
        assert await at.goes("colon", *"bread", "enter") == 2
        at.screen.objects.saving.keep_position()
    async with sitting(tmp_path) as at:
        await at.until(
            lambda: at.screen.objects.parts.queue.lineup.filter == "state:proposed",
        )
        assert at.no == 2
        assert await at.goes("full_stop") == 1


async def test_on_reopening_a_queue_that_is_still_filtered_or_cannot_be_read_says_so(
    tmp_path,
):
    async with sitting(tmp_path, mixed()) as at:
        await filtered(at, "state:proposed")
    async with sitting(tmp_path) as at:
        await at.until(lambda: "still filtered" in at.said)
        assert at.said.endswith(
            " The queue is still filtered, 4 of 6 cells: state:proposed, in file order: "
            "f, Backspace and Enter show every cell.",
        )
        await at.press("f", "backspace", "enter")
        await at.until(lambda: len(names(at)) == 6)
        assert at.said.startswith("All 6 cells, in file order. f filters")
        await at.press("Z")
    async with sitting(tmp_path) as at:
        await at.until(
            lambda: at.said.endswith("What is signed off is still hidden: Z shows it."),
        )
        at.bench.workspace.set_meta(
            "queue:ada",
            '{"filter": "trait:Gone", "order": "loaded", "seed": 0}',
        )
    async with sitting(tmp_path) as at:
        await at.until(lambda: "trait:Gone cannot be read" in at.said)
        assert len(names(at)) == 6
        assert at.screen.objects.parts.queue.lineup.filter == ""


async def test_the_settings_say_the_first_order(tmp_path):
    async with sitting(tmp_path, mixed(), settings=Settings(order="failed")) as at:
        await at.until(lambda: len(names(at)) == 6 and names(at)[0] == "bread")


async def test_back_and_forward_go_where_one_was(at):
    assert "nothing to go back to" in await at.says("left_parenthesis")
    assert await at.goes("full_stop", "full_stop", "n") == 4
    assert await at.goes("left_parenthesis", "backspace") == 2
    assert await at.goes("right_parenthesis") == 3


async def gone_to(at, typed):
    await at.answer("colon", text=typed)


@pytest.mark.slow
async def test_a_trace_is_gone_to_by_its_id_its_number_or_a_part(at):
    for typed, cell in (("fig", 6), ("4", 4), ("#2", 2), ("che", 3)):
        await gone_to(at, typed)
        assert at.no == cell, typed
    for typed in ("ree", "99"):
        await gone_to(at, typed)
        assert f"no trace “{typed}”" in at.said
        assert at.no == 3


def twice():
    """Two traces in two epochs each, of two traits."""
    asked = [trace(name, epoch=epoch) for name in ("a-1", "a-2") for epoch in (1, 2)]
    return rubric(matrix(), checklist()), asked, [[proposal()]] * 8


@pytest.mark.slow
async def test_a_cell_is_gone_to_by_what_any_line_of_the_program_calls_it(tmp_path):
    cells = {
        "a-2#2": 7,
        "a-2#2 Coverage": 8,
        "a-2#": 5,
        "a-2#2 · Coverage": 8,
        "a-2#2, Accuracy": 7,
        "a-2/Coverage": 6,
    }
    async with sitting(tmp_path, twice(), at=3) as at:
        for typed, cell in cells.items():
            await gone_to(at, typed)
            assert at.no == cell, typed
        for typed, told in (
            ("a-2 Nothing", "it has Accuracy, Coverage"),
            ("a-2#3", "did you mean"),
        ):
            await gone_to(at, typed)
            assert told in at.said
            assert at.no == 6


@pytest.mark.slow
async def test_every_name_that_the_queue_the_header_and_undo_print_leads_back(tmp_path):
    async with sitting(tmp_path, twice(), at=8) as at:
        assert "(a-2#2 · Coverage)" in await at.says("F", "u")
        assert "a-2#2" in at.line("header")
        rows = at.screen.objects.parts.queue._rows
        printed = [
            f"{rows.heading(index, '').opening[0].text.strip()} {rows[index].text}"
            for index in range(8)
        ]
        for cell, name in enumerate(printed, 1):
            await gone_to(at, name)
            assert at.no == cell, name


def in_queue(at):
    """What the queue shows, line by line, without the cursor."""
    queue = at.screen.objects.parts.queue
    lines = [queue.render_line(y).text for y in range(queue.size.height)]
    return [" ".join(line.strip(" ▸").split()) for line in lines if line.strip()]


def a_trace(name):
    return [name, "● Accuracy .75", "● Coverage .75"]


async def test_the_queue_is_grouped_by_trace_and_a_click_on_a_heading_goes_to_its_first_cell(
    tmp_path,
):
    asked, traces, happened = twice()
    by = [one.model_copy(update={"model": "gpt"}) for one in traces]
    async with sitting(tmp_path, (asked, by, happened), at=4) as at:
        assert in_queue(at) == [
            *a_trace("a-1 gpt"),
            *a_trace("a-1#2 epoch 2 gpt"),
            *a_trace("a-2 gpt"),
            *a_trace("a-2#2 epoch 2 gpt"),
        ]
        queue = at.screen.objects.parts.queue
        assert "▸" in queue.render_line(5).text
        await at.pilot.click("#queue", offset=(3, 7))
        assert at.no == 5
        assert await at.goes("k") == 4
        await at.press("pageup")
        assert (at.no, queue.scroll_offset.y) == (1, 0)


@pytest.mark.slow
async def test_where_an_order_parts_the_cells_of_a_trace_only_neighbours_are_grouped(
    tmp_path,
):
    async with sitting(tmp_path, twice()) as at:
        await at.press("F")
        await ordered(at, "flagged")
        await at.press("full_stop", "full_stop", "full_stop", "F")
        await ordered(at, "flagged")
        await at.until(lambda: at.screen.objects.parts.queue.cells.number(1) == 4)
        lines = [line for line in in_queue(at) if not line.startswith("●")]
        assert lines == [
            "a-1",
            "a-1#2 epoch 2",
            "a-1",
            "a-1#2 epoch 2",
            "a-2",
            "a-2#2 epoch 2",
        ]


# -- the cell in sight ----------------------------------------------------------------------------


def pointed_at(queue):
    """Of each line of the queue that has the cursor, whether it is the failed cell's."""
    lines = [queue.render_line(y).text for y in range(queue.size.height)]
    return ["✗" in line for line in lines if "▸" in line]


@pytest.mark.parametrize(
    "size",
    [NARROW, pytest.param((100, 30), marks=pytest.mark.slow)],
    ids=["narrow", "beside"],
)
async def test_who_leaves_the_queue_finds_its_cursor_on_the_cell_in_sight(
    tmp_path,
    size,
):
    async with sitting(tmp_path, mixed(), at=3, size=size) as at:
        queue = at.screen.objects.parts.queue
        await at.press("Q", "j", "j")
        assert queue.cursor.row == 4
        await at.press("escape")
        assert (at.no, queue.cursor.row) == (3, 2)
        await at.press("Q", "j", "Q")
        assert (at.no, queue.cursor.row) == (3, 2)
        await at.press("Q", "j")
        await at.pilot.resize_terminal(*WIDE)
        await at.until(lambda: at.screen.objects.layout.has_queue)
        assert (at.no, queue.cursor.row) == (3, 2)


@pytest.mark.parametrize(
    "size",
    [pytest.param(WIDE, marks=pytest.mark.slow), (100, 30)],
    ids=["wide", "beside"],
)
async def test_a_cell_that_the_queue_does_not_hold_has_no_cursor_there(tmp_path, size):
    async with sitting(tmp_path, mixed(), at=3, size=size) as at:
        queue = at.screen.objects.parts.queue
        await filtered(at, "state:failed")
        assert (at.no, pointed_at(queue)) == (2, [True])
        await at.answer("colon", text="apple")
        assert (at.no, pointed_at(queue)) == (1, [])
        await at.press("Q")
        assert pointed_at(queue) == [True]
        await at.press("escape")
        assert (at.no, pointed_at(queue)) == (1, [])
        await at.answer("colon", text="bread")
        assert pointed_at(queue) == [True]


async def test_the_rail_parts_its_cells_by_the_numbers_of_their_traces(tmp_path):
    async with sitting(tmp_path, twice(), at=3, size=(100, 30)) as at:
        assert [row[:4] for row in at.text.split("\n")[2:11]] == [
            "│1 │",
            "│ ●│",
            "│ ●│",
            "│2 │",
            "│▸●│",
            "│ ●│",
            "│3 │",
            "│ ●│",
            "│ ●│",
        ]


async def test_on_80_columns_the_header_says_which_trait_and_epoch_it_is_and_a_question_its_keys(
    tmp_path,
):
    async with sitting(tmp_path, twice(), at=3, size=NARROW) as at:
        assert at.line("header").startswith("a-1#2  epoch 2  Accuracy  trait 1/2  ")
        await at.press("full_stop")
        assert at.line("header").startswith("a-1#2  epoch 2  Coverage  trait 2/2  ")
        await at.press("full_stop")
        assert at.line("header").startswith("a-2  Accuracy  trait 1/2  ")
        assert "Enter answers · Esc leaves" in await at.shows("f")


async def test_where_all_cells_are_of_one_trait_a_line_has_the_id_and_what_was_asked(
    tmp_path,
):
    asked, traces, happened = twice()
    told = "user: How is it?\n\nassistant: Well.\n\nuser: Why?"
    traces = [one.model_copy(update={"question": told}) for one in traces]
    async with sitting(tmp_path, (asked, traces, happened)) as at:
        await filtered(at, "trait:Cov*")
        assert in_queue(at)[0] == "● a-1 Why? .75"
        assert len(in_queue(at)) == 4


async def test_the_list_of_traces_offers_each_epoch_by_its_name(tmp_path):
    async with sitting(tmp_path, twice()) as at:
        await at.press("colon", *"a-2")
        offered = at.screen.query_one(LinePrompt).candidates.offered
        assert [one.text for one in offered] == ["a-2#2"]
        assert await at.goes("tab", "enter") == 7


@pytest.mark.slow
async def test_jumping_goes_to_what_bears_the_letter(at):
    await at.press("j", "j", "g")
    assert at.app.screen is not at.screen
    await at.press("a")  # the nearest letter: the first item
    assert at.place == ("tp", 0)
    await at.press("end")
    assert at.place[0] == "tn"
    await at.press("g", "g")
    assert at.place == ("tp", 0)
    await at.press("g", "escape")
    assert at.app.screen is at.screen
    assert at.named("pane")


async def test_a_session_that_only_reads_says_why_it_takes_no_bookmark(tmp_path):
    async with sitting(tmp_path, mixed(), readonly=True) as at:
        await at.answer("ctrl+p", text="bookmark")
        assert "only reads" in at.said
        assert at.bench.bookmarks() == set()


async def test_a_queue_that_the_disk_does_not_keep_is_shown_all_the_same(at):
    at.bench.workspace.db.execute("PRAGMA query_only = on")
    await filtered(at, "fig")
    assert names(at) == ["fig"]
    at.bench.workspace.db.execute("PRAGMA query_only = off")


async def test_a_number_too_long_for_any_trace_or_seed_is_refused(at):
    await at.press("colon")
    at.app.focused.value = "9" * 5000
    assert "There is no trace" in await at.says("enter")
    await ordered(at, "random")
    at.app.focused.value = "9" * 5000
    await at.press("enter")
    assert at.screen.objects.parts.queue.lineup.order == "loaded"
    assert "ten digits" in at.text


async def test_an_order_begins_with_its_first_cell_that_is_not_signed_off(tmp_path):
    async with sitting(tmp_path, mixed(), at=6) as at:
        await ordered(at, "lowest")
        await at.until(lambda: at.no == 4)


class Slow(Lineup):
    """Every cell in the order loaded, found once it is told to."""

    def __init__(self, *given):
        super().__init__(*given)
        self.begun, self.may_end = asyncio.Event(), asyncio.Event()

    async def look_up(self, say):
        self.begun.set()
        await self.may_end.wait()
        return await super().look_up(say)


async def test_cells_that_are_found_as_the_screen_is_taken_down_are_for_nobody(
    tmp_path,
):
    async with sitting(tmp_path, mixed(), at=5) as at:
        slow = Slow(at.bench.workspace, at.bench.reviewer)
        at.screen.objects.queue_control.line_up(slow, afresh=True)
        await slow.begun.wait()
        (search,) = [worker for worker in at.app.workers if worker.group == "line"]
        await at.screen.query("*").remove()
        slow.may_end.set()
        await search.wait()
        assert at.no == 5


# -- what is signed off -------------------------------------------------------------------------------


@pytest.mark.slow
async def test_what_is_signed_off_is_hidden_and_shown_again_with_query_and_order_as_they_were(
    tmp_path,
):
    async with sitting(tmp_path, mixed()) as at:
        await filtered(at, "state:proposed,reviewed")
        await at.press("a")
        await at.press("Z")
        await at.until(lambda: names(at) == ["dill", "egg", "fig"])
        assert "signed off hidden" in str(at.screen.objects.parts.queue.border_title)
        assert at.screen.objects.parts.queue.lineup.filter == "state:proposed,reviewed"
    async with sitting(tmp_path) as at:
        await at.until(lambda: names(at) == ["dill", "egg", "fig"])
        await at.press("Z")
        await at.until(lambda: names(at) == ["apple", "dill", "egg", "fig"])
        assert "hidden" not in str(at.screen.objects.parts.queue.border_title)


async def test_a_queue_with_nothing_left_says_so_and_what_to_press(tmp_path):
    async with sitting(tmp_path, size=WIDE) as at:
        await at.press("a", "a", "Z")
        await at.until(lambda: not names(at))
        assert at.said == "Every cell is signed off: Z shows them, q exports the audit."
        await at.press("full_stop", "n", "Q", "enter", "j")
        assert "All signed off: Z shows" in at.words("#queue")
        assert at.no
        await at.press("Z")
        await at.until(lambda: len(names(at)) == 2)


# -- counts -------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_in_the_queue_digits_count_and_the_strip_says_so(at):
    before = at.facts
    await at.press("Q", "3")
    assert at.line("keys").startswith("QUEUE · 3 ×")
    assert await at.goes("j") == 4
    assert "×" not in at.line("keys")
    assert await at.goes("2", "comma") == 2
    assert await at.goes("9", "full_stop") == 6
    assert await at.goes("4", "less_than_sign") == 2
    await at.press("3", "escape")
    assert "×" not in at.line("keys")
    assert at.named("queue")
    assert await at.goes("j") == 3
    await at.press("9", "9", "greater_than_sign", "2", "full_stop")
    assert at.said == "This is the last cell."
    assert at.facts == before


@pytest.mark.slow
async def test_in_the_history_and_the_numbers_digits_count(at):
    assert "2 × the next key" in await at.shows("F", "F", "F", "H", "2")
    await at.press("escape", "2", "j")
    assert at.app.screen.query_one(Lines).cursor.row == 2
    assert "2 × the next key" in await at.shows("escape", "S", "2")
    assert "2 ×" not in await at.shows("j")


# -- marks and numbers ------------------------------------------------------------------------------


def foot(at):
    """What the queue's frame says at its foot."""
    return str(at.screen.objects.parts.queue.border_subtitle)


async def test_the_foot_of_the_queue_says_what_the_marks_in_sight_mean_and_enter_opens_a_cell(
    tmp_path,
):
    async with sitting(tmp_path, mixed(), size=(100, 30)) as at:
        assert "trait" not in at.line("header"), "an answer with one trait counts none"
        assert "epoch" not in at.line("header"), "and a first epoch has no name"
        assert foot(at) == ""
        await at.press("Q")
        await at.pilot.pause()
        assert foot(at) == "? doubt  · not judged  ✗ failed  ● judged"
        await at.press("escape", "F", "Q")
        await at.pilot.pause()
        assert foot(at) == "? doubt  ⚑ flagged  · not judged  ✗ failed  ● judged"
        assert await at.goes("j", "enter") == 2
        assert at.screen.objects.parts.queue.cursor.row == 1


async def test_one_name_for_all_numbers_is_in_the_title_and_several_are_at_the_numbers(
    tmp_path,
):
    scored = checklist().model_copy(update={"name": "Found", "metrics": ["recall"]})
    of = rubric(matrix())
    both = of.model_copy(update={"metric_traits": [*of.metric_traits, scored]})
    async with sitting(
        tmp_path,
        (
            both,
            [trace("a")],
            [[proposal()], [Proposed(table(fn=checklist().tp_instructions), GPT)]],
        ),
    ) as at:
        told = in_queue(at)
        title = str(at.screen.objects.parts.queue.border_title)
        assert await at.goes("full_stop") == 2
        assert str(at.screen.objects.parts.queue.border_title) == title == "Queue 2"
        assert told[1] == "● Accuracy F1 .75"
        assert told[2].split()[-2:] == ["R", ".00"]
    async with sitting(tmp_path / "one", mixed()) as at:
        assert str(at.screen.objects.parts.queue.border_title) == "Queue 6 · F1"
