"""The judge beside people, as tables; behind each figure is the query of its cells."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.agreement import ENOUGH, FULL_NAMES, Agreement, Known, Rates
from appellate.core.breakdown import Breakdown, BySide, InstructionFigures
from appellate.core.figures import (
    NO_FIGURE,
    FigureColumn,
    FigureRow,
    FigureTable,
    ShownFigure,
    count_of,
)
from appellate.core.kind import AnyKind, Measure, TraitKey, headline
from appellate.core.panel_agreement import PanelAgreement
from appellate.core.problem import many
from appellate.core.totals import AnswerStats, Side
from appellate.numbers.formatting import figure
from appellate.numbers.sentences import agreement_text, panel_text, wrongly
from appellate.query.language import of_trait, quoted

INSTRUCTIONS = 200
"""Instructions in a table, as many as one reads; JSON has them all."""
WORDS = 6
"""Answers that have a column each; of more the commonest are named."""
COMMONEST = 3
NAMED = 3
"""Traits that a sentence names."""
BY_TRAIT = "By trait"
NOT_JUDGED = (
    "Nothing has been judged yet: {cell.judge:J} has one cell judged, {cell.sign:a}"
    " signs it off."
)
NOT_COMPARED = (
    "No verdict yet: each cell that you sign off ({cell.sign:a}) is compared here."
)
LEGEND = "Of the labels as they are now in every cell that has any, signed off or not."
WITHOUT_END = (
    "These intervals are for further responses of the same sort. Those for all responses that could"
    " be drawn stand in short, and with bars on the judge."
)
IF_AT_RANDOM = "They would hold if these cells had been chosen at random."
TOGETHER = (
    "Answers on one trace, or on a cluster of traces, are alike; the intervals are"
    " wider for that."
)
_LEAST = 30
_TAG = 6

AGREEMENT = (
    FigureColumn("n", 5, words="answers"),
    FigureColumn("differ", 6),
    FigureColumn("missed", 6),
    FigureColumn("wrong", 5),
    FigureColumn("sens", 5, words="sensitivity"),
    FigureColumn("prec", 5, words="precision"),
    FigureColumn("kappa", 6),
    FigureColumn("AC1", 6),
    FigureColumn("prev", 5, words="prevalence"),
    FigureColumn("spec", 5, words="specificity"),
    FigureColumn("alike", 5),
)
_RATES = (
    "sensitivity",
    "precision",
    "kappa",
    "ac1",
    "prevalence",
    "specificity",
    "observed",
)
_ABOUT = {
    "observed": "The share of answers that are alike",
    "kappa": "Cohen's kappa: beyond chance; low where nearly all are one word",
    "ac1": "Gwet's AC1: beyond chance, steady where one answer prevails",
    "alpha": "Krippendorff's alpha: beyond chance, which has the answers of both",
    "macro_f1": "macro-F1: the mean of the F1 of both answers, as HealthBench measures physicians",
    "weighted_kappa": "Weighted kappa: scores far apart count more, by the square",
    "icc": "ICC(A,1): how far single scores are the same, offsets counted",
    "sensitivity": "Sensitivity: of the person's {}, the judge's too",
    "precision": "Precision: of the judge's {}, the person's too",
    "specificity": "Specificity: of the person's others than {}, the judge's too",
    "prevalence": "Prevalence: the person's share of {}",
}

Sides = tuple[Side, Side]
"""People's side and the judge's: `totals.SIGNED_OFF` or `totals.AS_THEY_STAND`."""


class Sight(NamedTuple):
    """Whether the judge was in sight when a person answered: a query for such cells, and words."""

    query: str
    heading: str
    person: str
    done: str
    key: str
    how: str


SIGNED = "state:reviewed"
SIGHTED = Sight(
    SIGNED,
    "Judge in sight",
    "of labels that a person signed off",
    "signed off",
    "a signs cells off",
    "the person who signed off",
)
BLIND = Sight(
    "is:ruled",
    "Ruled blind",
    "of verdicts ruled blind",
    "ruled blind",
    "a rules cells",
    "the verdicts ruled blind",
)


class Change(NamedTuple):
    """People's number less the judge's over the same cells, pooled and as a mean over the `n` where
    both are defined. None is 0/0.
    """

    micro: float | None
    macro: float | None
    n: int


def less(people: float | None, judge: float | None) -> float | None:
    """Return people's number less the judge's; None if either is None, as for 0/0."""
    if people is None or judge is None:
        return None
    return people - judge


class TraitNumbers(Struct, frozen=True):
    """One trait over its cells, as far as it is counted: answers are not compared before
    `is_compared`, and `changes` by measure and sides are worked out only for a report. Where its
    cells share instructions, queries can ask for them.
    """

    numbers: Breakdown
    shares_instructions: bool = False
    is_compared: bool = True
    changes: Mapping[str, Mapping[Sides, Change]] = {}

    @property
    def name(self) -> str:
        """The trait's name."""
        return self.numbers.trait

    @property
    def kind(self) -> AnyKind:
        """The trait's kind."""
        return self.numbers.kind

    @property
    def key(self) -> TraitKey:
        """The names of the kind and of the trait."""
        return self.kind.name, self.name

    @property
    def headline(self) -> Measure:
        """The measure by which reports name the trait."""
        return headline(self.numbers.measures)

    def sides(self, measure: Measure) -> BySide:
        """Return the figures of one measure over all cells of the trait, by the name of the side.

        Raises KeyError for a measure that the trait does not have.
        """
        return self.numbers.whole.sides[measure.name]

    def of(self, sight: Sight) -> Agreement | None:
        """Return how far judge and people agree, ruled blind or signed off in sight of the judge.

        None while answers are not compared yet. Without any such answer it is an agreement of none.
        """
        if not self.is_compared:
            return None
        totals = self.numbers.whole
        return totals.blind if sight is BLIND else totals.agreement


class InstructionLine(NamedTuple):
    """A line of an instruction: the name of its traits, its list and its words."""

    trait: str
    of: str
    text: str


# -- queries --------------------------------------------------------------------------------------


@lru_cache(1024)
def words(field: str, *values: str) -> str:
    """Return a query's term with any of these values: `answer:found,present`; "" for no values.

    Values are quoted where a query needs it. Results are kept.
    """
    text = ",".join(map(quoted, values))
    return f"{field}:{text}" if text else ""


def wording(trait: TraitNumbers, field: str, answers: Iterable[str]) -> str:
    """Return the term of a query that finds cells by how they answer an instruction.

    Any of `answers` will do, by the words that queries know. `field` is "answer" for people's or
    "judged" for the judge's. "" if a trait's cells do not share instructions, and for no answers.
    """
    if not trait.shares_instructions:
        return ""
    query_words: list[str] = []
    for answer in answers:
        query_words += trait.kind.called_as.get(answer, (answer,))
    return words(field, *query_words)


def pair(trait: TraitNumbers, judge: Sequence[str], person: Sequence[str]) -> str:
    """Return the terms that find an instruction which the judge answers so, and the person so.

    Each side may have several answers, of which any will do. "" if the trait's cells do not share
    instructions.
    """
    judge_term = wording(trait, "judged", judge)
    person_term = wording(trait, "answer", person)
    return f"{judge_term} {person_term}".strip()


def _with_query(figures: Iterable[ShownFigure], query: str) -> list[ShownFigure]:
    """Return a copy of the figures with the query of each that has one replaced by `query`.

    Figures of blind verdicts take this one, since queries cannot ask for single verdicts.
    """
    return [
        replace(shown_figure, query=query) if shown_figure.query else shown_figure
        for shown_figure in figures
    ]


# -- agreement ------------------------------------------------------------------------------------


def agreement_figures(
    agreement: Agreement | None,
    trait: TraitNumbers,
    query: str,
    sight: Sight = SIGHTED,
) -> list[ShownFigure]:
    """Return a figure for each column of `AGREEMENT`, in its order: counts, errors, then rates.

    `query` finds the cells, signed off or not; the term for cells signed off, or by `sight` for
    those ruled blind, is added to it. `agreement` is None while answers are still being counted:
    then one figure says so, and the others are empty. With too few answers only the rates are
    empty, with the reason as their detail. Without any answer the errors are empty, too. Blind
    figures lead to all cells of the query, since queries cannot ask for single verdicts.
    """
    if agreement is None:
        waiting = ShownFigure("…", detail="It is being counted.", style="muted")
        return [waiting, *[NO_FIGURE] * (len(AGREEMENT) - 1)]
    query = f"{query} {sight.query}"
    n = agreement.n
    differing = n - agreement.agreed
    text = (
        f"{many(n, 'answer')} of the judge beside those {sight.person}, of"
        f" {many(agreement.traces, 'cluster of traces', 'clusters of traces')};"
        f" {agreement.agreed} are alike."
    )
    figures = [count_of(n, text, query), NO_FIGURE]
    if n:
        text = f"Person and judge differ in {many(differing, 'answer')} of {n}."
        figures[1] = count_of(differing, text, f"{query} overruled>0", "corrected")
    figures += _wrong_answer_figures(agreement, trait, query)
    if agreement.is_shown:
        figures += _rate_figures(agreement, trait, query)
    else:
        wants = f"{ENOUGH - agreement.n} more are needed ({sight.key})"
        reason = (
            agreement.reason or f"Shown from {ENOUGH} compared answers on: {wants}."
        )
        figures += [ShownFigure(detail=reason)] * len(_RATES)
    return _with_query(figures, query) if sight is BLIND else figures


def _wrong_answer_figures(
    agreement: Agreement,
    trait: TraitNumbers,
    query: str,
) -> list[ShownFigure]:
    """Return two figures: how many positive answers the judge missed, and how many it gave wrongly.

    Each leads to its cells within those of `query`. If the trait's cells do not share instructions,
    both lead to all cells of `query`. Both are empty if nothing was compared, or if no answer of
    the trait counts as positive.
    """
    if not agreement.positives or not agreement.n:
        return [NO_FIGURE, NO_FIGURE]
    positives = sorted(agreement.positives)
    negatives = [word for word in agreement.words if word not in agreement.positives]
    wrong, missed = wrongly(agreement)
    answers = " or ".join(positives)
    missed_text = f"{missed} that the person calls {answers} and the judge does not."
    missed_query = f"{query} {pair(trait, negatives, positives)}"
    wrong_text = f"{wrong} that the judge calls {answers} and the person does not."
    wrong_query = f"{query} {pair(trait, positives, negatives)}"
    return [
        count_of(missed, missed_text, missed_query),
        count_of(wrong, wrong_text, wrong_query),
    ]


def _rate_figures(
    agreement: Agreement,
    trait: TraitNumbers,
    query: str,
) -> Iterator[ShownFigure]:
    """Yield a figure for each of `_RATES`, in that order: coefficients and rates.

    Each has what it is and its interval in words as its detail, and is empty without a value.
    Sensitivity and prevalence lead to the cells where a person gave a positive answer, precision to
    those where the judge gave one, within the cells of `query`. The others lead to all cells of
    `query`, and so do all if the trait's cells do not share instructions.
    """
    positives = sorted(agreement.positives)
    person_term = wording(trait, "answer", positives)
    judge_term = wording(trait, "judged", positives)
    of_person = f"{query} {person_term}".rstrip()
    of_judge = f"{query} {judge_term}".rstrip()
    query_by_rate = {
        "sensitivity": of_person,
        "prevalence": of_person,
        "precision": of_judge,
    }
    answers = " or ".join(positives)
    for name in _RATES:
        about = _ABOUT[name].format(answers)
        text = f"{about}, of {agreement.n}"
        rate_query = query_by_rate.get(name, query)
        yield _coefficient_figure(agreement.known(name), text, rate_query)


def _coefficient_figure(
    coefficient: Known,
    description: str,
    query: str = "",
) -> ShownFigure:
    """Return a coefficient with three decimals as a figure, and its interval in the detail.

    The detail is `description`, which ends without a period, then the interval in words and a
    period. The figure leads to the cells of `query`, or nowhere for "". Without a value it is
    empty, leads nowhere, and its detail says that there is nothing to compute it from. Without an
    interval the detail says that the traces are too few for one.
    """
    if coefficient.value is None:
        return ShownFigure(
            detail=f"{description}. There is nothing to compute it from.",
        )
    interval_text = "; too few traces for an interval"
    if coefficient.bounds is not None:
        low, high, _, clusters = coefficient.bounds
        bounds = f"{figure(low)} to {figure(high)} (95 %)"
        interval_text = f"; {bounds}, by {clusters} traces or clusters"
    return ShownFigure(
        figure(coefficient.value),
        coefficient.value,
        f"{description}{interval_text}.",
        query,
        "key",
    )


def by_trait(
    traits: Sequence[TraitNumbers],
    heading: str,
    sight: Sight = SIGHTED,
) -> FigureTable:
    """Return a table with a row for each trait that has answers to compare.

    `sight` says which these are: those signed off, or those ruled blind. Traits with most differing
    answers come first, of equal ones that which is first in `traits`. Notes count the traits
    without any answer, and those with too few for rates, each with the names of the first `NAMED`;
    they also say why rates are left out. Keys are written in the notes as `{id:usual key}`, for
    `with_keys`. A trait that is still being counted has a row without figures. A row leads to all
    cells of its trait.
    """
    rows: list[FigureRow] = []
    few: list[tuple[str, int]] = []
    without: list[str] = []
    reasons: dict[str, None] = {}
    for trait in traits:
        agreement = trait.of(sight)
        totals = trait.numbers.whole
        nothing = sight is SIGHTED and not totals.signed  # before answers are compared
        if agreement is not None:
            nothing = not agreement.n
        if nothing:
            without.append(trait.name)
            continue
        query = of_trait(trait.name)
        text = (
            f"{trait.name}: {totals.signed} of {many(totals.cells, 'cell')} signed off."
        )
        figures = agreement_figures(agreement, trait, query, sight)
        rows.append(FigureRow(trait.name, figures, detail=text, query=query))
        if agreement is not None and agreement.reason:
            reasons[agreement.reason] = None
        elif agreement is not None and agreement.n < ENOUGH:
            few.append((trait.name, agreement.n))
    rows.sort(key=_differing)
    notes = [*_too_few_texts(few, sight), *reasons]
    if without:
        names = ", ".join(without[:NAMED])
        if len(without) > NAMED:
            names += ", …"
        notes.append(f"No verdict yet for {many(len(without), 'trait')}: {names}")
    return FigureTable(f"judge {sight.query}", heading, AGREEMENT, rows, notes=notes)


def _differing(row: FigureRow) -> float:
    """Return the sort key of a row of `AGREEMENT`: those with most differing answers come first.

    It is minus their number, and 0 for a row without one.
    """
    return -(row.figures[1].rank or 0)


def _too_few_texts(
    answer_counts: Sequence[tuple[str, int]],
    sight: Sight,
) -> Iterator[str]:
    """Yield a sentence about the traits with too few answers to compare; nothing without any.

    It ends with "tone has 3 so far, style has 5 so far.". Beyond the first three, traits are only
    counted. `answer_counts` has each trait's name and how many answers it has. `sight` says for the
    sentence which cells answers are compared in: signed off, or ruled on blind. Keys are written in
    it as `{id:usual key}`, for `with_keys`.
    """
    if not answer_counts:
        return
    texts: list[str] = []
    for name, count in answer_counts[:NAMED]:
        texts.append(f"{name} has {count} so far")
    rest = len(answer_counts) - NAMED
    if rest > 0:
        traits = many(rest, "trait")
        have = "has" if rest == 1 else "have"
        texts.append(f"{traits} more {have} too few")
    traits_text = ", ".join(texts)
    yield (
        f"Rates need {ENOUGH} compared answers in cells that are {sight.done}"
        f" ({{cell.sign:a}}): {traits_text}."
    )


# -- instructions ---------------------------------------------------------------------------------


def instructions(
    traits: Sequence[TraitNumbers],
    most: int = INSTRUCTIONS,
) -> FigureTable:
    """Return a table of how instructions are answered in all cells with labels.

    Those overruled most come first. At most `most` are in it, and a note counts the others. Each
    answer has a column; with more than `WORDS` different answers the commonest of each instruction
    share one. Asides, which are counts in no measure, have a column each, and the judge beside
    people those of `AGREEMENT`. What the list of an instruction is called is the last column, if
    any kind has lists.
    """
    ranked: list[tuple[TraitNumbers, InstructionFigures]] = []
    for trait in traits:
        for instruction_figures in trait.numbers.instructions:
            ranked.append((trait, instruction_figures))
    ranked.sort(key=_minus_overruled)
    listed = ranked[:most]
    rest = ranked[most:]
    notes: list[str] = []
    if rest:
        _, first_left_out = rest[0]
        overruled = first_left_out.stats.overruled
        how_often = "none overruled"
        if overruled:
            times = many(overruled, "time")
            how_often = f"each overruled at most {times}"
        left_out = many(len(rest), "further instruction")
        notes.append(f"{left_out} left out here, {how_often}; JSON has them all.")
    answers: dict[str, None] = {}
    has_lists = False
    for trait, _ in listed:
        answers |= dict.fromkeys(trait.numbers.vocabulary)
        has_lists = has_lists or bool(trait.kind.lists)
    asides = _asides(listed)
    answer_columns = list(answers)
    columns = [FigureColumn("overruled", 9), FigureColumn("asked", 5)]
    columns += [FigureColumn(spelled, len(spelled)) for spelled in asides.values()]
    columns += AGREEMENT
    if len(answer_columns) > WORDS:
        answer_columns = []
        columns.append(FigureColumn("answers", 24, left=True))
    columns += [FigureColumn(word, 5, widest=12) for word in answer_columns]
    columns += [FigureColumn("the response", 14, left=True)] * has_lists
    rows = [
        _answers_row(trait, instruction_figures, asides, answer_columns)
        for trait, instruction_figures in listed
    ]
    return FigureTable(
        "instructions",
        "Instructions",
        columns,
        rows,
        notes=notes,
        legend=LEGEND,
        least=_LEAST,
        tags=_TAG,
        order="most overruled first",
    )


def _minus_overruled(ranked: tuple[TraitNumbers, InstructionFigures]) -> int:
    """Return the sort key of an instruction: that which people overruled most first."""
    _, instruction_figures = ranked
    return -instruction_figures.stats.overruled


def _asides(
    listed: Iterable[tuple[TraitNumbers, InstructionFigures]],
) -> dict[str, str]:
    """Return the asides that any of some instructions has, with what people call each.

    An aside is a count that is in no measure. They are in the order of the kinds' own lists; asides
    that no kind lists are left out.
    """
    occurring: set[str] = set()
    spelled_by_word: dict[str, str] = {}
    for trait, instruction_figures in listed:
        occurring.update(instruction_figures.stats.asides)
        for word in trait.kind.aside_words:
            spelled_by_word[word] = trait.kind.spelled.get(word, word)
    return {
        word: spelled for word, spelled in spelled_by_word.items() if word in occurring
    }


def _answers_row(
    trait: TraitNumbers,
    instruction_figures: InstructionFigures,
    asides: Mapping[str, str],
    answer_columns: Sequence[str],
) -> FigureRow:
    """Return the row of an instruction over all cells.

    It has how often it was overruled and asked, its asides, the judge beside people, its answers
    and its list. `asides` are those with a column, and `answer_columns` the answers with a column
    of their own; without any the commonest are in one. Figures lead to their cells, or to all of
    the trait's if these do not share instructions. For a kind with `answering` the row leads to the
    instruction's line, else to the cells that ask it.
    """
    stats = instruction_figures.stats
    query = _instruction_query(trait, stats)
    goes = None
    if trait.kind.answering is not None:
        goes = InstructionLine(trait.name, stats.of, stats.instruction)
    overruled = many(stats.overruled, "answer")
    overruled_text = f"Now other than the judge's: {overruled} of {stats.cells}."
    overruled_query = f"{query} overruled>0"
    figures = [count_of(stats.overruled, overruled_text, overruled_query, "corrected")]
    asked = many(stats.cells, "time")
    asked_text = f"Answered {asked}."
    figures.append(
        ShownFigure(str(stats.cells), stats.cells, asked_text, query, "muted"),
    )
    for word, spelled in asides.items():
        count = stats.asides.get(word, 0)
        cells = many(count, "cell")
        text = f"{spelled} in {cells} of {stats.cells}."
        figures.append(count_of(count, text, f"{query} {word}>0"))
    agreement = None
    if trait.is_compared:
        agreement = instruction_figures.agreement
    figures += agreement_figures(agreement, trait, query)
    for answer in answer_columns:
        count = stats.times(answer)
        cells = many(count, "cell")
        term = wording(trait, "answer", [answer])
        cells_query = f"{query} {term}".rstrip()
        figures.append(count_of(count, f"{answer} in {cells}.", cells_query))
    if not answer_columns:
        figures.append(_commonest_answers(stats))
    list_name = trait.kind.lists.get(stats.of, "")
    figures.append(ShownFigure(list_name))
    return _instruction_row(trait, stats, figures, _answers_text(stats), goes)


def _ranked_answers(stats: AnswerStats) -> list[tuple[str, int]]:
    """Return the answers to an instruction with their numbers of cells, the commonest first.

    They are those of the labels now, by people or by the judge. Answers that are as common stay in
    the order in which they were counted.
    """
    return sorted(stats.answers.items(), key=_times_given, reverse=True)


def _times_given(answer_and_count: tuple[str, int]) -> int:
    """Return in how many cells an answer is given."""
    _, count = answer_and_count
    return count


def _answers_text(stats: AnswerStats) -> str:
    """Return all answers to an instruction, each with how often it is given: "met 3, unmet 1".

    They are those of the labels now, the commonest first; "" without any.
    """
    texts: list[str] = []
    for answer, count in _ranked_answers(stats):
        texts.append(f"{answer} {count}")
    return ", ".join(texts)


def _commonest_answers(stats: AnswerStats) -> ShownFigure:
    """Return the commonest answers that the labels now give to an instruction, in one figure.

    At most `COMMONEST` are in it, each with its number of cells: "met (3), unmet (1), …", where "…"
    stands for others. All answers are its detail. There must be an answer.
    """
    ranked = _ranked_answers(stats)
    texts: list[str] = []
    for answer, count in ranked[:COMMONEST]:
        texts.append(f"{answer} ({count:,})")
    if len(ranked) > COMMONEST:
        texts.append("…")
    text = ", ".join(texts)
    return ShownFigure(text, detail=f"{_answers_text(stats)}.")


def _instruction_row(
    trait: TraitNumbers,
    stats: AnswerStats,
    figures: Sequence[ShownFigure],
    text: str,
    goes: InstructionLine | None = None,
) -> FigureRow:
    """Return a row called by an instruction, tagged with its list, that has these figures.

    Its detail is the instruction, then trait, list and `text` in brackets: "Be polite (tone: …)".
    Enter leads to `goes`, or for None to the cells that ask the instruction.
    """
    tag = trait.kind.spelled.get(stats.of, "")
    trait_and_list = f"{trait.name} {tag}".strip()
    text = f"{stats.instruction} ({trait_and_list}: {text})"
    return FigureRow(
        stats.instruction,
        figures,
        tag=tag,
        detail=text,
        query=_instruction_query(trait, stats),
        goes=goes,
        about=trait.name,
    )


def _instruction_query(trait: TraitNumbers, stats: AnswerStats) -> str:
    """Return the query of the cells that ask an instruction.

    It is that of all the trait's cells if these do not share instructions.
    """
    term = ""
    if trait.shares_instructions:
        term = f"instruction:{quoted(stats.instruction)}"
    return of_trait(trait.name, term)


def ruled_instructions(traits: Iterable[TraitNumbers]) -> FigureTable:
    """Return a table of the instructions that were ruled blind, those that differ most first.

    They are sorted by how many of their verdicts differ. The first `INSTRUCTIONS` are in it, and
    nothing says that there are others. Traits that are still being counted have none. Without any
    the table has no rows.
    """
    ruled: list[tuple[TraitNumbers, InstructionFigures]] = []
    for trait in traits:
        if not trait.is_compared:
            continue
        for instruction_figures in trait.numbers.instructions:
            if instruction_figures.blind.n:
                ruled.append((trait, instruction_figures))
    ruled.sort(key=_minus_differing_blind)
    rows: list[FigureRow] = []
    for trait, instruction_figures in ruled[:INSTRUCTIONS]:
        stats = instruction_figures.stats
        blind = instruction_figures.blind
        query = _instruction_query(trait, stats)
        figures = agreement_figures(blind, trait, query, BLIND)
        _, differing, *_ = figures
        verdicts = many(blind.n, "blind verdict")
        text = f"{differing.text} of {verdicts} differ"
        rows.append(_instruction_row(trait, stats, figures, text))
    return FigureTable(
        "instructions blind",
        "Instructions ruled blind",
        AGREEMENT,
        rows,
        least=_LEAST,
        tags=_TAG,
    )


def _minus_differing_blind(ruled: tuple[TraitNumbers, InstructionFigures]) -> int:
    """Return the sort key of an instruction: that with most differing blind verdicts first."""
    _, instruction_figures = ruled
    return instruction_figures.blind.agreed - instruction_figures.blind.n


# -- pair by pair ---------------------------------------------------------------------------------


def beside_people(trait: TraitNumbers) -> list[FigureTable]:
    """Return tables of the judge against people: pairs of answers, coefficients, and the panel.

    Blind verdicts come first, then labels signed off. Without enough answers there is only the
    table of pairs, and without any none. If no answer counts as positive, the rates of each answer
    come before the coefficients. The panel is last, if the trait has one.
    """
    tables: list[FigureTable] = []
    for sight in (BLIND, SIGHTED):
        agreement = trait.of(sight)
        if agreement is None or not agreement.n:
            continue
        tables.append(_matrix(trait, agreement, sight))
        if agreement.is_shown:
            if not agreement.positives:
                tables.append(_rates_by_answer(trait, agreement, sight))
            tables.append(coefficients(agreement, trait, sight))
    if trait.numbers.panel is not None:
        tables.append(_panel(trait.name, trait.numbers.panel))
    return tables


def _matrix(trait: TraitNumbers, agreement: Agreement, sight: Sight) -> FigureTable:
    """Return a table of pairs of answers: rows for the judge's, columns for the person's.

    Both have the answers in one order. The last row and the last column have the sums. A note has
    the agreement in words. `sight` says which cells `agreement` is of: those signed off, or those
    ruled blind. Figures lead to their cells; if the trait's cells do not share instructions, to all
    that were compared, and of blind verdicts to all that were ruled. Queries cannot ask for single
    verdicts.
    """
    query = of_trait(trait.name, sight.query)
    words = agreement.words
    if sight is BLIND:
        trait = replace(trait, shares_instructions=False)  # queries know no verdicts
    rows = [_matrix_row(trait, agreement, judge, query) for judge in words]
    if sight is BLIND:
        rows = [replace(row, query=query) for row in rows]
    rows.append(_matrix_totals(trait, agreement, query))
    columns = [FigureColumn(word, 5, widest=12) for word in words]
    columns.append(FigureColumn("in all", 6))
    heading = f"{trait.name}: the judge against {sight.how}"
    return FigureTable(
        f"matrix {heading}",
        heading,
        columns,
        rows,
        notes=[agreement_text(agreement)],
        named=r"judge \ person",
    )


def _matrix_row(
    trait: TraitNumbers,
    agreement: Agreement,
    judge: str,
    query: str,
) -> FigureRow:
    """Return the row of an answer of the judge: how often people gave each answer, then the sum.

    Figures lead to their cells within those of `query`, a count of 0 nowhere, and the row to those
    of the sum. If the trait's cells do not share instructions, all lead to all cells of `query`.
    """
    n = agreement.n
    total = 0
    figures: list[ShownFigure] = []
    for person in agreement.words:
        count = agreement.counts.get((judge, person), 0)
        total += count
        text = f"The judge says {judge}, the person {person}: {count} of {n} answers."
        style = "key" if judge == person else "corrected"
        term = pair(trait, [judge], [person])
        figures.append(count_of(count, text, f"{query} {term}".rstrip(), style))
    times = many(total, "time")
    text = f"The judge says {judge} {times}, of {n}."
    term = wording(trait, "judged", [judge])
    sum_figure = count_of(total, text, f"{query} {term}".rstrip(), "muted")
    figures.append(sum_figure)
    detail = f"The judge says {judge}."
    return FigureRow(judge, figures, detail=detail, query=sum_figure.query)


def _matrix_totals(trait: TraitNumbers, agreement: Agreement, query: str) -> FigureRow:
    """Return the last row of pairs of answers: how often people gave each answer, then all.

    Figures lead to their cells within those of `query`, and a count of 0 nowhere. If the trait's
    cells do not share instructions, all lead to all cells of `query`.
    """
    n = agreement.n
    totals: list[ShownFigure] = []
    for person in agreement.words:
        total = 0
        for judge in agreement.words:
            total += agreement.counts.get((judge, person), 0)
        times = many(total, "time")
        text = f"The person says {person} {times}, of {n}."
        term = wording(trait, "answer", [person])
        totals.append(count_of(total, text, f"{query} {term}".rstrip(), "muted"))
    answers = many(n, "answer")
    text = f"{answers} compared, {agreement.agreed} of them alike."
    totals.append(count_of(n, text, query, "muted"))
    return FigureRow("in all", totals, detail=text, query=query, last=True)


def _rates_by_answer(
    trait: TraitNumbers,
    agreement: Agreement,
    sight: Sight,
) -> FigureTable:
    """Return a table of the rates of each answer, as if it were the only positive one.

    The columns are those of `Rates`: sensitivity, precision, specificity and prevalence, without
    intervals. A rate that is 0/0 or of too few answers is a dash. `sight` says for the heading and
    the query which cells `agreement` is of: those signed off, or those ruled blind. A row leads to
    all of these cells, and its figures nowhere.
    """
    rows = []
    for word in agreement.words:
        rates = agreement.rates_of(word)._asdict()
        figures = [
            ShownFigure(figure(value), value, f"{name} of {word}")
            for name, value in rates.items()
        ]
        rows.append(FigureRow(word, figures, query=of_trait(trait.name, sight.query)))
    columns = [FigureColumn(name[:4], 5, words=name) for name in Rates._fields]
    heading = f"{trait.name}: each answer against {sight.how}"
    return FigureTable(f"rates {heading}", heading, columns, rows)


def coefficients(
    agreement: Agreement,
    trait: TraitNumbers | None = None,
    sight: Sight = SIGHTED,
    right: str = "",
) -> FigureTable:
    """Return a table of coefficients and rates with their 95 % intervals and clusters.

    Those without a value are left out; without an interval its ends are dashes. Notes say
    what the intervals hold for. With a `trait`, `sight` says for the query which cells
    `agreement` is of: those signed off, or those ruled blind. Without a `trait` it is about
    two people and leads to no cells. A note says that the rates take `right` as right, a
    noun phrase such as "the second answers"; there is no such note for "".
    """
    query = of_trait(trait.name, sight.query) if trait else ""
    names = [*agreement.coefficients, *filter(agreement.tells, Rates._fields)]
    rows: list[FigureRow] = []
    for name in names:
        if agreement.known(name).value is not None:
            rows.append(_coefficient_row(agreement, name, query))
    columns = (
        FigureColumn("value", 6),
        FigureColumn("95 % from", 9),
        FigureColumn("to", 6),
        FigureColumn("clusters", 8),
    )
    heading = "95 % intervals"
    notes = [TOGETHER]
    if trait:
        heading = f"{trait.name}: 95 % intervals for responses without end, against {sight.how}"
        notes.append(WITHOUT_END if sight is BLIND else IF_AT_RANDOM)
    if right and any(agreement.tells(name) for name in Rates._fields):
        notes.append(
            f"Sensitivity, precision, specificity and prevalence take {right} as right.",
        )
    return FigureTable(
        f"intervals {heading}",
        heading,
        columns,
        rows,
        notes=notes,
        named="coefficient",
    )


def _coefficient_row(agreement: Agreement, name: str, query: str) -> FigureRow:
    """Return the row of a coefficient or rate: its value, both ends of its interval, its clusters.

    It must have a value. Without an interval the last three figures are dashes. The value and the
    row lead to the cells of `query`, or nowhere for "".
    """
    coefficient = agreement.known(name)
    full_name = FULL_NAMES.get(name, name)
    about = _ABOUT.get(name, full_name)
    answers = " or ".join(sorted(agreement.positives))
    value = _coefficient_figure(coefficient, about.format(answers), query)
    detail = value.detail
    figures = [value]
    bounds = coefficient.bounds
    if bounds is None:
        figures += [ShownFigure("–", detail=detail, style="muted")] * 3
    else:
        clusters = f"{bounds.clusters:,}"
        figures.append(ShownFigure(figure(bounds.low), bounds.low, detail))
        figures.append(ShownFigure(figure(bounds.high), bounds.high, detail))
        figures.append(ShownFigure(clusters, bounds.clusters, detail, style="muted"))
    return FigureRow(full_name, figures, detail=detail, query=query)


_AGAINST = (
    FigureColumn("n", 5, words="answers"),
    FigureColumn("differ", 6),
    FigureColumn("alike", 6),
    FigureColumn("kappa", 6),
    FigureColumn("AC1", 6),
)
_MEMBER = 12


def _panel(trait: str, panel: PanelAgreement) -> FigureTable:
    """Return a table with a row for each member of a panel.

    It has how many answers the member and the person both gave and how many differ, the share
    alike, kappa and AC1, and Cohen's kappa with each other member. A coefficient that is left out
    is empty and says why. The notes say how far the members agree and how many votes they are
    worth. With fewer than `ENOUGH` answers it has no rows, only notes.
    """
    sight = BLIND if panel.blind else SIGHTED
    query = of_trait(trait, sight.query)
    rows: list[FigureRow] = []
    if panel.n >= ENOUGH:
        for index in range(len(panel.members)):
            rows.append(_member_row(panel, index, query, sight))
    columns = list(_AGAINST)
    for name in panel.members:
        columns.append(FigureColumn(name, _MEMBER))
    return FigureTable(
        f"panel {trait}",
        f"{trait}: panel",
        columns,
        rows,
        notes=list(panel_text(panel)),
        named="member",
    )


def _member_row(
    panel: PanelAgreement,
    index: int,
    query: str,
    sight: Sight,
) -> FigureRow:
    """Return the row of a member of a panel, by its index: beside people, then beside the others.

    Beside people it has answers, how many differ, the share alike, kappa and AC1. Beside each
    member it has Cohen's kappa, and a dash for itself. `sight` says whose answers people's are, and
    `query` finds their cells.
    """
    name = panel.members[index]
    agreement = panel.against[index]
    answers = many(agreement.n, "answer")
    differing = agreement.n - agreement.agreed
    answers_text = f"{answers} of {name} beside those {sight.person}."
    differing_text = f"{differing} of {agreement.n} the person gives otherwise."
    figures = [
        count_of(agreement.n, answers_text, query),
        count_of(differing, differing_text, query, "corrected"),
    ]
    for coefficient in ("observed", "kappa", "ac1"):
        text = f"{FULL_NAMES[coefficient]} of {name} and the person"
        figures.append(_coefficient_or_reason(agreement, coefficient, text))
    for other_index, other_name in enumerate(panel.members):
        if other_index == index:
            itself = ShownFigure("–", style="muted", detail="The member itself.")
            figures.append(itself)
            continue
        two = panel.between[min(index, other_index), max(index, other_index)]
        text = f"Cohen's kappa of {name} and {other_name}"
        figures.append(_coefficient_or_reason(two, "kappa", text))
    detail = f"{name}, a member of the panel."
    return FigureRow(name, figures, detail=detail, query=query)


def _coefficient_or_reason(agreement: Agreement, name: str, text: str) -> ShownFigure:
    """Return a coefficient of an agreement as a figure, or an empty one if it is left out.

    `name` is that of the coefficient, such as "kappa". `text` says what it is of, and begins the
    figure's detail: "Cohen's kappa of anna and ben, of 40; …", or of an empty one "… is left out."
    and why. The figure leads nowhere.
    """
    if agreement.reason:
        return ShownFigure(detail=f"{text} is left out. {agreement.reason}")
    return _coefficient_figure(agreement.known(name), f"{text}, of {agreement.n}")


# -- the page -------------------------------------------------------------------------------------


def judge_page(traits: Sequence[TraitNumbers], *, is_blind: bool) -> list[FigureTable]:
    """Return the tables of the page Judge: by trait, by instruction, then each trait's pairs.

    With `is_blind` what was ruled blind is apart and comes first. Tables by trait and by
    instruction are left out if they have no rows. If none by trait has any, an empty table says
    that nothing is compared, or that nothing has been judged. A trait without compared answers has
    no tables of pairs.
    """
    sighted = by_trait(traits, SIGHTED.heading if is_blind else BY_TRAIT)
    compared = [sighted]
    overruled = instructions(traits)
    if is_blind:
        blind = by_trait(traits, BLIND.heading, BLIND)
        compared = [blind, ruled_instructions(traits), sighted]
    tables = [table for table in compared if table.rows]
    if not tables:
        empty = NOT_COMPARED if overruled.rows else NOT_JUDGED
        tables.append(FigureTable("judge", BY_TRAIT, (), empty=empty))
    if overruled.rows:
        tables.append(overruled)
    for trait in traits:
        tables += beside_people(trait)
    return tables
