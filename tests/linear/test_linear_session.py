"""A session line by line: what is printed, what a key does, and that it is what the screen does."""

import asyncio
import os
import re
import signal
import sqlite3
from contextlib import closing
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.review_stage import NOBODY, sitting, states
from appellate.core.cell import Cell, reason_of
from appellate.core.deciding import Draw
from appellate.core.design_facts import Looked
from appellate.core.facts import Adopted, Proposed, Reasoned
from appellate.core.kind import Grounds, Subject
from appellate.judging.choice import JudgeChoice, offline_judge
from appellate.linear import linear_session
from appellate.linear.cell_reading import _answer_and_grounds, tell_worth
from appellate.linear.console import (
    NARROWEST,
    Console,
    Printing,
    inert,
    sent_by,
    width_in_columns,
)
from appellate.linear.linear_session import OF_BENCH, LinearSession, lines_of
from appellate.numbers.samples import sample_at, sample_numbers
from appellate.numbers.sentences import NO_SAMPLE, difference_text, worth_text
from appellate.session.review_session import ReviewSession
from appellate.session.settings import Settings
from appellate.session.workbench import Workbench
from appellate.store.cells import SeenItems
from appellate.store.database import NotKept
from appellate.store.files import draft as drafts
from appellate.store.samples.sample_plans import SampleWish, plan
from appellate.traits.metric import KIND
from appellate.ui.contract import Choice
from appellate.ui.kind_lines import KindLines, Paragraph
from appellate.ui.marks import ASCII, UNICODE
from cells import (
    CANCER,
    EXPECTED,
    GENE,
    RESPONSE,
    SURVIVE,
    TRACE,
    matrix,
    other_proposal,
    proposal,
    rubric,
    rules,
    table,
    trace,
)
from linear.linear_stage import bench_of, facts, review_at, told
from sampled import sampled
from two_kinds import signed_off
from two_reviewers import BOTH_MISSED, MISSED, adjudicator

LEXICAL = JudgeChoice("lexical", offline_judge("lexical"))


@pytest.fixture
def bench(tmp_path):
    with bench_of(tmp_path, at=2) as bench:
        yield bench


def answers(printed: str) -> list[str]:
    """What was printed after each question."""
    return printed.split("> ")


def test_a_cell_is_printed_whole_before_its_items_are_asked_for_one_by_one(bench):
    opened, second, *_ = answers(told(bench, "", "q"))
    for words in ("0 signed off. ? lists the keys", "BCL2", "judge gpt", "Prompt:"):
        assert words in opened
    assert TRACE.response in opened
    assert "+TP 3, −FN 1, !FP 1, ~TN 1" in opened
    assert f"+TP found 1, instruction 1: {EXPECTED[0]}\n    “{GENE}”" in opened
    assert f"+TP found 2, instruction 2: {EXPECTED[1]}\n    “{SURVIVE}”" in second


def test_what_was_printed_is_seen_on_the_screen_too(bench):
    told(bench, "", "q")
    kept = SeenItems(bench.workspace, "ada")
    assert kept.of(2, bench.open(2)[1]) == {"1", "2"}


def test_one_key_is_a_verdict_told_with_the_numbers_it_moved(bench):
    said = answers(told(bench, "2", "q"))[1]
    assert "Moved TP → FN" in said
    assert "recall .50 −.25" in said
    assert "corrected, ± since the last key" in said
    assert f"instruction 2: {EXPECTED[1]}" in said


def test_a_verdict_that_cannot_be_saved_is_said_to_be_lost(bench, monkeypatch):
    def full(_act: object) -> None:
        raise NotKept("the disk is full")

    monkeypatch.setattr(bench, "keep", full)
    assert "NOT SAVED: the disk is full. Nothing was changed." in told(bench, "2", "q")


def test_the_greeting_names_the_persons_own_key_for_help(bench):
    assert "0 signed off. H lists the keys." in told(
        bench,
        "q",
        overrides={"help": "H"},
    )


def test_evidence_is_proposed_and_enter_takes_it(bench):
    printed = told(bench, "g", "4", "1", "", "q")
    assert "Evidence 1 of" in printed
    assert "Moved FN → TP" in printed
    (change,) = bench.workspace.cell(2)[1].corrections
    assert change.what.edit["start"] is not None


@pytest.mark.parametrize(
    ("typed", "start"),
    [
        ("is important in cancer", TRACE.response.find(CANCER)),
        ("“BCL2 is”", 0),
        ("2", None),
    ],
)
def test_evidence_is_typed_as_it_stands_or_by_the_number_of_a_sentence(
    bench,
    typed,
    start,
):
    told(bench, "g", "4", "1", "nowhere in it", "xy", "9-9", "l", typed, "q")
    (change,) = bench.workspace.cell(2)[1].corrections
    wanted = TRACE.response.find("It is located") if start is None else start
    assert change.what.edit["start"] == wanted


@pytest.mark.parametrize("number", ["9" * 5000, "1-" + "9" * 5000, "9" * 5000 + "-9"])
def test_a_number_of_thousands_of_digits_is_that_of_no_sentence(bench, number):
    printed = told(bench, "v", number, "0", "q")
    assert "There are sentences 1 to " in printed


def test_a_number_of_thousands_of_digits_is_that_of_no_item(bench):
    assert "There is no item “9999" in told(bench, "g", "9" * 5000, "q")


def test_a_response_without_words_has_no_sentences(tmp_path):
    with bench_of(tmp_path, (rubric(), [trace("a", response="")], [[]])) as bench:
        printed = told(bench, "v", "l", "1", "0", "q")
        assert printed.count("There are no sentences to choose from.") == 2


def test_what_is_left_by_the_end_of_the_input_changes_nothing(bench):
    told(bench, "g", "4", "1")
    assert not bench.workspace.cell(2)[1].corrections


@pytest.mark.slow
async def test_acts_come_to_the_same_facts_as_on_the_screen(tmp_path):
    here, there = tmp_path / "lines", tmp_path / "screen"
    here.mkdir()
    there.mkdir()
    with bench_of(here, at=2) as bench:
        told(bench, "2", "d", "u", "F", "3", "pro-apo", "r", "2", "a", "a", "q")
        by_lines = facts(bench, 2)
    async with sitting(there, at=2) as at:
        await at.press(
            "2",
            "d",
            "u",
            "F",
            "3",
            *"pro-apo",
            "enter",
            "r",
            "down",
            "down",
            "enter",
            *"aa",
        )
        assert facts(at.bench, 2) == by_lines
        assert len(by_lines) > 6


def test_a_cell_that_does_not_add_up_is_signed_off_after_a_second_a(bench):
    printed = told(bench, "i", "0", "a", "?", "a", "q")
    assert printed.count("Press a again to sign it off anyway.") == 2
    assert not bench.workspace.cell(2)[1].signed
    printed = told(bench, "a", "a", "q")
    assert "✓ bcl2-1 · Accuracy. Signed off: 1 of 2 cells." in printed
    assert "cell 2 of 2, trait 2 of 2 of this answer, " in printed
    assert bench.workspace.cell(2)[1].signed


def test_a_cell_without_labels_is_answered_by_hand(tmp_path):
    with bench_of(tmp_path, states(), at=2) as bench:
        printed = told(bench, "d", "2", "1", "", "q")
        assert "Not judged yet" in printed
        assert "There is no item here: k j go to other buckets." in printed
        assert "Added to FN" in printed
        labels = bench.workspace.cell(2)[1].labels
        assert [item.instruction for item in labels.fn] == [1]
        assert [item.instruction for item in labels.tp] == [2]


def test_why_the_judge_failed_is_told(tmp_path):
    with bench_of(tmp_path, states(), at=3) as bench:
        assert "or answer the instructions by hand. The reply leaves out" in told(
            bench,
            "q",
        )


def test_a_cell_that_is_judged_is_judged_again_after_a_yes_in_a_round_of_its_own(
    tmp_path,
):
    with bench_of(tmp_path, at=2) as bench:
        printed = told(bench, "J", "n", "J", "y", "q", choice=LEXICAL)
        assert "your corrections carry over where they still fit." in printed
        assert "Nothing was sent. J asks about one cell." in printed
        assert "The judge is running: Ctrl+C stops it." in printed
        assert bench.workspace.cell(2)[1].round == 2
        assert "No judge was named." in told(bench, "J", "q")


def test_a_yes_on_the_line_of_the_key_that_judges_again_is_not_lost(tmp_path):
    with bench_of(tmp_path, at=2) as bench:
        printed = told(bench, "J n", "q", choice=LEXICAL)
        assert "Nothing was sent. J asks about one cell." in printed
        printed = told(bench, "J y", "q", choice=LEXICAL)
        assert "The judge is running: Ctrl+C stops it." in printed
        assert bench.workspace.cell(2)[1].round == 2


def test_a_cell_that_came_without_labels_was_not_judged(tmp_path):
    with bench_of(tmp_path, states(), at=2) as bench:
        printed = told(
            bench,
            "J",
            "q",
            choice=JudgeChoice("recorded", offline_judge("recorded")),
        )
        assert "Judged 0 cells, 1 came without labels." in printed


def unjudged(count):
    """A scene of so many cells that a judge has yet to see."""
    return rubric(), [trace(str(number)) for number in range(count)], [[]] * count


def test_ctrl_c_stops_the_judge_and_the_review_goes_on_with_its_result_and_the_cell(
    tmp_path,
):
    with bench_of(tmp_path, unjudged(40)) as bench:
        bench.listeners.append(lambda _: os.kill(os.getpid(), signal.SIGINT))
        printed = told(bench, "q", choice=LEXICAL)
        judged = bench.workspace.totals()["state:proposed"]
        assert 0 < judged < 40
        assert f"Judged {judged} cell" in printed
        assert "Cell: 0 · Accuracy" in printed
        assert "item 1/" in printed
        assert "Ctrl+C again does, too" not in printed


def test_a_disk_that_refuses_after_ctrl_c_is_told_and_the_review_goes_on(tmp_path):
    with (
        bench_of(tmp_path, unjudged(40)) as bench,
        closing(sqlite3.connect(bench.workspace.path, isolation_level=None)) as other,
    ):

        def interrupt_and_refuse(_):
            bench.listeners.clear()
            os.kill(os.getpid(), signal.SIGINT)
            bench.workspace.db.execute("PRAGMA busy_timeout = 0")
            other.execute("BEGIN IMMEDIATE")

        bench.listeners.append(interrupt_and_refuse)
        printed = told(bench, "q", choice=LEXICAL)
        other.execute("ROLLBACK")
        assert "The judge was stopped: the workspace is busy" in printed
        assert "item 1/" in printed
        assert "Ctrl+C again does, too" not in printed


def test_where_one_stood_is_where_one_goes_on(bench):
    told(bench, "j", "j", "q")
    assert f"instruction 3: {EXPECTED[2]}" in told(bench, "q")


def test_undo_goes_to_the_cell_it_was_about(bench):
    printed = told(bench, "2", ",", "u", "j", "u", "u", "q")
    assert printed.count("Press u again to undo: moved TP → FN") == 2, "j came between"
    assert printed.count("Undone: moved TP → FN") == 1
    assert bench.position().cell == 2


def test_several_marked_items_are_one_act(bench):
    printed = told(bench, "x", "j", "x", "j", "x", "2", "u", "q")
    assert "3 marked." in printed
    assert "3 moved: u undoes them together." in printed
    assert "and 2 more of the same act" in printed
    assert len(bench.workspace.cell(2)[1].labels.tp) == 3


def test_words_are_taken_into_a_bucket(bench):
    printed = told(bench, "v", "helps cells", "1", "2", "q")
    assert "words selected> " in printed
    assert "helps cells" in [item.text for item in bench.workspace.cell(2)[1].labels.tp]


def test_a_part_of_an_item_is_reworded(bench):
    told(bench, "e", "an anti-apoptotic gene=>an anti-apoptotic", "q")
    assert bench.workspace.cell(2)[1].labels.tp[0].text == "BCL2 is an anti-apoptotic"


class Asked:
    """Questions for a line that a person answers, in a cell whose number can be changed."""

    def __init__(self, *answers: str) -> None:
        self.cell_no = 1
        self.out = StringIO()
        given = StringIO("".join(f"{answer}\n" for answer in answers))
        console = Console(UNICODE, colours=False, given=given, out=self.out)
        self.review = review_at(console, lambda: self.cell_no)

    def pick(self, title: str) -> str:
        choices = [Choice("a", "1", "one"), Choice("b", "2", "two")]
        return asyncio.run(self.review.pick(title, choices))

    def line(self, initial: str = "", **options: Any) -> str:
        return asyncio.run(self.review.line("Words", initial, **options))


def test_a_title_with_braces_is_printed_as_it_is():
    asked = Asked("2")
    assert asked.pick("Dates are {date:YYYY} · {help:?}") == "b"
    assert "Dates are {date:YYYY} · {help:?" in asked.out.getvalue()


def test_a_line_with_an_arrow_in_it_is_kept_by_enter():
    asked = Asked("", "f(x) => g(x)")
    assert asked.line("f(x) => y, and f(x)") == "f(x) => y, and f(x)"
    assert asked.line("f(x) and y") == "g(x) and y"


def test_an_arrow_without_words_before_it_replaces_nothing():
    assert Asked("=> z").line("f(x)") == "=> z"


def test_a_line_that_was_not_accepted_is_offered_again_in_its_own_cell_only():
    asked = Asked("of cell one", "", "", "")
    asked.line("at first", about="Reword")
    asked.cell_no = 2
    assert asked.line("at first", about="Reword") == "at first"
    asked.cell_no = 1
    assert asked.line("at first", about="Reword") == "of cell one"
    asked.review.done_with("Reword")
    assert asked.line("at first", about="Reword") == "at first"


def test_a_line_that_is_as_at_first_again_takes_the_place_of_the_one_kept_before():
    asked = Asked("another", "at first", "")
    asked.line("at first", about="Reword")
    asked.line("at first", about="Reword")
    assert asked.line("at first", about="Reword") == "at first"


def test_a_line_about_nothing_is_not_offered_again():
    asked = Asked("an instruction", "")
    asked.line()
    assert asked.line() == ""
    assert "an instruction" not in asked.out.getvalue()


def test_going_about_by_cell_name_and_filter(tmp_path):
    with bench_of(tmp_path, states()) as bench:
        printed = told(
            bench,
            ".",
            ",",
            ",",
            ":failed",
            ":nowhere",
            "f state:pending",
            "n",
            "q",
        )
        assert "This is the first cell." in printed
        assert "There is no trace “nowhere”" in printed
        assert "1 cell: . and , go through them." in printed
        assert bench.position().cell == 2


@pytest.mark.parametrize(
    "key",
    [key for key in OF_BENCH if key.lines and key.keys],
    ids=lambda key: key.id,
)
def test_a_key_that_the_screen_has_arrives_here_too(key):
    assert any(map(sent_by, key.keys.split(",")))


def test_a_command_is_done_by_words_of_its_name_where_it_is_on_no_key(bench):
    printed = told(
        bench,
        "\x10add an instruction that",
        "\x10",
        "",
        "\x10zeppelin",
        "\x10merge",
        "q",
    )
    assert "Every instruction is in a bucket already." in printed
    assert "What to do (words of it)> " in printed
    assert "Cancelled: nothing was changed." in printed
    assert "No command has “zeppelin” in its name: ? lists them." in printed
    assert "They answer different instructions" in printed


def test_of_several_commands_that_words_fit_one_is_picked_and_enter_picks_none(bench):
    printed = told(bench, "\x10put the item", "", "\x10put the item", "into FN", "q")
    assert "Which?" in printed
    assert "Cancelled: nothing was changed." in printed
    assert printed.count("Moved TP → FN") == 1


@pytest.mark.parametrize("key", [key for key in OF_BENCH if key.lines and not key.keys])
def test_the_help_lists_a_command_that_is_on_no_key_by_its_name(bench, key):
    assert f"Ctrl+P {key.label} {key.lines}" in told(bench, "??", "q").replace(
        "  ",
        " ",
    )


def test_going_about_by_trace(tmp_path):
    with bench_of(tmp_path, states()) as bench:
        printed = told(bench, ">", "<", "<", "q")
        assert printed.count("Cell: ") == 3
        assert "This is the first trace." in printed


def test_comment_reason_and_flag_are_kept(bench):
    printed = told(bench, "c Look again", "F", "r", "2", "r", "my own words", "C", "q")
    assert "Comment saved. C shows them all." in printed
    assert "Flagged." in printed
    assert "Reason saved: my own words" in printed
    assert "because: my own words" in printed


def test_the_help_has_the_keys_of_the_day_as_this_cell_has_them_and_every_key_when_asked_again(
    bench,
):
    first = told(bench, "?", "q").partition("item 1/6> ")[2].splitlines()
    assert "1            put the item into TP (rightly found)" in first
    assert "a            sign off and go to the next open cell" in first
    assert len(first) < 24
    assert "? again lists every key." in first
    assert not any("bookmark" in line for line in first)
    for every in (told(bench, "?", "?", "q"), told(bench, "??", "q")):
        assert "Ctrl+P bookmark bookmark the cell" in every
        assert "was not read" not in every


def test_the_help_lists_every_key_at_once_if_it_is_on_none(bench):
    for own_key in ("H", ""):
        printed = told(bench, "\x10", "keys", "q", overrides={"help": own_key})
        assert ("H again lists every key." in printed) == bool(own_key)
        assert ("Ctrl+P bookmark bookmark the cell" in printed) == (not own_key)


def test_reading_needs_no_screen(bench):
    printed = told(bench, "/chromosome", "o", "t", "p", "S", "??", "s", "q")
    assert "1 line with “chromosome”." in printed
    assert f"[{GENE}]" in printed
    assert "  6 ~TN" in printed
    assert "1            put the item into TP (rightly found)" in printed
    assert "j Enter Down go to the next item" in printed
    assert "2 cells left." in printed
    assert "there are no audited numbers yet" in printed
    assert "Accuracy: precision .75 (judge .75)" in told(
        bench,
        "a",
        "a",
        "S",
        "q",
    ).replace("0.", ".")


def test_what_was_typed_behind_a_key_that_asks_nothing_is_told_not_to_be_read(bench):
    assert "“his is wrong” was not read: a line is one key.\n" in told(
        bench,
        "this is wrong",
        "q",
    )
    printed = told(bench, "C LOOKS WRONG", "q")
    assert "“LOOKS WRONG” was not read: a line is one key. Is Caps Lock on?" in printed


def test_what_was_typed_behind_the_help_key_is_told_not_to_be_read(bench):
    printed = told(bench, "? all", "q")
    assert "? again lists every key." in printed
    assert "“all” was not read: a line is one key.\n" in printed
    assert "was not read" not in told(bench, "?", "??", "q")


def test_a_key_that_does_nothing_says_so(bench):
    assert "Z does nothing here: ? lists the keys." in told(bench, "Z", "q")


def test_a_session_that_only_reads_changes_nothing(tmp_path):
    with bench_of(tmp_path, at=2, readonly=True) as bench:
        printed = told(bench, "2", "c", "a", "F", "w", "q")
        assert printed.count("only reads") == 5


def test_plain_marks_are_ascii(bench):
    printed = told(bench, "2", "t", "q", marks=ASCII)
    assert printed.isascii()


def test_words_of_a_file_are_inert(tmp_path):
    rubric, (trace,), happened = states()[0], states()[1][:1], [[]]
    hostile = trace.model_copy(update={"response": "a\x1b[2Jb\u202ec"})
    with bench_of(tmp_path, (rubric, [hostile], happened)) as bench:
        printed = told(bench, "p", "q")
        assert "\x1b" not in printed
        assert "\u202e" not in printed


def test_a_kind_that_prints_nothing_of_its_own_is_reviewed_all_the_same():
    assert lines_of("tally") is KindLines


def test_where_no_items_are_printed_no_number_of_one_is_asked_for(
    tmp_path,
    monkeypatch,
):
    monkeypatch.setattr(linear_session, "lines_of", lambda _: KindLines)
    with bench_of(tmp_path) as bench:
        printed = told(bench, "g", "q")
    assert "There are no items in this cell." in printed
    assert "1-0" not in printed


def test_a_denial_is_said_with_its_words_and_taken_back_by_the_same_key(bench):
    printed = told(bench, "g", "4", "-", "", "s", "-", "q")
    assert "Denied FN" in printed
    assert "¬ denied: “" in printed
    assert "Left out FN" in printed
    assert not bench.workspace.cell(2)[1].labels.fn[0].denied


def test_other_words_for_a_right_verdict_are_told_apart(bench):
    printed = told(bench, "#", CANCER, "q")
    assert "Right verdict, wrong evidence" in printed
    assert bench.workspace.cell(2)[1].labels.tp[0].wrong_evidence


def test_the_keys_are_those_of_the_screen(bench):
    told(bench, "=", CANCER, "q")
    assert bench.workspace.cell(2)[1].labels.tp[0].wrong_evidence
    assert "_ does nothing here" in told(bench, "_", "q")


def test_a_person_has_their_own_keys_and_reads_them(tmp_path):
    own = {
        "move.fn": "é",
        "cell.undo": "x",
        "item.mark": "&",
        "cell.flag": "f5",
        "quit": "Q",
    }
    own |= {"item.repeat": "R", "item.deny": ""}
    with bench_of(tmp_path, at=2) as bench:
        keys = ("é", "2", "&", "j", "&", "é", "x", "R", "F", "??", "Q")
        printed = told(bench, *keys, overrides=own)
        assert "Moved TP → FN" in printed
        assert "2 does nothing here" in printed
        assert "moved: x undoes them together." in printed
        assert "Flagged." in printed
        assert "x            take back your last act" in printed
        assert "Repeated: moved TP → FN" in printed
        assert "R            make your last correction once more" in printed
        assert "Ctrl+P denied denied: words of the response say the contrary" in printed


def test_a_command_that_a_person_has_on_no_key_has_no_other_key_either(bench):
    printed = told(bench, "w", "", "j", "q", overrides={"save": "", "lines.down": ""})
    assert "w does nothing here" in printed
    assert "Enter does nothing here" in printed
    assert "j does nothing here" in printed


def test_an_escape_on_the_line_of_a_key_leaves_its_question(bench):
    printed = told(bench, "c\x1b", "q")
    assert "Cancelled: nothing was changed." in printed
    assert not bench.workspace.cell(2)[1].comments


def test_a_persons_own_key_is_named_where_there_is_no_such_item(bench):
    printed = told(bench, "g", "99", "q", overrides={"line.items": "I"})
    assert "There is no item “99”: I lists them." in printed


@pytest.mark.parametrize(
    ("own_key", "result"),
    [("delete", "Backspace does nothing here"), ("backspace", "item 2/6")],
)
def test_backspace_is_a_key_of_its_own_and_not_delete(bench, own_key, result):
    printed = told(bench, "\x7f", "q", overrides={"lines.down": own_key})
    assert result in printed


def test_no_words_clear_those_that_were_selected_and_that_is_said(bench):
    printed = told(bench, "v", "helps cells", "v", "0", "q")
    before, _, after = printed.partition("No words are selected.")
    assert "words selected>" in before
    assert "words selected>" not in after
    assert "nothing was changed" not in printed


def test_words_of_a_reason_are_no_key_even_if_they_look_like_one(bench):
    reason = "not {cell.sign:a} but {palette:p}. See it"
    own = {"cell.sign": "z", "palette": ""}
    printed = told(bench, "2", f"r {reason}", "r", "0", "q", overrides=own)
    assert f"Reason saved: {reason}\n" in printed
    assert f"The reason is unchanged: {reason}\n" in printed


def test_the_key_that_ends_the_input_leaves_a_command_its_usual_key(bench):
    own = {"line.items": "ctrl+d"}
    printed = told(bench, "g", "99", "q", overrides=own)
    assert "There is no item “99”: t lists them." in printed


def test_a_capital_that_is_a_persons_own_key_may_be_pressed_again_and_again(bench):
    out = StringIO()
    console = Console(UNICODE, colours=False, given=StringIO("M\n" * 4), out=out)
    session = LinearSession(
        bench,
        ReviewSession(bench),
        Settings(reviewer="ada"),
        console,
        NOBODY,
        {"cell.redo": "M"},
    )

    def key_of_a_terminal(_prompt: str) -> str:
        console.by_keys = True
        return console._line()

    console.key = key_of_a_terminal
    session.run([])
    assert "Caps Lock" not in out.getvalue()


def whole():
    """A trace with everything that stands beside a response."""
    call = {"id": "c1", "function": {"name": "search", "arguments": '{"q": "BCL2"}'}}
    messages = [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "What is BCL2?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "On 18q21."},
    ]
    more = {
        "documents": [{"id": "omim", "text": "It is on 18q21.\nTruly."}],
        "choices": ["a", "b"],
    }
    of = trace(
        "a",
        messages=messages,
        metadata={"site": "berlin"},
        model="gpt-4o",
        **more,
    )
    return rubric(matrix()), [of, trace("b")], [[proposal()], [proposal()]]


def test_a_field_of_the_metadata_takes_no_place_of_the_traces_own(tmp_path):
    of = trace("a", model="gpt-4o", metadata={"model": None, "cluster": "ward"})
    with bench_of(tmp_path, (rubric(matrix()), [of], [[proposal()]])) as bench:
        printed = told(bench, "K", "1", "q")
    assert "model: gpt-4o" in printed
    assert "cluster: ward" in printed


def test_the_whole_of_a_shortened_result_is_read_beside_the_conversation(tmp_path):
    _, (run, _), _ = whole()
    result = {"role": "tool", "tool_call_id": "c1", "content": "On 18q21. " * 90}
    longer = run.model_copy(update={"messages": [*run.messages[:-1], result]})
    shortening = matrix(reads="conversation", longest_result=40)
    with bench_of(tmp_path, (rubric(shortening), [longer], [[]])) as bench:
        printed = told(bench, "K", "/18q21", "q")
        assert "[5] tool search · 860 characters left out of what is judged" in printed
        titles = [line for line in printed.splitlines() if "of what is judged" in line]
        number = titles[0].split()[0].strip(".)")
        assert "On 18q21. " * 80 in told(bench, "K", number, "q").replace("\n", " ")


def test_the_title_of_a_conversation_names_no_key_that_a_person_has_not(tmp_path):
    _, traces, _ = whole()
    reading = rubric(matrix(reads="conversation"))
    with bench_of(tmp_path, (reading, traces[:1], [[]])) as bench:
        printed = told(bench, "q")
        assert "6 steps (p reads all; K: choices, 1 document):" in printed
        printed = told(bench, "q", overrides={"material": ""})
        assert "6 steps (p reads all):" in printed


def test_the_whole_trace_is_read_and_looked_through(tmp_path):
    with bench_of(tmp_path, whole()) as bench:
        printed = told(bench, "K", "2", "K", "4", "/18q21", "q")
        assert (
            "Prompt (press K: 2 turns earlier, 2 turns since, choices, 1 document):"
            in printed
        )
        assert '4 assistant calls search:\nq: "BCL2"' in printed
        assert "5 tool search:\nOn 18q21." in printed
        assert "model: gpt-4o\nsite: berlin" in printed
        assert "Conversation, 5 turns, line 14: On 18q21." in printed
        assert "Document 1 omim, line 1: It is on 18q21." in printed
        assert "0 lines with “18q21” in the response, 2 in what K shows." in printed


def test_what_the_judge_did_not_get_is_said_where_it_is_read(tmp_path):
    of, traces, _ = whole()
    with bench_of(tmp_path, (of, traces, [[], [proposal()]])) as bench:
        printed = told(bench, "K", "1", "K", "2", "q")
        assert (
            "Prompt (press K: 2 turns earlier, 2 turns since, choices, 1 document):"
            in printed
        )
        for title in ("Choices", "Document 1 omim", "Metadata"):
            assert f"{title}, not shown to the judge\n" in printed
        assert "Conversation, 5 turns\n1 user:\nHi." in printed


HOSTILE = "x\x1b]0;owned\x07\x1b]52;c;aGk=\x07\x1b[31m\x9b2J\u202e"
"""Sets a terminal's title and clipboard, clears the screen, turns the line."""


def hostile():
    """A trace that would act on the terminal by every text that it has."""
    call = {"id": "c1", "function": {"name": HOSTILE, "arguments": HOSTILE}}
    messages = [
        {"role": "user", "name": HOSTILE, "content": HOSTILE},
        {"role": "assistant", "content": HOSTILE, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": HOSTILE},
    ]
    more = {"documents": [{"id": HOSTILE, "text": HOSTILE}], "choices": [HOSTILE]}
    of = trace(
        HOSTILE,
        messages=messages,
        metadata={HOSTILE: HOSTILE},
        model=HOSTILE,
        **more,
    )
    return rubric(matrix()), [of, trace("b")], [[proposal()], [proposal()]]


def test_no_text_of_a_trace_acts_on_the_terminal_wherever_it_is_printed(tmp_path):
    """A person's own words are typed at the end: what comes from a paste acts no more."""
    shown = [*"123456789"]
    with bench_of(tmp_path, hostile()) as bench:
        printed = "".join(told(bench, "K", number, "q") for number in shown)
        printed += told(
            bench,
            "/x",
            "/owned",
            "p",
            "H",
            "C",
            "L",
            "b",
            ".",
            "f x",
            "?",
            "q",
        )
        printed += told(bench, f"c {HOSTILE}", "C", "H", "q")
    assert "owned" in printed
    coloured = re.sub(r"\x1b\[[0-9]+m", "", printed.replace("\x1b[31m\x9b", ""))
    assert re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", coloured) == []


def test_what_reaches_the_terminal_passes_one_gate_with_our_colours_alone():
    assert inert("\x1b[1ma\x1b[0m\tb\n") == "\x1b[1ma\x1b[0m\tb\n"
    assert inert("\x1b]0;t\x07\x1b[5m\x9b") == "␛]0;t␇␛[5m␦"


def tagged():
    """A trace that came with verdicts of others in its metadata, and in a key of a message."""
    metadata = {
        "site": "berlin",
        "success": True,
        "human_label": "quokka",
        "anna": "yes",
    }
    messages = [
        {"role": "user", "content": "What is BCL2?"},
        {"role": "assistant", "content": "A gene.", "score": 1, "feedback": "quokka"},
    ]
    of = trace("a", metadata=metadata, messages=messages)
    return rubric(matrix()), [of, trace("b")], [[proposal()], [proposal()]]


def test_verdicts_in_the_metadata_are_hidden_until_the_person_has_ruled(tmp_path):
    with bench_of(tmp_path, tagged()) as bench:
        bench.do(1, Draw(True))
        printed = told(bench, "K", "2", "/quokka", "q")
        hidden = "Hidden until you have ruled, as these may be verdicts: success, human_label, anna"
        assert f"site: berlin\n{hidden}" in printed
        assert "human_label: " not in printed
        assert "0 lines with “quokka”." in printed
        rules(bench, 1)
        assert "success: true\nhuman_label: quokka\nanna: yes" in told(
            bench,
            "K",
            "2",
            "q",
        )


def test_bookmarks_and_what_one_did_lead_back(tmp_path):
    with bench_of(tmp_path, whole()) as bench:
        there, mark = "\x10bookmarks", "\x10bookmark"
        printed = told(
            bench,
            there,
            "H",
            mark,
            "F",
            ".",
            there,
            "1",
            ".",
            "H",
            "1",
            mark,
            mark,
            "q",
        )
        assert (
            "There are no bookmarks; Ctrl+P bookmark sets one on this cell." in printed
        )
        assert "You have not changed anything here yet." in printed
        assert "Bookmarked: Ctrl+P bookmarks lists them." in printed
        assert printed.count("Cell: a · Accuracy") == 3
        assert "a · Accuracy)" in printed
        assert bench.bookmarks() == {1}


def test_with_a_sample_each_cell_says_whether_it_is_of_it(tmp_path):
    scene = rubric(), [trace("a"), trace("b")], [[proposal()], [proposal()]]
    with bench_of(tmp_path, scene) as bench:
        assert "sample" not in told(bench, "q")
        planned = plan(bench.workspace.path, SampleWish(1, blind=False))
        bench.draw(planned.what)
        said = told(bench, ".", "q")
        order = ["sample 1/1", "outside the sample"]
        assert all(words in said for words in order)
        assert (said.index(order[0]) < said.index(order[1])) == (planned.traces == [1])


def test_several_judges_are_compared_in_the_numbers_and_one_alone_is_not(tmp_path):
    scene = rubric(), [trace("a"), trace("b")], [[proposal()], [proposal()]]
    with bench_of(tmp_path, scene) as bench:
        assert "Which judge?" not in told(bench, "S", "q")
        bench.sign_off(1)
        bench.sign_off(2)
        assert "Which judge?" not in told(bench, "S", "q")
        bench.receive(1, other_proposal(round=2, cost=0.5, latency=2.0))
        printed = " ".join(told(bench, "S", "q").split())
        assert (
            "Which judge? Which judge is better cannot be told yet. Shares are shown"
            in printed
        )
        assert (
            "gpt: 12 of 12 answers as people give them; 3 gained, 0 lost beside"
            in printed
        )
        assert (
            "other, whose labels the cells have now: 3 of 6 answers as people"
            in printed
        )
        assert "a cell costs 0.5; a cell takes 2.0 s." in printed
        assert "People signed off with a judge in sight" in printed


def test_an_instruction_that_asks_for_what_is_left_out_is_met_by_omission(tmp_path):
    trait = matrix(
        tp_instructions=["Does not name a drug"],
        tn_instructions=["Fails to ask why"],
    )
    recorded = table(fn=["Does not name a drug"], fp=["Fails to ask why"])
    row = {"bucket": "fp", "index": 0, "omission": True, "rationale": "it asks nothing"}
    judged = Proposed(
        KIND.locate(trait, TRACE, recorded | {"items": [row]}),
        {"name": "gpt"},
    )
    with bench_of(tmp_path, (rubric(trait), [trace("1")], [[judged]])) as bench:
        printed = told(bench, "1", "", "k", "j", "q")
        assert "Enter or 0 by omission" in printed
        assert "∅ by omission: it asks nothing" in printed
        labels = bench.workspace.cell(1)[1].labels
        assert [item.omission for item in (*labels.tp, *labels.fp)] == [True, True]


def test_space_turns_an_instruction_and_back_with_its_excerpt(bench):
    before = bench.workspace.cell(2)[1].labels
    told(bench, " ", "q")
    assert bench.workspace.cell(2)[1].labels != before
    told(bench, " ", "q")
    assert bench.workspace.cell(2)[1].labels == before


def test_a_list_of_reasons_begins_on_none(bench):
    printed = told(bench, "2", "r", "", "q")
    assert "No reason given." in printed
    assert not any(isinstance(fact, Reasoned) for fact in facts(bench, 2))


# -- a new instruction --------------------------------------------------------------------------------


@pytest.mark.parametrize("yes", ["y", "Y"])
def test_a_new_instruction_is_taken_after_what_it_changes_is_printed(tmp_path, yes):
    with bench_of(tmp_path) as bench:
        said = told(bench, "a", ",", "@", "Says who found it", yes, "q")
        before, _, after = said.partition("y adds it, Enter cancels")
        assert "✚ Says who found it" in before.replace("\n", " ")
        assert "1 cell loses its sign-off" in before
        assert "The rubric was revised: 1 trait changed" in after
        assert "Says who found it" in str(bench.workspace.rubric.to_file())


def test_all_that_a_copy_of_the_rubric_brings_along_is_printed_first(tmp_path):
    with bench_of(tmp_path) as bench:
        copy = drafts.file_to_edit(bench.workspace).path
        pattern = '[[regex_traits]]\nname = "Drug {x:y}"\npattern = "drug"\n'
        own = copy.read_text(encoding="utf-8")
        copy.write_text(f'description = "D"\n{own}\n{pattern}', encoding="utf-8")
        said = told(bench, "@", "Says who found it", "n", "q").replace("\n", " ")
        assert (
            "1 cell to judge again; new: Drug {x:y}, 1 cell to judge; "
            "changed beside the traits: description."
        ) in said


def test_a_new_instruction_that_is_not_taken_leaves_everything(tmp_path):
    with bench_of(tmp_path) as bench:
        rubric = bench.workspace.rubric
        assert "nothing was changed" in told(bench, "@", "Says who found it", "n", "q")
        assert bench.workspace.rubric == rubric
        assert not list(tmp_path.glob("*.rubric.toml"))


def test_a_new_instruction_that_was_cancelled_is_not_offered_where_nothing_is_typed(
    tmp_path,
):
    with bench_of(tmp_path) as bench:
        said = told(bench, "@", "Says who found it", "n", "@", "", "q")
        again = said.split("nothing was changed")[1]
        assert "Says who found it" not in again
        assert "y adds it" not in again


def test_a_rubrics_file_that_cannot_take_an_instruction_is_said_and_the_review_goes_on(
    tmp_path,
):
    with bench_of(tmp_path) as bench:
        copy = drafts.file_to_edit(bench.workspace).path
        copy.write_text("half a thought", encoding="utf-8")
        printed = told(bench, "@", "Says who found it", "q")
        assert "cannot be read" in printed
        assert copy.read_text(encoding="utf-8") == "half a thought"


def test_an_agent_is_not_asked_for_a_new_instruction(tmp_path):
    with bench_of(tmp_path) as opened:
        agent = Workbench(opened.workspace, opened.audit, "ada", as_agent=True)
        printed = told(agent, "@", "q")
        assert "An agent cannot change the rubric" in printed
        assert "New instruction" not in printed


# -- ruling on what two reviewers differ in --------------------------------------------------------


def test_both_are_told_as_1_and_2_and_who_they_are_after_the_ruling(tmp_path):
    with adjudicator(tmp_path, {1: BOTH_MISSED, 2: MISSED}, {}) as at:
        said = told(at, "V", "r", "1", "1", "paraphrase counts", "q")
        before, _, after = said.partition("Ruled.")
        assert "Two reviewers differ here: V shows both" in before
        assert "ada" not in before
        assert "1: found: “BCL2 is an anti-apoptotic gene”" in before.replace(
            "2: found",
            "1: found",
        )
        assert "You sided " in after
        assert "1 cell left: n opens the next." in after
        _, cell = at.open(1)
        assert cell.ruled
        assert any(isinstance(fact.what, Adopted) for fact in cell.facts)
        assert "ada:" in told(at, ":", "t1", "V", "q")


def test_who_labels_it_themselves_is_told_their_own_key_that_rules(tmp_path):
    with adjudicator(tmp_path, {1: BOTH_MISSED}, {}) as at:
        assert "yourself, a then rules" in told(at, "V", "e", "q")
        said = told(at, "V", "e", "q", overrides={"cell.sign": "z"})
        assert "yourself, z then rules" in said
        said = told(at, "V", "e", "q", overrides={"cell.sign": ""})
        assert "yourself\n" in said


def test_what_both_rest_on_is_quoted_from_the_conversation_that_they_read(tmp_path):
    of = rubric(matrix(reads="conversation"))
    with adjudicator(tmp_path, {1: BOTH_MISSED}, {}, of=of) as at:
        said = told(at, "V", "r", "q")
        assert "found: “BCL2 is an anti-apoptotic gene”" in said


def test_words_of_a_response_are_told_as_they_are_spelt_with_plain_marks_too(tmp_path):
    words = "She said – “no” … 3 × 2 → 6"
    reworded = [{"action": "reword", "bucket": "tp", "index": 1, "text": words}]
    edits = {1: [*reworded, *MISSED]}
    response = f"{RESPONSE} {words}"
    with adjudicator(tmp_path, edits, {1: BOTH_MISSED}, response=response) as at:
        assert f'"{words}"' in told(at, "V", "r", "q", marks=ASCII)


def test_words_and_reasons_beside_a_blind_verdict_are_told_as_they_are_spelt():
    words = "She said – “no” … 3 × 2 → 6"
    cell = Cell(Subject(KIND, matrix(), trace("t1", words)))
    grounds = Grounds("found", spans=((0, len(words)),), reason="so – “yes”")
    assert _answer_and_grounds(cell, grounds, ASCII) == f'found; "{words}"; so – “yes”'


def test_a_ruling_for_all_of_one_side_takes_its_reason_afterwards(tmp_path):
    with adjudicator(tmp_path, {1: MISSED}, {}) as at:
        assert "Reason saved: said so" in told(
            at,
            ":",
            "t1",
            "V",
            "1",
            "r",
            "said so",
            "q",
        )
        _, cell = at.open(1)
        (adopted,) = [fact for fact in cell.facts if isinstance(fact.what, Adopted)]
        assert reason_of(cell, adopted) == "said so"


def test_where_nothing_is_contested_it_says_where_proposals_are_compared(tmp_path):
    with adjudicator(tmp_path, {2: MISSED}, {}) as at:
        assert "can be compared on the screen only" in told(at, ":", "t1", "V", "q")


# -- what the judge is worth -----------------------------------------------------------------------


def printed(at, marks=UNICODE):
    out = StringIO()
    console = Console(marks, colours=False, given=StringIO(), out=out)
    tell_worth(at, console)
    return out.getvalue().splitlines()


def test_every_number_of_a_sample_is_a_sentence_and_reached_looks_are_kept(tmp_path):
    with sampled(tmp_path, drawn=52, ruled=52, bars=[("yes>=.2", [20, 40])]) as at:
        lines = printed(at)
        found = sample_numbers(sample_at(at.workspace.path))
        ascii_lines = printed(at, ASCII)
        kept = [
            one.what
            for one in at.workspace.design.facts()
            if isinstance(one.what, Looked)
        ]
    assert len(ascii_lines) == len(lines)
    assert all(line.isascii() for line in ascii_lines)
    assert lines[1].startswith(
        "How good the judge is: Simple random sample: 52 of 60, seed 1",
    )
    for one in (*found.worths, *found.by_group):
        assert worth_text(one, "trace") in lines
    assert next(difference_text(one) for one in found.differences) in lines
    assert any(
        line.startswith("share answered yes in Polite (gpt): ") for line in lines
    )
    assert any(line.startswith("yes>=0.2 of Polite: reached.") for line in lines)
    assert [(one.look, one.units) for one in kept] == [(1, 20)], "once, not twice"


def test_s_tells_what_is_wanting_for_a_number_or_that_nothing_was_drawn(tmp_path):
    with sampled(tmp_path, ruled=0) as at:
        printed_here = told(at, "S", "q")
    assert (
        "share answered yes in Polite: none of the 40 drawn is audited yet"
        in printed_here
    )
    assert (
        "There is no number yet: none of the 40 drawn is audited yet." in printed_here
    )
    (tmp_path / "one").mkdir()
    with sampled(tmp_path / "one", ruled=1) as at:
        printed_here = told(at, "S", "q")
    assert "Polite: yes" in printed_here.replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert "from 1 trace of 60" in printed_here
    (tmp_path / "none").mkdir()
    with bench_of(tmp_path / "none") as at:
        assert NO_SAMPLE in told(at, "S", "q")


def test_a_review_goes_on_if_the_workspace_was_deleted_and_cannot_be_read(tmp_path):
    with sampled(tmp_path, ruled=1) as at:
        for file in tmp_path.glob("*.db*"):
            file.unlink()
        said = told(at, "f", "yes<1", "S", "q")
    assert "The workspace cannot be searched now" in said
    assert "The workspace cannot be read now" in said


def test_a_review_begins_as_loaded_if_the_workspace_cannot_be_searched(tmp_path):
    with sampled(tmp_path, ruled=1) as at:
        for file in tmp_path.glob("*.db*"):
            file.unlink()
        said = told(at, "q", order="sample")
    assert "The workspace cannot be searched now" in said


# -- paragraphs as lines ---------------------------------------------------------------------------


PARAGRAPH = Paragraph(
    "States that BCL2 is on chromosome 18",
    "−FN:",
    "fn",
    indent=2,
    hang=4,
)


def test_a_paragraph_is_wrapped_between_words_and_hangs():
    lines = list(Printing(UNICODE, 26).lines(PARAGRAPH))
    assert lines == ["  −FN: States that BCL2 is", "      on chromosome 18"]


def test_only_the_mark_is_coloured():
    (line,) = Printing(UNICODE, None, colours=True).lines(PARAGRAPH)
    assert line == "  \x1b[33m−FN:\x1b[0m States that BCL2 is on chromosome 18"


def test_sentences_of_ours_are_spelt_in_ascii_and_words_of_a_file_are_not():
    printing = Printing(ASCII)
    assert list(printing.lines(Paragraph("moved TP → FN: “é”"))) == [
        'moved TP -> FN: "é"',
    ]
    assert list(printing.lines(Paragraph("a → b", quoted=True))) == ["a → b"]
    assert list(printing.lines(Paragraph("a → b", in_quotes=True))) == ['"a → b"']


def test_a_letter_bears_eight_marks_and_no_more_of_ten_thousand():
    (line,) = Printing(UNICODE).lines(Paragraph("a" + "\u0301" * 10_000 + "b"))
    assert line == "a" + "\u0301" * 8 + "◌" * 9_992 + "b"


@pytest.mark.parametrize(
    ("text", "width"),
    [("BCL2", 4), ("遺伝子", 6), ("e\u0301", 1), ("ที่นี่", 2), ("हि", 2)],
)
def test_marks_that_take_no_place_have_no_width(text, width):
    assert width_in_columns(text) == width


@given(st.text(max_size=200), st.integers(NARROWEST, 60))
def test_nothing_is_lost_nothing_is_too_wide_and_nothing_acts(text, width):
    lines = list(Printing(UNICODE, width).lines(Paragraph(text, quoted=True)))
    assert all(width_in_columns(line) <= width for line in lines)
    whole = "".join("".join(lines).split())
    bare = list(Printing(UNICODE).lines(Paragraph(text, quoted=True)))
    assert whole == "".join("".join(bare).split())
    assert not any(ord(char) < 32 or ord(char) == 127 for char in whole)


def test_two_kinds_of_one_name_have_numbers_of_their_own(tmp_path):
    with signed_off(tmp_path) as at:
        text = told(at, "S", "q")
    assert "yes 1.00 (judge 1.00)" in text
    assert "precision 1.00 (judge .75)" in text
