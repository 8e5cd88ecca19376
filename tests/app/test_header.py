from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace
from review_stage import sitting

from appellate.app.header import Overview, PaneTitle, describe, header_line, running
from appellate.core.cell import fold
from appellate.core.deciding import Comment, Correct, Receive, SignOff
from appellate.core.problem import USUAL
from appellate.judges.rate_limiter import Waiting
from appellate.judging.progress import Progress
from appellate.store.cells import CellRow
from appellate.traits.metric.edits import Edit
from appellate.ui.bar import StatusStrip
from appellate.ui.marks import ASCII, UNICODE
from cells import Story, proposal, trace

PACED = Overview(
    Path("bcl2.audit.toml"),
    False,
    "",
    "",
    3,
    57,
    12,
    171,
    timedelta(seconds=125),
    timedelta(minutes=331),
)


ANSWERED = trace("bcl2-2", model="gpt-4o")


def seen(standing, room, marks=UNICODE, does=(), **row):
    """The first line of the screen at a width, of a cell to which something was done."""
    story = Story()
    story.cell = fold(replace(story.cell.subject, asked=ANSWERED), ())
    for command in (Receive(proposal()), *does):
        story.does(command)
    found = CellRow(
        **dict.fromkeys(CellRow.__struct_fields__, 0)
        | {"trace_id": "bcl2-2", "epoch": 1, "trait": "Accuracy", **row},
    )
    strip = StatusStrip(marks=marks)
    sides = header_line(standing, found, story.cell, None, "ada", marks)
    strip.left, strip.right = (tuple(side) for side in sides)
    return "".join(piece.text for piece in strip.pieces(room)).strip()


MOVED = Correct(Edit("move", "tp", 0, to="fn"))


def test_the_line_tells_the_cell_who_answered_who_judged_and_how_far_one_is():
    line = seen(PACED, 200)
    assert line.startswith("bcl2-2  Accuracy  answered by gpt-4o   ")
    assert "judge gpt  ● proposed  trace 3/57  reviewed 12/171  ▓░░░░░" in line
    assert line.endswith("bcl2.audit.toml  ada  ✓ saved")


def test_trace_and_trait_go_last_and_what_fits_stays():
    assert "bcl2.audit.toml" not in seen(PACED, 84)
    assert seen(PACED, 80) == (
        "bcl2-2  Accuracy  answered by gpt-4o      ● proposed  reviewed 12/171  ✓ saved"
    )
    assert seen(PACED, 44).split() == [
        "bcl2-2",
        "Accuracy",
        "●",
        "proposed",
        "ada",
        "✓",
        "saved",
    ]


def test_comments_are_counted():
    line = seen(PACED, 140, does=[Comment("see 18q21")])
    assert "● proposed  ¶ 1 comment  " in line
    assert "¶ 1 comment" in seen(PACED, 80, does=[Comment("see 18q21")])
    assert '" 2 comments' in seen(PACED, 140, ASCII, does=[Comment("a"), Comment("b")])


def test_corrections_that_stand_are_counted_and_those_with_a_reason():
    assert "◐ 1 correction  " in seen(PACED, 140, does=[MOVED])
    why = Correct(replace(MOVED.edit, index=1), "outdated source")
    assert "◐ 2 corrections, 1 reason  " in seen(PACED, 140, does=[MOVED, why])
    assert "✓ signed off by ada, 1 correction  " in seen(
        PACED,
        140,
        does=[MOVED, SignOff("0")],
    )


def test_the_file_is_spoken_of_only_where_it_could_not_be_written():
    assert seen(PACED, 80).endswith("✓ saved")
    assert seen(PACED._replace(unwritten="full"), 80).endswith("✓ saved, not exported")
    assert seen(PACED._replace(refused="full"), 80).endswith("✗ NOT SAVED")
    assert seen(PACED._replace(readonly=True), 80).endswith("read only")


def test_a_narrowed_queue_and_the_place_in_it_are_describe():
    narrowed = PACED._replace(queue="f1<0.5 · lowest first · 17 of 171", place="3/17")
    assert "f1<0.5 · lowest first ·…  queue 3/17  trace 3/57" in seen(narrowed, 200)
    assert "queue 3/17  reviewed 12/171" in seen(narrowed, 100)


def test_what_the_line_means_is_told_in_words():
    assert "● proposed: judged, untouched" in describe(UNICODE, USUAL)
    assert "x failed: the judge gave nothing" in describe(ASCII, USUAL)


def test_a_run_tells_its_cost_without_a_currency_and_a_slow_ones_rate_by_the_minute():
    run = Progress(done=5, failed=1, left=15, rate=0.25, cost=0.012, paid=5)
    assert [part.text for part in running(run, UNICODE)] == [
        *("judging 5/20 · 1 failed", "15/min · 1:00 left", "cost 0.01/0.05"),
    ]
    assert running(run, ASCII)[0].text == "judging 5/20 | 1 failed"
    silent = Progress(done=5, left=15, under_way=2, silent=99.0)
    assert [part.text for part in running(silent, UNICODE)][:2] == [
        "judging 5/20 · no answer for 1:39",
        "",
    ]
    waiting = Waiting("here", 42.4, 18.0, "answered 429: Slow down.", 429, 1.0)
    known = replace(silent, waiting=waiting)
    assert [part.text for part in running(known, UNICODE)][:2] == [
        "judging 5/20 · given up in 0:18",
        "no answer for 0:42 (429, asks to wait 1 s)",
    ]


def test_no_time_is_promised_before_there_is_a_pace():
    run = Progress(done=90, failed=90, computed=90, left=10)
    assert [part.text for part in running(run, UNICODE)] == [
        "judging 90/100 · 90 failed",
        "",
        "",
    ]


async def test_what_the_marks_of_the_line_mean_is_told_where_they_are(tmp_path):
    async with sitting(tmp_path) as at:
        assert at.screen.query_one("#header").tooltip.plain == describe(UNICODE, USUAL)


# -- numbers ----------------------------------------------------------------------


def test_the_line_says_what_was_changed_after_a_cell_was_signed_off():
    changed = SignOff(
        "abc",
        2.0,
        "0" * 64,
        {**Story().cell.subject.read_parts(), "reference": ""},
    )
    line = seen(PACED, 100, does=(changed,))
    assert "◐ the reference was changed after ada signed it off" in line
    again = seen(PACED, 160, does=(changed, SignOff("abc", 2.0)))
    assert "✓ signed off by ada" in again
    assert "was changed" not in again


def test_the_title_says_that_the_response_was_changed_after_it_was_judged():
    story = Story()
    record = story.cell.subject.reading({"name": "gpt"})
    story.does(Receive(proposal(**record)))
    assert PaneTitle().text(story.cell, "Items") == "Items · Accuracy"
    other = Story(response="Another.")
    other.cell = fold(other.cell.subject, [story.cell.facts[0]])
    said = "Items · Accuracy · the response was changed after it was judged"
    assert PaneTitle().text(other.cell, "Items") == said
