"""The rows of the dashboard: how far one is, how fast it goes, and what each trait comes to.

A row's key is the query that shows its cells in the queue.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from appellate.app.header import STATES
from appellate.core.kind import AnyKind
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF, AnswerStats, counts, summary
from appellate.core.wordforms import many
from appellate.query.language import quoted
from appellate.review_session import ReviewSession, roughly, span
from appellate.ui.lines import Row
from appellate.ui.marks import Marks, progress
from appellate.ui.measures import number, signed
from appellate.ui.plots import bar, histogram, sparkline
from appellate.ui.styled_text import Piece
from appellate.ui.text import column

_NAME = 14
_BAR = 30
_SPACE = 6  # cells of a number
_MEAN = 9
_N = 9
_BINS = 20
_SLOTS = "sign-offs in each 10 min  "
_ROOMY = 90  # cells beside which a bar leaves an instruction readable
_HITS = 8

Totals = Mapping[str, int]


class TraitNumbers(NamedTuple):
    """What is known of a trait at once."""

    name: str
    kind: AnyKind
    totals: Totals
    headline: str


def standing(totals: Totals, room: int, marks: Marks) -> list[Row]:
    """How many cells are in each state."""
    cells, reviewed = totals.get("cells", 0), totals.get("state:reviewed", 0)
    share = f"{reviewed * 100 // cells} %" if cells else ""
    told = f"{reviewed} of {many(cells, 'cell')} signed off  {share}"
    whole = Row(f"{told}  {progress(reviewed, cells, min(_BAR, room - len(told) - 4), marks)}")
    flagged = totals.get("flagged", 0)
    states = [_state(name, told, totals, room, marks) for name, told in STATES]
    mark = Piece(f"{marks.flag} ", "flag")
    return [whole, *states, Row(f"{flagged:>6}  flagged", (mark,), key="is:flagged" if flagged else "")]


def _state(state: str, told: str, totals: Totals, room: int, marks: Marks) -> Row:
    count = totals.get(f"state:{state}", 0)
    drawn = bar(count, totals.get("cells", 0), min(room - 50, _BAR), marks)
    left = (Piece(f"{getattr(marks, state)} ", state), Piece(f"{count:>6}  {state:11}"), Piece(f"{told:24}", "muted"))
    return Row(drawn, left, style=state, key=f"state:{state}" if count else "")


def speed(session: ReviewSession, totals: Totals, room: int, marks: Marks) -> list[Row]:
    """How fast it goes, what is left, and the sign-offs over time."""
    reviewed, cells = totals.get("state:reviewed", 0), totals.get("cells", 0)
    each, time = session.each(reviewed), session.time_left(reviewed, cells)
    if each is None:
        return sentences(["There is no pace yet: it takes three sign-offs (a signs off)."], room)
    left = f"{many(cells - reviewed, 'cell')} left" + (f", about {roughly(time)}" if time else "")
    told = sentences([f"{span(each)} for a cell, pauses left out; {left}"], room)
    line = sparkline(session.slots(), room - len(_SLOTS) - 2, marks)
    return [*told, *([Row(line, (Piece(_SLOTS, "muted"),), style="reviewed")] if line else [])]


def sentences(told: Iterable[str], room: int) -> list[Row]:
    """Sentences in as many lines as they take."""
    return [Row(line) for sentence in told for line in wrap(sentence, max(room - 2, 20))]


# -- a trait ----------------------------------------------------------------------------------------


def metrics(trait: TraitNumbers, room: int, marks: Marks) -> list[Row]:
    """The trait's metrics over the cells signed off, and over all of them as they stand, beside the judge's."""
    known = [name for name in trait.kind.short if any(f"{side}:{name}:n" in trait.totals for side in AS_THEY_STAND)]
    if not known:
        return sentences(["No cell has labels yet: J has one judged, v and m fill it by hand."], room)
    if trait.totals.get("state:reviewed"):
        only = f"{_only(trait.name)} state:reviewed"
        rows = _block("signed off", trait, SIGNED_OFF, known, only, marks)
    else:
        rows = sentences(["No cell is signed off: there are no audited numbers yet (a signs off)."], room)
    rows.append(Row("What stands in every cell, signed off or not:", style="muted"))
    return [*rows, *_block("standing", trait, AS_THEY_STAND, known, _only(trait.name), marks)]


def _block(
    name: str, trait: TraitNumbers, sides: tuple[str, str], metrics: Sequence[str], key: str, marks: Marks
) -> list[Row]:
    """The metrics on people's side and on the judge's, with their n: the judge's own where it is another."""
    heads = "".join(f"{mean:<{_MEAN}}{'judge':<{2 * _SPACE}} " for mean in ("pooled", "mean"))
    rows = [Row(f"{name:{_NAME}}{'n':<{_N}}{heads}0/0", style="muted")]
    for metric in metrics:
        people, judge = (summary(trait.totals, side, metric, _pooled(trait, side, metric)) for side in sides)
        n = _both(people["n"], judge["n"])
        pieces = [Piece(f"{metric:{_NAME}}"), Piece(f"{n:<{_N}}", "muted")]
        for mean in ("micro", "macro"):
            by = _difference(people[mean], judge[mean], marks)
            pieces += [Piece(f"{_value(people, mean):<{_MEAN}}", "key")]
            pieces += [Piece(f"{_value(judge, mean):<{_SPACE}}", "muted")]
            pieces += [Piece(f"{by:<{_SPACE}} ", "corrected")]
        undefined = _both(people["undefined"], judge["undefined"])
        rows.append(Row("", (*pieces, Piece(undefined, "muted")), key=key))
    return rows


def _pooled(trait: TraitNumbers, side: str, metric: str) -> float | None:
    return trait.kind.pooled(metric, counts(trait.totals, side))


def _difference(people: float | None, judge: float | None, marks: Marks) -> str:
    if people is None or judge is None or number(people) == number(judge):
        return ""
    return signed(people - judge, marks)


def _value(side: Mapping[str, Any], mean: str) -> str:
    """A number, `0/0`, or a dash where there is no cell to have it."""
    if not side["n"] + side["undefined"]:
        return "-"
    return "0/0" if side[mean] is None else number(side[mean])


def _both(people: int, judge: int) -> str:
    """A count of cells, with the judge's in parentheses where it is another."""
    return str(people) if people == judge else f"{people} ({judge})"


def _only(trait: str) -> str:
    """The query for a trait's cells."""
    return f"trait:{quoted(trait)}"


def spread_of(metric: str, sides: Mapping[str, Sequence[int]] | None, room: int, marks: Marks) -> list[Row]:
    """How a metric lies over the cells; the same number of rows while it is still being counted."""
    head = Row(f"{metric} over the cells, as labels stand" + ("" if sides else ", being counted …"), style="muted")
    counted = sides or dict.fromkeys(AS_THEY_STAND, [0] * _BINS)
    lines = histogram([(side, counted[side]) for side in AS_THEY_STAND], room - 2, 2, marks)
    return [head, *(Row("", tuple(line)) for line in lines)]


def answers(trait: str, found: Sequence[AnswerStats], room: int, marks: Marks) -> Iterator[Row]:
    """Instructions by how often a person overruled the judge on them."""
    if not found:
        yield from sentences(["No instruction has been judged yet."], room)
        return
    roomy = room > _ROOMY
    heads = "found  missing  overruled" + " " * (_HITS + 1 if roomy else 0)
    yield Row("instruction", (Piece(" " * 5),), (Piece(heads, "muted"),), style="muted")
    most = max(hit.overruled for hit in found)
    for hit in found:
        drawn = f" {bar(hit.overruled, most, _HITS, marks):{_HITS}}" if roomy else ""
        figures = Piece(f"{hit.times('found'):>5}  {hit.times('missing'):>7}  {hit.overruled:>9}")
        of = Piece(column(hit.of.upper(), 5, marks), "muted")
        yield Row(hit.instruction, (of,), (figures, Piece(drawn, "corrected")), key=_only(trait))
