"""A rubric of every kind at once on the screen, the tests' own kind among them."""

from importlib import import_module

import pytest
from review_stage import NARROW, sitting

from appellate.app.keys.help import commands_to_pick
from appellate.app.keys.palette import Commands
from appellate.app.tour import Welcome
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric
from cells import proposal

EXAMPLES = {name: import_module(f"traits.{name}.examples").EXAMPLES for name in kinds()}


def every():
    """A trace for each kind, with all example traits of the kind; nothing has happened to them."""
    questions = [
        {"id": name, f"{name}_traits": list(EXAMPLES[name].traits)} for name in kinds()
    ]
    traces = [
        one.trace.model_copy(update={"id": name, "question_id": name})
        for name, one in EXAMPLES.items()
    ]
    return Rubric(questions=questions), traces, []


@pytest.mark.slow
async def test_every_cell_of_every_kind_is_shown_in_the_pane_of_its_kind(tmp_path):
    named = [(name, trait.name) for name in kinds() for trait in EXAMPLES[name].traits]
    async with sitting(tmp_path, every(), size=NARROW) as at:
        for number, (kind, trait) in enumerate(named, 1):
            assert (at.no, at.cell.subject.kind.name) == (number, kind)
            assert type(at.screen.pane).__module__ == f"appellate.traits.{kind}.pane"
            assert trait in at.text
            await at.press("full_stop")


@pytest.mark.slow
async def test_the_tests_own_kind_is_corrected_with_a_key_of_its_own_and_taken_back(
    tmp_path,
):
    async with sitting(tmp_path, every()) as at:
        while at.cell.subject.kind.name != "tally":
            await at.press("greater_than_sign")
        await at.answer("e", text="3")
        assert at.cell.labels.times == 3
        assert "3 times" in at.words("#pane")
        await at.press("a")
        assert at.bench.workspace.totals()["state:reviewed"] == 1
        await at.press("u", "u", "u")
        assert "Nobody counted yet" in at.words("#pane")


@pytest.mark.slow
async def test_the_palette_names_no_key_that_the_pane_in_sight_has_for_itself(tmp_path):
    async with sitting(tmp_path, every()) as at:
        while at.cell.subject.kind.name != "regex":
            await at.press("greater_than_sign")
        offered = commands_to_pick(Commands(at.screen, at.screen.objects, {}).told_keys)
        listed = {(one.text.split(":")[0], one.number) for one in offered}
        assert {("Copy", "y"), ("Next", "n"), ("Verdict", "2")} <= listed
        assert "3" not in {number for _, number in listed}


async def test_the_card_for_newcomers_names_the_keys_of_the_kind_in_sight(tmp_path):
    async with sitting(tmp_path, every(), welcome=Welcome(card=True)) as at:
        assert "New here? 1 2 yes, no i from a list" in at.words("#card")
        while at.cell.subject.kind.name != "metric":
            await at.press("greater_than_sign")
        assert "1 2 found, missing 3 4 present, absent v select words" in at.words(
            "#card",
        )
        at.bench.receive(at.no, proposal())
        await at.pilot.pause()
        assert "1 2 3 4 item into TP FN FP TN v select words" in at.words("#card")
