"""The person's own keys: a TOML file of binding ids, held against every binding there is. Textual
takes unknown ids, keys that no terminal sends, and one key for two acts: they are refused here.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from textual.dom import DOMNode

from appellate.app.keys.bindings import (
    by_id,
    every,
    friendly,
    named,
    shown_together,
    used_twice,
)
from appellate.core.problem import Problem, Unusable, closest, describe_value, quoted
from appellate.store.files.text_file import MIB, expanded, text_of, toml_table, unusable
from appellate.store.files.wording import key_path, problems
from appellate.ui.key import Key
from appellate.ui.own_keys import UNBOUND

PRESETS = Path(__file__).with_name("keymaps")
USUAL = "usual"
_USUAL_TOO = re.compile(r" \(\S+ too\)$")
"""What the help says of a second usual key, as " (Ctrl+Z too)"."""
RETIRED = frozenset(
    (
        *("item.mark_to_here", "item.mark_down", "item.mark_up", "item.mark_all"),
        *("instruction.mark_to", "instruction.mark_down"),
        *("instruction.mark_up", "instruction.mark_all"),
        *("material.first", "material.last"),
        *("verdict.yes", "llm.yes", "callable.yes", "scorer.yes"),
    ),
)
"""Ids in keymaps of earlier versions whose acts are gone: they are read, and mean nothing."""
FIXED = ("enter", "escape")
"""Keys that no binding loses: with them a question is answered or left, and a screen is left."""


class Keymap(Struct, frozen=True):
    """The file, "" for none, and the keys of binding ids as Textual writes them, "" for none."""

    file: str
    keys: Mapping[str, str]

    @property
    def for_textual(self) -> dict[str, str]:
        """The keys as `App.set_keymap` takes them."""
        return {name: keys or UNBOUND for name, keys in self.keys.items()}


NONE = Keymap("", {})


# -- reading ----------------------------------------------------------------------------------


def presets() -> list[str]:
    """Return the names of the keymaps that ship with the program, that of the usual keys first."""
    return [USUAL, *sorted(path.stem for path in PRESETS.glob("*.toml"))]


def _preset(name: object) -> object:
    """Return the name of a preset as it is; raise ValueError if there is none with this name."""
    if name in presets():
        return name
    raise ValueError(
        f"must be one of {', '.join(presets())}, not {describe_value(name)}",
    )


def _listed(keys: object) -> list[object]:
    """Return the keys of a binding in a keymap file as a list; "" is no key.

    One key is a list of one.
    """
    if keys == "":
        return []
    if isinstance(keys, list):
        return keys
    return [keys]


KeyNames = Annotated[
    list[Annotated[str, BeforeValidator(named)]],
    BeforeValidator(_listed),
]


class KeymapFile(BaseModel):
    """A keymap as a person writes it; its keys are as Textual names them once it is read."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    preset: Annotated[str, BeforeValidator(_preset)] = USUAL
    keys: dict[str, KeyNames] = {}


def load(name: str, folder: Path) -> Keymap:
    """Return the reviewer's keymap: a preset or a file by name, or `folder`'s own for "".

    The folder's own is `keymap.toml`; a relative file may be in `folder`, too. Without that file,
    and for the preset "usual", the keymap is empty. A key that the file gives is taken from the
    bindings that have it in the same place, except those that the file gives it, too. Raises
    Unusable with all problems, also for two bindings that are given one key in one place.
    """
    own_file = folder / "keymap.toml"
    if name == USUAL or not (name or own_file.is_file()):
        return NONE
    path = own_file
    if name:
        path = _place(name, folder)
    layers, wrong = _read(path)
    overrides = _without_taken(layers)
    wrong += given_twice(overrides, str(path))
    if wrong:
        raise Unusable(wrong)
    return Keymap(str(path), _usual_beside(overrides) | overrides)


def _usual_beside(overrides: Mapping[str, str]) -> dict[str, str]:
    """Return the usual keys of all bindings that share one with a binding of `overrides`, by id.

    Only bindings of the same class of widget count. Textual takes the old keys of a binding from
    every binding of its class; those that are named keep them.
    """
    given_up: set[tuple[type[DOMNode], str]] = set()
    for bound in every():
        if bound.id not in overrides:
            continue
        for key in bound.keys:
            given_up.add((bound.owner, key))

    usual_keys = {}
    for bound in every():
        shares_key = any((bound.owner, key) in given_up for key in bound.keys)
        if shares_key:
            usual_keys[bound.id] = ",".join(bound.keys)
    return usual_keys


def usable(name: str, folder: Path, notes: list[str]) -> Keymap:
    """Return the keymap of this name, "" for the folder's own, or the empty one if it has faults.

    Its faults are appended to `notes` then, and that the usual keys are in use. Without a file of
    keys the keymap is empty.
    """
    try:
        return load(name, folder)
    except Unusable as refusal:
        notes += [*map(str, refusal.problems), "The usual keys are in use."]
        return NONE


def _place(name: str, folder: Path) -> Path:
    """Return the path of a keymap: a preset by name, else a file, also one in `folder`.

    A preset goes before a file. Raises Unusable if there is neither.
    """
    if name in presets():
        return PRESETS / f"{name}.toml"
    path = expanded(name)
    if path.is_file():
        return path
    path_in_folder = folder / path
    if path_in_folder.is_file():
        return path_in_folder
    names = ", ".join(presets())
    right = f"presets are {names}; else name a TOML file"
    raise unusable("keymap", f"there is no preset and no file {quoted(name)}", right)


def _read(path: Path) -> tuple[list[dict[str, str]], list[Problem]]:
    """Return the keys that a keymap file gives, in layers, and what is wrong with the file.

    A layer has keys by binding ids, as Textual names them, joined by commas, "" for no key. The
    layer of the file's preset comes first, if it has one, and its own last; they are not merged.
    Ids of earlier versions are renamed or left out. Values that are wrong are left out, but an
    unknown id is in both. Raises Unusable if the file cannot be read as TOML.
    """
    file = str(path)
    wrong = []
    table = toml_table(text_of(path, MIB), file)
    try:
        written = KeymapFile.model_validate(table)
    except ValidationError as error:
        wrong = problems(error, table, file, {"": KeymapFile.model_fields})
        written = KeymapFile.model_validate(_without_faults(table, error))
    layers: list[dict[str, str]] = []
    if written.preset != USUAL:
        layers, _ = _read(PRESETS / f"{written.preset}.toml")
    own_keys: dict[str, str] = {}
    known_ids = by_id()
    for name, keys in _by_ids_of_today(written.keys).items():
        own_keys[name] = ",".join(dict.fromkeys(keys))
        if name not in known_ids:
            suggestion = closest(name, known_ids)
            right = "appellate config --keys lists them"
            if suggestion:
                right = f"did you mean {quoted(suggestion)}?"
            wrong.append(
                Problem(
                    file,
                    key_path(["keys", name]),
                    "there is no such binding",
                    right,
                ),
            )
    return [*layers, own_keys], wrong


def _by_ids_of_today(keys: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return keys by binding ids, with ids of earlier versions renamed or left out.

    If both an old and the present id are given, the present one counts. Of an old id that had the
    keys of two acts, those of the act that is gone are left out.
    """
    from appellate.traits.verdict.pane_corrections import OLD_IDS

    renamed = {}
    for name, own_keys in keys.items():
        if name in OLD_IDS:
            renamed[OLD_IDS[name]] = own_keys
        if name == "regex.yes":  # it had the keys of two
            renamed["verdict.1"] = [key for key in own_keys if key != "y"]
    gone = RETIRED | OLD_IDS.keys()
    return renamed | {
        name: own_keys for name, own_keys in keys.items() if name not in gone
    }


def _without_faults(table: Mapping[str, Any], error: ValidationError) -> dict[str, Any]:
    """Return a keymap's table without the values that `error` is about, to check the rest.

    Lists of keys in `table` itself may be replaced.
    """
    faulty = {detail["loc"] for detail in error.errors()}
    sound = {key: value for key, value in table.items() if (key,) not in faulty}
    for name, keys in sound.get("keys", {}).items():
        sound_keys: list[Any] = []
        for index, key in enumerate(_listed(keys)):
            if ("keys", name, index) not in faulty:
                sound_keys.append(key)
        sound["keys"][name] = sound_keys
    return sound


# -- keys that were another's ------------------------------------------------------------------


def _without_taken(layers: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the keys of all layers by binding ids, and of bindings that lose a key by them.

    A key of a later layer is taken from the bindings that an earlier one, or the program, gives it
    in the same place; they keep their other keys. Keys of `FIXED` are taken from none. Two
    bindings that share a usual key of the program may share another.
    """
    overrides: dict[str, str] = {}
    layer_by_id: dict[str, int] = {}
    for number, layer in enumerate(layers, start=1):
        overrides |= layer
        layer_by_id |= dict.fromkeys(layer, number)

    usual = used_twice(every())
    is_settled = False
    while not is_settled:  # a pair may have several keys in common: one goes each time
        is_settled = True
        for ids, key in used_twice(
            [bound.under(overrides) for bound in every()],
        ).items():
            loser, winner = sorted(ids, key=lambda name: layer_by_id.get(name, 0))
            is_given_to_one = layer_by_id.get(loser, 0) < layer_by_id.get(winner, 0)
            if ids in usual or key in FIXED or not is_given_to_one:
                continue
            keys_before = by_id()[loser].under(overrides).keys
            overrides[loser] = ",".join(name for name in keys_before if name != key)
            is_settled = False
    return overrides


# -- what would not work ----------------------------------------------------------------------


def given_twice(overrides: Mapping[str, str], file: str) -> list[Problem]:
    """Return a problem for each two bindings that have one key in one place.

    Two that share a usual key of the program, such as `s` of the review screen and of a selection,
    may share another: which of them acts is then decided as it is for the usual key. `file` is
    named in the problems.
    """
    bindings_now = [bound.under(overrides) for bound in every()]
    usual = used_twice(every())
    problems_found = []
    for ids, key in used_twice(bindings_now).items():
        if ids not in usual:
            first, second = sorted(ids)
            wrong = f"{quoted(friendly(key))} is the key of both {first} and {second}"
            problems_found.append(
                Problem(file, "keys", wrong, "give one of them another key"),
            )
    return problems_found


# -- using ------------------------------------------------------------------------------------


def applied(keys: Sequence[Key], overrides: Mapping[str, str]) -> list[Key]:
    """Return the keys with the reviewer's own instead of the usual ones, in the same order."""
    return [_with(key, overrides.get(key.id, key.keys)) for key in keys]


def _with(key: Key, chosen: str) -> Key:
    """Return a key that is pressed by the keys in `chosen`, which Textual names, joined by commas.

    Its name on the screen has at most three of them. Its help no longer names a usual key.
    """
    if chosen == key.keys:
        return key
    return replace(
        key,
        keys=chosen,
        help=_USUAL_TOO.sub("", key.help),
        shown=shown_together(filter(None, chosen.split(","))),
    )


def one_before_another(*owners: Iterable[Key]) -> list[Key]:
    """Return the keys of several owners in order, each without what those of owners before it have.

    A key that is left with nothing to press is among them.
    """
    kept_keys: list[Key] = []
    for keys in owners:
        used_names: set[str] = set()
        for kept_key in kept_keys:
            used_names.update(kept_key.keys.split(","))
        for key in keys:
            remaining = [name for name in key.keys.split(",") if name not in used_names]
            kept_keys.append(_with(key, ",".join(remaining)))
    return kept_keys


def document(keymap: Keymap = NONE) -> str:
    """Return every binding, its keys and what it does, as the text of a keymap file.

    With this keymap in force, the file changes nothing.
    """
    lines = ["[keys]"]
    for owner, bindings_of_owner in groupby(
        by_id().values(),
        lambda bound: bound.owner.__name__,
    ):
        lines += ["", f"# {owner}"]
        for bound in bindings_of_owner:
            keys = [friendly(key) for key in bound.under(keymap.keys).keys]
            written = json.dumps(keys, ensure_ascii=False)  # TOML quotes as JSON does
            lines.append(f"{json.dumps(bound.id)} = {written}  # {bound.help}")
    return "\n".join(lines) + "\n"
