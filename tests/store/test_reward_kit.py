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


def test_what_has_no_place_is_said(quality):
    (note,) = read_rubric(quality).notes
    assert note.endswith(
        "quality.toml: a rubric of Reward Kit; left out: [judge], [scoring], the weights of"
        " 1 criterion"
    )


def test_criteria_without_a_description_are_no_rubric(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text("[[criterion]]\ntype = 'binary'\n")
    assert read_rubric(path).problems
