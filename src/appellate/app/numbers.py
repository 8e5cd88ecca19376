"""The rows of the dashboard: how far one is, how fast it goes, and what each trait comes to.

A row's key is the query that shows its cells in the queue.
"""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from appellate.app.header import STATES
from appellate.core.kind import AnyKind, Measure, Trait
from appellate.core.scale import bounds, full_name, parts
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF, AnswerStats, measures_over, summary
from appellate.core.wordforms import many
from appellate.query.language import quoted
from appellate.review_session import ReviewSession, roughly, span
from appellate.ui.lines import ListRow
from appellate.ui.marks import Marks, progress
from appellate.ui.measures_bar import number, signed
from appellate.ui.plots import AXIS, bar, histogram, sparkline
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import clip, column

_NAME = 14
_BAR = 30
_SPACE = 6  # cells of a number
_MEAN = 9
_N = 9
BINS = 20
"""Parts of the scale from 0 to 1 in which cells are counted."""
_SLOTS = "sign-offs in each 10 min  "
_ROOMY = 90  # cells beside which a bar leaves an instruction readable
_BARS = 8
_WORD, _COUNT, _ANSWERS = 10, 5, 24  # cells of an answer's name, of its count, and of all answers
_MOST_WORDS = 4

Totals = Mapping[str, int]


class TraitNumbers(NamedTuple):
    """What is known of a trait at once: the traits of its name, and the totals over their cells."""

    name: str
    kind: AnyKind
    traits: Sequence[Trait]
    totals: Totals

    @property
    def measures(self) -> list[Measure]:
        """The measures that any of the traits asks for."""
        return measures_over(self.kind, self.traits)

    @property
    def headline(self) -> Measure:
        """The measure asked for last, as in the queue."""
        return self.measures[-1]

    @property
    def vocabulary(self) -> list[str]:
        """The words that answers may be given in."""
        words: dict[str, None] = {}
        for trait in self.traits:
            words |= dict.fromkeys(self.kind.vocabulary(trait))
        return list(words)


def progress_of(totals: Totals, room: int, marks: Marks) -> list[ListRow]:
    """How many cells are in each state."""
    cells, reviewed = totals.get("cells", 0), totals.get("state:reviewed", 0)
    told = f"{reviewed} of {many(cells, 'cell')} signed off  "
    if cells:
        told += f"{reviewed * 100 // cells} %"
    drawn = progress(reviewed, cells, min(_BAR, room - len(told) - 4), marks)
    rows = [ListRow(f"{told}  {drawn}")]
    for state, meaning in STATES:
        count = totals.get(f"state:{state}", 0)
        left = (
            StyledText(f"{getattr(marks, state)} ", state),
            StyledText(f"{count:>6}  {state:11}"),
            StyledText(f"{meaning:24}", "muted"),
        )
        drawn = bar(count, cells, min(room - 50, _BAR), marks)
        rows.append(ListRow(drawn, left, style=state, key=f"state:{state}" if count else ""))
    flagged = totals.get("flagged", 0)
    mark = (StyledText(f"{marks.flag} ", "flag"),)
    rows.append(ListRow(f"{flagged:>6}  flagged", mark, key="is:flagged" if flagged else ""))
    return rows


def pace_of(session: ReviewSession, totals: Totals, room: int, marks: Marks) -> list[ListRow]:
    """How fast it goes, what is left, and the sign-offs over time."""
    reviewed, cells = totals.get("state:reviewed", 0), totals.get("cells", 0)
    each, time = session.each(reviewed), session.time_left(reviewed, cells)
    if each is None:
        return sentences(["There is no pace yet: it takes three sign-offs (a signs off)."], room)
    told = f"{span(each)} for a cell, pauses left out; {many(cells - reviewed, 'cell')} left"
    if time:
        told += f", about {roughly(time)}"
    rows = sentences([told], room)
    line = sparkline(session.slots(), room - len(_SLOTS) - 2, marks)
    if line:
        rows.append(ListRow(line, (StyledText(_SLOTS, "muted"),), style="reviewed"))
    return rows


def sentences(told: Iterable[str], room: int) -> list[ListRow]:
    """Sentences in as many lines as they take."""
    return [ListRow(line) for sentence in told for line in wrap(sentence, max(room - 2, 20))]


# -- a trait -------------------------------------------------------------------------------------


def metrics(trait: TraitNumbers, room: int, marks: Marks) -> list[ListRow]:
    """The trait's measures over the cells signed off, and as all stand, beside the judge's."""
    known = [measure for measure in trait.measures if _is_known(trait.totals, measure)]
    if not known:
        none = "No cell has labels yet: J has one judged, v and m fill it by hand."
        return sentences([none], room)
    if trait.totals.get("state:reviewed"):
        only = f"{_only(trait.name)} state:reviewed"
        rows = _block("signed off", trait, SIGNED_OFF, known, only, marks)
    else:
        none = "No cell is signed off: there are no audited numbers yet (a signs off)."
        rows = sentences([none], room)
    rows.append(ListRow("What stands in every cell, signed off or not:", style="muted"))
    return [*rows, *_block("standing", trait, AS_THEY_STAND, known, _only(trait.name), marks)]


def _is_known(totals: Totals, measure: Measure) -> bool:
    return any(f"{side}:{measure.name}:n" in totals for side in AS_THEY_STAND)


def _block(
    name: str,
    trait: TraitNumbers,
    sides: tuple[str, str],
    measures: Sequence[Measure],
    key: str,
    marks: Marks,
) -> list[ListRow]:
    """The measures on people's side and on the judge's, with their n."""
    judged = f"{'judge':<{2 * _SPACE}} "
    heads = f"{'n':<{_N}}{'pooled':<{_MEAN}}{judged}{'mean':<{_MEAN}}{judged}0/0"
    width = max(_NAME, max(len(full_name(measure)) for measure in measures) + 1)
    rows = [ListRow(f"{name:{width}}{heads}", style="muted")]
    for measure in measures:
        people = summary(trait.totals, sides[0], measure)
        judge = summary(trait.totals, sides[1], measure)
        n = _both(people["n"], judge["n"])
        pieces = [StyledText(f"{full_name(measure):{width}}"), StyledText(f"{n:<{_N}}", "muted")]
        for mean in ("micro", "macro"):
            by = _difference(people[mean], judge[mean], marks)
            pieces += [StyledText(f"{_value(people, mean):<{_MEAN}}", "key")]
            pieces += [StyledText(f"{_value(judge, mean):<{_SPACE}}", "muted")]
            pieces += [StyledText(f"{by:<{_SPACE}} ", "corrected")]
        undefined = _both(people["undefined"], judge["undefined"])
        rows.append(ListRow("", (*pieces, StyledText(undefined, "muted")), key=key))
    return rows


def _difference(people: float | None, judge: float | None, marks: Marks) -> str:
    if people is None or judge is None or number(people) == number(judge):
        return ""
    return signed(people - judge, marks)


def _value(side: Mapping[str, Any], mean: str) -> str:
    """A number, `0/0`, or a dash where there is no cell to have it."""
    if not side["n"] + side["undefined"]:
        return "-"
    if side[mean] is None:
        return "0/0"
    return number(side[mean])


def _both(people: int, judge: int) -> str:
    """A count of cells, with the judge's in parentheses where it is another."""
    return str(people) if people == judge else f"{people} ({judge})"


def _only(trait: str) -> str:
    """The query for a trait's cells."""
    return f"trait:{quoted(trait)}"


def spread_of(
    measure: Measure, sides: Mapping[str, Sequence[int]] | None, room: int, marks: Marks
) -> list[ListRow]:
    """How a measure lies over the cells; as many rows while it is still being counted."""
    head = f"{measure.name} over the cells, as labels stand"
    counted = sides
    if not counted:
        head += ", being counted …"
        counted = dict.fromkeys(AS_THEY_STAND, [0] * parts(measure, BINS))
    labels = AXIS
    if bounds(measure):
        middle = (measure.low + measure.high) / 2
        labels = f"{measure.low:g}", f"{middle:g}", f"{measure.high:g}"
    shown = [(side, counted[side]) for side in AS_THEY_STAND]
    steps = [clip(step, _WORD, marks) for step in measure.steps]
    lines = histogram(shown, room - 2, 2, marks, labels=labels, steps=steps)
    return [ListRow(head, style="muted"), *(ListRow("", tuple(line)) for line in lines)]


def answers(
    trait: TraitNumbers, found: Sequence[AnswerStats], room: int, marks: Marks
) -> list[ListRow]:
    """Instructions by how often a person overruled the judge on them."""
    if not found:
        return sentences(["No instruction has been judged yet."], room)
    roomy = room > _ROOMY
    widths = _columns(trait, found, marks)
    titles = f"{'answers':>{_ANSWERS}}"
    if widths:
        titles = "  ".join(f"{clip(word, _WORD, marks):>{width}}" for word, width in widths.items())
    titles += "  overruled"
    if roomy:
        titles += " " * (_BARS + 1)
    above = (StyledText(titles, "muted"),)
    rows = [ListRow("instruction", (StyledText(" " * 5),), above, style="muted")]
    most = max(one.overruled for one in found)
    for one in found:
        told = f"{_commonest(one, marks):>{_ANSWERS}}"
        if widths:
            told = "  ".join(f"{one.times(word):>{width}}" for word, width in widths.items())
        right = [StyledText(f"{told}  {one.overruled:>9}")]
        if roomy:
            drawn = bar(one.overruled, most, _BARS, marks)
            right.append(StyledText(f" {drawn:{_BARS}}", "corrected"))
        of = StyledText(column(trait.kind.spelled.get(one.of, ""), 5, marks), "muted")
        rows.append(ListRow(one.instruction, (of,), tuple(right), key=_only(trait.name)))
    return rows


def _columns(trait: TraitNumbers, found: Sequence[AnswerStats], marks: Marks) -> dict[str, int]:
    """The answers that get a column, and how wide: the first two, all given; none if too many."""
    given = set().union(*(one.answers for one in found))
    words = [*trait.vocabulary, *sorted(given - set(trait.vocabulary))]
    shown = words[:2] + [word for word in words[2:] if word in given]
    if len(shown) > _MOST_WORDS:
        return {}
    return {word: max(len(clip(word, _WORD, marks)), _COUNT) for word in shown}


def _commonest(one: AnswerStats, marks: Marks) -> str:
    """The answers given most often, as `4×12 5×9`, as far as there is room."""
    given = sorted(one.answers.items(), key=lambda pair: -pair[1])
    return clip(" ".join(f"{answer}×{count}" for answer, count in given), _ANSWERS, marks)
