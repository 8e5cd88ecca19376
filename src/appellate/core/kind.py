"""What a kind of trait supplies, so that its cells are judged, corrected, measured, written and
queried.

A kind is one folder below `traits/` with a `KIND`, an instance of a subclass of `TraitKind`.
Nothing outside of the folder changes when a kind is added. Below, S is its trait (a frozen pydantic
model), L its labels, and E one edit of them (both frozen values). A *table* is labels as files have
them: JSON or TOML values.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.problem import Refused
from appellate.core.trace import (
    EARLIER_TURNS,
    HISTORY,
    QUESTION,
    RESPONSE,
    WHOLE_CONVERSATION,
    Materials,
    Trace,
    name_of,
)

if TYPE_CHECKING:
    from appellate.core.cell import Cell
    from appellate.core.closing import Closing
    from appellate.core.trait_pattern import PatternOfTrait
    from appellate.core.transcript import Transcript
    from appellate.talk.dialogue import Dialogue

Table = Mapping[str, Any]
"""Labels, a judge's record or an edit as files have them: JSON or TOML values by key."""


class Example(Struct, frozen=True):
    """A cell that a model is shown as an example."""

    trace: Trace
    """The trace as a judge sees it."""
    table: Table
    """The audited labels."""
    judged: Table = field(default_factory=dict)
    """The labels of its judge, whose reasons are shown if a person left the verdict unchanged."""


class Briefing(Struct, frozen=True):
    """What a model gets besides the cell."""

    parts: Mapping[str, str] = field(default_factory=dict)
    """Parts of the prompt that replace the template's, by name."""
    examples: tuple[Example, ...] = ()

    @property
    def shown(self) -> list[str]:
        """The names of the traces of the examples."""
        return [name_of(*example.trace.key) for example in self.examples]


UNBRIEFED = Briefing()
"""Nothing besides the cell."""

CannotTell = Literal["cannot tell"]
CANNOT_TELL: CannotTell = "cannot tell"
"""The verdict of a judge or a person who cannot tell from what the trace shows.

It is the same in labels, files, answers and exports, for every kind whose traits may allow it
(`TraitKind.untold`). It is no number: it is counted, but part of no mean and no agreement.
"""
CANNOT_TELL_COUNT = "cannot_tell"
"""The name of its count in the counts of `Figures` and in files."""


class Trait(Protocol):
    """A trait as everything outside its own kind knows it."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str | None: ...

    def to_file(self) -> dict[str, Any]:
        """Return the trait as a rubric file writes it: only what differs from the defaults."""

    def sha256(self) -> str:
        """Return the fingerprint of `to_file`."""


class Edit(Protocol):
    """One correction, as its kind knows it."""

    def to_row(self) -> dict[str, Any]:
        """Return the edit as facts and files keep it; `TraitKind.edit` is the inverse."""


S = TypeVar("S", bound=Trait)
L = TypeVar("L")
E = TypeVar("E", bound=Edit)
S_contra = TypeVar("S_contra", contravariant=True)


class Outcome(NamedTuple, Generic[L]):
    """Labels after an edit, and the text of the edited item before and after it.

    Where there is no item, as before it is added, the text is "" or a word for nothing.
    """

    labels: L
    before: str
    after: str


class Fault(NamedTuple):
    """One thing that is wrong with a table: where, what is there, and what would be right."""

    path: tuple[str | int, ...]
    """The keys and indexes that lead to it."""
    wrong: str
    right: str = ""
    newer: bool = False
    """Whether an audit with it is read anyway, since another version may have written it."""


class Span(NamedTuple):
    """Code points `start` to `end` (excluded) of the response or of a document."""

    start: int
    end: int
    document: int | None = None
    """The index of the document, from 0; None for the response."""


class Instruction(NamedTuple):
    """A question that labels answer."""

    of: str
    """The list of the trait that it is in."""
    number: int
    """Its number in the list, from 1."""
    text: str
    """Its words."""


class Called(NamedTuple):
    """What people call one of a trait's questions."""

    name: str
    """"4", "−1", "0a"; "" for the only question."""
    text: str
    is_open: bool = False
    """Whether labels say that nobody has answered it."""


class Figures(NamedTuple):
    """What the labels of a cell measure to."""

    values: dict[str, float]
    """The value of each measure, in the order asked."""
    undefined: frozenset[str]
    """The measures without a value: 0/0, unscored, or impossible to tell."""
    counts: dict[str, int]
    """What is pooled, and what queries ask for: tp, hits."""
    words: Mapping[str, str] = {}
    """Texts that queries ask for: class = "partial"."""
    unscored: frozenset[str] = frozenset()
    """The undefined measures for which there is no score."""
    cannot_tell: frozenset[str] = frozenset()
    """The undefined measures for which somebody could not tell."""

    @property
    def untold(self) -> int:
        """How many verdicts of the cell are that it cannot be told."""
        return self.counts.get(CANNOT_TELL_COUNT, 0)

    @classmethod
    def of(
        cls,
        values: Mapping[str, float | None],
        counts: dict[str, int],
        **more: Any,
    ) -> "Figures":
        """Return the figures of a cell from its values by measure, of which None stands for 0/0.

        Such a value becomes 0.0, and its name is added to `undefined`. `more` are other fields of
        the figures, but not `undefined`.
        """
        numbers: dict[str, float] = {}
        undefined: list[str] = []
        for name, value in values.items():
            numbers[name] = value or 0.0
            if value is None:
                undefined.append(name)
        return cls(numbers, frozenset(undefined), counts, **more)


class Ratio(NamedTuple):
    """A number as one sum of counts over another, each count with its factor."""

    above: Mapping[str, float]
    below: Mapping[str, float]


class Measure(Struct, frozen=True):
    """A number that labels are measured by."""

    name: str
    short: str
    """Its name if there is little room."""
    low: float = 0.0
    """The lower bound of its values; `high` is the upper one."""
    high: float = 1.0
    higher_is_better: bool | None = True
    """None if neither end is better."""
    pool: Callable[[Mapping[str, int]], float | None] | None = None
    """Computes it from the pooled counts of many cells; None for 0/0.

    A measure without this function is pooled as the mean of its values.
    """
    ratio: Ratio | None = None
    """The measure as a ratio of counts of one cell, for estimates, which need both parts of it.

    A measure without it is estimated as the mean of its values.
    """
    word: str = ""
    """The entry of `Figures.words` that says in words what the number says, as the name of
    a class.
    """
    steps: tuple[str, ...] = ()
    """The few values that a cell may have, from `low` to `high`, as people call them; else
    empty.
    """
    sums_up: bool = False
    """Whether it is made of the other measures."""
    is_headline: bool = False
    """Whether it is the one of its trait that stands for the trait."""

    def parts(self, figures: Figures) -> tuple[float, float]:
        """Return what one cell adds to the measure's ratio: its numerator and its denominator.

        They are sums of the cell's counts. For a measure without a ratio they are its value in the
        cell and 1, or (0, 0) if the value is undefined or missing.
        """
        if self.ratio is not None:
            above, below = self.ratio
            return _weighted(above, figures), _weighted(below, figures)
        is_missing = self.name not in figures.values
        if is_missing or self.name in figures.undefined:
            return 0.0, 0.0
        return figures.values[self.name], 1.0


def _weighted(factors: Mapping[str, float], figures: Figures) -> float:
    """Return the sum of some counts of a cell, each times its factor.

    `factors` has them by the names of the counts. A count that the cell does not have is 0.
    """
    total = 0.0
    for name, factor in factors.items():
        total += factor * figures.counts.get(name, 0)
    return total


def headline(measures: Sequence[Measure]) -> Measure:
    """Return the measure by which reports name a trait.

    It is the first that is marked as the headline, else the first that sums up others, else the
    first. `measures` must not be empty.
    """
    for measure in measures:
        if measure.is_headline:
            return measure
    for measure in measures:
        if measure.sums_up:
            return measure
    return measures[0]


def in_queue(measures: Sequence[Measure]) -> Measure:
    """Return the measure that the queue shows for cells: the one marked as headline, else the last.

    `measures` must not be empty.
    """
    return next((measure for measure in measures if measure.is_headline), measures[-1])


def with_headline(measures: Sequence[Measure], name: str | None) -> Sequence[Measure]:
    """Return the measures, of which only the one with this name is marked as the headline.

    If none has the name, none is marked. If `name` is None, they are returned with their own marks.
    """
    if name is None:
        return measures
    return [replace(measure, is_headline=measure.name == name) for measure in measures]


class Weakness(NamedTuple):
    """What makes a legal trait hard to judge."""

    id: str
    path: tuple[str | int, ...]
    """The keys and indexes that lead to it."""
    reason: str
    fix: str
    """What would be better."""


class Check(NamedTuple):
    """Something inconsistent in labels, or an excerpt that was not found; it changes no number."""

    name: Literal["breach", "unverified"]
    sentence: str


class QueryField(Struct, frozen=True):
    """A field that queries compare: `tp>3`, `class:partial`."""

    name: str
    path: str
    """Where it is in a cell's figures; begins with "counts", "standing" (a measure) or "words"."""
    shape: Literal["count", "number", "text", "values"]
    """Its type. "values" are such words as "C", or "style C, facts I" for several.

    A query may ask for any of several values.
    """
    help: str


class Grounds(NamedTuple):
    """How labels answer one instruction, and why."""

    word: str
    """The answer."""
    style: str = ""
    """The name of the bucket that it is in; "" for none."""
    spans: tuple[tuple[int, int], ...] = ()
    """The words of the response that it is based on."""
    loose: tuple[str, ...] = ()
    """Excerpts that are not in the response."""
    reason: str = ""
    """The judge's reason."""
    omission: bool = False
    """Whether it is based on what the response leaves out."""


class Answering(ABC, Generic[S, L, E]):
    """How one instruction is answered, for going through it in all cells of a trait."""

    rests_on_words = False
    """Whether an answer may need words of the response that support it.

    `takes_words`, `bear_out` and `likely` are for such kinds.
    """

    @abstractmethod
    def grounds(self, trait: S, labels: L, asked: Instruction) -> Grounds:
        """Return how labels answer an instruction."""

    @abstractmethod
    def sayable(self, trait: S, asked: Instruction) -> Mapping[str, str]:
        """Return the answers that a person may give, with the word of `standings` for each."""

    @abstractmethod
    def edits(
        self,
        trait: S,
        labels: L,
        asked: Instruction,
        answer: str,
    ) -> Sequence[E]:
        """Return the edits, in order, that change labels so that they give `answer` to a question.

        Empty if the labels give it already. Raises Refused if no edits lead to the answer.
        """

    def takes_words(self, wanted: Sequence[E]) -> bool:
        """Return whether a person has to choose words of the response that support some edits.

        Here it is always False.
        """
        return False

    def bear_out(
        self,
        wanted: Sequence[E],
        span: tuple[int, int] | None,
    ) -> Sequence[E]:
        """Return edits with the words of `span` as their support; with no words for None.

        `span` is a stretch of the response. Here the edits are returned as they are, whatever
        `span` is.
        """
        return wanted

    def likely(self, cell: "Cell", asked: Instruction) -> Sequence[tuple[int, int]]:
        """Return the stretches of a cell's response that may support an answer, likeliest first.

        They are pairs of start and end. Here there are none; a kind whose answers rest on words
        overrides it.
        """
        return ()

    def remarks(self, trait: S, before: L, after: L) -> Sequence[str]:
        """Return what a person should know about a change, in sentences; here there are none."""
        return ()


class NotComputed(Exception):
    """Raised by a kind without a judge that has no labels for a trace; the message says why."""


def _nothing(trait: Any, trace: Trace) -> Materials:  # noqa: ARG001
    """Return that nothing of a trace is left out of a request."""
    return frozenset()


WordOverlap = Callable[[S, Trace, float | None], dict[str, Any]]
"""Makes a judge's table of a trait and a trace, with a share of words or None."""


class Asked(Struct, Generic[S], frozen=True, eq=False):
    """The source of labels for which a model is asked."""

    dialogue: "Callable[[S, Trace, Briefing], Dialogue[dict[str, Any]]]"
    """Returns the dialogue, which ends with a judge's table."""
    asks_the_same: Callable[[S, S], bool]
    """Returns whether a judge is asked the same under two versions of a trait."""
    material: Callable[[S], Materials | None]
    """Returns what a request of a trait holds of each trace (`core.trace`), if no part is emptied.

    The request is made from the same names. None for a trait whose labels come with the traces.
    """
    prompt: Callable[[], str]
    """Returns the text of the shipped template, a TOML file of parts."""
    prompt_faults: Callable[[Table], Iterable[tuple[str, str]]]
    """Returns why other parts cannot replace the template's: the part, and what is wrong
    with it.
    """
    lexical: WordOverlap[S] | None = None
    """Makes a judge's table by comparing words, without a model.

    Its number is the share of words (above 0, up to 1) that must be found; None for the kind's own.
    If there is no function, the offline judge leaves such cells pending.
    """
    compared: Materials = frozenset({RESPONSE})
    """What the lexical judge looks at."""
    left_out: Callable[[S, Trace], Materials] = _nothing
    """Returns what of a trace is left out of a request because the trace says so."""
    requests: int = 1
    """How many requests a cell takes, if every first reply can be used."""

    def holds(self, trait: S, parts: Mapping[str, str]) -> Materials | None:
        """Return the names of what a request holds of a trace; None if labels come with traces.

        `parts` are the texts of the prompt's parts, by name. A name is left out if the text of its
        part is blank: "metadata" and "metadata.model" are of the part `metadata`. For a trait that
        reads the conversation, "conversation" is held instead of question, earlier turns, history
        and response.
        """
        materials = self.material(trait)
        if materials is None:
            return None
        blank_parts = {name for name, text in parts.items() if not text.strip()}
        held: set[str] = set()
        for material in materials_as_read(trait, materials):
            part_name = material.partition(".")[0]
            if part_name not in blank_parts:
                held.add(material)
        return frozenset(held)


def asked_by(
    module: str,
    asks_the_same: Callable[[S, S], bool],
    material: Callable[[S], Materials | None],
    lexical: WordOverlap[S] | None = None,
    compared: Materials = frozenset({RESPONSE}),
    left_out: Callable[[S, Trace], Materials] = _nothing,
    requests: int = 1,
) -> Asked[S]:
    """Return a source of labels for which a model is asked, in the words of a module.

    `module` is its full name. The module has a function `dialogue` and a `TEMPLATE`, and is loaded
    only when a dialogue is made or a prompt is checked. The prompt.toml next to it is read when it
    is asked for. The other arguments are fields of `Asked`.
    """

    def dialogue(
        trait: S,
        trace: Trace,
        briefing: Briefing,
    ) -> "Dialogue[dict[str, Any]]":
        """Load `module`, and return its dialogue with a model about a trait and a trace.

        No model is asked yet.
        """
        asking: Dialogue[dict[str, Any]] = import_module(module).dialogue(
            trait,
            trace,
            briefing,
        )
        return asking

    def template() -> Any:
        return import_module(module).TEMPLATE

    return Asked(
        dialogue,
        asks_the_same,
        material,
        lambda: _shipped_prompt(module.rpartition(".")[0]),
        lambda parts: template().faults(parts),
        lexical,
        compared,
        left_out,
        requests,
    )


@cache
def _shipped_prompt(package: str) -> str:
    """Return the text of the prompt.toml of a kind's folder."""
    return files(package).joinpath("prompt.toml").read_text("utf-8")


class CodeSession(Protocol[S_contra]):
    """Other people's code, ready to be run as often as needed."""

    def compute(self, trait: S_contra, trace: Trace) -> dict[str, Any]:
        """Return a judge's table; raises NotComputed."""

    def close(self) -> None:
        """End the session, from any thread; a computation that is running raises NotComputed."""


class Code(Struct, Generic[S], frozen=True, eq=False):
    """Other people's code that computing runs, which needs a permission."""

    name: Callable[[S], str]
    """Returns what runs for a trait, as a person reads it."""
    begin: Callable[[Sequence[str]], CodeSession[S]]
    """Begins a session, in which modules are searched in these folders first."""


def _not_known(trait: Any) -> None:
    """Return None: nobody knows what is looked at in a trace."""


class Computed(Struct, Generic[S], frozen=True, eq=False):
    """The source of labels that need no judge: no model is ever asked, and they cost nothing."""

    name: str
    """Who a judge's record says it was."""
    compute: Callable[[S, Trace], dict[str, Any]]
    """Returns a judge's table, or raises NotComputed."""
    computes_the_same: Callable[[S, S], bool]
    """Returns whether two versions of a trait lead to the same tables."""
    runs: Code[S] | None = None
    """Other people's code. Tables then come from its sessions, and `compute` never runs it."""
    material: Callable[[S], Materials | None] = _not_known
    """Returns what is looked at in each trace; None if only that code knows."""


Source = Literal["model", "rule", "code"]
"""Where the labels of a cell come from: a judge, a rule of ours, or other people's code."""


class Reworded(NamedTuple, Generic[S]):
    """A trait to ask instead of another."""

    trait: S
    meant: Mapping[tuple[str, int], Instruction]
    """The instructions of the other trait that its instructions stand for, by list and number."""


OtherOrder = Callable[[int], Sequence[int]]
"""Returns another order of a number of things, as their indexes."""


class Rewording(Struct, Generic[S], frozen=True, eq=False):
    """How a kind asks its questions in other words. A list is empty if a trait has no such form."""

    reordered: Callable[[S, OtherOrder], Sequence[Reworded[S]]]
    """Asks them in another order."""
    negated: Callable[[S, str], Sequence[Reworded[S]]]
    """Asks for the contrary of each, by words that are put before it; "" for the kind's own
    words.
    """
    alone: Callable[[S], Sequence[Reworded[S]]]
    """Asks each by itself."""


MIXED = "traits"
"""The list of the oldest rubrics, which holds traits of every kind."""


class TraitKind(ABC, Generic[S, L, E]):
    """One kind of trait; the registry is `traits.kinds`.

    What is not overridden fits a kind that has no such thing.
    """

    # -- the trait --------------------------------------------------------------------------------

    name: str
    """The kind's name in files, and that of its folder."""
    spec: type[S]
    """The model of its traits."""
    implied = False
    """Whether files that name no kind mean this one: they were written when there was no other."""
    old_keys: Sequence[str] = ()
    """Earlier names of its list in a rubric, `<name>_traits`."""
    telling_keys: Sequence[str] = ()
    """Keys that distinguish a trait of this kind from others in the list `MIXED`."""

    def renew(self, key: str, table: Table) -> tuple[dict[str, Any], str]:
        """Return a trait's table in today's form, and in words what was old in it.

        The words are "" if nothing was. `key` is the list of the rubric in which the table is: the
        kind's own, one of the `old_keys`, or `MIXED`. That this list is old is not told. What is
        wrong with the table stays as it is. Here the table is only copied, and the words are "".
        """
        return dict(table), ""

    def notes(self, trait: S) -> Iterable[str]:
        """Return what is legal in a trait but odd, in words that follow its name."""
        return ()

    def weaknesses(self, trait: S) -> Iterable[Weakness]:
        """Return what makes a trait hard to judge."""
        return ()

    def patterns(self, trait: S) -> Sequence["PatternOfTrait"]:
        """Return the regular expressions that a trait looks for in responses."""
        return ()

    def form(self, trait: S) -> str:
        """Return which form of its kind a trait has, in a word or two; "" if there is only one."""
        return ""

    def preview(self, old: S, new: S, traces: Iterable[Trace]) -> Iterator[str]:
        """Yield in sentences what a changed trait would lead to, before it is taken.

        `traces` are those that it is tried on. A sentence comes whenever more is known, and the
        last one is final. The generator limits its own time, may be left at any moment, and blocks
        in between. Here nothing is yielded.
        """
        return iter(())

    # -- tables -----------------------------------------------------------------------------------

    label_schema: Table
    """The JSON Schema of the keys of its labels in a judge's table, and of `items`."""
    blank: L
    """Labels that hold nothing."""

    @property
    def label_keys(self) -> Sequence[str]:
        """The keys of its labels, without `items` and the judge's record."""
        return [key for key in self.label_schema if key != "items"]

    @abstractmethod
    def faults(self, trait: S | None, trace: Trace, table: Table) -> Iterable[Fault]:
        """Return what is wrong with a table of labels that was recorded, judged or audited.

        Empty if nothing is. `trait` is None if the trait of the labels is not known.
        """

    @abstractmethod
    def locate(self, trait: S, trace: Trace, table: Table) -> dict[str, Any]:
        """Return a judge's table with links and offsets found, and the judge's own words.

        It is a new table; the one that is given stays as it is.
        """

    @abstractmethod
    def labels(self, trait: S, trace: Trace, table: Table) -> L:
        """Return the labels of a located table."""

    @abstractmethod
    def write(self, labels: L) -> dict[str, Any]:
        """Return the tables `audited` and, for labels with details, `items`."""

    def unjudged(self, trait: S, trace: Trace, table: Table) -> str:
        """Return in a sentence why a table without faults is no judgment; "" if it is one.

        The cell then fails with this sentence. Here it is always "".
        """
        return ""

    # -- judging ----------------------------------------------------------------------------------

    def lacking(self, trait: S, trace: Trace) -> str:
        """Return in a sentence what a trait needs that a trace lacks; "" if nothing is lacking.

        Nobody is asked about a cell that lacks something, and it fails with this sentence: an
        answer about what is not there would be taken for one about the response. Here it is always
        "".
        """
        return ""

    asked: Asked[S] | None = None
    computed: Computed[S] | None = None
    """The sources of tables: one of them, or both, and then `source` says which one a trait
    means.
    """
    rewording: Rewording[S] | None = None
    """How the questions of a trait are asked in other words; None if they cannot be."""

    def source(self, trait: S) -> Asked[S] | Computed[S]:
        """Return the source of a trait's tables: the kind's `computed`, or else its `asked`.

        A kind with both overrides it, to say which one a trait means. Raises TypeError if the kind
        has neither.
        """
        source = self.computed or self.asked
        if source is None:
            raise TypeError(f"a {self.name} trait has no labels from anywhere")
        return source

    def source_name(self, trait: S) -> Source:
        """Return the name of the source of a trait's tables: "model", "rule" or "code".

        It is "model" if a model is asked, "rule" if a rule of ours computes the tables, and "code"
        if other people's code is run for them. Raises TypeError if the kind has no source.
        """
        source = self.source(trait)
        if isinstance(source, Asked):
            return "model"
        return "rule" if source.runs is None else "code"

    def requests(self, trait: S) -> int:
        """Return the number of requests that a model gets about a cell, if each reply is usable.

        It is 1 for a trait about which no model is asked. Raises TypeError if the kind has no
        source.
        """
        source = self.source(trait)
        return source.requests if isinstance(source, Asked) else 1

    def proposes_the_same(self, trait: S, other: S) -> bool:
        """Return whether two versions of a trait lead to the same proposals.

        Judged cells then stay. The versions do if a model is asked the same under both, or the same
        is computed. They do not if one is computed and a model is asked about the other. Raises
        TypeError if the kind has no source.
        """
        source = self.source(trait)
        other_source = self.source(other)
        if isinstance(source, Computed) and isinstance(other_source, Computed):
            return source.computes_the_same(trait, other)
        if isinstance(source, Asked) and isinstance(other_source, Asked):
            return source.asks_the_same(trait, other)
        return False

    def majority(
        self,
        trait: S,
        trace: Trace,
        tables: Sequence[Table],
    ) -> dict[str, Any] | None:
        """Return the table of what most of a panel's members hold; on a tie, the first one's.

        `tables` are those of the members. Returns None, as here, to leave it to the caller: that
        takes the table of the largest group that answers alike.
        """
        return None

    # -- correcting -------------------------------------------------------------------------------

    @abstractmethod
    def edit(self, row: Table) -> E:
        """Return the edit that a row keeps; raises ValueError or TypeError if it keeps none."""

    def permit(self, trait: S, trace: Trace, labels: L, edit: E) -> E:
        """Return an edit that somebody asks for, in the form in which it is kept.

        A kind fills in what a later version might find otherwise, such as where sentences end, or
        returns another edit with the same result. It raises Refused for an edit that only earlier
        versions kept. Here the edit is returned as it is.
        """
        return edit

    @abstractmethod
    def apply(self, trait: S, trace: Trace, labels: L, edit: E) -> Outcome[L]:
        """Return the new labels after an edit, and the text of the edited item before and after it.

        The labels that are given stay as they are. Raises Refused, which says what to do instead,
        if the edit does not fit them.
        """

    def toward(
        self,
        trait: S,
        trace: Trace,
        labels: L,
        table: Table,
    ) -> Sequence[E] | None:
        """Return edits, in order, that lead from some labels to those of a table.

        They lead as far as edits can. It is for imports: a file says how a person left a cell, and
        not what they did. `table` is one that `write` made, free of faults. Returns None, as here,
        if the kind cannot tell.
        """
        return None

    @abstractmethod
    def anchor(self, trait: S, labels: L, edit: E) -> Any:
        """Return what an edit of some labels is about, in terms that hold for other labels.

        They hold for a changed trait, too. `carried` and `fits` get the value, to find the same
        there.
        """

    @abstractmethod
    def carried(self, trait: S, labels: L, edit: E, anchor: Any) -> E | None:
        """Return an edit in the form that it has for other labels or under a changed trait.

        `anchor` is what the edit is about. Returns None if these labels already say what the edit
        would. Raises Refused if what it is about is not there.
        """

    def fits(self, trait: S, labels: L, edit: E, anchor: Any) -> bool:
        """Return whether labels under a changed trait have what an edit is about.

        `anchor` is what the edit is about. They have it if `carried` does not refuse the edit, so
        also if they already say what the edit would.
        """
        try:
            self.carried(trait, labels, edit, anchor)
        except Refused:
            return False
        return True

    @abstractmethod
    def describe(self, edit: E, before: str, after: str) -> str:
        """Return an edit in the past tense, with the item's texts before and after it."""

    @abstractmethod
    def brief(self, edit: E) -> str:
        """Return the sort of an edit in a word or two."""

    # -- numbers ----------------------------------------------------------------------------------

    fields: Sequence[QueryField] = ()
    """What queries may ask for besides measures."""

    @abstractmethod
    def measures(self, trait: S) -> Sequence[Measure]:
        """Return the measures that a trait asks for, in its order."""

    @abstractmethod
    def measure(self, trait: S, labels: L) -> Figures:
        """Return what labels measure to."""

    def measure_table(self, trait: S, table: Table, labels: L) -> Figures:
        """Return what a judge's table measures to, as the judge wrote it.

        `labels` are those that were read from the table. Here they are measured, and the table is
        not looked at.
        """
        return self.measure(trait, labels)

    def measure_as_before(
        self,
        trait: S,
        labels: L,
        table: Table | None,
    ) -> Figures | None:
        """Return the figures that labels had under earlier versions of the program.

        `table` is the judge's own table, or None for labels that are no judge's. Returns None, as
        here, if no earlier version counted otherwise.
        """
        return None

    def is_verbatim(self, trait: S, table: Table, labels: L) -> bool:
        """Return whether a table surely measures to the same as the labels that were read from it.

        Here it is always True.
        """
        return True

    def corners(
        self,
        trait: S,
        measure: Measure,
        most_items: int,
    ) -> Sequence[tuple[float, float]] | None:
        """Return the extreme pairs of numerator and denominator that a cell can add to a measure.

        Exact intervals need them of cells that nobody has ruled on yet. `most_items` is how many
        items are thought possible in a list that the trait does not bound. Here they are (0, 0),
        (low, 1) and (high, 1), by the bounds of the measure. Returns None if a kind has no such
        pairs, and here for a measure with a ratio.
        """
        if measure.ratio is not None:
            return None
        return (0.0, 0.0), (measure.low, 1.0), (measure.high, 1.0)

    def likeness(self, labels: L) -> Hashable | None:
        """Return a value that only labels with the same figures, answers and checks have in common.

        Such labels are then measured once. None, as here, if that cannot be known without measuring
        them.
        """
        return None

    def between(self, judged: Figures, audited: Figures) -> Mapping[str, float]:
        """Return numbers, by name, that are made of a cell's judged and audited figures.

        Here there are none.
        """
        return {}

    def checks(self, trait: S, labels: L) -> Sequence[Check]:
        """Return what is inconsistent in labels, and excerpts that were not found; here nothing."""
        return ()

    def evidence(self, trait: S, labels: L) -> Sequence[Span]:
        """Return the words that labels are based on; here there are none."""
        return ()

    # -- answers ----------------------------------------------------------------------------------

    positives: frozenset[str] = frozenset()
    """The answers by which something asked for is there.

    The judge's sensitivity and precision are about these.
    """
    unanswered: frozenset[str] = frozenset()
    """The answers that leave a question open; if a person gives them, nothing is compared."""

    def untold(self, trait: S) -> frozenset[str]:
        """Return the answers that say that a question cannot be answered from what the trace shows.

        If the judge or a person gives one of them, nothing is compared. Empty, as here, for a trait
        that does not allow them.
        """
        return frozenset()

    def may_leave_open(self, trait: S) -> bool:
        """Return whether a ruling under a trait may leave a question without an answer to compare.

        Exact intervals of the judge's agreement then allow for it. Here it is always True, as it
        must be where it is not known.
        """
        return True

    compared: frozenset[str] = frozenset()
    """The lists of questions by which judge and person are compared as a whole; empty for all."""
    called_as: Mapping[str, Sequence[str]] = {}
    """For one of the `answers`, the words that `standings` has for it."""
    aside_words: Sequence[str] = ()
    """What `asides` may say; each is also a count of `measure`, and in no measure."""
    spelled: Mapping[str, str] = {}
    """Counts, lists and answers that people spell differently than files do ("tp" as "TP")."""
    lists: Mapping[str, str] = {}
    """What each list of instructions asks of a response."""
    reading = ""
    """What the kind's numbers and answers mean, in sentences, for a report."""

    def closing(self, trait: S, labels: L) -> "Closing | None":
        """Return in words what the labels of one cell mean, for a report.

        Here it is None: nothing is said of single cells.
        """
        return None

    @abstractmethod
    def answers(self, trait: S, labels: L) -> Mapping[Instruction, str]:
        """Return the answer of labels to each question of a trait, in a word.

        They are in the order of the questions. Votes, disagreement and overruling follow from them.
        """

    def vocabulary(self, trait: S) -> Sequence[str]:
        """Return all words that `answers` may give under a trait, in the order of lists.

        Here it is empty: words are then listed in alphabetical order.
        """
        return ()

    def standings(self, trait: S, labels: L) -> Mapping[Instruction, str]:
        """Return the answer to each question in the word that the screen shows and queries ask for.

        Here these are the words of `answers`.
        """
        return self.answers(trait, labels)

    def words_of(self, trait: S) -> Sequence[str]:
        """Return the words that `standings` may have; here those of `vocabulary`."""
        return self.vocabulary(trait)

    def called(self, trait: S, labels: L, asked: Instruction) -> Called:
        """Return the name and the words that people have for a question of a trait.

        Here the name is "", and the words are the question's own, whatever the labels say.
        """
        return Called("", asked.text)

    def asides(self, trait: S, labels: L) -> Mapping[Instruction, Sequence[str]]:
        """Return some words for each question about which labels say something besides the answer.

        Here there are none.
        """
        return {}

    goes_by_instruction = True
    """Whether one question can be gone through in all cells of a trait.

    False where the same answer has another name in each cell.
    """

    @property
    def answering(self) -> Answering[S, L, E] | None:
        """How a person answers a single question of the kind, for going through it in all cells.

        Here it is None: cells cannot be gone through by instruction.
        """
        return None


AnyKind = TraitKind[Any, Any, Any]
"""A kind among others, whose own values are handed to it."""


TraitKey = tuple[str, str]
"""The names of a trait's kind and of the trait: two questions may have traits of one name."""


class KnownTrait(NamedTuple):
    """A trait and its kind."""

    kind: AnyKind
    trait: Any

    @property
    def key(self) -> TraitKey:
        """The names of the kind and of the trait."""
        return self.kind.name, self.trait.name


Reads = Literal["response", "conversation"]
"""What a trait judges: the last answer, or the whole conversation."""
RECORDED = "recorded"
"""The name of the judge whose labels came with the traces."""
DEFAULT_READS: Reads = "response"
CONVERSATION: Reads = "conversation"


def reads_conversation(trait: Any) -> bool:
    """Return whether a trait judges the whole conversation, as its field `reads` says.

    A trait without that field never does.
    """
    return getattr(trait, "reads", None) == CONVERSATION


def read_name(trait: Any) -> str:
    """Return what people call the text that a trait judges: "response" or "conversation"."""
    return CONVERSATION if reads_conversation(trait) else DEFAULT_READS


def materials_as_read(trait: Any, names: Materials) -> Materials:
    """Return the names of what a judge gets of each trace under a trait.

    `names` are those for a trait that reads the response, and are returned for it. If the trait
    reads the conversation, the whole conversation is in the place of question, earlier turns,
    history and response.
    """
    if not reads_conversation(trait):
        return names
    return (names - {QUESTION, EARLIER_TURNS, HISTORY, RESPONSE}) | {WHOLE_CONVERSATION}


def as_read(trait: Any, trace: Trace) -> Trace:
    """Return a trace as a trait reads it, so that its `text` is what is judged.

    That is the trace itself for a trait that reads the response, and one with a transcript for a
    trait that reads the conversation. A trait that reads neither has a method `as_read` for it.
    `trace` must have its question's text, which is the first step of a conversation without
    messages.
    """
    if _reads_in_its_own_way(trait.__class__):
        read: Trace = trait.as_read(trace)
        return read
    if not reads_conversation(trait):
        return trace
    from appellate.core.transcript import as_conversation  # only conversations need it

    return as_conversation(trace, getattr(trait, "longest_result", None))


@cache
def _reads_in_its_own_way(trait_class: type) -> bool:
    """Return whether traits of a class have a method `as_read`, which is slow to ask of each."""
    return hasattr(trait_class, "as_read")


PART_DIGITS = 12
"""Hexadecimal digits of the fingerprint of a part: it tells what changed, and proves nothing."""
_ENCODER = msgspec.json.Encoder()


def json_sha256(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, in 64 hexadecimal digits.

    That has sorted keys, no spaces, and UTF-8 in which half characters are encoded, too. NaN and
    infinite numbers are written as Python's `json` does. Raises TypeError for any other value that
    JSON does not have.
    """
    return _text_sha256(
        json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False),
    )


def _text_sha256(text: str) -> str:
    """Return the fingerprint of a text in UTF-8; half characters are encoded, too."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Subject(Struct, frozen=True, dict=True):
    """One trait on one trace: what a cell is about."""

    kind: AnyKind
    trait: Any
    asked: Trace
    """The trace with its question's text and reference, whatever its trait reads of it."""
    earlier: Mapping[str, KnownTrait] = field(default_factory=dict)
    """Earlier versions of the trait, by their hash."""

    @property
    def trait_key(self) -> TraitKey:
        """The names of the trait's kind and of the trait."""
        return self.kind.name, self.trait.name

    @property
    def trace(self) -> Trace:
        """The trace as the trait reads it: its `text` is what is judged."""
        read: Trace | None = self.__dict__.get("trace_as_read")
        if read is None:
            read = as_read(self.trait, self.asked)
            self.__dict__["trace_as_read"] = (
                read  # a cached property would take a lock for it
            )
        return read

    @property
    def text(self) -> str:
        """What is judged: the response, or the transcript of the conversation."""
        return self.trace.text

    @property
    def transcript(self) -> "Transcript | None":
        """The transcript that the trait reads; None if it reads the response."""
        return self.trace.transcript

    @property
    def text_sha256(self) -> str:
        """The fingerprint of the text that is judged."""
        return _text_sha256(self.text)

    def reading(self, judge: Table) -> dict[str, Any]:
        """Return the keys by which a judgment tells in which text its excerpts were looked up.

        "text_sha256" is the fingerprint of the text. "read" is what the trait reads, "response" or
        "conversation". It is missing if the `name` in the judge's record `judge` is "recorded":
        labels that came with a trace do not tell what was read. For a conversation, "transcript" is
        the version of the rules by which it became a text.
        """
        fields: dict[str, Any] = {"text_sha256": self.text_sha256}
        if judge.get("name") != RECORDED:
            fields["read"] = getattr(self.trait, "reads", DEFAULT_READS)
        if self.transcript is not None:
            from appellate.core.transcript import VERSION

            fields["transcript"] = VERSION
        return fields

    def read_sha256(self, trait_sha256: str) -> str:
        """Return the fingerprint of what a person reads here, under a version of the trait.

        `trait_sha256` is the hash of that version. A sign-off and a ruling keep the fingerprint,
        and hold while it is the same. It is the SHA-256 of the canonical JSON (sorted keys, no
        spaces, UTF-8) of `question`, `reference`, `text` and `trait`, which is the hash. Without a
        question, `question` is the whole message of the user that was answered last, unless the
        trait reads the conversation. What is missing is null.
        """
        question = self._question_or_message
        material = {
            "question": question,
            "reference": self.asked.reference,
            "text": self.text,
            "trait": trait_sha256,
        }
        if isinstance(question, str | None):
            try:
                # the same bytes, in a third of the time
                plain = _ENCODER.encode(material)
            except UnicodeEncodeError:  # half of a character, which no UTF-8 has
                pass
            else:
                return hashlib.sha256(plain).hexdigest()
        return json_sha256(material)

    def read_parts(self) -> dict[str, Any]:
        """Return short fingerprints of the parts of what a person reads here.

        They tell later which part was changed. The keys are "text", "question" and "reference".
        Without a question its part is that of `read_sha256`. A fingerprint has `PART_DIGITS`
        hexadecimal digits, also that of a part that is missing. For a conversation, "transcript" is
        the version of the rules by which it became a text.
        """
        parts: dict[str, Any] = {
            "text": json_sha256(self.text)[:PART_DIGITS],
            "question": json_sha256(self._question_or_message)[:PART_DIGITS],
            "reference": json_sha256(self.asked.reference)[:PART_DIGITS],
        }
        if self.transcript is not None:
            from appellate.core.transcript import VERSION

            parts["transcript"] = VERSION
        return parts

    @property
    def _question_or_message(self) -> Any:
        """What was asked: the question's text, or else a whole recorded message of a user.

        The message is the last one of the role "user" after which one of the role "assistant"
        comes. None if there is neither. If the trait reads the conversation, no message is looked
        for.
        """
        asked = self.asked
        if (
            asked.question is not None
            or not asked.messages
            or self.transcript is not None
        ):
            return asked.question

        is_answered = False
        for message in reversed(asked.messages):
            role = message.get("role") if isinstance(message, dict) else None
            if is_answered and role == "user":
                return message
            is_answered = is_answered or role == "assistant"
        return None

    def as_judged(self, judge: Table) -> Trace | None:
        """Return the trace as it was read for a judgment; None if no version of the trait reads so.

        `judge` is the judgment's record, and its `text_sha256` the hash of the text that was read.
        The trait and its earlier versions are tried for a text with that hash. For a record without
        a hash the trace is returned as it was asked, whose text is the response.
        """
        sha256 = judge.get("text_sha256")
        if sha256 is None:
            return self.asked
        if _text_sha256(self.trace.text) == sha256:
            return self.trace

        for known in self.earlier.values():
            if known.trait is self.trait:
                continue
            trace = as_read(known.trait, self.asked)
            if _text_sha256(trace.text) == sha256:
                return trace
        return None

    def under(self, sha256: str) -> "Subject":
        """Return the subject with that version of the trait in `earlier` that has this hash.

        Raises KeyError if none has it.
        """
        return replace(self, trait=self.earlier[sha256].trait)

    @property
    def source(self) -> Asked[Any] | Computed[Any]:
        """Where the labels of the cell come from; raises TypeError if its kind has no source."""
        return self.kind.source(self.trait)

    @property
    def source_name(self) -> Source:
        """The name of the source of the cell's labels."""
        return self.kind.source_name(self.trait)

    def labels(self, table: Table) -> Any:
        """Return the labels that the kind reads from a located table.

        They are kept with the last table: for the same object again, the same labels are returned.
        """
        last_read = self.__dict__.get("last_read")
        if last_read is not None:
            last_table, labels = last_read
            if last_table is table:
                return labels
        labels = self.kind.labels(self.trait, self.trace, table)
        self.__dict__["last_read"] = (table, labels)
        return labels

    def count_in_context(self, labels: Any) -> int:
        """Return how many stretches on which labels are based are words of a user or of the system.

        Stretches of documents do not count. 0 if the trait reads the response.
        """
        if self.transcript is None:
            return 0
        count = 0
        for span in self.kind.evidence(self.trait, labels):
            step = self.transcript.step_of((span.start, span.end))
            if span.document is None and step is not None and step.is_context:
                count += 1
        return count

    def measure_table(self, table: Table) -> Figures:
        """Return what a located table of the cell measures to."""
        return self.kind.measure_table(self.trait, table, self.labels(table))

    def dialogue(self, trace: Trace, briefing: Briefing) -> "Dialogue[dict[str, Any]]":
        """Return the dialogue with a model about `trace`, which ends with a judge's table.

        The model sees the trace and the briefing. Nothing is asked yet. Raises TypeError if no
        model is asked about the trait, or if its kind has no source.
        """
        if not isinstance(self.source, Asked):
            raise TypeError(f"no model is asked about trait {self.trait.name}")
        return self.source.dialogue(self.trait, trace, briefing)
