"""A map as a TOML file for `--map`, which `import --dry-run --write-map` fills in.

Its lines are the entries of `--map`: `verdict.Safety = "label"`. `table_map.read_map` reads it.
"""

from collections.abc import Mapping, Sequence

from appellate.core.inert import escaped
from appellate.interop.table_map import Bounds, TableMap, TraitMap, in_quotes
from appellate.store.files.toml import emit

_HEAD = """\
# What the columns of a table are, and what their values mean.
# Correct what is wrong, then give it back: appellate import … --map FILE
# Every field: appellate import --help
"""


def map_toml(table_map: TableMap, descriptions: Mapping[str, str]) -> str:
    """Return a map as the text of a TOML file for `--map`, with comments on how to use it.

    `descriptions` has a sentence on each trait by name, which is put above it as a comment; a trait
    without one has none. The map's sheet and joining columns are not in it.
    """
    lines = [_HEAD]
    for field, column in table_map.fields.items():
        lines.append(f"{_key(field)} = {_toml_text(column)}\n")
    for trait, trait_map in table_map.traits.items():
        comment = escaped(" ".join(descriptions.get(trait, "").split()))
        lines.append(f"\n# {comment}\n" if comment else "\n")
        for key, value in _entries(trait_map).items():
            lines.append(f"{key}.{_key(trait)} = {value}\n")
    return "".join(lines)


def _entries(trait_map: TraitMap) -> dict[str, str]:
    """Return what is said of a trait as values of TOML, by their keys."""
    return _column_entries(trait_map) | _meaning_entries(trait_map)


def _column_entries(trait_map: TraitMap) -> dict[str, str]:
    """Return the entries of a map that name a trait's columns, as TOML values by their keys.

    `{"verdict": '"label"', "person": '["anna", "ben"]'}`. Keys without a column are left out.
    """
    values: dict[str, str] = {}
    for key in ("claim", "nugget", "excerpt", "verdict", "reason"):
        if getattr(trait_map, key):
            values[key] = _toml_texts([getattr(trait_map, key)])
    if trait_map.person is not None and trait_map.person.is_majority:
        values["person"] = _toml_text(trait_map.person.name)
    elif trait_map.person is not None:
        values["person"] = _toml_texts(trait_map.person.columns)
    for key in ("why", "when"):
        if getattr(trait_map, key):
            values[key] = _toml_texts(getattr(trait_map, key))
    return values


def _meaning_entries(trait_map: TraitMap) -> dict[str, str]:
    """Return a map's entries on what a trait's values mean, as TOML values by their keys.

    `{"kind": '"score"', "scale": '"1..5"'}`. Keys without a value are left out, as is a scale open
    at both ends. Classes in order are one text, "bad<good", and others a list.
    """
    values: dict[str, str] = {}
    if trait_map.kind:
        values["kind"] = _toml_text(trait_map.kind)
    for key in ("positive", "negative"):
        if getattr(trait_map, key):
            values[key] = _toml_texts(getattr(trait_map, key))
    if trait_map.classes and trait_map.is_ordered:
        values["classes"] = _toml_text("<".join(map(in_quotes, trait_map.classes)))
    elif trait_map.classes:
        values["classes"] = _toml_texts(trait_map.classes)
    if trait_map.scale is not None and trait_map.scale != Bounds(None, None):
        values["scale"] = _toml_text(_scale_text(trait_map.scale))
    if trait_map.cut is not None:
        values["cut"] = f"{trait_map.cut:g}"
    if trait_map.none:
        values["none"] = _toml_texts(trait_map.none)
    if trait_map.criterion:
        values["criterion"] = _toml_text(trait_map.criterion)
    return values


def _scale_text(scale: Bounds) -> str:
    """Return a scale as `--map` has it: "1..5", "0.." if it is open upwards, "..5" if downwards."""
    low = "" if scale.low is None else f"{scale.low:g}"
    high = "" if scale.high is None else f"{scale.high:g}"
    return f"{low}..{high}"


def _key(name: str) -> str:
    """Return a name as a key of TOML, in quotes unless it is letters, digits, - and _."""
    return "".join(emit({name: 0})).partition(" = 0")[0]


def _toml_text(text: str) -> str:
    return "".join(emit({"a": text})).removeprefix("a = ").rstrip("\n")


def _toml_texts(texts: Sequence[str]) -> str:
    """Return one text as a TOML text, or several as a TOML list.

    A single text with a mark of the grammar of `--map` becomes a list, in which marks mean nothing.
    `texts` must not be empty.
    """
    if len(texts) == 1 and in_quotes(texts[0]) == texts[0]:
        return _toml_text(texts[0])
    return f"[{', '.join(map(_toml_text, texts))}]"
