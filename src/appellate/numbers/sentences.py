"""A sample, its estimates and its bars in sentences, and the page Estimate."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from appellate.core.agreement import ENOUGH, Agreement, Known
from appellate.core.design_facts import SecondPass
from appellate.core.figures import (
    NO_FIGURE,
    FigureBlock,
    FigureColumn,
    FigureRow,
    FigureTable,
    Sentence,
    Sentences,
    ShownFigure,
)
from appellate.core.kind import Measure, headline
from appellate.core.panel_agreement import PanelAgreement
from appellate.core.problem import many
from appellate.core.scale import bound_text, is_bounded, measure_text
from appellate.numbers.bars import BarPlan, Gate, LookTaken
from appellate.numbers.differences import read_difference
from appellate.numbers.estimates import (
    BIAS,
    MOST_DECIDED,
    AuditedSample,
    GroupDifference,
    JudgeErrors,
    Worth,
    never_exact,
)
from appellate.numbers.exact import BettingEstimate
from appellate.numbers.formatting import (
    between,
    capital,
    cut,
    figure,
    percent,
    signed,
    uncapital,
)
from appellate.numbers.planning import LookPlanning
from appellate.numbers.samples import SampleNumbers, gates
from appellate.numbers.waves import WaveNumber
from appellate.query.language import of_trait
from appellate.stats.estimates import Estimate
from appellate.stats.looks import BY_WIDTH, FEWEST, Decision

FURTHER = 40
"""Audits that one may think of doing."""
_SMALL = 1000
"""From here on decimals say nothing."""
READING = (
    "Do not stop when an interval happens to clear a bar: about 1 in 4 such stops is wrong."
    " Bars are decided by appellate gate, with intervals that allow for looking."
)
AT_ANY_LOOK = (
    "These intervals are right however often you look: of 100 such audits at most 5"
    " are ever wrong."
)
BY_WIDTH_TOLD = (
    f"To stop because an interval is narrow enough is sound from {BY_WIDTH} audits on."
)


def uncounted_texts(cells: int, bare: int, hidden: int) -> Iterator[str]:
    """Yield a sentence for each sort of cells that are in no number; nothing for a count of 0.

    Of all `cells` there are `bare` ones, which have no labels and come first, and `hidden` ones,
    which are still to be ruled on blind.
    """
    if bare:
        have = "has no labels yet and counts"
        if bare != 1:
            have = "have no labels yet and count"
        yield f"{bare:,} of {many(cells, 'cell')} {have} in no number."
    if hidden:
        text = "to be ruled on blind: what the judge says there is in no number of single traits"
        yield f"{many(hidden, 'cell is', 'cells are')} still {text}."


def number_text(worth: Worth) -> str:
    """Return which number it is: `f1 in Facts`, of a group `f1 in Facts (gpt-4)`.

    A group without a name is "no group".
    """
    name = f"{measure_text(worth.measure)} in {worth.trait.describe}"
    if worth.group is None:
        return name
    return f"{name} ({worth.group or 'no group'})"


def sample_text(audit: AuditedSample) -> str:
    """Return the design of a sample, its size, frame and seed, as a sentence."""
    return f"{capital(audit.sample.describe)}."


def decides_text(audit: AuditedSample) -> str:
    """Return a sentence that the last wave decides bars; "" for a sample of a single wave."""
    if not audit.waves:
        return ""
    name = cut(audit.last_wave.sample.name)
    return f"Bars are decided by {name} alone; `gate --history` has every wave."


NAMED = 5
"""Cells that a sentence names; programs get them all."""


def unsettled_text(audit: AuditedSample) -> str:
    """Return a sentence on the cells of a sample that do not count any more; "" if all count.

    What was read in them was changed after they were settled. It names `NAMED` at most, each with
    the change, and counts the others.
    """
    count = len(audit.unsettled)
    if not count:
        return ""
    names = "; ".join(audit.unsettled[:NAMED])
    rest = count - NAMED
    if rest > 0:
        names += f"; and {rest:,} more"
    cells = many(count, "cell of the sample does", "cells of the sample do")
    return f"{cells} not count: {names}."


def passed_text(worth: Worth, unit: str) -> str:
    """Return a sentence about the first unit of the draw that was passed over; "" if none was.

    It says how many audited ones after it do not count. `unit` is "trace" or "cluster".
    """
    part = worth.part
    if part.passed is None:
        return ""
    units_after = many(part.later, f"{unit} after it does", f"{unit}s after it do")
    return (
        f"Number {part.passed} of the draw was passed over: {units_after} not count until it is"
        " audited, since whoever chooses what to pass over chooses the number."
    )


def passed_over(worths: Iterable[Worth], unit: str) -> list[str]:
    """Return the sentences about units that were passed over in any of some numbers, each once.

    [] if none were.
    """
    texts = dict.fromkeys(passed_text(worth, unit) for worth in worths)
    return list(filter(None, texts))


def worth_text(worth: Worth, unit: str) -> str:
    """Return one number with its interval, and what it is made of, in sentences.

    They have the level, how many units are audited of how many that could be drawn, the judge's
    number and people's, what could not be told, and what the interval takes for granted. Without an
    estimate it is one sentence with the reason and how many are audited. `unit` is "trace" or
    "cluster".
    """
    name = number_text(worth)
    audited = many(worth.part.n, unit)
    rests = f"{audited} of {worth.part.frame:,}"
    estimate = worth.estimate
    if estimate is None:
        return f"{name}: {worth.wanting} ({rests} audited)."
    value = figure(estimate.value)
    level = percent(estimate.level)
    interval = between(estimate.low, estimate.high)
    judge_value = figure(estimate.judge_only)
    people = estimate.people_only
    people_value = figure(people.value)
    people_interval = between(people.low, people.high)
    texts = [
        f"{name}: {value}, {level} interval {interval}, from {rests}.",
        f"Judge only {judge_value}, people only {people_value} ({people_interval}).",
        untold_text(worth),
        basis_text(worth),
    ]
    return " ".join(filter(None, texts))


def basis_text(worth: Worth) -> str:
    """Return in a sentence what an interval takes for granted, or why it is not exact, or "".

    What it takes for granted is the largest number of wrong items that people find in one response:
    the most that the judge has in a list, or the instructions of the trait. "" for an interval that
    takes nothing for granted, once the whole frame is audited, and for a number without an
    estimate.
    """
    estimate = worth.estimate
    if (
        isinstance(estimate, BettingEstimate)
        and estimate.exact is not None
        and estimate.n < estimate.frame
    ):
        most = estimate.exact.most_items
        if most is not None:
            return (
                f"It takes for granted that no response has more than {most:,} wrong items (FP), or"
                " than the trait has instructions: that is the most the judge sees in one."
            )
    if worth.inexact and estimate is not None and estimate.n < estimate.frame:
        return f"The interval is not exact: {worth.inexact}."
    return ""


def untold_text(worth: Worth) -> str:
    """Return in a sentence how much a number leaves out that could not be told; "" for none.

    That is by people in what is audited, and by the judge in all that could be drawn.
    """
    part = worth.part
    if not (part.untold or part.judge_untold):
        return ""
    return (
        f"It is of what can be told: people could not tell in {part.untold:,} of the audited, the"
        f" judge in {part.judge_untold:,} of all."
    )


def few_text(worth: Worth) -> str:
    """Return in sentences that few audits carry a number, so that its interval may be too narrow.

    They say whether a few large units, few errors of the judge or none is the reason, and what that
    means for looks. "" if enough carry it, for an interval by betting, and without an estimate.
    """
    estimate = worth.estimate
    if estimate is None or isinstance(estimate, BettingEstimate):
        return ""
    if not (estimate.has_few_residuals or estimate.has_few_units):
        return ""
    if estimate.has_few_units:
        text = (
            f"It rests on few large ones: {estimate.n} are worth {estimate.units:.0f}"
            " of equal size"
        )
    elif estimate.residuals:
        text = (
            "The correction rests on few errors of the judge, worth"
            f" {estimate.residuals:.1f} of equal size"
        )
    else:
        text = "No error of the judge was seen, so nothing says how large a rare one is"
    if estimate.has_few_units:
        return f"{text}. The interval may be too narrow, so no look decides by it."
    return f"{text}. The interval may be too narrow, so looks go by people alone."


def help_text(worth: Worth) -> str:
    """Return a sentence on how many audits the judge saved, or that it did not help.

    It has the share of the variance in percent, the weight, and how many audits would say as much
    without the judge. If the weight is 0, it says that the judge does not help. If too few are
    audited, it says from when on that is shown. "" without an estimate.
    """
    estimate = worth.estimate
    if estimate is None:
        return ""
    if not estimate.knows_help:
        return f"How much the judge helps is shown from {FEWEST} audits on."
    if not estimate.helps:
        return "The judge does not help here (its weight is 0): the number rests on people alone."
    as_many = round(estimate.n / (1 - min(estimate.judge_share, 0.999)))
    share = percent(round(estimate.judge_share, 2))
    return (
        f"The judge took away {share} of the variance (its weight is {estimate.weight:.2f}):"
        f" {estimate.n} audits say as much as {as_many} would without it."
    )


def further_text(worth: Worth) -> str:
    """Return in a sentence how narrow the interval would be after up to `FURTHER` more audits.

    It has half the width as it is now, and as it would be then. "" without an estimate, and if all
    of the frame is audited.
    """
    estimate = worth.estimate
    if estimate is None or estimate.n >= estimate.frame:
        return ""
    more = min(FURTHER, estimate.frame - estimate.n)
    return (
        f"About ±{figure(estimate.half)} now; {many(more, 'more audit')} would give about"
        f" ±{figure(estimate.further(more))}."
    )


def difference_text(difference: GroupDifference) -> str:
    """Return the number of one group less that of another, with the interval, in a sentence.

    It names both groups in this order, "A less B is +0.120"; the difference has its sign. A group
    without a name is "(no name)". It says that no difference is shown if the interval holds 0, or
    if so many differences give as much by chance (Holm).
    """
    first_group = difference.one or "(no name)"
    second_group = difference.other or "(no name)"
    name = f"{measure_text(difference.measure)} in {difference.trait.describe}"
    value, low, high = difference.by
    interval = between(low, high)
    text = f"{name}: {first_group} less {second_group} is {signed(value)} ({interval})"
    if low <= 0 <= high:
        return f"{text}: no difference is shown."
    if not difference.is_shown:
        return (
            f"{text}: among {difference.among} differences chance gives as much, so"
            " none is shown."
        )
    return f"{text}."


# -- where the judge is bad ------------------------------------------------------------------------


def has_sides(agreement: Agreement) -> bool:
    """Return whether any answer that occurs counts as positive.

    Only such an answer can be given too often or too seldom.
    """
    return not agreement.positives.isdisjoint(agreement.words)


def wrongly(agreement: Agreement) -> tuple[int, int]:
    """Return how many answers are positive by the judge only, then how many by the person only.

    Answers that are positive by both or by none are in neither count.
    """
    positives = agreement.positives
    only_judge = 0
    only_person = 0
    for (judge, person), count in agreement.counts.items():
        is_judge_positive = judge in positives
        is_person_positive = person in positives
        if is_judge_positive and not is_person_positive:
            only_judge += count
        if is_person_positive and not is_judge_positive:
            only_person += count
    return only_judge, only_person


def side_text(errors: JudgeErrors) -> str:
    """Return on which side the judge goes wrong, in a sentence that begins with the trait.

    If the trait has positive answers that occur, it says in how many answers judge and people
    agree. Then it counts how often the judge gives a positive one too often and too seldom. Else it
    counts in how many cells the judge's number is above or below people's, and ends with the side
    that at least three quarters of them are on, if there are five or more.
    """
    agreement = errors.agreement
    if has_sides(agreement):
        noun = "instruction" if errors.trait.kind.lists else "verdict"
        text = _agreeing(agreement, noun, is_raw=errors.is_raw)
        too_many, too_few = wrongly(agreement)
        if too_many or too_few:
            answers = " or ".join(sorted(agreement.positives))
            too_often = f"{many(too_many, 'time')} too often"
            too_seldom = f"{many(too_few, 'time')} too seldom"
            text += f": the judge says {answers} {too_often} and {too_seldom}"
        return f"{errors.trait.describe}: {text}."
    cells = many(errors.cells, "cell")
    text = f"of {cells} the judge is above people in {errors.higher}, below in {errors.lower}"
    side = _side(errors.higher, errors.lower, "it is too high", "it is too low")
    return f"{errors.trait.describe}: {text}{side}."


def _agreeing(agreement: Agreement, noun: str, *, is_raw: bool) -> str:
    """Return in how many verdicts judge and people agree, as the beginning of a sentence.

    `noun` is what the verdicts are on, as "instruction". If it is not in all, the share in percent
    is in brackets, with kappa if that is known. With `is_raw` units had unequal chances: then there
    are counts only, and it says so.
    """
    verdicts = many(agreement.n, noun)
    if is_raw:
        counts_text = f"{agreement.agreed:,} of {verdicts}"
        return f"judge and people agree in {counts_text} (raw counts, as chances were unequal)"
    text = f"on {verdicts} judge and people agree in"
    if agreement.agreed == agreement.n:
        return f"{text} all"
    share = agreement.agreed / max(agreement.n, 1)
    in_brackets = percent(round(share, 2))
    if agreement.kappa is not None:
        in_brackets += f", kappa {figure(agreement.kappa)}"
    return f"{text} {agreement.agreed:,} ({in_brackets})"


def _side(more: int, less: int, up: str, down: str) -> str:
    """Return `up` or `down` after ": ", for the side that at least three quarters of errors are on.

    `more` and `less` are how many errors are above and below. "" if neither side has so many, or if
    there are fewer than `_FEW` errors, which are 5.
    """
    errors = more + less
    largest = max(more, less)
    if errors < _FEW or largest < _MOSTLY * errors:
        return ""
    if more > less:
        return f": {up}"
    return f": {down}"


_FEW = 5
_MOSTLY = 0.75

# -- bars -----------------------------------------------------------------------------------------


def plan_text(plan: LookPlanning) -> str:
    """Return in sentences that looks are planned, what that means, and what it replaces.

    If they are planned already, it says only that. If looks at other bars share the level, it says
    so. If too few are drawn for the last look, it says how to draw more. For a plan for any look it
    says how sure the interval is instead.
    """
    looks = plan.what.looks
    text = ", ".join(map(str, looks))
    if plan.plan.is_any:
        return _any_plan_text(plan)
    if not plan.is_new:
        return f"{plan.plan.bar}: looks at {text} are planned already; nothing was changed."
    text = (
        f"{plan.plan.bar}: to be decided after {text} audits in draw order, at each look with"
        f" an error of {percent(plan.plan.part)} ({percent(plan.plan.level)} at all together), and"
        " nowhere else."
    )
    if plan.plan.others:
        text += f" {_shared_text(plan.plan)}"
    if plan.before:
        text += f" This replaces {', '.join(map(str, plan.before))}."
    if plan.wanting:
        command = f"`appellate sample AUDIT --add {plan.wanting}`"
        last = looks[-1]
        drawn_count = last - plan.wanting
        text += f" The look at {last} takes {command} first: {drawn_count} are drawn."
    return text


def _any_plan_text(plan: LookPlanning) -> str:
    """Return in sentences that a bar may be decided at any number of audits, and how sure that is.

    They say among how many numbers the chance to be wrong is shared, why planned looks became a
    plan for any look, and at how many audits the interval is narrowest. Then come the looks that
    this plan replaces, and how many more to draw. What there is none of is left out. For a plan
    that is not new it is one sentence, that nothing was changed.
    """
    bar = plan.plan.bar
    if not plan.is_new:
        return f"{bar}: planned for any look already; nothing was changed."
    text = f"{bar}: to be decided at any look, with {percent(plan.plan.level)} to be wrong in all."
    if plan.plan.numbers > 1:
        text += (
            f" That is shared by {plan.plan.numbers} numbers: each may be wrong in"
            f" {percent(plan.plan.level / plan.plan.numbers)}."
        )
    if plan.became_any:
        text += f" Looks are not planned one by one, since {plan.became_any}."
    horizon = plan.plan.horizon
    if horizon is not None:
        text += f" The interval is narrowest at {horizon:,} audits."
    if plan.before:
        text += f" This replaces {', '.join(map(str, plan.before))}."
    if plan.wanting:
        text += f" `appellate sample AUDIT --add {plan.wanting}` draws as many."
    return text


def _shared_text(plan: BarPlan) -> str:
    """Return a sentence with all looks at a number, which share the level.

    Those that are planned at other bars on the number are among them.
    """
    return (
        f"The level is divided among the {len(plan.sharing)} looks planned at this number:"
        f" {', '.join(map(str, plan.sharing))}."
    )


def too_small(audit: AuditedSample) -> str:
    """Return a sentence that too few units were drawn for a decision; "" if enough were.

    Enough are `FEWEST`, or any number if a trait's first measure can have an exact interval.
    """
    drawn_count = len(audit.sample)
    exact = any(
        not never_exact(audit.units, trait, trait.measures[0]) for trait in audit.traits
    )
    if drawn_count >= FEWEST or exact:
        return ""
    drawn_text = many(drawn_count, f"{audit.unit} was", f"{audit.unit}s were")
    if drawn_count == audit.sample.frame:
        return (
            f"{drawn_text} drawn, and there are no more: a decision takes {FEWEST}, so there is"
            " none."
        )
    return f"{drawn_text} drawn: a decision takes {FEWEST}; draw more before the first verdict."


def gate_texts(gates_in_order: Sequence[Gate], unit: str) -> Iterator[list[str]]:
    """Yield for each bar the list of its sentences, in the order of the bars, the decision first.

    A sentence that an earlier bar has is left out, except the decisions. `unit` is "trace" or
    "cluster".
    """
    told_texts: set[str] = set()
    for gate in gates_in_order:
        decided, *others = gate_text(gate, unit)
        texts = [decided]
        texts += [text for text in others if text not in told_texts]
        told_texts.update(others)
        yield texts


def gate_text(gate: Gate, unit: str) -> Iterator[str]:
    """Yield in sentences whether a bar is reached, by which looks, and what would decide it.

    The decision comes first, then what the bar is on, each look taken, and the rule. A look that
    was saved otherwise says so. What would decide follows only while the bar is undecided. Last
    comes what weakens the number. If the sample has faults, only the decision and why are told.
    `unit` is "trace" or "cluster".
    """
    status = gate.standing
    trait_text = ""
    if not gate.bar.trait:
        trait_text = f" of {gate.worth.trait.describe}"
    yield f"{gate.bar}{trait_text}: {status.decision}."
    if gate.wanting:
        yield f"{capital(gate.wanting)}."
        return
    yield subject_text(gate, unit)
    for look in status.taken:
        yield _look_text(gate, look)
        if look.differs:
            yield differing_text(look)
    yield looks_text(gate, unit)
    if status.decision == "undecided":
        yield from _what_would_decide(gate, unit)
    yield from filter(None, (untold_text(gate.worth), few_text(gate.worth)))
    estimate = gate.worth.estimate
    if estimate is not None and estimate.knows_help and not estimate.helps:
        yield help_text(gate.worth)


def _look_text(gate: Gate, look: LookTaken) -> str:
    """Return what a look at a bar saw, in a sentence: the number, its interval, and what it says.

    Without a number, and with one that may not decide, the sentence says why.
    """
    plan = gate.standing.plan
    look_place = f"Look {look.look} of {len(plan.looks)}, at {look.n:,}"
    if plan.is_any:
        look_place = f"After {look.n:,}"
    if look.value is None:
        reason = look.undecided or "there is no number"
        return f"{look_place}: nothing to decide by, since {reason}."
    name = measure_text(gate.worth.measure)
    value = figure(look.value)
    level = percent(plan.coverage)
    bounds = between(look.low, look.high)
    says = _SAID[look.decision]
    if look.undecided:
        says = f"which decides nothing, since {look.undecided}"
    return f"{look_place}: {name} {value}, {level} interval {bounds}, {says}."


def subject_text(gate: Gate, unit: str) -> str:
    """Return a sentence on what a bar is on: the judge, or the responses as people would rule.

    For the responses it ends with the judge's own number over all, if the judge has one. For a
    difference it ends with the two groups, for the judge's bias with the measure.
    """
    measure = gate.worth.measure
    if gate.bar.is_on_judge:
        text = "This bar is on the judge, beside people's blind verdicts, weighted by the design"
        if measure.name == BIAS:
            first_measure = measure_text(gate.worth.trait.measures[0])
            text += f": its {first_measure} less people's"
        return f"{text}."
    text = "This bar is on the responses, as people would rule on them"
    difference = read_difference(gate.bar.measure)
    if difference is not None:
        first_group = difference.first or "(no name)"
        second_group = difference.second or "(no name)"
        return f"{text}: how much more {first_group} has than {second_group}."
    part = gate.worth.part
    if part.judge_only is None:
        return f"{text}."
    judge_value = figure(part.judge_only)
    frame = many(part.frame, unit)
    return f"{text}: the judge's own {measure_text(measure)} is {judge_value} over all {frame}."


_SAID: dict[Decision, str] = {
    "reached": "all of it on the good side of the bar",
    "not reached": "all of it on the bad side of the bar",
    "undecided": "and the bar is in it",
}


def differing_looks(audit: AuditedSample) -> Iterator[str]:
    """Yield the sentences on each look that was saved otherwise than the verdicts give it.

    They begin with the bar and the look's number. The bars are those planned or decided before.
    Nothing for a sample with faults. Raises ValueError for a plan whose bar cannot be read.
    """
    if audit.faults:
        return
    for gate in gates(audit):
        for look in gate.standing.taken:
            if look.differs:
                yield f"{gate.bar}, look {look.look}: {differing_text(look)}"


def differing_text(look: LookTaken) -> str:
    """Return how a look was saved otherwise than its verdicts give, and what counts.

    It is two sentences. That they differ is taken for granted here. "" for a look that was not
    saved.
    """
    saved = look.saved
    if saved is None:
        return ""
    text = f"The file has this look as {saved.decision}"
    if saved.n != look.n:
        text += f", at {saved.n:,}"
    if saved.value is not None:
        text += f" ({figure(saved.value)}, {between(saved.low, saved.high)})"
    return (
        f"{text}, which its verdicts do not give: verdicts were changed since, an earlier version"
        f" computed it, or it was edited. What the verdicts give counts: {look.decision}."
    )


def looks_text(gate: Gate, unit: str) -> str:
    """Return by which rule a bar is decided: its planned looks, any look, or the one at the end.

    It is one sentence or more, and says how large the chance of a wrong decision is. If only other
    bars at the number have looks, it says that this one is not decided. For a bar that nobody
    planned, and that is tested once, it says if too few units are drawn. `unit` is "trace" or
    "cluster".
    """
    plan = gate.standing.plan
    if plan.is_any:
        when = "was planned before the first verdict"
        if not gate.planned:
            when = "needs no plan"
        text = f"Deciding at any look {when}: its interval may be wrong in {percent(plan.level)}"
        if plan.numbers > 1:
            part = percent(plan.level / plan.numbers)
            text = f"Deciding at any look {when}: its interval may be wrong in {part}"
        return f"{text} of audits, however often you look."
    if gate.planned:
        if len(plan.sharing) == 1:
            return (
                f"One look, at {plan.looks[0]} {unit}s, was planned before the first verdict, with"
                f" {percent(plan.level)} to be wrong."
            )
        text = (
            f"Looks at {', '.join(map(str, plan.looks))} {unit}s were planned before the first"
            f" verdict: each may be wrong in {percent(plan.part)} of audits, all together in"
            f" {percent(plan.level)}."
        )
        if plan.others:
            text += f" {_shared_text(plan)}"
        return text
    if gate.beside:
        other_bars = [
            f"{plan_beside.bar} at {', '.join(map(str, plan_beside.looks))}"
            for plan_beside in gate.beside
        ]
        trait = gate.worth.trait.describe
        return (
            f"No look was planned for {plan.bar.condition} of {trait}; looks were planned"
            f" for {'; '.join(other_bars)}. The level is spent on these, so this bar is not"
            " decided."
        )
    text = (
        f"No interim looks were planned: tested once, when all {many(plan.looks[0], unit)} drawn"
        f" before the first verdict are ruled on, with an error of {percent(plan.level)}."
    )
    if plan.looks[0] < FEWEST:
        text += f" A decision takes {FEWEST}, so none is made."
    return text


def _what_would_decide(gate: Gate, unit: str) -> Iterator[str]:
    """Yield in sentences what would decide an undecided bar: the next look, or more audits.

    A unit that was passed over comes first. Then comes the next look, or that none is left. Without
    an interval the last sentence says why there is none. At any look the evidence so far is told.
    At planned looks the number as it is now is told for reading, and how many audits it would take
    only while a look is left. `unit` is "trace" or "cluster".
    """
    status = gate.standing
    part = gate.worth.part
    passed = passed_text(gate.worth, unit)
    if passed:
        yield passed
    if status.next_look is not None:
        audits_to_go = status.next_look - status.audited
        yield f"The next look is at {status.next_look:,}: {many(audits_to_go, 'more audit')}."
    elif status.taken and not status.plan.is_any:
        yield (
            "There is no look left: another decision takes a sample of its own, with its looks"
            " planned before."
        )
    interval = gate.worth.interval
    if interval is None:
        yield f"There is no number yet: {gate.worth.wanting}."
        return
    if status.plan.is_any:
        yield from _evidence(gate)
        return
    name = measure_text(gate.worth.measure)
    value = figure(interval.value)
    level = percent(status.plan.coverage)
    bounds = between(interval.low, interval.high)
    yield (
        f"For reading, not for deciding: {name} {value}, {level} interval {bounds},"
        f" from {part.n:,} of {part.frame:,}."
    )
    if not gate.more_audits or status.next_look is None:
        return
    needed = part.n + gate.more_audits
    last = status.plan.looks[-1]
    if needed <= last:
        audits = f"{many(gate.more_audits, 'more audit')} ({needed:,} in all)"
        yield f"About {audits} would decide, should the number stay as it is."
    elif needed > MOST_DECIDED * part.frame:
        yield (
            f"Should the number stay as it is, the last look, at {last:,}, does not decide:"
            f" only all {part.frame:,} would."
        )
    else:
        yield (
            f"Should the number stay as it is, the last look, at {last:,}, does not decide: that"
            f" would take about {needed:,} audits."
        )


def _evidence(gate: Gate) -> Iterator[str]:
    """Yield sentences on an undecided bar: its interval, the evidence so far, what would decide.

    The evidence is told for either side as capital of needed capital. Nothing is yielded without an
    interval. If the number may not decide at all, the interval is followed by the reason only. What
    would decide is left out once all of the frame is audited.
    """
    part = gate.worth.part
    interval = gate.worth.interval
    if interval is None:
        return
    name = measure_text(gate.worth.measure)
    value = figure(interval.value)
    level = percent(gate.standing.plan.coverage)
    bounds = between(interval.low, interval.high)
    yield (
        f"So far {name} is {value}, {level} interval {bounds}, from {part.n:,} of"
        f" {part.frame:,}: the bar is in it."
    )
    if gate.worth.undecided:
        yield f"{capital(gate.worth.undecided)}."
        return
    for side, evidence in gate.evidence.items():
        capital_so_far = min(evidence.capital, evidence.needed)
        yield (
            f"Evidence that the bar is {side}: {capital_so_far:.1f} of"
            f" {evidence.needed:.0f}."
        )
    if part.n == part.frame:
        return
    if gate.more_audits:
        audits = f"{many(gate.more_audits, 'more audit')} ({part.n + gate.more_audits:,} in all)"
        yield f"About {audits} would decide, should rulings go on as they are."
    else:
        yield (
            "Should rulings go on as they are, the number stays too near to the bar for any"
            f" number of audits short of all {part.frame:,} to decide."
        )


# -- the judge beside people ----------------------------------------------------------------------


def agreement_text(agreement: Agreement) -> str:
    """Return how far two agree, in a sentence or two, with coefficients but no intervals.

    If there are fewer than `ENOUGH` answers, or the agreement has a reason to show counts only, it
    has the counts and the reason.
    """
    text = f"{many(agreement.n, 'answer')}, {agreement.agreed:,} alike"
    if agreement.reason:
        return f"{text}. {agreement.reason}"
    if agreement.n < ENOUGH:
        return f"{text}. What they come to is shown from {ENOUGH} answers on."
    observed = figure(agreement.observed)
    traces = many(agreement.traces, "trace")
    kappa = figure(agreement.kappa)
    ac1 = figure(agreement.ac1)
    return (
        f"{text} ({observed}), on {traces} or clusters of traces;"
        f" Cohen's kappa {kappa}, Gwet's AC1 {ac1}."
    )


def panel_text(panel: PanelAgreement) -> Iterator[str]:
    """Yield in sentences how far a panel's members agree, and how many votes they are worth.

    Below `ENOUGH` answers it is one sentence with the count. Else the first has alpha and AC1 with
    their intervals. The second has the votes, or the reason why only counts are shown, or from when
    on votes are shown.
    """
    text = f"A panel of {len(panel.members)} judged {many(panel.n, 'answer')}"
    if panel.n < ENOUGH:
        yield f"{text}. How far its members agree is shown from {ENOUGH} answers on."
        return
    compared_labels = "verdicts ruled blind" if panel.blind else "labels signed off"
    alpha = _bounded(panel.alpha)
    ac1 = _bounded(panel.ac1)
    yield (
        f"{text}; its members agree with a Krippendorff's alpha of {alpha}, Gwet's AC1 {ac1}."
        " Under a member's name stands Cohen's kappa of two of them, before it what is beside"
        f" {compared_labels}."
    )
    if panel.reason:
        yield panel.reason
        return
    if panel.votes is None:
        yield (
            "How many independent votes it is worth is shown from"
            f" {ENOUGH} answers on that a person gave too, where two members err at all."
        )
        return
    votes = panel.votes
    text = f"It is worth {votes.votes:.1f} independent votes"
    if votes.low is not None:
        text += f" ({votes.low:.1f} to {votes.high:.1f})"
    yield (
        f"{text} of {votes.members}: over {many(panel.compared, 'answer')} that people gave too,"
        f" the errors of two members correlate by {figure(votes.correlation)} on the mean."
    )


def _bounded(bounded_value: Known) -> str:
    """Return a figure with its interval, as `0.620 (0.512 to 0.731)`, or alone without one.

    A value of None is a dash.
    """
    value = figure(bounded_value.value)
    bounds = bounded_value.bounds
    if bounds is None:
        return value
    low = figure(bounds.low)
    high = figure(bounds.high)
    return f"{value} ({low} to {high})"


# -- the page Estimate -----------------------------------------------------------------------------


HEADING = "How good the judge is"
NO_SAMPLE = (
    "There is no random sample, so no number has an interval that holds: `appellate sample` draws"
    " traces to be ruled on blind, before the judge is seen."
)


ESTIMATES = (
    FigureColumn("n", 4, words="audited"),
    FigureColumn("judge", 6, words="judge only"),
    FigureColumn("people", 6, words="people only"),
    FigureColumn("corrected", 9),
    FigureColumn("interval", 11),
    FigureColumn(f"{FURTHER} more", 7, words=f"± after {FURTHER} more"),
    FigureColumn("weight", 6, words="the judge's weight"),
    FigureColumn("won", 7, words="share won by the judge"),
    FigureColumn("people's", 11, words="people only, interval"),
    FigureColumn("of", 6),
)
ERRORS_TABLE = "errors"
"""The name of the table of where the judge goes wrong."""
ERRORS = (
    FigureColumn("n", 4),
    FigureColumn("off by", 6),
    FigureColumn("too often", 9),
    FigureColumn("too seldom", 10),
    FigureColumn("too high", 8),
    FigureColumn("too low", 7),
)
DIFFERENCE = (FigureColumn("by", 6), FigureColumn("95 %", 16))
WAVES = (
    FigureColumn("n", 4, words="audited"),
    FigureColumn("judge", 6, words="judge only"),
    FigureColumn("corrected", 9),
    FigureColumn("interval", 11),
    FigureColumn("change", 6, words="against the wave before"),
    FigureColumn("its 95 %", 16, words="the change's interval"),
    FigureColumn("of", 6),
)
BARS = "Bars"
TWO_GROUPS = "Two groups are compared once both have 20 audited."
DECIDED: dict[Decision, str] = {
    "reached": "reviewed",
    "not reached": "failed",
    "undecided": "corrected",
}
_LEAST = 24


def estimate_page(numbers: SampleNumbers) -> list[FigureBlock]:
    """Return the numbers of a sample: estimates, waves, bars, errors, groups and differences.

    They are in this order, and what there is nothing of is left out; the table of estimates is
    always there. The table of errors comes only if a trait has an estimate from `FEWEST` audits on,
    and that of groups only if one of them has an estimate. For a sample with faults it is one
    block, which says so.
    """
    if numbers.audit.wanting:
        return [Sentences("Estimates", list(map(Sentence, notes(numbers))))]
    blocks: list[FigureBlock] = [_estimates(numbers)]
    if numbers.by_wave:
        blocks.append(_waves(numbers))
    decisions = _decisions(numbers)
    if decisions:
        blocks.append(Sentences(BARS, decisions))
    if any(errors.by is not None and errors.n >= FEWEST for errors in numbers.errors):
        blocks.append(_errors(numbers))
    if any(worth.estimate for worth in numbers.by_group):
        blocks.append(_groups(numbers))
    if numbers.differences:
        blocks.append(_differences(numbers.differences))
    return blocks


def _decisions(numbers: SampleNumbers) -> list[Sentence]:
    """Return the sentences of all bars, each bar's decision before its others; [] without bars.

    Bars come in the order of `numbers.gates`. A decision has the style of its result, and the other
    sentences have none.
    """
    decisions: list[Sentence] = []
    texts_of_gates = gate_texts(numbers.gates, numbers.audit.unit)
    for gate, texts in zip(numbers.gates, texts_of_gates, strict=True):
        decided, *others = texts
        decisions.append(Sentence(decided, DECIDED[gate.standing.decision]))
        decisions += map(Sentence, others)
    return decisions


# -- estimates ------------------------------------------------------------------------------------


def _estimates(numbers: SampleNumbers) -> FigureTable:
    """Return the table of all estimates of a sample, with what is to be said of them.

    A row is one of `numbers.worths`, in their order. A number without an interval has a row, too,
    and the legend says why it is wanting.
    """
    levels = dict.fromkeys(
        worth.estimate.level for worth in numbers.worths if worth.estimate
    )
    legend = f"interval: at {', '.join(map(percent, levels))}. " if levels else ""
    legend += (
        f"judge only: on all {numbers.audit.sample.frame:,} that could be drawn. people only: on"
        " the n audited. corrected: the judge on all, put right by the audited, with its interval."
        " won: the share of the variance won by the judge."
    )
    return FigureTable(
        "worth",
        "Estimates",
        ESTIMATES,
        [_row(worth, numbers, _name(worth)) for worth in numbers.worths],
        notes=[*notes(numbers), *carried_by_few(numbers.worths)],
        legend=" ".join([legend, *_not_shown(numbers.worths)]),
        in_words=list(_further(numbers.worths)),
        least=_LEAST,
    )


TRACK = 41
"""Columns of a drawn interval, for the whole scale of its number."""


def drawn_intervals(numbers: SampleNumbers) -> FigureTable | None:
    """Return a table that draws the interval of each estimate on the scale of its number.

    A number without an estimate, or on a scale without two ends, has no row. Above the drawings are
    the ends of the scale, if all rows have the same. None without a row.
    """
    rows: list[FigureRow] = []
    scales: set[tuple[float, float]] = set()
    for worth in numbers.worths:
        measure = worth.measure
        if worth.estimate is None or not is_bounded(measure):
            continue
        text = worth_text(worth, numbers.audit.unit)
        track = ShownFigure(
            interval_track(worth.estimate, measure.low, measure.high),
            None,
            text,
        )
        rows.append(
            FigureRow(_name(worth), [track], detail=text, query=_cells_of(worth)),
        )
        scales.add((measure.low, measure.high))
    if not rows:
        return None
    title = "lowest … highest"
    if len(scales) == 1:
        lowest, highest = map(bound_text, scales.pop())
        title = lowest.ljust(TRACK - len(highest)) + highest
    return FigureTable(
        "drawn",
        "Intervals",
        [FigureColumn(title, TRACK, left=True)],
        rows,
        notes=[
            "[---o---] is the interval with the corrected number, j the judge alone.",
        ],
        least=_LEAST,
    )


def interval_track(estimate: Estimate, lowest: float, highest: float) -> str:
    """Return a line of `TRACK` columns that draws an interval on a scale: ` [---o---] j`.

    `[` and `]` are its ends, `o` is the corrected number and `j` the judge alone, if it is known.
    `j` is drawn over the ends, and `o` over all others. What is beyond the scale is drawn at its
    end. `lowest` and `highest` are the ends of the scale and must differ.
    """

    def column_of(value: float) -> int:
        """Return the column of a value, from 0 on; the nearest end for one beyond the scale."""
        share = (value - lowest) / (highest - lowest)
        share_within = min(max(share, 0), 1)
        return round(share_within * (TRACK - 1))

    characters = [" "] * TRACK
    low = column_of(estimate.low)
    high = column_of(estimate.high)
    for column in range(low, high + 1):
        characters[column] = "-"
    characters[low] = "["
    characters[high] = "]"
    if estimate.judge_only is not None:
        judge_column = column_of(estimate.judge_only)
        characters[judge_column] = "j"
    value_column = column_of(estimate.value)
    characters[value_column] = "o"
    return "".join(characters)


def _name(number: Worth | JudgeErrors) -> str:
    """Return the name of a number: its trait and its measure."""
    return f"{number.trait.describe} · {number.measure.name}"


def _row(worth: Worth, numbers: SampleNumbers, name: str) -> FigureRow:
    """Return the row of a number in the tables of estimates, called `name`.

    It has a figure for each column of `ESTIMATES`. Its detail is the number in sentences. Its query
    finds the cells of the sample that the number's trait has, also those of other groups.
    """
    text = worth_text(worth, numbers.audit.unit)
    figures = list(_figures(worth, text))
    return FigureRow(name, figures, detail=text, query=_cells_of(worth))


def _cells_of(worth: Worth) -> str:
    """Return a query that finds the cells of the sample that a number's trait has.

    The number's group is not looked at: of a number of one group it finds the cells of all groups.
    For several traits together it finds all cells of the sample.
    """
    if not worth.trait.name:
        return "is:sampled"
    return of_trait(worth.trait.name, "is:sampled")


def _figures(worth: Worth, text: str) -> Iterator[ShownFigure]:
    """Yield the figures of a number, one for each column of `ESTIMATES` in their order.

    Without an estimate there are how many are audited and a dash, and the others are empty. `text`
    is the number in a sentence, and the detail of most of them. What more audits would give is
    empty if fewer units are left than `FURTHER`. Weight and share are dashes while too few are
    audited to know them.
    """
    estimate = worth.estimate
    yield ShownFigure(f"{worth.part.n:,}", worth.part.n, text, style="muted")
    if estimate is None:
        yield ShownFigure("–", None, text, style="muted")
        yield from [NO_FIGURE] * (len(ESTIMATES) - 2)
        return
    detail = f"The judge's labels on all {estimate.frame:,}, as nobody put them right."
    yield ShownFigure(
        figure(estimate.judge_only),
        estimate.judge_only,
        detail,
        style="muted",
    )
    people = estimate.people_only
    detail = (
        f"People's labels of the {estimate.n} audited alone:"
        f" {between(people.low, people.high)}."
    )
    yield ShownFigure(figure(people.value), people.value, detail, style="muted")
    yield ShownFigure(figure(estimate.value), estimate.value, text, style="key")
    yield ShownFigure(
        between(estimate.low, estimate.high),
        estimate.half,
        few_text(worth) or text,
    )
    if estimate.frame - estimate.n >= FURTHER:
        more = estimate.further(FURTHER)
        yield ShownFigure(figure(more), more, further_text(worth))
    else:
        yield NO_FIGURE
    helps = help_text(worth)
    if estimate.knows_help:
        yield ShownFigure(f"{estimate.weight:.2f}", estimate.weight, helps)
        share = percent(round(estimate.judge_share, 2))
        yield ShownFigure(
            share,
            estimate.judge_share,
            helps,
            style="" if estimate.helps else "failed",
        )
    else:
        yield from [ShownFigure("–", None, helps, style="muted")] * 2
    yield ShownFigure(
        between(people.low, people.high),
        people.half,
        detail,
        style="muted",
    )
    yield ShownFigure(
        f"{estimate.frame:,}",
        estimate.frame,
        "What could be drawn.",
        style="muted",
    )


def notes(numbers: SampleNumbers) -> list[str]:
    """Return sentences on how the estimates are to be read, or what is wanting if there is none.

    What does not count, what was changed by hand, what was passed over and what could not be told
    follow. Of a sample with faults it is only why it says nothing, and what was changed by hand. []
    if there are no numbers and nothing is to be said.
    """
    audit = numbers.audit
    if audit.wanting:
        return [f"{capital(audit.wanting)}.", *audit.doubts]
    texts: list[str] = []
    unsettled = unsettled_text(audit)
    if unsettled:
        texts.append(unsettled)
    texts += audit.doubts
    texts += passed_over(numbers.worths, audit.unit)
    for worth in numbers.worths:
        untold = untold_text(worth)
        if untold:
            name = number_text(worth)
            texts.append(f"{name}: {uncapital(untold)}")
    if any(worth.estimate for worth in numbers.worths):
        return [*_how_to_read(numbers), *texts]
    if numbers.worths:
        texts.insert(0, f"There is no number yet: {numbers.worths[0].wanting}.")
    return texts


def _how_to_read(numbers: SampleNumbers) -> list[str]:
    """Return sentences on when intervals may be looked at, and what they take for true.

    If all estimates have intervals by betting, the first says that one may look and stop at any
    time. Otherwise it says that one may not. Then come errors of people, what a panel is taken as,
    and unequal chances, each only if it matters here.
    """
    stopping = stopping_text(numbers)
    if stopping == READING:
        stopping += f" {BY_WIDTH_TOLD}"
    texts = [stopping]
    people_error = people_error_text(numbers)
    if people_error:
        texts.append(people_error)
    panel_judge = panel_judge_text(numbers.audit)
    if panel_judge:
        texts.append(panel_judge)
    if numbers.audit.sample.is_unequal:
        texts.append(RAW)
    return texts


def stopping_text(numbers: SampleNumbers) -> str:
    """Return in sentences whether a person may stop once an interval happens to clear a bar.

    One may if all estimates have intervals by betting. One may not else, nor without an estimate.
    """
    estimated = [worth for worth in numbers.worths if worth.estimate is not None]
    if estimated and all(worth.is_by_betting for worth in estimated):
        return AT_ANY_LOOK
    return READING


RAW = (
    "Chances were unequal: estimates and bars weigh what people said. Their shares and the counts"
    " of errors in other tables are raw."
)
OTHERWISE = 0.05
"""The share of rulings that a second reviewer may give otherwise, where nobody has tried."""


def panel_judge_text(audit: AuditedSample) -> str:
    """Return in sentences what the judge of an estimate is if a panel judged any cell; else ""."""
    for unit in audit.units:
        for cells in unit.cells.values():
            if any(len(cell.judges) > 1 for cell in cells):
                return (
                    "The judge is what most members of the panel say. Only corrections take the"
                    " mean of its members, which narrows intervals more."
                )
    return ""


def people_error_text(numbers: SampleNumbers) -> str:
    """Return in sentences how far errors of people may move a share; "" if no number is a share.

    Estimates take rulings as right. How often a second ruling differs is taken from the second
    passes that the audit keeps, over the traits with a share. Without any it is supposed to be 5 %.
    """
    names: set[str] = set()
    for worth in numbers.worths:
        if worth.estimate is not None and _is_share(worth.measure):
            names.add(worth.trait.name)
    if not names:
        return ""
    answers, alike = _second_pass(numbers.audit, names)
    if not answers:
        return (
            "Rulings are taken as right. If a second reviewer ruled otherwise in"
            f" {percent(OTHERWISE)}, all to one side, a share would move by up to"
            f" {figure(OTHERWISE)}."
        )
    changed = answers - alike
    return (
        f"Rulings are taken as right. In a second pass {many(changed, 'answer')} of {answers:,}"
        " came out otherwise: errors as frequent, all to one side, would move a share by up to"
        f" {figure(changed / answers)}."
    )


def _second_pass(audit: AuditedSample, traits: Collection[str]) -> tuple[int, int]:
    """Return how many answers under some traits were given a second time, and how many alike.

    They are summed over all second passes that the audit keeps. A table without such counts, or
    with more alike than answers, is left out. (0, 0) without any.
    """
    answers = 0
    alike = 0
    for fact in audit.facts:
        if not isinstance(fact.what, SecondPass):
            continue
        tables = fact.what.outcome.get("traits")
        if not isinstance(tables, list):
            continue
        for table in tables:
            if not isinstance(table, Mapping) or table.get("trait") not in traits:
                continue
            given_again = table.get("answers")
            given_alike = table.get("alike")
            if not isinstance(given_again, int) or not isinstance(given_alike, int):
                continue
            if 0 <= given_alike <= given_again:
                answers += given_again
                alike += given_alike
    return answers, alike


def _is_share(measure: Measure) -> bool:
    """Return whether a measure is the share of cells with one answer, from 0 to 1."""
    is_of_one_answer = measure.ratio is None and measure.word == "verdict"
    return is_of_one_answer and measure.high == 1


def carried_by_few(worths: Iterable[Worth]) -> list[str]:
    """Return a sentence for numbers that few audits carry; those with one reason share it.

    It is "NUMBERS: REASON", with the reason of `few_text`. Left out are numbers that enough audits
    carry, those without an estimate, and those with an interval by betting; [] if none remains.
    """
    names_by_reason: dict[str, list[str]] = {}
    for worth in worths:
        reason = few_text(worth)
        if reason:
            names = names_by_reason.setdefault(reason, [])
            names.append(number_text(worth))
    texts: list[str] = []
    for reason, names in names_by_reason.items():
        names_text = ", ".join(names)
        texts.append(f"{names_text}: {reason}")
    return texts


def _further(worths: Iterable[Worth]) -> Iterator[str]:
    """Yield a sentence for each headline on how narrow more audits would make its interval.

    Headlines without an estimate, or of a frame that is audited whole, have none. The last sentence
    names all numbers, headlines or not, with which the judge does not help; it is left out if there
    is none.
    """
    unhelped: list[str] = []
    for worth in worths:
        if worth.measure is headline(worth.trait.measures) and further_text(worth):
            yield f"{number_text(worth)}: {further_text(worth)}"
        if (
            worth.estimate is not None
            and worth.estimate.knows_help
            and not worth.estimate.helps
        ):
            unhelped.append(number_text(worth))
    if unhelped:
        yield f"The judge does not help here (its weight is 0): {', '.join(unhelped)}."


def _not_shown(worths: Iterable[Worth]) -> Iterator[str]:
    """Yield sentences on which numbers have no estimate, and why.

    Those with one reason share a sentence. Nothing if all have one.
    """
    names_by_reason: dict[str, list[str]] = {}
    for worth in worths:
        if worth.estimate is None:
            names = names_by_reason.setdefault(worth.wanting, [])
            names.append(number_text(worth))
    for reason, names in names_by_reason.items():
        names_text = ", ".join(names)
        yield f"Not shown: {names_text}. {capital(reason)}."


# -- bars, errors, groups -------------------------------------------------------------------------


def _errors(numbers: SampleNumbers) -> FigureTable:
    """Return the table of where the judge goes wrong and on which side, the worst trait
    first.

    The worst is farthest from the estimate. A trait without an estimate is sorted as if the
    judge were right, and has no figure for the distance. "too often" and "too seldom" count
    the answers that only the judge, and only people, gave as positive; they are empty if no
    positive answer occurs. "too high" and "too low" count the cells whose number by the
    judge is above or below people's. Rows and counts lead to the trait's cells of the
    sample with overruled answers.
    """
    ranked = sorted(numbers.errors, key=lambda errors: -abs(errors.by or 0))
    rows: list[FigureRow] = []
    for errors in ranked:
        text = side_text(errors)
        query = of_trait(errors.trait.name, "is:sampled", "overruled>0")
        figures = [ShownFigure(str(errors.n), errors.n, text, style="muted"), NO_FIGURE]
        if errors.by is not None:
            detail = (
                f"By how much the judge's {errors.measure.name} is above the estimate."
            )
            figures[1] = ShownFigure(
                signed(errors.by),
                errors.by,
                detail,
                style="corrected",
            )
        sides = [NO_FIGURE, NO_FIGURE]
        if has_sides(errors.agreement):
            counts = wrongly(errors.agreement)
            sides = [ShownFigure(str(count), count, text, query) for count in counts]
        figures += sides
        for count in (errors.higher, errors.lower):
            figures.append(ShownFigure(str(count), count, text, query))
        rows.append(FigureRow(_name(errors), figures, detail=text, query=query))
    heading = "Where the judge goes wrong"
    return FigureTable(
        ERRORS_TABLE,
        heading,
        ERRORS,
        rows,
        in_sentences=True,
        least=_LEAST,
    )


def _waves(numbers: SampleNumbers) -> FigureTable:
    """Return the table of the headline of each trait in each wave, and its change since the last.

    A row is one of `numbers.by_wave`, in their order; one without an interval has a row, too. Its
    detail is the change in a sentence, or the number where there is no change. The change has the
    style of what failed if its interval excludes 0. The notes tell each such shift, then why a
    number is wanting, and last how to read the table.
    """
    rows: list[FigureRow] = []
    for number in numbers.by_wave:
        worth = number.worth
        text = worth_text(worth, numbers.audit.unit)
        shown_figures = list(_figures(worth, text))
        changes = [NO_FIGURE, NO_FIGURE]
        if number.change is not None:
            change = number.change
            style = "failed" if number.has_shifted else "muted"
            text = wave_change_text(number)
            bounds = between(change.low, change.high)
            changes = [
                ShownFigure(signed(change.value), change.value, text, style=style),
                ShownFigure(bounds, change.half, text, style=style),
            ]
        frame = ShownFigure(
            f"{worth.part.frame:,}",
            worth.part.frame,
            "What could be drawn.",
        )
        name = f"{cut(number.wave.sample.name)} · {_name(worth)}"
        # audited and judge only, then without people only: corrected and its interval
        figures = shown_figures[:2] + shown_figures[3:5] + changes + [frame]
        rows.append(FigureRow(name, figures, detail=text, query=_cells_of(worth)))
    shifts = [
        wave_change_text(number) for number in numbers.by_wave if number.has_shifted
    ]
    shifts += [
        wave_wanting_text(number) for number in numbers.by_wave if number.worth.wanting
    ]
    return FigureTable(
        "waves",
        "By wave, each by its own draw",
        WAVES,
        rows,
        notes=[*shifts, WAVES_READ],
        least=_LEAST,
    )


WAVES_READ = (
    "Estimates over all waves weigh each by its size and are for reading; bars are decided by the"
    " last wave. Each change is wrong in at most 5 of 100."
)


def wave_change_text(number: WaveNumber) -> str:
    """Return in a sentence by how much a wave is above or below the one before, with the interval.

    It ends with whether a shift is shown: it is if 0 is not in the interval of the change. No
    change at all is told as above. "" for a number without a change.
    """
    change = number.change
    if change is None:
        return ""
    direction = "above" if change.value >= 0 else "below"
    shown = "shown" if number.has_shifted else "not shown"
    wave = capital(cut(number.wave.sample.name))
    before = cut(number.before)
    name = number_text(number.worth)
    size = figure(abs(change.value))
    interval = between(change.low, change.high)
    return f"{wave}: {name} is {size} {direction} {before} (change {interval}): a shift is {shown}."


def wave_wanting_text(number: WaveNumber) -> str:
    """Return why a wave has no number, in a sentence; "" if it has one."""
    wanting = number.worth.wanting
    if not wanting:
        return ""
    wave = capital(cut(number.wave.sample.name))
    name = number_text(number.worth)
    return f"{wave}: {name} has no number: {wanting}."


def _groups(numbers: SampleNumbers) -> FigureTable:
    """Return the table of the estimates of groups, each by its own audits.

    A number without an interval has a row, too; the legend says why it is wanting. Without
    differences between groups, a note says when two are compared.
    """
    rows = [
        _row(worth, numbers, f"{worth.group or '–'} · {_name(worth)}")
        for worth in numbers.by_group
    ]
    table = FigureTable(
        "worth",
        f"By {numbers.audit.by}, each by its own audits",
        ESTIMATES,
        rows,
    )
    few_texts = carried_by_few(numbers.by_group)
    below = [] if numbers.differences else [TWO_GROUPS]
    legend = "One correction shared by all groups could turn their order round."
    legend = " ".join([legend, *_not_shown(numbers.by_group)])
    return replace(table, notes=below, legend=legend, in_words=few_texts, least=_LEAST)


def _differences(differences: Sequence[GroupDifference]) -> FigureTable:
    """Return the table of by how much groups differ, a row for each pair with its interval.

    The rows are in the order of `differences`. A difference is of the first group less the second.
    A row's sentence says if no difference is shown.
    """
    rows = []
    for difference in differences:
        text = difference_text(difference)
        interval = difference.by
        first_group = difference.one or "–"
        second_group = difference.other or "–"
        name = (
            f"{first_group} less {second_group} · {difference.trait.describe}"
            f" {difference.measure.name}"
        )
        figures = [ShownFigure(signed(interval.value), interval.value, text)]
        figures.append(
            ShownFigure(between(interval.low, interval.high), interval.half, text),
        )
        rows.append(FigureRow(name, figures, detail=text))
    heading = "Differences"
    return FigureTable(
        "differences",
        heading,
        DIFFERENCE,
        rows,
        in_sentences=True,
        least=_LEAST,
    )
