"""What a grounding trait may be, and what is said of one that it may not."""

from appellate.store.files.rubric_file import parse_rubric
from appellate.traits.grounding import KIND
from appellate.traits.grounding.spec import GroundingRubricTrait


def told(**trait):
    return [
        str(problem)
        for problem in parse_rubric({"grounding_traits": [trait]}, "r.toml").problems
    ]


def test_each_fault_is_told_with_its_place():
    assert told(name="x", definition="trace", relevance_denominator=0, odd=1) == [
        'r.toml: grounding_traits[0].definition: must be "guide" or "ragbench", not the text "trace"',
        "r.toml: grounding_traits[0].relevance_denominator: must be 1 or more, not the number 0",
        (
            'r.toml: grounding_traits[0].odd: there is no key "odd"; keys are name, description, definition,'
            " relevance_denominator, headline"
        ),
    ]


def test_only_what_differs_from_the_defaults_is_written():
    assert GroundingRubricTrait(name="x").to_file() == {"name": "x"}
    other = GroundingRubricTrait(name="x", definition="ragbench")
    assert other.to_file() == {"name": "x", "definition": "ragbench"}
    assert (KIND.form(GroundingRubricTrait(name="x")), KIND.form(other)) == (
        "TRACe (guide)",
        "TRACe (RAGBench)",
    )


def test_a_denominator_that_its_definition_does_not_use_is_noted():
    (note,) = GroundingRubricTrait(
        name="x",
        definition="ragbench",
        relevance_denominator=9,
    ).notes()
    assert note.startswith("has relevance_denominator, which definition")
    assert not GroundingRubricTrait(name="x", relevance_denominator=9).notes()
