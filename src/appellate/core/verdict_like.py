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
    """Return the words of a field's name in lower case, in their order: two of `isCorrect` or
    `is_correct`.

    Digits belong to the word that they touch. All other characters only part words; a name that has
    nothing else has no words.
    """
    return tuple(word.lower() for word in _WORD.findall(_CAMEL_HUMP.sub(" ", name)))


def names_verdict(name: str) -> bool:
    """Return whether a field's name says that a verdict, a score or the reason for one is in it.

    It does if one of its words, in any case and with or without digits at its end, is in
    `_VERDICT_NAMES`: `isCorrect`, `score2`. The reason why a model stopped (`finish_reason`) does
    not count, and neither does a reference such as `gold_answer`.
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
    visible; a field that is None is visible. Both are in the order of the metadata, which is not
    changed.
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

        Measures with bounds more than `_WIDEST` apart, or without bounds, are left out: any number
        would be within them.
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
        """Return whether a field may hold a verdict, by its name or by its value.

        The value is a single one: of a table or a list, only the name counts.
        """
        return self._is_telling(name) or self._may_be_verdict(value)

    def without(self, name: str, value: Any) -> Any:
        """Return a field's value without what may be a verdict, by its name and its value.

        None if nothing remains, or if the value is None. Tables and lists are looked through and
        copied: None in them stays, and so does an empty one, but what is nested too deeply to be
        looked through is left out. A text of JSON is left out whole if any of it would be.
        """
        if self._is_telling(name):
            return None
        try:
            return self._rest(value)
        except RecursionError:
            return None

    def _is_telling(self, name: str) -> bool:
        """Return whether a field's name tells that it holds a verdict, or names one of the traits.

        It names a trait if it has all words of the trait's name, in any case and order.
        """
        if names_verdict(name):
            return True
        words = frozenset(words_of_name(name))
        return any(trait_words <= words for trait_words in self._names)

    def _rest(self, value: Any) -> Any:
        """Return what `without` leaves of a value in a field with any name.

        Raises RecursionError if the value is nested too deeply to be looked through.
        """
        if not isinstance(value, Mapping | list):
            return None if self._may_be_verdict(value) else value
        if not value:
            return value

        if isinstance(value, list):
            remaining_items: list[Any] = []
            for item in value:
                inner = self._rest(item)
                if inner is not None or item is None:
                    remaining_items.append(inner)
            return remaining_items or None

        remaining_fields: dict[str, Any] = {}
        for name, field_value in value.items():
            inner = self.without(name, field_value)
            if inner is not None or field_value is None:
                remaining_fields[name] = inner
        return remaining_fields or None

    def _may_be_verdict(self, value: Any) -> bool:
        """Return whether a single value may be a verdict.

        True and False may, and so may numbers within the bounds of one of the measures, and texts
        as `_text_may_be_verdict` says. Nothing else may, and so None, tables and lists may not.
        """
        if isinstance(value, bool):
            return True
        if isinstance(value, int | float):
            return any(
                measure.low <= value <= measure.high for measure in self._measures
            )
        return isinstance(value, str) and self._text_may_be_verdict(value)

    def _text_may_be_verdict(self, text: str) -> bool:
        """Return whether a text, without blanks around it, is a verdict or JSON that may hold one.

        A verdict is a known word of verdicts in general or an answer of the traits, in any case, or
        a number within the bounds of one of the measures: "80 %" counts as 80 and "0,8" as 0.8. It
        has at most `_LONGEST_VERDICT` characters, with the blanks. JSON is a text of a table or a
        list.
        """
        stripped = text.strip()
        if stripped.startswith(("{", "[")):
            return self._json_may_hold_verdict(stripped)
        if len(text) > _LONGEST_VERDICT:
            return False

        lowercase_text = stripped.lower()
        if lowercase_text in self._words:
            return True

        with_decimal_point = lowercase_text.replace(",", ".").rstrip("%")
        try:
            number = float(with_decimal_point)
        except ValueError:
            return False
        return self._may_be_verdict(number)

    def _json_may_hold_verdict(self, text: str) -> bool:
        """Return whether a text is JSON in which anything may be a verdict.

        Returns True for one that is nested too deeply to be read, and False for one that is no
        JSON.
        """
        try:
            value = json.loads(text)
            return bool(self._rest(value) != value)
        except ValueError:
            return False
        except RecursionError:
            return True
