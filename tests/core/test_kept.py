"""A property that is computed once."""

from appellate.core.kept import kept


class Sum:
    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers
        self.computed = 0

    @kept
    def total(self) -> int:
        """What the numbers add up to."""
        self.computed += 1
        return sum(self.numbers)


def test_a_kept_value_is_computed_once_for_each_object() -> None:
    first = Sum(1, 2)
    second = Sum(3)
    assert (first.total, first.total, second.total) == (3, 3, 3)
    assert (first.computed, second.computed) == (1, 1)


def test_a_kept_value_can_be_handed_on_in_the_dictionary_of_an_object() -> None:
    other = Sum(1)
    vars(other)["total"] = 7
    assert other.total == 7
    assert other.computed == 0


def test_the_class_has_the_property_itself_with_its_docstring() -> None:
    assert Sum.total.__doc__ == "What the numbers add up to."
