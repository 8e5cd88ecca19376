"""The share of prompts that a prefix cache has: with the response before the trait, and behind it.

Run: python tests/benchmarks/prompts.py [RUBRIC TRACES]...; without any, the pairs of sample_rubrics.
Counted in blocks of 72 bytes, about 16 tokens (no tokenizer is asked): a block is shared where it
and all before it stood in the prompt of an earlier cell.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from appellate.core.kind import Briefing
from appellate.judging.choice import JudgeChoice
from appellate.judging.estimate import shared_share
from appellate.judging.questions import PendingCells
from appellate.store.audits.open_audit import AuditFiles, create
from appellate.store.files.rubric_file import load_rubric
from appellate.store.files.trace_file import load_traces
from appellate.talk.dialogue import Prompt, Unreadable

SAMPLES = Path(__file__).parents[2] / "sample_rubrics"
ORDERS = {"order": "$examples\n\n$material\n\n$trait\n\n$reminder"}, {}


def prompts(rubric_file: Path, traces: Path, parts: dict[str, str]) -> Iterator[Prompt]:
    """The first prompt of every cell that a model is asked about."""
    rubric = load_rubric(rubric_file)
    with tempfile.TemporaryDirectory() as folder:
        place = AuditFiles.of(Path(folder) / "x.audit.toml")
        with create(place, rubric, load_traces(traces, rubric), "0").workspace as workspace:
            for question in PendingCells(workspace, JudgeChoice("", None)).questions():
                try:
                    yield next(question.subject.dialogue(question.trace, Briefing(parts)))
                except Unreadable:
                    continue


def main(paths: list[str]) -> None:
    rubrics, traces = list(map(Path, paths[::2])), list(map(Path, paths[1::2]))
    if not paths:
        rubrics = sorted(SAMPLES.glob("*.rubric.toml"))
        traces = sorted(SAMPLES.glob("*.traces.toml"))
    print(f"{'':32} {'cells':>6} {'response first':>15} {'trait first':>12}")
    for rubric, file in zip(rubrics, traces, strict=True):
        made = [list(prompts(rubric, file, parts)) for parts in ORDERS]
        name = f"{rubric.parent.name}/{rubric.name}".removeprefix("sample_rubrics/")
        before, after = map(shared_share, made)
        print(f"{name:32} {len(made[1]):6} {before:15.0%} {after:12.0%}")


if __name__ == "__main__":
    main(sys.argv[1:])
