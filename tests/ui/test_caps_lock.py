import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.ui.caps_lock import PAUSE, CapsLock

STEPS = "NPKU"
letters = st.text(st.sampled_from("aznkFVRNKJCX 1.é测"), min_size=1, max_size=12)


def doubted(keys, gap=0.2):
    """Those of some keys, typed so many seconds apart, that are doubted."""
    caps, found = CapsLock(STEPS), ""
    for number, key in enumerate(keys):
        if caps.doubts(key, key, number * gap):
            found += key
    return found


def test_the_third_capital_of_typed_words_is_doubted_and_all_behind_it():
    assert doubted("CLOOKS WRONG, 1 2 3") == "OOKS WRONG, 1 2 3"
    assert doubted("JJJ") == "J"


@pytest.mark.parametrize(
    "keys",
    [
        "F",
        "FV",
        "NNNNN",
        "KKKNN",
        "UUUF",
        "FF",
        "F.F.F.F.F",
        "jJjJjJ",
        "N1N1N1",
        "FaVaR",
    ],
)
def test_deliberate_capitals_act(keys):
    assert not doubted(keys)


@given(letters)
def test_with_a_pause_before_each_every_key_acts(keys):
    assert not doubted(keys, gap=PAUSE)


@given(letters)
def test_a_small_letter_always_acts(keys):
    assert not any(key.islower() for key in doubted(keys))


def test_enter_and_backspace_of_typed_words_are_doubted_and_escape_ends_the_doubt():
    caps = CapsLock()
    for number, key in enumerate("CLO"):
        is_doubted = caps.doubts(key, key, number * 0.2)
    assert is_doubted
    assert caps.doubts("enter", "\r", 0.6)
    assert caps.doubts("backspace", "\x7f", 0.8)
    assert not caps.doubts("escape", "\x1b", 1.0)
    assert not caps.doubts("1", "1", 1.2)


def test_after_a_pause_the_key_that_was_doubted_acts():
    caps = CapsLock()
    assert [caps.doubts(key, key, now) for now, key in enumerate("FVR")] == [False] * 3
    times = [10.0, 10.2, 10.4, 11.4]
    doubts = [
        caps.doubts(key, key, now) for now, key in zip(times, "FVRR", strict=True)
    ]
    assert doubts == [False, False, True, False]
