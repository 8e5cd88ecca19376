"""How often the words offered as evidence are the right ones, and how long looking for them takes.

Right: they share more than half of their length with what a reader quoted (labelled.*.toml; each answer by itself,
then all ten as one long text), or stand in the passage that an expert says supports a sentence completely (ExpertQA,
sentences with several passages of which some do not).

Run: python tests/benchmarks/evidence.py [--data ../shared/data], a folder that holds ExpertQA.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from agreement import labelled
from lexical import DATA, supported

from appellate.traits.evidence import Span
from appellate.traits.metric import likely_evidence
from appellate.traits.metric.labels import EXCERPTS, from_table, located
from appellate.traits.metric.likely_evidence import likely_sentences


def quoted() -> Iterator[tuple[str, str, list[Span]]]:
    """A trace's id, an instruction, and what a reader quoted for it."""
    for trait, trace, table in labelled():
        labels = from_table(trait, trace, located(trait, trace, table))
        spans: dict[str, list[Span]] = {}
        for item in (one for bucket in EXCERPTS for one in labels.bucket(bucket)):
            if item.link and item.span:
                words = trait.instructions(item.link[0])[item.link[1] - 1]
                spans.setdefault(words, []).append(item.span)
        for words, places in spans.items():
            yield trace.id, words, places


def by_itself() -> Iterator[int]:
    texts = {trace.id: trace.response for _, trace, _ in labelled()}
    for name, words, places in quoted():
        yield rank(likely_sentences(texts[name], words), places)


def as_one_text() -> Iterator[int]:
    text, begins = "", {}
    for _, trace, _ in labelled():
        begins[trace.id] = len(text)
        text += trace.response + "\n\n"
    everywhere: dict[str, list[Span]] = {}
    for name, words, places in quoted():
        moved = [(begins[name] + start, begins[name] + end) for start, end in places]
        everywhere.setdefault(words, []).extend(moved)
    for words, places in everywhere.items():
        yield rank(likely_sentences(text, words), places)


def expertqa(data: Path) -> Iterator[int]:
    for claim, passages, row in supported(data):
        whole, places = "", []
        for passage in passages:
            places.append((len(whole), len(whole) + len(passage)))
            whole += passage + "\n\n"
        right = [
            places[number] for number in set(row["documents"]) if number < len(places)
        ]
        if row["support"] == "Complete" and 0 < len(right) < len(places):
            yield rank(likely_sentences(whole, claim), right)


def traces(data: Path) -> list[dict]:
    return [*map(json.loads, (data / "traces.jsonl").read_text("utf-8").splitlines())]


def rank(offered: list[Span], right: list[Span]) -> int:
    """Which of the offers is right, from 1; 0 for none."""
    for number, (start, end) in enumerate(offered, 1):
        for low, high in right:
            if min(end, high) - max(start, low) > min(end - start, high - low) / 2:
                return number
    return 0


def tell(name: str, ranks: Iterable[int]) -> None:
    found = [*ranks]
    first, three = sum(one == 1 for one in found), sum(0 < one < 4 for one in found)
    print(
        f"{name:24} {len(found):4} first {first / len(found):.2f} of three {three / len(found):.2f}",
    )


def tell_time(data: Path) -> None:
    whole = "\n\n".join(trace["response"] for trace in traces(data))
    claims = [
        words for trace in traces(data) for _, words in trace["response_sentences"]
    ][:60]
    for size in (30_000, 200_000):
        text, taken = (whole * 9)[:size], []
        for claim in claims:
            likely_evidence._sentences.cache_clear()
            begun = perf_counter()
            likely_sentences(text, claim)
            taken.append((perf_counter() - begun) * 1000)
        print(f"{size} characters: {median(taken):.1f} ms, at most {max(taken):.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    data = parser.parse_args().data / "expertqa"
    tell("labelled, by itself", by_itself())
    tell("labelled, as one text", as_one_text())
    if data.is_dir():
        tell("ExpertQA, the passage", expertqa(data))
        tell_time(data)


if __name__ == "__main__":
    main()
