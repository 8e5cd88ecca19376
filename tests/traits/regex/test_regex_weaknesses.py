"""A pattern that is a bare word finds longer words, too; one that bounds it, or is more, does not."""

import re

import pytest

from appellate.traits.regex import KIND
from appellate.traits.regex.spec import RegexRubricTrait


@pytest.mark.parametrize(
    ("pattern", "better"),
    [
        ("cell", r"\bcell\b"),
        ("chromosomes?", r"\bchromosomes?\b"),
        ("cell|gene", r"\b(cell|gene)\b"),
        ("(cell|gene)", r"\b(cell|gene)\b"),
        ("(?:cell|BCL-2)", r"\b(cell|BCL-2)\b"),
        ("(?i)cell", r"(?i)\bcell\b"),
        ("(?im)cell|gene", r"(?im)\b(cell|gene)\b"),
    ],
)
def test_a_bare_word_is_found_within_longer_ones(pattern, better):
    (found,) = KIND.weaknesses(RegexRubricTrait(name="T", pattern=pattern))
    assert (found.id, found.path) == ("boundary", ("pattern",))
    assert f"'{better}'" in found.fix
    assert re.search(better, "a cell or a chromosome")
    assert not re.search(better, "cellular chromosomess")


@pytest.mark.parametrize(
    "pattern",
    [
        r"\bcell\b",
        r"\bcells?",
        "^cell",
        r"BCL\d",
        r"\[[^\]]+\]",
        "https?://",
        r"cell\W",
        "?",
    ],
)
def test_a_pattern_that_says_more_has_nothing_against_it(pattern):
    trait = RegexRubricTrait.model_construct(name="T", pattern=pattern)
    assert not list(KIND.weaknesses(trait))
