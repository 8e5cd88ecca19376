"""Computes the measures of grounding labels (SPEC 8), a panel's majority, and the distance of two
label sets.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from operator import attrgetter
from typing import Any, TypeVar, get_args

from msgspec.structs import replace

from appellate.core.kind import (
    Figures,
    Measure,
    QueryField,
    Ratio,
    Table,
    with_headline,
)
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
from appellate.traits.grounding.spec import (
    DENOMINATOR,
    Definition,
    GroundingRubricTrait,
)

T = TypeVar("T")


def majority(
    trait: GroundingRubricTrait,
    trace: Trace,
    tables: Sequence[Table],
) -> dict[str, Any]:
    """Return the table of what most members say, sentence by sentence.

    Of equal votes, the first member's counts. Members with other sentences than the first have no
    vote. An explanation is that of the first member that agrees with the majority, or left out if
    none does. `tables` are those of the members, at least one, without faults.
    """
    first_table = located(trace, tables[0])
    members: list[Labels] = []
    for table in tables:
        labels = from_table(trait, trace, table)
        if not members or labels.sentences == members[0].sentences:
            members.append(labels)
    relevant = _held_by_most(list(map(attrgetter("relevant"), members)))
    result: dict[str, Any] = {
        DOCUMENTS: first_table[DOCUMENTS],
        RESPONSE: first_table[RESPONSE],
    }
    for member in members:
        if {*member.relevant} == {*relevant}:
            result[files.WHY_RELEVANT] = member.relevance_explanation
            break
    overall = _first_of_most_frequent(members, attrgetter("overall"))
    if overall.overall is not None:
        result[files.WHY_OVERALL] = overall.overall_explanation
        result[files.OVERALL] = overall.overall
    supports_by_sentence = zip(*map(attrgetter("support"), members), strict=True)
    return {
        **result,
        files.RELEVANT: relevant,
        files.SUPPORT: support_rows(map(_majority_label, supports_by_sentence)),
        files.UTILIZED: _held_by_most(list(map(attrgetter("utilized"), members))),
    }


def _majority_label(supports: Sequence[Support]) -> Support:
    """Return what most members say of one sentence, as a new label.

    The verdict is the most frequent one, of equal votes the earliest member's. The keys and the
    explanation are of the members with that verdict: keys that more than half of these name, or
    half of them with the first, and the first one's explanation. At least one label must be given.
    """
    speaker = _first_of_most_frequent(supports, attrgetter("verdict"))
    backers_keys = [
        support.keys for support in supports if support.verdict == speaker.verdict
    ]
    return replace(speaker, keys=tuple(_held_by_most(backers_keys)))


def _first_of_most_frequent(values: Sequence[T], key: Callable[[T], object]) -> T:
    """Return the first value whose `key` is the most frequent among the keys of all values.

    Of equally frequent keys, that of the earliest value counts. At least one value must be given.
    """
    keys = [key(value) for value in values]
    [(winner, _)] = Counter(keys).most_common(1)
    return values[keys.index(winner)]


def _held_by_most(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return the keys in more than half of the lists, or in half of them including the first.

    They are in the order in which they first appear. A key must not be twice in one list.
    """
    counts: Counter[str] = Counter()
    for keys in lists:
        counts.update(keys)
    majority_keys: list[str] = []
    for key, count in counts.items():
        is_in_half = 2 * count == len(lists)
        if 2 * count > len(lists) or (is_in_half and key in lists[0]):
            majority_keys.append(key)
    return majority_keys


SCORES = ("relevance", "utilization", "completeness", "adherence")
"""The four scores that the average, and the distance of two label sets, are made of."""
Scores = dict[str, float | None]
"""The four scores and their average by name; None for one that is 0/0."""


def scores(
    definition: Definition,
    relevant: Sequence[str],
    utilized: Sequence[str],
    *,
    sentences: int,
    adheres: bool,
    denominator: int,
) -> Scores:
    """Return the four scores of TRACe and their average by name; None for what is 0/0.

    The average is None if any of the four is. `sentences` is the number of all document sentences,
    and `adheres` whether every response sentence is fully supported. `denominator` is the number of
    relevant sentences for a relevance of 1, for "guide" only. By it relevance and utilization are
    at most 1; without relevant sentences utilization is 0, and completeness is 1 if nothing is
    utilized, else 0. By "ragbench" completeness is 1 without relevant sentences. Repeated keys
    count each time they are given, except where two lists are compared.
    """
    both = len({*relevant} & {*utilized})
    distinct = len({*relevant})
    by_name: Scores = {}
    if definition == "guide":
        by_name["relevance"] = min(1.0, len(relevant) / denominator)
        by_name["utilization"] = 0.0
        by_name["completeness"] = float(not utilized)
        if relevant:
            by_name["utilization"] = min(1.0, len(utilized) / len(relevant))
            by_name["completeness"] = both / distinct
    else:
        by_name["relevance"] = _share(len(relevant), sentences)
        by_name["utilization"] = _share(len(utilized), sentences)
        by_name["completeness"] = 1.0
        if relevant:
            by_name["completeness"] = both / len(relevant)
    by_name["adherence"] = float(adheres)
    defined = [value for value in by_name.values() if value is not None]
    by_name["average"] = None
    if len(defined) == len(SCORES):
        by_name["average"] = sum(defined) / len(SCORES)
    return by_name


def _share(count: int, total: int) -> float | None:
    """Return `count` as a share of `total`, or None for a total of 0."""
    if total:
        return count / total
    return None


def measure_grounding(
    labels: Mapping[str, Any],
    definition: Definition = "guide",
    *,
    relevance_denominator: int = DENOMINATOR,
    tidy: bool = False,
) -> dict[str, float | bool | None]:
    """Return TRACe of one row in RAGBench's shape: the four scores and their average by name.

    `labels` has `documents_sentences`, and the labels next to it or under `labels`. A list that is
    null or missing is empty. One that is 0/0 is None.

    By "guide" relevance counts relevant sentences in `relevance_denominator`, so 2 with the usual
    20 give 0.1, and utilization counts the used ones in the relevant ones. By "ragbench" both are
    shares of all document sentences, so 2 of 8 give a relevance of 0.25; adherence is a bool, and
    follows its list of unsupported sentences if there is one.

    Keys count as they are given, repeated and unknown ones too, as the published numbers have it.
    With `tidy` the row must have `response_sentences`, and the labels are first read as a cell's
    are: each sentence counts once, unknown keys do not count, and a response sentence without a
    label is not supported.

    Raises ValueError for another definition, for a denominator below 1, and with the key of what is
    no label.
    """
    if definition not in get_args(Definition):
        known_definitions = " or ".join(map(repr, get_args(Definition)))
        raise ValueError(
            f"{definition!r} is no definition of the measures; it would be {known_definitions}",
        )
    if relevance_denominator < 1:
        raise ValueError(
            f"relevance_denominator must be 1 or more, not {relevance_denominator}",
        )
    row = _flat_row(labels)
    relevant = _keys_as_given(row, RELEVANT)
    utilized = _keys_as_given(row, UTILIZED)
    adheres = all(support.get("fully_supported") is True for support in row[SUPPORT])
    # its list of what is not supported
    if definition == "ragbench" and UNSUPPORTED in row:
        adheres = not row[UNSUPPORTED]
    if tidy:
        read_rows(row)  # raises ValueError
        trait = GroundingRubricTrait(name="-")
        tidy_labels = from_table(trait, Trace(id="-"), row)
        relevant = tidy_labels.relevant
        utilized = tidy_labels.utilized
        adheres = tidy_labels.adheres
    measured: dict[str, float | bool | None] = {
        **scores(
            definition,
            relevant,
            utilized,
            sentences=sum(map(len, row[DOCUMENTS])),
            adheres=adheres,
            denominator=relevance_denominator,
        ),
    }
    if definition == "ragbench":
        measured["adherence"] = adheres
    return measured


_LISTS = (DOCUMENTS, RESPONSE, RELEVANT, UTILIZED, SUPPORT, UNSUPPORTED)
_NEEDED = (DOCUMENTS, RELEVANT, UTILIZED, SUPPORT)


def _flat_row(table: Table) -> dict[str, Any]:
    """Return a new row with its labels next to its sentences.

    What is under `labels` goes before what is next to it, as {"labels":
    {"all_relevant_sentence_keys": ["0a"]}}. The documents and the lists of labels, such as
    `all_relevant_sentence_keys`, are empty if they are null or missing; a null inside a support row
    is left out. Unknown keys stay, and so does `labels`. Raises ValueError, with the key, if
    `labels` is no table, for documents that are no lists, and for a label of a wrong shape.
    """
    nested_labels = table.get("labels") or {}
    if not isinstance(nested_labels, Mapping):
        wrong = f"must be a table, not {describe_value(nested_labels)}"
        raise ValueError(f"labels: {wrong}")  # noqa: TRY004 - callers expect ValueError alone
    row = {**dict.fromkeys(_NEEDED), **table, **nested_labels}
    for key in _LISTS:
        if key in row:
            row[key] = _without_nulls(row[key])
    for number, document in enumerate(_checked_list(row[DOCUMENTS], DOCUMENTS)):
        _checked_list(document, f"{DOCUMENTS}.{number}")
    fields = {key: row[key] for key in LABEL_SCHEMA if key in row}
    fields.pop(DOCUMENTS, None)
    fields.pop(RESPONSE, None)
    for fault in faults(Trace(id="-"), fields):
        if not fault.newer:
            place = ".".join(map(str, fault.path))
            raise ValueError(f"{place}: {fault.wrong}")
    return row


def _without_nulls(value: Any) -> Any:
    """Return a list whose tables have no nulls, and an empty one for null.

    A list is copied; any other value is returned as it is.
    """
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        return value
    entries = list(value)
    for index, row in enumerate(value):
        if isinstance(row, Mapping):
            entries[index] = {
                key: entry_value
                for key, entry_value in row.items()
                if entry_value is not None
            }
    return entries


def _checked_list(value: Any, place: str) -> Sequence[Any]:
    """Return a value that is a list or a tuple as it is.

    Raises ValueError, which names `place` as its key, for any other value.
    """
    if not isinstance(value, list | tuple):
        raise ValueError(f"{place}: must be a list, not {describe_value(value)}")  # noqa: TRY004
    return value


def _keys_as_given(row: Table, key: str) -> Sequence[str]:
    """Return the sentence keys of a row's list, repeated ones too; a single text is one key.

    Raises KeyError if the row has no such list; rows of `_flat_row` have one.
    """
    value = row[key]
    if isinstance(value, str):
        return (value,)
    return tuple(value)


# -- a cell ----------------------------------------------------------------------------------------


def _share_measure(name: str, short: str, counted: str, total: str) -> Measure:
    """Return a measure that is the share of one count in another, by their names.

    It is pooled over cells as the share of the sums; undefined if the total is 0.
    """

    def pool(counts: Mapping[str, int]) -> float | None:
        return _share(counts.get(counted, 0), counts.get(total, 0))

    return Measure(name, short, pool=pool, ratio=Ratio({counted: 1}, {total: 1}))


_REST = (
    _share_measure("completeness", "Comp", "relevant_utilized", "relevant"),
    Measure("adherence", "Adh", steps=("no", "yes")),
    Measure("average", "Avg", sums_up=True),
)
_MEASURES: Mapping[Definition, Sequence[Measure]] = {
    "guide": (Measure("relevance", "Rel"), Measure("utilization", "Util"), *_REST),
    "ragbench": (
        _share_measure("relevance", "Rel", "relevant", "document_sentences"),
        _share_measure("utilization", "Util", "utilized", "document_sentences"),
        *_REST,
    ),
}
FIELDS = (
    QueryField(
        "relevant",
        "counts.relevant",
        "count",
        "how many document sentences are relevant",
    ),
    QueryField(
        "utilized",
        "counts.utilized",
        "count",
        "how many document sentences are utilized",
    ),
    QueryField(
        "supported",
        "counts.supported",
        "count",
        "response sentences fully supported",
    ),
    QueryField(
        "partly",
        "counts.partly",
        "count",
        "response sentences partly supported",
    ),
    QueryField(
        "unsupported",
        "counts.unsupported",
        "count",
        "response sentences not supported",
    ),
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
    """Return the five measures of the trait's definition: the four `SCORES`, then their average.

    The trait's headline is marked, if it names one. One that is no share of counts is pooled as a
    mean.
    """
    return with_headline(_MEASURES[trait.definition], trait.headline)


def measure(trait: GroundingRubricTrait, labels: Labels) -> Figures:
    """Return the five measures of a cell, and the counts of its labels.

    They are the four `SCORES` and their mean, "average", which is undefined if one of the four is.
    For blank labels, which have no sentences yet, all measures are undefined and there are no
    counts.
    """
    if labels.sentences is None:
        return Figures.of(dict.fromkeys((*SCORES, "average")), {})
    sentences = len(labels.sentences.keys())
    by_name = scores(
        trait.definition,
        labels.relevant,
        labels.utilized,
        sentences=sentences,
        adheres=labels.adheres,
        denominator=trait.relevance_denominator,
    )
    return Figures.of(by_name, {"document_sentences": sentences, **_counts(labels)})


_COUNTED = {"full": "supported", "partial": "partly", "none": "unsupported"}


def _counts(labels: Labels) -> dict[str, int]:
    """Return the counts that measures and queries use, by name.

    They are "relevant" and "utilized" document sentences, "relevant_utilized" for both, and
    "response_sentences", all of them. Of these, "supported", "partly" and "unsupported" have that
    verdict. Unlabelled ones are only among all.
    """
    counts = {
        "relevant": len(labels.relevant),
        "utilized": len(labels.utilized),
        "relevant_utilized": len({*labels.relevant} & {*labels.utilized}),
        "response_sentences": len(labels.support),
    }
    counts |= dict.fromkeys(_COUNTED.values(), 0)
    for support in labels.support:
        if support.verdict in _COUNTED:
            counts[_COUNTED[support.verdict]] += 1
    return counts


def between(judged: Figures, audited: Figures) -> dict[str, float]:
    """Return how far two label sets of one cell are apart, as {"rmse": 0.2, "consistency": 0.8}.

    `rmse` is that of the four scores, and consistency 1 − rmse (SPEC 8). Returns an empty
    dictionary if one of the scores is 0/0 in either.
    """
    undefined = judged.undefined | audited.undefined
    if not undefined.isdisjoint(SCORES):
        return {}
    squares = 0.0
    for name in SCORES:
        squares += (judged.values[name] - audited.values[name]) ** 2
    rmse = sqrt(squares / len(SCORES))
    return {"rmse": rmse, "consistency": 1 - rmse}
