"""A changed rubric comes under a review in progress: what that changes, and carrying it out.

A trait that a judge would be asked otherwise makes its cells pending; one that is only measured
otherwise keeps its labels. No trait may leave a trace that has it.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.core.cell import Cell, fold, replayed
from appellate.core.facts import Commented, Fact, Flagged, Revised
from appellate.core.kind import KnownTrait
from appellate.core.problem import Refused
from appellate.core.trace import Trace, name_of
from appellate.store.audits.audit_sync import fall_behind
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Question, Rubric

_NAMED = 3


class Revision(NamedTuple):
    """Names of traits that a judge is asked otherwise, that are measured otherwise, and new ones.

    `cells` are pending again, `fresh` are of new traits; `lost` corrections find no place any
    more, `signed` sign-offs go.
    """

    changed: tuple[str, ...] = ()
    remeasured: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    cells: int = 0
    fresh: int = 0
    lost: int = 0
    signed: int = 0

    def __bool__(self) -> bool:
        return bool(self.changed or self.remeasured or self.added)


class _Turn(Struct, frozen=True):
    """What changes for one trace and one trait: a cell that there is (`old`), or a new one."""

    trace_no: int
    trace: Trace
    no: int | None
    old: KnownTrait | None
    new: KnownTrait

    @property
    def proposes_the_same(self) -> bool:
        """Whether what was judged under the old trait stays."""
        return self.old is not None and self.new.kind.proposes_the_same(
            self.old.trait, self.new.trait
        )


def look(workspace: Workspace, rubric: Rubric) -> Revision:
    """What taking the rubric would change; raises Refused where a trace would lose a trait."""
    changed: dict[str, None] = {}
    remeasured: dict[str, None] = {}
    added: dict[str, None] = {}
    cells = fresh = lost = signed = 0
    for turn in _turns(workspace, rubric):
        name = turn.new.trait.name
        if turn.no is None:
            added[name] = None
            fresh += 1
        elif turn.proposes_the_same:
            remeasured[name] = None
        else:
            changed[name] = None
            facts = workspace.facts.of(turn.no)
            cells += _is_begun(facts)
            if turn.old and any(fact.is_act for fact in facts):
                before = fold(workspace.subject(turn.old, turn.trace), facts)
                lost += len(_without_place(before, turn.new))
                signed += before.signed is not None
    return Revision(tuple(changed), tuple(remeasured), tuple(added), cells, fresh, lost, signed)


def _without_place(cell: Cell, known: KnownTrait) -> set[int]:
    """The corrections that find no place under a changed trait; a blind cell begins anew."""
    if cell.is_blind:
        return set(cell.edits)
    lost = cell.edits - {step.n for step in cell.steps}  # of labels that were adopted
    labels = dict(_labels_before(cell))
    for step in cell.steps:
        if step.n in cell.edits and not known.kind.fits(
            known.trait, labels[step.n], step.edit, step.anchor
        ):
            lost |= {step.n}
    return set(lost)


def _labels_before(cell: Cell) -> Iterator[tuple[int, Any]]:
    """The labels that each correction which stands was made of, by its number."""
    if cell.base is not None:
        for made in replayed(cell):
            yield made.n, made.before
        return
    subject, labels = cell.subject, cell.subject.kind.blank
    for step in cell.steps:
        if step.n in cell.edits:
            yield step.n, labels
            outcome = subject.kind.apply(subject.trait, subject.trace, labels, step.edit)
            labels = outcome.labels


def preview(workspace: Workspace, rubric: Rubric) -> Iterator[tuple[str, str]]:
    """Sentences on what each changed trait would come to, where kinds can tell.

    It only reads, and may be left at any moment: for a thread, with a workspace of its own.
    """
    questions = workspace.rubric.questions_by_id
    holders: list[tuple[Rubric | Question, Rubric | Question]] = [(workspace.rubric, rubric)]
    stay = [question for question in rubric.questions if question.id in questions]
    holders += [(questions[question.id], question) for question in stay]
    for before, after in holders:
        had = {known.trait.name: known for known in before.own_traits()}
        for new in after.own_traits():
            old = had.get(new.trait.name)
            if old is None or old.kind is not new.kind:
                continue
            if new.kind.proposes_the_same(old.trait, new.trait):
                continue
            traces = _under_both(workspace, rubric, old, new)
            for sentence in new.kind.preview(old.trait, new.trait, traces):
                yield new.trait.name, sentence


def _under_both(
    workspace: Workspace, rubric: Rubric, old: KnownTrait, new: KnownTrait
) -> Iterator[Trace]:
    """The traces that have the old trait and would get the new one."""
    name = new.trait.name
    for number in range(1, workspace.traces.count() + 1):
        trace = workspace.traces.get(number)
        was, is_now = workspace.rubric.traits_of(trace), rubric.traits_of(trace)
        if was.get(name) == old and is_now.get(name) == new:
            yield trace


def revise(workspace: Workspace, rubric: Rubric, at: str, by: str) -> Revision:
    """Takes the rubric, all or nothing; raises Refused or NotKept and then has changed nothing."""
    revision = look(workspace, rubric)
    with workspace.transaction():
        for turn in _turns(workspace, rubric):
            if turn.no is None or turn.old is None:
                _add(workspace, turn, at, by)
            else:
                _turn(workspace, turn, turn.no, turn.old, at, by)
        workspace.replace_rubric(rubric)
        if revision:
            fall_behind(workspace)
    workspace.read_rubric()
    return revision


def _add(workspace: Workspace, turn: _Turn, at: str, by: str) -> None:
    """A cell of a new trait; it is in the sample where the others of its trace are."""
    siblings = workspace.cells.of_trace(turn.trace_no).values()
    workspace.add_cell(turn.trace_no, turn.trace, turn.new)
    drawn = next((workspace.cell(number)[1].drawn for number in siblings), None)
    if drawn is None:
        return
    number = workspace.cells.of_trace(turn.trace_no)[turn.new.trait.name]
    cell = fold(workspace.subject(turn.new, turn.trace), ())
    workspace.facts.append(number, cell, drawn.what, at, by)


def _turn(workspace: Workspace, turn: _Turn, no: int, old: KnownTrait, at: str, by: str) -> None:
    """One cell under its changed trait, and the fact that says so where it was begun."""
    facts = workspace.facts.of(no)
    before = fold(workspace.subject(old, turn.trace), facts)
    if not turn.proposes_the_same and _is_begun(facts):
        workspace.keep_earlier(old)
        fact = Fact(workspace.facts.last_n() + 1, at, by, Revised(old.trait.sha256()))
        workspace.facts.insert(no, fact)
        facts = [*facts, fact]
    after = fold(workspace.subject(turn.new, turn.trace), facts)
    workspace.facts.project(no, before, after)


def _turns(workspace: Workspace, rubric: Rubric) -> Iterator[_Turn]:
    """Every cell whose trait changed; raises Refused before the end, naming what would be lost."""
    lost: dict[str, str] = {}
    for trace_no in range(1, workspace.traces.count() + 1):
        trace = workspace.traces.get(trace_no)
        old, new = workspace.rubric.traits_of(trace), rubric.traits_of(trace)
        for name, was in old.items():
            if name not in new or new[name].kind.name != was.kind.name:
                lost.setdefault(name, name_of(trace.id, trace.epoch))
        cells = workspace.cells.of_trace(trace_no)
        for name, known in new.items():
            if name not in old or old[name].trait != known.trait:
                yield _Turn(trace_no, trace, cells.get(name), old.get(name), known)
    if lost:
        named = [f"{name} (trace {trace})" for name, trace in lost.items()]
        text = ", ".join(named[:_NAMED])
        if len(named) > _NAMED:
            text += f" and {len(named) - _NAMED} more"
        raise Refused(
            "A trait may not leave, be renamed or become of another kind while its traces are under"
            f" review: {text}. Start a new audit for that."
        )


def _is_begun(facts: Iterable[Fact]) -> bool:
    """Whether anything happened to a cell that a changed trait concerns."""
    return any(not isinstance(fact.what, Flagged | Commented) for fact in facts)
