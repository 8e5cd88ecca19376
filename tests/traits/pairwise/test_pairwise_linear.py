"""Two responses line by line: both texts under letters, the same keys, no names before a ruling."""

from pairwise_cells import OTHER, RESPONSE, judged, judged_with_evidence

from appellate.core.deciding import Draw
from appellate.session.review_session import ReviewSession
from linear.linear_stage import bench_of, facts, told


def test_both_responses_are_printed_with_what_only_one_of_them_has(tmp_path):
    with bench_of(tmp_path, judged()) as bench:
        printed = told(bench, "q")
        flat = " ".join(printed.split())
        assert f"[Answer A] {RESPONSE} [Answer B] {OTHER}" in flat
        assert "Only in A: “ask a doctor before you”" in flat
        assert "Only in B: “never”" in flat


def test_no_name_is_printed_before_the_ruling_and_every_name_after_it(tmp_path):
    with bench_of(tmp_path, judged()) as bench:
        printed = told(bench, "K", "2", "q")
        assert "secret" not in printed
        assert "Who wrote the two responses is hidden until you have ruled" in printed
        told(bench, "1", "a", "a", "q")
        assert bench.workspace.cell(1)[1].state == "reviewed"
        bench.begin_at(1)
        assert "A is by secret-alpha, B is by secret-beta" in told(bench, "j", "q")


def test_a_key_gives_the_side_that_is_printed_under_its_letter(tmp_path):
    with bench_of(tmp_path, judged(), at=2) as bench:
        printed = told(bench, "1", "q")
        assert "B → A" in printed or "Verdict: A" in printed
        assert facts(bench, 2)[-1].edit["class"] == "other"


def test_a_turn_and_the_reasons_of_both_orders_are_told_in_letters(tmp_path):
    with bench_of(tmp_path, judged(), at=2) as bench:
        printed = told(bench, " ", "q")
        assert "judge: (first is B) The first hedges." in " ".join(printed.split())
        turned = " ".join(told(bench, ".", " ", "q").split())
        assert "turned: the judge said" in turned


def test_excerpts_are_printed_with_the_letter_of_their_answer(tmp_path):
    with bench_of(tmp_path, judged_with_evidence()) as bench:
        printed = " ".join(told(bench, "j", "j", "j", "q").split())
        assert "Evidence 1, in A: “ask a doctor”" in printed
        assert "Evidence 2, in B: “never take it”" in printed
        assert "Evidence 3, in B: “see a vet”" in printed
        assert "not found in this answer" in printed
        assert "3 excerpts" in printed
        bench.begin_at(2)
        assert "Evidence 1, in B: “ask a doctor”" in " ".join(
            told(bench, "j", "q").split(),
        )


def test_excerpts_are_added_reworded_and_dropped_line_by_line_in_the_answer_that_is_meant(
    tmp_path,
):
    with bench_of(tmp_path, judged_with_evidence()) as bench:
        printed = told(bench, "+", "with food", "2", "q")
        assert "Both answers have these words" in printed
        evidence = bench.workspace.cell(1)[1].labels.supporting
        assert (evidence[-1].answer, evidence[-1].text) == ("other", "with food")
        told(bench, "+", "at all", "e", "with warfarin", "q")
        evidence = bench.workspace.cell(1)[1].labels.supporting
        assert (evidence[-1].answer, evidence[-1].text) == ("other", "with warfarin")
        told(bench, "j", "d", "q")
        assert len(bench.workspace.cell(1)[1].labels.supporting) == 4


def test_the_judges_excerpts_for_another_verdict_say_which_and_are_not_corrected(
    tmp_path,
):
    with bench_of(tmp_path, judged_with_evidence()) as bench:
        printed = told(bench, "2", "j", "d", "q")
        assert "Evidence 1, in A (judge: A): “ask a doctor”" in printed
        assert "speaks for the judge's verdict" in " ".join(printed.split())
        assert len(facts(bench, 1)) == 2


def test_what_a_blind_ruling_is_made_of_is_no_correction(tmp_path):
    with bench_of(tmp_path, judged()) as bench:
        for cell in (1, 2):
            bench.do(cell, Draw(blind=True))
        session = ReviewSession(bench)
        printed = told(bench, "2", "1", "a", " ", "q")
        assert "correction" not in printed
        assert "1 cell ruled on" in session.summary()[0]
        assert "correction" not in session.summary()[0]
        bench.begin_at(2)
        told(bench, "2", "q")  # a verdict that is not locked
        assert "1 blind cell begun and not locked" in session.summary()[0]
        bench.begin_at(1)
        told(bench, "3", "q")
        assert "1 correction (1 verdict)" in session.summary()[0]
