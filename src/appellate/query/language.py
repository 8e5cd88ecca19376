"""The query line: how a person says which cells to see, read strictly and answered in sentences.

`state:proposed trait:"BCL2*" f1<0.5 -text:apoptosis`: terms that must all hold, a minus for "not",
commas for "or", quotes around spaces.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import filterfalse
from typing import Literal, NamedTuple, cast

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import STATES
from appellate.core.kind import Measure, QueryField

Op = Literal[":", "<", "<=", ">", ">=", "="]
Shape = Literal["choice", "like", "says", "values", "count", "number", "measure", "meta"]

MARKS = {
    "flagged": "with a flag",
    "bookmarked": "that you bookmarked",
    "commented": "with a comment",
    "signed": "signed off",
    "unverified": "with an excerpt that is not in the response",
    "inconsistent": "whose labels are inconsistent",
    "disputed": "over which a panel disagreed",
    "missing-judge": "where a judge of the panel gave no labels",
    "suspicious": "whose trace speaks to the judge",
    "example": "that a judge was shown as an example",
    "hasty": "signed off within a second of coming into sight",
    "outdated": "signed off under another version of the trait",
    "unsettled": "signed off or ruled on over what was changed since",
    "sampled": "in the sample",
    "blind": "in the sample, whose judge is hidden until you rule",
    "ruled": "in the sample, ruled before the judge was seen",
}
OLD_MARKS = {"amiss": "inconsistent", "absent": "missing-judge"}
"""What marks were called before: such words are still read."""
UNDEFINED = "undefined"
META = "meta."
"""How the fields begin that ask for what a trace's metadata hold: `meta.site`."""
_WORDED = ("choice", "like", "says", "values")


class Vocabulary(NamedTuple):
    """The names that queries on one workspace may use.

    `measures`, `fields` and `answers` are those of its traits and of their `kinds`. `models`,
    `judges`, `instructions` and `words`, the values of fields in text, need not be all there are.
    `keys` are those of the traces' metadata, with a dot before what is in a table within;
    `more_keys` is whether there are others. `counted` are the counts, by the kind of traits, of
    those that share no instructions: no cell of them says how one is answered.
    """

    traits: tuple[str, ...] = ()
    measures: tuple[Measure, ...] = ()
    fields: tuple[QueryField, ...] = ()
    reviewers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = {}
    instructions: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    more_keys: bool = False
    counted: Mapping[str, tuple[str, ...]] = {}
    kinds: tuple[str, ...] = ()


class QueryFault(Struct, frozen=True):
    """What is wrong with the characters from `start` to `end`, and what would be right."""

    start: int
    end: int
    sentence: str


class QueryUnreadable(Exception):
    """A query with faults, all of them."""

    def __init__(self, faults: Sequence[QueryFault]) -> None:
        super().__init__(" ".join(fault.sentence for fault in faults))
        self.faults = list(faults)


class Suggestion(Struct, frozen=True):
    """What may be written in place of the characters from `start` to `end`, and what it means."""

    start: int
    end: int
    text: str
    meaning: str


class Field(Struct, frozen=True):
    """One thing a term may ask for.

    `path` is where a kind's field is in a cell's figures ("counts.tp"). A measure lies between
    `low` and `high`. Of a key of the metadata the name is that key as it is, without quotes. `word`
    may stand in the place of a number.
    """

    name: str
    shape: Shape
    meaning: str
    path: str = ""
    low: float = 0.0
    high: float = 1.0
    word: str = ""


class Term(Struct, frozen=True):
    """One condition; of several values one must hold."""

    field: Field
    op: Op
    values: tuple[str, ...]
    negated: bool = False

    def __str__(self) -> str:
        text = _bare(self.values[0])
        if self.field.name:
            values = ",".join(map(quoted, self.values))
            text = f"{_named_so(self.field.name)}{self.op}{values}"
        if self.negated:
            return f"-{text}"
        return text


class Query(Struct, frozen=True):
    """Terms that must all hold; its text parses back to itself."""

    terms: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))

    @property
    def marks(self) -> set[str]:
        """The marks that it asks for, or asks to be away."""
        found: set[str] = set()
        for term in self.terms:
            if term.field.name == "is":
                found.update(term.values)
        return found


WORD = Field("", "says", "words in what text: looks in, the question or the id")
"""What a bare word asks for."""
_FIELDS = (
    Field("state", "choice", "how far a cell is: pending, failed, proposed, corrected, reviewed"),
    Field("is", "choice", f"a mark: {', '.join(MARKS)}"),
    Field("trait", "like", "the trait's name; * is anything"),
    Field("kind", "like", "the kind of the trait: metric, llm, grounding …"),
    Field("id", "like", "the trace's id; * is anything"),
    Field("epoch", "count", "the trace's epoch"),
    Field("instruction", "says", "words in an instruction, or in the question that labels answer"),
    Field("answer", "like", "how labels answer an instruction, the one that is named if any is"),
    Field("judged", "like", "how the judge answers it, the same one that answer: asks for"),
    Field("text", "says", "words in the response, or the conversation where a trait reads it"),
    Field("said.user", "says", "words that the user says in a step of the conversation"),
    Field("said.assistant", "says", "words that the assistant says, thinks or calls tools with"),
    Field("said.tool", "says", "words that a tool gave"),
    Field("said.system", "says", "words of the system's instructions"),
    Field("calls", "like", "a tool that the conversation calls; * is anything"),
    Field("steps", "count", "how many steps the conversation has"),
    Field("question", "says", "words in the question"),
    Field("model", "like", "who wrote the response"),
    Field("cluster", "meta", "the cluster that the trace belongs to"),
    Field("question_id", "meta", "the id of the question that the trace answers"),
    Field("judge", "like", "who judged the cell"),
    Field("by", "like", "who acted on the cell"),
    Field("unverified", "count", "how many excerpts are not in the response"),
    Field("breaches", "count", "how many inconsistencies the labels have"),
    Field("overruled", "count", "how many instructions are answered differently from the judge"),
    Field("round", "count", "the round of judging that the labels of the judge are of"),
)
USERS = "user"
"""What `evidence:` asks for beside numbers."""
EVIDENCE = Field("evidence", "choice", "user: in the words of a user or of the system", word=USERS)
"""What labels rest on; kinds whose cells count it have their own field of this name."""
_SHOWN = 4  # values of a key beside its name
_SHAPES: Mapping[str, Shape] = {
    "count": "count",
    "number": "number",
    "text": "like",
    "values": "values",
}


def fields(vocabulary: Vocabulary) -> dict[str, Field]:
    """Everything a term may ask for, by name."""
    found = list(_FIELDS[:2])
    judged: list[Field] = []
    for one in vocabulary.measures:
        name = one.name
        low = one.low
        high = one.high
        stand = f"{name} of the labels as they are now"
        found.append(Field(name, "measure", stand, f"standing.{name}", low, high))
        judges = f"{name} of the judge's labels"
        judged.append(Field(f"judge.{name}", "measure", judges, f"judge.{name}", low, high))
    for of_kind in vocabulary.fields:
        shape = _SHAPES[of_kind.shape]
        field = Field(of_kind.name, shape, of_kind.help, of_kind.path)
        if field.name == EVIDENCE.name:
            field = replace(field, meaning=f"{field.meaning}; {EVIDENCE.meaning}", word=USERS)
        found.append(field)
    found += [*_FIELDS[2:], *judged]
    for key in vocabulary.keys:
        name = META + key
        found.append(Field(name, "meta", _describe(vocabulary.words.get(name, ()))))
    by_name = {field.name: field for field in found}
    by_name.setdefault(EVIDENCE.name, EVIDENCE)
    return by_name


def _describe(values: Sequence[str]) -> str:
    """What a key of the metadata says in some traces."""
    text = ", ".join(values[:_SHOWN])
    if len(values) > _SHOWN:
        text += " …"
    return f"metadata: {text}" if text else "metadata of the trace"


# -- writing --------------------------------------------------------------------------------------

_PLAIN = re.compile(r'[^\s",]+')
_KEY = r'(?i:meta)\.(?:"(?:\\.|[^"\\])*"|[^\s"<>=:,])+'
_NAMED = re.compile(rf"({_KEY}|[^\W\d_][\w.]*)(:|<=|>=|<|>|=)", re.ASCII)


def quoted(value: str) -> str:
    """A value as a query writes it, in quotes where it needs them."""
    return value if _PLAIN.fullmatch(value) else _in_quotes(value)


def of_trait(trait: str, *more: str) -> str:
    """The cells of a trait, with more terms."""
    return " ".join(filter(None, [f"trait:{quoted(trait)}", *more]))


def _bare(word: str) -> str:
    if word.startswith("-") or _NAMED.match(word):
        return _in_quotes(word)
    return quoted(word)


def _is_key(name: str) -> bool:
    return name.startswith(META)


def is_grouping(by: str, fields: Collection[str]) -> bool:
    """Whether traces can be grouped by it: one of these fields, or a key of the metadata."""
    return by in fields or (_is_key(by) and by != META)


def _named_so(name: str) -> str:
    """A field as a query names it: a key of the metadata in quotes where it needs them."""
    if not _is_key(name) or re.fullmatch(_KEY, name):
        return name
    return META + _in_quotes(name.removeprefix(META))


def _in_quotes(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


# -- reading --------------------------------------------------------------------------------------

_QUOTED = r'"(?:\\.|[^"\\])*(?:"|\\?\Z)'
_TERM = re.compile(rf'(?:{_QUOTED}|[^\s"])+', re.DOTALL)
_VALUE = re.compile(rf'(?:{_QUOTED}|[^",])*', re.DOTALL)
_QUOTE = re.compile(_QUOTED, re.DOTALL)
_CLOSED = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)


class _RawTerm(Struct, frozen=True):
    """A term as it is in the line: its sign, its field with operator, if any, and the rest."""

    start: int
    end: int
    negated: bool
    name: str
    op: str
    name_at: int
    rest_at: int
    rest: str


def _pieces(text: str) -> Iterator[_RawTerm]:
    for found in _TERM.finditer(text):
        start = found.start()
        end = found.end()
        word = found[0]
        negated = word.startswith("-")
        name = ""
        op = ""
        rest = int(negated)
        if named := _NAMED.match(word, rest):
            name = _plainly(named[1])
            op = named[2]
            rest = named.end()
        yield _RawTerm(start, end, negated, name, op, start + negated, start + rest, word[rest:])


def _plainly(name: str) -> str:
    """The name of a field as it is known: in lower case, but for the keys of metadata."""
    if name.lower().startswith(META):
        return META + _unquoted(name[len(META) :])
    return name.lower()


def _sought(name: str, known: Mapping[str, Field], vocabulary: Vocabulary) -> Field | None:
    """The field of a name; a key of the metadata in any case, unless two differ by that."""
    found = known.get(name)
    if found is None and _is_key(name):
        folded = dict(zip(map(str.casefold, known), known.values(), strict=True))
        found = folded.get(name.casefold())
        if found is None and vocabulary.more_keys:
            return Field(name, "meta", _describe(()))
    return found


def parse(text: str, vocabulary: Vocabulary) -> Query:
    """The query that a line says; raises QueryUnreadable with every fault."""
    known = fields(vocabulary)
    terms: list[Term] = []
    faults: list[QueryFault] = []
    for piece in _pieces(text):
        found = list(_faults(piece, known, vocabulary))
        if found:
            faults += found
        else:
            terms.append(_term(piece, _sought(piece.name, known, vocabulary)))
    if faults:
        raise QueryUnreadable(faults)
    return Query(tuple(terms))


def _term(piece: _RawTerm, field: Field | None) -> Term:
    if field is None:
        return Term(WORD, ":", (_unquoted(piece.rest),), piece.negated)
    values: list[str] = []
    for _, _, written in _values(piece):
        value = written
        if field.shape not in ("like", "says", "values", "meta"):
            value = written.lower()
        if field.name == "is":
            value = OLD_MARKS.get(value, value)
        values.append(value)
    op = piece.op  # `tp:3` is `tp=3` and `state=failed` is `state:failed`
    is_meta = field.shape == "meta"
    is_word = values[0] in (UNDEFINED, field.word)
    if field.shape in _WORDED or is_word or (is_meta and op == "="):
        op = ":"
    elif op == ":" and not is_meta:
        op = "="
    return Term(field, cast("Op", op), tuple(values), piece.negated)


def _values(piece: _RawTerm) -> Iterator[tuple[int, int, str]]:
    at = 0
    while True:
        found = _VALUE.match(piece.rest, at)
        end = found.end() if found else len(piece.rest)
        yield piece.rest_at + at, piece.rest_at + end, _unquoted(piece.rest[at:end])
        if end >= len(piece.rest):
            return
        at = end + 1


def _unquoted(text: str) -> str:
    return _QUOTE.sub(_inside, text)


def _inside(quote: re.Match[str]) -> str:
    inner = quote[0][1:]
    if _CLOSED.fullmatch(quote[0]):
        inner = inner[:-1]
    return re.sub(r'\\(["\\])', r"\1", inner)


# -- faults ---------------------------------------------------------------------------------------


def _faults(
    piece: _RawTerm, known: Mapping[str, Field], vocabulary: Vocabulary
) -> Iterator[QueryFault]:
    if not all(map(_CLOSED.fullmatch, _QUOTE.findall(piece.rest))):
        yield QueryFault(
            piece.start,
            piece.end,
            'A quote is opened and not closed: write another " behind the words.',
        )
    elif not piece.name:
        if not _unquoted(piece.rest):
            yield QueryFault(piece.start, piece.end, _NO_WORD[piece.negated])
    elif (field := _sought(piece.name, known, vocabulary)) is None:
        yield QueryFault(piece.name_at, piece.rest_at, _unknown_field(piece, known))
    else:
        values = looked_at = list(_values(piece))
        if piece.op not in (":", "="):
            looked_at = values[:1]  # a comparison takes one number, and says so once
        for start, end, value in looked_at:
            if sentence := _value_fault(field, piece.op, value, len(values), vocabulary):
                yield QueryFault(start if value else piece.start, end, sentence)


_LISTED = 12  # keys of the metadata that a sentence names
_NO_WORD = {
    True: "A minus is right before what it excludes, as in -state:reviewed.",
    False: "Empty quotes look for nothing: write the words between them.",
}


def _unknown_field(piece: _RawTerm, known: Mapping[str, Field]) -> str:
    as_words = _in_quotes(piece.name + piece.op + _unquoted(piece.rest))
    quote = f"To look for the words, quote them: {as_words}."
    if _is_key(piece.name):
        return f"{_unknown_key(piece.name, list(filter(_is_key, known)))} {quote}"
    names = list(filterfalse(_is_key, known))
    hint = f"there are {', '.join(names)}."
    if META + piece.name in known:
        hint = f"did you mean {_named_so(META + piece.name)}, of the metadata?"
    elif near := get_close_matches(piece.name, names, 1):
        hint = f"did you mean {near[0]}?"
    return f"There is no field {piece.name}: {hint} {quote}"


def _unknown_key(name: str, keys: Sequence[str]) -> str:
    """What is said of a key that no trace has: the nearest, or which there are."""
    key = name.removeprefix(META)
    if not keys:
        return f"No trace has {key} in its metadata: they have none."
    folded = dict(zip(map(str.casefold, keys), keys, strict=True))
    if near := get_close_matches(name.casefold(), folded, 1):
        hint = f"did you mean {_named_so(folded[near[0]])}?"
    else:
        hint = f"there are {', '.join(map(_named_so, keys[:_LISTED]))}."
        if len(keys) > _LISTED:
            hint = f"{hint[:-1]} and {len(keys) - _LISTED} more."
    return f"No trace has {key} in its metadata: {hint}"


def _value_fault(field: Field, op: str, value: str, of: int, vocabulary: Vocabulary) -> str:
    """What is wrong with one value; nothing for one that is right."""
    name = field.name
    compared = op not in (":", "=")
    if not value:
        return f"There is nothing after {name}{op}, as in {_example(field, vocabulary)}."
    if compared and field.shape in _WORDED:
        return f"{name} cannot be compared: write {_example(field, vocabulary)}."
    if field.word and not compared and value.lower() == field.word:
        return ""
    if compared and of > 1:
        return (
            f"{name}{op} takes one number: write .5 and not ,5,"
            " and the other number as a term of its own."
        )
    match field.shape:
        case "choice":
            return _choice_fault(field, value)
        case "like":
            return _name_fault(field, value, vocabulary)
        case "measure":
            return _measure_fault(field, op, value, of)
    return _number_fault(field, op, value)


def _number_fault(field: Field, op: str, value: str) -> str:
    """What is wrong with a value that is counted or compared."""
    name = field.name
    match field.shape:
        case "count" if not _COUNT.fullmatch(value):
            sentence = f"{name} is counted: write {name}{op}3"
            return f"{sentence}, or {name}:{field.word}." if field.word else f"{sentence}."
        case "number" if not NUMBER.fullmatch(value):
            return f"{name} is a number: write {name}{op}3."
        case "meta" if op not in (":", "="):
            if not (NUMBER.fullmatch(value) or DATE.fullmatch(value)):
                so = f"{_named_so(name)}{op}"
                hint = f"write {so}3, or {so}2026-01-31."
                return f"{name} is compared with a number or a date: {hint}"
    return ""


def _choice_fault(field: Field, value: str) -> str:
    known = choices(field.name)
    if value.lower() in known or (field.name == "is" and value.lower() in OLD_MARKS):
        return ""
    hint = f"write {', '.join(known)}."
    if near := get_close_matches(value.lower(), known, 1):
        hint = f"did you mean {near[0]}?"
    return f"{field.name}:{value} is nothing known: {hint}"


def choices(name: str) -> list[str]:
    """The values that a field with a closed list of them takes."""
    if name == "state":
        return list(STATES)
    if name == EVIDENCE.name:
        return [USERS]
    return list(MARKS)


_UNKNOWN = {
    "trait": "No trait is called",
    "kind": "No trait is of the kind",
    "by": "Nobody acted here who is called",
    "answer": "No instruction is answered",
    "judged": "No instruction is answered",
}
"""What is said of a name that is none of those there are."""


def _name_fault(field: Field, value: str, vocabulary: Vocabulary) -> str:
    if field.name not in _UNKNOWN:
        return ""
    wrong = _UNKNOWN[field.name]
    known = _names(field.name, vocabulary)
    counted = ""
    if field.name in ("answer", "judged"):
        counted = _counted(value, vocabulary)
    if any(map(like(value), known)) or not (known or counted):
        return ""
    if not known:
        return f"{wrong} {value}: {counted}."
    near = next(iter(get_close_matches(value, known, 1)), known[0])
    part = f"{field.name}:*{quoted(value)}*"
    hint = f"write {field.name}:{quoted(near)}, or {part} for a part of it."
    if counted:
        hint = f"{counted}; for others {hint}"
    return f"{wrong} {value}: {hint}"


def _counted(value: str, vocabulary: Vocabulary) -> str:
    """What is to be asked of traits that share no instructions; nothing where there are none."""
    texts: list[str] = []
    for kind, names in vocabulary.counted.items():
        example = value.lower() if value.lower() in names else names[-1]
        texts.append(f"{kind} cells have counts ({', '.join(names)}), as in {example}>0")
    return "; ".join(texts)


_COUNT = re.compile(r"\d{1,9}", re.ASCII)
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)", re.ASCII)
DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?)?", re.ASCII)
""" "2026-01", "2026-01-31", "2026-01-31T09:30"."""


def _measure_fault(field: Field, op: str, value: str, of: int) -> str:
    name = field.name
    example = _example_of(field)
    if value.lower() == UNDEFINED:
        if op in (":", "=") and of == 1:
            return ""
        return f"{name}:{UNDEFINED} stands alone, with a colon."
    if not NUMBER.fullmatch(value):
        bounds = f"from {field.low:g} to {field.high:g}"
        return f"{name} is a number {bounds}: write {example}, or {name}:{UNDEFINED} for 0/0."
    if not field.low <= float(value) <= field.high:
        bounds = f"between {field.low:g} and {field.high:g}"
        return f"{name} lies {bounds}: write {example} for the lower half."
    return ""


def _example_of(field: Field) -> str:
    return f"{field.name}<{(field.low + field.high) / 2:g}"


def _example(field: Field, vocabulary: Vocabulary) -> str:
    match field.shape:
        case "choice":
            return f"{field.name}:{choices(field.name)[0]}"
        case "count" | "number":
            return f"{field.name}>0"
        case "measure":
            return _example_of(field)
        case _:
            known = iter(_names(field.name, vocabulary))
            return f"{_named_so(field.name)}:{quoted(next(known, 'word'))}"


# -- names with wildcards -------------------------------------------------------------------------


def like(pattern: str) -> Callable[[str], bool]:
    """Whether a name is the pattern, in any case; `*` stands for anything."""
    first, *rest = pattern.casefold().split("*")

    def matches(name: str) -> bool:
        name = name.casefold()
        if not rest:
            return name == first
        return name.startswith(first) and _holds(name[len(first) :], rest)

    return matches


def _holds(name: str, parts: list[str]) -> bool:
    """Whether the parts are in the name one after another, the last at its end."""
    at = 0
    for part in parts[:-1]:
        found = name.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return name.endswith(parts[-1]) and len(name) - len(parts[-1]) >= at


def values_text(words: str) -> list[str]:
    """The values in "C", or in "style C, facts I"."""
    return [part.rpartition(" ")[2] for part in words.split(", ")]


# -- completing -----------------------------------------------------------------------------------


def completions(text: str, cursor: int, vocabulary: Vocabulary) -> list[Suggestion]:
    """Fields, or values of a field, at the cursor; those that begin with what is there first."""
    piece = next((one for one in _pieces(text) if one.start < cursor <= one.end), None)
    if piece is None:
        return _fields_like(cursor, cursor, "", "", vocabulary)
    if piece.op and cursor >= piece.rest_at:
        field = _sought(piece.name, fields(vocabulary), vocabulary)
        if field is None:
            return []
        place = next(one for one in _values(piece) if cursor <= one[1])
        return _values_like(field, place, vocabulary)
    if cursor < piece.name_at:
        return []
    end = piece.rest_at if piece.op else piece.end
    typed = text[piece.name_at : cursor].lower()
    return _fields_like(piece.name_at, end, typed, piece.op, vocabulary)


def _fields_like(
    start: int, end: int, typed: str, op: str, vocabulary: Vocabulary
) -> list[Suggestion]:
    signs = {"count": ">", "number": ">", "measure": "<"}
    known = fields(vocabulary)
    names = list(known)
    if vocabulary.keys and typed != META and META.startswith(typed):
        names = list(filterfalse(_is_key, known))
    found: list[Suggestion] = []
    for name in _nearest(typed.replace('"', ""), names):
        field = known[name]
        mark = op or signs.get(field.shape, ":")
        found.append(Suggestion(start, end, _named_so(name) + mark, field.meaning))
    if len(names) < len(known):
        text = f"a key of the traces' metadata: {', '.join(vocabulary.keys[:_SHOWN])} …"
        found.append(Suggestion(start, end, META, text))
    return found


def _values_like(
    field: Field, place: tuple[int, int, str], vocabulary: Vocabulary
) -> list[Suggestion]:
    start, end, typed = place
    known = _names(field.name, vocabulary)
    if field.shape == "measure":
        known = (UNDEFINED,)
    if field.word:
        known = (field.word,)
    meanings = {UNDEFINED: "0/0: there is nothing to compute it from"}
    if field.name == "is":
        meanings = MARKS
    if field.word:
        meanings = {USERS: EVIDENCE.meaning.partition(": ")[2]}
    near = _nearest(typed.lower().strip("*"), known)
    return [Suggestion(start, end, quoted(name), meanings.get(name, "")) for name in near]


_NAMES = {
    "trait": "traits",
    "kind": "kinds",
    "by": "reviewers",
    "model": "models",
    "judge": "judges",
    "instruction": "instructions",
    "answer": "answers",
    "judged": "answers",
}


def _names(name: str, vocabulary: Vocabulary) -> Sequence[str]:
    """The values of a field that are known."""
    if name in ("state", "is"):
        return choices(name)
    if name in _NAMES:
        known: Sequence[str] = getattr(vocabulary, _NAMES[name])
        return known
    return vocabulary.words.get(name, ())


def _nearest(typed: str, names: Sequence[str]) -> list[str]:
    """Those that begin with what was typed, then those that hold it."""
    begin: list[str] = []
    hold: list[str] = []
    for name in names:
        folded = name.casefold()
        if folded.startswith(typed):
            begin.append(name)
        elif typed in folded:
            hold.append(name)
    return begin + hold
