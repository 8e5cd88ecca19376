"""What the history of an audit tells of edits to its file by hand.

Facts are numbered one after the other, nothing is ever removed from the record, and a draw is a
fact of each of its cells and of the audit. A history that is otherwise was edited. What is still
whole after an edit no file alone can show: the digest of a sample does (`samples.drawn_as`).
"""

import sqlite3
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from msgspec import Struct

from appellate.core.cell import Cell
from appellate.core.design_facts import (
    FIRST_WAVE,
    DesignFact,
    Joined,
    LooksPlanned,
    RubricEvent,
    RubricTakenBack,
    Sampled,
    Withdrawn,
    of_this_sample,
    wave_name,
    waves_of,
)
from appellate.core.facts import Drawn, Fact, Ruled, SignedOff, Undrawn, names_of
from appellate.core.problem import many
from appellate.stats.looks import LEVEL
from appellate.store.samples.drawn_over import DrawnOver

_SHA256_DIGITS = 64
MOST_NAMED = 5
"""Stretches of numbers that a sentence names."""
_NAMES = names_of((Drawn, Undrawn, Ruled, SignedOff))


class RecordedFact(Struct, frozen=True):
    """The parts of a cell's fact in which edits by hand show."""

    n: int
    at: str
    by: str
    name: str
    """What it is, as files call it: `drawn`, `undrawn`, `ruled` or `signed_off`.

    Other facts have another name, or "".
    """
    cell: int
    """A number that all facts of a cell share."""
    trait_sha256: str = ""
    """The hash of the trait that a sign-off or a ruling is under, "" for other facts."""


class HistoryFaults(Struct, frozen=True):
    """What is wrong with the history of an audit, or is not as it was at the draw."""

    faults: Sequence[str] = ()
    """Why a sample decides nothing, in clauses."""
    doubts: Sequence[str] = ()
    """What is told beside its numbers, in sentences."""


_HISTORY = (
    "SELECT n, at, by, name, cell, iif(name IN ('ruled', 'signed_off'),"
    " ifnull(body ->> 'trait_sha256', ''), '') FROM facts WHERE cell > 0 ORDER BY n"
)


def history_in(db: sqlite3.Connection) -> Iterator[RecordedFact]:
    """Yield the facts of the cells of a workspace, in the order of their numbers.

    Facts of the audit as a whole are left out.
    """
    for row in db.execute(_HISTORY):
        yield RecordedFact(*row)


def history_of(cells: Iterable[Cell]) -> list[RecordedFact]:
    """Return the facts of the cells of an audit file, in the order of their numbers.

    Its cells are numbered from 1 as they come. Facts that are neither a draw, nor a withdrawal, nor
    a verdict have the name "".
    """
    history: list[RecordedFact] = []
    for number, cell in enumerate(cells, 1):
        for fact in cell.facts:
            sha256 = ""
            if isinstance(fact.what, Ruled | SignedOff):
                sha256 = fact.what.trait_sha256
            name = _name(fact)
            recorded = RecordedFact(fact.n, fact.at, fact.by, name, number, sha256)
            history.append(recorded)
    history.sort(key=attrgetter("n"))
    return history


def _name(fact: Fact) -> str:
    return _NAMES.get(type(fact.what), "")


_Act = tuple[str, str]
"""The time of an act and the name of who did it."""


class _HistoryReading:
    """What the history of the cells counts up to."""

    def __init__(
        self,
        history: Iterable[RecordedFact],
        may_be_undone: Container[_Act],
    ) -> None:
        """Go through `history`, which is in the order of its numbers, and keep what is checked.

        All numbers go into `numbers`, and that of any fact at the time and by the person of one of
        `may_be_undone` into `may_lack`. `acts` counts draws and withdrawals of cells. Rulings and
        sign-offs are verdicts: `under` counts them by trait, with the number of the last one. Of
        those on a cell that is in the sample at that point, `first_verdicts` keeps the number of
        the first for each time and name of a draw, and `early` the cells with one dated before
        their draw.
        """
        self.numbers: list[int] = []
        """The numbers of all facts."""
        self.may_lack: set[int] = set()
        """The facts after which others may be gone."""
        self.acts: Counter[tuple[str, str, str]] = Counter()
        """How many cells were drawn or taken out of a sample, by act, time and name."""
        self.early: set[int] = set()
        """The cells with a verdict that is dated before their draw."""
        self.under: dict[str, tuple[int, int]] = {}
        """How many verdicts are under a trait with that hash, and the number of the last one."""
        self.first_verdicts: dict[_Act, int] = {}
        """The number of the first verdict on a cell of the sample, by time and name of its draw."""

        draws: dict[int, RecordedFact] = {}
        """The draw in force of each cell."""
        for fact in history:
            self.numbers.append(fact.n)
            if (fact.at, fact.by) in may_be_undone:
                self.may_lack.add(fact.n)
            match fact.name:
                case "drawn":
                    self.acts[fact.name, fact.at, fact.by] += 1
                    draws[fact.cell] = fact
                case "undrawn":
                    self.acts[fact.name, fact.at, fact.by] += 1
                    draws.pop(fact.cell, None)
                case "ruled" | "signed_off":
                    count, _ = self.under.get(fact.trait_sha256, (0, 0))
                    self.under[fact.trait_sha256] = (count + 1, fact.n)
                    draw = draws.get(fact.cell)
                    if draw is None:
                        continue
                    self.first_verdicts.setdefault((draw.at, draw.by), fact.n)
                    if fact.at < draw.at:
                        self.early.add(fact.cell)
                case _:
                    pass


def history_faults(
    history: Iterable[RecordedFact],
    design: Sequence[DesignFact],
    traits: Container[str],
) -> HistoryFaults:
    """Return what is wrong with the history of the cells and of the audit as a whole.

    `history` and `design` are in the order of their numbers. `traits` are the hashes of the
    traits in force and of their earlier versions. Faults are missing numbers of facts,
    plans that no command makes, verdicts under a trait that is not in `traits`, and cells
    whose draw the design lacks. The last are not looked for in an audit that was joined of
    two. A verdict that is dated before the draw of its cell is only a doubt.
    """
    may_be_undone = _rubric_changes_before_an_undo(design)
    reading = _HistoryReading(history, may_be_undone)
    for fact in design:
        reading.numbers.append(fact.n)
        if (fact.at, fact.by) in may_be_undone:
            reading.may_lack.add(fact.n)

    faults = [*_gaps(reading.numbers, reading.may_lack)]
    faults += _plan_faults(design, reading.first_verdicts)
    faults += _trait_faults(reading.under, design, traits)
    if not any(isinstance(fact.what, Joined) for fact in design):
        faults += _draw_faults(reading.acts, design)
    doubts = []
    if reading.early:
        verdicts = many(len(reading.early), "verdict is", "verdicts are")
        doubts.append(
            f"{verdicts} dated before the draw that came first: a clock was wrong, or the dates"
            " were changed in the file.",
        )
    return HistoryFaults(faults, doubts)


def _gaps(numbers: Iterable[int], may_lack: Container[int]) -> Iterator[str]:
    """Yield one clause that counts the missing facts and names their numbers, if any are missing.

    Numbers begin at 1. Those directly after one of `may_lack` do not count as missing. At most
    `MOST_NAMED` ranges of numbers are named.
    """
    gaps: list[tuple[int, int]] = []
    """The first and the last number of each stretch that is gone."""
    count = 0
    previous = 0
    for n in sorted(numbers):
        if n > previous + 1 and previous not in may_lack:
            gaps.append((previous + 1, n - 1))
            count += n - previous - 1
        previous = n
    if not gaps:
        return

    stretches: list[str] = []
    for first, last in gaps[:MOST_NAMED]:
        stretch = f"{first:,}"
        if last > first:
            stretch += f" to {last:,}"
        stretches.append(stretch)
    text = ", ".join(stretches)
    if len(gaps) > MOST_NAMED:
        text += " and others"
    facts = many(count, "fact is", "facts are")
    yield f"{facts} gone from the history (number {text}), and no command deletes one"


def _rubric_changes_before_an_undo(design: Sequence[DesignFact]) -> set[_Act]:
    """Return time and name of each change of the rubric before the last undoing of such a change.

    Which change was undone is not looked at; one that was done again counts, too. The draws of
    cells that an undone change brought went with it. Empty if none was undone.
    """
    undoable: set[_Act] = set()
    changes: set[_Act] = set()
    for fact in design:
        if isinstance(fact.what, RubricTakenBack):
            undoable |= changes
        elif isinstance(fact.what, RubricEvent):
            changes.add((fact.at, fact.by))
    return undoable


def _draw_faults(
    acts: Mapping[tuple[str, str, str], int],
    design: Sequence[DesignFact],
) -> Iterator[str]:
    """Yield a clause on cells drawn by a draw that the design lacks, and one on such withdrawals.

    Each says how many cells there are; without any it is left out. `acts` counts cells by "drawn"
    or "undrawn", time and person. The design explains the "drawn" ones by a draw or a change of the
    rubric at that time by that person, and the "undrawn" ones by a withdrawal.
    """
    known_draws: dict[str, set[_Act]] = {"drawn": set(), "undrawn": set()}
    for fact in design:
        # a new trait is drawn with its trace
        if isinstance(fact.what, Sampled | RubricEvent):
            known_draws["drawn"].add((fact.at, fact.by))
        if isinstance(fact.what, Withdrawn):
            known_draws["undrawn"].add((fact.at, fact.by))

    lacking = {"drawn": 0, "undrawn": 0}
    for (name, at, by), count in acts.items():
        if (at, by) not in known_draws[name]:
            lacking[name] += count
    if lacking["drawn"]:
        cells = many(lacking["drawn"], "cell tells", "cells tell")
        yield f"{cells} of a draw that is not in the file: the design was changed or cut out"
    if lacking["undrawn"]:
        cells = many(lacking["undrawn"], "cell tells", "cells tell")
        yield f"{cells} of a sample that was withdrawn, and the file does not"


def _trait_faults(
    under: Mapping[str, tuple[int, int]],
    design: Sequence[DesignFact],
    traits: Container[str],
) -> Iterator[str]:
    """Yield one clause that counts the verdicts under traits that the file does not have, if any.

    `under` has, by a trait's hash, how many verdicts there are and the number of the last; `traits`
    has the hashes that the file knows. Those of a hash count only if the last is after the last
    change of the rubric, since a change that is only about measures keeps no earlier version. A
    hash that is not whole does not count.
    """
    last_change = _last_rubric_change(design)
    count = 0
    for sha256, (verdicts, last) in under.items():
        is_unknown = len(sha256) == _SHA256_DIGITS and sha256 not in traits
        if is_unknown and last > last_change:
            count += verdicts
    if count:
        verdicts_text = many(count, "verdict is", "verdicts are")
        yield f"{verdicts_text} on a trait of other words, and the history tells of no change of it"


def _last_rubric_change(design: Iterable[DesignFact]) -> int:
    """Return the number of the last fact that changed the rubric, undid such a change or redid it.

    It is 0 if there is none. Undoing or redoing anything else does not count.
    """
    last_change = 0
    for fact in design:
        if isinstance(fact.what, RubricEvent):
            last_change = max(last_change, fact.n)
    return last_change


def _plan_faults(
    design: Sequence[DesignFact],
    first_verdicts: Mapping[_Act, int],
) -> Iterator[str]:
    """Yield clauses on the plans of looks in the current sample that no command would make.

    One is on a plan whose level is not `LEVEL`. Another is on a plan whose fact number is above
    that of the first verdict; if the sample has several waves, only verdicts on cells that the
    plan's wave drew count. A plan may have both. `first_verdicts` has the number of the first
    verdict on a cell by the time and name of its draw.
    """
    waves = waves_of(design)
    for wave in waves:
        own_draws: set[_Act] = set()
        for fact in wave.facts:
            if isinstance(fact.what, Sampled):
                own_draws.add((fact.at, fact.by))
        verdicts: list[int] = []
        for draw, verdict in first_verdicts.items():
            # a new trait was drawn with its trace
            if len(waves) == 1 or draw in own_draws:
                verdicts.append(verdict)
        for fact in wave.facts:
            plan = fact.what
            if not isinstance(plan, LooksPlanned):
                continue
            bar_name = f"{plan.trait}:{plan.bar}" if plan.trait else plan.bar
            name = f"the plan for {bar_name}"
            if plan.level != LEVEL:
                yield f"{name} has the level {plan.level}, and every plan has {LEVEL}"
            if verdicts and fact.n > min(verdicts):
                yield f"{name} was made after the first verdict, and no command does that"


JUDGED = (
    "what the judge had said at the draw (labels, reasons, name, model or prompt) is not what the"
    " file says now"
)
RUBRIC = (
    "the rubric is not the one at the draw, and the history tells of no change of it"
)
TEXTS = (
    "Something of the traces was changed in the file since the draw: a response, question,"
    " reference, model or other field is not the one that was drawn over."
)


def changed_since(
    design: Sequence[DesignFact],
    rubric_sha256: str,
    drawn_over: Mapping[int, DrawnOver],
) -> HistoryFaults:
    """Return what differs from the fingerprints kept with the draws of the current sample.

    `rubric_sha256` is of the rubric in force, and `drawn_over` has the present fingerprints by the
    numbers of the draws. What a judge said, and a rubric that changed without a fact, are faults;
    other texts are a doubt. A draw of an earlier version kept none and is not compared.
    """
    faults: dict[str, None] = {}
    doubts: dict[str, None] = {}
    is_in_waves = len(waves_of(design)) > 1
    last_change = _last_rubric_change(design)
    for fact in of_this_sample(design):
        sampled = fact.what
        if not isinstance(sampled, Sampled) or sampled.judged_sha256 is None:
            continue
        current = drawn_over[fact.n]
        of_wave = ""
        if is_in_waves:
            name = wave_name(sampled) or FIRST_WAVE
            of_wave = f"{name}: "
        if current.judged_sha256 != sampled.judged_sha256:
            faults[f"{of_wave}{JUDGED}"] = None
        if current.texts_sha256 != sampled.texts_sha256:
            doubts[f"{of_wave}{TEXTS}"] = None
        is_revised = last_change > fact.n
        if rubric_sha256 != sampled.rubric_sha256 and not is_revised:
            faults[RUBRIC] = None
    return HistoryFaults(list(faults), list(doubts))
