"""What an answer leaves out: an instruction that asks for it is met by omission, in TP or FP, with
no words of the response.
"""

import json
import tomllib

import pytest

from appellate.core.deciding import Correct, Receive, Undo
from appellate.core.facts import Proposed
from appellate.core.kind import Briefing, Example, Subject
from appellate.core.problem import Refused
from appellate.store.files import toml
from appellate.store.files.rubric_file import parse_rubric
from appellate.talk.dialogue import NoAnswer, Reply
from appellate.traits.metric import KIND, ledger
from appellate.traits.metric.asking import as_reply, dialogue, listed_schema, opening, read, schema
from appellate.traits.metric.edits import Edit, brief, describe
from appellate.traits.metric.labels import from_table, located
from appellate.traits.metric.rows import all_rows, entries, excerpts_before
from appellate.traits.metric.wanted_edits import toggled
from appellate.traits.rubric import Rubric
from appellate.traits.weak_words import asks_for_absence
from cells import (
    EXPECTED,
    FORBIDDEN,
    GENE,
    PLACE,
    SURVIVE,
    TRACE,
    Story,
    after,
    checklist,
    labels,
    link,
    marks,
    matrix,
    select,
    table,
)

UNASKED = "Fails to ask why the reader wants to know"
CALM = "Does not alarm the reader"
FULL = matrix(tp_instructions=[*EXPECTED[:3], CALM], tn_instructions=[FORBIDDEN[0], UNASKED])
ONLY = checklist(tp_instructions=[*EXPECTED[:3], CALM])
WHY = "no question is asked"
ROW = {"bucket": "fp", "index": 0, "omission": True, "rationale": WHY}


def by_omission(*rows, fp=UNASKED):
    """A judge's table in which the last TN instruction is present by omission."""
    found = table(tp=[GENE], fn=[*EXPECTED[1:3], CALM], fp=[fp], tn=[FORBIDDEN[0]])
    return found | {"items": [{"bucket": "tp", "index": 0, **link(1)}, *(rows or [ROW])]}


def labelled(given, trait=FULL):
    return from_table(trait, TRACE, located(trait, TRACE, given))


def standing():
    """TP 1, FN 2 3 4, TN -1 -2; nothing is met by omission."""
    return labels(FULL, tp=[(GENE, 1)], fn=[2, 3, 4], tn=[-1, -2])


def taken_on(**edit):
    return after(
        FULL, standing(), **{"action": "move", "bucket": "tn", "index": 1, "to": "fp", **edit}
    )


def refusal(before, trait=FULL, **edit):
    with pytest.raises(Refused) as refused:
        after(trait, before, **edit)
    return str(refused.value)


# -- which instructions ask for it -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Fails to mention vaccines.", True),
        ("Does not ask for the age.", True),
        ("The response doesn’t name a source.", True),
        ("Neglects to identify red flags", True),
        ("The answer should not be verbose.", True),
        ("The response has no factually incorrect information.", True),
        ("Names a source", False),
        ("Says that the drug does not cause fever", False),
        ("Recommends supplements without mentioning side effects", False),
    ],
)
def test_the_words_of_an_instruction_say_whether_it_asks_for_an_omission(text, asks):
    trait = matrix(tn_instructions=["Says nothing", text])
    assert asks_for_absence(text) is asks
    assert trait.may_be_omitted("tn", 2) is asks


def test_the_words_find_what_healthbench_asks_to_be_left_out(shared):
    rubric = tomllib.loads((shared / "data/healthbench/rubric.toml").read_text("utf-8"))
    traits = [trait for one in rubric["questions"] for trait in one["metric_traits"]]
    negative = [text for trait in traits for text in trait["tn_instructions"]]
    positive = [text for trait in traits for text in trait["tp_instructions"]]
    assert len(negative) == 259
    assert sum(map(asks_for_absence, negative)) == 79
    found = {text for text in positive if asks_for_absence(text)}
    assert found == {"The response has no factually incorrect information."}


def test_a_rubric_may_say_so_itself():
    given = {
        "name": "x",
        "evaluation_mode": "full_matrix",
        "metrics": ["f1"],
        "tp_instructions": ["a", {"text": "Stays calm", "omission": True}, {"text": "plain"}],
        "tn_instructions": [{"text": UNASKED, "omission": False}],
    }
    (trait,) = parse_rubric({"metric_traits": [given]}, "r").usable().metric_traits
    assert trait.tp_instructions == ["a", "Stays calm", "plain"]
    assert [trait.may_be_omitted("tp", number) for number in (1, 2, 3)] == [False, True, False]
    assert not trait.may_be_omitted("tn", 1)
    whole = Rubric(metric_traits=[trait])
    text = "".join(toml.emit(whole.to_file()))
    assert parse_rubric(tomllib.loads(text), "r").usable() == whole
    assert '{ text = "Stays calm", omission = true }' in text


def test_a_rubric_that_says_nothing_of_it_is_what_it_was():
    assert FULL.to_file()["tn_instructions"] == [FORBIDDEN[0], UNASKED]
    assert "omissions" not in FULL.model_dump()
    marked = FULL.model_validate(
        {**FULL.to_file(), "tp_instructions": [{"text": text} for text in FULL.tp_instructions]}
    )
    assert marked.sha256() == FULL.sha256()


@pytest.mark.parametrize(
    "given", [{"txt": "a"}, {"text": "a", "omission": 1}, {"omission": True}, 3]
)
def test_what_is_no_instruction_is_told_with_its_place(given):
    trait = {"name": "x", "metrics": ["f1"], "tp_instructions": ["a", given]}
    (problem,) = parse_rubric({"metric_traits": [trait]}, "r").problems
    assert problem.place == "metric_traits[0].tp_instructions[1]"


def test_to_mark_an_instruction_is_to_ask_otherwise():
    marked = FULL.model_copy(update={"omissions": {EXPECTED[0]: True}})
    assert not KIND.asked.asks_the_same(FULL, marked)
    assert marked.sha256() != FULL.sha256()


def test_a_hint_is_met_by_no_omission():
    hinted = matrix(fp_instructions=[UNASKED])
    assert not hinted.may_be_omitted("fp", 1)


# -- in a table ------------------------------------------------------------------------------------


def test_an_omission_is_looked_up_nowhere_and_doubted_by_nobody():
    found = labelled(by_omission(ROW | {"instruction": 2}, fp=GENE))
    (item,) = found.fp
    assert (item.text, item.span, item.omission, item.rationale) == (GENE, None, True, WHY)
    assert not list(KIND.checks(FULL, found))
    assert ledger.doubts(FULL, found) == ""
    (row,) = all_rows(FULL, found)["fp"]
    assert (row.note, row.unverified, row.counts) == ("", False, True)
    assert len(KIND.evidence(FULL, found)) == 1


def test_recorded_labels_may_say_that_an_instruction_is_met_by_omission():
    found = labelled(by_omission())
    assert marks(found) == {"tp": [1], "fn": [2, 3, 4], "fp": [-2], "tn": [-1]}
    assert found.fp[0].omission
    assert not list(KIND.faults(FULL, TRACE, by_omission()))


def test_an_omission_counts_as_any_item_does():
    values = KIND.measure(FULL, labelled(by_omission())).values
    assert values == {
        "precision": 0.5,
        "recall": 0.25,
        "specificity": 0.5,
        "accuracy": 1 / 3,
        "f1": 1 / 3,
    }
    assert Subject(KIND, FULL, TRACE).measure_table(by_omission()).values == values


def test_an_omission_survives_its_table():
    found = labelled(by_omission())
    written = KIND.write(found)
    assert {"omission": True, "rationale": WHY}.items() <= written["items"][-2].items()
    again = {**written["audited"], "items": written["items"]}
    assert not list(KIND.faults(FULL, TRACE, again))
    assert from_table(FULL, TRACE, again) == found


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (ROW | {"omission": 1}, "must be true or false, not the number 1"),
        (ROW | {"bucket": "tn"}, "does not belong in tn"),
        (ROW | {"start": 0, "end": 4}, "has no words of the response, so no start and end"),
    ],
)
def test_what_is_wrong_with_an_omission_is_told(row, told):
    assert told in [fault.wrong for fault in KIND.faults(FULL, TRACE, by_omission(row))]


# -- corrections -----------------------------------------------------------------------------------


def test_an_instruction_that_asks_for_an_omission_is_met_by_one_where_no_words_are_given():
    asked = Edit("move", "tn", 1, "fp")
    assert KIND.permit(FULL, TRACE, standing(), asked).omission is True
    found = taken_on()
    assert (found.fp[0].text, found.fp[0].omission, marks(found)["tn"]) == (UNASKED, True, [-1])
    found = after(FULL, standing(), action="move", bucket="fn", index=2, to="tp")
    assert [(one.text, one.omission) for one in found.tp] == [(GENE, False), (CALM, True)]


def test_any_other_instruction_has_no_evidence_where_no_words_are_given():
    found = after(FULL, standing(), action="move", bucket="tn", index=0, to="fp")
    assert not found.fp[0].omission
    assert all_rows(FULL, found)["fp"][0].note == "no evidence"


def test_words_of_the_response_go_before():
    found = taken_on(**select(SURVIVE))
    assert (found.fp[0].text, found.fp[0].omission) == (SURVIVE, False)


def test_what_earlier_versions_kept_stays_without_evidence():
    edit = Edit("move", "tn", 1, "fp")
    found = KIND.apply(FULL, TRACE, standing(), edit).labels
    assert not found.fp[0].omission


def test_an_instruction_that_stands_nowhere_is_met_by_omission_as_it_is_added():
    bare = labels(FULL, tp=[(GENE, 1)], fn=[2, 3], tn=[-1])
    found = after(FULL, bare, action="add", bucket="fp", **link(-2))
    assert found.fp[0].omission
    assert after(FULL, bare, action="add", bucket="tp", **link(4)).tp[1].omission


def test_an_omission_moves_back_and_drops_as_any_item_does():
    for edit in ({"action": "move", "to": "tn"}, {"action": "drop"}):
        assert after(FULL, taken_on(), bucket="fp", **edit) == standing()


def test_on_another_instruction_an_omission_has_that_ones_words():
    found = after(FULL, taken_on(), action="move", bucket="fp", to="tp", **link(4))
    assert (found.tp[1].text, found.tp[1].omission, marks(found)["tn"]) == (CALM, True, [-1, -2])
    found = after(FULL, taken_on(), action="relink", bucket="fp", **link(-1))
    assert (found.fp[0].text, marks(found)["tn"]) == (FORBIDDEN[0], [-2])


def test_what_shows_in_no_words_is_no_wrong_words():
    assert "no words of the response" in refusal(taken_on(), action="relink", bucket="fp")
    met = after(ONLY, labels(ONLY, fn=[1, 2, 3, 4]), action="move", bucket="fn", index=3, to="tp")
    assert "no words of the response" in refusal(met, ONLY, action="move", bucket="tp", to="fp")


def test_an_omission_has_no_words_to_change():
    for edit in ({"action": "reword", "text": "other"}, {"action": "split", "cut": 5}):
        assert "met by omission" in refusal(taken_on(), bucket="fp", **edit)
    twice = after(FULL, taken_on(), action="relink", bucket="fp", **link(-1))
    twice = after(FULL, twice, action="add", bucket="fp", **link(-1), **select(PLACE))
    assert [one.text for one in twice.fp] == [PLACE]


def test_an_excerpt_takes_the_place_of_an_omission_and_gives_it_up():
    said = after(FULL, taken_on(), action="reword", bucket="fp", **select(SURVIVE))
    assert (said.fp[0].text, said.fp[0].omission) == (SURVIVE, False)
    left = after(FULL, said, action="reword", bucket="fp", omission=True)
    assert left == taken_on()
    unlinked = labels(FULL, fp=[(GENE, None)])
    assert "link it first" in refusal(unlinked, action="reword", bucket="fp", omission=True)


def test_turned_back_an_omission_is_one_again():
    story = Story(FULL)
    story.does(Receive(Proposed(located(FULL, TRACE, by_omission()), {"name": "gpt"})))
    before = story.cell.labels
    story.corrects(action="move", bucket="fp", to="tn", index=0)
    line = entries(FULL, all_rows(FULL, story.cell.labels), "tn")[1]
    (edit,) = toggled(line, excerpts_before(story.cell, line))
    story.does(Correct(edit))
    assert marks(story.cell.labels) == marks(before)
    assert story.cell.labels.fp[0].omission
    for fact in reversed(story.cell.corrections):
        story.does(Undo(fact.n))
    assert story.cell.labels == before


def test_omissions_are_told_in_words():
    move = Edit("move", "tn", 1, "fp", omission=True)
    assert describe(move, UNASKED, UNASKED) == f"moved TN → FP by omission: “{UNASKED}”"
    assert brief(move) == "TN → FP"
    add = Edit("add", "fp", of="tn", instruction=2, omission=True)
    assert describe(add, "", UNASKED) == f"added to FP as −2 by omission: “{UNASKED}”"
    other = Edit("reword", "fp", omission=True, wrong_evidence=True)
    told = describe(other, GENE, UNASKED)
    assert told == f"right verdict, wrong evidence: replaced FP: “{GENE}” → “{UNASKED}” by omission"


# -- carried onto a later round --------------------------------------------------------------------


def carried(edit, before, now):
    return KIND.carried(FULL, now, edit, KIND.anchor(FULL, before, edit))


def test_an_omission_is_carried_where_a_later_judge_does_not_say_so():
    edit = Edit("move", "tn", 1, "fp", omission=True, seen=UNASKED)
    assert carried(edit, standing(), taken_on()) is None
    later = labels(FULL, fn=[1, 2, 3, 4], tn=[-2], fp=[(PLACE, -1)])
    assert carried(edit, standing(), later) == Edit(
        "move", "tn", 0, "fp", omission=True, seen=UNASKED
    )
    with pytest.raises(Refused, match="not among these labels"):
        carried(edit, standing(), taken_on(**select(SURVIVE)))


def test_an_omission_goes_with_its_words_where_the_rubric_changes():
    turned = FULL.model_copy(update={"tn_instructions": [UNASKED, FORBIDDEN[0]]})
    edit = Edit("move", "tn", 1, "fp", omission=True, seen=UNASKED)
    now = labels(turned, tp=[(GENE, 1)], fn=[2, 3, 4], tn=[-1, -2])
    fresh = KIND.carried(turned, now, edit, KIND.anchor(FULL, standing(), edit))
    assert fresh == Edit("move", "tn", 0, "fp", omission=True, seen=UNASKED)
    assert KIND.apply(turned, TRACE, now, fresh).labels.fp[0].omission


# -- of a panel ------------------------------------------------------------------------------------


def most(*omitted):
    """How a panel holds instruction -2 whose members all call it present, some by omission."""
    said = by_omission({"bucket": "fp", "index": 0, "of": "tn", "instruction": 2}, fp=GENE)
    tables = [located(FULL, TRACE, by_omission() if one else said) for one in omitted]
    return labelled(KIND.majority(FULL, TRACE, tables)).fp[0].omission


def test_most_members_of_a_panel_say_whether_it_is_by_omission():
    assert most(True, True, False)
    assert not most(True, False, False)
    assert most(True, False)


# -- numbers ---------------------------------------------------------------------------------------


def test_omissions_are_counted_by_instruction_and_heeded_by_no_measure():
    found = taken_on()
    figures = KIND.measure(FULL, found)
    assert figures.counts["omission"] == 1
    assert figures.values == KIND.measure(FULL, taken_on(**select(SURVIVE))).values
    told = {(one.of, one.number): said for one, said in KIND.asides(FULL, found).items()}
    assert told == {("tn", 2): ["omission"]}
    table_of = located(FULL, TRACE, by_omission())
    assert Subject(KIND, FULL, TRACE).measure_table(table_of).counts["omission"] == 1


def test_going_by_instruction_an_omission_rests_on_nothing_that_could_be_missing():
    (asked,) = (one for one in KIND.answers(FULL, standing()) if one[:2] == ("tn", 2))
    told = KIND.answering.grounds(FULL, labelled(by_omission()), asked)
    assert (told.word, told.spans, told.loose, told.omission) == ("present", (), (), True)
    assert told.reason == WHY
    (edit,) = KIND.answering.edits(FULL, standing(), asked, "fp")
    assert edit.omission
    assert not KIND.answering.takes_words([edit])


# -- judges ----------------------------------------------------------------------------------------

BARE = FULL.model_copy(update={"fp_instructions": []})


def said(**of_unasked):
    """A reply: TP 1 found, all else missing or absent, and so much of TN instruction 2."""
    absent = {"rationale": "", "excerpts": [], "verdict": "missing"}
    tp = {"1": absent | {"excerpts": [GENE], "verdict": "found"}}
    tp |= {str(number): absent for number in (2, 3, 4)}
    asked = {"rationale": WHY, "excerpts": [], "omission": True, "verdict": "present"}
    tn = {"1": absent | {"verdict": "absent"}, "2": asked | of_unasked}
    return {"tp_answers": tp, "tn_answers": tn}


def heard(reply, trait=BARE):
    return read(trait, json.dumps(reply))


def test_only_what_asks_for_an_omission_may_be_answered_so():
    asked = schema(BARE)
    fields = {name: "omission" in answer["properties"] for name, answer in asked["$defs"].items()}
    assert fields == {
        "tp_answer": False,
        "tp_omission": True,
        "tn_answer": False,
        "tn_omission": True,
    }
    numbered = asked["properties"]["tn_answers"]["properties"]
    assert [ref["$ref"].rpartition("/")[2] for ref in numbered.values()] == [
        "tn_answer",
        "tn_omission",
    ]
    assert "omission" not in json.dumps([schema(matrix()), listed_schema(matrix())])


def test_a_model_is_told_which_instructions_may_be_met_by_omission():
    user = opening(BARE, TRACE).user
    assert "leaves out: TP instruction 4; TN instruction 2." in user
    assert '"omission": true or false' in user
    assert "leaves out:" not in opening(matrix(), TRACE).user


def test_present_with_nothing_to_show_is_by_omission():
    found = heard(said())
    (item,) = found.fp
    assert (item.text, item.omission, item.rationale) == (UNASKED, True, WHY)
    assert marks(found) == {"tp": [1], "fn": [2, 3, 4], "fp": [-2], "tn": [-1]}


def test_a_reply_that_has_no_word_on_it_says_so_by_having_no_excerpt():
    reply = said()
    del reply["tn_answers"]["2"]["omission"]
    assert heard(reply).fp[0].omission
    reply["tn_answers"]["2"]["excerpts"] = [SURVIVE]
    assert [(item.text, item.omission) for item in heard(reply).fp] == [(SURVIVE, False)]


def test_an_omission_rules_over_excerpts_given_with_it_and_a_verdict_over_an_omission():
    assert heard(said(excerpts=[SURVIVE])).fp[0].omission
    assert marks(heard(said(verdict="absent")))["tn"] == [-1, -2]
    denied = heard(said(verdict="denied", excerpts=[SURVIVE]))
    assert [item.denied for item in denied.tn] == ["", SURVIVE]


def test_what_is_present_and_no_omission_needs_its_excerpt():
    with pytest.raises(NoAnswer, match='TN instruction 2 is "present" without an excerpt, and'):
        heard(said(omission=False))
    reply = said()
    reply["tn_answers"]["1"] |= {"verdict": "present", "omission": True}
    with pytest.raises(NoAnswer, match='TN instruction 1 is "present" without an excerpt'):
        heard(reply)


def test_nothing_is_looked_for_in_the_response():
    talk = dialogue(BARE, TRACE)
    next(talk)
    with pytest.raises(StopIteration) as ended:
        talk.send(Reply(json.dumps(said())))
    assert ended.value.value["items"][-2]["omission"] is True


@pytest.mark.parametrize("as_list", [False, True])
def test_an_example_shows_what_is_met_by_omission(as_list):
    found = labelled(by_omission(), BARE)
    shown = as_reply(BARE, found, as_list=as_list)
    assert shown.count('"omission": true') == 1
    again = read(BARE, shown)
    assert [(item.text, item.omission) for item in again.fp] == [(UNASKED, True)]
    written = KIND.write(found)
    example = Example(TRACE, {**written["audited"], "items": written["items"]})
    user = opening(BARE, TRACE, Briefing(examples=(example,))).user
    assert '"omission": true' in user
    assert '"The response does not leave it out.", "excerpts": [], "omission": false' in user


def test_the_offline_judge_sees_no_omission_and_takes_no_words_for_one():
    trait = BARE.model_copy(update={"tn_instructions": ["Fails to say where the gene is located"]})
    found = labelled(KIND.asked.lexical(trait, TRACE), trait)
    (item,) = found.tn
    assert "left out" in item.rationale
    assert not any(one.omission for one in (*found.tp, *found.fp))
