"""Sign-offs that follow each other too fast, or that never change anything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.facts import (
    Corrected,
    Fact,
    Flagged,
    Proposed,
    Redone,
    SignedOff,
    Undone,
)
from appellate.core.pace import (
    ACCEPTED_RUN,
    FAST_RUN,
    PaceWatch,
    Signing,
    pace_act,
    tally,
)
from appellate.core.trace import Trace
from cells import Story, proposal
from conversations import subject

SLOW = Signing(60.0, 500, accepted=False)
FAST = Signing(0.5, 20, accepted=False)
ACCEPTED = Signing(60.0, 20, accepted=True)


def watched(*signings):
    watch = PaceWatch()
    for signing in signings:
        watch.signed(signing)
    return watch


@pytest.mark.parametrize(
    ("seconds", "words", "fast"),
    [
        (0.9, 0, True),  # nobody reads at all within a moment
        (1.1, 0, False),
        (1.1, 10, False),
        (1.9, 30, True),
        (2.1, 30, False),
        (4.9, 10_000, True),
        # whoever stays so long may have read before, or looked for one thing
        (5.0, 10_000, False),
        (None, 10_000, False),
    ],
)
def test_a_sign_off_is_fast_where_nobody_could_have_skimmed_the_response(
    seconds,
    words,
    fast,
):
    assert Signing(seconds, words, accepted=True).fast is fast


def test_a_run_is_told_once_and_again_when_it_is_twice_as_long():
    watch, told = PaceWatch(), []
    for number in range(1, 45):
        watch.signed(FAST)
        if watch.warning():
            told.append(number)
    assert told == [FAST_RUN, 2 * FAST_RUN, 4 * FAST_RUN]


def test_a_long_run_of_proposals_left_as_they_were_is_told():
    watch = watched(*[ACCEPTED] * (ACCEPTED_RUN - 1))
    assert watch.warning() == ""
    watch.signed(ACCEPTED)
    assert watch.warning().startswith(
        "40 cells in a row signed off just as the judge proposed",
    )


def test_a_sign_off_with_time_and_a_correction_ends_both_runs():
    watch = watched(*[FAST] * 9, SLOW, *[FAST] * 9)
    assert watch.warning() == ""
    assert watch.tally().fast_run == 9


def test_whatever_else_is_done_ends_a_run():
    watch = watched(*[FAST] * 9)
    watch.acted()
    watch.signed(FAST)
    assert watch.warning() == ""


@given(
    st.lists(
        st.sampled_from([SLOW, FAST, ACCEPTED, None, Signing(None, 9, accepted=True)]),
    ),
)
def test_a_tally_counts_what_was_signed(signings):
    watch = PaceWatch()
    for signing in signings:
        if signing is None:
            watch.acted()
        else:
            watch.signed(signing)
    made = [one for one in signings if one]
    found = watch.tally()
    assert (found.signed, found.fast) == (len(made), sum(one.fast for one in made))
    assert found.accepted == sum(one.accepted for one in made)
    assert found.timed == sum(one.seconds is not None for one in made)
    assert found.fast_run <= found.fast
    assert found.accepted_run <= found.accepted
    assert bool(list(found.describe())) == (
        found.fast_run >= FAST_RUN or found.accepted_run >= ACCEPTED_RUN
    )


def test_runs_are_told_with_how_many_there_were():
    found = watched(*[FAST] * FAST_RUN, *[ACCEPTED] * ACCEPTED_RUN).tally()
    assert list(found.describe()) == [
        (
            "10 of 50 sign-offs came sooner than the response can be read, 10 of them one after"
            " the other."
        ),
        "40 cells in a row were signed off just as the judge proposed them.",
    ]


# -- of cells ----------------------------------------------------------------------------------------


def cell_of(*happened, response="word " * 75):
    story = Story(response=response)
    for what in happened:
        story.happens(what)
    return story.cell


def acts_of(cell):
    return [
        pace_act(cell, fact)
        for fact in cell.facts
        if not isinstance(fact.what, Proposed)
    ]


def test_a_proposal_signed_off_as_it_is_counts_as_accepted():
    cell = cell_of(proposal(), SignedOff("", 3.0))
    found = tally(acts_of(cell))
    assert (found.signed, found.accepted, found.fast, found.median_seconds) == (
        1,
        1,
        1,
        3.0,
    )


def test_a_correction_before_the_sign_off_is_no_acceptance():
    moved = Corrected({"action": "drop", "bucket": "tp"}, "Mentions the BCL2 gene", "")
    before = cell_of(proposal()).labels.tp[0].text
    corrected = Corrected(moved.edit, before, "")
    cell = cell_of(proposal(), corrected, SignedOff("", 3.0))
    assert tally(acts_of(cell)).accepted == 0
    undone_later = cell_of(proposal(), corrected, SignedOff("", 3.0), Undone(2))
    assert tally(acts_of(undone_later)).accepted == 0
    undone_before = (proposal(), corrected, Undone(2), SignedOff("", 3.0))
    assert tally(acts_of(cell_of(*undone_before))).accepted == 1
    assert tally(acts_of(cell_of(*undone_before, Redone(2)))).accepted == 1


def test_a_sign_off_that_was_taken_back_is_none():
    cell = cell_of(proposal(), SignedOff("", 3.0), Undone(2))
    assert tally(acts_of(cell)).signed == 0


def test_the_next_cell_of_a_trace_needs_no_second_reading():
    cell = cell_of(proposal(), SignedOff("", 2.0))
    assert tally([*acts_of(cell), *acts_of(cell)]).fast == 1


def test_a_flag_ends_a_run_of_the_report_too():
    cell = cell_of(proposal(), SignedOff("", 0.5), Flagged(True))
    assert tally(acts_of(cell) * 12).fast_run == 1


@pytest.mark.parametrize(
    ("reads", "fast"),
    [
        (("conversation", "conversation"), [True, False]),
        (("conversation", "response"), [True, False]),
        (("response", "conversation"), [False, True]),
        (("response", "response"), [False, False]),
    ],
)
def test_a_conversation_is_read_once_and_after_its_response_the_rest_of_it(reads, fast):
    messages = [
        {"role": "user", "content": "word " * 300},
        {"role": "assistant", "content": "Yes."},
    ]
    run = Trace(id="run", response="Yes.", messages=messages)
    watch = PaceWatch()
    found = []
    for number, read in enumerate(reads, 1):
        of = subject("llm", read, run)
        signed = Fact(number, "", "ada", SignedOff(of.trait.sha256(), 1.5))
        watch.take(pace_act(Story(of=of).cell, signed))
        tally = watch.tally()
        found.append(tally.fast > sum(found))
    assert found == fast
