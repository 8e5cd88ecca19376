"""What a panel's members hold, taken together: votes, the majority, and how far they differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core import describe as voting
from appellate.core.deciding import Receive
from appellate.core.kind import Subject
from appellate.traits.metric import KIND
from appellate.traits.metric.majority import panel_from, panel_labels
from cells import (
    CANCER,
    GENE,
    PLACE,
    SURVIVE,
    TRACE,
    Story,
    checklist,
    labels,
    marks,
    matrix,
    panel,
    proposal,
)

TRAIT, LIST = matrix(), checklist()
FOUND = {"tp": [(GENE, 1)], "fn": [2, 3, 4], "tn": [-1, -2]}


def table(trait=TRAIT, **given):
    """A located table of what a member holds."""
    written = KIND.write(labels(trait, **given))
    return KIND.locate(
        trait,
        TRACE,
        {**written["audited"], "items": written.get("items", [])},
    )


def votes_of(tables):
    return panel_from(TRAIT, TRACE, tables).votes


def differing_of(tables):
    return voting.disagreement(voting.votes(Subject(KIND, TRAIT, TRACE), tables))


def most(*tables, trait=TRAIT):
    return KIND.labels(
        trait,
        TRACE,
        KIND.locate(trait, TRACE, KIND.majority(trait, TRACE, tables)),
    )


def test_where_votes_are_even_the_first_member_decides():
    one, two = table(**FOUND), table(tp=[(SURVIVE, 2)], fn=[1, 3, 4], tn=[-1, -2])
    assert marks(most(one, two))["tp"] == [1]
    assert marks(most(two, one))["tp"] == [2]


def test_an_instruction_that_no_member_puts_anywhere_stands_nowhere():
    assert marks(most(table(fn=[2, 3, 4], tn=[-1, -2]))) == {
        "fn": [2, 3, 4],
        "tn": [-1, -2],
    }


def test_the_excerpts_are_those_of_the_first_member_that_found_words_of_the_response():
    invented = table(tp=[("nowhere in it", 1)], fn=[2, 3, 4], tn=[-1, -2])
    found = table(tp=[("BCL2", 1), ("gene", 1)], fn=[2, 3, 4], tn=[-1, -2])
    assert [item.text for item in most(invented, found).tp] == ["BCL2", "gene"]
    assert [item.text for item in most(invented, invented).tp] == ["nowhere in it"]


def test_wrong_candidates_are_the_same_where_their_words_overlap_and_their_link_is_the_same():
    every = {"fn": [1, 2, 3, 4]}
    one = table(LIST, fp=[(PLACE, 4), ("anti-apoptotic", "~1")], **every)
    two = table(LIST, fp=[("on chromosome 1", 4), (PLACE, "~1")], **every)
    three = table(LIST, fp=[("helps", None)], **every)
    held = most(one, two, three, trait=LIST).fp
    assert [(item.text, item.link) for item in held] == [(PLACE, ("tp", 4))]
    assert len(most(one, two, trait=LIST).fp) == 2, (
        "the first member decides where two differ"
    )


def test_wrong_candidates_that_stand_nowhere_are_the_same_where_they_read_alike():
    one = table(LIST, fp=[("BCL3 gene", None), ("a virus", None)])
    two = table(LIST, fp=[(" bcl3 GENE ", None)])
    three = table(LIST, fp=[("BCL3", None)])
    assert [item.text for item in most(one, two, three, trait=LIST).fp] == ["BCL3 gene"]


def test_a_panel_of_one_proposes_what_its_member_does():
    only = table(
        tp=[(GENE, 1), (SURVIVE, 1)],
        fn=[2, 3, 4],
        fp=[(PLACE, "~1")],
        tn=[-1, -2],
    )
    assert most(only) == KIND.labels(TRAIT, TRACE, only)


def test_a_cell_knows_the_members_of_its_panel_that_gave_labels():
    story = Story()
    story.does(Receive(panel()))
    seated = panel_labels(story.cell)
    assert seated.names == ("gpt", "other")
    assert [marks(member)["tp"] for member in seated.members] == [[1, 2, 3], [1, 2, 4]]


def test_a_cell_that_nobody_or_one_alone_has_judged_has_no_panel():
    story = Story()
    assert panel_labels(story.cell) is None
    story.does(Receive(proposal()))
    assert panel_labels(story.cell) is None


@st.composite
def held(draw):
    """What a member may hold of the four expected and the two forbidden instructions."""
    tp = [n for n in range(1, 5) if draw(st.booleans())]
    fn = [n for n in range(1, 5) if n not in tp and draw(st.integers(0, 4))]
    fp = [n for n in (-1, -2) if draw(st.booleans())]
    tn = [n for n in (-1, -2) if n not in fp]
    words = st.sampled_from([GENE, SURVIVE, CANCER, PLACE, "nowhere"])
    return table(
        tp=[(draw(words), n) for n in tp],
        fn=fn,
        fp=[(draw(words), n) for n in fp],
        tn=tn,
    )


@given(st.lists(held(), min_size=1, max_size=4))
def test_the_majority_says_what_the_votes_say_and_differs_from_nobody_where_all_agree(
    tables,
):
    whole = most(*tables)
    votes = votes_of(tables)
    stands = {
        (one.of, one.number): told for one, told in KIND.answers(TRAIT, whole).items()
    }
    for where, vote in votes.items():
        heeded = {
            answer: members for answer, members in vote.items() if answer != "unclear"
        }
        assert stands[where] == (voting.verdict(heeded) if heeded else "unclear")
    differing = differing_of(tables)
    assert 0 <= differing <= 1
    assert (differing == 0) == (not any(len(vote) > 1 for vote in votes.values()))


@given(st.lists(held(), min_size=2, max_size=4), st.randoms())
def test_disagreement_does_not_depend_on_the_order_of_members(tables, chance):
    other = chance.sample(tables, len(tables))
    first, second = (differing_of(order) for order in (tables, other))
    assert first == pytest.approx(second)
