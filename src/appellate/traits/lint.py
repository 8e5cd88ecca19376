"""What makes a rubric weak: in the words of its traits, and in what loaded traces show of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from appellate.core.kind import Computed, Instruction, KnownTrait, NotComputed, Weakness
from appellate.core.problem import quoted
from appellate.core.trace import Trace
from appellate.core.wordforms import many
from appellate.traits.rubric import KeyPath, Rubric

Answers = Mapping[Instruction, str]
FEWEST = 5
"""From so many labelled traces on it means something that all of them are alike."""


class WeakTrait(NamedTuple):
    """A weakness of a trait, and where it is: `("metric_traits", 0, "tn_instructions", 2)`."""

    path: KeyPath
    trait: str
    weakness: Weakness


def findings(rubric: Rubric, labelled: Iterable[tuple[str, Answers]]) -> Iterator[WeakTrait]:
    """Trait by trait, in the order of the rubric; `labelled` is how cells of a trait, by its name,
    answer it.
    """
    alike = _alike(labelled)
    texts: set[str] = set()
    for place, (kind, trait) in rubric.every_place():
        for weakness in kind.weaknesses(trait):
            yield WeakTrait((*place, *weakness.path), trait.name, weakness)
        if trait.name in alike and trait.name not in texts:
            texts.add(trait.name)
            yield WeakTrait(place, trait.name, alike[trait.name])


def answers_of(rubric: Rubric, traces: Iterable[Trace]) -> Iterator[tuple[str, Answers]]:
    """How traces answer their traits, as far as it is known without asking anybody: by labels that
    came with them, or by rule.
    """
    for trace in traces:
        asked = rubric.asked(trace)
        for known in rubric.traits_of(trace).values():
            table = _table(known, asked)
            if table is not None:
                located = known.kind.locate(known.trait, asked, table)
                labels = known.kind.labels(known.trait, asked, located)
                yield known.trait.name, known.kind.answers(known.trait, labels)


def _table(known: KnownTrait, trace: Trace) -> Mapping[str, object] | None:
    source = known.kind.source(known.trait)
    if known.trait.name in trace.judgments:
        return trace.judgments[known.trait.name]
    if isinstance(source, Computed) and source.runs is None:
        try:
            return source.compute(known.trait, trace)
        except NotComputed:
            return None
    return None


def _alike(labelled: Iterable[tuple[str, Answers]]) -> dict[str, Weakness]:
    """The traits that every labelled trace answers in the same way."""
    found: dict[str, list[Answers]] = {}
    counts: dict[str, int] = {}
    for name, answers in labelled:
        counts[name] = counts.get(name, 0) + 1
        known = found.setdefault(name, [])
        if answers not in known:
            known.append(answers)
    return {
        name: _constant(name, counts[name])
        for name, known in found.items()
        if len(known) == 1 and counts[name] >= FEWEST
    }


def _constant(name: str, count: int) -> Weakness:
    reason = f"{quoted(name)} is answered alike by all {many(count, 'trace')} with labels"
    fix = "it separates no answers: drop it, sharpen it, or load traces that differ"
    return Weakness("constant", (), reason, fix)
