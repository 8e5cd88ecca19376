"""The samples load, join into one rubric, and hold the judge's errors that their first lines promise."""

from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from appellate import installed
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.store.files.rubric_file import load_rubric, read_rubric
from appellate.store.files.trace_file import read_traces
from appellate.traits.callable.running import CallableRunner
from appellate.traits.metric import KIND
from appellate.traits.metric.edits import Edit, apply
from appellate.traits.metric.labels import Item, Labels, from_table, located
from appellate.traits.metric.ledger import breaches, evidence_of
from appellate.traits.metric.spec import METRICS, MetricRubricTrait
from appellate.traits.rubric import Rubric
from cells import confusion

FOLDER = installed.shipped("sample_rubrics")
RUBRICS = sorted(FOLDER.glob("*.rubric.toml"))
NAMES = [path.name.removesuffix(".rubric.toml") for path in RUBRICS]
each_sample = pytest.mark.parametrize("name", NAMES)


class Judged(NamedTuple):
    """One cell with recorded labels."""

    trace: Trace
    trait: MetricRubricTrait
    labels: Labels


@cache
def rubric_of(name: str) -> Rubric:
    return load_rubric(FOLDER / f"{name}.rubric.toml")


def traces_file(name: str) -> Path:
    return FOLDER / f"{name}.traces.toml"


@cache
def traces_of(name: str) -> list[Trace]:
    return read_traces(traces_file(name), rubric_of(name)).usable()


def judged(name: str) -> Iterator[Judged]:
    rubric = rubric_of(name)
    for trace in traces_of(name):
        for kind, trait in rubric.traits_of(trace).values():
            if kind.name == "metric" and trait.name in trace.judgments:
                table = located(trait, trace, trace.judgments[trait.name])
                yield Judged(trace, trait, from_table(trait, trace, table))


def cell(name: str, trace_id: str, trait: str, epoch: int = 1) -> Judged:
    return next(
        c
        for c in judged(name)
        if c.trace.key == (trace_id, epoch) and c.trait.name == trait
    )


def unverified(found: Judged) -> list[str]:
    items = [("tp", item) for item in found.labels.tp] + [
        ("fp", item) for item in found.labels.fp
    ]
    return [
        item.text
        for bucket, item in items
        if evidence_of(found.trait, bucket, item) == "unverified"
    ]


def told(found: Judged) -> str:
    return " ".join(breaches(found.trait, found.labels))


def item(items: tuple[Item, ...], start: str) -> Item:
    return next(item for item in items if item.text.startswith(start))


# -- every sample -----------------------------------------------------------------------------------


def test_there_are_the_bcl2_example_and_more_fields():
    assert NAMES == [
        "bcl2",
        "booking",
        "history",
        "house-style",
        "lab-orders",
        "medication-safety",
        "quick-answers",
        "retrieved-abstracts",
        "sql-review",
        "support-replies",
    ]


@each_sample
def test_every_file_says_at_its_top_what_is_worth_finding(name):
    for path in (FOLDER / f"{name}.rubric.toml", traces_file(name)):
        lines = path.read_text(encoding="utf-8").splitlines()
        comment = " ".join(
            line for line in lines[: lines.index("")] if line.startswith("#")
        )
        assert lines[0].startswith("# ")
        assert "Worth finding" in comment


@each_sample
def test_it_loads_without_a_problem_and_without_a_note_on_the_rubric(name):
    rubric = read_rubric(FOLDER / f"{name}.rubric.toml")
    traces = read_traces(traces_file(name), rubric.value)
    assert (rubric.problems, rubric.notes, traces.problems) == ([], [], [])
    assert len(traces.notes) == 1
    assert "carry recorded labels" in traces.notes[0]


@each_sample
def test_it_has_several_traces_of_which_some_wait_for_a_judge(name):
    traces = traces_of(name)
    assert 4 <= len(traces) <= 8
    assert any(trace.judgments for trace in traces)
    assert any(not trace.judgments for trace in traces)


@each_sample
def test_its_first_lines_name_every_trace(name):
    comment = traces_file(name).read_text(encoding="utf-8").split("[[traces]]")[0]
    assert all(f"#   {trace.id} " in comment for trace in traces_of(name))


@each_sample
def test_its_traits_belong_to_questions_that_have_a_text_and_a_reference(name):
    rubric = rubric_of(name)
    assert list(rubric.own_traits()) == []
    assert all(
        q.question and q.reference and list(q.own_traits()) for q in rubric.questions
    )


def test_all_samples_join_into_one_rubric_by_putting_their_questions_together():
    questions = [question for name in NAMES for question in rubric_of(name).questions]
    joined = Rubric(name="samples", questions=questions)
    traces = read_traces([traces_file(name) for name in NAMES], joined)
    assert traces.problems == []
    assert len(traces.usable()) == sum(len(traces_of(name)) for name in NAMES)
    assert len(joined.get_metric_trait_names()) == sum(
        len(question.metric_traits) for question in questions
    )


def test_together_they_use_every_metric_mode_and_option():
    traits = [
        trait
        for name in NAMES
        for q in rubric_of(name).questions
        for trait in q.metric_traits
    ]
    assert {metric for trait in traits for metric in trait.metrics} == set(METRICS)
    assert {trait.full for trait in traits} == {True, False}
    assert {trait.repeated_extraction for trait in traits} == {True, False}
    assert any(
        trait.fp_instructions and trait.fn_instructions and trait.description
        for trait in traits
    )


def test_one_answer_is_long_and_some_hold_markdown_brackets_and_other_scripts():
    responses = [trace.response for name in NAMES for trace in traces_of(name)]
    assert max(map(len, responses)) > 5500
    together = "".join(responses)
    assert [
        part for part in ("**", "```", "[/b]", "畢昇", "직지") if part not in together
    ] == []


# -- BCL2, with the numbers of the documentation ----------------------------------------------------


def test_bcl2_coverage_has_the_documented_numbers():
    found = cell("bcl2", "bcl2-1", "BCL2 Coverage")
    assert found.trait.get_required_buckets() == {"tp", "fn", "fp"}
    assert found.trait.measure(confusion(found.labels)) == {
        "precision": 0.75,
        "recall": 0.75,
        "f1": 0.75,
    }


def test_bcl2_accuracy_has_the_documented_numbers():
    found = cell("bcl2", "bcl2-1", "BCL2 Accuracy")
    assert [
        len(found.labels.bucket(bucket)) for bucket in ("tp", "fn", "fp", "tn")
    ] == [3, 1, 1, 1]
    expected = {
        "precision": 0.75,
        "recall": 0.75,
        "specificity": 0.5,
        "accuracy": 4 / 6,
        "f1": 0.75,
    }
    assert found.trait.measure(confusion(found.labels)) == pytest.approx(expected)
    assert told(found) == ""
    assert unverified(found) == []


def test_bcl2_comes_first_so_that_the_demo_opens_on_it():
    assert NAMES[0] == "bcl2"
    assert traces_of("bcl2")[0].id == "bcl2-1"


def test_moving_the_true_statement_out_of_fp_mends_all_five_metrics():
    found = cell("bcl2", "bcl2-2", "BCL2 Accuracy")
    assert found.trait.measure(confusion(found.labels))["f1"] == 0.75
    edit = {
        "action": "move",
        "bucket": "fp",
        "index": 0,
        "to": "tp",
        "of": "tp",
        "instruction": 4,
    }
    mended = apply(found.trait, found.trace, found.labels, Edit.from_row(edit)).labels
    assert set(found.trait.measure(confusion(mended)).values()) == {1.0}
    assert breaches(found.trait, mended) == []


# -- the judge's errors that a person should find ----------------------------------------------------


def test_the_bcl2_judge_quotes_what_was_never_said_and_misses_a_negation():
    found = cell("bcl2", "bcl2-2", "BCL2 Accuracy", epoch=2)
    assert unverified(found) == ["the gene at 18q21.33 codes for Bcl-2"]
    assert [item.text for item in found.labels.fp] == ["promote cell death"]
    assert "does not promote cell death" in found.trace.response


def test_bcl2_shows_a_denial_one_that_the_judge_missed_and_one_that_passed_for_the_fact():
    (absent,) = cell("bcl2", "bcl2-2", "BCL2 Accuracy").labels.tn
    assert absent.denied == "keeps partners such as BAX and BAK in check"
    missed = cell("bcl2", "bcl2-2", "BCL2 Accuracy", epoch=2)
    (false,) = missed.labels.fp
    edit = Edit("deny", "fp", to="tn", start=false.start, end=false.end)
    found = apply(missed.trait, missed.trace, missed.labels, edit).labels
    assert found.tn[-1].denied == "promote cell death"
    contrary = cell("bcl2", "bcl2-3", "BCL2 Coverage")
    assert contrary.labels.tp[1].text == "triggers apoptosis in damaged cells"


def test_the_bcl2_judge_answers_one_instruction_twice_and_links_one_item_to_none():
    found = cell("bcl2", "bcl2-3", "BCL2 Accuracy")
    assert "TP instruction 4 is in both TP and FN" in told(found)
    assert "answers no instruction" in told(found)


def test_the_bcl2_judge_repeats_an_excerpt_which_counts_once():
    found = cell("bcl2", "bcl2-2", "BCL2 Coverage")
    assert (
        len(found.labels.tp) - KIND.measure(found.trait, found.labels).counts["tp"] == 1
    )


def test_the_venetoclax_judge_takes_a_known_wrong_target_for_a_right_one():
    found = cell("bcl2", "ven-1", "Venetoclax Mechanism")
    assert item(found.labels.tp, "Venetoclax also blocks BTK").link == ("tp", 1)
    assert "BTK" in found.trait.instructions("fp")[0]


def test_the_history_judge_accepts_a_wrong_century_and_glues_two_places_together():
    wrong = cell("history", "type-1", "Movable Type").labels.tp
    assert item(wrong, "That was in the 1440s").link == ("tp", 3)
    found = cell("history", "type-2", "Movable Type")
    assert " … " in found.trace.judgments["Movable Type"]["tp"][0]
    assert sum(item.link == ("tp", 2) for item in found.labels.tp) == 2


def test_the_history_judge_contradicts_itself_about_the_bacterium():
    assert "TN instruction 2 is in both FP and TN" in told(
        cell("history", "pump-2", "Broad Street"),
    )


def test_the_medication_judge_leaves_an_instruction_out_and_invents_a_warning():
    found = cell("medication-safety", "warfarin-2", "Warfarin Advice")
    assert "TP instruction 2 is in neither TP nor FN" in told(found)
    invented = unverified(
        cell("medication-safety", "methotrexate-2", "Methotrexate Safety"),
    )
    assert [text[:12] for text in invented] == ["Trimethoprim"]


def test_one_answer_says_nothing_of_use_so_that_its_precision_is_undefined():
    found = cell("medication-safety", "methotrexate-3", "Methotrexate Safety")
    assert found.trait.undefined(confusion(found.labels)) == {"precision"}


def test_the_same_words_about_two_lines_count_twice_where_the_trait_says_so():
    found = cell("sql-review", "unsafe-1", "Unsafe Calls")
    assert found.trait.measure(confusion(found.labels))["recall"] == pytest.approx(
        2 / 3,
    )


def test_the_sql_judge_believes_that_string_formatting_is_a_parameter():
    found = cell("sql-review", "injection-1", "Injection Answer")
    believed = next(item for item in found.labels.tp if item.link == ("tp", 3))
    assert believed.text.endswith("% name)")
    assert believed.span is not None


def test_the_patterns_of_house_style_are_nearly_right():
    rubric, values = rubric_of("house-style"), {}
    for trace in traces_of("house-style"):
        for known in rubric.traits_of(trace).values():
            table = known.kind.computed.compute(known.trait, trace)
            values[trace.id, known.trait.name] = table["value"], table["hits"]
    assert values["vitamin-1", "Cites PubMed"] == (True, 2)
    assert values["vitamin-2", "Cites PubMed"] == (False, 0)
    assert values["vitamin-3", "No Web Address"] == (False, 1)
    assert values["vitamin-3", "Dose With Unit"] == (True, 1)
    assert values["knee-1", "Speaks Of Itself"] == (True, 3)
    assert values["knee-2", "Speaks Of Itself"] == (False, 0)
    assert traces_of("house-style")[-1].judgments["Speaks Of Itself"]["value"] is True


def test_the_judge_of_support_replies_errs_where_the_first_lines_say_so():
    rubric, found = rubric_of("support-replies"), {}
    for trace in traces_of("support-replies"):
        for name, known in rubric.traits_of(trace).items():
            if name in trace.judgments:
                table = known.kind.locate(known.trait, trace, trace.judgments[name])
                found[trace.id, name] = known.kind.labels(known.trait, trace, table)
    assert found["parcel-2", "Promises Too Much"].value is False
    assert "with you by Friday" in traces_of("support-replies")[1].response
    assert found["parcel-2", "Tone"].name == "attentive"
    assert found["parcel-4", "Answers Both"].value is False
    assert found["parcel-5", "Next Step"].value == 5
    unfound = [
        key for key, labels in found.items() for one in labels.evidence if not one.span
    ]
    assert unfound == [("parcel-3", "Tone")]
    scale = next(
        trait for _, trait in rubric.every_trait() if trait.name == "Next Step"
    )
    assert list(scale.anchors()) == [1, 2, 3, 4, 5]


def test_the_rules_of_quick_answers_are_nearly_right():
    rubric, values = rubric_of("quick-answers"), {}
    for trace in traces_of("quick-answers"):
        for name, known in rubric.traits_of(trace).items():
            if not known.trait.is_graded:
                table = known.kind.computed.compute(known.trait, rubric.asked(trace))
                values[trace.id, name] = table["value"]
    assert [values[f"train-{number}", "Minutes"] for number in (1, 2, 3)] == [
        "C",
        "I",
        "I",
    ]
    assert [values[f"prime-{number}", "Prime"] for number in (1, 2)] == ["C", "I"]
    assert values["ice-1", "In Its Words"]["term"] == "C"
    assert values["ice-2", "In Its Words"]["term"] == "I"
    for trace in traces_of("quick-answers")[-2:]:
        table = trace.judgments["Why It Floats"]
        assert table["value"] == "C"
        assert table["answer"] in trace.response


def test_the_functions_of_bookings_return_what_their_traces_came_with():
    rubric, differing = rubric_of("booking"), []
    with closing(CallableRunner([str(FOLDER)])) as session:
        for trace in traces_of("booking"):
            for name, known in rubric.traits_of(trace).items():
                found = session.compute(known.trait, rubric.asked(trace))
                given = trace.judgments.get(name)
                if given and known.kind.locate(known.trait, trace, given) != found:
                    differing.append((trace.id, name))
                assert found["value"] is not None
    assert differing == []
    assert not traces_of("booking")[-1].judgments


# -- retrieved abstracts ------------------------------------------------------------------------------


def grounded(trace_id: str):
    """The labels of an answer from abstracts, and what contradicts itself in them."""
    rubric = rubric_of("retrieved-abstracts")
    trace = next(one for one in traces_of("retrieved-abstracts") if one.id == trace_id)
    ((kind, trait),) = rubric.traits_of(trace).values()
    table = kind.locate(trait, trace, trace.judgments[trait.name])
    labels = kind.labels(trait, trace, table)
    return labels, [check.sentence for check in kind.checks(trait, labels)]


def test_sglt2_1_denies_what_stands_there_and_lets_pass_what_does_not():
    labels, breaches = grounded("sglt2-1")
    assert labels.of("c").verdict == "none"
    assert "came to need dialysis" in labels.sentences.find("1b").text
    assert (labels.of("e").verdict, labels.of("e").keys) == ("full", ("1d",))
    assert (labels.of("f").verdict, labels.of("g").keys) == ("partial", ("general",))
    assert "2a" in labels.relevant
    assert labels.utilized == ("0a", "0b", "0c", "1c", "1d", "3c")
    assert breaches == [
        "3c is utilized, but not relevant.",
        "Overall the judge says that all is supported, but c, f are not.",
    ]


def test_sglt2_2_leaves_a_sentence_out_and_calls_the_opposite_of_1c_well_known():
    labels, breaches = grounded("sglt2-2")
    assert breaches[0].startswith("b is not labelled")
    assert labels.of("c").keys == ("well_known_fact",)


def test_folate_2_is_in_order():
    labels, breaches = grounded("folate-2")
    assert labels.adheres
    assert breaches == []


# -- lab orders ------------------------------------------------------------------------------------


def run_of(trace_id: str, trait: str) -> tuple[Subject, Labels]:
    """A run of the agent as a trait reads it, and the labels that came with it."""
    rubric = rubric_of("lab-orders")
    trace = next(one for one in traces_of("lab-orders") if one.id == trace_id)
    kind, known = rubric.traits_of(trace)[trait]
    subject = Subject(kind, known, rubric.asked(trace))
    table = kind.locate(known, subject.trace, trace.judgments[trait])
    return subject, kind.labels(known, subject.trace, table)


def test_order_1_calls_for_another_amount_than_it_reports():
    subject, labels = run_of("order-1", "Order As Asked")
    assert "amount_ug: 500" in subject.text
    assert "one vial with 50 µg" in labels.tp[2].text
    assert subject.transcript.step_of(labels.tp[2].span).no == len(
        subject.transcript.steps,
    )
    assert run_of("order-1", "Report Is True")[1].value is True


def test_order_2_is_proven_with_the_words_of_the_user():
    subject, labels = run_of("order-2", "Order As Asked")
    assert subject.transcript.step_of(labels.tp[1].span).turn.role == "user"
    assert subject.transcript.step_of(labels.tp[2].span).turn.calls


def test_order_3_is_placed_twice():
    subject, labels = run_of("order-3", "Order As Asked")
    assert subject.text.count("calls place_order") == 2
    assert "Orders more than once" in [one.text for one in labels.tn]
    assert [one.text for one in labels.fn] == ["Asks the user before ordering"]
