"""Appellate: check an LLM judge item by item, in a terminal.

What is named here is the Python interface; it is loaded on first use, and never brings the screen
or a model's client with it.
"""

TYPE_CHECKING = (
    False  # typing's own takes long to import, and Ctrl+C then shows a traceback
)
if TYPE_CHECKING:
    from typing import Any

    from appellate.core.problem import Problem, Unusable
    from appellate.core.trace import Trace
    from appellate.numbers.by_name import aggregate, reduce_epochs
    from appellate.stats.aggregates import value_to_float
    from appellate.stats.measured_pairs import estimate
    from appellate.store.audits.audit import Audit, load_audit
    from appellate.store.files.rubric_file import load_rubric
    from appellate.store.files.trace_file import load_traces
    from appellate.traits.callable.spec import CallableRubricTrait
    from appellate.traits.grounding.measures import measure_grounding
    from appellate.traits.grounding.spec import GroundingRubricTrait
    from appellate.traits.llm.spec import LLMRubricTrait, RubricTrait
    from appellate.traits.metric.spec import ConfusionLists, MetricRubricTrait
    from appellate.traits.regex.spec import ManualRubricTrait, RegexRubricTrait
    from appellate.traits.rubric import Question, Rubric
    from appellate.traits.scorer.rules import Score, ScoreEdit, score
    from appellate.traits.scorer.spec import ScorerRubricTrait

__all__ = [
    "Audit",
    "CallableRubricTrait",
    "ConfusionLists",
    "GroundingRubricTrait",
    "LLMRubricTrait",
    "ManualRubricTrait",
    "MetricRubricTrait",
    "Problem",
    "Question",
    "RegexRubricTrait",
    "Rubric",
    "RubricTrait",
    "Score",
    "ScoreEdit",
    "ScorerRubricTrait",
    "Trace",
    "Unusable",
    "aggregate",
    "estimate",
    "load_audit",
    "load_rubric",
    "load_traces",
    "measure_grounding",
    "reduce_epochs",
    "score",
    "value_to_float",
]

_HOMES = {
    "Audit": "store.audits.audit",
    "CallableRubricTrait": "traits.callable.spec",
    "ConfusionLists": "traits.metric.spec",
    "GroundingRubricTrait": "traits.grounding.spec",
    "LLMRubricTrait": "traits.llm.spec",
    "ManualRubricTrait": "traits.regex.spec",
    "MetricRubricTrait": "traits.metric.spec",
    "Problem": "core.problem",
    "Question": "traits.rubric",
    "RegexRubricTrait": "traits.regex.spec",
    "Rubric": "traits.rubric",
    "RubricTrait": "traits.llm.spec",
    "Score": "traits.scorer.rules",
    "ScoreEdit": "traits.scorer.rules",
    "ScorerRubricTrait": "traits.scorer.spec",
    "Trace": "core.trace",
    "Unusable": "core.problem",
    "aggregate": "numbers.by_name",
    "estimate": "stats.measured_pairs",
    "load_audit": "store.audits.audit",
    "load_rubric": "store.files.rubric_file",
    "load_traces": "store.files.trace_file",
    "reduce_epochs": "numbers.by_name",
    "measure_grounding": "traits.grounding.measures",
    "score": "traits.scorer.rules",
    "value_to_float": "stats.aggregates",
}


def __getattr__(name: str) -> "Any":
    """Return a name of the public interface from its module, which is imported now.

    Raises AttributeError for a name that the interface does not have.
    """
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'appellate' has no attribute {name!r}")
    return getattr(import_module(f"appellate.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names, for a notebook that completes them, and those of any module."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
