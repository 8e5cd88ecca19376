"""What the page of a sample has beside its numbers."""

from types import SimpleNamespace

from appellate.stats.estimates import Audited, Pair, Stratum, estimate_ratio
from appellate.worth.worth_page import carried_by_few
from appellate.worth.worth_sentences import few_text


def number(name, wrong):
    """A number of which the judge got so many of sixty audits wrong."""
    judge = [Pair(place >= wrong, 1) for place in range(60)]
    units = [Audited(Pair(place >= 20, 1), one) for place, one in enumerate(judge)]
    frame = [*judge, *[Pair(place % 3 > 0, 1) for place in range(440)]]
    return SimpleNamespace(
        estimate=estimate_ratio([Stratum(frame, units)]),
        measure=SimpleNamespace(name=name),
        trait=SimpleNamespace(describe="Safe"),
        group=None,
    )


def test_numbers_that_equally_few_errors_carry_share_one_sentence():
    one, like, other, enough = (
        number("yes", 18),
        number("f1", 18),
        number("recall", 20),
        number("no", 0),
    )
    assert carried_by_few([one, other, like, enough]) == [
        f"yes of Safe, f1 of Safe: {few_text(one)}",
        f"recall of Safe: {few_text(other)}",
    ]
