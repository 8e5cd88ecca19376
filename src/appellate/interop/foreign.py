"""What a file of another tool holds, in our terms: traces, verdicts of judges and of people, and
the traits that these are about. `rubric_of` makes a rubric of the verdicts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, TypeGuard

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.kind import CANNOT_TELL, CANNOT_TELL_COUNT, CannotTell
from appellate.core.problem import Problem, Unusable, quoted
from appellate.core.scale import FURTHEST

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


class JudgeVerdict(Struct, frozen=True):
    """What a judge ruled on one trait: a value with its reason and the `answer` that it rests on
    where that is not the whole response, or why there is none (`failed`).

    `value` is a bool, number, class name, letter, table of these by key, or a table of lists.
    """

    trait: str
    value: Any = None
    reason: str = ""
    judge: str = ""
    failed: str = ""
    answer: str = ""
    most: float | None = None
    """The number of points that `value` is out of; None where the file does not say."""


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


class ForeignTrait(Struct):
    """What a trait asks for, its scorer, or all of it: `table` under the list `key` of a rubric."""

    name: str
    description: str = ""
    scorer: str = ""
    key: str = ""
    table: Row = field(default_factory=dict)
    is_never_boolean: bool = False
    """Whether its 0 and 1 are points, since its tool writes yes and no as true and false."""


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

    def describe(self) -> list[str]:
        """Which of their fields became which of ours, and what has no place here: a line each."""
        fields = (f"{ours} ← {theirs}" for ours, theirs in self.mapping.items())
        lost = "; ".join(self.lost) or "nothing"
        return [f"fields: {', '.join(fields)}", f"left out: {lost}"]


# -- values ---------------------------------------------------------------------------------------


def table_at(row: Mapping[str, Any], *path: str) -> Row:
    """The table under a path of keys; an empty one where there is none."""
    value: Any = row
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, dict) else {}


def known(record: Row) -> Row:
    """A record without what is not known."""
    return {key: value for key, value in record.items() if value not in (None, "", [], {})}


_NAMED = 10
"""So many of the things that were left out are named."""


def some(names: Sequence[object]) -> str:
    """Return the first few names of several, "…" if there are more."""
    listed = ", ".join(map(str, names[:_NAMED]))
    return f"{listed}, …" if len(names) > _NAMED else listed


def of_no_answer(judged: Iterable[JudgeVerdict], why: str) -> list[JudgeVerdict]:
    """The verdicts on an answer that its tool did not get: each failed."""
    return [replace(one, value=None, failed=one.failed or why) for one in judged]


def with_response(record: Row, response: str | None) -> Row:
    """Return a record with the response that its file has, even one without words.

    None is a response that was not found. Then the record gets none, and its row is refused.
    """
    if response is None:
        return record
    return {**record, "response": response}


def empty(file: str, number: int) -> Problem:
    """What is wrong with a row without an answer."""
    wrong, right = "no response is in it", "fill it in, or leave it out with --skip-bad"
    return Problem(file, f"row {number}", wrong, right)


# -- names ----------------------------------------------------------------------------------------


def trait_name(text: str) -> str:
    """A name that a trait may have: one line without dots, at most 60 characters."""
    name = " ".join(text.replace(".", " ").split())
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 1].rstrip() + "…"
    return name or "verdict"


# -- the rubric -----------------------------------------------------------------------------------


class _Values:
    """One trait's values: their range, and the words that could be classes."""

    def __init__(self) -> None:
        self.low, self.high = inf, -inf
        self.numbers = 0
        self.words: Counter[str] = Counter()
        self.others: Counter[str] = Counter()
        self.keys: dict[str, None] = {}
        self.lists: dict[str, dict[str, None]] = {side: {} for side in SIDES}
        self.are_lists = False
        self.fractions = False
        self.mosts: set[float] = set()
        self.untold = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is no value at all: every verdict failed."""
        return not (self.words or self.others or self.keys or self.are_lists)

    @property
    def names(self) -> set[str]:
        """What they say, in small letters; a remark that is too long for a class says nothing."""
        return {name.lower() for name in self.words | self.others if len(name) <= LONGEST_NAME}

    @property
    def are_words(self) -> bool:
        """Whether they are words, or yes and no, and not numbers with stray words among them."""
        if self.numbers:
            return self.words.total() > self.others.total() * _STRAY
        return bool(self.words or self.others)

    def shares_with(self, other: "_Values") -> bool:
        """Whether more than stray ones of these values are values of the other side, too."""
        counts = self.words + self.others
        shared = sum(count for name, count in counts.items() if name.lower() in other.names)
        return shared > counts.total() * _STRAY

    @property
    def are_truths(self) -> bool:
        """Whether each is yes or no in one word or another."""
        return bool(self.names) and self.names <= _TRUTHS.keys() and not self.are_amounts

    @property
    def are_letters(self) -> bool:
        """Whether they may be Inspect's letters."""
        return bool(self.words) and self.words.keys() <= LETTERS

    @property
    def are_surely_letters(self) -> bool:
        """Whether they are Inspect's letters where no scorer of Inspect is named.

        P and N by themselves are as well positive and negative, or pass and no.
        """
        return self.are_letters and not self.words.keys().isdisjoint(SURE_LETTERS)

    @property
    def are_classes(self) -> bool:
        """Whether words are more than stray ones on a scale, and more than yes or no."""
        if not self.numbers and {word.lower() for word in self.words} <= _ANSWERS.keys():
            return False
        return self.words.total() > self.others.total() * _STRAY

    @property
    def are_amounts(self) -> bool:
        """Whether they are numbers other than 0 and 1, or points out of a number of them."""
        if self.fractions or self.mosts:
            return True
        return self.numbers > 0 and not 0 <= self.low <= self.high <= 1

    def add(self, value: object, most: float | None = None) -> None:
        """Count a value, which is out of `most` points where its file says so."""
        if most is not None:
            self.mosts.add(most)
        if _is_lists(value):
            for side, texts in value.items():
                self.lists[side] |= dict.fromkeys(map(str, texts))
            self.are_lists = True
        elif isinstance(value, Mapping):
            self.keys |= dict.fromkeys(value)
            for below in value.values():
                self.add(below)
        elif isinstance(value, str):
            self._add_word(value)
        elif isinstance(value, bool | int | float):
            _count(self.others, as_class(value))
            if not isinstance(value, bool):
                self._add_number(value)

    def _add_word(self, word: str) -> None:
        if says_cannot_tell(word):
            self.untold += 1
        elif word.strip() and word != UNSCORED:
            _count(self.words, word)

    def _add_number(self, value: float) -> None:
        if -FURTHEST <= value <= FURTHEST:  # no bound of a rubric lies further out
            self.fractions = self.fractions or isinstance(value, float)
            self.numbers += 1
            self.low, self.high = min(self.low, value), max(self.high, value)


def says_cannot_tell(value: object) -> bool:
    """Return whether a value is the verdict that it cannot be told, as our exports write it."""
    return isinstance(value, str) and value.strip().casefold() == CANNOT_TELL


def _is_lists(value: object) -> TypeGuard[Mapping[str, list[Any]]]:
    """Whether a value is lists by the four buckets."""
    if not value or not isinstance(value, Mapping) or not value.keys() <= set(SIDES):
        return False
    return all(isinstance(texts, list) for texts in value.values())


_ANSWERS = {"yes": True, "no": False}
_TRUTHS = _ANSWERS | {
    "true": True,
    "false": False,
    "pass": True,
    "fail": False,
    "passed": True,
    "failed": False,
    "correct": True,
    "incorrect": False,
    "1": True,
    "0": False,
}
"""Words that are yes or no wherever the other side of a trait has other words for the same."""
_STRAY = 0.1
_MOST_WORDS = 1000
"""So many different words are counted."""


def _count(words: Counter[str], word: str) -> None:
    if word in words or len(words) < _MOST_WORDS:
        words[word] += 1


def as_class(value: object) -> str:
    """A value as the name of a class."""
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
        side = self.judge if isinstance(verdict, JudgeVerdict) else self.people
        side.add(verdict.value, verdict.most)
        self.both.add(verdict.value, verdict.most)

    @property
    def are_truths_in_other_words(self) -> bool:
        """Whether both sides say yes or no, and not in the same words: 1 and 0, pass and fail."""
        if not (self.judge.are_truths and self.people.are_truths):
            return False
        names = self.both.names
        return len({_TRUTHS[name] for name in names}) < len(names)

    @property
    def are_unlike(self) -> bool:
        """Whether nothing that one side says could ever agree with the other."""
        if self.judge.is_empty or self.people.is_empty or self.are_truths_in_other_words:
            return False
        if self.both.keys or self.both.are_lists:
            return False
        if self.judge.are_words != self.people.are_words:
            return not (self.judge.shares_with(self.people) or self.people.shares_with(self.judge))
        several = len(self.judge.names) > 1 or len(self.people.names) > 1
        return self.judge.are_words and several and self.judge.names.isdisjoint(self.people.names)


def _check_columns(mapping: Mapping[str, str], seen: Mapping[str, _Sides]) -> None:
    """Raise Unusable where the columns of a judge and of people are in unlike words.

    As one trait they would be classes of which no two agree.
    """
    for key, column in mapping.items():
        part, _, name = key.partition(".")
        sides = seen.get(trait_name(name))
        if part != "person" or sides is None or not sides.are_unlike:
            continue
        judges = mapping.get(f"verdict.{name}", "the judge")
        wrong = (
            f"{quoted(judges)} says {_some(sides.judge)} where {quoted(column)} says"
            f" {_some(sides.people)}: in unlike words the two can never agree"
        )
        right = "write both columns in the same words, or map one of them alone"
        raise Unusable([Problem("--map", key, wrong, right)])


def _some(values: _Values) -> str:
    """The first few things that a side says."""
    names = sorted(values.words | values.others, key=lambda name: (len(name), name))
    listed = ", ".join(names[:_SHOWN])
    return f"{listed}, …" if len(names) > _SHOWN else listed


_SHOWN = 4


def rubric_of(file: ForeignFile, traces: Iterable[ForeignTrace]) -> Row:
    """The rubric: a trait for whatever the traces were judged on, of the kind of its values."""
    own = {trait["name"] for question in file.questions for trait in own_traits(question)}
    seen: defaultdict[str, _Sides] = defaultdict(_Sides)
    for trace in traces:
        verdicts: list[JudgeVerdict | PersonVerdict] = [*trace.judged, *trace.people]
        for verdict in verdicts:
            if verdict.trait not in own:
                seen[verdict.trait].add(verdict)
    _check_columns(file.mapping, seen)
    traits = {}
    for name in dict.fromkeys([*file.traits, *seen]):
        trait = file.traits.get(name) or ForeignTrait(name)
        if seen[name].are_truths_in_other_words and not (trait.key or trait.scorer):
            table = known({"description": trait.description}) | {"kind": "boolean"}
            table |= _may_be_untold(seen[name].both)
            traits[name] = "llm_traits", {"name": name} | table
        else:
            key, table = _trait(trait, seen[name].both)
            traits[name] = key, {"name": name} | table
    grouped = set().union(*file.groups.values())
    rubric: Row = {"name": file.form}
    for name, (key, table) in traits.items():
        if name not in grouped:
            rubric.setdefault(key, []).append(table)
    questions = [*file.questions, *_grouped(file, traits)]
    if questions:
        rubric["questions"] = questions
    return rubric


def _grouped(file: ForeignFile, traits: Mapping[str, tuple[str, Row]]) -> Iterator[Row]:
    """The questions with traits of their own."""
    for number, names in file.groups.items():
        question: Row = {"id": number}
        for name in names:
            key, table = traits[name]
            question.setdefault(key, []).append(table)
        yield question


def own_traits(question: Row) -> Iterator[Row]:
    """The traits of one question of a rubric."""
    for traits in question.values():
        if isinstance(traits, list):
            yield from (trait for trait in traits if isinstance(trait, dict))


def _trait(trait: ForeignTrait, values: _Values) -> tuple[str, Row]:
    """The list of a rubric that a trait belongs to, and its table but for the name."""
    if trait.key == "llm_traits":
        return trait.key, trait.table | _may_be_untold(values)
    if trait.key:
        return trait.key, trait.table
    table: Row = known({"description": trait.description})
    if values.is_empty and not (trait.description or values.untold):
        return "scorer_traits", {"scorer": "recorded"}  # nobody could tell a model what is asked
    if values.are_lists:
        return "metric_traits", table | _metric(trait.name, values.lists)
    has_letters = values.are_letters if trait.scorer else values.are_surely_letters
    if values.keys or has_letters or (trait.scorer and not values.are_classes):
        return "scorer_traits", table | _scorer(trait, values)
    if values.are_classes:
        classes = _classes(values.words + values.others)
        return "llm_traits", table | classes | _may_be_untold(values)
    if values.are_amounts or (values.numbers and trait.is_never_boolean):
        return _numbers(values, table)
    return "llm_traits", table | {"kind": "boolean"} | _may_be_untold(values)


def _may_be_untold(values: _Values) -> Row:
    """Return the key of an LLM trait of which some verdict is that it cannot be told."""
    return {CANNOT_TELL_COUNT: True} if values.untold else {}


def _metric(name: str, lists: Mapping[str, Iterable[str]]) -> Row:
    """What was missing somewhere is asked for, or what was found where nothing was."""
    tp, fn, tn = (list(lists[side])[:_MOST_WORDS] for side in ("tp", "fn", "tn"))
    row: Row = {"metrics": ["precision", "recall", "f1"], "tp_instructions": fn or tp or [name]}
    if tn:
        row |= {"evaluation_mode": "full_matrix", "tn_instructions": tn}
        row["metrics"] += ["specificity", "accuracy"]
    return row


def _classes(words: Counter[str]) -> Row:
    """The classes of the likeliest words, which case does not tell apart: what is longer than a
    name is no class but a remark.
    """
    likely = [word for word, _ in words.most_common() if len(word) <= LONGEST_NAME]
    spellings: dict[str, str] = {}
    for word in likely or words:
        spellings.setdefault(word.lower(), word)
    names = sorted(list(spellings.values())[:MOST_CLASSES])
    if len(names) == 1:
        names.append(f"not {names[0]}")
    return {"kind": "literal", "classes": {name: f"The verdict is “{name}”." for name in names}}


def _numbers(values: _Values, table: Row) -> tuple[str, Row]:
    """A score where all numbers are whole and few, else a recorded scorer with its bounds.

    Points out of one number have it as their highest; those out of several become shares of 1.
    """
    if len(values.mosts) > 1:
        return "scorer_traits", table | {"scorer": "recorded"}
    if values.mosts:
        values.high = max(values.mosts)
        values.fractions = values.fractions or not values.high.is_integer()
    if not values.fractions and values.high - values.low <= MOST_CLASSES:
        low, high = int(min(values.low, 1)), int(max(values.high, values.low + 1))
        scale = {"kind": "score", "min_score": low, "max_score": high}
        return "llm_traits", table | scale | _may_be_untold(values)
    return "scorer_traits", table | {"scorer": "recorded", **_bounds(values)}


def _scorer(trait: ForeignTrait, values: _Values) -> Row:
    if values.keys:
        return {"scorer": "recorded", "keys": list(values.keys), **_bounds(values)}
    if values.are_letters and not values.others:
        if trait.scorer in _OF_LETTERS:
            return {"scorer": trait.scorer}
        return {"scorer": "model_graded_qa", "partial_credit": "P" in values.words}
    return {"scorer": "recorded", **_bounds(values)}


_OF_LETTERS = ("match", "includes", "exact", "choice", "model_graded_qa", "model_graded_fact")


def _bounds(values: _Values) -> Row:
    bounds: Row = {}
    if values.numbers and values.low < 0:
        bounds["min_score"] = float(values.low)
    if values.numbers and values.high > 1:
        bounds["max_score"] = float(values.high)
    return bounds


# -- labels ---------------------------------------------------------------------------------------


def labels_of(key: str, trait: Row, verdict: JudgeVerdict | PersonVerdict) -> Row:
    """A judge's table (SPEC 5) for a trait of a rubric's list: what a verdict comes to there.

    Raises ValueError for a value that the trait cannot have.
    """
    value = verdict.value
    if key == "scorer_traits" and says_cannot_tell(value):
        value = UNSCORED
    if verdict.most and trait.get("max_score", 1) != verdict.most:
        value = value / verdict.most
    if key == "metric_traits":
        if isinstance(value, Mapping):
            return {**value, **{side: value.get(side) or [] for side in SIDES}}
        raise ValueError(f"{value!r} has no lists")
    if key == "scorer_traits":
        answer = verdict.answer if isinstance(verdict, JudgeVerdict) else ""
        return {"value": value} | known({"explanation": verdict.reason, "answer": answer})
    if key == "regex_traits":
        return {"value": bool(value)}
    if key == PAIRWISE:
        labels = dict(value) if isinstance(value, Mapping) else {"class": value}
        labels["value"] = WINNERS.index(labels["class"])
        return labels | known({"rationale": verdict.reason})
    return {"value": _llm_value(trait, value)} | known({"rationale": verdict.reason})


def _llm_value(trait: Row, value: object) -> bool | int | CannotTell:
    if trait.get(CANNOT_TELL_COUNT) and says_cannot_tell(value):
        return CANNOT_TELL
    if trait["kind"] == "boolean":
        if isinstance(value, str):
            value = _TRUTHS.get(value.lower(), value)
        if value in (True, False):
            return bool(value)
    elif trait["kind"] == "literal":
        classes = [name.lower() for name in trait["classes"]]
        if as_class(value).lower() in classes:
            return classes.index(as_class(value).lower())
    elif isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise ValueError(f"{value!r} is no value of {trait['kind']}")
