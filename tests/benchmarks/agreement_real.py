"""Agreement on real labels of judges and people, with intervals by trace, and what the libraries say.

A model's grades of 30 questions asked three times (`graded_qa_30x3`, with `gold_human.json`), and
word overlap against ExpertQA's experts, sentence by sentence. `python … [FOLDER]` of shared data.
"""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from agreement import met
from agreement_oracles import theirs
from grounding import by_expert, by_word_overlap, full

from appellate import load_rubric, load_traces
from appellate.core.agreement import FULL_NAMES, Agreement, Answers, PairCounts, Rates
from appellate.stats.agreement_tables import krippendorff_alpha
from appellate.stats.alt_test import JudgedItem, alt_test
from appellate.stats.clustered import bounds, clustered
from appellate.traits.metric.lexical import propose

SHARED = Path(__file__).resolve().parents[3] / "shared"
SAME = {
    "observed": "observed",
    "kappa": "kappa",
    "ac1": "ac1",
    "alpha": "alpha",
    "macro_f1": "macro f1",
    "sensitivity": "sensitivity",
    "precision": "precision",
    "specificity": "specificity",
    "prevalence": "prevalence",
}
"""What a figure is called in `agreement_oracles`."""
Rows = list[tuple[str, Answers]]
"""What each pair belongs to, the judge's answer and the person's."""


def graded(shared: Path) -> Rows:
    """The grader's letters and the person's; a reply without a grade is no answer."""
    with gzip.open(shared / "oracle/inspect.json.gz") as stream:
        logs = json.load(stream)["logs"]
    (log,) = (one for one in logs if one["id"] == "graded_qa_30x3.eval")
    text = (shared / "data/inspect/gold_human.json").read_text(encoding="utf-8")
    gold = {(one["id"], one["epoch"]): one["human"] for one in json.loads(text)}
    found: Rows = []
    for row in log["rows"]:
        grade = row["scores"].get("model_graded_qa", "__nan__")
        if grade != "__nan__":
            found.append((row["id"], (grade, gold[row["id"], row["epoch"]])))
    return found


def expert(shared: Path) -> Rows:
    """Whether word overlap and an expert call a sentence of a response supported in full."""
    found: Rows = []
    for trace, labels in by_word_overlap(
        load_traces(shared / "data/expertqa/traces.jsonl"),
    ):
        verdicts = by_expert(trace)
        for one in labels.support:
            if one.key in verdicts:
                both = (full(one.verdict), full(verdicts[one.key]))
                found.append((trace.id, both))
    return found


def agreed(rows: Rows, positive: str) -> Agreement:
    counts = PairCounts()
    for cluster, pair in rows:
        counts.add(cluster, pair)
    return counts.agreement(frozenset({positive}), (positive,))


def by_libraries(rows: Rows, found: Agreement) -> dict[str, float]:
    """What those that are installed say of the same pairs: words as numbers, the positive first."""
    number = {word: str(place) for place, word in enumerate(found.words, 1)}
    both = [[number[judge], number[person]] for _, (judge, person) in rows]
    return theirs({"words": list(number.values()), "rows": both})


def told(rows: Rows, found: Agreement) -> Iterator[str]:
    said = by_libraries(rows, found)
    yield f"{found.n} answers of {found.traces} clusters, {found.agreed} alike"
    for name in (*FULL_NAMES, *Rates._fields):
        known = found.known(name)
        if known.value is None:
            continue
        line = f"  {name:14} {known.value:.3f}"
        if known.bounds:
            line += f"  {known.bounds.low:.3f} to {known.bounds.high:.3f}"
        if SAME.get(name) in said:
            line += f"  libraries {abs(said[SAME[name]] - known.value):.0e} apart"
        yield line


def physicians(shared: Path) -> list[JudgedItem]:
    """Whether an answer states a claim (K-QA), by the offline judge and by three physicians."""
    data = shared / "data/kqa"
    gold = json.loads((data / "gold_physicians.json").read_text("utf-8"))
    known = {(row["trace"], row["instruction"]): row["labels"] for row in gold}
    rubric, found = load_rubric(data / "rubric.toml"), []
    for trace in load_traces(data / "traces.jsonl", rubric):
        for _, trait in rubric.traits_of(trace).values():
            said = met(propose(trait, trace.response), "tp")
            for number in range(1, len(trait.tp_instructions) + 1):
                labels = known.get((trace.id, number), ())
                if len(labels) == 3:
                    people = tuple(_stated(label == "Entailment") for label in labels)
                    found.append(JudgedItem(_stated(number in said), people, trace.id))
    return found


def _stated(is_stated: bool) -> str:
    return "stated" if is_stated else "not stated"


def main() -> None:
    shared = Path(sys.argv[1]) if sys.argv[1:] else SHARED
    for name, rows, positive in (
        ("graded_qa_30x3", graded(shared), "C"),
        ("expertqa", expert(shared), "full"),
    ):
        print(name)
        for line in told(rows, agreed(rows, positive)):
            print(line)
    items = physicians(shared)
    by_trace: dict[str, Counter[tuple[str, ...]]] = {}
    for item in items:
        by_trace.setdefault(item.cluster, Counter())[item.people] += 1
    alpha = bounds(krippendorff_alpha, clustered(by_trace.values()))
    print(
        f"kqa: {len(items)} claims, alpha of the physicians {alpha.low:.3f} to {alpha.high:.3f}",
    )
    found = alt_test(items)
    print(f"  alternative annotator test: {found}")


if __name__ == "__main__":
    main()
