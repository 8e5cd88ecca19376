"""What makes a rubric weak, trait by trait, and which traits no labelled trace is told apart by."""

import pytest

from appellate.cli.check import FEWEST, answers_of, findings
from appellate.core.trace import Trace
from appellate.installed import shipped
from appellate.store.files.rubric_file import load_rubric
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.rubric import Question, Rubric
from cells import checklist

GENE = RegexRubricTrait(name="Gene", pattern=r"BCL\d")
RUBRIC = Rubric(
    llm_traits=[LLMRubricTrait(name="Safe", kind="boolean", description="Is it safe?")],
    regex_traits=[GENE],
    callable_traits=[CallableRubricTrait(name="Runs", kind="boolean", callable="m:f")],
    questions=[Question(id="q", metric_traits=[checklist()])],
)


def traces(count, *, safe=lambda _: True, response="BCL2"):
    return [
        Trace(id=str(n), response=response, judgments={"Safe": {"value": safe(n)}})
        for n in range(count)
    ]


def found(given, rubric=RUBRIC):
    """The traits by the first word of the reason, and what is wrong with them."""
    return {
        (one.reason.split('"')[1], one.id)
        for one in findings(rubric, answers_of(rubric, given))
    }


def test_a_trait_that_all_labelled_traces_answer_alike_tells_none_from_another():
    assert found(traces(FEWEST)) == {("Safe", "constant"), ("Gene", "constant")}
    assert found(traces(FEWEST, safe=lambda n: n > 0)) == {("Gene", "constant")}


def test_few_traces_say_nothing_and_code_of_others_is_never_run_for_it():
    assert found(traces(FEWEST - 1)) == set()
    assert {name for name, _ in answers_of(RUBRIC, traces(1))} == {"Safe", "Gene"}


@pytest.mark.slow
def test_a_pattern_that_takes_too_long_is_left_out():
    slow = Rubric(regex_traits=[GENE.model_copy(update={"pattern": "(a+)+$"})])
    assert list(answers_of(slow, [Trace(id="1", response="a" * 40 + "b")])) == []


def test_a_weakness_has_the_place_of_its_words_in_the_rubric():
    weak = checklist(tp_instructions=["Gives proper advice"])
    of = Rubric(questions=[Question(id="q", metric_traits=[weak])])
    (one,) = findings(of, [])
    place = ("questions", 0, "metric_traits", 0, "tp_instructions", 0)
    assert (one.path, one.id) == (place, "vague")


def test_the_nine_weak_examples_of_the_reference_documents_are_found_and_their_strong_ones_are_not():
    strong = [
        "Mentions BCL2",
        "States that BCL2 inhibits apoptosis",
        "States BCL2 is on chromosome 18",
    ]
    wrong = ["Claims BCL2 is pro-apoptotic", "States BCL2 is on chromosome 1"]
    weak = [
        "Covers the biology well",
        "Is scientifically thorough",
        "Talks about the important details",
    ]
    rubric = Rubric(
        metric_traits=[
            checklist(tp_instructions=[*strong, *weak, "Discusses BCL2"]),
            checklist(
                name="Wrong",
                evaluation_mode="full_matrix",
                tp_instructions=strong,
                tn_instructions=[
                    *wrong,
                    "Contains inaccurate biology",
                    "Says something wrong",
                ],
            ),
        ],
        llm_traits=[
            LLMRubricTrait(
                name="Good",
                kind="boolean",
                description="Is the answer good?",
            ),
            LLMRubricTrait(
                name="Term",
                kind="boolean",
                description="Does it mention BCL2?",
            ),
            LLMRubricTrait(
                name="Cites",
                kind="boolean",
                description="Does it contain citations?",
            ),
        ],
        regex_traits=[
            RegexRubricTrait(name="Cell", pattern="cell"),
            RegexRubricTrait(name="Whole", pattern=r"\bcell\b"),
        ],
    )
    assert sorted((one.id, *one.path) for one in findings(rubric, [])) == [
        ("boundary", "regex_traits", 0, "pattern"),
        ("keyword", "llm_traits", 1, "description"),
        ("overlap", "metric_traits", 0, "tp_instructions", 6),
        ("umbrella", "metric_traits", 1, "tn_instructions", 2),
        ("umbrella", "metric_traits", 1, "tn_instructions", 3),
        ("vague", "llm_traits", 0, "description"),
        ("vague", "metric_traits", 0, "tp_instructions", 3),
        ("vague", "metric_traits", 0, "tp_instructions", 4),
        ("vague", "metric_traits", 0, "tp_instructions", 5),
    ]


@pytest.mark.parametrize(
    "file",
    sorted(shipped("sample_rubrics").glob("*.rubric.toml")),
)
def test_the_samples_have_no_weakness(file):
    assert list(findings(load_rubric(file), [])) == []
