"""Words selected for a bucket or as evidence: what is offered, what a search does to them, and which keys wait."""

import pytest
from review_stage import NARROW, ROOMY, sitting

from appellate.core.facts import Proposed
from appellate.session.settings import Settings
from cells import (
    CANCER,
    EXPECTED,
    GENE,
    PLACE,
    RESPONSE,
    SURVIVE,
    matrix,
    rubric,
    table,
    trace,
)

FULL = 2
LAST = RESPONSE.split(". ")[1]
FIRST = RESPONSE.split(". ")[0] + "."
WORDY = "# Genes\n\nCells **survive** by it. The **BCL2** gene is\non *chromosome 18*, as is known."
both_sizes = pytest.mark.parametrize("size", [ROOMY, NARROW], ids=["wide", "narrow"])


def missing_all(response):
    """A cell in which a judge found nothing in a response."""
    nothing = table(tp=[], fn=EXPECTED, fp=[], tn=[])
    nothing["items"] = [
        {"bucket": "fn", "index": n, "of": "tp", "instruction": n + 1} for n in range(4)
    ]
    return (
        rubric(matrix()),
        [trace("t", response=response)],
        [[Proposed(nothing, {"name": "gpt"})]],
    )


def mode(at):
    """The name at the left of the keys."""
    return at.line("keys").partition("  ")[0].strip()


# -- evidence -----------------------------------------------------------------------------------------


@both_sizes
async def test_the_likeliest_sentence_is_the_evidence_that_enter_takes_and_tab_goes_to_the_next(
    at,
):
    await at.press("l", "1")
    assert at.selected == LAST
    assert mode(at) == "EVIDENCE 1/2"
    await at.press("enter")
    assert at.texts("tp")[3] == LAST
    assert at.cell.labels.bucket("tp")[3].span == (RESPONSE.index(LAST), len(RESPONSE))

    await at.press("u")
    at.screen.pane.go("fn", 0)
    await at.press("1", "tab")
    assert (at.selected, mode(at)) == (FIRST, "EVIDENCE 2/2")
    await at.press("tab")
    assert (at.selected, mode(at)) == (LAST, "EVIDENCE 1/2")
    await at.press("shift+tab", "enter")
    assert at.texts("tp")[3] == FIRST

    at.screen.pane.go("tn", 0)
    await at.press("3", "enter")
    assert at.texts("fp") == [LAST[:-1], FIRST], "so is that of a known false claim"


async def test_keys_that_move_begin_a_selection_of_ones_own_at_the_sentence_offered(at):
    before = at.facts
    assert (await at.says("l", "1", "1", "1")).startswith(
        "Enter takes the words as evidence",
    )
    assert at.facts == before, "a digit that is held down takes none"
    await at.press("l")
    assert at.selected == "is"
    await at.press("tab", "tab", "b", "b")
    assert at.selected == "It is located on chromosome"
    await at.press("enter")
    assert at.texts("tp")[3] == "It is located on chromosome"


@pytest.mark.parametrize("face", ["rendered", "raw"])
async def test_a_sentence_is_offered_where_either_face_shows_it(tmp_path, face):
    async with sitting(tmp_path, missing_all(WORDY)) as at:
        await at.press(*("M" if face == "raw" else ""), "end", "1")
        assert "chromosome 18" in at.selected
        await at.press("enter")
        item = at.cell.labels.bucket("tp")[0]
        assert item.text == WORDY[slice(*item.span)]
        assert "chromosome 18" in item.text


async def test_without_a_likely_sentence_enter_asks_for_words_and_takes_none(tmp_path):
    async with sitting(
        tmp_path,
        missing_all("Nobody could say anything about that."),
    ) as at:
        before = at.facts
        assert (await at.says("1")).startswith("Select the words that show it")
        assert (await at.says("enter", "enter")).startswith("Nothing is selected yet")
        assert "Esc, then 2 moves the item there" in await at.says("2")
        assert at.facts == before
        await at.press("l")
        assert mode(at) == "EVIDENCE"
        await at.press("enter")
        assert at.texts("tp") == ["could"]


@pytest.mark.slow
async def test_nothing_is_taken_for_selected_that_only_a_search_or_another_face_left_there(
    tmp_path,
):
    async with sitting(
        tmp_path,
        missing_all("Nobody *could* say anything about that."),
    ) as at:
        before = at.facts
        assert (await at.says("1", "M", "enter")).startswith("Nothing is selected yet")
        await at.press("escape", "slash", *"that", "enter", "1", "enter")
        assert at.said.startswith("Nothing is selected yet")
        assert at.facts == before


# -- words for a bucket -------------------------------------------------------------------------------


async def test_a_word_that_nobody_chose_goes_into_no_bucket(at):
    assert (await at.says("v", "1")).startswith("Nothing is selected yet")
    assert (await at.says("enter")).startswith("Nothing is selected yet")
    await at.press("v", "1", "enter")
    assert at.texts("tp").count("BCL2") == 1


async def test_a_selection_begins_at_the_hit_of_a_search_and_one_that_is_left_changes_none(
    at,
):
    await at.press("v", "w", "slash", *"cancer", "escape")
    assert at.named("response")
    assert (at.selected, mode(at)) == ("BCL2 is", "SELECT")
    await at.press("escape", "slash", *"canc", "enter")
    assert mode(at) == "FIND canc 1/1"
    await at.press("v")
    assert at.selected == "cancer"
    assert mode(at) == "SELECT · FIND canc 1/1"
    await at.press("escape")
    assert mode(at) == "FIND canc 1/1"
    assert "FIND" not in await at.shows("escape")
    assert at.named("pane")


@pytest.mark.slow
@both_sizes
async def test_a_search_within_a_selection_goes_on_selecting_at_its_hits(at):
    await at.press("v", "slash", *"is", "enter")
    assert at.named("response")
    assert (at.selected, mode(at)) == ("is", "SELECT · FIND is 1/3")
    await at.press("n")
    assert (at.selected, mode(at)) == ("is", "SELECT · FIND is 2/3")
    await at.press("v", "slash", *"cancer", "enter")
    assert at.selected == CANCER
    await at.press("1", "0", "enter")
    assert CANCER in at.texts("tp")[3:]


async def test_the_strip_counts_the_hits_of_whatever_is_looked_for(tmp_path):
    async with sitting(tmp_path, size=NARROW, at=FULL) as at:
        await at.answer("slash", text="helps cells survive and is important in cancer")
        assert mode(at) == "FIND helps cells survive and… 1/1"


async def test_a_search_ends_with_the_words_that_are_taken(at):
    ways = {
        "before": ("tp", ["slash", *"cancer", "enter", "v", "1", "enter"]),
        "within": ("tp", ["v", "slash", *"cancer", "enter", "3", "enter"]),
        "evidence": ("fn", ["1", "slash", *"cancer", "enter", "enter"]),
        "none": ("fn", ["1", "slash", *"cancer", "enter", "0"]),
    }
    for way, (bucket, keys) in ways.items():
        at.screen.pane.go(bucket, 0)
        before = at.facts
        await at.press(*keys)
        assert at.facts > before, way
        assert "FIND" not in at.line("keys"), way
        assert not at.screen.response.searching, way
        await at.press("u")


async def test_keys_that_the_strip_does_not_show_wait_and_a_click_says_what_words_answer(
    at,
):
    before = at.facts
    await at.press("v", "w")
    for key in ("J", "a", "d", "n", "full_stop", "q", "u", "tab"):
        await at.press(key)
        assert "waits: words are being selected" in at.said, key
        assert at.named("response"), key
    assert at.facts == before
    assert (at.no, at.selected) == (FULL, "BCL2 is")

    at.screen.pane.rows.visit(1, 0)
    await at.pilot.pause()
    assert at.named("response")
    await at.press("1", "enter")
    assert at.marks == {"tp": [1, 2, 3, 4], "fp": [-1], "tn": [-2]}


# -- other words for an excerpt -----------------------------------------------------------------------


async def test_enter_puts_the_words_selected_in_the_place_of_the_items_excerpt_if_it_has_one(
    at,
):
    before = at.facts
    await at.press("l", "v", "w", "enter")
    assert at.said.endswith("1 puts the words into TP, 3 into FP; Esc leaves.")
    assert (at.selected, at.facts) == ("BCL2 is", before)

    await at.press("escape")
    at.screen.pane.go("tp", 1)
    await at.press("v", "s", "enter")
    assert at.texts("tp")[1] == FIRST
    assert at.place == ("tp", 1)
    assert at.marks == {"tp": [1, 2, 3], "fn": [4], "fp": [-1], "tn": [-2]}
    assert at.named("pane")
    await at.press("u")
    assert at.texts("tp")[1] == SURVIVE


@pytest.mark.slow
async def test_other_words_begin_with_those_that_stand_there_and_go_on_to_the_likeliest(
    at,
):
    await at.press("j", "equals_sign")
    assert (at.selected, mode(at)) == (SURVIVE, "EVIDENCE 1/2")
    assert await at.says("enter") == "It is worded so already."
    await at.press("k", "equals_sign", "tab")
    assert at.selected == FIRST
    await at.press("enter")
    assert at.texts("tp")[0] == FIRST
    await at.press("equals_sign", "b", "enter")
    assert at.texts("tp")[0] == FIRST.removesuffix(".")
    assert at.bench.workspace.facts.last_n() == at.cell.facts[-1].n


async def test_an_item_is_split_before_the_words_selected_where_they_are_within_it(at):
    await at.press("v", "s", "plus")
    assert at.said == "Select words within the item's excerpt: + splits it before them."
    assert at.texts("tp")[0] == GENE
    await at.press("escape")
    await at.press("v", "l", "l", "plus")
    assert at.texts("tp")[:3] == ["BCL2 is", "an anti-apoptotic gene", SURVIVE]
    await at.press("u", "v", "w", "plus")
    assert at.texts("tp")[:2] == ["BCL2 is", "an anti-apoptotic gene"]


@pytest.mark.slow
async def test_words_are_linked_without_asking_only_where_one_instruction_is_plainly_meant(
    at,
):
    # like 4, the one under the cursor and the only missing one
    await at.press("l", "v", "w", "1")
    assert at.said == "Answers 4 · i changes that. Instruction 4 goes from FN to TP."
    await at.press("u", "h", "v", "w", "1")  # 1 has an excerpt already
    assert "Which instruction does it answer?" in at.text
    await at.press("escape", "2", "l", "j", "v", "w", "1")  # 1 and 4 are missing; on 4
    assert "Which instruction does it answer?" in at.text


async def test_a_letter_takes_a_sentence_in_sight_while_words_are_selected(at):
    await at.press("l", "1", "g")
    assert [mark.jump_label.target.name for mark in at.app.screen.marks] == [
        "sentence",
    ] * 2
    await at.press("a")
    assert (at.selected, at.named("response")) == (FIRST, True)
    await at.press("enter")
    assert at.texts("tp")[3] == FIRST
    await at.press("v", "g", "s")
    assert (at.selected, mode(at)) == (LAST, "SELECT")


async def test_a_click_with_shift_extends_what_is_selected(at):
    response = at.screen.response
    await at.press("v", "w")
    spot = response.spot(RESPONSE.index(SURVIVE) + 1)
    await at.pilot.click(offset=spot, shift=True)
    assert at.selected == RESPONSE[: RESPONSE.index(" cells survive")]


# -- evidence told apart without colour ---------------------------------------------------------------


@pytest.mark.parametrize("ascii_only", [False, True])
async def test_wrong_words_are_told_from_right_ones_without_colour(
    tmp_path,
    ascii_only,
):
    async with sitting(tmp_path, at=FULL, settings=Settings(ascii=ascii_only)) as at:
        await at.press("l")  # no evidence is selected
        text, style = {}, {}
        for row in range(6):
            for segment in at.screen.response.render_line(row):
                for words in (SURVIVE, PLACE):
                    if segment.text.strip() and segment.text in words:
                        style[words] = segment.style.underline, segment.style.bold
            text[row] = at.screen.response.render_line(row).text
        assert style == {SURVIVE: (True, False), PLACE: (True, True)}
        shown = " ".join(" ".join(text.values()).split())
        wrong, right = ("!^-1", "^2") if ascii_only else ("!⁻¹", "²")
        assert f"{PLACE}{wrong}." in shown
        assert f"{SURVIVE}{right} and" in shown
