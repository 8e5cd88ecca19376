"""The members of a panel against each other and against the person."""

import pytest

from appellate.core.agreement import ENOUGH, Known
from appellate.core.cell import fold
from appellate.core.deciding import Draw, Show, SignOff
from appellate.core.facts import Fact
from appellate.core.kind import Subject
from appellate.core.panel_agreement import PanelAgreement, PanelCounts
from appellate.traits.grounding import KIND as GROUNDING
from panels import does, proposed, ruled, voted, votes
from traits.grounding.grounding_traits import TRACE, TRAIT, support, table


def of(cells) -> PanelAgreement | None:
    counts = PanelCounts()
    for one in cells:
        counts.add(one)
    return counts.agreement()


def test_each_two_members_are_compared_over_what_both_answered():
    found = of(votes())
    assert (found.members, found.n, found.compared, found.words) == (
        ("a", "b", "c"),
        24,
        0,
        2,
    )
    alike = {pair: one.agreed for pair, one in found.between.items()}
    assert alike == {(0, 1): 18, (0, 2): 16, (1, 2): 22}
    assert found.alpha.bounds.low < found.alpha.value < found.alpha.bounds.high
    assert found.ac1.value > found.alpha.value
    assert found.votes is None


def test_below_twenty_answers_nothing_but_counts_is_told():
    found = of(votes(ENOUGH - 1))
    assert found.n == ENOUGH - 1
    assert found.alpha == found.ac1 == Known()


def test_a_panel_that_errs_together_is_worth_fewer_votes_than_members():
    found = of(ruled(one, True) for one in votes())
    assert (found.compared, found.blind) == (24, True)
    assert [one.agreed for one in found.against] == [24, 18, 16]
    assert found.votes.members == 3
    assert 1 < found.votes.votes < 3


def test_blind_verdicts_are_not_pooled_with_those_in_sight_of_the_judge():
    signed = [does(one, SignOff("abc", 9.0)) for one in votes()]
    blind = [ruled(one, False) for one in votes(ENOUGH)]
    sighted, both = of([*signed, *blind[:5]]), of([*signed, *blind])
    assert (sighted.blind, sighted.compared) == (False, 24)
    assert (both.blind, both.compared) == (True, ENOUGH)
    assert both.n == 24 + ENOUGH


@pytest.mark.parametrize(
    "left_out",
    [
        lambda no: voted(no, True),
        lambda no: does(voted(no, True, False, False), Draw(True)),
        lambda no: does(voted(no, True, False, False), SignOff("abc"), Show("gpt")),
        lambda no: fold(voted(no, True).subject, ()),
    ],
    ids=["one voice", "hidden", "an example", "not judged"],
)
def test_what_is_no_panels_or_not_to_be_seen_says_nothing(left_out):
    assert of(map(left_out, range(3))) is None
    assert of([*votes(), *map(left_out, range(3))]).n == 24


def test_of_several_panels_the_one_that_judged_most_is_told():
    assert of([*votes(9), *votes(12, names="xyz")]).members == ("x", "y", "z")


def test_a_member_that_failed_makes_it_another_panel():
    failed = [voted(no, True, None, False) for no in range(3)]
    assert of([*votes(2), *failed]).members == ("a", "c")


def test_of_a_grounding_trait_the_sentences_of_the_response_count_that_every_member_has():
    said = [support(key, ["0a"], full=True) for key in "ab"]
    whole = table(sentence_support_information=said)
    parted = whole | {"response_sentences": [["a", "One."]], "documents_sentences": []}
    trace = TRACE
    what = [
        proposed(GROUNDING, TRAIT, trace, tables)
        for tables in ([whole, whole], [whole, parted])
    ]
    alike, apart = (
        fold(Subject(GROUNDING, TRAIT, trace), [Fact(1, "", "p", one)]) for one in what
    )
    of_response = [asked for asked in alike.answers if asked.of == "response"]
    assert len(alike.answers) > len(of_response) > 1
    assert of([alike]).n == len(of_response)
    assert of([apart]).n == 1
