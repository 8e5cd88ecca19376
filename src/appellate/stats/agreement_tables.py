"""How far several agree who answered the same questions, from how often which answers were given
together.

A *pattern* is the answers to one question, by place: of a pair the one's and the other's, of a
panel its members', None where one gave none. `Patterns` counts them. What is 0/0 is None.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct

Pattern = tuple[str | None, ...]
Patterns = Mapping[Pattern, float]
Positions = Mapping[str, float]
"""Where answers stand that are in order: two of them lie the square of the difference apart."""
_PAIR = 2


class Coefficient(Struct, frozen=True):
    """Agreement beyond chance: what was `observed`, and what `chance` would come to.

    A share that nobody corrects for chance has one of 0; `is_of_some` where it is of some of the
    answers alone, as sensitivity is of the positive ones.
    """

    observed: float
    chance: float = 0.0
    is_of_some: bool = False

    @property
    def value(self) -> float:
        return (self.observed - self.chance) / (1 - self.chance)

    def at(self, value: float) -> "Coefficient":
        """The same chance under another value."""
        return Coefficient(value * (1 - self.chance) + self.chance, self.chance)


Statistic = Callable[[Patterns], Coefficient | None]
_Apart = Callable[[str | None, str | None], float]


def total(patterns: Patterns) -> float:
    """How many questions were answered."""
    return sum(patterns.values())


def between(patterns: Patterns, places: Sequence[int]) -> dict[Pattern, float]:
    """The answers of those at these places alone, to the questions that all of these answered."""
    found: dict[Pattern, float] = {}
    for given, count in patterns.items():
        chosen = tuple(given[place] for place in places)
        if None not in chosen:
            found[chosen] = found.get(chosen, 0) + count
    return found


def alike(patterns: Patterns) -> Coefficient | None:
    """The share of questions that all answer alike."""
    n = total(patterns)
    if not n:
        return None
    return Coefficient(sum(count for given, count in patterns.items() if len({*given}) == 1) / n)


# -- pairs -----------------------------------------------------------------------------------------


def cohen_kappa(pairs: Patterns, at: Positions | None = None) -> Coefficient | None:
    """Cohen's kappa (Educational and Psychological Measurement 20, 1960), by positions that with
    squared weights (Psychological Bulletin 70, 1968): by chance each gives its own answers.

    None where both give one and the same answer throughout.
    """
    n = total(pairs)
    if not n:
        return None
    apart = _distances(pairs, at)
    found = sum(count * apart(one, other) for (one, other), count in pairs.items())
    ones = margin(pairs, 0)
    others = margin(pairs, 1)
    by_chance = 0.0
    for one, times in ones.items():
        for other, count in others.items():
            by_chance += times * count * apart(one, other)
    return _beyond(found / n, by_chance / n**2)


def margin(patterns: Patterns, place: int) -> dict[str | None, float]:
    """How often the one at a place gives each answer."""
    found: dict[str | None, float] = {}
    for given, count in patterns.items():
        found[given[place]] = found.get(given[place], 0) + count
    return found


def share(
    pairs: Patterns, of: Collection[str], place: int, found: Collection[str]
) -> Coefficient | None:
    """Of the answers `of` that the one at `place` gives, the share where the other's is one of
    `found`: of judge and person, at 1 sensitivity or specificity, at 0 precision.
    """
    hit = asked = 0.0
    for given, count in pairs.items():
        if given[place] in of:
            asked += count
            hit += count * (given[1 - place] in found)
    if not asked:
        return None
    return Coefficient(hit / asked, is_of_some=True)


def given_share(patterns: Patterns, of: Collection[str], place: int) -> Coefficient | None:
    """How often the one at a place gives any of these answers."""
    n = total(patterns)
    if not n:
        return None
    return Coefficient(sum(count for given, count in patterns.items() if given[place] in of) / n)


def f1(pairs: Patterns, of: Collection[str]) -> float | None:
    """The F1 of these answers, the other's taken as right; None where either gives none of them."""
    both = sum(count for (one, other), count in pairs.items() if one in of and other in of)
    ones = sum(count for (one, _), count in pairs.items() if one in of)
    others = sum(count for (_, other), count in pairs.items() if other in of)
    if not ones or not others:
        return None
    return 2 * both / (ones + others)


def macro_f1(pairs: Patterns, of: Collection[str]) -> Coefficient | None:
    """The mean F1 of these answers and of all others: HealthBench's (arXiv 2505.08775)."""
    others: set[str] = set()
    for given in pairs:
        others.update(word for word in given if word is not None and word not in of)
    met = f1(pairs, of)
    unmet = f1(pairs, others)
    if met is None or unmet is None:
        return None
    return Coefficient((met + unmet) / 2)


# -- two or more -----------------------------------------------------------------------------------


def gwet_ac1(patterns: Patterns, words: int = 0) -> Coefficient | None:
    """Gwet's AC1 (British Journal of Mathematical and Statistical Psychology 61, 2008), which does
    not fall where nearly all answers are one word, as kappa does.

    There are as many `words` to choose from, at the least those that occur, and two.
    """
    compared = found = rated = 0.0
    shares: dict[str, float] = {}
    for given, count in patterns.items():
        times = _times(given)
        n = len(_answers(given))
        if not n:
            continue
        rated += count
        for word, often in times.items():
            shares[word] = shares.get(word, 0) + count * often / n
        if n >= _PAIR:
            compared += count
            pairs = sum(often * (often - 1) for often in times.values())
            found += count * pairs / (n * (n - 1))
    if not compared:
        return None
    spread = sum(one / rated * (1 - one / rated) for one in shares.values())
    return Coefficient(found / compared, spread / (max(words, len(shares), 2) - 1))


def krippendorff_alpha(patterns: Patterns, at: Positions | None = None) -> Coefficient | None:
    """Krippendorff's alpha (Content Analysis, 1980), nominal or by positions interval: by chance
    all give the answers of all.

    None where there is but one answer.
    """
    apart = _distances(patterns, at)
    found = n = 0.0
    values: dict[str, float] = {}
    for given, count in patterns.items():
        answers = _answers(given)
        if len(answers) < _PAIR:
            continue
        n += count * len(answers)
        for one in answers:
            values[one] = values.get(one, 0) + count
            found += count * sum(apart(one, other) for other in answers) / (len(answers) - 1)
    by_chance = 0.0
    for one, times in values.items():
        for other, often in values.items():
            by_chance += times * often * apart(one, other)
    if n < _PAIR:
        return None
    return _beyond(found / n, by_chance / (n * (n - 1)))


def intraclass(patterns: Patterns, at: Positions) -> Coefficient | None:
    """ICC(A,1) of McGraw and Wong (Psychological Methods 1, 1996), ICC(2,1) of Shrout and Fleiss:
    absolute agreement of single scores, so that one who scores higher throughout does not agree.

    Of the questions that all answered; None for fewer than two, and where no score differs. What
    chance would come to is that of Krippendorff's alpha, for the bounds of an interval.
    """
    complete = {given: count for given, count in patterns.items() if None not in given}
    n = total(complete)
    apart = krippendorff_alpha(complete, at)
    if n < _PAIR or apart is None:
        return None
    k = len(next(iter(complete)))
    columns = [0.0] * k
    rows = 0.0
    squares = 0.0
    for given, count in complete.items():
        scores = [at[one] for one in _answers(given)]
        rows += count * sum(scores) ** 2 / k
        squares += count * sum(score**2 for score in scores)
        for place, score in enumerate(scores):
            columns[place] += count * score
    middle = sum(columns) ** 2 / (n * k)
    between = sum(column**2 for column in columns) / n - middle
    by_row = (rows - middle) / (n - 1)
    by_column = between / (k - 1)
    error = (squares - rows - between) / ((n - 1) * (k - 1))
    scale = by_row + (k - 1) * error + k * (by_column - error) / n
    if not scale:
        return None
    return apart.at((by_row - error) / scale)


# -- distances -------------------------------------------------------------------------------------


def _beyond(found: float, by_chance: float) -> Coefficient | None:
    """What disagreement leaves of agreement; None where chance cannot disagree."""
    if not by_chance:
        return None
    return Coefficient(1 - found, 1 - by_chance)


def _distances(patterns: Patterns, at: Positions | None) -> _Apart:
    """How far two answers lie apart: 1 at the most."""
    if at is None:
        return lambda one, other: float(one != other)
    places: dict[str | None, float] = {
        one: at[one] for given in patterns for one in _answers(given)
    }
    span = max(places.values(), default=0.0) - min(places.values(), default=0.0)
    return lambda one, other: ((places[one] - places[other]) / (span or 1)) ** 2


def _answers(given: Pattern) -> list[str]:
    return [one for one in given if one is not None]


def _times(given: Pattern) -> dict[str, int]:
    answers = _answers(given)
    return {one: answers.count(one) for one in dict.fromkeys(answers)}
