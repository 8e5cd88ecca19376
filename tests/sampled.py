"""Audits with a sample: a judge over many traces, some drawn at random, some of these ruled on."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from appellate.core.deciding import Correct
from appellate.core.design_facts import LooksPlanned, Sampled
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.numbers.samples import SampleNumbers, sample_in, sample_numbers
from appellate.session.workbench import Workbench
from appellate.stats import designs
from appellate.stats.designs import FrameUnit
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.workspace import Workspace
from appellate.traits.llm import KIND as LLM
from appellate.traits.llm.edits import Edit as Verdict
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric import KIND as METRIC
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.rubric import Rubric
from cells import bench

FACTS = MetricRubricTrait(
    name="Facts",
    metrics=["precision", "f1"],
    tp_instructions=["Names it", "Doses it"],
)
POLITE = LLMRubricTrait(name="Polite", kind="boolean", description="Is it polite?")
RUBRIC = Rubric(name="Leaflets", metric_traits=[FACTS], llm_traits=[POLITE])
RESPONSE = "Names it. Doses it."
MODELS = ("gpt", "llama")


def sampled_in(audit: AnyAudit, by: str = "model") -> SampleNumbers | None:
    """The numbers of an audit's sample, by groups of traces; None without a sample."""
    at = sample_in(audit, by)
    return None if at is None else sample_numbers(at)


def traces(count: int) -> list[Trace]:
    return [
        Trace(id=f"t{place}", response=RESPONSE, model=MODELS[place % 2])
        for place in range(count)
    ]


def is_there(place: int) -> bool:
    """Whether people find the second instruction in a trace; they call it polite then, too."""
    return place % 5 != 0


def is_judged_there(place: int) -> bool:
    """Whether the judge does: it says so of a few more."""
    return is_there(place) or place % 3 == 0


def judged(place: int) -> Iterator[Proposed]:
    """What the judge says of a trace, under each trait."""
    there = is_judged_there(place)
    found, missing = (
        FACTS.tp_instructions[: 1 + there],
        FACTS.tp_instructions[1 + there :],
    )
    items = [
        {"bucket": "tp", "index": at, "instruction": at + 1} for at in range(len(found))
    ]
    items += [{"bucket": "fn", "index": 0, "instruction": 2}] if missing else []
    table = {"tp": found, "fn": missing, "fp": [], "tn": [], "items": items}
    trace = Trace(id="any", response=RESPONSE)
    yield Proposed(METRIC.locate(FACTS, trace, table), {"name": "gpt-5"})
    table = {"value": there, "evidence": [], "rationale": ""}
    yield Proposed(LLM.locate(POLITE, trace, table), {"name": "gpt-5"})


@contextmanager
def sampled(
    folder: Path,
    count: int = 60,
    drawn: int = 40,
    ruled: int = 0,
    *,
    blind: bool = True,
    bars: Sequence[tuple[str, list[int]]] = (),
) -> Iterator[Workbench]:
    """A reviewer before an audit of so many traces, some drawn, the first of these ruled on."""
    with bench(folder, *traces(count), of=RUBRIC) as at:
        at.receive_many(
            (number_of(at.workspace, place, name), said)
            for place in range(count)
            for name, said in zip(("Facts", "Polite"), judged(place), strict=True)
        )
        draw(at, count, drawn, blind=blind)
        for bar, looks in bars:
            at.record(LooksPlanned("", bar, looks, 0.05))
        rule(at, ruled)
        yield at


def draw(
    at: Workbench,
    count: int,
    drawn: int,
    *,
    blind: bool = True,
    before: int = 0,
) -> None:
    units = [FrameUnit(f"t{place}") for place in range(count)]
    order = designs.draw(units, 1, [drawn], [before])
    strata = [{"name": "all", "units": count, "drawn": drawn}]
    rows = [{"traces": [[unit.name, 1]], "stratum": "all"} for unit in order]
    written = designs.written([0] * count)
    fingerprint = designs.fingerprint(units)
    at.draw(Sampled("simple", [], 1, blind, count, fingerprint, written, strata, rows))


def by_chance(count: int, drawn: int) -> Sampled:
    """A draw of an earlier version (`--active`): of so many traces, with larger chances for every second."""
    names = ["disagreement 2/10", "disagreement 10/10"]
    units = [FrameUnit(f"t{place}", place % 2) for place in range(count)]
    sizes = [count - count // 2, count // 2]
    found, chances = designs.drawn_by_chance(
        units,
        1,
        designs.shares(names, sizes),
        drawn,
    )
    strata = []
    for stratum, name in enumerate(names):
        own = sum(unit.stratum == stratum for unit in found)
        chance = chances[stratum]
        strata.append(
            {"name": name, "units": sizes[stratum], "drawn": own, "chance": chance},
        )
    rows = [
        {"traces": [[unit.name, 1]], "stratum": names[unit.stratum]} for unit in found
    ]
    frame = (
        count,
        designs.fingerprint(units),
        designs.written([one.stratum for one in units]),
    )
    return Sampled("active", [], 1, True, *frame, strata, rows)


def number_of(workspace: Workspace, place: int, trait: str) -> int:
    return workspace.cells.of_trace(place + 1)[trait]


def order_of(at: Workbench) -> list[int]:
    """The places of the traces drawn, in the order of the draw."""
    return [trace - 1 for trace in at.workspace.design.drawn()]


def rule(at: Workbench, until: int, since: int = 0) -> None:
    """Rules on the units of the draw as people see them; in sight of the judge signs off what it says."""
    for place in order_of(at)[since:until]:
        rule_on(at, place)


def rule_on(at: Workbench, place: int) -> None:
    for trait in ("Facts", "Polite"):
        number = number_of(at.workspace, place, trait)
        _, cell = at.open_unhidden(number)
        if cell.hidden:
            for edit in verdict(trait, place):
                at.do(number, Correct(edit))
        at.sign_off(number, 5.0)


def verdict(trait: str, place: int) -> list[Edit | Verdict]:
    if trait == "Polite":
        return [Verdict("set", is_there(place))]
    found: list[Edit | Verdict] = []
    for number, text in enumerate(FACTS.tp_instructions, 1):
        row = {"action": "add", "bucket": "fn", "instruction": number, "of": "tp"}
        if number == 1 or is_there(place):
            start = RESPONSE.index(text)
            row |= {
                "bucket": "tp",
                "start": start,
                "end": start + len(text),
                "text": text,
            }
        found.append(Edit.from_row(row))
    return found
