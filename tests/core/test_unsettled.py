"""What was signed off holds while the text, the question and the reference read as they did then."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.cell import Cell, fold
from appellate.core.deciding import (
    Draw,
    Receive,
    Rule,
    SignOff,
    Undo,
    sealing,
)
from appellate.core.describe import describe_loss, describe_moved, describe_unsettled
from appellate.core.facts import Proposed
from appellate.core.kind import Subject
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.digest import digest
from appellate.traits.metric import KIND
from cells import (
    GENE,
    MOVED,
    RESPONSE,
    SIGN,
    Story,
    commands,
    judged,
    link,
    lived,
    marks,
    matrix,
    proposal,
    select,
)

ASKED = Trace(id="t1", question="Where is BCL2?", reference="18q21", response=RESPONSE)
ADDED = {"action": "add", "bucket": "tp", **link(1), **select(GENE)}
texts = st.text(max_size=8)
QUESTIONS = st.none() | texts
REFERENCES = QUESTIONS | st.lists(texts, max_size=2)


def subject(of: Trace = ASKED, **trait) -> Subject:
    return Subject(KIND, matrix(**trait), of)


def signed(of: Subject | None = None, *before) -> Story:
    """The worked example, signed off as the bench does it."""
    story = Story(of=of or subject())
    story.does(Receive(proposal()))
    for command in before:
        story.does(command)
    story.does(sealing(story.cell, 3.0))
    return story


def ruled() -> Story:
    """A cell that was ruled blind, beside the worked example."""
    story = Story(of=subject())
    story.does(Receive(proposal()))
    story.does(Draw(True))
    story.corrects(**ADDED)
    story.rules(sealing(story.cell, 3.0))
    return story


def over(story: Story, **changed) -> Story:
    """The same facts where the trace was changed since."""
    before = story.cell.subject
    other = Subject(before.kind, before.trait, before.asked.model_copy(update=changed))
    after = Story(of=other)
    after.cell = fold(other, story.cell.facts)
    return after


def said_otherwise(story: Story, at: int = 0, **record) -> Story:
    """The same facts where a judge's record is another, in one of its proposals."""
    facts = list(story.cell.facts)
    proposals = [
        index for index, fact in enumerate(facts) if isinstance(fact.what, Proposed)
    ]
    index = proposals[at]
    what = facts[index].what
    facts[index] = replace(
        facts[index],
        what=replace(what, judge={**what.judge, **record}),
    )
    after = Story(of=story.cell.subject)
    after.cell = fold(story.cell.subject, facts)
    return after


@pytest.mark.parametrize(
    "record",
    [{"name": "better"}, {"model": "gpt-10"}, {"prompt_sha256": ""}],
)
@pytest.mark.parametrize(
    ("story", "done"),
    [(signed, "signed it off"), (ruled, "ruled on it")],
)
def test_another_name_model_or_prompt_of_the_judge_unsettles_who_had_seen_it(
    story,
    done,
    record,
):
    after = said_otherwise(story(), **record).cell
    assert (after.signed, after.state) == (None, "corrected")
    told = f"what the judge had said was changed after ada {done}"
    assert describe_unsettled(after) == told
    assert [fact.n for fact in after.facts] == [fact.n for fact in story().cell.facts]


def test_what_a_judge_said_after_the_sign_off_may_change():
    story = signed()
    story.does(Receive(proposal(round=2)))
    assert said_otherwise(story, 1, name="better").cell.state == "reviewed"
    assert said_otherwise(story, 0, name="better").cell.state == "corrected"


def test_a_cell_that_was_filled_in_without_a_judge_keeps_no_fingerprint_of_one():
    story = Story(of=subject())
    assert "judged" not in sealing(story.cell, None).read
    story.does(Receive(proposal()))
    assert len(sealing(story.cell, None).read["judged"]) == 12


def test_the_fingerprint_is_of_the_canonical_json_of_what_is_read():
    sha256 = matrix().sha256()
    material = {"question": "Where is BCL2?", "reference": "18q21", "text": RESPONSE}
    assert subject().read_sha256(sha256) == digest({**material, "trait": sha256})


@given(st.text(), QUESTIONS, REFERENCES)
def test_the_fingerprint_is_that_json_whatever_is_read(text, question, reference):
    of = ASKED.model_copy(
        update={"response": text, "question": question, "reference": reference},
    )
    material = {
        "question": question,
        "reference": reference,
        "text": text,
        "trait": "abc",
    }
    assert subject(of).read_sha256("abc") == digest(material)


def test_half_of_a_character_has_a_fingerprint_too():
    of = ASKED.model_copy(update={"response": "\ud800 is half of one"})
    story = signed(subject(of))
    assert story.cell.state == "reviewed"
    assert over(story, response="\ud801 is half of one").cell.state == "corrected"


@given(texts, QUESTIONS, REFERENCES)
def test_a_sign_off_holds_as_long_as_all_reads_the_same_and_no_longer(
    text,
    question,
    reference,
):
    changed = {
        "response": RESPONSE + text,
        "question": question,
        "reference": reference,
    }
    story = signed()
    same = changed == {name: getattr(ASKED, name) for name in changed}
    after = over(story, **changed)
    assert (after.cell.state == "reviewed") == same
    assert (describe_unsettled(after.cell) == "") == same
    back = {name: getattr(ASKED, name) for name in changed}
    assert over(after, **back).cell == story.cell


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"reference": "8q24"}, "the reference was changed after ada signed it off"),
        ({"reference": ["18q21"]}, "the reference was changed after ada signed it off"),
        ({"question": None}, "the question was changed after ada signed it off"),
        (
            {"response": f"{RESPONSE} Yes."},
            "the response was changed after ada signed it off",
        ),
        (
            {"response": f"{RESPONSE} Yes.", "reference": None},
            "the response and the reference were changed after ada signed it off",
        ),
    ],
)
def test_what_was_changed_is_said_by_name(changed, said):
    assert describe_unsettled(over(signed(), **changed).cell) == said


def test_what_a_user_said_last_is_the_question_of_a_trace_that_has_no_other():
    def said(*words):
        turns = [{"role": "user", "content": one} for one in words]
        return [
            *turns,
            {"role": "assistant", "content": RESPONSE},
            {"role": "user", "content": "Ta."},
        ]

    bare = Trace(id="t1", response=RESPONSE, messages=said("Hello.", "Where is BCL2?"))
    story = signed(subject(bare))
    assert (
        over(story, messages=said("Good day.", "Where is BCL2?")).cell.state
        == "reviewed"
    )
    cell = over(story, messages=said("Hello.", "Where is BCL3?")).cell
    assert (
        describe_unsettled(cell) == "the question was changed after ada signed it off"
    )
    wordless = signed(subject(bare.model_copy(update={"messages": ["?"]})))
    assert over(wordless, messages=["!"]).cell.state == "reviewed"


def test_a_conversation_that_was_changed_is_called_so():
    messages = [
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "content": RESPONSE},
    ]
    story = Story(
        of=subject(
            ASKED.model_copy(update={"messages": messages}),
            reads="conversation",
        ),
    )
    located = KIND.locate(
        story.cell.subject.trait,
        story.cell.subject.trace,
        proposal().table,
    )
    story.does(Receive(Proposed(located, {"name": "gpt"})))
    story.does(sealing(story.cell, None))
    assert story.cell.state == "reviewed"
    longer = [*messages, {"role": "user", "content": "Thanks."}]
    said = describe_unsettled(over(story, messages=longer).cell)
    assert said == "the conversation was changed after ada signed it off"


def test_a_text_by_other_rules_is_not_said_to_be_changed_by_somebody():
    of = subject(reads="conversation")
    sealed = sealing(Cell(of), None)
    earlier = {**sealed.read, "text": "0" * 12, "transcript": 0}
    story = Story(of=of)
    story.corrects(action="add", bucket="fn", **link(1))
    story.does(replace(sealed, read_sha256="0" * 64, read=earlier))
    assert describe_unsettled(story.cell).startswith(
        "the conversation, or how this version makes a text of it, was changed",
    )


def test_where_no_parts_were_kept_no_part_is_named():
    story = judged()
    story.does(SignOff("abc", None, "0" * 64))
    said = describe_unsettled(story.cell)
    assert (story.cell.state, said) == (
        "corrected",
        "what was read was changed after ada signed it off",
    )


@given(texts, QUESTIONS, REFERENCES)
def test_an_act_without_a_fingerprint_is_never_unsettled(text, question, reference):
    story = Story(of=subject())
    story.does(Receive(proposal()))
    story.does(SIGN)
    after = over(
        story,
        response=RESPONSE + text,
        question=question,
        reference=reference,
    )
    assert (after.cell.state, after.cell.unsettled) == ("reviewed", None)


def test_a_changed_trait_alone_unsettles_nothing():
    story = signed()
    fewer = Subject(KIND, matrix(metrics=["recall"]), ASKED)
    cell = fold(fewer, story.cell.facts)
    assert (cell.state, cell.outdated, cell.unsettled) == ("reviewed", True, None)


def test_an_unsettled_cell_is_signed_off_again():
    story = over(signed(), reference="8q24")
    assert (story.cell.signed, story.cell.edits) == (None, frozenset())
    assert describe_loss(story.cell, story.cell.unsettled) == (
        "does not count: the reference was changed since"
    )
    story.does(sealing(story.cell, 2.0), "bob")
    assert (story.cell.state, story.cell.signed.by) == ("reviewed", "bob")
    assert (story.cell.unsettled, describe_unsettled(story.cell)) == (None, "")
    story.does(Undo(story.cell.facts[-1].n), "bob")
    assert story.cell.state == "corrected"


def test_a_correction_takes_the_sign_off_away_as_ever():
    story = over(signed(), reference="8q24")
    story.does(MOVED)
    assert (story.cell.state, story.cell.unsettled) == ("corrected", None)
    assert over(story, reference="18q21").cell.signed is None


def test_a_later_judgment_leaves_labels_alone_that_were_signed_off():
    story = over(signed(None, MOVED), reference="8q24")
    before = marks(story.cell.labels)
    story.does(Receive(proposal(round=2)))
    assert (marks(story.cell.labels), story.cell.state) == (before, "corrected")
    assert story.cell.round == 2


def test_a_blind_verdict_over_what_was_changed_is_none():
    story = ruled()
    assert story.cell.ruled_blind
    after = over(story, reference="8q24")
    cell = after.cell
    assert (cell.state, cell.hidden, cell.ruled_blind) == ("corrected", False, False)
    assert (cell.verdict, cell.verdict_figures, cell.verdict_answers) == (
        None,
        None,
        {},
    )
    assert marks(cell.labels) == marks(story.cell.labels)
    assert describe_unsettled(cell) == "the reference was changed after ada ruled on it"
    with pytest.raises(Refused, match="Only blind cells are ruled on"):
        after.does(Rule("abc"))
    with pytest.raises(Refused, match="locked and stays"):
        after.does(Undo(story.cell.ruled.n))
    after.does(sealing(cell, None))
    assert (after.cell.state, after.cell.ruled_blind) == ("reviewed", False)
    assert describe_unsettled(after.cell), "it is still to be told why no ruling counts"
    assert over(after, reference="18q21").cell.ruled_blind


@given(st.lists(commands, max_size=10), st.lists(commands, max_size=6))
def test_whatever_is_done_the_labels_are_the_same_and_fold_over_either_text(
    life,
    further,
):
    def sealed(story, commands):
        for command in commands:
            if isinstance(command, SignOff | Rule):
                command = replace(command, **_read(story))  # noqa: PLW2901
            lived(story, [command])
        return story

    story = sealed(Story(of=subject()), life)
    after = over(story, reference="8q24")
    assert_alike(story.cell, after.cell)
    sealed(after, further)
    assert_alike(after.cell, over(after, reference="18q21").cell)


def _read(story: Story) -> dict:
    of = story.cell.subject
    return {"read_sha256": of.read_sha256("abc"), "read": of.read_parts()}


def assert_alike(one: Cell, other: Cell) -> None:
    """Two folds of the same facts differ in nothing but what is signed."""
    for name in (
        "labels",
        "base",
        "judged",
        "rounds",
        "edits",
        "orphaned",
        "hidden",
        "undone",
    ):
        assert getattr(one, name) == getattr(other, name), name
    assert (one.signed or one.unsettled) == (other.signed or other.unsettled)
    assert (one.ruled or one.lapsed) == (other.ruled or other.lapsed)


def test_a_judgment_of_another_text_is_named_and_one_without_a_fingerprint_is_not():
    story = Story(of=subject())
    story.does(Receive(proposal(**story.cell.subject.reading({"name": "gpt"}))))
    assert describe_moved(story.cell) == ""
    moved = over(story, response=f"{RESPONSE} Yes.")
    assert describe_moved(moved.cell) == "the response was changed after it was judged"
    assert describe_moved(over(signed(), response=f"{RESPONSE} Yes.").cell) == ""


def test_what_a_sign_off_keeps_can_be_written_down():
    sealed = sealing(signed().cell, 0.456)
    assert sealed.seconds == 0.46
    assert json.loads(json.dumps(sealed.read)) == sealed.read
