"""Steps of a conversation in a text view: headings, and what is folded."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ui_stage import TextStage, lines_of

from appellate.core.trace import Trace
from appellate.core.transcript import transcript
from appellate.ui.marks import ASCII
from appellate.ui.page import StyledSpan, Wrapping, find
from appellate.ui.rendered_text import RenderedText
from appellate.ui.steps import StepsInView, folds_of
from appellate.ui.text_view import ResponseView, folded_text

POLICY = "\n".join(
    f"Rule {n}: agents must obtain a confirmation." for n in range(1, 71)
)
FLIGHTS = "\n".join(f"flight {n}: Oslo, seat {n}A" for n in range(1, 41))
RUN = [
    {"role": "system", "content": POLICY},
    {"role": "user", "content": "Book me a seat to Oslo."},
    {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [
            {"id": "c", "function": {"name": "search", "arguments": '{"to": "OSL"}'}},
        ],
    },
    {"role": "tool", "tool_call_id": "c", "content": FLIGHTS},
    {"role": "assistant", "content": "Seat 1A is free. Shall I book it?"},
    {"role": "user", "content": "Yes."},
    {"role": "assistant", "content": "It is booked."},
]


def read(messages):
    return transcript(Trace(id="1", messages=messages))


RUN_READ = read(RUN)


def span(words, style="tp", **more):
    start = RUN_READ.text.index(words)
    return StyledSpan(start, start + len(words), style, "¹", **more)


class Reading:
    """Somebody who reads a run."""

    def __init__(self, app, pilot):
        self.app, self.pilot = app, pilot
        self.view = app.view

    @property
    def lines(self):
        return [line.rstrip() for line in lines_of(self.view)]

    @property
    def whole(self):
        """All lines there are, from the top."""
        page = self.view.page
        page.rows.extend_past(len(page.text) - 1)
        return page.text.split("\n")

    @property
    def folded(self):
        return [fold.step_no for fold in self.view.steps.folded]


@pytest.fixture
async def run():
    app = TextStage()
    async with app.run_test(size=(60, 16), message_hook=app.hear) as pilot:
        app.view.show(RUN_READ.text, [], RUN_READ.steps)
        app.view.focus()
        await pilot.pause()
        yield Reading(app, pilot)


def folds(text, role="tool"):
    found = read(
        [{"role": role, "content": text}, {"role": "assistant", "content": "Done."}],
    )
    return [
        (found.text[fold.start : fold.end], fold.words.strip())
        for fold in folds_of(found.text, found.steps)
    ]


# -- what is folded ----------------------------------------------------------------------------


def test_of_a_long_system_text_three_lines_are_shown_and_of_a_result_eight():
    lines = [f"line {n}" for n in range(1, 21)]
    assert folds("\n".join(lines), "system") == [
        ("\n" + "\n".join(lines[3:]), "… 17 more lines, 129 characters"),
    ]
    assert folds("\n".join(lines)) == [
        ("\n" + "\n".join(lines[8:]), "… 12 more lines, 94 characters"),
    ]
    assert not folds("\n".join(lines), "user")
    assert not folds("\n".join(lines), "assistant")


def test_a_result_of_one_long_line_is_cut_at_a_blank_behind_six_hundred_characters_at_most():
    words = "word " * 300
    [(hidden, told)] = folds(words.strip())
    assert hidden.startswith(" word")
    assert len(hidden) == len(words.strip()) - 599
    assert told == f"… {len(hidden)} more characters"
    [(hidden, _)] = folds("x" * 5_000)
    assert len(hidden) == 4_400


def test_what_would_hide_less_than_the_row_that_says_so_is_not_folded():
    assert not folds("\n".join("abcdefghi"))
    assert not folds("\n".join("abcd"), "system")
    assert folds("\n".join("abcdefghij"))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["system", "user", "assistant", "tool"]),
            st.text(alphabet="ab \n\r\u2028[1] x", max_size=2_000),
        ),
        max_size=4,
    ),
    st.sets(st.integers(1, 5)),
    st.lists(st.tuples(st.integers(0, 4_000), st.integers(1, 500)), max_size=3),
)
def test_no_fold_hides_what_must_be_seen_and_nothing_else_is_lost(
    messages,
    unfolded,
    seen,
):
    read_text = read([{"role": role, "content": words} for role, words in messages])
    steps = StepsInView(read_text.text, read_text.steps)
    for fold in steps.folds:
        if fold.step_no in unfolded:
            steps.unfold(fold)
    stretches = [(start, start + length) for start, length in seen]
    steps.fold_all_but(stretches)
    hidden = [
        fold for fold in steps.folded for stretch in stretches if fold.hides(stretch)
    ]
    assert not hidden
    shown = folded_text(steps)
    rest = shown.text
    for fold in steps.folded:
        assert shown.text[slice(*shown.shown_span(fold.start, fold.end))] == fold.words
        rest = rest.replace(fold.words, read_text.text[fold.start : fold.end], 1)
    assert rest == read_text.text
    for step in read_text.steps:
        heading = shown.text[shown.shown_at(step.heading_start) :]
        assert heading.startswith(f"[{step.no}] ")


# -- on the screen -----------------------------------------------------------------------------


async def test_headings_say_who_speaks_by_their_style(run):
    styles = {}
    for y, line in enumerate(run.lines):
        if line.startswith("["):
            styles[line] = next(iter(run.view.render_line(y))).style
    assert run.lines[:5] == [
        "[1] system",
        "Rule 1: agents must obtain a confirmation.",
        "Rule 2: agents must obtain a confirmation.",
        "Rule 3: agents must obtain a confirmation.",
        "… 67 more lines, 2,941 characters",
    ]
    assert styles["[1] system"].dim
    assert not styles["[1] system"].bold
    assert styles["[3] assistant"].bold
    assert styles["[4] assistant calls search"].bold
    assert styles["[4] assistant calls search"].color != styles["[3] assistant"].color


async def test_enter_unfolds_the_first_fold_in_sight_and_the_next_one_then(run):
    assert run.folded == [1, 5]
    await run.pilot.press("enter")
    assert run.folded == [5]
    assert run.lines[0] == "[1] system"
    assert run.lines[4] == "Rule 4: agents must obtain a confirmation."
    assert not run.view.folds_in_sight
    await run.pilot.press("enter")
    assert run.folded == []
    assert run.lines[0] == "[5] tool search"
    assert len(run.app.heard(ResponseView.FoldsChanged)) == 3


async def test_a_click_on_its_row_unfolds_a_step(run):
    await run.pilot.click(ResponseView, offset=(3, 4))
    assert run.folded == [5]
    assert not run.app.heard(ResponseView.TextClicked)


async def test_all_unfold_at_once_and_fold_again_with_the_first_row_where_it_was(run):
    run.view.put_at_top(RUN_READ.steps[3].heading_start)
    first = run.lines[0]
    assert run.view.turn_folds()
    assert (run.folded, run.lines[0]) == ([], first)
    assert not run.view.turn_folds()
    assert (run.folded, run.lines[0]) == ([1, 5], first)


async def test_a_step_with_evidence_behind_its_fold_is_unfolded_and_its_place_is_right(
    run,
):
    run.view.set_spans([span("flight 30: Oslo", selected=True)])
    assert run.folded == [1]
    run.view.reveal_selected()
    assert any("flight 30: Oslo¹" in line for line in run.lines)
    run.view.set_spans([span("Rule 2"), span("flight 2:")])
    assert run.folded == [1], "what is in sight does not fold by itself"
    run.view.put_at_top(0)
    run.view.set_spans([])
    assert run.folded == [1]


async def test_evidence_that_goes_lets_a_step_fold_that_is_out_of_sight(run):
    run.view.set_spans([span("flight 30: Oslo")])
    assert run.folded == [1]
    run.view.set_spans([])
    assert run.folded == [1, 5]


async def test_a_search_looks_behind_folds_and_counts_no_words_of_theirs(run):
    assert run.view.search("flight 3") == 11
    assert run.folded == [1]
    assert any("flight 3:" in line for line in run.lines)
    assert run.view.search("more lines") == 0
    assert run.view.search("rule 70") == 1
    assert run.folded == [5]
    run.view.end_search()
    assert run.folded == [5], "the hit was in sight"
    run.view.put_at_top(RUN_READ.steps[-1].heading_start)
    run.view.search("rule 69")
    run.view.put_at_top(RUN_READ.steps[-1].heading_start)
    run.view.end_search()
    assert run.view.finding.hits == ()


async def test_a_selection_that_reaches_a_fold_goes_on_behind_it(run):
    run.view.set_spans([span("Rule 3", selected=True)])
    run.view.selection.begin()
    await run.pilot.press("v", "s", "j")
    assert run.folded == [5]
    assert run.view.selection.text.startswith("Rule 3: agents")
    assert run.view.selection.text.endswith("confirmation.\nRule")
    await run.pilot.press("escape")
    assert run.folded == [5]


async def test_a_word_to_start_from_goes_behind_a_fold_from_above_and_from_below(run):
    run.view.set_spans([span("Rule 3", selected=True)])
    run.view.selection.begin()
    await run.pilot.press("j")
    assert run.view.selection.text == "Rule"
    assert RUN_READ.text[: run.view.selection.stretch[1]].endswith("\nRule")
    assert RUN_READ.text[run.view.selection.stretch[0] :].startswith("Rule 4")
    await run.pilot.press("escape")
    run.view.set_spans([span("Seat", selected=True)])
    run.view.reveal_selected()
    run.view.selection.begin()
    await run.pilot.press("h", "h", "h")
    assert run.folded == []
    assert RUN_READ.text[run.view.selection.stretch[0] :].startswith("40A")


async def test_what_is_brought_into_sight_is_unfolded(run):
    place = RUN_READ.text.index("Rule 50")
    run.view.reveal(place, place + 7)
    assert any("Rule 50" in line for line in run.lines)


async def test_another_text_has_no_steps_and_the_same_run_keeps_what_was_unfolded(run):
    await run.pilot.press("enter")
    run.view.show(RUN_READ.text, [], RUN_READ.steps)
    assert run.folded == [5]
    run.view.show("A response.", [])
    assert run.view.steps is None
    assert run.lines[0] == "A response."
    run.view.show(RUN_READ.text, [], RUN_READ.steps)
    assert run.folded == [1, 5]


async def test_a_run_is_never_shown_as_markdown_reads(run):
    run.view.set_rendered(True)
    assert not run.view.reads_as_markdown
    assert run.lines[0] == "[1] system"


async def test_a_key_lays_nothing_out_again_that_is_not_folded_otherwise(run):
    page = run.view.page
    run.view.set_spans([span("Seat 1A", selected=True)])
    run.view.set_spans([span("Seat 1A"), span("booked", selected=True)])
    run.view.reveal_selected()
    assert run.view.page is page


def test_folds_are_told_in_ascii_where_that_is_asked_for():
    steps = StepsInView(RUN_READ.text, RUN_READ.steps, ASCII)
    assert all(fold.words.isascii() for fold in steps.folds)


def test_styles_of_headings_are_those_of_who_speaks():
    steps = StepsInView(RUN_READ.text, RUN_READ.steps)
    shown = folded_text(steps)
    styles = Counter()
    for step in RUN_READ.steps:
        at = shown.shown_at(step.heading_start)
        styles[shown.worn(at, at + 1)[0][1]] += 1
    assert styles == {("others",): 4, ("spoken",): 3, ("call",): 1}


LINES_OF_RUNS = st.lists(
    st.text(alphabet="ab 测\t", max_size=60)
    | st.just("word " * 30)
    | st.just("x" * 5_000),
    max_size=12,
)


@given(LINES_OF_RUNS, st.integers(2, 40), st.sets(st.integers(0, 400), max_size=5))
def test_rows_that_are_known_from_before_are_those_that_are_measured(
    lines,
    width,
    ends,
):
    text = "\n".join(lines)
    known = {}
    Wrapping(text, width, known_rows=known).extend_past(len(text))
    marks = [(end, 1) for end in sorted(ends) if 0 < end <= len(text)]
    again, anew = (
        Wrapping(text, width, marks, known_rows=known),
        Wrapping(text, width, marks),
    )
    again.extend_past(len(text))
    anew.extend_past(len(text))
    assert list(again.starts) == list(anew.starts)


def test_hits_between_folds_are_shown_where_each_of_them_is():
    steps = StepsInView(RUN_READ.text, RUN_READ.steps)
    hits = find(RUN_READ.text, "a")
    steps.fold_all_but([])
    seen = [hit for hit in hits if not steps.folded_over(hit)]
    shown = folded_text(steps)
    assert len(hits) > len(seen) > 10
    assert shown.all_shown(seen) == [shown.shown_span(*hit) for hit in seen]
    assert RenderedText("abc").all_shown([(0, 1), (2, 3)]) == [(0, 1), (2, 3)]


async def test_another_run_folds_what_only_a_search_of_the_last_one_unfolded(run):
    other = read(
        [
            {**message, "content": message["content"].replace("Rule", "Word")}
            if message.get("content")
            else message
            for message in RUN
        ],
    )
    run.view.search("rule 70")
    assert run.folded == [5]
    run.view.show(other.text, [], other.steps)
    assert run.folded == [1, 5]
