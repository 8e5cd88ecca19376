"""What a file of another tool holds, in our terms: traces, verdicts of judges and of people, and
the traits that these are about. `rubric_of` makes a rubric of the verdicts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple, TypeGuard

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.kind import CANNOT_TELL, CANNOT_TELL_COUNT, CannotTell
from appellate.core.problem import Problem, Unusable, closest, quoted
from appellate.core.scale import FURTHEST, bound_text
from appellate.interop.cell_values import CellValue, read_cell
from appellate.interop.table_map import NOTHING_MAPPED, Bounds, Kind, TableMap, TraitMap
from appellate.interop.yes_no_words import are_one_question, says_yes, spelled

Row = dict[str, Any]
"""A table of a foreign file, or of ours in the making."""
LETTERS = frozenset("CPIN")
SURE_LETTERS = frozenset("CI")
UNSCORED = "unscored"
"""What a scorer left out; it is no value of a trait."""
SIDES = ("tp", "fn", "fp", "tn")
PAIRWISE = "pairwise_traits"
"""The list of a rubric whose verdicts are `WINNERS`, by their index."""
WINNERS = ("response", "other", "tie")
MOST_CLASSES = 20
LONGEST_NAME = 60
_NOTHING_SAID = TraitMap()


class JudgeVerdict(Struct, frozen=True):
    """What a judge ruled on one trait: a value with its reason, or why there is none (`failed`).

    `answer` is what the judge took from the response, if it is not the whole response. `value` is a
    bool, number, class name, letter, table of these by key, or a table of lists.
    """

    trait: str
    value: Any = None
    reason: str = ""
    judge: str = ""
    failed: str = ""
    answer: str = ""
    most: float | None = None
    """The number of points that `value` is out of; None where the file does not say."""
    labels: Row | None = None
    """The judge's whole table, as audits have it; None where it is not known.

    It counts before `value`, if it is labels of the trait's kind.
    """


class PersonVerdict(Struct, frozen=True):
    """What a person ruled on one trait; `signed` where the tool says that they were done.

    `value` is as in `JudgeVerdict`; of a metric trait it is the person's own lists. Of another kind
    whose labels are no single value it is a list of rows of corrections, as audits have them, which
    are made one after the other.
    """

    trait: str
    value: Any
    by: str
    reason: str = ""
    signed: bool = True
    most: float | None = None
    """The number of points that `value` is out of; None where the file does not say."""
    at: str = ""
    """When they ruled, as `said_times.said_time` has it; "" where the file does not say."""
    labels: Row | None = None
    """The person's whole table, as audits have it, beside `value`; None where it is not known."""
    replaces: bool = False
    """Whether its tool put it in the place of an earlier one, also of another person."""


class ForeignTrait(Struct):
    """What a trait asks for, its scorer, or all of it: `table` under the list `key` of a rubric."""

    name: str
    description: str = ""
    scorer: str = ""
    key: str = ""
    table: Row = field(default_factory=dict)
    is_never_boolean: bool = False
    """Whether its 0 and 1 are points, since its tool writes yes and no as true and false."""


class RubricTrait(NamedTuple):
    """A trait as a rubric's file has it."""

    key: str
    """The list of the rubric that it is in, as "llm_traits"."""
    table: Row
    """Its table in that list."""


class ForeignTrace(Struct):
    """One answer: `record` has the keys of a trace file (SPEC 3) but no judgments.

    A response without words is there as "", one that was not found is not there.
    `unanswered` is why there is no response, where its tool got none.
    """

    record: Row
    judged: Sequence[JudgeVerdict] = ()
    people: Sequence[PersonVerdict] = ()
    unanswered: str = ""
    file: str = ""
    """The file that it is in, where several were read together."""
    row: int = 0
    """Its number in that file, from 1; 0 where one file was read."""


class Documented(Struct, frozen=True):
    """The scale that a tool's documentation gives its numbers."""

    tool: str
    scale: Bounds
    of_traits: Mapping[str, Bounds] = field(default_factory=dict)
    """The scales of traits with another one, by how their names begin."""

    def scale_of(self, trait: str) -> Bounds:
        """Return the lowest and highest number that the tool documents for a trait's values.

        `of_traits` is searched in its order for a beginning of the trait's name; without one it is
        the tool's usual `scale`.
        """
        for beginning, scale in self.of_traits.items():
            if trait.startswith(beginning):
                return scale
        return self.scale


def _is_within_scale(scale: Bounds, values: "_Values") -> bool:
    """Return whether all numbers of `values` are within a scale, ends included.

    An open end (None) holds everything. True if there are no numbers.
    """
    is_low = scale.low is None or scale.low <= values.low
    return is_low and (scale.high is None or values.high <= scale.high)


class NothingSaid(Exception):
    """A file whose tool recorded no words. Has what is wrong, and what would be right."""


class ForeignFile(Struct):
    """A recognised file. `traces` reads it from the beginning, as often as it is called.

    `mapping` says which of their fields became which of ours, `lost` what has no place here. The
    traits of `groups` are of single questions, by the id of the question. `untold` is raised where
    no column can be the id. `unjudged` makes what is raised where no verdict is in them. `notes`
    makes what is to be said of the file, once its traces were gone through.
    """

    form: str
    traces: Callable[[], Iterator[ForeignTrace]]
    mapping: Mapping[str, str]
    traits: dict[str, ForeignTrait] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    questions: Sequence[Row] = ()
    groups: Mapping[str, Collection[str]] = field(default_factory=dict)
    untold: Unusable | None = None
    unjudged: Callable[[], Unusable] | None = None
    notes: Callable[[], Sequence[str]] = list
    meanings: Mapping[str, TraitMap] = field(default_factory=dict)
    """What `--map` says of the values of traits, by their names."""
    table_map: TableMap = NOTHING_MAPPED
    """All that `--map` says of the file."""
    is_map_known: bool = False
    """Whether the map is that of an audit, which may have traits that this file says nothing of."""
    documented: Documented | None = None
    """The scale of the tool's numbers."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The columns of a table that have the fields of traces; empty of files that are no table."""
    rubric: Row | None = None
    """The rubric that is in the file, which is not made of the verdicts then."""
    repeats_advice: str = ""
    """What would be right where two traces have one id; "" for the usual advice."""

    def describe(self) -> list[str]:
        """Return two lines for people: "fields: ours ← theirs, …" and "left out: …".

        The second ends with "nothing" if nothing was lost.
        """
        fields: list[str] = []
        for ours, theirs in self.mapping.items():
            fields.append(f"{ours} ← {theirs}")
        listed_fields = ", ".join(fields)
        lost = "; ".join(self.lost) or "nothing"
        return [f"fields: {listed_fields}", f"left out: {lost}"]


# -- values ---------------------------------------------------------------------------------------


def table_at(row: Mapping[str, Any], *path: str) -> Row:
    """Return the dict under a path of keys, as `table_at(row, "a", "b")` for `row["a"]["b"]`.

    {} if a key is missing or what is there is no dict. It is the row's own dict, not a copy; with
    no path, the row.
    """
    value: Any = row
    for key in path:
        if not isinstance(value, Mapping):
            return {}
        value = value.get(key)
    if not isinstance(value, dict):
        return {}
    return value


def tables_in(value: object) -> list[Row]:
    """Return the dicts in a list, in order, not copied; [] for a value that is no list."""
    if not isinstance(value, list):
        return []
    return [entry for entry in value if isinstance(entry, dict)]


def text_of_parts(parts: object) -> str:
    """Return the texts of a message's parts on lines, each of a table with a `text` that is one.

    Other parts, such as pictures, are left out; "" without any text, and for a value that is no
    list.
    """
    texts: list[str] = []
    for part in tables_in(parts):
        if isinstance(part.get("text"), str):
            texts.append(part["text"])
    return "\n".join(texts)


def first_of(table: Mapping[str, Any], *keys: str) -> Any:
    """Return the first value that is not None under some keys of a table, in order, or None."""
    for key in keys:
        if table.get(key) is not None:
            return table[key]
    return None


def without_empty(record: Row) -> Row:
    """Return a copy of a record without the keys whose value is None, "", [] or {}.

    0 and False stay. Inner tables are not looked into.
    """
    return {
        key: value for key, value in record.items() if value not in (None, "", [], {})
    }


_NAMED = 10
"""So many of the things that were left out are named."""


def first_names(names: Sequence[object]) -> str:
    """Return the first `_NAMED` of some names as "a, b, c", and ", …" if there are more.

    "" without names.
    """
    listed = ", ".join(map(str, names[:_NAMED]))
    if len(names) > _NAMED:
        return f"{listed}, …"
    return listed


def of_no_answer(judged: Iterable[JudgeVerdict], failure: str) -> list[JudgeVerdict]:
    """Return a judge's verdicts as failed ones, for an answer that its tool never got.

    Copies, without a value. The reason is `failure`, but a verdict that had failed keeps its own.
    """
    return [
        replace(verdict, value=None, failed=verdict.failed or failure)
        for verdict in judged
    ]


def with_response(record: Row, response: str | None) -> Row:
    """Return a copy of a trace's record with this response, which may be "".

    If `response` is None, since the file has none, the record itself is returned,
    unchanged.
    """
    if response is None:
        return record
    return {**record, "response": response}


def empty(file: str, number: int) -> Problem:
    """Return the problem to report for a row without a response, which advises `--skip-bad`.

    `file` is its file's name, and `number` its row from 1. Nothing is raised.
    """
    wrong = "no response is in it"
    right = "fill it in, or leave it out with --skip-bad"
    return Problem(file, f"row {number}", wrong, right)


# -- names ----------------------------------------------------------------------------------------


@lru_cache(4096)
def trait_name(text: str) -> str:
    """Return a text as the name of a trait: one line, blanks for dots, at most `LONGEST_NAME` long.

    A longer one is cut and ends in "…". A text without anything else becomes "verdict". Two texts
    can get one name.
    """
    words = text.replace(".", " ").split()
    name = " ".join(words)
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 1].rstrip() + "…"
    return name or "verdict"


# -- the rubric -----------------------------------------------------------------------------------


class _Values:
    """One trait's values: their range, and the words that could be classes."""

    def __init__(self) -> None:
        self.low = inf
        """The lowest number; infinity if there is none."""
        self.high = -inf
        """The highest number; minus infinity if there is none."""
        self.numbers = 0
        """How many values are numbers."""
        self.words: Counter[str] = Counter()
        """How often each word is a value."""
        self.non_words: Counter[str] = Counter()
        """How often each bool or number is a value, as text (`as_class`)."""
        self.keys: dict[str, None] = {}
        """The keys of values that are tables."""
        self.lists: dict[str, dict[str, None]] = {side: {} for side in SIDES}
        """The different texts of values that are lists, by "tp", "fn", "fp" and "tn"."""
        self.are_lists = False
        self.fractions = False
        """Whether some number is a float, also 1.0."""
        self.has_parts = False
        """Whether some number is not whole, as 0.5."""
        self.mosts: set[float] = set()
        """The different numbers of points that values are out of."""
        self.untold = 0
        """How many values are "cannot tell"."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no value at all: every verdict failed."""
        return not (self.words or self.non_words or self.keys or self.are_lists)

    @property
    def names(self) -> set[str]:
        """The different words, bools and numbers among the values, as text in small letters.

        A text longer than `LONGEST_NAME` is a remark and is left out.
        """
        return {
            name.lower()
            for name in self.words | self.non_words
            if len(name) <= LONGEST_NAME
        }

    @property
    def spellings(self) -> list[str]:
        """The different words, bools and numbers among the values, as text, sorted.

        Texts that differ only in case, accents, hyphens or blanks are one, in the spelling
        of the first.
        """
        first: dict[str, str] = {}
        for name in self.words | self.non_words:
            first.setdefault(spelled(name), name)
        return sorted(first.values())

    @property
    def are_words(self) -> bool:
        """Whether a trait's values are words or bools, and not numbers with a few stray words.

        If some values are numbers, there must be more than a tenth (`_STRAY`) as many words
        as numbers and bools together. False without values.
        """
        if self.numbers:
            return self.words.total() > self.non_words.total() * _STRAY
        return bool(self.words or self.non_words)

    def shares_with(self, other_values: "_Values") -> bool:
        """Return whether more than a tenth (`_STRAY`) of these values are among the other's, too.

        Case does not count. Each verdict counts, not each different word. The share is of this
        side's values, so that the answer may differ the other way round. False if this side has no
        values.
        """
        counts = self.words + self.non_words
        shared = sum(
            count
            for name, count in counts.items()
            if name.lower() in other_values.names
        )
        return shared > counts.total() * _STRAY

    @property
    def are_yes_or_no(self) -> bool:
        """Whether a trait's words, bools and numbers are all answers to one yes-or-no question.

        Known words count as answers, and 1 and 0. "yes", "true" and "pass" go together, "correct"
        and "safe" do not (`are_one_question`). A text longer than `LONGEST_NAME` is a remark and is
        passed over. False for other numbers, and without values.
        """
        return not self.are_amounts and are_one_question(self.names)

    @property
    def are_letters(self) -> bool:
        """Whether there are words among the values, and all are Inspect's letters C, P, I or N.

        Numbers and bools beside them do not count.
        """
        return bool(self.words) and self.words.keys() <= LETTERS

    @property
    def are_surely_letters(self) -> bool:
        """Whether all words among a trait's values are Inspect's letters, and a C or an I is there.

        The letters are C, P, I and N. Numbers and bools beside them do not count; without words it
        is False. P and N alone may be positive and negative. For files that name no scorer of
        Inspect.
        """
        return self.are_letters and not self.words.keys().isdisjoint(SURE_LETTERS)

    @property
    def have_words(self) -> bool:
        """Whether words are more than stray ones on a scale."""
        return self.words.total() > self.non_words.total() * _STRAY

    @property
    def are_amounts(self) -> bool:
        """Whether some of a trait's values are amounts, so that it cannot be yes or no.

        Amounts are floats, also 1.0, points out of a number of them, and numbers below 0 or above
        1.
        """
        if self.fractions or self.mosts:
            return True
        return self.numbers > 0 and not 0 <= self.low <= self.high <= 1

    def add(self, value: object, most: float | None = None) -> None:
        """Count one verdict's value: a word, a bool, a number, lists by bucket, or a table.

        The keys of a table are noted, and its values are counted in turn. Any other value,
        such as None, is not counted. `most` is the number of points that the value is out
        of; None if its file does not say.
        """
        if most is not None:
            self.mosts.add(most)
        if isinstance(value, str):
            self._add_word(value)
        elif isinstance(value, bool):
            _count(self.non_words, as_class(value))
        elif isinstance(value, int | float):
            self._add_number(value)
        elif _is_lists(value):
            for side, texts in value.items():
                self.lists[side] |= dict.fromkeys(map(str, texts))
            self.are_lists = True
        elif isinstance(value, Mapping):
            self.keys |= dict.fromkeys(value)
            for inner_value in value.values():
                self.add(inner_value)

    def _add_word(self, word: str) -> None:
        """Count a word among the values.

        "Cannot tell" is counted in `untold` instead. Blanks and `UNSCORED` are not counted, nor is
        a new word once there are `_MOST_WORDS` different ones.
        """
        if says_cannot_tell(word):
            self.untold += 1
        elif word.strip() and word != UNSCORED:
            _count(self.words, word)

    def _add_number(self, value: float) -> None:
        """Count a number among the values and widen `low` and `high` to hold it.

        A number beyond `FURTHEST` on either side, infinity or NaN is not counted. Any float, also
        1.0, sets `fractions`, and one that is not whole `has_parts`.
        """
        if -FURTHEST <= value <= FURTHEST:  # no bound of a rubric lies further out
            _count(self.non_words, as_class(value))
            self.fractions = self.fractions or isinstance(value, float)
            self.has_parts = self.has_parts or not float(value).is_integer()
            self.numbers += 1
            self.low = min(self.low, value)
            self.high = max(self.high, value)


def says_cannot_tell(value: object) -> bool:
    """Return whether a value is the verdict that it cannot be told, as our exports write it."""
    return isinstance(value, str) and value.strip().casefold() == CANNOT_TELL


def _is_lists(value: object) -> TypeGuard[Mapping[str, list[Any]]]:
    """Return whether a value is a table of lists by "tp", "fn", "fp" or "tn", and not empty.

    That is how a metric trait's verdict looks. Some of the four keys are enough, but no others.
    """
    if not isinstance(value, Mapping) or not value:
        return False
    if not value.keys() <= set(SIDES):
        return False
    return all(isinstance(texts, list) for texts in value.values())


_STRAY = 0.1
"""The share of values up to which those of another sort are strays, as a slip of the pen."""
_MOST_WORDS = 1000
"""So many different words are counted."""


def _count(words: Counter[str], word: str) -> None:
    if word in words or len(words) < _MOST_WORDS:
        words[word] += 1


def as_class(value: object) -> str:
    """Return a value as the name of a class: True is "true", 3.0 is "3", 0.5 is "0.5".

    A text stays as it is, and None is "None".
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


class _Sides:
    """One trait's values: the judge's, people's, and both together."""

    def __init__(self) -> None:
        self.judge = _Values()
        self.people = _Values()
        self.both = _Values()

    def add(self, verdict: JudgeVerdict | PersonVerdict) -> None:
        """Count a verdict's value among its side's, the judge's or people's, and among both's."""
        side = self.judge if isinstance(verdict, JudgeVerdict) else self.people
        side.add(verdict.value, verdict.most)
        self.both.add(verdict.value, verdict.most)

    def take_peoples_floats_as_whole(self) -> None:
        """Take people's 1.0 for 1 if all of their numbers are whole, and the judge has values but
        no float.

        pandas writes a column of whole numbers with a gap as floats, and people often label only a
        sample. So 1.0 may be a yes of theirs where the judge says 1 or "yes". Call it after the
        last `add`.
        """
        if not (self.judge.is_empty or self.judge.fractions or self.people.has_parts):
            self.people.fractions = False
            self.both.fractions = False

    @property
    def are_yes_or_no(self) -> bool:
        """Whether a trait's values are yes or no on each side, perhaps in other words on each.

        A side is the judge or people. One without values does not count; False if both are without.
        """
        sides = [side for side in (self.judge, self.people) if not side.is_empty]
        return bool(sides) and all(side.are_yes_or_no for side in sides)

    @property
    def are_unlike(self) -> bool:
        """Whether nothing that the judge says of a trait could ever agree with what people say.

        False if a side says nothing, if both say yes or no, and for tables and lists. Words beside
        numbers are unlike unless a side shares more than a tenth of its values. Words beside words
        are if they have none in common and one side has several.
        """
        if self.judge.is_empty or self.people.is_empty or self.are_yes_or_no:
            return False
        if self.both.keys or self.both.are_lists:
            return False
        if self.judge.are_words != self.people.are_words:
            return not (
                self.judge.shares_with(self.people)
                or self.people.shares_with(self.judge)
            )
        several = len(self.judge.names) > 1 or len(self.people.names) > 1
        return (
            self.judge.are_words
            and several
            and self.judge.names.isdisjoint(self.people.names)
        )


def _check_unlike_words(
    mapping: Mapping[str, str],
    seen: Mapping[str, _Sides],
    trait_maps: Mapping[str, TraitMap],
) -> None:
    """Raise Unusable if a judge's column and a person's column use unlike words for one trait.

    `mapping` has the columns by their keys in `--map` (`person.NAME`), `seen` the values of each
    trait, and `trait_maps` what `--map` says of its words. Made into one trait they would be
    classes on which nobody could ever agree. A trait of which `--map` says anything is not checked.
    """
    for key, column in mapping.items():
        part, _, name = key.partition(".")
        sides = seen.get(trait_name(name))
        if part != "person" or sides is None or not sides.are_unlike:
            continue
        if trait_maps.get(trait_name(name), _NOTHING_SAID) != _NOTHING_SAID:
            continue
        judges = mapping.get(f"verdict.{name}", "the judge")
        wrong = (
            f"{quoted(judges)} says {_shortest_values(sides.judge)} where {quoted(column)} says"
            f" {_shortest_values(sides.people)}: in unlike words the two can never agree"
        )
        right = (
            f"say what is yes (--map positive.{name}=WORD|WORD), write both columns in the same"
            " words, or map one of them alone"
        )
        raise Unusable([Problem("--map", key, wrong, right)])


def _shortest_values(values: _Values) -> str:
    """Return the first `_SHOWN` different values of a side, shortest first, as written: "ok, Good,
    …".

    Those of one length are in alphabetical order. "" without values.
    """
    names = sorted(values.words | values.non_words)
    names.sort(key=len)
    listed = ", ".join(names[:_SHOWN])
    if len(names) > _SHOWN:
        return f"{listed}, …"
    return listed


_SHOWN = 4


class MadeRubric(Struct):
    """A rubric that was made of verdicts, and what these mean in it."""

    table: Row
    """The rubric as its file has it."""
    meanings: dict[str, TraitMap] = field(default_factory=dict)
    """What the values of each trait mean, by its name: what a map says, filled in."""
    descriptions: dict[str, str] = field(default_factory=dict)
    """What each trait was taken for, as a clause, by its name."""


def rubric_of(
    file: ForeignFile,
    traces: Iterable[ForeignTrace],
    existing: Mapping[str, RubricTrait] | None = None,
) -> MadeRubric:
    """Return a rubric for a foreign file's traces, with what the verdicts' values mean in it.

    If the file has a rubric and there are no `existing` traits, it is the file's, without
    meanings. Otherwise each trait that a verdict is on, or that the file defines, gets the
    kind that suits its values. `existing` has the traits of an audit's rubric by name:
    these stay as they are, and those that have no verdict and are not defined by the file
    are left out. `traces` is read to its end in either case, since its maker may collect
    things in the meantime. Raises Unusable if `--map` names a trait that is not there, if a
    score has no whole scale, and if the judge's and people's words are unlike.
    """
    if file.rubric is None or existing:
        return _rubric_of_verdicts(file, traces, existing or {})
    for _ in traces:
        pass
    return MadeRubric(file.rubric)


def _rubric_of_verdicts(
    file: ForeignFile,
    traces: Iterable[ForeignTrace],
    existing: Mapping[str, RubricTrait],
) -> MadeRubric:
    """Return a rubric with a trait for each trait that the file defines or a verdict is on.

    Those in `file.traits` come first, then others in the order in which the traces have them. The
    traits of `file.questions` are left as they are, those of `existing` keep their table, and those
    of `groups` become traits of questions. With it come, by trait, what its values mean and a
    description. The traces are read once. Raises Unusable if `--map` names a trait that is not
    there, if a score has no whole scale, and if a judge's and people's words are unlike.
    """
    question_traits = set(names_of_own_traits(file.questions))
    seen = _values_by_trait(traces, question_traits)
    names = list(dict.fromkeys([*file.traits, *seen]))
    if not file.is_map_known:
        _check_mapped_traits(file.meanings, [*names, *question_traits, *existing])
    _check_unlike_words(file.mapping, seen, file.meanings)
    traits: dict[str, RubricTrait] = {}
    meanings: dict[str, TraitMap] = dict(file.meanings)
    descriptions: dict[str, str] = {}
    for name in names:
        if name in existing:
            traits[name] = existing[name]
            meanings[name], descriptions[name] = _meaning_in_existing_trait(
                existing[name].table,
                meanings.get(name, _NOTHING_SAID),
                seen[name].both,
            )
            continue
        made_trait = _made_trait(
            file,
            file.traits.get(name) or ForeignTrait(name),
            seen[name],
        )
        traits[name] = RubricTrait(made_trait.key, {"name": name} | made_trait.table)
        meanings[name] = made_trait.meaning
        descriptions[name] = made_trait.description
    grouped = set().union(*file.groups.values())
    rubric: Row = {"name": file.form}
    for name, (key, table) in traits.items():
        if name not in grouped:
            rubric.setdefault(key, []).append(table)
    questions = [*file.questions, *_questions_of_groups(file, traits)]
    if questions:
        rubric["questions"] = questions
    return MadeRubric(rubric, meanings, descriptions)


def _values_by_trait(
    traces: Iterable[ForeignTrace],
    left_out: Collection[str],
) -> defaultdict[str, _Sides]:
    """Return the values of each trait's verdicts, in the order in which the traces have the traits.

    Traits in `left_out` are passed over. People's whole floats are taken for whole numbers where
    `take_peoples_floats_as_whole` does so. A trait without verdicts has no values. Reads `traces`
    to their end.
    """
    values: defaultdict[str, _Sides] = defaultdict(_Sides)
    for trace in traces:
        verdicts: list[JudgeVerdict | PersonVerdict] = [*trace.judged, *trace.people]
        for verdict in verdicts:
            if verdict.trait not in left_out:
                values[verdict.trait].add(verdict)
    for sides in values.values():
        sides.take_peoples_floats_as_whole()
    return values


def _meaning_in_existing_trait(
    table: Row,
    trait_map: TraitMap,
    values: _Values,
) -> tuple[TraitMap, str]:
    """Return what values mean in a trait that the audit's rubric has already, and a text on that.

    For a yes-or-no trait the words among `values` are sorted into yes and no. For any other the
    meaning is `trait_map` unchanged. The text is "the rubric's, " and what the trait's values are,
    as "a score from 1 to 5". `table` is the trait's table in the rubric; it is not changed.
    """
    if table.get("kind") == "boolean":
        made_trait = _trait_of_yes_or_no({}, trait_map, values)
        return made_trait.meaning, f"the rubric's, {made_trait.description}"
    return trait_map, f"the rubric's, {_values_of_trait_text(table)}"


def _check_mapped_traits(
    meanings: Mapping[str, TraitMap],
    names: Sequence[str],
) -> None:
    """Raise Unusable for the first trait that `--map` speaks of and that is not among `names`.

    The message lists all names and suggests the nearest one. Nothing happens if all are there.
    """
    for name in meanings:
        if name in names:
            continue
        suggestion = closest(name, names)
        right = f"did you mean {quoted(suggestion)}?" if suggestion else ""
        listed = ", ".join(map(quoted, names)) or "none"
        wrong = f"there is no trait {quoted(name)}; the traits are {listed}"
        raise Unusable([Problem("--map", name, wrong, right)])


def _questions_of_groups(
    file: ForeignFile,
    traits: Mapping[str, RubricTrait],
) -> Iterator[Row]:
    """Yield each of a file's groups of traits as a question of a rubric, with its traits' tables.

    A question is `{"id": GROUP}` with a list of tables for each sort of trait in the group, under
    the sort's key as "llm_traits". Groups and tables are in the file's order, and a group without
    traits is its id alone. `traits` has the traits by name. Raises KeyError for a group with a
    trait that is not in it.
    """
    for number, names in file.groups.items():
        question: Row = {"id": number}
        for name in names:
            key, table = traits[name]
            question.setdefault(key, []).append(table)
        yield question


def own_traits(question: Row) -> Iterator[Row]:
    """Yield the tables of the traits of one question of a rubric, list by list, in its order.

    Every dict in any list of the question counts as one; other values and entries are passed over.
    """
    for traits in question.values():
        yield from tables_in(traits)


def names_of_own_traits(questions: Iterable[Row]) -> list[str]:
    """Return the names of the traits of some questions of a rubric, question by question.

    A name that several questions have comes several times. Raises KeyError for a trait without one.
    """
    names: list[str] = []
    for question in questions:
        names += [trait["name"] for trait in own_traits(question)]
    return names


class _Made(Struct):
    """A trait of a rubric that was made of verdicts, with what the verdicts' values mean in it."""

    key: str
    """The list of a rubric that the trait belongs in, such as "llm_traits"."""
    table: Row
    """The trait's table in that list, without its name."""
    meaning: TraitMap
    description: str
    """What the trait was taken for, as a clause: "yes or no"."""


def _made_trait(file: ForeignFile, trait: ForeignTrait, sides: _Sides) -> _Made:
    """Return the rubric's trait for the verdicts on `trait`: its list, its table and its meaning.

    If the file defines the trait, with a list `key`, it is that. Otherwise the kind is the one that
    `--map` says, or that its words, cut or classes imply. Otherwise it follows from the values of
    the judge and people. Raises Unusable if `--map` asks for a score without a whole scale.
    """
    values = sides.both
    trait_map = file.meanings.get(trait.name, _NOTHING_SAID)
    if trait.key == "llm_traits":
        table = trait.table | _cannot_tell_key(values)
        return _Made(trait.key, table, trait_map, _values_of_trait_text(table))
    if trait.key:
        return _Made(trait.key, trait.table, trait_map, f"a trait of {trait.key}")
    table = without_empty({"description": trait_map.criterion or trait.description})
    kind = trait_map.kind or _implied_kind(trait_map)
    if kind == "boolean":
        return _trait_of_yes_or_no(table, trait_map, values)
    if kind == "classes":
        return _trait_of_classes(table, trait_map, values)
    if kind in ("score", "number"):
        return _trait_of_numbers(
            file,
            trait,
            replace(trait_map, kind=kind),
            values,
            table,
        )
    return _trait_by_values(file, trait, sides, table)


def _trait_by_values(
    file: ForeignFile,
    trait: ForeignTrait,
    sides: _Sides,
    table: Row,
) -> _Made:
    """Return the trait of a rubric that suits the values of the judge and people together.

    The first of these that holds:

        a recorded trait if there is no value and nothing is known of the trait
        a metric trait if the values are lists
        a scorer for tables, for Inspect's letters, and if the file names one and has no words
        numbers if `--map` gives a scale
        yes or no if all values of each side are, unless 0 and 1 are points (`is_never_boolean`)
        classes if more than a few stray values are words
        numbers if there are any; else yes or no

    `table` has what is known of the trait, as a description, and is not changed.
    """
    values = sides.both
    trait_map = file.meanings.get(trait.name, _NOTHING_SAID)
    if values.is_empty and not (table or values.untold or trait_map.scale):
        # nobody could tell a model what is asked
        recorded = {"scorer": "recorded"}
        return _Made(
            "scorer_traits",
            recorded,
            trait_map,
            "no verdict came in, so that it is recorded",
        )
    if values.are_lists:
        return _Made(
            "metric_traits",
            table | _metric_keys(trait.name, values.lists),
            trait_map,
            "lists of items",
        )
    has_letters = values.are_letters if trait.scorer else values.are_surely_letters
    is_scored = trait.scorer and not values.have_words
    if values.keys or has_letters or is_scored:
        scorer = _scorer_keys(trait, values)
        return _Made(
            "scorer_traits",
            table | scorer,
            trait_map,
            f"a scorer ({scorer['scorer']})",
        )
    if trait_map.scale is not None:
        return _trait_of_numbers(file, trait, trait_map, values, table)
    if sides.are_yes_or_no and not (values.numbers and trait.is_never_boolean):
        return _trait_of_yes_or_no(table, trait_map, values)
    if values.have_words:
        return _trait_of_classes(table, trait_map, values)
    if values.are_amounts or values.numbers:
        return _trait_of_numbers(file, trait, trait_map, values, table)
    return _trait_of_yes_or_no(table, trait_map, values)


def _implied_kind(trait_map: TraitMap) -> Kind | None:
    """Return the kind that `--map` implies for a trait without saying `kind`, or None.

    Words for yes or no, or a cut, imply "boolean"; else classes imply "classes". A scale alone
    implies nothing: its values may be scores or numbers.
    """
    if trait_map.positive or trait_map.negative or trait_map.cut is not None:
        return "boolean"
    if trait_map.classes:
        return "classes"
    return None


def _trait_of_yes_or_no(table: Row, trait_map: TraitMap, values: _Values) -> _Made:
    """Return a yes-or-no trait, with the words among `values` that mean yes and no.

    The words of `--map` come first, then usual ones such as "pass". With a cut it is yes from that
    number on, and no words are looked at. If only one side has words and there is one unknown word,
    it goes to the other side. Words that are on neither side are named in the description. "Cannot
    tell" is allowed if a value says so. The `table` of what is known is not changed.
    """
    table = table | {"kind": "boolean"} | _cannot_tell_key(values)
    if trait_map.cut is not None:
        meaning = replace(trait_map, kind="boolean")
        return _Made(
            "llm_traits",
            table,
            meaning,
            f"yes or no; yes = {bound_text(trait_map.cut)} or more",
        )
    positive = list(trait_map.positive)
    negative = list(trait_map.negative)
    unknown: list[str] = []
    is_usual = _reads_as_usual(trait_map)
    for word in values.spellings:
        if is_one_of(word, [*positive, *negative]):
            continue
        says = says_yes(word) if is_usual else None
        if says is None:
            unknown.append(word)
        elif says:
            positive.append(word)
        else:
            negative.append(word)
    unplaced = _add_to_empty_side(unknown, positive, negative)
    meaning = replace(
        trait_map,
        kind="boolean",
        positive=tuple(positive),
        negative=tuple(negative),
    )
    description = "yes or no"
    if positive:
        description += f"; yes = {_quoted_words(positive)}"
    if negative:
        description += f"{',' if positive else ';'} no = {_quoted_words(negative)}"
    if unplaced:
        description += (
            f"; neither: {_quoted_words(unplaced)} (--map positive.… or negative.…"
            " takes it)"
        )
    return _Made("llm_traits", table, meaning, description)


def _reads_as_usual(meaning: TraitMap) -> bool:
    """Return whether all words that `--map` gives for yes and no are known words, on their usual
    side.

    True if it gives no words. If it is False, as for `positive=bad` or `positive=gold`, words that
    the map does not name are not guessed.
    """
    positive = all(says_yes(word) is True for word in meaning.positive)
    return positive and all(says_yes(word) is False for word in meaning.negative)


def _add_to_empty_side(
    unknown: list[str],
    positive: list[str],
    negative: list[str],
) -> list[str]:
    """Add unknown words to the one empty list of yes and no words; return those that fit neither.

    If both lists have words, or both are empty, nothing is added and all of `unknown` is
    returned. Otherwise the empty list is changed: a single unknown word is added to it, and
    if there are several, only those that are known to mean it.
    """
    if positive and negative:
        return unknown
    if not (positive or negative):
        return unknown
    empty_side = negative if positive else positive
    is_yes = empty_side is positive
    if len(unknown) == 1:
        empty_side += unknown
        return []
    unplaced: list[str] = []
    for word in unknown:
        if says_yes(word) is is_yes:
            empty_side.append(word)
        else:
            unplaced.append(word)
    return unplaced


def is_one_of(word: str, words: Iterable[str]) -> bool:
    """Return whether a word is among some, whatever its case, accents, hyphens and blanks.

    Numbers are the same if a cell of a table would be: "1.0" is among "1", and "0,5" among "0.5".
    """
    return _spelled_as_value(word) in map(_spelled_as_value, words)


def _spelled_as_value(word: str) -> str:
    """Return a word as it is compared (`spelled`), a number as that of a cell: "-1.0" as "-1".

    Points out of a number of them ("4/5") are no number.
    """
    cell = read_cell(word)
    if cell.most is None and isinstance(cell.value, int | float):
        return spelled(as_class(cell.value))
    return spelled(word)


def said_by_most(cells: Collection[CellValue], meaning: TraitMap) -> CellValue | None:
    """Return what more than half of people's values say; None on a tie or without values.

    Values that say the same (`_vote`) and are out of the same number of points count together. The
    first of them is returned.
    """
    cells_by_vote = defaultdict[tuple[str, float | None], list[CellValue]](list)
    for cell in cells:
        cells_by_vote[_vote(cell.value, meaning), cell.most].append(cell)
    most_cells = max(cells_by_vote.values(), key=len, default=[])
    if len(most_cells) * 2 > len(cells):
        return most_cells[0]
    return None


def _vote(value: object, meaning: TraitMap) -> str:
    """Return a person's value as a text that is equal for all values which say the same.

    Neither the spelling of a word matters, nor which of several words for yes, for no or for none
    it is, as `meaning` has them. In none of these, a bool is the same as 1 or 0.
    """
    word = as_class(value)
    for words in (meaning.positive, meaning.negative, meaning.none):
        if is_one_of(word, words):
            return spelled(words[0])
    if isinstance(value, bool):
        return str(int(value))
    return spelled(word)


def _quoted_words(words: Sequence[str]) -> str:
    """Return the first `_NAMED` words in quotes with ", " between, and ", …" if there are more.

    "" without words.
    """
    listed = ", ".join(map(quoted, words[:_NAMED]))
    if len(words) > _NAMED:
        return f"{listed}, …"
    return listed


def _trait_of_classes(table: Row, trait_map: TraitMap, values: _Values) -> _Made:
    """Return a trait of classes: those of `--map`, else the most frequent values (`_class_names`).

    They are ordered (worse to better) only if `--map` says so. "Cannot tell" is allowed if a value
    says so. The description lists the classes, and names the values that are no class. `table` has
    what is known of the trait; it is not changed.
    """
    names = trait_map.classes
    if not names:
        names = tuple(_class_names(values.words + values.non_words))
    classes: dict[str, str] = {}
    for name in names:
        classes[name] = f"The verdict is “{name}”."
    table = table | {"kind": "literal", "classes": classes} | _cannot_tell_key(values)
    if trait_map.is_ordered:
        table["order"] = "worse to better"
    meaning = replace(trait_map, kind="classes", classes=names)
    if trait_map.is_ordered:
        description = f"classes from worst to best: {_quoted_words(names)}"
    else:
        description = f"classes, none of them better: {_quoted_words(names)}"
    lower_names = {name.lower() for name in names}
    unplaced: list[str] = []
    for word in values.spellings:
        if len(word) <= LONGEST_NAME and word.lower() not in lower_names:
            unplaced.append(word)
    if unplaced:
        description += f"; no class: {_quoted_words(unplaced)}"
    return _Made("llm_traits", table, meaning, description)


def _values_of_trait_text(table: Row) -> str:
    """Return what values an LLM trait takes, by its table in a rubric: "a score from 1 to 5".

    It is a clause without a full stop: "yes or no", or the first ten classes as in 'classes:
    "good", "bad"'. "with the values that it has" for an unknown kind.
    """
    match table.get("kind"):
        case "literal":
            return f"classes: {_quoted_words([*table['classes']])}"
        case "score":
            return f"a score from {table.get('min_score', 1)} to {table.get('max_score', 5)}"
        case "boolean":
            return "yes or no"
        case _:
            return "with the values that it has"


def _cannot_tell_key(values: _Values) -> Row:
    """Return the key of an LLM trait's table that allows "cannot tell"; {} if no value was that."""
    if values.untold:
        return {CANNOT_TELL_COUNT: True}
    return {}


def _metric_keys(name: str, lists: Mapping[str, Iterable[str]]) -> Row:
    """Return the keys of a metric trait's table, with instructions made of the verdicts' texts.

    `lists` has the different texts by "tp", "fn", "fp" and "tn". TP instructions are the texts of
    "fn", else of "tp", else the trait's name. Texts in "tn" become TN instructions, with
    specificity and accuracy as further metrics. Each list is cut to `_MOST_WORDS`.
    """
    tp = list(lists["tp"])[:_MOST_WORDS]
    fn = list(lists["fn"])[:_MOST_WORDS]
    tn = list(lists["tn"])[:_MOST_WORDS]
    row: Row = {
        "metrics": ["precision", "recall", "f1"],
        "tp_instructions": fn or tp or [name],
    }
    if tn:
        row |= {"evaluation_mode": "full_matrix", "tn_instructions": tn}
        row["metrics"] += ["specificity", "accuracy"]
    return row


def _class_names(words: Counter[str]) -> list[str]:
    """Return the most frequent words as names of classes, at most `MOST_CLASSES`, sorted by name.

    Words that differ only in case are one, spelled as the more frequent. Texts longer than
    `LONGEST_NAME` are no class, unless there is nothing else: then those that were counted first
    are taken. If there is only one class, as "pass", "not pass" is added. [] without words.
    """
    by_frequency = [word for word, _ in words.most_common()]
    likely = [word for word in by_frequency if len(word) <= LONGEST_NAME]
    spellings: dict[str, str] = {}
    for word in likely or words:
        spellings.setdefault(word.lower(), word)
    names = list(spellings.values())[:MOST_CLASSES]
    names.sort()
    if len(names) == 1:
        names.append(f"not {names[0]}")
    return names


def _trait_of_numbers(
    file: ForeignFile,
    trait: ForeignTrait,
    trait_map: TraitMap,
    values: _Values,
    table: Row,
) -> _Made:
    """Return a trait for numbers: a score if it can be one, else a recorded number with bounds.

    It can be a score if no value is a float, if both ends of the scale are whole and at
    most `MOST_CLASSES` apart, and if no two values are out of different points. `--map` may
    say which of the two it is. `_scale_of` says what the scale is. `table` is what is known
    of the trait; it is not changed. Raises Unusable if `--map` asks for a score and the
    scale has an open or fractional end.
    """
    scale, source = _scale_of(file, trait, trait_map, values)
    low, high = scale
    ends = [end for end in scale if end is not None]
    are_whole = not values.fractions and all(float(end).is_integer() for end in ends)
    is_short = low is not None and high is not None and high - low <= MOST_CLASSES
    is_score = (
        are_whole and is_short and trait_map.kind != "number" and len(values.mosts) <= 1
    )
    if trait_map.kind == "score":
        if (
            low is None
            or high is None
            or not all(float(end).is_integer() for end in ends)
        ):
            wrong = f"a score has a whole scale with two ends, not {bounds_text(scale)}"
            right = "say it, as scale.TRAIT=1..5, or kind.TRAIT=number"
            raise Unusable([Problem("--map", "kind", wrong, right)])
        is_score = True
    meaning = replace(trait_map, kind="score" if is_score else "number", scale=scale)
    if is_score and low is not None and high is not None:
        ends_of_score = {"min_score": int(low), "max_score": int(high)}
        table = table | {"kind": "score"} | ends_of_score | _cannot_tell_key(values)
        description = f"a score from {bound_text(low)} to {bound_text(high)}{source}"
        return _Made("llm_traits", table, meaning, description)
    description = f"a number {bounds_text(scale)}{source}"
    return _Made(
        "scorer_traits",
        table | {"scorer": "recorded", **_scale_as_bounds(scale)},
        meaning,
        description,
    )


class _Scale(NamedTuple):
    """The scale of a trait's numbers."""

    bounds: Bounds
    source: str
    """Where it is from, to be put behind it: " (--map)"."""


def _scale_of(
    file: ForeignFile,
    trait: ForeignTrait,
    trait_map: TraitMap,
    values: _Values,
) -> _Scale:
    """Return the scale of a trait's numbers, with a text on where it is from, to put behind it.

    The first that holds:

        the scale in `--map`
        several numbers of points ("4/5", "3/10"): 0 to 1, as shares
        one number of points: 0, or the least value below it, to the points, or the largest value
        what the tool documents, if all values fit
        no numbers at all: 0 to 1, with "" as text
        otherwise open upwards from 0, or open at both ends if a value is below 0

    The text of the last one says what values were seen.
    """
    if trait_map.scale is not None:
        return _Scale(trait_map.scale, " (--map)")
    if len(values.mosts) > 1:
        return _Scale(Bounds(0, 1), " as shares of the points (the file)")
    if values.mosts:
        (most,) = values.mosts
        low = min(values.low, 0)
        high = max(most, values.high)
        return _Scale(Bounds(low, high), " (the file)")
    if file.documented is not None:
        scale = file.documented.scale_of(trait.name)
        if _is_within_scale(scale, values):
            return _Scale(scale, f" (as {file.documented.tool} documents it)")
    if not values.numbers:
        return _Scale(Bounds(0, 1), "")
    low_end = None if values.low < 0 else 0
    seen = f"{bound_text(values.low)} to {bound_text(values.high)} were seen"
    if values.low == values.high:
        seen = f"{bound_text(values.low)} was seen"
    return _Scale(Bounds(low_end, None), f"; no scale is said, and {seen}")


def bounds_text(scale: Bounds) -> str:
    """Return a scale as a clause: "from 1 to 5", "from 0, open upwards", "open at both ends".

    "up to 5, open downwards" if only the lower end is None.
    """
    low, high = scale
    if low is None:
        if high is None:
            return "open at both ends"
        return f"up to {bound_text(high)}, open downwards"
    if high is None:
        return f"from {bound_text(low)}, open upwards"
    return f"from {bound_text(low)} to {bound_text(high)}"


def _scale_as_bounds(scale: Bounds) -> Row:
    """Return a scale as the keys `min_score` and `max_score` of a recorded scorer's table.

    The default ends, 0 and 1, have no key. An open lower end (None) is -`FURTHEST`, and an open
    upper one `FURTHEST`.
    """
    low = -FURTHEST if scale.low is None else scale.low
    high = FURTHEST if scale.high is None else scale.high
    ends: Row = {}
    if low != 0:
        ends["min_score"] = float(low)
    if high != 1:
        ends["max_score"] = float(high)
    return ends


def _scorer_keys(trait: ForeignTrait, values: _Values) -> Row:
    """Return the keys of a trait's table that say which scorer its recorded verdicts have.

    Tables of values: `recorded` with their keys. Only Inspect's letters (C, P, I, N): the scorer
    that the file names if it is one of `_OF_LETTERS`, else `model_graded_qa`, with partial credit
    if a P is there. Otherwise `recorded`, with bounds for numbers below 0 or above 1.
    """
    if values.keys:
        return {
            "scorer": "recorded",
            "keys": list(values.keys),
            **_bounds_of_values(values),
        }
    if values.are_letters and not values.non_words:
        if trait.scorer in _OF_LETTERS:
            return {"scorer": trait.scorer}
        return {"scorer": "model_graded_qa", "partial_credit": "P" in values.words}
    return {"scorer": "recorded", **_bounds_of_values(values)}


_OF_LETTERS = (
    "match",
    "includes",
    "exact",
    "choice",
    "model_graded_qa",
    "model_graded_fact",
)


def _bounds_of_values(values: _Values) -> Row:
    """Return the bounds that a recorded scorer needs for the numbers seen, as keys of its table.

    `min_score` is the lowest number if that is below 0, and `max_score` the highest if that is
    above 1. {} if all are from 0 to 1, or there are none.
    """
    bounds: Row = {}
    if values.numbers and values.low < 0:
        bounds["min_score"] = float(values.low)
    if values.numbers and values.high > 1:
        bounds["max_score"] = float(values.high)
    return bounds


# -- labels ---------------------------------------------------------------------------------------


def labels_of(
    key: str,
    trait: Row,
    verdict: JudgeVerdict | PersonVerdict,
    meaning: TraitMap,
) -> Row:
    """Return a verdict as the labels that a judge would give (SPEC 5), for a trait in list `key`.

    `key` is a list of a rubric such as "llm_traits", `trait` the trait's table in it, and `meaning`
    says which words are yes and no. The labels are `{"value": …}`, with the reason, if there is
    one, as `rationale`. A scorer's have it as `explanation`, and also the `answer`; a regex's and a
    callable's have the value alone. For the others see `_metric_labels` and `_pairwise_labels`.
    Points out of a number of them become a share unless `_counts_in_points`, and "cannot tell" of a
    scorer is `UNSCORED`. Raises ValueError for a value that the trait cannot have, or a kind of
    trait without a single verdict.
    """
    value = verdict.value
    if key == "scorer_traits" and says_cannot_tell(value):
        value = UNSCORED
    if verdict.most and not _counts_in_points(trait, verdict, meaning):
        value = value / verdict.most
    if key == "metric_traits":
        return _metric_labels(value)
    if key == "scorer_traits":
        answer = verdict.answer if isinstance(verdict, JudgeVerdict) else ""
        details = {"explanation": verdict.reason, "answer": answer}
        return {"value": value} | without_empty(details)
    if key == "regex_traits":
        return {"value": _is_yes(value, meaning)}
    if key == PAIRWISE:
        return _pairwise_labels(value) | without_empty({"rationale": verdict.reason})
    if "kind" not in trait:
        raise ValueError(f"a trait of {key} has no single verdict")
    labels = {"value": _llm_value(trait, value, meaning)}
    if key == "callable_traits":
        return labels
    return labels | without_empty({"rationale": verdict.reason})


def _counts_in_points(
    trait: Row,
    verdict: JudgeVerdict | PersonVerdict,
    meaning: TraitMap,
) -> bool:
    """Return whether points out of a number of them ("4/5") count as they are, and not as a share.

    They do in a trait of classes, in one whose maximum is that number (1 if its table has none), as
    a word for yes or no of `meaning`, and beside its cut if that is above 1, which no share is.
    """
    if trait.get("kind") == "literal":
        return True
    if trait.get("kind") != "boolean":
        return bool(trait.get("max_score", 1) == verdict.most)
    if meaning.cut is not None:
        return meaning.cut > 1
    word = as_class(verdict.value)
    return is_one_of(word, [*meaning.positive, *meaning.negative])


def _metric_labels(value: object) -> Row:
    """Return a verdict on a metric trait as a judge's labels: all of it, with all four lists.

    A list that it lacks is []. Raises ValueError for a verdict that is no table.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"{value!r} has no lists")  # noqa: TRY004 - a wrong value
    return {**value, **{side: value.get(side) or [] for side in SIDES}}


def _pairwise_labels(value: object) -> Row:
    """Return a verdict on a pair as a judge's labels: the winner and its index in `WINNERS`.

    `value` is the winner, or a table with the winner as its `class`, whose other keys stay as they
    are. `{"class": "tie", "value": 2}`, in the case of `WINNERS`. Raises ValueError for a winner
    that is unknown, and for a table without a `class`.
    """
    labels = dict(value) if isinstance(value, Mapping) else {"class": value}
    winner = labels.get("class")
    if winner not in WINNERS:
        raise ValueError(f"{winner!r} is none of {', '.join(WINNERS)}")
    labels["value"] = WINNERS.index(winner)
    return labels


def _llm_value(trait: Row, value: object, meaning: TraitMap) -> bool | int | CannotTell:
    """Return a verdict as an LLM trait's value: a bool, a whole number, or a class's index from 0.

    "Cannot tell" stays if the trait allows it. A class is found in any case of its letters. A score
    may be 3.0 but not "3", and True is 1. Whether it is on the trait's scale is not checked. Raises
    ValueError for a value that the trait cannot have. `meaning` has the words for yes and no.
    """
    if trait.get(CANNOT_TELL_COUNT) and says_cannot_tell(value):
        return CANNOT_TELL
    if trait["kind"] == "boolean":
        return _is_yes(value, meaning)
    word = as_class(value)
    if trait["kind"] == "literal":
        classes = list(trait["classes"])
        lower_classes = [name.lower() for name in classes]
        if word.lower() in lower_classes:
            return lower_classes.index(word.lower())
        raise ValueError(
            f"{quoted(word)} is none of the classes {_quoted_words(classes)}",
        )
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int):
        return int(value)
    raise ValueError(f"{quoted(word)} is no whole number")


def _is_yes(value: object, meaning: TraitMap) -> bool:
    """Return True for a value that means yes and False for no; raises ValueError for any other.

    If `meaning` (`--map`) has a cut, a number from the cut on is yes, and a word or bool is an
    error. Otherwise the words of `meaning` come first. Other words are read as usual ("pass" is
    yes), unless `meaning` turns usual words around.
    """
    if meaning.cut is not None:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value >= meaning.cut
        raise ValueError(
            f"{quoted(as_class(value))} is no number, and {bound_text(meaning.cut)} is the cut",
        )
    word = as_class(value)
    if is_one_of(word, meaning.positive):
        return True
    if is_one_of(word, meaning.negative):
        return False
    says = says_yes(word) if _reads_as_usual(meaning) else None
    if says is None:
        yes = _quoted_words(meaning.positive) or "yes"
        no = _quoted_words(meaning.negative) or "no"
        raise ValueError(f"{quoted(word)} is neither yes ({yes}) nor no ({no})")
    return says
