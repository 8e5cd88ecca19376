"""What several judges say of one cell's grounding, taken together."""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from appellate.core.kind import Table
from appellate.core.trace import Trace
from appellate.traits.grounding import labels as files
from appellate.traits.grounding.labels import Labels, Support, from_table, located, support_rows
from appellate.traits.grounding.sentences import DOCUMENTS, RESPONSE
from appellate.traits.grounding.spec import GroundingRubricTrait


def majority(trait: GroundingRubricTrait, trace: Trace, tables: Sequence[Table]) -> dict[str, Any]:
    """The table of what most members hold, sentence by sentence; even votes go with the first.

    Members that had other sentences before them than the first have no say. The explanations are
    those of the first member that agrees with what most hold.
    """
    brought = located(trait, trace, tables[0])
    members: list[Labels] = []
    for table in tables:
        labels = from_table(trait, trace, table)
        if not members or labels.sentences == members[0].sentences:
            members.append(labels)
    relevant = _held_by_most(list(map(attrgetter("relevant"), members)))
    found: dict[str, Any] = {DOCUMENTS: brought[DOCUMENTS], RESPONSE: brought[RESPONSE]}
    for one in members:
        if {*one.relevant} == {*relevant}:
            found[files.WHY_RELEVANT] = one.relevance_explanation
            break
    overall = _speaker(members, "overall")
    if overall.overall is not None:
        found[files.WHY_OVERALL] = overall.overall_explanation
        found[files.OVERALL] = overall.overall
    given = zip(*map(attrgetter("support"), members), strict=True)
    return {
        **found,
        files.RELEVANT: relevant,
        files.SUPPORT: support_rows(map(_support, given)),
        files.UTILIZED: _held_by_most(list(map(attrgetter("utilized"), members))),
    }


def _support(supports: Sequence[Support]) -> Support:
    """What most say of one sentence, and what most of those say supports it."""
    first: Support = _speaker(supports, "verdict")
    backers = [one.keys for one in supports if one.verdict == first.verdict]
    return replace(first, keys=tuple(_held_by_most(backers)))


def _speaker(values: Sequence[Any], name: str) -> Any:
    """The first that says what most say; where they are even, the first of all."""
    every = list(map(attrgetter(name), values))
    (most, _), *_ = Counter(every).most_common(1)
    return values[every.index(most)]


def _held_by_most(lists: Sequence[Sequence[str]]) -> list[str]:
    """The keys in more than half of the lists, or in half of them with the first."""
    times: Counter[str] = Counter()
    for keys in lists:
        times.update(keys)
    held = []
    for key, count in times.items():
        if 2 * count > len(lists) or (2 * count == len(lists) and key in lists[0]):
            held.append(key)
    return held
