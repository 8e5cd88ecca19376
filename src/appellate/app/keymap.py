"""The person's own keys: a TOML file of binding ids, held against every binding there is before Textual sees it.

Textual takes unknown ids, keys that no terminal sends and keys given twice in silence; here all of that is told.
"""

import pkgutil
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from textual.binding import Binding
from textual.dom import DOMNode

import appellate
from appellate.app.keynames import KeyUnknown, character, friendly, named, shown
from appellate.core.problem import Problem, Unusable, closest, describe_value, quoted, unknown_key
from appellate.store.text_file import MIB, text_of, toml_table, unusable
from appellate.store.wording import key_path
from appellate.ui.key import Key
from appellate.ui.pane import KindPane

PRESETS = Path(__file__).with_name("keymaps")
USUAL = "usual"
UNBOUND = "unbound"  # no terminal sends it; Textual would take "" for "as it was"
TAKEN = {
    "ctrl+c": "it copies what is selected, and says how to quit",
    "ctrl+q": "it quits, whatever else is bound to it",
    "ctrl+z": "shells suspend programs with it",
}
ESSENTIAL = ("quit", "help", "confirm.yes", "confirm.no")
WITH_TEXT = (
    "picker.",
    "prompt.",
    "help.list",
    "help.leave",
)  # letters are typed where these are heard
FOCUSED = (
    "lines.",
    "response.",
    "reading.",
)  # of the widgets that have the focus while the bench is used
SELECTING = (
    "move.",
    "item.menu",
    "text.none",
)  # of the screen's keys, those needed while words are selected


class Keymap(NamedTuple):
    """Where it came from ("" for none), and the keys of binding ids as Textual writes them, "" for no key."""

    file: str
    keys: Mapping[str, str]


NONE = Keymap("", {})


class Bound(NamedTuple):
    """A binding as the program has it: where it is heard, and its keys as Textual names them."""

    id: str
    owner: type[DOMNode]
    keys: tuple[str, ...]
    told: str


# -- what can be bound ------------------------------------------------------------------------------


@cache
def every() -> tuple[Bound, ...]:
    """Every binding with an id, of the screens and the widgets."""
    for module in _drawn():
        import_module(module)
    return tuple(one for owner in dict.fromkeys(_owners(DOMNode)) for one in _bound(owner))


def _drawn() -> Iterator[str]:
    """The modules that draw: some are loaded only once they are needed, but their keys can be bound before."""
    for module in pkgutil.walk_packages(appellate.__path__, "appellate."):
        rooms = module.name.split(".")
        if rooms[1] in ("ui", "app") or (rooms[1] == "traits" and rooms[-1] == "pane"):
            yield module.name


def _owners(of: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for kind in of.__subclasses__():
        if kind.__module__.startswith("appellate."):
            yield kind
        yield from _owners(kind)


def _bound(owner: type[DOMNode]) -> Iterator[Bound]:
    keys: dict[str, list[str]] = {}
    told: dict[str, str] = {}
    for binding in Binding.make_bindings(owner.__dict__.get("BINDINGS", ())):
        if binding.id:
            keys.setdefault(binding.id, []).append(binding.key)
            told[binding.id] = binding.tooltip or binding.description
    return (Bound(id, owner, tuple(dict.fromkeys(names)), told[id]) for id, names in keys.items())  # noqa: A001


# -- reading ----------------------------------------------------------------------------------------


def presets() -> list[str]:
    """The keymaps that ship with the program, by name."""
    return [USUAL, *sorted(path.stem for path in PRESETS.glob("*.toml"))]


def load(wanted: str, folder: Path) -> Keymap:
    """A preset or a file, or where none is wanted the folder's `keymap.toml` if there is one; raises Unusable."""
    own = folder / "keymap.toml"
    if wanted == USUAL or not (wanted or own.is_file()):
        return NONE
    path = _place(wanted, folder) if wanted else own
    table = toml_table(text_of(path, MIB), str(path))
    overrides, problems = _overrides(table, str(path))
    problems += conflicts(overrides, str(path))
    if problems:
        raise Unusable(problems)
    return Keymap(str(path), overrides)


def _place(wanted: str, folder: Path) -> Path:
    if wanted in presets():
        return PRESETS / f"{wanted}.toml"
    path = Path(wanted).expanduser()
    found = next((one for one in (path, folder / path) if one.is_file()), None)
    if found is None:
        right = f"presets are {', '.join(presets())}; else name a TOML file"
        raise unusable("keymap", f"there is no preset and no file {quoted(wanted)}", right)
    return found


def _overrides(table: Mapping[str, Any], file: str) -> tuple[dict[str, str], list[Problem]]:
    problems = [
        Problem(file, key_path([key]), *unknown_key(key, ("preset", "keys")))
        for key in table.keys() - {"preset", "keys"}
    ]
    overrides: dict[str, str] = {}
    preset = table.get("preset", USUAL)
    if preset not in presets():
        problems.append(
            Problem(
                file,
                "preset",
                f"must be one of {', '.join(presets())}, not {describe_value(preset)}",
            )
        )
    elif preset != USUAL:
        overrides = _overrides(
            tomllib.loads((PRESETS / f"{preset}.toml").read_text("utf-8")), preset
        )[0]
    keys = table.get("keys", {})
    if not isinstance(keys, dict):
        problems.append(
            Problem(
                file, "keys", f"must be a table of binding ids and keys, not {describe_value(keys)}"
            )
        )
        keys = {}
    for id, value in keys.items():  # noqa: A001
        found = _keys_of(id, value, file)
        problems += found.problems
        overrides[id] = ",".join(found.keys)
    return overrides, problems


class _Read(NamedTuple):
    keys: list[str]
    problems: list[Problem]


def _keys_of(id: str, value: Any, file: str) -> _Read:  # noqa: A002
    """The keys written for a binding id, and what is wrong with them."""
    place = key_path(["keys", id])
    ids = dict.fromkeys(bound.id for bound in every())
    if id not in ids:
        meant = closest(id, ids)
        right = f"did you mean {quoted(meant)}?" if meant else "appellate config --keys lists them"
        return _Read([], [Problem(file, place, "there is no such binding", right)])
    listed = value
    if not isinstance(value, list):
        listed = [value] if value != "" else []
    read = _Read([], [])
    for written in listed:
        try:
            read.keys.append(named(written))
        except KeyUnknown as refusal:
            read.problems.append(Problem(file, place, str(refusal)))
    return _Read(list(dict.fromkeys(read.keys)), read.problems)


# -- what would not work ----------------------------------------------------------------------------


def conflicts(overrides: Mapping[str, str], file: str) -> list[Problem]:
    """Every way in which the keys would hide each other or leave something out of reach."""
    usual = every()
    now = [bound._replace(keys=_now(bound, overrides)) for bound in usual]
    clashes = list(dict.fromkeys([*_doubled(now, _doubled_pairs(usual))]))
    return [Problem(file, "keys", *clash) for clash in clashes] + [
        Problem(file, key_path(["keys", bound.id]), *fault)
        for bound in now
        if bound.id in overrides
        for fault in _lost(bound)
    ]


def _now(bound: Bound, overrides: Mapping[str, str]) -> tuple[str, ...]:
    keys = overrides.get(bound.id)
    return bound.keys if keys is None else tuple(key for key in keys.split(",") if key)


class _Pair(NamedTuple):
    """Two bindings with the same key; where both are not heard in the same place, the first hides the second."""

    key: str
    first: Bound
    second: Bound

    @property
    def name(self) -> tuple[str, str, str]:
        return (self.key, self.first.id, self.second.id)


def _pairs(bounds: Sequence[Bound]) -> Iterator[_Pair]:
    by_key: dict[str, list[Bound]] = {}
    for bound in bounds:
        for key in bound.keys:
            by_key.setdefault(key, []).append(bound)
    for key, sharing in by_key.items():
        yield from (
            _Pair(key, one, other) for one in sharing for other in sharing if _hides(one, other)
        )


def _doubled_pairs(bounds: Sequence[Bound]) -> set[tuple[str, str, str]]:
    return {pair.name for pair in _pairs(bounds)}


def _hides(one: Bound, other: Bound) -> bool:
    """Whether the key of `other` would never be heard, or not where it is needed, because of `one`."""
    if _together(one, other):
        return one.id < other.id
    if not _is_bench(other.owner):
        return False
    return one.id.startswith(FOCUSED) or (
        one.id.startswith("select.") and other.id.startswith(SELECTING)
    )


def _together(one: Bound, other: Bound) -> bool:
    """Whether both are heard in the same place: of one widget, or of the screen and a kind's pane on it."""
    if one.owner is other.owner:
        return True
    screen = "ReviewScreen" in (one.owner.__name__, other.owner.__name__)
    return screen and _is_bench(one.owner) and _is_bench(other.owner)


def _is_bench(owner: type[DOMNode]) -> bool:
    """Whether its keys are heard all over the bench: the screen's own, and those of a kind's pane."""
    return owner.__name__ == "ReviewScreen" or issubclass(owner, KindPane)


def _doubled(now: Sequence[Bound], usual: set[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    for pair in _pairs(now):
        if pair.name not in usual:
            same = _together(pair.first, pair.second)
            verb = "is the key of both" if same else "would never reach"
            names = (
                f"{pair.first.id} and {pair.second.id}"
                if same
                else f"{pair.second.id}: {pair.first.id} takes it first"
            )
            yield f"{quoted(friendly(pair.key))} {verb} {names}", "give one of them another key"


def _lost(bound: Bound) -> Iterator[tuple[str, str]]:
    if not bound.keys and (bound.id in ESSENTIAL or bound.id.endswith(("leave", "close"))):
        yield "this cannot be without a key", "give it one"
    if bound.id.startswith(WITH_TEXT):
        for key in bound.keys:
            if character(key):
                yield (
                    f"{quoted(friendly(key))} is typed as text there",
                    "use a key such as F5 or Ctrl+T",
                )
    for key in bound.keys:
        if key in TAKEN and bound.id != "quit":
            yield f"{quoted(key)} cannot be had: {TAKEN[key]}", "use another key"


# -- using ------------------------------------------------------------------------------------------


def for_textual(keymap: Keymap) -> dict[str, str]:
    """The keymap as `App.set_keymap` takes it."""
    return {id: keys or UNBOUND for id, keys in keymap.keys.items()}  # noqa: A001


def applied(keys: Sequence[Key], overrides: Mapping[str, str]) -> list[Key]:
    """The keys with the person's own in the place of the usual ones; `shown` names at most three of them."""
    return [_with(key, overrides[key.id]) if key.id in overrides else key for key in keys]


def _with(key: Key, chosen: str) -> Key:
    names = [shown(one) for one in chosen.split(",") if one]
    return replace(key, keys=chosen, shown=" ".join(names[:3]) or "–")


def keys_beside(own: Iterable[Key], keys: Sequence[Key]) -> list[Key]:
    """The keys that act where a pane has its `own`: those, then the screen's with what these leave of their keys."""
    ids = {key.id for key in own}
    mine = [key for key in keys if key.id in ids]
    taken = {name for key in mine for name in key.keys.split(",")}
    beside = []
    for key in keys:
        left = [name for name in key.keys.split(",") if name not in taken]
        if not key.own_action:
            beside.append(key if ",".join(left) == key.keys else _with(key, ",".join(left)))
    return [*mine, *beside]


def document(keymap: Keymap = NONE) -> str:
    """Every binding, its keys and what it does, as a keymap file that changes nothing."""
    counted = Counter(bound.id for bound in every())
    lines = ["[keys]"]
    group = ""
    for bound in every():
        if counted[bound.id] > 1:
            counted[bound.id] = 0
        elif not counted[bound.id]:
            continue
        if bound.owner.__name__ != group:
            group = bound.owner.__name__
            lines += ["", f"# {group}"]
        written = ", ".join(_quoted(friendly(key)) for key in _now(bound, keymap.keys))
        lines.append(f"{_quoted(bound.id)} = [{written}]  # {bound.told}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
