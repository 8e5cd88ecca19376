"""A command as a person has it: its id, its keys, what it does, and where strip and help show it;
free of Textual.
"""

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from appellate.core.problem import KeyNames, with_keys

Owner = TypeVar("Owner")
Arguments = ParamSpec("Arguments")
ON_NO_KEY = "–"
"""What lists show in the place of a key for a command that is on none."""


class Act:
    """A method that a key calls, and the arguments that it is called with.

    The method is one of the object that a pane, lines or a screen works with: the corrections of a
    kind, or the comparison that a screen shows.
    """

    __slots__ = ("arguments", "method", "named")

    def __init__(
        self,
        method: "Callable[Concatenate[Owner, Arguments], object]",
        *arguments: "Arguments.args",
        **named: "Arguments.kwargs",
    ) -> None:
        self.method: Callable[..., Any] = method
        self.arguments = arguments
        self.named = named

    def on(self, owner: object) -> Any:
        """Call the method with `owner` as `self` and the act's arguments; return its result.

        Whatever the method raises passes through.
        """
        return self.method(owner, *self.arguments, **self.named)


class OwnAct(Act):
    """A method of the pane, the lines or the screen itself that has the key."""


class Strip(Struct, frozen=True):
    """Where the key strip shows a key."""

    stays: int
    """How long it stays as the strip gets narrower: 1 stays the longest."""
    place: int
    """Its place from the left, from 1."""


class Key(Struct, frozen=True):
    """One thing to do and its keys."""

    id: str
    """What keymaps, hints and sentences call it."""
    keys: str
    """Its keys as Textual names them, parted by commas; "" for a command that is on no key."""
    label: str
    """What the strip and the palette call it, in a word or two."""
    help: str
    """What it does."""
    does: Act | None = None
    """What it calls. None for a key of the bench, whose commands the screen and the lines have by
    their ids, and for a key that another widget acts on.
    """
    group: str = ""
    """The heading that it is under in the help."""
    shown: str = ""
    """What the screen calls its keys; the first of `keys` if nothing else is said."""
    strip: Strip | None = None
    """Where it is in the key strip, if it is there at all."""
    near: bool = False
    """Whether it acts only with the focus in its pane."""
    in_lines: bool | str = False
    """Whether line mode has it; a text says what it does there, if that is something else."""

    def __post_init__(self) -> None:
        """Set an empty `shown` to the first of the keys, or to `ON_NO_KEY` if there is none."""
        if not self.shown:
            first_key, _, _ = self.keys.partition(",")
            force_setattr(self, "shown", first_key or ON_NO_KEY)

    @property
    def lines(self) -> str:
        """What the key does in line mode; "" for a key that line mode does not have."""
        if isinstance(self.in_lines, str):
            return self.in_lines
        return self.help if self.in_lines else ""

    @property
    def is_own(self) -> bool:
        """Whether it is a key of a kind's pane or of a comparison, and none of the bench."""
        return self.does is not None

    @property
    def action(self) -> str:
        """The action of Textual that is run when it is pressed: `act` of a pane, else `command`."""
        if self.does is not None:
            return f"act('{self.id}')"
        return f"command('{self.id}')"


def in_group(group: str, *keys: Key, about: str = "") -> tuple[Key, ...]:
    """Return copies of the keys with `group` as their group; the keys given are not changed.

    `about` names the kind of trait that alone has the keys, with a space at its end. It is put
    before the `help` of each key, and before `in_lines` where that is a text.
    """
    copies: list[Key] = []
    for key in keys:
        in_lines = key.in_lines
        if isinstance(in_lines, str):
            in_lines = about + in_lines
        copies.append(
            replace(key, group=group, help=about + key.help, in_lines=in_lines),
        )
    return tuple(copies)


def first_names(keys: Iterable[Key]) -> dict[str, str]:
    """Return the first name of each key, as the screen shows it, by the key's id.

    Of several keys with one id the last counts. "leave" is added for Esc.
    """
    names: dict[str, str] = {}
    for key in keys:
        own_names = key.shown.split()
        names[key.id] = own_names[0]
    names["leave"] = "Esc"
    return names


def names_of(keys: Iterable[Key]) -> dict[str, str]:
    """Return what the screen calls the keys of each, by its id; "" for one on no key."""
    return {key.id: key.shown if key.keys else "" for key in keys}


class Hint(Struct, frozen=True):
    """A key and what it does; one of a smaller `priority` stays longer as the screen narrows."""

    key: str
    label: str
    action: str = ""
    priority: int = 0
    is_own: bool = False
    """Whether `key` is in the person's own keys already, and stands for several."""


def hints(keys: Iterable[Key]) -> list[Hint]:
    """Return the hints that the key strip shows, from left to right by their `strip.place`.

    Keys without a `strip`, and keys on no key, are left out. Of several that are shown by one name,
    only the first given counts, even if that one has no place in the strip.
    """
    by_key: dict[str, Key] = {}
    for key in keys:
        by_key.setdefault(key.shown, key)
    placed: list[tuple[int, Hint]] = []
    for key in by_key.values():
        strip = key.strip
        if strip is None or not key.keys:
            continue
        hint = Hint(key.shown, key.label, key.id, strip.stays)
        placed.append((strip.place, hint))
    placed.sort(key=itemgetter(0))
    return [hint for _, hint in placed]


def as_remapped(given: Iterable[Hint], names: KeyNames) -> list[Hint]:
    """Return hints with the keys that the person has, in the given order, equal ones once.

    A hint whose action is in `names` gets its key from there; others, and one that `is_own`, keep
    theirs. If the key is written as `{id:usual key}`, or several of them with blanks between, the
    person's key is put in for each of them. Hints that are then on no key are left out.
    """
    remapped = []
    for hint in given:
        key = hint.key
        if not hint.is_own:
            key = names.get(hint.action, hint.key)
        if "{" in hint.key:
            words = [with_keys(word, names) for word in hint.key.split()]
            key = " ".join(filter(None, words))
        if key:
            remapped.append(replace(hint, key=key))
    return list(dict.fromkeys(remapped))


def keys_described(own: str, names: KeyNames) -> list[tuple[str, str]]:
    """Return the lines of `own` as pairs: the person's keys, and what they do.

    Each line has keys, two blanks, and what they do. Lines whose keys the person has not are left
    out, and of equal pairs only the first stays.
    """
    rows: list[tuple[str, str]] = []
    for line in own.splitlines():
        keys, _, meaning = line.partition("  ")
        rows.append((keys, meaning))
    return in_persons_keys(rows, names)


def in_persons_keys(
    rows: Iterable[tuple[str, str]],
    names: KeyNames,
) -> list[tuple[str, str]]:
    """Return keys and what they do, with the person's keys in both, in order and each pair once.

    Keys and sentences name keys as {id:usual key} does (`with_keys`); several keys of one row have
    blanks between. Rows of which the person has no key are left out.
    """
    usual_hints = [Hint(keys, meaning) for keys, meaning in rows]
    described: list[tuple[str, str]] = []
    for hint in as_remapped(usual_hints, names):
        meaning = with_keys(hint.label, names)
        described.append((hint.key, meaning))
    return described
