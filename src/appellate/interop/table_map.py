r"""What `--map` says of a table: which column is which, and what the values of a trait mean.

It is written as entries with commas between them, or as a TOML file with the same keys:

    --map response=answer,verdict.Safety=label,classes.Safety=fail<partial<pass
    --map FILE.toml

| entry | says |
| --- | --- |
| `FIELD=COLUMN` | the column of a field of a trace (`FIELDS`) |
| `KEY.TRAIT=…` | something of one trait (`TRAIT_KEYS`) |

A name with one of the marks `, = | <` stands in quotes: `verdict."Safe, sound"="label, final"`.
Within quotes `\"` is a quote and `\\` a backslash.

`read_map` is what the command line calls; both ways of writing come to one `TableMap`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.problem import Unusable, closest, many, quoted
from appellate.store.files.text_file import MIB, text_of, toml_table, unusable

OPTION = "--map"
LARGEST = MIB
"""Bytes of a file of a map, at most."""

FIELDS: Mapping[str, str] = {
    "response": "what the model answered",
    "id": "the name of the row; # is its number",
    "question": "what was asked",
    "reference": "the right answer",
    "model": "the model that answered",
    "documents": "what the answer rests on",
    "messages": "the conversation",
    "other": "a second answer, to be compared with the response",
    "other.model": "the model of the second answer",
    "epoch": "which repetition of the row it is",
    "cluster": "rows with the same value are drawn together",
    "metadata": "a table of whatever else is known",
}
"""The fields of a trace that a column may hold, and what they are."""

TRAIT_KEYS: Mapping[str, str] = {
    "verdict": "column of the judge's verdicts",
    "reason": "column of the judge's reasons",
    "person": "columns of people's verdicts: anna|ben; majority(a|b|c) is what most say",
    "why": "columns of people's reasons, in the order of person; |note is the second's",
    "when": "columns of the times when people ruled, in the same order",
    "claim": "column of one claim a row: rows of one answer become its list of claims",
    "nugget": "the same of claims that the response should make",
    "excerpt": "column of the words of the response that make the claim",
    "kind": "boolean, score, classes or number",
    "positive": "words that are yes: correct|right",
    "negative": "words that are no",
    "classes": "bad<good from worst to best, or a|b where none is better",
    "scale": "1..5; 0.. is open upwards",
    "cut": "the least number that is yes",
    "none": "what is no verdict: -1|N/A; of claims, what is irrelevant",
    "criterion": "what is asked",
}
"""The keys that say something of one trait, as `verdict.TRAIT`, and what stands behind them."""

Kind = Literal["boolean", "score", "classes", "number"]
KINDS: Mapping[str, Kind] = {
    "boolean": "boolean",
    "score": "score",
    "classes": "classes",
    "literal": "classes",
    "number": "number",
}
"""The kinds of a trait by the words for them. A score is whole and has two ends, a number need not.
"""


COLUMN_KEYS = (
    "verdict",
    "reason",
    "person",
    "why",
    "when",
    "claim",
    "nugget",
    "excerpt",
)
"""The keys of a trait that name columns; the others say what values mean."""


class Bounds(NamedTuple):
    """The ends of a scale; None where it is open."""

    low: float | None
    high: float | None


class PeopleColumns(Struct, frozen=True):
    """The columns of people's verdicts."""

    columns: tuple[str, ...]
    """At least one. Each is the verdicts of one person, whose name it has."""
    is_majority: bool = False
    """Whether they come to one verdict, which is what most of the people say."""

    @property
    def name(self) -> str:
        """The columns of people's verdicts as `--map` writes them: "anna|ben", "majority(a|b|c)".

        A name with one of the grammar's marks is in quotes.
        """
        columns = "|".join(map(in_quotes, self.columns))
        if self.is_majority:
            return f"majority({columns})"
        return columns


class TraitMap(Struct, frozen=True):
    """What a map says of one trait; what it does not say has the default."""

    verdict: str = ""
    """The column of the judge's verdicts."""
    reason: str = ""
    """The column of the judge's reasons."""
    person: PeopleColumns | None = None
    why: tuple[str, ...] = ()
    """The columns of people's reasons, in their order: none, or as many as people ("" for one
    without). A majority may have one.
    """
    when: tuple[str, ...] = ()
    """The columns of the times when people ruled, in the order of people; one may be of all."""
    claim: str = ""
    """The column of claims of the response, one a row; `verdict` and `person` label them then."""
    nugget: str = ""
    """The column of claims that the response should make, one a row, in place of `claim`."""
    excerpt: str = ""
    """The column of the words of the response that make the claim."""
    kind: Kind | None = None
    positive: tuple[str, ...] = ()
    """The words that are yes, in any case."""
    negative: tuple[str, ...] = ()
    """The words that are no, in any case."""
    classes: tuple[str, ...] = ()
    is_ordered: bool = False
    """Whether the classes are in order, from the worst to the best."""
    scale: Bounds | None = None
    cut: float | None = None
    """The least number that is yes."""
    none: tuple[str, ...] = ()
    """The words and numbers that are no verdict."""
    criterion: str = ""
    """What is asked of the response."""

    @property
    def columns(self) -> dict[str, str]:
        """The columns that `--map` names for this trait, by keys such as "verdict".

        It is meant for sentences: several columns of one key are in one text, as
        "anna|ben". Keys without a column are left out. `all_columns` has each column by
        itself.
        """
        columns_by_key = {"verdict": self.verdict, "reason": self.reason}
        if self.person is not None:
            columns_by_key["person"] = self.person.name
        columns_by_key["why"] = "|".join(self.why)
        columns_by_key["when"] = "|".join(self.when)
        columns_by_key["claim"] = self.claim
        columns_by_key["nugget"] = self.nugget
        columns_by_key["excerpt"] = self.excerpt
        return {key: column for key, column in columns_by_key.items() if column}

    @property
    def quoted_columns(self) -> dict[str, str]:
        """The texts of `columns` by the same keys, written as `--map` must have them.

        Each name is in quotes if it needs them: `anna|"b,c"`, `majority(a|b)`.
        """
        quoted_columns: dict[str, str] = {}
        for key, columns_text in self.columns.items():
            if key == "person":  # `PeopleColumns.name` has the quotes
                quoted_columns[key] = columns_text
            elif key in ("why", "when"):
                quoted_columns[key] = "|".join(map(in_quotes, getattr(self, key)))
            else:
                quoted_columns[key] = in_quotes(columns_text)
        return quoted_columns

    @property
    def all_columns(self) -> list[str]:
        """The name of every column that `--map` names for this trait, each once, without ""."""
        columns = [self.verdict, self.reason]
        columns += self.why
        columns += self.when
        columns += [self.claim, self.nugget, self.excerpt]
        if self.person is not None:
            columns += self.person.columns
        different_columns = dict.fromkeys(columns)
        different_columns.pop("", None)
        return list(different_columns)

    @property
    def meaning(self) -> "TraitMap":
        """A copy of this trait's map without its columns: only what its values mean.

        That is the kind, words, classes, scale, cut, `none` and criterion.
        """
        nothing = TraitMap()
        return replace(self, **{key: getattr(nothing, key) for key in COLUMN_KEYS})

    @property
    def is_of_claims(self) -> bool:
        """Whether each row has one claim of an answer, which is labelled, rather than an answer."""
        return bool(self.claim or self.nugget)


class TableMap(Struct, frozen=True):
    """All that a map says; a value of it may be empty."""

    fields: Mapping[str, str] = field(default_factory=dict)
    """The columns of the fields of a trace, by the names in `FIELDS`."""
    traits: Mapping[str, TraitMap] = field(default_factory=dict)
    """What is said of each trait, by its name."""
    sheet: str = ""
    """The sheet of a spreadsheet that has the rows; "" for the only one that has any."""
    join: tuple[str, ...] = ()
    """The names that the column has by which rows of several files belong together; none if each
    file has rows of its own."""

    def __bool__(self) -> bool:
        """Return whether the map says anything of columns or traits."""
        return bool(self.fields or self.traits)

    @property
    def columns(self) -> dict[str, str]:
        """The columns that `--map` names, by its keys such as "response" and "verdict.Safety".

        It is meant for sentences: several columns of one key are in one text, as "anna|ben".
        `column_entries` has them as the option takes them.
        """
        columns_by_key = dict(self.fields)
        for trait, trait_map in self.traits.items():
            for key, column in trait_map.columns.items():
                columns_by_key[f"{key}.{trait}"] = column
        return columns_by_key

    @property
    def column_entries(self) -> list[str]:
        """The entries of `--map` that name columns: "id=key", "person.Safety=anna|ben".

        They are written as the option must have them, with quotes where a name needs them. Entries
        on what values mean, as "cut.Safety=0.5", are not among them.
        """
        entries = [f"{key}={in_quotes(column)}" for key, column in self.fields.items()]
        for trait, trait_map in self.traits.items():
            for key, columns_text in trait_map.quoted_columns.items():
                entries.append(f"{key}.{in_quotes(trait)}={columns_text}")
        return entries

    @property
    def all_columns(self) -> list[str]:
        """The name of every column that `--map` names, for fields and then for traits, each once.

        `#`, for the row's number as id, is among them.
        """
        columns = list(self.fields.values())
        for trait_map in self.traits.values():
            columns += trait_map.all_columns
        return list(dict.fromkeys(columns))

    @property
    def has_columns(self) -> bool:
        """Whether the map names a column, and not only what values mean."""
        return bool(self.all_columns)

    @property
    def has_several_people(self) -> bool:
        """Whether some trait has the columns of two people or more, and is not their majority."""
        for trait in self.traits.values():
            people = trait.person
            if people is None or people.is_majority:
                continue
            if len(people.columns) > 1:
                return True
        return False

    @property
    def of_claims(self) -> dict[str, TraitMap]:
        """The maps of the traits with a column of claims or of nuggets, by the trait's name.

        Such a trait has one claim a row. {} if there is none.
        """
        return {
            name: trait for name, trait in self.traits.items() if trait.is_of_claims
        }

    @property
    def has_verdicts(self) -> bool:
        """Whether a column of a judge's or of people's verdicts is mapped."""
        return any(trait.verdict or trait.person for trait in self.traits.values())


NOTHING_MAPPED = TableMap()


def differing_key(later_map: TraitMap, first_map: TraitMap) -> str:
    """Return the first key by which a trait's later map contradicts its first; "" if none does.

    Only what values mean is compared, not the columns. What the later map leaves out contradicts
    nothing, but what it adds does: a scale that the first lacks is "scale". Words for yes or no
    differ only if the first map lacks one of them, in any case of letters.
    """
    for key in ("kind", "classes", "scale", "cut", "none", "criterion"):
        value = getattr(later_map, key)
        if value not in (None, (), "") and value != getattr(first_map, key):
            return key
    if later_map.is_ordered and not first_map.is_ordered:
        return "classes"
    for key in ("positive", "negative"):
        known_words = {word.casefold() for word in getattr(first_map, key)}
        later_words = {word.casefold() for word in getattr(later_map, key)}
        if not later_words <= known_words:
            return key
    return ""


# -- reading --------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    """One entry of a map: its key, the trait ("" of a field of a trace), and what it says."""

    key: str
    trait: str
    value: "_Text | list[str]"
    """A text in the grammar, or plain names, which a TOML file has as a list."""
    place: str
    """The key as it was written, for sentences."""


def read_map(arguments: Iterable[str]) -> TableMap:
    """Return the map that the values of all `--map` options say together.

    Each value is entries with commas between, or, if it has no `=` outside quotes, the name of a
    TOML file of entries. A later entry replaces an earlier one of the same key and trait. Blank
    values are skipped, so that [] gives an empty map. Raises Unusable for a file that cannot be
    read, for a wrong entry, and for entries of one trait that contradict each other.
    """
    fields: dict[str, str] = {}
    traits: dict[str, TraitMap] = {}
    for argument in arguments:
        source = OPTION
        text = _in_grammar(argument)
        if text.has("="):
            entries = _entries_of(text)
        elif not argument.strip(" ,"):
            continue
        else:
            source = argument.strip()
            entries = _entries_in_file(source)
        for entry in entries:
            if entry.trait:
                trait_map = traits.get(entry.trait, TraitMap())
                traits[entry.trait] = _with_entry(trait_map, entry, source)
            else:
                fields[entry.key] = _one_name(entry, source)
    for trait, trait_map in traits.items():
        _check_trait(trait, trait_map)
    return TableMap(fields, traits)


def map_of(entries: Mapping[str, str]) -> TableMap:
    """Return the map for entries by their keys, as `{"verdict.Safety": "label"}`.

    Keys and values are written as on the command line: names with marks such as "," need quotes.
    Raises Unusable for a wrong entry, and for entries of one trait that contradict each other.
    """
    parts = [f"{key}={value}" for key, value in entries.items()]
    return read_map([",".join(parts)])


def _entries_of(text: "_Text") -> Iterator[_Entry]:
    """Yield the entries of a value of `--map`, split at commas outside quotes, in order.

    Blank entries are skipped. Raises Unusable for one without a key, `=` or a value, and for an
    unknown key.
    """
    for part in text.split(","):
        if not part.plain:
            continue
        key_text, value = part.partition("=")
        if value is None or not value.plain or not key_text.plain:
            raise unusable(
                OPTION,
                f"{quoted(part.plain)} names no column",
                "FIELD=COLUMN is right",
            )
        yield _entry(key_text, value)


def _entry(key_text: "_Text", value: "_Text") -> _Entry:
    """Return one entry of `--map`, for a field of a trace or for a key of a trait.

    A key in `FIELDS`, also `other.model`, is a field, and its entry has "" as trait. Any other key
    is split at its first dot: `verdict.NAME`. Raises Unusable for an unknown key, and for a key of
    a trait without a name behind it.
    """
    full_key = key_text.plain
    if full_key in FIELDS:
        return _Entry(full_key, "", value, full_key)
    key, trait = key_text.partition(".")
    trait_name = trait.plain if trait is not None else ""
    _check_key(OPTION, key.plain, full_key, has_trait=bool(trait_name))
    return _Entry(key.plain, trait_name, value, full_key)


def _entries_in_file(file: str) -> Iterator[_Entry]:
    """Yield the entries of a map in the TOML file with this name, in the order of its keys.

    A key in a table counts as "TABLE.KEY". Raises Unusable if the file does not exist, cannot be
    read or is no TOML, for an unknown key, and for one of a trait without the trait. Raises it as
    well for a value that is neither text nor number nor a list of these, is blank, or has a quote
    that does not end.
    """
    if not Path(file).exists():
        wrong = f"{quoted(file)} names no column, and there is no such file"
        raise unusable(
            OPTION,
            wrong,
            "FIELD=COLUMN is right, or the name of a TOML file",
        )
    try:
        table = toml_table(text_of(file, LARGEST), file)
    except Unusable as refusal:
        problem, *_ = refusal.problems
        wrong = f"this is no map: {problem.wrong}"
        right = problem.right or "FIELD=COLUMN, or a TOML file with such lines"
        raise unusable(file, wrong, right, problem.place) from None
    for key, value in _flat_entries(table).items():
        if key in FIELDS:
            yield _Entry(key, "", _value_in_file(file, key, value), key)
            continue
        name, _, trait = key.partition(".")
        _check_key(file, name, key, has_trait=bool(trait.strip()))
        yield _Entry(name, trait, _value_in_file(file, key, value), key)


def _flat_entries(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a TOML document by their keys, those of its tables as "TABLE.KEY".

    Only one level is unfolded: a table within a table stays a dict. The document is not changed.
    """
    values: dict[str, Any] = {}
    for key, value in table.items():
        if not isinstance(value, dict):
            values[key] = value
            continue
        for name, inner in value.items():
            values[f"{key}.{name}"] = inner
    return values


def _value_in_file(file: str, key: str, value: object) -> "_Text | list[str]":
    """Return one value of a map's TOML file: parsed as on the command line, or as plain texts.

    The texts of a list are taken literally, and so is a `criterion`, both as a list. Any other text
    may have the grammar's quotes and marks, and a number is written out, as 0.00001. `key` is the
    full key, for the message. Raises Unusable for a bool, a table, a blank text, an empty list or a
    quote that does not end.
    """
    if isinstance(value, list) and value and all(map(_is_plain, value)):
        return [str(part) for part in value]
    is_criterion = key.startswith("criterion.")
    if is_criterion and isinstance(value, str) and value:
        return [value]
    if _is_plain(value):
        if isinstance(value, float):
            return _in_grammar(f"{Decimal(str(value)):f}")  # not 1e-05
        return _in_grammar(str(value))
    raise unusable(file, "must be a text or a number, or a list of them", place=key)


def _is_plain(value: object) -> bool:
    """Return whether a TOML value can stand for a text: a number, or a text that is not blank.

    A bool cannot.
    """
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_key(source: str, key: str, full_key: str, *, has_trait: bool) -> None:
    """Raise Unusable if `key` is no key of a trait (`TRAIT_KEYS`), or if it is one and lacks a
    trait.

    It is for a key that is no field of a trace, and the message says so. `full_key` is the key as
    written, with the trait, and `source` the option or file to name. The message on an unknown key
    suggests the nearest and lists all.
    """
    known_keys = [*FIELDS, *(f"{name}.TRAIT" for name in TRAIT_KEYS)]
    if key in TRAIT_KEYS and has_trait:
        return
    if key in TRAIT_KEYS:
        raise unusable(
            source,
            f"{quoted(key)} names no trait",
            f"{key}.TRAIT=… is right",
        )
    wrong = f"{quoted(full_key)} is no field of a trace"
    suggestion = closest(key, list(TRAIT_KEYS if has_trait else FIELDS))
    if suggestion and has_trait:
        suggestion = f"{suggestion}.{full_key.partition('.')[2]}"
    right = f"one of {', '.join(known_keys)}"
    if suggestion:
        right = f"did you mean {quoted(suggestion)}? There are {', '.join(known_keys)}"
    raise unusable(source, wrong, right)


# -- entries of a trait ---------------------------------------------------------------------------


def _with_entry(trait_map: TraitMap, entry: _Entry, source: str) -> TraitMap:
    """Return a copy of a trait's map with one more entry, which replaces an earlier one of its key.

    `source` is the option or file to name in messages. Raises Unusable for a value that the key
    cannot have, and AssertionError for an unknown key.
    """
    match entry.key:
        case "verdict" | "reason" | "criterion" | "claim" | "nugget" | "excerpt":
            return replace(trait_map, **{entry.key: _one_name(entry, source)})
        case "why" | "when":
            return replace(trait_map, **{entry.key: _columns_in_order(entry)})
        case "positive" | "negative" | "none":
            return replace(trait_map, **{entry.key: _names_in(entry, "|", source)})
        case "person":
            return replace(trait_map, person=_people_in(entry, source))
        case "classes":
            return _with_classes(trait_map, entry, source)
        case "scale":
            return replace(trait_map, scale=_bounds_in(entry, source))
        case "cut":
            return replace(trait_map, cut=_number_in(entry, source))
        case "kind":
            return replace(trait_map, kind=_kind_in(entry, source))
        case _:
            raise AssertionError(entry.key)


def _one_name(entry: _Entry, source: str) -> str:
    """Return the value of a map's entry that must be a single text, without its quotes.

    Marks in it stay. Raises Unusable for a list of several texts from a TOML file; `source` names
    the file.
    """
    if not isinstance(entry.value, list):
        return entry.value.plain
    if len(entry.value) == 1:
        return entry.value[0]
    raise unusable(source, "takes one text", place=entry.place)


def _names_in(entry: _Entry, mark: str, source: str) -> tuple[str, ...]:
    """Return the names in a map's entry, split at `mark` outside quotes, each once and in order.

    They are without their quotes and the blanks around them, and empty names are left out. A list
    from a TOML file is not split. Raises Unusable if no name is left; `source` is the option or
    file to name.
    """
    names = entry.value
    if not isinstance(names, list):
        names = [part.plain for part in names.split(mark)]
    different_names = dict.fromkeys(names)
    different_names.pop("", None)
    if not different_names:
        raise unusable(source, "has no name", place=entry.place)
    return tuple(different_names)


def _columns_in_order(entry: _Entry) -> tuple[str, ...]:
    """Return the columns in an entry `why` or `when`, split at "|", one for each person in order.

    "" stands for a person without one: "|note" is ("", "note"). A column may come twice. Names are
    without their quotes and the blanks around them; a list from a TOML file is taken as it is.
    """
    if isinstance(entry.value, list):
        return tuple(entry.value)
    return tuple(part.plain for part in entry.value.split("|"))


_MAJORITY = "majority("


def _people_in(entry: _Entry, source: str) -> PeopleColumns:
    """Return the columns of people's verdicts in an entry: "a|b", or "majority(a|b)".

    "majority(" must not be in quotes. A list from a TOML file is never a majority. Empty names are
    left out. A name that comes twice counts once, but twice within "majority(". Raises Unusable if
    no name is left; `source` is the option or file to name.
    """
    of_majority = None
    if not isinstance(entry.value, list):
        of_majority = entry.value.between(_MAJORITY, ")")
    if of_majority is None:
        return PeopleColumns(_names_in(entry, "|", source))
    columns = tuple(part.plain for part in of_majority.split("|") if part.plain)
    if not columns:
        raise unusable(source, "has no name", place=entry.place)
    return PeopleColumns(columns, is_majority=True)


def _with_classes(trait_map: TraitMap, entry: _Entry, source: str) -> TraitMap:
    """Return a copy of a trait's map with an entry's classes, "bad<good" in order or "a|b" not.

    The names in a list of a TOML file are in no order. Raises Unusable for both marks, for fewer
    than two classes, and for two that differ only in the case of letters. `source` is the option or
    file to name.
    """
    is_ordered = not isinstance(entry.value, list) and entry.value.has("<")
    if is_ordered and isinstance(entry.value, _Text) and entry.value.has("|"):
        right = "a<b<c from worst to best, or a|b|c where none is better"
        raise unusable(source, "has both < and |", right, entry.place)
    names = _names_in(entry, "<" if is_ordered else "|", source)
    if (
        len({name.casefold() for name in names}) < len(names)
        or len(names) < _FEWEST_CLASSES
    ):
        right = "a<b<c from worst to best, or a|b|c where none is better"
        raise unusable(
            source,
            "needs two classes or more, which differ",
            right,
            entry.place,
        )
    return replace(trait_map, classes=names, is_ordered=is_ordered)


_FEWEST_CLASSES = 2
_NUMBER = r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)"
_SCALE = re.compile(rf"(?P<low>{_NUMBER})?\s*\.\.\s*(?P<high>{_NUMBER})?")


def _bounds_in(entry: _Entry, source: str) -> Bounds:
    """Return the scale that an entry says: "1..5", "0.." (open upwards) or "..5" (open downwards).

    An end that is open is None. Raises Unusable for any other text, for "..", for a list of several
    texts, and if the first end is not below the second. `source` is the option or file to name.
    """
    text = _one_name(entry, source)
    match = _SCALE.fullmatch(text)
    if match is None or not (match["low"] or match["high"]):
        wrong = f"{quoted(text)} is no scale"
        raise unusable(
            source,
            wrong,
            "1..5 is one, and 0.. is open upwards",
            entry.place,
        )
    low = float(match["low"]) if match["low"] else None
    high = float(match["high"]) if match["high"] else None
    if low is not None and high is not None and low >= high:
        raise unusable(
            source,
            f"{quoted(text)} does not go upwards",
            "1..5 does",
            entry.place,
        )
    return Bounds(low, high)


def _number_in(entry: _Entry, source: str) -> float:
    """Return the number in a map's entry, as "0.5", "-3", "+3" or ".5".

    Raises Unusable for any other text, also "1e3", "5." and "0,5", and for a list of several texts.
    `source` is the option or file to name.
    """
    text = _one_name(entry, source)
    if not re.fullmatch(_NUMBER, text):
        raise unusable(source, f"{quoted(text)} is no number", place=entry.place)
    return float(text)


def _kind_in(entry: _Entry, source: str) -> Kind:
    """Return the kind of trait that an entry names, in any case; "literal" is "classes".

    Raises Unusable for a word not in `KINDS`, and for a list of several texts. `source` is the
    option or file to name.
    """
    text = _one_name(entry, source)
    kind = KINDS.get(text.lower())
    if kind is None:
        right = "boolean, score, classes or number"
        raise unusable(source, f"{quoted(text)} is no kind", right, entry.place)
    return kind


_KEYS_OF_KIND: Mapping[Kind, tuple[str, ...]] = {
    "boolean": ("positive", "negative", "cut"),
    "score": ("scale",),
    "classes": ("classes",),
    "number": ("scale",),
}
"""The keys that say what the values of each kind mean."""


def _check_trait(trait: str, trait_map: TraitMap) -> None:
    """Raise Unusable if what `--map` says of one trait contradicts itself.

    These contradict: keys of two kinds, as `cut` and `classes`; a key of another kind than
    `kind`; one word for both yes and no, in any case; claims beside keys for a single
    value. Reasons or times must fit the people (`_check_people`), and an excerpt needs
    claims (`_check_claims`). `trait` is its name.
    """
    is_mapped = {
        "positive": bool(trait_map.positive),
        "negative": bool(trait_map.negative),
        "cut": trait_map.cut is not None,
        "classes": bool(trait_map.classes),
        "scale": trait_map.scale is not None,
    }
    kinds = [trait_map.kind] if trait_map.kind else list(_KEYS_OF_KIND)
    keys = [key for key, is_said in is_mapped.items() if is_said]
    if not any(set(keys) <= set(_KEYS_OF_KIND[kind]) for kind in kinds):
        of_kind = f"kind.{trait}={trait_map.kind} and " if trait_map.kind else ""
        entries = " and ".join(f"{key}.{trait}" for key in keys)
        right = (
            "positive, negative and cut are of yes or no, classes of classes, scale of numbers;"
            " leave one out"
        )
        raise unusable(OPTION, f"{of_kind}{entries} contradict one another", right)
    _check_claims(trait, trait_map, keys)
    both = {word.casefold() for word in trait_map.positive}
    both &= {word.casefold() for word in trait_map.negative}
    if both:
        word = quoted(min(both))
        raise unusable(
            OPTION,
            f"{word} is yes and no of {quoted(trait)}",
            "leave one out",
        )
    _check_people(trait, trait_map)


def _check_claims(trait: str, trait_map: TraitMap, keys: Iterable[str]) -> None:
    """Raise Unusable if a trait of claims is mapped wrongly, or one without claims has an excerpt.

    A trait of claims must have either `claim` or `nugget`, a column of labels, and neither
    a `kind` nor a key for single values other than `positive` and `negative`. `keys` are
    those of its keys on values that are mapped. `trait` is its name.
    """
    if not trait_map.is_of_claims:
        if trait_map.excerpt:
            wrong = f"excerpt.{trait} is of claims, and no column of claims is mapped"
            raise unusable(OPTION, wrong, f"claim.{trait}=COLUMN")
        return
    if trait_map.claim and trait_map.nugget:
        wrong = f"claim.{trait} and nugget.{trait} contradict one another"
        right = (
            "claim is what the response says, nugget what it should say; leave one out"
        )
        raise unusable(OPTION, wrong, right)
    own_key = "claim" if trait_map.claim else "nugget"
    others = [key for key in keys if key not in ("positive", "negative")]
    if trait_map.kind:
        others.append("kind")
    if others:
        wrong = f"{own_key}.{trait} makes lists of claims, and {others[0]}.{trait} is of one value"
        right = (
            f"leave {others[0]} out; positive, negative and none say what labels mean"
        )
        raise unusable(OPTION, wrong, right)
    if not (trait_map.verdict or trait_map.person):
        wrong = f"{own_key}.{trait} has no column of labels"
        raise unusable(
            OPTION,
            wrong,
            f"verdict.{trait}=COLUMN or person.{trait}=COLUMN",
        )


def _check_people(trait: str, trait_map: TraitMap) -> None:
    """Raise Unusable if a trait's columns of people's reasons or times do not fit its people.

    Where there are such columns there must be people, and one column for each of them (""
    counts). A single column may be the times of all, and the reasons of all if the people
    are a majority. `trait` is the trait's name.
    """
    people_count = len(trait_map.person.columns) if trait_map.person else 0
    for key, columns in (("why", trait_map.why), ("when", trait_map.when)):
        if columns and not people_count:
            right = f"person.{trait}=COLUMN"
            raise unusable(
                OPTION,
                f"{key}.{trait} is of people, and none is mapped",
                right,
            )
        is_one_verdict = trait_map.person is not None and trait_map.person.is_majority
        may_be_of_all = len(columns) == 1 and (is_one_verdict or key == "when")
        if columns and len(columns) != people_count and not may_be_of_all:
            columns_text = many(len(columns), "column")
            wrong = f"{key}.{trait} has {columns_text} for {people_count} of people"
            right = (
                "name one for each in their order, nothing for one without: a| or |b"
            )
            raise unusable(OPTION, wrong, right)


# -- quotes ---------------------------------------------------------------------------------------

_MARKS = ",.=|<("
"""Marks behind which a name may begin with a quote."""


class _Character(NamedTuple):
    """A letter of a text of `--map`; in quotes it is never a mark of the grammar."""

    text: str
    is_quoted: bool


class _Text(NamedTuple):
    """A text in the grammar, in which marks within quotes are none."""

    characters: tuple[_Character, ...]

    @property
    def plain(self) -> str:
        """What this text of `--map` says, without its quotes and without blanks around it.

        Blanks within quotes stay.
        """
        return "".join(character.text for character in self.stripped().characters)

    def stripped(self) -> "_Text":
        """Return this text of `--map` without blanks around it; blanks within quotes stay."""
        characters = list(self.characters)
        while characters and _is_blank(characters[0]):
            characters.pop(0)
        while characters and _is_blank(characters[-1]):
            characters.pop()
        return _Text(tuple(characters))

    def has(self, mark: str) -> bool:
        """Return whether a mark, which is one character, stands in it outside of quotes."""
        return _Character(mark, is_quoted=False) in self.characters

    def split(self, mark: str) -> list["_Text"]:
        """Return the parts of this text of `--map` between the marks outside of quotes, in order.

        `mark` is one character. Parts keep their blanks and may be empty. Without the mark it is a
        list of this text.
        """
        parts: list[list[_Character]] = [[]]
        for character in self.characters:
            if character == _Character(mark, is_quoted=False):
                parts.append([])
            else:
                parts[-1].append(character)
        return [_Text(tuple(part)) for part in parts]

    def partition(self, mark: str) -> tuple["_Text", "_Text | None"]:
        """Return what is before the first mark outside of quotes in this text, and what is behind.

        The text is one of `--map`. `mark` is one character and is in neither part. Without it: this
        text and None. Blanks stay.
        """
        for index, character in enumerate(self.characters):
            if character == _Character(mark, is_quoted=False):
                return _Text(self.characters[:index]), _Text(
                    self.characters[index + 1 :],
                )
        return self, None

    def between(self, beginning: str, end: str) -> "_Text | None":
        """Return what stands between this text's `beginning` and its `end`, neither in quotes.

        None if the text does not begin and end so; case matters. Blanks around the text of `--map`
        do not matter, and those around the part that is returned stay.
        """
        text = self.stripped().characters
        first = tuple(_Character(letter, is_quoted=False) for letter in beginning)
        last = tuple(_Character(letter, is_quoted=False) for letter in end)
        if text[: len(first)] != first or text[len(text) - len(last) :] != last:
            return None
        return _Text(text[len(first) : len(text) - len(last)])


def _is_blank(character: _Character) -> bool:
    return character.text.isspace() and not character.is_quoted


_PIECE = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"', re.DOTALL)


def _in_grammar(argument: str) -> _Text:
    """Return a text of `--map` with its quotes read, so that marks within quotes count as letters.

    Blanks around it are left out. A quote begins only at the start or behind one of the marks
    `,.=|<(`; elsewhere it is a letter, as in `5" screen`. In quotes a backslash makes the next
    character a letter. Raises Unusable for a quote that does not end.
    """
    argument = argument.strip()
    characters: list[_Character] = []
    index = 0
    while index < len(argument):
        may_be_quote = index == 0 or _is_mark_before(argument, index)
        if argument[index] != '"' or not may_be_quote:
            characters.append(_Character(argument[index], is_quoted=False))
            index += 1
            continue
        match = _PIECE.match(argument, index)
        if match is None:
            raise unusable(
                OPTION,
                f"a quote does not end in {quoted(argument[index:])}",
            )
        text = re.sub(r"\\(.)", r"\1", match["quoted"], flags=re.DOTALL)
        characters += [_Character(letter, is_quoted=True) for letter in text]
        index = match.end()
    return _Text(tuple(characters))


def _is_mark_before(argument: str, index: int) -> bool:
    preceding = argument[:index].rstrip()
    return bool(preceding) and preceding[-1] in _MARKS


_QUOTE_THAT_BEGINS = re.compile(rf'(?:^|[{re.escape(_MARKS)}])\s*"')
"""A quote where `_in_grammar` takes it for the begin of a name, and not for a letter."""


def in_quotes(name: str) -> str:
    """Return a name as `--map` must have it: in quotes if it needs them, else unchanged.

    It needs them if it has one of the marks `, = | <` or a backslash, has blanks around it, begins
    with `majority(` or with a quote, or has a quote behind `.` or `(`. Quotes and backslashes
    within get a backslash.
    """
    is_bare = name == name.strip() and not name.startswith(_MAJORITY)
    is_bare = is_bare and _QUOTE_THAT_BEGINS.search(name) is None
    if is_bare and set(name).isdisjoint(",=|<\\"):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
