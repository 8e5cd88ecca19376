"""A check of judges on a gold set, as lines for a person and as JSON (`appellate-gold-check/1`)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from appellate.core.agreement import Agreement
from appellate.core.kind import Table
from appellate.core.problem import many
from appellate.gold.asking import Stale
from appellate.gold.checking import (
    GAINED,
    LOST,
    MOVED,
    Flip,
    Flips,
    JudgeCheck,
    has_few_traces,
    member_checks,
)
from appellate.gold.choosing import together
from appellate.gold.gold_file import AGREED, SIGNED, Gold
from appellate.numbers.blocks import ReportTable
from appellate.numbers.estimates import (
    KAPPA,
    SENSITIVITY,
    SPECIFICITY,
    WEIGHTED_KAPPA,
    Worth,
)
from appellate.numbers.formatting import (
    between,
    change,
    cost_figure,
    cut,
    figure,
    percent,
)
from appellate.numbers.such_traces import BarResult, bar_text
from appellate.numbers.which_judge import Choice, choose_judge, patterns_of_two
from appellate.stats.agreement_tables import total
from appellate.stats.clustered import pooled
from appellate.stats.estimates import Interval
from appellate.stats.looks import FEWEST, JUDGE

FORMAT = "appellate-gold-check/1"
SHOWN = 12
"""Flips that are shown of a judge; --json has them all."""
TRAITS = 6
"""Traits whose numbers are shown of a judge; --json has them all."""
_TOLD = (KAPPA, WEIGHTED_KAPPA, SENSITIVITY, SPECIFICITY)
"""The measures that are shown of each trait."""
_OWN_IS_SEEN = (
    "Cells that were signed off with the gold's own judge in sight make that judge look better"
    " than it is, and its flips worse."
)


# -- JSON ------------------------------------------------------------------------------------------


def check_document(gold: Gold, checks: Sequence[JudgeCheck], *, is_any: bool) -> Table:
    """Return a check as JSON has it: the gold set, each judge, and which to use.

    The keys are format, gold, verdict, judges, choice and repeats. Each of "judges" is as
    `judge_table` gives it, and has under "members" the same for each member of a panel, by which
    nothing is decided, or []. "verdict" is that of all judges together: with `is_any` one that
    passes is enough, otherwise each must pass. "choice" is None for a single judge. "repeats" has a
    table for each judge that was asked again, with judge, again, n, turned and is_recorded. Raises
    StopIteration without judges.
    """
    judges: list[Table] = []
    for check in checks:
        members = [judge_table(member) for member in member_checks(gold, check)]
        judges.append({**judge_table(check), "members": members})
    return {
        "format": FORMAT,
        "gold": gold_table(gold),
        "verdict": together(checks, is_any=is_any),
        "judges": judges,
        "choice": _choice_table(choose_judge(checks)) if len(checks) > 1 else None,
        "repeats": [repeat._asdict() for repeat in repeats_in(checks)],
    }


def gold_table(gold: Gold) -> Table:
    """Return what a gold set is, as JSON has it: its digest, how many cells, who ruled, its bars.

    The keys are digest, frozen, source, judge, traces, cells, by_agents, how, by and bars.
    "traces", "cells" and "by_agents" are counts, "cells" with those by agents. "judge" and "source"
    are texts, several names in one, and "judge" is "" without a judge. "how" counts cells by how
    they were ruled on. "by" has all names, sorted, those of agents too. "bars" are texts.
    """
    return {
        "digest": gold.digest,
        "frozen": gold.frozen,
        "source": gold.source,
        "judge": gold.judge_name,
        "traces": len(gold.traces),
        "cells": len(gold.cells),
        "by_agents": len(gold.cells) - len(gold.by_people),
        "how": dict(Counter(cell.how for cell in gold.cells)),
        "by": sorted({name for cell in gold.cells for name in cell.by}),
        "bars": [str(bar) for bar in gold.bars],
    }


def judge_table(check: JudgeCheck) -> Table:
    """Return how one judge does, as plain data for --json: its verdict, numbers, bars and cost.

    "cells" is the number of cells that count. "traits" has a table for each trait with name, kind
    and numbers: by the measure's name a table with interval and wanting. "agreement" and "flips"
    are tables, "bars" is a list of them. "cost", "seconds", "saves" and "weight" are None where
    they are not known; "costed" and "timed" say of how many cells cost and seconds are. "failed"
    and "not_asked" are lists of tables with cell and reason, "missing" names cells without a
    recorded reply, and "stale" has a table for each. "by_agents" is None if no cell labelled by an
    agent was answered, else a table as "agreement" is. The other keys are name, verdict, reasons,
    own_prompt, failed_members and notes.
    """
    traits: list[Table] = []
    for trait in check.traits:
        numbers: dict[str, Table] = {}
        for number in trait.numbers:
            numbers[number.measure.name] = {
                "interval": _interval(number.interval),
                "wanting": number.wanting or None,
            }
        traits.append(
            {
                "name": trait.trait.name,
                "kind": trait.trait.kind.name,
                "numbers": numbers,
            },
        )
    return {
        "name": check.name,
        "verdict": check.verdict,
        "reasons": check.reasons,
        "own_prompt": check.has_own_prompt,
        "cells": len(check.counted),
        "agreement": _agreement_table(check.agreement),
        "by_agents": _agreement_table(check.of_agents) if check.of_agents.n else None,
        "traits": traits,
        "bars": [_bar_table(result) for result in check.bars],
        "flips": _flips_table(check.flips),
        "cost": check.cost,
        "costed": check.costed,
        "seconds": check.seconds,
        "timed": check.timed,
        "saves": check.saves,
        "weight": check.weight,
        "failed_members": dict(check.failed_members),
        "missing": list(check.answers.missing),
        "failed": [
            {"cell": name, "reason": reason} for name, reason in check.failures.items()
        ],
        "not_asked": [
            {"cell": name, "reason": reason} for name, reason in check.unasked.items()
        ],
        "stale": list(map(stale_table, check.stale)),
        "notes": list(check.answers.notes),
    }


def stale_table(stale: Stale) -> Table:
    """Return a stale cell as plain data: which cell it is, and what changed in it.

    The keys are cell (its name), trace, epoch, trait, changed and details. "changed" is part of a
    sentence, one of `ChangedPart`; "details" is a list of texts and may be empty.
    """
    (trace, epoch), trait = stale.cell.key
    return {
        "cell": stale.cell.name,
        "trace": trace,
        "epoch": epoch,
        "trait": trait,
        "changed": stale.what,
        "details": list(stale.details),
    }


def _interval(interval: Interval | None) -> Table | None:
    """Return an interval as a table with its value, low and high; None for None."""
    return None if interval is None else interval._asdict()


def _agreement_table(agreement: Agreement) -> Table:
    """Return the counts of answers alike and the interval of their share, as plain data.

    The keys are alike, n, value, low, high and traces. "n" counts answers to compare, "value" is
    the share of them that is alike, from 0 to 1, and "traces" counts traces or clusters of them.
    "value" is None without answers, "low" and "high" with too few for an interval.
    """
    bounds = agreement.known("observed").bounds
    return {
        "alike": agreement.agreed,
        "n": agreement.n,
        "value": agreement.agreed / agreement.n if agreement.n else None,
        "low": None if bounds is None else bounds.low,
        "high": None if bounds is None else bounds.high,
        "traces": agreement.traces,
    }


def _bar_table(result: BarResult) -> Table:
    """Return a bar and its decision as plain data, with the keys bar, decision, why and interval.

    "why" is None unless it is undecided for a reason that the interval does not show. "interval"
    has value, low and high, or is None if there is none, as with too few traces.
    """
    return {
        "bar": str(result.bar),
        "decision": result.decision,
        "why": result.why or None,
        "interval": _interval(result.worth.interval),
    }


def _flips_table(flips: Flips) -> Table:
    """Return the flips of a judge: how many of each sort, the test of them, and each one.

    The keys are gained, lost, moved, n, traces, difference, mcnemar_p and flips. "n" counts the
    answers that people and both judges gave, "traces" the traces or clusters of these. "difference"
    is by how much more often, as a share, this judge is right: value, low and high, or None for too
    few answers. "mcnemar_p" is None if a trace has several answers, and without answers. Each of
    "flips" has trace, epoch, trait, of, number, text, own, new, person and sort: its cell, its
    question, three answers and how it turned.
    """
    rows: list[Table] = []
    for flip in flips.flips:
        (trace, epoch), trait = flip.cell.key
        rows.append(
            {
                "trace": trace,
                "epoch": epoch,
                "trait": trait,
                "of": flip.instruction.of,
                "number": flip.instruction.number,
                "text": flip.instruction.text,
                "own": flip.own,
                "new": flip.new,
                "person": flip.person,
                "sort": flip.sort,
            },
        )
    return {
        "gained": flips.count(GAINED),
        "lost": flips.count(LOST),
        "moved": flips.count(MOVED),
        "n": flips.n,
        "traces": flips.traces,
        "difference": _interval(flips.by),
        "mcnemar_p": flips.p,
        "flips": rows,
    }


def _choice_table(choice: Choice[JudgeCheck]) -> Table:
    """Return as plain data which judge to use, which agrees most, and by how much that is better.

    "judge" is the name of the one to use, None if none passed. "best" is that of the one that
    agrees most, None if none answered. "difference" is a table with value, low and high: by how
    much more often, as a share, the best is right than the one to use. It is None if both are one,
    if either is None, and if too few answers are there to tell it. "by_cost" says whether the costs
    of all that passed are known, also where none did: "judge" is then the cheapest, else the one
    that agrees most.
    """
    return {
        "judge": None if choice.judge is None else choice.judge.name,
        "best": None if choice.best is None else choice.best.name,
        "difference": _interval(choice.difference),
        "by_cost": choice.is_cost_known,
    }


# -- lines -----------------------------------------------------------------------------------------


def gold_text(gold: Gold) -> str:
    """Return what a gold set is, in a sentence or two: its digest, its counts and who ruled.

    The first reads "Gold abc: 6 cells of 3 traces (4 blind, 2 signed) by ada, bob; its own judge is
    gpt.", where cells by agents are counted, too. The names are those of people, each once and
    sorted, or "no person"; the last part is there only with a judge. A second sentence counts the
    cells by agents, if there are any.
    """
    names: set[str] = set()
    for cell in gold.by_people:
        names.update(cell.by)
    people = ", ".join(sorted(names)) or "no person"

    cells_by_ruling = Counter(cell.how for cell in gold.cells)
    parts = [f"{count:,} {how}" for how, count in cells_by_ruling.items()]
    rulings = ", ".join(parts)
    cells = many(len(gold.cells), "cell")
    traces = many(len(gold.traces), "trace")
    text = f"Gold {gold.digest}: {cells} of {traces} ({rulings}) by {people}"
    if gold.judge_name:
        text += f"; its own judge is {gold.judge_name}"
    text += "."

    agent_count = len(gold.cells) - len(gold.by_people)
    if agent_count:
        cells_are = many(agent_count, "cell is", "cells are")
        text += f" {cells_are} by agents, which no bar counts."
    return text


def gold_notes(gold: Gold) -> Iterator[str]:
    """Yield what weakens a gold set, a sentence or two each; nothing if nothing does.

    The first is there if people ruled on fewer than `FEWEST` traces, or clusters of them, so that
    no bar is decided. The second counts the cells that people signed off, alone or alike, which may
    have been with the judge in sight. It is there only if the gold set has a judge of its own and
    there are such cells; those ruled on blind or by a third person do not count.
    """
    if has_few_traces(gold):
        yield f"It has fewer than {FEWEST} traces by people, so that no bar is decided."
    if not gold.judge_name:
        return
    seen_count = 0
    for cell in gold.by_people:
        if cell.how in (SIGNED, AGREED):
            seen_count += 1
    if seen_count:
        seen_cells = many(seen_count, "cell")
        yield f"{seen_cells} of it were not ruled on blind. {_OWN_IS_SEEN}"


def judge_paragraphs(check: JudgeCheck) -> Iterator[str]:
    """Yield how one judge does, a sentence or two each; the verdict comes first.

    Then come a paragraph on each bar, and the reasons why it did not pass. Others come only if
    there is something to say: on numbers of its traits, on another prompt than the gold's own judge
    had, and on cells that were not asked about. After these come members of a panel without labels,
    flips, cost, the labels of agents, and notes on the answers. Of several reasons why cells were
    not asked about it says the most common one. Single flips are not in it.
    """
    yield f"{cut(check.name)}: {check.verdict}. {agreement_text(check)}"
    for result in check.bars:
        yield bar_text(result)
    yield from check.reasons
    yield from trait_texts(check)
    if check.has_own_prompt is False:
        yield "It is asked by another prompt than the gold's own judge was."
    if check.unasked:
        reasons = Counter(check.unasked.values())
        [(reason, count)] = reasons.most_common(1)
        cells = many(count, "cell")
        yield f"{cells} it was not asked about: {reason}"
    for member, count in check.failed_members.items():
        name = cut(member)
        cells = many(check.judged, "cell")
        yield (
            f"{name} gave no labels in {count:,} of {cells} of the panel, where the others decide."
        )
    if check.flips.n:
        yield flips_text(check.flips)
    cost = cost_text(check)
    if cost:
        yield cost
    if check.of_agents.n:
        alike = f"{check.of_agents.agreed:,} of {check.of_agents.n:,}"
        yield f"With labels of agents, which decide nothing, it agrees on {alike} answers."
    yield from check.answers.notes


def agreement_text(check: JudgeCheck) -> str:
    """Return how often a judge agrees with people, as a sentence with the share and its interval.

    It reads "It agrees with people on 45 of 50 answers to 50 cells (90 %, 78–97 %).", with the 95 %
    interval. Only cells by people count. With too few answers for an interval it has the counts
    only, and says so. Without any it says that the judge gave no answer that can be compared.
    """
    agreement = check.agreement
    if not agreement.n:
        return "It gave no answer that can be compared."
    answers = many(agreement.n, "answer")
    cells = many(len(check.counted), "cell")
    text = f"It agrees with people on {agreement.agreed:,} of {answers} to {cells}"
    bounds = agreement.known("observed").bounds
    if bounds is None:
        return f"{text}; too few for an interval."
    share = _share(agreement.observed)
    interval = _shares(bounds.low, bounds.high)
    return f"{text} ({share}, {interval})."


def trait_texts(check: JudgeCheck) -> Iterator[str]:
    """Yield a sentence on each trait with a number to show, with all such numbers of it.

    Shown are kappa, weighted kappa, sensitivity and specificity, as far as they have an interval,
    which stands in brackets. A trait without any is left out. After `TRAITS` sentences a last one
    says that further traits are in --json, if there are any.
    """
    trait_count = 0
    for trait in check.traits:
        numbers = _told_numbers(trait.numbers)
        if not numbers:
            continue
        trait_count += 1
        if trait_count > TRAITS:
            yield "Further traits are in --json."
            return
        name = cut(trait.trait.name)
        yield f"{name}: {', '.join(numbers)}."


def _told_numbers(numbers: Sequence[Worth]) -> list[str]:
    """Return those of a trait's numbers that are shown, each as "kappa .71 (.60 to .82)".

    Kappa, weighted kappa, sensitivity and specificity are shown, in the order of `numbers`. One
    without an interval is left out.
    """
    parts: list[str] = []
    for number in numbers:
        if number.measure.name not in _TOLD or number.interval is None:
            continue
        value, low, high = number.interval
        name = number.measure.name.removeprefix(JUDGE).replace("_", " ")
        interval = between(low, high)
        parts.append(f"{name} {figure(value)} ({interval})")
    return parts


def flips_text(flips: Flips) -> str:
    """Return how many answers differ from those of the gold's own judge, in a sentence or two.

    It counts those that became right, became wrong, or, if there are any, are wrong in another way.
    By how much more often the judge is right, with its interval, and McNemar's p follow if they can
    be told. A sentence that chance alone can do this follows if that interval holds 0. Without a
    flip another sentence says that nothing flipped, or that no answer can be compared.
    """
    count = len(flips.flips)
    if not count:
        if not flips.n:
            return "No answer can be compared with the gold's own judge's."
        same = many(flips.n, "answer is", "answers are")
        return f"Nothing flipped: {same} the same as the gold's own judge's."
    flip_count = many(count, "flip")
    answers = many(flips.n, "answer")
    gained = flips.count(GAINED)
    lost = flips.count(LOST)
    moved = flips.count(MOVED)
    text = (
        f"{flip_count} of {answers} beside the gold's own judge:"
        f" {gained:,} gained, {lost:,} lost"
    )
    if moved:
        text += f", {moved:,} wrong in another way"
    difference = flips.by
    if difference is not None:
        by = change(difference.value)
        bounds = between(difference.low, difference.high)
        text += f"; right more often by {by} ({bounds})"
    if flips.p is not None:
        text += f"; McNemar's exact p = {flips.p:.2g}"
    if difference is not None and difference.low <= 0 <= difference.high:
        text += ". Chance alone can do this"
    return f"{text}."


def flip_line(flip: Flip) -> str:
    """Return one flip on a line: its sort, cell and question, both judges' answers, and people's.

    It reads "lost   cell · question: own → new (people: person)", with the sort in six columns. The
    question is there only for kinds of traits with lists, where a cell has several. Long texts are
    cut, and control characters in them made visible. There is no line end.
    """
    question = ""
    if flip.cell.subject.kind.lists:
        question = f" · {flip.instruction.of} {flip.instruction.number}"
        question = question.replace("  ", " ")
    name = cut(flip.cell.name)
    own = cut(flip.own)
    new = cut(flip.new)
    person = cut(flip.person)
    return f"{flip.sort:6} {name}{question}: {own} → {new} (people: {person})"


def cost_text(check: JudgeCheck) -> str:
    """Return a sentence on what a cell costs and how many seconds it takes, on average.

    It ends as in "takes 1.3 s (known of 3 of 5) on average.": each says of how many judged cells it
    is known, unless of all. One that is not known is left out; "" if neither is known.
    """
    parts: list[str] = []
    if check.cost is not None:
        cost = cost_figure(check.cost)
        of_known = _of_known(check.costed, check.judged)
        parts.append(f"costs {cost}{of_known}")
    if check.seconds is not None:
        of_known = _of_known(check.timed, check.judged)
        parts.append(f"takes {check.seconds:.1f} s{of_known}")
    if not parts:
        return ""
    cost_and_time = " and ".join(parts)
    return f"A cell {cost_and_time} on average."


def _of_known(known: int, judged: int) -> str:
    """Return " (known of 3 of 5)", of how many cells a mean is; "" if it is of all judged cells.

    `known` is how many cells the mean is of.
    """
    if known == judged:
        return ""
    return f" (known of {known:,} of {judged:,})"


def _share(value: float | None) -> str:
    """Return a share as a percentage, as in "90 %"; a dash for None."""
    return "–" if value is None else percent(value)


def _shares(low: float, high: float) -> str:
    """Return two shares as one range of percentages, with a dash and one sign, as in "80–96 %"."""
    return f"{percent(low).removesuffix(' %')}–{percent(high)}"


def which_judge(gold: Gold, checks: Sequence[JudgeCheck]) -> ReportTable:
    """Return the table *which judge*: a row for each, the one that agrees most first.

    Judges that agree equally often stay in the order of `checks`. One without answers to compare
    comes last, as does one that never agrees. Below a panel are its members, in their order, with
    two blanks before their names. The columns are the judge, its verdict, the share of answers that
    agree with its 95 % interval, bars reached, answers gained and lost against the gold's own
    judge, cost and seconds of a cell, and the share of audits saved. A dash stands for what is not
    known.
    """
    heads = (
        "judge",
        "verdict",
        "agrees",
        "95 %",
        "bars",
        "gained",
        "lost",
        "cost",
        "s",
        "saves",
    )
    rows: list[tuple[str, ...]] = []
    ordered = sorted(checks, key=lambda check: -(check.agreement.observed or 0.0))
    for check in ordered:
        rows.append(_row_of_judge(check, cut(check.name)))
        for member in member_checks(gold, check):
            rows.append(_row_of_judge(member, f"  {cut(member.name)}"))
    return ReportTable(heads, rows, 2)


def _row_of_judge(check: JudgeCheck, name: str) -> tuple[str, ...]:
    """Return the row of a judge in the table *which judge*, all in texts, under this name.

    It has the name, the verdict, the share of answers that agree, its 95 % interval, how many of
    all bars are reached, answers gained and lost, mean cost and seconds of a cell, and the share of
    audits saved. A dash stands for what is not known. `name` stays as it is: it is neither cut nor
    escaped here.
    """
    bounds = check.agreement.known("observed").bounds
    reached = sum(result.decision == "reached" for result in check.bars)
    return (
        name,
        check.verdict,
        _share(check.agreement.observed),
        "–" if bounds is None else _shares(bounds.low, bounds.high),
        f"{reached} of {len(check.bars)}",
        f"{check.flips.count(GAINED):,}",
        f"{check.flips.count(LOST):,}",
        "–" if check.cost is None else cost_figure(check.cost),
        "–" if check.seconds is None else f"{check.seconds:.1f}",
        _share(check.saves),
    )


class Repeat(NamedTuple):
    """A judge that was asked twice."""

    judge: str
    again: str
    """The name that its answers have the second time."""
    n: int
    """Questions that it answered both times."""
    turned: int
    """Those to which it gave another answer the second time."""
    is_recorded: bool
    """Whether the second answers came from recorded replies, and so tell nothing."""


def repeats_in(checks: Sequence[JudgeCheck]) -> list[Repeat]:
    """Return the judges that were asked more than once: each later time next to the first.

    Each has the number of questions that were answered both times and by people, and how many of
    these got another answer the second time. `is_recorded` if the second answers were replayed, or
    if there are some and none took time, as those of a cache. A judge whose two rounds share no
    question is included with 0. Empty if each judge was asked once.
    """
    first_checks: dict[str, JudgeCheck] = {}
    repeats: list[Repeat] = []
    for check in checks:
        first = first_checks.setdefault(check.answers.again or check.name, check)
        if first is check:
            continue
        patterns = pooled(patterns_of_two(first.clusters, check.clusters))
        n = round(total(patterns))
        same_count = 0.0
        for (_, before, after), count in patterns.items():
            if before == after:
                same_count += count
        turned = n - round(same_count)
        # a reply that is sent for takes time, one of a cache does not
        is_recorded = check.answers.is_replayed or (
            check.judged > 0 and check.timed == 0
        )
        repeats.append(Repeat(first.name, check.name, n, turned, is_recorded))
    return repeats


def repeat_text(repeat: Repeat) -> str:
    """Return how steady a judge is that was asked twice, as a sentence.

    If the second answers came from recorded replies, it says only that this tells nothing of it.
    Else, if no question was answered both times, it says that nothing can be compared. Otherwise it
    says to how many questions the answer differs the second time, or that none does.
    """
    name = cut(repeat.judge)
    if repeat.is_recorded:
        text = f"{cut(repeat.again)} was answered from recorded replies, which tells nothing of how"
        return f"{text} steady {name} is."
    if not repeat.n:
        return (
            f"Asked again, {name} gave no answer that can be compared with its first."
        )
    questions = many(repeat.n, "question")
    if not repeat.turned:
        return f"Asked again, {name} answered all of {questions} the same."
    return (
        f"Asked again, {name} gave another answer to {repeat.turned:,} of {questions}:"
        " its numbers move by that much from run to run."
    )


SAVES = (
    "cost and s (seconds) are of a cell; saves is the share of audits that a sample takes less with"
    " this judge's labels than without any, under its worst trait."
)


def restatement(gold: Gold, stale: Sequence[Stale]) -> Iterator[str]:
    """Yield how many cells are stale and need a person, then each of them with what changed.

    First comes a sentence, then a line for each cell, in the order of `stale`, as "t1 · Polite:
    another is the trait (Polite.description)", without a period. If no cell is stale, one sentence
    says so, and nothing follows. Names and details are cut, and no line has a line end.
    """
    total_count = len(gold.cells)
    if not stale:
        cells = many(total_count, "cell")
        yield f"None of its {cells} is stale: nothing needs a person."
        return
    stale_cells = many(len(stale), "cell")
    yield (
        f"{stale_cells} of {total_count:,} are stale: a person has to rule on them again, and the"
        " audit has to be frozen again."
    )
    for stale_cell in stale:
        name = cut(stale_cell.cell.name)
        text = f"{name}: another is {stale_cell.what}"
        if stale_cell.details:
            details = ", ".join(map(cut, stale_cell.details))
            text += f" ({details})"
        yield text
