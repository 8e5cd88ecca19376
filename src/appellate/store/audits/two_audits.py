"""Two audits of one rubric and the same traces: what can be compared, and what not."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from appellate.core.agreement import Answers
from appellate.core.cell import Cell
from appellate.core.design_facts import sample_of
from appellate.core.kind import Instruction, Subject
from appellate.core.only_counts import UNEQUAL
from appellate.core.problem import Problem, Unusable, many, quoted
from appellate.core.trace import TraceKey, name_of
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.open_audit import differences, other_fields
from appellate.traits.rubric import Rubric

_ASIDE = {"judgments", "metadata", "cluster", "model"}
"""What may differ in a trace: no reviewer rules by it."""
_NAMED = 3


class AuditSide(NamedTuple):
    """One of two audits: where it is, and what it is called beside the other."""

    path: Path
    audit: AnyAudit
    name: str


class CellPair(NamedTuple):
    """A cell as each of two reviewers left it."""

    one: Cell
    other: Cell

    @property
    def is_blind(self) -> bool:
        """Whether both ruled before they saw the judge's."""
        return self.one.ruled_blind and self.other.ruled_blind

    @property
    def is_signed(self) -> bool:
        return all(cell.signed is not None for cell in self)

    @property
    def is_judged_alike(self) -> bool:
        """Whether both were shown the same labels of a judge."""
        one = self.one.judge
        other = self.other.judge
        return one is not None and other is not None and one.table == other.table

    def answers(self) -> Iterator[tuple[Instruction, Answers]]:
        """Yield each question that both reviewers answer, with the two answers.

        In a blind pair they are those of the verdicts. What a reviewer leaves open or cannot tell
        is no answer.
        """
        one, other = self._given
        left_out = self.one.subject.kind.unanswered | self._untold
        for instruction, answer in one.items():
            if instruction in other and left_out.isdisjoint((answer, other[instruction])):
                yield instruction, (answer, other[instruction])

    @property
    def untold(self) -> bool:
        """Whether either reviewer cannot tell, so that the two are not compared."""
        one, other = self._given
        return not self._untold.isdisjoint({*one.values(), *other.values()})

    @property
    def _given(self) -> tuple[Mapping[Instruction, str], Mapping[Instruction, str]]:
        """The answers of the two reviewers, in their order; in a blind pair those of verdicts."""
        if self.is_blind:
            return self.one.verdict_answers, self.other.verdict_answers
        return self.one.answers, self.other.answers

    @property
    def _untold(self) -> frozenset[str]:
        """The answers, of either reviewer's trait, that say that one cannot tell."""
        found = frozenset[str]()
        for cell in self:
            found |= cell.subject.kind.untold(cell.subject.trait)
        return found

    @property
    def differs(self) -> bool:
        """Whether their labels answer any question otherwise."""
        return dict(self.one.answers) != dict(self.other.answers)


class TwoAudits(Struct, frozen=True):
    """What two audits have in common: `pairs` are the cells that both signed off, in the order of
    the first, `rest` the others that are in both; `notes` what differs, in sentences, `signed` how
    many cells each signed off of those in both. `reason` is why nothing but counts is shown.
    """

    one: AuditSide
    other: AuditSide
    pairs: Sequence[CellPair]
    rest: Sequence[CellPair]
    notes: Sequence[str]
    signed: tuple[int, int]
    reason: str = ""

    @property
    def cells(self) -> int:
        return len(self.pairs) + len(self.rest)

    @property
    def sides(self) -> tuple[AuditSide, AuditSide]:
        return self.one, self.other


def reason_in(*audits: AnyAudit) -> str:
    """Return why only counts are shown of answers to cells that are in all of these audits.

    That is so if one has a sample with unequal chances; else "".
    """
    samples = [sample_of(audit.design) for audit in audits]
    if any(sample is not None and sample.is_unequal for sample in samples):
        return f"{UNEQUAL}."
    return ""


def beside(one: tuple[Path, AnyAudit], other: tuple[Path, AnyAudit]) -> TwoAudits:
    """Return what two audits have in common, and in which they differ.

    Raises Unusable, with every reason, if no cell is signed off in both.
    """
    names = _names(one, other)
    sides = AuditSide(*one, names[0]), AuditSide(*other, names[1])
    both, traits, fields = _both(*sides)
    notes = list(_notes(sides, traits, fields))
    pairs: list[CellPair] = []
    rest: list[CellPair] = []
    signed = [0, 0]
    for pair in both:
        signed[0] += pair.one.signed is not None
        signed[1] += pair.other.signed is not None
        (pairs if pair.is_signed else rest).append(pair)
    notes += _otherwise_read(both)
    if not pairs:
        place = str(other[0])
        problems = [Problem(place, "", f"nothing in it can be compared with {one[0]}")]
        problems += [Problem(place, "", text.rstrip(".")) for text in notes]
        if both:
            files = one[0].name, other[0].name
            if files[0] == files[1]:
                files = str(one[0]), str(other[0])
            counts = f"{signed[0]} in {files[0]} and {signed[1]} in {files[1]}"
            text = f"of {many(len(both), 'cell')} in both, none is signed off in both"
            problems.append(Problem(place, "", f"{text}: {counts}", "sign cells off in both"))
        raise Unusable(problems)
    return TwoAudits(
        *sides, pairs, rest, notes, (signed[0], signed[1]), reason_in(one[1], other[1])
    )


def _otherwise_read(pairs: Iterable[CellPair]) -> Iterator[str]:
    """Yield a sentence on each trait whose judges read another text in the two audits.

    Cells count only if both judges say what they read; labels that came with the traces do not.
    """
    counts: Counter[str] = Counter()
    for one, other in pairs:
        if one.judge is None or other.judge is None:
            continue
        texts = {side.judge.get("text_sha256") for side in (one.judge, other.judge)}
        if len(texts) > 1 and None not in texts:
            counts[one.subject.trait.name] += 1
    for trait, count in counts.items():
        cells = many(count, "cell")
        yield f"Of {quoted(trait)} the judges read another text in each, in {cells}."


def _names(one: tuple[Path, AnyAudit], other: tuple[Path, AnyAudit]) -> tuple[str, str]:
    """Return what tells one reviewer from the other: their names, else those of the files.

    Files of the same name are told by their paths.
    """
    names = ", ".join(one[1].reviewers), ", ".join(other[1].reviewers)
    if all(names) and names[0] != names[1]:
        return names
    if one[0].name == other[0].name:
        return str(one[0]), str(other[0])
    ending = ".audit.toml"
    return one[0].name.removesuffix(ending), other[0].name.removesuffix(ending)


def _both(
    one: AuditSide, other: AuditSide
) -> tuple[list[CellPair], Iterable[str], Mapping[str, list[str]]]:
    """Return the cells in both audits, how traits differ, and the traces that differ by field.

    A trace that differs is not compared, nor is a trait that asks otherwise. How traits differ is
    told in sentences.
    """
    there = {trace.key: trace for trace in other.audit.traces}
    fitting: set[TraceKey] = set()
    fields: dict[str, list[str]] = {}
    for trace in one.audit.traces:
        if trace.key not in there:
            continue
        differing = other_fields(trace, there[trace.key], _ASIDE)
        for key in differing:
            fields.setdefault(key, []).append(name_of(*trace.key))
        if not differing:
            fitting.add(trace.key)
    both: list[CellPair] = []
    traits: dict[str, None] = {}
    cells = {audited.key: audited.cell for audited in other.audit.cells}
    for audited in one.audit.cells:
        if audited.key not in cells or audited.trace.key not in fitting:
            continue
        pair = CellPair(audited.cell, cells[audited.key])
        same, text = _asked_alike(one.audit.rubric, pair.one.subject, pair.other.subject)
        if text:
            traits[text] = None
        if same:
            both.append(pair)
    return both, traits, fields


def _asked_alike(rubric: Rubric, here: Subject, there: Subject) -> tuple[bool, str]:
    """Return whether the traits of two cells ask the same, and how they differ.

    The latter is a sentence, "" for equal traits.
    """
    if here.trait == there.trait:
        return True, ""
    name = quoted(here.trait.name)
    question = rubric.question_of(here.trace)
    whose = f"The trait {name}"
    if question and here.trait in (known.trait for known in question.own_traits()):
        whose += f" of question {question.id}"
    if here.kind is not there.kind:
        return False, f"{whose} is of another kind in each: it is not compared."
    keys = ", ".join(differences(here.trait.to_file(), there.trait.to_file(), name))
    if here.kind.proposes_the_same(here.trait, there.trait):
        return True, f"{whose} is measured differently in each ({keys}): answers are compared."
    return False, f"{whose} is different in each ({keys}): it is not compared."


def _notes(
    sides: tuple[AuditSide, AuditSide], traits: Iterable[str], fields: Mapping[str, list[str]]
) -> Iterator[str]:
    """Yield what differs between two audits, a sentence each.

    `traits` are the sentences on traits; `fields` has the names of traces that differ, by field.
    """
    yield from traits
    for side, other in (sides, sides[::-1]):
        known = other.audit.rubric.trait_names()
        alone = [quoted(name) for name in side.audit.rubric.trait_names() if name not in known]
        if alone:
            yield f"Only {side.path.name} has {_listed(alone, 'trait')}."
    for key, names in fields.items():
        yield f"The {key} is different in each in {_listed(names, 'trace')}: not compared."
    for side, other in (sides, sides[::-1]):
        keys = {trace.key for trace in other.audit.traces}
        alone = [name_of(*one.key) for one in side.audit.traces if one.key not in keys]
        if alone:
            yield f"Only {side.path.name} has {_listed(alone, 'trace')}."


def _listed(names: Sequence[str], what: str) -> str:
    """Return how many names there are, and the first of them: "2 traces (a, b)"."""
    text = ", ".join(names[:_NAMED])
    if len(names) > _NAMED:
        text += f" and {len(names) - _NAMED:,} more"
    return f"{many(len(names), what)} ({text})"
