"""What is known of an instruction beside its verdict: it is denied in words of the response, met by what
that leaves out, or rests on the wrong evidence.
"""

import json
import tomllib

import pytest

from appellate.core.deciding import Correct, Receive, Undo
from appellate.core.facts import Proposed
from appellate.core.kind import Briefing, Example, Subject
from appellate.core.totals import answer_counts, answer_stats
from appellate.store.files import toml
from appellate.store.files.rubric_file import parse_rubric
from appellate.talk.dialogue import NoAnswer
from appellate.traits.metric import KIND, ledger
from appellate.traits.metric.asking import (
    as_reply,
    listed_schema,
    opening,
    read,
    schema,
)
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import Item, from_table, located
from appellate.traits.metric.rows import all_rows, entries, excerpts_before
from appellate.traits.metric.wanted_edits import toggled
from appellate.traits.rubric import Rubric
from appellate.traits.weak_words import asks_for_absence
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
    do,
    labels,
    link,
    marks,
    matrix,
    refusal,
    select,
    table,
    worked_example,
)
from dialogues import Talk

UNASKED = "Fails to ask why the reader wants to know"
CALM = "Does not alarm the reader"
FULL, ONLY = matrix(), checklist()
OMITTING = matrix(
    tp_instructions=[*EXPECTED[:3], CALM],
    tn_instructions=[FORBIDDEN[0], UNASKED],
    fp_instructions=[],
)
ELSEWHERE = select(PLACE)
WHY = "no question is asked"
ROW = {"bucket": "fp", "index": 0, "omission": True, "rationale": WHY}


def denial(words, bucket="fn", **more):
    return {"bucket": bucket, "index": 0, "denied": words, **more}


def missing(*rows):
    return table(tp=[GENE], fn=[EXPECTED[3]], tn=[FORBIDDEN[1]]) | {"items": list(rows)}


def by_omission(*rows, fp=UNASKED):
    """A judge's table in which the last TN instruction is present by omission."""
    found = table(tp=[GENE], fn=[*EXPECTED[1:3], CALM], fp=[fp], tn=[FORBIDDEN[0]])
    return found | {
        "items": [{"bucket": "tp", "index": 0, **link(1)}, *(rows or [ROW])],
    }


def labelled(given, trait=FULL):
    return from_table(trait, TRACE, located(trait, TRACE, given))


STOOD = labels(FULL, tp=[(GENE, 1), (SURVIVE, 2)], fn=[3, 4], fp=[(PLACE, -1)], tn=[-2])
DENIED = after(FULL, STOOD, action="deny", bucket="fn", **ELSEWHERE)
UNMET = labels(OMITTING, tp=[(GENE, 1)], fn=[2, 3, 4], tn=[-1, -2])


def taken_on(**words):
    """TN instruction 2 present, by omission where no words are given."""
    return after(OMITTING, UNMET, action="move", bucket="tn", index=1, to="fp", **words)


def told(found, trait):
    """What is said aside of which instructions."""
    return {
        (one.of, one.number): said for one, said in KIND.asides(trait, found).items()
    }


def example_of(found):
    written = KIND.write(found)
    return Briefing(
        examples=(Example(TRACE, {**written["audited"], "items": written["items"]}),),
    )


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
        "tp_instructions": [
            "a",
            {"text": "Stays calm", "omission": True},
            {"text": "plain"},
        ],
        "tn_instructions": [{"text": UNASKED, "omission": False}],
    }
    (trait,) = parse_rubric({"metric_traits": [given]}, "r").usable().metric_traits
    assert trait.tp_instructions == ["a", "Stays calm", "plain"]
    assert [trait.may_be_omitted("tp", number) for number in (1, 2, 3)] == [
        False,
        True,
        False,
    ]
    assert not trait.may_be_omitted("tn", 1)
    whole = Rubric(metric_traits=[trait])
    text = "".join(toml.emit(whole.to_file()))
    assert parse_rubric(tomllib.loads(text), "r").usable() == whole
    assert '{ text = "Stays calm", omission = true }' in text


def test_a_rubric_that_says_nothing_of_it_is_what_it_was():
    assert OMITTING.to_file()["tn_instructions"] == [FORBIDDEN[0], UNASKED]
    assert "omissions" not in OMITTING.model_dump()
    marked = OMITTING.model_validate(
        {
            **OMITTING.to_file(),
            "tp_instructions": [{"text": text} for text in OMITTING.tp_instructions],
        },
    )
    assert marked.sha256() == OMITTING.sha256()


def test_to_mark_an_instruction_is_to_ask_otherwise():
    marked = OMITTING.model_copy(update={"omissions": {EXPECTED[0]: True}})
    assert not KIND.asked.asks_the_same(OMITTING, marked)
    assert marked.sha256() != OMITTING.sha256()


def test_a_hint_is_met_by_no_omission():
    hinted = matrix(fp_instructions=[UNASKED])
    assert not hinted.may_be_omitted("fp", 1)


# -- in a table -----------------------------------------------------------------------------------


AT, SECOND = tuple(ELSEWHERE.values()), RESPONSE.rindex("is")


@pytest.mark.parametrize(
    ("given", "denied", "span"),
    [
        (denial("it is  LOCATED on *chromosome* 1"), PLACE, AT),
        (denial("It is … chromosome 1"), PLACE, AT),
        (denial("no chromosome"), "no chromosome", None),
        # offsets stand where they hold it, and are none of an instruction that nothing denies
        (denial("is", start=SECOND, end=SECOND + 2), "is", (SECOND, SECOND + 2)),
        (denial("is", start=SECOND, end=SECOND + 1), "is", (5, 7)),
        ({"bucket": "fn", "index": 0, "start": 0, "end": 4}, "", None),
    ],
)
def test_a_denial_is_looked_up_as_an_excerpt_is_and_in_parts_is_one_stretch(
    given,
    denied,
    span,
):
    (found,) = labelled(missing(given)).fn
    assert (found.text, found.denied, found.span) == (EXPECTED[3], denied, span)


def test_a_denial_that_is_not_in_the_response_is_unverified_wherever_it_shows():
    found = labelled(missing(denial("It has no chromosome")))
    (check,) = [one for one in KIND.checks(FULL, found) if one.name == "unverified"]
    assert check.sentence == "FN denial “It has no chromosome” is not in the response."
    (row,) = all_rows(FULL, found)["fn"]
    assert (row.unverified, row.note) == (True, "denial unverified")
    assert "1 excerpt is not in the response." in ledger.doubts(FULL, found)


def test_a_judge_cannot_say_of_itself_that_its_evidence_was_wrong():
    given = {"bucket": "tp", "index": 0, "wrong_evidence": True}
    assert not labelled(missing(given)).tp[0].wrong_evidence


def test_an_omission_is_looked_up_nowhere_and_doubted_by_nobody():
    found = labelled(by_omission(ROW | {"instruction": 2}, fp=GENE), OMITTING)
    (item,) = found.fp
    assert (item.text, item.span, item.omission, item.rationale) == (
        GENE,
        None,
        True,
        WHY,
    )
    assert not list(KIND.checks(OMITTING, found))
    assert ledger.doubts(OMITTING, found) == ""
    (row,) = all_rows(OMITTING, found)["fp"]
    assert (row.note, row.unverified, row.counts) == ("", False, True)
    assert len(KIND.evidence(OMITTING, found)) == 1


def test_recorded_labels_may_say_that_an_instruction_is_met_by_omission_which_counts():
    found = labelled(by_omission(), OMITTING)
    assert marks(found) == {"tp": [1], "fn": [2, 3, 4], "fp": [-2], "tn": [-1]}
    assert found.fp[0].omission
    assert not list(KIND.faults(OMITTING, TRACE, by_omission()))
    values = KIND.measure(OMITTING, found).values
    assert list(values.values()) == [0.5, 0.25, 0.5, 1 / 3, 1 / 3]
    assert Subject(KIND, OMITTING, TRACE).measure_table(by_omission()).values == values


def test_what_is_known_aside_survives_its_table():
    both = labelled(missing(denial(PLACE), denial(SURVIVE, "tn")))
    both = after(
        FULL,
        both,
        action="reword",
        bucket="tp",
        wrong_evidence=True,
        **select(CANCER),
    )
    for trait, found in ((FULL, both), (OMITTING, labelled(by_omission(), OMITTING))):
        written = KIND.write(found)
        again = {**written["audited"], "items": written["items"]}
        assert not list(KIND.faults(trait, TRACE, again))
        assert from_table(trait, TRACE, again) == found
    assert KIND.write(both)["items"][0]["wrong_evidence"] is True
    assert {"denied": PLACE, **ELSEWHERE}.items() <= KIND.write(both)["items"][
        1
    ].items()


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (missing(denial(3)), "must be the words of the denial, not the number 3"),
        (missing(denial(" ")), 'must be the words of the denial, not the text " "'),
        (missing(denial(GENE, "tp")), "does not belong in tp"),
        (
            missing(denial(GENE, wrong_evidence="yes")),
            'must be true or false, not the text "yes"',
        ),
        (by_omission(ROW | {"omission": 1}), "must be true or false, not the number 1"),
        (by_omission(ROW | {"bucket": "tn"}), "does not belong in tn"),
        (
            by_omission(ROW | {"start": 0, "end": 4}),
            "has no words of the response, so no start and end",
        ),
    ],
)
def test_what_is_wrong_with_a_denial_or_an_omission_is_told(given, wrong):
    assert wrong in [fault.wrong for fault in KIND.faults(FULL, TRACE, given)]


# -- corrections ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("bucket", "index"), [("fn", 1), ("tn", 0)])
def test_what_is_missing_or_absent_is_denied_by_words_and_left_out_again(bucket, index):
    denied = after(FULL, STOOD, action="deny", bucket=bucket, index=index, **ELSEWHERE)
    one = denied.bucket(bucket)[index]
    assert (one.denied, one.span) == (PLACE, tuple(ELSEWHERE.values()))
    assert marks(denied) == marks(STOOD)
    assert KIND.measure(FULL, denied).values == KIND.measure(FULL, STOOD).values
    assert after(FULL, denied, action="omit", bucket=bucket, index=index) == STOOD


def test_an_excerpt_that_denies_its_instruction_goes_with_its_words():
    found = after(FULL, STOOD, action="deny", bucket="tp", index=1, **select(SURVIVE))
    assert marks(found)["tp"] == [1]
    assert [one.denied for one in found.fn] == [SURVIVE, "", ""]
    found = after(FULL, STOOD, action="deny", bucket="fp", **ELSEWHERE)
    assert [one.denied for one in found.tn] == [PLACE, ""]
    found = after(FULL, STOOD, action="deny", bucket="tp", index=1, **ELSEWHERE)
    assert found.fn[0].denied == PLACE


CALMING = checklist(tp_instructions=[*EXPECTED[:3], CALM])
MISSED = labels(CALMING, fn=[4])


@pytest.mark.parametrize(
    ("trait", "before", "edit", "why"),
    [
        (FULL, STOOD, do("deny fn"), "needs its words"),
        (FULL, STOOD, do("omit fn"), "Nothing denies this"),
        (FULL, DENIED, do("deny fn", words=PLACE), "by these words already"),
        (FULL, labels(FULL, tp=[("BCL3", 1)]), do("deny tp"), "needs its"),
        (FULL, labels(FULL, tp=[(GENE, None)]), do("deny tp"), "no TP instr"),
        (
            FULL,
            labels(FULL, tp=[(GENE, 1), (SURVIVE, 1)]),
            do("deny tp"),
            "drop this one",
        ),
        (ONLY, labels(ONLY), do("deny tn", words=PLACE), "no TN"),
        # what shows in no words is no wrong words, and has none to change
        (OMITTING, taken_on(), do("relink fp"), "no words of the response"),
        (OMITTING, taken_on(), do("reword fp", text="x"), "met by omission"),
        (OMITTING, taken_on(), do("split fp", cut=5), "met by omission"),
        (
            OMITTING,
            labels(OMITTING, fp=[(GENE, None)]),
            do("reword fp", omission=True),
            "link it",
        ),
        (
            CALMING,
            after(CALMING, MISSED, **do("move fn tp")),
            do("move tp fp"),
            "no words of the",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do_instead(trait, before, edit, why):
    assert why in refusal(trait, before, **edit)


def test_what_becomes_found_is_denied_no_more():
    found = after(FULL, DENIED, action="move", bucket="fn", to="tp", **select(CANCER))
    assert not any(one.denied for one in (*found.tp, *found.fn))


BARE = labels(OMITTING, tp=[(GENE, 1)], fn=[2, 3], tn=[-1])
SHOWN = taken_on(**select(SURVIVE))
ON_OTHER = after(OMITTING, taken_on(), **do("relink fp", -1))


@pytest.mark.parametrize(
    ("before", "edit", "bucket", "held", "absent"),
    [
        # what asks for an omission is met by one where no words are given, moved or added
        (UNMET, do("move tn1 fp"), "fp", [(UNASKED, True)], [-1]),
        (UNMET, do("move fn2 tp"), "tp", [(GENE, False), (CALM, True)], [-1, -2]),
        (BARE, do("add fp", -2), "fp", [(UNASKED, True)], [-1]),
        (BARE, do("add tp", 4), "tp", [(GENE, False), (CALM, True)], [-1]),
        # any other instruction by none, and by none where there are words
        (UNMET, do("move tn fp"), "fp", [(FORBIDDEN[0], False)], [-2]),
        (UNMET, do("move tn1 fp", words=SURVIVE), "fp", [(SURVIVE, False)], [-1]),
        # it moves back and drops as any item does; on another instruction it has that one's words
        (taken_on(), do("move fp tn"), "fp", [], [-1, -2]),
        (taken_on(), do("drop fp"), "fp", [], [-1, -2]),
        (
            taken_on(),
            do("move fp tp", 4),
            "tp",
            [(GENE, False), (CALM, True)],
            [-1, -2],
        ),
        (taken_on(), do("relink fp", -1), "fp", [(FORBIDDEN[0], True)], [-2]),
        # an excerpt takes its place, and gives it up
        (taken_on(), do("reword fp", words=SURVIVE), "fp", [(SURVIVE, False)], [-1]),
        (SHOWN, do("reword fp", omission=True), "fp", [(UNASKED, True)], [-1]),
        (ON_OTHER, do("add fp", -1, PLACE), "fp", [(PLACE, False)], [-2]),
    ],
)
def test_an_omission_is_met_moved_and_replaced(before, edit, bucket, held, absent):
    found = after(OMITTING, before, **edit)
    assert [(one.text, one.omission) for one in found.bucket(bucket)] == held
    assert marks(found)["tn"] == absent


def test_what_earlier_versions_kept_stays_without_evidence():
    found = KIND.apply(OMITTING, TRACE, UNMET, Edit("move", "tn", 1, "fp")).labels
    assert not found.fp[0].omission
    assert all_rows(OMITTING, found)["fp"][0].note == "no evidence"


def test_turned_back_an_omission_is_one_again():
    story = Story(OMITTING)
    story.does(
        Receive(Proposed(located(OMITTING, TRACE, by_omission()), {"name": "gpt"})),
    )
    before = story.cell.labels
    story.corrects(action="move", bucket="fp", to="tn", index=0)
    line = entries(OMITTING, all_rows(OMITTING, story.cell.labels), "tn")[1]
    (edit,) = toggled(line, excerpts_before(story.cell, line))
    story.does(Correct(edit))
    assert marks(story.cell.labels) == marks(before)
    assert story.cell.labels.fp[0].omission
    for fact in reversed(story.cell.corrections):
        story.does(Undo(fact.n))
    assert story.cell.labels == before


def test_a_denial_is_undone_and_carried_as_any_correction_is():
    story = Story(FULL)
    story.does(
        Receive(Proposed(KIND.locate(FULL, TRACE, worked_example()), {"name": "gpt"})),
    )
    story.corrects(action="deny", bucket="fn", reason="says another", **ELSEWHERE)
    assert story.cell.figures.counts["denied"] == 1
    assert story.cell.judge_figures.counts["denied"] == 0
    stats = {one.instruction: one for one in answer_stats(answer_counts(story.cell))}
    assert stats[EXPECTED[3]].asides == {"denied": 1}
    assert (stats[EXPECTED[3]].cells, stats[EXPECTED[0]].asides) == (1, {})
    later = KIND.locate(FULL, TRACE, worked_example())
    story.does(Receive(Proposed(later, {"name": "other", "round": 2})))
    assert story.cell.labels.fn[0].denied == PLACE


# -- judges ---------------------------------------------------------------------------------------


def answer(number, verdict, *excerpts):
    return {
        "instruction": number,
        "rationale": "",
        "excerpts": excerpts,
        "verdict": verdict,
    }


def reply(*tp, tn=("absent", "absent")):
    tn_answers = [answer(number, verdict, GENE) for number, verdict in enumerate(tn, 1)]
    return json.dumps({"tp_answers": tp, "tn_answers": tn_answers})


def others(*answers):
    """The other instructions missing."""
    return [
        *answers,
        *(answer(number, "missing") for number in range(len(answers) + 1, 5)),
    ]


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
    with pytest.raises(
        NoAnswer,
        match='TP instruction 1 is "denied" without an excerpt',
    ):
        read(PLAIN, reply(*others(answer(1, "denied"))))


def test_the_words_of_a_denial_that_are_not_in_the_response_are_asked_for_once_more():
    invented = reply(*others(answer(1, "denied", "It sits on chromosome 1")))
    found = json.dumps({"excerpts": [{"number": 1, "text": PLACE}]})
    talk = Talk(PLAIN, invented, found, kind=KIND, trace=TRACE)
    assert "It sits on chromosome 1" in talk.prompts[1].user
    assert talk.table["items"][0]["denied"] == PLACE


ABSENT = {"rationale": "", "excerpts": [], "verdict": "missing"}


def said(unasked, *but, first=("absent",)):
    """A reply: TP 1 found, all else missing or absent, and so much of the TN instructions."""
    tp = {"1": ABSENT | {"excerpts": [GENE], "verdict": "found"}}
    tp |= {str(number): ABSENT for number in (2, 3, 4)}
    asked = {
        "rationale": WHY,
        "excerpts": [],
        "omission": True,
        "verdict": "present",
    } | unasked
    told = {key: value for key, value in asked.items() if key not in but}
    one = ABSENT | dict(zip(("verdict", "omission"), first, strict=False))
    return json.dumps({"tp_answers": tp, "tn_answers": {"1": one, "2": told}})


def test_only_what_asks_for_an_omission_may_be_answered_so():
    asked = schema(OMITTING)
    fields = {
        name: "omission" in answer["properties"]
        for name, answer in asked["$defs"].items()
    }
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
    user = opening(OMITTING, TRACE).user
    assert "leaves out: TP instruction 4; TN instruction 2." in user
    assert '"omission": true or false' in user
    assert "leaves out:" not in opening(matrix(), TRACE).user


@pytest.mark.parametrize(
    ("reply", "bucket", "held"),
    [
        (said({}), "fp", [(UNASKED, True, "")]),
        # a reply that has no word on it says so by having no excerpt
        (said({}, "omission"), "fp", [(UNASKED, True, "")]),
        (said({"excerpts": [SURVIVE]}, "omission"), "fp", [(SURVIVE, False, "")]),
        # an omission rules over excerpts given with it, and a verdict over an omission
        (said({"excerpts": [SURVIVE]}), "fp", [(UNASKED, True, "")]),
        (
            said({"verdict": "absent"}),
            "tn",
            [(FORBIDDEN[0], False, ""), (UNASKED, False, "")],
        ),
        (
            said({"verdict": "denied", "excerpts": [SURVIVE]}),
            "tn",
            [(FORBIDDEN[0], False, ""), (UNASKED, False, SURVIVE)],
        ),
    ],
)
def test_present_with_nothing_to_show_is_by_omission(reply, bucket, held):
    found = read(OMITTING, reply).bucket(bucket)
    assert [(item.text, item.omission, item.denied) for item in found] == held
    assert found[-1].rationale == WHY


def test_what_is_present_and_no_omission_needs_its_excerpt():
    with pytest.raises(
        NoAnswer,
        match='TN instruction 2 is "present" without an excerpt, and',
    ):
        read(OMITTING, said({"omission": False}))
    with pytest.raises(
        NoAnswer,
        match='TN instruction 1 is "present" without an excerpt',
    ):
        read(OMITTING, said({}, first=("present", True)))


def test_nothing_is_looked_for_in_the_response():
    talk = Talk(OMITTING, said({}), kind=KIND, trace=TRACE)
    assert talk.table["items"][-2]["omission"] is True


@pytest.mark.parametrize("as_list", [False, True])
def test_an_example_shows_what_is_met_by_omission(as_list):
    found = labelled(by_omission(), OMITTING)
    shown = as_reply(OMITTING, found, as_list=as_list)
    assert shown.count('"omission": true') == 1
    again = read(OMITTING, shown)
    assert [(item.text, item.omission) for item in again.fp] == [(UNASKED, True)]
    user = opening(OMITTING, TRACE, example_of(found)).user
    assert '"omission": true' in user
    assert (
        '"The response does not leave it out.", "excerpts": [], "omission": false'
        in user
    )


def test_the_offline_judge_sees_no_omission_and_takes_no_words_for_one():
    trait = OMITTING.model_copy(
        update={"tn_instructions": ["Fails to say where the gene is located"]},
    )
    found = labelled(KIND.asked.lexical(trait, TRACE), trait)
    (item,) = found.tn
    assert "omissions" in item.rationale
    assert not any(one.omission for one in (*found.tp, *found.fp))


# -- of a panel ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("omitted", "most"),
    [((True, True, False), True), ((True, False, False), False), ((True, False), True)],
)
def test_most_members_of_a_panel_say_whether_it_is_by_omission(omitted, most):
    shown = by_omission(
        {"bucket": "fp", "index": 0, "of": "tn", "instruction": 2},
        fp=GENE,
    )
    tables = [
        located(OMITTING, TRACE, by_omission() if one else shown) for one in omitted
    ]
    held = labelled(KIND.majority(OMITTING, TRACE, tables), OMITTING)
    assert held.fp[0].omission is most


# -- numbers ---------------------------------------------------------------------------------------


def test_asides_are_counted_by_instruction_and_heeded_by_no_measure():
    found = after(FULL, DENIED, action="deny", bucket="tn", **select(GENE))
    found = after(
        FULL,
        found,
        action="reword",
        bucket="tp",
        wrong_evidence=True,
        **select(CANCER),
    )
    figures = KIND.measure(FULL, found)
    assert (figures.counts["denied"], figures.counts["wrong_evidence"]) == (2, 1)
    assert figures.values == KIND.measure(FULL, STOOD).values
    aside = {
        ("tp", 1): ["wrong_evidence"],
        ("tp", 3): ["denied"],
        ("tn", 2): ["denied"],
    }
    assert told(found, FULL) == aside
    figures = KIND.measure(OMITTING, taken_on())
    assert figures.counts["omission"] == 1
    assert figures.values == KIND.measure(OMITTING, taken_on(**select(SURVIVE))).values
    assert told(taken_on(), OMITTING) == {("tn", 2): ["omission"]}


def test_a_judges_asides_are_counted_from_its_table():
    denied, omitted = missing(denial(PLACE)), by_omission()
    for trait, given, name in (
        (FULL, denied, "denied"),
        (OMITTING, omitted, "omission"),
    ):
        found = located(trait, TRACE, given)
        assert Subject(KIND, trait, TRACE).measure_table(found).counts[name] == 1


def test_an_item_that_answers_nothing_is_denied_in_no_count():
    found = labels(FULL).put("fn", [Item("elsewhere", denied=PLACE)])
    assert KIND.measure(FULL, found).counts["denied"] == 0


def test_going_by_instruction_an_omission_rests_on_nothing_that_could_be_missing():
    (asked,) = (one for one in KIND.answers(OMITTING, UNMET) if one[:2] == ("tn", 2))
    rests = KIND.answering.grounds(OMITTING, labelled(by_omission(), OMITTING), asked)
    assert (rests.word, rests.spans, rests.loose, rests.omission) == (
        "present",
        (),
        (),
        True,
    )
    assert rests.reason == WHY
    (edit,) = KIND.answering.edits(OMITTING, UNMET, asked, "fp")
    assert edit.omission
    assert not KIND.answering.takes_words([edit])
