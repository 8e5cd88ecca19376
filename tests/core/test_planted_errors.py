"""A planted error is shown, caught or let pass, and never in the labels."""

import json
import tomllib

import pytest
from msgspec.structs import replace

from appellate.core.cell import fold
from appellate.core.deciding import (
    Adopt,
    Correct,
    Draw,
    Flag,
    Plant,
    Receive,
    SignOff,
    Undo,
    decide,
)
from appellate.core.facts import Corrected, Planted, Proposed, Unmasked
from appellate.core.kind import Answering, Grounds, Instruction, Subject
from appellate.core.planted_errors import (
    decoy,
    describe,
    errors,
    outcome,
    outcome_texts,
    plantable,
    unmasked,
)
from appellate.core.problem import Refused
from appellate.store import judgment
from appellate.store.files.toml import emit
from appellate.traits.kinds import kinds
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.traits.tally import KIND as TALLY
from appellate.traits.tally import Count, TallyTrait
from cells import CANCER, GENE, SURVIVE, TRACE, Story, other_proposal, proposal, select, story_of
from kind_examples import varied

GPT = {"name": "gpt"}
SAFE, SCORE = (LLMRubricTrait(name="x", kind=kind) for kind in ("boolean", "score"))
GRADED = ScorerRubricTrait(name="x", scorer="model_graded_qa")
WHERE = Instruction("tp", 2, "")


def asked_of(cell, of, number):
    return next(one for one in cell.answers if (one.of, one.number) == (of, number))


def happened(*what):
    life = Story()
    for one in what:
        life.happens(one, "gpt")
    return life


def planted(of="tp", number=1, first=None):
    """The worked example with an error in the answer to one instruction."""
    life = happened(first or proposal())
    error = next(errors(life.cell, asked_of(life.cell, of, number)))
    life.does(Plant(error))
    return life


def turn(cell, of, number, answer):
    """The correction that answers an instruction in what is shown."""
    of_it, asked = cell.shown.subject, asked_of(cell.shown, of, number)
    (edit,) = of_it.kind.answering.edits(of_it.trait, cell.shown.labels, asked, answer)
    return Correct(edit)


# -- what is shown -------------------------------------------------------------------------------------


def test_a_planted_error_is_shown_and_the_cell_keeps_what_the_judge_said():
    before, life = happened(proposal()), planted()
    cell, shown = life.cell, life.cell.shown
    asked = asked_of(cell, "tp", 1)
    assert (cell.answers[asked], shown.answers[asked]) == ("found", "missing")
    assert (shown.judge_answers[asked], shown.state) == ("missing", "proposed")
    assert shown.figures == shown.judge_figures != cell.figures == cell.judge_figures
    assert cell.labels == before.cell.labels
    others = [one for one in cell.answers if one != asked]
    assert {one: cell.answers[one] for one in others} == {one: shown.answers[one] for one in others}


def test_what_is_missing_is_planted_as_found_on_the_likeliest_words():
    life = planted("tp", 4)
    item = next(item for item in life.cell.shown.labels.tp if item.instruction == 4)
    assert item.span
    assert life.cell.shown.checks == life.cell.checks


def test_members_of_a_panel_say_the_same():
    panel = proposal()
    seat = {**GPT, **panel.table}
    life = planted(
        first=Proposed(
            panel.table, {"name": "panel", "members": [seat, {"name": "b", "error": "no"}]}
        )
    )
    one, other = life.cell.shown.judge.judge["members"]
    assert one["name"] == "gpt"
    assert one["fn"] == life.cell.shown.judge.table["fn"]
    assert other == {"name": "b", "error": "no"}
    assert life.cell.judge.judge["members"][0] == seat


def test_a_file_has_the_labels_of_the_judge_and_tells_what_was_planted():
    life = planted()
    table = judgment.written(life.cell)
    bare = judgment.written(happened(proposal()).cell)
    assert {key: table[key] for key in bare} == bare
    assert [row["act"] for row in table["history"]] == ["planted"]
    back = tomllib.loads("".join(emit(table)))
    assert fold(life.cell.subject, judgment.facts(life.cell.subject.kind, back)) == life.cell


def test_an_error_that_this_version_cannot_make_leaves_the_cell_as_it_is():
    strange = Planted({"of": "tp", "number": 1, "text": ""}, "missing", [{"action": "fly"}])
    life = happened(proposal(), strange)
    assert life.cell.shown is life.cell
    life.does(SignOff("abc"))
    assert life.cell.state == "reviewed"


# -- what is done --------------------------------------------------------------------------------------


def test_whoever_corrects_the_error_is_told_and_nothing_is_corrected():
    life = planted()
    before = life.cell
    life.does(turn(life.cell, "tp", 1, "tp"))
    assert isinstance(life.cell.facts[-1].what, Unmasked)
    assert (life.cell.facts[-1].what.caught, outcome(life.cell)) == (True, "caught")
    assert "You caught" in describe(life.cell)
    assert life.cell.labels == before.labels
    assert life.cell.shown is life.cell
    assert (life.cell.state, life.cell.edits) == ("proposed", frozenset())


def test_whoever_signs_the_error_off_is_told_and_nothing_is_signed_off():
    life = planted()
    life.does(SignOff("abc", 2.0))
    assert life.cell.facts[-1].what == Unmasked(caught=False, seconds=2.0)
    assert (life.cell.state, life.cell.signed, outcome(life.cell)) == ("proposed", None, "missed")
    assert "let pass" in describe(life.cell)
    life.does(SignOff("abc", 2.0))
    assert (life.cell.state, outcome(life.cell)) == ("reviewed", "missed")


def test_a_correction_of_anything_else_is_one_of_what_the_judge_said():
    life = planted()
    life.does(turn(life.cell, "tp", 2, "fn"))
    asked = asked_of(life.cell, "tp", 2)
    assert isinstance(life.cell.facts[-1].what, Corrected)
    assert life.cell.planted
    assert (life.cell.answers[asked], life.cell.shown.answers[asked]) == ("missing", "missing")
    assert life.cell.answers[asked_of(life.cell, "tp", 1)] == "found"
    assert life.cell.shown.answers[asked_of(life.cell, "tp", 1)] == "missing"
    assert life.cell.shown.state == "corrected"
    life.does(Undo(life.cell.facts[-1].n))
    assert life.cell.state == "proposed"
    assert life.cell.shown.answers[asked] == "found"
    life.does(SignOff("abc"))
    assert outcome(life.cell) == "missed"


def test_a_correction_made_meanwhile_stays_when_the_error_is_told():
    life = planted()
    life.does(turn(life.cell, "tp", 2, "fn"))
    life.does(SignOff("abc"))
    assert life.cell.state == "corrected"
    assert life.cell.answers[asked_of(life.cell, "tp", 2)] == "missing"


def test_an_error_that_a_person_holds_to_in_the_end_was_none():
    life = planted()
    life.does(SignOff("abc"))
    life.does(turn(life.cell, "tp", 1, "fn"))
    life.does(SignOff("abc"))
    assert outcome(life.cell) == "right"


def test_taking_what_the_judge_said_elsewhere_tells_the_error():
    life = happened(other_proposal(), proposal(round=2))
    life.does(Plant(next(errors(life.cell, asked_of(life.cell, "tp", 1)))))
    life.does(Adopt(1))
    assert isinstance(life.cell.facts[-1].what, Unmasked)


def test_flags_and_comments_leave_the_error_where_it_is():
    life = planted()
    life.does(Flag(True))
    assert life.cell.flag
    assert life.cell.planted
    assert life.cell.shown.flag


@pytest.mark.parametrize("happens", [other_proposal(round=2), "drawn"])
def test_another_proposal_or_the_sample_withdraws_the_error(happens):
    life = planted()
    if happens == "drawn":
        life.does(Draw(True))
    else:
        life.does(Receive(happens))
    assert life.cell.planted is None
    assert outcome(life.cell) == ""


# -- where ---------------------------------------------------------------------------------------------


def test_only_an_untouched_proposal_outside_of_the_sample_takes_an_error():
    life = Story()
    assert not plantable(life.cell)
    life.happens(proposal())
    assert plantable(life.cell)
    for command in (Flag(True), SignOff("abc"), Draw(False)):
        other = happened(proposal())
        other.does(command)
        assert not plantable(other.cell)
    once = planted()
    assert not plantable(once.cell)
    once.does(SignOff("abc"))
    assert not plantable(once.cell)
    with pytest.raises(Refused, match="outside of the sample"):
        decide(planted().cell, Plant(Planted({}, "", [])))


# -- every kind that a model judges ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "trait", "table", "was", "shown"),
    [
        ("llm", SAFE, {"value": True, "evidence": [], "rationale": "so"}, "yes", "no"),
        ("llm", SCORE, {"value": 4, "evidence": []}, "4", "1"),
        ("scorer", GRADED, {"value": "C", "explanation": "right"}, "C", "I"),
    ],
)
def test_each_kind_has_an_error_that_looks_like_a_judges(kind, trait, table, was, shown):
    subject = Subject(kinds()[kind], trait, TRACE)
    life = story_of(Receive(Proposed(table, GPT)), of=subject)
    (asked,) = life.cell.answers
    life.does(Plant(next(errors(life.cell, asked))))
    assert (life.cell.answers[asked], life.cell.shown.answers[asked]) == (was, shown)
    assert not set(life.cell.shown.judge.table) & set(kinds()[kind].reasons)
    assert json.dumps(life.cell.facts[-1].what.edits)
    life.does(SignOff("abc"))
    assert outcome(life.cell) == "missed"


# -- what may be planted -------------------------------------------------------------------------------

OFTEN = TallyTrait(name="Genes", word="gene")


def counted(kind, times=2):
    subject = Subject(kind, OFTEN, TRACE)
    return story_of(Receive(Proposed({"times": times}, GPT)), of=subject).cell


def planted_in(kind, **more):
    cell = counted(kind, **more)
    return [(error.answer, error.edits) for error in errors(cell, next(iter(cell.answers)))]


def test_a_kind_that_has_no_other_answers_to_give_has_no_errors():
    assert planted_in(TALLY) == []


def test_of_what_a_kind_turns_only_what_looks_like_a_judges_table_is_an_error():
    tried = [-1, 2, 3, 100]  # refused, said already, sound, and a breach
    turned = varied(TALLY, turned=lambda *_: ([Count(times)] for times in tried))
    assert planted_in(turned) == [("3", [{"times": 3}])]


class Counting(Answering):
    """A tally that a person may answer by a few numbers."""

    refused = ()

    def grounds(self, trait, labels, asked):
        return Grounds(str(labels.times))

    def sayable(self, trait, asked):
        return {"1": "once", "2": "twice", "3": "thrice"}

    def edits(self, trait, labels, asked, answer):
        if answer in self.refused:
            raise Refused("Not that.")
        return [Count(int(answer))] if int(answer) != labels.times else []


def test_what_a_person_may_answer_otherwise_is_an_error_unless_it_is_refused():
    assert planted_in(varied(TALLY, answering=Counting())) == [
        ("1", [{"times": 1}]),
        ("3", [{"times": 3}]),
    ]
    picky = varied(Counting(), refused="1")
    assert planted_in(varied(TALLY, answering=picky)) == [("3", [{"times": 3}])]


def test_an_answer_that_takes_words_is_no_error_where_none_bear_it_out():
    worded = varied(Counting(), takes_words=lambda _, edits: edits[0].times > 1)
    assert planted_in(varied(TALLY, answering=worded)) == [("1", [{"times": 1}])]
    borne = varied(worded, likely=lambda *_: [(0, 4)])
    assert [answer for answer, _ in planted_in(varied(TALLY, answering=borne))] == ["1", "3"]


def test_what_would_answer_another_question_too_is_no_error():
    cell = happened(proposal()).cell
    one, other = (asked_of(cell, "tp", number) for number in (1, 2))
    kind = cell.subject.kind
    edits = kind.answering.edits(cell.subject.trait, cell.labels, one, "fn")
    both = fold(replace(cell.subject, kind=varied(kind, turned=lambda *_: [edits])), cell.facts)
    assert [error.answer for error in errors(both, one)] == ["missing"]
    assert list(errors(both, other)) == []
    odd = {"action": "add", "bucket": "fn", "of": "tp", "instruction": 1}
    breach = varied(kind, turned=lambda *_: [[kind.edit(odd)]])
    assert list(errors(fold(replace(cell.subject, kind=breach), cell.facts), one)) == []


@pytest.mark.parametrize("facts", [[], [Planted({}, "", [])]])
def test_where_nothing_was_planted_or_proposed_there_is_nothing_else_to_show(facts):
    life = happened(*facts)
    with pytest.raises(Refused, match="Nothing is planted here"):
        decoy(life.cell)
    assert life.cell.shown is life.cell


def test_other_words_for_what_was_planted_tell_the_error_as_one_that_was_let_pass():
    life = planted("tp", 4)
    shown = life.cell.shown
    place = next(at for at, item in enumerate(shown.labels.tp) if item.instruction == 4)
    edit = {"action": "reword", "bucket": "tp", "index": place, "start": 0, "end": 4}
    life.does(Correct(shown.subject.kind.edit(edit)))
    assert life.cell.facts[-1].what == Unmasked(caught=False)
    assert life.cell.state == "proposed"


def test_a_correction_to_what_the_judge_says_anyway_tells_the_error():
    life = happened(proposal())
    asked = asked_of(life.cell, "tp", 1)
    rows = [
        {"action": "move", "bucket": "tp", "index": 0, "to": "fn"},
        {"action": "reword", "bucket": "tp", "index": 0, **select("cells survive")},
    ]
    life.does(Plant(Planted(asked._asdict(), "missing", rows)))
    assert [item.text for item in life.cell.shown.labels.tp] == ["cells survive", CANCER]
    back = {"action": "reword", "bucket": "tp", "index": 0, **select(SURVIVE)}
    life.does(Correct(life.cell.subject.kind.edit(back)))
    assert life.cell.facts[-1].what == Unmasked(caught=False)
    assert [item.text for item in life.cell.labels.tp] == [GENE, SURVIVE, CANCER]


# -- what came of it -----------------------------------------------------------------------------------


def test_what_was_told_is_counted_by_what_came_of_it():
    lives = []
    for act in (turn, None):
        life = planted()
        life.does(act(life.cell, "tp", 1, "tp") if act else SignOff("abc"))
        lives.append(life.cell)
    waiting = planted().cell
    came = unmasked((cell, fact) for cell in (*lives, waiting) for fact in cell.facts)
    assert came == {"caught": 1, "missed": 1}
    assert describe(waiting) == ""
    assert describe(Story().cell) == ""


@pytest.mark.parametrize(
    ("came", "sentences"),
    [
        ({}, ["No known errors were planted."]),
        ({"caught": 2, "missed": 1}, ["2 of 3 planted errors caught, 1 let pass."]),
        (
            {"right": 1, "waiting": 2},
            [
                "1 planted error turned out to be right in the end: in neither number.",
                "2 planted errors nobody has come to yet.",
            ],
        ),
    ],
)
def test_what_came_of_errors_is_told_in_sentences(came, sentences):
    assert list(outcome_texts(came)) == sentences
