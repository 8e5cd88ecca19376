"""What is not found is said to be not in the text that the trait reads."""

import pytest

from appellate.core.deciding import Receive
from appellate.core.facts import Proposed
from appellate.traits.metric import ledger
from cells import Story
from conversations import subject

TABLES = {
    "metric": {"tp": ["nowhere"], "fn": [], "fp": [], "tn": []},
    "llm": {"value": True, "evidence": ["nowhere"]},
    "scorer": {"value": "C", "answer": "nowhere"},
}


@pytest.mark.parametrize("reads", ["response", "conversation"])
@pytest.mark.parametrize("kind", TABLES)
def test_words_that_are_not_there_are_not_in_what_the_trait_reads(kind, reads):
    lived = Story(of=subject(kind, reads))
    of = lived.cell.subject
    lived.does(
        Receive(
            Proposed(of.kind.locate(of.trait, of.trace, TABLES[kind]), {"name": "gpt"}),
        ),
    )
    texts = [
        one.sentence
        for one in of.kind.checks(of.trait, lived.cell.labels)
        if one.name == "unverified"
    ]
    (text,) = texts
    assert text.endswith(f"is not in the {reads}.")
    if kind == "metric":
        assert f"is not in the {reads}." in ledger.doubts(of.trait, lived.cell.labels)
