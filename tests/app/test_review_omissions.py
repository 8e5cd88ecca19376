"""An instruction that asks for what is left out, on the screen: ∅ and the judge's reason, and by hand."""

import re

from review_stage import both_sizes, played, sitting

from appellate.app.reading import material_pages
from appellate.core.deciding import Draw
from appellate.core.facts import Proposed
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import create, resume
from appellate.traits.metric import KIND
from cells import EXPECTED, GENE, TRACE, matrix, place, rubric, table, trace

UNASKED, UNSAID = "Fails to ask why", "Does not name a drug"
TRAIT = matrix(
    tp_instructions=EXPECTED[:1],
    tn_instructions=[UNASKED, UNSAID],
    fp_instructions=[],
)
WHY = "it asks nothing"


def scene():
    """TP 1, FP −1 by omission, TN −2."""
    given = table(tp=[GENE], fp=[UNASKED], tn=[UNSAID])
    given["items"] = [
        {"bucket": "tp", "index": 0, "instruction": 1},
        {"bucket": "fp", "index": 0, "omission": True, "rationale": WHY},
    ]
    judged = Proposed(KIND.locate(TRAIT, TRACE, given), {"name": "gpt"})
    return rubric(TRAIT), [trace("1"), trace("2")], [[judged], [judged]]


def omitted(at):
    return [item.omission for item in at.cell.labels.fp]


@both_sizes
async def test_the_judges_reason_stands_where_an_excerpt_would(tmp_path, size):
    async with sitting(tmp_path, scene(), size=size) as at:
        await at.press("l", "l")
        assert f"∅ by omission: {WHY}" in at.words("#pane")
        assert "unverified" not in at.text
        assert "no evidence" not in at.text
        assert (await at.says("e")).startswith("It is met by omission")
        await at.press("t")
        assert f"∅ by omission: {WHY}" in at.words("#pane")
        await at.press("a")
        assert at.bench.workspace.cell(1)[1].state == "reviewed"


@both_sizes
async def test_without_words_it_is_met_by_omission_and_words_that_are_selected_go_before(
    tmp_path,
    size,
):
    async with sitting(tmp_path, scene(), size=size) as at:
        assert await at.says("l", "l", "l", "3") == (
            "It is left out: Enter or 0 takes it by omission; or select words that show it."
        )
        await at.press("down", "up")
        assert re.search("Enter by omission +0 by omission", at.line("keys"))
        for key in ("enter", "0"):
            await at.press(key)
            assert omitted(at) == [True, True]
            assert at.numbers["specificity"] == 0
            assert at.said == ""
            await at.press("u")
            assert at.said.startswith(f"Undone: moved TN → FP by omission: “{UNSAID}”")
            assert omitted(at) == [True]
            await at.press("3")
        await at.press("l", "enter")
        assert omitted(at) == [True, False]


async def test_turned_and_turned_back_it_is_by_omission_and_other_words_come_and_go(
    tmp_path,
):
    async with sitting(tmp_path, scene()) as at:
        await at.press("l", "l", "space")
        assert at.marks["tn"] == [-1, -2]
        await at.press("space")
        assert omitted(at) == [True]
        await at.press("=", "l", "enter")
        assert omitted(at) == [False]
        assert "was by omission" in at.words("#pane")
        await at.press("=", "0")
        assert omitted(at) == [True]


async def test_a_blind_cell_takes_it_too(tmp_path):
    of, traces, happened = scene()
    opened = create(place(tmp_path), of, traces, "0.1.0")
    played(opened.workspace, tmp_path, happened)
    Workbench(opened.workspace, place(tmp_path).audit, "sampler").do(1, Draw(True))
    opened.workspace.close()
    async with sitting(tmp_path) as at:
        await at.press("2", "3")
        if not omitted(at):
            await at.press("0")
        assert omitted(at) == [True]
        assert "∅ by omission" in at.words("#pane")


async def test_the_audit_keeps_it_and_is_written_again_as_it_was(tmp_path):
    of, *happened = scene()
    marked = TRAIT.model_copy(update={"omissions": {EXPECTED[0]: False}})
    async with sitting(
        tmp_path,
        (of.model_copy(update={"metric_traits": [marked]}), *happened),
    ) as at:
        await at.press("l", "l", "l", "3", "0", "a")
    with resume(place(tmp_path)).workspace as workspace:
        Workbench(workspace, place(tmp_path).audit, "ada").save()
    written = place(tmp_path).audit.read_bytes()
    assert written.count(b"omission = true") == (1 + 2 + 1) + (1 + 1)
    (one, _) = load_audit(place(tmp_path).audit).cells
    assert [item.omission for item in one.cell.labels.fp] == [True, True]
    assert load_audit(place(tmp_path).audit).text().encode() == written


async def test_the_trait_is_told_with_what_its_rubric_says_of_an_instruction(tmp_path):
    marked = TRAIT.model_copy(update={"omissions": {UNSAID: True}})
    async with sitting(tmp_path, (rubric(marked), [trace("1")], [[]])) as at:
        told = [
            section.text for section in material_pages.trait_sections(at.cell, "rubric")
        ]
    assert f" 1 {UNASKED}\n 2 {UNSAID} (omission = true)" in told
