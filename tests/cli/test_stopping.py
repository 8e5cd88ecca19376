"""What SIGTERM and SIGHUP do to a command that asks a judge."""

import os
import signal
from contextlib import suppress

import pytest

from appellate.cli.outcome import Ended, Exit
from appellate.cli.stopping import stopped_by_signals


def test_the_first_signal_interrupts_and_no_other_cuts_short_what_is_done_then():
    done = []

    def stop_and_save():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGHUP)
            os.kill(os.getpid(), signal.SIGTERM)
            done.append("saved")

    with pytest.raises(Ended) as ended, stopped_by_signals():
        stop_and_save()
    assert ended.value.code == Exit.TERMINATED
    assert done == ["saved"]


def test_a_hang_up_that_is_ignored_stays_so_as_under_nohup():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopped_by_signals():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_handlers_from_before_are_back_after_it():
    before = signal.getsignal(signal.SIGTERM)
    with suppress(KeyboardInterrupt), stopped_by_signals():
        raise KeyboardInterrupt
    assert signal.getsignal(signal.SIGTERM) is before
