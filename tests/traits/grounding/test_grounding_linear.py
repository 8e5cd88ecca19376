"""A grounding cell line by line: the same corrections as on the screen, printed."""

from grounding_cells import CLAIMS, sample, verdicts

from app.review_stage import sitting
from appellate.ui.marks import ASCII
from linear.linear_stage import bench_of, facts, told


def cell(bench, no=1):
    return bench.workspace.cell(no)[1]


def test_a_cell_is_printed_with_both_texts_and_each_claim_with_what_it_rests_on(
    tmp_path,
):
    with bench_of(tmp_path, sample()) as bench:
        printed = told(bench, "j", "t", "q")
        assert "Document 1 · [2] trials: 3 R 2 U of 4" in printed
        assert "1b R In each of them fewer people" in " ".join(printed.split())
        assert "Sentence b: The extra sodium" in printed
        assert "+ fully supported by 0b, 0c\n" in printed
        assert "3c is utilized, but not relevant." in printed
        assert "Overall the judge says" in printed


def test_its_labels_are_in_plain_letters_where_marks_are_plain(tmp_path):
    with bench_of(tmp_path, sample()) as bench:
        printed = told(bench, "2", "r", "2", "i", "general", "s", "q", marks=ASCII)
        assert " | paraphrase counts\n" in printed
        assert "supported by 0a | general statement\n" in printed


def test_of_several_sentences_that_are_not_there_the_first_is_named(tmp_path):
    with bench_of(tmp_path, sample()) as bench:
        printed = told(bench, "4", "9z 8z", "4", "9z 8z 7z", "q")
        assert (
            "0 relevant now, 2 not: There is no sentence 9z (and 1 other reason).\n"
            in printed
        )
        assert "There is no sentence 9z (and 2 other reasons).\n" in printed


async def test_corrections_come_to_the_same_facts_as_on_the_screen(tmp_path):
    here, there = tmp_path / "lines", tmp_path / "screen"
    here.mkdir()
    there.mkdir()
    with bench_of(here, sample()) as bench:
        told(bench, "j", " ", " ", "j", "i", "1b", "2", "4", "2a", "q")
        by_lines = facts(bench, 1)
        assert verdicts(cell(bench))["c"] == "partial"
    async with sitting(there, sample()) as at:
        await at.press("j", "space", "space", "j", "i")
        await at.type("1b")
        await at.press("enter", "2", "tab")
        at.screen.pane.items.go_to("2a")
        await at.press("4")
        assert facts(at.bench, 1) == by_lines
        assert len(by_lines) == 1 + 1 + 3 + 1 + 1 + 1


def test_unknown_keys_are_refused_and_the_unsupported_claims_are_printed(tmp_path):
    with bench_of(tmp_path, sample()) as bench:
        printed = told(bench, "4", "9z", "i", "l", "9z", "\x1b", "!", "q")
        assert " is supported by: " in printed
        assert "\n 0b " in printed
        assert "\n  1 general statement" in printed
        assert ".?" not in printed
        assert "There is no sentence 9z." in printed
        assert "No choice matches that." in printed
        assert "2 unsupported claims:" in printed
        assert "- Expect a small early dip" in printed
        assert verdicts(cell(bench)) == CLAIMS


def test_a_session_that_only_reads_asks_for_no_sentences(tmp_path):
    with bench_of(tmp_path, sample(), readonly=True) as bench:
        printed = told(bench, "4", "5", "q")
        assert "which (0b 2a)" not in printed
        assert printed.count("nothing can be corrected in it.\n") == 2


def test_a_cell_that_nobody_judged_is_answered_by_hand(tmp_path):
    with bench_of(tmp_path, sample(), at=3) as bench:
        printed = told(bench, "i", "0b", "j", "2", "j", "3", "a", "a", "q")
        assert "Not judged yet: J has it judged; 1 2 3 answer by hand" in printed
        assert "by no sentence." in printed
        assert " Press a again to sign it off" in printed
        assert list(verdicts(cell(bench, 3)).values()) == ["full", "partial", "none"]


def test_in_a_response_without_a_sentence_there_is_no_item_to_go_to(tmp_path):
    rubric, traces, _ = sample()
    empty = traces[0].model_copy(update={"id": "empty", "response": "  "})
    with bench_of(tmp_path, (rubric, [empty], [[]])) as bench:
        printed = told(bench, "j", "k", "t", "q")
        assert "That was the last item" in printed
        assert "This is the first item." in printed
