"""What a regex trait may be: Karenina's keys and defaults, and the patterns that `re` takes."""

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import appellate
from appellate.core.trace import Trace
from appellate.store.files.rubric_file import read_rubric
from appellate.traits.regex import KIND
from appellate.traits.regex.spec import (
    ManualRubricTrait,
    RegexRubricTrait,
    fault,
    notes,
)
from kind_examples import shown_in_manual


def test_every_response_has_karenina_s_result(oracle):
    for case in oracle["regex_cases"]:
        trait = RegexRubricTrait(name="t", **case["kwargs"])
        table = KIND.computed.compute(trait, Trace(id="1", response=case["text"]))
        assert table["value"] == case["outcome"], case


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (
            "ab(c",
            'is no regular expression: missing ), unterminated subpattern, at character 3, "(c"',
        ),
        ("a**", 'is no regular expression: multiple repeat, at character 3, "*"'),
        (
            "a\\",
            "is no regular expression: bad escape (end of pattern), at character 2",
        ),
        (
            "(?P<n>",
            "is no regular expression: missing ), unterminated subpattern, at character 1",
        ),
        ("[", "is no regular expression: unterminated character set, at character 1"),
        ("(?", "is no regular expression: unexpected end of pattern, at its end"),
        (
            "(?<=a+)b",
            "is no regular expression: look-behind requires fixed-width pattern",
        ),
        (
            "a{99999999999}",
            "is no regular expression: the repetition number is too large",
        ),
        ("(" * 9_999 + ")" * 9_999, "its groups are nested too deeply"),
    ],
)
def test_a_pattern_that_re_does_not_take_is_refused_with_its_place(pattern, told):
    with pytest.raises(ValidationError) as refusal:
        RegexRubricTrait(name="t", pattern=pattern)
    assert told in str(refusal.value)
    assert refusal.value.errors()[0]["loc"] == ("pattern",)


@given(st.text("ab()[]{}*+?|\\^$.-123<=!:Pi\n", max_size=12))
def test_the_patterns_that_are_taken_are_those_that_re_takes(pattern):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(pattern)
        except (re.error, OverflowError):
            assert fault(pattern)
        else:
            assert not fault(pattern)


def test_what_acts_on_a_terminal_is_escaped_where_a_wrong_pattern_is_told():
    assert fault("(\x1b]0;x").endswith(r'at character 1, "(\x1b]0;x"')


@pytest.mark.parametrize(
    "extra",
    [{"invert": True}, {"metrics": ["f1"]}, {"higher_is_better": "up"}],
)
def test_other_keys_and_values_are_refused(extra):
    with pytest.raises(ValidationError):
        RegexRubricTrait(name="t", pattern="a", **extra)


def test_a_trait_is_written_with_what_differs_from_the_defaults():
    trait = RegexRubricTrait(
        name="t",
        pattern="a",
        invert_result=True,
        case_sensitive=True,
    )
    assert trait.to_file() == {"name": "t", "pattern": "a", "invert_result": True}
    assert trait.sha256() != RegexRubricTrait(name="t", pattern="a").sha256()


def test_an_empty_pattern_and_what_python_warns_of_are_noted():
    assert list(notes(RegexRubricTrait(name="t", pattern="a"))) == []
    assert list(notes(RegexRubricTrait(name="t", pattern=""))) == [
        "has an empty pattern, which matches every response",
    ]
    odd = RegexRubricTrait(name="t", pattern="[[a]")
    for _ in range(2):
        assert list(notes(odd)) == [
            "has a pattern of which Python says: Possible nested set at position 1",
        ]


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"pattern": "b"}, False),
        ({"case_sensitive": False}, False),
        ({"invert_result": True}, False),
        ({"description": "d", "summary": "s", "higher_is_better": False}, True),
    ],
)
def test_only_what_matching_depends_on_has_cells_matched_again(change, same):
    trait = RegexRubricTrait(name="t", pattern="a")
    assert trait.matches_the_same(trait.model_copy(update=change)) is same


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"pattern": "a"}, {"pattern": "a", "case_sensitive": False}),
        (
            {"pattern": "a", "case_sensitive": True},
            {"pattern": "a", "case_sensitive": True},
        ),
        ({"invert": True}, {"invert_result": True, "case_sensitive": False}),
        (
            {"invert": True, "invert_result": False},
            {"invert": True, "invert_result": False, "case_sensitive": False},
        ),
    ],
)
def test_a_manual_trait_of_old_ignores_case_and_may_invert(old, new):
    fresh, told = KIND.renew("manual_traits", old)
    assert fresh == new
    assert told == f"its case_sensitive is {str(new['case_sensitive']).lower()}"
    assert KIND.renew("traits", old) == (fresh, told)
    assert KIND.renew("regex_traits", old) == (old, "")


OLD_RUBRIC = r"""
[[manual_traits]]
name = "Mentions BH3"
pattern = '\bBH3\b'
[[manual_traits]]
name = "No URLs"
pattern = 'https?://'
case_sensitive = true
invert = true
"""


def test_a_rubric_of_old_is_loaded_with_notes_and_written_in_the_new_form(tmp_path):
    path = tmp_path / "r.toml"
    path.write_text(OLD_RUBRIC, encoding="utf-8")
    read = read_rubric(path)
    assert [note.partition(": ")[2] for note in read.notes] == [
        "manual_traits[0]: [[manual_traits]] is called [[regex_traits]] now; its case_sensitive is false",
        "manual_traits[1]: [[manual_traits]] is called [[regex_traits]] now; its case_sensitive is true",
    ]
    assert read.value.to_file() == {
        "regex_traits": [
            {"name": "Mentions BH3", "pattern": r"\bBH3\b", "case_sensitive": False},
            {"name": "No URLs", "pattern": "https?://", "invert_result": True},
        ],
    }


def test_a_wrong_pattern_in_a_rubric_is_told_with_its_place(tmp_path):
    path = tmp_path / "r.toml"
    path.write_text(
        '[[manual_traits]]\nname = "t"\npattern = "a(b"\n',
        encoding="utf-8",
    )
    (problem,) = read_rubric(path).problems
    assert problem.place == "line 3: manual_traits[0].pattern"
    assert (
        problem.wrong
        == 'is no regular expression: missing ), unterminated subpattern, at character 2, "(b"'
    )


def test_the_trait_is_part_of_the_python_interface():
    assert appellate.RegexRubricTrait is RegexRubricTrait


def test_the_trait_that_the_manual_shows_is_a_trait_with_all_its_keys():
    (table,) = shown_in_manual("regex_traits")
    of_conversations = {"longest_result"}
    assert {*table, "description", "summary"} | of_conversations == set(
        RegexRubricTrait.model_fields,
    )
    assert fault(table["pattern"]) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"case_sensitive": False}),
        ({"invert": True}, {"case_sensitive": False, "invert_result": True}),
        ({"case_sensitive": True, "invert": False}, {}),
        ({"invert_result": True}, {"case_sensitive": False, "invert_result": True}),
        ({"description": "d"}, {"case_sensitive": False, "description": "d"}),
    ],
)
def test_a_manual_trait_of_python_means_the_regex_trait_that_it_is_written_as(old, new):
    manual = ManualRubricTrait(name="t", pattern="a", **old)
    regex = RegexRubricTrait(name="t", pattern="a", **new)
    assert isinstance(manual, RegexRubricTrait)
    assert manual.matches_the_same(regex)
    assert manual.to_file() == regex.to_file()
    assert manual.sha256() == regex.sha256()


def test_a_manual_trait_of_python_is_held_to_the_rules_of_a_regex_trait():
    with pytest.raises(ValidationError, match="is no regular expression"):
        ManualRubricTrait(name="t", pattern="a(b")
    with pytest.raises(ValidationError, match="invert\n"):
        ManualRubricTrait(name="t", pattern="a", invert=True, invert_result=True)
