"""A property that is computed once, for values of which very many are made."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T_co = TypeVar("T_co", covariant=True)


class kept(Generic[T_co]):  # noqa: N801 - it is used as a decorator, as `property` is
    """A property whose value is computed at its first use, and kept in the object's `__dict__`.

    It is `functools.cached_property` without the lock that this one takes in Python 3.11, which
    costs as much as the work itself where a value is small. Two threads that ask at the same time
    may both compute the value, so it must always come out the same.
    """

    def __init__(self, compute: Callable[[Any], T_co]) -> None:
        """Make a property of the method `compute`, with its name and docstring."""
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T_co: ...

    def __get__(self, instance: object, owner: type) -> Self | T_co:
        """Return the value, computed at its first use; for the class, the property itself.

        The value is then in the object's `__dict__`, where Python finds it without this method.
        """
        if instance is None:
            return self
        value = self._compute(instance)
        instance.__dict__[self._name] = value
        return value
