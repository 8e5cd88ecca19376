"""Separates what may be a verdict, or the reason for one, from the rest of what a file says of a
trace.

While a person rules blind, what a judge or another person said is hidden, wherever it is. Files
have it in columns of any name: `success`, `human_label`, `anna`. Both the name and the value of a
field can give it away. A field that is hidden without need is shown as soon as the person has
ruled.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from appellate.core.kind import KnownTrait, Measure

_NAMES = """
score scores scored scoring subscore label labels labelled labeled labeler labeller verdict
verdicts grade grades graded grader graders grading rating ratings rated rater raters mark marks
correct incorrect correctness wrong accuracy accurate inaccurate acc pass passed passes fail
failed fails failure success successful judge judges judged judgement judgements judgment
judgments judging eval evals evaluator evaluators evaluation evaluations evaluated assessor
assessors assessment assessments reviewer reviewers review reviews annotator annotators
annotation annotations annotated human humans expert experts physician physicians gold golden
majority consensus vote votes agreement adjudicated adjudication feedback critique critiques
critic comment comments remark remarks note notes rationale rationales reason reasons reasoning
explanation explanations justification metric metrics precision recall f1 bleu rouge bertscore
em auc kappa threshold win wins winner preference preferences preferred chosen rejected accepted
approved quality valid invalid stars points likert thumbs hallucination hallucinations
hallucinated faithfulness faithful groundedness grounded relevance relevancy adherence supported
unsupported factuality factual truthfulness toxicity toxic bias harmful harmfulness safe unsafe
safety refusal refused helpfulness helpful coherence fluency criteria criterion met result
results outcome urteil bewertung begründung kommentar richtig falsch jugement évaluation
commentaire
"""
"""Words in the names of fields that hold a verdict, a score, or the reason for one."""
_ANSWERS = """
yes no y n true false t f pass passed fail failed correct incorrect right wrong partial
partially good bad ok safe unsafe supported unsupported relevant irrelevant accept accepted
reject rejected win lose loss tie c p i ja nein oui non si sí true. false. yes. no.
"""
"""One-word answers of judges and people, whatever the trait."""
_VERDICT_NAMES = frozenset(_NAMES.split())
_VERDICTS = frozenset(_ANSWERS.split())

_TEXTS = frozenset(
    (
        "answer",
        "answers",
        "response",
        "responses",
        "reference",
        "references",
        "completion",
    ),
)
_OF_REFERENCES = frozenset(
    ("gold", "golden", "human", "expert", "experts", "correct", "incorrect", "wrong"),
)
"""Words that mean a reference if one of `_TEXTS` is next to them, as in `gold_answer`."""
_OF_THE_MODEL = (("finish", "reason"), ("stop", "reason"), ("finish", "reasons"))
HIDDEN_FIELDS = "Hidden until you have ruled, as these may be verdicts"
"""What is said before the names of the fields that are left out."""
_LONGEST_VERDICT = 40
"""Characters; a longer text is no verdict."""
_WIDEST = 100
"""Numbers within the bounds of a trait count as verdicts, unless the bounds are further apart."""
_CAMEL_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")


class WithheldFields(NamedTuple):
    """Metadata without what may be a verdict, and the names of the fields that are left out."""

    visible: dict[str, Any]
    withheld: list[str]


def words_of_name(name: str) -> tuple[str, ...]:
    """Return the words of a field's name in lower case: `isCorrect` and `is_correct` have two."""
    return tuple(word.lower() for word in _WORD.findall(_CAMEL_HUMP.sub(" ", name)))


def names_verdict(name: str) -> bool:
    """Return whether a field's name says that a verdict, a score or the reason for one is in it.

    It does if one of its words is in `_VERDICT_NAMES`, digits at the end left out. The
    reason why a model stopped does not count, and neither does a reference such as
    `gold_answer`.
    """
    words = words_of_name(name)
    if words in _OF_THE_MODEL:
        return False
    telling = {word.rstrip("0123456789") or word for word in words} | set(words)
    telling &= _VERDICT_NAMES
    if not _TEXTS.isdisjoint(words):
        telling -= _OF_REFERENCES
    return bool(telling)


def without_verdicts(
    metadata: Mapping[str, Any],
    traits: Iterable[KnownTrait],
) -> WithheldFields:
    """Return a trace's metadata without what may be somebody's verdict on one of these traits.

    A field of which something is left out is among those withheld, even if the rest of it is
    visible. The metadata is not changed.
    """
    answers = PossibleVerdicts(traits)
    fields = WithheldFields({}, [])
    for name, value in metadata.items():
        remaining = answers.without(name, value)
        if remaining is not None or value is None:
            fields.visible[name] = remaining
        if remaining is not value and remaining != value:
            fields.withheld.append(name)
    return fields


class PossibleVerdicts:
    """What may be a verdict on some traits: their names, their words and their numbers."""

    def __init__(self, traits: Iterable[KnownTrait]) -> None:
        """Note the names of the traits, the words that may answer them, and their measures.

        Measures with a very wide scale are left out, since any number would be within it.
        """
        self._names: list[frozenset[str]] = []
        self._words = set(_VERDICTS)
        self._measures: list[Measure] = []
        for kind, trait in traits:
            words_of_trait = words_of_name(trait.name)
            if words_of_trait:
                self._names.append(frozenset(words_of_trait))
            for answer in (*kind.vocabulary(trait), *kind.words_of(trait)):
                self._words.add(str(answer).lower())
            for measure in kind.measures(trait):
                reach = measure.high - measure.low
                if reach <= _WIDEST:
                    self._measures.append(measure)

    def may_hold_one(self, name: str, value: Any) -> bool:
        """Return whether a field may hold a verdict, by its name or its single value."""
        return self._is_telling(name) or self._may_be_verdict(value)

    def without(self, name: str, value: Any) -> Any:
        """Return a field's value without what may be a verdict, by its name and its value.

        None if nothing remains.
        """
        if self._is_telling(name):
            return None
        return self._rest(value)

    def _is_telling(self, name: str) -> bool:
        """Return whether a field's name tells that it holds a verdict, or names one of the traits.

        It names a trait if it has all words of the trait's name.
        """
        if names_verdict(name):
            return True
        words = frozenset(words_of_name(name))
        return any(trait_words <= words for trait_words in self._names)

    def _rest(self, value: Any) -> Any:
        """Return a value without what may be a verdict; None if nothing remains.

        Tables and lists are looked through, and a text of JSON is left out whole if any of it may
        be one. An empty table or list stays.
        """
        if isinstance(value, Mapping):
            return self._rest_of_table(value)
        if isinstance(value, list):
            return self._rest_of_list(value)
        if isinstance(value, str) and value.startswith(("{", "[")):
            return self._rest_of_json(value)
        return None if self._may_be_verdict(value) else value

    def _rest_of_list(self, values: list[Any]) -> list[Any] | None:
        """Return a new list without what may be a verdict; None if nothing remains.

        Tables and lists in it are looked through, and a text of JSON is left out whole if any of it
        may be one. Items that are None are left out, too. An empty list stays.
        """
        remaining: list[Any] = []
        if not values:
            return remaining
        for value in values:
            inner = self._rest(value)
            if inner is not None:
                remaining.append(inner)
        return remaining or None

    def _rest_of_table(self, table: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return a new table without what may be a verdict, by its names and values.

        Tables and lists in it are looked through, and a text of JSON is left out whole if any of it
        may be one. Values that are None are left out, too. None is returned if nothing remains. An
        empty table stays.
        """
        remaining: dict[str, Any] = {}
        if not table:
            return remaining
        for name, value in table.items():
            inner = self.without(name, value)
            if inner is not None:
                remaining[name] = inner
        return remaining or None

    def _rest_of_json(self, text: str) -> str | None:
        """Return a text of JSON itself, or None if any of it may be a verdict.

        It is also None if a list or table in it has a null, or if it is nested too deeply to be
        looked through. A text that is no JSON is returned.
        """
        try:
            value = json.loads(text)
            may_be_shown = self._rest(value) == value
        except ValueError:
            return text
        except RecursionError:
            return None
        return text if may_be_shown else None

    def _may_be_verdict(self, value: Any) -> bool:
        """Return whether a single value may be a verdict: true or false, a known word, or a number.

        Known words are those of verdicts in general, and the answers of the traits, in any
        case. A number may be one if it is within the bounds of one of the measures; "80 %"
        counts as 80 and "0,8" as 0.8. Returns False for texts of more than
        `_LONGEST_VERDICT` characters and for None.
        """
        if isinstance(value, bool):
            return True
        if isinstance(value, int | float):
            return any(
                measure.low <= value <= measure.high for measure in self._measures
            )
        if not isinstance(value, str) or len(value) > _LONGEST_VERDICT:
            return False

        stripped = value.strip().lower()
        if stripped in self._words:
            return True

        with_decimal_point = stripped.replace(",", ".").rstrip("%")
        try:
            number = float(with_decimal_point)
        except ValueError:
            return False
        return self._may_be_verdict(number)
