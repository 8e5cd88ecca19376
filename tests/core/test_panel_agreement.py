"""The members of a panel against each other and against the person."""

import pytest

from appellate.core.agreement import ENOUGH, Known
from appellate.core.cell import Cell, evolve, fold
from appellate.core.commands import Correct, Draw, Rule, Show, SignOff
from appellate.core.deciding import decide
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import Subject
from appellate.core.panel_agreement import PanelAgreement, PanelCounts
from appellate.core.trace import Trace
from appellate.traits.grounding import KIND as GROUNDING
from appellate.traits.llm import KIND
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from traits.grounding.grounding_traits import TRACE, TRAIT, support, table

SAFE = LLMRubricTrait(name="Safe", kind="boolean", description="Is it safe?")


def proposed(kind, trait, trace, tables, names="abc"):
    members = []
    for name, said in zip(names, tables, strict=False):
        given = kind.locate(trait, trace, said) if said else {"error": "no answer"}
        members.append({"name": name, **given})
    first = next(filter(None, tables))
    return Proposed(kind.locate(trait, trace, first), {"name": "panel", "members": members})


def cell(place, *votes, names="abc"):
    """A trace of which the members say yes or no, None where one failed."""
    trace = Trace(id=f"t{place}", response="Take it.")
    tables = [None if vote is None else {"value": vote} for vote in votes]
    what = proposed(KIND, SAFE, trace, tables, names)
    return fold(Subject(KIND, SAFE, trace), [Fact(1, "", "panel", what)])


def does(cell: Cell, *asked) -> Cell:
    for command in asked:
        what = decide(cell, command)
        cell = evolve(cell, Fact(cell.facts[-1].n + 1, "", "ada", what))
    return cell


def ruled(cell: Cell, value) -> Cell:
    return does(cell, Draw(True), Correct(Edit("set", value=value)), Rule("abc", 9.0))


def of(cells) -> PanelAgreement | None:
    counts = PanelCounts()
    for one in cells:
        counts.add(one)
    return counts.agreement()


def cells(count=24, **more):
    """The second member errs in every fourth, the third with it and in every sixth."""
    return [cell(no, True, bool(no % 4), bool(no % 4 and no % 6), **more) for no in range(count)]


def test_each_two_members_are_compared_over_what_both_answered():
    found = of(cells())
    assert (found.members, found.n, found.compared, found.words) == (("a", "b", "c"), 24, 0, 2)
    alike = {pair: one.agreed for pair, one in found.between.items()}
    assert alike == {(0, 1): 18, (0, 2): 16, (1, 2): 22}
    assert found.alpha.bounds.low < found.alpha.value < found.alpha.bounds.high
    assert found.ac1.value > found.alpha.value
    assert found.votes is None


def test_below_twenty_answers_nothing_but_counts_is_told():
    found = of(cells(ENOUGH - 1))
    assert found.n == ENOUGH - 1
    assert found.alpha == found.ac1 == Known()


def test_a_panel_that_errs_together_is_worth_fewer_votes_than_members():
    found = of(ruled(one, True) for one in cells())
    assert (found.compared, found.blind) == (24, True)
    assert [one.agreed for one in found.against] == [24, 18, 16]
    assert found.votes.members == 3
    assert 1 < found.votes.votes < 3


def test_blind_verdicts_are_not_pooled_with_those_in_sight_of_the_judge():
    signed = [does(one, SignOff("abc", 9.0)) for one in cells()]
    blind = [ruled(one, False) for one in cells(ENOUGH)]
    sighted, both = of([*signed, *blind[:5]]), of([*signed, *blind])
    assert (sighted.blind, sighted.compared) == (False, 24)
    assert (both.blind, both.compared) == (True, ENOUGH)
    assert both.n == 24 + ENOUGH


@pytest.mark.parametrize(
    "left_out",
    [
        lambda no: cell(no, True),
        lambda no: does(cell(no, True, False, False), Draw(True)),
        lambda no: does(cell(no, True, False, False), SignOff("abc"), Show("gpt")),
        lambda no: fold(cell(no, True).subject, ()),
    ],
    ids=["one voice", "hidden", "an example", "not judged"],
)
def test_what_is_no_panels_or_not_to_be_seen_says_nothing(left_out):
    assert of(map(left_out, range(3))) is None
    assert of([*cells(), *map(left_out, range(3))]).n == 24


def test_of_several_panels_the_one_that_judged_most_is_told():
    assert of([*cells(9), *cells(12, names="xyz")]).members == ("x", "y", "z")


def test_a_member_that_failed_makes_it_another_panel():
    failed = [cell(no, True, None, False) for no in range(3)]
    assert of([*cells(2), *failed]).members == ("a", "c")


def test_of_a_grounding_trait_the_sentences_of_the_response_count_that_every_member_has():
    said = [support(key, ["0a"], full=True) for key in "ab"]
    whole = table(sentence_support_information=said)
    parted = whole | {"response_sentences": [["a", "One."]], "documents_sentences": []}
    trace = TRACE
    what = [
        proposed(GROUNDING, TRAIT, trace, tables) for tables in ([whole, whole], [whole, parted])
    ]
    alike, apart = (fold(Subject(GROUNDING, TRAIT, trace), [Fact(1, "", "p", one)]) for one in what)
    of_response = [asked for asked in alike.answers if asked.of == "response"]
    assert len(alike.answers) > len(of_response) > 1
    assert of([alike]).n == len(of_response)
    assert of([apart]).n == 1
