"""An agent's run, and cells of traits that read the whole of it."""

from collections.abc import Mapping
from typing import Any

from appellate.core.facts import Proposed
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.store.files.rubric_file import parse_rubric
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric

MESSAGES = [
    {"role": "user", "content": "Book the flight to Oslo."},
    {
        "role": "assistant",
        "content": "One moment.",
        "tool_calls": [
            {
                "id": "1",
                "function": {"name": "book_flight", "arguments": '{"to": "OSL"}'},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "booked"},
    {"role": "assistant", "content": "It is booked."},
    {"role": "user", "content": "Thanks."},
]
RUN = Trace(id="run", response="It is booked.", messages=MESSAGES)
"""Six steps: the user's, two of the second message, the tool's, the answer, the user's."""
TRAITS = {
    "metric_traits": [
        {
            "name": "m",
            "metrics": ["recall"],
            "tp_instructions": ["books", "says so", "thanks"],
        },
    ],
    "llm_traits": [{"name": "l", "kind": "boolean"}],
    "regex_traits": [{"name": "r", "pattern": "book(ed|_flight)"}],
    "scorer_traits": [{"name": "s", "scorer": "model_graded_qa"}],
}
PROPOSED: Mapping[str, dict[str, Any]] = {
    "metric": {
        "tp": ["calls book_flight", "It is booked."],
        "fn": ["thanks"],
        "fp": [],
        "tn": [],
        "items": [
            {"bucket": "tp", "index": 0, "instruction": 1, "rationale": "it does"},
            {"bucket": "tp", "index": 1, "instruction": 2},
        ],
    },
    "llm": {"value": True, "evidence": ["One moment.", "nowhere"]},
    "scorer": {"value": "C", "answer": "It is booked."},
}


def rubric(reads: str = "conversation") -> Rubric:
    """A trait of each of four kinds, which read the same."""
    return parse_rubric({"reads": reads, **TRAITS}, "r.toml").usable()


def subject(kind: str, reads: str = "conversation", trace: Trace = RUN) -> Subject:
    """The trait of a kind on a trace."""
    (trait,) = getattr(rubric(reads), f"{kind}_traits")
    return Subject(kinds()[kind], trait, trace)


def proposed(of: Subject) -> Proposed:
    """A judge's labels of a run, as the bench keeps them, with one member's beside them."""
    table = of.kind.locate(of.trait, of.trace, PROPOSED[of.kind.name])
    judge = {"name": "gpt", "members": [{"name": "one", **table}]}
    return Proposed(table, {**judge, **of.reading(judge)})
