"""Classes of a literal trait: how many there may be, and that they are told apart."""

import pytest

from appellate.core.scale import class_name_faults


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["a", "b"], []),
        (["a"], ["there are 1 classes, of 2 to 20 that there may be"]),
        ([" ", "b"], ["a class needs a name"]),
        (["a", "b", "A"], ['the classes "a" and "A" differ in case alone']),
    ],
)
def test_classes_are_told_apart_by_more_than_case(names, told):
    assert [*class_name_faults(names)] == told
