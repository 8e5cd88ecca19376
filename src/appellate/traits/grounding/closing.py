"""What the grounding of a response comes to in words: scores, what has no support, what to do."""

from collections.abc import Iterator, Sequence

from appellate.core.closing import Closing
from appellate.core.problem import many
from appellate.traits.grounding.labels import Labels, Support
from appellate.traits.grounding.measures import measure
from appellate.traits.grounding.sentences import KeyedSentences
from appellate.traits.grounding.spec import GroundingRubricTrait

_SHORTFALL = {
    "partial": "in part only",
    "none": "no document supports it",
    "unlabelled": "nobody labelled it",
}


def closing(trait: GroundingRubricTrait, labels: Labels) -> Closing | None:
    """What a cell comes to in words; None where it has no sentences yet."""
    sentences = labels.sentences
    if sentences is None:
        return None
    gaps = [f"{one.key}, {_SHORTFALL[one.verdict]}" for one in labels.unsupported()]
    words = [_text(sentences, one.key) for one in labels.unsupported()]
    return Closing(
        tuple(_meanings(trait, labels, sentences)),
        tuple(zip(gaps, words, strict=True)),
        tuple(_advice(labels, sentences)),
    )


def _text(sentences: KeyedSentences, key: str) -> str:
    found = sentences.find(key)
    return found.text if found else ""


def _meanings(
    trait: GroundingRubricTrait, labels: Labels, sentences: KeyedSentences
) -> Iterator[str]:
    """What each of the four scores says here, with what it is made of."""
    values = measure(trait, labels)
    total = many(len(sentences.keys()), "document sentence")
    relevant = len({*labels.relevant})
    utilized = len({*labels.utilized})
    both = len({*labels.relevant} & {*labels.utilized})

    def score(name: str) -> str:
        shown = "0/0" if name in values.undefined else f"{values.values[name]:.2f}"
        return f"{name} {shown}"

    bears = f"{relevant:,} of {total} bear on the question"
    if relevant == 1:
        bears = f"1 of {total} bears on the question"
    if trait.definition == "guide":
        full = trait.relevance_denominator
        bears += f" ({full:,} would be a full score)"
    yield f"{score('relevance')}: {bears}"
    used = f"the response draws on {utilized:,}"
    if trait.definition == "guide":
        yield f"{score('utilization')}: {used}, beside {relevant:,} relevant"
    else:
        yield f"{score('utilization')}: {used} of {total}"
    covered = f"{both:,} of {relevant:,} relevant ones are in the response"
    if not relevant:
        covered = "no sentence is relevant, so there is nothing to cover"
    yield f"{score('completeness')}: {covered}"
    missing = len(labels.unsupported())
    response = many(len(labels.support), "sentence")
    supported = f"{missing:,} of {response} of the response lack full support"
    if missing == 1:
        supported = f"1 of {response} of the response lacks full support"
    if not missing:
        supported = "every sentence of the response has full support"
    if not labels.support:
        supported = "the response has no sentence that could lack support"
    yield f"{score('adherence')}: {supported}"


def _advice(labels: Labels, sentences: KeyedSentences) -> Iterator[str]:
    """What to do about it, the gravest first; one sentence that says so where nothing is."""
    by_verdict: dict[str, list[Support]] = {}
    for one in labels.support:
        by_verdict.setdefault(one.verdict, []).append(one)
    bare = by_verdict.get("none", [])
    if bare:
        yield (
            f"Take {_keys([one.key for one in bare])} out of the answer, or find a document that"
            " says so: these words come from nowhere that was retrieved."
        )
    partly = by_verdict.get("partial", [])
    if partly:
        yield f"Cut {_keys([one.key for one in partly])} down to what the documents say."
    unlabelled = by_verdict.get("unlabelled", [])
    if unlabelled:
        yield f"Label {_keys([one.key for one in unlabelled])}: until then it counts as no support."
    if not labels.relevant and sentences.keys():
        yield "Look at the retrieval first: none of the documents' sentences bears on the question."
    unused = [key for key in labels.relevant if key not in labels.utilized]
    if unused:
        yield f"See whether {_keys(unused)} should be in the answer: relevant, and not used."
    stray = [key for key in labels.utilized if key not in labels.relevant]
    if stray and labels.relevant:
        yield f"See whether {_keys(stray)} answers the question: used, and not relevant."
    if not (bare or partly or unlabelled or unused or stray) and labels.relevant:
        yield "Nothing is to be done: all that is relevant is used, all that is said has support."


_SHOWN = 8
"""Keys that a sentence names before it counts the rest."""


def _keys(keys: Sequence[str]) -> str:
    """Keys for a sentence: 0a, 0b and 1c, or the first of them and how many more."""
    if len(keys) > _SHOWN:
        return f"{', '.join(keys[:_SHOWN])} and {len(keys) - _SHOWN:,} more"
    if len(keys) == 1:
        return keys[0]
    return f"{', '.join(keys[:-1])} and {keys[-1]}"
