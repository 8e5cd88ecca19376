"""`appellate schema`: prints the file formats as JSON Schema, for editors and other programs."""

import argparse

from appellate.cli.outcome import show_json
from appellate.core.design_facts import DESIGN_NAMES
from appellate.core.facts import AGENT, PERSON
from appellate.core.kind import MIXED
from appellate.core.trace import Document, OtherResponse, Trace
from appellate.store.audits.audit import FORMAT
from appellate.store.files.trace_record import ALIASES, IDS
from appellate.talk.dialogue import Schema
from appellate.traits.kinds import kinds
from appellate.traits.rubric import LISTS, Question, Rubric

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}
_MOMENT = {"type": "string", "format": "date-time"}
_FLAG = {"type": "boolean"}
_AMOUNT = {"type": "number"}
_TEXTS = {"type": "array", "items": _TEXT}
_KIND = {"enum": list(kinds())}
_SIGNING = {
    "trait_sha256": _TEXT,
    "seconds": _AMOUNT,
    "read_sha256": _TEXT,
    "said_at": _TEXT,
    "said_blind": _FLAG,
}
_READ = {
    "text": _TEXT,
    "question": _TEXT,
    "reference": _TEXT,
    "transcript": _NUMBER,
    "judged": _TEXT,
}
_ACT = {
    "n": _NUMBER,
    "at": _MOMENT,
    "by": _TEXT,
    "as": {"enum": [PERSON, AGENT]},
    "undone_by": _TEXT,
}


def schema(arguments: argparse.Namespace) -> None:
    """Print the JSON Schema of a format on standard output: of `rubric`, `traces` or `audit`.

    The command line names it. Raises Ended if the output cannot be written.
    """
    formats = {"rubric": rubric, "traces": traces, "audit": audit}
    show_json({"$schema": DIALECT, **formats[arguments.of]()})


def rubric() -> Schema:
    """Return the schema of a rubric file, as a new table.

    Lists of traits may have their former names, too, in the rubric and in its questions. These are
    marked as deprecated.
    """
    rubric_schema = _rubric()
    for holder in (rubric_schema, rubric_schema["$defs"][Question.__name__]):
        for key, kind in LISTS.items():
            for old_key in kind.old_keys:
                holder["properties"][old_key] = _old_list(f"what {key} was called once")
        holder["properties"][MIXED] = _old_list("what held traits of every kind once")
    return rubric_schema


def _old_list(description: str) -> Schema:
    """Return the schema of a list of traits under a former name."""
    return {**_rows({"name": _TEXT}), "deprecated": True, "description": description}


def _rubric() -> Schema:
    """Return the schema of a rubric with the current names only."""
    return Rubric.model_json_schema() | {"title": "Appellate rubric"}


def traces() -> Schema:
    """Return the schema of a file of traces: a list, or a table with the list under `traces`.

    It is a new table. There is at least one trace. Fields may have their other names, ids may be
    numbers, and other keys are allowed.
    """
    trace = Trace.model_json_schema()
    definitions: Schema = trace.pop("$defs", {})
    fields = trace["properties"]
    documents = definitions[Document.__name__]["properties"]
    for id_schema in (*(fields[key] for key in IDS), documents["id"]):
        if "anyOf" in id_schema:
            id_schema["anyOf"].append(_NUMBER)
        else:
            id_schema["type"] = ["string", "integer"]
    for alias, field in ALIASES.items():
        fields[alias] = fields[field] | {"description": f"another name of {field}"}
    trace["additionalProperties"] = True
    trace_list = {
        "type": "array",
        "minItems": 1,
        "items": {"$ref": f"#/$defs/{Trace.__name__}"},
    }
    table = {
        "type": "object",
        "required": ["traces"],
        "properties": {"traces": trace_list},
    }
    return {
        "title": "Appellate traces",
        **trace_list,
        **table,
        # with anyOf an editor does not say where something is wrong
        "type": ["array", "object"],
        "$defs": {Trace.__name__: trace, **definitions},
    }


def audit() -> Schema:
    """Return the schema of an audit file, as a new table.

    The file must have its format and its rubric, and may have keys that are not listed.
    """
    rubric_schema = _rubric()
    trace = Trace.model_json_schema()
    definitions = rubric_schema.pop("$defs", {}) | trace.pop("$defs", {})
    trace["properties"] |= {
        "judgments": _rows(_cell_schemas()),
        "metadata": _TEXT,
        "messages": _TEXT,
    }
    definitions[OtherResponse.__name__]["properties"]["messages"] = _TEXT
    trace["additionalProperties"] = True
    rubric_schema["properties"]["sha256"] = _TEXT
    traits = [rubric_schema["properties"][key]["items"] for key in LISTS]
    earlier = {"sha256": _TEXT, "kind": _KIND, "trait": {"anyOf": traits}}
    top = {
        "format": {"const": FORMAT},
        "saved": _MOMENT,
        "appellate": _TEXT,
        "reviewers": _TEXTS,
    }
    return {
        "title": "Appellate audit",
        "type": "object",
        "required": ["format", "rubric"],
        "properties": {
            **top,
            "rubric": rubric_schema,
            "earlier_traits": _rows(earlier),
            "design": _rows({**_ACT, "act": {"enum": [*DESIGN_NAMES.values()]}}),
            "traces": {"type": "array", "items": trace},
        },
        "$defs": definitions,
    }


def _cell_schemas() -> Schema:
    """Return the schemas of the keys that a cell in an audit file has, by key.

    Cells are in the list `judgments` of a trace.
    """
    labels = _label_schemas()
    metrics = {"type": "object", "additionalProperties": {"type": "number"}}
    return {
        "trait": _TEXT,
        "kind": _KIND,
        "state": {"enum": ["pending", "failed", "proposed", "corrected", "reviewed"]},
        "error": _TEXT,
        "signed": _table({"by": _TEXT, "at": _MOMENT, **_SIGNING}),
        "unsettled": _table({"by": _TEXT, "at": _MOMENT, "changed": _TEXTS}),
        "flag": _FLAG,
        "undefined": _TEXTS,
        "judge_undefined": _TEXTS,
        "judge": _table(_proposal_schemas()),
        "rounds": _rows(_proposal_schemas()),
        "audited": _table({key: labels[key] for key in labels if key != "items"}),
        "items": labels.get("items", _rows({})),
        "metrics": metrics,
        "judge_metrics": metrics,
        "verdict": {"type": "object"},
        "corrections": _rows(
            {
                **_ACT,
                "action": _TEXT,
                "before": _TEXT,
                "after": _TEXT,
                "reason": _TEXT,
                "carried": _FLAG,
            },
        ),
        "comments": _rows({**_ACT, "text": _TEXT}),
        "failures": _rows({**_ACT, "error": _TEXT, "raw": _TEXT}),
        "history": _rows(
            {
                **_ACT,
                "act": _TEXT,
                "of": _NUMBER,
                "member": _NUMBER,
                "was": _TEXT,
                "to": _TEXT,
                **_SIGNING,
                "read": _table(_READ),
                "blind": _FLAG,
                "asked": {"type": "object"},
                "answer": _TEXT,
                "edits": _rows({}),
                "caught": _FLAG,
                "sides": _rows(
                    {"table": {"type": "object"}, "edits": {"type": "array"}},
                ),
            },
        ),
        "recorded": _table(_label_schemas()),
    }


def _proposal_schemas() -> Schema:
    """Return the schemas of the keys of a proposal in an audit file, by key.

    They say who made it, with what, at what cost, and its labels; `members` has those of a panel.
    """
    texts = dict.fromkeys(
        ("name", "model", "prompt_sha256", "template_sha256", "text_sha256"),
        _TEXT,
    )
    amounts = {"tokens_in": _NUMBER, "tokens_out": _NUMBER}
    amounts |= dict.fromkeys(("cost", "full_cost", "latency"), _AMOUNT)
    parameters = {
        "parameters": {"type": "object"},
        "cached": _FLAG,
        "examples": {"type": "array", "items": _TEXT},
        "read": {"enum": ["response", "conversation"]},
        "transcript": _NUMBER,
    }
    member = {**texts, **amounts, **parameters, **_label_schemas()}
    members = _rows({**member, "error": _TEXT})
    return {"n": _NUMBER, "at": _MOMENT, "round": _NUMBER, **member, "members": members}


def _label_schemas() -> Schema:
    """Return the schemas of the keys that labels have in a judge's table, by key, for all kinds.

    They are in one table for all. A key that kinds use for different things has `anyOf` their
    schemas.
    """
    schemas_by_key: dict[str, list[Schema]] = {}
    for kind in kinds().values():
        for key, label_schema in kind.label_schema.items():
            schemas = schemas_by_key.setdefault(key, [])
            if label_schema not in schemas:
                schemas.append(label_schema)

    labels: Schema = {}
    for key, schemas in schemas_by_key.items():
        labels[key] = schemas[0]
        if len(schemas) > 1:
            labels[key] = {"anyOf": schemas}
    return labels


def _table(properties: Schema) -> Schema:
    """Return the schema of a table that may have these keys, none of which it must have.

    `properties` has the schema of each key. Other keys are allowed.
    """
    return {"type": "object", "properties": properties}


def _rows(properties: Schema) -> Schema:
    """Return the schema of a list of tables that may have these keys; it may be empty."""
    return {"type": "array", "items": _table(properties)}
