from hypothesis import given
from hypothesis import strategies as st
from ui_stage import HOSTILE, Stage, lines_of

from appellate.ui.bar import (
    Card,
    KeyStrip,
    MetricsBar,
    Part,
    StatusStrip,
    fitting_hints,
    fitting_parts,
    hint_at,
    sentence_atoms,
)
from appellate.ui.key import Hint
from appellate.ui.marks import ASCII
from appellate.ui.measures import LAST_KEY, MeasureLine, MeasureValue, differs, value
from appellate.ui.measures_bar import line, sentences
from appellate.ui.rendered_text import cells, flowing
from appellate.ui.rows import StyledText
from appellate.ui.text import cell_width


def figure(name, short, now, base=None):
    """A figure from values; None for 0/0, and no base where none is given."""
    if base is not None:
        base = MeasureValue(name, short, *base)
    return MeasureValue(name, short, *now, base=base)


def of(value):
    return (0.0, True) if value == "0/0" else (value, False)


JUDGE = ("± since the judge", "± judge")
PRECISION = figure("precision", "P", of(0.75), of(0.5))
RECALL = figure("recall", "R", of("0/0"), of(1.0))
F1 = figure("f1", "F1", of(0.5), of(0.5))
REST = MeasureLine([PRECISION, RECALL, F1], "instructions 6/6", "corrected", JUDGE)
MOVED = MeasureLine(
    [
        figure("f1", "F1", of(0.86), of(0.75)),
        figure("recall", "R", of(0.5), of(0.75)),
        figure("precision", "P", of(0.5), of("0/0")),
    ],
    "",
    "corrected",
    LAST_KEY,
)
values = st.sampled_from(["0/0", None, 0.0, 0.25, 0.5, 1.0]).map(of)
some = st.builds(
    figure,
    st.sampled_from(["f1", HOSTILE]),
    st.sampled_from(["F1", HOSTILE]),
    values,
    values,
)


def told(figures, room, **more):
    return "".join(piece.text for piece in line(figures, room, **more)).rstrip()


def test_the_fullest_telling_that_fits_is_shown():
    assert told(REST, 120).startswith(
        " precision .75 +.25   recall 0/0 (was 1.00)   f1 .50   corrected, ± since the judge  ",
    )
    assert told(REST, 120).endswith("instructions 6/6")
    assert told(REST, 47) == " P .75 +.25  R 0/0 (was 1.00)  F1 .50   ± judge"
    assert told(REST, 40) == " P .75  R 0/0  F1 .50  instructions 6/6"
    assert told(REST, 30) == " P .75  R 0/0  F1 .50"
    assert told(REST, 12) == " P .75  R 0…"


def test_a_difference_is_never_shown_without_what_it_is_to_but_for_the_last_key():
    for room in range(8, 140):
        shown = told(REST, room)
        assert ("+.25" in shown) == ("± " in shown)
        after_a_key = told(MOVED, room)
        if "± " in after_a_key:
            assert "+.11" in after_a_key


def test_names_do_not_come_and_go_with_every_key():
    four = [
        figure(name, name[0].upper(), of(0.5), of(0.5))
        for name in ("precision", "recall", "f1", "accuracy")
    ]
    same = told(MeasureLine(four, "", "the judge's"), 80)
    assert same == " P .50  R .50  F .50  A .50   the judge's"
    assert "precision" in told(MeasureLine(four), 120)


def test_a_number_that_is_compared_with_none_stands_alone():
    by_hand = MeasureLine(
        [figure("precision", "P", of(0.75)), MeasureValue("f1", "F1")],
    )
    assert told(by_hand, 80) == " precision .75   f1 –"


def test_whose_the_numbers_are_is_said_where_there_is_room():
    same = MeasureLine([F1], "instructions 6/6", "the judge's")
    assert told(same, 80).startswith(" f1 .50   the judge's  ")
    assert told(same, 30) == " f1 .50      instructions 6/6"


def test_after_a_key_the_numbers_that_moved_show_by_how_much():
    assert told(MOVED, 90) == (
        " f1 .86 +.11   recall .50 −.25   precision .50 (was 0/0)   corrected, ± since the last key"
    )
    assert told(MOVED, 60) == " F1 .86 +.11  R .50 −.25  P .50 (was 0/0)   ± last key"
    assert told(MOVED, 49) == " F1 .86 +.11  R .50 −.25  P .50 (was 0/0)   ± key"
    assert told(MOVED, 45) == " F1 .86 +.11  R .50 −.25  P .50 (was 0/0)"
    assert told(MOVED, 24) == " F1 .86  R .50  P .50"
    assert ".50 -.25" in told(MOVED, 90, marks=ASCII)


def test_the_numbers_are_told_in_sentences_too():
    assert sentences(MOVED) == (
        "f1 .86, corrected, .75 before (+.11 since the last key)\n"
        "recall .50, corrected, .75 before (−.25 since the last key)\n"
        "precision .50, corrected, 0/0 before"
    )


@given(st.lists(some, max_size=5), st.integers(0, 160))
def test_the_bar_never_exceeds_its_room(figures, room):
    drawn = line(MeasureLine(figures, HOSTILE), room)
    assert sum(cell_width(piece.text) for piece in drawn) <= room
    assert not any(char in piece.text for piece in drawn for char in "\x1b\u202e\n")


@given(values, values)
def test_a_change_is_never_hidden_where_there_is_room(now, before):
    one = figure("f1", "F1", now, before)
    shown = told(MeasureLine([one], since=LAST_KEY), 80).removesuffix(
        "   ± since the last key",
    )
    assert differs(one) == (now != before)
    assert shown.endswith(f"f1 {value(one)}") == (now == before)


def test_keys_give_way_by_need_and_keep_their_order():
    hints = [
        Hint("a", "one", priority=1),
        Hint("b", "two", priority=9),
        Hint("?", "keys", priority=0),
    ]
    assert [hint.key for hint in fitting_hints(hints, 30)] == ["a", "b", "?"]
    assert [hint.key for hint in fitting_hints(hints, 13)] == ["a", "?"]
    assert [hint.key for hint in fitting_hints(hints, 6)] == ["?"]
    assert [hint_at(hints, 13, cell) for cell in (0, 4, 5, 7, 13)] == [
        hints[0],
        hints[0],
        None,
        hints[2],
        None,
    ]


def test_parts_give_way_by_need():
    left, right = (
        [Part("file", priority=0), Part("kept", priority=1)],
        [Part("ada", priority=9), Part("1/3")],
    )
    assert fitting_parts(left, right, 40) == (left, right)
    assert fitting_parts(left, right, 15) == (left, right[1:])
    assert fitting_parts(left, right, 2) == (left[:1], [])


def test_a_part_that_does_not_fit_takes_no_shorter_one_with_it():
    left, right = (
        [Part("trace")],
        [Part("a long word", priority=4), Part("ada", priority=9)],
    )
    assert fitting_parts(left, right, 12) == (left, right[1:])


async def test_the_strips_draw_hostile_parts_inert_and_a_click_asks_for_an_action():
    app = Stage(lambda: [StatusStrip(), MetricsBar(), KeyStrip()])
    async with app.run_test(size=(60, 8), message_hook=app.hear) as pilot:
        app.query_one(StatusStrip).show(
            [Part(HOSTILE, "good")],
            [Part("ada", "muted", 1)],
        )
        app.query_one(MetricsBar).show(
            MeasureLine([MeasureValue(HOSTILE, "P", 0.5)], HOSTILE),
        )
        app.query_one(KeyStrip).show(
            [Hint("u", "undo", "undo"), Hint("[/x]", "[red]", "x", 1)],
        )
        await pilot.click(KeyStrip, offset=(3, 0))
        await pilot.click(KeyStrip, offset=(40, 0))
        assert [event.action for event in app.heard(KeyStrip.Pressed)] == ["undo"]
        assert "\x1b" not in str(app.query_one(MetricsBar).tooltip)
        for kind in (StatusStrip, MetricsBar, KeyStrip):
            assert "\x1b" not in lines_of(app.query_one(kind))[0]
        assert lines_of(app.query_one(KeyStrip))[0].rstrip() == " u undo  [/x] [red]"


@given(
    st.lists(st.text("abc.", min_size=1, max_size=9), min_size=1, max_size=30),
    st.integers(10, 60),
)
def test_words_flow_into_the_room_there_is_and_none_is_lost(words, room):
    lines = flowing([sentence_atoms(" ".join(words), {})], room)
    assert all(cells(line) <= room for line in lines)
    assert " ".join(
        "".join(piece.text for piece in line) for line in lines
    ) == " ".join(words)


def test_a_key_stands_in_a_sentence_as_the_person_has_it():
    said = sentence_atoms("Press {move.tp}: it moves.", {"move.tp": "1"})
    assert said[1] == (StyledText("1", "key"), StyledText(":"))


async def test_a_card_is_as_high_as_its_lines_and_takes_no_focus():
    app = Stage(lambda: [Card()])
    async with app.run_test(size=(40, 12), message_hook=app.hear) as pilot:
        card = app.query_one(Card)
        assert not card.shown
        card.show(sentence_atoms("some words " * 6, {}), sentence_atoms(HOSTILE, {}))
        await pilot.pause()
        assert card.size.height == Card.MOST
        assert "\x1b" not in "".join(lines_of(card))
        card.show(sentence_atoms("one line", {}))
        await pilot.pause()
        assert lines_of(card) == [" one line".ljust(40)]
        assert app.focused is None
        await pilot.click(card)
        assert len(app.heard(Card.PutAway)) == 1
        card.put_away()
        await pilot.pause()
        assert not card.display
