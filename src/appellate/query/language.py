"""The query language: how a person says which cells to see.

A query is a line of terms that must all hold, as in
`state:proposed trait:"BCL2*" f1<0.5 -text:apoptosis`. A minus means "not", commas mean "or", and
quotes go around blanks.

`parse()` turns a line into a `Query`, or raises `QueryUnreadable` with a sentence for each fault.
`completions()` suggests what may be written at the cursor. `quoted()` and `of_trait()` write parts
of a query. The names that a query may use are those of a `Vocabulary`, made from a workspace
(`store/queue.py`). `sql.py` runs a query.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import filterfalse
from typing import Literal, NamedTuple, cast

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import STATES
from appellate.core.inert import in_whole_characters
from appellate.core.kind import Measure, QueryField
from appellate.core.problem import first_texts
from appellate.core.scale import bound_text

Op = Literal[":", "<", "<=", ">", ">=", "="]
"""The sign between a field and its values."""
Shape = Literal[
    "choice",
    "like",
    "says",
    "values",
    "count",
    "number",
    "measure",
    "meta",
]
"""Which values a field takes and how they are compared.

- choice: one of a closed list of words
- like: a name, in which * stands for anything
- says: words that a text must contain
- values: one of the values in a text such as "style C, facts I"
- count: a whole number
- number: any number
- measure: a number between bounds, or `undefined` for 0/0
- meta: a value of the metadata
"""

MARKS = {
    "flagged": "with a flag",
    "bookmarked": "that you bookmarked",
    "commented": "with a comment",
    "signed": "signed off",
    "unverified": "with an excerpt that is not in the response",
    "inconsistent": "whose labels are inconsistent",
    "disputed": "that the members of a panel disagreed on",
    "missing-judge": "where a judge of the panel gave no labels",
    "flipped": "that the last round of judging answers otherwise than the one before",
    "suspicious": "whose trace speaks to the judge",
    "example": "that a judge was shown as an example",
    "hasty": "signed off within a second of being opened",
    "outdated": "signed off under another version of the trait",
    "unsettled": "whose trace was changed after the sign-off or ruling",
    "sampled": "in the sample",
    "blind": "in the sample, whose judge is hidden until you rule",
    "ruled": "in the sample, ruled before the judge was seen",
}
"""The words after `is:`, with what each says of a cell."""
OLD_MARKS = {"amiss": "inconsistent", "absent": "missing-judge"}
"""Earlier names of marks, which are still read."""
UNDEFINED = "undefined"
"""The value of a measure that is 0/0."""
META = "meta."
"""The names of fields about a trace's metadata begin with this, as in `meta.site`."""
_TEXT_SHAPES = ("choice", "like", "says", "values")
"""Shapes whose values are words, which cannot be compared by < and >."""


class Vocabulary(NamedTuple):
    """The names that queries on one workspace may use."""

    traits: tuple[str, ...] = ()
    measures: tuple[Measure, ...] = ()
    """The measures of the workspace's traits."""
    fields: tuple[QueryField, ...] = ()
    """The fields that the kinds of its traits add."""
    reviewers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    """Who wrote responses; need not be complete."""
    judges: tuple[str, ...] = ()
    """Who judged cells; need not be complete."""
    words: Mapping[str, tuple[str, ...]] = {}
    """Some values of fields that hold text, by the name of the field."""
    instructions: tuple[str, ...] = ()
    """Texts of instructions; need not be complete."""
    answers: tuple[str, ...] = ()
    """The answers that labels may give to an instruction."""
    metadata_keys: tuple[str, ...] = ()
    """Keys of the traces' metadata; a key of a table within has a dot before it."""
    has_more_keys: bool = False
    """Whether the metadata have keys that are not in `metadata_keys`."""
    count_names: Mapping[str, tuple[str, ...]] = {}
    """The names of counts, by the kind, of kinds whose traits share no instructions.

    No cell of such a kind says how one instruction is answered.
    """
    kinds: tuple[str, ...] = ()
    """The kinds of the workspace's traits."""


class QueryFault(Struct, frozen=True):
    """Something wrong in a query line."""

    start: int
    """Offset of the first wrong character."""
    end: int
    """Offset after the last wrong character."""
    sentence: str
    """What is wrong, and what would be right."""


class QueryUnreadable(Exception):
    """A query line has faults. The message is their sentences."""

    def __init__(self, faults: Sequence[QueryFault]) -> None:
        """Keep the faults, in the order of the line; their sentences are the message."""
        super().__init__(" ".join(fault.sentence for fault in faults))
        self.faults = list(faults)


class Suggestion(Struct, frozen=True):
    """A text that may be written at the cursor."""

    start: int
    """Offset of the first character that the text replaces."""
    end: int
    """Offset after the last character that the text replaces."""
    text: str
    meaning: str
    """What the text asks for; "" if that is clear."""


class Field(Struct, frozen=True):
    """Something that a term may ask about a cell."""

    name: str
    """The name in a query. For metadata it is `meta.` and the key, without quotes."""
    shape: Shape
    meaning: str
    """What the field is, for people."""
    path: str = ""
    """Where the value is in a cell's figures, as in "counts.tp"; "" for fields that all cells have.
    """
    low: float = 0.0
    """The least value of a measure."""
    high: float = 1.0
    """The greatest value of a measure."""
    word: str = ""
    """A word that may be written in place of a number; "" if there is none."""


class Term(Struct, frozen=True):
    """One condition of a query.

    If it has several values, it holds for a cell for which one of them holds.
    """

    field: Field
    op: Op
    """A colon for words, names and `undefined`; = or a comparison for numbers and counts.

    Metadata have a colon or a comparison.
    """
    values: tuple[str, ...]
    """At least one, without quotes; words of a closed list are in lower case."""
    negated: bool = False
    """Whether a minus is before it: then it holds for all other cells."""

    def __str__(self) -> str:
        """Return the term as a query writes it, as in `-trait:"BCL2 x",cite`.

        A minus is before it if it is negated. Values are in quotes where they need them, and so are
        words without a field that begin with a minus or like a field, as "state:x" does.
        """
        if self.field.name:
            name = written_name(self.field.name)
            values = ",".join(map(quoted, self.values))
            text = f"{name}{self.op}{values}"
        else:
            words = self.values[0]
            reads_as_other = words.startswith("-") or _NAME_AND_SIGN.match(words)
            text = _in_quotes(words) if reads_as_other else quoted(words)
        if self.negated:
            return f"-{text}"
        return text


class Query(Struct, frozen=True):
    """Terms that must all hold. `str()` of it is a line that parses to the same query."""

    terms: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))

    @property
    def marks(self) -> set[str]:
        """The marks after `is:` in the query, also those that it excludes."""
        marks: set[str] = set()
        for term in self.terms:
            if term.field.name == "is":
                marks.update(term.values)
        return marks


WORD = Field(
    "",
    "says",
    "words in the text that text: searches, in the question or in the id",
)
"""The field of a word without a field name."""
_FIELDS = (
    Field(
        "state",
        "choice",
        "the state of a cell: pending, failed, proposed, corrected, reviewed",
    ),
    Field("is", "choice", f"a mark: {', '.join(MARKS)}"),
    Field("trait", "like", "the trait's name; * stands for anything"),
    Field("kind", "like", "the kind of the trait: metric, llm, grounding …"),
    Field("id", "like", "the trace's id; * stands for anything"),
    Field("epoch", "count", "the trace's epoch"),
    Field(
        "instruction",
        "says",
        "words in an instruction, or in the question that labels answer",
    ),
    Field(
        "answer",
        "like",
        "how labels answer an instruction: the one of instruction: if given, else any",
    ),
    Field("judged", "like", "how the judge answers that same instruction"),
    Field(
        "text",
        "says",
        "words in the response, or the conversation where a trait reads it",
    ),
    Field("said.user", "says", "words of the user in a step of the conversation"),
    Field(
        "said.assistant",
        "says",
        "words of the assistant: what it says, thinks or calls tools with",
    ),
    Field("said.tool", "says", "words that a tool returned"),
    Field("said.system", "says", "words of the system's instructions"),
    Field("calls", "like", "a tool that the conversation calls; * stands for anything"),
    Field("steps", "count", "how many steps the conversation has"),
    Field("question", "says", "words in the question"),
    Field("model", "like", "who wrote the response"),
    Field("cluster", "meta", "the cluster that the trace belongs to"),
    Field("question_id", "meta", "the id of the question that the trace answers"),
    Field("wave", "like", "the wave of the sample that the trace was drawn in"),
    Field("judge", "like", "who judged the cell"),
    Field("by", "like", "who acted on the cell"),
    Field("unverified", "count", "how many excerpts are not in the response"),
    Field("breaches", "count", "how many inconsistencies the labels have"),
    Field(
        "overruled",
        "count",
        "how many instructions are answered differently from the judge",
    ),
    Field("flipped", "count", "how many answers turned with the last round of judging"),
    Field("round", "count", "the round of judging that the judge's labels come from"),
)
"""The fields that every workspace has."""
USERS = "user"
"""The word that `evidence:` takes besides numbers."""
EVIDENCE = Field(
    "evidence",
    "choice",
    "user: in the words of a user or of the system",
    word=USERS,
)
"""What labels are based on. A kind that counts evidence has its own field of this name."""
_SHOWN_VALUES = 4  # of a metadata key, in what a suggestion says about it
_SHAPES: Mapping[str, Shape] = {
    "count": "count",
    "number": "number",
    "text": "like",
    "values": "values",
}
"""The shape of a kind's field, by the shape that the kind names."""


def fields(vocabulary: Vocabulary) -> dict[str, Field]:
    """Return every field that a term may ask about, by name, in the order of suggestions.

    A metadata key has the name `meta.` and the key, as the traces have it. If a measure or a kind's
    field has the same name as a field that every workspace has, that field counts. `evidence` is
    the kind's field if a kind has one, which takes numbers and `user`; otherwise it takes only
    `user`.
    """
    first_fields = _FIELDS[:2]
    further_fields = _FIELDS[2:]
    ordered = list(first_fields)
    of_judge: list[Field] = []
    for measure in vocabulary.measures:
        current_field, judge_field = _measure_fields(measure)
        ordered.append(current_field)
        of_judge.append(judge_field)
    for kind_field in vocabulary.fields:
        ordered.append(_field_of_kind(kind_field))
    ordered.extend(further_fields)
    ordered.extend(of_judge)
    for key in vocabulary.metadata_keys:
        name = META + key
        ordered.append(_metadata_field(name, vocabulary.words.get(name, ())))

    by_name = {field.name: field for field in ordered}
    for field in first_fields:
        by_name[field.name] = field
    by_name.setdefault(EVIDENCE.name, EVIDENCE)
    return by_name


def _field_of_kind(kind_field: QueryField) -> Field:
    """Return the field of a query that asks for a figure which a kind of traits counts or names.

    Its values are counts, numbers, names or values of a text, as `kind_field.shape` says. The field
    called `evidence` takes the word `user`, too.
    """
    shape = _SHAPES[kind_field.shape]
    field = Field(kind_field.name, shape, kind_field.help, kind_field.path)
    if field.name != EVIDENCE.name:
        return field
    meaning = f"{field.meaning}; {EVIDENCE.meaning}"
    return replace(field, meaning=meaning, word=USERS)


def _measure_fields(measure: Measure) -> tuple[Field, Field]:
    """Return the two fields of a measure f1: f1 of the current labels, judge.f1 of the judge's.

    Their values are numbers between the bounds of the measure, or `undefined`.
    """
    current_field = Field(
        name=measure.name,
        shape="measure",
        meaning=f"{measure.name} of the current labels",
        path=f"standing.{measure.name}",
        low=measure.low,
        high=measure.high,
    )
    judge_field = replace(
        current_field,
        name=f"judge.{measure.name}",
        meaning=f"{measure.name} of the judge's labels",
        path=f"judge.{measure.name}",
    )
    return current_field, judge_field


def _metadata_field(name: str, values: Sequence[str]) -> Field:
    """Return the field of a metadata key; `name` is `meta.` and the key, without quotes.

    It takes any value. Its meaning, for people, names the first of `values`, or says only that it
    is metadata if there are none.
    """
    meaning = "metadata of the trace"
    if any(values):
        meaning = f"metadata: {', '.join(values[:_SHOWN_VALUES])}"
    if len(values) > _SHOWN_VALUES:
        meaning += " …"
    return Field(name, "meta", meaning)


# -- writing --------------------------------------------------------------------------------------

_NEEDS_NO_QUOTES = re.compile(r'[^\s",]+')
_KEY_WITHOUT_QUOTES = re.compile(r'[^\s"<>=:,]+')
_METADATA_NAME = r'(?i:meta)\.(?:"(?:\\.|[^"\\])*"|[^\s"<>=:,])+'
_NAME_AND_SIGN = re.compile(
    rf"(?P<name>{_METADATA_NAME}|[^\W\d_][\w.]*)(?P<op>:|<=|>=|<|>|=)",
    re.ASCII,
)
"""The beginning of a term that has a field."""


def quoted(value: str) -> str:
    """Return a value as a query writes it, in quotes if it is "" or has blanks, quotes, commas."""
    return value if _NEEDS_NO_QUOTES.fullmatch(value) else _in_quotes(value)


def of_trait(trait: str, *terms: str) -> str:
    """Return the query line for the cells of a trait, with more terms; empty terms are left out."""
    return " ".join(filter(None, [f"trait:{quoted(trait)}", *terms]))


def _is_metadata(name: str) -> bool:
    return name.startswith(META)


def is_grouping(name: str, fields: Collection[str]) -> bool:
    """Return whether traces can be grouped by `name`: one of `fields`, or a metadata key."""
    return name in fields or (_is_metadata(name) and name != META)


def written_name(name: str) -> str:
    """Return the name of a field as a query writes it: `meta."a key"` if a key needs quotes.

    A key needs them for blanks, quotes, commas, colons and signs of comparison. All other names are
    returned as they are.
    """
    if not _is_metadata(name):
        return name
    key = name.removeprefix(META)
    if _KEY_WITHOUT_QUOTES.fullmatch(key):
        return name
    return META + _in_quotes(key)


def _in_quotes(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


# -- reading --------------------------------------------------------------------------------------

# a quote that is not closed ends with the line
_QUOTED = r'"(?:\\.|[^"\\])*(?:"|\\?\Z)'
_TERM = re.compile(rf'(?:{_QUOTED}|[^\s"])+', re.DOTALL)
_VALUE = re.compile(rf'(?:{_QUOTED}|[^",])*', re.DOTALL)
_QUOTE = re.compile(_QUOTED, re.DOTALL)
_CLOSED_QUOTE = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)


class _RawTerm(Struct, frozen=True):
    """A term of the line, taken apart but not yet checked. Offsets are into the line."""

    start: int
    end: int
    negated: bool
    """Whether it begins with a minus."""
    name: str
    """The name of the field; "" for words without one."""
    op: str
    """The sign after the name; "" for words without a field."""
    name_start: int
    """Offset of the name, after a minus."""
    values_start: int
    """Offset of the values."""
    values_text: str
    """The values as they are written, with quotes and commas."""


def _raw_terms(line: str) -> Iterator[_RawTerm]:
    """Yield the terms of a line, in order, which blanks outside of quotes separate.

    Each is parted into its minus, the name of its field with a sign, and its values as written.
    Nothing is checked: fields may not exist and quotes may be open. Names of fields are in lower
    case, but metadata keys as they are written, without quotes.
    """
    for match in _TERM.finditer(line):
        word = match[0]
        negated = word.startswith("-")
        name = ""
        op = ""
        values_offset = int(negated)
        if named := _NAME_AND_SIGN.match(word, values_offset):
            name = _normal_name(named["name"])
            op = named["op"]
            values_offset = named.end()
        yield _RawTerm(
            start=match.start(),
            end=match.end(),
            negated=negated,
            name=name,
            op=op,
            name_start=match.start() + negated,
            values_start=match.start() + values_offset,
            values_text=word[values_offset:],
        )


def _normal_name(name: str) -> str:
    """Return the written name of a field in lower case, but a metadata key in its own case.

    The key also loses its quotes: `META."My Key"` becomes `meta.My Key`.
    """
    if name.lower().startswith(META):
        return META + _unquoted(name[len(META) :])
    return name.lower()


def _field_named(
    name: str,
    known_fields: Mapping[str, Field],
    vocabulary: Vocabulary,
) -> Field | None:
    """Return the field of a name as `_normal_name` returns it, or None if there is none.

    It is one of `known_fields`, which has those of metadata keys, too. A metadata key in another
    case is found if none is written exactly so; of two such keys the last counts. Any other
    metadata key is a field only if `vocabulary` says that it does not have all keys. The keys that
    it has are not looked at.
    """
    field = known_fields.get(name)
    if field is None and _is_metadata(name):
        by_folded_name = _by_folded_name(known_fields)
        if name.casefold() in by_folded_name:
            return known_fields[by_folded_name[name.casefold()]]
        if vocabulary.has_more_keys:
            return _metadata_field(name, ())
    return field


def _by_folded_name(names: Iterable[str]) -> dict[str, str]:
    """Return each name by itself in folded case; of two that are equal then, the last."""
    return {name.casefold(): name for name in names}


def parse(line: str, vocabulary: Vocabulary) -> Query:
    """Return the query that a line says; a blank line is one without terms.

    A lone surrogate, as a command line may have, counts as U+FFFD. Raises QueryUnreadable with
    every fault of every term, in the order of the line.
    """
    known_fields = fields(vocabulary)
    terms: list[Term] = []
    faults: list[QueryFault] = []
    # SQLite takes no half of a character, as a command line may have
    for raw_term in _raw_terms(in_whole_characters(line)):
        try:
            terms.append(_term(raw_term, known_fields, vocabulary))
        except QueryUnreadable as unreadable:
            faults += unreadable.faults
    if faults:
        raise QueryUnreadable(faults)
    return Query(tuple(terms))


def _term(
    raw_term: _RawTerm,
    known_fields: Mapping[str, Field],
    vocabulary: Vocabulary,
) -> Term:
    """Return the term that a part of the line says, with its sign and values in their usual form.

    `state=Failed` becomes `state:failed`, `tp:3` becomes `tp=3`, and earlier names of marks become
    the present ones. Names, texts and metadata keep their case. Words without a field become one
    value of `WORD`, without their quotes.

    Raises QueryUnreadable with every fault of the term, in the order of the line. A quote that is
    not closed, missing words and an unknown field are told without any other fault.
    """
    quotes = _QUOTE.findall(raw_term.values_text)
    if not all(map(_CLOSED_QUOTE.fullmatch, quotes)):
        sentence = 'A quote is opened and not closed: write another " after the words.'
        raise QueryUnreadable([QueryFault(raw_term.start, raw_term.end, sentence)])
    if not raw_term.name:
        words = _unquoted(raw_term.values_text)
        if not words:
            sentence = _NO_WORD[raw_term.negated]
            raise QueryUnreadable([QueryFault(raw_term.start, raw_term.end, sentence)])
        return Term(WORD, ":", (words,), raw_term.negated)
    field = _field_named(raw_term.name, known_fields, vocabulary)
    if field is None:
        sentence = _unknown_field(raw_term, known_fields)
        raise QueryUnreadable(
            [QueryFault(raw_term.name_start, raw_term.values_start, sentence)],
        )
    faults = _value_faults(raw_term, field, vocabulary)
    if faults:
        raise QueryUnreadable(faults)

    values: list[str] = []
    ignores_case = field.shape not in ("like", "says", "values", "meta")
    for _, _, text in _values(raw_term):
        value = text.lower() if ignores_case else text
        if field.name == "is":
            value = OLD_MARKS.get(value, value)
        values.append(value)

    op = raw_term.op
    is_metadata = field.shape == "meta"
    is_word = values[0] in (UNDEFINED, field.word)
    names_metadata = is_metadata and op == "="
    if field.shape in _TEXT_SHAPES or is_word or names_metadata:
        op = ":"
    elif op == ":" and not is_metadata:
        op = "="
    return Term(field, cast("Op", op), tuple(values), raw_term.negated)


_RawValue = tuple[int, int, str]
"""A value of a term: its start and end in the line, quotes included, and its text without them."""


def _values(raw_term: _RawTerm) -> Iterator[_RawValue]:
    """Yield the values of a term, which commas outside of quotes separate, in order.

    Each has its place in the line, quotes included, and its text without quotes. There is at least
    one value, whose text may be "".
    """
    text = raw_term.values_text
    offset = 0
    while True:
        match = _VALUE.match(text, offset)
        end = match.end() if match else len(text)
        start_in_line = raw_term.values_start + offset
        end_in_line = raw_term.values_start + end
        yield start_in_line, end_in_line, _unquoted(text[offset:end])
        if end >= len(text):
            return
        offset = end + 1


def _unquoted(text: str) -> str:
    """Return a text with its quoted parts as they are inside the quotes."""
    return _QUOTE.sub(_quote_content, text)


def _quote_content(quote: re.Match[str]) -> str:
    """Return the text inside of a quote, which need not be closed, without its quotation marks.

    A backslash before a quotation mark or a backslash is left out.
    """
    text = quote[0]
    inner = text[1:]
    if _CLOSED_QUOTE.fullmatch(text):
        inner = inner[:-1]
    return re.sub(r'\\(["\\])', r"\1", inner)


# -- faults ---------------------------------------------------------------------------------------


def _value_faults(
    raw_term: _RawTerm,
    field: Field,
    vocabulary: Vocabulary,
) -> list[QueryFault]:
    """Return what is wrong with the values of a term, in the order of the line; [] if nothing is.

    Of a comparison by < or > only the first value is looked at. Each fault is at its value, or at
    the whole term for a value that is missing.
    """
    values = list(_values(raw_term))
    checked_values = values
    if raw_term.op not in (":", "="):
        checked_values = values[:1]  # a comparison takes one number, and says so once
    faults: list[QueryFault] = []
    for start, end, value in checked_values:
        sentence = _value_fault(field, raw_term.op, value, len(values), vocabulary)
        if sentence:
            first = start if value else raw_term.start
            faults.append(QueryFault(first, end, sentence))
    return faults


_MOST_KEYS_NAMED = 12  # keys of the metadata, in one sentence
_NO_WORD = {
    True: "A minus is right before what it excludes, as in -state:reviewed.",
    False: "Empty quotes look for nothing: write the words between them.",
}
"""The fault of a term without field and words, by whether it has a minus."""


def _unknown_field(raw_term: _RawTerm, known_fields: Mapping[str, Field]) -> str:
    """Return the sentence for a field that does not exist: the nearest name, or else all names.

    A name that is a metadata key gets that key with its `meta.`, and no other key is named. A name
    that begins with `meta.` gets the nearest of the keys, or else some of them. The sentence also
    says how to look for the words.
    """
    name = raw_term.name
    value = _unquoted(raw_term.values_text)
    as_words = _in_quotes(f"{name}{raw_term.op}{value}")
    quote_hint = f"To look for the words, quote them: {as_words}."
    names: list[str] = []
    keys: list[str] = []
    for known_name in known_fields:
        if _is_metadata(known_name):
            keys.append(known_name)
        else:
            names.append(known_name)
    if _is_metadata(name):
        return f"{_unknown_key(name, keys)} {quote_hint}"

    metadata_name = META + name
    near = get_close_matches(name, names, 1)
    if metadata_name in known_fields:
        hint = f"did you mean {written_name(metadata_name)}, of the metadata?"
    elif near:
        hint = f"did you mean {near[0]}?"
    else:
        all_names = ", ".join(names)
        hint = f"there are {all_names}."
    return f"There is no field {name}: {hint} {quote_hint}"


def _unknown_key(name: str, known_names: Sequence[str]) -> str:
    """Return the sentence for a metadata key that no trace has: the nearest key, or some keys.

    `name` and `known_names` begin with `meta.`, and case does not count for what is near. If none
    is near, the first `_MOST_KEYS_NAMED` keys are named and the others counted. Without any known
    name it says that the traces have no metadata.
    """
    key = name.removeprefix(META)
    if not known_names:
        return f"No trace has {key} in its metadata: the traces have no metadata."
    sentence = f"No trace has {key} in its metadata"
    by_folded_name = _by_folded_name(known_names)
    near = get_close_matches(name.casefold(), by_folded_name, 1)
    if near:
        nearest = written_name(by_folded_name[near[0]])
        return f"{sentence}: did you mean {nearest}?"

    written_names = [written_name(known_name) for known_name in known_names]
    some_names = first_texts(written_names, _MOST_KEYS_NAMED)
    return f"{sentence}: there are {some_names}."


def _value_fault(  # noqa: C901 - a case for each shape
    field: Field,
    op: str,
    value: str,
    value_count: int,
    vocabulary: Vocabulary,
) -> str:
    """Return in a sentence what is wrong with one value of a term, or "" if it is right.

    The value is without quotes. It may not be "". Words cannot be compared by < or >, and a
    comparison takes one value; `value_count` is how many the term has. Otherwise it depends on the
    field's shape: a word of a list, a known name, a number, a number within bounds or a date. Any
    value is right for words in texts, for values of a text, and for metadata that are not compared.
    """
    name = written_name(field.name)
    is_comparison = op not in (":", "=")
    if not value:
        return (
            f"There is nothing after {name}{op}, as in {_example(field, vocabulary)}."
        )
    if is_comparison and field.shape in _TEXT_SHAPES:
        return f"{name} cannot be compared: write {_example(field, vocabulary)}."
    if is_comparison and value_count > 1:
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
            return _measure_fault(field, op, value, value_count)
        case "count":
            return _count_fault(field, op, value)
        case "number" if not NUMBER.fullmatch(value):
            return f"{name} is a number: write {name}{op}3."
        case "meta" if is_comparison:
            if not NUMBER.fullmatch(value) and not DATE.fullmatch(value):
                hint = f"write {name}{op}3, or {name}{op}2026-01-31."
                return f"{name} is compared with a number or a date: {hint}"
    return ""


def _count_fault(field: Field, op: str, value: str) -> str:
    """Return in a sentence what is wrong with the value of a count, or "" if it is right.

    It must be a whole number from 0 with at most nine digits. After a colon or = it may also be the
    word of the field, in upper or lower case.
    """
    if _COUNT.fullmatch(value):
        return ""
    if field.word and op in (":", "=") and value.lower() == field.word:
        return ""
    name = field.name
    sentence = f"{name} is a count: write {name}{op}3"
    if field.word:
        sentence += f", or {name}:{field.word}"
    return f"{sentence}."


def _choice_fault(field: Field, value: str) -> str:
    """Return in a sentence what is wrong with a word of a closed list, or "" if it is in the list.

    Upper and lower case are the same. Earlier names of marks are right, too. The sentence names the
    nearest word, or else all words.
    """
    word = value.lower()
    allowed = choices(field.name)
    if word in allowed:
        return ""
    if field.name == "is" and word in OLD_MARKS:
        return ""

    near = get_close_matches(word, allowed, 1)
    if near:
        hint = f"did you mean {near[0]}?"
    else:
        words = ", ".join(allowed)
        hint = f"write {words}."
    return f"{field.name}:{value} does not exist: {hint}"


def choices(field_name: str) -> Sequence[str]:
    """Return the words of a field that takes only words of a list; empty for any other field.

    They are those of `state`, `is` and `evidence`. A kind's own `evidence` takes numbers besides.
    """
    return _CHOICES.get(field_name, ())


_CHOICES: Mapping[str, Sequence[str]] = {
    "state": STATES,
    "is": tuple(MARKS),
    EVIDENCE.name: (USERS,),
}


_UNKNOWN = {
    "trait": "No trait is called",
    "kind": "No trait is of the kind",
    "by": "No reviewer is called",
    "answer": "No instruction is answered",
    "judged": "No instruction is answered",
}
"""The beginning of the sentence for an unknown name, by the field."""


def _name_fault(field: Field, value: str, vocabulary: Vocabulary) -> str:
    """Return in a sentence what is wrong with a name, which may hold *, or "" if it may be right.

    Only the names of some fields are all known: traits, kinds, reviewers and answers. A name must
    match one of these, unless the vocabulary has none of them. Names of other fields are always
    right. An unknown answer is told which counts to ask for instead, if a kind has counts: then it
    is wrong even if the vocabulary has no answers.
    """
    if field.name not in _UNKNOWN:
        return ""
    known_names = _known_values(field, vocabulary)
    counts = ""
    if field.name in ("answer", "judged"):
        counts = _counts_instead(value, vocabulary)
    if not known_names and not counts:
        return ""
    matches = like(value)
    if any(matches(known_name) for known_name in known_names):
        return ""

    what = _UNKNOWN[field.name]
    beginning = f"{what} {value}"
    if not known_names:
        return f"{beginning}: {counts}."
    near = get_close_matches(value, known_names, 1)
    example = quoted(near[0] if near else known_names[0])
    part = f"{field.name}:*{quoted(value)}*"
    hint = f"write {field.name}:{example}, or {part} for a part of it."
    if counts:
        hint = f"{counts}; in other cells {hint}"
    return f"{beginning}: {hint}"


def _counts_instead(answer: str, vocabulary: Vocabulary) -> str:
    """Return in a clause without a full stop which counts kinds have in place of answers, or "".

    It is "" if no kind has counts. Each kind gets an example such as `tp>0`: of the count that is
    called as the answer, in any case, or else of its last count.
    """
    texts: list[str] = []
    for kind, names in vocabulary.count_names.items():
        example = answer.lower()
        if example not in names:
            example = names[-1]
        all_names = ", ".join(names)
        texts.append(f"{kind} cells have counts ({all_names}), as in {example}>0")
    return "; ".join(texts)


_COUNT = re.compile(r"\d{1,9}", re.ASCII)
"""A whole number from 0."""
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)", re.ASCII)
"""A number as people write it: 3, -0.5, .5."""
DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?)?", re.ASCII)
"""A month, a day or a moment: 2026-01, 2026-01-31, 2026-01-31T09:30."""


def _measure_fault(field: Field, op: str, value: str, value_count: int) -> str:
    """Return in a sentence what is wrong with the value of a measure, or "" if it is right.

    It must be a number from `field.low` to `field.high`, or `undefined` in any case. `undefined`
    takes no < or >, and `value_count`, how many values the term has, must be 1.
    """
    name = field.name
    low = field.low
    high = field.high
    example = _measure_example(field)
    if value.lower() == UNDEFINED:
        if op in (":", "=") and value_count == 1:
            return ""
        return f"Write {name}:{UNDEFINED} with a colon, and no other value."
    if not NUMBER.fullmatch(value):
        return (
            f"{name} is a number from {bound_text(low)} to {bound_text(high)}: write {example},"
            f" or {name}:{UNDEFINED} for 0/0."
        )
    if not low <= float(value) <= high:
        return (
            f"{name} lies between {bound_text(low)} and {bound_text(high)}:"
            f" write {example} for the lower half."
        )
    return ""


def _measure_example(field: Field) -> str:
    """Return a term for the lower half of a measure's values, as in f1<0.5."""
    middle = (field.low + field.high) / 2
    return f"{field.name}<{bound_text(middle)}"


def _example(field: Field, vocabulary: Vocabulary) -> str:
    """Return a term that asks about a field, for a sentence about a fault.

    It is a comparison for counts, numbers and measures, as in `tp>0`. Otherwise it has a colon and
    the first value that is known, in quotes if needed, or "word" if none is.
    """
    match field.shape:
        case "choice":
            return f"{field.name}:{choices(field.name)[0]}"
        case "count" | "number":
            return f"{field.name}>0"
        case "measure":
            return _measure_example(field)
        case _:
            known_values = _known_values(field, vocabulary)
            value = known_values[0] if known_values else "word"
            return f"{written_name(field.name)}:{quoted(value)}"


# -- names with wildcards -------------------------------------------------------------------------


def like(pattern: str) -> Callable[[str], bool]:
    """Return a function that says whether a name matches a pattern as a whole.

    `*` in the pattern stands for any text, also for none; every other sign stands for itself. Upper
    and lower case are the same, in both.
    """
    first, *others = pattern.casefold().split("*")

    def matches(name: str) -> bool:
        """Return whether a name, in any case, matches the pattern as a whole."""
        name = name.casefold()
        if not others:
            return name == first
        if not name.startswith(first):
            return False
        offset = len(first)
        *between, last = others
        for part in between:
            start = name.find(part, offset)
            if start < 0:
                return False
            offset = start + len(part)
        return name[offset:].endswith(last)

    return matches


def values_text(text: str) -> list[str]:
    """Return the values in a text of one value, or of named ones: C and I of "style C, facts I"."""
    return [part.rpartition(" ")[2] for part in text.split(", ")]


# -- completing -----------------------------------------------------------------------------------


def completions(line: str, cursor: int, vocabulary: Vocabulary) -> list[Suggestion]:
    """Return what may be written at the cursor, best first: fields with their sign, or values.

    `cursor` is an offset in the line. After the sign of a field its values are suggested, otherwise
    fields. Those that begin with what is already written come first, then those that have it
    elsewhere. Where nothing is written yet all fields are suggested. The list is empty on a minus,
    after an unknown field, and if nothing fits.
    """
    raw_term = None
    for candidate in _raw_terms(line):
        if candidate.start < cursor <= candidate.end:
            raw_term = candidate
            break
    if raw_term is None:
        return _field_suggestions(cursor, cursor, "", "", vocabulary)

    if raw_term.op and cursor >= raw_term.values_start:
        field = _field_named(raw_term.name, fields(vocabulary), vocabulary)
        if field is None:
            return []
        value_at_cursor = next(
            value for value in _values(raw_term) if cursor <= value[1]
        )
        return _value_suggestions(field, value_at_cursor, vocabulary)

    start = raw_term.name_start
    if cursor < start:
        return []
    end = raw_term.values_start if raw_term.op else raw_term.end
    typed = line[start:cursor].lower()
    return _field_suggestions(start, end, typed, raw_term.op, vocabulary)


def _field_suggestions(
    start: int,
    end: int,
    typed: str,
    op: str,
    vocabulary: Vocabulary,
) -> list[Suggestion]:
    """Return the fields that fit what was typed, each with a sign, to replace `start` to `end`.

    `typed` is in lower case, and "" fits all. The sign is `op`, or if that is "" the usual one of
    the field: >, < or a colon. While what was typed is a part of `meta.`, as "me", all metadata
    keys are one suggestion, `meta.`, at the end; otherwise those that fit are among the fields.
    """
    usual_signs = {"count": ">", "number": ">", "measure": "<"}
    known_fields = fields(vocabulary)
    names = list(known_fields)
    if vocabulary.metadata_keys and typed != META and META.startswith(typed):
        names = list(filterfalse(_is_metadata, known_fields))

    suggestions: list[Suggestion] = []
    for name in _best_matches(_unquoted(typed), names):
        field = known_fields[name]
        sign = op or usual_signs.get(field.shape, ":")
        suggestions.append(
            Suggestion(start, end, written_name(name) + sign, field.meaning),
        )
    if len(names) < len(known_fields):
        some_keys = ", ".join(vocabulary.metadata_keys[:_SHOWN_VALUES])
        text = f"a key of the traces' metadata: {some_keys} …"
        suggestions.append(Suggestion(start, end, META, text))
    return suggestions


def _value_suggestions(
    field: Field,
    value_at_cursor: _RawValue,
    vocabulary: Vocabulary,
) -> list[Suggestion]:
    """Return the known values of a field that fit the one at the cursor, to replace that one.

    Case does not count, and neither does * around it. Values that begin with it come first, then
    those that have it elsewhere; all fit "". Their texts are in quotes if needed. A measure has
    only `undefined`, and evidence only `user`.
    """
    start, end, typed = value_at_cursor
    meanings = {UNDEFINED: "0/0: there is nothing to compute it from"}
    if field.name == "is":
        meanings = MARKS
    if field.word:
        meanings = {USERS: EVIDENCE.meaning.partition(": ")[2]}
    suggestions: list[Suggestion] = []
    for value in _best_matches(typed.strip("*"), _known_values(field, vocabulary)):
        suggestions.append(
            Suggestion(start, end, quoted(value), meanings.get(value, "")),
        )
    return suggestions


def _known_values(field: Field, vocabulary: Vocabulary) -> Sequence[str]:
    """Return the values of a field that can be suggested; empty if none is known.

    They need not be all that it takes. Of a measure it is `undefined` alone, and of a field with a
    word that word alone: numbers are not suggested.
    """
    if field.shape == "measure":
        return (UNDEFINED,)
    if field.word:
        return (field.word,)
    if field.shape == "choice":
        return choices(field.name)
    names: dict[str, Sequence[str]] = {
        **vocabulary.words,
        "trait": vocabulary.traits,
        "kind": vocabulary.kinds,
        "by": vocabulary.reviewers,
        "model": vocabulary.models,
        "judge": vocabulary.judges,
        "instruction": vocabulary.instructions,
        "answer": vocabulary.answers,
        "judged": vocabulary.answers,
    }
    return names.get(field.name, ())


def _best_matches(typed: str, names: Sequence[str]) -> list[str]:
    """Return the names that begin with what was typed, then those that contain it elsewhere.

    Upper and lower case are the same. Both groups keep the order of `names`, and "" fits all.
    """
    folded_typed = typed.casefold()
    beginning: list[str] = []
    containing: list[str] = []
    for name in names:
        folded = name.casefold()
        if folded.startswith(folded_typed):
            beginning.append(name)
        elif folded_typed in folded:
            containing.append(name)
    return beginning + containing
