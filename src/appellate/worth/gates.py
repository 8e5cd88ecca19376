"""Whether a judge reaches a bar, from a sample as far as it is audited; and planning the looks at
it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from appellate.core.design_facts import Looked, LooksPlanned
from appellate.core.kind import Measure
from appellate.core.problem import Refused
from appellate.stats.estimates import Interval
from appellate.stats.looks import LEVEL, TrustBar
from appellate.store.workspace import Workspace
from appellate.workbench import Workbench
from appellate.worth.audited_sample import AuditedSample
from appellate.worth.bar_numbers import number_of
from appellate.worth.bar_plans import BarStanding, drawn_before, plan_for, standing
from appellate.worth.sample_in_workspace import first_verdict
from appellate.worth.worths import EstimatedTrait, Worth, estimated_traits, worth

NO_SAMPLE = (
    "Nothing was drawn at random yet, and an interval needs that: `appellate sample AUDIT -n 60`"
    " draws 60."
)


@dataclass(frozen=True, slots=True)
class Gate:
    """A bar, how far it is decided, and the number as it is now with the interval of a look.

    `more` audits would about decide, were the number to stay as it is; None where that cannot be
    told. `planned` looks were planned before the first verdict.
    """

    trait: EstimatedTrait
    measure: Measure
    standing: BarStanding
    now: Worth
    more: int | None

    @property
    def bar(self) -> TrustBar:
        return self.standing.plan.bar

    @property
    def planned(self) -> bool:
        return self.standing.plan.of is not None


def gate(at: AuditedSample, bar: TrustBar) -> Gate:
    """How far a bar is decided; raises Refused for one that the audit has no number for."""
    trait, measure = number_of(at.traits, bar)
    limit, size = drawn_before(at.facts, at.verdict), 0
    for unit in at.units:
        if unit.place is not None and unit.place < limit:
            size += any(name in unit.cells for name in trait.names)
    plan = plan_for(bar, at.facts, size)
    now = worth(at.units, trait, measure, coverage=plan.coverage)

    def estimated(n: int, coverage: float) -> Interval | None:
        found = worth(at.units, trait, measure, first=n, coverage=coverage).estimate
        if found is None:
            return None
        return found.interval

    decided = standing(plan, at.facts, now.part.n, estimated)
    more = None
    if now.estimate is not None and now.estimate.value != bar.value:
        more = now.estimate.needed(abs(now.estimate.value - bar.value))
    return Gate(trait, measure, decided, now, more)


def planned(workspace: Workspace, bar: TrustBar, looks: Sequence[int]) -> LooksPlanned:
    """The fact that plans looks at a bar; raises Refused where it is too late, or none of them can
    be.
    """
    sample = workspace.design.sample()
    if sample is None:
        raise Refused(NO_SAMPLE)
    if first_verdict(workspace.db) is not None:
        raise Refused(
            f"It is too late to plan looks: something is {sample.done_word} already, and whoever"
            " has seen a number may choose looks that suit it. The complete sample is one look,"
            " whatever the bar."
        )
    number_of(estimated_traits(workspace.rubric.every_trait()), bar)
    return LooksPlanned(bar.trait, bar.condition, list(looks), LEVEL)


def keep_looks(bench: Workbench, gates: Iterable[Gate]) -> int:
    """Keeps the looks that were taken and that no fact tells of; how many. None where this process
    only reads.
    """
    if bench.readonly:
        return 0
    kept: set[tuple[int, int]] = set()
    for fact in bench.workspace.design.facts():
        if isinstance(fact.what, Looked):
            kept.add((fact.what.of, fact.what.look))
    count = 0
    for one in gates:
        for look in one.standing.new:
            if (look.of, look.look) not in kept:
                bench.record(look)
                count += 1
    return count
