"""Cells of several kinds in one queue: each has its own pane, with its own keys."""

import pytest
from review_stage import both_sizes, sitting

from appellate.session.settings import Settings
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.rubric import Rubric
from cells import matrix, proposal, trace


def both():
    """Cell 1 is of the metric kind, cell 2 asks a pattern of the same response."""
    pattern = RegexRubricTrait(name="Chromosome", pattern=r"chromosome \d+")
    return (
        Rubric(name="both", metric_traits=[matrix()], regex_traits=[pattern]),
        [trace("t1")],
        [[proposal()]],
    )


@both_sizes
async def test_each_kind_has_its_pane_and_its_keys(tmp_path, size):
    async with sitting(tmp_path, both(), size=size) as at:
        assert "TP 3" in at.words("#pane")
        await at.press("full_stop")
        await at.until(lambda: "chromosome 1" in at.words("#pane"))
        assert "TP 3" not in at.words("#pane")
        assert "1-4 move" not in at.line("keys")
        assert await at.goes("2") == 2
        assert at.cell.labels.value is False
        await at.press("u", "comma")
        assert "TP 3" in at.words("#pane")
        assert at.named("pane")
        await at.press("2")
        assert sorted(at.marks["fn"]) == [1, 4]


@pytest.mark.slow
async def test_the_keys_of_the_pane_act_from_the_queue_and_the_response_as_well(
    tmp_path,
):
    async with sitting(tmp_path, both()) as at:
        await at.press("full_stop")
        await at.until(lambda: at.cell.labels is not None)
        await at.press("Q", "i", "2", "enter", "escape")
        assert at.cell.labels.value is False
        await at.press("o", "o", "1", "escape")
        assert at.cell.labels.value is True


async def test_the_checklist_is_shown_first_where_the_settings_say_so_whatever_kind_is_in_sight(
    tmp_path,
):
    async with sitting(
        tmp_path,
        both(),
        at=2,
        settings=Settings(view="checklist"),
    ) as at:
        await at.press("comma")
        assert "found" in at.words("#pane")


async def test_a_pane_without_use_for_words_leaves_them_to_be_copied_and_help_is_of_its_kind(
    tmp_path,
):
    async with sitting(tmp_path, both()) as at:
        told = " ".join((await at.shows("full_stop", "question_mark")).split())
        assert " 1 2 yes, no " in told
        assert " i from a list " in told
        told = await at.shows("tab")
        assert "score 3" not in told
        assert " TP" not in told
        await at.press("escape")
        assert (await at.says("v", "w", "y")).startswith("Sent what is selected")
        await at.press("escape", "y", "escape")
        assert at.cell.labels.value is True
