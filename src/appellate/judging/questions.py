"""The cells that wait to be judged, and the questions about them.

A run has up to three parts: cells that rules compute, cells that other people's code computes, and
cells that a judge is asked about. `PendingCells` lists the cells of one part, and makes the
question about each. `next_round()` begins another round.

Examples in prompts are chosen by a hash. Neither the judge's labels nor corrections matter, since
cells that were shown are left out of the figures: if corrected cells were preferred, the judge's
worst cells would be missing there.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain, takewhile
from pathlib import Path
from traceback import extract_tb
from typing import Any

from msgspec import Struct, to_builtins

from appellate.core.cell import Cell, round_of
from appellate.core.facts import Failed, Proposed
from appellate.core.kind import Briefing, Example, Source, Subject, Trait
from appellate.core.problem import Refused, listing, many
from appellate.core.trace import Trace
from appellate.judges.offline import Lexical, Recorded, code_of
from appellate.judges.proposal import (
    Answered,
    NoLabels,
    NotRecorded,
    Outcome,
    Question,
    check_labels,
)
from appellate.judging.choice import JudgeChoice
from appellate.judging.progress import computing_names
from appellate.query.language import QueryUnreadable, parse
from appellate.session.workbench import Round, Workbench
from appellate.store import meta
from appellate.store.cells import Sources, signed_off
from appellate.store.database import to_json
from appellate.store.queue import look_up, vocabulary
from appellate.store.workspace import Workspace
from appellate.traits.digest import digest
from appellate.traits.kinds import kinds
from appellate.traits.prompts import Prompts, over


def has_same_failure(cell: Cell, failed: Failed) -> bool:
    """Return whether a cell's latest failure has the same words and round as `failed`.

    False if the cell has no failure.
    """
    latest = cell.error
    return (
        latest is not None
        and latest.error == failed.error
        and round_of(latest) == round_of(failed)
    )


def savable(fact: Proposed | Failed) -> Proposed | Failed:
    """Return the fact, or a Failed in its place if it has half a character (a lone surrogate).

    No file can hold such a text, and one answer must not end a run over all the others. The failure
    keeps only the name and the round of the judge.
    """
    try:
        to_json(to_builtins(fact)).encode()
    except UnicodeEncodeError:
        fields = {}
        for name in ("name", "round"):
            if name in fact.judge:
                fields[name] = fact.judge[name]
        reason = (
            "The answer cannot be saved: it has half a character (a lone surrogate)."
        )
        return Failed(reason, "", fields)
    return fact


def describe_error(error: BaseException) -> str:
    """Return an error in words without the text of a trace or a reply, for a person to read.

    Errors of the system, of imports and of Appellate have their name and message: `OSError: …`.
    Others have their name and where they broke: `KeyError in run.py, line 40`, or only their name
    if that is not known.
    """
    name = type(error).__name__
    is_own = type(error).__module__.startswith("appellate.")
    if is_own or isinstance(error, OSError | ImportError):
        return f"{name}: {error}"
    frames = extract_tb(error.__traceback__)
    if not frames:
        return name
    last_frame = frames[-1]
    file_name = Path(last_frame.filename).name
    return f"{name} in {file_name}, line {last_frame.lineno}"


# -- which cells -----------------------------------------------------------------------------------


class Briefings:
    """The briefing of each cell of a run. The examples of a trait are chosen at its first cell."""

    def __init__(
        self,
        workspace: Workspace,
        prompts: Prompts | None = None,
        few_shot: int = 0,
    ) -> None:
        """Keep the prompts for a run, and the number of examples in each; 0 shows none.

        `prompts` replace those of the rubric, part by part. No example is chosen yet.
        """
        self._workspace = workspace
        self._prompts = over(workspace.rubric.prompts, prompts or {})
        self._few_shot = few_shot
        self._pools: dict[str, tuple[Example, ...]] = {}

    def of(self, subject: Subject, trace: Trace) -> Briefing:
        """Return what is put into the prompt for a cell: the parts for its kind, and examples.

        There are as many examples as were asked for, or fewer if there are not so many signed-off
        cells. None is of the cell's own trace. They are chosen at the first cell of a trait and
        kept: cells that are signed off later do not change them.
        """
        parts = self._prompts.get(subject.kind.name, {})
        if not self._few_shot:
            return Briefing(parts, ())

        trait_hash = subject.trait.sha256()
        pool = self._pools.get(trait_hash)
        if pool is None:
            # one more than needed, since the cell's own trace may be among them
            pool = examples(self._workspace, subject.trait, self._few_shot + 1)
            self._pools[trait_hash] = pool
        of_other_traces = [example for example in pool if example.trace.id != trace.id]
        shown = of_other_traces[: self._few_shot]
        return Briefing(parts, tuple(shown))


def examples(
    workspace: Workspace,
    trait: Trait,
    count: int,
    seed: int = 0,
) -> tuple[Example, ...]:
    """Return `count` examples for a trait, fewer if there are not so many, each of another trace.

    They are cells of exactly this trait that can be examples (`signed_off`): signed off without
    faults, and outside of the sample. None is blank. An example has the labels that were signed
    off, and what the judge said, {} if none judged it. A hash with `seed` decides which, and their
    order. Raises sqlite3.Error if the workspace cannot be read.
    """

    def rank(signed: tuple[int, str, int]) -> bytes:
        """Return the hash that orders signed-off cells, each given as its number, trace and epoch.

        It is that of the seed, the trait, the trace and the epoch.
        """
        _, trace_id, epoch = signed
        hashed_text = "\0".join((str(seed), trait.name, trace_id, str(epoch)))
        return hashlib.sha256(hashed_text.encode()).digest()

    by_trace: dict[str, Example] = {}
    for number, trace_id, _ in sorted(signed_off(workspace.path, trait.name), key=rank):
        if len(by_trace) == count:
            break
        if trace_id in by_trace:
            continue
        trace, cell = workspace.cell(number)
        kind = cell.subject.kind
        if cell.subject.trait == trait and cell.labels != kind.blank:
            tables = kind.write(cell.labels)
            table = {**tables["audited"], "items": tables.get("items", [])}
            judged: Mapping[str, Any] = {}
            if cell.judge:
                judged = cell.judge.table
            by_trace[trace_id] = Example(trace, table, judged)
    return tuple(by_trace.values())


_PAGE = 100
"""Cells that are read from the workspace at once."""
_MOST_NAMES = 6
"""How many functions are named in a sentence."""


class CellScope(Struct, frozen=True):
    """The cells that a run is about: missing ones, and judged ones of an open round."""

    round: Round = Round()
    start: int = 1
    """The cell to begin with. Those before it come after the last one."""
    only: int | None = None
    """The one cell that the run is about; None for all of them."""
    alone: bool = False
    """Whether missing cells that do not belong to the round are left out."""


class PendingCells:
    """The cells of a scope that wait for a judge, or for another source of labels.

    A round belongs to the judge that it was opened for. Another judge is asked only about cells
    without labels. If the scope is `alone`, only cells of its round count.
    """

    def __init__(
        self,
        workspace: Workspace,
        choice: JudgeChoice,
        cells: CellScope = CellScope(),
        *,
        source: Source = "model",
    ) -> None:
        """Take those cells of a scope whose labels come from `source`.

        A source is a model, a rule or code. For "model" they are the cells that the judge of
        `choice` is asked about. If the scope's round is for another judge, they are only those
        without labels, and none if the scope is `alone`. For "code" there are none if `choice` does
        not let other people's code run.
        """
        self._workspace = workspace
        self.cells = cells
        self._round = cells.round
        if source == "model":
            self._sources = _sources_of(choice)
        elif source == "code" and choice.code is None:  # it may not run
            self._sources = Sources([], [])
        else:
            self._sources = Sources([source], list(kinds()))

        self._briefings = Briefings(workspace, choice.prompts, choice.few_shot)
        self._cells_of_round: frozenset[int] | None = None
        if source == "model" and self._round.by not in ("", _identity(choice)):
            self._cells_of_round = frozenset()
        elif self._round.cells is not None:
            self._cells_of_round = frozenset(self._round.cells)

    @property
    def left(self) -> int:
        """The number of cells that wait now, which is read anew: as many as `numbers` yields.

        Cells in progress count until their labels are saved, and cells on which a judge failed
        count. The cell of `CellScope.only` counts even if it was judged.
        """
        if self.cells.only or self._cells_of_round is not None:
            return sum(1 for _ in self.numbers())
        cells = self._workspace.cells
        count = cells.count_missing(self._sources)
        if self._round.no > 1:
            count += cells.count_judged_before(self._round.no, self._sources)
        return count

    @property
    def has_cells_to_ask_again(self) -> bool:
        """Whether the round still has cells whose labels are from an earlier round."""
        return next(self._judged_before(), None) is not None

    def question(self, number: int) -> Question:
        """Return the question about a cell, in the round of its answer; the cell is read for it."""
        return self._question(number, *self._workspace.cell(number))

    def recorded(self) -> Iterator[Answered]:
        """Yield the outcome that each trace brought for its cell: labels, a failure, or no labels.

        It is a failure if the labels break the rules of their kind. A cell is read from the
        workspace when it is its turn, and comes with the outcome.
        """
        for number in self.numbers():
            known = self._workspace.cell(number)
            question = self._question(number, *known)
            try:
                outcome: Outcome = check_labels(question, Recorded().proposed(question))
            except NotRecorded as error:
                outcome = NoLabels(str(error))
            yield Answered(number, question.round, outcome, known=known)

    def _question(self, number: int, trace: Trace, cell: Cell) -> Question:
        """Return the question about a cell that was read: `trace` and `cell` belong to `number`.

        Its answer will be in the round of the scope, or in the one after the latest that the cell
        was judged in, if that is later: a cell judged in round 3 gets at least 4. Labels that came
        with the trace are left out if the trait was revised since.
        """
        asked = trace
        if cell.revised:  # labels that came with the trace are about the earlier trait
            asked = trace.model_copy(update={"judgments": {}})
        round_no = self._round.no
        if cell.judged:
            next_round_no = cell.round + 1
            round_no = max(round_no, next_round_no)
        briefing = self._briefings.of(cell.subject, asked)
        return Question(cell.subject, asked, briefing, number, round_no)

    def questions(self) -> Iterator[Question]:
        """Yield the question about each cell, which is read when it is its turn."""
        return map(self.question, self.numbers())

    def numbers(self) -> Iterator[int]:
        """Yield the numbers of the cells that wait; they are read as the caller goes on.

        The missing ones come first, from the scope's `start` on and then those before it. After the
        first round, those with labels of an earlier one follow. Cells on which judges had failed
        when this began come last, those that failed least often first; a failure counts only if the
        judge was asked. A scope of one cell yields that cell even if it was judged, or nothing if
        its labels come from another source.
        """
        only = self.cells.only
        if only:
            _, cell = self._workspace.cell(only)
            if _is_in(cell.subject, self._sources):
                yield only
            return

        start = self.cells.start
        before = takewhile(lambda number: number < start, self._missing_after(0))
        cells = chain(self._missing_after(start - 1), before)
        if self._round.no > 1:
            cells = chain(cells, self._judged_before())
        failures = self._workspace.cells.failures(self._round.no, self._sources)
        failed = []
        for number in cells:
            if number in failures:
                failed.append(number)
            else:
                yield number
        yield from sorted(failed, key=failures.__getitem__)

    def _missing_after(self, after: int) -> Iterator[int]:
        """Yield the numbers above `after` of cells that still have no labels of a judge, in order.

        They are cells without labels, cells on which a judge failed last, and cells of the sample
        that only people labelled. Cells whose labels come from another source, and of kinds that
        this judge cannot judge, are not among them. If the scope is `alone`, cells that are not of
        its round are left out.
        """
        page = partial(self._workspace.cells.missing, self._sources)
        for number in _all_pages(page, after):
            if not self.cells.alone or self._belongs_to_round(number):
                yield number

    def _judged_before(self) -> Iterator[int]:
        """Yield the numbers of cells of the round whose labels are from an earlier one, in order.

        Cells that only a person labelled are among them, unless they are of the sample. Left out
        are cells on which a judge failed since, those whose labels come from another source, and
        those of kinds that this judge cannot judge. There are none for the source "model" if the
        round was opened for another judge.
        """
        page = partial(
            self._workspace.cells.judged_before,
            self._round.no,
            self._sources,
        )
        return filter(self._belongs_to_round, _all_pages(page, 0))

    def _belongs_to_round(self, number: int) -> bool:
        """Return whether the round has the cell of this number, to ask its judge about it again.

        A round of all cells has every number, and one whose query found no cell has none. A round
        that was opened for another judge has none for source "model". Neither the cell's source nor
        whether it was judged is looked at.
        """
        return self._cells_of_round is None or number in self._cells_of_round


def describe_left_out(workspace: Workspace, choice: JudgeChoice) -> str:
    """Return sentences about the cells that this judge leaves unjudged, or "" if there are none.

    They are cells that word overlap cannot judge, and cells that wait for code that may not run: `2
    cells of metric traits cannot be judged by word overlap: name a model with --model, or fill them
    in yourself.`
    """
    sentences: list[str] = []
    judged_kinds = _sources_of(choice).kinds
    kind_names: list[str] = []
    unjudged_count = 0
    for name in kinds():
        if name in judged_kinds:
            continue
        missing = workspace.cells.count_missing(Sources(["model"], [name]))
        if missing:
            kind_names.append(name)
            unjudged_count += missing
    if unjudged_count:
        cells = many(unjudged_count, "cell")
        subject = (
            f"{cells} of {listing(kind_names)} traits cannot be judged by word overlap"
        )
        sentences.append(
            f"{subject}: name a model with --model, or fill them in yourself.",
        )

    unrun_count = 0
    if choice.code is None:
        unrun_count = workspace.cells.count_missing(Sources(["code"], list(kinds())))
    if unrun_count:
        waiting = many(unrun_count, "cell waits", "cells wait")
        subject = f"{waiting} for code that was not run ({code_names(workspace)})"
        sentences.append(
            f"{subject}: start with --allow-code to run it, or fill them in yourself.",
        )
    return " ".join(sentences)


def code_names(workspace: Workspace) -> str:
    """Return the names of the other people's code that a rubric's traits run, each once.

    They are separated by commas. Of more than `_MOST_NAMES` only the first are named, and the
    number of the others comes last, as in `a, b, 3 more`. "" if there is no such code.
    """
    names: list[str] = []
    for kind, trait in workspace.rubric.every_trait():
        name = code_of(kind.source(trait), trait)
        if name and name not in names:
            names.append(name)

    parts = names[:_MOST_NAMES]
    if len(names) > _MOST_NAMES:
        parts.append(f"{len(names) - _MOST_NAMES} more")
    return ", ".join(parts)


def code_question(workspace: Workspace, choice: JudgeChoice, cells: CellScope) -> str:
    """Return the question to a person before other people's code runs on these cells.

    It counts the cells of the scope that wait for code, such as those without labels; the one cell
    of `CellScope.only` waits even if it was judged. It names the code of that one cell, or else of
    the whole rubric: `Run counts:words on 3 cells? It is the rubric's code, not Appellate's.` If
    labels came with the traces, and the scope is not one cell, it is `Run counts:words on those of
    3 cells that came without labels? It is the rubric's code, not Appellate's.` It is "" if no cell
    waits for code, or if this session may run none.
    """
    count = PendingCells(workspace, choice, cells, source="code").left
    if not count:
        return ""
    about = many(count, "cell")
    if cells.only:
        _, cell = workspace.cell(cells.only)
        names = code_of(cell.subject.source, cell.subject.trait)
    else:
        names = code_names(workspace)
        if workspace.meta(meta.RECORDED):
            about = f"those of {about} that came without labels"
    return f"Run {names} on {about}? It is the rubric's code, not Appellate's."


def count_computed(workspace: Workspace) -> int:
    """Return how many cells have labels or a failure that a rule or code computed.

    Cells whose judge is hidden from a blind reviewer are not counted.
    """
    sources = Sources(["rule", "code"], list(kinds()))
    return workspace.cells.count_judged_by(list(computing_names()), sources)


def _sources_of(choice: JudgeChoice) -> Sources:
    """Return the sources and kinds of cells that this judge is asked about.

    Word overlap is asked about the kinds that it can judge. Recorded labels also stand for those of
    code that may not run. A choice without a judge stands for any model.
    """
    kind_names = list(kinds())
    if isinstance(choice.judge, Lexical):
        kind_names = []
        for name, kind in kinds().items():
            if kind.asked and kind.asked.lexical:
                kind_names.append(name)
    if isinstance(choice.judge, Recorded) and choice.code is None:
        # labels that came with traces run nothing
        return Sources(["model", "code"], kind_names)
    return Sources(["model"], kind_names)


def _is_in(subject: Subject, sources: Sources) -> bool:
    """Return whether a cell's labels come from one of these sources and kinds."""
    return subject.source_name in sources.sources and subject.kind.name in sources.kinds


def is_computed(subject: Subject) -> bool:
    """Return whether the labels of a cell are computed, so that no judge is asked."""
    return subject.source_name != "model"


def is_asked_about(subject: Subject, choice: JudgeChoice) -> bool:
    """Return whether a cell is of the sort that this judge is asked about, judged already or not.

    A model, of any name, is asked about every cell whose labels a model gives, and so is a choice
    without a judge. Word overlap is asked only about those of the kinds that it can judge. A choice
    of recorded labels is also asked about cells of code that may not run. Who judged the cell
    before is no matter.
    """
    return _is_in(subject, _sources_of(choice))


def open_again(bench: Workbench, choice: JudgeChoice, where: str = "") -> Round:
    """Save the round in which this judge asks again as the open one, and return it.

    If the open round is a second or later one for this judge and query, and still has cells with
    labels of an earlier round, it is returned and nothing is saved. Otherwise it is a new one, with
    the cells that the query `where` finds now, or all for "". Nothing is asked yet. Raises Refused
    for a query that cannot be read, and NotKept if the disk refuses.
    """
    following = next_round(bench, choice, where)
    bench.open_round(following)
    return following


def next_round(bench: Workbench, choice: JudgeChoice, where: str = "") -> Round:
    """Return the open round if this judge may continue it, or else a new one; nothing is saved.

    It may continue a second or later round that was opened for the same judge and query, while
    cells of it still have labels of an earlier round. The number of a new round is one above that
    of the open round and of all labels. It has the cells that the query `where` finds now, or all
    for "". Raises Refused for a query that cannot be read.
    """
    path = bench.workspace.path
    current = bench.round
    try:
        query = parse(where, vocabulary(path))
    except QueryUnreadable as unreadable:
        raise Refused(f"Which cells? {unreadable}") from unreadable
    query_and_judge = (str(query), _identity(choice))
    if current.no > 1 and (current.where, current.by) == query_and_judge:
        pending = PendingCells(bench.workspace, choice, CellScope(current))
        if pending.has_cells_to_ask_again:
            return current

    cells = None
    if str(query):
        cells = tuple(look_up(path, query, by=bench.reviewer).numbers)
    latest = max(current.no, bench.workspace.cells.last_round())
    return Round(latest + 1, *query_and_judge, cells)


def _identity(choice: JudgeChoice) -> str:
    """Return the hash of a judge that a round keeps as `by`, to know the same judge again.

    It depends on the name of the choice, on the names, servers, APIs and parameters of its models,
    and on the prompts and the number of examples. It is never "".
    """
    models = []
    for member in choice.members:
        endpoint = member.endpoint
        models.append(
            [member.host, endpoint.model, endpoint.api, dict(endpoint.params)],
        )
    fields = {
        "name": choice.name,
        "asked": models,
        "prompts": choice.prompts,
        "few_shot": choice.few_shot,
    }
    return digest(fields)


def _all_pages(page: Callable[[int, int], list[int]], after: int) -> Iterator[int]:
    """Yield all numbers after `after`, page by page.

    `page(after, count)` returns at most `count` of the next ones in order, or none at the end.
    """
    while numbers := page(after, _PAGE):
        yield from numbers
        after = numbers[-1]
