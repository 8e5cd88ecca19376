"""Points of instructions: achieved over possible, at least 0, whoever labels them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.traits.metric import KIND
from appellate.traits.metric.pane_items import RowDrawing
from appellate.traits.metric.rows import entries, rows
from appellate.traits.metric.spec import ConfusionLists, MetricRubricTrait
from appellate.traits.metric.weaknesses import weaknesses
from appellate.ui.marks import UNICODE
from appellate.ui.pane import Looking
from appellate.ui.rows import NO_SIGN
from cells import GENE, Story, labels, matrix


def trait(*wanted, unwanted=()):
    """A trait by its points; an instruction's words are its place and list."""
    return MetricRubricTrait(
        name="x",
        evaluation_mode="full_matrix" if unwanted else "tp_only",
        metrics=["f1", "weighted"],
        tp_instructions=[
            {"text": f"states {place}", "weight": weight}
            for place, weight in enumerate(wanted)
        ],
        tn_instructions=[
            {"text": f"claims {place}", "weight": weight}
            for place, weight in enumerate(unwanted)
        ],
    )


def lists(one, met):
    """Confusion lists in which these instructions are met."""
    return ConfusionLists(
        tp=[text for text in one.tp_instructions if text in met],
        fn=[text for text in one.tp_instructions if text not in met],
        fp=[text for text in one.tn_instructions if text in met],
        tn=[text for text in one.tn_instructions if text not in met],
    )


@pytest.mark.parametrize(
    ("met", "score"),
    [
        ([], 0.0),
        (["states 0"], 0.7),
        (["states 0", "states 1"], 1.0),
        (["states 0", "claims 0"], 0.3),
        (["states 1", "claims 0"], 0.0),  # −1 of 10, clipped
    ],
)
def test_points_are_achieved_over_possible_and_never_below_0(met, score):
    one = trait(7, 3, unwanted=(-4,))
    assert one.measure(lists(one, met))["weighted"] == pytest.approx(score)


def test_without_weights_each_counts_one():
    one = MetricRubricTrait(name="x", metrics=["weighted"], tp_instructions=["a", "b"])
    assert one.measure(ConfusionLists(tp=["a"], fn=["b"])) == {"weighted": 0.5}


@pytest.mark.parametrize(
    ("tp", "fn", "score"),
    [
        ([], [], 0.0),
        (["a"], [], 0.5),
        (["some words"], ["b"], 0.5),
        (["some words"], [], 1.0),
    ],
)
def test_of_plain_lists_what_is_not_there_is_not_met(tp, fn, score):
    one = MetricRubricTrait(name="x", metrics=["weighted"], tp_instructions=["a", "b"])
    assert one.measure(ConfusionLists(tp=tp, fn=fn)) == {"weighted": score}


def test_where_nothing_can_be_won_it_is_undefined():
    one = trait(-1)
    assert one.undefined(lists(one, [])) == {"weighted"}


def test_a_judges_table_and_labels_come_to_the_same():
    one, trace = (
        trait(7, 3, unwanted=(-4,)),
        Trace(id="a", response="states 0, claims 0"),
    )
    plain = lists(one, ["states 0", "claims 0"])
    table = KIND.locate(one, trace, plain.model_dump())
    subject = Subject(KIND, one, trace)
    labels = subject.labels(table)
    for figures in (KIND.measure(one, labels), subject.measure_table(table)):
        assert figures.values["weighted"] == pytest.approx(0.3)
        assert list(figures.values) == ["f1", "weighted"]


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=5), st.sets(st.integers(0, 4)))
def test_weights_and_tags_survive_the_file_and_stay_within_bounds(weights, met):
    one = trait(*weights)
    assert MetricRubricTrait.model_validate(one.to_file()) == one
    found = lists(one, [f"states {place}" for place in met])
    assert 0 <= one.measure(found)["weighted"] <= 1


def test_words_without_weights_keep_their_hash():
    one = MetricRubricTrait(name="x", metrics=["f1"], tp_instructions=["a"])
    same = MetricRubricTrait(name="x", metrics=["f1"], tp_instructions=[{"text": "a"}])
    weighted = MetricRubricTrait(
        name="x",
        metrics=["f1"],
        tp_instructions=[{"text": "a", "weight": 2}],
    )
    assert one.sha256() == same.sha256() != weighted.sha256()


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        (
            {"text": "a", "weight": "5"},
            'weight must be a number from .* not the text "5"',
        ),
        ({"text": "a", "weight": True}, "weight must be .* not true"),
        ({"text": "a", "weight": float("nan")}, "weight must be .* not nan"),
        ({"text": "a", "weight": [1]}, "weight must be .* not a list"),
        pytest.param({"text": "a", "weight": 10**400}, "not a huge number", id="huge"),
        ({"text": "a", "weight": 1e308}, "not a huge number"),
        ({"text": 1}, "text must be text in quotes, not the number 1"),
        ({"text": "a", "tags": "x"}, "tags must be a list of texts"),
        ({"text": "a", "omission": 1}, "omission must be true or false"),
        (
            {"text": "a", "wieght": 1},
            'there is no key "wieght"; did you mean "weight"\\?',
        ),
        ({"weight": 1}, "its text is missing"),
    ],
)
def test_what_is_wrong_in_the_table_of_an_instruction_is_named_in_its_place(
    table,
    wrong,
):
    with pytest.raises(ValueError, match=wrong) as refusal:
        MetricRubricTrait(name="x", metrics=["f1"], tp_instructions=[table])
    assert refusal.value.errors()[0]["loc"] == ("tp_instructions", 0)


def points_beside(one):
    review = Looking(UNICODE, lambda: None, lambda _: None)
    drawing = RowDrawing(review, Story(one).cell, lambda _: NO_SIGN)
    drawn = [*entries(one, {}, "tp"), *entries(one, {}, "tn")]
    return ["".join(piece.text for piece in drawing.entry(row).right) for row in drawn]


def test_rows_show_the_points_of_their_instructions():
    assert points_beside(trait(5, 0.5, unwanted=[-8])) == [
        " +5",
        " +0.5",
        f" {UNICODE.minus}8",
    ]


def test_an_item_that_answers_a_hint_has_no_points():
    one = matrix(tp_instructions=[{"text": "names the gene", "weight": 3}])
    review = Looking(UNICODE, lambda: None, lambda _: None)
    drawing = RowDrawing(review, Story(one).cell, lambda _: NO_SIGN)
    (row,) = rows(one, labels(one, fp=[(GENE, "~2")]), "fp")
    assert drawing.item(row).right == ()


@pytest.mark.parametrize(
    ("of", "text", "weight", "is_wrong"),
    [
        ("tp", "Incorrectly states the dose", 4, True),
        ("tp", "The response fails to mention the risk", 4, True),
        ("tp", "Explains that antibiotics fail against viruses", 4, False),
        ("tn", "Correctly states the dose", -4, True),
        ("tn", "Incorrectly states the dose", -4, False),
        ("tn", "Fails to mention the risk", -4, False),
        ("tp", "States the dose", -4, True),
        ("tp", "States the dose", 4, False),
    ],
)
def test_a_sign_that_contradicts_the_words_or_the_list_is_linted(
    of,
    text,
    weight,
    is_wrong,
):
    marked = [{"text": text, "weight": weight}]
    lists = {"tp_instructions": ["Names the drug"], "tn_instructions": ["Names TP53"]}
    lists[f"{of}_instructions"] = marked
    one = MetricRubricTrait(
        name="x",
        evaluation_mode="full_matrix",
        metrics=["f1"],
        **lists,
    )
    assert ("sign" in {weak.id for weak in weaknesses(one)}) == is_wrong


def test_rows_of_a_trait_without_weights_show_none():
    one = MetricRubricTrait(name="x", metrics=["weighted"], tp_instructions=["a", "b"])
    assert points_beside(one) == ["", ""]
