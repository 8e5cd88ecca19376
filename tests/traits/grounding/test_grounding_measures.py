"""TRACe against its oracle: the guide's pseudocode and RAGBench's published scores, of 100 rows."""

import gzip
import json
from collections import Counter
from math import isclose

import pytest

import appellate
from appellate.core.agreement import ENOUGH, Agreement
from appellate.core.kind import Figures
from appellate.traits.grounding import KIND, measures
from appellate.traits.grounding.labels import breaches
from appellate.traits.grounding.measures import SCORES, between, measure_grounding
from traits.grounding.grounding_traits import RAGBENCH, TRACE, TRAIT, support, table

PUBLISHED = {
    "guide": (
        "seed",
        ("context_relevance", "context_utilization", "completeness", "adherence"),
    ),
    "ragbench": (
        "ragbench_published",
        ("relevance", "utilization", "completeness", "adherence"),
    ),
}
UNTIDY = range(152, 175, 2)
NOT_FOLLOWED = {"guide": {*UNTIDY, 180}, "ragbench": {*UNTIDY, 176, 180, 184}}
"""Where the bench, which tidies keys first, comes to other numbers than were published: lists that
name sentences twice or name none (the bench counts each sentence once), and from 176 on a sentence
without a label, which is not supported.
"""


@pytest.fixture(scope="module")
def oracle(shared):
    with gzip.open(shared / "oracle" / "trace.json.gz") as stream:
        return json.load(stream)


def expected(case, definition):
    """The four scores, and by the guide their average, as the oracle has them."""
    section, names = PUBLISHED[definition]
    found = {}
    for ours, theirs in zip(SCORES, names, strict=True):
        value = case["expected"][section][theirs]
        found[ours] = value["float"] if isinstance(value, dict) else value
    if definition == "guide":
        found["average"] = case["expected"][section]["average"]["float"]
    return found


def agrees(measured, wanted):
    for name, value in wanted.items():
        if value is None or measured[name] is None:
            if value is not measured[name]:
                return False
        elif not isclose(measured[name], value, abs_tol=1e-9):
            return False
    return True


@pytest.mark.parametrize("definition", PUBLISHED)
def test_all_hundred_rows_come_out_as_published(oracle, definition):
    assert len(oracle["cases"]) == 100
    for case in oracle["cases"]:
        measured = measure_grounding(case, definition)
        assert agrees(measured, expected(case, definition)), case["id"]
        assert measure_grounding({**case, **case["labels"]}, definition) == measured


@pytest.mark.parametrize("definition", PUBLISHED)
def test_the_bench_comes_to_the_same_but_where_keys_are_untidy_or_sentences_left_out(
    oracle,
    definition,
):
    others = []
    for case in oracle["cases"]:
        measured = measure_grounding(case, definition, tidy=True)
        if not agrees(measured, expected(case, definition)):
            others.append(case["id"])
    assert set(others) == NOT_FOLLOWED[definition]


def test_tidied_keys_come_to_the_papers_numbers_on_sets_of_known_keys(oracle):
    for case in oracle["cases"]:
        paper = case["expected"]["paper"]
        measured = measure_grounding(case, "ragbench", tidy=True)
        for name in ("relevance", "utilization"):
            value = paper["sentences"][name]
            assert measured[name] == (
                value and pytest.approx(value["float"], abs=1e-9)
            ), case["id"]
        whole = paper["sentences"]["completeness"] or {"float": 1.0}
        assert measured["completeness"] == pytest.approx(whole["float"], abs=1e-9)
        assert measured["adherence"] == (paper["adherence_all_sentences"] is not False)


def test_violations_are_those_that_the_oracle_finds(oracle):
    for case in oracle["cases"]:
        labels = KIND.labels(TRAIT, TRACE, {**case, **case["labels"]})
        found = dict.fromkeys(case["expected"]["paper"]["schema_findings"])
        wanted = {
            name: keys.split(",")
            for name, _, keys in (one.partition(":") for one in found)
        }
        ignored = [
            one.keys for one in breaches(labels) if "but not relevant" in one.sentence
        ]
        assert [list(keys) for keys in ignored] == [
            keys for name, keys in wanted.items() if name == "utilized_not_relevant"
        ], case["id"]
        rows = {
            one["response_sentence_key"].strip("."): one.get("fully_supported")
            for one in case["labels"]["sentence_support_information"]
        }
        unsaid = [key for key, _ in case["response_sentences"] if rows.get(key) is None]
        assert [
            one.key for one in labels.support if one.verdict == "unlabelled"
        ] == unsaid
        against = any("Overall" in one.sentence for one in breaches(labels))
        known = "overall_supported_disagrees_with_sentences" in wanted
        assert against == (known and bool(case["response_sentences"])), case["id"]


def test_judges_are_told_from_experts_as_in_ragbenchs_own_evaluation(oracle):
    """What is not followed of `batches`: AUROC (adherence is yes or no here, so that there is no ranking), and the
    error of relevance over traces (`rmse` is of the four scores of a cell). Of fewer than 20 compared nothing is told.
    """
    for batch in oracle["batches"]:
        said = zip(batch["judge_adherence"], batch["human_adherence"], strict=True)
        pairs = Counter(
            (judge == 1, human) for judge, human in said if judge is not None
        )
        found = Agreement(
            {(str(judge), str(human)): n for (judge, human), n in pairs.items()},
        )
        wanted = batch["expected"]
        confusion = wanted["adherence_confusion_judge_eq_1"]
        assert [found.counts.get(pair, 0) for pair in PAIRS] == [
            confusion[name] for name in ("tp", "fp", "fn", "tn")
        ]
        if found.n >= ENOUGH:
            assert found.kappa == pytest.approx(
                wanted["cohen_kappa"]["float"],
                abs=1e-9,
            )
            assert found.observed == pytest.approx(
                wanted["adherence_accuracy"]["float"],
                abs=1e-9,
            )


PAIRS = [("True", "True"), ("True", "False"), ("False", "True"), ("False", "False")]


def test_a_list_in_one_text_counts_as_one_key_until_it_is_tidied():
    row = {**KIND.locate(TRAIT, TRACE, table()), "all_relevant_sentence_keys": "0a, 0b"}
    assert measure_grounding(row)["relevance"] == 0.05
    assert measure_grounding(row, tidy=True)["relevance"] == 0.10


def test_the_reference_pages_examples_come_out_as_printed():
    page = {
        "documents_sentences": [],
        "all_relevant_sentence_keys": ["0a", "0b"],
        "all_utilized_sentence_keys": ["0a", "0b"],
        "sentence_support_information": [
            support("a"),
            support("b"),
            support("c", full=False),
        ],
    }
    first = appellate.measure_grounding(page)
    assert [first[name] for name in SCORES] == [0.10, 1, 1, 0]
    page["all_relevant_sentence_keys"] = ["0b", "0c", "1a", "1b"]
    page["all_utilized_sentence_keys"] = ["0b", "0c", "1a"]
    second = appellate.measure_grounding(page)
    assert [second[name] for name in (*SCORES, "average")] == [
        0.20,
        0.75,
        0.75,
        0,
        0.425,
    ]


ROW = {
    "documents_sentences": [[["0a", "Take it."], ["0b", "Dry."]]],
    "response_sentences": [["a", "Take it."]],
    "all_relevant_sentence_keys": ["0a"],
    "all_utilized_sentence_keys": ["0a"],
    "sentence_support_information": [support("a")],
    "unsupported_response_sentence_keys": ["a"],
}


@pytest.mark.parametrize("definition", ["guide", "ragbench"])
@pytest.mark.parametrize("tidied", [False, True])
@pytest.mark.parametrize("key", ROW)
def test_a_list_that_is_null_is_empty(key, definition, tidied):
    empty, null = {**ROW, key: []}, {**ROW, key: None}
    measured = measure_grounding(empty, definition, tidy=tidied)
    assert measure_grounding(null, definition, tidy=tidied) == measured
    nested = {**ROW, "labels": {key: None}}
    assert measure_grounding(nested, definition, tidy=tidied) == measured


def test_nulls_of_a_sentences_labels_say_nothing():
    said = {**support("a"), "supporting_sentence_keys": None, "explanation": None}
    row = {**ROW, "sentence_support_information": [said], "labels": None}
    assert measure_grounding(row, tidy=True)["adherence"] == 1


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (
            {"all_relevant_sentence_keys": 3},
            "all_relevant_sentence_keys: must be a list",
        ),
        (
            {"all_utilized_sentence_keys": [["0a"]]},
            "all_utilized_sentence_keys.0: must be text",
        ),
        ({"documents_sentences": [7]}, "documents_sentences.0: must be a list"),
        (
            {"sentence_support_information": ["a"]},
            "sentence_support_information.0: must be a t",
        ),
        (
            {"unsupported_response_sentence_keys": True},
            "unsupported_response_sentence_keys: must",
        ),
        ({"labels": [1]}, "labels: must be a table"),
    ],
)
@pytest.mark.parametrize("tidied", [False, True])
def test_what_is_no_label_is_refused_with_its_key(broken, told, tidied):
    with pytest.raises(ValueError, match=told):
        measure_grounding({**ROW, **broken}, tidy=tidied)


def test_a_definition_that_there_is_not_is_refused_with_the_two_that_there_are():
    with pytest.raises(ValueError, match=r"'nope' .* 'guide' or 'ragbench'"):
        measure_grounding(ROW, "nope")


@pytest.mark.parametrize("denominator", [0, -1])
def test_a_denominator_that_no_relevance_has_is_refused(denominator):
    with pytest.raises(ValueError, match=f"relevance_denominator .* not {denominator}"):
        measure_grounding(table(), relevance_denominator=denominator)


def figures(*four):
    return Figures(dict(zip(SCORES, four, strict=True)), frozenset(), {})


def test_every_distance_to_the_pages_target_is_the_oracles(oracle):
    for case in oracle["cases"]:
        measured = measure_grounding(case)
        apart = between(
            figures(*(measured[name] for name in SCORES)),
            figures(1, 1, 1, 0),
        )
        seed = case["expected"]["seed"]
        assert apart["rmse"] == pytest.approx(
            seed["rmse_vs_target_1_1_1_0"]["float"],
            abs=1e-9,
        )
        far = seed["consistency_1_minus_rmse_vs_target"]["float"]
        assert apart["consistency"] == pytest.approx(far, abs=1e-9)


def test_two_label_sets_of_which_one_has_no_number_are_not_compared():
    nothing = Figures({}, frozenset({"relevance"}), {})
    assert between(nothing, figures(1, 1, 1, 1)) == {}


def labelled(**more):
    return KIND.labels(TRAIT, TRACE, table(**more))


def test_partial_support_is_no_support_in_either_definition_and_is_counted_apart():
    said = [
        support("a", ["0a"]),
        support("b", ["1b"], full=False, partly_supported=True),
    ]
    labels = labelled(sentence_support_information=[*said, support("c", ["general"])])
    for trait in (TRAIT, RAGBENCH):
        found = KIND.measure(trait, labels)
        assert found.values["adherence"] == 0
        assert [
            found.counts[name] for name in ("supported", "partly", "unsupported")
        ] == [2, 1, 0]


def test_without_documents_the_shares_of_ragbench_are_undefined_and_the_guides_are_zero():
    alone = TRACE.model_copy(update={"documents": None})
    labels = KIND.labels(
        TRAIT,
        alone,
        table(all_relevant_sentence_keys=[], all_utilized_sentence_keys=[]),
    )
    assert KIND.measure(RAGBENCH, labels).undefined == {
        "relevance",
        "utilization",
        "average",
    }
    assert not KIND.measure(TRAIT, labels).undefined


def test_an_empty_response_adheres():
    empty = TRACE.model_copy(update={"response": ""})
    labels = KIND.labels(TRAIT, empty, table(sentence_support_information=[]))
    assert KIND.measure(TRAIT, labels).values["adherence"] == 1
    assert KIND.unjudged(TRAIT, empty, table(sentence_support_information=[])) == ""


def test_relevance_counts_against_the_traits_own_denominator():
    strict = TRAIT.model_copy(update={"relevance_denominator": 8})
    assert KIND.measure(strict, labelled()).values["relevance"] == 0.5
    assert KIND.measure(TRAIT, labelled()).values["relevance"] == 0.2


def test_numbers_over_cells_pool_what_is_a_share_of_counts():
    counts = {
        "relevant": 4,
        "utilized": 2,
        "relevant_utilized": 1,
        "document_sentences": 8,
    }
    pooled = {
        one.name: one.pool and one.pool(counts) for one in measures.measures(RAGBENCH)
    }
    assert pooled == {
        "relevance": 0.5,
        "utilization": 0.25,
        "completeness": 0.25,
        "adherence": None,
        "average": None,
    }
    assert measures.measures(RAGBENCH)[0].pool({}) is None
