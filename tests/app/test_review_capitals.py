"""Words that are typed with Caps Lock on, where letters are keys: nothing comes of them."""

from itertools import chain, repeat

from review_stage import NARROW, sitting

from appellate.app.compare.screen import ComparingScreen


def typing(slow=0):
    """A clock by which the first keys are a second apart, the others as fast as typed words."""
    seconds = chain(repeat(1.0, slow), repeat(0.2))
    moment = [0.0]

    def arrived(_):
        moment[0] += next(seconds)
        return moment[0]

    return arrived


async def test_a_comment_typed_in_capitals_is_said_and_writes_nothing(tmp_path):
    async with sitting(tmp_path, at=2, size=NARROW, arrived=typing()) as at:
        before = at.facts
        said = await at.says(*"CLOOKS", "space", *"FINE", "enter")
        assert said.startswith(
            "Caps Lock? C L O looked like typed text: nothing was done from",
        )
        assert "takes back" not in said
        assert at.facts == before
        assert at.app.screen is at.screen


async def test_what_the_first_letters_did_is_said_to_be_taken_back(tmp_path):
    async with sitting(tmp_path, at=2, size=NARROW, arrived=typing()) as at:
        said = await at.says(*"FCLAG")
        assert said.endswith("u takes back what was done before.")
        await at.press("u")
        assert not at.cell.flag


async def test_capitals_with_a_pause_between_act_or_name_the_small_letter(tmp_path):
    async with sitting(tmp_path, at=2, size=NARROW) as at:
        said = await at.says("A")
        assert said == (
            "A does nothing here: ? lists the keys. a does something: is Caps Lock on?"
        )
        await at.press("M", "C", "F")
        assert at.cell.flag


async def test_capitals_are_words_where_words_are_typed(tmp_path):
    async with sitting(tmp_path, at=2, size=NARROW, arrived=typing()) as at:
        await at.press("c", *"LOOKS", "space", *"FINE", "enter")
        (comment,) = at.cell.comments
        assert comment.what.text == "LOOKS FINE"


async def test_screens_that_compare_have_the_same_hand(tmp_path):
    async with sitting(tmp_path, at=2, arrived=typing(slow=2)) as at:
        await at.press("b")
        await at.until(lambda: isinstance(at.app.screen, ComparingScreen))
        before = at.facts
        await at.press(*"FCLAG", "1")
        assert at.answered.startswith("Caps Lock? F C L")
        assert at.facts <= before + 1
