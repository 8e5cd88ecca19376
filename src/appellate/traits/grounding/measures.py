"""What grounding labels come to (SPEC 8), and how far two label sets are apart."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from operator import attrgetter
from typing import Any, get_args

from msgspec.structs import replace

from appellate.core.kind import Figures, Measure, QueryField, Ratio, Table
from appellate.core.problem import describe_value
from appellate.core.trace import Trace
from appellate.traits.grounding import labels as files
from appellate.traits.grounding.labels import (
    LABEL_SCHEMA,
    RELEVANT,
    SUPPORT,
    UNSUPPORTED,
    UTILIZED,
    Labels,
    Support,
    faults,
    from_table,
    located,
    support_rows,
)
from appellate.traits.grounding.sentences import DOCUMENTS, RESPONSE, read_rows
from appellate.traits.grounding.spec import DENOMINATOR, Definition, GroundingRubricTrait


def majority(trait: GroundingRubricTrait, trace: Trace, tables: Sequence[Table]) -> dict[str, Any]:
    """The table of what most members hold, sentence by sentence; even votes go with the first.

    Members that had other sentences before them than the first have no say. The explanations are
    those of the first member that agrees with what most hold.
    """
    brought = located(trace, tables[0])
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


SCORES = ("relevance", "utilization", "completeness", "adherence")
"""The four that the average, and the distance of two label sets, are made of."""
Scores = dict[str, float | None]
"""The four and their average by name; None where they are 0/0."""


def scores(
    definition: Definition,
    relevant: Sequence[str],
    utilized: Sequence[str],
    *,
    sentences: int,
    adheres: bool,
    denominator: int = DENOMINATOR,
) -> Scores:
    """The four and their average. Keys count as they are given, and are compared as sets."""
    both = len({*relevant} & {*utilized})
    distinct = len({*relevant})
    found: Scores = {}
    if definition == "guide":
        found["relevance"] = min(1.0, len(relevant) / denominator)
        found["utilization"] = 0.0
        found["completeness"] = float(not utilized)
        if relevant:
            found["utilization"] = min(1.0, len(utilized) / len(relevant))
            found["completeness"] = both / distinct
    else:
        found["relevance"] = _share(len(relevant), sentences)
        found["utilization"] = _share(len(utilized), sentences)
        found["completeness"] = 1.0
        if relevant:
            found["completeness"] = both / len(relevant)
    found["adherence"] = float(adheres)
    known = [value for value in found.values() if value is not None]
    found["average"] = None
    if len(known) == len(SCORES):
        found["average"] = sum(known) / len(SCORES)
    return found


def _share(count: int, of: int) -> float | None:
    if of:
        return count / of
    return None


def measure_grounding(
    labels: Mapping[str, Any],
    definition: Definition = "guide",
    *,
    relevance_denominator: int = DENOMINATOR,
    tidy: bool = False,
) -> dict[str, float | bool | None]:
    """TRACe of one row in RAGBench's shape: relevance, utilization, completeness, adherence and
    their average; None where one is 0/0.

    `labels` has `documents_sentences`, and the labels beside it or under `labels`. Keys count as
    they are given, repeated and unknown ones too, as the published numbers have it; with `tidy` the
    labels are first read as the bench reads them (then each sentence counts once, what is no
    sentence's key counts nowhere, and a response sentence without a label is not supported). By
    "ragbench" adherence is a bool. A list that is null is empty. Raises ValueError for another
    definition, and with the key of what is no label.
    """
    if definition not in get_args(Definition):
        known = " or ".join(map(repr, get_args(Definition)))
        raise ValueError(f"{definition!r} is no definition of the measures; it would be {known}")
    row = _row(labels)
    relevant = _as_given(row, RELEVANT)
    utilized = _as_given(row, UTILIZED)
    adheres = all(one.get("fully_supported") is True for one in row[SUPPORT])
    if definition == "ragbench" and UNSUPPORTED in row:  # its list of what is not supported
        adheres = not row[UNSUPPORTED]
    if tidy:
        read_rows(row)  # raises ValueError
        trait = GroundingRubricTrait(name="-")
        found = from_table(trait, Trace(id="-"), row)
        relevant = found.relevant
        utilized = found.utilized
        adheres = found.adheres
    measured: dict[str, float | bool | None] = {
        **scores(
            definition,
            relevant,
            utilized,
            sentences=sum(map(len, row[DOCUMENTS])),
            adheres=adheres,
            denominator=relevance_denominator,
        )
    }
    if definition == "ragbench":
        measured["adherence"] = adheres
    return measured


_LISTS = (DOCUMENTS, RESPONSE, RELEVANT, UTILIZED, SUPPORT, UNSUPPORTED)
_NEEDED = (DOCUMENTS, RELEVANT, UTILIZED, SUPPORT)


def _row(given: Table) -> dict[str, Any]:
    """A row with its labels beside its sentences; raises ValueError for what is no label."""
    below = given.get("labels") or {}
    if not isinstance(below, Mapping):
        raise ValueError(f"labels: must be a table, not {describe_value(below)}")  # noqa: TRY004
    row = {**dict.fromkeys(_NEEDED), **given, **below}
    for key in _LISTS:
        if key in row:
            row[key] = _plain_list(row[key])
    for number, listed in enumerate(_checked_list(row[DOCUMENTS], DOCUMENTS)):
        _checked_list(listed, f"{DOCUMENTS}.{number}")
    fields = {
        key: row[key] for key in LABEL_SCHEMA if key in row and key not in (DOCUMENTS, RESPONSE)
    }
    for fault in faults(Trace(id="-"), fields):
        if not fault.newer:
            raise ValueError(f"{'.'.join(map(str, fault.path))}: {fault.wrong}")
    return row


def _plain_list(value: Any) -> Any:
    """A list, empty for null, whose tables have no nulls; anything else as it is."""
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        return value
    found = list(value)
    for place, row in enumerate(value):
        if isinstance(row, Mapping):
            found[place] = {key: given for key, given in row.items() if given is not None}
    return found


def _checked_list(value: Any, place: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{place}: must be a list, not {describe_value(value)}")  # noqa: TRY004
    return value


def _as_given(row: Table, key: str) -> Sequence[str]:
    """The keys of a list; one text counts as one key."""
    given = row[key]
    if isinstance(given, str):
        return (given,)
    return tuple(given)


# -- a cell ----------------------------------------------------------------------------------------


def _over(name: str, short: str, part: str, whole: str) -> Measure:
    def pool(counts: Mapping[str, int]) -> float | None:
        return _share(counts.get(part, 0), counts.get(whole, 0))

    return Measure(name, short, pool=pool, ratio=Ratio({part: 1}, {whole: 1}))


_REST = (
    _over("completeness", "Comp", "relevant_utilized", "relevant"),
    Measure("adherence", "Adh", steps=("no", "yes")),
    Measure("average", "Avg", sums_up=True),
)
_MEASURES: Mapping[Definition, Sequence[Measure]] = {
    "guide": (Measure("relevance", "Rel"), Measure("utilization", "Util"), *_REST),
    "ragbench": (
        _over("relevance", "Rel", "relevant", "document_sentences"),
        _over("utilization", "Util", "utilized", "document_sentences"),
        *_REST,
    ),
}
FIELDS = (
    QueryField("relevant", "counts.relevant", "count", "how many document sentences are relevant"),
    QueryField("utilized", "counts.utilized", "count", "how many document sentences are utilized"),
    QueryField("supported", "counts.supported", "count", "response sentences fully supported"),
    QueryField("partly", "counts.partly", "count", "response sentences partly supported"),
    QueryField("unsupported", "counts.unsupported", "count", "response sentences not supported"),
)
READING = (
    "Grounding: relevance, utilization and completeness are of the documents' sentences, adherence"
    " is whether every sentence of the response is fully supported by them (a sentence that is"
    " partly supported is not). By the guide, relevance is the number of relevant sentences over"
    " the trait's relevance_denominator, and utilization that of utilized over that of relevant"
    " sentences, each at most 1; by RAGBench both are shares of all document sentences."
    " rmse is the root of the mean squared difference of the four between the judge's labels and"
    " the audited ones of a cell, consistency 1 less that."
)


def measures(trait: GroundingRubricTrait) -> Sequence[Measure]:
    """The five of the trait's definition; what is no share of counts is pooled as a mean."""
    return _MEASURES[trait.definition]


def measure(trait: GroundingRubricTrait, labels: Labels) -> Figures:
    """The five, and what is counted of the labels."""
    if labels.sentences is None:
        return Figures.of(dict.fromkeys((*SCORES, "average")), {})
    sentences = len(labels.sentences.keys())
    found = scores(
        trait.definition,
        labels.relevant,
        labels.utilized,
        sentences=sentences,
        adheres=labels.adheres,
        denominator=trait.relevance_denominator,
    )
    return Figures.of(found, {"document_sentences": sentences, **_counts(labels)})


_COUNTED = {"full": "supported", "partial": "partly", "none": "unsupported"}


def _counts(labels: Labels) -> dict[str, int]:
    counts = {
        "relevant": len(labels.relevant),
        "utilized": len(labels.utilized),
        "relevant_utilized": len({*labels.relevant} & {*labels.utilized}),
        "response_sentences": len(labels.support),
    }
    counts |= dict.fromkeys(_COUNTED.values(), 0)
    for one in labels.support:
        if one.verdict in _COUNTED:
            counts[_COUNTED[one.verdict]] += 1
    return counts


def between(judged: Figures, audited: Figures) -> dict[str, float]:
    """How far two label sets of one cell are apart: `rmse` of the four scores, and `consistency`,
    which is 1 − rmse (SPEC 8). Empty where one of the four is 0/0.
    """
    if {*SCORES} & (judged.undefined | audited.undefined):
        return {}
    squares = 0.0
    for name in SCORES:
        squares += (judged.values[name] - audited.values[name]) ** 2
    rmse = sqrt(squares / len(SCORES))
    return {"rmse": rmse, "consistency": 1 - rmse}
