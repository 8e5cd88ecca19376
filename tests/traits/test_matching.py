"""Matching under a time limit: the matches are those of `re`, and what takes too long is ended."""

import os
import re
import signal
import threading
import warnings
from contextlib import closing
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.traits import match_worker as worker
from appellate.traits import matching
from appellate.traits.matching import (
    COUNTED,
    STRIKES,
    Matcher,
    Matches,
    Unmatched,
    fault,
    matcher,
)

ENDLESS = ("(a+)+$", "a" * 50_000 + "b")
ENDLESS_AFTER_THE_FIRST = ("c|(a+)+$", "c" + "a" * 50_000 + "b")
FIRST_ALONE = Matches(1, ((0, 1),), more=True, groups=(None,))


@pytest.fixture
def clock():
    """The clock that strikes are counted by, in a list of one number."""
    return [1000.0]


@pytest.fixture
def hasty(clock):
    """A matcher that lets nothing compute for long, so that what takes for ever is over soon."""
    with closing(Matcher(limit=0.05, counting=0.05, clock=lambda: clock[0])) as hasty:
        yield hasty


@pytest.fixture
def stopped():
    """A matcher whose process stands still, as on a machine that has no time for it."""
    with closing(Matcher()) as matcher:
        assert matcher.find("a", "a").hits == 1
        os.kill(matcher.process_id, signal.SIGSTOP)
        matcher.patience = 0
        yield matcher


ATOMS = ["a", "b", "A", ".", r"\w", r"\b", r"\s", "^", "$", "(a|b)"]
ATOMS += ["[ab]", "[^a]", "(?:ab)", "ß", "ſ", "का", "(?=a)"]
REPEATS = ["", "", "*", "+", "??", "{2}", "{,1}", "{e<=1}", "|"]
parts = st.lists(
    st.tuples(st.sampled_from(ATOMS), st.sampled_from(REPEATS)),
    max_size=5,
)
patterns = parts.map(lambda parts: "".join(map("".join, parts))).filter(
    lambda pattern: not fault(pattern),
)


@given(patterns, st.text("abAß ſsS\n\x1cका9\ud800", max_size=12), st.booleans())
def test_matches_are_those_of_re(pattern, text, case_sensitive):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flags = 0 if case_sensitive else re.IGNORECASE
        expected = [match.span() for match in re.finditer(pattern, text, flags)]
        first = re.search(pattern, text, flags)
    groups = ()
    if first:
        spans = map(first.span, range(1, first.re.groups + 1))
        groups = tuple(None if span == (-1, -1) else span for span in spans)
    assert matcher().find(pattern, text, case_sensitive=case_sensitive) == Matches(
        len(expected),
        tuple(expected),
        groups=groups,
    )


def test_a_catastrophic_pattern_is_ended_by_the_timer_and_the_next_text_is_matched(
    hasty,
):
    with pytest.raises(
        Unmatched,
        match=r"longer than 0\.05 s on this response, which has 50,001 characters",
    ):
        hasty.find(*ENDLESS)
    assert hasty.find("(a+)+$", "aaa").hits == 1


def test_a_pattern_that_took_too_long_several_times_is_refused_at_once_for_a_while(
    hasty,
    clock,
):
    for _ in range(STRIKES):
        with pytest.raises(Unmatched, match="on this response"):
            hasty.find(*ENDLESS)
    with pytest.raises(
        Unmatched,
        match=f"on {STRIKES} other responses, so it was not tried on this one",
    ):
        hasty.find("(a+)+$", "a")
    assert hasty.find("(a+)+$", "a", case_sensitive=False).hits == 1
    clock[0] += matching.REST
    assert hasty.find("(a+)+$", "a").hits == 1


def test_a_first_match_is_found_where_the_others_take_too_long(hasty):
    assert hasty.find(*ENDLESS_AFTER_THE_FIRST) == FIRST_ALONE


def test_where_the_others_took_too_long_several_times_only_the_first_is_looked_for(
    hasty,
    clock,
):
    for _ in range(STRIKES):
        hasty.find(*ENDLESS_AFTER_THE_FIRST)
    assert hasty.process_id is None
    hasty.find("a", "a")
    before = hasty.process_id
    assert hasty.find(*ENDLESS_AFTER_THE_FIRST) == FIRST_ALONE
    assert hasty.process_id == before


def test_the_groups_of_the_first_match_are_told_and_those_that_took_no_part_are_none():
    found = matcher().find(r"(x)?(\d*)=(\w+)", "a =b 12=c")
    assert found.matches[0] == (2, 4)
    assert found.groups == (None, (2, 2), (3, 4))
    assert matcher().find("a", "a").groups == ()


def test_many_matches_are_counted_and_only_the_first_are_listed():
    found = matcher().find("a", "a" * (worker.LISTED + 1))
    assert (found.hits, len(found.matches), found.more) == (
        worker.LISTED + 1,
        worker.LISTED,
        False,
    )


def test_counting_ends_where_nobody_reads_the_number_any_more():
    assert matcher().find("", "a" * COUNTED)[::2] == (COUNTED, True)


def test_a_large_response_is_matched():
    assert matcher().find("b$", "a" * 2_000_000 + "b").matches == (
        (2_000_000, 2_000_001),
    )


def test_a_process_that_was_killed_is_told_of_and_replaced(hasty):
    hasty.find("a", "a")
    os.kill(hasty.process_id, signal.SIGKILL)
    with pytest.raises(Unmatched, match=r"broke off \(code -9\)"):
        hasty.find("a", "a")
    assert hasty.find("a", "a").hits == 1


def test_what_is_limited_is_the_time_that_the_process_computes_and_not_the_clock_s():
    armed = []

    class Out(BytesIO):
        def flush(self):
            timers = signal.ITIMER_PROF, signal.ITIMER_REAL, signal.ITIMER_VIRTUAL
            armed.append([signal.getitimer(timer)[0] > 0 for timer in timers])

    worker.answer(b'["a", 0, "a", 9, 60, 60]', Out())
    assert armed == [[True, False, False], [False, False, False]]


def test_a_process_that_stands_still_is_given_up_and_replaced(stopped):
    with pytest.raises(Unmatched, match=r"longer than 0 s on this response"):
        stopped.find("a", "a")
    stopped.patience = 60
    assert stopped.find("a", "a").hits == 1


def test_a_process_that_stands_still_holds_up_nobody_with_a_text_too_large_for_its_pipe(
    stopped,
):
    with pytest.raises(Unmatched, match=r"which has 2,000,000 characters"):
        stopped.find("a", "a" * 2_000_000)


def test_many_threads_may_ask_at_once():
    found = {}
    threads = [
        threading.Thread(
            target=lambda n=n: found.update({n: matcher().find("a", "a" * n)}),
        )
        for n in range(9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: one.hits for n, one in found.items()} == {n: n for n in range(9)}


def test_a_matcher_that_is_closed_matches_again(hasty):
    hasty.close()
    assert hasty.find("a", "a").hits == 1
    hasty.close()
    hasty.close()


@pytest.mark.parametrize(
    ("pattern", "text", "most", "said"),
    [
        ("z", "aa", 9, b"null\n"),
        ("a", "aa", 9, b"[[0, 1]]\n[2, [[0, 1], [1, 2]], false]\n"),
        ("a", "aaa", 2, b"[[0, 1]]\n[2, [[0, 1], [1, 2]], true]\n"),
        ("a", "aa", 1, b"[[0, 1]]\n[1, [[0, 1]], true]\n"),
        ("(b)?(a)", "ca", 9, b"[[1, 2], null, [1, 2]]\n[1, [[1, 2]], false]\n"),
    ],
)
def test_the_process_says_the_first_match_and_then_the_others(
    pattern,
    text,
    most,
    said,
):
    out = BytesIO()
    worker.answer(f'["{pattern}", 0, "{text}", {most}, 60, 60]'.encode(), out)
    assert out.getvalue() == said
    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0


def test_the_process_lists_the_first_matches_only():
    out = BytesIO()
    worker.answer(
        f'["a", 0, "{"a" * (worker.LISTED + 5)}", 1000, 60, 60]'.encode(),
        out,
    )
    assert out.getvalue().endswith(
        f"[{worker.LISTED - 1}, {worker.LISTED}]], false]\n".encode(),
    )
