"""What is wrong with a table of an LLM trait, recorded, judged or audited."""

from collections.abc import Iterator, Mapping
from typing import Any

from appellate.core.kind import Fault
from appellate.core.problem import describe_value, quoted, unknown_key
from appellate.core.trace import Trace
from appellate.traits.evidence import item_faults
from appellate.traits.llm.spec import LLMRubricTrait

ITEM_KEYS = ("index", "start", "end")


def faults(trait: LLMRubricTrait | None, trace: Trace, table: Mapping[str, Any]) -> Iterator[Fault]:
    """Everything wrong with one table; its verdict is held to the trait where that is known."""
    yield from _verdict(trait, table)
    yield from _texts(table.get("evidence", []))
    rationale = table.get("rationale", "")
    if not isinstance(rationale, str):
        yield Fault(("rationale",), f"must be text, not {describe_value(rationale)}")
    yield from item_faults(table, lambda item: _item(item, table, trace.response))


def _verdict(trait: LLMRubricTrait | None, table: Mapping[str, Any]) -> Iterator[Fault]:
    value, name = table.get("value"), table.get("class")
    if value is None and name is None:
        yield Fault((), "has no value", f"value is {_wanted(trait)}")
        return
    fits = trait.is_value(value) if trait else isinstance(value, bool | int)
    if value is not None and not fits:
        yield Fault(("value",), f"must be {_wanted(trait)}, not {describe_value(value)}")
    if name is not None:
        yield from _class(trait, name, value)


def _wanted(trait: LLMRubricTrait | None) -> str:
    return trait.wanted() if trait else "true, false or a whole number"


def _class(trait: LLMRubricTrait | None, name: Any, value: Any) -> Iterator[Fault]:
    if not isinstance(name, str):
        yield Fault(("class",), f"must be the name of a class, not {describe_value(name)}")
        return
    if trait is None:
        return
    if trait.kind != "literal":
        wrong = f"there are no classes in a trait of kind {quoted(trait.kind)}"
        yield Fault(("class",), wrong, "give a value")
        return
    index = trait.get_class_index(name)
    if index < 0:
        known = ", ".join(quoted(each) for each in trait.get_class_names())
        yield Fault(("class",), f"there is no class {quoted(name)}; classes are {known}")
    elif trait.is_value(value) and index != value:
        yield Fault(("class",), f"{quoted(name)} is class {index}, but the value is {value}")


def _texts(texts: Any) -> Iterator[Fault]:
    if not isinstance(texts, list):
        yield Fault(("evidence",), f"must be a list of texts, not {describe_value(texts)}")
        return
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            yield Fault(("evidence", index), f"must be text, not {describe_value(text)}")


def _item(item: Mapping[str, Any], table: Mapping[str, Any], response: str) -> Iterator[Fault]:
    texts = table.get("evidence", [])
    size = len(texts) if isinstance(texts, list) else 0
    index, start, end = item.get("index"), item.get("start"), item.get("end")
    if type(index) is not int or not 0 <= index < size:
        wrong = f"must be a position in evidence, which has {size} items, not {_found(index)}"
        yield Fault(("index",), wrong)
    if start is not None or end is not None:
        if type(start) is not int or type(end) is not int:
            given = f"{_found(start)} and {_found(end)}"
            wrong = f"start and end must both be whole numbers, not {given}"
            yield Fault(("start",), wrong)
        elif not 0 <= start < end <= len(response):
            whole = f"a response of {len(response)} characters"
            yield Fault(("start",), f"start {start} and end {end} mark no part of {whole}")
    for key in item:
        if key not in ITEM_KEYS:
            yield Fault((key,), *unknown_key(key, ITEM_KEYS), newer=True)


def _found(value: Any) -> str:
    return "missing" if value is None else describe_value(value)
