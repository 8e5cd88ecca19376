"""Going about: cells, traces, buckets, the queue, sign-offs, states, room; the focus is never lost."""

import signal

import pytest
from review_stage import ASKED, LEAST, NARROW, REASON, WIDE, both_sizes, sitting, states

from appellate.core.facts import Failed, Proposed
from appellate.session.settings import Settings
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Question, Rubric
from cells import RESPONSE, matrix, place, proposal, rubric, table, trace
from partly import partly_quick_sizes

PROPOSED, PENDING, FAILED, EMPTY, EMPTIED, BY_HAND = range(1, 7)


def three(count=3):
    """Judged cells, all alike."""
    return (
        rubric(matrix()),
        [trace(f"t{n}") for n in range(1, count + 1)],
        [[proposal()]] * count,
    )


def uneven():
    """Cells whose prompts, responses and items take more rows and fewer."""
    long = "\n\n".join(f"Paragraph {n}." for n in range(60))
    last, first = f"{long}\n\n{RESPONSE}", f"{RESPONSE}\n\n{long}"
    shapes = [
        (last, 1),
        (RESPONSE, 1),
        (first, 9),
        (RESPONSE, 9),
        (first, 3),
        (last, 3),
    ]
    traces = [
        trace(f"t{n}", response, question=ASKED * asked)
        for n, (response, asked) in enumerate(shapes, 1)
    ]
    many = Proposed(table(fp=[f"claim {n}" for n in range(60)]), {"name": "gpt"})
    happened = [[many], [proposal()]] * 3
    return rubric(matrix()), traces, happened


def drawn(at):
    """Every line of the screen with its colours, the scrollbars among them."""
    return [strip.simplify() for strip in at.app.screen._compositor.render_strips()]


# -- signing off --------------------------------------------------------------------------------------


async def test_signing_off_goes_to_the_next_unreviewed_cell_and_round_the_corner(
    tmp_path,
):
    async with sitting(tmp_path, three(), at=2) as at:
        assert await at.goes("a") == 3
        assert await at.goes("a") == 1
        assert "reviewed 2/3" in at.line("header")
        assert await at.goes("a") == 1
        assert at.state == "reviewed"
        assert "signed off" in at.said
        assert "q exports the audit" in at.said
        assert "reviewed 3/3" in at.line("header")


async def test_a_cell_that_is_signed_off_says_by_whom_is_reopened_by_an_edit_and_passed_over(
    tmp_path,
):
    async with sitting(tmp_path, three()) as at:
        before = at.facts
        await at.press("enter", "escape", "l", "enter", "escape", "Q", "enter")
        assert at.facts == before, "Enter signs nothing off"
        at.screen.pane.go("tp", 0)
        await at.press("a", "comma")
        assert "✓ signed off by ada" in at.line("header")
        await at.press("2")
        assert "◐ 1 correction" in at.line("header")
        await at.press("u")
        assert "✓ signed off by ada" in at.line("header")
        await at.press("u")
        assert "● proposed" in at.line("header")

        assert await at.goes("full_stop", "a", "N") == 1
        assert await at.goes("n") == 3
        assert await at.says("greater_than_sign") == "This is the last trace."
        assert await at.goes("less_than_sign") == 2


async def test_what_was_not_judged_cannot_be_signed_off(tmp_path):
    async with sitting(tmp_path, states(), at=PENDING) as at:
        assert "this cell is not judged yet" in await at.says("a")
        assert at.no == PENDING
        assert "the judge failed here" in await at.says("full_stop", "a")
        assert at.no == FAILED
        # what the judge found empty and what a person emptied can be signed off, and each once
        # more, as instructions stand nowhere
        assert await at.goes("full_stop") == EMPTY
        await at.press("a", "a", "a", "a")
        assert "reviewed 2/6" in at.line("header")


# -- states explain themselves ------------------------------------------------------------------------


@both_sizes
async def test_no_two_states_look_alike_and_each_says_what_to_press(tmp_path, size):
    looks = {}
    async with sitting(tmp_path, states(), size=size) as at:
        for number in range(1, 7):
            assert at.no == number
            looks[number] = at.words("#pane")
            await at.press("full_stop")
        assert at.said == "This is the last cell."
    assert len(set(looks.values())) == 6
    assert "Not judged yet" in looks[PENDING]
    assert "J has it judged, or answer the instructions by hand" in looks[PENDING]
    assert "The judge failed here" in looks[FAILED]
    assert REASON in looks[FAILED]
    assert "J asks it again" in looks[FAILED]
    assert "the judge found none: v adds words" in looks[EMPTY]
    assert "emptied by hand: v adds words" in looks[EMPTIED]
    assert "TP 0" not in looks[PENDING] + looks[FAILED]  # nothing was counted


@both_sizes
async def test_a_long_reason_of_a_failure_can_be_read_to_its_end(tmp_path, size):
    long = (
        "The server said: "
        + "nothing fits here and nothing helps, " * 9
        + "and that is the end."
    )
    scene = rubric(matrix()), [trace()], [[Failed(long, "", {"name": "gpt"})]]
    async with sitting(tmp_path, scene, size=size) as at:
        assert "J asks it again" in at.words("#pane")
        if "and that is the end." not in at.words("#pane"):
            assert "… press C" in at.words("#pane")
            await at.press("C")
            await at.until(lambda: "This item" in at.text)
            await at.press("pagedown")
            assert "and that is the end." in " ".join(at.text.replace("│", " ").split())


# -- going about --------------------------------------------------------------------------------------


async def test_cells_traces_and_the_unreviewed(tmp_path):
    async with sitting(tmp_path) as at:  # two cells of one trace
        assert await at.goes("full_stop") == 2
        assert await at.says("full_stop") == "This is the last cell."
        assert await at.says("greater_than_sign") == "This is the last trace."
        assert await at.says("comma", "comma") == "This is the first cell."
        assert await at.says("less_than_sign") == "This is the first trace."


async def test_buckets_go_round_and_items_up_and_down(at):
    places = []
    for key in ("l", "right", "tab", "l", "h", "left", "shift+tab", "j", "down", "j"):
        await at.press(key)
        places.append(at.place)
    assert places[:4] == [("fn", 0), ("fp", 0), ("tn", 0), ("tp", 0)]
    assert places[4:7] == [("tn", 0), ("fp", 0), ("fn", 0)]
    # down goes on into the next list
    assert places[7:] == [("fp", 0), ("tn", 0), ("tn", 0)]


@pytest.mark.slow
@both_sizes
async def test_the_queue_is_a_key_away_and_gives_the_focus_back(tmp_path, size):
    async with sitting(tmp_path, three(), size=size) as at:
        await at.press("Q", "escape")
        assert at.named("pane")
        assert "helps cells survive" in at.text
        await at.press("Q")
        assert at.named("queue")
        assert "●  t3" in at.text
        assert await at.goes("j", "enter") == 2
        assert at.named("pane")
        assert "BCL2 is an anti-apoptotic gene" in at.text
        await at.press("Q", "j", "Q")
        assert at.named("pane")
        await at.press("2")
        assert at.state == "corrected"


@pytest.mark.slow
async def test_with_room_for_two_panes_the_queue_is_a_rail_that_opens_over_them(
    tmp_path,
):
    async with sitting(tmp_path, states(), size=(100, 30), at=FAILED) as at:
        rail = [row[:4] for row in at.text.split("\n")[2:8]]
        assert rail == ["│ ●│", "│ ·│", "│▸✗│", "│ ●│", "│ ◐│", "│ ◐│"]
        await at.pilot.click("#queue", offset=(2, 2))
        assert at.no == PENDING
        assert at.named("pane")
        assert "failed  Briefly" in await at.shows("Q")
        assert await at.goes("j", "enter") == FAILED
        assert at.named("pane")
        assert "failed  Briefly" not in at.text
        await at.press("Q")
        await at.pilot.resize_terminal(140, 45)
        assert "The judge failed here" in await at.shows("Q")
        assert at.named("pane")


async def test_in_the_narrow_queue_the_keys_of_a_cell_do_nothing_unseen(tmp_path):
    async with sitting(tmp_path, three(), size=NARROW) as at:
        before = at.facts
        await at.press("Q", "j", "d")
        assert at.facts == before
        assert "out of sight" in at.said
        assert at.named("pane")
        assert "helps cells survive" in at.text
        await at.press("Q", "j", "a")
        assert at.facts == before
        assert await at.goes("enter") == 2


# -- modal things -------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_window_opens_over_the_cell_and_esc_gives_it_back(tmp_path):
    async with sitting(tmp_path, at=2, size=NARROW) as at:
        await at.press("j")
        for key in ("question_mark", "f1", "ctrl+p"):
            await at.press(key)
            assert at.app.screen is not at.screen, key
            await at.press("escape")
            assert at.app.screen is at.screen
            assert at.named("pane")
            assert at.place == ("tp", 1)


async def test_the_help_lists_every_key_and_searches(tmp_path):
    async with sitting(tmp_path, size=WIDE) as at:
        assert "put the item into FN (missing)" in await at.shows(
            "question_mark",
            "tab",
        )
        await at.press("slash")
        await at.type("sign off")
        assert "put the item into FN (missing)" not in at.text
        assert "sign off and go to the next open cell" in at.text
        await at.press("escape", "q")
        assert at.app.screen is at.screen


async def test_keys_typed_into_a_line_do_nothing_else(at):
    await at.press("c", "q", "1", "a", "escape")
    assert at.marks["tp"] == [1, 2, 3]
    assert at.no == 2
    assert at.named("pane")
    assert not at.cell.comments


# -- room ---------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_focus_place_and_selection_survive_every_change_of_size(at):
    await at.press("l")
    for size in (NARROW, LEAST, (59, 14), WIDE, (100, 24), (99, 50), (140, 15)):
        await at.pilot.resize_terminal(*size)
        await at.pilot.pause()
        assert at.app.screen.focused is not None, size
        assert at.named("pane"), size
        assert at.place == ("fn", 0), size
    await at.press("v", "w")
    await at.pilot.resize_terminal(*NARROW)
    await at.pilot.pause()
    assert at.selected == "BCL2 is"
    assert at.named("response")


async def test_too_small_a_terminal_gets_a_sentence(tmp_path):
    async with sitting(tmp_path, size=(40, 10)) as at:
        assert "Appellate needs 60 × 15; this is 40 × 10." in " ".join(at.text.split())
        assert "this is 40 × 10." in [row.strip() for row in at.text.split("\n")]
        facts = at.facts
        assert (
            await at.says("2")
            == "Nothing was done: make the window larger to see the cell."
        )
        assert "Nothing was done" in at.text
        assert at.facts == facts
        await at.pilot.resize_terminal(*LEAST)
        await at.pilot.pause()
        assert "BCL2 is an anti-apoptotic gene" in at.text
        assert "Esc leaves" in await at.shows("enter"), "a list says how it is left"
        await at.press("escape", "j", "2")
        assert at.state == "corrected"


NEEDED = "saved,Accuracy,proposed,helps cells,TP 3,FN 1,FP 1,TN 1,.75,1-4"


@pytest.mark.parametrize(
    "size",
    partly_quick_sizes([WIDE, NARROW, LEAST, (100, 24), (99, 30)], 3),
)
async def test_everything_a_verdict_needs_is_in_sight(at, size):
    for needed in NEEDED.split(","):
        assert needed in at.text, needed
    assert all(len(row) <= size[0] for row in at.text.split("\n"))


async def test_under_ascii_items_have_as_much_room_no_frame_and_plain_quotes(tmp_path):
    rooms = []
    for ascii_only in (False, True):
        async with sitting(
            tmp_path,
            size=NARROW,
            settings=Settings(ascii=ascii_only),
        ) as at:
            rooms.append(at.screen.pane.content_size)
            if not ascii_only:
                await at.press("2")
            assert ascii_only == ("“" not in at.text)
            assert ascii_only == ('"helps cells survive"' in at.text)
            await at.press("H")
            await at.until(lambda: "What ada did" in at.text)
            assert ascii_only == ("TP -> FN" in at.text)
    assert rooms[0] == rooms[1]


@pytest.mark.slow
async def test_the_ascii_marks_leave_no_ambiguous_character(tmp_path):
    async with sitting(
        tmp_path,
        states(),
        at=EMPTIED,
        settings=Settings(ascii=True),
    ) as at:
        await at.press("F", "2")
        inside = "".join(char for char in at.text if char not in "─│╭╮╰╯")
        assert {char for char in inside if not char.isascii()} == set()


@pytest.mark.slow
async def test_under_ascii_every_screen_is_ascii(tmp_path):
    before, asked = "Tell me. " * 20, f"{ASKED} " * 5
    texts = {"b-1": f"{RESPONSE} " * 20, "b-2": f"{before} {RESPONSE}"}
    traces = [trace(id_, text, question_id="q") for id_, text in texts.items()]
    of = Rubric(
        name="BCL2",
        questions=[Question(id="q", question=asked, metric_traits=[matrix()])],
    )
    scene = of, traces, [[proposal()], [proposal()]]
    keys = "?|? tab|f|:|Q|b|b ?|s|s ?|S|S tab tab|V|V ?|K|H|D|1|enter|ctrl+p|O|/|c"
    async with sitting(
        tmp_path,
        scene,
        size=NARROW,
        settings=Settings(ascii=True),
    ) as at:
        for pressed in keys.split("|"):
            text = await at.shows(*pressed.split())
            assert {char for char in text if not char.isascii()} == set(), (
                pressed,
                text,
            )
            await at.press("escape", "escape")


# -- the session --------------------------------------------------------------------------------------


async def test_ctrl_c_says_how_to_quit_and_copies_a_selection(tmp_path):
    async with sitting(tmp_path) as at:
        await at.press("ctrl+c")
        assert at.said == "q exports the audit and quits."
        await at.press("v", "w", "ctrl+c")
        assert at.app.clipboard == "BCL2 is"
        assert at.selected == "BCL2 is"


async def test_quitting_writes_the_audit(tmp_path):
    async with sitting(tmp_path, at=2) as at:
        await at.press("2", "q")
        await at.until(lambda: at.app._exit)
        assert at.app.return_code in (0, None)
    assert "helps cells survive" in place(tmp_path).audit.read_text()


async def test_what_comes_after_a_signal_does_not_change_how_the_program_ends(tmp_path):
    async with sitting(tmp_path) as at:
        signal.raise_signal(signal.SIGHUP)
        await at.until(lambda: at.app._exit)
        at.app.exit(return_code=1)
        assert at.app.exit_code == 128 + signal.SIGHUP


async def test_a_write_that_fails_stays_on_screen_and_quitting_asks(tmp_path):
    async with sitting(tmp_path, at=2) as at:
        place(tmp_path).audit.mkdir()
        await at.press("2", "ctrl+s")
        await at.until(lambda: bool(at.said))
        assert "Exported" not in at.said
        reason = at.said
        assert await at.says("j") == reason
        await at.press("q")
        await at.until(lambda: "Quit anyway?" in at.text)
        await at.press("n")
        assert not at.app._exit
        assert at.named("pane")
        await at.press("q")
        await at.until(lambda: "Quit anyway?" in at.text)
        await at.press("y")
        assert at.app._exit


@pytest.mark.slow
async def test_a_session_that_only_reads_refuses_edits_with_a_sentence(tmp_path):
    async with sitting(tmp_path, three()) as at:
        await at.press("F")
    with Workspace(place(tmp_path).workspace):
        async with sitting(
            tmp_path,
            readonly=True,
            notes=["t1 is being reviewed by process 1."],
        ) as at:
            assert "read only" in at.line("header")
            assert at.said == "t1 is being reviewed by process 1."
            before = at.facts
            for key in ("2", "d", "a", "F", "u", "J"):
                await at.press(key)
                assert "only reads" in at.said, key
            await at.press("c")
            if at.app.focused.id != "items":
                await at.type("hm")
                await at.press("enter")
            assert "only reads" in at.said
            await at.press("ctrl+s")
            await at.pilot.pause()
            assert "Exported" not in at.said
            assert at.facts == before
            await at.press("full_stop", "j", "question_mark", "escape", "q")
            await at.until(lambda: at.app._exit)


async def test_a_disk_that_refuses_is_said_until_it_is_dealt_with(at):
    at.bench.workspace.db.execute("PRAGMA query_only = 1")
    assert (await at.says("2")).startswith("NOT SAVED")
    assert at.marks["tp"] == [1, 2, 3]
    assert (await at.says("j")).startswith("NOT SAVED")
    assert "NOT SAVED" in at.line("header")
    at.bench.workspace.db.execute("PRAGMA query_only = 0")
    await at.press("2", "j")
    assert at.state == "corrected"
    assert not at.said
    assert "✓ saved" in at.line("header")


@pytest.mark.slow
@both_sizes
async def test_a_cell_one_comes_to_is_drawn_as_one_that_was_opened(tmp_path, size):
    opened = {}
    for number in range(1, 7):
        async with sitting(tmp_path, uneven(), size=size, at=number) as at:
            await at.pilot.pause()
            opened[number] = drawn(at)
    async with sitting(tmp_path, size=size, at=1) as at:
        for key in "jjjjG>><>>>><<<>>><<>><<<>>><<":
            await at.press(
                {">": "greater_than_sign", "<": "less_than_sign"}.get(key, key),
            )
            if key not in "jG":
                await at.until(lambda: drawn(at) == opened[at.no])
