"""Keys of the bench that act on a screen over it, as the person has them there: on a key press, in
the strip, and told whole.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from textual.events import Key as KeyPressed

from appellate.ui.bar import Hint
from appellate.ui.key import Key

Command = Callable[[], object]


class BorrowedKeys:
    """What they do: give one of the `answers` (by the ids of their keys), which come before all
    others, or what `shared` has for the id of a key.
    """

    def __init__(
        self,
        keys: Iterable[Key],
        answers: Mapping[str, str],
        answer: Callable[[str], object],
        shared: Mapping[str, Command],
    ) -> None:
        self._commands: dict[str, Command] = {}
        for key in keys:
            for name in key.keys.split(","):
                if key.id in answers:
                    self._commands[name] = partial(answer, answers[key.id])
                elif key.id in shared:
                    self._commands.setdefault(name, shared[key.id])

    def press(self, event: KeyPressed) -> None:
        """Does what a key does, if it is one of these."""
        command = self._commands.get(event.key)
        if command is not None:
            event.stop()
            event.prevent_default()
            command()


def by_word(answers: Mapping[str, str]) -> dict[str, str]:
    """The first key, by its id, of each answer in words: some have two."""
    found: dict[str, str] = {}
    for key, word in answers.items():
        found.setdefault(word, key)
    return found


class BorrowedHints:
    """Their hints in the strip."""

    def __init__(self, keys: Iterable[Key]) -> None:
        self._keys = {key.id: key for key in keys if key.keys}

    def of(self, name: str, label: str, priority: int) -> list[Hint]:
        """The hint of a key by its id; none where the person has no such key."""
        key = self._keys.get(name)
        if key is None:
            return []
        return [Hint(key.shown, label, key.id, priority)]


def describe(
    keys: Sequence[Key],
    answers: Mapping[str, str],
    own: Iterable[tuple[str, str]],
    shared: Mapping[str, str],
) -> Iterator[tuple[str, str]]:
    """Every key and what it does: those of answers, the screen's own, then those `shared` with the
    bench, in the bench's words where they have none of their own.
    """
    for key in keys:
        if key.id in answers:
            yield key.shown, answers[key.id]
    yield from own
    for key in keys:
        if key.id in shared and key.id not in answers:
            yield key.shown, shared[key.id] or key.help
