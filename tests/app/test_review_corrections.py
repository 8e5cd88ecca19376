"""Every correction of SPEC 4 by its keys, and the numbers that follow on that key press."""

import errno
import re

import pytest
from review_stage import NARROW, bcl2, both_sizes, sitting, states
from textual.widgets import TextArea

from appellate.app.dialogs import LEFT
from appellate.core.cell import reason_of
from appellate.core.facts import Proposed
from appellate.store.audits.audit import load_audit
from appellate.store.files import atomic
from appellate.ui.note import Edited
from cells import (
    CANCER,
    EXPECTED,
    GENE,
    PLACE,
    RESPONSE,
    SURVIVE,
    place,
    rubric,
    table,
    trace,
    worked_example,
)

TP_ONLY, FULL = 1, 2
WORKED = {
    "precision": 0.75,
    "recall": 0.75,
    "specificity": 0.5,
    "accuracy": 4 / 6,
    "f1": 0.75,
}
LABELS = {"tp": [1, 2, 3], "fn": [4], "fp": [-1], "tn": [-2]}


# -- the numbers change on the key press --------------------------------------------------------------


@both_sizes
async def test_a_move_changes_every_number_on_that_key_press_and_undo_brings_them_back(
    at,
):
    assert at.numbers == pytest.approx(WORKED)
    assert "the judge's" in at.line("numbers")

    await at.press("j", "2")
    after = {
        "precision": 2 / 3,
        "recall": 0.5,
        "specificity": 0.5,
        "accuracy": 0.5,
        "f1": 4 / 7,
    }
    assert at.numbers == pytest.approx(after)
    assert at.moved == {
        "precision": -0.083,
        "recall": -0.25,
        "accuracy": -0.167,
        "f1": -0.179,
    }
    assert at.marks == {"tp": [1, 3], "fn": [2, 4], "fp": [-1], "tn": [-2]}
    for shown in (".67 −.08", ".50 −.25", ".50 −.17", ".57 −.18", "last key"):
        assert shown in at.line("numbers")
    assert "◐ 1 correction  " in at.line("header")
    assert at.bench.unexported_count == 3

    await at.press("u")
    assert at.numbers == pytest.approx(WORKED)
    assert ".75 +.25" in at.line("numbers"), "since the last key, not the judge"
    assert "last key" in at.line("numbers")
    assert at.marks == LABELS
    assert at.said.startswith("Undone: moved TP → FN: “helps cells survive”")
    assert "bcl2-1" in at.said
    assert "Accuracy" in at.said

    await at.press("U")
    assert at.numbers == pytest.approx(after)
    assert at.said.startswith("Redone: moved TP → FN")


async def test_the_audit_is_written_a_while_after_the_last_act_and_says_so_where_it_cannot(
    at,
):
    saving, audit = at.screen.objects.saving, at.bench.audit
    await at.press("2")
    saving.write_behind()  # as it does when the pause is over
    await at.until(lambda: not at.bench.unexported_count)
    assert at.said == ""
    audit.write_text("somebody else's")
    await at.press("u")
    saving.write_behind()
    await at.until(lambda: "not exported" in at.line("header"))
    assert audit.read_text() == "somebody else's"
    audit.unlink()
    saving.write_behind()
    await at.pilot.pause()
    assert not audit.exists()


async def test_what_could_not_be_written_is_said_until_it_is_written_behind(
    tmp_path,
    monkeypatch,
):
    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    async with sitting(tmp_path, at=FULL) as at:
        await at.press("2")
        with monkeypatch.context() as patched:
            patched.setattr(atomic, "_keep_backup", full)
            await at.press("ctrl+s")
            await at.until(lambda: "No space left" in at.said)
            at.screen.objects.saving.write_behind()
            await at.pilot.pause()
            assert "not exported" in at.line("header")
            assert "No space left" in at.said
        at.screen.objects.saving.write_behind()
        await at.until(lambda: not at.bench.unexported_count)
        await at.until(lambda: at.line("header").endswith("✓ saved"))
        assert at.said == ""
        assert load_audit(at.bench.audit)


async def test_saved_and_opened_again_all_is_the_same_by_the_audit_file_alone_too(
    tmp_path,
):
    async with sitting(tmp_path, at=FULL) as at:
        await at.press("j", "2", "ctrl+s")
        await at.until(lambda: "Exported" in at.said)
        assert not at.bench.unexported_count
        before = at.numbers, at.marks
        await at.press("j", "q")
        await at.until(lambda: at.app._exit)
    async with sitting(tmp_path) as at:
        assert at.no == FULL
        assert at.place == ("fn", 0)
        assert (at.numbers, at.marks) == before
        assert not at.bench.unexported_count
        await at.press("u")
        assert at.numbers == pytest.approx(WORKED)
        assert at.said.startswith("Undone: moved TP → FN")
    for beside in tmp_path.glob("*.db*"):
        beside.unlink()
    async with sitting(tmp_path, at=FULL) as at:
        assert (at.numbers, at.marks) == before


async def test_a_run_of_wrong_items_is_a_run_of_one_key(at):
    await at.press("2", "2")
    assert at.place == ("tp", 0)
    assert at.texts("tp") == [CANCER]
    await at.press("2")
    assert at.place == ("fn", 0)
    assert at.marks["fn"] == [1, 2, 3, 4]
    assert await at.says("2") == "It is in FN already."


@pytest.mark.slow
async def test_undo_of_the_last_item_of_a_list_leaves_the_cursor_on_an_item(at):
    await at.press("end", "h", "h")  # TN is the last list; then FN
    assert at.place == ("fn", 0)
    await at.press("l", "4", "u")
    assert at.screen.pane.items.row is not None


# -- the table of corrections -------------------------------------------------------------------------


async def taken_back(at):
    """Undo brings back all that stood; from the first item on."""
    await at.press("u")
    assert at.marks == LABELS
    assert at.numbers == pytest.approx(WORKED)
    at.screen.pane.go("tp", 0)


@pytest.mark.slow
async def test_a_found_excerpt_that_is_wrong_is_a_false_claim_or_answers_nothing_on_the_list(
    at,
):
    assert "Which instruction is it about?" in await at.shows("j", "3")
    await at.type("pro-apoptotic")
    await at.press("enter")
    assert at.marks == {"tp": [1, 3], "fn": [2, 4], "fp": [-1, -2]}
    assert at.numbers == pytest.approx(
        {
            "precision": 0.5,
            "recall": 0.5,
            "specificity": 0,
            "accuracy": 2 / 6,
            "f1": 0.5,
        },
    )
    assert at.place == ("tp", 1)
    assert at.named("pane")
    await taken_back(at)

    await at.answer("j", "3", text="none: wrong")
    assert at.marks == {"tp": [1, 3], "fn": [2, 4], "fp": [-1, None], "tn": [-2]}
    assert at.numbers["specificity"] == pytest.approx(1 / 3)
    assert at.numbers["accuracy"] == pytest.approx(3 / 7)
    await taken_back(at)

    # the last choice, in reach of the arrows
    await at.press("j", "3", "pagedown", "enter")
    assert at.marks["fp"] == [-1, None]


@pytest.mark.slow
async def test_esc_changes_nothing_wherever_something_is_asked(tmp_path):
    """An addition, links, moves in both directions, evidence on either view, words, a cut."""
    asking = [
        "v s 1",
        "v s 3",
        "i",
        "3",
        "l i",
        "l 1 w",
        "h 3",
        "l l 1",
        "e",
        "plus",
        "c",
        "t j enter j j enter",
    ]
    async with sitting(tmp_path, at=FULL) as at:
        for keys in asking[:-1]:
            before = at.facts
            await at.press(*keys.split())
            there = at.place
            await at.press("escape")
            assert (at.facts, at.marks, at.place) == (before, LABELS, there), keys
            assert at.named("pane"), keys
            await at.press("escape", "end", "l")
            assert not at.selected, keys
            assert at.place == ("tp", 0)
        await at.press(*asking[-1].split())
        before = at.facts
        await at.press("escape", "r", "escape")
        assert at.facts == before


async def test_in_tp_only_a_wrong_excerpt_keeps_its_link_and_competes_or_denies(
    tmp_path,
):
    async with sitting(tmp_path, at=TP_ONLY) as at:
        await at.press("l", "l", "minus", "enter")
        assert at.marks == {"tp": [1, 2, 3], "fn": [4], "fp": [4]}
        assert at.cell.labels.fn[0].denied == PLACE
        await at.press("u")
        at.screen.pane.go("tp", 0)
        await at.press("j", "3")
        assert at.marks["tp"] == [1, 3]
        assert at.marks["fn"] == [2, 4]
        assert 2 in at.marks["fp"]
        assert at.numbers == pytest.approx({"precision": 0.5, "recall": 0.5, "f1": 0.5})


@pytest.mark.slow
async def test_every_other_move_changes_the_numbers_at_once_and_is_taken_back(at):
    # FP to TP picks the instruction and frees the false claim
    await at.press("l", "l", "1")
    await at.type("chromosome 18")
    await at.press("enter")
    assert at.marks == {"tp": [1, 2, 3, 4], "tn": [-1, -2]}
    assert at.numbers == pytest.approx(dict.fromkeys(WORKED, 1.0))
    assert at.place == ("tn", 1)
    await taken_back(at)

    await at.press("l", "1")  # FN to TP takes the words selected as evidence
    assert at.named("response")
    await at.press("h", "s", "enter")
    assert at.marks == {"tp": [1, 2, 3, 4], "fp": [-1], "tn": [-2]}
    assert at.texts("tp")[3] == RESPONSE.split(". ")[0] + "."
    assert at.numbers == pytest.approx(
        {
            "precision": 0.8,
            "recall": 1,
            "specificity": 0.5,
            "accuracy": 5 / 6,
            "f1": 8 / 9,
        },
    )
    assert at.named("pane")
    await taken_back(at)

    await at.press("l", "1", "0")  # without evidence it keeps the instruction's words
    assert at.texts("tp")[3] == EXPECTED[3]
    assert "no evidence" in await at.shows("h", "end")
    await taken_back(at)

    await at.press("h", "3", "w", "enter")  # TN to FP asks for evidence too
    assert at.marks == {"tp": [1, 2, 3], "fn": [4], "fp": [-1, -2]}
    assert at.numbers["specificity"] == 0
    await taken_back(at)

    await at.press("l", "l", "4")  # FP to TN puts the false claim back
    assert at.marks == {"tp": [1, 2, 3], "fn": [4], "tn": [-1, -2]}
    assert at.numbers == pytest.approx(
        {
            "precision": 1,
            "recall": 0.75,
            "specificity": 1,
            "accuracy": 5 / 6,
            "f1": 6 / 7,
        },
    )
    await taken_back(at)

    # a drop takes exactly this item; FN has its instruction again
    await at.press("j", "d")
    assert at.texts("tp") == [GENE, CANCER]
    assert at.marks["fn"] == [2, 4]
    await taken_back(at)

    await at.press("j", "i")  # a link is another instruction, in one step
    await at.type("4")
    await at.press("enter")
    assert at.marks == {"tp": [1, 3, 4], "fn": [2], "fp": [-1], "tn": [-2]}
    await taken_back(at)


@pytest.mark.slow
async def test_reword_looks_the_words_up_again(at):
    await at.press("j", "e")
    assert at.app.focused.value == SURVIVE
    await at.type("that helps  CELLS survive")
    await at.press("enter")
    assert at.texts("tp")[1] == "that helps cells survive"
    assert at.place == ("tp", 1)
    await at.press("e")
    await at.type("words that nobody wrote")
    assert "unverified" in await at.shows("enter")
    await at.press("e")
    await at.type("   ")
    assert await at.says("enter") == "An item needs words; drop it (d) to be rid of it."
    await at.press("e", "escape")
    assert at.texts("tp")[1] == "words that nobody wrote"
    assert at.named("pane")


async def test_split_at_the_bar_and_merge_with_the_next(at):
    wrong = GENE.replace(" is ", " | is ")
    await at.answer("plus", text=wrong)
    assert at.said == "Put one | into the text, and change nothing else."
    await at.press("plus")
    assert line(at) == wrong, "what was refused is offered again"
    await at.type(GENE.replace(" is ", " |is "))
    await at.press("enter")
    assert at.texts("tp")[:2] == ["BCL2", "is an anti-apoptotic gene"]
    await at.screen.action_command("item.merge")
    assert at.texts("tp")[:2] == [GENE, SURVIVE]
    await at.screen.action_command("item.merge")
    assert at.said == "They answer different instructions: relink one first (i)."


async def test_words_of_the_response_go_into_tp_with_the_likeliest_first_and_not_into_fn(
    at,
):
    assert "instructions, not words of the response" in await at.says("v", "w", "2")
    assert at.selected == "BCL2 is"
    await at.press("escape")
    assert at.marks == LABELS
    assert "Which instruction does it answer?" in await at.shows("v", "w", "1")
    await at.press("enter")
    assert at.texts("tp").count("BCL2 is") == 1
    assert len(at.texts("tp")) == 4
    assert at.named("pane")
    assert at.place == ("tp", 0)


@pytest.mark.slow
async def test_words_of_the_response_go_into_fp_with_a_hint_or_with_nothing(tmp_path):
    async with sitting(tmp_path, at=TP_ONLY) as at:
        await at.press("v", "w", "3", "pagedown", "enter")
        assert None in at.marks["fp"]
        await at.answer("v", "w", "w", "3", text="virus")
        assert "~2" in at.marks["fp"]


@pytest.mark.slow
async def test_words_that_answer_no_instruction_are_added_by_saying_so(at):
    for keys in (("0", "enter"), ("end", "pagedown", "enter")):
        await at.press("v", "w", "1", *keys)
        assert at.marks == LABELS | {"tp": [1, 2, 3, None]}, keys
        assert "unlinked" in at.text
        await taken_back(at)


# -- Enter by reflex in a list of instructions ---------------------------------------------------------


@pytest.mark.slow
async def test_a_link_opens_on_what_it_is_so_that_enter_leaves_it(at):
    before = at.facts
    for bucket in ("TP", "FN", "FP", "TN"):
        await at.press("i", "enter")
        assert at.said == "It is linked so already.", bucket
        await at.press("l")
    assert at.facts == before


async def test_an_open_instruction_comes_before_one_more_alike_and_what_changed_sides_is_told(
    at,
):
    # the FP is of chromosome 1; 1 and 4 are open, 2 and 3 are not
    await at.press("2", "l", "l", "1")
    assert [one.number for one in at.app.screen.shown] == ["4", "1", "2", "3", "0"]
    await at.press("enter")
    assert at.marks == {"tp": [2, 3, 4], "fn": [1], "tn": [-1, -2]}
    await at.press("u", "u", "end", "k", "1", "1", "enter")
    assert at.marks["tp"] == [1, 1, 2, 3]
    assert at.said.startswith("TN instruction 1 goes from FP to TN.")


STAYS = "An instruction cannot leave the checklist: move it to TP"
TAKES = "1 puts the words into TP, 3 into FP; Esc leaves."

# -- refusals, said in a sentence ---------------------------------------------------------------------


REFUSED = {
    FULL: [
        ("r", "A reason belongs to a correction"),
        ("u", "There is nothing to undo."),
        ("U", "There is nothing to redo."),
        ("1", "It is in TP already."),
        ("4", "A TP excerpt cannot be a TN"),
        ("m", "Every instruction is in a bucket already."),
        ("0", "0 answers where evidence is asked for"),
        ("l 3", "FN holds a missing fact, not an excerpt"),
        ("l 4", "FN holds a TP instruction"),
        ("l o", "This item has no evidence in the response."),
        ("l d", f"{STAYS} (1) if the response says it, else leave it in FN."),
        ("l e", "FN holds the rubric's own words: relink it (i) instead."),
        ("l plus", "FN holds the rubric's own words: they cannot be split."),
        ("l equals_sign", f"FN holds no words of the response. {TAKES}"),
        ("l minus 0", "A denial needs its words"),
        ("l l 2", "An FP excerpt cannot be an FN"),
        ("h 1", "TN holds a TN instruction: select the words"),
        ("h 2", "TN holds a TN instruction, and FN"),
    ],
    TP_ONLY: [
        ("4", "This trait is tp_only, so there is no TN"),
        ("l l 4", "This trait is tp_only, so there is no TN"),
        ("l l space", "Nothing here can be turned"),
    ],
}


@pytest.mark.parametrize("cell", REFUSED)
async def test_what_cannot_be_says_what_to_do_instead(tmp_path, cell):
    async with sitting(tmp_path, size=NARROW, at=cell) as at:
        before = at.facts
        for keys, sentence in REFUSED[cell]:
            at.screen.pane.go("tp", 0)
            await at.press(*keys.split())
            assert at.said.startswith(sentence), keys
            assert at.said in " ".join(at.text.split())
            assert at.facts == before
            assert at.named("items")


LINKED = {
    "words_to_the_instruction_under_the_cursor": (
        "l v s 1",
        {"tp": [1, 2, 3, 4], "fn": []},
    ),
    "a_claim_like_none_of_the_list_to_none": (
        "j j 3 enter",
        {"tp": [1, 2], "fn": [3, 4], "fp": [-1, None]},
    ),
    "no_instruction_where_none_stands_nowhere": ("l d m", {}),
    "an_item_to_what_another_answers": (
        "j i 1 enter 2",
        {"tp": [1, 1, 3], "fn": [2, 4]},
    ),
    "words_to_the_line_of_the_checklist": (
        "t j j j v s 1",
        {"tp": [1, 2, 3, 4], "fn": []},
    ),
}
SAYS = {
    "words_to_the_instruction_under_the_cursor": "Answers 4 · i changes that.",
    "an_item_to_what_another_answers": (
        "Another TP excerpt answers instruction 1 too: drop this one (d)."
    ),
}


async def test_what_is_linked_without_another_question(at):
    for what, (keys, marks) in LINKED.items():
        at.screen.pane.go("tp", 0)
        await at.press(*keys.split())
        assert at.marks == {
            of: held for of, held in (LABELS | marks).items() if held
        }, what
        assert at.said.startswith(SAYS.get(what, "")), what
        while at.cell.edits:
            await at.press("u")


# -- reasons, comments, flags -------------------------------------------------------------------------


async def test_a_missing_instruction_is_denied_by_words_and_left_out_again_by_the_same_key(
    at,
):
    await at.press("l", "minus")
    assert "EVIDENCE 1/" in at.line("keys")
    await at.press("enter")
    (one,) = at.cell.labels.fn
    assert one.denied == RESPONSE[slice(*one.span)] == PLACE + "."
    assert f"¬ denied: “{PLACE}.”" in at.words("#pane")
    assert "was left out" in at.text
    assert "¬⁴" in at.text
    assert at.numbers == pytest.approx(WORKED)
    await at.press("minus")
    assert at.cell.labels.fn[0].denied == ""
    await at.press("u")
    assert at.said.startswith(f"Undone: left out FN: “{EXPECTED[3]}”, not denied by")
    assert at.cell.labels.fn[0].denied
    await at.press("l", "l", "v", "w", "w", "minus")
    assert at.cell.labels.tn[0].denied == "BCL2 is an"


@pytest.mark.slow
async def test_an_excerpt_that_denies_goes_to_fn_with_its_words_and_space_brings_it_back(
    at,
):
    await at.press("j", "minus")
    assert at.selected == SURVIVE
    await at.press("enter")
    assert at.marks == {"tp": [1, 3], "fn": [2, 4], "fp": [-1], "tn": [-2]}
    assert at.cell.labels.fn[0].denied == SURVIVE
    assert f"¬ denied: “{SURVIVE}”" in await at.shows("t", "k")
    assert "− missing 2  ¬ denied 1" in at.text
    await at.press("space")
    assert at.marks == LABELS


async def test_what_stands_nowhere_is_not_denied_yet(tmp_path):
    async with sitting(tmp_path, scene=states(), at=2) as at:
        assert "2 puts it into FN first" in await at.says("minus")


@pytest.mark.slow
async def test_other_words_for_a_right_verdict_are_wrong_evidence_and_other_bounds_are_not(
    at,
):
    await at.press("j", "v", "h", "h", "h", "h", "equals_sign")
    (made,) = at.cell.corrections
    assert made.what.edit["wrong_evidence"] is True
    assert "wrong evidence" in at.text
    await at.press("v", "h", "equals_sign")
    assert at.cell.labels.tp[1].wrong_evidence
    await at.press("u", "u", "equals_sign", "b", "enter")
    assert not at.cell.labels.tp[1].wrong_evidence
    assert "other words" in at.text


@pytest.mark.slow
async def test_a_reason_is_asked_for_and_kept_with_the_correction(at):
    await at.press("2", "r")
    await at.type("a gene is not a function")
    assert await at.says("enter") == "Reason saved: a gene is not a function"
    await at.press("C")
    assert "because: a gene is not a function" in at.screen.objects.parts.material.text
    await at.press("escape", "r")
    assert [one.text for one in at.app.screen.shown[:2]] == [
        "no reason",
        "a gene is not a function",
    ]


@pytest.mark.slow
async def test_the_usual_reasons_are_below_no_reason_which_enter_takes(at):
    await at.press("2")
    before = at.facts
    assert await at.says("r", "enter") == "No reason given."
    await at.press("r", "0", "enter")
    assert at.facts == before
    assert await at.says("r", "down", "enter") == "Reason saved: rubric ambiguous"
    assert await at.says("r", "enter") == "The reason is unchanged: rubric ambiguous"
    assert at.facts == before + 1


@pytest.mark.slow
async def test_a_comment_is_kept_and_read_and_undone(at):
    await at.press("c")
    await at.type("ask Grace [b]about[/b] this")
    assert await at.says("enter") == "Comment saved. C shows them all."
    assert "ask Grace [b]about[/b] this" in await at.shows("C")
    assert "commented: ask Grace [b]about[/b] this" in await at.says("escape", "u")
    assert not at.cell.comments
    assert (
        await at.says("c", "enter")
        == "The comment is empty: type it, then press Enter."
    )


@pytest.mark.slow
async def test_a_comment_may_have_several_lines_and_stands_whole_wherever_it_is_read(
    tmp_path,
):
    said = 'see "Gray" \\ 3\n\n  and ask Grace'
    async with sitting(tmp_path, at=FULL) as at:
        await at.press(
            "c",
            *"one",
            "ctrl+o",
            *"two",
            "ctrl+j",
            *"three",
            "up",
            *"!",
            "enter",
        )
        assert [fact.what.text for fact in at.cell.comments] == ["one\ntwo!\nthree"]
        await at.press("c")
        await at.type(said)
        await at.press("enter", "C")
        assert "one\ntwo!\nthree" in at.screen.objects.parts.material.text
        await at.press("escape", "2", "r", "ctrl+o")
        await at.type("first\nsecond")
        assert await at.says("enter") == "Reason saved: first\nsecond"
        at.bench.save()
    place(tmp_path).workspace.unlink()
    async with sitting(tmp_path, at=FULL) as at:
        assert [fact.what.text for fact in at.cell.comments] == [
            "one\ntwo!\nthree",
            said,
        ]
        assert reason_of(at.cell, at.cell.corrections[-1]) == "first\nsecond"


@pytest.mark.slow
async def test_a_comment_is_written_in_ones_own_editor(at, monkeypatch):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    assert "No editor is set" in await at.shows("c", *"so", "ctrl+e")
    assert line(at) == "so"
    at.app.screen._edit = lambda text: Edited(f"{text} it\nis")
    await at.press("ctrl+e", "enter")
    assert [fact.what.text for fact in at.cell.comments] == ["so it\nis"]


# -- what was typed and not taken -------------------------------------------------------------------------


def line(at):
    """What stands in the line or the box that has the focus."""
    box = at.app.screen.focused
    return box.text if isinstance(box, TextArea) else box.value


DRAFTS = {
    "comment": ("c", "ask Grace about this", ("comma", "full_stop")),
    "reason": ("r", "a gene is not a function", ()),  # belongs to a correction
    "words": ("e", "anti-apoptotic", ("j", "k")),
    "cut": ("+", "BCL2 is| an anti-apoptotic gene", ("j", "k")),
}
"""The key that asks, what is typed, and the keys that lead to another thing and back."""


@pytest.mark.slow
@pytest.mark.parametrize("what", DRAFTS)
async def test_what_esc_left_is_offered_again_for_what_it_was_about_and_for_nothing_else(
    at,
    what,
):
    key, typed, ways = DRAFTS[what]
    if not ways:
        await at.press("2")
    assert await at.says(key, "escape") == ""
    before = at.facts
    await at.press(key)
    await at.type(typed)
    await at.press("escape")
    assert (at.facts, at.said) == (before, LEFT)
    if ways:
        await at.press(ways[0], key)
        assert line(at) != typed
        await at.press("escape", ways[1])
    await at.press(key)
    assert line(at) == typed
    assert "(as you left it)" in at.text
    await at.press("enter")
    assert at.facts == before + 1
    assert "(as you left it)" not in await at.shows("u", key)


@pytest.mark.slow
async def test_a_draft_that_was_emptied_is_gone(at):
    await at.press("c")
    await at.type("never mind")
    assert await at.says("escape", "c", "ctrl+u", "escape") == ""
    await at.press("c")
    assert line(at) == ""


@pytest.mark.slow
async def test_a_comment_that_the_disk_refuses_is_offered_again(at):
    at.bench.workspace.db.execute("PRAGMA query_only = 1")
    await at.press("c")
    await at.type("ask Grace about this")
    assert (await at.says("enter")).startswith("NOT SAVED")
    at.bench.workspace.db.execute("PRAGMA query_only = 0")
    await at.press("c")
    assert line(at) == "ask Grace about this"
    assert await at.says("enter") == "Comment saved. C shows them all."


@pytest.mark.slow
async def test_a_search_and_a_filter_leave_no_draft(at):
    for key in ("slash", "colon"):
        await at.press(key)
        await at.type("gene")
        assert await at.says("escape") == ""
        await at.press(key)
        assert line(at) == ""
        await at.press("escape")


async def test_the_flag_goes_up_and_down_and_changes_no_state(tmp_path):
    async with sitting(tmp_path, size=NARROW, at=FULL) as at:
        await at.press("F")
        assert "⚑ flagged" in at.line("header")
        assert at.state == "proposed"
        await at.press("F")
        assert "⚑" not in at.line("header")


async def test_a_comment_has_a_mark_in_header_and_queue_until_it_is_undone(at):
    assert "¶" not in at.text
    await at.answer("c", text="see 18q21")
    assert "¶ 1 comment" in at.line("header")
    assert re.search(r"● +Accuracy +¶ +\.75", at.words("#queue"))
    assert "somebody commented on it: C shows what" in await at.shows(
        "question_mark",
        *"commented",
    )
    await at.press("escape", "u")
    assert "¶" not in at.text


async def test_repeats_are_shown_and_not_counted(tmp_path):
    words = table(tp=[GENE, GENE.upper(), CANCER])
    words["items"] = [
        {"bucket": "tp", "index": n, "of": "tp", "instruction": 1} for n in range(3)
    ]
    rubric, traces, _ = bcl2()
    async with sitting(
        tmp_path,
        (rubric, traces, [[Proposed(words, {"name": "gpt"})]]),
        at=1,
    ) as at:
        assert "+TP 1 (+2)" in at.text
        assert "repeat" in at.text
        await at.press("j")
        assert "an item above it counts" in at.text  # whole where the cursor is


@pytest.mark.slow
async def test_a_cell_is_filled_by_hand(tmp_path):
    async with sitting(tmp_path, states(), at=2) as at:
        assert at.state == "pending"
        await at.press("v", "w", "1", "enter", "m", "enter")
        assert at.state == "corrected"
        assert len(at.texts("tp")) == 1
        assert len(at.texts("fn")) == 1
        await at.press("u", "u")
        assert at.state == "pending"
        assert "Not judged yet" in at.text


# -- what a key did beside what was asked -------------------------------------------------------------


async def test_the_judges_reason_for_another_bucket_leaves_with_the_move(tmp_path):
    judged = worked_example()
    judged["items"][3]["rationale"] = "It names chromosome 1."
    scene = rubric(), [trace()], [[Proposed(judged, {"name": "gpt"})]]
    async with sitting(tmp_path, scene) as at:
        await at.press("end", "k")
        assert "judge: It names chromosome 1." in at.text
        await at.press("1", "4", "enter")
        assert at.marks["tp"] == [1, 2, 3, 4]
        at.screen.pane.go("tp", 3)
        await at.pilot.pause()
        assert "It names chromosome 1." not in at.text
        await at.press("u")
        assert "judge: It names chromosome 1." in at.text


async def test_after_a_correction_the_difference_stays_for_a_key_and_the_reason_is_offered_for_two(
    tmp_path,
):
    async with sitting(tmp_path, size=NARROW, at=FULL) as at:
        assert " reason" not in at.line("keys")
        await at.press("2")
        assert at.moved
        assert "judge" not in at.line("numbers")
        assert "r reason" in at.line("keys")
        await at.press("j")
        assert not at.moved
        assert at.line("numbers").endswith("F1 .57 −.18   ± since the judge")
        assert "r reason" in at.line("keys")
        await at.press("k")
        assert "r reason" in at.line("keys")
        await at.press("j")
        assert " reason" not in at.line("keys")
        await at.press("u", "j")
        assert " reason" not in at.line("keys"), "nothing was corrected"
        shown = await at.shows("2", "r")
        assert "pick one below, or type your own" in shown
        assert shown.count("type") == 1
