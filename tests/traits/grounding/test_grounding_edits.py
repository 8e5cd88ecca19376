"""Corrections of a grounding cell: what they do, what is refused, and what becomes of them elsewhere."""

import pytest

from appellate.core.deciding import Correct
from appellate.core.problem import Refused
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import resume
from appellate.traits.grounding import KIND
from appellate.traits.grounding.labels import Edit
from appellate.traits.rubric import Rubric
from cells import bench, place
from traits.grounding.grounding_traits import TRACE, TRAIT, support, table


def judged(**more):
    return KIND.labels(TRAIT, TRACE, table(**more))


def after(labels, **edit):
    """The outcome of an edit as it is kept."""
    kept = KIND.permit(TRAIT, TRACE, labels, Edit(**edit))
    outcome = KIND.apply(TRAIT, TRACE, labels, kept)
    return outcome, KIND.describe(kept, outcome.before, outcome.after)


def mark(action, key, on=True):
    return {"action": action, "key": key, "on": on}


def rule(sentence, support):
    return {"action": "support", "sentence": sentence, "support": support}


def link(key, sentence, on=True):
    return {"action": "link", "key": key, "sentence": sentence, "on": on}


A = "a (“Take it with food.”)"
C = "c (“Everybody likes it.”)"


@pytest.mark.parametrize(
    ("edit", "told", "brief"),
    [
        (
            mark("relevant", "0c"),
            "marked 0c (“It is made in Basel.”) relevant",
            "relevant",
        ),
        (
            mark("utilized", "0a", on=False),
            "marked 0a (“Take it with food.”) not utilized",
            "not utilized",
        ),
        (
            rule("a", "partial"),
            f"ruled {A} partly supported by 0a (was fully supported by 0a)",
            "support",
        ),
        (
            rule("a", "none"),
            f"ruled {A} not supported (was fully supported by 0a)",
            "support",
        ),
        (
            link("0c", "c"),
            f"linked {C} to 0c (“It is made in Basel.”): fully supported by 0c",
            "link",
        ),
        (
            link("general", "c"),
            f"linked {C} to general: fully supported by general",
            "link",
        ),
        (
            link("0a", "a", on=False),
            f"unlinked {A} from 0a (“Take it with food.”): fully supported",
            "unlink",
        ),
    ],
)
def test_an_edit_is_told_with_the_words_it_is_about(edit, told, brief):
    assert after(judged(), **edit)[1] == told
    assert KIND.brief(Edit(**edit)) == brief


def test_a_link_marks_what_it_rests_on_as_utilized_and_supports_what_had_no_support():
    labels = after(judged(), action="link", key="0c", sentence="c", on=True)[0].labels
    assert labels.utilized == ("0a", "0c", "1b")
    assert labels.relevant == ("0a", "0b", "1a", "1b")
    assert labels.of("c").verdict == "full"
    partly = after(judged(), action="support", sentence="a", support="partial")[
        0
    ].labels
    linked = after(partly, action="link", key="0b", sentence="a", on=True)[0].labels
    assert linked.of("a").verdict == "partial"
    assert linked.of("a").keys == ("0a", "0b")


def test_a_verdict_takes_the_explanation_for_another_one_away_and_that_of_the_whole():
    labels = judged()
    assert labels.of("a").explanation == "Word for word."
    ruled = after(labels, action="support", sentence="a", support="none")[0].labels
    assert ruled.of("a").explanation == ""
    assert ruled.overall is None
    assert KIND.write(ruled)["audited"]["overall_supported"] is False
    relinked = after(labels, action="link", key="0b", sentence="a", on=True)[0].labels
    assert relinked.of("a").explanation == "Word for word."


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (mark("relevant", "0a"), "0a is relevant already."),
        (mark("utilized", "0b", on=False), "0b is not utilized already."),
        (mark("relevant", "9z"), "There is no sentence 9z."),
        (mark("relevant", "a"), "a is a sentence of the response"),
        (rule("0a", "full"), "0a is no sentence of the resp"),
        (rule("c", "none"), "c is not supported already."),
        (link("0a", "a"), "0a supports a already."),
        (link("0b", "a", on=False), "0b does not support a"),
        (link("b", "a"), "There is no document sent"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(edit, why):
    with pytest.raises(Refused) as refused:
        after(judged(), **edit)
    assert str(refused.value).startswith(why)


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"action": "drop"},
        {"action": "relevant", "key": "0a"},
        {"action": "relevant", "key": 1, "on": True},
        {"action": "support", "sentence": "a", "support": "perhaps"},
        {"action": "link", "key": "0a", "on": True},
        {"action": "relevant", "key": "0a", "on": True, "documents_sentences": 1},
    ],
)
def test_a_row_that_is_no_edit_is_refused(row):
    with pytest.raises(ValueError, match=r"."):
        KIND.edit(row)


# -- by hand ----------------------------------------------------------------------------------------


def test_a_cell_filled_by_hand_keeps_its_sentences_with_the_first_edit(tmp_path):
    with bench(tmp_path, TRACE, of=Rubric(grounding_traits=[TRAIT])) as at:
        at.do(1, Correct(Edit("relevant", key="0a", on=True)))
        at.do(1, Correct(Edit("link", key="0a", sentence="a", on=True)))
        at.do(1, Correct(Edit("link", key="general", sentence="c", on=True)))
        _, cell = at.open(1)
        first, second, _ = (fact.what.edit for fact in cell.corrections)
        assert first["documents_sentences"][0] == [
            ["0a", 0, 18],
            ["0b", 19, 48],
            ["0c", 49, 69],
        ]
        assert first.keys() == {"action", "key", "on", "seen", *OTHER_CUT}
        assert "documents_sentences" not in second
        assert cell.state == "corrected"
        assert cell.judge_figures is None
        assert [one.verdict for one in cell.labels.support] == [
            "full",
            "unlabelled",
            "full",
        ]
        assert cell.labels.overall is None
        at.save()
        text = at.audit.read_text("utf-8")
        assert '        ["0b", 19, 48],\n' in text
        kept = cell.labels
    assert load_audit(at.audit).text() == text
    place(tmp_path).workspace.unlink()
    with resume(place(tmp_path)).workspace as workspace:
        assert workspace.cell(1)[1].labels == kept


# -- other labels -----------------------------------------------------------------------------------

OTHER_CUT = {
    "documents_sentences": [
        [["0a", "Do not take it with warfarin."], ["0b", "It is made in Basel."]],
        [["1a", "Store it below 25 °C."]],
    ],
    "response_sentences": [
        ["a", "Store it below 25 °C."],
        ["b", "Everybody likes it."],
    ],
}


def carried(edit, other):
    """The edit for other labels, as it was made on the judged ones."""
    labels = judged()
    kept = KIND.permit(TRAIT, TRACE, labels, Edit(**edit))
    return KIND.carried(TRAIT, other, kept, KIND.anchor(TRAIT, labels, kept))


def empty(**more):
    lists = {"all_relevant_sentence_keys": [], "all_utilized_sentence_keys": []}
    said = [support("a", full=False), support("b", full=False)]
    return judged(**lists, sentence_support_information=said, **more)


def test_a_correction_finds_its_sentence_by_its_words_where_another_judge_was_given_others():
    other = empty(**OTHER_CUT)
    marked = carried(mark("relevant", "0c"), other)
    assert (marked.key, marked.on) == ("0b", True)
    linked = carried(link("0c", "c"), other)
    assert (linked.key, linked.sentence) == ("0b", "b")
    ruled = carried(rule("b", "partial"), other)
    assert ruled.sentence == "a"
    with pytest.raises(Refused, match="not among these"):
        carried(mark("utilized", "0a", on=False), other)


def test_a_correction_without_its_words_is_refused_where_its_sentence_is_not():
    noted_without_words = Edit(action="support", sentence="z", support="none")
    with pytest.raises(Refused, match="There is no sentence z"):
        KIND.carried(TRAIT, judged(), noted_without_words, None)


def test_a_correction_that_labels_say_already_is_none():
    said = judged(all_relevant_sentence_keys=["0c"])
    assert carried(mark("relevant", "0c"), said) is None
    none = empty()
    assert carried(rule("a", "none"), none) is None
    assert carried(mark("utilized", "0a", on=False), none) is None
    assert carried(link("0a", "a", on=False), none) is None
