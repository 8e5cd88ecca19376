"""The template: shipped, readable, replaceable part by part, and refused where it would let a response speak."""

import pytest

from appellate.core.kind import Briefing
from appellate.core.trace import Trace
from appellate.traits.metric.asking import TEMPLATE, faults, opening, shipped_text
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.template import again, not_found

TRACE = Trace(id="t", question="What is BCL2?", reference="A gene", response="BCL2 is a gene.")
TRAIT = MetricRubricTrait(
    name="BCL2", description="Genes", metrics=["f1"], tp_instructions=["Mentions BCL2"]
)


def told(**parts):
    return opening(TRAIT, TRACE, Briefing(parts))


def test_the_shipped_template_has_every_part_and_no_fault():
    assert list(TEMPLATE.shipped()) == list(TEMPLATE.parts)
    assert not list(faults(TEMPLATE.shipped()))


def test_it_can_be_read_and_taken_as_a_beginning():
    assert shipped_text().startswith("# What a model is told")


def test_a_part_takes_the_place_of_the_shipped_one_and_the_rest_stays():
    assert told(system="Be brief.").system == "Be brief."
    assert told(system="Be brief.").user == told().user
    assert "Find all of:\n1. Mentions BCL2" in told(tp="Find all of:\n$tp").user


def test_parts_that_a_cell_can_do_without_can_be_left_out():
    user = told(reference="", description="").user
    assert "reference" not in user
    assert "Scope" not in user
    assert "\n\n\n" not in user


def test_what_is_said_afterwards_is_of_the_template_too():
    words = TEMPLATE.wording({"again": "No: $fault", "excerpts": "Where is $excerpts?"})
    assert again(words, "too short").strip() == "No: too short"
    assert not_found(words, ["x"]).strip() == 'Where is 1. "x"?'


def test_a_dollar_sign_is_written_twice():
    assert told(system="It costs $$5.").system == "It costs $5."


def test_values_are_not_filled_in_again():
    trace = TRACE.model_copy(update={"response": "$nonce ${question} $$"})
    assert "\n$nonce ${question} $$\n" in opening(TRAIT, trace).user


def test_the_same_words_have_the_same_hash_and_others_another():
    shipped_hash = told().template
    assert told(system=TEMPLATE.shipped()["system"]).template == shipped_hash
    assert opening(TRAIT, TRACE.model_copy(update={"response": "x"})).template == shipped_hash
    assert told(system="Be brief.").template not in (shipped_hash, None)
    assert TEMPLATE.wording({}).sha256 == shipped_hash


@pytest.mark.parametrize(
    ("part", "text", "wrong"),
    [
        ("sytsem", "x", 'there is no part "sytsem" of a prompt; did you mean "system"?'),
        ("zz", "x", 'there is no part "zz" of a prompt; parts are system, order'),
        ("system", 3, "must be text in quotes"),
        ("response", " \n", "must not be empty"),
        ("system", "costs $5", "holds a $ that begins no name: write $$ for a dollar sign"),
        ("system", "read $response", "holds $response, which is not filled in here; nothing is"),
        ("tp", "$tp and $tn", "holds $tn, which is not filled in here; only $tp"),
        ("tp", "all of them", "lacks $tp"),
        ("order", "$trait $material $reminder", "lacks $examples"),
        ("order", "$trait $examples $material $reminder $trait", "holds $trait more than once"),
        ("response", "here", "lacks $nonce and $response"),
        ("response", "<r $nonce>$response</r>", "must hold $nonce before and after $response"),
        ("response", "$response <r $nonce $nonce>", "must hold $nonce before and after $response"),
        (
            "question",
            "$nonce $question $nonce ${question} $nonce",
            "holds $question more than once",
        ),
        ("example", "$nonce $material $nonce $reply", "must hold $nonce before and after $reply"),
    ],
)
def test_a_part_that_cannot_be_used_is_told_with_what_would_be_right(part, text, wrong):
    [(where, told)] = faults({part: text})
    assert where == part
    assert told.startswith(wrong)


def test_the_order_can_be_another_and_an_empty_part_leaves_no_gap():
    before = told(order="$material\n\n$examples\n\n${trait}\n\n$reminder", reminder="").user
    assert before.index("BCL2 is a gene.") < before.index("1. Mentions BCL2")
    assert "\n\n\n" not in before
    assert told().user.index("BCL2 is a gene.") > told().user.index("1. Mentions BCL2")


def test_everything_that_is_wrong_is_told_at_once():
    assert [part for part, _ in faults({"system": "$x", "tp": "", "oops": ""})] == [
        "system",
        "tp",
        "oops",
    ]


def test_braces_and_a_name_of_ones_own_for_the_tags_are_fine():
    assert not list(
        faults({"response": "[${nonce}]\n${response}\n[/${nonce}]", "trait": "No name.", "fn": ""})
    )
