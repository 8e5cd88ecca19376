"""The floor under every judge: what word overlap makes of a set that was labelled by hand, as the manual says it."""

from itertools import chain

from appellate import manual
from appellate.traits.metric.lexical import propose
from benchmarks.agreement import agreement, compared, labelled, rates

PAGE = manual.page("kinds")


def test_lexical_is_as_good_as_the_manual_says():
    cells = [(trait, propose(trait, trace.response), labels) for trait, trace, labels in labelled()]
    found = agreement(chain.from_iterable(compared(*cell) for cell in cells))
    assert rates(found) in PAGE
