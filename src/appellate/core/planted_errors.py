"""Known errors, planted before a judge's proposal to see whether whoever signs off catches them.

A planted error is shown and nothing else: the cell keeps the judge's labels, so that no total, no
estimate and no file ever has the wrong ones. What a person does to the cell is carried out on what
they see, and then carried over to the judge's own labels. Whoever corrects the error, or stands by
it, learns of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import shorten

from msgspec.structs import replace

from appellate.core.cell import Cell, carried_over, evolve
from appellate.core.deciding import Correct, decide
from appellate.core.facts import (
    Adopted,
    Corrected,
    Fact,
    Planted,
    Proposed,
    Ruled,
    SignedOff,
    Unmasked,
)
from appellate.core.kind import Instruction, Subject, Table
from appellate.core.problem import Refused, many

_CLIPPED = 70
_STANDS_BY = SignedOff | Ruled
_ABOUT_LABELS = Corrected | Adopted | _STANDS_BY


# -- planting --------------------------------------------------------------------------------------


def plantable(cell: Cell) -> bool:
    """Whether a cell is a model's proposal, outside of the sample, that nobody has touched."""
    done = Planted | Corrected | Adopted | _STANDS_BY
    if cell.state != "proposed" or cell.drawn or cell.example or cell.flag or cell.comments:
        return False
    return cell.subject.source_name == "model" and not any(
        isinstance(fact.what, done) for fact in cell.facts
    )


def errors(cell: Cell, asked: Instruction) -> Iterator[Planted]:
    """The errors that may be planted in one answer: a judge's labels that differ in it alone."""
    for edits in cell.subject.kind.turned(cell, asked):
        rows = [edit.to_row() for edit in edits]
        planted = Planted(asked._asdict(), "", rows)
        trial = replace(cell, planted=Fact(0, "", "", planted))
        try:
            seen = decoy(trial)
        except _UNFIT:
            continue
        if _is_sound(cell, seen, asked):
            yield replace(planted, answer=seen.answers[asked])


def _is_sound(cell: Cell, seen: Cell, asked: Instruction) -> bool:
    """Whether a judge's table differs in the one answer, and shows nothing else that is wrong."""
    subject, before, after = cell.subject, cell.answers, seen.answers
    if seen.judge is None or asked not in after or len(seen.checks) > len(cell.checks):
        return False
    faults = subject.kind.faults(subject.trait, subject.trace, seen.judge.table)
    if any(not fault.newer for fault in faults):
        return False
    return [one for one in {**before, **after} if before.get(one) != after.get(one)] == [asked]


# -- what is seen ----------------------------------------------------------------------------------


_UNFIT = Refused, ValueError, TypeError, KeyError
"""What an error of another version, or of a file that was changed, may come to."""


def disguised(cell: Cell) -> Cell:
    """The cell as people see it while an error is planted in it; as it is where that cannot be."""
    try:
        return decoy(cell)
    except _UNFIT:
        return cell


def decoy(cell: Cell) -> Cell:
    """The cell with its planted error, as if the judge had made it, and the person's corrections on
    that; raises Refused where the error cannot be made.
    """
    if cell.judged is None or cell.judge is None:
        raise Refused("Nothing is planted here.")
    subject, judge = cell.subject, cell.judge
    kind, trait, trace = subject.kind, subject.trait, subject.trace
    labels = subject.labels(judge.table)
    for row in _planted(cell).edits:
        labels = kind.apply(trait, trace, labels, kind.edit(row)).labels
    written = kind.write(labels)
    kept = set(kind.label_keys).difference(kind.reasons)  # which would speak against the error
    fields = {**judge.table, **written["audited"]}
    table = {key: value for key, value in fields.items() if key in kept}
    if "items" in written:
        table["items"] = written["items"]
    record = dict(judge.judge)
    if "members" in record:
        record["members"] = [_member(subject, member, table) for member in record["members"]]
    wrong = replace(cell.judged, what=Proposed(table, record))
    return carried_over(
        replace(
            cell,
            facts=tuple(wrong if fact.n == wrong.n else fact for fact in cell.facts),
            judged=wrong,
            labels=subject.labels(table),
            base=wrong,
            edits=frozenset(),
            planted=None,
        )
    )


def _planted(cell: Cell) -> Planted:
    if cell.planted and isinstance(cell.planted.what, Planted):
        return cell.planted.what
    raise Refused("Nothing is planted here.")


def _member(subject: Subject, member: Table, table: Table) -> Table:
    """A member of a panel that holds these labels, too; one that failed stays as it is."""
    if "error" in member:
        return member
    held = dict(member)
    for key in (*subject.kind.label_keys, "items"):
        held.pop(key, None)
    held.update(table)
    return held


# -- what is done to it ----------------------------------------------------------------------------


def settled(cell: Cell, seen: Cell) -> Cell:
    """The cell after an act that left what is shown of it as `seen`.

    Corrections of anything else than the error are made in the judge's labels, too. Where the error
    was corrected, or stood by, or where they have no place in the judge's labels, it is revealed,
    and they go.
    """
    last = cell.facts[-1].n
    new = [fact for fact in seen.facts if fact.n > last]
    about = []
    only_edits = True
    for fact in new:
        if isinstance(fact.what, _ABOUT_LABELS):
            about.append(fact)
            only_edits = only_edits and isinstance(fact.what, Corrected)
    planted = _planted(cell)
    caught = seen.answers.get(Instruction(**planted.asked)) != planted.answer
    if about and (caught or not only_edits):
        return _unmasked(cell, about, caught=caught)
    try:
        after = cell
        for fact in new:
            after = evolve(after, _carried(after, seen, fact))
    except Refused:
        return _unmasked(cell, about, caught=False)
    return after


def _unmasked(cell: Cell, about: Sequence[Fact], *, caught: bool) -> Cell:
    seconds = None
    for fact in about:
        if isinstance(fact.what, _STANDS_BY):
            seconds = fact.what.seconds
    return evolve(cell, replace(about[0], what=Unmasked(caught, seconds)))


def _carried(cell: Cell, seen: Cell, fact: Fact) -> Fact:
    """A correction of what is seen, for the judge's labels; raises Refused without a place."""
    if not isinstance(fact.what, Corrected):
        return fact
    kind, trait = cell.subject.kind, cell.subject.trait
    step = next(step for step in seen.steps if step.n == fact.n)
    edit = kind.carried(trait, cell.labels, step.edit, step.anchor)
    if edit is None:
        raise Refused("The judge said so.")
    return replace(fact, what=decide(cell, Correct(edit, fact.what.reason)))


# -- what came of it -------------------------------------------------------------------------------


def describe(cell: Cell) -> str:
    """A sentence where an error was just revealed; "" elsewhere."""
    if not cell.facts or not isinstance(cell.facts[-1].what, Unmasked):
        return ""
    planted = next(fact.what for fact in reversed(cell.facts) if isinstance(fact.what, Planted))
    text = shorten(str(planted.asked.get("text", "")), _CLIPPED, placeholder=" …")
    error = f"“{planted.answer}” for “{text}”"
    if cell.facts[-1].what.caught:
        return (
            f"You caught a known error that had been planted here: {error}. What the judge really"
            " said is here now, not signed off yet."
        )
    return (
        f"A known error had been planted here and was let pass: {error}. What the judge really"
        " said is here now, not signed off yet."
    )


def outcome(cell: Cell) -> str:
    """What came of a cell's planted error: "caught", "missed", "right" where the labels that were
    signed off afterwards say what had been planted, "waiting"; "" where there is none, or it was
    withdrawn.
    """
    planted: Planted | None = None
    came = ""
    for fact in cell.facts:
        if isinstance(fact.what, Planted):
            planted = fact.what
        elif isinstance(fact.what, Unmasked):
            came = "caught" if fact.what.caught else "missed"
    if planted is None or not (came or cell.planted):
        return ""
    if came and cell.signed and cell.answers.get(Instruction(**planted.asked)) == planted.answer:
        return "right"
    return came or "waiting"


def unmasked(acts: Iterable[tuple[Cell, Fact]]) -> dict[str, int]:
    """What came of the errors that one person learned of, by how many, from all their acts."""
    found: Counter[str] = Counter()
    for cell, fact in acts:
        if isinstance(fact.what, Unmasked):
            found[outcome(cell)] += 1
    return dict(found)


def outcome_texts(came: Mapping[str, int]) -> Iterator[str]:
    """What came of errors, by how many, in sentences."""
    caught, missed, right = (came.get(one, 0) for one in ("caught", "missed", "right"))
    if not sum(came.values()):
        yield "No known errors were planted."
        return
    if caught + missed:
        yield f"{caught:,} of {many(caught + missed, 'planted error')} caught, {missed:,} let pass."
    if right:
        yield (
            f"{many(right, 'planted error')} turned out to be right in the end: in neither number."
        )
    if came.get("waiting"):
        yield f"{many(came['waiting'], 'planted error')} nobody has come to yet."
