"""What there is to read of a trace, by name.

A person at the screen sees all of it. A judge is shown what its trait's request holds
(`Asked.holds`), or what a rule looks at; `traits.unread` tells what is left.
"""

RESPONSE = "response"
QUESTION = "question"
EARLIER_TURNS = "earlier"
"""The steps before the response, whoever took them."""
HISTORY = "question.history"
"""Those of users, assistants and tools, as graded scorers have them in the place of the question:
without a system's words and thoughts.
"""
REFERENCE = "reference"
CHOICES = "choices"
DOCUMENTS = "documents"
METADATA = "metadata"
"""All metadata. One field of them is `metadata.` and its name."""

Materials = frozenset[str]
"""Names of what a judge gets of a trace; each begins with the part of a prompt that holds it."""


def metadata_field(name: str) -> str:
    """Return the name of one field of the metadata among the materials."""
    return f"{METADATA}.{name}"
