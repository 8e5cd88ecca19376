"""A map as a TOML file for `--map`, which `import --dry-run --write-map` fills in.

Its lines are the entries of `--map`: `verdict.Safety = "label"`. `table_map.read_map` reads it.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal

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
        key = _key(field)
        value = _toml_text(column)
        lines.append(f"{key} = {value}\n")
    for trait, trait_map in table_map.traits.items():
        lines.append("\n")
        words = descriptions.get(trait, "").split()
        comment = escaped(" ".join(words))
        if comment:
            lines.append(f"# {comment}\n")
        trait_key = _key(trait)
        entries = _column_entries(trait_map)
        entries |= _meaning_entries(trait_map)
        for key, value in entries.items():
            lines.append(f"{key}.{trait_key} = {value}\n")
    return "".join(lines)


def _column_entries(trait_map: TraitMap) -> dict[str, str]:
    """Return the entries of a map that name a trait's columns, as TOML values by their keys.

    `{"verdict": '"label"', "person": '["anna", "ben"]'}`. A majority of people is a text,
    `"majority(anna|ben)"`. A column with a mark of the grammar of `--map` is a list of one. Keys
    without a column are left out.
    """
    values: dict[str, str] = {}
    for key in ("claim", "nugget", "excerpt", "verdict", "reason"):
        column = getattr(trait_map, key)
        if column:
            values[key] = _toml_texts([column])
    person = trait_map.person
    if person is not None and person.is_majority:
        values["person"] = _toml_text(person.name)
    elif person is not None:
        values["person"] = _toml_texts(person.columns)
    for key in ("why", "when"):
        columns = getattr(trait_map, key)
        if columns:
            values[key] = _toml_texts(columns)
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
        words = getattr(trait_map, key)
        if words:
            values[key] = _toml_texts(words)
    if trait_map.classes and trait_map.is_ordered:
        from_worst_to_best = map(in_quotes, trait_map.classes)
        values["classes"] = _toml_text("<".join(from_worst_to_best))
    elif trait_map.classes:
        values["classes"] = _toml_texts(trait_map.classes)
    scale = trait_map.scale
    if scale is not None and scale != Bounds(None, None):
        values["scale"] = _toml_text(_scale_text(scale))
    if trait_map.cut is not None:
        values["cut"] = _number_text(trait_map.cut)
    if trait_map.none:
        values["none"] = _toml_texts(trait_map.none)
    if trait_map.criterion:
        values["criterion"] = _toml_text(trait_map.criterion)
    return values


def _scale_text(scale: Bounds) -> str:
    """Return a scale as `--map` has it: "1..5", "0.." if it is open upwards, "..5" if downwards."""
    low = ""
    if scale.low is not None:
        low = _number_text(scale.low)
    high = ""
    if scale.high is not None:
        high = _number_text(scale.high)
    return f"{low}..{high}"


def _number_text(number: float) -> str:
    """Return a number as `--map` reads it: with all of its digits and no exponent, as "0.00001"."""
    text = format(Decimal(repr(float(number))), "f")
    return text.removesuffix(".0")


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
    first = texts[0]
    if len(texts) == 1 and in_quotes(first) == first:
        return _toml_text(first)
    elements = ", ".join(map(_toml_text, texts))
    return f"[{elements}]"
