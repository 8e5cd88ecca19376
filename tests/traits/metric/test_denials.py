"""Absent or contradicted: an instruction in FN or TN is left out, or denied in words of the response;
and a right verdict of the judge may rest on the wrong evidence.
"""

import json

import pytest

from appellate.core.deciding import Receive
from appellate.core.facts import Proposed
from appellate.core.kind import Briefing, Example, Subject
from appellate.core.problem import Refused
from appellate.core.totals import answer_counts, answer_stats
from appellate.talk.dialogue import TRIES, NoAnswer, Reply, Unreadable
from appellate.traits.metric import KIND, ledger
from appellate.traits.metric.asking import as_reply, dialogue, opening, read
from appellate.traits.metric.edits import Edit, brief, describe
from appellate.traits.metric.labels import Item, from_table, located
from appellate.traits.metric.rows import all_rows
from cells import (
    CANCER,
    EXPECTED,
    FORBIDDEN,
    GENE,
    PLACE,
    RESPONSE,
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
    worked_example,
)

FULL, ONLY = matrix(), checklist()
ELSEWHERE = select(PLACE)


def denial(words, bucket="fn", **more):
    return {"bucket": bucket, "index": 0, "denied": words, **more}


def missing(*rows):
    return table(tp=[GENE], fn=[EXPECTED[3]], tn=[FORBIDDEN[1]]) | {"items": list(rows)}


def labelled(given, trait=FULL):
    return from_table(trait, TRACE, located(trait, TRACE, given))


def standing():
    """TP 1 2, FN 3 4, FP -1, TN -2; nothing is denied."""
    tp = [(GENE, 1), (SURVIVE, 2)]
    return labels(FULL, tp=tp, fn=[3, 4], fp=[(PLACE, -1)], tn=[-2])


def refusal(before, trait=FULL, **edit):
    with pytest.raises(Refused) as refused:
        after(trait, before, **edit)
    return str(refused.value)


# -- in a table -----------------------------------------------------------------------------------


def test_a_denial_is_looked_up_as_an_excerpt_is():
    found = labelled(missing(denial("it is  LOCATED on *chromosome* 1")))
    assert (found.fn[0].denied, found.fn[0].span) == (PLACE, tuple(ELSEWHERE.values()))
    assert found.fn[0].text == EXPECTED[3]


def test_a_denial_in_two_parts_is_one_stretch():
    assert labelled(missing(denial("It is … chromosome 1"))).fn[0].denied == PLACE


def test_offsets_that_come_with_a_denial_stand_where_they_hold_it():
    second = RESPONSE.rindex("is")
    given = denial("is", start=second, end=second + 2)
    assert labelled(missing(given)).fn[0].span == (second, second + 2)
    assert labelled(missing(given | {"end": second + 1})).fn[0].span == (5, 7)


def test_a_denial_that_is_not_in_the_response_is_unverified_wherever_it_shows():
    found = labelled(missing(denial("It has no chromosome")))
    assert (found.fn[0].denied, found.fn[0].span) == ("It has no chromosome", None)
    (check,) = [one for one in KIND.checks(FULL, found) if one.name == "unverified"]
    assert check.sentence == "FN denial “It has no chromosome” is not in the response."
    (row,) = all_rows(FULL, found)["fn"]
    assert (row.unverified, row.note) == (True, "denial unverified")
    assert "1 excerpt is not in the response." in ledger.doubts(FULL, found)


def test_offsets_without_a_denial_are_none_of_an_instruction():
    found = labelled(missing({"bucket": "fn", "index": 0, "start": 0, "end": 4}))
    assert (found.fn[0].text, found.fn[0].span) == (EXPECTED[3], None)


def test_a_denial_and_the_mark_of_wrong_evidence_survive_their_table():
    found = labelled(missing(denial(PLACE), denial(SURVIVE, "tn")))
    found = after(FULL, found, action="reword", bucket="tp", wrong_evidence=True, **select(CANCER))
    written = KIND.write(found)
    assert {"denied": PLACE, **ELSEWHERE}.items() <= written["items"][1].items()
    assert written["items"][0]["wrong_evidence"] is True
    again = {**written["audited"], "items": written["items"]}
    assert not list(KIND.faults(FULL, TRACE, again))
    assert from_table(FULL, TRACE, again) == found


def test_a_judge_cannot_say_of_itself_that_its_evidence_was_wrong():
    given = {"bucket": "tp", "index": 0, "wrong_evidence": True}
    assert not labelled(missing(given)).tp[0].wrong_evidence


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (denial(3), "must be the words of the denial, not the number 3"),
        (denial(" "), 'must be the words of the denial, not the text " "'),
        (denial(GENE, "tp"), "does not belong in tp"),
        (denial(GENE) | {"wrong_evidence": "yes"}, 'must be true or false, not the text "yes"'),
    ],
)
def test_what_is_wrong_with_a_denial_is_told(row, told):
    assert told in [fault.wrong for fault in KIND.faults(FULL, TRACE, missing(row))]


# -- corrections ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("bucket", "index"), [("fn", 1), ("tn", 0)])
def test_what_is_missing_or_absent_is_denied_by_words_and_left_out_again(bucket, index):
    denied = after(FULL, standing(), action="deny", bucket=bucket, index=index, **ELSEWHERE)
    one = denied.bucket(bucket)[index]
    assert (one.denied, one.span) == (PLACE, tuple(ELSEWHERE.values()))
    assert marks(denied) == marks(standing())
    assert KIND.measure(FULL, denied).values == KIND.measure(FULL, standing()).values
    assert after(FULL, denied, action="omit", bucket=bucket, index=index) == standing()


def test_an_excerpt_that_denies_its_instruction_goes_with_its_words():
    found = after(FULL, standing(), action="deny", bucket="tp", index=1, **select(SURVIVE))
    assert marks(found)["tp"] == [1]
    assert [one.denied for one in found.fn] == [SURVIVE, "", ""]
    found = after(FULL, standing(), action="deny", bucket="fp", **ELSEWHERE)
    assert [one.denied for one in found.tn] == [PLACE, ""]
    found = after(FULL, standing(), action="deny", bucket="tp", index=1, **ELSEWHERE)
    assert found.fn[0].denied == PLACE


def test_what_cannot_be_denied_is_refused_with_what_to_do_instead():
    assert "needs its words" in refusal(standing(), action="deny", bucket="fn")
    assert "left out already" in refusal(standing(), action="omit", bucket="fn")
    denied = after(FULL, standing(), action="deny", bucket="fn", **ELSEWHERE)
    assert "by these words already" in refusal(denied, action="deny", bucket="fn", **ELSEWHERE)
    assert "needs its words" in refusal(labels(FULL, tp=[("BCL3", 1)]), action="deny", bucket="tp")
    assert "no TP instruction" in refusal(
        labels(FULL, tp=[(GENE, None)]), action="deny", bucket="tp"
    )
    twice = labels(FULL, tp=[(GENE, 1), (SURVIVE, 1)])
    assert "drop this one" in refusal(twice, action="deny", bucket="tp")
    assert "no TN" in refusal(labels(ONLY), ONLY, action="deny", bucket="tn", **ELSEWHERE)


def test_what_becomes_found_is_denied_no_more():
    denied = after(FULL, standing(), action="deny", bucket="fn", **ELSEWHERE)
    found = after(FULL, denied, action="move", bucket="fn", to="tp", **select(CANCER))
    assert not any(one.denied for one in (*found.tp, *found.fn))


def test_denials_are_told_in_words():
    assert describe(Edit("deny", "fn"), "A", "not A") == "denied FN: “A” by “not A”"
    told = describe(Edit("deny", "tp", to="fn"), "not A", "A")
    assert told == "moved TP → FN as denied: “not A” denies “A”"
    assert describe(Edit("omit", "fn"), "A", "not A") == "left out FN: “A”, not denied by “not A”"
    assert [brief(Edit(action, "fn")) for action in ("deny", "omit")] == [
        "denied FN",
        "left out FN",
    ]
    wrong = Edit("reword", "tp", wrong_evidence=True)
    told = describe(wrong, "A", "B")
    assert told == "right verdict, wrong evidence: replaced TP: “A” → “B”"
    assert brief(wrong) == "wrong evidence TP"


def test_wrong_evidence_is_so_for_as_long_as_the_verdict_is_right():
    edit = {"action": "reword", "bucket": "tp", **select(CANCER)}
    wrong = after(FULL, standing(), **edit, wrong_evidence=True)
    assert wrong.tp[0].wrong_evidence
    assert not after(FULL, standing(), **edit).tp[0].wrong_evidence
    moved = after(FULL, wrong, action="move", bucket="tp", to="fp", **link(-2))
    relinked = after(FULL, wrong, action="relink", bucket="tp", **link(3))
    for found in (moved, relinked):
        assert not any(one.wrong_evidence for one in (*found.tp, *found.fp))
    reworded = after(FULL, wrong, action="reword", bucket="tp", text="cancer")
    assert reworded.tp[0].wrong_evidence


# -- carried onto a later round -------------------------------------------------------------------


def carried(edit, before, now):
    return KIND.carried(FULL, now, edit, KIND.anchor(FULL, before, edit))


def test_a_denial_is_carried_to_its_instruction_where_a_later_judge_misses_it_too():
    edit = Edit("deny", "fn", 1, **ELSEWHERE, seen=EXPECTED[3])
    now = labels(FULL, tp=[(GENE, 1), (SURVIVE, 2), (CANCER, 3)], fn=[4])
    assert carried(edit, standing(), now) == Edit("deny", "fn", 0, **ELSEWHERE, seen=EXPECTED[3])
    said = after(FULL, now, action="deny", bucket="fn", **ELSEWHERE)
    assert carried(edit, standing(), said) is None
    with pytest.raises(Refused, match="not among these labels"):
        carried(edit, standing(), labels(FULL, tp=[(PLACE, 4)], fn=[1, 2, 3]))


def test_a_denying_excerpt_that_a_later_judge_has_not_is_a_denial_all_the_same():
    edit = Edit("deny", "tp", 1, "fn", **select(SURVIVE))
    there = labels(FULL, tp=[(SURVIVE, 2)], fn=[1, 3, 4])
    assert carried(edit, standing(), there) == Edit("deny", "tp", 0, "fn", **select(SURVIVE))
    missed = labels(FULL, tp=[(GENE, 1)], fn=[2, 3, 4])
    assert carried(edit, standing(), missed) == Edit("deny", "fn", 0, **select(SURVIVE))


def test_what_was_left_out_needs_no_correction_where_a_later_judge_denies_nothing():
    denied = after(FULL, standing(), action="deny", bucket="fn", **ELSEWHERE)
    edit = Edit("omit", "fn")
    assert carried(edit, denied, standing()) is None
    assert carried(edit, denied, denied) == edit


def test_a_denial_is_undone_and_carried_as_any_correction_is():
    story = Story(FULL)
    story.does(Receive(Proposed(KIND.locate(FULL, TRACE, worked_example()), {"name": "gpt"})))
    story.corrects(action="deny", bucket="fn", reason="says another", **ELSEWHERE)
    assert story.cell.measure().counts["denied"] == 1
    assert story.cell.measure_judge().counts["denied"] == 0
    stats = {one.instruction: one for one in answer_stats(answer_counts(story.cell))}
    assert stats[EXPECTED[3]].asides == {"denied": 1}
    assert (stats[EXPECTED[3]].cells, stats[EXPECTED[0]].asides) == (1, {})
    later = KIND.locate(FULL, TRACE, worked_example())
    story.does(Receive(Proposed(later, {"name": "other", "round": 2})))
    assert story.cell.labels.fn[0].denied == PLACE


# -- judges ---------------------------------------------------------------------------------------


def answer(number, verdict, *excerpts):
    return {"instruction": number, "rationale": "", "excerpts": excerpts, "verdict": verdict}


def reply(*tp, tn=("absent", "absent")):
    tn_answers = [answer(number, verdict, GENE) for number, verdict in enumerate(tn, 1)]
    return json.dumps({"tp_answers": tp, "tn_answers": tn_answers})


def others(*answers):
    """The other instructions missing."""
    return [*answers, *(answer(number, "missing") for number in range(len(answers) + 1, 5))]


PLAIN = FULL.model_copy(update={"fp_instructions": []})


def test_a_judge_is_asked_whether_what_it_does_not_find_is_denied():
    asked = opening(PLAIN, TRACE)
    assert '"found" or "missing" or "denied"' in asked.user
    assert '"present" or "absent" or "denied"' in asked.user
    assert "To leave it out is not to deny it." in asked.system


def test_a_denial_comes_with_its_words_in_either_list():
    given = reply(*others(answer(1, "Denied", PLACE, GENE)), tn=("absent", "denied"))
    found = read(PLAIN, given)
    assert [one.denied for one in found.fn] == [PLACE, "", "", ""]
    assert [one.denied for one in found.tn] == ["", GENE]


def test_a_reply_of_before_it_was_asked_for_is_read_as_ever():
    found = read(PLAIN, reply(*others(answer(1, "found", GENE))))
    assert marks(found) == {"tp": [1], "fn": [2, 3, 4], "tn": [-1, -2]}
    assert not any(one.denied for one in (*found.fn, *found.tn))


def test_a_denial_without_its_words_is_no_answer():
    with pytest.raises(NoAnswer, match='TP instruction 1 is "denied" without an excerpt'):
        read(PLAIN, reply(*others(answer(1, "denied"))))


def test_the_words_of_a_denial_that_are_not_in_the_response_are_asked_for_once_more():
    talk = dialogue(PLAIN, TRACE)
    next(talk)
    again = talk.send(Reply(reply(*others(answer(1, "denied", "It sits on chromosome 1")))))
    assert "It sits on chromosome 1" in again.user
    with pytest.raises(StopIteration) as ended:
        talk.send(Reply(json.dumps({"excerpts": [{"number": 1, "text": PLACE}]})))
    assert ended.value.value["items"][0]["denied"] == PLACE


def test_an_example_shows_what_is_denied():
    denied = after(PLAIN, standing(), action="deny", bucket="fn", index=1, **ELSEWHERE)
    told = json.loads(as_reply(PLAIN, denied))["tp_answers"]
    assert (told["4"]["verdict"], told["4"]["excerpts"]) == ("denied", [PLACE])
    assert (told["3"]["verdict"], told["3"]["excerpts"]) == ("missing", [])
    assert read(PLAIN, as_reply(PLAIN, denied)).fn[1].denied == PLACE
    written = KIND.write(denied)
    shown = Example(TRACE, {**written["audited"], "items": written["items"]})
    assert '"verdict": "denied"' in opening(PLAIN, TRACE, Briefing(examples=(shown,))).user


def most(*denied):
    """What a panel holds whose members all miss instruction 4, some with a denial."""
    tables = []
    for words in denied:
        given = table(tp=[GENE, SURVIVE, CANCER], fn=[EXPECTED[3]], tn=FORBIDDEN)
        tables.append(located(FULL, TRACE, given | {"items": [denial(words)] if words else []}))
    held = KIND.majority(FULL, TRACE, tables)
    return labelled(held).fn[-1].denied


def test_most_members_of_a_panel_say_whether_what_they_miss_is_denied():
    assert most("", PLACE, SURVIVE) == PLACE
    assert most("", PLACE, "") == ""
    assert most(PLACE, "") == PLACE
    assert most("", PLACE) == ""


def test_an_unreadable_denial_fails_the_cell_as_any_reply_does():
    talk = dialogue(PLAIN, TRACE)
    next(talk)
    for _ in range(TRIES - 1):
        talk.send(Reply(reply(*others(answer(1, "denied")))))
    with pytest.raises(Unreadable, match="without an excerpt"):
        talk.send(Reply(reply(*others(answer(1, "denied")))))


# -- numbers --------------------------------------------------------------------------------------


def test_denials_and_wrong_evidence_are_counted_by_instruction_and_heeded_by_no_measure():
    found = after(FULL, standing(), action="deny", bucket="fn", **ELSEWHERE)
    found = after(FULL, found, action="deny", bucket="tn", **select(GENE))
    found = after(FULL, found, action="reword", bucket="tp", wrong_evidence=True, **select(CANCER))
    figures = KIND.measure(FULL, found)
    assert (figures.counts["denied"], figures.counts["wrong_evidence"]) == (2, 1)
    assert figures.values == KIND.measure(FULL, standing()).values
    told = {(one.of, one.number): said for one, said in KIND.asides(FULL, found).items()}
    assert told == {
        ("tp", 1): ["wrong_evidence"],
        ("tp", 3): ["denied"],
        ("tn", 2): ["denied"],
    }


def test_a_judges_denials_are_counted_from_its_table():
    found = located(FULL, TRACE, missing(denial(PLACE)))
    assert Subject(KIND, FULL, TRACE).measure_table(found).counts["denied"] == 1


def test_an_item_that_answers_nothing_is_denied_in_no_count():
    found = labels(FULL).put("fn", [Item("elsewhere", denied=PLACE)])
    assert KIND.measure(FULL, found).counts["denied"] == 0


def test_going_by_instruction_what_is_missing_rests_on_the_words_that_deny_it():
    (asked,) = (one for one in KIND.answers(FULL, standing()) if one[:2] == ("tp", 3))
    denied = after(FULL, standing(), action="deny", bucket="fn", **ELSEWHERE)
    told = KIND.answering.grounds(FULL, denied, asked)
    assert (told.word, told.style, told.spans) == (
        "missing",
        "denied",
        (tuple(ELSEWHERE.values()),),
    )
    unverified = standing().put("fn", [Item(EXPECTED[2], "tp", 3, denied="nowhere said")])
    assert KIND.answering.grounds(FULL, unverified, asked).loose == ("nowhere said",)
