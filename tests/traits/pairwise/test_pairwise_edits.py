"""A person's excerpts of two responses: each is of one answer, looked up there alone, and for one verdict."""

import pytest
from pairwise_cells import BETTER, NO_TIE, STRAIGHT, judged_with_evidence, located

from appellate.core.deciding import Adopt, Correct, Receive, Undo
from appellate.core.facts import Proposed
from appellate.core.kind import Subject
from appellate.core.problem import Refused
from appellate.traits.pairwise import KIND
from appellate.traits.pairwise.edits import ExcerptEdit
from appellate.traits.verdict.kind import Edit
from cells import story_of

PAIR = BETTER.as_read(STRAIGHT)
TURNED_SEED = next(
    seed
    for seed in range(1, 99)
    if BETTER.model_copy(update={"seed": seed}).as_read(STRAIGHT).is_swapped
)
TURNED = BETTER.model_copy(update={"seed": TURNED_SEED})


def judged(trait=BETTER, **more):
    """A cell whose judge prefers the response, and quotes both answers and words of neither."""
    _, _, happened = judged_with_evidence()
    proposed = happened[0][0]
    table = located(STRAIGHT, {**proposed.table, **more}, trait)
    return story_of(
        Receive(Proposed(table, {"name": "gpt"})),
        of=Subject(KIND, trait, STRAIGHT),
    )


def span_of(words, answer, pair=PAIR):
    """Where words are in the text of the pair, in one of its answers."""
    side = pair.side_of(answer)
    start = side.start + side.text.index(words)
    return {"start": start, "end": start + len(words)}


def added(words, answer, pair=PAIR):
    return Correct(ExcerptEdit("add", **span_of(words, answer, pair)))


def supporting(story):
    return [(each.answer, each.text) for each in story.cell.labels.supporting]


JUDGES = [
    ("response", "ask a doctor"),
    ("other", "never take it"),
    ("other", "see a vet"),
]


@pytest.mark.parametrize("answer", ["response", "other"])
def test_words_that_both_answers_have_are_an_excerpt_of_the_one_they_were_selected_in(
    answer,
):
    story = judged()
    story.does(added("with food", answer))
    assert supporting(story) == [*JUDGES, (answer, "with food")]
    excerpt = story.cell.labels.supporting[-1]
    assert PAIR.text[slice(*excerpt.span)] == "with food"
    assert PAIR.place_in_answer(*excerpt.span)["answer"] == answer


def test_words_of_a_file_with_dots_between_them_are_two_excerpts():
    story = judged()
    story.does(Correct(ExcerptEdit("add", answer="other", text="take it … warfarin")))
    *_, first, second = story.cell.labels.supporting
    assert (first.answer, first.text) == ("other", "take it")
    assert (second.answer, second.text) == ("other", "warfarin")
    assert first.span
    assert second.span


def test_an_excerpt_is_dropped_replaced_and_reworded_and_the_judges_table_stays():
    story = judged()
    story.does(Correct(ExcerptEdit("drop", index=2, seen="see a vet")))
    place = span_of("with warfarin", "other")
    story.does(Correct(ExcerptEdit("replace", index=0, **place)))
    story.does(Correct(ExcerptEdit("reword", index=1, text="TAKE IT … at all")))
    assert supporting(story) == [
        ("other", "with warfarin"),
        ("other", "take it"),
        ("other", "at all"),
    ]
    kept = [(each.answer, each.text) for each in story.cell.judge_labels.evidence]
    assert kept == JUDGES
    assert list(story.cell.checks) == []


def test_new_words_that_only_the_other_answer_has_are_unverified():
    story = judged()
    story.does(Correct(ExcerptEdit("reword", index=0, text="never take it")))
    assert story.cell.labels.supporting[0].span is None
    assert [check.sentence for check in story.cell.checks] == [
        "“never take it” is not in answer A.",
        "“see a vet” is not in answer B.",
    ]


def test_an_excerpt_that_is_undone_is_as_it_was():
    story = judged()
    before = story.cell.labels
    act = story.does(Correct(ExcerptEdit("drop", index=0)))
    story.does(Undo(act.n))
    assert story.cell.labels == before


def test_a_persons_excerpts_speak_for_their_verdict_alone_and_the_judges_come_back_with_its_own():
    story = judged()
    story.does(Correct(ExcerptEdit("drop", index=2)))
    story.does(Correct(Edit("overrule", 1)))
    assert supporting(story) == []
    story.does(added("never take it", "other"))
    assert supporting(story) == [("other", "never take it")]
    written = KIND.write(story.cell.labels)
    assert written["audited"]["evidence"] == ["never take it"]
    assert written["items"][0]["answer"] == "other"
    before = story.cell.labels
    story.does(Correct(Edit("overrule", 2)))
    assert supporting(story) == []
    (said,) = KIND.remarks(BETTER, before, story.cell.labels)
    assert "not kept for this one" in said
    story.does(Correct(Edit("overrule", 0)))
    assert supporting(story) == JUDGES[:2]


def test_a_person_without_a_judge_gives_a_verdict_and_then_its_words():
    story = story_of(Correct(Edit("overrule", 1)), of=Subject(KIND, BETTER, STRAIGHT))
    story.does(added("at all", "other"))
    assert supporting(story) == [("other", "at all")]


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (ExcerptEdit("add", start=0, end=4), "within one answer"),
        (
            ExcerptEdit("add", start=20, end=PAIR.sides[1].start + 5),
            "within one answer",
        ),
        (ExcerptEdit("add"), "Select the words"),
        (ExcerptEdit("drop", index=3), "There is no excerpt 4"),
        (ExcerptEdit("drop", index=0, seen="other words"), "changed in the meantime"),
        (ExcerptEdit("reword", index=0, text=" "), "needs words"),
        (ExcerptEdit("reword", index=0, text="Ask a doctor"), "worded so already"),
        (
            ExcerptEdit("reword", index=2, text="never take it"),
            "evidence already",
        ),
        (ExcerptEdit("add", **span_of("ask a doctor", "response")), "evidence already"),
    ],
)
def test_what_no_excerpt_can_be_is_refused_with_a_reason(edit, why):
    with pytest.raises(Refused, match=why):
        judged().does(Correct(edit))


def test_without_a_verdict_there_is_nothing_that_words_could_speak_for():
    story = story_of(of=Subject(KIND, NO_TIE, STRAIGHT))
    with pytest.raises(Refused, match="no verdict yet"):
        story.does(added("at all", "other"))


def test_kept_words_are_found_in_their_answer_when_the_answers_have_changed_places():
    story = judged()
    act = story.does(added("with food", "other"))
    edit = KIND.edit(act.what.edit)
    turned = judged(TURNED)
    pair = TURNED.as_read(STRAIGHT)
    turned.does(Correct(edit))
    excerpt = turned.cell.labels.supporting[-1]
    assert (excerpt.answer, excerpt.text) == ("other", "with food")
    assert pair.text[slice(*excerpt.span)] == "with food"
    assert excerpt.span != edit.span


def test_corrections_are_carried_to_a_new_round_as_far_as_they_fit_it():
    story = judged()
    story.does(Correct(ExcerptEdit("drop", index=2)))
    story.does(Correct(ExcerptEdit("reword", index=0, text="a doctor")))
    story.does(added("with food", "other"))
    context = [step.anchor for step in story.cell.steps]
    edits = [step.edit for step in story.cell.steps]
    again = KIND.labels(
        BETTER,
        PAIR,
        located(
            STRAIGHT,
            {
                "class": "response",
                "evidence": ["never take it", "ask a doctor", "with food"],
                "items": [
                    {"index": 0, "answer": "other"},
                    {"index": 1, "answer": "response"},
                    {"index": 2, "answer": "other"},
                ],
            },
        ),
    )
    carried = [
        KIND.carried(BETTER, again, edit, about)
        for edit, about in zip(edits, context, strict=True)
    ]
    assert carried[0] is None  # nobody quotes the vet any more
    assert carried[1].index == 1
    assert carried[2] is None
    tie = KIND.labels(BETTER, PAIR, {"class": "tie"})
    with pytest.raises(Refused, match="another one now"):
        KIND.carried(BETTER, tie, edits[2], context[2])


def test_a_files_labels_of_a_person_are_led_to_with_their_excerpts():
    target = {
        "class": "other",
        "evidence": ["never take it", "nowhere"],
        "items": [{"index": 0, "answer": "other"}, {"index": 1, "answer": "other"}],
    }
    story = judged()
    for edit in KIND.toward(BETTER, PAIR, story.cell.labels, target):
        story.does(Correct(edit))
    assert story.cell.labels.value == 1
    assert supporting(story) == [("other", "never take it"), ("other", "nowhere")]
    assert story.cell.labels.supporting[1].span is None


def test_an_adopted_proposal_brings_its_own_excerpts():
    story = judged()
    story.does(Correct(ExcerptEdit("drop", index=0)))
    story.does(Adopt(1))
    assert supporting(story) == JUDGES


def test_an_edit_is_told_with_its_words():
    edit = ExcerptEdit("add", **span_of("at all", "other"))
    assert KIND.describe(edit, "", "at all") == "added evidence: “at all”"
    assert KIND.brief(edit) == "add evidence"
    assert KIND.brief(Edit("restore")) == "taken back"
