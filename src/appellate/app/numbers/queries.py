"""The queries that find the cells behind a figure."""

from collections.abc import Collection, Iterable, Sequence
from math import ceil

from appellate.app.numbers.known import TraitNumbers
from appellate.core.kind import AnyKind, Measure
from appellate.query.language import quoted

SIGNED = "state:reviewed"
RULED = "is:ruled"
DECIMALS = 3


def words(field: str, values: Iterable[str]) -> str:
    """A term with any of these values: `answer:found,present`; nothing where there is none."""
    text = ",".join(map(quoted, values))
    return f"{field}:{text}" if text else ""


def wording(trait: TraitNumbers, field: str, answers: Iterable[str]) -> str:
    """The term for instructions answered so; nothing where the cells of a trait share none."""
    found: list[str] = []
    for answer in answers:
        found += trait.kind.called_as.get(answer, (answer,))
    return words(field, found) if trait.shares_instructions else ""


def pair(trait: TraitNumbers, judge: Sequence[str], person: Sequence[str]) -> str:
    """The terms that find an instruction which the judge answers so, and the person so."""
    return f"{wording(trait, 'judged', judge)} {wording(trait, 'answer', person)}".strip()


def part(kind: AnyKind, measure: Measure, place: int, count: int, *, judge: bool) -> str:
    """The cells whose measure is in one of so many equal parts of its scale."""
    step = (measure.high - measure.low) / count
    low, high = measure.low + place * step, measure.low + (place + 1) * step
    name, texts = measure.name, [_number(low), _number(high)]
    if judge:
        name = f"judge.{name}"
    elif any(field.name == name and field.shape == "count" for field in kind.fields):
        texts = [str(ceil(low)), str(ceil(high))]
    terms = [f"{name}>={texts[0]}"]
    if place + 1 < count:
        terms.append(f"{name}<{texts[1]}")
    return " ".join(terms)


def _number(value: float) -> str:
    return f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")


def undefined(measure: Measure) -> str:
    """The cells where a measure is 0/0."""
    return f"{measure.name}:undefined"


def of_group(grouping: str, name: str, question_ids: Collection[str]) -> str:
    """The cells of a group; those whose traces say nothing where it has no name. Questions go by
    their ids, those that have none by their words.
    """
    field = grouping
    if grouping == "question" and (not name or name in question_ids):
        field = "question_id"
    return f"{field}:{quoted(name)}" if name else f"-{field}:*"
