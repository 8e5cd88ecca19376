"""The person's own keys: a TOML file of binding ids, held against every binding there is.

Textual takes unknown ids, keys that no terminal sends and keys given twice in silence; here all of
that is told before Textual sees it.
"""

import json
import pkgutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import groupby, permutations
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from textual.binding import Binding
from textual.dom import DOMNode

import appellate
from appellate.app.keynames import character, friendly, named, shown_together
from appellate.core.problem import Problem, Unusable, closest, describe_value, quoted
from appellate.store.text_file import MIB, text_of, toml_table, unusable
from appellate.store.wording import key_path, problems
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
WITH_TEXT = ("picker.", "prompt.", "help.list", "help.leave")
"""Where letters are typed."""
FOCUSED = ("lines.", "response.", "reading.")
"""Of the widgets that have the focus while the bench is used."""
SELECTING = ("move.", "item.menu", "text.none")
"""Of the screen's keys, those needed while words are selected."""


class Keymap(NamedTuple):
    """Where it came from ("" for none), and the keys of binding ids as Textual writes them.

    "" are the keys of a binding that has none.
    """

    file: str
    keys: Mapping[str, str]


NONE = Keymap("", {})


class Bound(NamedTuple):
    """A binding as the program has it: where it is heard, its keys as Textual names them."""

    id: str
    owner: type[DOMNode]
    keys: tuple[str, ...]
    told: str

    def under(self, overrides: Mapping[str, str]) -> "Bound":
        """The binding with the person's keys, where they gave it any or took them away."""
        if self.id not in overrides:
            return self
        return self._replace(keys=tuple(filter(None, overrides[self.id].split(","))))


# -- what can be bound ------------------------------------------------------------------------


@cache
def every() -> tuple[Bound, ...]:
    """Every binding with an id, of the screens and the widgets."""
    for module in pkgutil.walk_packages(appellate.__path__, "appellate."):
        rooms = module.name.split(".")
        draws = rooms[1] in ("ui", "app") or (rooms[1] == "traits" and rooms[-1] == "pane")
        if draws:  # some are loaded only once they are needed, but can be bound before
            import_module(module.name)
    found: list[Bound] = []
    for owner in dict.fromkeys(_owners(DOMNode)):
        found += _bound(owner)
    return tuple(found)


def _owners(of: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for kind in of.__subclasses__():
        if kind.__module__.startswith("appellate."):
            yield kind
        yield from _owners(kind)


def _bound(owner: type[DOMNode]) -> list[Bound]:
    found: dict[str, Bound] = {}
    for binding in Binding.make_bindings(owner.__dict__.get("BINDINGS", ())):
        if not binding.id:
            continue
        told = binding.tooltip or binding.description
        bound = found.setdefault(binding.id, Bound(binding.id, owner, (), told))
        keys = dict.fromkeys((*bound.keys, binding.key))
        found[binding.id] = bound._replace(keys=tuple(keys))
    return list(found.values())


def by_id() -> dict[str, Bound]:
    """Every binding by its id; a widget made of another has that one's, not its own again."""
    found: dict[str, Bound] = {}
    for bound in every():
        found.setdefault(bound.id, bound)
    return found


# -- reading ----------------------------------------------------------------------------------


def presets() -> list[str]:
    """The keymaps that ship with the program, by name."""
    return [USUAL, *sorted(path.stem for path in PRESETS.glob("*.toml"))]


def _preset(name: object) -> object:
    if name in presets():
        return name
    raise ValueError(f"must be one of {', '.join(presets())}, not {describe_value(name)}")


def _listed(keys: object) -> list[object]:
    """One key is a list of one, and "" is none."""
    if keys == "":
        return []
    if isinstance(keys, list):
        return keys
    return [keys]


KeyNames = Annotated[list[Annotated[str, BeforeValidator(named)]], BeforeValidator(_listed)]


class KeymapFile(BaseModel):
    """A keymap as a person writes it; its keys are as Textual names them once it is read."""

    model_config = ConfigDict(extra="forbid", strict=True)

    preset: Annotated[str, BeforeValidator(_preset)] = USUAL
    keys: dict[str, KeyNames] = {}


def load(wanted: str, folder: Path) -> Keymap:
    """A preset or a file, or where none is wanted the folder's `keymap.toml` if there is one.

    Raises Unusable with all that is wrong.
    """
    own = folder / "keymap.toml"
    if wanted == USUAL or not (wanted or own.is_file()):
        return NONE
    path = own
    if wanted:
        path = _place(wanted, folder)
    overrides, wrong = _read(path)
    wrong += conflicts(overrides, str(path))
    if wrong:
        raise Unusable(wrong)
    return Keymap(str(path), overrides)


def _place(wanted: str, folder: Path) -> Path:
    if wanted in presets():
        return PRESETS / f"{wanted}.toml"
    path = Path(wanted).expanduser()
    for place in (path, folder / path):
        if place.is_file():
            return place
    right = f"presets are {', '.join(presets())}; else name a TOML file"
    raise unusable("keymap", f"there is no preset and no file {quoted(wanted)}", right)


def _read(path: Path) -> tuple[dict[str, str], list[Problem]]:
    """The keys of binding ids that a file gives, and what is wrong with the rest of it."""
    file, wrong = str(path), []
    table = toml_table(text_of(path, MIB), file)
    try:
        written = KeymapFile.model_validate(table)
    except ValidationError as error:
        wrong = problems(error, table, file, {"": KeymapFile.model_fields})
        written = KeymapFile.model_validate(_without_faults(table, error))
    overrides: dict[str, str] = {}
    if written.preset != USUAL:
        overrides, _ = _read(PRESETS / f"{written.preset}.toml")
    known = by_id()
    for name, keys in written.keys.items():
        overrides[name] = ",".join(dict.fromkeys(keys))
        if name not in known:
            meant = closest(name, known)
            right = "appellate config --keys lists them"
            if meant:
                right = f"did you mean {quoted(meant)}?"
            wrong.append(Problem(file, key_path(["keys", name]), "there is no such binding", right))
    return overrides, wrong


def _without_faults(table: Mapping[str, Any], error: ValidationError) -> dict[str, Any]:
    """The table with nothing in it that is wrong, so that all else can be looked at too."""
    faulty = {detail["loc"] for detail in error.errors()}
    sound = {key: value for key, value in table.items() if (key,) not in faulty}
    for name, keys in sound.get("keys", {}).items():
        numbered = enumerate(_listed(keys))
        sound["keys"][name] = [
            key for index, key in numbered if ("keys", name, index) not in faulty
        ]
    return sound


# -- what would not work ----------------------------------------------------------------------


def conflicts(overrides: Mapping[str, str], file: str) -> list[Problem]:
    """Every way in which the keys would hide each other or leave something out of reach."""
    now = [bound.under(overrides) for bound in every()]
    usual = _clashes(every())
    found = []
    for clash, wrong in _clashes(now).items():
        if clash not in usual:
            found.append(Problem(file, "keys", wrong, "give one of them another key"))
    for bound in now:
        if bound.id in overrides:
            place = key_path(["keys", bound.id])
            found += [Problem(file, place, *fault) for fault in _faults(bound)]
    return found


def _clashes(bounds: Sequence[Bound]) -> dict[tuple[str, str, str], str]:
    """What is wrong where two have one key, by the key, the one that is heard and the other."""
    by_key: dict[str, list[Bound]] = defaultdict(list)
    for bound in bounds:
        for key in bound.keys:
            by_key[key].append(bound)
    found = {}
    for key, sharing in by_key.items():
        told = quoted(friendly(key))
        for one, other in permutations(sharing, 2):
            clash = key, one.id, other.id
            if _together(one, other):
                if one.id < other.id:  # once for both
                    found[clash] = f"{told} is the key of both {one.id} and {other.id}"
            elif _hides(one, other):
                found[clash] = f"{told} would never reach {other.id}: {one.id} takes it first"
    return found


def _together(one: Bound, other: Bound) -> bool:
    """Whether both are heard in one place: of one widget, or of the screen and a pane on it."""
    if one.owner is other.owner:
        return True
    screen = "ReviewScreen" in (one.owner.__name__, other.owner.__name__)
    return screen and _is_bench(one.owner) and _is_bench(other.owner)


def _hides(one: Bound, other: Bound) -> bool:
    """Whether a key of the bench would not be heard where it is needed, because of a widget's."""
    if not _is_bench(other.owner):
        return False
    if one.id.startswith("select."):
        return other.id.startswith(SELECTING)
    return one.id.startswith(FOCUSED)


def _is_bench(owner: type[DOMNode]) -> bool:
    """Whether its keys are heard all over the bench: the screen's own, and those of a pane."""
    return owner.__name__ == "ReviewScreen" or issubclass(owner, KindPane)


def _faults(bound: Bound) -> Iterator[tuple[str, str]]:
    """What is wrong with the keys of one binding, and what would be right."""
    if not bound.keys and (bound.id in ESSENTIAL or bound.id.endswith(("leave", "close"))):
        yield "this cannot be without a key", "give it one"
    for key in bound.keys:
        if bound.id.startswith(WITH_TEXT) and character(key):
            wrong = f"{quoted(friendly(key))} is typed as text there"
            yield wrong, "use a key such as F5 or Ctrl+T"
        if key in TAKEN and bound.id != "quit":
            yield f"{quoted(key)} cannot be had: {TAKEN[key]}", "use another key"


# -- using ------------------------------------------------------------------------------------


def for_textual(keymap: Keymap) -> dict[str, str]:
    """The keymap as `App.set_keymap` takes it."""
    return {name: keys or UNBOUND for name, keys in keymap.keys.items()}


def applied(keys: Sequence[Key], overrides: Mapping[str, str]) -> list[Key]:
    """The keys with the person's own in the place of the usual, at most three of them shown."""
    return [_with(key, overrides.get(key.id, key.keys)) for key in keys]


def _with(key: Key, chosen: str) -> Key:
    if chosen == key.keys:
        return key
    return replace(key, keys=chosen, shown=shown_together(filter(None, chosen.split(","))))


def keys_beside(own: Iterable[Key], keys: Sequence[Key]) -> list[Key]:
    """The keys that act where a pane has its `own`: those, then what they leave of the screen's."""
    ids = {key.id for key in own}
    mine = [key for key in keys if key.id in ids]
    taken = ",".join(key.keys for key in mine).split(",")
    beside = []
    for key in keys:
        if not key.own_action:
            left = [name for name in key.keys.split(",") if name not in taken]
            beside.append(_with(key, ",".join(left)))
    return [*mine, *beside]


def document(keymap: Keymap = NONE) -> str:
    """Every binding, its keys and what it does, as a keymap file that changes nothing."""
    lines = ["[keys]"]
    for owner, own in groupby(by_id().values(), lambda bound: bound.owner.__name__):
        lines += ["", f"# {owner}"]
        for bound in own:
            keys = [friendly(key) for key in bound.under(keymap.keys).keys]
            written = json.dumps(keys, ensure_ascii=False)  # TOML quotes as JSON does
            lines.append(f"{json.dumps(bound.id)} = {written}  # {bound.told}")
    return "\n".join(lines) + "\n"
