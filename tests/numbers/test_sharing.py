"""Equal values of many cells are kept once, as long as there are not too many of them."""

from appellate.numbers.sharing import MOST, SharedValues


def test_values_of_one_content_are_one_object_up_to_a_number_of_contents():
    sharing = SharedValues[list[int]]()
    first = sharing.shared("a", [1])
    assert sharing.shared("a", [1]) is first
    for number in range(MOST):
        sharing.shared(number, [number])
    late = [1]
    assert sharing.shared("late", late) is late
    assert sharing.shared("late", [1]) is not late
    assert sharing.shared("a", [1]) is first
