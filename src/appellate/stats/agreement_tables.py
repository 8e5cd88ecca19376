"""Coefficients of agreement: how far several raters agree who answered the same questions.

A *pattern* holds the answers that one question got, one for each rater, by position. A pair has two
positions, a panel one for each member. None stands for a rater who did not answer. `Patterns`
counts how often each pattern occurred. A coefficient needs nothing else. It is None where it would
be 0/0.

`core/agreement.py` and `core/panel_agreement.py` show these numbers. `clustered.py` gives them
intervals.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct

Pattern = tuple[str | None, ...]
"""The answers to one question, by position of the rater; None if a rater did not answer."""
Patterns = Mapping[Pattern, float]
"""How often each pattern occurred. Counts are fractions where questions are weighted."""
Positions = Mapping[str, float]
"""Where each answer of an ordered scale lies. Two answers are the square of the difference apart.
"""
_PAIR = 2
"""Answers, or questions, that it takes to compare anything."""


class Coefficient(Struct, frozen=True):
    """The agreement of raters, and the part of it that chance explains."""

    observed: float
    """Agreement that was observed, at most 1."""
    chance: float = 0.0
    """Agreement that would be expected by chance; 0 for a share, which has no such correction."""
    is_of_some: bool = False
    """Whether it is about a part of the answers only, as sensitivity is about the positive ones."""

    @property
    def value(self) -> float:
        """Agreement beyond chance: 1 if all agree, 0 if only as much as by chance, below 0 if less.

        Raises ZeroDivisionError if chance is 1.
        """
        return (self.observed - self.chance) / (1 - self.chance)

    def with_value(self, value: float) -> "Coefficient":
        """Return a new coefficient that has this value and the same chance.

        Its observed agreement is what they make it, and its `is_of_some` is False. This one stays
        as it is.
        """
        observed = value * (1 - self.chance) + self.chance
        return Coefficient(observed, self.chance)


Statistic = Callable[[Patterns], Coefficient | None]
"""A coefficient as a function of patterns; None where it is 0/0."""
_Distance = Callable[[str | None, str | None], float]


def total(patterns: Patterns) -> float:
    """Return how many questions the patterns count."""
    return sum(patterns.values())


def between(patterns: Patterns, raters: Sequence[int]) -> dict[Pattern, float]:
    """Return the patterns of a few raters, given by position, in the order given.

    Only questions that each of these raters answered are counted, so no pattern has None. Counts of
    patterns that become equal are added. {} if there are none.
    """
    chosen_patterns: dict[Pattern, float] = {}
    for pattern, count in patterns.items():
        chosen = tuple(pattern[rater] for rater in raters)
        if None not in chosen:
            chosen_patterns[chosen] = chosen_patterns.get(chosen, 0) + count
    return chosen_patterns


def alike(patterns: Patterns) -> Coefficient | None:
    """Return the share of questions to which all raters gave the same answer, from 0 to 1.

    None for no questions. A rater without an answer counts as one with an answer of its own kind,
    so a question that nobody answered is alike. `between` leaves such questions out.
    """
    n = total(patterns)
    if not n:
        return None
    counts: list[float] = []
    for pattern, count in patterns.items():
        different_answers = set(pattern)
        if len(different_answers) == 1:
            counts.append(count)
    return Coefficient(sum(counts) / n)


# -- pairs -----------------------------------------------------------------------------------------


def cohen_kappa(
    pairs: Patterns,
    positions: Positions | None = None,
) -> Coefficient | None:
    """Return Cohen's kappa of two raters, or None if there are no pairs or chance is certain.

    Chance is certain if both always give one and the same answer, or answers of one position. Both
    must have answered each question: `between` gives such pairs. Chance is that each rater gives
    its own answers in random order. Without positions all disagreements weigh the same (Educational
    and Psychological Measurement 20, 1960). With them the weights are squared distances
    (Psychological Bulletin 70, 1968), and an answer without a position raises KeyError.
    """
    n = total(pairs)
    if not n:
        return None
    distance = _distance_function(pairs, positions)
    observed = sum(
        count * distance(first, second) for (first, second), count in pairs.items()
    )

    first_counts = answer_counts(pairs, 0)
    second_counts = answer_counts(pairs, 1)
    by_chance = 0.0
    for first, first_count in first_counts.items():
        for second, second_count in second_counts.items():
            pair_count = first_count * second_count
            by_chance += pair_count * distance(first, second)
    return _agreement_of_distances(observed / n, by_chance / n**2)


def answer_counts(patterns: Patterns, rater: int) -> dict[str | None, float]:
    """Return how often the rater at a position gave each answer, in how many questions.

    The key None counts those that the rater did not answer. Counts are fractions where questions
    are weighted. {} without patterns.
    """
    counts: dict[str | None, float] = {}
    for pattern, count in patterns.items():
        answer = pattern[rater]
        counts[answer] = counts.get(answer, 0) + count
    return counts


def share(
    pairs: Patterns,
    *,
    given: Collection[str],
    rater: int,
    matching: Collection[str],
) -> Coefficient | None:
    """Return how often the other rater of a pair confirms certain answers of one rater.

    Of the questions where the rater at position `rater` (0 or 1) gave an answer of `given`, it is
    the share where the other gave one of `matching`. A question that the other did not answer
    counts, and confirms nothing. With the judge at 0 and a person at 1, rater 1 makes it
    sensitivity or specificity, and rater 0 precision. None if the rater gave no answer of `given`.
    `is_of_some` is True in it.
    """
    hits = 0.0
    n = 0.0
    for pattern, count in pairs.items():
        if pattern[rater] in given:
            n += count
            hits += count * (pattern[1 - rater] in matching)
    if not n:
        return None
    return Coefficient(hits / n, is_of_some=True)


def given_share(
    patterns: Patterns,
    answers: Collection[str],
    rater: int,
) -> Coefficient | None:
    """Return the share of all questions to which a rater, by position, gave one of the answers.

    Questions that the rater did not answer count among all. None for no questions. `is_of_some` is
    False in it, and chance is 0.
    """
    n = total(patterns)
    if not n:
        return None
    count = sum(
        count for pattern, count in patterns.items() if pattern[rater] in answers
    )
    return Coefficient(count / n)


def f1(pairs: Patterns, answers: Collection[str]) -> float | None:
    """Return the F1 of how two raters use these answers; it does not matter which of them is right.

    It is from 0 to 1: twice the questions where both gave one of the answers, not always the same
    one, divided by how often each of them did, together. None if either rater gave none of the
    answers, where `f1_of` may give 0.
    """
    both = 0.0
    by_first = 0.0
    by_second = 0.0
    for (first, second), count in pairs.items():
        first_gave_it = first in answers
        second_gave_it = second in answers
        if first_gave_it:
            by_first += count
        if second_gave_it:
            by_second += count
        if first_gave_it and second_gave_it:
            both += count
    if not by_first or not by_second:
        return None
    return 2 * both / (by_first + by_second)


def f1_of(pairs: Patterns, answers: Collection[str]) -> Coefficient | None:
    """Return the F1 of how two raters use these answers as a coefficient of those questions.

    Both need not give the same one of them. It is 0 if only one rater used any, unlike `f1`, and
    None if neither did. It has no part by chance, and `is_of_some` is True in it.
    """
    counted = set(answers)
    used = {
        pattern: count
        for pattern, count in pairs.items()
        if not counted.isdisjoint(pattern)
    }
    if not total(used):
        return None
    value = f1(used, answers)
    if value is None:
        value = 0.0
    return Coefficient(value, is_of_some=True)


def macro_f1(pairs: Patterns, answers: Collection[str]) -> Coefficient | None:
    """Return the mean of two F1s of a pair: of these answers, and of all other answers together.

    A question that a rater did not answer is in neither group for that rater. None if a rater gave
    no answer of one of the two groups. It has no part by chance, and `is_of_some` is False in it.
    Source: HealthBench (arXiv 2505.08775).
    """
    other_answers: set[str] = set()
    for pattern in pairs:
        other_answers.update(_given_answers(pattern))
    other_answers.difference_update(answers)

    f1_of_answers = f1(pairs, answers)
    f1_of_others = f1(pairs, other_answers)
    if f1_of_answers is None or f1_of_others is None:
        return None
    return Coefficient((f1_of_answers + f1_of_others) / 2)


# -- two or more -----------------------------------------------------------------------------------


def gwet_ac1(patterns: Patterns, answer_count: int = 0) -> Coefficient | None:
    """Return Gwet's AC1 of two or more raters, or None if no question has two answers.

    Unlike kappa it does not fall when nearly all answers are the same. A question with one answer
    counts for chance, not for the agreement observed. `answer_count` is how many answers the raters
    could choose from. If it is less than the number of answers that occur, or than two, the larger
    of these is used. Source: British Journal of Mathematical and Statistical Psychology 61, 2008.
    """
    rated = 0.0  # questions with an answer
    compared = 0.0  # questions with two answers or more
    agreeing = 0.0
    shares: dict[str, float] = {}
    for pattern, count in patterns.items():
        repeats = _repeats(pattern)
        n = len(_given_answers(pattern))
        if not n:
            continue
        rated += count
        for answer, times in repeats.items():
            shares[answer] = shares.get(answer, 0) + count * times / n
        if n < _PAIR:
            continue
        compared += count
        agreeing_pairs = sum(times * (times - 1) for times in repeats.values())
        all_pairs = n * (n - 1)
        agreeing += count * agreeing_pairs / all_pairs
    if not compared:
        return None

    prevalences = [share / rated for share in shares.values()]
    spread = sum(prevalence * (1 - prevalence) for prevalence in prevalences)
    answer_count = max(answer_count, len(shares), 2)
    observed = agreeing / compared
    chance = spread / (answer_count - 1)
    return Coefficient(observed, chance)


def krippendorff_alpha(
    patterns: Patterns,
    positions: Positions | None = None,
) -> Coefficient | None:
    """Return Krippendorff's alpha of two or more raters.

    Questions with fewer than two answers do not count. Chance is that all raters draw from the
    answers of all. None if no question has two answers, and if only one answer occurs in them. With
    positions it is the interval alpha, without them the nominal one. With positions, raises
    KeyError for any answer that has none, and is None if all answers have the same one. Source:
    Content Analysis, 1980.
    """
    distance = _distance_function(patterns, positions)
    observed = 0.0
    n = 0.0  # answers to questions that two or more answered
    counts: dict[str, float] = {}
    for pattern, count in patterns.items():
        answers = _given_answers(pattern)
        others_count = len(answers) - 1
        if others_count < 1:
            continue
        n += count * len(answers)
        for answer in answers:
            counts[answer] = counts.get(answer, 0) + count
            to_all = sum(distance(answer, second) for second in answers)
            observed += count * to_all / others_count

    if n < _PAIR:
        return None
    by_chance = 0.0
    for first, first_count in counts.items():
        for second, second_count in counts.items():
            pair_count = first_count * second_count
            by_chance += pair_count * distance(first, second)
    return _agreement_of_distances(observed / n, by_chance / (n * (n - 1)))


def intraclass(patterns: Patterns, positions: Positions) -> Coefficient | None:
    """Return the intraclass correlation of scores: absolute agreement of single scores.

    A rater who always scores higher than the others does not agree with them. Only questions that
    all raters answered count. None for fewer than two such questions, and if all scores in them are
    equal. Raises KeyError for an answer in them that has no position. The chance of the result is
    that of Krippendorff's alpha, which the bounds of an interval need.

    Source: ICC(A,1) of McGraw and Wong (Psychological Methods 1, 1996), which is ICC(2,1) of Shrout
    and Fleiss.
    """
    complete = {
        pattern: count for pattern, count in patterns.items() if None not in pattern
    }
    n = total(complete)
    alpha = krippendorff_alpha(complete, positions)
    if n < _PAIR or alpha is None:
        return None

    first_pattern = next(iter(complete))
    k = len(first_pattern)  # raters
    rater_sums = [0.0] * k
    question_squares = 0.0
    squares = 0.0
    for pattern, count in complete.items():
        scores = [positions[answer] for answer in _given_answers(pattern)]
        question_squares += count * sum(scores) ** 2 / k
        squares += count * sum(score**2 for score in scores)
        for rater, score in enumerate(scores):
            rater_sums[rater] += count * score

    # sums of squares
    of_grand_mean = sum(rater_sums) ** 2 / (n * k)
    between_raters = sum(rater_sum**2 for rater_sum in rater_sums) / n - of_grand_mean
    between_questions = question_squares - of_grand_mean
    error = squares - question_squares - between_raters

    # mean squares: MSR, MSC and MSE of McGraw and Wong
    question_mean_square = between_questions / (n - 1)
    rater_mean_square = between_raters / (k - 1)
    error_mean_square = error / ((n - 1) * (k - 1))

    of_errors = (k - 1) * error_mean_square
    of_raters = k * (rater_mean_square - error_mean_square) / n
    scale = question_mean_square + of_errors + of_raters
    if not scale:
        return None
    return alpha.with_value((question_mean_square - error_mean_square) / scale)


# -- distances -------------------------------------------------------------------------------------


def _agreement_of_distances(observed: float, by_chance: float) -> Coefficient | None:
    """Return the agreement that mean distances leave: observed and by chance, 1 minus each.

    None if `by_chance` is 0, as chance could not disagree then.
    """
    if not by_chance:
        return None
    return Coefficient(1 - observed, 1 - by_chance)


def _distance_function(patterns: Patterns, positions: Positions | None) -> _Distance:
    """Return a function of how far two answers lie apart, from 0 to 1.

    Without positions unequal answers are 1 apart, and None is an answer of its own kind. With them
    it is the square of the difference, on a scale on which the answers of `patterns` span 1. That
    function raises KeyError for None and for any answer that is not in `patterns`. Raises KeyError
    at once for an answer of `patterns` that has no position.
    """
    if positions is None:
        return _nominal_distance
    used: dict[str | None, float] = {}
    for pattern in patterns:
        for answer in _given_answers(pattern):
            used[answer] = positions[answer]
    lowest = min(used.values(), default=0.0)
    highest = max(used.values(), default=0.0)
    span = highest - lowest
    unit = span or 1

    def squared_distance(first: str | None, second: str | None) -> float:
        return ((used[first] - used[second]) / unit) ** 2

    return squared_distance


def _nominal_distance(first: str | None, second: str | None) -> float:
    """Return 0 if two answers are equal, else 1; None is an answer of its own kind."""
    return float(first != second)


def _given_answers(pattern: Pattern) -> list[str]:
    """Return the answers of a pattern without the raters that did not answer."""
    return [answer for answer in pattern if answer is not None]


def _repeats(pattern: Pattern) -> dict[str, int]:
    """Return how many raters gave each answer of a pattern, by answer.

    Raters without an answer are left out; {} if none answered.
    """
    answers = _given_answers(pattern)
    return {answer: answers.count(answer) for answer in dict.fromkeys(answers)}
