"""Rubrics of Reward Kit, after the page of its documentation on judges."""

import pytest

from appellate.store.files.rubric_file import read_rubric

QUALITY = """
[judge]
judge = "anthropic/claude"
files = ["/app/main.py"]

[[criterion]]
description = "Is the code correct?"
type = "binary"

[[criterion]]
description = "How readable is the code?"
type = "likert"
points = 7
weight = 2.0

[[criterion]]
name = "coverage"
description = "Rate the test coverage on a scale from 0 to 100"
type = "numeric"
min = 0
max = 100

[scoring]
aggregation = "all_pass"
"""


@pytest.fixture
def quality(tmp_path):
    path = tmp_path / "quality.toml"
    path.write_text(QUALITY)
    return path


def test_each_criterion_is_a_trait_with_its_scale(quality):
    rubric = read_rubric(quality).usable()
    traits = [known.trait for known in rubric.every_trait()]
    assert [trait.name for trait in traits] == [
        "Is the code correct?",
        "How readable is the code?",
        "coverage",
    ]
    assert [(trait.kind, trait.low, trait.high) for trait in traits[1:]] == [
        ("score", 1, 7),
        ("score", 0, 100),
    ]
    assert traits[0].kind == "boolean"


LEVELS = """
[[criterion]]
name = "depth"
description = "How deep is the answer?"
type = "rubric"
levels = ["Wrong.", "Right, without a source.", "Right, with its source."]
"""


def written(tmp_path, text):
    path = tmp_path / "judge.toml"
    path.write_text(text)
    return path


def read_trait(tmp_path, text):
    """The trait of a rubric with one criterion."""
    (known,) = read_rubric(written(tmp_path, text)).usable().every_trait()
    return known.trait


def test_levels_are_classes_from_worse_to_better(tmp_path):
    trait = read_trait(tmp_path, LEVELS)
    assert trait.class_names == [
        "Wrong.",
        "Right, without a source.",
        "Right, with its source.",
    ]
    assert trait.has_order
    assert trait.higher_is_better


def test_levels_that_begin_alike_are_told_apart_by_their_numbers(tmp_path):
    levels = [
        "The answer names what it rests on, and names it in so many words" + end
        for end in "ab"
    ]
    trait = read_trait(
        tmp_path,
        f"""
[[criterion]]
description = "Sources"
type = "rubric"
levels = ["{levels[0]}", "{levels[1]}"]
""",
    )
    assert [name[:3] for name in trait.class_names] == ["0: ", "1: "]
    assert list(trait.classes.values()) == levels


@pytest.mark.parametrize(
    "said",
    ["negate = true", "[criterion.annotations]\ntype = 'Negative hurdle'"],
)
def test_a_criterion_of_which_a_yes_is_bad_is_better_low(tmp_path, said):
    assert not read_trait(
        tmp_path,
        f"[[criterion]]\ndescription = 'Rude?'\n{said}",
    ).higher_is_better


def test_a_number_with_decimals_is_recorded_and_that_is_said(tmp_path):
    path = written(
        tmp_path,
        "[[criterion]]\ndescription = 'Share covered'\ntype = 'numeric'",
    )
    read = read_rubric(path)
    (known,) = read.usable().every_trait()
    assert (known.trait.scorer, known.trait.low, known.trait.high) == ("recorded", 0, 1)
    assert "no judge is asked for it here" in read.notes[0]


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("type = 'stars'", "criterion[0].type"),
        ("type = 'rubric'", "there are 0 levels, of 2 to 10"),
        ("type = 'rubric'\nlevels = ['a', ' ']", "a level is empty"),
        ("type = 'likert'\npoints = 1", "criterion[0].points"),
        ("type = 'likert'\npoints = 'five'", "criterion[0].points"),
        ("type = 'numeric'\nmin = 2", "min (2) must be less than max (1)"),
        ("weight = 'much'", "criterion[0].weight"),
    ],
)
def test_a_criterion_that_the_tool_would_not_take_is_refused_with_its_place(
    tmp_path,
    keys,
    told,
):
    problems = read_rubric(
        written(tmp_path, f"[[criterion]]\ndescription = 'x'\n{keys}"),
    ).problems
    assert told in str(problems[0])
    assert "line " in str(problems[0])


def test_what_has_no_place_is_said(quality):
    (note,) = read_rubric(quality).notes
    assert note.endswith(
        "quality.toml: a rubric of Reward Kit; left out: [judge], [scoring], the weights of"
        " 1 criterion",
    )


def test_criteria_without_a_description_are_no_rubric(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text("[[criterion]]\ntype = 'binary'\n")
    assert read_rubric(path).problems
