"""What a judge is to be asked about: the cells that are missing, those of an open round, and what it is told.

A docket reads one workspace only, so that a judge's thread can have its own.
"""

from collections.abc import AsyncIterator, Callable, Iterator

from appellate.core.refused import Refused
from appellate.judging.choice import Choice
from appellate.judging.jobs import Job
from appellate.judging.prompt_context import Briefings
from appellate.query.language import QueryUnreadable, parse
from appellate.store.queue import look_up, vocabulary
from appellate.store.workspace import Workspace
from appellate.traits.digest import digest
from appellate.workbench import Round, Workbench

_PAGE = 100


class PendingCells:
    """The cells to be asked about: first those without a judgment, then those that a later round takes on.

    A round belongs to the judge it was begun for: another one is asked only about what has no judgment.
    `alone`: only the round, so that of the cells without a judgment, too, only those that it is limited to.
    """

    def __init__(self, workspace: Workspace, choice: Choice, open_round: Round, *, alone: bool = False) -> None:
        self._workspace = workspace
        self._alone = alone
        self._round = open_round
        self._briefings = Briefings(workspace, choice.prompts, choice.few_shot)
        goes_on = open_round.by in ("", _identity(choice))
        self._wanted = open_round.cells and frozenset(open_round.cells) if goes_on else frozenset()

    @property
    def left(self) -> int:
        """How many cells there are to ask about."""
        if self._alone and self._wanted is not None:
            return sum(1 for _ in self.numbers())
        missing = self._workspace.count_missing()
        if self._round.no == 1:
            return missing
        again = self._workspace.cells.count_judged_before(self._round.no)
        return missing + (again if self._wanted is None else sum(1 for _ in self._again()))

    @property
    def is_begun(self) -> bool:
        """Whether the round has judged cells left to come to."""
        return next(self._again(), None) is not None

    def job(self, number: int) -> Job:
        """What a judge is asked about one cell."""
        trace, cell = self._workspace.cell(number)
        asked = self._workspace.rubric.asked(trace)
        if cell.revised:  # labels that came with the trace are about the trait as it was
            asked = asked.model_copy(update={"judgments": {}})
        round_no = max(self._round.no, cell.round + 1) if cell.judged else self._round.no
        return Job(number, cell.subject, asked, self._briefings.of(cell.subject, asked), round_no)

    async def drawn(self, start: int, only: int | None = None) -> AsyncIterator[Job]:
        """What is to be asked, each when it is its turn: `only` one cell, or `numbers`."""
        for job in self.each(start, only):
            yield job

    def each(self, start: int, only: int | None = None) -> Iterator[Job]:
        """The same for who waits for nobody in between."""
        return map(self.job, [only] if only else self.numbers(start))

    def numbers(self, start: int = 1) -> Iterator[int]:
        """The cells to be asked about: without a judgment from `start` on, then from the first, then the round's."""
        yield from self._missing(start - 1)
        for number in self._missing(0):
            if number >= start:
                break
            yield number
        if self._round.no > 1:
            yield from self._again()

    def _missing(self, after: int) -> Iterator[int]:
        wanted = self._wanted if self._alone else None
        return (number for number in _paged(self._workspace.cells.missing, after) if wanted is None or number in wanted)

    def _again(self) -> Iterator[int]:
        """The judged cells that the open round has not come to yet."""

        def page(after: int, count: int) -> list[int]:
            return self._workspace.cells.judged_before(self._round.no, after, count)

        return (number for number in _paged(page, 0) if self._wanted is None or number in self._wanted)


def open_again(bench: Workbench, choice: Choice, where: str = "") -> Round:
    """Begins or goes on with `next_round`: from here on answers belong to it."""
    ahead = next_round(bench, choice, where)
    bench.open_round(ahead)
    return ahead


def next_round(bench: Workbench, choice: Choice, where: str = "") -> Round:
    """The round in which this judge judges again: the one it has not come to the end of, else a new one.

    `where` limits a new one to the cells that it finds now. Raises Refused where that cannot be read.
    """
    path, now = bench.workspace.path, bench.round
    try:
        query = parse(where, vocabulary(path))
    except QueryUnreadable as unreadable:
        raise Refused(f"Which cells? {unreadable}") from unreadable
    asked = (str(query), _identity(choice))
    if now.no > 1 and (now.where, now.by) == asked and PendingCells(bench.workspace, choice, now).is_begun:
        return now
    cells = tuple(look_up(path, query, by=bench.reviewer).numbers) if str(query) else None
    return Round(max(now.no, bench.workspace.cells.last_round()) + 1, *asked, cells)


def _identity(choice: Choice) -> str:
    """What tells one judge, told one thing, from another."""
    asked = [[m.host, m.endpoint.model, m.endpoint.api, dict(m.endpoint.params)] for m in choice.members]
    return digest({"name": choice.name, "asked": asked, "prompts": choice.prompts, "few_shot": choice.few_shot})


def _paged(page: Callable[[int, int], list[int]], after: int) -> Iterator[int]:
    while numbers := page(after, _PAGE):
        yield from numbers
        after = numbers[-1]
