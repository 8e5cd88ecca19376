"""A run of an agent, and steps traits of three sorts."""

from appellate.core.trace import Trace
from appellate.traits.steps.spec import Named, StepsRubricTrait

MESSAGES = [
    {"role": "system", "content": "You book flights. Ask before you book."},
    {"role": "user", "content": "Book me a seat to Oslo."},
    {
        "role": "assistant",
        "content": "One moment.",
        "tool_calls": [
            {
                "id": "1",
                "function": {"name": "search_flights", "arguments": '{"to": "OSL"}'},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "SK1 at 08:00, SK2 at 12:00"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "2",
                "function": {"name": "book_flight", "arguments": '{"no": "SK1"}'},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "2", "content": "booked"},
    {"role": "assistant", "content": "It is booked."},
]
RUN = Trace(
    id="run",
    question="Book me a seat.",
    response="It is booked.",
    messages=MESSAGES,
)
"""Eight steps: system, user, 3 words, 4 a call, its result, 6 a call, its result, 8 the answer."""
JUDGED = [3, 4, 6, 8]
"""The steps that get a verdict by the usual roles."""
ERRORS = (
    Named(name="wrong_tool", means="another tool was called for"),
    Named(name="unasked", means="it acted without asking first"),
)
PATH = StepsRubricTrait(
    name="Path",
    description="Is each step one to take?",
    errors=ERRORS,
)
PLAIN = StepsRubricTrait(
    name="Calls only",
    verdicts=(Named(name="correct"), Named(name="incorrect")),
    outcome=(),
    roles=("calls",),
)
UNSURE = StepsRubricTrait(
    name="Unsure",
    errors=ERRORS,
    outcome=(Named(name="done"), Named(name="half done"), Named(name="given up")),
    cannot_tell=True,
)
