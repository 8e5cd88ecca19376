"""What a kind of trait supplies, so that its cells are judged, corrected, measured, written and
asked for.

A kind is one folder below `traits/` that has a `KIND`: a frozen value whose fields are functions.
Nothing outside of the folder changes when one is added. In what follows S is its trait (a frozen
pydantic model), L its labels and E one edit of them (both frozen values); a *table* is labels as
files have them: JSON or TOML values.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.foreign_code import Code
from appellate.core.kind_defaults import (
    Called,
    always_judged,
    as_it_is,
    as_wanted,
    by_its_words,
    no_asides,
    no_form,
    no_notes,
    no_vocabulary,
    no_weaknesses,
    none_likely,
    none_remarked,
    takes_none,
)
from appellate.core.trace import Trace, name_of

if TYPE_CHECKING:
    from appellate.core.asked_otherwise import Rewording
    from appellate.core.cell import Cell
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
    """What a model is told beyond the cell itself: parts that replace the kind's template, and
    examples.
    """

    parts: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def shown(self) -> list[str]:
        """The traces of the examples, by name."""
        return [name_of(*example.trace.key) for example in self.examples]


UNBRIEFED = Briefing()


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


class Outcome(NamedTuple, Generic[L]):
    """Labels after an edit, and the edited item's text before and after it."""

    labels: L
    before: str
    after: str


class Fault(NamedTuple):
    """One thing that is wrong with a table: where, what stands there, and what would be right.

    `newer`: an audit that has it is read all the same, since another version may have written it.
    """

    path: tuple[str | int, ...]
    wrong: str
    right: str = ""
    newer: bool = False


class Span(NamedTuple):
    """A part of the response, or of the document of that number: codepoints `start` to `end`, which
    is not in it.
    """

    start: int
    end: int
    document: int | None = None


class Instruction(NamedTuple):
    """One question that labels of a trait answer: its list, its place there (1-based) and its
    words.
    """

    of: str
    number: int
    text: str


class Figures(NamedTuple):
    """What labels measure to.

    `values` are by measure in the order asked, `undefined` those of them that are 0/0, `counts`
    what is pooled and queries ask for (tp, hits), `words` the text that queries ask for (class =
    "partial"). `unscored` are those of the undefined ones that are no 0/0: nobody gave a score.
    """

    values: dict[str, float]
    undefined: frozenset[str]
    counts: dict[str, int]
    words: Mapping[str, str] = {}
    unscored: frozenset[str] = frozenset()


class Ratio(NamedTuple):
    """A number as one sum of counts over another: how much of each count goes into either. An item
    that stands in both adds 1 to both.
    """

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
    for each.
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


HEADLINE = -1
"""Which of the measures that are asked of a trait it is known by, in queue, headers and report: the
last, as F1 after precision and recall.
"""


class Weakness(NamedTuple):
    """What makes a legal trait hard to judge; `path` leads to it, `fix` is what would be better."""

    id: str
    path: tuple[str | int, ...]
    reason: str
    fix: str


class Check(NamedTuple):
    """Something inconsistent in labels, or an excerpt that is not there; no number heeds it."""

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

    `word` says it, `style` names the bucket that it stands in, if there is one. `spans` are the
    words of the response that it rests on, `loose` those that are not there, `reason` is the
    judge's. An `omission` rests on what the response leaves out.
    """

    word: str
    style: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    loose: tuple[str, ...] = ()
    reason: str = ""
    omission: bool = False


class Answering(Struct, Generic[S, L, E], frozen=True, eq=False):
    """How one instruction is answered, so that one can be gone through in all cells of its trait.

    `grounds` tell how labels answer it. `sayable` are the answers that a person may give and the
    word for each, as `TraitKind.standings` has it. `edits` are the corrections, in their order,
    that make labels answer so, none where they do; it raises Refused with what to do instead.
    `takes_words` tells whether words of the response are to bear them out, and `bear_out` is the
    edits on such words, or on none. `likely` are the stretches of a cell's response that may, the
    likeliest first: these three are of kinds whose answers rest on words. `remarks` is what there
    is to know of a change, in sentences.
    """

    grounds: Callable[[S, L, Instruction], Grounds]
    sayable: Callable[[S, Instruction], Mapping[str, str]]
    edits: Callable[[S, L, Instruction, str], Sequence[E]]
    takes_words: Callable[[Sequence[E]], bool] = takes_none
    bear_out: Callable[[Sequence[E], tuple[int, int] | None], Sequence[E]] = as_wanted
    likely: "Callable[[Cell, Instruction], Sequence[tuple[int, int]]]" = none_likely
    remarks: Callable[[S, L, L], Sequence[str]] = none_remarked


class NotComputed(Exception):
    """A kind without a judge has no labels for a trace; the message is a sentence that says why."""


class Asked(Struct, Generic[S], frozen=True, eq=False):
    """Where labels come from that a model is asked for.

    `dialogue` ends with a judge's table. `asks_the_same` is whether a judge is asked the same under
    two versions of a trait. `prompt` is the text of the shipped template, a TOML file of parts, and
    `prompt_faults` tells what keeps other parts from taking their place: the part, and what is
    wrong with it. `lexical` makes a judge's table by comparing words, without a model; where it is
    None, the offline judge leaves such cells pending.
    """

    dialogue: "Callable[[S, Trace, Briefing], Dialogue[dict[str, Any]]]"
    asks_the_same: Callable[[S, S], bool]
    prompt: Callable[[], str]
    prompt_faults: Callable[[Table], Iterable[tuple[str, str]]]
    lexical: Callable[[S, Trace], dict[str, Any]] | None = None


def asked_by(
    asking: Callable[[], ModuleType],
    asks_the_same: Callable[[S, S], bool],
    lexical: Callable[[S, Trace], dict[str, Any]] | None = None,
) -> Asked[S]:
    """Labels that the module `asking` gives a model's words for: its `dialogue`, `shipped_text` and
    `faults`. It is loaded only where a model is asked.
    """

    def dialogue(trait: S, trace: Trace, briefing: Briefing) -> "Dialogue[dict[str, Any]]":
        talk: Dialogue[dict[str, Any]] = asking().dialogue(trait, trace, briefing)
        return talk

    def prompt() -> str:
        text: str = asking().shipped_text()
        return text

    def prompt_faults(parts: Table) -> Iterable[tuple[str, str]]:
        faults: Iterable[tuple[str, str]] = asking().faults(parts)
        return faults

    return Asked(dialogue, asks_the_same, prompt, prompt_faults, lexical)


class Computed(Struct, Generic[S], frozen=True, eq=False):
    """Where labels come from that need no judge: no model is ever asked for them, and they cost
    nothing.

    `compute` gives a judge's table or raises NotComputed; `name` is who its record says it was.
    `computes_the_same` is whether two versions of a trait lead to the same tables. Where `runs` is
    the code of other people, tables come of its sessions, and `compute` never runs it.
    """

    name: str
    compute: Callable[[S, Trace], dict[str, Any]]
    computes_the_same: Callable[[S, S], bool]
    runs: Code[S] | None = None


Source = Literal["model", "rule", "code"]
"""Where the labels of a cell come from: a judge, a rule of ours, or the code of other people."""


class TraitKind(Struct, Generic[S, L, E], frozen=True, eq=False):
    """One kind of trait; the registry is `traits.kinds`.

    The trait:
        `name` is the kind's name in files and of its folder, and `rubric_key` the list of a rubric
        that holds its traits. `spec` is the model of one. `notes` tells what is legal in a trait
        but odd, to go on after its name, `weaknesses` what makes it hard to judge. `renew` brings a
        table of `rubric_key`, or of one of the `old_keys` that it had before, to the form of today,
        and tells what was old in it ("" for nothing); what is wrong with the table it leaves as it
        is. `implied` is whether files mean this kind where they name none: they were written when
        there was no other. `preview` tells what a changed trait would come to over traces before it
        is taken: a sentence whenever more is known, the last one final. It bounds its own time, may
        be left at any moment, and blocks meanwhile.

    Tables:
        `label_keys` are the keys of its labels in a judge's table, beside `items` and the judge's
        record, and `label_schema` is their JSON Schema (with `items`). `faults` tells what is wrong
        with a table, recorded, judged or audited; it is held to the trait where that is known.
        `locate` gives a judge's table with links and offsets found, and the judge's words as they
        were. `labels` is what a located table stands for, `blank` labels that hold nothing, and
        `write` the tables `audited` and, where there is detail, `items`. `unjudged` tells why a
        table that is right in form is no judgment but a failure, in a sentence; "" for one.

    Judging:
        `asked` and `computed` are where tables come from: one of them, or both, and then
        `is_computed` tells which a trait means. `majority` is the table of what most of a panel
        hold, even votes going with the first; without it that of those who answer alike.

    Correcting:
        `edit` reads an edit from its row, and raises ValueError or TypeError for what is none.
        `permit` is an edit that is asked for now as it will be kept, with what must not be found
        anew of the trace (where sentences end), or raises Refused for what only earlier versions
        kept. `apply` makes the labels after an edit, or raises Refused with what to do instead.
        `anchor` is what an edit was about, in words that hold for other labels and a changed trait;
        `carried` is the edit for such labels, None where they say so already, and raises Refused
        where what it was about is not there. `fits` is whether a changed trait still has what it
        was about, by its anchor; without it `carried` tells. `describe` tells an edit in the past
        tense, from the texts before and after; `brief` names its sort in a word or two.

    Numbers:
        `measures` are those that a trait asks for, in their order, `every_measure` all that the
        kind knows. `measure` measures labels, `measure_table` a judge's table as the judge worded
        it. `answers` is how labels answer each of a trait's questions, in one word each: votes,
        disagreement and what was overruled follow. `positives` are the words among them that say
        that there is what was asked for: the judge's sensitivity and precision are of these.
        `unanswered` are those that leave a question open: a person's are compared with nothing.
        `compared` are the lists of questions by which the judge is held against the person as a
        whole, where not all of them are of one sort; without it those are all. `standing` is the
        same in the words that the screen has for it and queries ask for, where these are others:
        all of them are `standing_words`, and `called_as` has those that one of the `answers` is
        split into. `asides` are what labels say of an instruction beside its answer (that the
        response denies it), each of the `aside_words` a count of `measure` too, and heeded by no
        measure. `between` are numbers that take two label sets of one cell, the judge's and the
        audited ones, by name. `checks` are what is inconsistent, `evidence` what the labels stand
        on, `fields` what queries may ask for. `answering` is how a person answers one question
        alone; without it there is no going by instruction. `rewording` asks otherwise. `called`
        tells a question's name and words, as labels have it.

    Telling:
        `form` is which form of its kind a trait is, in a word or two. `vocabulary` are the words
        that `answers` may give, in the order that they are told in; without it they are sorted.
        `spelled` has the counts, lists of instructions and answers that people write otherwise
        than files do ("tp" as "TP"), `lists` what each list asks of a response. `reading` says in
        sentences, for a report, what the kind's numbers and answers mean.

    Known errors, planted to see whether they are caught (`core.planted_errors`):
        `turned` are corrections that make a cell answer a question plainly otherwise, each of them
        another error; without it those of `answering` do. `reasons` are the keys of a judge's
        table with its reasons for the whole of it, which would speak against an error.
    """

    name: str
    rubric_key: str
    spec: type[S]
    label_keys: tuple[str, ...]
    label_schema: Table
    faults: Callable[[S | None, Trace, Table], Iterable[Fault]]
    locate: Callable[[S, Trace, Table], dict[str, Any]]
    labels: Callable[[S, Trace, Table], L]
    blank: L
    write: Callable[[L], dict[str, Any]]
    edit: Callable[[Table], E]
    permit: Callable[[S, Trace, L, E], E]
    apply: Callable[[S, Trace, L, E], Outcome[L]]
    anchor: Callable[[S, L, E], Any]
    carried: Callable[[S, L, E, Any], E | None]
    describe: Callable[[E, str, str], str]
    brief: Callable[[E], str]
    measures: Callable[[S], Sequence[Measure]]
    every_measure: Sequence[Measure]
    measure: Callable[[S, L], Figures]
    measure_table: Callable[[S, Trace, Table], Figures]
    answers: Callable[[S, L], Mapping[Instruction, str]]
    checks: Callable[[S, L], Sequence[Check]]
    evidence: Callable[[S, L], Sequence[Span]]
    positives: frozenset[str] = frozenset()
    unanswered: frozenset[str] = frozenset()
    compared: frozenset[str] = frozenset()
    standing: Callable[[S, L], Mapping[Instruction, str]] | None = None
    standing_words: Sequence[str] = ()
    called_as: Mapping[str, Sequence[str]] = field(default_factory=dict)
    between: Callable[[Figures, Figures], Mapping[str, float]] | None = None
    asked: Asked[S] | None = None
    computed: Computed[S] | None = None
    is_computed: Callable[[S], bool] | None = None
    fields: tuple[QueryField, ...] = ()
    answering: Answering[S, L, E] | None = None
    rewording: "Rewording[S] | None" = None
    called: Callable[[S, L, Instruction], Called] = by_its_words
    asides: Callable[[S, L], Mapping[Instruction, Sequence[str]]] = no_asides
    aside_words: Sequence[str] = ()
    notes: Callable[[S], Iterable[str]] = no_notes
    weaknesses: Callable[[S], Iterable[Weakness]] = no_weaknesses
    unjudged: Callable[[S, Trace, Table], str] = always_judged
    old_keys: tuple[str, ...] = ()
    renew: Callable[[str, Table], tuple[dict[str, Any], str]] = as_it_is
    implied: bool = False
    preview: Callable[[S, S, Iterable[Trace]], Iterator[str]] | None = None
    majority: Callable[[S, Trace, Sequence[Table]], dict[str, Any]] | None = None
    form: Callable[[S], str] = no_form
    vocabulary: Callable[[S], Sequence[str]] = no_vocabulary
    spelled: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, str] = field(default_factory=dict)
    reading: str = ""
    turned: "Callable[[Cell, Instruction], Iterable[Sequence[E]]] | None" = None
    reasons: tuple[str, ...] = ()
    fits: Callable[[S, E, Any], bool] | None = None

    def standings(self, trait: S, labels: L) -> Mapping[Instruction, str]:
        """How labels say each of a trait's questions stands, in the words of the screen."""
        if self.standing is None:
            return self.answers(trait, labels)
        return self.standing(trait, labels)

    def words_of(self, trait: S) -> Sequence[str]:
        """The words that `standings` may give."""
        return self.standing_words or self.vocabulary(trait)

    def proposes_the_same(self, trait: S, other: S) -> bool:
        """Whether two versions of a trait lead to the same proposals: what was judged stays."""
        source, others = self.source(trait), self.source(other)
        if isinstance(source, Computed) and isinstance(others, Computed):
            return source.computes_the_same(trait, other)
        if isinstance(source, Asked) and isinstance(others, Asked):
            return source.asks_the_same(trait, other)
        return False

    def source(self, trait: S) -> Asked[S] | Computed[S]:
        """Where the tables of a trait come from."""
        if self.computed and (self.is_computed is None or self.is_computed(trait)):
            return self.computed
        if self.asked is None:
            raise TypeError(f"a {self.name} trait has no labels from anywhere")
        return self.asked

    def source_name(self, trait: S) -> Source:
        """The same as cells are told apart by."""
        source = self.source(trait)
        if isinstance(source, Asked):
            return "model"
        return "rule" if source.runs is None else "code"


AnyKind = TraitKind[Any, Any, Any]
"""A kind among others: what is handed to it comes from itself."""


class KnownTrait(NamedTuple):
    """A trait and the kind that it is of."""

    kind: AnyKind
    trait: Any


class Subject(Struct, frozen=True):
    """What a cell is about: one trait of one kind, on one trace; `earlier` are versions of the
    trait by their hash.
    """

    kind: AnyKind
    trait: Any
    trace: Trace
    earlier: Mapping[str, KnownTrait] = field(default_factory=dict)

    def under(self, sha256: str) -> "Subject":
        """The same with the trait as it was; raises KeyError for a version that nobody knows."""
        return replace(self, trait=self.earlier[sha256].trait)

    @property
    def source(self) -> Asked[Any] | Computed[Any]:
        """Where the labels of the cell come from."""
        return self.kind.source(self.trait)

    @property
    def source_name(self) -> Source:
        """The same as cells are told apart by."""
        return self.kind.source_name(self.trait)

    def labels(self, table: Table) -> Any:
        """The labels that a located table of the cell stands for."""
        return self.kind.labels(self.trait, self.trace, table)

    def dialogue(self, trace: Trace, briefing: Briefing) -> "Dialogue[dict[str, Any]]":
        """The talk with a model, which is shown `trace`; raises TypeError where none is asked."""
        if not isinstance(self.source, Asked):
            raise TypeError(f"no model is asked about trait {self.trait.name}")
        return self.source.dialogue(self.trait, trace, briefing)
