"""What the page of a sample has beside its numbers."""

from types import SimpleNamespace

from appellate.core.kind import Measure
from appellate.numbers.sentences import carried_by_few, few_text
from appellate.stats.estimates import Audited, Pair, Stratum, estimate_ratio


def number(name, wrong):
    """A number of which the judge got so many of sixty audits wrong."""
    judge = [Pair(place >= wrong, 1) for place in range(60)]
    units = [Audited(Pair(place >= 20, 1), one) for place, one in enumerate(judge)]
    frame = [*judge, *[Pair(place % 3 > 0, 1) for place in range(440)]]
    return SimpleNamespace(
        estimate=estimate_ratio([Stratum(frame, units)]),
        measure=Measure(name, name),
        trait=SimpleNamespace(describe="Safe"),
        group=None,
    )


def test_numbers_that_equally_few_errors_carry_share_one_sentence():
    one, like, other, enough = (
        number("precision", 18),
        number("f1", 18),
        number("recall", 20),
        number("no", 0),
    )
    assert carried_by_few([one, other, like, enough]) == [
        f"precision in Safe, f1 in Safe: {few_text(one)}",
        f"recall in Safe: {few_text(other)}",
    ]
