"""Which judge to use: every judge of an audit beside the same people, and what a cell costs.

A judge is that of a round, or one member of a panel. `judges_at()` counts a workspace in a thread,
`JudgesCount` any audit cell by cell, and `judges_page()` makes blocks of the result. What a judge
said of a hidden cell is never looked at.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.agreement import (
    ENOUGH,
    Agreement,
    Answers,
    PairCounts,
    answer_pairs,
    cluster_of,
)
from appellate.core.cell import Cell, proposals, round_of
from appellate.core.describe import asking_cost, judge_name, members
from appellate.core.design_facts import of_this_sample, reasons_of, sample_of
from appellate.core.facts import NOT_ASKED, Fact, Failed, Proposed
from appellate.core.figures import (
    NO_FIGURE,
    FigureBlock,
    FigureColumn,
    FigureRow,
    FigureTable,
    Sentence,
    Sentences,
    ShownFigure,
    count_of,
)
from appellate.core.kind import Instruction, KnownTrait, Table
from appellate.core.only_counts import SHOWN, Reasons
from appellate.core.problem import Refused, many
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.numbers import which_judge
from appellate.numbers.bars import bars_of, number_of
from appellate.numbers.estimates import AuditUnit, EstimatedTrait, estimated_traits
from appellate.numbers.formatting import (
    between,
    change,
    cost_figure,
    cut,
    figure,
    percent,
)
from appellate.numbers.such_traces import (
    BarResult,
    bar_result,
    bar_text,
    judge_help,
    least_help,
    unit_cell,
)
from appellate.numbers.which_judge import AnswersByCluster, Verdict, choice_text
from appellate.stats.aggregates import known_mean
from appellate.stats.clustered import pooled
from appellate.stats.estimates import Estimate, Interval
from appellate.stats.looks import FEWEST, TrustBar
from appellate.stats.paired import Flips, flips, paired_difference
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.audit import AuditedCell
from appellate.store.database import reading


def answers_in_common(cell: Cell) -> dict[Instruction, Answers]:
    """Return the answers of judge and person to the questions that a cell is compared by.

    Only questions count that both answered; a question of a list that the kind does not compare is
    left out. Each pair has the judge's answer first. The person's is that of the blind verdict, or
    else of the signed labels. {} before a person has signed off or ruled.
    """
    compared_lists = cell.subject.kind.compared
    return {
        instruction: pair
        for instruction, pair in answer_pairs(cell)
        if not compared_lists or instruction.of in compared_lists
    }


# -- counting --------------------------------------------------------------------------------------


class JudgeKey(NamedTuple):
    """Which judge it is."""

    name: str
    round: int
    is_member: bool
    """Whether it answered as a member of a panel."""


class _Work(Struct):
    """What one judge said of the cells that people ruled on in one way, blind or not."""

    answers: dict[Hashable, dict[Hashable, Answers]] = field(default_factory=dict)
    current: dict[Hashable, dict[Hashable, Answers]] = field(default_factory=dict)
    """The current judge's answers to the same questions."""
    cells: set[Hashable] = field(default_factory=set)
    """The cells that it judged, by their keys."""
    superseded: set[Hashable] = field(default_factory=set)
    """Those of which another judgment is the current one."""
    units: dict[Hashable, AuditUnit] = field(default_factory=dict)
    """The traces, or clusters of traces, that numbers of the judge are of."""
    failures: dict[Hashable, str] = field(default_factory=dict)
    """Why the judge gave no labels, by the cell's key."""
    failed_traits: dict[Hashable, str] = field(default_factory=dict)
    """The name of the trait of each of these cells, by the cell's key."""
    costs: list[float | None] = field(default_factory=list)
    """What each cell costs to ask about; None if not known."""
    seconds: list[float | None] = field(default_factory=list)
    """The seconds of each cell; None if not known, also for a reply of the cache."""

    def add(
        self,
        cluster: Hashable,
        place: Hashable,
        cell: Cell,
        current: Cell,
    ) -> None:
        """Count a cell with this judge's labels, beside those of the current judge.

        `cell` has this judge's labels as its judge's, and `current` is the same cell with the
        current judge's. `place` alone names the cell, and `cluster` the unit that it belongs to. A
        failure of this judge at `place` is forgotten. The current judge's answers count only where
        both answered.
        """
        self.cells.add(place)
        self.failures.pop(place, None)
        self.failed_traits.pop(place, None)
        if cluster not in self.units:
            self.units[cluster] = AuditUnit(place=len(self.units), name=str(cluster))
        self.units[cluster].add([unit_cell(cell)])
        current_pairs = answers_in_common(current)
        for instruction, pair in answers_in_common(cell).items():
            question = (place, instruction)
            self.answers.setdefault(cluster, {})[question] = pair
            if instruction in current_pairs:
                of_cluster = self.current.setdefault(cluster, {})
                of_cluster[question] = current_pairs[instruction]

    def fail(self, place: Hashable, trait: str, reason: str) -> None:
        """Count a cell that the judge gave no labels to, with the reason.

        `place` alone names the cell: a later reason for an equal `place` replaces an earlier one.
        `trait` is the name of the cell's trait.
        """
        self.failures[place] = reason
        self.failed_traits[place] = trait

    def take(self, record: Table) -> None:
        """Count what a cell costs and how many seconds it took, by the judge's record of it.

        What the record does not say counts as unknown, and so do the seconds of a reply from the
        cache.
        """
        self.costs.append(asking_cost(record))
        seconds = record.get("latency")
        if record.get("cached") or isinstance(seconds, bool):
            seconds = None
        self.seconds.append(
            float(seconds) if isinstance(seconds, int | float) else None,
        )


class JudgeResult(Struct, frozen=True):
    """One judge beside people."""

    name: str
    """Its model or name, with the round if it judged in several."""
    is_member: bool
    """Whether it answered as a member of a panel."""
    is_current: bool
    """Whether it is the current judge of every cell that it judged."""
    cells: int
    """Cells with people's labels that it judged."""
    agreement: Agreement
    """Its answers beside people's."""
    flips: Flips
    """What it gained and lost beside the current judge, on the questions that both answered."""
    cost: float | None
    """What a cell costs on average, also where the reply came from the cache; None if not known."""
    costed: int
    """Cells whose cost is known."""
    seconds: float | None
    """The mean seconds of a cell; None if they are known of none."""
    timed: int
    """Cells whose seconds are known; those of a reply of the cache are not."""
    clusters: AnswersByCluster
    """Its answers and the person's, by cluster, then by cell and question."""
    bars: Sequence[BarResult] = ()
    """What each bar on a judge comes to over traces like these; empty where only counts are shown.
    """
    help: Estimate | None = None
    """The estimate that says what it saves in audits, of its worst trait; None for too few traces.
    """
    failures: Mapping[Hashable, str] = field(default_factory=dict)
    """Why it gave no labels, by the cells that it was asked about in vain."""

    @property
    def verdict(self) -> Verdict:
        """Whether a judge passes: every bar reached, and labels for every cell it was asked about.

        "passed", "not passed" or "undecided". A bar that is not reached fails it, whatever the
        others are. It is undecided without any bar, with an undecided one, and with a failure.
        """
        return which_judge.verdict_of(self.bars, is_complete=not self.failures)


class Choice(Struct, frozen=True):
    """Which judge to use, and how sure that is."""

    best: JudgeResult
    """The one that agrees most with people."""
    alike: Sequence[JudgeResult]
    """Those that cannot be told from the best, without it."""
    apart: Sequence[JudgeResult]
    """Those of which it cannot be told, as they judged too few of the same traces."""
    judge: JudgeResult | None
    """The cheapest of best and `alike`; None if the cost of any of them is not known."""
    difference: Interval | None
    """By how much more often `best` is right than `judge`; None if they are one, or for None."""


class ComparedJudges(Struct, frozen=True):
    """All judges of an audit beside the same people."""

    judges: Sequence[JudgeResult]
    """The one that agrees most comes first."""
    is_blind: bool
    """Whether people ruled before they saw a judge; else they signed off with one in sight."""
    choice: Choice | None
    """None for a single judge, and where fewer than two can be compared."""
    bars: Sequence[TrustBar] = ()
    """The bars on a judge that each of them is held against."""
    named: which_judge.Choice[JudgeResult] | None = None
    """The cheapest that passes all bars; None for a single judge, and without any bar."""

    @property
    def how_ruled(self) -> str:
        """A sentence on what people had in sight as they ruled, and what that does to judges."""
        return _BLIND if self.is_blind else _IN_SIGHT


class JudgesCount:
    """Counts what each judge of an audit says beside people, one cell after the other."""

    def __init__(
        self,
        reasons: Reasons = SHOWN,
        traits: Iterable[KnownTrait] = (),
        bars: Iterable[TrustBar] = (),
    ) -> None:
        """Begin with nothing counted.

        `reasons` say why of a sample only counts are shown. `traits` are those of the rubric, and
        `bars` what people hold judges against. Bars on responses are left out, and those whose
        trait or measure is not among the traits'.
        """
        self._reasons = reasons
        self._traits = estimated_traits(traits)
        self._bars = list(_bars_on_judges(self._traits, bars))
        self._blind: dict[JudgeKey, _Work] = {}
        self._sighted: dict[JudgeKey, _Work] = {}

    def add(self, audited: AuditedCell) -> None:
        """Count a cell that a person ruled on or signed off, for each judge that judged it.

        The members of a panel count as judges of their own, and failures to judge are counted too.
        Blind rulings and sign-offs are counted apart. Other cells are skipped, as are hidden cells,
        examples of a judge, rulings and sign-offs by agents, and cells that are computed without a
        judge. Judgments from before the trait was last revised do not count.
        """
        cell = audited.cell
        ruling = cell.ruled if cell.ruled_blind else cell.signed
        if ruling is None or ruling.as_agent or cell.hidden or cell.example:
            return
        if cell.subject.source_name != "model":
            return
        works = self._blind if cell.ruled_blind else self._sighted
        self._add_failures(works, audited)
        cluster = cluster_of(audited.trace.cluster, audited.trace.id)
        for fact in proposals(cell):
            if fact.n <= cell.revised or not isinstance(fact.what, Proposed):
                continue
            record = fact.what.judge
            round_no = round_of(fact.what)
            work = works.setdefault(
                JudgeKey(judge_name(record), round_no, is_member=False),
                _Work(),
            )
            work.add(cluster, audited.key, replace(cell, judged=fact), cell)
            if fact is not cell.judged:
                work.superseded.add(audited.key)
            work.take(record)
            for member in members(record):
                work = works.setdefault(
                    JudgeKey(member.name, round_no, is_member=True),
                    _Work(),
                )
                if member.error:
                    work.fail(audited.key, cell.subject.trait.name, member.error)
                    continue
                member_proposal = Fact(
                    fact.n,
                    fact.at,
                    fact.by,
                    Proposed(member.table, member.table),
                )
                work.add(
                    cluster,
                    audited.key,
                    replace(cell, judged=member_proposal),
                    cell,
                )
                work.superseded.add(audited.key)
                work.take(member.table)

    def _add_failures(self, works: dict[JudgeKey, _Work], audited: AuditedCell) -> None:
        """Count which judges gave no labels to a cell, under the trait as it is.

        Of a panel that failed these are the panel, and the members that gave no labels. Failures
        from before the trait was last revised are left out, and so are cells that a judge was not
        asked about. Changes `works`.
        """
        cell = audited.cell
        trait = cell.subject.trait.name
        for fact in cell.facts:
            failure = fact.what
            if fact.n <= cell.revised or not isinstance(failure, Failed):
                continue
            if failure.error.startswith(NOT_ASKED):
                continue
            round_no = round_of(failure)
            judge_key = JudgeKey(judge_name(failure.judge), round_no, is_member=False)
            work = works.setdefault(judge_key, _Work())
            work.fail(audited.key, trait, failure.error)
            for member in members(failure.judge):
                if member.error:
                    member_key = JudgeKey(member.name, round_no, is_member=True)
                    work = works.setdefault(member_key, _Work())
                    work.fail(audited.key, trait, member.error)

    def compared_judges(
        self,
        on_progress: OnProgress = ignore_progress,
    ) -> ComparedJudges:
        """Return all judges beside people, and which to use; the one that agrees most is first.

        People's blind answers count if some judge has `ENOUGH` of them beside its own, or if there
        are no others; else only the others do. The two are never pooled. Without any answer the
        list is empty. By agreement and cost no judge is named to use (`choice` is None) while fewer
        than two have enough answers. By bars none is (`named` is None) for fewer than two judges,
        and without bars. Bars and savings are computed only where no reason of the sample forbids
        shares. `on_progress` is told after each judge how many are done, and 0 after each bar, each
        trait and each comparison of two; it may raise to stop.
        """
        is_blind = any(_answer_count(work) >= ENOUGH for work in self._blind.values())
        is_blind = is_blind or not self._sighted
        works = self._blind if is_blind else self._sighted
        reason = self._reasons.of(blind=is_blind)
        results: list[JudgeResult] = []
        for key, work in works.items():
            result = _result(key, work, _distinct_name(key, works), reason)
            if not reason:
                result = self._with_bars(result, work, on_progress)
            results.append(result)
            on_progress(len(results), None)
        results.sort(key=_share_alike, reverse=True)
        named = None
        if self._bars and len(results) > 1:
            named = which_judge.choose_judge(results)
        return ComparedJudges(
            results,
            is_blind,
            _choice(results, on_progress),
            self._bars,
            named,
        )

    def _with_bars(
        self,
        judge: JudgeResult,
        work: _Work,
        on_progress: OnProgress,
    ) -> JudgeResult:
        """Return a copy of a judge with what each bar comes to and what it saves in audits.

        The bars are in their order. It saves what it does under its worst trait; None if that is
        not known of any. `on_progress` is told 0 after each step and may raise to stop.
        """
        unanswered = set(work.failed_traits.values())
        units = list(work.units.values())
        results: list[BarResult] = []
        for bar in self._bars:
            results.append(bar_result(self._traits, units, bar, unanswered=unanswered))
            on_progress(0, None)
        estimates: list[Estimate | None] = []
        for trait in self._traits:
            if trait.name:
                estimates.append(judge_help(units, trait))
                on_progress(0, None)
        return replace(judge, bars=results, help=least_help(estimates))


def _bars_on_judges(
    traits: Sequence[EstimatedTrait],
    bars: Iterable[TrustBar],
) -> Iterator[TrustBar]:
    """Yield each bar on a judge once, in the order of `bars`.

    Left out are bars on responses, and those whose trait or measure `traits` lack or that may mean
    several numbers.
    """
    for bar in {str(bar): bar for bar in bars}.values():
        with suppress(Refused):  # the rubric has this number no more
            if bar.is_on_judge and number_of(traits, bar):
                yield bar


def _answer_count(work: _Work) -> int:
    """Return how many answers of a judge have people's beside them."""
    return sum(len(answers) for answers in work.answers.values())


def _distinct_name(key: JudgeKey, works: Mapping[JudgeKey, _Work]) -> str:
    """Return what a judge is called, with what tells it from others of the same name.

    ", round 2" follows if those of its name have several rounds. ", in a panel" follows for a
    member of a panel if another of its name is none.
    """
    rounds: set[int] = set()
    are_all_members = True
    for other in works:
        if other.name == key.name:
            rounds.add(other.round)
            are_all_members = are_all_members and other.is_member
    text = key.name
    if len(rounds) > 1:
        text += f", round {key.round}"
    if key.is_member and not are_all_members:
        text += ", in a panel"
    return text


def _result(key: JudgeKey, work: _Work, name: str, reason: str) -> JudgeResult:
    """Return one judge beside people, under its name for people, without bars.

    `reason` says why no shares are shown, "" if they are. With fewer than `FEWEST` traces only
    counts are shown, with a reason of their own in place of `reason`. Mean cost and seconds are of
    the cells of which they are known, and None if of none.
    """
    pairs = PairCounts()
    for cluster, answers in work.answers.items():
        for pair in answers.values():
            pairs.add(cluster, pair)
    if len(work.answers) < FEWEST:
        reason = f"Shares are shown from {FEWEST} traces on, and {len(work.answers)} are compared."
    agreement = pairs.agreement(frozenset(), (), reason)
    agreement.known("observed")  # worked out here, so that no key waits for it
    patterns = pooled(which_judge.patterns_of_two(work.current, work.answers))
    cost = known_mean(work.costs)
    seconds = known_mean(work.seconds)
    return JudgeResult(
        name=name,
        is_member=key.is_member,
        is_current=not work.superseded,
        cells=len(work.cells),
        agreement=agreement,
        flips=flips(patterns),
        cost=cost.mean,
        costed=cost.n,
        seconds=seconds.mean,
        timed=seconds.n,
        clusters=work.answers,
        failures=work.failures,
    )


def _share_alike(judge: JudgeResult) -> tuple[float, int]:
    """Return what judges are ordered by: the share alike, where only counts are shown the count."""
    return judge.agreement.observed or 0.0, judge.agreement.agreed


def _choice(judges: Sequence[JudgeResult], on_progress: OnProgress) -> Choice | None:
    """Return which judge to use, of those with enough answers; None for fewer than two of them.

    `judges` have the one that agrees most first, which is the best. Another cannot be told from it
    if the interval of their difference reaches down to 0. Of these and the best the cheapest is the
    `judge` to use, the first of equal ones. `judge` is None if the cost of any of them is not
    known. Judges with fewer than `FEWEST` traces in common with the best, or without an interval,
    are apart, and their cost does not count. `on_progress` is told 0 after each comparison.
    """
    comparable = [judge for judge in judges if judge.agreement.is_shown]
    if len(comparable) < 2:  # noqa: PLR2004 - one judge leaves no choice
        return None
    best = comparable[0]
    alike: list[JudgeResult] = []
    apart: list[JudgeResult] = []
    differences: dict[str, Interval] = {}
    for judge in comparable[1:]:
        patterns = which_judge.patterns_of_two(judge.clusters, best.clusters)
        on_progress(0, None)
        difference = None
        if sum(patterns.values()) >= FEWEST:
            difference = paired_difference(patterns)
        if difference is None:
            apart.append(judge)
        elif difference.low <= 0:
            alike.append(judge)
            differences[judge.name] = difference
    candidates = [best, *alike]
    if any(judge.cost is None for judge in candidates):
        return Choice(best, alike, apart, None, None)
    cheapest = min(candidates, key=_cost)
    return Choice(best, alike, apart, cheapest, differences.get(cheapest.name))


def _cost(judge: JudgeResult) -> float:
    """Return what a cell costs a judge, to find the cheapest; 0 if that is not known."""
    return judge.cost or 0.0


def judges_at(path: Path, on_progress: OnProgress = ignore_progress) -> ComparedJudges:
    """Return all judges of a workspace beside people, for a thread; nothing is written.

    `path` is that of the workspace's file. The bars are those planned or looked at on its sample.
    `on_progress` is told after each cell how many were counted before it. Then it is told after
    each judge how many are done, and 0 after each bar, each trait and each comparison of two. It
    may raise to stop. Raises sqlite3.Error if the file cannot be read, and ValueError for a plan
    whose bar cannot be read.
    """
    with reading(path) as db:
        audit = WorkspaceAudit(db)
        count = JudgesCount(
            reasons_of(sample_of(audit.design)),
            audit.rubric.every_trait(),
            bars_of(of_this_sample(audit.design)),
        )
        for done, audited in enumerate(audit.cells):
            count.add(audited)
            on_progress(done, None)
    return count.compared_judges(on_progress)


# -- the page --------------------------------------------------------------------------------------

NOTHING = (
    "No cell that a judge labelled is signed off or ruled on yet, so no judge can be"
    " compared."
)
ANOTHER = "appellate judge AUDIT --again --model NEW asks another about the same cells."
_IN_SIGHT = (
    "People signed off with a judge in sight, which makes that judge look better than it is, and"
    " the others worse."
)
_BLIND = "People ruled before they saw a judge."
TOO_FEW_TO_SAVE = (
    f"It is shown from {FEWEST} traces on, and where the trait has a number."
)
_LONGEST_REASON = 120
"""Characters of why a judge gave no labels."""
_COLUMNS = (
    FigureColumn("cells", 5),
    FigureColumn("n", 5, words="answers"),
    FigureColumn("alike", 5),
    FigureColumn("from", 5, words="95 % from"),
    FigureColumn("to", 5),
    FigureColumn("gained", 6),
    FigureColumn("lost", 5),
    FigureColumn("saves", 5, words="audits that it saves"),
    FigureColumn("cost", 8, words="cost of a cell"),
    FigureColumn("s", 5, words="seconds of a cell"),
)
_BARS = FigureColumn("bars", 5, words="bars reached")
"""It is shown where there is a bar on a judge."""
_FAILED = FigureColumn("failed", 6, words="cells without labels")
"""It is shown where a judge gave no labels to a cell."""
_BEFORE_BARS = 7
"""How many columns come before bars and failures."""
_LEAST = 18


def judges_page(
    judges_compared: ComparedJudges,
    asking: str = ANOTHER,
    gold_sets: str = "",
) -> list[FigureBlock]:
    """Return the blocks of the page Judges: which to use, then a table with a row for each judge.

    `asking` says how another judge is asked; it is shown where there is only one. `gold_sets` is a
    sentence on gold sets that were made of the audit, shown if there are judges and it is not "".
    Without any judge it is one block, which says so. Bars and failures have a column only if there
    are any.
    """
    if not judges_compared.judges:
        return [Sentences("Which judge?", [Sentence(NOTHING)], is_passed_over=False)]
    has_failures = any(judge.failures for judge in judges_compared.judges)
    columns = list(_COLUMNS)
    if has_failures:
        columns.insert(_BEFORE_BARS, _FAILED)
    if judges_compared.bars:
        columns.insert(_BEFORE_BARS, _BARS)
    rows: list[FigureRow] = []
    for judge in judges_compared.judges:
        rows.append(
            _row(judge, has_bars=bool(judges_compared.bars), has_failures=has_failures),
        )
    table = FigureTable(
        "judges",
        "Judges",
        columns,
        rows,
        notes=list(_notes(judges_compared)),
        least=_LEAST,
        named="judge",
        order="most alike first",
    )
    texts = [Sentence(text) for text in which_judge_texts(judges_compared, asking)]
    if gold_sets:
        texts.append(Sentence(gold_sets))
    return [Sentences("Which judge?", texts, is_passed_over=True), table]


def which_judge_texts(
    judges_compared: ComparedJudges,
    asking: str = ANOTHER,
) -> Iterator[str]:
    """Yield which judge to use and how sure that is, or why that cannot be said, in sentences.

    It cannot be said if fewer than two judges have enough answers. With bars it is the cheapest
    that passes them, or that none does. Without bars it is the cheapest of those that cannot be
    told from the one that agrees most with people. Judges that cannot be compared with that one are
    named last. A single judge is only named as the only one, whatever its bars come to, and
    `asking` follows, which says how to ask another. Without any judge it is one sentence that says
    so.
    """
    if not judges_compared.judges:
        yield NOTHING
        return
    if len(judges_compared.judges) == 1:
        yield (
            f"{cut(judges_compared.judges[0].name)} is the only judge of the cells that people"
            " settled."
        )
        yield asking
        return
    choice = judges_compared.choice
    if choice is None:
        reason = ""
        for judge in judges_compared.judges:
            reason = reason or judge.agreement.reason
        yield f"Which judge is better cannot be told yet. {reason}".rstrip()
        return
    if judges_compared.named is not None:
        yield choice_text(judges_compared.named)
    else:
        yield _choice_text(choice)
    if choice.apart:
        names = ", ".join(cut(judge.name) for judge in choice.apart)
        text = f"Whether {names} may do as well cannot be told"
        yield f"{text}: too few of the traces were judged by both."


def _choice_text(choice: Choice) -> str:
    """Return which judge to use without bars, and how sure that is, in a sentence or two.

    The best is the one that agrees most with people. If others cannot be told from it, the cheapest
    of these and of the best is named, with how much more often the best is right, or that it is
    not. If not all of them have costs, it says that instead. Judges that cannot be compared with
    the best are not named.
    """
    best = cut(choice.best.name)
    if not choice.alike and choice.apart:
        return f"{best} agrees most with people, of those that can be compared."
    if not choice.alike:
        return (
            f"{best} agrees more with people than the others do, by more than chance."
        )
    names_alike = ", ".join(cut(judge.name) for judge in choice.alike)
    if choice.judge is None:
        return (
            f"{best} agrees most with people; chance alone can set it above {names_alike}."
            " Which of them is the cheapest is not known: not all have costs."
        )
    if choice.difference is None:
        return (
            f"{best} agrees most with people, and costs no more than {names_alike},"
            " which chance alone can set below it."
        )
    value = change(choice.difference.value)
    bounds = between(choice.difference.low, choice.difference.high)
    cheapest = cut(choice.judge.name)
    if round(choice.difference.value, 3) <= 0:
        return (
            f"The cheapest that cannot be told from the best is {cheapest}. {best} is not right"
            f" more often on the answers that both gave: {value} ({bounds}); more signed cells"
            " narrow that."
        )
    return (
        f"The cheapest that cannot be told from the best is {cheapest}. {best} is right more often"
        f" by {value} ({bounds}), which chance alone can do; more signed cells narrow that."
    )


def _row(judge: JudgeResult, *, has_bars: bool, has_failures: bool) -> FigureRow:
    """Return the row of a judge: counts, share alike, gains and losses, savings, cost, seconds.

    With `has_bars` and `has_failures` it has a figure for these before the savings. What is not
    known is a dash or empty. The detail of the row is one sentence on the judge.
    """
    name = cut(judge.name)
    agreement = judge.agreement
    cells = many(judge.cells, "cell")
    answers = many(agreement.n, "answer")
    clusters = many(agreement.traces, "cluster of traces", "clusters of traces")
    cells_text = f"{cells} of {name} that people signed off or ruled on."
    answers_text = (
        f"{answers} of {name} beside those of people, of {clusters};"
        f" {agreement.agreed:,} are alike."
    )
    figures = [
        count_of(judge.cells, cells_text, ""),
        count_of(agreement.n, answers_text, ""),
    ]
    figures += _alike(agreement, answers_text)
    figures += _flips(judge)
    if has_bars:
        figures.append(_bars(judge))
    if has_failures:
        figures.append(_failed(judge))
    figures.append(_saves(judge))
    figures.append(_mean_of_cells("{} a cell", judge.cost, judge.costed, cost_figure))
    figures.append(_mean_of_cells("{} s a cell", judge.seconds, judge.timed, _seconds))
    return FigureRow(name, figures, detail=f"{_summary_text(judge)}.")


def _summary_text(judge: JudgeResult) -> str:
    """Return who a judge is and how many answers are alike, as a sentence without its period.

    It says if the judge is a member of a panel, and if the cells have its labels now.
    """
    text = cut(judge.name)
    if judge.is_member:
        text += ", a member of a panel"
    if judge.is_current:
        text += ", whose labels the cells have now"
    agreement = judge.agreement
    answers = many(agreement.n, "answer")
    return f"{text}: {agreement.agreed:,} of {answers} as people give them"


def judge_text(judge: JudgeResult) -> str:
    """Return all figures of a judge in a sentence, for line mode; unknown ones are left out.

    It has the answers alike with their interval, what was gained and lost, each bar, failures, what
    it saves, cost and seconds. Gains and losses are left out for the current judge.
    """
    parts = [_summary_text(judge)]
    observed = judge.agreement.known("observed")
    if observed.bounds is not None:
        share = figure(observed.value)
        bounds = between(observed.bounds.low, observed.bounds.high)
        parts[0] += f" ({share}, {bounds})"
    if not judge.is_current:
        gained = int(judge.flips.gained)
        lost = int(judge.flips.lost)
        parts.append(f"{gained:,} gained, {lost:,} lost beside the current judge")
    for result in judge.bars:
        parts.append(bar_text(result).removesuffix("."))
    if judge.failures:
        cells = many(len(judge.failures), "cell")
        parts.append(f"{cells} without labels ({_commonest_failure(judge)})")
    if judge.help is not None:
        share = percent(round(judge.help.judge_share, 2))
        parts.append(f"it saves {share} of the audits")
    if judge.cost is not None:
        parts.append(f"a cell costs {cost_figure(judge.cost)}")
    if judge.seconds is not None:
        parts.append(f"a cell takes {_seconds(judge.seconds)} s")
    text = "; ".join(parts)
    return f"{text}."


def _alike(agreement: Agreement, answers: str) -> list[ShownFigure]:
    """Return three figures: the share of answers alike and both ends of its interval.

    All are empty, with the reason as detail, if only counts are shown. The ends are empty without
    an interval. `answers` begins each detail.
    """
    observed = agreement.known("observed")
    if observed.value is None:
        reason = agreement.reason or f"Shown from {ENOUGH} compared answers on."
        return [ShownFigure(detail=f"{answers} {reason}")] * 3
    share = figure(observed.value)
    if observed.bounds is None:
        return [ShownFigure(share, observed.value, answers), NO_FIGURE, NO_FIGURE]
    low = observed.bounds.low
    high = observed.bounds.high
    text = f"{answers} 95 % interval, by clusters: {between(low, high)}."
    return [
        ShownFigure(share, observed.value, text),
        ShownFigure(figure(low), low, text),
        ShownFigure(figure(high), high, text),
    ]


def _flips(judge: JudgeResult) -> list[ShownFigure]:
    """Return two figures: what a judge gained and what it lost beside the current one.

    Both are dashes for the current judge itself.
    """
    if judge.is_current:
        text = "The cells have the labels of this judge now."
        return [ShownFigure("–", detail=text, style="muted")] * 2
    gained = int(judge.flips.gained)
    lost = int(judge.flips.lost)
    text = f"{many(gained, 'answer')} right here, where the current judge is wrong."
    gained_figure = count_of(gained, text, "")
    text = f"{many(lost, 'answer')} wrong here, where the current judge is right."
    return [gained_figure, count_of(lost, text, "", "corrected")]


def _bars(judge: JudgeResult) -> ShownFigure:
    """Return how many of the bars are reached, as in "1/2", with what each comes to as detail.

    It is a dash if no bar was computed; the detail is then why only counts are shown, or "". It is
    marked as failed if one is not reached.
    """
    if not judge.bars:
        return ShownFigure("–", detail=judge.agreement.reason, style="muted")
    decisions = [result.decision for result in judge.bars]
    reached = decisions.count("reached")
    text = f"{reached}/{len(decisions)}"
    detail = " ".join(map(bar_text, judge.bars))
    style = "failed" if "not reached" in decisions else ""
    return ShownFigure(text, reached, detail, style=style)


def _failed(judge: JudgeResult) -> ShownFigure:
    """Return how many cells the judge gave no labels to, as a figure that is marked as failed.

    Its text is the number alone; its detail has the commonest reason, the first of equal ones. It
    is a dash if there are none.
    """
    count = len(judge.failures)
    if not count:
        return ShownFigure("–", 0, "It gave labels to every cell.", style="muted")
    text = f"{many(count, 'cell')} that it was asked about in vain: {_commonest_failure(judge)}"
    return count_of(count, text, "", "failed")


def _commonest_failure(judge: JudgeResult) -> str:
    """Return the commonest reason why the judge gave no labels, inert and cut.

    There must be a failure. Of equally common reasons it is the first.
    """
    [(reason, _)] = Counter(judge.failures.values()).most_common(1)
    return cut(reason, _LONGEST_REASON)


def _saves(judge: JudgeResult) -> ShownFigure:
    """Return the share of audits that the judge saves in a sample, in percent; a dash if unknown.

    It is that under the judge's worst trait. The figure's detail says so with the judge's weight λ,
    and of a dash why it is unknown.
    """
    estimate = judge.help
    if estimate is None:
        reason = judge.agreement.reason or TOO_FEW_TO_SAVE
        return ShownFigure("–", detail=reason, style="muted")
    share = percent(round(estimate.judge_share, 2))
    detail = (
        f"A sample takes {share} fewer audits with its labels than without any,"
        f" under its worst trait; λ {estimate.weight:.2f}."
    )
    return ShownFigure(share.replace(" ", ""), estimate.judge_share, detail)


def _notes(judges_compared: ComparedJudges) -> Iterator[str]:
    """Yield in sentences how people ruled, and what bars on judges are held against here.

    Of bars nothing is said if there are none.
    """
    yield judges_compared.how_ruled
    if judges_compared.bars:
        yield (
            f"Bars ({', '.join(map(str, judges_compared.bars))}) are held here against traces like"
            " these, for every judge alike; Estimates decides them for the current judge."
        )


def _mean_of_cells(
    wording: str,
    value: float | None,
    count: int,
    written: Callable[[float], str],
) -> ShownFigure:
    """Return the mean cost or seconds of a cell as a figure; a dash for None.

    `written` writes the value as the figure's text. Its detail is `wording` with that text in the
    place for it, and `count`, which is how many records say it.
    """
    if value is None:
        return ShownFigure("–", detail="Its records do not say.", style="muted")
    text = written(value)
    detail = f"{wording.format(text)}, by {many(count, 'record')} that say so."
    return ShownFigure(text, value, detail)


def _seconds(value: float) -> str:
    """Return seconds with one decimal, without the unit."""
    return f"{value:.1f}"
