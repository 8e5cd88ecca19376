"""Keys as values: what they are called and say, and the methods that they call."""

from types import SimpleNamespace

import pytest

from appellate.app.compare.by_instruction import InstructionList, InstructionScreen
from appellate.app.compare.judged import (
    Proposals,
    ProposalsScreen,
    Reveal,
    RevealScreen,
)
from appellate.app.compare.ruling import AdjudicationScreen, Ruling
from appellate.app.compare.side_by_side import Sides, SidesScreen
from appellate.app.keys.bindings import pane_of
from appellate.linear.linear_session import lines_of
from appellate.traits.grounding.pane_corrections import SupportCorrections
from appellate.traits.kinds import kinds
from appellate.traits.metric.pane_corrections import ItemCorrections
from appellate.ui.key import Act, Key, OwnAct, Strip, hints, in_group

CORRECTIONS = {"metric": ItemCorrections, "grounding": SupportCorrections}
"""The corrections of the kinds that give no verdicts."""
COMPARISONS = [
    (AdjudicationScreen, Ruling),
    (InstructionScreen, InstructionList),
    (ProposalsScreen, Proposals),
    (RevealScreen, Reveal),
    (SidesScreen, Sides),
]


def of_kinds():
    """Return what has keys of a kind, pane and lines, and what both correct with."""
    found = []
    for name in kinds():
        for owner in (pane_of(name), lines_of(name)):
            corrections = CORRECTIONS.get(name) or getattr(
                owner,
                "corrections_of",
                None,
            )
            if owner.KEYS:
                found.append((owner, corrections))
    return found


def test_an_act_calls_its_method_with_what_it_was_given():
    owner = SimpleNamespace(moves=[])

    def move(self, by, *, far=False):
        self.moves.append((by, far))
        return "moved"

    assert Act(move, 2).on(owner) == "moved"
    assert OwnAct(move, -1, far=True).on(owner) == "moved"
    assert owner.moves == [(2, False), (-1, True)]


def test_a_key_is_shown_as_the_first_of_its_keys_unless_it_says_otherwise():
    assert Key("a", "u,ctrl+z", "undo", "take it back").shown == "u"
    assert Key("a", "full_stop", "next", "go on", shown=".").shown == "."
    assert Key("a", "", "merge", "make one of two").shown == "–"


def test_line_mode_says_of_a_key_what_the_screen_says_or_its_own_words():
    only_on_screen = Key("a", "a", "sign", "sign it off")
    (same,) = in_group(
        "Cell",
        Key("a", "a", "sign", "sign it off", in_lines=True),
        about="LLM: ",
    )
    (other,) = in_group(
        "Cell",
        Key("a", "a", "sign", "sign it off", in_lines="go"),
        about="LLM: ",
    )
    assert only_on_screen.lines == ""
    assert (same.group, same.help, same.lines) == (
        "Cell",
        "LLM: sign it off",
        "LLM: sign it off",
    )
    assert (other.help, other.lines) == ("LLM: sign it off", "LLM: go")


def test_the_strip_has_keys_in_their_places_and_of_two_on_one_key_the_first():
    keys = (
        Key("b", "b", "second", "…", strip=Strip(1, 2)),
        Key("a", "a", "first", "…", strip=Strip(3, 1)),
        Key("c", "b", "behind the second", "…", strip=Strip(1, 3)),
        Key("d", "", "on no key", "…", strip=Strip(1, 4)),
        Key("e", "e", "in no place", "…"),
    )
    shown = [(hint.key, hint.label, hint.action, hint.priority) for hint in hints(keys)]
    assert shown == [("a", "first", "a", 3), ("b", "second", "b", 1)]


@pytest.mark.parametrize(("owner", "behind"), [*of_kinds(), *COMPARISONS])
def test_a_key_calls_a_method_that_no_class_below_replaces(owner, behind):
    """An act holds the method itself: one of the same name further down would not be called."""
    acts = [
        key.does for key in (*owner.KEYS, *getattr(owner, "OF_BENCH", ())) if key.does
    ]
    assert acts
    for act in acts:
        called = owner if isinstance(act, OwnAct) else behind
        assert getattr(called, act.method.__name__) is act.method


@pytest.mark.parametrize("owner", [owner for owner, _ in of_kinds()])
def test_every_key_of_a_kind_has_an_act(owner):
    assert [key.id for key in owner.KEYS if key.does is None] == []
