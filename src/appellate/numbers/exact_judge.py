"""Intervals by betting for the judge's own numbers: agreement, rates and kappa.

They are ratios over the questions that the judge answered in the units of the frame. What the judge
answered is known of all units, and so is how people may answer. So they have corners, as the
numbers of the responses have (`exact.py`), and hold at every n and at any look.
`estimates.judge_number()` calls `judge_bets()`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from appellate.core.agreement import Answers, number_of
from appellate.core.kind import KnownTrait
from appellate.numbers.exact import (
    NO_ROUND,
    IntervalRule,
    NeverExact,
    NotExact,
    OpenUnit,
    betting_audit,
    refused_in,
)
from appellate.stats.betting import DOWN, UP, Audit, Evidence, corners_of_sum
from appellate.stats.estimates import Interval, Pair
from appellate.stats.judge_ratios import (
    UNLISTED,
    JudgeRatio,
    KappaOfJudge,
    RateOfJudge,
    WeightedKappaOfJudge,
    times,
)
from appellate.stats.looks import JUDGE

AnswerCounts = tuple[tuple[str, int], ...]
"""How often the judge gave each answer in a cell, by answer."""

DIGITS = 6
"""Decimals of an interval: as many as the search for its ends gives."""
NO_LIST = "its scores are in no list, so nothing says which people may give"


class AskedCell(NamedTuple):
    """A cell as it is known before anybody rules: its trait, and what the judge answered in it."""

    known: KnownTrait | None
    judge_answers: AnswerCounts


class AskedUnit(NamedTuple):
    """A unit of the frame with what the judge answered in its cells."""

    unit: OpenUnit
    cells: Sequence[AskedCell]


class JudgeBets(Struct, frozen=True):
    """A betting audit of a number of the judge."""

    audit: Audit
    ratio: JudgeRatio

    def interval(self, seen: float) -> Interval | None:
        """Return the interval around what was seen so far; None if every value is refused.

        `seen` is the number in what was ruled on. If it lies outside, as bets on an unlucky order
        may have it, the nearest end is the value. The ends are rounded to six decimals. Once all
        units are ruled on, the number is what was seen, and so are both ends.
        """
        audit = self.audit
        if audit.n == audit.frame:
            return Interval(seen, seen, seen)
        bounds = audit.interval()
        if bounds is None:
            return None
        first_end = round(self.ratio.number(bounds.low), DIGITS)
        second_end = round(self.ratio.number(bounds.high), DIGITS)
        low = min(first_end, second_end)
        high = max(first_end, second_end)
        value = min(max(seen, low), high)
        return Interval(value, low, high)

    def evidence(self, value: float) -> tuple[Evidence, Evidence]:
        """Return how far it is shown that the number is above a value, and that it is below.

        The two are in this order, each with the capital of bets and how much is needed, as
        multiples of the first capital. Nothing changes.
        """
        supposed = self.ratio.number(value)
        larger = self.audit.evidence(supposed, UP)
        smaller = self.audit.evidence(supposed, DOWN)
        if self.ratio.is_complement:
            return smaller, larger
        return larger, smaller

    def decided_after(self, value: float) -> int | None:
        """Return after how many more audits a value is refused, should rulings go on as they are.

        It is at least 1, even for a value that is refused already. None if neither the next 2,000
        audits nor all that are left refuse it, or if none is left.
        """
        remaining = self.audit.frame - self.audit.n
        return refused_in(self.audit, self.ratio.number(value), remaining)


def judge_bets(
    name: str,
    positives: frozenset[str],
    units: Sequence[AskedUnit],
    people: Sequence[Mapping[Answers, int]],
    rule: IntervalRule,
) -> JudgeBets:
    """Return the betting audit of a number of the judge, by its name as in `judge.kappa`.

    `units` is the whole frame, in which many may be of the same object. `positives` are the answers
    that count as positive. `people` has how often judge and person gave which answers in each unit
    that people ruled on, in the order of the draw. Level and horizon are those of `rule`.

    Raises NotExact if no interval holds: no complete round, a ruling beyond what was thought
    possible, or scores that nothing lists (NeverExact). Raises ValueError for a name that no such
    number has.
    """
    corners = _CornersOfQuestions(name, positives, units)
    pairs = [_parts_of_answers(corners.ratio, answers) for answers in people]
    of_units = {
        id(asked_unit.unit): corners.of(asked_unit.cells)
        for asked_unit in _each_once(units)
    }
    open_units = [asked_unit.unit for asked_unit in units]
    audit = betting_audit(open_units, of_units, pairs, rule, 0.0, corners.ratio.high)
    if not audit.n:
        raise NotExact(NO_ROUND)
    return JudgeBets(audit, corners.ratio)


def never_judge_bets(name: str, known_traits: Iterable[KnownTrait | None]) -> str:
    """Return in a clause why a number of the judge can have no interval by betting; "" if it can.

    Only `judge.weighted_kappa` has a reason: a trait without a list of its answers. `known_traits`
    are the traits of the cells; None is a trait that is not known and has no list.
    """
    if name != f"{JUDGE}weighted_kappa":
        return ""
    for known_trait in known_traits:
        if known_trait is None or not known_trait.kind.vocabulary(known_trait.trait):
            return NO_LIST
    return ""


class _CornersOfQuestions:
    """The corners of units under a number of the judge; those of equal cells are computed once."""

    def __init__(
        self,
        name: str,
        positives: frozenset[str],
        units: Sequence[AskedUnit],
    ) -> None:
        """Count the judge's answers in a frame, and take the number `name` as a ratio over it.

        `units` is the whole frame, in which many may be the same object. Raises NeverExact for
        scores that nothing lists, and ValueError for a name that no number of the judge has.
        """
        self._by_cell: dict[tuple[int, AnswerCounts], tuple[Pair, ...]] = {}
        self._by_unit: dict[tuple[tuple[int, AnswerCounts], ...], tuple[Pair, ...]] = {}
        self._possible: dict[int, Sequence[str | None]] = {}
        self._judge_counts = Counter[str]()
        different = _each_once(units)
        times_by_id = Counter(id(asked_unit.unit) for asked_unit in units)
        for asked_unit in different:
            repeats = times_by_id[id(asked_unit.unit)]
            for cell in asked_unit.cells:
                for answer, count in cell.judge_answers:
                    self._judge_counts[answer] += count * repeats
        traits = (cell.known for asked_unit in different for cell in asked_unit.cells)
        impossible = never_judge_bets(name, traits)
        if impossible:
            raise NeverExact(impossible)
        self.ratio = self._ratio(name, positives, different)
        """The number as a ratio."""

    def _ratio(
        self,
        name: str,
        positives: frozenset[str],
        units: Iterable[AskedUnit],
    ) -> JudgeRatio:
        """Return a number of the judge, by its name, as a ratio over the frame.

        The name is that of agreement, sensitivity, specificity, precision, F1, kappa or weighted
        kappa, with or without "judge." before it. `positives` are the answers that rates count as
        positive. Kappas take how often the judge gave each answer in the frame, and weighted kappa
        the scores that any answer is. `units` are those of the frame, each once. Raises ValueError
        for any other name.
        """
        match name.removeprefix(JUDGE):
            case (
                "agreement" | "sensitivity" | "specificity" | "precision" | "f1" as rate
            ):
                return RateOfJudge(rate, positives)
            case "kappa":
                return KappaOfJudge(self._judge_counts)
            case "weighted_kappa":
                answers = set(self._judge_counts)
                for asked_unit in units:
                    for cell in asked_unit.cells:
                        answers.update(filter(None, self._possible_answers(cell.known)))
                scores: dict[str, float] = {}
                for answer in answers:
                    score = number_of(answer)
                    if score is not None:
                        scores[answer] = score
                return WeightedKappaOfJudge(self._judge_counts, scores)
        raise ValueError(
            f"{name} is no number of the judge with an interval by betting",
        )

    def of(self, cells: Sequence[AskedCell]) -> tuple[Pair, ...]:
        """Return the extreme pairs that a unit with these cells can add, whatever people answer.

        What people have ruled already does not count. There is at least one pair. A unit that
        nobody judged adds (0, 0) only. They are kept for units with equal cells.
        """
        key = tuple(
            (id(cell.known and cell.known.trait), cell.judge_answers) for cell in cells
        )
        corners = self._by_unit.get(key)
        if corners is None:
            parts = [self._of_cell(cell) for cell in cells]
            corners = parts[0] if len(parts) == 1 else corners_of_sum(parts)
            self._by_unit[key] = corners
        return corners

    def _of_cell(self, cell: AskedCell) -> tuple[Pair, ...]:
        """Return the extreme pairs that a cell can add to the ratio, whatever people answer.

        What people have ruled already does not count. The pairs are the corners of a convex hull,
        and at least one. A cell without answers of the judge adds (0, 0) only. They are kept for
        cells of the same trait with equal answers.
        """
        key = (id(cell.known and cell.known.trait), cell.judge_answers)
        corners = self._by_cell.get(key)
        if corners is None:
            may_leave_open = True
            if cell.known is not None:
                may_leave_open = cell.known.kind.may_leave_open(cell.known.trait)
            possible = self._possible_answers(cell.known)
            parts: list[Sequence[Pair]] = []
            for answer, count in cell.judge_answers:
                corners_of_answer = self.ratio.corners(
                    answer,
                    possible,
                    may_leave_open=may_leave_open,
                )
                parts.append(times(corners_of_answer, count))
            corners = corners_of_sum(parts)
            self._by_cell[key] = corners
        return corners

    def _possible_answers(self, known_trait: KnownTrait | None) -> Sequence[str | None]:
        """Return the answers that people may give to a question of a trait; `UNLISTED` is None.

        They are those that the trait lists, without those that stand for no answer or cannot be
        compared. For a trait without a list they are all that the judge gives anywhere in the
        frame, and `UNLISTED` for any other. The result is kept for each trait.
        """
        key = id(known_trait and known_trait.trait)
        kept = self._possible.get(key)
        if kept is not None:
            return kept
        possible: list[str | None] = []
        if known_trait is not None:
            kind = known_trait.kind
            no_answer = kind.unanswered | kind.untold(known_trait.trait)
            vocabulary = kind.vocabulary(known_trait.trait)
            possible += [word for word in vocabulary if word not in no_answer]
        if not possible:
            possible += [*self._judge_counts, UNLISTED]
        self._possible[key] = possible
        return possible


def _each_once(units: Iterable[AskedUnit]) -> list[AskedUnit]:
    """Return the units, of which many may be the same object, each object once."""
    return list({id(asked_unit.unit): asked_unit for asked_unit in units}.values())


def _parts_of_answers(ratio: JudgeRatio, answers: Mapping[Answers, int]) -> Pair:
    """Return what the answers of a unit add to a ratio: numerator, denominator; (0, 0) for none."""
    above = 0.0
    below = 0.0
    for (judge, person), count in answers.items():
        part = ratio.parts(judge, person)
        above += count * part.a
        below += count * part.b
    return Pair(above, below)
