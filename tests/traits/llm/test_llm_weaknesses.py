"""What makes an LLM trait hard to judge the same way twice."""

import pytest

from appellate.traits.llm import KIND
from appellate.traits.llm.spec import LLMRubricTrait


def found(**given):
    return [one.id for one in KIND.weaknesses(LLMRubricTrait(name="x", **given))]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kind": "boolean"}, ["bare"]),
        ({"kind": "boolean", "description": "Does it warn of warfarin?"}, []),
        ({"kind": "boolean", "description": "Is it at most 100 words?"}, ["format"]),
        ({"kind": "boolean", "description": "Warns of it and explains why?"}, ["compound"]),
        ({"kind": "score", "description": "How sufficient is it?"}, ["vague", "anchors"]),
        ({"kind": "score", "description": "1 = no step, 5 = every step in order"}, []),
        ({"kind": "score", "description": "15 is the limit; 51 is not"}, ["anchors"]),
        ({"kind": "literal", "description": "Who speaks?", "classes": {"a": "A", "b": "B"}}, []),
    ],
)
def test_a_description_is_weak_by_its_words_and_a_scale_by_ends_without_them(given, expected):
    assert found(**given) == expected
