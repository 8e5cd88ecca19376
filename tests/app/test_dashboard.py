"""The numbers: what each page tells and rests on, that they open at once, where a figure leads and
back.
"""

import re
from contextlib import asynccontextmanager

import pytest
from review_stage import NARROW, WIDE, Sitting, bcl2, sitting, states

from all_kinds import NAMES, bench_of_all_kinds
from appellate.app.numbers.known import (
    PAGES,
    Found,
    Groupable,
    KnownNumbers,
    NumbersPlace,
)
from appellate.app.numbers.screen import DashboardScreen
from appellate.app.reading.screen import ReadingScreen
from appellate.core.deciding import Correct
from appellate.core.figures import FigureTable
from appellate.query.language import parse
from appellate.session.review_session import ReviewSession
from appellate.store.queue import look_up, vocabulary
from appellate.traits.metric.edits import Edit
from appellate.ui.lines import Lines
from appellate.ui.marks import ASCII, PLAIN, UNICODE
from cells import matrix, other_proposal, panel, proposal, rubric, trace

SMALL = (60, 20)
HOSTILE = "[/x] [@click=bell]q[/] \x1b[2J \u202e"
MOVE = Correct(
    Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"}),
)
TWENTY = [f"t{number}" for number in range(4)]
"""Four traces of six instructions each: enough to compare."""


class Slow(DashboardScreen):
    """Numbers whose counts wait until they are handed on."""

    def post_message(self, message):
        if isinstance(message, Found) and not isinstance(message, Groupable):
            self.held.append(message)
            return True
        return super().post_message(message)

    @property
    def held(self):
        return self.__dict__.setdefault("kept_back", [])


def scene(*named):
    """One pending cell for each trait."""
    return rubric(*(matrix(name=name) for name in named)), [trace("one")], []


def judged(names=TWENTY, **more):
    """Traces that a judge judged alike under one trait."""
    traces = [
        trace(name, **{key: of(at) for key, of in more.items()})
        for at, name in enumerate(names)
    ]
    return rubric(), traces, [[proposal()] for _ in names]


def signed(at, edited=1):
    """All cells are signed off, the first few after an excerpt the judge found was called missing."""
    for number in range(1, at.bench.workspace.cells.count() + 1):
        if number <= edited:
            at.bench.do(number, MOVE)
        at.bench.sign_off(number)


@asynccontextmanager
async def reading(
    folder,
    of=None,
    *,
    page="judge",
    size=WIDE,
    marks=UNICODE,
    before=lambda _: None,
    cell=None,
    words="",
    **how,
):
    """A page of the numbers over the screen of an audit; yields who reads and what closing gave."""
    async with sitting(folder, of or states(), size=size, at=cell, **how) as at:
        sat = ReviewSession(at.bench)
        before(at)
        answers = []
        place = NumbersPlace(page, words)
        screen = DashboardScreen(at.bench, sat, marks, place, KnownNumbers(at.bench))
        await at.app.push_screen(screen, answers.append)
        await at.until(lambda: "counted" not in everything(at) + at.words("#title"))
        yield at, answers


def lines_of(at: Sitting):
    return at.app.screen.query_one("FigureList")


def everything(at: Sitting):
    """Every line of the page, in sight or not."""
    told = []
    for section in lines_of(at).sections:
        told.append(whole(section.header))
        told += [whole(section.rows[index]) for index in range(len(section.rows))]
    return "\n".join(told)


def whole(row):
    pieces = (*row.left, (row.text and row)) if row.text else row.left
    return "".join(piece.text for piece in pieces if piece) + " ".join(
        piece.text for piece in row.right
    )


def tables(at: Sitting):
    return [block for block in lines_of(at).blocks if isinstance(block, FigureTable)]


def place_of(at: Sitting, key):
    """The number of the first table whose key begins so; -1 where there is none."""
    found = [
        number for number, table in enumerate(tables(at)) if table.key.startswith(key)
    ]
    return found[0] if found else -1


def figures(at: Sitting, row, table=0):
    """The figures of the first row that begins so, by the titles of their columns."""
    of = tables(at)[table]
    found = next(one for one in of.rows if one.name.startswith(row))
    titles = [column.title for column in of.columns]
    return dict(zip(titles, (one.text for one in found.figures), strict=True))


async def go(at, row, title="", table=0):
    """Moves the cursor to a figure of the row that begins so, or to its name."""
    of = tables(at)[table]
    lines = lines_of(at)
    section = list(lines.blocks).index(of)
    place = next(at for at, one in enumerate(of.rows) if one.name.startswith(row))
    titles = ["", *(column.title for column in of.columns)]
    lines.column = titles.index(title)
    lines.go(section)
    lines.visit(section, place + bool(of.named))
    await at.press(*(("left", "right") if title else ("right", "left")))


# -- the judge -----------------------------------------------------------------------------------


async def test_an_audit_of_which_nothing_is_judged_says_what_to_do(tmp_path):
    async with reading(tmp_path, scene("Fresh")) as (at, _):
        assert len(tables(at)) == 1
        assert "J has one cell judged" in everything(at)
        await at.press("g")
        await at.until(lambda: "these differ in none" in at.text)
        assert len(tables(at)) == 1
        assert "J has one judged" in everything(at)


# -- figures -------------------------------------------------------------------------------------


async def test_errors_of_means_stand_beside_totals_once_they_are_counted(tmp_path):
    async with reading(tmp_path, judged(["a", "b"]), page="figures", before=signed) as (
        at,
        _,
    ):
        told = figures(at, "Accuracy · recall", 1)
        assert [told[name] for name in ("macro", "stderr", "std")] == [
            "0.625",
            "0.125",
            "0.177",
        ]
        await go(at, "Accuracy · recall", "stderr", 1)
        assert "2 clusters" in at.words("#told")


# -- matrices, spread, groups, session -------------------------------------------------------------


async def test_a_matrix_has_the_judge_in_rows_and_the_person_in_columns(tmp_path):
    async with reading(tmp_path, judged(), page="judge", before=signed) as (
        at,
        answers,
    ):
        table = place_of(at, "matrix")
        assert figures(at, "found", table) == {
            "found": "15",
            "missing": "1",
            "in all": "16",
        }
        assert figures(at, "in all", table) == {
            "found": "15",
            "missing": "9",
            "in all": "24",
        }
        await go(at, "found", "missing", table)
        assert "The judge says found, the person missing: 1 of 24 answers." in at.words(
            "#told",
        )
        await at.press("enter")
        query = (
            "trait:Accuracy state:reviewed judged:found,present answer:missing,absent"
        )
        assert answers == [query]
        assert found_by(at, query) == [1]


async def test_members_of_a_panel_stand_against_each_other_and_the_person(tmp_path):
    traces = [trace(name) for name in TWENTY]
    of = (rubric(), traces, [[panel()] for _ in TWENTY])
    async with reading(tmp_path, of, page="judge", before=signed) as (at, _):
        await at.until(lambda: tables(at)[-1].heading == "Accuracy: panel")
        table = len(tables(at)) - 1
        first, second = (one.name for one in tables(at)[table].rows)
        assert figures(at, first, table)["n"] == "24"
        assert figures(at, first, table)[first] == "–"
        assert figures(at, first, table)[second] == figures(at, second, table)[first]
        assert "A panel of 2 judged" in everything(at)


async def test_judges_of_rounds_stand_beside_each_other_and_one_alone_says_how_to_ask_another(
    tmp_path,
):
    def two_rounds(at):
        signed(at)
        for number in range(1, 5):
            at.bench.receive(number, other_proposal(round=2, cost=0.01, latency=1.5))

    async with reading(
        tmp_path / "two",
        judged(),
        page="judges",
        before=two_rounds,
    ) as (at, _):
        await at.until(lambda: place_of(at, "judges") == 0)
        assert [row.name for row in tables(at)[0].rows] == ["gpt", "other"]
        assert figures(at, "other") | {
            "gained": "–",
            "lost": "–",
            "cost": "0.01",
            "s": "1.5",
        } == (figures(at, "other"))
        assert "Shares are shown from 20 traces on, and 4 are compared." in everything(
            at,
        )
        await go(at, "gpt", "gained")
        assert "right here, where the current judge is wrong" in at.words("#told")

    def signed_and_frozen(at):
        signed(at)
        head = f'format = "appellate-gold/1"\nsource = "{at.bench.audit.name}"\n'
        (tmp_path / "one" / "x.gold.toml").write_text(head, "utf-8")

    async with reading(
        tmp_path / "one",
        judged(),
        page="judges",
        before=signed_and_frozen,
    ) as (at, _):
        await at.until(lambda: place_of(at, "judges") == 0)
        assert "Frozen as gold: x.gold.toml." in everything(at)
        assert "gpt is the only judge" in everything(at)
        assert "--again --model NEW asks another" in everything(at)
        assert "In the review J asks" in everything(at)


def found_by(at, query):
    path = at.bench.workspace.path
    return list(look_up(path, parse(query, vocabulary(path))).numbers)


async def test_the_spread_has_a_bar_for_each_part_beside_the_judges(tmp_path):
    async with reading(tmp_path, judged(), page="figures", before=signed) as (at, _):
        table = place_of(at, "spread")
        counts = [one.figures[0].text for one in tables(at)[table].rows]
        judges = [one.figures[2].text for one in tables(at)[table].rows]
        assert (counts[6], counts[7]) == ("0", "3")
        assert (judges[6], judges[7]) == ("0", "4")
        await go(at, "0.7", "cells", table)
        assert "3 cells of 4: f1 of the labels now, 0.7 to 0.8." in at.words("#told")


async def test_traces_are_grouped_by_what_they_differ_in_and_g_has_one_choose(tmp_path):
    of = judged(
        TWENTY,
        model=lambda at: ("large", "small")[at % 2],
        metadata=lambda at: {"site": "berlin" if at else "rome"},
    )
    async with reading(tmp_path, of, page="figures", before=signed) as (at, answers):
        await at.until(lambda: place_of(at, "beside") > 0)
        beside, table = place_of(at, "beside"), place_of(at, "groups")
        names = [
            row.name for row in tables(at)[beside].rows if row.name.startswith("recall")
        ]
        assert names == ["recall · large", "recall · small"]
        assert figures(at, "large", table)["differ"] == "1"
        await at.press("g")
        await at.until(lambda: "Group traces by what?" in at.text)
        await at.press(*"site", "enter")
        await at.until(lambda: "rome" in everything(at))
        assert lines_of(at).table is tables(at)[table]
        assert figures(at, "berlin", table)["traces"] == "3"
        await go(at, "rome", "differ", table)
        await at.press("enter")
        assert found_by(at, answers[0]) == [1]


async def test_the_pace_and_the_sign_offs_over_time_are_told_from_the_third_on(
    tmp_path,
):
    def sign_three(at):
        for number in (1, 4, 5):
            at.bench.sign_off(number)

    async with reading(tmp_path, states(), page="session", before=sign_three) as (
        at,
        answers,
    ):
        told = everything(at)
        assert "for a cell, pauses left out; 3 cells left, about 1 min" in told
        assert "sign-offs in each 10 min  █" in told
        assert "3 cells signed off (0 s each)." in told
        await at.press("enter")
        assert "There are no cells of its own behind this." in at.text
        await at.press("down", "down", "down", "down", "enter")
        assert answers == ["state:failed"]


# -- every kind ----------------------------------------------------------------------------------


@pytest.mark.slow
async def test_every_figure_of_every_kind_finds_the_cells_behind_it(tmp_path):
    with bench_of_all_kinds(tmp_path) as bench:
        told = ReviewSession(bench).summary()
    assert re.fullmatch(
        r"This session, 0 s: \d+ cells signed off \(2 s each\), \d+ corrections \(6 verdict, .*\)\.",
        told[0],
    )
    assert re.fullmatch(r"\d+ cells left, about 1 min\.", told[1])
    queries = set()
    async with reading(tmp_path, cell=NAMES.index("Accuracy") + 1) as (at, _):
        for _ in PAGES:
            await at.until(lambda: "counted" not in everything(at))
            for table in tables(at):
                for row in table.rows:
                    queries.update(one.query for one in (row, *row.figures))
            await at.press("tab")
        assert "How clear is it?" in everything(at)
        for query in filter(None, queries):
            assert found_by(at, query), query
        assert len(queries) > 50


# -- going and coming back -------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_figure_leads_to_its_cells_and_escape_back_to_the_same_place(tmp_path):
    async with sitting(tmp_path, judged(), size=NARROW) as at:
        signed(at)
        await at.press("S")
        await at.until(lambda: "being counted" not in at.text)
        await at.press("]", "]", *["right"] * 2)
        await at.until(lambda: "The judge says found, the person missing" in at.text)
        await at.press("enter")
        await at.until(lambda: "1 of 4" in at.said)
        assert at.no == 1
        for back in ("escape", "S"):
            await at.press(back)
            await at.until(lambda: isinstance(at.app.screen, DashboardScreen))
            await at.until(
                lambda: "The judge says found, the person missing" in at.text,
            )
            await at.press("enter")
            await at.until(lambda: not isinstance(at.app.screen, DashboardScreen))
        await at.press("S", "escape")
        await at.until(lambda: not isinstance(at.app.screen, DashboardScreen))
        await at.press("escape")
        assert not isinstance(at.app.screen, DashboardScreen)


@pytest.mark.slow
async def test_an_instruction_is_gone_by_and_its_list_leads_back(tmp_path):
    async with sitting(tmp_path, judged()) as at:
        signed(at)
        await at.press("S")
        await at.until(lambda: "being counted" not in at.text)
        await at.press("b")
        assert "no instruction to go by" in at.text
        await at.press("down", "down", "b")
        await at.until(lambda: "BY INSTRUCTION" in at.text)
        await at.press("escape")
        await at.until(lambda: isinstance(at.app.screen, DashboardScreen))
        await at.press("enter")
        await at.until(lambda: "BY INSTRUCTION" in at.text)
        assert sum(
            len(one.rows) for one in at.app.screen.comparison.rows().sections
        ) == len(TWENTY)


async def test_rows_are_sorted_by_the_figure_and_again_the_other_way_and_then_as_they_were(
    tmp_path,
):
    async with reading(tmp_path, judged(), before=lambda at: signed(at, 3)) as (at, _):
        usual = [one.name for one in tables(at)[1].rows]
        await go(at, "Mentions", table=1)
        await at.press("o")
        assert [one.name for one in tables(at)[1].rows] == sorted(
            usual,
            key=str.casefold,
        )
        assert "Instructions, by name" in everything(at)
        await at.press("o")
        assert [one.name for one in tables(at)[1].rows] == sorted(
            usual,
            key=str.casefold,
        )[::-1]
        await at.press("o")
        assert [one.name for one in tables(at)[1].rows] == usual
        await at.press("right", "o", "o")
        assert [one.figures[0].text for one in tables(at)[1].rows][-1] == "3"


# -- when it is counted ----------------------------------------------------------------------------


async def test_it_stands_before_it_is_counted_and_counts_move_nothing(tmp_path):
    async with sitting(tmp_path, judged(), size=NARROW) as at:
        signed(at)
        numbers = NumbersPlace(), KnownNumbers(at.bench)
        screen = Slow(at.bench, ReviewSession(at.bench), UNICODE, *numbers)
        await at.app.push_screen(screen)
        await at.until(lambda: len(screen.held) == 2)
        assert "1 trait being counted" in at.text
        assert figures(at, "Accuracy")["n"] == "…"
        assert figures(at, "Mentions", 1)["overruled"] == "1"
        await at.press("end")
        before = lines_of(at).cursor
        for one in screen.held:
            DashboardScreen.post_message(screen, one)
        await at.until(lambda: "being counted" not in at.text)
        assert screen.lines.cursor == before
        assert figures(at, "Accuracy")["n"] == "24"


@pytest.mark.slow
async def test_what_happens_meanwhile_is_taken_in_until_it_is_closed(tmp_path):
    async with reading(tmp_path, bcl2()) as (at, _):
        assert "0 of 2 signed off" in at.text
        at.bench.sign_off(1)
        at.bench.sign_off(2)
        await at.until(lambda: "2 of 2 signed off" in at.text)
        listeners = len(at.bench.listeners)
        await at.press("escape")
        await at.until(lambda: len(at.bench.listeners) == listeners - 1)


async def test_what_was_done_since_is_counted_as_one_comes_back(tmp_path):
    async with sitting(tmp_path, judged()) as at:
        await at.press("S")
        await at.until(lambda: "being counted" not in at.text)
        assert "No verdict yet" in everything(at)
        await at.press("escape")
        signed(at)
        await at.press("S")
        await at.until(lambda: figures(at, "Accuracy")["n"] == "24")


@pytest.mark.slow
async def test_what_another_process_does_is_taken_in_where_one_only_reads(tmp_path):
    async with (
        sitting(tmp_path, bcl2()) as writing,
        reading(tmp_path, readonly=True) as (at, _),
    ):
        writing.bench.sign_off(1)
        await at.until(lambda: "1 of 2 signed off" in at.text)


# -- anywhere ------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_it_closes_as_it_came(tmp_path):
    async with reading(tmp_path) as (at, answers):
        for key in ("escape", "S", "q"):
            await at.press(key)
            await at.until(lambda: bool(answers))
            assert answers.pop() is None
            assert at.app.screen is at.screen
            numbers = NumbersPlace(), KnownNumbers(at.bench)
            screen = DashboardScreen(
                at.bench,
                ReviewSession(at.bench),
                UNICODE,
                *numbers,
            )
            await at.app.push_screen(screen, answers.append)


async def test_brackets_go_from_block_to_block_and_typing_narrows_their_rows(tmp_path):
    async with reading(tmp_path, judged(), before=signed) as (at, _):
        lines, seen = lines_of(at), [lines_of(at).cursor.section]
        for _ in tables(at)[1:]:
            await at.press("]")
            seen.append(lines.cursor.section)
            assert lines.at(lines.cursor) is lines.table.rows[0]
        # the sentences above are passed over
        assert seen == list(range(1, 1 + len(tables(at))))
        await at.press("down", "[")
        assert lines.cursor.section == seen[-1]
        assert lines.at(lines.cursor) is lines.table.rows[0]
        await at.press("9", "[")
        assert lines.cursor == (1, 0)

        await at.press("slash")
        await at.type("chromosome 1")
        assert [one.name for one in tables(at)[0].rows] == [
            "States BCL2 is on chromosome 18",
            "States BCL2 is on chromosome 1",
        ]
        await at.press("enter", "down")
        assert at.named("narrowed") is False
        assert "Rows with" in at.text
        await at.press("slash")
        await at.type("nothing has this")
        assert "No row has nothing has this: Esc shows all." in everything(at)
        await at.press("escape")
        assert len(tables(at)[1].rows) == 6
        assert "Rows with" not in at.text


@pytest.mark.slow
async def test_help_has_the_keys_of_the_page_and_its_titles_first_and_all_behind_tab(
    tmp_path,
):
    async with reading(tmp_path, judged(), before=signed, size=NARROW) as (at, _):
        assert at.words("#keys").endswith("? help Esc leave")
        await at.press("?")
        listed = at.app.screen.query_one(Lines)
        assert "answers compared" in told_in(listed)
        assert "goes by the instruction" in told_in(listed)
        assert "groups traces by model" not in told_in(listed)
        await at.press("tab")
        assert "groups traces by model" in told_in(listed)
        await at.press(*"the page numbers", "enter")
        await at.until(lambda: isinstance(at.app.screen, ReadingScreen))


def told_in(lines):
    """The text of every row of a list."""
    return "\n".join(
        section.rows[index].text
        for section in lines.sections
        for index in range(len(section.rows))
    )


@pytest.mark.parametrize("marks", [ASCII, PLAIN])
async def test_it_is_told_in_ascii_too(tmp_path, marks):
    async with reading(tmp_path, judged(), size=SMALL, marks=marks, before=signed) as (
        at,
        _,
    ):
        for page in PAGES:
            told = everything(at)
            assert told.isascii(), [
                line for line in told.split("\n") if not line.isascii()
            ]
            assert at.words("#keys").isascii()
            assert at.words("#told").isascii()
            if page == "figures":
                assert ("#" in told) == marks.bars
            await at.press("tab")
            await at.until(lambda: "counted" not in everything(at))


async def test_a_small_screen_cuts_no_sentence_and_a_hostile_name_does_nothing(
    tmp_path,
):
    async with reading(tmp_path, scene(HOSTILE), size=SMALL) as (at, answers):
        for _ in PAGES:
            for place in ("home", "pagedown", "end"):
                await at.press(place)
                assert "\x1b" not in at.text
                assert "\u202e" not in at.text
            await at.press("tab")
        await at.press("escape")
        assert answers == [None]


async def test_a_click_turns_to_a_page_and_one_on_a_key_of_the_strip_presses_it(
    tmp_path,
):
    async with reading(tmp_path, judged(TWENTY[:2])) as (at, _):
        numbers = at.app.screen
        await at.click_key("page")
        await at.until(lambda: numbers.place.page == "worth")
        await at.press("shift+tab", "shift+tab")
        assert numbers.place.page == "session"
        await at.pilot.click("#pages", offset=(12, 0))
        assert numbers.place.page == "worth"
        await at.click_key("help")
        await at.until(lambda: at.app.screen is not numbers)
