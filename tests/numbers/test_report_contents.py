"""What a report says, before any form: the numbers, the people, the acts and what is amiss."""

import json

import pytest
from msgspec.structs import replace
from report_stage import MOVE, lived, long_lived

from appellate.core.breakdown import SideFigures
from appellate.core.deciding import Correct, Flag, Receive
from appellate.core.facts import Proposed
from appellate.core.inert import spelled_out
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF, AnswerStats
from appellate.numbers.blocks import ReportTable
from appellate.numbers.data import csv_parts, json_parts
from appellate.numbers.figures_page import _mean_difference
from appellate.numbers.html import html
from appellate.numbers.markdown import markdown
from appellate.numbers.report import Report, report
from appellate.numbers.sections import Sentence, sections, traits_table
from appellate.store.audits.audit import Audit, load_audit
from appellate.traits.metric.edits import Edit
from cells import bench, kept_before, matrix, place, proposal, rubric, trace
from sampled import is_judged_there, is_there, order_of, sampled


def as_json(told):
    return "".join(json_parts(told))


def as_csv(told):
    return "".join(csv_parts(told))


FORMS = (markdown, html, as_json, as_csv)


@pytest.fixture
def small(tmp_path) -> Report:
    return report(lived(tmp_path))


def of_bench(folder, act, *traces, of=None) -> Report:
    folder.mkdir(exist_ok=True)
    with bench(folder, *traces, of=of) as desk:
        act(desk)
        desk.save()
    return report(load_audit(place(folder).audit))


def instructions(told: Report) -> list[AnswerStats]:
    return [one.stats for one in told.traits[0].numbers.instructions]


def by_hand(desk) -> None:
    """Fills a cell that no judge has judged."""
    desk.do(
        1,
        Correct(
            Edit.from_row(
                {"action": "add", "bucket": "fn", "of": "tp", "instruction": 1},
            ),
        ),
    )


def test_a_change_is_people_less_judge(small):
    (trait,) = small.traits
    sides = trait.sides(trait.numbers.measures[0])
    change = trait.changes["precision"][SIGNED_OFF]
    assert change.micro == sides["signed"].micro - sides["judge"].micro == 0.25


def test_where_one_side_is_undefined_there_is_no_change(tmp_path):
    told = of_bench(tmp_path, by_hand)
    (trait,) = told.traits
    recall = trait.sides(trait.numbers.measures[1])
    assert recall["standing"].micro == 0
    assert recall["judge_all"].micro is None
    assert trait.changes["recall"][AS_THEY_STAND] == (None, None, 0)


def corrected_unsigned(desk) -> None:
    """Two judged cells, the first corrected; nobody signs off."""
    desk.receive(1, proposal())
    desk.receive(2, proposal())
    desk.do(1, Correct(Edit.from_row(MOVE)))


def signed_second(desk) -> None:
    """The same, and the second is corrected otherwise and signed off."""
    corrected_unsigned(desk)
    desk.do(
        2,
        Correct(
            Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"}),
        ),
    )
    desk.sign_off(2)


def part(told, anchor):
    return next(section for section in sections(told) if section.anchor == anchor)


def test_a_report_opens_with_the_numbers_of_the_signed_cells_and_how_many_they_are(
    tmp_path,
):
    told = of_bench(tmp_path, signed_second, trace("t1"), trace("t2"))
    opening = sections(told)[0]
    assert opening.blocks[0].text.startswith(
        "People signed off 1 of 2 cells. There, f1 in Accuracy is 0.571; the judge says 0.750.",
    )
    signed = part(told, "numbers")
    assert signed.blocks[0].text.startswith("Signed off: 1 of 2 cells.")
    recall = signed.blocks[1].rows[1]
    assert recall.name == "Accuracy · recall"
    shown = [one.text for one in recall.figures]
    assert shown[:8] == ["1", "0", *("0.500", "0.750", "−0.250") * 2]
    for form in (markdown, html):
        assert form(told).index("Signed off: 1 of 2") < form(told).index("As of")


def signed_by_hand(desk) -> None:
    """Filled in by a person and signed off, where no judge was asked."""
    add = {"action": "add", "bucket": "fn", "of": "tp", "instruction": 1}
    desk.do(1, Correct(Edit.from_row(add)))
    desk.sign_off(1)


def test_where_no_judge_was_asked_the_first_sentence_says_so(tmp_path):
    told = of_bench(tmp_path, signed_by_hand, trace("t1"), trace("t2"))
    assert "; no judge has a number there." in sections(told)[0].blocks[0].text


def test_where_nobody_signed_off_a_report_says_so_in_place_of_numbers(tmp_path):
    told = of_bench(tmp_path, corrected_unsigned, trace("t1"), trace("t2"))
    opening = sections(told)[0]
    assert opening.blocks[0].text.startswith(
        "Nobody has signed off any of 2 cells yet.",
    )
    (only,) = part(told, "numbers").blocks
    assert only == Sentence(
        "Signed off: 0 of 2 cells. There are no audited numbers yet.",
    )
    side = told.traits[0].numbers.whole.sides["precision"]["signed"]
    assert (side.micro, side.macro, side.n, side.undefined) == (None, None, 0, 0)


MIXED = "Mixed, and nobody's number: 1 cell signed off and 1 cell not"
UNSIGNED = "Not audited: 2 cells that nobody signed off"


@pytest.mark.parametrize(
    ("act", "heading"),
    [(corrected_unsigned, UNSIGNED), (signed_second, MIXED)],
)
def test_what_is_not_signed_off_is_told_apart_from_what_is_beside_the_judge_on_all(
    tmp_path,
    act,
    heading,
):
    text = markdown(of_bench(tmp_path, act, trace("t1"), trace("t2")))
    apart = text.index(f"{heading}, and the judge on every judged cell")
    assert "micro as they are now | micro judge, all cells" in text[apart:]
    assert "micro as they are now" not in text[:apart]


def test_the_headline_is_f1_else_what_the_rubric_asks_for_first(tmp_path, small):
    assert small.traits[0].headline.name == "f1"
    other = of_bench(
        tmp_path / "other",
        lambda _: None,
        of=rubric(matrix(metrics=["recall", "precision"])),
    )
    assert other.traits[0].headline.name == "recall"


def test_the_spread_counts_each_defined_cell_in_its_tenth(small):
    spread = small.traits[0].spread["f1"]
    assert [sum(counts) for counts in spread.values()] == [1, 1, 1, 1]
    assert spread["judge"][7] == spread["judge_all"][7] == 1
    assert spread["signed"][8] == spread["standing"][8] == 1
    assert small.traits[0].spread["precision"]["signed"][9] == 1, "a perfect score"


def test_an_instruction_that_stands_nowhere_any_more_is_unclear_and_overruled(tmp_path):
    def act(desk):
        desk.do(1, Receive(proposal()))
        kept_before(tmp_path, desk, action="drop", bucket="tn", index=0)

    first = instructions(of_bench(tmp_path, act))[0]
    assert (first.instruction, first.overruled, first.cells) == (
        "Claims BCL2 is pro-apoptotic",
        1,
        1,
    )
    assert first.answers == {"unclear": 1}


def test_what_was_filled_by_hand_overrules_nobody(tmp_path):
    told = of_bench(tmp_path, by_hand)
    assert not any(row.overruled for row in instructions(told))


def test_instructions_of_one_wording_are_one_row_over_all_cells(tmp_path):
    def act(desk):
        desk.do(1, Receive(proposal()))
        desk.do(2, Receive(proposal()))

    rows = instructions(of_bench(tmp_path, act, trace("t1"), trace("t2")))
    assert {row.cells for row in rows} == {2}


def test_later_rounds_adopted_labels_and_examples_are_told(tmp_path):
    empty = {bucket: [] for bucket in ("tp", "fn", "fp", "tn")}

    def act(desk):
        desk.receive(1, proposal())
        desk.do(
            1,
            Correct(
                Edit.from_row(
                    {"action": "reword", "bucket": "tp", "index": 0, "text": "Bcl2"},
                ),
            ),
        )
        desk.receive(1, Proposed(empty, {"name": "gpt", "model": "other", "round": 2}))
        desk.receive(2, proposal())
        desk.receive(
            2,
            Proposed(
                empty,
                {"name": "gpt", "model": "other", "round": 2, "examples": ["t1"]},
            ),
        )
        desk.adopt(2, desk.open(2)[1].facts[0].n)
        desk.receive(3, proposal())
        desk.receive(3, Proposed(empty, {"name": "gpt", "model": "other", "round": 2}))
        desk.adopt(3, desk.open(3)[1].facts[0].n)
        desk.receive(3, Proposed(empty, {"name": "gpt", "model": "other", "round": 3}))

    told = of_bench(tmp_path, act, trace("t1"), trace("t2"), trace("t3"))
    assert told.judges == (("gpt · other · round 2", 2), ("gpt · other · round 3", 1))
    assert [
        (cell.judged_by, cell.round, cell.corrections) for cell in told.cells[:2]
    ] == [
        ("gpt · other", 2, 0),
        ("gpt · other", 2, 1),
    ]
    reworded, adopted, replaced = told.corrections
    assert (reworded.fate, adopted.fate) == ("does not fit a later proposal", "")
    assert replaced.fate == "does not fit a later proposal"
    assert adopted.did == "took the labels of gpt, round 1"
    assert [(one.name, one.corrections) for one in told.reviewers] == [("ada", 1)]
    assert (told.examples, told.gone) == (1, 2)
    assert all(
        "1 cell was shown to a judge as an example" in form(told)
        for form in (markdown, html)
    )
    assert all(
        "does not fit a later proposal" in form(told) for form in (markdown, html)
    )


def test_a_changed_trait_is_told_and_takes_its_sign_offs_out_of_the_count(tmp_path):
    def act(desk):
        desk.receive(1, proposal())
        desk.sign_off(1)
        desk.revise(rubric(matrix(description="Narrower")))

    told = of_bench(tmp_path, act)
    assert told.revised == 1
    assert [(one.name, one.signed_off, one.undone) for one in told.reviewers] == [
        ("ada", 0, 0),
    ]
    assert "1 cell began under an earlier version of the trait." in markdown(told)


def test_a_flag_taken_down_is_no_flag(tmp_path):
    def act(desk):
        desk.do(1, Flag(True))
        desk.undo()

    assert of_bench(tmp_path, act).flags == ()


def test_what_is_unverified_or_breaks_the_ledger_is_told(tmp_path):
    def act(desk):
        desk.do(1, Receive(proposal()))
        desk.do(
            1,
            Correct(
                Edit.from_row(
                    {
                        "action": "reword",
                        "bucket": "tp",
                        "index": 0,
                        "text": "Nowhere said at all",
                    },
                ),
            ),
        )
        kept_before(tmp_path, desk, action="drop", bucket="tn", index=0)

    (one,) = of_bench(tmp_path, act).amiss
    assert one.unverified == 1
    assert one.breaches == (
        "TN instruction 2 is in neither FP nor TN: “Claims BCL2 is pro-apoptotic”.",
    )


def test_an_audit_without_cells_can_be_told_in_every_form():
    nothing = report(Audit(rubric(), [], [], None, "0.1.0", []))
    assert all(form(nothing) for form in FORMS)
    assert "As of | never" in markdown(nothing)


@pytest.mark.parametrize("form", FORMS)
def test_the_same_audit_gives_the_same_bytes(form, tmp_path):
    audit = lived(tmp_path)
    again = load_audit(place(tmp_path).audit)
    assert form(report(audit)) == form(report(again))


def test_a_thousand_corrections_are_told_in_every_form():
    told = report(long_lived(1_000))
    written = [form(told) for form in FORMS]
    assert written[1].count("<li ") == 1_000


def test_instructions_beyond_a_hundred_are_left_out_and_that_is_said(tmp_path):
    many = matrix(tp_instructions=[f"Says fact {number}" for number in range(103)])
    text = markdown(of_bench(tmp_path, by_hand, of=rubric(many)))
    assert (
        "5 further instructions left out here, none overruled; JSON has them all."
        in text
    )


def test_a_narrow_space_is_a_space_and_joined_emoji_stay():
    assert spelled_out("10\u202f000 👩\u200d🚀 \x07") == "10 000 👩\u200d🚀 ⟨U+0007⟩"


def test_the_pace_of_a_reviewer_is_told_with_their_acts(tmp_path):
    def act(desk):
        desk.receive(1, proposal())
        desk.sign_off(1, 0.6)

    told = of_bench(tmp_path, act)
    (ada,) = told.reviewers
    assert (ada.pace.signed, ada.pace.fast, ada.pace.accepted, ada.pace.fast_run) == (
        1,
        1,
        1,
        1,
    )
    assert (
        json.loads("".join(json_parts(told)))["reviewers"][0]["pace"]["median_seconds"]
        == 0.6
    )
    assert (
        "ada: 0.6 s in sight before a sign-off (median of 1), 1 of 1 cell signed off as the judge"
        " proposed."
    ) in markdown(told)


def test_a_change_is_over_the_cells_that_both_sides_have(tmp_path):
    def act(desk):
        """One cell in which the judge's precision is 0/0, and one that both have."""
        for number in (1, 2):
            desk.receive(number, proposal())
        for bucket in ("tp", "tp", "tp", "fp"):
            desk.do(
                1,
                Correct(
                    Edit.from_row({"action": "drop", "bucket": bucket, "index": 0}),
                ),
            )
        desk.do(2, Correct(Edit.from_row(MOVE)))
        desk.sign_off(1)
        desk.sign_off(2)

    (trait,) = of_bench(tmp_path, act, trace("t1"), trace("t2")).traits
    precision = trait.sides(trait.numbers.measures[0])
    signed, judge = precision["signed"], precision["judge"]
    assert (signed.macro, signed.n, judge.macro, judge.n) == (1, 1, 0.75, 2)
    change = trait.changes["precision"][SIGNED_OFF]
    assert (change.macro, change.n) == (0.25, 1)


def test_of_instructions_ruled_blind_those_that_differ_most_come_first(tmp_path):
    with sampled(tmp_path, ruled=25) as desk:
        wrong = sum(
            is_judged_there(one) != is_there(one) for one in order_of(desk)[:25]
        )
        desk.save()
    facts = markdown(report(load_audit(place(tmp_path).audit))).split("## Facts")[1]
    heads, _, *rows = (
        facts.split("**Instructions ruled blind**")[1].split("\n\n")[1].splitlines()
    )
    assert heads.startswith("|  | answers | differ |")
    assert heads.endswith("| alike |")
    first, second = (row.strip("| ").split(" | ") for row in rows)
    assert wrong > 0
    assert (first[:3], first[-1]) == (
        ["Doses it", "25", str(wrong)],
        f"{1 - wrong / 25:.3f}",
    )
    assert second[:3] == ["Names it", "25", "0"]


def test_a_mean_over_other_cells_than_the_judges_has_no_difference():
    people = SideFigures(0.8, 0.8, 4, 0, 0, 0.1, 0.1, 4)
    judge = SideFigures(0.7, 0.6, 4, 0, 0, 0.1, 0.1, 4)
    assert _mean_difference("micro", people, judge) == pytest.approx(0.1)
    assert _mean_difference("macro", people, judge) == pytest.approx(0.2)
    undefined = replace(judge, n=3, undefined=1)
    assert _mean_difference("micro", people, undefined) == pytest.approx(0.1)
    assert _mean_difference("macro", people, undefined) is None
    assert _mean_difference("micro", people, replace(judge, n=3)) is None


def test_every_metric_has_a_row_among_the_traits_and_few_cells_are_marked(small):
    (table,) = [
        block for block in traits_table(small) if isinstance(block, ReportTable)
    ]
    names = [(row[0], row[1]) for row in table.rows]
    assert names == [
        ("Accuracy", "f1"),
        ("", "precision"),
        ("", "recall"),
        ("", "specificity"),
        ("", "accuracy"),
    ]
    assert table.rows[0][3].endswith(" (n 1)")
