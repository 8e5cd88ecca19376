"""The one question of a pattern, answered by hand."""

import pytest

from appellate.core.kind import Instruction
from appellate.core.problem import Refused
from appellate.traits.regex import KIND, Labels
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.verdict.edits import Edit

TRAIT = RegexRubricTrait(name="Gene", pattern=r"BCL\d")
ASKED = Instruction("pattern", 1, TRAIT.pattern)
FOUND = Labels(value=True, found=True, hits=1, matches=((0, 4),))


def test_it_stands_on_what_the_pattern_matches():
    assert KIND.answering.grounds(TRAIT, FOUND, ASKED).word == "yes"
    assert KIND.answering.grounds(TRAIT, FOUND, ASKED).spans == ((0, 4),)
    assert KIND.answering.grounds(TRAIT, Labels(), ASKED).word == "unanswered"


def test_yes_and_no_can_be_said_and_nothing_else():
    assert list(KIND.answering.sayable(TRAIT, ASKED)) == ["yes", "no"]
    assert KIND.answering.edits(TRAIT, FOUND, ASKED, "yes") == ()
    assert KIND.answering.edits(TRAIT, FOUND, ASKED, "no") == (Edit("overrule", False),)
    with pytest.raises(Refused, match="The verdict of this trait is true or false"):
        KIND.answering.edits(TRAIT, FOUND, ASKED, "perhaps")
