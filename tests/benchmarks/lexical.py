"""How good and how fast the offline judge is: the floor that a real judge must beat.

Good: held against the labels in labelled.*.toml, against physicians' and experts' verdicts (K-QA, ExpertQA), and
against answers that physicians call ideal (HealthBench). Fast: the baseline is one fuzzy comparison of every
instruction with its response.

Run: python tests/benchmarks/lexical.py [--data ../shared/data], a folder that holds the last three sets.
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

from agreement import LISTS, MET, agreement, compared, labelled, met, rates
from agreement_real import physicians
from figures import medians
from rapidfuzz import fuzz

from appellate import MetricRubricTrait, load_rubric, load_traces
from appellate.cli import main as main_of
from appellate.judges.offline import Lexical
from appellate.judges.proposal import Question
from appellate.store.audits.open_audit import AuditFiles, create
from appellate.store.workspace import Workspace
from appellate.traits.metric.lexical import propose

DATA = Path(__file__).resolve().parents[3] / "shared/data"


def opened(data: Path, folder: str) -> Workspace:
    """A new workspace with nothing judged."""
    rubric, place = (
        load_rubric(data / "rubric.toml"),
        AuditFiles.of(Path(folder) / "x.audit.toml"),
    )
    return create(
        place,
        rubric,
        load_traces(data / "traces.jsonl", rubric),
        "0",
    ).workspace


def judging(workspace: Workspace) -> Callable[[], None]:
    """Every cell put to the judge, nothing kept."""
    cells = [workspace.cell(number + 1) for number in range(workspace.cells.count())]

    async def all_of_them() -> None:
        judge = Lexical()
        for trace, cell in cells:
            await judge.judge(Question(cell.subject, trace))
        await judge.close()

    return lambda: asyncio.run(all_of_them())


def keeping(data: Path) -> None:
    """Every cell judged, kept and written, as `appellate judge` does it, opening included."""
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(StringIO()):
        files = [str(data / "rubric.toml"), str(data / "traces.jsonl")]
        assert (
            main_of(
                ["judge", *files, "-o", f"{folder}/x.audit.toml", "--judge", "lexical"],
            )
            == 0
        )


def comparing(workspace: Workspace) -> Callable[[], None]:
    pairs = []
    for number in range(workspace.cells.count()):
        trace, cell = workspace.cell(number + 1)
        trait = cell.subject.trait
        pairs += [
            (told, trace.response)
            for told in (*trait.tp_instructions, *trait.tn_instructions)
        ]
    print(f"{workspace.cells.count()} cells, {len(pairs)} instructions")
    return lambda: (
        [fuzz.partial_ratio(told, response) for told, response in pairs] and None
    )


def own(_: Path) -> Iterator[tuple[bool, bool]]:
    """What a reader labelled by hand."""
    for trait, trace, labels in labelled():
        yield from compared(trait, propose(trait, trace.response), labels)


def kqa(data: Path) -> Iterator[tuple[bool, bool]]:
    """Claims that an answer states, as most of three physicians say."""
    for item in physicians(data.parents[1]):
        yield item.judge == "stated", item.people.count("stated") > 1


def supported(data: Path) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    """A sentence of an answer of ExpertQA, the passages behind it, and how an expert calls its support."""
    for line in (data / "traces.jsonl").read_text("utf-8").splitlines():
        trace = json.loads(line)
        sentences = dict(trace["response_sentences"])
        for row in trace["human_sentence_support"]:
            claim = re.sub(r"\[\d+\]", "", sentences[row["response_sentence_key"]])
            yield claim, trace["documents"], row


def expertqa(data: Path) -> Iterator[tuple[bool, bool]]:
    """Sentences of an answer that its passages support completely, as an expert says."""
    for claim, passages, row in supported(data):
        if row["support"] in ("Complete", "Incomplete", "Missing"):
            trait = MetricRubricTrait(
                name="Support",
                metrics=["recall"],
                tp_instructions=[claim],
            )
            found = propose(trait, "\n\n".join(passages))
            yield bool(met(found, "tp")), row["support"] == "Complete"


def tell_agreement(data: Path) -> None:
    columns = "instructions | met by both | judge alone | reader alone | neither"
    print("| set |", columns, "| sensitivity | precision | kappa | AC1 |")
    for read in (own, kqa, expertqa):
        folder = data / read.__name__
        if read is not own and not folder.is_dir():
            print(f"| {read.__name__}: not measured, there is no {folder} |")
            continue
        found = agreement(read(folder))
        counts = [found.counts[pair] for pair in product(MET, MET)]
        print(f"| {read.__name__}", rates(found, str(found.n), *map(str, counts)))


def tell_found(data: Path) -> None:
    """An ideal answer should meet most positive criteria and hardly a negative one; nobody labelled which."""
    rubric, said, asked = (
        load_rubric(data / "rubric.toml"),
        dict.fromkeys(LISTS.values(), 0),
        {"tp": 0, "tn": 0},
    )
    for trace in load_traces(data / "traces.jsonl", rubric):
        for _, trait in rubric.traits_of(trace).values():
            table = propose(trait, trace.response)
            for of in said:
                said[of] += len(met(table, of))
                asked[of] += len(trait.instructions(of))
    for of, told in (("tp", "positive"), ("tn", "negative")):
        print(
            f"{data.name}: {said[of]} of {asked[of]} {told} criteria found ({said[of] / asked[of]:.1%})",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    folder = parser.parse_args().data
    tell_agreement(folder)
    data = folder / "healthbench"
    if not data.is_dir():
        print(f"healthbench: neither found nor timed, there is no {data}")
        return
    tell_found(data)
    with tempfile.TemporaryDirectory() as folder, opened(data, folder) as workspace:
        works = {
            "rapidfuzz partial_ratio alone (baseline)": comparing(workspace),
            "lexical": judging(workspace),
            "lexical, opened, kept and written": lambda: keeping(data),
        }
        times = medians(works)
        cells = workspace.cells.count()
    least = next(iter(times.values()))
    for name, taken in times.items():
        rate = f"{cells / taken:8.0f} cells/s {taken / cells * 1000:8.2f} ms/cell"
        print(f"{name:44} {rate} {taken / least:6.2f} × baseline")


if __name__ == "__main__":
    main()
