"""Ruling line by line on what two reviewers differ in."""

import pytest

from appellate.core.facts import Adopted
from linear.linear_stage import told
from two_reviewers import BOTH_MISSED, MISSED, adjudicator


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch, tmp_path):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "no-settings"))


def test_both_are_told_as_1_and_2_and_who_they_are_after_the_ruling(tmp_path):
    with adjudicator(tmp_path, {1: BOTH_MISSED, 2: MISSED}, {}) as at:
        said = told(at, "V", "r", "1", "1", "paraphrase counts", "q")
        before, _, after = said.partition("Ruled.")
        assert "Two reviewers differ here: V shows both" in before
        assert "ada" not in before
        assert "1: found: “BCL2 is an anti-apoptotic gene”" in before.replace(
            "2: found", "1: found"
        )
        assert "Held: " in after
        assert "1 cell left: n is the next." in after
        _, cell = at.open(1)
        assert cell.ruled
        assert any(isinstance(fact.what, Adopted) for fact in cell.facts)
        assert "ada:" in told(at, ":", "t1", "V", "q")


def test_where_nothing_is_contested_it_says_where_proposals_are_compared(tmp_path):
    with adjudicator(tmp_path, {2: MISSED}, {}) as at:
        assert "compared on the screen" in told(at, ":", "t1", "V", "q")
