"""A person at LLM cells of the review screen: verdicts by one key, on words, in a search, taken back, signed."""

from llm_traits import judged

from app.review_stage import both_sizes, sitting
from appellate.app.keys.help import focus_here, keys_help
from appellate.ui.marks import UNICODE


@both_sizes
async def test_one_key_gives_a_verdict_of_each_sort_and_u_takes_it_back(tmp_path, size):
    async with sitting(tmp_path, judged(), size=size) as at:
        assert "1 2 verdict" in at.line("keys")
        await at.press("2")
        assert (at.cell.labels.value, at.state) == (False, "corrected")
        await at.press("full_stop")
        assert "1-5 verdict" in at.line("keys")
        await at.press("4")
        assert at.cell.labels.value == 4
        await at.press("full_stop", "3")
        assert at.cell.labels.name == "rude"
        await at.press("u")
        assert (at.cell.labels.name, at.state) == ("plain", "proposed")
        assert "Press u again to undo: " in await at.says("u")
        await at.press("u")
        assert (at.no, at.cell.labels.value) == (2, 2)


async def test_a_verdict_is_given_on_words_that_are_selected(tmp_path):
    async with sitting(tmp_path, judged(), at=2) as at:
        await at.press("v", "home", "v", "w", "w", "4")
        labels = at.cell.labels
        assert (labels.value, [one.span[0] for one in labels.evidence]) == (4, [0])
        await at.press("plus", "s", "enter")
        assert len(at.cell.labels.evidence) == 2


def keys_text(at):
    """The keys that the help names at the cell, by what is chosen with them."""
    pane, keys = type(at.screen.pane), at.screen.objects.keys_here
    return {
        one.key: one.number
        for one in keys_help(UNICODE, keys, pane, focus_here(at.screen))
    }


async def test_y_copies_and_n_goes_on_whatever_the_verdict_may_be(tmp_path):
    async with sitting(tmp_path, judged()) as at:
        for no in (1, 2):
            told = keys_text(at)
            assert (told["cell.copy"], told["unreviewed.next"]) == ("y", "n")
            assert "n next" in at.line("keys")
            await at.press("y")
            assert "Copy" in at.text
            await at.press("escape", "n")
            assert (at.no, at.cell.state) == (no + 1, "proposed")
