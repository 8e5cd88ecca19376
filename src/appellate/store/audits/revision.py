"""A changed rubric comes under a review in progress: what that changes, and carrying it out.

A trait that a judge would be asked otherwise makes its cells pending; one that is only measured
otherwise keeps its labels. A question or a reference with other words leaves the labels, too, and
unsettles who signed off over the words before (`core.cell`). No trait may leave a trace that has
it, and no text in which excerpts stand may change.

Taking a rubric is an act: `take_back` brings back the rubric before it and the cells as they were
under it, `take_again` is the inverse. What was said about the rubric that goes is set aside, not
lost (`core.cell.set_aside`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from pydantic import ValidationError

from appellate.core.cell import OF_THE_TRAIT, Cell, fold, replayed, undone
from appellate.core.design_facts import (
    DesignEvent,
    DesignFact,
    RubricEvent,
    RubricTaken,
    RubricTakenAgain,
    RubricTakenBack,
)
from appellate.core.facts import (
    Adopted,
    Commented,
    Contested,
    Corrected,
    Drawn,
    Fact,
    Flagged,
    Proposed,
    Redone,
    Revised,
    Undone,
)
from appellate.core.kind import KnownTrait, Subject, as_read
from appellate.core.problem import Refused, first_texts
from appellate.core.trace import Trace, name_of
from appellate.store.audits.audit_sync import fall_behind
from appellate.store.audits.rubric_difference import (
    RubricDifference,
    difference,
    made_again,
)
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Question, Rubric

_NAMED = 3


class Revision(NamedTuple):
    """What taking a rubric changes: names of traits, and how many cells and acts are concerned."""

    changed: tuple[str, ...] = ()
    """The traits about which a judge is asked differently."""
    remeasured: tuple[str, ...] = ()
    """The traits that are only measured differently."""
    added: tuple[str, ...] = ()
    """The new traits."""
    cells: int = 0
    """Cells that are pending again."""
    fresh: int = 0
    """Cells of new traits."""
    lost: int = 0
    """Corrections that no longer find a place in the labels."""
    signed: int = 0
    """Sign-offs that are lost because their trait changed."""
    unsettled: int = 0
    """Sign-offs and rulings to be given again because their question or reference changed."""
    blind: int = 0
    """Those of `unsettled` that are blind rulings, which the sample loses."""

    def __bool__(self) -> bool:
        return bool(self.changed or self.remeasured or self.added)


class _Turn(Struct, frozen=True):
    """A cell that a new rubric changes or adds: one trace under one trait."""

    trace_no: int
    trace: Trace
    no: int | None
    """The cell's number; None for a new one."""
    old: KnownTrait | None
    """The trait in the old rubric; None for a new one."""
    new: KnownTrait
    asked: Trace
    """The trace with what the new rubric asks of it."""
    was_asked: Trace
    """The trace with what the old rubric asked of it."""

    @property
    def is_of_the_question(self) -> bool:
        """Whether only the question or the reference has other words, and the trait is the same."""
        return self.old is not None and self.old.trait == self.new.trait

    @property
    def proposes_the_same(self) -> bool:
        """Whether what was judged under the old trait stays; False for a new cell."""
        if self.old is None:
            return False
        if self.is_of_the_question:
            return True
        return self.new.kind.proposes_the_same(self.old.trait, self.new.trait)

    def old_subject(
        self,
        old: KnownTrait,
        earlier: Mapping[str, KnownTrait],
    ) -> Subject:
        """Return what the cell is about under the old rubric."""
        return Subject(old.kind, old.trait, self.was_asked, earlier)

    def new_subject(self, earlier: Mapping[str, KnownTrait]) -> Subject:
        """Return what the cell is about under the new rubric."""
        return Subject(self.new.kind, self.new.trait, self.asked, earlier)


def look(workspace: Workspace, rubric: Rubric) -> Revision:
    """Return what taking a rubric would change; nothing is changed yet.

    Raises Refused if a trace would lose a trait, or if text that excerpts are from would change.
    """
    changed: dict[str, None] = {}
    remeasured: dict[str, None] = {}
    added: dict[str, None] = {}
    cells = fresh = lost = signed = unsettled = blind = 0
    for turn in _turns(workspace, rubric):
        name = turn.new.trait.name
        if turn.no is None:
            added[name] = None
            fresh += 1
        elif turn.proposes_the_same:
            if not turn.is_of_the_question:
                remeasured[name] = None
            cell = _unsettled(workspace, turn, turn.no)
            if cell is not None:
                unsettled += 1
                blind += cell.is_blind and cell.lapsed is not None
        else:
            changed[name] = None
            facts = workspace.facts.of(turn.no)
            cells += _is_begun(facts)
            if turn.old and any(fact.is_act for fact in facts):
                old_cell = fold(turn.old_subject(turn.old, workspace.earlier), facts)
                lost += len(_without_place(old_cell, turn.new))
                signed += old_cell.signed is not None
    return Revision(
        tuple(changed),
        tuple(remeasured),
        tuple(added),
        cells,
        fresh,
        lost,
        signed,
        unsettled,
        blind,
    )


def _unsettled(workspace: Workspace, turn: _Turn, no: int) -> Cell | None:
    """Return a cell whose sign-off or ruling counts no more, as its question or reference changed.

    It is as the new rubric leaves it. None for a cell that does not lose what settled it.
    """
    facts = workspace.facts.of(no)
    if turn.old is None or not any(fact.is_act for fact in facts):
        return None
    old_cell = fold(turn.old_subject(turn.old, workspace.earlier), facts)
    new_cell = fold(turn.new_subject(workspace.earlier), facts)
    if old_cell.signed is not None and new_cell.unsettled is not None:
        return new_cell
    if old_cell.ruled is not None and new_cell.lapsed is not None:
        return new_cell
    return None


def _without_place(cell: Cell, new_trait: KnownTrait) -> set[int]:
    """Return the numbers of the corrections that find no place under a changed trait.

    In a blind cell these are all corrections, since it starts from the beginning.
    """
    if cell.is_blind:
        return set(cell.edits)
    lost = cell.edits - {step.n for step in cell.steps}  # of labels that were adopted
    labels = dict(_labels_before(cell))
    for step in cell.steps:
        if step.n in cell.edits and not new_trait.kind.fits(
            new_trait.trait,
            labels[step.n],
            step.edit,
            step.anchor,
        ):
            lost |= {step.n}
    return set(lost)


def _labels_before(cell: Cell) -> Iterator[tuple[int, Any]]:
    """Yield the number of each correction in force, with the labels before it.

    In a cell that no judge labelled, the labels are blank before the first.
    """
    if cell.base is not None:
        for change in replayed(cell):
            yield change.n, change.before
        return
    subject, labels = cell.subject, cell.subject.kind.blank
    for step in cell.steps:
        if step.n in cell.edits:
            yield step.n, labels
            outcome = subject.kind.apply(
                subject.trait,
                subject.trace,
                labels,
                step.edit,
            )
            labels = outcome.labels


def preview(workspace: Workspace, rubric: Rubric) -> Iterator[tuple[str, str]]:
    """Yield pairs of a changed trait's name and a sentence on what its change would result in.

    A trait may have several pairs, and has none if its kind cannot tell. New traits are left out.
    It only reads, and may be left at any moment: for a thread, with a workspace of its own.
    """
    holders: list[tuple[Rubric | Question, Rubric | Question]]
    holders = [(workspace.rubric, rubric)]
    old_questions = workspace.rubric.questions_by_id
    for question in rubric.questions:
        if question.id in old_questions:
            holders.append((old_questions[question.id], question))
    for old_holder, new_holder in holders:
        had = {trait.trait.name: trait for trait in old_holder.own_traits()}
        for new in new_holder.own_traits():
            old = had.get(new.trait.name)
            if old is None or old.kind is not new.kind:
                continue
            if new.kind.proposes_the_same(old.trait, new.trait):
                continue
            traces = _under_both(workspace, rubric, old, new)
            for sentence in new.kind.preview(old.trait, new.trait, traces):
                yield new.trait.name, sentence


def _under_both(
    workspace: Workspace,
    rubric: Rubric,
    old: KnownTrait,
    new: KnownTrait,
) -> Iterator[Trace]:
    """Yield the traces that have the old trait and would get the new one."""
    name = new.trait.name
    for number in range(1, workspace.traces.count() + 1):
        trace = workspace.traces.get(number)
        old_traits = workspace.rubric.traits_of(trace)
        new_traits = rubric.traits_of(trace)
        if old_traits.get(name) == old and new_traits.get(name) == new:
            yield trace


def revise(workspace: Workspace, rubric: Rubric, at: str, by: str) -> Revision:
    """Take a rubric, all or nothing, and return what that changed.

    `at` is UTC in ISO 8601, `by` a reviewer's name. A rubric that is the same changes nothing, and
    is no act. Raises Refused or NotKept, and has changed nothing then.
    """
    revision = look(workspace, rubric)
    change = difference(workspace.rubric.to_file(), rubric.to_file())
    if not change:
        return revision
    with workspace.transaction():
        taken = RubricTaken(
            change.before,
            change.without,
            change.order,
            changed=revision.changed,
            remeasured=revision.remeasured,
            added=revision.added,
            cells=revision.cells,
            fresh=revision.fresh,
            lost=revision.lost,
            signed=revision.signed,
            unsettled=revision.unsettled or None,
        )
        act = workspace.design.append(taken, at, by)
        for turn in _turns(workspace, rubric):
            if turn.no is None or turn.old is None:
                _add(workspace, turn, at, by)
            else:
                _turn(workspace, turn, turn.no, turn.old, act)
        workspace.replace_rubric(rubric)
        fall_behind(workspace)
    workspace.read_rubric()
    return revision


def _add(workspace: Workspace, turn: _Turn, at: str, by: str) -> None:
    """Add the cell of a new trait as the last cell, in the caller's transaction.

    It is in the sample if the first other cell of its trace is, and blind if that is. The draw is
    by `by` at `at`.
    """
    siblings = list(workspace.cells.of_trace(turn.trace_no).values())
    workspace.add_cell(turn.trace_no, turn.trace, turn.new)
    if not siblings:
        return
    _, sibling = workspace.cell(siblings[0])
    if sibling.drawn is None:
        return
    numbers = workspace.cells.of_trace(turn.trace_no)
    number = numbers[turn.new.trait.name]
    subject = workspace.subject(turn.new, turn.trace)
    workspace.facts.append(number, fold(subject, ()), sibling.drawn.what, at, by)


def _turn(
    workspace: Workspace,
    turn: _Turn,
    no: int,
    old: KnownTrait,
    act: DesignFact,
) -> None:
    """Write what follows for a cell from its changed trait or question, after the act of taking it.

    If the trait's new form asks something else and the cell was begun, a fact says so and the old
    trait is kept.
    """
    facts = workspace.facts.of(no)
    old_cell = fold(turn.old_subject(old, workspace.earlier), facts)
    if not turn.proposes_the_same and _is_begun(facts):
        workspace.keep_earlier(old)
        revised = Revised(old.trait.sha256())
        fact = Fact(workspace.facts.last_n() + 1, act.at, act.by, revised, act.n)
        workspace.facts.insert(no, fact)
        facts = [*facts, fact]
    new_cell = fold(turn.new_subject(workspace.earlier), facts)
    workspace.facts.project(no, old_cell, new_cell)


def _turns(
    workspace: Workspace,
    rubric: Rubric,
    *,
    may_leave: bool = False,
) -> Iterator[_Turn]:
    """Yield a turn for every cell whose trait, question or reference changed, new cells too.

    Raises Refused after the last turn if a trace would lose a trait, and at once if text that
    excerpts are from would change. With `may_leave` traces may lose traits.
    """
    lost: dict[str, str] = {}
    for trace_no in range(1, workspace.traces.count() + 1):
        trace = workspace.traces.get(trace_no)
        old = workspace.rubric.traits_of(trace)
        new = rubric.traits_of(trace)
        for name, old_trait in old.items():
            if may_leave and name not in new:
                continue
            if name not in new or new[name].kind.name != old_trait.kind.name:
                lost.setdefault(name, name_of(trace.id, trace.epoch))
        cells = workspace.cells.of_trace(trace_no)
        new_trace = rubric.asked(trace)
        old_trace = workspace.rubric.asked(trace)
        is_same_question = new_trace.question == old_trace.question
        is_same_reference = new_trace.reference == old_trace.reference
        is_asked_the_same = is_same_question and is_same_reference
        for name, trait in new.items():
            is_same_trait = name in old and old[name].trait == trait.trait
            if is_same_trait and is_asked_the_same:
                continue
            no = cells.get(name)
            turn = _Turn(
                trace_no,
                trace,
                no,
                old.get(name),
                trait,
                new_trace,
                old_trace,
            )
            if no is not None and not is_asked_the_same:
                _check_text(workspace, turn, workspace.facts.of(no))
            yield turn
    if lost:
        lost_names = [f"{name} (trace {trace})" for name, trace in lost.items()]
        text = first_texts(lost_names, _NAMED)
        raise Refused(
            "A trait may not leave, be renamed or become of another kind while its traces are under"
            f" review: {text}. Start a new audit for that.",
        )


_IN_THE_TEXT = Proposed | Corrected | Adopted | Contested
"""Facts that may say where in the text an excerpt stands."""


def _check_text(workspace: Workspace, turn: _Turn, facts: Sequence[Fact]) -> None:
    """Raise Refused if other words of a question move the text that excerpts were found in.

    They do in a conversation that has no messages: its first step is the question. Without facts
    that may hold excerpts nothing is raised.
    """
    if not any(isinstance(fact.what, _IN_THE_TEXT) for fact in facts):
        return
    revised_hashes = [fact.what.was for fact in facts if isinstance(fact.what, Revised)]
    versions = [workspace.earlier[sha256] for sha256 in revised_hashes]
    if turn.old is not None:
        versions.append(turn.old)
    for version in versions:
        if (
            as_read(version.trait, turn.was_asked).text
            != as_read(version.trait, turn.asked).text
        ):
            where = name_of(turn.trace.id, turn.trace.epoch)
            raise Refused(
                f"The question of trace {where} is the first step of the conversation that"
                f" {version.trait.name} reads, and excerpts of it were marked already: its words"
                " stay. Start a new audit for others.",
            )


def _is_begun(facts: Iterable[Fact]) -> bool:
    """Return whether anything happened to a cell that a changed trait concerns.

    Flags and comments do not count.
    """
    return any(not isinstance(fact.what, Flagged | Commented) for fact in facts)


# -- taking back ----------------------------------------------------------------------------------


class _Turned(Struct, frozen=True):
    """A cell that an undo or redo of a rubric changes: before, and with its new facts."""

    no: int
    old_cell: Cell
    new_cell: Cell


def take_back(workspace: Workspace, act_no: int, at: str, by: str) -> DesignFact:
    """Undo the taking of a rubric, act `act_no`: bring back the rubric before it, and the cells.

    Returns the fact that says so, with the time `at` (UTC in ISO 8601) and the reviewer `by`.
    Raises Refused or NotKept, and has changed nothing then.
    """
    events = _rubric_events(workspace)
    in_force = _acts_in_force(events)
    if act_no not in in_force:
        raise Refused("There is nothing to undo.")
    last_no = in_force[-1]
    if last_no != act_no:
        [last] = [event for event in events if event.n == last_no]
        raise Refused(f"{last.by} took another rubric since, on top of it: it stays.")
    return _carry_out(workspace, events, act_no, at, by, back=True)


def take_again(workspace: Workspace, act_no: int, at: str, by: str) -> DesignFact:
    """Redo the taking of a rubric, act `act_no`, after it was undone, with the cells under it.

    Returns the fact that says so, with the time `at` (UTC in ISO 8601) and the reviewer `by`.
    Raises Refused or NotKept, and has changed nothing then.
    """
    events = _rubric_events(workspace)
    last_event = None
    for event in events:
        if _act_of(event) == act_no:
            last_event = event
    if last_event is None or not isinstance(last_event.what, RubricTakenBack):
        raise Refused("There is nothing to redo.")
    until_then = [event for event in events if event.n <= last_event.n]
    if _acts_in_force(until_then) != _acts_in_force(events):
        raise Refused("Another rubric was taken since: {rubric.edit:I} changes it.")
    return _carry_out(workspace, events, act_no, at, by, back=False)


def _rubric_events(workspace: Workspace) -> list[DesignFact]:
    """Return the facts by which a rubric was taken, taken back or taken again, in order."""
    events: list[DesignFact] = []
    for fact in workspace.design.facts():
        if isinstance(fact.what, RubricEvent):
            events.append(fact)
    return events


def _act_of(event: DesignFact) -> int:
    """Return the number of the act by which the rubric of an event was taken."""
    if isinstance(event.what, RubricTakenBack | RubricTakenAgain):
        return event.what.of
    return event.n


def _acts_in_force(events: Iterable[DesignFact]) -> list[int]:
    """Return the numbers of the acts whose rubrics are in force after events, the latest last."""
    in_force: list[int] = []
    for event in events:
        if isinstance(event.what, RubricTakenBack):
            in_force.remove(event.what.of)
        else:
            in_force.append(_act_of(event))
    return in_force


def _carry_out(
    workspace: Workspace,
    events: Sequence[DesignFact],
    act_no: int,
    at: str,
    by: str,
    *,
    back: bool,
) -> DesignFact:
    """Take the rubric of act `act_no` back, or with `back` false again; return the new fact.

    It turns round the last event about that act, and has the time `at` and the reviewer `by`. All
    is done or nothing. Raises Refused if cells that would leave were worked on or, with `back`, if
    another reviewer worked on the rubric. Raises NotKept if the disk refuses.
    """
    taken_away = [event.what for event in events if _act_of(event) == act_no][-1]
    rubric, change = _rubric_before(workspace, taken_away)
    leaving = list(_leaving(workspace, rubric))
    n = workspace.facts.last_n() + 1
    cells = list(
        _turned_cells(
            workspace,
            rubric,
            DesignFact(act_no, at, by, events[-1].what),
            n,
        ),
    )
    if back:
        _check_others(cells, act_no, by)
    kind = RubricTakenBack if back else RubricTakenAgain
    with workspace.transaction():
        event = workspace.design.append(
            kind(act_no, *change, *_brought_back(cells)),
            at,
            by,
        )
        for cell in cells:
            if len(cell.new_cell.facts) > len(cell.old_cell.facts):
                workspace.keep_earlier(
                    KnownTrait(cell.old_cell.subject.kind, cell.old_cell.subject.trait),
                )
            workspace.facts.keep(cell.no, cell.old_cell, cell.new_cell)
        for turn in _turns(workspace, rubric, may_leave=True):
            if turn.no is None:
                _add(workspace, turn, at, by)
        workspace.remove_cells(leaving)
        workspace.replace_rubric(rubric)
        fall_behind(workspace)
    workspace.read_rubric()
    return event


def _rubric_before(
    workspace: Workspace,
    event: DesignEvent,
) -> tuple[Rubric, RubricDifference]:
    """Return the rubric before an event, and how the one in force differs from it.

    Raises Refused if the event does not tell.
    """
    current_table = workspace.rubric.to_file()
    stays = Refused("The audit does not tell what the rubric was before: it stays.")
    if not isinstance(event, RubricEvent):
        raise stays
    try:
        table = made_again(current_table, event.before, event.without, event.order)
        rubric = Rubric.model_validate(table)
    except (KeyError, TypeError, ValidationError) as error:
        raise stays from error
    return rubric, difference(current_table, rubric.to_file())


def _leaving(workspace: Workspace, rubric: Rubric) -> Iterator[tuple[int, Cell]]:
    """Yield the cells, by number, of traits that a rubric lacks: they must be the last ones.

    Nothing is removed. Raises Refused for a cell that has facts other than draws, and at the end if
    other cells come after these.
    """
    numbers: list[int] = []
    for trace_no in range(1, workspace.traces.count() + 1):
        trace = workspace.traces.get(trace_no)
        old_traits = workspace.rubric.traits_of(trace)
        new_traits = rubric.traits_of(trace)
        leaving = old_traits.keys() - new_traits.keys()
        cells = workspace.cells.of_trace(trace_no)
        for name in sorted(leaving):
            number = cells[name]
            _, cell = workspace.cell(number)
            is_only_drawn = all(isinstance(fact.what, Drawn) for fact in cell.facts)
            if not is_only_drawn:
                raise Refused(
                    f"It added {name}, which was judged or worked on since, and nothing is thrown"
                    " away: it stays. {rubric.edit:I} changes it.",
                )
            numbers.append(number)
            yield number, cell
    cell_count = workspace.cells.count()
    first_of_last = cell_count - len(numbers) + 1
    last_numbers = list(range(first_of_last, cell_count + 1))
    if sorted(numbers) != last_numbers:
        raise Refused(
            "It added traits, and other cells were added after theirs: it stays."
            " {rubric.edit:I} changes it.",
        )


def _turned_cells(
    workspace: Workspace,
    rubric: Rubric,
    act: DesignFact,
    n: int,
) -> Iterator[_Turned]:
    """Yield every cell that gets another trait, question or reference, before and after.

    New facts are numbered after `n` and have the time and the person of `act`. Nothing is written.
    Raises Refused if text that excerpts are from would change.
    """
    for turn in _turns(workspace, rubric, may_leave=True):
        if turn.no is None or turn.old is None:
            continue
        facts = tuple(workspace.facts.of(turn.no))
        old_cell = fold(turn.old_subject(turn.old, workspace.earlier), facts)
        if not turn.proposes_the_same and _is_begun(facts):
            n += 1
            toggled = _toggled(facts, act.n, turn.old)
            part_of = None
            if isinstance(toggled, Revised):
                part_of = act.n
            facts = (*facts, Fact(n, act.at, act.by, toggled, part_of))
        earlier = {**workspace.earlier, turn.old.trait.sha256(): turn.old}
        yield _Turned(turn.no, old_cell, fold(turn.new_subject(earlier), facts))


def _toggled(
    facts: tuple[Fact, ...],
    act: int,
    old: KnownTrait,
) -> Revised | Undone | Redone:
    """Return the fact for a cell whose trait's change is taken back or made again.

    The change that belongs to the act is undone if it is in force. If it was undone, and nothing
    was said about the old trait since, it is redone. Otherwise the trait changes once more, as in
    cells that were begun only after the act.
    """
    undone_facts = undone(facts)
    changes: list[Fact] = []
    for fact in facts:
        if isinstance(fact.what, Revised) and fact.part_of == act:
            changes.append(fact)
    for change in changes:
        if change.n not in undone_facts:
            return Undone(change.n)
    if changes:
        undoing = Undone(changes[-1].n)
        undone_at = max(fact.n for fact in facts if fact.what == undoing)
        said_since = [fact.what for fact in facts if fact.n > undone_at]
        if not any(isinstance(event, OF_THE_TRAIT) for event in said_since):
            return Redone(changes[-1].n)
    return Revised(old.trait.sha256())


def _check_others(cells: Iterable[_Turned], act_no: int, by: str) -> None:
    """Raise Refused if anyone but `by` worked on a cell under the rubric of act `act_no`.

    What they undid does not count.
    """
    for cell in cells:
        for fact in cell.old_cell.facts:
            if fact.n <= act_no or fact.n in cell.old_cell.undone:
                continue
            if fact.is_act and fact.by != by:
                raise Refused(
                    f"{fact.by} worked with the revised rubric since: it stays."
                    " {rubric.edit:I} changes it.",
                )


def _brought_back(cells: Iterable[_Turned]) -> tuple[int, int, int]:
    """Return how many sign-offs and how many corrections are in force again.

    The third number is how many judges' answers are set aside.
    """
    signed = 0
    corrections = 0
    answers = 0
    for cell in cells:
        old_cell = cell.old_cell
        new_cell = cell.new_cell
        if new_cell.signed is not None and old_cell.signed is None:
            signed += 1
        corrections += len(new_cell.edits - old_cell.edits)
        for fact in old_cell.facts:
            if not isinstance(fact.what, Proposed) or fact.n in old_cell.undone:
                continue
            is_outdated = old_cell.revised < fact.n < new_cell.revised
            if is_outdated or fact.n in new_cell.undone:
                answers += 1
    return signed, corrections, answers
