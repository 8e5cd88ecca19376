"""Finds the corrections that lead from some labels of a grounding cell to others, for imports."""

from collections.abc import Iterator

from appellate.core.kind import Table
from appellate.core.trace import Trace
from appellate.traits.grounding import sentences
from appellate.traits.grounding.labels import (
    SAID,
    UNSUPPORTED,
    Edit,
    Labels,
    Support,
    from_table,
)
from appellate.traits.grounding.spec import GroundingRubricTrait


def edits_toward(
    trait: GroundingRubricTrait,
    trace: Trace,
    labels: Labels,
    table: Table,
) -> list[Edit]:
    """Return edits that lead from labels to those of a table, in order.

    The table must be free of faults. One without sentences is of those of the labels, or else of
    the trace; one with other sentences than these gets no edits at all. A table's list of
    unsupported sentences is not read, since its rows say it. What no edit can do is left out: a
    verdict that is taken away, and explanations.
    """
    known_sentences = labels.sentences
    if known_sentences is None:
        known_sentences = sentences.from_rows(trace, sentences.sentence_rows(trace, {}))
    target_table = {**known_sentences.to_file(), **table}
    # the rows say it, and tell what has no label yet from it
    target_table.pop(UNSUPPORTED, None)
    target = from_table(trait, trace, target_table)
    if (
        target.sentences is None
        or target.sentences.to_file() != known_sentences.to_file()
    ):
        return []
    edits: list[Edit] = []
    utilized = set(labels.utilized)
    current = {support.key: support for support in labels.support}
    for wanted in target.support:
        before = current.get(wanted.key, Support(wanted.key))
        for edit in _of_sentence(before, wanted):
            edits.append(edit)
            source = edit.key or ""
            is_link = edit.action == "link" and edit.on
            if is_link and known_sentences.is_document(source):
                utilized.add(source)
    document_keys = known_sentences.keys()
    for key in document_keys:
        is_utilized = key in target.utilized_keys
        if (key in utilized) != is_utilized:
            edits.append(Edit("utilized", key=key, on=is_utilized))
        is_relevant = key in target.relevant_keys
        if (key in labels.relevant_keys) != is_relevant:
            edits.append(Edit("relevant", key=key, on=is_relevant))
    return edits


def _of_sentence(before: Support, wanted: Support) -> Iterator[Edit]:
    """Yield the edits that lead from one label of a response sentence to another.

    The verdict "none" comes first, since it removes links. Then links are removed, then added. A
    new link can make the sentence supported, so any verdict that is not reached yet comes last. For
    a wanted "unlabelled" only links are changed.
    """
    verdict = before.verdict
    keys = set(before.keys)
    if wanted.verdict == "none" and verdict != "none":
        yield Edit("support", sentence=wanted.key, support="none")
        verdict = "none"
        keys = set()
    for key in before.keys:
        if key in keys and key not in wanted.keys:
            yield Edit("link", sentence=wanted.key, key=key, on=False)
    for key in wanted.keys:
        if key not in keys:
            yield Edit("link", sentence=wanted.key, key=key, on=True)
            if verdict in ("none", "unlabelled"):
                verdict = "full"
    for said in SAID:
        if said == wanted.verdict and said != verdict:
            yield Edit("support", sentence=wanted.key, support=said)
