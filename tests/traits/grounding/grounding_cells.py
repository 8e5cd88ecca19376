"""The answer about SGLT2 inhibitors of the samples, as its judge labelled it, and one that nobody judged."""

from appellate import installed
from appellate.core.facts import Proposed
from appellate.store.files.rubric_file import load_rubric
from appellate.store.files.trace_file import read_traces
from appellate.traits.grounding import KIND

FOLDER = installed.shipped("sample_rubrics")
CLAIMS = {
    "a": "full",
    "b": "full",
    "c": "none",
    "d": "full",
    "e": "full",
    "f": "partial",
    "g": "full",
}


def sample():
    """The sample as a scene: cell 1 with every sort of verdict, 2 with one left out, 3 not judged, 4 in order."""
    rubric = load_rubric(FOLDER / "retrieved-abstracts.rubric.toml")
    traces = read_traces(FOLDER / "retrieved-abstracts.traces.toml", rubric).usable()
    happened = []
    for trace in traces:
        events = []
        for _, trait in rubric.traits_of(trace).values():
            if trait.name in trace.judgments:
                table = KIND.locate(trait, trace, trace.judgments[trait.name])
                events.append(Proposed(table, {"name": "gpt"}))
        happened.append(events)
    return rubric, traces, happened


def verdicts(cell):
    return {support.key: support.verdict for support in cell.labels.support}
