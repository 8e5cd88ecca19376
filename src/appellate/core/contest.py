"""A reviewer's labels of a cell as they are put beside another's: a proposal, and edits of it.

A side is a `table`, the proposal that the labels rest on in its kind's file shape, none where they
are by hand, and `edits`, rows in their kind's words, in order.
"""

from typing import Any

from appellate.core.kind import Subject, Table


def labels_of_side(subject: Subject, side: Table) -> Any:
    """The labels that a side stands for."""
    kind, labels = subject.kind, subject.kind.blank
    if "table" in side:
        labels = subject.labels(side["table"])
    for row in side.get("edits", ()):
        labels = kind.apply(subject.trait, subject.trace, labels, kind.edit(row)).labels
    return labels
