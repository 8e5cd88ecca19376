"""The dashboard: what it tells, that it opens at once and moves nothing, and where Enter leads."""

import re
from contextlib import asynccontextmanager

import pytest
from review_stage import NARROW, WIDE, Sitting, bcl2, sitting, states

from all_kinds import NAMES, bench_of_all_kinds
from appellate.app.dashboard import DashboardScreen
from appellate.core.commands import Correct
from appellate.core.kind import Measure
from appellate.query.language import Vocabulary, parse
from appellate.review_session import ReviewSession
from appellate.traits.metric.edits import Edit
from appellate.ui.marks import ASCII, PLAIN, UNICODE
from cells import matrix, proposal, rubric, trace

SMALL = (60, 20)
HOSTILE = "[/x] [@click=bell]q[/] \x1b[2J \u202e"
MOVE = Correct(Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"}))
DROP = Correct(Edit.from_row({"action": "drop", "bucket": "tp"}))


class Slow(DashboardScreen):
    """A dashboard whose counts wait until they are handed on."""

    def post_message(self, message):
        if isinstance(message, self.Counted):
            self.held.append(message)
            return True
        return super().post_message(message)

    @property
    def held(self):
        return self.__dict__.setdefault("kept_back", [])


def scene(*named):
    """One pending cell for each trait."""
    return rubric(*(matrix(name=name) for name in named)), [trace("one")], []


@asynccontextmanager
async def reading(
    folder, of=None, *, size=WIDE, marks=UNICODE, before=lambda _: None, cell=None, **how
):
    """The dashboard over the screen of an audit; yields who reads and what closing it gave."""
    async with sitting(folder, of or states(), size=size, at=cell, **how) as at:
        sat = ReviewSession(at.bench)
        before(at)
        answers = []
        await at.app.push_screen(DashboardScreen(at.bench, sat, marks), answers.append)
        await at.until(lambda: "being counted" not in everything(at))
        yield at, answers


def everything(at: Sitting):
    """Every line of the dashboard, in sight or not."""
    lines = at.app.screen.query_one("Lines")
    told = []
    for section in lines.sections:
        told.append(whole(section.header))
        told += [whole(section.rows.row(index)) for index in range(len(section.rows))]
    return "\n".join(told)


def whole(row):
    return "".join(piece.text for piece in (*row.left, (row.text and row)) if piece) + " ".join(
        piece.text for piece in row.right
    )


async def go(at, words):
    """Moves the cursor down to the line that has these words."""
    lines = at.app.screen.query_one("Lines")
    rows = [
        section.rows.row(index) for section in lines.sections for index in range(len(section.rows))
    ]
    lines.action_move(next(place for place, row in enumerate(rows) if words in whole(row)))
    await at.pilot.pause()


async def test_it_tells_states_session_and_every_trait(tmp_path):
    async with reading(tmp_path, bcl2(), before=lambda at: at.bench.do(1, DROP)) as (at, _):
        told = everything(at)
        assert "0 of 2 cells signed off  0 %" in told
        assert "corrected  edited, not signed off" in told
        assert "1 correction (1 drop TP)." in told
        assert "2 cells left." in told
        assert "There is no pace yet" in told
        assert "No cell is signed off: there are no audited numbers yet" in told
        assert numbers(told, "standing", "recall") == ["1", *[".50", ".75", "−.25"] * 2, "0"]


async def test_signed_cells_have_numbers_apart_with_the_judge_on_the_same_cells(tmp_path):
    def sign_both_and_edit_one(at):
        for number in (1, 2):
            at.bench.do(number, MOVE)
            at.bench.sign_off(number)
        at.bench.do(2, MOVE)

    twice = rubric(matrix()), [trace("a"), trace("b")], [[proposal()], [proposal()]]
    async with reading(tmp_path, twice, before=sign_both_and_edit_one) as (at, _):
        told = everything(at)
        assert "no audited numbers" not in told
        assert told.index("signed off    n ") < told.index("standing      n ")
        assert numbers(told, "signed off", "recall") == ["1", *[".50", ".75", "−.25"] * 2, "0"]
        assert numbers(told, "standing", "recall") == ["2", *[".38", ".75", "−.38"] * 2, "0"]


async def test_a_signed_cell_filled_by_hand_has_no_judge_beside_it(tmp_path):
    def by_hand(at):
        at.bench.do(
            1,
            Correct(Edit.from_row({"action": "add", "bucket": "fn", "of": "tp", "instruction": 1})),
        )
        at.bench.sign_off(1)

    async with reading(tmp_path, scene("Fresh"), before=by_hand) as (at, _):
        assert numbers(everything(at), "signed off", "recall") == [
            "1",
            "(0)",
            ".00",
            "-",
            ".00",
            "-",
            "0",
        ]


def numbers(told, block, metric):
    """What stands in the line of a metric, in the block of the signed cells or of all."""
    lines = told[told.index(f"{block:14}n ") :].split("\n")
    return next(line.split() for line in lines if line.startswith(metric))[1:]


async def test_the_pace_and_the_sign_offs_over_time_are_told_from_the_third_on(tmp_path):
    def sign_three(at):
        for number in (1, 4, 5):
            at.bench.sign_off(number)

    async with reading(tmp_path, states(), before=sign_three) as (at, _):
        told = everything(at)
        assert "for a cell, pauses left out; 3 cells left, about 1 min" in told
        assert "sign-offs in each 10 min  █" in told
        assert "3 cells signed off (0 s each)." in told


async def test_the_instructions_overruled_most_stand_first(tmp_path):
    async with reading(tmp_path, bcl2(), before=lambda at: at.bench.do(1, DROP)) as (at, _):
        told = everything(at).split("\n")
        first = told[
            told.index(next(line for line in told if line.startswith("     instruction"))) + 1
        ]
        assert first.split() == ["TP", "Mentions", "BCL2", "gene", "0", "1", "1", "████████"]


async def test_a_trait_of_which_nothing_is_judged_says_what_to_do(tmp_path):
    async with reading(tmp_path, scene("Fresh")) as (at, _):
        assert "No cell has labels yet: J has one judged" in everything(at)
        assert "No instruction has been judged yet." in everything(at)


async def test_a_histogram_arrives_without_moving_what_is_read(tmp_path):
    async with sitting(tmp_path, states(), size=NARROW) as at:
        screen = Slow(at.bench, ReviewSession(at.bench), UNICODE)
        await at.app.push_screen(screen)
        await go(at, "f1  ")
        await at.until(lambda: bool(screen.held))
        before, offset = at.app.screen.query_one("Lines").cursor, screen.lines.scroll_offset
        assert "f1 over the cells, as labels stand, being counted" in everything(at)
        assert "█" not in drawn_histogram(at)
        DashboardScreen.post_message(screen, screen.held[0])
        await at.until(lambda: "being counted" not in everything(at))
        assert (screen.lines.cursor, screen.lines.scroll_offset) == (before, offset)
        assert "█" in drawn_histogram(at)


def drawn_histogram(at):
    told = everything(at)
    return told[told.index("over the cells") : told.index("Instructions of")]


@pytest.mark.parametrize(
    ("line", "query"), [("failed ", "state:failed"), ("f1  ", "trait:Accuracy")]
)
async def test_enter_on_a_line_leads_to_its_cells(tmp_path, line, query):
    async with reading(tmp_path, states(), size=NARROW) as (at, answers):
        await at.press("enter")
        assert "This line stands for no cells of its own." in at.text
        await go(at, line)
        assert f"Enter shows {query} in the queue" in at.text
        await at.press("enter")
        assert answers == [query]
        assert (
            str(parse(query, Vocabulary(traits=("Accuracy",), measures=(Measure("f1", "F1"),))))
            == query
        )


async def test_traits_of_every_kind_have_their_own_scale_and_their_own_answers(tmp_path):
    with bench_of_all_kinds(tmp_path) as bench:
        told = ReviewSession(bench).summary()
    async with reading(tmp_path, cell=NAMES.index("Accuracy") + 1) as (at, _):
        text = everything(at)
        for name in NAMES:
            assert f"Instructions of {name}" in text
        assert "score (1–5)" in text
        assert "score (1–10, lower is better)" in text
        assert "How clear is it?" in text
        of_scores = text[text.index("Instructions of Clarity") : text.index("Hedging")]
        assert re.search(r"instruction.*4 +5 +overruled", of_scores)
        spread = text[text.index("score over the cells") :]
        assert re.search(r"1 +2 +3 +4 +5", spread)
    edits = "8 corrections (3 verdict, 2 overruled, 1 TP → FN, 1 count, 1 support)"
    assert told == [
        f"This session, 0 s: 9 cells signed off (2 s each), {edits}.",
        "9 cells left, about 1 min.",
    ]


async def test_it_closes_as_it_came(tmp_path):
    async with reading(tmp_path) as (at, answers):
        for key in ("escape", "S", "q"):
            await at.press(key)
            await at.until(lambda: bool(answers))
            assert answers.pop() is None
            assert at.app.screen is at.screen
            await at.app.push_screen(
                DashboardScreen(at.bench, ReviewSession(at.bench), UNICODE), answers.append
            )


async def test_what_happens_meanwhile_is_taken_in_until_it_is_closed(tmp_path):
    async with reading(tmp_path, bcl2()) as (at, _):
        assert "0 of 2 cells signed off" in everything(at)
        at.bench.sign_off(1)
        at.bench.sign_off(2)
        await at.until(lambda: "2 of 2 cells signed off  100 %" in everything(at))
        listeners = len(at.bench.listeners)
        await at.press("escape")
        await at.until(lambda: len(at.bench.listeners) == listeners - 1)


async def test_what_another_process_does_is_taken_in_where_one_only_reads(tmp_path):
    async with sitting(tmp_path, bcl2()) as writing, reading(tmp_path, readonly=True) as (at, _):
        writing.bench.sign_off(1)
        await at.until(lambda: "1 of 2 cells signed off  50 %" in everything(at))


@pytest.mark.parametrize("marks", [ASCII, PLAIN])
async def test_it_is_told_in_ascii_too(tmp_path, marks):
    async with reading(tmp_path, states(), size=SMALL, marks=marks) as (at, _):
        told = everything(at).replace("→", "->").replace("…", "~")
        assert told.isascii(), [line for line in told.split("\n") if not line.isascii()]
        assert ("#" in told) == marks.bars


async def test_a_small_screen_cuts_no_sentence_and_a_hostile_name_does_nothing(tmp_path):
    async with reading(tmp_path, scene(HOSTILE), size=SMALL) as (at, answers):
        for place in ("home", "pagedown", "end"):
            await at.press(place)
            assert "\x1b" not in at.text
            assert "\u202e" not in at.text
        assert "J has one judged" in everything(at)
        assert "This session" in everything(at)
        await at.press("escape")
        assert answers == [None]


async def test_of_very_many_traits_the_first_are_told(tmp_path):
    async with reading(tmp_path, scene(*(f"T{number}" for number in range(23)))) as (at, _):
        assert "and 3 traits more" in everything(at)
