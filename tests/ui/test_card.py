from hypothesis import given
from hypothesis import strategies as st
from ui_stage import HOSTILE, Stage, lines_of

from appellate.ui.card import Card, flowing, worded
from appellate.ui.rendered_text import StyledText, cells


@given(
    st.lists(st.text("abc.", min_size=1, max_size=9), min_size=1, max_size=30), st.integers(10, 60)
)
def test_words_flow_into_the_room_there_is_and_none_is_lost(words, room):
    lines = flowing([worded(" ".join(words), {})], room)
    assert all(cells(line) <= room for line in lines)
    assert " ".join("".join(piece.text for piece in line) for line in lines) == " ".join(words)


def test_a_key_stands_in_a_sentence_as_the_person_has_it():
    said = worded("Press {move.tp}: it moves.", {"move.tp": "1"})
    assert said[1] == (StyledText("1", "key"), StyledText(":"))


async def test_a_card_is_as_high_as_its_lines_and_takes_no_focus():
    app = Stage(lambda: [Card()])
    async with app.run_test(size=(40, 12), message_hook=app.hear) as pilot:
        card = app.query_one(Card)
        assert not card.shown
        card.show(worded("some words " * 6, {}), worded(HOSTILE, {}))
        await pilot.pause()
        assert card.size.height == Card.MOST
        assert "\x1b" not in "".join(lines_of(card))
        card.show(worded("one line", {}))
        await pilot.pause()
        assert lines_of(card) == [" one line".ljust(40)]
        assert app.focused is None
        await pilot.click(card)
        assert len(app.heard(Card.PutAway)) == 1
        card.put_away()
        await pilot.pause()
        assert not card.display
