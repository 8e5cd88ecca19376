"""The reply asked of a model about an LLM trait, and the verdict it gives: one that the trait has,
or no answer.
"""

import json
from collections.abc import Mapping
from typing import Any

from appellate.talk.dialogue import NoAnswer
from appellate.talk.json_reply import object_in, quote, text_of, whole_number
from appellate.talk.schema import NUMBER, TEXT, Schema, either, listed, table
from appellate.traits.llm.labels import Labels
from appellate.traits.llm.spec import LLMRubricTrait, Value

MOST_LISTED = 50
"""Scores that a schema names one by one; of a longer scale it says that it takes whole numbers."""
_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def schema(trait: LLMRubricTrait) -> Schema:
    """The shape of a reply: reasons and evidence come before the verdict, which heeds them.

    All of it stands in one field, so that a reply ends with two brackets and one cut short shows.
    """
    fields: dict[str, Schema] = {"rationale": TEXT}
    if trait.wants_excerpts:
        fields["excerpts"] = listed(TEXT)
    return table({"answer": table({**fields, "verdict": _verdict(trait)})})


def _verdict(trait: LLMRubricTrait) -> Schema:
    if trait.kind == "boolean":
        return either("yes", "no")
    if trait.kind == "literal":
        return either(*trait.get_class_names())
    if len(trait.values) > MOST_LISTED:
        return NUMBER
    return {**NUMBER, "enum": list(trait.values)}


def read(trait: LLMRubricTrait, text: str) -> dict[str, Any]:
    """The judge's table that a reply stands for; raises NoAnswer with everything that is wrong with
    it.
    """
    given = object_in(text)
    answer = given.get("answer", given)
    if not isinstance(answer, dict):
        raise NoAnswer("incomplete", f'"answer" is {quote(answer)}, not an object.')
    faults = []
    value = _value(trait, answer.get("verdict"))
    if value is None:
        faults.append(_not_a_verdict(trait, answer))
    excerpts = answer.get("excerpts")
    if trait.wants_excerpts and not isinstance(excerpts, list | str):
        faults.append('"excerpts" is not there (it is an empty list where there are none)')
    if faults:
        raise NoAnswer("incomplete", f"{'; '.join(faults)}.")
    found: dict[str, Any] = {"value": value}
    if trait.kind == "literal":
        found["class"] = trait.told(value)
    rationale = text_of(answer.get("rationale")).strip()
    return {**found, "evidence": _excerpts(trait, excerpts), "rationale": rationale}


def _value(trait: LLMRubricTrait, said: Any) -> Value | None:
    """The verdict that a model meant; None where the trait has no such one."""
    if trait.kind == "boolean":
        if isinstance(said, bool):
            return said
        return _WORDS.get(text_of(said).strip().casefold())
    value = whole_number(said)
    if trait.kind == "literal":
        value = trait.get_class_index(text_of(said))
    return value if trait.is_value(value) else None


def _not_a_verdict(trait: LLMRubricTrait, answer: Mapping[str, Any]) -> str:
    if "verdict" not in answer:
        return '"verdict" is not there'
    said = quote(answer["verdict"])
    if trait.kind == "boolean":
        return f'the verdict is {said}, not "yes" or "no"'
    if trait.kind == "score":
        return f"the verdict is {said}, not a whole number from {trait.low} to {trait.high}"
    known = ", ".join(json.dumps(name) for name in trait.get_class_names())
    return f"the verdict is {said}, not one of {known}"


def _excerpts(trait: LLMRubricTrait, given: Any) -> list[str]:
    """The excerpts of a reply, each once, as many as the trait takes."""
    if not trait.wants_excerpts:
        return []
    if not isinstance(given, list):
        given = [given]
    texts = [text_of(text) for text in given]
    kept = list(dict.fromkeys(text for text in texts if text.strip()))
    return kept[: trait.deep_judgment_max_excerpts]


def as_reply(trait: LLMRubricTrait, labels: Labels) -> str:
    """The reply that would have given these labels, but for the reason: the inverse of `read`."""
    answer: dict[str, Any] = {"rationale": ""}
    if trait.wants_excerpts:
        answer["excerpts"] = [excerpt.text for excerpt in labels.evidence]
    answer["verdict"] = labels.value if trait.kind == "score" else trait.told(labels.value)
    return json.dumps({"answer": answer}, ensure_ascii=False)
