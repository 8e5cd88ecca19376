"""The floor under every judge: what word overlap makes of a set that was labelled by hand, as MEASURED.md says it."""

from itertools import chain
from pathlib import Path

from appellate.traits.metric.lexical import propose
from benchmarks.agreement import agreement, compared, labelled, rates

PAGE = (Path(__file__).parents[3] / ".github" / "MEASURED.md").read_text("utf-8")


def test_lexical_is_as_good_as_the_page_says():
    cells = [
        (trait, propose(trait, trace.response), labels)
        for trait, trace, labels in labelled()
    ]
    found = agreement(chain.from_iterable(compared(*cell) for cell in cells))
    assert rates(found) in PAGE
