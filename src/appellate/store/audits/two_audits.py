"""Two audits of one rubric and the same traces: what can be compared, and what not."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from msgspec import Struct

from appellate.core.agreement import Answers
from appellate.core.cell import Cell
from appellate.core.design_facts import sample_of
from appellate.core.kind import Instruction, Subject
from appellate.core.only_counts import UNEQUAL
from appellate.core.problem import Problem, Unusable, counted_names, many, quoted
from appellate.core.trace import TraceKey, name_of
from appellate.store.audits.any_audit import AnyAudit, Entries
from appellate.store.audits.audit import CellKey
from appellate.store.audits.open_audit import differences, other_fields
from appellate.traits.rubric import Rubric

ASIDE = {"judgments", "metadata", "cluster", "model"}
"""Fields of a trace that may differ: no reviewer rules by them."""


class AuditSide(NamedTuple):
    """One of two audits that are compared."""

    path: Path
    audit: AnyAudit
    name: str
    """What distinguishes it from the other one: its reviewers, or the name of its file."""


class CellPair(NamedTuple):
    """A cell as each of two reviewers left it."""

    first: Cell
    second: Cell

    @property
    def key(self) -> CellKey:
        """The trace's key (id and epoch) and the trait's name; they are the same in both audits."""
        subject = self.first.subject
        return subject.trace.key, subject.trait.name

    @property
    def is_blind(self) -> bool:
        """Whether both reviewers ruled before they saw the judge's labels."""
        return self.first.ruled_blind and self.second.ruled_blind

    @property
    def is_signed(self) -> bool:
        return all(cell.signed is not None for cell in self)

    @property
    def is_judged_alike(self) -> bool:
        """Whether both were shown the same labels of a judge; False if either was shown none."""
        first_judge = self.first.judge
        second_judge = self.second.judge
        if first_judge is None or second_judge is None:
            return False
        return first_judge.table == second_judge.table

    def answers(self) -> Iterator[tuple[Instruction, Answers]]:
        """Yield each question that both reviewers answer, with the first's and the second's answer.

        In a blind pair they are those of the verdicts, else those of the current labels. What a
        reviewer leaves open or cannot tell is no answer.
        """
        first_answers, second_answers = self._compared_answers
        left_out = self.first.subject.kind.unanswered | self._untold_answers
        for instruction, first_answer in first_answers.items():
            if instruction not in second_answers:
                continue
            answers = (first_answer, second_answers[instruction])
            if left_out.isdisjoint(answers):
                yield instruction, answers

    @property
    def untold(self) -> bool:
        """Whether there is a question of which either reviewer cannot tell the answer.

        A question that the other leaves open counts as well. In it the two are not compared; in the
        cell's other questions they are.
        """
        first_answers, second_answers = self._compared_answers
        return not self._untold_answers.isdisjoint(
            {*first_answers.values(), *second_answers.values()},
        )

    @property
    def _compared_answers(
        self,
    ) -> tuple[Mapping[Instruction, str], Mapping[Instruction, str]]:
        """The answers of the first and of the second reviewer, by question.

        They are those of the verdicts if both ruled before they saw a judge, else those of the
        labels. What one cannot tell or leaves open is among them.
        """
        if self.is_blind:
            return self.first.verdict_answers, self.second.verdict_answers
        return self.first.answers, self.second.answers

    @property
    def _untold_answers(self) -> frozenset[str]:
        """The names of the answers that say that one cannot tell, in either reviewer's trait."""
        untold_answers = frozenset[str]()
        for cell in self:
            untold_answers |= cell.subject.kind.untold(cell.subject.trait)
        return untold_answers

    @property
    def differs(self) -> bool:
        """Whether the current labels of the two answer any question differently."""
        return dict(self.first.answers) != dict(self.second.answers)


class PairStream:
    """Some cells that two audits share, in pairs, of which one trace's are in memory.

    They are read whenever they are gone through, in the order of the first audit: both must be
    open. More are in memory if the second audit has another order.
    """

    def __init__(
        self,
        first: AnyAudit,
        second: AnyAudit,
        keys: AbstractSet[CellKey],
    ) -> None:
        """Keep two audits, and the keys of the cells to go through; nothing is read yet.

        Both audits must have a cell of each key, and stay open as long as the pairs are gone
        through.
        """
        self._first = first
        self._second = second
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[CellPair]:
        """Yield the pairs in the order of the first audit, read from both audits anew each time."""
        matched = _matched(self._first.cells, self._second.cells, self._keys)
        for first_audited, second_audited in matched:
            yield CellPair(first_audited.cell, second_audited.cell)


class TwoAudits(Struct, frozen=True):
    """What two audits have in common."""

    first: AuditSide
    second: AuditSide
    pairs: Entries[CellPair]
    """The cells that both signed off, in the order of the first audit."""
    rest: Entries[CellPair]
    """The other cells that are in both."""
    notes: Sequence[str]
    """What differs between them, in sentences."""
    signed: tuple[int, int]
    """How many of the cells in both are signed off in the first, and in the second."""
    reason: str = ""
    """Why only counts are shown; "" if more is."""

    @property
    def cells(self) -> int:
        return len(self.pairs) + len(self.rest)

    @property
    def sides(self) -> tuple[AuditSide, AuditSide]:
        return self.first, self.second


def reason_in(*audits: AnyAudit) -> str:
    """Return in a sentence why only counts are shown of answers to cells in all of these audits.

    That is so if the sample of any of them was drawn with unequal chances; else it is "".
    """
    samples = [sample_of(audit.design) for audit in audits]
    if any(sample is not None and sample.is_unequal for sample in samples):
        return f"{UNEQUAL}."
    return ""


def beside(first: tuple[Path, AnyAudit], second: tuple[Path, AnyAudit]) -> TwoAudits:
    """Return what two audits have in common, and in which they differ.

    Traces are paired by id and epoch, and cells of traces that are alike by trait. The pairs of
    cells are read from the audits whenever somebody goes through them: keep both open as long.
    Raises Unusable, with every reason, if no cell is signed off in both.
    """
    first_path, first_audit = first
    second_path, second_audit = second
    first_name, second_name = _names(first, second)
    first_side = AuditSide(first_path, first_audit, first_name)
    second_side = AuditSide(second_path, second_audit, second_name)
    traces = _shared_traces(first_audit, second_audit)
    shared_cells = _keys_of_cells(first_audit, traces.alike)
    shared_cells &= _keys_of_cells(second_audit, traces.alike)
    cells = _SharedCells(first_audit.rubric)
    for pair in PairStream(first_audit, second_audit, shared_cells):
        cells.add(pair)
    notes = list(_notes((first_side, second_side), cells.trait_texts, traces))
    notes += _texts_read_otherwise(cells.otherwise_read)

    signed = (cells.signed_in_first, cells.signed_in_second)
    if not cells.signed_in_both:
        paths = (first_path, second_path)
        cell_count = len(cells.others)
        raise Unusable(_why_not_compared(paths, notes, cell_count, signed))
    return TwoAudits(
        first_side,
        second_side,
        PairStream(first_audit, second_audit, cells.signed_in_both),
        PairStream(first_audit, second_audit, cells.others),
        notes,
        signed,
        reason_in(first_audit, second_audit),
    )


class _SharedCells:
    """Counts the cells that are in two audits, and keeps which can be compared, but no cell."""

    def __init__(self, rubric: Rubric) -> None:
        """Begin with no cell counted; `rubric` is that of the first audit."""
        self._rubric = rubric
        self.signed_in_both: set[CellKey] = set()
        self.others: set[CellKey] = set()
        """Those that are not signed off in both."""
        self.signed_in_first = 0
        self.signed_in_second = 0
        self.trait_texts: dict[str, None] = {}
        """How traits differ, in sentences, each once."""
        self.otherwise_read: Counter[str] = Counter()
        """In how many cells of a trait the two judges read another text."""

    def add(self, pair: CellPair) -> None:
        """Keep the key of a cell of both audits, and count in which it is signed off.

        The key is put into `signed_in_both`, else into `others`; the cell itself is not kept. It is
        also counted by its trait if the two judges read another text. If the two traits differ, a
        sentence on that is kept. A cell whose two traits do not ask the same adds only this
        sentence.
        """
        first_subject = pair.first.subject
        is_alike, text = _asked_alike(
            self._rubric,
            first_subject,
            pair.second.subject,
        )
        if text:
            self.trait_texts[text] = None
        if not is_alike:
            return
        if pair.first.signed is not None:
            self.signed_in_first += 1
        if pair.second.signed is not None:
            self.signed_in_second += 1
        if _judges_read_otherwise(pair):
            self.otherwise_read[first_subject.trait.name] += 1
        keys = self.signed_in_both if pair.is_signed else self.others
        keys.add(pair.key)


def _why_not_compared(
    paths: tuple[Path, Path],
    notes: Iterable[str],
    cell_count: int,
    signed: tuple[int, int],
) -> list[Problem]:
    """Return the problems of two audits of which no cell is signed off in both.

    The first says that nothing can be compared. Then comes one for each of `notes`, without its
    full stop. If the audits share cells, the last one says how many, and how many are signed off in
    each. `cell_count` is of the cells that they share, and `signed` of those that are signed off in
    the first and in the second. All are problems of the second file.
    """
    first_path, second_path = paths
    place = str(second_path)
    problems = [Problem(place, "", f"nothing in it can be compared with {first_path}")]
    for note in notes:
        problems.append(Problem(place, "", note.rstrip(".")))
    if cell_count:
        first_name = first_path.name
        second_name = second_path.name
        if first_name == second_name:
            first_name = str(first_path)
            second_name = str(second_path)
        cells = many(cell_count, "cell")
        first_count, second_count = signed
        counts = f"{first_count} in {first_name} and {second_count} in {second_name}"
        wrong = f"of {cells} in both, none is signed off in both: {counts}"
        problems.append(Problem(place, "", wrong, "sign cells off in both"))
    return problems


def _judges_read_otherwise(pair: CellPair) -> bool:
    """Return whether the judges of a cell read different texts in the two audits.

    False unless a judge labelled the cell in both, and both say what they read. Labels that came
    with the traces do not.
    """
    first_cell, second_cell = pair
    if first_cell.judge is None or second_cell.judge is None:
        return False
    first_text = first_cell.judge.judge.get("text_sha256")
    second_text = second_cell.judge.judge.get("text_sha256")
    if first_text is None or second_text is None:
        return False
    return bool(first_text != second_text)


def _texts_read_otherwise(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence on each trait whose two judges read different texts, with a count of cells.

    `counts` has the number of such cells by the trait's name, and gives the order.
    """
    for trait, count in counts.items():
        cells = many(count, "cell")
        yield f"Of {quoted(trait)} the judges read another text in each, in {cells}."


def _names(
    first: tuple[Path, AnyAudit],
    second: tuple[Path, AnyAudit],
) -> tuple[str, str]:
    """Return what tells two audits apart: their reviewers' names, else the names of their files.

    Several reviewers of an audit are joined by ", ". If either audit has no reviewer, or both have
    the same, the file names without ".audit.toml" are returned. Files of the same name are told by
    their paths in full.
    """
    first_path, first_audit = first
    second_path, second_audit = second
    first_name = ", ".join(first_audit.reviewers)
    second_name = ", ".join(second_audit.reviewers)
    if first_name and second_name and first_name != second_name:
        return first_name, second_name
    if first_path.name == second_path.name:
        return str(first_path), str(second_path)
    ending = ".audit.toml"
    first_name = first_path.name.removesuffix(ending)
    second_name = second_path.name.removesuffix(ending)
    return first_name, second_name


class _SharedTraces(NamedTuple):
    """The traces of two audits: which are in both, and which in one only."""

    alike: AbstractSet[TraceKey]
    """Those in both that do not differ."""
    differing: Mapping[str, list[str]]
    """The names of the others in both by the field that differs, in the order of the first."""
    only_in_first: list[str]
    """The names of those that the second audit lacks, in the order of the first."""
    only_in_second: list[str]
    """The names of those that the first audit lacks, in the order of the second."""


def _shared_traces(first: AnyAudit, second: AnyAudit) -> _SharedTraces:
    """Return the traces of two audits: which are alike, which differ, and which only one has.

    `alike` are the keys of those in both whose fields do not differ; fields of `ASIDE` may.
    `differing` has the names of the others in both by each field that differs, in the order of the
    first audit. A trace that differs in several fields is under each. `only_in_first` and
    `only_in_second` are the names of the traces that the other audit lacks.
    """
    first_keys = dict.fromkeys(trace.key for trace in first.traces)
    second_keys = dict.fromkeys(trace.key for trace in second.traces)
    shared_keys = first_keys.keys() & second_keys.keys()
    alike: set[TraceKey] = set()
    differing: dict[str, list[str]] = {}
    for trace, counterpart in _matched(first.traces, second.traces, shared_keys):
        fields = other_fields(trace, counterpart, ASIDE)
        for name in fields:
            names = differing.setdefault(name, [])
            names.append(name_of(*trace.key))
        if not fields:
            alike.add(trace.key)
    only_in_first = [name_of(*key) for key in first_keys if key not in shared_keys]
    only_in_second = [name_of(*key) for key in second_keys if key not in shared_keys]
    return _SharedTraces(alike, differing, only_in_first, only_in_second)


def _keys_of_cells(audit: AnyAudit, traces: AbstractSet[TraceKey]) -> set[CellKey]:
    """Return the keys of the cells that an audit has of these traces, given by their keys."""
    return {(trace, trait) for trace, trait in audit.cell_keys if trace in traces}


class _Keyed(Protocol):
    """What has a key that nothing else in an audit has."""

    @property
    def key(self) -> Hashable: ...


_Entry = TypeVar("_Entry", bound=_Keyed)


def _matched(
    first: Iterable[_Entry],
    second: Iterable[_Entry],
    keys: AbstractSet[Hashable],
) -> Iterator[tuple[_Entry, _Entry]]:
    """Yield the entries of two audits that have one of these keys, in the order of the first.

    Both must have an entry of each key, and none has two. They are gone through side by side: an
    entry of the second is kept only until the first comes to its key.
    """
    waiting: dict[Hashable, _Entry] = {}
    following = iter(second)
    for entry in first:
        if entry.key not in keys:
            continue
        while entry.key not in waiting:
            counterpart = next(following)
            if counterpart.key in keys:
                waiting[counterpart.key] = counterpart
        yield entry, waiting.pop(entry.key)


def _asked_alike(rubric: Rubric, first: Subject, second: Subject) -> tuple[bool, str]:
    """Return whether the traits of two cells ask the same, and a sentence on how they differ.

    Traits that are only measured differently ask the same. Traits of different kinds do not. The
    sentence is "" for equal traits, and ends in a full stop. `rubric` is that of the first audit,
    and tells of which question a trait is.
    """
    if first.trait == second.trait:
        return True, ""
    name = quoted(first.trait.name)
    whose = f"The trait {name}"
    question = rubric.question_of(first.trace)
    if question is not None:
        own_traits = [trait for _, trait in question.own_traits()]
        if first.trait in own_traits:
            whose += f" of question {question.id}"
    if first.kind is not second.kind:
        return False, f"{whose} is of another kind in each: it is not compared."
    old = first.trait.to_file()
    new = second.trait.to_file()
    keys = ", ".join(differences(old, new, name))
    if first.kind.proposes_the_same(first.trait, second.trait):
        text = (
            f"{whose} is measured differently in each ({keys}): answers are compared."
        )
        return True, text
    return False, f"{whose} is different in each ({keys}): it is not compared."


def _notes(
    sides: tuple[AuditSide, AuditSide],
    trait_texts: Iterable[str],
    traces: _SharedTraces,
) -> Iterator[str]:
    """Yield what differs between two audits, a sentence each; nothing if they are alike.

    `trait_texts` are the sentences on traits, which come first. Then follow the traits that only
    one audit has, one sentence for each field in which traces differ, and the traces that only one
    audit has. At most three names are told in a sentence, and how many more there are.
    """
    yield from trait_texts
    first, second = sides
    for side, counterpart in ((first, second), (second, first)):
        counterpart_names = counterpart.audit.rubric.trait_names()
        trait_names: list[str] = []
        for name in side.audit.rubric.trait_names():
            if name not in counterpart_names:
                trait_names.append(quoted(name))
        if trait_names:
            traits_text = counted_names(trait_names, "trait")
            yield f"Only {side.path.name} has {traits_text}."

    for key, names in traces.differing.items():
        traces_text = counted_names(names, "trace")
        yield f"The {key} is different in each in {traces_text}: not compared."

    for side, names in ((first, traces.only_in_first), (second, traces.only_in_second)):
        if names:
            traces_text = counted_names(names, "trace")
            yield f"Only {side.path.name} has {traces_text}."
