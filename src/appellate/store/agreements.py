"""How far the judge agrees with the person under every trait, from how cells are kept to answer: no
cell is folded.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from appellate.core.agreement import (
    FULL_NAMES,
    SHOWN,
    Agreement,
    Answers,
    PairCounts,
    Rates,
    Reasons,
    cluster_of,
)
from appellate.core.kind import AnyKind, KnownTrait
from appellate.core.panel_agreement import PanelAgreement, PanelCounts
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.store import answered, trace_rows
from appellate.store.database import reading
from appellate.store.fact_rows import cell_reader, reasons_in

MOST = 1_000
"""Cells of a trait that are read: what they come to hardly changes with more."""
_BY_LOT = (
    "SELECT c.no, t.body FROM cells c JOIN traces t ON t.no = c.trace WHERE c.trait = ?"
    " AND c.disagreement IS NOT NULL AND NOT c.example ORDER BY c.lot, c.no LIMIT ?"
)


def panels(path: Path, on_progress: OnProgress = ignore_progress) -> dict[str, PanelAgreement]:
    """Of each trait that a panel judged; hidden cells are in none. `on_progress` is called after
    every cell, and may raise to have it stop.
    """
    found: dict[str, PanelAgreement] = {}
    with reading(path) as db:
        cell = cell_reader(db)
        judged = "SELECT DISTINCT trait FROM cells WHERE disagreement IS NOT NULL"
        for (trait,) in db.execute(judged).fetchall():
            counts = PanelCounts()
            for done, (number, body) in enumerate(db.execute(_BY_LOT, (trait, MOST)), 1):
                counts.add(cell(number, trait, body))
                on_progress(done, None)
            agreement = counts.agreement(reasons_in(db))
            if agreement is not None:
                found[trait] = agreement
    return found


Asked = tuple[str, str]
"""The list and the words of an instruction."""
_ANSWERED = (
    "SELECT c.no, c.trait, c.sampled = 3, c.trace, t.id FROM cells c JOIN traces t"
    " ON t.no = c.trace WHERE NOT c.example"
    " AND (c.sampled = 3 OR (c.sampled < 2 AND c.state = 'reviewed')) ORDER BY c.no"
)
_GIVEN = (
    "SELECT question, judged, iif(?, ruled, answer) AS person FROM given"
    " WHERE cell = ? AND judged IS NOT NULL AND person IS NOT NULL ORDER BY question"
)


class TraitAgreement(Struct, frozen=True):
    """A trait as a whole, and each of its instructions that was compared at all: with the judge in
    sight when labels were signed off, and `blind`, against the verdicts.
    """

    whole: Agreement
    instructions: Mapping[Asked, Agreement]
    blind: Agreement
    blind_instructions: Mapping[Asked, Agreement]


def agreements(
    path: Path,
    traits: Mapping[str, Sequence[KnownTrait]],
    on_progress: OnProgress = ignore_progress,
) -> dict[str, TraitAgreement]:
    """Of the traits of each name whose cells share instructions, over the cells that people signed
    off or ruled.

    By a connection of its own: for a thread. `on_progress` is called often, and may raise to
    have it stop.
    """
    found: dict[str, TraitAgreement] = {}
    with reading(path) as db:
        counted = _counted(db, traits, on_progress)
    for name, known in traits.items():
        kind = known[0].kind
        if kind.standings(known[0].trait, kind.blank):
            counts = counted.get(name) or _TraitCounts(known, SHOWN)
            found[name] = counts.agreement(on_progress)
    return found


class ComparedAnswers:
    """What the words of rows say of the answers that judge and person gave under traits of a
    kind.
    """

    def __init__(self, kind: AnyKind, words: Mapping[int, str]) -> None:
        called_as = {word: answer for answer, texts in kind.called_as.items() for word in texts}
        self._answers = {number: called_as.get(word, word) for number, word in words.items()}
        self._unanswered = kind.unanswered

    def pair(self, judge: int, person: int) -> Answers | None:
        """The answers to one question; None where the person did not answer it."""
        answer = self._answers[person]
        if answer in self._unanswered:
            return None
        return self._answers[judge], answer


class _TraitCounts:
    """The pairs of answers under the traits of a name, as they come."""

    def __init__(self, known: Sequence[KnownTrait], reasons: Reasons) -> None:
        self._kind = known[0].kind
        self._reasons = reasons
        self._vocabulary: dict[str, None] = {}
        for one in known:
            self._vocabulary |= dict.fromkeys(self._kind.vocabulary(one.trait))
        self._whole = PairCounts(), PairCounts()
        self._instructions: tuple[defaultdict[Asked, PairCounts], ...] = (
            defaultdict(PairCounts),
            defaultdict(PairCounts),
        )

    def add(self, pairs: Iterable[tuple[Asked, Answers]], cluster: Hashable, blind: int) -> None:
        """`blind` is 1 for a verdict, 0 for labels that were signed off."""
        whole, instructions = self._whole[blind], self._instructions[blind]
        for asked, pair in pairs:
            whole.add(cluster, pair)
            instructions[asked].add(cluster, pair)

    def agreement(self, on_progress: OnProgress) -> TraitAgreement:
        wholes: list[Agreement] = []
        ones: list[dict[Asked, Agreement]] = []
        for blind, reason in enumerate(self._reasons):
            wholes.append(self._describe(self._whole[blind], reason, on_progress))
            every = self._instructions[blind].items()
            ones.append(
                {asked: self._describe(counts, reason, on_progress) for asked, counts in every}
            )
        return TraitAgreement(wholes[0], ones[0], wholes[1], ones[1])

    def _describe(self, counts: PairCounts, reason: str, on_progress: OnProgress) -> Agreement:
        """With its intervals worked out, which nobody waits for here."""
        found = counts.agreement(self._kind.positives, self._vocabulary, reason)
        for name in (*FULL_NAMES, *Rates._fields):
            found.known(name)
            on_progress(found.n, None)
        return found


def _counted(
    db: sqlite3.Connection, traits: Mapping[str, Sequence[KnownTrait]], on_progress: OnProgress
) -> dict[str, _TraitCounts]:
    """The pairs under each trait that has any."""
    words, questions = answered.words(db), answered.questions(db)
    clusters = dict(trace_rows.by_trace(db, "cluster"))
    reasons = reasons_in(db)
    found: dict[str, tuple[ComparedAnswers, _TraitCounts]] = {}
    for done, (cell, trait, blind, trace, name) in enumerate(db.execute(_ANSWERED)):
        on_progress(done, None)
        if trait not in traits:
            continue
        if trait not in found:
            known = traits[trait]
            found[trait] = ComparedAnswers(known[0].kind, words), _TraitCounts(known, reasons)
        answers, counts = found[trait]
        cluster = cluster_of(clusters.get(trace), name)
        pairs: list[tuple[Asked, Answers]] = []
        for question, judge, person in db.execute(_GIVEN, (blind, cell)):
            if pair := answers.pair(judge, person):
                pairs.append((questions[question], pair))
        counts.add(pairs, cluster, blind)
    return {trait: counts for trait, (_, counts) in found.items()}
