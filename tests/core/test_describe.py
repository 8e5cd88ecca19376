"""Members of a panel by the names that a person reads."""

from appellate.core.describe import answered, members

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
