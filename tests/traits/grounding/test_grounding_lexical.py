"""Word overlap for grounding: from which share of its words on a sentence is supported."""

import pytest

from appellate.core.trace import Trace
from appellate.traits.grounding import KIND
from appellate.traits.grounding.spec import GroundingRubricTrait

TRACE = Trace(
    id="t",
    response="Water helps against fever.",
    documents=["Water helps. Sleep is good, too."],
)


@pytest.mark.parametrize(
    ("share", "fully"),
    [(None, False), (0.5, True), (0.9, False), (0.2, True)],
)
def test_a_sentence_is_supported_from_a_share_of_its_words_on(share, fully):
    table = KIND.asked.lexical(GroundingRubricTrait(name="Grounded"), TRACE, share)
    (row,) = table["sentence_support_information"]
    assert row["fully_supported"] is fully
