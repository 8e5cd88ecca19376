"""A test that leaves a connection open is the one that fails for it."""

import gc
import socket

import pytest

from left_open import complaints_since, open_files

pytestmark = pytest.mark.skipif(
    not open_files(),
    reason="the system does not tell which files are open",
)


class Leaving:
    """Garbage that only the collector finds, with an open socket."""

    def __init__(self) -> None:
        self.itself = self
        self.socket = socket.socket()


def test_what_nobody_closed_is_found_before_the_next_test():
    before = open_files()
    Leaving()
    (complaint,) = complaints_since(before)
    assert "unclosed <socket.socket" in complaint
    assert open_files() == before


def test_what_is_still_in_use_is_not_complained_of():
    before = open_files()
    with socket.socket():
        assert complaints_since(before) == []


def test_the_collector_is_not_called_where_nothing_more_is_open():
    called = []
    gc.callbacks.append(lambda phase, about: called.append(about["generation"]))
    try:
        assert complaints_since(open_files()) == []
    finally:
        gc.callbacks.pop()
    assert 2 not in called
