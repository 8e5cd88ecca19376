"""Runs of agents as their tools record them, a module a format. Each makes messages as OpenAI's
chat has them, which `core.messages` parts into steps. Nothing that a run names is run or fetched.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from appellate.interop.foreign import ForeignFile, Row
from appellate.interop.runs import (
    atif,
    claude_code,
    codex,
    openinference,
    otel,
    swe_agent,
    tau_bench,
    who_and_when,
)
from appellate.interop.runs.spans import Span, has_spans, spans_in
from appellate.interop.tables import Rows

MOST_LOOKED_AT = 5
"""Lines of a session that are looked at: a summary or a note may come first."""


class RunFormat(NamedTuple):
    """A format whose files are one JSON document each."""

    knows: Callable[[object], bool]
    read: Callable[[Any, str], ForeignFile]
    """Takes the document and what the file is called, without its folder and ending."""


class SessionFormat(NamedTuple):
    """A format whose files are JSON Lines, known by a line."""

    knows: Callable[[Row], bool]
    read: Callable[[Rows], ForeignFile]


class SpanFormat(NamedTuple):
    """A way in which spans of a trace say what an agent did."""

    knows: Callable[[Sequence[Span]], bool]
    read: Callable[[Sequence[Span], str], ForeignFile]
    """Takes the spans of a file and what it is called, without its folder and ending."""


SESSIONS: Sequence[SessionFormat] = (
    SessionFormat(claude_code.knows, claude_code.read),
    SessionFormat(codex.knows, codex.read),
)
SPANS: Sequence[SpanFormat] = (
    SpanFormat(openinference.knows, openinference.read),
    SpanFormat(otel.knows, otel.read),
)
"""OpenInference first: its traces may have spans of OpenTelemetry's own among them."""
FORMATS: Sequence[RunFormat] = (
    RunFormat(atif.knows, atif.read),
    RunFormat(tau_bench.knows, tau_bench.read),
    RunFormat(swe_agent.knows, swe_agent.read),
    RunFormat(who_and_when.knows, who_and_when.read),
    RunFormat(codex.knows_items, codex.read_items),
)


def read_session(rows: Rows, stem: str) -> ForeignFile | None:
    """Return what JSON Lines hold if they are an agent's session or spans of one; else None.

    Recognised by one of the first `MOST_LOOKED_AT` rows. A session is read later, at each pass;
    spans are read here to the end, since a trace is over many lines. None as well for spans that
    name things by no known convention. `stem` is the file's name without its ending, for a trace
    without an id.
    """
    for row in islice(rows(), MOST_LOOKED_AT):
        for session_format in SESSIONS:
            if session_format.knows(row):
                return session_format.read(rows)
        if has_spans(row):
            spans: list[Span] = []
            for line in rows():
                spans += spans_in(line)
            return _of_spans(spans, stem)
    return None


def knows(document: object) -> bool:
    """Return whether a JSON document is a run of an agent, several runs, or spans of runs.

    Whether it can be read to its end is not checked.
    """
    if any(run_format.knows(document) for run_format in FORMATS):
        return True
    return has_spans(document) and _of_spans(list(spans_in(document)), "") is not None


def read(document: object, stem: str) -> ForeignFile | None:
    """Return what a JSON document of a run, runs or spans holds; None if it is of no known format.

    `stem` is the file's name without its ending, for a run without an id.
    """
    for run_format in FORMATS:
        if run_format.knows(document):
            return run_format.read(document, stem)
    return _of_spans(list(spans_in(document)), stem)


def _of_spans(spans: Sequence[Span], stem: str) -> ForeignFile | None:
    """Return the runs that spans tell, by the first convention that knows one of them; else None.

    `stem` names a trace without an id.
    """
    for span_format in SPANS:
        if span_format.knows(spans):
            return span_format.read(spans, stem)
    return None
