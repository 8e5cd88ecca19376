"""What a kind of trait supplies, so that its cells are judged, corrected, measured, written and
asked for.

A kind is one folder below `traits/` that has a `KIND`, of a class made from `TraitKind`. Nothing
outside of the folder changes when one is added. In what follows S is its trait (a frozen pydantic
model), L its labels and E one edit of them (both frozen values); a *table* is labels as files have
them: JSON or TOML values.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
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
    """A cell that a model is shown.

    `trace` as a judge sees it, `table` the audited labels, `judged` those of its judge, whose
    reasons are shown where a person left the verdict as it was.
    """

    trace: Trace
    table: Table
    judged: Table = field(default_factory=dict)


class Briefing(Struct, frozen=True):
    """What a model gets beyond the cell: parts that replace the template's, and examples."""

    parts: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def shown(self) -> list[str]:
        """The traces of the examples, by name."""
        return [name_of(*example.trace.key) for example in self.examples]


UNBRIEFED = Briefing()

CannotTell = Literal["cannot tell"]
CANNOT_TELL: CannotTell = "cannot tell"
"""The verdict of a judge or a person who cannot tell from what the trace shows.

It is the same in labels, files, answers and exports, of every kind whose traits may allow it
(`TraitKind.untold`). It is no number: it is in no mean and no agreement, and counted.
"""
CANNOT_TELL_COUNT = "cannot_tell"
"""The name of how often that was said, among the counts of `Figures` and in files."""


class Trait(Protocol):
    """A trait as everybody but its own kind knows it."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str | None: ...

    def to_file(self) -> dict[str, Any]:
        """The trait as a rubric file writes it: only what differs from the defaults."""

    def sha256(self) -> str:
        """The fingerprint of `to_file`."""


class Edit(Protocol):
    """One correction, as its kind knows it."""

    def to_row(self) -> dict[str, Any]:
        """The edit as facts and files keep it; `TraitKind.edit` is the inverse."""


S = TypeVar("S", bound=Trait)
L = TypeVar("L")
E = TypeVar("E", bound=Edit)
S_contra = TypeVar("S_contra", contravariant=True)


class Outcome(NamedTuple, Generic[L]):
    """Labels after an edit, and the edited item's text before and after it."""

    labels: L
    before: str
    after: str


class Fault(NamedTuple):
    """One thing that is wrong with a table: where, what is there, and what would be right.

    `newer`: an audit that has it is read all the same, since another version may have written it.
    """

    path: tuple[str | int, ...]
    wrong: str
    right: str = ""
    newer: bool = False


class Span(NamedTuple):
    """Codepoints `start` to `end` (excluded) of the response, or of the document of that number."""

    start: int
    end: int
    document: int | None = None


class Instruction(NamedTuple):
    """A question that labels answer: its list, its place there (1-based) and its words."""

    of: str
    number: int
    text: str


class Called(NamedTuple):
    """What people call one of a trait's questions ("4", "−1", "0a"; "" for the only one), and its
    words; `is_open` where labels say that nobody has answered it.
    """

    name: str
    text: str
    is_open: bool = False


class Figures(NamedTuple):
    """What labels measure to.

    `values` are by measure in the order asked, `undefined` those of them that are 0/0, `counts`
    what is pooled and queries ask for (tp, hits), `words` the text that queries ask for (class =
    "partial"). `unscored` are those of the undefined ones that are no 0/0: nobody gave a score.
    `cannot_tell` are those that somebody could not tell, which are no 0/0 either.
    """

    values: dict[str, float]
    undefined: frozenset[str]
    counts: dict[str, int]
    words: Mapping[str, str] = {}
    unscored: frozenset[str] = frozenset()
    cannot_tell: frozenset[str] = frozenset()

    @property
    def untold(self) -> int:
        """How many verdicts of the cell are that it cannot be told."""
        return self.counts.get(CANNOT_TELL_COUNT, 0)

    @classmethod
    def of(
        cls, values: Mapping[str, float | None], counts: dict[str, int], **more: Any
    ) -> "Figures":
        """Of values that are None where they are 0/0."""
        undefined = frozenset(name for name, value in values.items() if value is None)
        return cls(
            {name: value or 0.0 for name, value in values.items()}, undefined, counts, **more
        )


class Ratio(NamedTuple):
    """A number as one sum of counts over another, each count with its factor."""

    above: Mapping[str, float]
    below: Mapping[str, float]


class Measure(Struct, frozen=True):
    """A number that labels come to, from `low` to `high`; `short` is its name for where there is
    little room.

    `pool` computes it from the counts of many cells, None where they come to 0/0. A measure that
    has no such function is pooled as the mean of its values. `ratio` tells the same of single cells
    to who needs both parts of each, as estimates do; a measure without it is estimated as the mean
    of its values. `word` is the entry of `Figures.words` that says of one cell the same as the
    number, where people say it in words (the name of a class). `steps` are the values that a cell
    may have, from `low` to `high`, as people call them, where they are few: pictures have a part
    for each. One that `sums_up` is made of the others.
    """

    name: str
    short: str
    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool | None = True
    pool: Callable[[Mapping[str, int]], float | None] | None = None
    ratio: Ratio | None = None
    word: str = ""
    steps: tuple[str, ...] = ()
    sums_up: bool = False

    def parts(self, figures: Figures) -> tuple[float, float]:
        """What the labels of one cell add above and below the line; nothing where they are 0/0."""
        if self.ratio is not None:
            sums = [0.0, 0.0]
            for place, part in enumerate(self.ratio):
                for name, much in part.items():
                    sums[place] += much * figures.counts.get(name, 0)
            return sums[0], sums[1]
        if self.name not in figures.values or self.name in figures.undefined:
            return 0.0, 0.0
        return figures.values[self.name], 1.0


IN_QUEUE = -1
"""The measure that cells have in the queue: the last one asked for, as F1 often is."""


def headline(measures: Sequence[Measure]) -> Measure:
    """The one that reports name a trait by: the first asked for, or the one that sums up others."""
    return next((one for one in measures if one.sums_up), measures[0])


class Weakness(NamedTuple):
    """What makes a legal trait hard to judge; `path` leads to it, `fix` is what would be better."""

    id: str
    path: tuple[str | int, ...]
    reason: str
    fix: str


class Check(NamedTuple):
    """Something inconsistent in labels, or an excerpt that is not there; it changes no number."""

    name: Literal["breach", "unverified"]
    sentence: str


class QueryField(Struct, frozen=True):
    """A field that queries compare (`tp>3`, `class:partial`): where it is in a cell's figures, and
    what it is.

    `path` begins with "counts", "standing" (a measure of the labels) or "words". "values" are such
    words as "C", or "style C, facts I" of several: any of the values may be asked for.
    """

    name: str
    path: str
    shape: Literal["count", "number", "text", "values"]
    help: str


class Grounds(NamedTuple):
    """How labels answer one instruction, and on which grounds.

    `word` says it, `style` names the bucket that it is in, if there is one. `spans` are the
    words of the response that it rests on, `loose` those that are not there, `reason` is the
    judge's. An `omission` rests on what the response leaves out.
    """

    word: str
    style: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    loose: tuple[str, ...] = ()
    reason: str = ""
    omission: bool = False


class Answering(ABC, Generic[S, L, E]):
    """How one instruction is answered, for going through it in all cells of a trait."""

    rests_on_words = False
    """Whether an answer may have to be borne out by words of the response: of such a kind are
    `takes_words`, `bear_out` and `likely`.
    """

    @abstractmethod
    def grounds(self, trait: S, labels: L, asked: Instruction) -> Grounds:
        """How labels answer it."""

    @abstractmethod
    def sayable(self, trait: S, asked: Instruction) -> Mapping[str, str]:
        """The answers that a person may give, and the word for each, as `standings` has it."""

    @abstractmethod
    def edits(self, trait: S, labels: L, asked: Instruction, answer: str) -> Sequence[E]:
        """The corrections, in order, that make labels answer so, if any; raises Refused."""

    def takes_words(self, wanted: Sequence[E]) -> bool:
        """Whether words of the response are to bear the edits out."""
        return False

    def bear_out(self, wanted: Sequence[E], span: tuple[int, int] | None) -> Sequence[E]:
        """The edits on such words, or on none."""
        return wanted

    def likely(self, cell: "Cell", asked: Instruction) -> Sequence[tuple[int, int]]:
        """The stretches of a cell's response that may bear them out, the likeliest first."""
        return ()

    def remarks(self, trait: S, before: L, after: L) -> Sequence[str]:
        """What there is to know of a change, in sentences."""
        return ()


class NotComputed(Exception):
    """A kind without a judge has no labels for a trace; the message is a sentence that says why."""


def _nothing(trait: Any, trace: Trace) -> Materials:  # noqa: ARG001
    """Return that nothing of a trace is left out of a request."""
    return frozenset()


class Asked(Struct, Generic[S], frozen=True, eq=False):
    """Where labels come from that a model is asked for.

    `dialogue` ends with a judge's table. `asks_the_same` is whether a judge is asked the same under
    two versions of a trait. `material` names what a request of a trait holds of each trace
    (`core.trace`), where its prompt leaves no part empty; the request is made from the same
    names. It is None for a trait whose labels come with the traces. `prompt` is the text of the
    shipped template, a TOML file of parts, and `prompt_faults` tells what keeps other parts from
    taking their place: the part, and what is wrong with it. `lexical` makes a judge's table by
    comparing words, without a model; where it is None, the offline judge leaves such cells pending.
    `compared` names what it looks at. `left_out` names what of a trace is left out of a request all
    the same, because the trace says so.
    """

    dialogue: "Callable[[S, Trace, Briefing], Dialogue[dict[str, Any]]]"
    asks_the_same: Callable[[S, S], bool]
    material: Callable[[S], Materials | None]
    prompt: Callable[[], str]
    prompt_faults: Callable[[Table], Iterable[tuple[str, str]]]
    lexical: Callable[[S, Trace], dict[str, Any]] | None = None
    compared: Materials = frozenset({RESPONSE})
    left_out: Callable[[S, Trace], Materials] = _nothing

    def holds(self, trait: S, parts: Mapping[str, str]) -> Materials | None:
        """Return what a request of a trait holds of a trace under a prompt with these parts.

        A part that is emptied holds nothing. None for a trait that nobody is asked about.
        """
        names = self.material(trait)
        if names is None:
            return None
        emptied = {name for name, text in parts.items() if not text.strip()}
        names = materials_as_read(trait, names)
        return frozenset(name for name in names if name.partition(".")[0] not in emptied)


def asked_by(
    module: str,
    asks_the_same: Callable[[S, S], bool],
    material: Callable[[S], Materials | None],
    lexical: Callable[[S, Trace], dict[str, Any]] | None = None,
    compared: Materials = frozenset({RESPONSE}),
    left_out: Callable[[S, Trace], Materials] = _nothing,
) -> Asked[S]:
    """Labels that a module gives a model's words for, by its `dialogue` and its `TEMPLATE`; it is
    loaded only where a model is asked.
    """

    def dialogue(trait: S, trace: Trace, briefing: Briefing) -> "Dialogue[dict[str, Any]]":
        asking: Dialogue[dict[str, Any]] = import_module(module).dialogue(trait, trace, briefing)
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
    )


@cache
def _shipped_prompt(package: str) -> str:
    """Return the text of the prompt.toml of a kind's folder."""
    return files(package).joinpath("prompt.toml").read_text("utf-8")


class CodeSession(Protocol[S_contra]):
    """Code of other people, ready to be run as often as it is wanted."""

    def compute(self, trait: S_contra, trace: Trace) -> dict[str, Any]:
        """A judge's table; raises NotComputed."""

    def close(self) -> None:
        """Ends it, from any thread; a computation that is under way raises NotComputed."""


class Code(Struct, Generic[S], frozen=True, eq=False):
    """Code that computing runs, which takes a permission.

    `name` is what runs for a trait, as a person reads it; `begin` is a session of it, in which
    modules are looked for in these folders first.
    """

    name: Callable[[S], str]
    begin: Callable[[Sequence[str]], CodeSession[S]]


def _not_known(trait: Any) -> None:
    """Return None: nobody knows what is looked at of a trace."""


class Computed(Struct, Generic[S], frozen=True, eq=False):
    """Where labels come from that need no judge: no model is ever asked for them, and they cost
    nothing.

    `compute` gives a judge's table or raises NotComputed; `name` is who its record says it was.
    `computes_the_same` is whether two versions of a trait lead to the same tables. Where `runs` is
    the code of other people, tables come of its sessions, and `compute` never runs it. `material`
    names what is looked at of each trace; it gives None where only that code knows.
    """

    name: str
    compute: Callable[[S, Trace], dict[str, Any]]
    computes_the_same: Callable[[S, S], bool]
    runs: Code[S] | None = None
    material: Callable[[S], Materials | None] = _not_known


Source = Literal["model", "rule", "code"]
"""Where the labels of a cell come from: a judge, a rule of ours, or the code of other people."""


class Reworded(NamedTuple, Generic[S]):
    """A trait to ask in place of another; `meant` has, by list and number of its instructions,
    those of the other that they stand for.
    """

    trait: S
    meant: Mapping[tuple[str, int], Instruction]


OtherOrder = Callable[[int], Sequence[int]]
"""Another order of so many things, by their places."""


class Rewording(Struct, Generic[S], frozen=True, eq=False):
    """How a kind asks otherwise.

    `reordered` asks them in another order, `negated` asks for the contrary of each by words that
    stand before it ("" for the kind's own), and `alone` for each by itself. Each gives nothing
    where a trait has no such form.
    """

    reordered: Callable[[S, OtherOrder], Sequence[Reworded[S]]]
    negated: Callable[[S, str], Sequence[Reworded[S]]]
    alone: Callable[[S], Sequence[Reworded[S]]]


MIXED = "traits"
"""The list of the oldest rubrics, which holds traits of every kind."""


class TraitKind(ABC, Generic[S, L, E]):
    """One kind of trait; the registry is `traits.kinds`.

    What is not overridden is true of a kind that has no such thing.
    """

    # -- the trait --------------------------------------------------------------------------------

    name: str
    """The kind's name in files, and of its folder."""
    spec: type[S]
    """The model of one."""
    implied = False
    """Whether files mean this kind where they name none: they were written when there was no other.
    """
    old_keys: Sequence[str] = ()
    """What its list in a rubric, `<name>_traits`, was called before."""
    telling_keys: Sequence[str] = ()
    """Keys that tell a trait of this kind from others in the list `MIXED`."""

    def renew(self, key: str, table: Table) -> tuple[dict[str, Any], str]:
        """Return a trait's table in the form of today, and what else than its list was old in it.

        The table stands in the kind's own list, in one of the `old_keys` or in `MIXED`: `key` says
        which. The text is "" for nothing old. What is wrong with the table is left as it is.
        """
        return dict(table), ""

    def notes(self, trait: S) -> Iterable[str]:
        """What is legal in a trait but odd, to go on after its name."""
        return ()

    def weaknesses(self, trait: S) -> Iterable[Weakness]:
        """What makes a trait hard to judge."""
        return ()

    def patterns(self, trait: S) -> Sequence["PatternOfTrait"]:
        """Return the regular expressions that a trait looks for in responses."""
        return ()

    def form(self, trait: S) -> str:
        """Which form of its kind a trait is, in a word or two; "" where there is but one."""
        return ""

    def preview(self, old: S, new: S, traces: Iterable[Trace]) -> Iterator[str]:
        """What a changed trait would come to over traces before it is taken: a sentence whenever
        more is known, the last one final. It bounds its own time, may be left at any moment, and
        blocks meanwhile.
        """
        return iter(())

    # -- tables -----------------------------------------------------------------------------------

    label_schema: Table
    """The JSON Schema of the keys of its labels in a judge's table, and of `items`."""
    blank: L
    """Labels that hold nothing."""

    @property
    def label_keys(self) -> Sequence[str]:
        """The keys of its labels, beside `items` and the judge's record."""
        return [key for key in self.label_schema if key != "items"]

    @abstractmethod
    def faults(self, trait: S | None, trace: Trace, table: Table) -> Iterable[Fault]:
        """What is wrong with a recorded, judged or audited table, for the trait if it is known."""

    @abstractmethod
    def locate(self, trait: S, trace: Trace, table: Table) -> dict[str, Any]:
        """A judge's table with links and offsets found, and the judge's words as they were."""

    @abstractmethod
    def labels(self, trait: S, trace: Trace, table: Table) -> L:
        """What a located table stands for."""

    @abstractmethod
    def write(self, labels: L) -> dict[str, Any]:
        """The tables `audited` and, where there is detail, `items`."""

    def unjudged(self, trait: S, trace: Trace, table: Table) -> str:
        """Why a table of the right form is a failure of the judge, in a sentence; else ""."""
        return ""

    # -- judging ----------------------------------------------------------------------------------

    def lacking(self, trait: S, trace: Trace) -> str:
        """Return what a trait asks of a trace that has not got it, in a sentence; "" for nothing.

        Nobody is asked about such a cell, which fails with this reason: an answer about what is not
        there would be taken for one about the response.
        """
        return ""

    asked: Asked[S] | None = None
    computed: Computed[S] | None = None
    """Where tables come from: one of them, or both, and then `source` says which a trait means."""
    rewording: Rewording[S] | None = None
    """How the questions of a trait are asked otherwise."""

    def source(self, trait: S) -> Asked[S] | Computed[S]:
        """Where the tables of a trait come from."""
        source = self.computed or self.asked
        if source is None:
            raise TypeError(f"a {self.name} trait has no labels from anywhere")
        return source

    def source_name(self, trait: S) -> Source:
        """The same, by its name."""
        source = self.source(trait)
        if isinstance(source, Asked):
            return "model"
        return "rule" if source.runs is None else "code"

    def proposes_the_same(self, trait: S, other: S) -> bool:
        """Whether two versions of a trait lead to the same proposals: what was judged stays."""
        source, others = self.source(trait), self.source(other)
        if isinstance(source, Computed) and isinstance(others, Computed):
            return source.computes_the_same(trait, other)
        if isinstance(source, Asked) and isinstance(others, Asked):
            return source.asks_the_same(trait, other)
        return False

    def majority(self, trait: S, trace: Trace, tables: Sequence[Table]) -> dict[str, Any] | None:
        """The table of what most of a panel hold, the first's where they are even; None for that of
        those who answer alike.
        """
        return None

    # -- correcting -------------------------------------------------------------------------------

    @abstractmethod
    def edit(self, row: Table) -> E:
        """An edit from its row; raises ValueError or TypeError for what is none."""

    def permit(self, trait: S, trace: Trace, labels: L, edit: E) -> E:
        """An edit that is asked for now as it will be kept, with what must not be found anew of the
        trace (where sentences end); raises Refused for what only earlier versions kept.
        """
        return edit

    @abstractmethod
    def apply(self, trait: S, trace: Trace, labels: L, edit: E) -> Outcome[L]:
        """The labels after an edit; raises Refused with what to do instead."""

    @abstractmethod
    def anchor(self, trait: S, labels: L, edit: E) -> Any:
        """What an edit was about, in words that hold for other labels and a changed trait."""

    @abstractmethod
    def carried(self, trait: S, labels: L, edit: E, anchor: Any) -> E | None:
        """The edit for other labels, by its anchor; None where they say so already. Raises Refused
        where what it was about is not there.
        """

    def fits(self, trait: S, labels: L, edit: E, anchor: Any) -> bool:
        """Whether a changed trait still has what an edit was about."""
        try:
            self.carried(trait, labels, edit, anchor)
        except Refused:
            return False
        return True

    @abstractmethod
    def describe(self, edit: E, before: str, after: str) -> str:
        """An edit in the past tense, from the texts before and after."""

    @abstractmethod
    def brief(self, edit: E) -> str:
        """The sort of an edit in a word or two."""

    # -- numbers ----------------------------------------------------------------------------------

    fields: Sequence[QueryField] = ()
    """What queries may ask for beside measures."""

    @abstractmethod
    def measures(self, trait: S) -> Sequence[Measure]:
        """The measures that a trait asks for, in their order."""

    @abstractmethod
    def measure(self, trait: S, labels: L) -> Figures:
        """What labels come to."""

    def measure_table(self, trait: S, table: Table, labels: L) -> Figures:
        """The same of a judge's table, as the judge worded it, and its labels."""
        return self.measure(trait, labels)

    def is_verbatim(self, trait: S, table: Table, labels: L) -> bool:
        """Whether the labels of a table surely come to the same as the table."""
        return True

    def likeness(self, labels: L) -> Hashable | None:
        """What numbers, answers and checks of labels are made of: where it is the same, so are
        these. None where that is not known without finding them.
        """
        return None

    def between(self, judged: Figures, audited: Figures) -> Mapping[str, float]:
        """Numbers that take the judge's labels and the audited ones of a cell, by name."""
        return {}

    def checks(self, trait: S, labels: L) -> Sequence[Check]:
        """What is inconsistent."""
        return ()

    def evidence(self, trait: S, labels: L) -> Sequence[Span]:
        """What the labels stand on."""
        return ()

    # -- answers ----------------------------------------------------------------------------------

    positives: frozenset[str] = frozenset()
    """The answers that say that there is what was asked for: the judge's sensitivity and precision
    are of these.
    """
    unanswered: frozenset[str] = frozenset()
    """The answers that leave a question open: a person's are compared with nothing."""

    def untold(self, trait: S) -> frozenset[str]:
        """Return the answers that say that it cannot be told: they are compared with nothing,
        whoever gives them. Empty for a trait that does not allow this.
        """
        return frozenset()

    compared: frozenset[str] = frozenset()
    """The lists of questions by which the judge is held against the person as a whole, where not
    all of them are of one sort; else all.
    """
    called_as: Mapping[str, Sequence[str]] = {}
    """The words of `standings` for one of the `answers`."""
    aside_words: Sequence[str] = ()
    """What `asides` may say; each is a count of `measure` too, and in no measure."""
    spelled: Mapping[str, str] = {}
    """The counts, lists of instructions and answers that people write otherwise than files do ("tp"
    as "TP").
    """
    lists: Mapping[str, str] = {}
    """What each list of instructions asks of a response."""
    reading = ""
    """What the kind's numbers and answers mean, in sentences, for a report."""

    def closing(self, trait: S, labels: L) -> "Closing | None":
        """What the labels of one cell come to in words; None where that is said of no cell."""
        return None

    @abstractmethod
    def answers(self, trait: S, labels: L) -> Mapping[Instruction, str]:
        """The answer to each question in a word: votes, disagreement and overruling follow."""

    def vocabulary(self, trait: S) -> Sequence[str]:
        """The words of `answers` in the order that they are listed in; else they are sorted."""
        return ()

    def standings(self, trait: S, labels: L) -> Mapping[Instruction, str]:
        """The same as `answers` in the words that the screen has and queries ask for."""
        return self.answers(trait, labels)

    def words_of(self, trait: S) -> Sequence[str]:
        """The words that `standings` may give."""
        return self.vocabulary(trait)

    def called(self, trait: S, labels: L, asked: Instruction) -> Called:
        """A question's name and words, as labels have it."""
        return Called("", asked.text)

    def asides(self, trait: S, labels: L) -> Mapping[Instruction, Sequence[str]]:
        """What labels say of an instruction beside its answer (that the response denies it)."""
        return {}

    @property
    def answering(self) -> Answering[S, L, E] | None:
        """How a person answers one question alone; without it there is no going by instruction."""
        return None


AnyKind = TraitKind[Any, Any, Any]
"""A kind among others: what is handed to it comes from itself."""


class KnownTrait(NamedTuple):
    """A trait and the kind that it is of."""

    kind: AnyKind
    trait: Any


Reads = Literal["response", "conversation"]
"""What a trait judges: the last answer, or the whole conversation."""
RECORDED = "recorded"
"""The name of the judge whose labels came with the traces."""
DEFAULT_READS: Reads = "response"
CONVERSATION: Reads = "conversation"


def reads_conversation(trait: Any) -> bool:
    """Return whether a trait judges the whole conversation; kinds without `reads` never do."""
    return getattr(trait, "reads", None) == CONVERSATION


def read_name(trait: Any) -> str:
    """Return what people call the text that a trait judges: "response" or "conversation"."""
    return CONVERSATION if reads_conversation(trait) else DEFAULT_READS


def materials_as_read(trait: Any, names: Materials) -> Materials:
    """Return what a judge gets: all steps in the place of question and response, if these are read.

    `names` are what it gets of a trace whose response is judged.
    """
    if not reads_conversation(trait):
        return names
    return (names - {QUESTION, EARLIER_TURNS, HISTORY, RESPONSE}) | {WHOLE_CONVERSATION}


def as_read(trait: Any, trace: Trace) -> Trace:
    """Return a trace as a trait reads it: its `text` is what is judged.

    `trace` has its question's text, which is the first step of a conversation without messages.
    """
    if not reads_conversation(trait):
        return trace
    from appellate.core.transcript import as_conversation  # only conversations need it

    return as_conversation(trace, getattr(trait, "longest_result", None))


PART_DIGITS = 12
"""Hexadecimal digits of the fingerprint of a part: it names what changed, and proves nothing."""
_ENCODER = msgspec.json.Encoder()


def _json_sha256(value: Any) -> str:
    return _text_sha256(
        json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    )


def _text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Subject(Struct, frozen=True, dict=True):
    """One trait on one trace; `earlier` are versions of the trait by their hash."""

    kind: AnyKind
    trait: Any
    asked: Trace
    """The trace with its question's text and reference, whatever its trait reads of it."""
    earlier: Mapping[str, KnownTrait] = field(default_factory=dict)

    @cached_property
    def trace(self) -> Trace:
        """The trace as the trait reads it: its `text` is what is judged."""
        return as_read(self.trait, self.asked)

    @property
    def text(self) -> str:
        """What is judged: the response, or the transcript of the conversation."""
        return self.trace.text

    @property
    def transcript(self) -> "Transcript | None":
        """The transcript that the trait reads; None where it reads the response."""
        return self.trace.transcript

    def reading(self, judge: Table) -> dict[str, Any]:
        """Return what a judgment keeps of the text in which its excerpts were looked up.

        `read` is what its judge read; labels that came with a trace do not tell.
        """
        fields: dict[str, Any] = {"text_sha256": _text_sha256(self.text)}
        if judge.get("name") != RECORDED:
            fields["read"] = getattr(self.trait, "reads", DEFAULT_READS)
        if self.transcript is not None:
            from appellate.core.transcript import VERSION

            fields["transcript"] = VERSION
        return fields

    def read_sha256(self, trait_sha256: str) -> str:
        """Return the fingerprint of what is read here, under the trait with that hash.

        A sign-off and a ruling keep it, and hold while it is the same. It is the SHA-256 of the
        canonical JSON (sorted keys, no spaces, UTF-8) of `question`, `reference`, `text`, `trait`.
        """
        question = self._question
        material = {
            "question": question,
            "reference": self.asked.reference,
            "text": self.text,
            "trait": trait_sha256,
        }
        if isinstance(question, str | None):
            try:
                plain = _ENCODER.encode(material)  # the same bytes, in a third of the time
            except UnicodeEncodeError:  # half of a character, which no UTF-8 has
                pass
            else:
                return hashlib.sha256(plain).hexdigest()
        return _json_sha256(material)

    def read_parts(self) -> dict[str, Any]:
        """Return a short fingerprint of each part of what is read here, by its name.

        They name what was changed after a sign-off. `transcript` is the version of the rules by
        which a conversation became a text.
        """
        parts: dict[str, Any] = {
            "text": _json_sha256(self.text)[:PART_DIGITS],
            "question": _json_sha256(self._question)[:PART_DIGITS],
            "reference": _json_sha256(self.asked.reference)[:PART_DIGITS],
        }
        if self.transcript is not None:
            from appellate.core.transcript import VERSION

            parts["transcript"] = VERSION
        return parts

    @property
    def _question(self) -> Any:
        """What was asked: the question, else the message of a user that was answered last.

        The message is as it was recorded. None where the whole conversation is the text.
        """
        asked = self.asked
        if asked.question is not None or not asked.messages or self.transcript is not None:
            return asked.question
        is_answered = False
        for message in reversed(asked.messages):
            role = message.get("role") if isinstance(message, dict) else None
            if is_answered and role == "user":
                return message
            is_answered = is_answered or role == "assistant"
        return None

    def as_judged(self, judge: Table) -> Trace | None:
        """Return the trace as it was read for a judgment, by what its table keeps (`reading`).

        The trait may have read something else then; a judgment that does not say is of the
        response. None where no version of the trait reads such a text.
        """
        sha256 = judge.get("text_sha256")
        if sha256 is None:
            return self.asked
        readers = [self.trait, *(known.trait for known in self.earlier.values())]
        for trait in readers:
            trace = self.trace if trait is self.trait else as_read(trait, self.asked)
            if _text_sha256(trace.text) == sha256:
                return trace
        return None

    def under(self, sha256: str) -> "Subject":
        """The same with the trait as it was; raises KeyError for a version that nobody knows."""
        return replace(self, trait=self.earlier[sha256].trait)

    @property
    def source(self) -> Asked[Any] | Computed[Any]:
        """Where the labels of the cell come from."""
        return self.kind.source(self.trait)

    @property
    def source_name(self) -> Source:
        """The same, by its name."""
        return self.kind.source_name(self.trait)

    def labels(self, table: Table) -> Any:
        """The labels of a located table; the last one is kept, for a fold reads it again."""
        for known, labels in self._read:
            if known is table:
                return labels
        labels = self.kind.labels(self.trait, self.trace, table)
        self._read[:] = [(table, labels)]
        return labels

    def in_context(self, labels: Any) -> int:
        """Return how many stretches that labels rest on are words of a user or of the system."""
        if self.transcript is None:
            return 0
        count = 0
        for span in self.kind.evidence(self.trait, labels):
            step = self.transcript.step_of((span.start, span.end))
            if span.document is None and step is not None and step.is_context:
                count += 1
        return count

    @cached_property
    def _read(self) -> list[tuple[Table, Any]]:
        return []

    def measure_table(self, table: Table) -> Figures:
        """What a located table of the cell comes to."""
        return self.kind.measure_table(self.trait, table, self.labels(table))

    def dialogue(self, trace: Trace, briefing: Briefing) -> "Dialogue[dict[str, Any]]":
        """The dialogue with a model that sees `trace`; raises TypeError where none is asked."""
        if not isinstance(self.source, Asked):
            raise TypeError(f"no model is asked about trait {self.trait.name}")
        return self.source.dialogue(self.trait, trace, briefing)
