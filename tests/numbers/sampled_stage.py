"""An audit with a sample, as far as it is audited: traits of yes and no and of a score, a judge that is wrong here and
there, looks and a probe.
"""

from random import Random

from appellate.core.cell import fold
from appellate.core.deciding import Correct, Rule, SignOff, decide
from appellate.core.design_facts import DesignFact, LooksPlanned, Probed, Sampled
from appellate.core.facts import Drawn, Fact, Proposed
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.stats.designs import FrameUnit, draw, fingerprint, written
from appellate.store.audits.audit import Audit, AuditedCell
from appellate.traits.llm import KIND
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric

WARNS = LLMRubricTrait(name="Warns", description="Does it warn?", kind="boolean")
CLEAR = LLMRubricTrait(
    name="Clear",
    description="Is it clear?",
    kind="score",
    min_score=1,
    max_score=5,
)
RECORD = {
    "name": "gpt",
    "model": "gpt-9",
    "template_sha256": "7e3a" * 16,
    "prompt_sha256": "a1b2" * 16,
    "parameters": {"temperature": 0.0},
}
AT = "2026-11-22T12:00:00Z"
SEED = 7


def sampled(
    traces: int = 80,
    drawn: int = 40,
    audited: int = 32,
    *,
    blind: bool = True,
    looks: bool = True,
    right: float = 0.9,
) -> Audit:
    """Of so many traces so many drawn, and the first of these ruled on by ada; two models in turn."""
    chance = Random(7)
    names = [f"t{number}" for number in range(traces)]
    order = [
        unit.name for unit in draw(list(map(FrameUnit, names)), SEED, [drawn], [0])
    ]
    rubric = Rubric(name="Leaflets", llm_traits=[WARNS, CLEAR])
    made = [
        Trace(id=name, response="Take it.", model="ab"[place % 2])
        for place, name in enumerate(names)
    ]
    cells = [
        AuditedCell(
            trace,
            fold(
                Subject(KIND, trait, trace),
                _facts(chance, trait, trace, order, audited, blind, right),
            ),
        )
        for trace in made
        for trait in (WARNS, CLEAR)
    ]
    design = list(_design(order, traces, blind, looks))
    return Audit(rubric, made, cells, AT, "0.1.0", ["ada"], design=design)


def _facts(chance, trait, trace, order, audited, blind, right):
    true = chance.random() < 0.7 if trait is WARNS else chance.randint(2, 5)
    judge = true
    if chance.random() > right:
        judge = not true if trait is WARNS else 5
    subject = Subject(KIND, trait, trace)
    labels = KIND.locate(
        trait,
        trace,
        {"value": judge, "evidence": [], "rationale": ""},
    )
    facts = [Fact(1, AT, "gpt", Proposed(labels, RECORD))]
    if trace.id not in order:
        return facts
    facts.append(Fact(2, AT, "ada", Drawn(blind)))
    if order.index(trace.id) >= audited:
        return facts
    if blind or true != judge:
        what = decide(
            fold(subject, facts),
            Correct(Edit("set", true), "" if blind else "It says so"),
        )
        facts.append(Fact(3, AT, "ada", what))
    end = Rule("", 20.0) if blind else SignOff("", 20.0)
    facts.append(Fact(4, AT, "ada", decide(fold(subject, facts), end)))
    return facts


def _design(order, traces, blind, looks):
    strata = [{"name": "all", "units": traces, "drawn": len(order)}]
    units = [{"traces": [[name, 1]], "stratum": "all"} for name in order]
    frame = written([0] * traces)
    sha256 = fingerprint(FrameUnit(f"t{number}") for number in range(traces))
    sample = Sampled("simple", (), SEED, blind, traces, sha256, frame, strata, units)
    yield DesignFact(1, AT, "ada", sample)
    if looks:
        yield DesignFact(
            2,
            AT,
            "ada",
            LooksPlanned("Warns", "yes>=.6", [20, 30, 40], 0.05),
        )
    outcome = {
        "expected": "stay",
        "answers": 24,
        "turned": 3,
        "share": 0.125,
        "low": 0.04,
        "high": 0.3,
    }
    yield DesignFact(3, AT, "ada", Probed("order", RECORD, 24, outcome))
