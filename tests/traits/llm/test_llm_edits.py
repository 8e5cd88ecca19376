"""Every correction of an LLM cell: what it does, when it is refused, how it is told, where it carries over."""

from contextlib import suppress
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_traits import CLEAR, EVERY, RESPONSE, TONE, TRACE, WARNS, excerpt, offsets
from msgspec.structs import replace

from appellate.core.problem import Refused
from appellate.traits.llm import KIND
from appellate.traits.llm.edits import Action, Edit
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.llm.spec import LLMRubricTrait

FOOD, DOCTOR = excerpt("with food"), excerpt("Ask a doctor")
JUDGED = Labels(True, "", (FOOD,), "It warns.")


def after(trait, labels, **edit):
    return KIND.apply(
        trait,
        TRACE,
        labels,
        KIND.permit(trait, TRACE, labels, Edit(**edit)),
    )


def refused(trait, labels, **edit):
    with pytest.raises(Refused) as refusal:
        after(trait, labels, **edit)
    return str(refusal.value)


# -- the verdict ------------------------------------------------------------------------------------


def test_a_new_verdict_takes_the_reason_away_and_keeps_the_excerpts():
    assert after(WARNS, JUDGED, action="set", value=False) == (
        Labels(False, "", (FOOD,)),
        "yes",
        "no",
    )


def test_a_verdict_on_words_of_its_own_has_these_alone():
    labels, *_ = after(WARNS, JUDGED, action="set", value=False, **offsets(DOCTOR))
    assert labels == Labels(False, "", (DOCTOR,))


def test_a_cell_that_nobody_judged_is_given_a_verdict():
    assert after(CLEAR, Labels(), action="set", value=4) == (Labels(4), "", "4")


def test_a_class_is_kept_by_its_name_too():
    edit = KIND.permit(TONE, TRACE, Labels(), Edit("set", value=2))
    assert edit.to_row() == {"action": "set", "value": 2, "class": "rude"}
    assert KIND.apply(TONE, TRACE, Labels(1, "plain"), edit) == (
        Labels(2, "rude"),
        "plain",
        "rude",
    )


WANTED = "The verdict of this trait is"


@pytest.mark.parametrize(
    ("trait", "labels", "edit", "why"),
    [
        (
            WARNS,
            JUDGED,
            {"value": True},
            "The verdict is yes already; + adds words that speak for",
        ),
        (WARNS, JUDGED, {"value": 1}, f"{WANTED} true or false."),
        (CLEAR, Labels(3), {"value": 6}, f"{WANTED} a whole number from 1 to 5."),
        (CLEAR, Labels(3), {}, f"{WANTED} a whole number from 1 to 5."),
        (
            TONE,
            Labels(1, "plain"),
            {"value": 3},
            f"{WANTED} the index of a class, 0 to 2.",
        ),
        (
            WARNS,
            JUDGED,
            {"value": False, "start": 3, "end": 999},
            "The selected evidence does not",
        ),
        (
            WARNS,
            JUDGED,
            {"value": False, "start": 4, "end": 5},
            "Only white space is selected.",
        ),
    ],
)
def test_a_verdict_that_cannot_be_is_refused_with_what_to_do_instead(
    trait,
    labels,
    edit,
    why,
):
    assert refused(trait, labels, action="set", **edit).startswith(why)


# -- evidence ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "evidence", "before", "now"),
    [
        ({"action": "add", **offsets(DOCTOR)}, (FOOD, DOCTOR), "", "Ask a doctor"),
        ({"action": "drop", "seen": "with food"}, (), "with food", ""),
        (
            {"action": "replace", **offsets(DOCTOR)},
            (DOCTOR,),
            "with food",
            "Ask a doctor",
        ),
        (
            {"action": "reword", "text": " ask a  doctor "},
            (DOCTOR,),
            "with food",
            "Ask a doctor",
        ),
    ],
)
def test_evidence_is_added_dropped_replaced_and_reworded(edit, evidence, before, now):
    assert after(WARNS, JUDGED, **edit) == (
        replace(JUDGED, evidence=evidence),
        before,
        now,
    )


def test_words_with_an_ellipsis_become_two_excerpts_and_words_that_are_nowhere_stay_as_they_are():
    labels, _, told = after(WARNS, JUDGED, action="reword", text="Ask … before")
    assert [one.text for one in labels.evidence] == ["Ask", "before"]
    assert told == "Ask | before"
    assert after(WARNS, JUDGED, action="reword", text="see a vet").labels.evidence == (
        Excerpt("see a vet"),
    )


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ({"action": "add"}, "Select the words in the response first (v)."),
        ({"action": "add", **offsets(FOOD)}, "These words are evidence already."),
        ({"action": "add", "start": 4, "end": 5}, "Only white space is selected."),
        ({"action": "replace", **offsets(FOOD)}, "These words are evidence already."),
        ({"action": "replace"}, "Select the words in the response first (v)."),
        ({"action": "drop", "index": 1}, "There is no excerpt 2."),
        (
            {"action": "drop", "seen": "with drink"},
            "That excerpt has changed in the meantime: look at it again.",
        ),
        (
            {"action": "reword", "text": " "},
            "An excerpt needs words; drop it (d) to be rid of it.",
        ),
        ({"action": "reword", "text": "WITH food"}, "It is worded so already."),
    ],
)
def test_an_edit_of_evidence_that_cannot_be_is_refused(edit, why):
    assert refused(WARNS, JUDGED, **edit) == why


def test_words_cannot_be_evidence_twice_by_rewording():
    both = replace(JUDGED, evidence=(FOOD, DOCTOR))
    why = refused(WARNS, both, action="reword", text="Ask a doctor")
    assert why == "These words are evidence already."


@pytest.mark.parametrize(
    ("trait", "keys"),
    [
        (WARNS, "1 (yes) or 2 (no)"),
        (CLEAR, "1 to 5"),
        (TONE, "1 to 3"),
        (LLMRubricTrait(name="t", kind="score", max_score=100), "i"),
    ],
)
def test_evidence_waits_for_a_verdict(trait, keys):
    why = refused(trait, Labels(), action="add", **offsets(FOOD))
    assert why.endswith(
        f"verdict yet that words could speak for: give one first, with {keys}.",
    )


# -- telling and keeping ----------------------------------------------------------------------------


CHANGED, WORDS = "changed the verdict", "on words of the response"


@pytest.mark.parametrize(
    ("edit", "before", "after", "told", "sort"),
    [
        (Edit("set", value=False), "yes", "no", f"{CHANGED}: yes → no", "verdict"),
        (Edit("set", value=4), "", "4", "gave the verdict: 4", "verdict"),
        (
            Edit("set", 4, start=1, end=2),
            "3",
            "4",
            f"{CHANGED}: 3 → 4, {WORDS}",
            "verdict",
        ),
        (Edit("add"), "", "x", "added evidence: “x”", "add evidence"),
        (Edit("drop"), "x", "", "dropped evidence: “x”", "drop evidence"),
        (Edit("replace"), "x", "y", "replaced evidence: “x” → “y”", "replace evidence"),
        (Edit("reword"), "x", "y", "reworded evidence: “x” → “y”", "reword evidence"),
    ],
)
def test_an_edit_is_told_in_the_past_tense(edit, before, after, told, sort):
    assert KIND.describe(edit, before, after) == told
    assert KIND.brief(edit) == sort


@pytest.mark.parametrize(
    "row",
    [
        {"action": "move"},
        {"action": "set", "value": "yes"},
        {"action": "drop", "index": 1.0},
    ],
)
def test_what_is_no_edit_cannot_be_read(row):
    with pytest.raises(ValueError, match=r"move|yes|1\.0"):
        Edit.from_row(row)


def test_an_edit_without_an_action_cannot_be_read():
    with pytest.raises(ValueError, match="None is not an edit of an LLM trait"):
        Edit.from_row({"value": True})


edits = st.builds(
    Edit,
    st.sampled_from(get_args(Action)),
    st.one_of(st.none(), st.booleans(), st.integers(-1, 7)),
    st.one_of(st.none(), st.sampled_from(["rude", "x"])),
    st.integers(-1, 2),
    st.one_of(st.none(), st.integers(-1, 90)),
    st.one_of(st.none(), st.integers(-1, 90)),
    st.one_of(st.none(), st.sampled_from(["with food", "Take … care", "nowhere", ""])),
    st.one_of(st.none(), st.sampled_from(["with food", "x"])),
)


@given(edits)
def test_an_edit_reads_as_it_was_written(edit):
    again = Edit.from_row({**edit.to_row(), "before": "", "reason": "a person's"})
    assert again == edit


@given(st.sampled_from(EVERY), st.lists(edits, max_size=4))
def test_edits_give_labels_whose_excerpts_are_slices_of_the_response_or_they_are_refused(
    trait,
    several,
):
    labels = Labels()
    for edit in several:
        with suppress(Refused):
            labels = KIND.apply(
                trait,
                TRACE,
                labels,
                KIND.permit(trait, TRACE, labels, edit),
            ).labels
    assert labels.value is None or trait.is_value(labels.value)
    for one in labels.evidence:
        assert one.span is None or RESPONSE[slice(*one.span)] == one.text


# -- a later round, a changed trait -----------------------------------------------------------------


def carry(trait, labels, edit, *, of=JUDGED, under=None):
    return KIND.carried(trait, labels, edit, KIND.anchor(under or trait, of, edit))


def test_a_verdict_carries_over_and_is_done_where_the_labels_say_so():
    edit = Edit("set", value=False)
    assert carry(WARNS, Labels(True), edit) == edit
    assert carry(WARNS, Labels(False), edit) is None


def test_a_class_carries_over_by_its_name():
    turned = TONE.model_copy(update={"classes": {"rude": "Insults", "kind": "Thanks"}})
    edit = KIND.permit(TONE, TRACE, Labels(), Edit("set", value=2))
    assert carry(turned, Labels(1, "kind"), edit, of=Labels(), under=TONE).value == 0
    gone = KIND.permit(TONE, TRACE, Labels(), Edit("set", value=1))
    with pytest.raises(Refused, match="no class plain any more"):
        carry(turned, Labels(), gone, of=Labels(), under=TONE)


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (CLEAR.model_copy(update={"max_score": 10}), "scale"),
        (CLEAR.model_copy(update={"kind": "boolean"}), "another sort"),
        (CLEAR.model_copy(update={"description": "How long is it?"}), "question"),
    ],
)
def test_a_score_carries_over_to_the_same_question_on_the_same_scale_alone(now, why):
    with pytest.raises(Refused, match=why):
        carry(now, Labels(), Edit("set", value=4), of=Labels(3), under=CLEAR)


DROP, REWORD = Edit("drop", seen="with food"), Edit("reword", text="food")
ADD, TAKE = Edit("add", **offsets(FOOD)), Edit("replace", **offsets(DOCTOR))
BOTH, OTHER, LOST = (
    Labels(True, "", held) for held in ((DOCTOR, FOOD), (DOCTOR,), (Excerpt("x"),))
)


@pytest.mark.parametrize(
    ("edit", "before", "now", "then"),
    [
        (DROP, JUDGED, BOTH, replace(DROP, index=1)),
        (REWORD, JUDGED, BOTH, replace(REWORD, index=1)),
        (Edit("drop"), LOST, LOST, Edit("drop")),
        (Edit("drop"), JUDGED, OTHER, None),
        (TAKE, JUDGED, OTHER, None),
        (Edit("add", **offsets(DOCTOR)), JUDGED, OTHER, None),
        (ADD, JUDGED, OTHER, ADD),
    ],
)
def test_an_edit_finds_its_excerpt_among_other_labels_or_is_done(
    edit,
    before,
    now,
    then,
):
    assert carry(WARNS, now, edit, of=before) == then


def test_a_rewording_whose_excerpt_is_gone_has_no_place():
    with pytest.raises(Refused):
        carry(WARNS, OTHER, REWORD)
