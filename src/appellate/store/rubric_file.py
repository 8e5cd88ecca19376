"""Reading a rubric: TOML in, a Rubric out, or everything that is wrong with the file at once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from appellate.core.problem import Problem, Unusable, quoted
from appellate.store.loaded import Loaded
from appellate.store.text import MIB, text_of, toml_table, unusable
from appellate.store.wording import problems
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.rubric import Asked, Question, Rubric, clashes, id_text, prompt_faults

LARGEST = 64 * MIB
ELSEWHERE = {
    "llm_traits": "LLM traits",
    "regex_traits": "regex traits",
    "callable_traits": "callable traits",
    "grounding_traits": "grounding traits",
    "scorer_traits": "scorer traits",
    "agentic_traits": "agentic traits",
    "manual_traits": "manual traits",
    "traits": "traits of the old form [[traits]]",
}
KNOWN = {
    "": tuple(Rubric.model_fields),
    "questions": tuple(Question.model_fields),
    "metric_traits": tuple(MetricRubricTrait.model_fields),
}


def load_rubric(path: str | Path) -> Rubric:
    """The rubric in a TOML file; raises Unusable with every problem of the file."""
    return read_rubric(path).usable()


def read_rubric(path: str | Path) -> Loaded[Rubric]:
    """The rubric in a TOML file, with its problems and notes as values."""
    file = str(path)
    try:
        return parse_rubric(_table(text_of(path, LARGEST), file), file)
    except Unusable as refusal:
        return Loaded(None, refusal.problems)


def parse_rubric(table: dict[str, Any], file: str) -> Loaded[Rubric]:
    """The rubric in a parsed TOML table, as a rubric file and an audit's [rubric] hold it."""
    present = _without_other_kinds(table)
    found = [*_other_kinds(table, file), *_clashes(present, file)]
    try:
        rubric = Rubric.model_validate(present)
    except ValidationError as error:
        return Loaded(None, problems(error, present, file, KNOWN) + found)
    if not found and not rubric.get_metric_trait_names():
        found = [Problem(file, "", "this rubric has no trait", "add at least one [[metric_traits]]")]
    return Loaded(None, found) if found else Loaded(rubric, notes=list(_notes(rubric, file)))


def _table(text: str, file: str) -> dict[str, Any]:
    if not text.strip():
        raise unusable(file, "the file is empty", "a rubric has at least one [[metric_traits]]")
    if text.lstrip().startswith("{"):
        raise unusable(file, "this looks like JSON", "a rubric is TOML, with [[metric_traits]]")
    table = toml_table(text, file)
    if str(table.get("format", "")).startswith("appellate-audit"):
        raise unusable(file, "this is an audit, not a rubric", "open it alone: appellate review AUDIT")
    if "traces" in table and not table.keys() & {"metric_traits", "questions"}:
        raise unusable(file, "this is a file of traces, not a rubric", "name the rubric first")
    return table


def _tables(given: Any) -> list[dict[str, Any]]:
    """The tables of a list, with an empty one for whatever is none; so that positions stay."""
    return [item if isinstance(item, dict) else {} for item in given] if isinstance(given, list) else []


def _without_other_kinds(table: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in table.items() if key not in ELSEWHERE}
    if isinstance(kept.get("questions"), list):
        kept["questions"] = [
            _without_other_kinds(question) if isinstance(question, dict) else question for question in kept["questions"]
        ]
    return kept


def _other_kinds(table: dict[str, Any], file: str) -> Iterator[Problem]:
    places = [("", table)]
    places += [(f"questions[{i}].", q) for i, q in enumerate(_tables(table.get("questions")))]
    for place, holder in places:
        for key in (key for key in holder if key in ELSEWHERE):
            wrong = f"{ELSEWHERE[key]} are not in this version, which audits metric traits"
            yield Problem(file, place + key, wrong, "take them out, or write them as [[metric_traits]]")


def _clashes(table: dict[str, Any], file: str) -> list[Problem]:
    questions = [
        Asked(_text(id_text(q.get("id"))), _text(q.get("question")), _names(q)) for q in _tables(table.get("questions"))
    ]
    found = [*prompt_faults(_texts(table.get("prompts"))), *clashes(_names(table), questions)]
    return [Problem(file, place, wrong) for place, wrong in found]


def _names(holder: dict[str, Any]) -> list[str | None]:
    return [_text(trait.get("name")) for trait in _tables(holder.get("metric_traits"))]


def _texts(prompts: Any) -> dict[str, dict[str, str]]:
    """The parts of prompts that are text, under the kinds that are tables."""
    kinds = prompts.items() if isinstance(prompts, dict) else ()
    return {kind: _only_texts(parts) for kind, parts in kinds if isinstance(parts, dict)}


def _only_texts(parts: dict[str, Any]) -> dict[str, str]:
    return {name: text for name, text in parts.items() if isinstance(text, str)}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _notes(rubric: Rubric, file: str) -> Iterator[str]:
    worded = [f"{kind}.{part}" for kind, parts in rubric.prompts.items() for part in parts]
    if worded:
        yield f"{file}: prompts: this rubric has its own words for what a model is told: {', '.join(worded)}"
    for place, trait in _placed(rubric):
        if trait.tn_instructions and not trait.full:
            yield (
                f"{file}: {place}: {quoted(trait.name)} is tp_only, so its tn_instructions are ignored; "
                'evaluation_mode = "full_matrix" would use them'
            )


def _placed(rubric: Rubric) -> Iterator[tuple[str, MetricRubricTrait]]:
    for index, trait in enumerate(rubric.metric_traits):
        yield f"metric_traits[{index}]", trait
    for number, question in enumerate(rubric.questions):
        for index, trait in enumerate(question.metric_traits):
            yield f"questions[{number}].metric_traits[{index}]", trait
