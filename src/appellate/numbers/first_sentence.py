"""What an audit comes to, in the sentences that the report, the screen and `metrics` begin with.

They answer what somebody asks who has to rely on a judge: does it catch what people would fail,
does it find what people find, is it better than chance, and what would people say of all responses?

*Responses* are what was drawn and ruled on. *Instructions* are the questions of a checklist, so one
response has many answers. *Verdicts* are people's answers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from appellate.core.agreement import ENOUGH, Agreement, Answers, number_of
from appellate.core.breakdown import Breakdown
from appellate.core.describe import BLIND_BY_CLAIM
from appellate.core.kind import Measure, headline
from appellate.core.problem import listing, many
from appellate.core.scale import SHARE_OF_CLASS, measure_text
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF
from appellate.numbers.estimates import (
    AGREEMENT,
    BIAS,
    KAPPA,
    PRECISION,
    SENSITIVITY,
    SPECIFICITY,
    WEIGHTED_KAPPA,
    EstimatedTrait,
    GroupDifference,
    JudgeErrors,
    Worth,
)
from appellate.numbers.formatting import called, capital, cut, number, uncapital
from appellate.numbers.samples import SampleNumbers
from appellate.numbers.sentences import passed_text, unsettled_text
from appellate.stats.estimates import Interval
from appellate.stats.looks import JUDGE

NAME = 60
"""Characters of a trait's name."""
OTHERS = 3
"""Further traits that are told in one sentence; tables have them all."""
_FEWEST_FOR_A_SHARE = 10
"""Answers; a share of fewer is not worth a percentage, unless it has an interval."""
CHOSEN = "This is of the cells that people chose to sign off, and says nothing of the others."
IN_SIGHT = (
    "People had the judge's labels in sight as they ruled, which makes it look"
    " better than it is."
)
NOT_BLIND = (
    "Nobody ruled blind here: where people had the judge's labels in sight, it looks better than it"
    " is."
)
"""Of cells outside a sample: labels may have come from a file that does not say what people saw."""
CLAIMED = f"People's labels are {BLIND_BY_CLAIM}: nothing here shows it."
"""Of cells outside a sample that were imported with `--blind`."""
WEIGHTED = (
    "The sample was drawn with unequal chances: shares are weighted by these, counts"
    " are not."
)


def first_sentences(
    traits: Sequence[Breakdown],
    numbers: SampleNumbers | None,
) -> list[str]:
    """Return what an audit comes to, in a few sentences; never empty.

    `numbers` are those of its sample; None without one, or if it does not agree with itself. The
    sentences are of the sample once something of it is ruled on, else of what is signed off. Of a
    sample on which nobody ruled yet a last sentence says that there is no number for all responses,
    if there is a trait.
    """
    if numbers is None:
        return _of_signed_cells(traits)
    headlines = [worth for worth in numbers.worths if _is_headline(worth)]
    if any(worth.part.n for worth in headlines):
        return _of_a_sample(numbers, headlines)
    sentences = _of_signed_cells(traits)
    for worth in headlines[:1]:
        sentences += filter(None, [_of_all_responses(numbers, worth)])
    return sentences


class Compared(Struct, frozen=True):
    """The judge's answers beside people's, under one trait."""

    measure: Measure
    """The headline of the trait."""
    agreement: Agreement
    intervals: Mapping[str, Interval]
    """The judge's numbers that have an interval, by name; empty for cells that were not drawn."""
    responses: int
    """How many responses the answers are of."""
    asks_several: bool = False
    """Whether a response has several answers, as to the instructions of a checklist."""
    higher: int = 0
    """In how many responses the judge's number is above people's; `lower` are those below."""
    lower: int = 0
    is_raw: bool = False
    """Whether responses had unequal chances, so that a share of counts is no share of all."""
    further: Mapping[str, Interval] = {}
    """Of a census, agreement and kappas with intervals for further responses like these."""

    @property
    def positives(self) -> frozenset[str]:
        """The answers that count as positive."""
        return self.agreement.positives

    @property
    def shown_intervals(self) -> Mapping[str, Interval]:
        """`intervals`, or of a census those for further responses; empty without any."""
        return self.intervals or self.further


# -- an audit with a sample ------------------------------------------------------------------------


def _of_a_sample(numbers: SampleNumbers, headlines: Sequence[Worth]) -> list[str]:
    """Return the sentences of a sample of which something is ruled on.

    They are of the first headline with an interval, or else of the first that is ruled on at all.
    First comes the judge beside people, then what people would say of all responses, and of the
    last wave. What earlier headlines lack follows, then how the judge does on later ones. They end
    with how two groups differ and what weakens the sample. With several headlines the first
    sentence begins with the trait's name. `headlines` are the numbers of single traits, and one
    must be ruled on.
    """
    ruled = [worth for worth in headlines if worth.part.n]
    main = next((worth for worth in ruled if worth.interval is not None), ruled[0])
    sentences: list[str] = []
    errors = _errors_of(numbers, main.trait)
    if errors is not None:
        compared = _beside_people(numbers, main, errors)
        sentences += judge_sentences(compared, is_census=main.part.n == main.part.frame)
        sentences += filter(None, [_one_look_only(numbers, main.trait)])
    sentences += filter(None, [_of_all_responses(numbers, main)])
    if len(headlines) > 1 and sentences:
        name = cut(main.trait.describe, NAME)
        sentences[0] = f"{name}: {uncapital(sentences[0])}"
    if numbers.by_wave and main.interval is not None and main.part.n < main.part.frame:
        sentences.append(OVER_WAVES)
    sentences += _last_wave(numbers, main)
    main_index = ruled.index(main)
    for worth in ruled[:main_index]:
        lacking = _of_all_responses(numbers, worth)
        if lacking:
            name = cut(worth.trait.describe, NAME)
            sentences.append(f"{name}: {uncapital(lacking)}")
    sentences += _further_traits(numbers, ruled[main_index + 1 :])
    sentences += _group_difference(numbers.differences, main)
    sentences += filter(
        None,
        [passed_text(main, numbers.audit.unit), unsettled_text(numbers.audit)],
    )
    if not numbers.audit.sample.last.blind:
        sentences.append(IN_SIGHT)
    if numbers.audit.sample.is_unequal:
        sentences.append(WEIGHTED)
    return sentences


OVER_WAVES = "That interval is over all waves, and holds for one look only."


def _is_headline(worth: Worth) -> bool:
    """Return whether a number is the headline of a single trait, not of several together."""
    return bool(worth.trait.name) and worth.measure is headline(worth.trait.measures)


def _errors_of(numbers: SampleNumbers, trait: EstimatedTrait) -> JudgeErrors | None:
    """Return where the judge goes wrong under a trait; None if the sample does not tell."""
    return next((errors for errors in numbers.errors if errors.trait is trait), None)


def _one_look_only(numbers: SampleNumbers, trait: EstimatedTrait) -> str:
    """Return a sentence on the judge's numbers that hold for one look only, and why; or "".

    It is "The intervals of kappa and f1 hold for one look only: …." They are of the numbers that
    were to have an interval by betting, and have another. Once all units are audited there are
    none, and bias is left out, since no sentence tells it. One reason is told, that of the last.
    """
    names: list[str] = []
    why = ""
    for rate in numbers.rates:
        measure_name = rate.measure.name
        if rate.trait is not trait or measure_name == BIAS or rate.interval is None:
            continue
        is_whole = rate.part.n == rate.part.frame
        if rate.inexact and not is_whole:
            name = measure_name.removeprefix(JUDGE)
            names.append(name.replace("_", " "))
            why = rate.inexact
    if not names:
        return ""
    names_text = listing(names)
    if len(names) == 1:
        return f"The interval of {names_text} holds for one look only: {why}."
    return f"The intervals of {names_text} hold for one look only: {why}."


def _beside_people(
    numbers: SampleNumbers,
    worth: Worth,
    errors: JudgeErrors,
) -> Compared:
    """Return the judge beside people in a sample, with the intervals of the judge's numbers.

    `worth` is the trait's headline, and `errors` what the judge gets wrong under the trait.
    `responses` counts the audited cells with answers to compare. For a kind that compares only some
    of its lists there are no answers, and `responses` counts cells whose numbers are compared.
    """
    intervals: dict[str, Interval] = {}
    for rate in numbers.rates:
        if rate.trait is errors.trait and rate.interval is not None:
            intervals[rate.measure.name] = rate.interval
    agreement = errors.agreement
    responses = 0
    for unit in worth.part.counted:
        responses += sum(bool(cell.answers) for cell in unit.cells)
    if errors.trait.kind.compared:  # its answers are to questions of several sorts
        agreement = Agreement({})
        responses = errors.cells
    return Compared(
        errors.measure,
        agreement,
        intervals,
        responses,
        bool(errors.trait.kind.lists),
        errors.higher,
        errors.lower,
        errors.is_raw,
    )


def _of_all_responses(numbers: SampleNumbers, worth: Worth) -> str:
    """Return a sentence on what people would say of all responses, and what the judge says alone.

    It is "Of all 100 responses people would call about 62 % failed (50 to 74), from 20 that they
    signed off; the judge alone says 60 %.", or "Over all 100 responses f1 by people would be about
    .62 …". If all responses are ruled on, it says so and has no interval. Without an interval it
    says that there is no number yet, and why. For the share of a class it is on the shares of all
    classes, and it is "" for another measure of classes. Traces are called responses, clusters
    clusters.
    """
    unit = numbers.audit.unit
    if unit == "trace":
        unit = "response"
    part = worth.part
    measure = worth.measure
    if measure.word == SHARE_OF_CLASS:
        return _of_all_classes(numbers, worth)
    if measure.word == "class":
        return ""
    frame = many(part.frame, unit)
    interval = worth.interval
    if interval is None:
        return f"There is no number for all {frame} yet ({worth.wanting})."
    judge = _value_text(measure, part.judge_only)
    value = _value_text(measure, interval.value)
    ruled_how = "ruled on blind" if numbers.audit.sample.last.blind else "signed off"
    if part.n == part.frame:
        if measure.word == "verdict":
            return (
                f"All {frame} are {ruled_how}: people call {value} {measure.name}, the judge"
                f" {judge}."
            )
        return (
            f"All {frame} are {ruled_how}: {_mean_name(measure)} is {value}, the"
            f" judge's {judge}."
        )
    bounds = _bounds_text(measure, interval)
    rests = f"({bounds}), from {part.n:,} that they {ruled_how}; the judge alone says {judge}."
    if measure.word == "verdict":
        return f"Of all {frame} people would call about {value} {measure.name} {rests}"
    return f"Over all {frame} {_mean_name(measure)} by people would be about {value} {rests}"


def _last_wave(numbers: SampleNumbers, worth: Worth) -> Iterator[str]:
    """Yield a sentence on what people would say of the last wave, under the trait of a number.

    It is "In may alone the mean tone is about .62 (.50 to .74), from 20; a shift against april is
    not shown." The part on the shift is there only if both waves can be compared. Without an
    interval it says that there is no number for the wave yet, and why. Nothing is yielded for a
    sample of a single wave, and for classes.
    """
    of_trait = [
        number for number in numbers.by_wave if number.worth.trait is worth.trait
    ]
    measure = worth.measure
    if not of_trait or measure.word in ("class", SHARE_OF_CLASS):
        return
    last = of_trait[-1]
    name = cut(last.wave.sample.name, NAME)
    interval = last.worth.interval
    if interval is None:
        yield f"There is no number for {name} yet ({last.worth.wanting})."
        return
    value = _value_text(measure, interval.value)
    bounds = _bounds_text(measure, interval)
    rests = f"({bounds}), from {last.worth.part.n:,}"
    text = f"In {name} alone {_mean_name(measure)} is about {value} {rests}"
    if measure.word == "verdict":
        text = f"Of {name} alone people would call about {value} {measure.name} {rests}"
    if last.change is not None:
        shown = "shown" if last.has_shifted else "not shown"
        before = cut(last.before, NAME)
        text = f"{text}; a shift against {before} is {shown}"
    yield f"{text}."


def _bounds_text(measure: Measure, interval: Interval) -> str:
    """Return the ends of an interval of a measure as `34 to 74`, percentages without their sign."""
    low = _value_text(measure, interval.low).removesuffix(" %")
    high = _value_text(measure, interval.high).removesuffix(" %")
    return f"{low} to {high}"


def _mean_name(measure: Measure) -> str:
    """Return what a measure is called over many responses, inert and cut to `NAME` characters.

    A measure that is not made of counts is "the mean tone", another as it is, such as "f1".
    """
    name = cut(measure_text(measure), NAME)
    return f"the mean {name}" if measure.pool is None else name


def _further_traits(numbers: SampleNumbers, worths: Sequence[Worth]) -> Iterator[str]:
    """Yield one sentence on how far the judge agrees on other traits, or nothing.

    It is "Tone: it agrees on 9 of 10 responses (…); Style: it agrees on …; 2 more traits in the
    tables." `worths` are the headlines of these traits. Only the first `OTHERS` are looked at, and
    named if they have answers to compare; nothing is yielded if none of them has. The traits after
    those are only counted, with answers or without.
    """
    texts: list[str] = []
    for worth in worths[:OTHERS]:
        errors = _errors_of(numbers, worth.trait)
        if errors is None:
            continue
        compared = _beside_people(numbers, worth, errors)
        text = _agreement_alone(compared)
        if text:
            name = cut(worth.trait.describe, NAME)
            texts.append(f"{name}: {text}")
    if not texts:
        return
    rest = len(worths) - OTHERS
    if rest > 0:
        more = many(rest, "more trait")
        texts.append(f"{more} in the tables")
    sentence = "; ".join(texts)
    yield f"{sentence}."


def _agreement_alone(compared: Compared) -> str:
    """Return how far the judge agrees with people: "it agrees on 36 of 40 responses (…)".

    The clause begins in lower case, has no period, and calls the judge "it". In brackets are the
    share, kappa and what kappa says of chance, as far as they are known. Returns "" if there are no
    answers to compare.
    """
    agreement = compared.agreement
    if not agreement.n:
        return ""
    answers = many(agreement.n, _answered_unit(compared))
    shares = _in_brackets(_agreement_shares(compared))
    return f"it agrees on {agreement.agreed:,} of {answers}{shares}"


def _group_difference(
    differences: Sequence[GroupDifference],
    worth: Worth,
) -> Iterator[str]:
    """Yield a sentence on how far one of two groups is above the other in the number `worth`.

    It is "gpt is .12 above llama (.03 to .21).", and if the interval holds 0 it adds that chance
    alone can do that. `differences` are those of all numbers. Nothing is yielded unless there is
    exactly one difference in that number, so that there are two groups. A group without a name is
    "no name".
    """
    of_number: list[GroupDifference] = []
    for difference in differences:
        if difference.trait is worth.trait and difference.measure is worth.measure:
            of_number.append(difference)
    if len(of_number) != 1:
        return
    (group_difference,) = of_number
    higher_group = cut(group_difference.one or "no name", NAME)
    lower_group = cut(group_difference.other or "no name", NAME)
    interval = group_difference.by
    value = _short(interval.value)
    low = _short(interval.low)
    high = _short(interval.high)
    text = f"{higher_group} is {value} above {lower_group} ({low} to {high})"
    if interval.low <= 0 <= interval.high:
        text += ", which chance alone can do"
    yield f"{text}."


# -- the judge beside people -----------------------------------------------------------------------


def judge_sentences(compared: Compared, *, is_census: bool = False) -> list[str]:
    """Return how the judge does beside people, in one or two sentences; empty for no answers.

    For a checklist they are on instructions found, for positive and other answers on what the judge
    caught and passed, for scores on how near they are, and for classes on what is confused. Then
    comes how far both agree beyond chance. If all scores or classes are alike, that is the only
    sentence. For a trait without answers to compare it is on which side the judge's numbers are, if
    there are any. With `is_census` all that there is was ruled on: what may not have shown is told
    of further responses.
    """
    agreement = compared.agreement
    if not agreement.n:
        return _above_or_below(compared)
    of_agreement = _of_agreement(compared, is_census=is_census)
    if compared.asks_several and compared.positives:
        return [_of_lists(compared), of_agreement]
    if not compared.positives.isdisjoint(agreement.words):
        return [_of_two_answers(compared), of_agreement]
    if agreement.agreed == agreement.n:
        return [of_agreement]
    first = _of_scores(compared) if _are_scores(agreement) else _of_classes(compared)
    kappa = _kappa_with_chance(compared)
    if not kappa:
        return [first]
    return [first, f"{capital(kappa)}."]


class _Alike(Struct):
    """Responses to which people gave one sort of answer."""

    total: int = 0
    """How many there are."""
    same: int = 0
    """To how many of them the judge gave that sort of answer, too."""


def _of_two_answers(compared: Compared) -> str:
    """Return a sentence on what the judge caught of what people failed, and passed of the rest.

    It is "Of the 8 responses that people failed the judge caught 6 (75 %, 40–93); of the 32 that
    they passed it passed all 32 (100 %)." If neither answer is the better one, it says how many
    that people called by a positive answer the judge called so, too, and how many of the others it
    did not call so, either. Share and interval are left out where they are not known. If people
    gave one of the two to none, its part says that nothing shows it.
    """
    positives = compared.positives
    is_good = compared.measure.higher_is_better
    in_yes = _Alike()
    in_others = _Alike()
    for (judge, person), count in compared.agreement.counts.items():
        is_judge_positive = judge in positives
        is_person_positive = person in positives
        group = in_yes if is_person_positive else in_others
        group.total += count
        if is_judge_positive == is_person_positive:
            group.same += count
    if is_good is None:
        name = cut(" or ".join(sorted(positives)), NAME)
        called_so = _share_of(
            compared,
            SENSITIVITY,
            in_yes,
            "people",
            f"called {name}",
            f"the judge called {{}} {name}, too",
        )
        not_so = _share_of(
            compared,
            SPECIFICITY,
            in_others,
            "they",
            f"did not call {name}",
            "it did not call {} so, either",
        )
        return f"{capital(called_so)}; {not_so}."
    failed = (SENSITIVITY, in_yes)
    passed = (SPECIFICITY, in_others)
    if is_good:
        failed = (SPECIFICITY, in_others)
        passed = (SENSITIVITY, in_yes)
    caught_text = _share_of(
        compared,
        *failed,
        "people",
        "failed",
        "the judge caught {}",
    )
    passing_text = _share_of(compared, *passed, "they", "passed", "it passed {}")
    return f"{capital(caught_text)}; {passing_text}."


def _share_of(
    compared: Compared,
    measure_name: str,
    counts: _Alike,
    whose: Literal["people", "they"],
    people_did: str,
    judge_did: str,
) -> str:
    """Return a clause on how many responses people did something to, and the judge alike.

    It begins in lower case and has no period: "of the 8 responses that people failed the judge
    caught 6 (75 %, 40–93)". After it, with `whose` "they", the next is "of the 32 that they passed
    it passed 30 (94 %)". `judge_did` has `{}` for the second count, written "all 8" or "none" at
    the extremes, and behind it are the share and its interval, those of the judge's number
    `measure_name` if it has one. If people did it to no response, the clause says that nothing
    shows what the judge does.
    """
    total = counts.total
    unit = "response"
    if not total:
        responses = many(compared.agreement.n, unit)
        return (
            f"none of these {responses} is one that people {people_did},"
            " so nothing shows what the judge makes of such"
        )
    count = f"{counts.same:,}"
    if counts.same == total:
        count = f"all {count}"
    elif not counts.same:
        count = "none"
    shares = _in_brackets(_shares(compared, measure_name, counts.same, total))
    did = judge_did.format(f"{count}{shares}")
    units = f"{total:,}" if whose == "they" else many(total, unit)
    return f"of the {units} that {whose} {people_did} {did}"


def _of_lists(compared: Compared) -> str:
    """Return a sentence on how many instructions of people the judge finds, and vice versa.

    It is "Of the 20 instructions that people find in the responses the judge finds 15 (75 %); of
    the 18 that it finds people see 15 (83 %)." To find an instruction is to give a positive answer.
    If people find none, it only says so and how many the judge finds, be it 0. If the judge finds
    none, it says that it finds nothing else either in place of the second part.
    """
    people = 0
    judge = 0
    both = 0
    for (judged, person), count in compared.agreement.counts.items():
        is_found_by_people = person in compared.positives
        is_found_by_judge = judged in compared.positives
        if is_found_by_people:
            people += count
        if is_found_by_judge:
            judge += count
        if is_found_by_people and is_found_by_judge:
            both += count
    if not people:
        return (
            "People find none of the instructions in these responses;"
            f" the judge finds {judge:,}."
        )
    instructions = many(people, "instruction")
    found_share = _in_brackets(_shares(compared, SENSITIVITY, both, people))
    text = (
        f"Of the {instructions} that people find in the responses the judge finds"
        f" {both:,}{found_share}"
    )
    if not judge:
        return f"{text}; it finds nothing else either."
    seen_share = _in_brackets(_shares(compared, PRECISION, both, judge))
    return f"{text}; of the {judge:,} that it finds people see {both:,}{seen_share}."


def _of_scores(compared: Compared) -> str:
    """Return a sentence on how often the judge's scores are people's, and too high or too low.

    "The judge gives people's score to 20 of 40 responses and is at most 1 away in 35: too high in
    12, too low in 8; by .3 too high on average (.1–.5)." How many are at most 1 away is told only
    of a scale wider than 1, and the bias only if it has an interval. A pair with an answer that is
    no number counts only in how many there are and how many are the same.
    """
    higher = 0
    lower = 0
    near = 0
    for (judged, person), count in compared.agreement.counts.items():
        judge_score = number_of(judged)
        person_score = number_of(person)
        if judge_score is None or person_score is None:
            continue
        distance = judge_score - person_score
        if distance > 0:
            higher += count
        if distance < 0:
            lower += count
        if abs(distance) <= 1:
            near += count

    n = compared.agreement.n
    same_count = compared.agreement.agreed
    responses = many(n, "response")
    shares = _in_brackets(_shares(compared, AGREEMENT, same_count, n))
    text = f"The judge gives people's score to {same_count:,} of {responses}{shares}"
    width = compared.measure.high - compared.measure.low
    if width > 1:
        text += f" and is at most 1 away in {near:,}"
    text += f": too high in {higher:,}, too low in {lower:,}"
    bias = compared.intervals.get(BIAS)
    if bias is not None:
        side = "too high" if bias.value >= 0 else "too low"
        size = _short(abs(bias.value))
        text += f"; by {size} {side} on average{_in_brackets([_interval_text(bias)])}"
    return f"{text}."


def _of_classes(compared: Compared) -> str:
    """Return a sentence on how often the judge names people's class, and what it confuses most.

    It is "The judge says what people say of 30 of 40 responses (75 %); most often it says calm
    where they say rude (4 times)." Without a confusion it ends before the semicolon. Of confusions
    that are as frequent it tells the one whose judge's answer, then person's, comes last by name.
    """
    agreement = compared.agreement
    answers = many(agreement.n, _answered_unit(compared))
    shares = _shares(compared, AGREEMENT, agreement.agreed, agreement.n)
    in_brackets = _in_brackets(shares)
    text = f"The judge says what people say of {agreement.agreed:,} of {answers}{in_brackets}"
    confusions: list[tuple[int, Answers]] = []
    for pair, count in agreement.counts.items():
        judge, person = pair
        if judge != person:
            confusions.append((count, pair))
    if not confusions:
        return f"{text}."
    count, (judge, person) = max(confusions)
    judge_class = cut(judge, NAME)
    person_class = cut(person, NAME)
    times = many(count, "time")
    return f"{text}; most often it says {judge_class} where they say {person_class} ({times})."


def _above_or_below(compared: Compared) -> list[str]:
    """Return a sentence on which side the judge's numbers are, in a list of one.

    It is "Of 30 responses the judge's f1 is above people's in 12 and below in 8.", for a trait
    without answers to compare. The list is empty if no response has both numbers.
    """
    if not compared.responses:
        return []
    name = cut(compared.measure.name, NAME)
    responses = many(compared.responses, "response")
    sides = f"above people's in {compared.higher:,} and below in {compared.lower:,}"
    return [f"Of {responses} the judge's {name} is {sides}."]


# -- agreement -------------------------------------------------------------------------------------


def _of_agreement(compared: Compared, *, is_census: bool) -> str:
    """Return a sentence on how far the judge agrees with people: "It agrees with them on …".

    The sentence before must name the judge and people. Behind the counts, "36 of 40", follow the
    share, kappa and what kappa says of chance, and if the judge gives one answer to everything
    while people give several, so does that. If they always agree, it says instead how large a share
    of errors would not have shown: among the responses that were not ruled on, or with `is_census`
    among further ones. Where no interval tells that share, the sentence ends before it, and for a
    census it says that there are no more answers.
    """
    agreement = compared.agreement
    answers = f"{agreement.n:,}"
    if compared.asks_several:
        instructions = many(agreement.n, "instruction")
        responses = many(compared.responses, "response")
        answers = f"{instructions} of {responses}"
    if agreement.agreed == agreement.n:
        return _of_full_agreement(compared, answers, is_census=is_census)
    text = f"It agrees with them on {agreement.agreed:,} of {answers}"
    shares = _shares(compared, AGREEMENT, agreement.agreed, agreement.n)
    text += _in_brackets(shares[:1])
    kappa = _kappa_with_chance(compared)
    if kappa:
        text += f", {kappa}"
    constant = _one_answer(agreement)
    if constant:
        return f"{text}: it says {cut(constant, NAME)} to every one."
    return f"{text}."


def _of_full_agreement(compared: Compared, answers: str, *, is_census: bool) -> str:
    """Return a sentence that the judge agrees on all answers, and which errors may not have shown.

    It is "It agrees with them on all 40: no error in 40; up to about 7 % would not show." `answers`
    is what follows "all". The share is the upper end of its interval: among the responses that were
    not ruled on, or with `is_census` among further ones, as it says then. Without such an interval
    the sentence ends before the colon, and for a census it says that there are no more answers.
    """
    text = f"It agrees with them on all {answers}"
    agreement = compared.shown_intervals.get(AGREEMENT)
    if agreement is None or agreement.low >= 1:
        return f"{text}, and there are no more." if is_census else f"{text}."
    hidden_share = _percent(1 - agreement.low)
    hidden = f"up to about {hidden_share} would not show"
    if is_census:
        hidden = f"among further responses like these {hidden}"
    return f"{text}: no error in {compared.agreement.n:,}; {hidden}."


def _kappa_with_chance(compared: Compared) -> str:
    """Return kappa with its interval and what that says of chance, as a clause; or "".

    It begins with the word kappa, or weighted kappa, and has no period. "" if kappa is not known,
    and if people gave one answer to everything, since kappa says nothing then.
    """
    people_answers = {
        person for (_, person), count in compared.agreement.counts.items() if count
    }
    kappa = _kappa(compared)
    if not kappa or len(people_answers) < 2:  # noqa: PLR2004 - one answer, or none
        return ""
    return f"{kappa}{_chance_text(_kappa_interval(compared))}"


def _agreement_shares(compared: Compared) -> list[str]:
    """Return the share of answers alike, then kappa, as texts; what cannot be told is left out.

    The share has no interval. The text of kappa has it, and what that says of chance; there is no
    kappa if people gave one answer to everything.
    """
    agreement = compared.agreement
    shares = _shares(compared, AGREEMENT, agreement.agreed, agreement.n)[:1]
    kappa = _kappa_with_chance(compared)
    if kappa:
        shares.append(kappa)
    return shares


def _kappa_interval(compared: Compared) -> Interval | None:
    """Return kappa with its interval, the weighted one if that is known; else None.

    Of a census it is the interval for further responses like these. None for fewer than `ENOUGH`
    answers, even if an interval is known.
    """
    if compared.agreement.n < ENOUGH:
        return None
    intervals = compared.shown_intervals
    return intervals.get(WEIGHTED_KAPPA) or intervals.get(KAPPA)


def _kappa(compared: Compared) -> str:
    """Return kappa in words with its interval in brackets, as "kappa .42 (.16–.66)"; or "".

    It is the weighted one if that has an interval. Of a census the interval is said to be for
    further responses like these. Without an interval it is the value only; "" if that is not known,
    or if the counts are raw, from unequal chances.
    """
    intervals = compared.shown_intervals
    name = "weighted kappa" if WEIGHTED_KAPPA in intervals else "kappa"
    interval = _kappa_interval(compared)
    if interval is not None:
        bounds = _interval_text(interval)
        if bounds and compared.further:
            bounds += " for further responses like these"
        value = _short(interval.value)
        in_brackets = _in_brackets([bounds])
        return f"{name} {value}{in_brackets}"
    kappa = compared.agreement.kappa
    if kappa is None or compared.is_raw:
        return ""
    return f"kappa {_short(kappa)}"


def _chance_text(kappa: Interval | None) -> str:
    """Return what an interval of kappa says of chance, to end a sentence, with a comma before it.

    It is ", worse than chance" if all of it is below 0, and ", no better than chance" if it holds
    0. "" if it is above 0, and if it is not known.
    """
    if kappa is None:
        return ""
    if kappa.high < 0:
        return ", worse than chance"
    if kappa.low <= 0:
        return ", no better than chance"
    return ""


def _one_answer(agreement: Agreement) -> str:
    """Return the answer that the judge gives to everything while people give several; else "".

    Only answers that were compared count. "", too, if people give one answer to everything.
    """
    judge_answers = {judge for (judge, _), count in agreement.counts.items() if count}
    people_answers = {
        person for (_, person), count in agreement.counts.items() if count
    }
    if len(judge_answers) == 1 and len(people_answers) > 1:
        return next(iter(judge_answers))
    return ""


# -- an audit without a sample ---------------------------------------------------------------------


def _of_signed_cells(traits: Sequence[Breakdown]) -> list[str]:
    """Return texts on what people signed off and on how the judge does beside them, at least one.

    A text has one to three sentences. If nobody signed off anything, there is one text: it has the
    judge's number, if a trait has one, and that no number is audited. Else the first has the number
    of the first trait with one. The judge is held beside people under one trait: the first with
    blind rulings, or else with answers to compare. That is left out for a kind that compares only
    some of its lists. It is said if people have not ruled blind, and if they chose the cells
    themselves, which is so until all are signed off.
    """
    cells = sum(trait.whole.cells for trait in traits)
    signed = sum(trait.whole.signed for trait in traits)
    blind = [trait for trait in traits if trait.whole.blind.n]
    if not signed:
        cells_text = many(cells, "cell")
        judges_number = _first_number(traits, AS_THEY_STAND)
        text = f"Nobody has signed off any of {cells_text} yet."
        return [f"{text}{judges_number} No number here is audited."]
    did = "signed off"
    if blind and not any(trait.whole.agreement.n for trait in traits):
        did = "ruled blind on"
    cells_text = many(cells, "cell")
    first_number = _first_number(traits, SIGNED_OFF)
    sentences = [f"People {did} {signed:,} of {cells_text}.{first_number}"]
    compared_traits = blind or [trait for trait in traits if trait.whole.agreement.n]
    for trait in compared_traits[:1]:
        agreement = trait.whole.blind if blind else trait.whole.agreement
        if not trait.measures or trait.kind.compared:
            continue
        measure = headline(trait.measures)
        is_census = signed == cells
        compared = Compared(
            measure,
            agreement,
            {},
            trait.whole.signed,
            bool(trait.kind.lists),
            further=_further_intervals(agreement) if is_census else {},
        )
        judge_texts = judge_sentences(compared, is_census=is_census)
        if len(traits) > 1 and judge_texts:
            name = cut(trait.trait, NAME)
            judge_texts[0] = f"{name}: {uncapital(judge_texts[0])}"
        sentences += judge_texts
        if not blind and trait.whole.claimed == trait.whole.signed:
            sentences.append(CLAIMED)
        elif not blind:
            sentences.append(NOT_BLIND)
    if signed < cells:
        sentences.append(CHOSEN)
    return sentences


def _further_intervals(agreement: Agreement) -> dict[str, Interval]:
    """Return how judge and people agree, each value with its interval for further such responses.

    The intervals are of level .95. The keys are `AGREEMENT`, `KAPPA` and, of scores,
    `WEIGHTED_KAPPA`. One without a value or an interval is left out, so there is none below
    `ENOUGH` answers.
    """
    intervals: dict[str, Interval] = {}
    coefficients = {
        AGREEMENT: "observed",
        KAPPA: "kappa",
        WEIGHTED_KAPPA: "weighted_kappa",
    }
    for name, coefficient in coefficients.items():
        known = agreement.known(coefficient)
        if known.value is not None and known.bounds is not None:
            low, high, *_ = known.bounds
            intervals[name] = Interval(known.value, low, high)
    return intervals


def _first_number(traits: Sequence[Breakdown], sides: tuple[str, str]) -> str:
    """Return a sentence on the number of the first trait that has one, with a space before it.

    For the sides `SIGNED_OFF` it is " There, f1 in tone is 0.812; the judge says 0.790." with
    people's headline, then the judge's, in the same cells. For other sides it is " By the judge, f1
    in tone is 0.790, over 30 judged cells." Of a trait of classes it has the share of each. "" if
    no trait has a number.
    """
    people, judge = sides
    for trait in traits:
        if not trait.measures:
            continue
        measure = headline(trait.measures)
        if measure.word == SHARE_OF_CLASS:
            text = _first_shares(trait, sides)
            if text:
                return text
            continue
        by_people = trait.whole.sides[measure.name][people]
        by_judge = trait.whole.sides[measure.name][judge]
        measure_name = _measure_named(measure)
        trait_name = cut(trait.trait, NAME)
        name = f"{measure_name} in {trait_name}"
        people_value = by_people.micro
        judge_value = by_judge.micro
        if people_value is not None and sides == SIGNED_OFF:
            text = f" There, {name} is {number(people_value)}"
            if judge_value is None:
                return f"{text}; no judge has a number there."
            text += f"; the judge says {number(judge_value)}"
            if by_judge.n < by_people.n:
                text += f", over the {by_judge.n:,} of them that it judged"
            return f"{text}."
        if judge_value is not None and sides != SIGNED_OFF:
            judged_cells = many(by_judge.n + by_judge.undefined, "judged cell")
            return (
                f" By the judge, {name} is {number(judge_value)}, over {judged_cells}."
            )
    return ""


def _first_shares(trait: Breakdown, sides: tuple[str, str]) -> str:
    """Return a sentence with the share of each class of a trait, with a space before it, or "".

    For the sides `SIGNED_OFF` it is " There, tone is calm 60 %, rude 40 %; by the judge calm 55 %,
    ….", with a dash if the judge has no class in these cells; "" if people have none. For other
    sides it is " By the judge, tone is calm 60 %, ….", and "" if the judge has none. The
    `_MOST_SHARES` largest classes are told, and "…" stands for others.
    """
    people, judge = sides
    ours = _shares_of_classes(trait, people)
    theirs = _shares_of_classes(trait, judge)
    name = cut(trait.trait, NAME)
    if ours and sides == SIGNED_OFF:
        return f" There, {name} is {ours}; by the judge {theirs or '–'}."
    if theirs and sides != SIGNED_OFF:
        return f" By the judge, {name} is {theirs}."
    return ""


def _shares_of_classes(trait: Breakdown, side: str) -> str:
    """Return the shares of the classes that occur, the largest first: `a 60 %, b 40 %`.

    The first `_MOST_SHARES` are in it, and "…" stands for others. "" if no class occurs.
    """
    shares: list[tuple[float, str]] = []
    for measure in trait.measures:
        share = trait.whole.sides[measure.name][side].micro
        if share:
            shares.append((share, measure.short))
    shares.sort(key=_minus_share)
    texts: list[str] = []
    for share, class_name in shares[:_MOST_SHARES]:
        name = cut(class_name, NAME)
        texts.append(f"{name} {_percent(share)}")
    if len(shares) > _MOST_SHARES:
        texts.append("…")
    return ", ".join(texts)


def _minus_share(share_of_class: tuple[float, str]) -> float:
    """Return the sort key of a share and its class: the largest share first."""
    share, _ = share_of_class
    return -share


_MOST_SHARES = 4
"""Classes whose share is in a sentence, at most."""


def _measure_named(measure: Measure) -> str:
    """Return what a measure is called within a sentence: "the share answered yes", "score (1–5)".

    Verdicts and classes have "the" before the name, and bounds and direction follow it. The text is
    inert and cut.
    """
    name = called(measure)
    return f"the {name}" if measure.word in {"verdict", "class"} else name


# -- figures in sentences --------------------------------------------------------------------------


def _answered_unit(compared: Compared) -> str:
    """Return what one answer is to: "instruction" for a checklist, else "response"."""
    return "instruction" if compared.asks_several else "response"


def _are_scores(agreement: Agreement) -> bool:
    """Return whether all answers that occur are numbers; True if none occurs."""
    return all(number_of(word) is not None for word in agreement.words)


def _shares(compared: Compared, name: str, count: int, total: int) -> list[str]:
    """Return a share in percent and its interval as two texts, as far as they are worth telling.

    `name` is the judge's number that the share is. If that has an interval, its value counts and
    not `count` of `total`; the second text is "" for an interval without a width. Otherwise it is
    one text, `count` of `total`. It is [] then if `total` is below `_FEWEST_FOR_A_SHARE`, or if the
    counts are raw, from a draw with unequal chances.
    """
    interval = compared.intervals.get(name)
    if interval is not None:
        return [_percent(interval.value), _percents(interval)]
    if total < _FEWEST_FOR_A_SHARE or compared.is_raw:
        return []
    return [_percent(count / total)]


def _in_brackets(texts: Iterable[str]) -> str:
    """Return texts in brackets with commas between and a space before; "" for none.

    Texts that are "" are left out.
    """
    text = ", ".join(filter(None, texts))
    if not text:
        return ""
    return f" ({text})"


def _percents(interval: Interval) -> str:
    """Return an interval of a share of 1 in percent, without the sign: `34–74`.

    An end has a decimal where it would be 0 or 100 without being it. "" if both ends are equal.
    """
    if interval.low == interval.high:
        return ""
    low = _percent(interval.low).removesuffix(" %")
    high = _percent(interval.high).removesuffix(" %")
    return f"{low}–{high}"


def _percent(share: float) -> str:
    """Return a share of 1 as a whole percentage: `34 %`.

    It has a decimal where it would be 0 or 100 without being it: `0.3 %`, `99.8 %`. Beyond that it
    is `<0.1 %` or `>99.9 %`.
    """
    percentage = share * 100
    text = f"{percentage:.0f}"
    is_almost_none = text == "0" and share > 0
    is_almost_all = text == "100" and share < 1
    if is_almost_none or is_almost_all:
        text = f"{percentage:.1f}"
    if is_almost_none and text == "0.0":
        text = "<0.1"
    if is_almost_all and text == "100.0":
        text = ">99.9"
    return f"{text} %"


def _short(value: float) -> str:
    """Return a number with two decimals and no 0 before the point: `.45`, `−.12`, `3.40`.

    It never is a negative zero.
    """
    rounded = round(value, 2) + 0.0  # makes −0.0 a 0.0
    text = f"{rounded:.2f}".replace("-", "−")
    if text.startswith("0."):
        return text[1:]
    return text.replace("−0.", "−.")


def _interval_text(interval: Interval) -> str:
    """Return an interval as `.16–.66`, or `−.10 to .20` if it begins below 0.

    Returns "" if it has no width.
    """
    if interval.low == interval.high:
        return ""
    low = _short(interval.low)
    high = _short(interval.high)
    if interval.low < 0:
        return f"{low} to {high}"
    return f"{low}–{high}"


MOST_CLASSES = 3
"""Classes that a sentence tells one by one, the largest; the others are told together."""


def _of_all_classes(numbers: SampleNumbers, worth: Worth) -> str:
    """Return a sentence on the share of each class over all responses, by people and judge.

    It has "60 % calm (50 to 70), …" with the largest by people first, then the judge's shares in
    the same order; if all responses are ruled on, there are no intervals. `worth` is the number of
    one class; those of the others are taken from `numbers`. If there are more than `MOST_CLASSES`
    and one more, those after the first `MOST_CLASSES` are told as one share of others, and the
    judge's shares of them are not told. If one class has no interval, it says that there are no
    shares yet, and why.
    """
    unit = numbers.audit.unit
    if unit == "trace":
        unit = "response"
    frame = many(worth.part.frame, unit)
    shares: list[tuple[Interval, Worth]] = []
    for of_class in numbers.worths:
        if of_class.trait is not worth.trait or of_class.measure.word != SHARE_OF_CLASS:
            continue
        interval = of_class.interval
        if interval is None:
            return f"There are no shares of classes for all {frame} yet ({of_class.wanting})."
        shares.append((interval, of_class))
    shares.sort(key=lambda share: -share[0].value)

    told = shares
    if len(shares) > MOST_CLASSES + 1:  # one class more is told by its name
        told = shares[:MOST_CLASSES]
    is_whole = worth.part.n == worth.part.frame
    by_people: list[str] = []
    by_judge: list[str] = []
    for interval, of_class in told:
        name = cut(of_class.measure.short, NAME)
        text = f"{_percent(interval.value)} {name}"
        if not is_whole:
            low = _percent(interval.low).removesuffix(" %")
            high = _percent(interval.high).removesuffix(" %")
            text = f"{text} ({low} to {high})"
        by_people.append(text)
        by_judge.append(_judge_share(of_class))
    if len(told) < len(shares):
        rest = max(1 - sum(interval.value for interval, _ in told), 0.0)
        by_people.append(f"{_percent(rest)} others")

    ruled_how = "ruled on blind" if numbers.audit.sample.last.blind else "signed off"
    judge_text = ", ".join(by_judge)
    if is_whole:
        return (
            f"All {frame} are {ruled_how}: people call {listing(by_people)}; the judge alone says"
            f" {judge_text}."
        )
    return (
        f"Of all {frame} people would call about {listing(by_people)}, from {worth.part.n:,} that"
        f" they {ruled_how}; the judge alone says {judge_text}."
    )


def _judge_share(of_class: Worth) -> str:
    """Return the share of a class that the judge says of all responses, in percent.

    It is a dash if there is none.
    """
    share = of_class.part.judge_only
    return "–" if share is None else _percent(share)


def _value_text(measure: Measure, value: float | None) -> str:
    """Return a value of a measure with two decimals and no 0 before the point; a dash for None.

    A share of verdicts is a percentage instead.
    """
    if value is None:
        return "–"
    if measure.word == "verdict":
        return _percent(value)
    return _short(value)
