"""A blind cell on the screen: ruled key by key, locked, then shown beside the judge."""

import pytest
from review_stage import both_sizes, played, sitting
from test_review_signing import SECONDS, press_at

from appellate.core.deciding import Draw
from appellate.core.facts import Failed
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import create
from cells import RESPONSE, checklist, matrix, place, proposal, rubric, trace

EACH = (("1", "enter"), *(("2",),) * 3, *(("4",),) * 2)
"""The worked example: 2, 3 and −1 are otherwise to the judge."""
ALL = sum(EACH, ())


def blind(folder, scene):
    """An audit whose first cell was drawn blind after what happened in the scene."""
    of, traces, happened = scene
    opened = create(place(folder), of, traces, "0.1.0")
    played(opened.workspace, folder, happened)
    Workbench(opened.workspace, place(folder).audit, "sampler").do(1, Draw(True))
    opened.workspace.close()


def two(*happened, trait=None):
    return (
        rubric(trait or matrix()),
        [trace("1"), trace("2")],
        [list(happened), [proposal()]],
    )


@pytest.mark.slow
@both_sizes
async def test_a_key_rules_and_proposes_the_words_and_a_locks_and_shows_the_judge(
    tmp_path,
    size,
):
    blind(tmp_path, two(proposal()))
    async with sitting(tmp_path, size=size) as at:
        assert "BLIND" in at.line("keys")
        assert "1 2 found, missing" in at.line("keys")
        assert "judge" not in at.words("#pane").replace(
            "then the judge's answer is shown",
            "",
        )
        for number, keys in enumerate(EACH, 1):
            assert at.screen.pane.instructions.link == (
                "tp" if number < 5 else "tn",
                number if number < 5 else number - 4,
            )
            await at.press(*keys)
            assert at.app.screen is at.screen
        assert "your blind verdict beside gpt" in await at.shows("a")
        told = " ".join(at.words("#rows").split())
        assert "3 differ" in told
        assert "3 as the judge says" in told
        assert "⇄ 2" in told
        await at.press("down", "enter")
        assert at.screen.pane.instructions.link == ("tp", 3)
        assert "judge: found" in at.words("#pane")
        assert "ruled blind by ada" in at.line("header")
        assert "BLIND" not in at.line("keys")
        assert await at.goes("j", "a") == 2


async def test_what_is_not_ruled_yet_is_said_before_anything_is_locked(tmp_path):
    blind(tmp_path, two(proposal()))
    async with sitting(tmp_path) as at:
        assert (
            await at.says("3")
            == "It is a TP instruction: it is found (TP) or missing (FN)."
        )
        assert (await at.says("a")).startswith(
            "None of the 6 instructions is ruled on yet",
        )
        await at.press(*ALL[:5], "a")
        assert (
            at.said
            == "Not ruled on yet: −1, −2 (2 of 6). The judge is shown once all are."
        )
        assert at.cell.hidden


async def test_words_bear_a_verdict_out_that_were_selected_or_are_proposed_or_none(
    tmp_path,
):
    blind(tmp_path, two(proposal()))
    async with sitting(tmp_path) as at:
        await at.press("v", "w", "w", "1")
        assert at.texts("tp") != [matrix().tp_instructions[0]]
        assert at.cell.labels.tp[0].span is not None
        await at.press("1")
        assert at.line("keys").startswith("BLIND · EVIDENCE 1/1")
        assert at.selected == f"{RESPONSE.split('. ')[0]}.", (
            "a sentence, and not the judge's words"
        )
        await at.press("enter")
        assert at.cell.labels.tp[1].span is not None
        await at.press("1", "0")
        assert at.cell.labels.tp[2].span is None
        assert at.cell.unverified == 0


@pytest.mark.slow
async def test_a_wrong_candidate_can_be_added_to_a_blind_cell(tmp_path):
    blind(tmp_path, two(proposal(checklist()), trait=checklist()))
    async with sitting(tmp_path) as at:
        await at.press(*ALL[:5], "v", "w", "3")
        assert at.marks["fp"] == [4]
        await at.press("a")
        assert at.bench.open_unhidden(1)[1].ruled


@pytest.mark.slow
async def test_an_answer_is_given_otherwise_and_undone_until_it_is_locked(tmp_path):
    blind(tmp_path, two(proposal()))
    async with sitting(tmp_path) as at:
        await at.press("1", "enter", "k", "2")
        assert at.marks == {"fn": [1]}
        await at.press("u", "u")
        assert at.cell.labels is None
        assert (await at.says(*ALL, "a", "escape", "u")).startswith(
            "The verdict is locked",
        )
        assert at.cell.ruled


@pytest.mark.slow
async def test_a_change_of_mind_is_a_correction_and_the_verdict_stays(tmp_path):
    blind(tmp_path, two(proposal()))
    async with sitting(tmp_path) as at:
        await at.press(*ALL, "a", "enter", "1", "0")
        assert at.state == "corrected"
        assert "3 of 6 differ from the judge, 1 changed since" in str(
            at.screen.pane.border_title,
        )
        await at.press("V")
        assert "now" in at.words("#rows")
        await at.press("escape", "a")
        cell = at.bench.open_unhidden(1)[1]
        assert cell.state == "reviewed"
        assert cell.verdict != cell.labels
        # the first names the sign-off of a cell that was left
        await at.press("u", "u", "u")
        assert at.cell.labels == at.cell.verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    ("happened", "told"),
    [
        ([], "The judge has not judged this cell yet. a goes on."),
        (
            [Failed("no answer", "", {"name": "gpt"})],
            "The judge failed here. a goes on.",
        ),
    ],
    ids=["not judged", "failed"],
)
async def test_where_there_is_nothing_to_reveal_that_is_said(tmp_path, happened, told):
    blind(tmp_path, two(*happened))
    async with sitting(tmp_path) as at:
        assert "failed" not in at.text
        assert await at.says(*ALL, "a") == f"Locked. {told}"
        assert at.no == 1
        assert await at.goes("j", "a") == 2


@pytest.mark.slow
async def test_a_reply_to_a_blind_cell_changes_nothing_that_is_seen_till_it_is_locked(
    tmp_path,
):
    blind(tmp_path, two())
    async with sitting(tmp_path) as at:
        await at.press("2", "2")
        before, place_ = at.text, at.place
        at.bench.receive(1, proposal())
        await at.pilot.pause()
        assert (at.text, at.place) == (before, place_)
        assert (await at.says("J")).startswith("This cell is blind")
        assert (await at.says("V")).startswith("Blind")
        assert "your blind verdict beside gpt" in await at.shows(
            "2",
            "2",
            "4",
            "4",
            "a",
        )


@pytest.mark.slow
async def test_the_key_that_locks_goes_on_only_after_it_was_let_go(tmp_path):
    blind(tmp_path, two(proposal()))
    async with sitting(tmp_path, arrived=SECONDS) as at:
        await at.press(*ALL)
        await press_at(at, 10, *(10.5 + repeat / 30 for repeat in range(9)))
        assert "your blind verdict beside gpt" in at.text
        await press_at(at, 30)
        assert at.no == 2


async def test_who_only_reads_sees_no_more_of_a_blind_cell(tmp_path):
    blind(tmp_path, two(proposal()))
    async with sitting(tmp_path, readonly=True) as at:
        assert at.cell.hidden
        assert "only reads" in await at.says("a")
        assert (await at.says("V")).startswith("Blind")
