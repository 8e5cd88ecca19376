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

ASIDE = {"judgments", "metadata", "cluster", "model"}
"""Fields of a trace that may differ: no reviewer rules by them."""
_NAMED = 3


class AuditSide(NamedTuple):
    """One of two audits: where it is, and what it is called beside the other."""

    path: Path
    audit: AnyAudit
    name: str


class CellPair(NamedTuple):
    """A cell as each of two reviewers left it."""

    first: Cell
    second: Cell

    @property
    def is_blind(self) -> bool:
        """Whether both ruled before they saw the judge's."""
        return self.first.ruled_blind and self.second.ruled_blind

    @property
    def is_signed(self) -> bool:
        return all(cell.signed is not None for cell in self)

    @property
    def is_judged_alike(self) -> bool:
        """Whether both were shown the same labels of a judge."""
        first_judge = self.first.judge
        second_judge = self.second.judge
        if first_judge is None or second_judge is None:
            return False
        return first_judge.table == second_judge.table

    def answers(self) -> Iterator[tuple[Instruction, Answers]]:
        """Yield each question that both reviewers answer, with the two answers.

        In a blind pair they are those of the verdicts. What a reviewer leaves open or cannot tell
        is no answer.
        """
        first_answers, second_answers = self._compared_answers
        left_out = self.first.subject.kind.unanswered | self._untold
        for instruction, first_answer in first_answers.items():
            if instruction not in second_answers:
                continue
            answers = (first_answer, second_answers[instruction])
            if left_out.isdisjoint(answers):
                yield instruction, answers

    @property
    def untold(self) -> bool:
        """Whether either reviewer cannot tell, so that the two are not compared."""
        first_answers, second_answers = self._compared_answers
        return not self._untold.isdisjoint(
            {*first_answers.values(), *second_answers.values()},
        )

    @property
    def _compared_answers(
        self,
    ) -> tuple[Mapping[Instruction, str], Mapping[Instruction, str]]:
        """The answers of the two reviewers, in their order; in a blind pair those of verdicts."""
        if self.is_blind:
            return self.first.verdict_answers, self.second.verdict_answers
        return self.first.answers, self.second.answers

    @property
    def _untold(self) -> frozenset[str]:
        """The answers, of either reviewer's trait, that say that one cannot tell."""
        untold_answers = frozenset[str]()
        for cell in self:
            untold_answers |= cell.subject.kind.untold(cell.subject.trait)
        return untold_answers

    @property
    def differs(self) -> bool:
        """Whether their labels answer any question otherwise."""
        return dict(self.first.answers) != dict(self.second.answers)


class TwoAudits(Struct, frozen=True):
    """What two audits have in common: `pairs` are the cells that both signed off, in the order of
    the first, `rest` the others that are in both; `notes` what differs, in sentences, `signed` how
    many cells each signed off of those in both. `reason` is why nothing but counts is shown.
    """

    first: AuditSide
    second: AuditSide
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
        return self.first, self.second


def reason_in(*audits: AnyAudit) -> str:
    """Return in a sentence why only counts are shown of answers to cells in all of these audits.

    That is so if one has a sample with unequal chances; else "".
    """
    samples = [sample_of(audit.design) for audit in audits]
    if any(sample is not None and sample.is_unequal for sample in samples):
        return f"{UNEQUAL}."
    return ""


def beside(first: tuple[Path, AnyAudit], second: tuple[Path, AnyAudit]) -> TwoAudits:
    """Return what two audits have in common, and in which they differ.

    Raises Unusable, with every reason, if no cell is signed off in both.
    """
    first_path, first_audit = first
    second_path, second_audit = second
    first_name, second_name = _names(first, second)
    first_side = AuditSide(first_path, first_audit, first_name)
    second_side = AuditSide(second_path, second_audit, second_name)
    both, traits, fields = _both(first_side, second_side)
    notes = list(_notes((first_side, second_side), traits, fields))
    notes += _otherwise_read(both)

    pairs: list[CellPair] = []
    rest: list[CellPair] = []
    signed_in_first = 0
    signed_in_second = 0
    for pair in both:
        if pair.first.signed is not None:
            signed_in_first += 1
        if pair.second.signed is not None:
            signed_in_second += 1
        if pair.is_signed:
            pairs.append(pair)
        else:
            rest.append(pair)
    signed = (signed_in_first, signed_in_second)
    if not pairs:
        paths = (first_path, second_path)
        raise Unusable(_why_not_compared(paths, notes, len(both), signed))
    why_only_counts = reason_in(first_audit, second_audit)
    return TwoAudits(
        first_side,
        second_side,
        pairs,
        rest,
        notes,
        signed,
        why_only_counts,
    )


def _why_not_compared(
    paths: tuple[Path, Path],
    notes: Iterable[str],
    cell_count: int,
    signed: tuple[int, int],
) -> list[Problem]:
    """Return the problems of two audits of which no cell is signed off in both.

    The first says that nothing can be compared, then comes one for each of `notes`. If the audits
    share cells, the last one says how many, and how many are signed off in each. `cell_count` is of
    the cells that they share, and `signed` of those that are signed off in either. All are
    problems of the second file.
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


def _otherwise_read(pairs: Iterable[CellPair]) -> Iterator[str]:
    """Yield a sentence on each trait whose judges read another text in the two audits.

    Cells count only if both judges say what they read; labels that came with the traces do not.
    """
    counts: Counter[str] = Counter()
    for first_cell, second_cell in pairs:
        if first_cell.judge is None or second_cell.judge is None:
            continue
        first_text = first_cell.judge.judge.get("text_sha256")
        second_text = second_cell.judge.judge.get("text_sha256")
        if first_text is None or second_text is None:
            continue
        if first_text != second_text:
            counts[first_cell.subject.trait.name] += 1
    for trait, count in counts.items():
        cells = many(count, "cell")
        yield f"Of {quoted(trait)} the judges read another text in each, in {cells}."


def _names(
    first: tuple[Path, AnyAudit],
    second: tuple[Path, AnyAudit],
) -> tuple[str, str]:
    """Return what tells one reviewer from the other: their names, else those of the files.

    Files of the same name are told by their paths.
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


def _both(
    first: AuditSide,
    second: AuditSide,
) -> tuple[list[CellPair], Iterable[str], Mapping[str, list[str]]]:
    """Return the cells in both audits, how traits differ, and the traces that differ by field.

    A trace that differs is not compared, nor is a trait that asks otherwise. How traits differ is
    told in sentences.
    """
    second_traces = {trace.key: trace for trace in second.audit.traces}
    fitting: set[TraceKey] = set()
    fields: dict[str, list[str]] = {}
    for trace in first.audit.traces:
        if trace.key not in second_traces:
            continue
        differing = other_fields(trace, second_traces[trace.key], ASIDE)
        for key in differing:
            names = fields.setdefault(key, [])
            names.append(name_of(*trace.key))
        if not differing:
            fitting.add(trace.key)
    both: list[CellPair] = []
    traits: dict[str, None] = {}
    cells = {audited.key: audited.cell for audited in second.audit.cells}
    for audited in first.audit.cells:
        if audited.key not in cells or audited.trace.key not in fitting:
            continue
        pair = CellPair(audited.cell, cells[audited.key])
        is_alike, text = _asked_alike(
            first.audit.rubric,
            pair.first.subject,
            pair.second.subject,
        )
        if text:
            traits[text] = None
        if is_alike:
            both.append(pair)
    return both, traits, fields


def _asked_alike(rubric: Rubric, first: Subject, second: Subject) -> tuple[bool, str]:
    """Return whether the traits of two cells ask the same, and how they differ.

    Traits that are only measured differently ask the same. How they differ is a sentence, "" for
    equal traits.
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
    traits: Iterable[str],
    fields: Mapping[str, list[str]],
) -> Iterator[str]:
    """Yield what differs between two audits, a sentence each.

    `traits` are the sentences on traits, which come first; `fields` has the names of traces that
    differ, by field. Traits and traces that only one audit has are told, too.
    """
    yield from traits
    first, second = sides
    for side, counterpart in ((first, second), (second, first)):
        counterpart_names = counterpart.audit.rubric.trait_names()
        trait_names: list[str] = []
        for name in side.audit.rubric.trait_names():
            if name not in counterpart_names:
                trait_names.append(quoted(name))
        if trait_names:
            traits_text = _listed(trait_names, "trait")
            yield f"Only {side.path.name} has {traits_text}."

    for key, names in fields.items():
        traces_text = _listed(names, "trace")
        yield f"The {key} is different in each in {traces_text}: not compared."

    for side, counterpart in ((first, second), (second, first)):
        keys = {trace.key for trace in counterpart.audit.traces}
        trace_names: list[str] = []
        for trace in side.audit.traces:
            if trace.key not in keys:
                trace_names.append(name_of(*trace.key))
        if trace_names:
            traces_text = _listed(trace_names, "trace")
            yield f"Only {side.path.name} has {traces_text}."


def _listed(names: Sequence[str], noun: str) -> str:
    """Return how many names there are, and the first `_NAMED` of them: "2 traces (a, b)".

    `noun` is the singular of what is named.
    """
    text = ", ".join(names[:_NAMED])
    unnamed_count = len(names) - _NAMED
    if unnamed_count > 0:
        text += f" and {unnamed_count:,} more"
    count_text = many(len(names), noun)
    return f"{count_text} ({text})"
