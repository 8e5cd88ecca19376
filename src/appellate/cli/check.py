"""`appellate check`: every problem of files at once.

`--lint` says what makes rubrics weak, `--try` what their patterns find.
"""

import argparse
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, field

from appellate.cli.opening import MOST_FOREIGN, trace_reader
from appellate.cli.outcome import Ended, Exit, notes, say, show_lines, telling
from appellate.core.describe import describe_moved, describe_unsettled
from appellate.core.kind import (
    Asked,
    Computed,
    Instruction,
    KnownTrait,
    NotComputed,
    Subject,
    Table,
    Weakness,
)
from appellate.core.problem import Problem, Unusable, many, quoted
from appellate.core.trace import (
    CHOICES,
    DOCUMENT_NAMES,
    DOCUMENTS,
    METADATA,
    QUESTION,
    REFERENCE,
    Trace,
    name_of,
)
from appellate.interop import is_foreign
from appellate.judging.choice import configured_prompts
from appellate.numbers.estimates import DISAGREES
from appellate.numbers.samples import sample_in
from appellate.numbers.sentences import differing_looks
from appellate.numbers.suspicions import Suspicions, changed_cells, passages_in, suspicions
from appellate.store.audits.audit import AuditedCell, is_audit, load_audit
from appellate.store.files.rubric_file import read_rubric
from appellate.store.files.text_file import unusable
from appellate.store.files.trace_file import read_traces
from appellate.store.files.trace_source import TOML_START
from appellate.store.files.wording import key_path
from appellate.traits.prompts import Prompts
from appellate.traits.rubric import Rubric
from appellate.traits.unread import RESULT, TURN, kinds_of_unread, materials_of, prompts_over

# -- what makes a rubric weak ----------------------------------------------------------------------

Answers = Mapping[Instruction, str]
NO_ID = ": id: is missing"
NOT_OURS: Table = {}
"""The record of labels that came with a trace: nobody knows what their judge was shown."""
FEWEST = 5
"""From so many labelled traces on it means something that all of them are alike."""


def findings(rubric: Rubric, labelled: Iterable[tuple[str, Answers]]) -> Iterator[Weakness]:
    """What is weak in each trait, by its path; `labelled` is how cells of a trait answer it."""
    alike = _alike(labelled)
    for place, (kind, trait) in rubric.every_place():
        found = list(kind.weaknesses(trait))
        if trait.name in alike:  # once for the traits of a name
            found.append(alike.pop(trait.name))
        for weakness in found:
            yield weakness._replace(path=(*place, *weakness.path))


def answers_of(rubric: Rubric, traces: Iterable[Trace]) -> Iterator[tuple[str, Answers]]:
    """How traces answer their traits by labels that came with them or by rule: nobody is asked."""
    for trace in traces:
        asked = rubric.asked(trace)
        for known in rubric.traits_of(trace).values():
            table = _table(known, asked)
            if table is not None:
                located = known.kind.locate(known.trait, asked, table)
                labels = known.kind.labels(known.trait, asked, located)
                yield known.trait.name, known.kind.answers(known.trait, labels)


def _table(known: KnownTrait, trace: Trace) -> Mapping[str, object] | None:
    source = known.kind.source(known.trait)
    if known.trait.name in trace.judgments:
        return trace.judgments[known.trait.name]
    if isinstance(source, Computed) and source.runs is None:
        try:
            return source.compute(known.trait, trace)
        except NotComputed:
            return None
    return None


def _alike(labelled: Iterable[tuple[str, Answers]]) -> dict[str, Weakness]:
    """The traits that every labelled trace answers in the same way."""
    first: dict[str, Answers] = {}
    differ: set[str] = set()
    counts: Counter[str] = Counter()
    for name, answers in labelled:
        counts[name] += 1
        if first.setdefault(name, answers) != answers:
            differ.add(name)
    fix = "it separates no answers: drop it, sharpen it, or load traces that differ"
    found = {}
    for name, count in counts.items():
        if name not in differ and count >= FEWEST:
            reason = f"{quoted(name)} is answered alike by all {many(count, 'trace')} with labels"
            found[name] = Weakness("constant", (), reason, fix)
    return found


# -- what people see and judges do not -------------------------------------------------------------

_MATERIALS = {
    QUESTION: "the question",
    TURN: "turns before the response",
    RESULT: "the whole of long results",
    REFERENCE: "the reference",
    CHOICES: "the choices",
    DOCUMENTS: "documents",
    DOCUMENT_NAMES: "the names of documents",
    METADATA: "metadata",
}
_MOST_NAMED = 4


class _NotShown:
    """In how many traces there is what a person sees, and the judge of a trait does not get."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}
        """By the name of a trait; of traits that nobody is asked about there are none."""

    def take(self, subject: Subject, judge: Table | None, known: Sequence[Prompts]) -> None:
        """Count what the judge of a cell does not get; `judge` is its record, None before one."""
        if not isinstance(subject.source, Asked):
            return
        materials = materials_of(subject, judge, known)
        if materials is None:
            return
        counts = self._counts.setdefault(subject.trait.name, Counter())
        counts.update(kinds_of_unread(subject.trace, materials))

    def lines(self) -> Iterator[str]:
        """Yield a sentence for each material and count, with the traits that it is so of."""
        for material, text in _MATERIALS.items():
            traits: dict[int, list[str]] = {}
            for name, counts in self._counts.items():
                if counts[material]:
                    traits.setdefault(counts[material], []).append(name)
            for count, names in traits.items():
                yield f"people see {text} of {many(count, 'trace')}, which {self._who(names)}."

    def _who(self, names: Sequence[str]) -> str:
        """Return in words which traits' judges do not get something."""
        if len(names) == len(self._counts) > 1:
            return "no judge gets"
        named = list(map(quoted, names[:_MOST_NAMED]))
        if len(names) > _MOST_NAMED:
            named.append(f"{len(names) - _MOST_NAMED} more")
        if len(named) == 1:
            return f"the judge of {named[0]} does not get"
        return f"the judges of {', '.join(named[:-1])} and {named[-1]} do not get"


def _not_shown_of(rubric: Rubric, traces: Iterable[Trace]) -> _NotShown:
    """Return what judges of a rubric do not get of traces, with the prompts in force."""
    found = _NotShown()
    known = prompts_over(rubric.prompts, [configured_prompts()])
    for trace in traces:
        asked = rubric.asked(trace)
        for kind, trait in rubric.traits_of(trace).values():
            judge = NOT_OURS if trait.name in trace.judgments else None
            found.take(Subject(kind, trait, asked), judge, known)
    return found


def _tell_not_shown(file: str, found: _NotShown) -> None:
    """Show what people see of the traces of a file and judges do not get, if anything."""
    lines = [f"{file}: {line}" for line in found.lines()]
    if lines:
        show_lines(lines)


# -- the command -----------------------------------------------------------------------------------


class _Linted(Struct):
    """A usable rubric of a file, and how the traces that were named with it answer it."""

    file: str
    rubric: Rubric
    traces: list[Trace] = field(default_factory=list)
    """Those to try its patterns on."""
    labelled: list[tuple[str, Answers]] = field(default_factory=list)
    suspicions: list[tuple[str, str, str]] = field(default_factory=list)
    """What to read before verdicts are believed: its place, its id, and a sentence."""


def check(arguments: argparse.Namespace) -> None:
    """Checks each file for what it is; traces are held against the rubric before them."""
    is_trying = vars(arguments)["try"]
    checked = _Checked(lint=arguments.lint, keep_traces=is_trying)
    if not checked.pair(list(map(Path, arguments.files))):
        for name in arguments.files:
            checked.file(name)
    say(*checked.problems)
    if checked.problems:
        raise Ended(Exit.UNUSABLE)
    if arguments.lint and not checked.linted:
        raise unusable("--lint", "there is no rubric to look at", "name one before the traces")
    if is_trying and not any(one.traces for one in checked.linted):
        wrong = "there are no traces to try the patterns of a rubric on"
        raise unusable("--try", wrong, "name a rubric, and traces after it")
    is_slow = is_trying and _try(checked.linted)
    is_weak = arguments.lint and _tell(checked.linted) > 0
    if is_slow or is_weak:
        raise Ended(Exit.FAILED)


class _Checked:
    """What came of the files so far.

    With `lint` what `_tell` needs is kept, with `keep_traces` what `_try` does.
    """

    def __init__(self, *, lint: bool, keep_traces: bool) -> None:
        self.problems: list[Problem] = []
        self.linted: list[_Linted] = []
        self._lint = lint
        self._keep_traces = keep_traces
        self._last: _Linted | None = None
        self._refused = ""
        """The last rubric where it has problems: nothing can be held against it."""

    def file(self, name: str) -> None:
        path = Path(name)
        if name != "-" and is_audit(path):
            self._audit(path)
        elif name != "-" and _is_rubric(path):
            self._rubric(path)
        elif name == "-" or self._last or self._refused or not is_foreign(path):
            self._traces(name)
        else:
            self._foreign_or_ours(path)

    def pair(self, paths: list[Path]) -> bool:
        """Whether these are two files of other tools that belong together, which are then shown."""
        if len(paths) != MOST_FOREIGN or not all(map(is_foreign, paths)):
            return False
        with suppress(Unusable):
            return self._foreign(paths)
        return False

    def _foreign(self, paths: list[Path]) -> bool:
        from appellate.interop.taking_in import examined

        show_lines([f"{examined(paths, {})[2][0]}."])
        return True

    def _foreign_or_ours(self, path: Path) -> None:
        try:
            self._foreign([path])
        except Unusable as error:
            if path.suffix != ".jsonl" and read_traces(path).problems:
                self.problems += error.problems
                return
            before = len(self.problems)
            self._traces(str(path))
            wrong = self.problems[before:]
            if len(wrong) > 1 and all(str(one).endswith(NO_ID) for one in wrong):
                self.problems[before:] = error.problems  # a table without ids

    def _audit(self, path: Path) -> None:
        try:
            audit = load_audit(path)
        except Unusable as error:
            self.problems += error.problems
            return
        text = f"{many(len(audit.traces), 'trace')}, {many(len(audit.cells), 'cell')}"
        show_lines([f"{path}: an audit, {text}."])
        not_shown = _NotShown()
        known = prompts_over(audit.rubric.prompts, [configured_prompts()])
        for one in audit.cells:
            judge = one.cell.judge.judge if one.cell.judge else None
            not_shown.take(one.cell.subject, judge, known)
        _tell_not_shown(str(path), not_shown)
        sample = sample_in(audit)
        if sample is not None:
            for wrong in sample.faults:
                self.problems.append(Problem(str(path), "design", f"{DISAGREES}: {wrong}"))
            for text in differing_looks(sample):
                self.problems.append(Problem(str(path), "design", text))
        linted = _Linted(str(path), audit.rubric)
        self.problems += _changed_since(str(path), audit.cells)
        if self._lint:
            linted.suspicions += _suspicious(str(path), suspicions(audit.cells))
        for one in audit.cells:
            if self._lint and one.cell.figures:
                linted.labelled.append((one.cell.subject.trait.name, one.cell.answers))
        self.linted.append(linted)

    def _rubric(self, path: Path) -> None:
        loaded = read_rubric(path)
        notes(loaded.notes)
        self.problems += loaded.problems
        self._last = None
        self._refused = ""
        rubric = loaded.value
        if rubric is None or loaded.problems:
            self._refused = str(path)
            return
        self._last = _Linted(str(path), rubric)
        self.linted.append(self._last)
        shared = len(list(rubric.own_traits()))
        every = list(rubric.every_trait())
        counts = Counter(known.kind.name for known in every)
        text = f"{many(shared, 'global trait')}, {many(len(rubric.questions), 'question')}"
        kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        if len(every) > shared:
            text += f" with {many(len(every) - shared, 'trait')} of their own"
        show_lines([f"{path}: a rubric, {text} ({kinds})."])

    def _traces(self, name: str) -> None:
        rubric = self._last.rubric if self._last else None
        loaded = read_traces(name, rubric, read=trace_reader({}))
        notes(loaded.notes)
        self.problems += loaded.problems
        if loaded.problems:
            return
        traces = loaded.value or []
        if rubric:
            notes(_lacking(rubric, traces))
        text = many(len(traces), "trace")
        if self._refused:
            text += f" (not held against {self._refused}, which has problems)"
        elif self._last is None:
            text += " (not held against a rubric: name one before it)"
        elif self._lint:
            self._last.labelled += answers_of(self._last.rubric, traces)
            for trace in traces:
                passages = passages_in(trace)
                if passages:
                    at = name_of(trace.id, trace.epoch)
                    self._last.suspicions.append(_addressed(f"{name}: {at}", passages))
        if self._last and self._keep_traces:
            self._last.traces += traces
        show_lines([f"{name}: {text}."])
        if rubric is not None:
            _tell_not_shown(name, _not_shown_of(rubric, traces))


def _lacking(rubric: Rubric, traces: Iterable[Trace]) -> list[str]:
    """Return a sentence for each trait of which some traces lack what it asks for."""
    counts: Counter[tuple[str, str]] = Counter()
    for trace in traces:
        asked = rubric.asked(trace)
        for name, known in rubric.traits_of(trace).items():
            why = known.kind.lacking(known.trait, asked)
            if why and name not in trace.judgments:
                counts[name, why] += 1
    return [
        f"{quoted(name)} cannot be judged in {many(count, 'trace')}. {why}"
        for (name, why), count in counts.items()
    ]


def _changed_since(file: str, cells: Sequence[AuditedCell]) -> Iterator[Problem]:
    """Show what was changed after it was signed off, and yield what was after it was judged."""
    for cell in changed_cells(cells, describe_unsettled):
        text = "put that back, or read it and sign it off again"
        show_lines([f"{file}: {cell.at} · {cell.trait}: {cell.changed}; {text}"])
    for cell in changed_cells(cells, describe_moved):
        right = "put it back, or judge it again"
        yield Problem(file, f"{cell.at} · {cell.trait}", cell.changed, right)


def _suspicious(file: str, found: Suspicions) -> Iterator[tuple[str, str, str]]:
    """Yield a finding for each verdict of an audit that is to be read before it is believed.

    A finding is the place (file, trace and trait), its id (`addressed` or `served`) and a sentence.
    """
    for cell in found.addressed:
        yield _addressed(f"{file}: {cell.describe}", cell.passages)
    for other in found.other_models:
        for trace, trait in other.cells:
            text = f"{other.asked} was asked, and {other.served} answered; ask again, or name it"
            yield f"{file}: {trace} · {trait}", "served", text


def _addressed(place: str, passages: int) -> tuple[str, str, str]:
    """Return the finding of a trace that addresses the judge."""
    texts = many(passages, "passage")
    return place, "addressed", f"{texts} may address the judge; read them before its verdict"


def _tell(linted: Iterable[_Linted]) -> int:
    """Shows what makes rubrics weak and verdicts doubtful, a line each; how many there are."""
    counts: Counter[str] = Counter()
    for one in linted:
        for place, id_, text in one.suspicions:
            counts[id_] += 1
            show_lines([f"{place}: [{id_}] {text}"])
        for weak in findings(one.rubric, one.labelled):
            counts[weak.id] += 1
            place = f"{one.file}: {key_path(weak.path)}"
            show_lines([f"{place}: [{weak.id}] {weak.reason}; {weak.fix}"])
    if counts:
        text = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        say(f"{many(counts.total(), 'weakness', 'weaknesses')}: {text}.")
    else:
        say("No weakness found by its words.")
    return counts.total()


def _try(linted: Iterable[_Linted]) -> bool:
    """Show what the patterns of rubrics find in the traces; return whether one is too slow."""
    from appellate.cli.trying import patterns_of, try_patterns  # for --try alone
    from appellate.traits.matching import matcher

    is_slow = False
    count = 0
    for one in linted:
        tried = patterns_of(one.rubric)
        if tried:
            with telling("Trying patterns", len(one.traces)) as on_progress:
                try_patterns(tried, one.rubric, one.traces, matcher(), on_progress)
        for pattern in tried:
            show_lines(pattern.lines(one.file))
            is_slow = is_slow or bool(pattern.slow)
        count += len(tried)
    if not count:
        say("No pattern to try: regex traits and the scorers pattern and answer have one.")
    return is_slow


def _is_rubric(path: Path) -> bool:
    """Whether a file is TOML without traces; a broken .toml counts, so that its errors show."""
    is_named_so = path.suffix == ".toml"
    try:
        with path.open("rb") as file:
            start = file.read(400).decode("utf-8-sig", "replace").lstrip()
        if start.startswith(("{", "[{")) or not (is_named_so or TOML_START.match(start)):
            return False
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return is_named_so
    return "traces" not in table and (is_named_so or bool(table))
