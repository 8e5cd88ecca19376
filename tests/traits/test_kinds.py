"""Trait kinds are found by their folders."""

from appellate.traits.kinds import kinds
from appellate.traits.metric import KIND


def test_every_folder_with_a_kind_is_found_by_its_name():
    assert kinds()["metric"] is KIND
    assert all(name == kind.name for name, kind in kinds().items())
