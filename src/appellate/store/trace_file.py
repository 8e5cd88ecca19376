"""Reading traces: files or standard input in, Traces out, or everything that is wrong with them at once."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from appellate.core.problem import Problem, Unusable, quoted
from appellate.core.trace import Trace, TraceKey, name_of
from appellate.store import recorded_labels
from appellate.store.loaded import Loaded
from appellate.store.text import MIB, standard_input, stream_text, text_of, unusable
from appellate.store.trace_record import ALIASES, FIELDS, trace_of
from appellate.store.trace_source import SURROGATE, Record, records
from appellate.store.wording import closest, of_trace
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.rubric import Rubric

LARGEST = 1024 * MIB
LISTED = 10
STDIN = "standard input"


@dataclass(slots=True)
class Gathering:
    """What reading has come to so far, over all files."""

    rubric: Rubric | None
    traces: dict[TraceKey, Trace] = field(default_factory=dict)
    places: dict[TraceKey, tuple[str, Record]] = field(default_factory=dict)
    bad: list[Problem] = field(default_factory=list)  # of one trace: may be skipped
    broken: list[Problem] = field(default_factory=list)  # of a file
    notes: list[str] = field(default_factory=list)


def load_traces(
    path: str | Path, rubric: Rubric | None = None, *, stdin: BinaryIO | None = None, skip_bad: bool = False
) -> list[Trace]:
    """The traces in a file, or in JSON Lines from `-`; raises Unusable with every problem."""
    return read_traces(path, rubric, stdin=stdin, skip_bad=skip_bad).usable()


def read_traces(
    paths: str | Path | Sequence[str | Path],
    rubric: Rubric | None = None,
    *,
    stdin: BinaryIO | None = None,
    skip_bad: bool = False,
) -> Loaded[list[Trace]]:
    """The traces of one or several files; with `skip_bad` bad ones are left out and told in `skipped`."""
    gathering = Gathering(rubric)
    for path in [paths] if isinstance(paths, (str, Path)) else paths:
        try:
            _gather(path, stdin, gathering)
        except Unusable as refusal:
            gathering.broken += refusal.problems
    return _told(gathering, skip_bad)


def cells(rubric: Rubric, trace: Trace) -> list[MetricRubricTrait]:
    """The traits that the trace gets, global ones first."""
    return rubric.traits_for(rubric.question_of(trace))


def _gather(path: str | Path, stdin: BinaryIO | None, gathering: Gathering) -> None:
    if str(path) == "-":
        file, text = STDIN, stream_text(stdin or standard_input(), STDIN, LARGEST)
    else:
        file, text = str(path), text_of(path, LARGEST)
    suspect = SURROGATE.search(text) is not None
    strays: Counter[str] = Counter()
    silent: list[str] = []
    count = 0
    for record in records(text, file):
        count += 1
        if isinstance(record, Problem):
            gathering.bad.append(record)
            continue
        found = trace_of(record, file, suspect)
        if isinstance(found, list):
            gathering.bad += of_trace(record.value, found)
            continue
        trace, stray = found
        strays.update(stray)
        silent += [] if trace.response else [name_of(*trace.key)]
        _take(trace, record, file, gathering)
    if not count:
        raise unusable(file, "there is no trace in it", "it should hold at least one")
    gathering.notes += [*_stray_note(file, strays), *_silent_note(file, silent)]


def _take(trace: Trace, record: Record, file: str, gathering: Gathering) -> None:
    unfit = of_trace(record.value, _fit(trace, record, file, gathering))
    faults = [*_repeat(trace, record, file, gathering), *unfit]
    if faults:
        gathering.bad += faults
    else:
        gathering.traces[trace.key] = trace
    gathering.places.setdefault(trace.key, (file, record))


def _repeat(trace: Trace, record: Record, file: str, gathering: Gathering) -> Iterator[Problem]:
    if trace.key in gathering.places:
        other, first = gathering.places[trace.key]
        where = first.place() if other == file else f"{other}: {first.place()}"
        wrong = f"the id {quoted(trace.id)} with epoch {trace.epoch} stands already at {where}"
        yield Problem(file, record.place(("id",)), wrong, "give each trace its own id, or its own epoch")


def _fit(trace: Trace, record: Record, file: str, gathering: Gathering) -> Iterator[Problem]:
    """Whether the trace and its recorded labels belong to the rubric."""
    rubric = gathering.rubric
    if rubric and trace.question_id is not None and trace.question_id not in rubric.questions_by_id:
        few = len(gathering.bad) < LISTED  # a guess costs time, and one wrong file may hold 100,000
        meant = closest(trace.question_id, rubric.questions_by_id) if few else ""
        right = f"did you mean {quoted(meant)}?" if meant else ""
        wrong = f"the rubric has no question with the id {quoted(trace.question_id)}"
        yield Problem(file, record.place(("question_id",)), wrong, right)
    elif trace.judgments:
        yield from _labels_fit(trace, record, file, rubric)


def _labels_fit(trace: Trace, record: Record, file: str, rubric: Rubric | None) -> Iterator[Problem]:
    traits = {trait.name: trait for trait in cells(rubric, trace)} if rubric else {}
    for name, table in trace.judgments.items():
        if rubric and name not in traits:
            yield Problem(file, record.place(("judgments", name)), *_no_trait(name, traits, rubric))
            continue
        for path, wrong, right in recorded_labels.faults(table, trace.response, traits.get(name)):
            yield Problem(file, record.place(("judgments", name, *path)), wrong, right)


def _no_trait(name: str, traits: dict[str, MetricRubricTrait], rubric: Rubric) -> tuple[str, str]:
    if name in rubric.get_metric_trait_names():
        return f"the trait {quoted(name)} belongs to another question than this trace's", ""
    meant = closest(name, traits)
    right = f"did you mean {quoted(meant)}?" if meant else f"its traits are {_some(traits)}" if traits else ""
    return f"the rubric has no trait {quoted(name)} for this trace", right


def _told(gathering: Gathering, skip_bad: bool) -> Loaded[list[Trace]]:
    traces, broken, notes = list(gathering.traces.values()), gathering.broken, gathering.notes
    if not skip_bad:
        broken = broken + gathering.bad
    elif not traces and not broken:
        broken = gathering.bad
    if gathering.rubric and traces:
        bare = [trace for trace in traces if not cells(gathering.rubric, trace)]
        if len(bare) == len(traces) and not broken:
            file = gathering.places[traces[0].key][0]
            wrong = "no trace gets any trait: the rubric has no global trait, and no question matches"
            broken = [Problem(file, "", wrong, "give a question_id, or the question's exact text")]
        elif bare:
            notes = [*notes, _bare_note(bare)]
        notes = [*notes, *_recorded_note(gathering.rubric, traces)]
    return Loaded(traces, broken, notes, gathering.bad if skip_bad else [])


def _stray_note(file: str, strays: Counter[str]) -> Iterator[str]:
    if strays:
        told = ", ".join(f"{_stray(key)} ({count})" for key, count in strays.most_common(LISTED))
        more = len(strays) - LISTED
        yield f"{file}: other keys went to metadata: {told}" + (f" and {more} more" if more > 0 else "")


def _stray(key: str) -> str:
    meant = closest(key, [*FIELDS, *ALIASES], 0.8) if key not in ALIASES else ""
    return f"{quoted(key)}, perhaps meant as {quoted(meant)}" if meant else quoted(key)


def _silent_note(file: str, silent: list[str]) -> Iterator[str]:
    if silent:
        many = "1 trace has" if len(silent) == 1 else f"{len(silent)} traces have"
        yield f"{file}: {many} no response, or an empty one: {_some(silent)}"


def _bare_note(bare: list[Trace]) -> str:
    many = f"{len(bare)} traces get no trait" if len(bare) > 1 else "1 trace gets no trait"
    return f"{many}: {_some(name_of(*trace.key) for trace in bare)}"


def _recorded_note(rubric: Rubric, traces: list[Trace]) -> Iterator[str]:
    recorded = sum(len(trace.judgments) for trace in traces)
    if recorded:
        yield f"{recorded} of {sum(len(cells(rubric, t)) for t in traces)} cells carry recorded labels"


def _some(names: Iterable[str]) -> str:
    listed = [quoted(name) for name in names]
    more = len(listed) - LISTED
    return ", ".join(listed[:LISTED]) + (f" and {more} more" if more > 0 else "")
