"""Whether the judge may stand in for one of the people who audited the same cells: the alternative
annotator test, trait by trait.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from appellate.core.agreement import cluster_of, number_of
from appellate.core.cell import Cell
from appellate.core.trace import TraceKey
from appellate.core.wordforms import many
from appellate.report.formatting import number_or_dash
from appellate.stats.alt_test import EPSILON, LEAST, AltTest, JudgedItem, alt_test
from appellate.store.two_audits import CellPair, TwoAudits

BIASED = (
    "They had the judge in sight, which draws people to what it says: the test is a fair one only"
    " of verdicts ruled blind."
)


class StandIn(Struct, frozen=True):
    """The test under one trait, of cells that all ruled blind, or not; `test` is None where no
    person has enough answers, or for a `reason`. `items` are the answers that the judge and two
    people gave.
    """

    trait: str
    is_blind: bool
    people: tuple[str, ...]
    items: int
    test: AltTest | None
    epsilon: float
    reason: str = ""


def stand_ins(
    two: TwoAudits, third: TwoAudits | None = None, epsilon: float = EPSILON
) -> list[StandIn]:
    """Every trait that one judge judged for all; `third` is a third audit beside the first."""
    gathered: dict[tuple[str, bool], list[JudgedItem]] = {}
    beside = {_key(pair.one): pair for pair in third.pairs} if third else {}
    people, reason = [two.one.name, two.other.name], two.reason
    if third:
        people.append(third.other.name)
        reason = max(reason, third.reason)
    for pair in two.pairs:
        of = beside.get(_key(pair.one))
        if not pair.is_judged_alike or (of and not of.is_judged_alike):
            continue
        is_blind = pair.is_blind and (of is None or of.is_blind)
        key = pair.one.subject.trait.name, is_blind
        gathered.setdefault(key, []).extend(_items(pair, of, len(people)))
    found: list[StandIn] = []
    for (trait, is_blind), items in gathered.items():
        test = _test(items, epsilon, reason)
        found.append(StandIn(trait, is_blind, tuple(people), len(items), test, epsilon, reason))
    return found


def _test(items: Sequence[JudgedItem], epsilon: float, reason: str) -> AltTest | None:
    if reason:
        return None
    return alt_test(items, epsilon, at=_scores(items))


def _key(cell: Cell) -> tuple[TraceKey, str]:
    return cell.subject.trace.key, cell.subject.trait.name


def _items(pair: CellPair, of: CellPair | None, people: int) -> Iterator[JudgedItem]:
    """The questions of a cell that the judge and two people answered."""
    subject, judge = pair.one.subject, pair.one.judge_answers
    third = {one: answers[1] for one, answers in of.answers()} if of else {}
    cluster = cluster_of(subject.trace.cluster, subject.trace.id)
    for one, answers in pair.answers():
        if subject.kind.compared and one.of not in subject.kind.compared:
            continue
        if one in judge:
            given = (*answers, third.get(one))
            yield JudgedItem(judge[one], given[:people], cluster)


def _scores(items: Iterable[JudgedItem]) -> Mapping[str, float] | None:
    """Where answers stand that are all numbers: then it counts how near they are."""
    found: dict[str, float] = {}
    for item in items:
        for word in (item.judge, *item.people):
            number = number_of(word or "")
            if word is not None and number is None:
                return None
            if word is not None and number is not None:
                found[word] = number
    return found


# -- told ------------------------------------------------------------------------------------------


def stand_in_text(found: StandIn) -> Iterator[str]:
    """The test in sentences."""
    if found.reason:
        yield f"Whether the judge may stand in for one of them is left out. {found.reason}"
        return
    if found.test is None:
        yield (
            f"Whether the judge may stand in for one of them is shown from {LEAST} answers on that"
            f" the judge and both gave: there are {found.items}."
        )
        return
    verdict = "passes" if found.test.passes else "does not pass"
    yield (
        f"The judge {verdict} the alternative annotator test (arXiv 2501.10970) at ε"
        f" {found.epsilon:g}: it wins against {_won(found.test)}. On the mean it is as close to"
        f" the others as the person left out, or closer, {number_or_dash(found.test.advantage)} of"
        " the time."
    )
    for name, against in zip(found.people, found.test.against, strict=True):
        if against is None:
            yield f"{name}: fewer than {LEAST} answers with another's beside them."
            continue
        yield (
            f"{name}: {many(against.n, 'answer')}, {number_or_dash(against.advantage)},"
            f" p {number_or_dash(against.p)}."
        )
    if not found.is_blind:
        yield BIASED


def _won(test: AltTest) -> str:
    tested = [one for one in test.against if one is not None]
    wins = sum(one.wins for one in tested)
    return f"{wins} of {many(len(tested), 'person', 'people')}"


def stand_in_table(found: StandIn) -> dict[str, Any]:
    """The test as `compare --json` has it."""
    fields: dict[str, Any] = {"items": found.items, "epsilon": found.epsilon, "people": []}
    fields["blind"] = found.is_blind
    if found.reason:
        fields["reason"] = found.reason
    if found.test is None:
        unknown = dict.fromkeys(("winning_rate", "advantage", "passes"))
        return {"trait": found.trait, **fields, **unknown}
    for name, against in zip(found.people, found.test.against, strict=True):
        fields["people"].append({"name": name, **(against._asdict() if against else {})})
    test = found.test
    rates = {"winning_rate": test.winning_rate, "advantage": test.advantage}
    return {"trait": found.trait, **fields, **rates, "passes": test.passes}
