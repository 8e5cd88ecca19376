"""The one question of a pattern, answered by hand."""

import pytest

from appellate.core.kind import Instruction
from appellate.core.problem import Refused
from appellate.traits.regex.answering import edits, grounds, sayable
from appellate.traits.regex.edits import Edit
from appellate.traits.regex.labels import Labels
from appellate.traits.regex.spec import RegexRubricTrait

TRAIT = RegexRubricTrait(name="Gene", pattern=r"BCL\d")
ASKED = Instruction("pattern", 1, TRAIT.pattern)
FOUND = Labels(value=True, found=True, hits=1, matches=((0, 4),))


def test_it_stands_on_what_the_pattern_matches():
    assert grounds(TRAIT, FOUND, ASKED).word == "yes"
    assert grounds(TRAIT, FOUND, ASKED).spans == ((0, 4),)
    assert grounds(TRAIT, Labels(), ASKED).word == "open"


def test_yes_and_no_can_be_said_and_nothing_else():
    assert list(sayable(TRAIT, ASKED)) == ["yes", "no"]
    assert edits(TRAIT, FOUND, ASKED, "yes") == ()
    assert edits(TRAIT, FOUND, ASKED, "no") == (Edit("overrule", False),)
    with pytest.raises(Refused, match="yes or no"):
        edits(TRAIT, FOUND, ASKED, "perhaps")
