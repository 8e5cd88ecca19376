"""`appellate check`: tells every problem of rubrics, traces and audits at once.

`--lint` also tells what makes rubrics weak, `--try` what their patterns find in traces.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any, Literal, NamedTuple

import tomli
from msgspec import Struct, field, to_builtins

from appellate.cli.drawn_as import drawn_as
from appellate.cli.opening import trace_reader
from appellate.cli.outcome import (
    Ended,
    Exit,
    notes,
    say,
    show_json,
    show_lines,
    telling,
)
from appellate.core.describe import describe_moved, describe_unsettled
from appellate.core.kind import (
    Asked,
    Computed,
    Instruction,
    NotComputed,
    Subject,
    Table,
    Weakness,
)
from appellate.core.problem import Problem, Unusable, listing, many, quoted
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
from appellate.gold import is_gold
from appellate.interop import is_foreign
from appellate.judging.choice import configured_prompts
from appellate.numbers.digests import check_digest
from appellate.numbers.estimates import DISAGREES, AuditedSample
from appellate.numbers.samples import hand_edits_in, sample_in
from appellate.numbers.sentences import differing_looks
from appellate.numbers.suspicions import (
    ChangedCell,
    Suspicions,
    SuspicionSearch,
    changes_of,
    passages_in,
)
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.audit import is_audit
from appellate.store.files.rubric_file import read_rubric
from appellate.store.files.text_file import unusable
from appellate.store.files.trace_file import read_traces
from appellate.store.files.trace_source import TOML_START
from appellate.store.files.wording import key_path
from appellate.traits.prompts import Prompts
from appellate.traits.rubric import Rubric
from appellate.traits.unread import (
    MODEL,
    RESULT,
    TURN,
    kinds_of_unread,
    materials_of,
    prompts_over,
)

# -- what makes a rubric weak ----------------------------------------------------------------------

Answers = Mapping[Instruction, str]
"""How one cell answers each question of its trait."""
NO_ID = ": id: is missing"
"""How the problem of a trace without an id ends."""
NOT_OURS: Table = {}
"""The record of labels that came with a trace: what their judge was shown is not known."""
FEWEST = 5
"""Labelled traces that a trait needs before it means something that all answers are the same."""


def findings(
    rubric: Rubric,
    labelled: Iterable[tuple[str, Answers]],
) -> Iterator[Weakness]:
    """Yield what makes the traits of a rubric weak, with its path in the rubric, in its order.

    `labelled` has the name of a trait and the answers of a cell, for each cell with labels;
    it is gone through once. A trait is also weak if at least `FEWEST` of its cells have
    labels, and all have the same answers. If several traits share a name, that is told of
    the first only.
    """
    constant = _constant_traits(labelled)
    for path, (kind, trait) in rubric.every_place():
        weaknesses = list(kind.weaknesses(trait))
        if trait.name in constant:  # only once, if several traits have that name
            weaknesses.append(constant.pop(trait.name))
        for weakness in weaknesses:
            yield weakness._replace(path=(*path, *weakness.path))


def answers_of(
    rubric: Rubric,
    traces: Iterable[Trace],
) -> Iterator[tuple[str, Answers]]:
    """Yield the name of a trait and its answers, for each cell that has labels without a judge.

    Those are labels that came with the trace, or else labels that a rule computes. Left out are
    cells that a judge or other people's code answers, and those that a rule cannot compute. The
    order is that of the traces, then of their traits. The traces were read with this rubric, so
    that their labels fit it.
    """
    for trace in traces:
        full_trace = rubric.asked(trace)
        for kind, trait in rubric.traits_of(trace).values():
            source = kind.source(trait)
            table: Mapping[str, object] | None = None
            if trait.name in full_trace.judgments:
                table = full_trace.judgments[trait.name]
            elif isinstance(source, Computed) and source.runs is None:
                with suppress(NotComputed):
                    table = source.compute(trait, full_trace)
            if table is not None:
                located = kind.locate(trait, full_trace, table)
                labels = kind.labels(trait, full_trace, located)
                yield trait.name, kind.answers(trait, labels)


def _constant_traits(labelled: Iterable[tuple[str, Answers]]) -> dict[str, Weakness]:
    """Return the traits that are weak since all their cells are answered alike, by name.

    `labelled` has the trait's name and the answers of each cell with labels. Traits with fewer than
    `FEWEST` such cells are left out. Each weakness has the id "constant" and an empty path.
    """
    first_answers: dict[str, Answers] = {}
    differing: set[str] = set()
    counts: Counter[str] = Counter()
    for name, answers in labelled:
        counts[name] += 1
        if first_answers.setdefault(name, answers) != answers:
            differing.add(name)

    fix = "it separates no answers: drop it, sharpen it, or load traces that differ"
    weaknesses = {}
    for name, count in counts.items():
        if name not in differing and count >= FEWEST:
            reason = f"{quoted(name)} is answered alike by all {many(count, 'trace')} with labels"
            weaknesses[name] = Weakness("constant", (), reason, fix)
    return weaknesses


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
    MODEL: "the model's name",
}
_MOST_NAMED = 4
"""Traits that a sentence names."""


class _NotShown:
    """Counts traces with material that people see and the judge of a trait does not get."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}
        """Traces by the name of a trait and the material, for traits that a judge answers."""

    def count(
        self,
        subject: Subject,
        judge: Table | None,
        prompts: Sequence[Prompts],
    ) -> None:
        """Count what the judge of one cell does not get of its trace.

        `judge` is the record of the judge that proposed labels, None before one did: then the first
        of `prompts` says what a judge would get. `prompts` are those that it may have been asked
        with, the ones in force first. If it was asked with others, everything that a prompt may
        leave out counts as given. A cell that asks no judge, or of whose judge it is not known what
        it got, is not counted.
        """
        if not isinstance(subject.source, Asked):
            return
        materials = materials_of(subject, judge, prompts)
        if materials is None:
            return
        counts = self._counts.setdefault(subject.trait.name, Counter())
        counts.update(kinds_of_unread(subject.trace, materials))

    def lines(self) -> Iterator[str]:
        """Yield a sentence for each material that judges do not get, with the traits they judge.

        It is as 'people see the reference of 3 traces, which the judges of "A", "B" and 2 more do
        not get', with at most `_MOST_NAMED` traits named. If these are all of several traits, it
        ends with "which no judge gets". It begins in lower case, to stand after a file's name.
        Traits with different counts of traces get sentences of their own.
        """
        for material, text in _MATERIALS.items():
            traits: dict[int, list[str]] = {}
            for name, counts in self._counts.items():
                if counts[material]:
                    traits.setdefault(counts[material], []).append(name)

            for count, names in traits.items():
                named = list(map(quoted, names[:_MOST_NAMED]))
                if len(names) > _MOST_NAMED:
                    named.append(f"{len(names) - _MOST_NAMED} more")
                who = f"the judges of {listing(named)} do not get"
                if len(names) == len(self._counts) > 1:
                    who = "no judge gets"
                elif len(named) == 1:
                    who = f"the judge of {named[0]} does not get"
                yield f"people see {text} of {many(count, 'trace')}, which {who}."


def _not_shown_of(rubric: Rubric, traces: Iterable[Trace]) -> _NotShown:
    """Count the traces with material that people see and a judge of a rubric would not get.

    The prompts are those of the rubric and of the config file; one with faults counts as none. A
    trait that has labels in the file of traces is not counted for that trace, as it is not known
    what its judge was shown.
    """
    not_shown = _NotShown()
    prompts = prompts_over(rubric.prompts, [configured_prompts()])
    for trace in traces:
        full_trace = rubric.asked(trace)
        for kind, trait in rubric.traits_of(trace).values():
            judge = NOT_OURS if trait.name in trace.judgments else None
            not_shown.count(Subject(kind, trait, full_trace), judge, prompts)
    return not_shown


def _print_not_shown(file: str, not_shown: _NotShown) -> None:
    """Print what people see of a file's traces and judges do not get, a line for each material.

    The lines are on standard output and begin with the file's name. Without any nothing is printed.
    Raises Ended if standard output fails.
    """
    lines = [f"{file}: {line}" for line in not_shown.lines()]
    if lines:
        show_lines(lines)


# -- the command -----------------------------------------------------------------------------------


class _Suspicion(NamedTuple):
    """Something about a verdict that a person should read before the verdict is believed."""

    place: str
    """The file, the trace and, in an audit, the trait."""
    id: Literal["addressed", "served"]
    """The word by which suspicions are counted."""
    text: str
    """A clause that says what is suspicious and what to do."""


class _Linted(Struct):
    """A rubric without problems, and what --lint and --try need of the traces named after it."""

    file: str
    rubric: Rubric
    traces: list[Trace] = field(default_factory=list)
    """The traces to try its patterns on."""
    labelled: list[tuple[str, Answers]] = field(default_factory=list)
    """The name of a trait and the answers of a cell, for each cell with labels."""
    suspicions: list[_Suspicion] = field(default_factory=list)


def check(arguments: argparse.Namespace) -> None:
    """Check each file as a rubric, traces or an audit, and print what it is and its problems.

    What a file is goes to standard output, problems and notes to standard error. With --json one
    object is on standard output instead, with format, found (those lines) and problems; the
    problems are then not said. Traces are checked against the rubric that is named before them.

    Returns if nothing is wrong. Raises Ended with UNUSABLE (2) if there are problems, else with
    FAILED (1) for weaknesses with --lint, a pattern that is too slow with --try, or a sample that
    is not that of --drawn-as; also if standard output fails. Raises Unusable if --drawn-as is no
    digest, and if --lint, --try or --drawn-as have nothing to look at.
    """
    if not arguments.json:
        result = _checked(arguments)
        say(*result.problems)
        result.end()
        return
    lines = StringIO()
    with redirect_stdout(lines):
        result = _checked(arguments)
    document: dict[str, Any] = {
        "format": CHECK_FORMAT,
        "found": lines.getvalue().splitlines(),
    }
    document["problems"] = [to_builtins(problem) for problem in result.problems]
    show_json(document)
    result.end()


CHECK_FORMAT = "appellate-check/1"


class _CheckResult(Struct, frozen=True):
    """What the checks of some files came to."""

    problems: Sequence[Problem] = ()
    """What makes a file unusable."""
    has_failed: bool = False
    """Whether what was looked for was found: a weakness, a slow pattern, another sample."""

    def end(self) -> None:
        """Raise Ended with UNUSABLE if there are problems, or else with FAILED if `has_failed`.

        Returns without an effect if neither is so.
        """
        if self.problems:
            raise Ended(Exit.UNUSABLE)
        if self.has_failed:
            raise Ended(Exit.FAILED)


def _checked(arguments: argparse.Namespace) -> _CheckResult:
    """Check each file, print what it is on standard output, and return its problems or a failure.

    Problems are returned and not printed; with any, no file is tried or linted, and nothing has
    failed. Without any it has failed if --lint finds something, if --try finds a pattern that is
    too slow, or if a sample is not that of --drawn-as. What --lint and --try find is printed on
    standard output, too; how many weaknesses there are, notes and progress are on standard error.

    Raises Unusable at the beginning for a --drawn-as that is no digest. If there are no problems,
    it is raised for --lint without a rubric or an audit, for --try without traces after a rubric,
    and for --drawn-as without an audit. Raises Ended if standard output fails.
    """
    is_trying = vars(arguments)["try"]
    letters = drawn_as(arguments)
    checked = _Checked(lint=arguments.lint, keep_traces=is_trying, letters=letters)
    if not checked.are_one(list(map(Path, arguments.files))):
        for name in arguments.files:
            checked.file(name)
    if checked.problems:
        return _CheckResult(checked.problems)
    if arguments.lint and not checked.linted:
        raise unusable(
            "--lint",
            "there is no rubric to look at",
            "name one before the traces",
        )
    if is_trying and not any(linted.traces for linted in checked.linted):
        wrong = "there are no traces to try the patterns of a rubric on"
        raise unusable("--try", wrong, "name a rubric, and traces after it")
    if letters and checked.held is None:
        raise unusable("--drawn-as", "there is no audit to look at", "name one")
    is_slow = is_trying and _print_tried_patterns(checked.linted)
    is_weak = arguments.lint and _print_weaknesses(checked.linted) > 0
    return _CheckResult(has_failed=is_slow or is_weak or checked.held is False)


class _Checked:
    """The problems of the files that were checked so far, and their rubrics.

    With `lint` it keeps the labels of their traces, with `keep_traces` the traces themselves. For
    the digest `letters` it says of each audit whether its sample has it.
    """

    def __init__(self, *, lint: bool, keep_traces: bool, letters: str = "") -> None:
        """Begin without problems and without a rubric.

        With `lint`, labels and suspicions of later files are kept in `linted`, with `keep_traces`
        the traces that are named after a rubric. `letters` are those of the digest that samples
        should have, in lower case, "" for none.
        """
        self.problems: list[Problem] = []
        self.linted: list[_Linted] = []
        self.held: bool | None = None
        """Whether all audits have the digest that was given; None if none was looked at."""
        self._letters = letters
        self._lint = lint
        self._keep_traces = keep_traces
        self._last_rubric: _Linted | None = None
        """The rubric that further traces are checked against; None if it has problems."""
        self._refused = ""
        """The name of the last rubric if it has problems, else ""."""

    def file(self, name: str) -> None:
        """Check a file, print what it is, and add its problems to `problems` without raising them.

        It is printed on standard output, and notes are on standard error. Its contents decide
        whether it is an audit, a gold set, a rubric or traces. After a rubric, also after one with
        problems, every other file is our own traces; before it they may be another tool's. `-` is
        standard input, which has traces. Raises Ended if standard output fails.
        """
        path = Path(name)
        if name != "-" and is_audit(path):
            self._audit(path)
        elif name != "-" and is_gold(path):
            self._gold(path)
        elif name != "-" and _is_rubric(path):
            self._rubric(path)
        elif name == "-" or self._last_rubric or self._refused or not is_foreign(path):
            self._traces(name)
        else:
            self._foreign_or_ours(path)

    def are_one(self, paths: list[Path]) -> bool:
        """Print what several files of another tool hold together, and return True.

        It is one sentence on standard output. False, and nothing is printed, for a single file, if
        one is no other tool's, and if they do not belong together: each is to be checked by itself
        then. Raises Ended if standard output fails.
        """
        if len(paths) <= 1 or not all(map(is_foreign, paths)):
            return False
        try:
            _print_foreign(paths)
        except Unusable:
            return False
        return True

    def _foreign_or_ours(self, path: Path) -> None:
        """Check a file as one of another tool, or else as traces of our own; print which it is.

        Our own traces are tried if no other tool's format fits and the file is one of JSON Lines or
        reads without problems. If it can be read as neither, the problems are added to `problems`:
        those of our own traces for JSON Lines, those of the other tools' formats for any other
        file. Rows of JSON Lines of which several lack an id, and that have no other problem, get
        those of the other tools, too. Raises Ended if standard output fails, and nothing else.
        """
        try:
            _print_foreign([path])
        except Unusable as error:
            if path.suffix != ".jsonl" and read_traces(path).problems:
                self.problems += error.problems
                return
            count_before = len(self.problems)
            self._traces(str(path))
            trace_problems = self.problems[count_before:]
            no_ids = [
                problem for problem in trace_problems if str(problem).endswith(NO_ID)
            ]
            if len(trace_problems) > 1 and no_ids == trace_problems:
                self.problems[count_before:] = error.problems  # a table without ids

    def _audit(self, path: Path) -> None:
        """Check the audit in a file, print what it holds, and add its problems to `problems`.

        Problems are edits by hand and cells that were changed after judging. A file that cannot be
        read adds only what is wrong with it. On standard output are the audit's counts, what judges
        were not shown, cells that were changed after a sign-off, and for a digest whether the
        sample has it. `held` is False from the first audit on that lacks it, else True. A readable
        audit gets an entry in `linted`, with --lint with what is weak or suspicious in it. Raises
        Ended if standard output fails.
        """
        # only here: to check a rubric needs no database
        from appellate.store.audits.file_audit import file_audit

        file = str(path)
        try:
            audit = file_audit(path)
        except Unusable as error:
            self.problems += error.problems
            return
        with closing(audit):
            traces = many(len(audit.traces), "trace")
            cells = many(len(audit.cells), "cell")
            show_lines([f"{file}: an audit, {traces}, {cells}."])
            if audit.recounted:
                show_lines([f"{file}: {audit.recounted}"])

            not_shown = _NotShown()
            prompts = prompts_over(audit.rubric.prompts, [configured_prompts()])
            linted = _Linted(file, audit.rubric)
            search = SuspicionSearch()
            unsettled: list[ChangedCell] = []
            moved: list[ChangedCell] = []
            for audited in audit.cells:
                cell = audited.cell
                judge = cell.judge.judge if cell.judge else None
                not_shown.count(cell.subject, judge, prompts)
                unsettled += changes_of(audited, describe_unsettled)
                moved += changes_of(audited, describe_moved)
                if self._lint:
                    search.add(audited)
                if self._lint and cell.figures:
                    linted.labelled.append((cell.subject.trait.name, cell.answers))
            _print_not_shown(file, not_shown)

            sample = sample_in(audit)
            self.problems += _edited_by_hand(file, audit, sample)
            if self._letters:
                digests = sample.digests if sample is not None else ()
                digest = check_digest(digests, self._letters)
                show_lines([f"{file}: {digest.text}"])
                self.held = digest.holds and self.held is not False
            _print_unsettled(file, unsettled)
            for change in moved:
                cell_name = f"{change.at} · {change.trait}"
                right = "put it back, or judge it again"
                self.problems.append(Problem(file, cell_name, change.changed, right))
            linted.suspicions += _suspicions_in(file, search.gathered())
            self.linted.append(linted)

    def _gold(self, path: Path) -> None:
        """Check a gold set: print what it is on standard output, and what weakens it as notes.

        Notes are on standard error. One that cannot be read only adds its problems to `problems`.
        Raises Ended if standard output fails.
        """
        from appellate.gold.gold_file import read_gold
        from appellate.gold.telling import gold_notes, gold_text

        try:
            frozen = read_gold(path)
        except Unusable as error:
            self.problems += error.problems
            return
        show_lines([f"{path}: {gold_text(frozen)}"])
        notes(gold_notes(frozen))

    def _rubric(self, path: Path) -> None:
        """Check the rubric in a file, print what it has, and keep it for the traces named after it.

        A sound one is appended to `linted` and printed as a line on standard output. One with
        problems, as a file that cannot be read, is neither: its problems are added to `problems`,
        and traces named after it are checked without a rubric. Notes are printed on standard error.
        Raises Ended if standard output fails.
        """
        loaded = read_rubric(path)
        notes(loaded.notes)
        self.problems += loaded.problems
        self._last_rubric = None
        self._refused = ""
        rubric = loaded.value
        if rubric is None or loaded.problems:
            self._refused = str(path)
            return
        self._last_rubric = _Linted(str(path), rubric)
        self.linted.append(self._last_rubric)
        shared = len(list(rubric.own_traits()))
        all_traits = list(rubric.every_trait())
        counts = Counter(kind.name for kind, _ in all_traits)
        text = (
            f"{many(shared, 'global trait')}, {many(len(rubric.questions), 'question')}"
        )
        kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        if len(all_traits) > shared:
            text += f" with {many(len(all_traits) - shared, 'trait')} of their own"
        show_lines([f"{path}: a rubric, {text} ({kinds})."])

    def _traces(self, name: str) -> None:
        """Check a file of traces with the rubric named before it, if that is sound.

        `-` is standard input. Without such a rubric they are checked by themselves. A line on
        standard output says how many there are, or that no rubric was at hand; another what judges
        of the rubric are not shown. Traits that cannot be judged in some traces are noted on
        standard error. If there are problems, these are added to `problems`, and none of it is
        printed. Raises Ended if standard output fails.

        With a rubric and --lint, their labels and the traces that address the judge are kept in its
        entry of `linted`; with a rubric and --try, the traces themselves.
        """
        rubric = self._last_rubric.rubric if self._last_rubric else None
        loaded = read_traces(name, rubric, read=trace_reader())
        notes(loaded.notes)
        self.problems += loaded.problems
        if loaded.problems:
            return
        traces = loaded.value or []
        if rubric:
            notes(_unjudgeable_texts(rubric, traces))
        text = many(len(traces), "trace")
        if self._refused:
            text += f" (not checked against {self._refused}, which has problems)"
        elif self._last_rubric is None:
            text += " (not checked against a rubric: name one before it)"
        elif self._lint:
            self._last_rubric.labelled += answers_of(self._last_rubric.rubric, traces)
            for trace in traces:
                passages = passages_in(trace)
                if passages:
                    trace_name = name_of(trace.id, trace.epoch)
                    suspicion = _addressed_suspicion(f"{name}: {trace_name}", passages)
                    self._last_rubric.suspicions.append(suspicion)
        if self._last_rubric and self._keep_traces:
            self._last_rubric.traces += traces
        show_lines([f"{name}: {text}."])
        if rubric is not None:
            _print_not_shown(name, _not_shown_of(rubric, traces))


def _print_foreign(paths: list[Path]) -> None:
    """Print on standard output, in a sentence, what files of another tool hold together.

    Raises Unusable if they cannot be read as files of one tool, and Ended if standard output fails.
    """
    from appellate.interop.taking_in import examined

    show_lines([f"{examined(paths).lines[0]}."])


def _unjudgeable_texts(rubric: Rubric, traces: Iterable[Trace]) -> list[str]:
    """Return sentences on the traits that cannot be judged in some traces, with the reason.

    They are as '"Tone" cannot be judged in 3 traces.' and a sentence with the reason. There is one
    for each trait and reason, in the order in which they were met, and [] if all can be judged.
    Traces that came with labels of the trait are not counted.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for trace in traces:
        full_trace = rubric.asked(trace)
        for name, (kind, trait) in rubric.traits_of(trace).items():
            reason = kind.lacking(trait, full_trace)
            if reason and name not in trace.judgments:
                counts[name, reason] += 1
    sentences = []
    for (name, reason), count in counts.items():
        traces_text = many(count, "trace")
        sentence = f"{quoted(name)} cannot be judged in {traces_text}."
        sentences.append(f"{sentence} {reason}")
    return sentences


def _edited_by_hand(
    file: str,
    audit: AnyAudit,
    sample: AuditedSample | None,
) -> Iterator[Problem]:
    """Yield what the sample and the looks of an audit tell of edits to its file, as problems.

    What disagrees in the sample comes first, then looks that differ, then doubts. If nothing was
    drawn, `sample` is None, and it is what the history tells. Yields nothing if all agree. `file`
    is the audit's name in the problems.
    """
    if sample is None:
        edits = hand_edits_in(audit)
        for text in (*edits.faults, *edits.doubts):
            yield Problem(file, "history", text)
        return
    for fault in sample.faults:
        yield Problem(file, "design", f"{DISAGREES}: {fault}")
    for text in (*differing_looks(sample), *sample.doubts):
        yield Problem(file, "design", text)


def _print_unsettled(file: str, cells: Iterable[ChangedCell]) -> None:
    """Print on standard output a line for each cell that was changed after its sign-off.

    It has the audit's name `file`, the cell, what was changed, and what to do. Without any cell
    nothing is printed. Raises Ended if standard output fails.
    """
    for cell in cells:
        text = "put that back, or read it and sign it off again"
        show_lines([f"{file}: {cell.at} · {cell.trait}: {cell.changed}; {text}"])


def _suspicions_in(file: str, suspicions: Suspicions) -> Iterator[_Suspicion]:
    """Yield suspicions about verdicts of an audit that should be read before they are believed.

    First comes one for each cell whose trace addresses the judge, as "addressed", with how many
    passages do. Then comes one for each cell that another model answered than was asked, as
    "served"; if several members of a panel were answered for, the cell comes for each pair of
    models. `file` is the audit's name, and `suspicions` was gathered from all its cells.
    """
    for cell in suspicions.addressed:
        yield _addressed_suspicion(f"{file}: {cell.describe}", cell.passages)
    for other_model in suspicions.other_models:
        for trace, trait in other_model.cells:
            models = f"{other_model.asked} was asked, and {other_model.served} answered"
            text = f"{models}; ask again, or name it"
            yield _Suspicion(f"{file}: {trace} · {trait}", "served", text)


def _addressed_suspicion(place: str, passages: int) -> _Suspicion:
    """Return the suspicion that a trace addresses the judge, with the id "addressed".

    `place` is the file, the trace and, in an audit, the trait. `passages` is how many passages of
    the trace may address the judge, which its text says.
    """
    count = many(passages, "passage")
    text = f"{count} may address the judge; read them before its verdict"
    return _Suspicion(place, "addressed", text)


def _print_weaknesses(linted: Iterable[_Linted]) -> int:
    """Print what makes rubrics weak and verdicts doubtful, a line each; return how many lines.

    The lines are on standard output, rubric by rubric, doubtful verdicts before weaknesses, and
    have the place, the id in brackets and a clause. How many there are of each id, or that nothing
    was found, is said on standard error. Raises Ended if standard output fails.
    """
    counts: Counter[str] = Counter()
    for checked in linted:
        for suspicion in checked.suspicions:
            counts[suspicion.id] += 1
            show_lines([f"{suspicion.place}: [{suspicion.id}] {suspicion.text}"])
        for weakness in findings(checked.rubric, checked.labelled):
            counts[weakness.id] += 1
            place = f"{checked.file}: {key_path(weakness.path)}"
            show_lines([f"{place}: [{weakness.id}] {weakness.reason}; {weakness.fix}"])
    if counts:
        text = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        say(f"{many(counts.total(), 'weakness', 'weaknesses')}: {text}.")
    else:
        say("No weakness found by its words.")
    return counts.total()


def _print_tried_patterns(linted: Iterable[_Linted]) -> bool:
    """Print what the patterns of rubrics find in their traces; return whether one is too slow.

    The lines are on standard output, progress is on standard error. Without any pattern that is
    said on standard error, and False is returned. Raises Ended if standard output fails.
    """
    from appellate.cli.trying import patterns_of, try_patterns  # for --try alone
    from appellate.traits.matching import matcher

    is_slow = False
    count = 0
    for checked in linted:
        tried = patterns_of(checked.rubric)
        if tried:
            with telling("Trying patterns", len(checked.traces)) as on_progress:
                try_patterns(
                    tried,
                    checked.rubric,
                    checked.traces,
                    matcher(),
                    on_progress,
                )
        for pattern in tried:
            show_lines(pattern.lines(checked.file))
            is_slow = is_slow or bool(pattern.slow)
        count += len(tried)
    if not count:
        say(
            "No pattern to try: regex traits and the scorers pattern and answer have one.",
        )
    return is_slow


def _is_rubric(path: Path) -> bool:
    """Return whether a file is a rubric by what it holds: TOML without traces.

    A file named `.toml` also counts as one if it is empty, broken or cannot be read: its
    errors are to be told. A file that begins like JSON is never one. A file with another
    name must be TOML with at least one key.
    """
    is_named_so = path.suffix == ".toml"
    try:
        with path.open("rb") as file:
            start = file.read(400).decode("utf-8-sig", "replace").lstrip()
        if start.startswith(("{", "[{")) or not (
            is_named_so or TOML_START.match(start)
        ):
            return False
        table = tomli.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return is_named_so
    return "traces" not in table and (is_named_so or bool(table))
