"""A run to book a flight: what it says, and an audit in which two traits read it."""

from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.core.transcript import transcript
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.rubric import Rubric

POLICY = "\n".join(f"Rule {number}: ask before you book." for number in range(1, 61))
FLIGHTS = "\n".join(f"flight {number} to Oslo" for number in range(1, 61))
WISHES = "\n".join(f"Wish {number}: a window." for number in range(1, 31))
MESSAGES = [
    {"role": "system", "content": POLICY},
    {"role": "user", "content": f"Book me a flight to Oslo.\n{WISHES}"},
    {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [
            {"id": "c", "function": {"name": "search", "arguments": '{"to": "OSL"}'}},
        ],
    },
    {"role": "tool", "tool_call_id": "c", "content": FLIGHTS},
    {"role": "assistant", "content": "Flight 3 is free. Shall I book it?"},
    {"role": "user", "content": "Yes, book it."},
    *(
        {"role": "assistant", "content": f"Booking, part {number}."}
        for number in range(1, 31)
    ),
    {"role": "assistant", "content": "It is booked."},
]
RUN = Trace(id="run", messages=MESSAGES, response="It is booked.", reference="Flight 3")
STEPS = transcript(RUN).steps


def asked(**reads):
    return Rubric(
        name="Runs",
        metric_traits=[
            MetricRubricTrait(
                name="Work",
                metrics=["recall"],
                tp_instructions=["Looks first", "Knows flight 40", "Says so"],
                **reads,
            ),
        ],
        llm_traits=[LLMRubricTrait(name="Asks", kind="boolean", **reads)],
    )


def judged():
    def item(bucket, index, instruction):
        return {
            "bucket": bucket,
            "index": index,
            "of": "tp",
            "instruction": instruction,
        }

    rows = [item("tp", 0, 1), item("tp", 1, 2), item("tp", 2, 3)]
    table = {
        "tp": ["Let me look.", "flight 40 to Oslo", "It is booked."],
        "items": rows,
    }
    table |= {"fn": [], "fp": [], "tn": []}
    return Proposed(table, {"name": "gpt"})


def verdict(*evidence):
    return Proposed({"value": True, "evidence": list(evidence)}, {"name": "gpt"})


def scene(*, evidence=("Shall I book it?",), **reads):
    reads = reads or {"reads": "conversation"}
    names = list(asked(**reads).traits_of(RUN))
    events = {"Work": [judged()], "Asks": [verdict(*evidence)]}
    return asked(**reads), [RUN], [events[name] for name in names]
