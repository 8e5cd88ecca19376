"""What is asked: missing cells, those of an open round, and what a judge gets beyond them.

A run has up to three parts: cells that rules compute, that other people's code computes, and
that a judge is asked about. Examples are chosen by a hash: neither a judge's labels nor how
often it was overruled have a say. Preferring corrected cells would take the judge's worst out of
its own figures, because cells that were shown are left out of them.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain, takewhile
from pathlib import Path
from traceback import extract_tb

from msgspec import Struct, to_builtins

from appellate.core.cell import Cell, round_of
from appellate.core.facts import Failed, Proposed
from appellate.core.kind import AnyKind, Briefing, Example, Source, Subject, Trait
from appellate.core.problem import Refused, many
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
from appellate.judging.progress import computing
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


def has_failed_so(cell: Cell, failed: Failed) -> bool:
    """Whether the cell failed with these words already, in this round."""
    known = cell.error
    return known is not None and known.error == failed.error and round_of(known) == round_of(failed)


def savable(what: Proposed | Failed) -> Proposed | Failed:
    """Return what came of asking about a cell, or a failure in its place if it cannot be saved.

    One answer that holds what no file takes must not end a run over all the others.
    """
    try:
        to_json(to_builtins(what)).encode()
    except UnicodeEncodeError:
        fields = {}
        for name in ("name", "round"):
            if name in what.judge:
                fields[name] = what.judge[name]
        cannot = "The answer cannot be saved: it holds half a character, a lone surrogate."
        return Failed(cannot, "", fields)
    return what


def describe_error(error: BaseException) -> str:
    """What broke and where; the words of an error only where they can be nobody's text."""
    name = type(error).__name__
    if isinstance(error, OSError | ImportError) or type(error).__module__.startswith("appellate."):
        return f"{name}: {error}"
    frames = extract_tb(error.__traceback__)
    if not frames:
        return name
    return f"{name} in {Path(frames[-1].filename).name}, line {frames[-1].lineno}"


# -- which cells -----------------------------------------------------------------------------------


class Briefings:
    """The briefing of each cell of a run; its examples are settled when a trait first comes up."""

    def __init__(
        self, workspace: Workspace, prompts: Prompts | None = None, few_shot: int = 0
    ) -> None:
        """`prompts` go before the rubric's own."""
        self._workspace = workspace
        self._prompts = over(workspace.rubric.prompts, prompts or {})
        self._few_shot = few_shot
        self._pools: dict[str, tuple[Example, ...]] = {}

    def of(self, subject: Subject, trace: Trace) -> Briefing:
        """What a judge gets beyond this cell."""
        parts = self._prompts.get(subject.kind.name, {})
        if not self._few_shot:
            return Briefing(parts, ())
        known = subject.trait.sha256()
        if known not in self._pools:
            self._pools[known] = examples(self._workspace, subject.trait, self._few_shot + 1)
        others = [example for example in self._pools[known] if example.trace.id != trace.id]
        return Briefing(parts, tuple(others[: self._few_shot]))


def examples(workspace: Workspace, trait: Trait, count: int, seed: int = 0) -> tuple[Example, ...]:
    """Signed-off cells of just this trait, none blank, each of another trace, ordered by hash."""

    def rank(signed: tuple[int, str, int]) -> bytes:
        _, trace_id, epoch = signed
        whole = "\0".join((str(seed), trait.name, trace_id, str(epoch)))
        return hashlib.sha256(whole.encode()).digest()

    found: dict[str, Example] = {}
    for number, trace_id, _ in sorted(signed_off(workspace.path, trait.name), key=rank):
        if len(found) == count:
            break
        if trace_id in found:
            continue
        trace, cell = workspace.cell(number)
        kind = cell.subject.kind
        if cell.subject.trait == trait and cell.labels != kind.blank:
            written = kind.write(cell.labels)
            table = {**written["audited"], "items": written.get("items", [])}
            judged = cell.judge.table if cell.judge else {}
            found[trace_id] = Example(trace, table, judged)
    return tuple(found.values())


_PAGE = 100
_NAMED = 6
"""So many functions are named in a sentence."""


class CellScope(Struct, frozen=True):
    """The missing cells, from `start` on and around, and the judged ones of `round`.

    `alone`: the round's only; `only`: that one cell.
    """

    round: Round = Round()
    start: int = 1
    only: int | None = None
    alone: bool = False


class PendingCells:
    """Cells that wait for a judge, or, of another `source`, for nobody.

    A round belongs to its judge: another one is asked only about what has no judgment. Where the
    round is `alone`, only its own cells without a judgment count.
    """

    def __init__(
        self,
        workspace: Workspace,
        choice: JudgeChoice,
        cells: CellScope = CellScope(),
        *,
        source: Source = "model",
    ) -> None:
        self._workspace = workspace
        self.cells = cells
        self._round = cells.round
        self._sources = _judged_by(choice)
        if source == "rule":
            self._sources = Sources(["rule"], list(kinds()))
        elif source == "code":
            self._sources = Sources(["code"], list(kinds()))
            if choice.code is None:  # it may not run
                self._sources = Sources([], [])
        self._briefings = Briefings(workspace, choice.prompts, choice.few_shot)
        self._wanted: frozenset[int] | None = None
        if source == "model" and self._round.by not in ("", _identity(choice)):
            self._wanted = frozenset()
        elif self._round.cells is not None:
            self._wanted = frozenset(self._round.cells)

    @property
    def left(self) -> int:
        if self.cells.only or self._wanted is not None:
            return sum(1 for _ in self.numbers())
        cells = self._workspace.cells
        count = cells.count_missing(self._sources)
        if self._round.no > 1:
            count += cells.count_judged_before(self._round.no, self._sources)
        return count

    @property
    def is_begun(self) -> bool:
        """Whether the round has judged cells left to come to."""
        return next(self._again(), None) is not None

    def question(self, number: int) -> Question:
        return self._question(number, *self._workspace.cell(number))

    def recorded(self) -> Iterator[Answered]:
        """What each trace brought, looked up when it is its turn."""
        for number in self.numbers():
            known = self._workspace.cell(number)
            question = self._question(number, *known)
            try:
                outcome: Outcome = check_labels(question, Recorded().proposed(question))
            except NotRecorded as nothing:
                outcome = NoLabels(str(nothing))
            yield Answered(number, question.round, outcome, known=known)

    def _question(self, number: int, trace: Trace, cell: Cell) -> Question:
        asked = trace
        if cell.revised:  # labels that came with the trace are about the trait as it was
            asked = asked.model_copy(update={"judgments": {}})
        round_no = self._round.no
        if cell.judged:
            round_no = max(round_no, cell.round + 1)
        briefing = self._briefings.of(cell.subject, asked)
        return Question(cell.subject, asked, briefing, number, round_no)

    def questions(self) -> Iterator[Question]:
        """What a judge is asked about each cell, looked up when it is its turn."""
        return map(self.question, self.numbers())

    def numbers(self) -> Iterator[int]:
        """The cells: missing from `start` around, then the round's, and last those that failed."""
        if self.cells.only:
            if _is_from(self._workspace.cell(self.cells.only)[1].subject, self._sources):
                yield self.cells.only
            return
        start = self.cells.start
        before = takewhile(lambda number: number < start, self._missing(0))
        cells = chain(self._missing(start - 1), before)
        if self._round.no > 1:
            cells = chain(cells, self._again())
        failures = self._workspace.cells.failures(self._round.no, self._sources)
        failed = []
        for number in cells:
            if number in failures:
                failed.append(number)
            else:
                yield number
        yield from sorted(failed, key=failures.__getitem__)

    def _missing(self, after: int) -> Iterator[int]:
        """The cells without a judgment after this one."""
        page = partial(self._workspace.cells.missing, self._sources)
        for number in _paged(page, after):
            if not self.cells.alone or self._is_wanted(number):
                yield number

    def _again(self) -> Iterator[int]:
        """The judged cells that the open round has not come to yet."""
        page = partial(self._workspace.cells.judged_before, self._round.no, self._sources)
        return filter(self._is_wanted, _paged(page, 0))

    def _is_wanted(self, number: int) -> bool:
        return self._wanted is None or number in self._wanted


def left_out(workspace: Workspace, choice: JudgeChoice) -> str:
    """What there is to say of the cells that stay as they are under this choice, in sentences."""
    texts = []
    names = []
    unjudged = 0
    unrun = 0
    for name in set(kinds()).difference(_judged_by(choice).kinds):
        missing = workspace.cells.count_missing(Sources(["model"], [name]))
        if missing:
            names.append(name)
            unjudged += missing
    if unjudged:
        of = " and ".join(names)
        text = f"{many(unjudged, 'cell')} of {of} traits cannot be judged by comparing words"
        texts.append(f"{text}: name a model with --model, or fill them by hand.")
    if choice.code is None:
        unrun = workspace.cells.count_missing(Sources(["code"], list(kinds())))
    if unrun:
        wait = many(unrun, "cell waits", "cells wait")
        text = f"{wait} for code that was not run ({functions(workspace)})"
        texts.append(f"{text}: start with --allow-code to run it, or fill them by hand.")
    return " ".join(texts)


def functions(workspace: Workspace) -> str:
    """The code of other people that the traits of a rubric name, each once."""
    named = [code_of(kind.source(trait), trait) for kind, trait in workspace.rubric.every_trait()]
    names = list(filter(None, dict.fromkeys(named)))
    shown = names[:_NAMED]
    if len(names) > _NAMED:
        shown.append(f"{len(names) - _NAMED} more")
    return ", ".join(shown)


def code_question(workspace: Workspace, choice: JudgeChoice, cells: CellScope) -> str:
    """What a person is asked before the code of other people runs; nothing where none would."""
    count = PendingCells(workspace, choice, cells, source="code").left
    if not count:
        return ""
    names = functions(workspace)
    if cells.only:
        subject = workspace.cell(cells.only)[1].subject
        names = code_of(subject.source, subject.trait)
    about = many(count, "cell")
    if workspace.meta(meta.RECORDED) and not cells.only:
        about = f"those of {about} that came without labels"
    return f"Run {names} on {about}? It is the rubric's code, not Appellate's."


def count_computed(workspace: Workspace) -> int:
    """How many cells hold labels, or a failure, that a kind came to by itself."""
    of = Sources(["rule", "code"], list(kinds()))
    return workspace.cells.count_judged_by(list(computing()), of)


def _judged_by(choice: JudgeChoice) -> Sources:
    """What this judge is asked about; without a name, any."""
    asked: Mapping[str, AnyKind] = kinds()
    if isinstance(choice.judge, Lexical):
        asked = {name: kind for name, kind in asked.items() if kind.asked and kind.asked.lexical}
    if isinstance(choice.judge, Recorded) and choice.code is None:
        return Sources(["model", "code"], list(asked))  # labels that came with traces run nothing
    return Sources(["model"], list(asked))


def _is_from(subject: Subject, of: Sources) -> bool:
    return subject.source_name in of.sources and subject.kind.name in of.kinds


def is_computed(subject: Subject) -> bool:
    """Whether nobody is asked about a cell."""
    return subject.source_name != "model"


def is_judged(subject: Subject, choice: JudgeChoice) -> bool:
    """Whether this judge is asked about a cell; without a name, any."""
    return _is_from(subject, _judged_by(choice))


def open_again(bench: Workbench, choice: JudgeChoice, where: str = "") -> Round:
    """Begins or goes on with `next_round`: from here on answers belong to it."""
    ahead = next_round(bench, choice, where)
    bench.open_round(ahead)
    return ahead


def next_round(bench: Workbench, choice: JudgeChoice, where: str = "") -> Round:
    """The open round of this judge, else a new one of the cells that `where` finds, or Refused."""
    path = bench.workspace.path
    now = bench.round
    try:
        query = parse(where, vocabulary(path))
    except QueryUnreadable as unreadable:
        raise Refused(f"Which cells? {unreadable}") from unreadable
    asked = (str(query), _identity(choice))
    goes_on = now.no > 1 and (now.where, now.by) == asked
    if goes_on and PendingCells(bench.workspace, choice, CellScope(now)).is_begun:
        return now
    cells = None
    if str(query):
        cells = tuple(look_up(path, query, by=bench.reviewer).numbers)
    return Round(max(now.no, bench.workspace.cells.last_round()) + 1, *asked, cells)


def _identity(choice: JudgeChoice) -> str:
    """What tells a judge with its prompts and examples from another."""
    asked = []
    for member in choice.members:
        endpoint = member.endpoint
        asked.append([member.host, endpoint.model, endpoint.api, dict(endpoint.params)])
    fields = {"name": choice.name, "asked": asked}
    return digest(fields | {"prompts": choice.prompts, "few_shot": choice.few_shot})


def _paged(page: Callable[[int, int], list[int]], after: int) -> Iterator[int]:
    while numbers := page(after, _PAGE):
        yield from numbers
        after = numbers[-1]
