"""Members of a panel by the names that a person reads."""

import pytest
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.deciding import Adopt, Receive, Undo
from appellate.core.describe import (
    NO_PLACE,
    answered,
    describe,
    describe_design,
    describe_event,
    describe_loss,
    disagreement,
    majority,
    members,
    undone_by,
    verdict,
    votes,
)
from appellate.core.design_facts import (
    RubricTaken,
    RubricTakenAgain,
    RubricTakenBack,
)
from appellate.core.facts import (
    Adopted,
    Commented,
    Fact,
    Failed,
    Flagged,
    Planted,
    Proposed,
    Reasoned,
    Revised,
    Shown,
    SignedOff,
    Unmasked,
)
from appellate.core.kind import UNBRIEFED, Briefing, Example, Instruction, Subject
from appellate.traits.callable import KIND as CALLABLE
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.kinds import kinds
from appellate.traits.metric import KIND
from appellate.traits.metric.ledger import STANDINGS
from appellate.traits.regex import KIND as REGEX
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.scorer import KIND as SCORER
from appellate.traits.scorer.spec import ScorerRubricTrait
from cells import Story, matrix, trace, worked_example
from kind_examples import varied

PATTERN = RegexRubricTrait(name="x", pattern="x")
RECORD = {
    "name": "panel",
    "members": [
        {"name": "openai", "model": "a"},
        {"name": "lexical"},
        {"name": "openai", "model": "a", "error": "No."},
    ],
}


def test_a_member_is_called_by_its_model_and_one_asked_again_by_its_turn():
    assert [member.name for member in members(RECORD)] == ["a", "lexical", "a #2"]


def test_who_failed_has_no_vote_and_keeps_its_place_and_its_reason():
    assert [member.place for member in answered(RECORD)] == [0, 1]
    assert members(RECORD)[2].error == "No."


def test_a_judge_alone_has_no_members():
    assert members({"name": "a"}) == []


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (Adopted(1), "took the labels of another proposal"),
        (Revised(""), "the trait was changed"),
        (Shown("gpt"), "shown to gpt as an example"),
        (SignedOff(""), "signed off"),
        (SignedOff("", 1.0), "signed off"),
        (SignedOff("", 0.4), "signed off in haste, after 0.4 s"),
        (Flagged(on=True), "flagged"),
        (Flagged(on=False), "removed the flag"),
        (Commented("why?"), "commented: why?"),
        (Proposed({}, {"name": "openai", "model": "gpt"}), "judged by gpt"),
        (Proposed({}, {"name": "lexical", "round": 2}), "judged by lexical in round 2"),
        (Failed("no answer"), "the judge failed: no answer"),
        (Reasoned(1, "so"), ""),
    ],
)
def test_what_happened_is_told_in_words(what, told):
    assert describe_event(KIND, what) == told


def test_whose_labels_were_taken_is_told_by_the_member_that_proposed_them():
    story = Story()
    panel = {"name": "panel", "members": [{"name": "gpt", **worked_example()}]}
    story.does(Receive(Proposed(worked_example(), panel)))
    story.corrects(action="drop", bucket="tp")
    whole = story.does(Adopt(1))
    assert describe(story.cell, whole) == "took the labels of panel, round 1"
    story.corrects(action="drop", bucket="tp")
    one = story.does(Adopt(1, 0))
    assert describe(story.cell, one) == "took the labels of gpt, round 1"
    assert describe(story.cell, story.cell.facts[0]) == "judged by panel"


def test_an_act_is_lost_where_it_was_undone_or_found_no_place():
    story = Story()
    story.does(Receive(Proposed(worked_example(), {"name": "gpt"})))
    dropped = story.corrects(action="drop", bucket="tp")
    assert describe(story.cell, dropped).startswith("dropped")
    assert describe_loss(story.cell, dropped) == ""
    assert undone_by(story.cell, dropped) == ""
    orphaned = replace(story.cell, orphaned=(dropped.n,))
    assert describe_loss(orphaned, dropped) == NO_PLACE
    story.does(Undo(dropped.n), by="bob")
    assert describe_loss(story.cell, dropped) == "undone by bob"


def test_a_cell_that_nothing_happened_to_has_no_answers_of_a_judge_and_lost_nothing():
    cell = Cell(Subject(KIND, matrix(), trace("t1")))
    assert cell.answers == {}
    assert cell.judge_answers == {}
    assert describe_loss(cell, Fact(1, "", "ada", Flagged(on=True))) == ""


def test_no_model_is_asked_about_a_trait_that_is_computed():
    pattern = RegexRubricTrait(name="Chromosome", pattern="x")
    with pytest.raises(TypeError, match="no model is asked about trait Chromosome"):
        Subject(REGEX, pattern, trace("t1")).dialogue(trace("t1"), UNBRIEFED)


def test_a_kind_whose_tables_never_changed_reads_them_as_they_are():
    tally = kinds()["tally"]
    assert tally.renew("tally_traits", {"word": "gene"}) == ({"word": "gene"}, "")
    assert tally.form(matrix()) == ""
    assert [*tally.notes(matrix()), *tally.vocabulary(matrix())] == []


def test_a_kind_says_whether_two_versions_of_a_trait_lead_to_the_same_proposals():
    found, lost = (
        RegexRubricTrait(name="x", pattern=pattern) for pattern in ("a", "b")
    )
    assert REGEX.proposes_the_same(found, found.model_copy(update={"summary": "?"}))
    assert not REGEX.proposes_the_same(found, lost)
    assert KIND.proposes_the_same(matrix(), matrix())
    by_rule, by_model = (
        ScorerRubricTrait(name="x", scorer=scorer)
        for scorer in ("match", "model_graded_qa")
    )
    assert not SCORER.proposes_the_same(by_rule, by_model)
    assert not SCORER.proposes_the_same(by_model, by_rule)


def test_a_kind_says_where_the_labels_of_a_trait_come_from():
    known = {
        "model": (KIND, matrix()),
        "rule": (REGEX, PATTERN),
        "code": (
            CALLABLE,
            CallableRubricTrait(name="x", kind="boolean", callable="m:f"),
        ),
    }
    assert {
        source: kind.source_name(trait) for source, (kind, trait) in known.items()
    } == {source: source for source in known}
    with pytest.raises(TypeError, match="has no labels from anywhere"):
        varied(KIND, asked=None).source(matrix())


def test_the_words_of_a_kind_that_has_others_for_the_screen_are_those():
    assert KIND.words_of(matrix()) == STANDINGS != KIND.vocabulary(matrix())
    assert list(REGEX.words_of(PATTERN)) == list(REGEX.vocabulary(PATTERN))


def test_a_kind_whose_answers_need_no_words_takes_none():
    plain = CALLABLE.answering
    assert not plain.rests_on_words
    assert not plain.takes_words(["an edit"])
    assert plain.bear_out(["an edit"], (0, 4)) == ["an edit"]
    assert plain.likely(Story().cell, None) == ()
    assert plain.remarks(matrix(), None, None) == ()


def test_the_examples_of_a_briefing_are_called_by_their_traces():
    shown = [Example(trace("t1"), {}), Example(trace("t1", epoch=2), {})]
    assert Briefing(examples=tuple(shown)).shown == ["t1", "t1#2"]


def test_the_dialogue_about_a_cell_is_its_kinds():
    asked = Subject(KIND, matrix(), trace("t1")).dialogue(trace("t1"), UNBRIEFED)
    assert next(asked).why == "first"


# -- what a panel answers, taken together ----------------------------------------------------------


def asked(*votes):
    return {Instruction("", number, "?"): vote for number, vote in enumerate(votes, 1)}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([{"yes": (0, 1, 2)}], 0.0),
        ([{"yes": (0,), "no": (1,)}], 1.0),
        ([{"yes": (0, 1), "no": (2,)}], 2 / 3),
        ([{"yes": (0, 1), "no": (2,)}, {"no": (0, 1, 2)}], 1 / 3),
        ([{"yes": (0,), "no": (1,), "3": (2,)}], 1.0),
        ([{"yes": (0,)}], 0.0),
        ([], 0.0),
    ],
)
def test_disagreement_is_the_share_of_pairs_of_members_that_differ(given, told):
    assert disagreement(asked(*given)) == pytest.approx(told)


@pytest.mark.parametrize(
    ("vote", "most"),
    [
        ({"no": (1, 2), "yes": (0,)}, "no"),
        ({"no": (1,), "yes": (0,)}, "yes"),
        ({"3": (0, 3), "2": (1, 2)}, "3"),
    ],
)
def test_what_most_say_wins_and_the_first_member_decides_where_they_are_even(
    vote,
    most,
):
    assert verdict(vote) == most


def test_a_vote_tells_of_each_answer_which_members_give_it():
    of = Subject(REGEX, RegexRubricTrait(name="x", pattern="a"), trace())
    (vote,) = votes(of, [{"value": True}, {"value": False}, {"value": True}]).values()
    assert vote == {"match": (0, 2), "no match": (1,)}


def test_a_kind_that_says_nothing_of_a_majority_goes_with_those_who_answer_alike():
    of = Subject(REGEX, RegexRubricTrait(name="x", pattern="a"), trace())
    yes, no, again = {"value": True}, {"value": False}, {"value": False, "hits": 0}
    assert majority(of, [yes, no, again]) == no
    assert majority(of, [yes, no]) == yes


def test_a_kind_that_says_what_most_of_a_panel_hold_is_asked():
    of = Subject(KIND, matrix(), trace())
    table = KIND.locate(of.trait, of.trace, worked_example())
    assert majority(of, [table] * 3)["tp"] == table["tp"]


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (
            Planted(
                {"of": "tp", "number": 1, "text": "Mentions a gene"},
                "missing",
                [],
            ),
            "showed “missing” for “Mentions a gene”, a known error: the labels never had it",
        ),
        (
            Planted({}, "no", []),
            "showed “no” for “”, a known error: the labels never had it",
        ),
        (Unmasked(caught=True), "caught a known error that had been planted"),
        (Unmasked(caught=False), "let a known error pass that had been planted"),
    ],
)
def test_the_history_says_where_an_earlier_version_planted_an_error(what, told):
    assert describe_event(KIND, what) == told


UNCHANGED = RubricTaken({}, (), (), (), (), (), 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (UNCHANGED, "no trait changed"),
        (replace(UNCHANGED, order=["q"]), "questions added or moved"),
        (
            replace(UNCHANGED, changed=["tone"], cells=3, lost=2, signed=1),
            "tone changed (3 cells to judge again, 2 corrections that no longer fit, 1 sign-off lost)",
        ),
        (
            replace(UNCHANGED, remeasured=["a", "b"], added=["c"], fresh=1),
            "a, b measured differently, c new (1 cell)",
        ),
        (
            replace(UNCHANGED, unsettled=2),
            "questions or references reworded (2 sign-offs to be given again)",
        ),
    ],
)
def test_the_history_says_what_a_revised_rubric_changed_and_cost(event, told):
    assert describe_design(event) == f"took a revised rubric: {told}"


@pytest.mark.parametrize(
    ("kind", "begins"),
    [
        (RubricTakenBack, "took the revised rubric back"),
        (RubricTakenAgain, "took the revised rubric again"),
    ],
)
@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ((0, 0, 0), ""),
        ((1, 0, 0), ": 1 sign-off in force again"),
        (
            (2, 3, 1),
            ": 3 corrections and 2 sign-offs in force again, 1 answer of the judge set aside",
        ),
        ((0, 0, 4), ": 4 answers of the judge set aside"),
    ],
)
def test_the_history_says_what_an_undo_of_a_rubric_brought_back(
    kind,
    begins,
    counts,
    told,
):
    assert describe_design(kind(1, {}, (), (), *counts)) == begins + told
