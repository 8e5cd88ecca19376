"""How often a judge's labels of support agree with experts' verdicts: ExpertQA, 49 answers, sentence by sentence.

Run: python tests/benchmarks/grounding.py [--data ../shared/data/expertqa] [AUDIT]
Without an audit it is word overlap; with one, the judge's own labels in it (not the person's).

Experts called a sentence's support complete, partial, incomplete or missing, or gave no verdict, which is left
out. Only "complete" is full support. Adherence is compared answer by answer.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from appellate import Trace, load_audit, load_traces
from appellate.core.agreement import Agreement
from appellate.traits.grounding import KIND
from appellate.traits.grounding.labels import Labels
from appellate.traits.grounding.lexical import propose
from appellate.traits.grounding.spec import GroundingRubricTrait

DATA = Path(__file__).resolve().parents[3] / "shared/data/expertqa"
TRAIT = GroundingRubricTrait(name="Grounded")
EXPERTS = {
    "Complete": "full",
    "Partial": "partial",
    "Incomplete": "partial",
    "Missing": "none",
}


class AgreementWithExperts(NamedTuple):
    """Judge and expert on sentences (full or not), in three steps, and on whole answers (adherent or not)."""

    sentences: Agreement
    steps: Agreement
    answers: Agreement


def by_word_overlap(traces: Iterable[Trace]) -> Iterator[tuple[Trace, Labels]]:
    for trace in traces:
        yield trace, KIND.labels(TRAIT, trace, propose(trace))


def judged_in(audit: Path) -> Iterator[tuple[Trace, Labels]]:
    for one in load_audit(audit).cells:
        if one.cell.subject.kind is KIND and one.cell.judge:
            yield one.trace, one.cell.subject.labels(one.cell.judge.table)


def against_experts(cells: Iterable[tuple[Trace, Labels]]) -> AgreementWithExperts:
    """What judges say of sentences that experts gave a verdict on."""
    sentences, steps, answers = Counter(), Counter(), Counter()
    for trace, labels in cells:
        known = by_expert(trace)
        both = [
            (one.verdict, known[one.key]) for one in labels.support if one.key in known
        ]
        steps.update(both)
        sentences.update((full(judge), full(expert)) for judge, expert in both)
        if both:
            adherent = [
                all(said == "full" for said in side) for side in zip(*both, strict=True)
            ]
            answers[tuple(map(_word, adherent))] += 1
    right = frozenset({"full"})
    return AgreementWithExperts(
        Agreement(sentences, right, ("full", "not full")),
        Agreement(steps, right, ("full", "partial", "none", "unlabelled")),
        Agreement(answers, frozenset({"yes"}), ("yes", "no")),
    )


def by_expert(trace: Trace) -> dict[str, str]:
    """How an expert calls the support of each sentence that they gave a verdict on."""
    rows = trace.metadata["human_sentence_support"]
    known = [row for row in rows if row["support"] in EXPERTS]
    return {row["response_sentence_key"]: EXPERTS[row["support"]] for row in known}


def full(verdict: str) -> str:
    return "full" if verdict == "full" else "not full"


def _word(adherent: bool) -> str:
    return "yes" if adherent else "no"


def row(found: Agreement) -> str:
    """Compared, alike, sensitivity, precision, kappa, AC1."""
    rates = found.rates
    figures = (
        found.observed,
        rates.sensitivity,
        rates.precision,
        found.kappa,
        found.ac1,
    )
    return (
        f"| {found.n} | "
        + " | ".join("–" if one is None else f"{one:.2f}" for one in figures)
        + " |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("audit", nargs="?", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    if arguments.audit:
        cells = judged_in(arguments.audit)
    else:
        cells = by_word_overlap(load_traces(arguments.data / "traces.jsonl"))
    found = against_experts(cells)
    print("| of | n | alike | sensitivity | precision | kappa | AC1 |")
    for name, agreement in found._asdict().items():
        print(f"| {name} {row(agreement)}")
    counts = {
        f"{judge} / {expert}": count
        for (judge, expert), count in found.steps.counts.items()
    }
    print(json.dumps(counts, indent=2))


if __name__ == "__main__":
    main()
