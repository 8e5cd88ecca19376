"""Says in words how grounded a response is: its scores, what lacks support, and what to do."""

from collections.abc import Iterator, Sequence

from appellate.core.closing import Closing
from appellate.core.problem import first_texts, listing, many
from appellate.traits.grounding.labels import Labels, Support
from appellate.traits.grounding.measures import measure
from appellate.traits.grounding.sentences import KeyedSentences
from appellate.traits.grounding.spec import GroundingRubricTrait

_SHORTFALL = {
    "partial": "in part only",
    "none": "no document supports it",
    "unlabelled": "not labelled",
}


def closing(trait: GroundingRubricTrait, labels: Labels) -> Closing | None:
    """Return the summary of a cell in words, or None if it has no sentences yet.

    It has what each score means, the sentences without full support, and what to do.
    """
    sentences = labels.sentences
    if sentences is None:
        return None
    shortfalls: list[tuple[str, str]] = []
    for sentence in sentences.response:
        verdict = labels.of(sentence.key).verdict
        if verdict != "full":
            gap = f"{sentence.key}, {_SHORTFALL[verdict]}"
            shortfalls.append((gap, sentence.text))
    return Closing(
        tuple(_meanings(trait, labels, sentences)),
        tuple(shortfalls),
        tuple(_advice(labels, sentences)),
    )


def _meanings(
    trait: GroundingRubricTrait,
    labels: Labels,
    sentences: KeyedSentences,
) -> Iterator[str]:
    """Yield a sentence on each of the four scores: what it is, and the counts behind it.

    For example "relevance 0.25: 1 of 4 document sentences bears on the question". The order is
    relevance, utilization, completeness, adherence. The words follow the trait's definition. A
    score that is not defined is "0/0".
    """
    values = measure(trait, labels)
    total = many(len(sentences.keys()), "document sentence")
    relevant = len(labels.relevant_keys)
    utilized = len(labels.utilized_keys)
    both = len(labels.relevant_keys & labels.utilized_keys)

    def score(name: str) -> str:
        """Return a score's name and value with two decimals, or "0/0": "relevance 0.25"."""
        value_text = "0/0" if name in values.undefined else f"{values.values[name]:.2f}"
        return f"{name} {value_text}"

    relevance_text = f"{relevant:,} of {total} bear on the question"
    if relevant == 1:
        relevance_text = f"1 of {total} bears on the question"
    if trait.definition == "guide":
        full = trait.relevance_denominator
        relevance_text += f" ({full:,} would be a full score)"
    yield f"{score('relevance')}: {relevance_text}"
    utilization_text = f"the response draws on {utilized:,}"
    if trait.definition == "guide":
        yield f"{score('utilization')}: {utilization_text}; {relevant:,} are relevant"
    else:
        yield f"{score('utilization')}: {utilization_text} of {total}"
    coverage_text = f"{both:,} of {relevant:,} relevant ones are in the response"
    if not relevant:
        coverage_text = "no sentence is relevant, so there is nothing to cover"
    yield f"{score('completeness')}: {coverage_text}"
    unsupported_count = len(labels.unsupported())
    response = many(len(labels.support), "sentence")
    adherence_text = (
        f"{unsupported_count:,} of {response} of the response lack full support"
    )
    if unsupported_count == 1:
        adherence_text = f"1 of {response} of the response lacks full support"
    if not unsupported_count:
        adherence_text = "every sentence of the response has full support"
    if not labels.support:
        adherence_text = "the response has no sentence that could lack support"
    yield f"{score('adherence')}: {adherence_text}"


def _advice(labels: Labels, sentences: KeyedSentences) -> Iterator[str]:
    """Yield what to do about the response, the most serious first.

    That is about sentences without support, partly supported and unlabelled ones, then about
    relevance: no relevant sentence at all, relevant ones not used, and used ones not relevant. If
    there is nothing to do, the only sentence says so. Yields nothing if in that case the documents
    have no sentences.
    """
    by_verdict: dict[str, list[Support]] = {}
    for support in labels.support:
        by_verdict.setdefault(support.verdict, []).append(support)
    unsupported = by_verdict.get("none", [])
    if unsupported:
        unsupported_keys = [support.key for support in unsupported]
        yield (
            f"Take {_key_list(unsupported_keys)} out of the answer, or find a document that"
            " says so: these words come from nowhere that was retrieved."
        )
    partly_supported = by_verdict.get("partial", [])
    if partly_supported:
        partly_keys = [support.key for support in partly_supported]
        yield f"Cut {_key_list(partly_keys)} down to what the documents say."
    unlabelled = by_verdict.get("unlabelled", [])
    if unlabelled:
        unlabelled_keys = [support.key for support in unlabelled]
        yield f"Label {_key_list(unlabelled_keys)}: until then it counts as no support."
    if not labels.relevant and sentences.keys():
        yield "Look at the retrieval first: none of the documents' sentences bears on the question."
    unused = [key for key in labels.relevant if key not in labels.utilized]
    if unused:
        yield f"See whether {_key_list(unused)} should be in the answer: relevant, and not used."
    irrelevant = [key for key in labels.utilized if key not in labels.relevant]
    if irrelevant and labels.relevant:
        yield f"See whether {_key_list(irrelevant)} answers the question: used, and not relevant."
    is_all_supported = not (unsupported or partly_supported or unlabelled)
    is_all_used = not (unused or irrelevant)
    if labels.relevant and is_all_supported and is_all_used:
        yield "There is nothing to do: all that is relevant is used, all that is said is supported."


_SHOWN = 8
"""The largest number of keys that a sentence names."""


def _key_list(keys: Sequence[str]) -> str:
    """Return keys for a sentence: "0a, 0b and 1c", or the first of them and how many more.

    At least one key must be given.
    """
    if len(keys) <= _SHOWN:
        return listing(keys)
    return first_texts(keys, _SHOWN)
