"""The names of keys, as people, Textual and the screen write them; every binding by its id, and
which of them have one key in one place.
"""

import pkgutil
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import combinations, islice
from string import ascii_lowercase, digits
from typing import NamedTuple

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import REPLACED_KEYS, Keys, key_to_character

import appellate
from appellate.core.problem import closest, quoted
from appellate.traits.kinds import module_of
from appellate.traits.rubric import Rubric
from appellate.ui.commands import KEYS
from appellate.ui.key import Key
from appellate.ui.own_keys import UNBOUND
from appellate.ui.pane import KindPane

FRIENDLY = {
    "esc": "escape",
    "return": "enter",
    "spacebar": "space",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "page_up": "pageup",
    "pgdn": "pagedown",
    "pgdown": "pagedown",
    "page_down": "pagedown",
    "←": "left",
    "→": "right",
    "↑": "up",
    "↓": "down",
    " ": "space",
    ",": "comma",  # which parts keys in a binding
}
SHOWN = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "escape": "Esc",
    "delete": "Del",
    "insert": "Ins",
}
MODIFIERS = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "shift": "shift",
    "alt": "alt",
    "option": "alt",
}
MOST_SHOWN = 3
SENT_AS = {
    "ctrl+i": "Tab",
    "ctrl+m": "Enter",
    "ctrl+j": "Enter",
    "ctrl+h": "Backspace",
    "ctrl+left_square_bracket": "Esc",
}
# sent without their Ctrl and Shift
BARE = ("enter", "tab", "escape", "space", "backspace")
NOT_SENT = {
    *(
        "<any>",
        "<scroll-up>",
        "<scroll-down>",
        "<ignore>",
        "return",
        "ctrl-at",
        "ctrl+@",
    ),
    *("shift+escape", *SENT_AS),
    *(
        f"{modifiers}+{digit}"
        for modifiers in ("ctrl", "ctrl+shift")
        for digit in digits
    ),
}
WITH_ALT = {f"alt+{typed}" for typed in ascii_lowercase + digits}
SENT = {key.value for key in Keys} - NOT_SENT


class KeyUnknown(ValueError):
    """A name that is no key, or a key that cannot be bound."""


def named(written: object) -> str:
    """Return a key as Textual names it, from how a person writes it, as "Ctrl+S" or "PgDn".

    Raises KeyUnknown, which says why, for what is no text, no key, or a key that terminals do not
    send.
    """
    if not isinstance(written, str):
        raise KeyUnknown("a key must be text in quotes")
    modifiers, last = _parts(written)
    capital = last.upper()
    if (
        modifiers == ["shift"]
        and len(last) == 1
        and last.isalpha()
        and len(capital) == 1
    ):
        return capital
    key = _key(last.lower() if modifiers else last)
    name = "+".join([*modifiers, key])
    if name in SENT | WITH_ALT or (character(key) and not modifiers):
        return name
    raise KeyUnknown(_why_not(written, modifiers, key))


def _parts(written: str) -> tuple[list[str], str]:
    """Return the modifiers of a key as Textual names them, sorted, and the key, which may be `+`.

    Raises KeyUnknown for an unknown modifier, or if no key follows the modifiers.
    """
    text = written.strip() or written[:1]
    *modifier_names, last = re.split(r"(?<!\s)\s*\+\s*(?=.)", text)
    modifiers = sorted({MODIFIERS.get(name.casefold(), "") for name in modifier_names})
    has_unknown_modifier = "" in modifiers
    has_key = last and not last[1:].endswith("+")
    if has_unknown_modifier or not has_key:
        raise KeyUnknown(f"there is no key {quoted(written)}")
    return modifiers, last


def _key(last: str) -> str:
    """Return a key without modifiers as Textual names it.

    It may be a character, or a name as people write it. An unknown name is returned in lower case,
    with _ for blanks.
    """
    if last in FRIENDLY:
        return FRIENDLY[last]
    if len(last) == 1 and last.isprintable():
        (binding,) = Binding.make_bindings([Binding(last, "")])
        return binding.key
    name = last.casefold().replace(" ", "_")
    return FRIENDLY.get(name, name)


def _why_not(written: str, modifiers: list[str], key: str) -> str:
    """Return a clause on why a key cannot be bound.

    It does not exist, terminals send another in its place or cannot send it, or what it types
    depends on the keyboard. For a key that does not exist, a name that is nearly that of a key is
    suggested. `written` is how the person wrote it; `modifiers` and `key` are as Textual names
    them.
    """
    name = "+".join([*modifiers, key])
    if name in SENT_AS:
        return f"terminals send {quoted(written)} as {SENT_AS[name]}"
    if key in BARE:
        return f"most terminals send {quoted(written)} as {shown(key)}"
    if character(key) and modifiers == ["shift"]:
        return f"what {quoted(written)} types depends on the keyboard: write that character"
    if character(key):
        return f"most terminals cannot send {quoted(written)}"
    suggestion = closest(written.casefold(), [*SENT, *FRIENDLY])
    if suggestion:
        return f"there is no key {quoted(written)}; did you mean {quoted(suggestion)}?"
    return f"there is no key {quoted(written)}"


def character(key: str) -> str:
    """Return the character that a key, as Textual names it, types.

    Returns "" for keys such as Enter, Space or Ctrl+S.
    """
    typed = key_to_character(REPLACED_KEYS.get(key, key))
    if typed is None or typed == " " or not typed.isprintable() or _key(typed) != key:
        return ""
    return typed


def friendly(key: str) -> str:
    """Return a key that Textual names as a person may write it; `named` reverses this."""
    *modifiers, last = key.split("+")
    return "+".join([*modifiers, character(last) or last])


def shown(key: str) -> str:
    """Return how the screen names a key of Textual: `Ctrl+S`, `←`, `?`, `A`, or "" for ""."""
    *modifiers, last = key.split("+")
    name = SHOWN.get(last) or character(last) or last.capitalize()
    if modifiers and unicodedata.category(name[0]) == "Ll":
        name = name.upper()
    names = [modifier.capitalize() for modifier in modifiers]
    names.append(name)
    return "+".join(names)


def shown_together(keys: Iterable[str]) -> str:
    """Return the names of the first three keys, or a dash if there are none."""
    return " ".join(shown(key) for key in islice(keys, MOST_SHOWN)) or "–"


BENCH = "ReviewScreen"
"""The class of the screen over which all others open."""
FOCUSED = ("lines.", "response.")
"""How the ids begin of the keys of the widgets that have the focus while the bench is used."""
SELECTING = "select."
"""How the ids begin of the keys that act only while words of the response are selected."""
WHILE_SELECTING = ("move.", "item.menu", "text.none")
"""How the ids begin of the bench's keys that are needed while words are selected."""


def pane_of(kind: str) -> type[KindPane]:
    """Return the class of the pane for a kind of trait; a plain one for a kind without its own.

    Its module is loaded only now, since no pane is needed without a screen.
    """
    module = module_of(kind, "pane")
    pane: type[KindPane] = module.PANE if module else KindPane
    return pane


def kinds_of(rubric: Rubric) -> list[str]:
    """The names of the kinds that a rubric has traits of."""
    return list(dict.fromkeys(kind.name for kind, _ in rubric.every_trait()))


def keys_of(names: Iterable[str]) -> list[Key]:
    """Return the keys of a review screen for these kinds: their panes' first, then the screen's.

    A key that several panes have is returned once.
    """
    keys: list[Key] = []
    for name in names:
        keys += pane_of(name).KEYS
    return [*dict.fromkeys(keys), *KEYS]


class Bound(NamedTuple):
    """A binding as the program has it: the class it belongs to, its keys as Textual names them."""

    id: str
    owner: type[DOMNode]
    keys: tuple[str, ...]
    help: str

    def under(self, overrides: Mapping[str, str]) -> "Bound":
        """Return the binding with the keys that the person gave it, "" being none.

        A binding that `overrides` does not name is returned as it is.
        """
        if self.id not in overrides:
            return self
        return self._replace(keys=tuple(filter(None, overrides[self.id].split(","))))


@cache
def every() -> tuple[Bound, ...]:
    """Return every binding with an id, of all screens and widgets, with its usual keys.

    Loads all their modules, at the first call. A binding appears once for each class that defines
    it, with all its keys there, also if it has none.
    """
    for module in pkgutil.walk_packages(appellate.__path__, "appellate."):
        rooms = module.name.split(".")
        draws = rooms[1] in ("ui", "app") or (
            rooms[1] == "traits" and rooms[-1] == "pane"
        )
        if draws:  # some are loaded only once they are needed, but can be bound before
            import_module(module.name)
    bindings: list[Bound] = []
    for owner in dict.fromkeys(_owners(DOMNode)):
        bindings_by_id: dict[str, Bound] = {}
        for binding in Binding.make_bindings(owner.__dict__.get("BINDINGS", ())):
            if not binding.id:
                continue
            text = binding.tooltip or binding.description
            bound = bindings_by_id.setdefault(
                binding.id,
                Bound(binding.id, owner, (), text),
            )
            if binding.key == UNBOUND:
                continue
            keys = dict.fromkeys((*bound.keys, binding.key))
            bindings_by_id[binding.id] = bound._replace(keys=tuple(keys))
        bindings += bindings_by_id.values()
    return tuple(bindings)


def _owners(base: type[DOMNode]) -> Iterator[type[DOMNode]]:
    """Yield the subclasses of a class, at any depth, of this program; one may come twice."""
    for kind in base.__subclasses__():
        if kind.__module__.startswith("appellate."):
            yield kind
        yield from _owners(kind)


def by_id() -> dict[str, Bound]:
    """Return every binding by its id; if several classes have it, that of the first.

    At the first call the modules of all screens and widgets are loaded.
    """
    bindings_by_id: dict[str, Bound] = {}
    for bound in every():
        bindings_by_id.setdefault(bound.id, bound)
    return bindings_by_id


def used_twice(bounds: Sequence[Bound]) -> dict[frozenset[str], str]:
    """Return the pairs of bindings that have a key in common and act in one place.

    Each pair is the ids of the two. Its value is that key as Textual names it, the first one if
    they have several in common.
    """
    by_key: dict[str, list[Bound]] = defaultdict(list)
    for bound in bounds:
        for key in bound.keys:
            by_key[key].append(bound)

    keys_by_pair: dict[frozenset[str], str] = {}
    for key, sharing in by_key.items():
        for first, second in combinations(sharing, 2):
            if first.id == second.id:
                continue
            if _act_together(first, second):
                pair = frozenset((first.id, second.id))
                keys_by_pair.setdefault(pair, key)
    return keys_by_pair


def _act_together(first: Bound, second: Bound) -> bool:
    """Return whether two bindings are heard in one place, so that only one of them can act.

    That is so if one's class is made of the other's. It is so on the review screen for a key of the
    screen and one of a pane, and for keys of a widget that has the focus there. While words are
    selected, only some keys of the review screen are heard.
    """
    if issubclass(first.owner, second.owner) or issubclass(second.owner, first.owner):
        return True
    if _is_of_bench(first) and _is_of_bench(second):
        # only one pane is shown
        return BENCH in (first.owner.__name__, second.owner.__name__)
    if _is_of_bench(first):
        first, second = second, first
    if not _is_of_bench(second):
        return False
    if first.id.startswith(SELECTING):
        return second.id.startswith(WHILE_SELECTING)
    return first.id.startswith(FOCUSED)


def _is_of_bench(bound: Bound) -> bool:
    """Return whether a binding acts all over the bench: the screen's own, or one of a pane."""
    return bound.owner.__name__ == BENCH or issubclass(bound.owner, KindPane)
