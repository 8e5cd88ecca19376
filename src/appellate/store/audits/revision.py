"""A changed rubric comes under a review in progress: what that changes, and carrying it out.

A trait that a judge would be asked otherwise makes its cells pending; one that is only measured
otherwise keeps its labels. A question or a reference with other words leaves the labels, too, and
unsettles who signed off over the words before (`core.cell`). No trait may leave a trace that has
it, and no text in which excerpts stand may change.

Taking a rubric is an act: `take_back` brings back the rubric before it and the cells as they were
under it, `take_again` is the inverse. What was said about the rubric that goes is set aside, not
lost (`core.cell.set_aside`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
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


class _NewCell(NamedTuple):
    """A cell that a new rubric adds: a trace that gets a trait."""

    trace_no: int
    trace: Trace
    """The trace as the workspace has it."""
    trait: KnownTrait


class _ChangedCell(Struct, frozen=True):
    """A cell whose trait, question or reference a new rubric changes."""

    cell_no: int
    old_trait: KnownTrait
    new_trait: KnownTrait
    old_trace: Trace
    """The trace with what the old rubric asked of it."""
    new_trace: Trace
    """The trace with what the new rubric asks of it."""

    @property
    def is_same_trait(self) -> bool:
        """Whether only the question or the reference has other words, and the trait is the same."""
        return bool(self.old_trait.trait == self.new_trait.trait)

    @property
    def proposes_the_same(self) -> bool:
        """Whether labels that were proposed under the old trait stay under the new one.

        They stay if only the question or the reference has other words, or if the kind finds that
        the trait's new form asks a judge the same.
        """
        if self.is_same_trait:
            return True
        kind = self.new_trait.kind
        return kind.proposes_the_same(self.old_trait.trait, self.new_trait.trait)

    def old_subject(self, earlier: Mapping[str, KnownTrait]) -> Subject:
        """Return what the cell is about under the old rubric: `old_trait` on `old_trace`.

        `earlier` only goes into the result as it is, and nothing is looked up in it. It has earlier
        versions of traits by their hash, for facts that are about one of them.
        """
        return Subject(*self.old_trait, self.old_trace, earlier)

    def new_subject(self, earlier: Mapping[str, KnownTrait]) -> Subject:
        """Return what the cell is about under the new rubric: `new_trait` on `new_trace`.

        `earlier` only goes into the result, as in `old_subject`.
        """
        return Subject(*self.new_trait, self.new_trace, earlier)


def look(workspace: Workspace, rubric: Rubric) -> Revision:
    """Return what taking a rubric would change; nothing is changed yet.

    The result is falsy if no trait differs. Raises Refused if a trait would leave a trace or become
    of another kind, or if text that excerpts are from would change.
    """
    changed: dict[str, None] = {}
    remeasured: dict[str, None] = {}
    added: dict[str, None] = {}
    cells = fresh = lost = signed = unsettled = blind = 0
    for change in _changes(workspace, rubric):
        if isinstance(change, _NewCell):
            added[change.trait.trait.name] = None
            fresh += 1
            continue
        name = change.new_trait.trait.name
        if change.proposes_the_same:
            if not change.is_same_trait:
                remeasured[name] = None
            cell = _newly_unsettled(workspace, change)
            if cell is not None:
                unsettled += 1
                blind += cell.is_blind and cell.lapsed is not None
        else:
            changed[name] = None
            facts = workspace.facts.of(change.cell_no)
            cells += _is_begun(facts)
            if any(fact.is_act for fact in facts):
                old_cell = fold(change.old_subject(workspace.earlier), facts)
                lost += len(_without_place(old_cell, change.new_trait))
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


def _newly_unsettled(workspace: Workspace, change: _ChangedCell) -> Cell | None:
    """Return a cell that was settled, and whose sign-off or ruling counts no more after a change.

    The cell is as the new rubric leaves it. Returns None if it was not settled before, or if what
    settled it still counts.
    """
    facts = workspace.facts.of(change.cell_no)
    if not any(fact.is_act for fact in facts):
        return None
    old_cell = fold(change.old_subject(workspace.earlier), facts)
    new_cell = fold(change.new_subject(workspace.earlier), facts)
    if old_cell.signed is not None and new_cell.unsettled is not None:
        return new_cell
    if old_cell.ruled is not None and new_cell.lapsed is not None:
        return new_cell
    return None


def _without_place(cell: Cell, new_trait: KnownTrait) -> set[int]:
    """Return the numbers of a cell's corrections that find no place under a changed trait.

    `cell` is as the old trait leaves it. In a blind cell these are all corrections, since it starts
    from the beginning. Corrections that came with adopted labels have no place either.
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
    """Yield the number of each correction in force, with the labels before it, the oldest first.

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

    A later pair of a trait replaces its earlier ones, which tell how far the count is. If questions
    change traits of one name differently, their ids follow the name: "Cites (q1, q2)". A trait has
    no pair if its kind cannot tell, if it is new, or if it becomes of another kind. A rubric that
    `look` refuses is previewed too: nothing is raised. Nothing is changed, and the iteration may be
    left at any moment: a thread reads with a workspace of its own.
    """
    for name, (old, new) in _changed_traits(workspace.rubric, rubric).items():
        traces = _under_both(workspace, rubric, old, new)
        for sentence in new.kind.preview(old.trait, new.trait, traces):
            yield name, sentence


def _changed_traits(
    old_rubric: Rubric,
    new_rubric: Rubric,
) -> dict[str, tuple[KnownTrait, KnownTrait]]:
    """Return each trait about which a judge is asked differently, as it was and as it would be.

    They are by name. If questions change traits of one name differently, their ids follow the name
    in brackets. Traits that are new or become of another kind are left out.
    """
    changes: dict[tuple[str, str, str], tuple[KnownTrait, KnownTrait]] = {}
    question_ids: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for question_id, old, new in _traits_of_both(old_rubric, new_rubric):
        if old.kind is not new.kind or new.kind.proposes_the_same(old.trait, new.trait):
            continue
        versions = new.kind.name, old.trait.sha256(), new.trait.sha256()
        changes.setdefault(versions, (old, new))
        if question_id:
            question_ids[versions].append(question_id)
    name_counts = Counter(new.trait.name for _, new in changes.values())
    changed_traits: dict[str, tuple[KnownTrait, KnownTrait]] = {}
    for versions, (old, new) in changes.items():
        name = new.trait.name
        if versions in question_ids and name_counts[name] > 1:
            name = f"{name} ({', '.join(question_ids[versions])})"
        changed_traits[name] = old, new
    return changed_traits


def _traits_of_both(
    old_rubric: Rubric,
    new_rubric: Rubric,
) -> Iterator[tuple[str, KnownTrait, KnownTrait]]:
    """Yield the traits that two rubrics have in one place and by one name, as either has them.

    The id of the question that they belong to is the first of the three; "" for those of all
    traces, which come first.
    """
    places: list[tuple[str, Rubric | Question, Rubric | Question]]
    places = [("", old_rubric, new_rubric)]
    old_questions = old_rubric.questions_by_id
    for question in new_rubric.questions:
        if question.id in old_questions:
            places.append((question.id, old_questions[question.id], question))
    for question_id, old_place, new_place in places:
        old_traits = {trait.trait.name: trait for trait in old_place.own_traits()}
        for new in new_place.own_traits():
            if new.trait.name in old_traits:
                yield question_id, old_traits[new.trait.name], new


def _under_both(
    workspace: Workspace,
    rubric: Rubric,
    old: KnownTrait,
    new: KnownTrait,
) -> Iterator[Trace]:
    """Yield the traces that have the old trait and would get the new one, in the order loaded.

    The traits are told by name and by all that they say. Each trace is as the workspace has it.
    """
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
    is no act. Raises Refused as `look` does, and NotKept if the disk refuses; nothing is changed
    then.
    """
    revision = look(workspace, rubric)
    old_parts = difference(workspace.rubric.to_file(), rubric.to_file())
    if not old_parts:
        return revision
    with workspace.transaction():
        taken = RubricTaken(
            old_parts.before,
            old_parts.without,
            old_parts.order,
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
        for change in _changes(workspace, rubric):
            if isinstance(change, _NewCell):
                _add_cell(workspace, change, at, by)
            else:
                _change_cell(workspace, change, act)
        workspace.replace_rubric(rubric)
        fall_behind(workspace)
    workspace.read_rubric()
    return revision


def _add_cell(workspace: Workspace, new_cell: _NewCell, at: str, by: str) -> None:
    """Add a cell of a new trait as the last one of the audit, in the caller's transaction.

    It is drawn into the sample if the first other cell of its trace was, and blind if that was. The
    draw has the time `at` and the reviewer `by`.
    """
    trace_no = new_cell.trace_no
    siblings = list(workspace.cells.of_trace(trace_no).values())
    workspace.add_cell(trace_no, new_cell.trace, new_cell.trait)
    if not siblings:
        return
    _, sibling = workspace.cell(siblings[0])
    if sibling.drawn is None:
        return
    numbers = workspace.cells.of_trace(trace_no)
    number = numbers[new_cell.trait.trait.name]
    subject = workspace.subject(new_cell.trait, new_cell.trace)
    workspace.facts.append(number, fold(subject, ()), sibling.drawn.what, at, by)


def _change_cell(workspace: Workspace, change: _ChangedCell, act: DesignFact) -> None:
    """Write a cell under its changed trait or question, in the caller's transaction.

    `act` is the fact that the rubric was taken. If the new trait asks something else and anything
    happened to the cell, a `Revised` that belongs to the act is added to its facts, and the old
    trait is kept among the earlier ones.
    """
    facts = workspace.facts.of(change.cell_no)
    old_cell = fold(change.old_subject(workspace.earlier), facts)
    if not change.proposes_the_same and _is_begun(facts):
        workspace.keep_earlier(change.old_trait)
        revised = Revised(change.old_trait.trait.sha256())
        fact = Fact(workspace.facts.last_n() + 1, act.at, act.by, revised, act.n)
        workspace.facts.insert(change.cell_no, fact)
        facts = [*facts, fact]
    new_cell = fold(change.new_subject(workspace.earlier), facts)
    workspace.facts.project(change.cell_no, old_cell, new_cell)


def _changes(
    workspace: Workspace,
    rubric: Rubric,
    *,
    may_leave: bool = False,
) -> Iterator[_ChangedCell | _NewCell]:
    """Yield every cell that a rubric would change or add, trace by trace; nothing is written.

    A cell changes if its trait, its question or its reference does. Raises Refused at once if text
    that excerpts are from would change. Raises Refused after the last cell if a trait would leave a
    trace or become of another kind. With `may_leave` traits may leave; their cells are not yielded.
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
            if name not in old:
                yield _NewCell(trace_no, trace, trait)
                continue
            if is_asked_the_same and old[name].trait == trait.trait:
                continue
            change = _ChangedCell(cells[name], old[name], trait, old_trace, new_trace)
            if not is_asked_the_same:
                _check_text(workspace, change)
            yield change
    if lost:
        lost_names = [f"{name} (trace {trace})" for name, trace in lost.items()]
        text = first_texts(lost_names, _NAMED)
        raise Refused(
            "A trait may not leave, be renamed or become of another kind while its traces are under"
            f" review: {text}. Start a new audit for that.",
        )


_IN_THE_TEXT = Proposed | Corrected | Adopted | Contested
"""Facts that may say where in the text an excerpt stands."""


def _check_text(workspace: Workspace, change: _ChangedCell) -> None:
    """Raise Refused if other words of a question move the text that excerpts of a cell stand in.

    They do in a conversation that has no messages: its first step is the question. Nothing is
    raised for a cell that nobody labelled, as nothing in it can have excerpts.
    """
    facts = workspace.facts.of(change.cell_no)
    if not any(isinstance(fact.what, _IN_THE_TEXT) for fact in facts):
        return
    revised_hashes = [fact.what.was for fact in facts if isinstance(fact.what, Revised)]
    versions = [workspace.earlier[sha256] for sha256 in revised_hashes]
    versions.append(change.old_trait)
    for version in versions:
        old_text = as_read(version.trait, change.old_trace).text
        new_text = as_read(version.trait, change.new_trace).text
        if old_text != new_text:
            where = name_of(change.new_trace.id, change.new_trace.epoch)
            raise Refused(
                f"The question of trace {where} is the first step of the conversation that"
                f" {version.trait.name} reads, and excerpts of it were marked already: its words"
                " stay. Start a new audit for others.",
            )


def _is_begun(facts: Iterable[Fact]) -> bool:
    """Return whether a cell with these facts has any but flags and comments; a draw is one."""
    return any(not isinstance(fact.what, Flagged | Commented) for fact in facts)


# -- taking back ----------------------------------------------------------------------------------


class _RestoredCell(Struct, frozen=True):
    """A cell that an undo or redo of a rubric changes: before, and with its new facts."""

    cell_no: int
    old_cell: Cell
    new_cell: Cell


def take_back(workspace: Workspace, act_no: int, at: str, by: str) -> DesignFact:
    """Undo the taking of a rubric, act `act_no`: bring back the rubric before it, and the cells.

    Returns the fact that says so, with the time `at` (UTC in ISO 8601) and the reviewer `by`.
    Raises Refused if the act is not in force, if another rubric was taken since, or if another
    reviewer worked under its rubric. Raises Refused too if cells that it added were judged or
    worked on, or are no longer the last ones. Raises NotKept if the disk refuses. After either
    nothing is changed.
    """
    events = _rubric_events(workspace)
    in_force = _acts_in_force(events)
    if act_no not in in_force:
        raise Refused("There is nothing to undo.")
    last_no = in_force[-1]
    if last_no != act_no:
        [last] = [event for event in events if event.n == last_no]
        raise Refused(f"{last.by} took another rubric since, on top of it: it stays.")
    last_event = _events_by_act(events)[act_no]
    return _turn_round(workspace, last_event, at, by)


def take_again(workspace: Workspace, act_no: int, at: str, by: str) -> DesignFact:
    """Redo the taking of a rubric, act `act_no`, after it was undone, with the cells under it.

    Returns the fact that says so, with the time `at` (UTC in ISO 8601) and the reviewer `by`.
    Raises Refused if the act is not undone, or if another rubric was taken since. Raises NotKept if
    the disk refuses. After either nothing is changed.
    """
    events = _rubric_events(workspace)
    last_event = _events_by_act(events).get(act_no)
    if last_event is None or not isinstance(last_event.what, RubricTakenBack):
        raise Refused("There is nothing to redo.")
    until_then = [event for event in events if event.n <= last_event.n]
    if _acts_in_force(until_then) != _acts_in_force(events):
        raise Refused("Another rubric was taken since: {rubric.edit:I} changes it.")
    return _turn_round(workspace, last_event, at, by)


def _rubric_events(workspace: Workspace) -> list[DesignFact]:
    """Return the facts by which a rubric was taken, taken back or taken again, the oldest first.

    An act that was taken back is among them, as is the fact that took it back.
    """
    events: list[DesignFact] = []
    for fact in workspace.design.facts():
        if isinstance(fact.what, RubricEvent):
            events.append(fact)
    return events


def _act_of(event: DesignFact) -> int:
    """Return the number of the act that an event is about: its own if it took the rubric itself."""
    if isinstance(event.what, RubricTakenBack | RubricTakenAgain):
        return event.what.of
    return event.n


def _events_by_act(events: Iterable[DesignFact]) -> dict[int, DesignFact]:
    """Return the last event about each act, by the act's number; `events` are in order."""
    return {_act_of(event): event for event in events}


def _acts_in_force(events: Iterable[DesignFact]) -> list[int]:
    """Return the numbers of the acts whose rubrics are in force after events, the latest last.

    `events` are those about rubrics, in order and from the first one on.
    """
    in_force: list[int] = []
    for event in events:
        if isinstance(event.what, RubricTakenBack):
            in_force.remove(event.what.of)
        else:
            in_force.append(_act_of(event))
    return in_force


def _turn_round(
    workspace: Workspace,
    last_event: DesignFact,
    at: str,
    by: str,
) -> DesignFact:
    """Undo the last event about a rubric, with its cells, and return the fact that says so.

    A rubric that the event took is taken back, and one that it took back is taken again. The caller
    has checked that no other rubric was taken since. The fact has the time `at` and the reviewer
    `by`. Raises Refused if a cell that would leave was judged or worked on or, to take a rubric
    back, if another reviewer worked under it. Raises NotKept if the disk refuses. After either
    nothing is changed.
    """
    act_no = _act_of(last_event)
    takes_again = isinstance(last_event.what, RubricTakenBack)
    rubric, old_parts = _rubric_before(workspace, last_event.what)
    leaving = _leaving(workspace, rubric)
    cells = _restored_cells(workspace, rubric, act_no, at, by)
    if not takes_again:
        _check_others(cells, act_no, by)
    event_type = RubricTakenAgain if takes_again else RubricTakenBack
    with workspace.transaction():
        event = workspace.design.append(
            event_type(act_no, *old_parts, *_brought_back(cells)),
            at,
            by,
        )
        for cell in cells:
            if len(cell.new_cell.facts) > len(cell.old_cell.facts):
                workspace.keep_earlier(
                    KnownTrait(cell.old_cell.subject.kind, cell.old_cell.subject.trait),
                )
            workspace.facts.keep(cell.cell_no, cell.old_cell, cell.new_cell)
        for change in _changes(workspace, rubric, may_leave=True):
            if isinstance(change, _NewCell):
                _add_cell(workspace, change, at, by)
        workspace.remove_cells(list(leaving.items()))
        workspace.replace_rubric(rubric)
        fall_behind(workspace)
    workspace.read_rubric()
    return event


def _rubric_before(
    workspace: Workspace,
    event: DesignEvent,
) -> tuple[Rubric, RubricDifference]:
    """Return the rubric before an event, and what turns that rubric back into the one in force.

    Raises Refused if the event does not tell the rubric before, or tells one that is not valid.
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


def _leaving(workspace: Workspace, rubric: Rubric) -> dict[int, Cell]:
    """Return the cells, by number, whose traces would lose their trait under a rubric.

    They must be the last cells of the audit. Nothing is removed. Raises Refused for a cell that has
    facts other than draws, and if other cells come after these.
    """
    leaving_cells: dict[int, Cell] = {}
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
            leaving_cells[number] = cell
    cell_count = workspace.cells.count()
    first_of_last = cell_count - len(leaving_cells) + 1
    last_numbers = list(range(first_of_last, cell_count + 1))
    if sorted(leaving_cells) != last_numbers:
        raise Refused(
            "It added traits, and other cells were added after theirs: it stays."
            " {rubric.edit:I} changes it.",
        )
    return leaving_cells


def _restored_cells(
    workspace: Workspace,
    rubric: Rubric,
    act_no: int,
    at: str,
    by: str,
) -> list[_RestoredCell]:
    """Return every cell that gets another trait, question or reference, before and after.

    A cell to which anything happened gets a fact more if its other trait asks something else. Those
    facts have the time `at` and the reviewer `by`, and are numbered on from the fact that is to say
    that act `act_no` was turned round. Nothing is written. Raises Refused if text that excerpts are
    from would change.
    """
    fact_no = workspace.facts.last_n() + 1  # of the event itself
    cells: list[_RestoredCell] = []
    for change in _changes(workspace, rubric, may_leave=True):
        if isinstance(change, _NewCell):
            continue
        old_trait = change.old_trait
        facts = tuple(workspace.facts.of(change.cell_no))
        old_cell = fold(change.old_subject(workspace.earlier), facts)
        if not change.proposes_the_same and _is_begun(facts):
            fact_no += 1
            toggled = _toggled(facts, act_no, old_trait)
            part_of = None
            if isinstance(toggled, Revised):
                part_of = act_no
            facts = (*facts, Fact(fact_no, at, by, toggled, part_of))
        earlier = {**workspace.earlier, old_trait.trait.sha256(): old_trait}
        new_cell = fold(change.new_subject(earlier), facts)
        cells.append(_RestoredCell(change.cell_no, old_cell, new_cell))
    return cells


def _toggled(
    facts: tuple[Fact, ...],
    act_no: int,
    old_trait: KnownTrait,
) -> Revised | Undone | Redone:
    """Return the fact that a cell gets when the change of its trait by an act is turned round.

    If the change is in force, the fact undoes it. If it was undone, and nothing was said about the
    old trait since, the fact redoes it. Otherwise the trait changes once more, from `old_trait`: so
    in cells that were begun only after the act.
    """
    undone_facts = undone(facts)
    changes: list[Fact] = []
    for fact in facts:
        if isinstance(fact.what, Revised) and fact.part_of == act_no:
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
    return Revised(old_trait.trait.sha256())


def _check_others(cells: Iterable[_RestoredCell], act_no: int, by: str) -> None:
    """Raise Refused if another reviewer than `by` acted on one of the cells after act `act_no`.

    What was undone does not count, nor what a judge said.
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


def _brought_back(cells: Iterable[_RestoredCell]) -> tuple[int, int, int]:
    """Return how many sign-offs and how many corrections are in force only after a restoration.

    The third number is how many judges' answers are set aside by it.
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
