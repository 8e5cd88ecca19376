"""What the process of a function answers: its value, or in a sentence what there was instead."""

import json
import sys

import pytest

from appellate.traits import code_worker as worker
from appellate.traits.code_worker import NoFunction, function_of, refuse_network

MODULE = """
def words(text): return len(text.split())
def named(text, reference, *, metadata=None, nothing=3): return f"{reference} {metadata['site']} {nothing}"
def shapes(text): return {"a": 1}
def keyed(text): return {"a": "C", "b": None, "c": True, "d": 0.5}
def nested(text): return {"a": {"b": 1}}
def listed(text): return {"a": [1]}
def large_inside(text): return {"a": 10**400}
def numbered(text): return {1: 1}
def long_key(text): return {"a" * 501: 1}
def crowded(text): return dict.fromkeys(map(str, range(101)), 1)
def huge(text): return 10**400
def breaks(text): raise KeyError("chromosome")
def runs_out(text): raise MemoryError
class Mute(Exception):
    def __str__(self): raise RuntimeError
def says_nothing(text): raise Mute
def rambles(text): raise ValueError("x" * 9_000)
half = 0.5
class Kept:
    @staticmethod
    def yes(text): return True
"""
TRACE = {
    "response": "BCL2 is a gene.",
    "reference": "BCL2",
    "metadata": {"site": "Ulm"},
}


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    """A module of that name, and no timers that would end the tests."""
    (tmp_path / "told_by_worker.py").write_text(MODULE)
    (tmp_path / "broken_for_worker.py").write_text("import no_such_module_at_all\n")
    (tmp_path / "failing_for_worker.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(worker, "_end_after", lambda *_: None)
    yield
    for name in ("told_by_worker", "broken_for_worker", "failing_for_worker"):
        sys.modules.pop(name, None)


def answered(function, module="told_by_worker"):
    return json.loads(
        worker.answer(json.dumps([module, function, TRACE, 1, 1, 1]).encode()),
    )


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("words", {"value": 4}),
        ("named", {"value": "BCL2 Ulm 3"}),
        ("Kept.yes", {"value": True}),
        ("shapes", {"value": {"a": 1}}),
        ("keyed", {"value": {"a": "C", "b": None, "c": True, "d": 0.5}}),
        ("nested", {"type": "dict with a value of type dict"}),
        ("listed", {"type": "dict with a value of type list"}),
        ("large_inside", {"large": 1329}),
        ("numbered", {"type": "dict with a key that is no short text"}),
        ("long_key", {"type": "dict with a key that is no short text"}),
        ("crowded", {"type": "dict with 101 entries"}),
        ("huge", {"large": 1329}),
        ("breaks", {"raised": "KeyError: 'chromosome'"}),
        ("runs_out", {"raised": "MemoryError: it took more memory than it may"}),
        ("says_nothing", {"raised": "told_by_worker.Mute"}),
        ("rambles", {"raised": f"ValueError: {'x' * 500}"}),
        ("nowhere", {"missing": "The module told_by_worker has no function nowhere."}),
        ("half", {"missing": "told_by_worker:half is no function, but a float."}),
    ],
)
def test_a_call_is_answered_by_its_value_or_by_what_kept_it_from_one(function, told):
    assert answered(function) == told


def test_a_module_that_is_not_there_or_breaks_as_it_is_loaded_is_told_apart():
    with pytest.raises(NoFunction, match="There is no module not_there_for_worker"):
        function_of("not_there_for_worker", "f")
    with pytest.raises(NoFunction, match="cannot be loaded: ModuleNotFoundError"):
        function_of("broken_for_worker", "f")
    with pytest.raises(NoFunction, match="cannot be loaded: ZeroDivisionError"):
        function_of("failing_for_worker", "f")


def test_a_function_of_which_nothing_is_known_gets_the_response_alone():
    assert answered("len", "builtins") == {"value": len(TRACE["response"])}
    assert answered("max", "builtins") == {"value": "s"}  # which has no signature


def test_a_connection_is_refused_and_nothing_else():
    refuse_network("open", ("file",))
    with pytest.raises(PermissionError, match="no network"):
        refuse_network("socket.connect", ())
