"""Every scorer that needs no judge, by its name and settings; and the values of many made one."""

from collections.abc import Sequence
from typing import Any

from appellate.core.aggregates import is_scored, reduce_epochs
from appellate.traits.matching import Offsets
from appellate.traits.scorer import extracting, multiple_choice, rules, word_bags
from appellate.traits.scorer.multiple_choice import Unscorable
from appellate.traits.scorer.rules import Score
from appellate.traits.scorer.spec import Scorer, ScorerRubricTrait

Targets = Sequence[str]


def score(
    name: str,
    completion: str,
    target: str | Targets,
    *,
    choices: Sequence[str] = (),
    **options: Any,
) -> Score:
    """What a scorer says of a response, with the settings that inspect_ai has for it (SPEC 13).

    `target` is what is right, or several that are. Raises ValueError for an unknown scorer or
    setting, for one that a judge must be asked for, and where nothing can be scored.
    """
    trait = ScorerRubricTrait(name=name, scorer=name, **options)
    if trait.is_graded or trait.scorer == "recorded":
        raise ValueError(f"{name} is no rule: its values come from a judge or with the traces")
    return scored(trait, completion, texts(target), choices)


def texts(given: str | Sequence[str]) -> list[str]:
    """A text, or several, as a list."""
    if isinstance(given, str):
        return [given]
    return list(given)


def scored(trait: ScorerRubricTrait, completion: str, targets: Targets, of: Sequence[str]) -> Score:
    """The score of a response by a trait that asks nobody; `of` are the trace's choices.

    Raises Unscorable where there is nothing to hold it to, Unmatched where a pattern takes too
    long.
    """
    if trait.scorer != "multi_scorer":
        return by_rule(trait, completion, targets, of)
    return together(trait, [by_rule(one, completion, targets, of) for one in trait.scorers])


def by_rule(one: Scorer, completion: str, targets: Targets, of: Sequence[str]) -> Score:
    """The score of a response by one rule."""
    match one.scorer:
        case "match":
            return rules.match(
                completion,
                targets,
                location=one.location,
                ignore_case=one.ignore_case,
                numeric=one.numeric,
            )
        case "includes":
            return rules.includes(completion, targets, ignore_case=one.ignore_case)
        case "pattern":
            return extracting.pattern(
                completion,
                targets,
                pattern=one.pattern or "",
                ignore_case=one.ignore_case,
                match_all=one.match_all,
            )
        case "answer":
            return extracting.answer(completion, targets, pattern=one.pattern or "")
        case "choice":
            return multiple_choice.choice(
                completion, targets, choices=of, multiple_correct=one.multiple_correct
            )
        case "f1":
            return word_bags.f1(completion, targets, stop_words=one.stop_words)
        case "exact":
            return word_bags.exact(completion, targets)
        case _:
            raise Unscorable(f"{one.scorer} is no rule.")


def rescored(trait: ScorerRubricTrait, answer: str, targets: Targets, of: Sequence[str]) -> Score:
    """The score of an answer that a person extracted."""
    if trait.scorer != "multi_scorer":
        return _given(trait, answer, targets, of)
    return together(trait, [_given(one, answer, targets, of) for one in trait.scorers])


def _given(one: Scorer, answer: str, targets: Targets, of: Sequence[str]) -> Score:
    if one.scorer in ("pattern", "answer"):
        ignore_case = one.ignore_case or one.scorer == "answer"
        return extracting.given(answer, targets, ignore_case=ignore_case)
    if one.scorer == "choice":
        return multiple_choice.given(
            answer, targets, choices=of, multiple_correct=one.multiple_correct
        )
    return by_rule(one, answer, targets, of)


def together(trait: ScorerRubricTrait, scores: Sequence[Score]) -> Score:
    """What a multi_scorer makes of its members' scores: a dictionary, or one value by its reducer.

    The answer is theirs where they agree on one.
    """
    texts = []
    spans: set[Offsets] = set()
    for name, one in zip(trait.member_names, scores, strict=True):
        texts.append(f"{name}: {shown(one.value)}. {one.explanation}")
        spans.update(one.spans)
    first, *others = scores
    answer, reason = first.answer, first.reason
    for one in others:
        if one.answer != answer:
            answer = None
        if one.reason != reason:
            reason = ""
    value = combined(trait, [one.value for one in scores])
    return Score(value, answer, "\n".join(texts), tuple(sorted(spans)), reason)


def combined(trait: ScorerRubricTrait, values: Sequence[Any]) -> Any:
    """The value of a multi_scorer; NaN where no member scored."""
    if trait.reducer is None:
        return dict(zip(trait.member_names, values, strict=True))
    return reduce_epochs(trait.reducer, values)


def shown(value: Any) -> str:
    """A value for a sentence: C, 0.67, yes."""
    if value is True:
        return "yes"
    if value is False:
        return "no"
    if not is_scored(value):
        return "unscored"
    if isinstance(value, int | float):
        return f"{value:.4g}"
    return str(value)
