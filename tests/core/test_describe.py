"""Members of a panel by the names that a person reads."""

import pytest

from appellate.core.describe import answered, describe_event, members
from appellate.core.facts import (
    Adopted,
    Commented,
    Failed,
    Flagged,
    Proposed,
    Reasoned,
    Revised,
    Shown,
    SignedOff,
)
from appellate.traits.metric import KIND

RECORD = {
    "name": "panel",
    "members": [
        {"name": "openai", "model": "a"},
        {"name": "lexical"},
        {"name": "openai", "model": "a", "error": "No."},
    ],
}


def test_a_member_is_called_by_its_model_and_one_asked_again_by_its_turn():
    assert [member.name for member in members(RECORD)] == ["a", "lexical", "a #2"]


def test_who_failed_has_no_vote_and_keeps_its_place_and_its_reason():
    assert [member.place for member in answered(RECORD)] == [0, 1]
    assert members(RECORD)[2].error == "No."


def test_a_judge_alone_has_no_members():
    assert members({"name": "a"}) == []


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (Adopted(1), "took the labels of another proposal"),
        (Revised(""), "the trait was changed"),
        (Shown("gpt"), "shown to gpt as an example"),
        (SignedOff(""), "signed off"),
        (Flagged(on=True), "flagged"),
        (Flagged(on=False), "took the flag down"),
        (Commented("why?"), "commented: why?"),
        (Proposed({}, {"name": "openai", "model": "gpt"}), "judged by gpt"),
        (Proposed({}, {"name": "lexical", "round": 2}), "judged by lexical in round 2"),
        (Failed("no answer"), "the judge failed: no answer"),
        (Reasoned(1, "so"), ""),
    ],
)
def test_what_happened_is_told_in_words(what, told):
    assert describe_event(KIND, what) == told
