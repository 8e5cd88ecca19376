"""`judge --show-prompt` and `--dry-run`: what would be sent, and what it would take."""

import argparse
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import to_builtins

from appellate.cli.judge_options import (
    ahead,
    chosen,
    count_to_compute,
    none_waits,
    those_to_compute,
)
from appellate.cli.opening import place_of
from appellate.cli.outcome import notes, say, show, show_lines
from appellate.core.problem import many
from appellate.core.trace import name_of
from appellate.judges.endpoint import access
from appellate.judges.openai import OpenAIJudge
from appellate.judging.choice import JudgeChoice
from appellate.judging.estimate import (
    Forecast,
    Lengths,
    ModelEstimate,
    RequestLength,
    SharedPrefixes,
    TooLong,
    forecast,
    lengths,
    unshown,
)
from appellate.judging.questions import PendingCells, describe_left_out
from appellate.session.workbench import Workbench
from appellate.store.database import is_begun, reading
from appellate.store.files.text_file import unusable
from appellate.store.workspace import Workspace
from appellate.talk.dialogue import Unreadable

_MESSAGES = ("messages", "instructions", "input")
_SENDS_NOTHING = "The judge {} sends nothing: it has no prompt."
_NONE_SENT = "{}: nothing would be sent."


@contextmanager
def on_a_copy(arguments: argparse.Namespace) -> Iterator[argparse.Namespace]:
    """The command line about a copy of its workspace: looking changes nothing."""
    workspace = place_of(arguments).workspace
    with TemporaryDirectory(prefix="appellate-") as folder:
        copy = Path(folder, workspace.name)
        if is_begun(workspace):
            try:
                with reading(workspace) as now, closing(sqlite3.connect(copy)) as there:
                    now.backup(there)
            except sqlite3.Error as error:
                wrong = f"cannot be read ({error})"
                raise unusable(str(workspace), wrong, "move it away") from error
        yield argparse.Namespace(**{**vars(arguments), "workspace": str(copy)})


def preview(arguments: argparse.Namespace, bench: Workbench) -> None:
    """Answers --show-prompt or --dry-run: no key is looked for, no round is begun."""
    lacking = ": say which one is meant, by --model or --judge"
    choice = chosen(arguments, bench.workspace, sending=False, lacking=lacking)
    pending = ahead(arguments, bench, choice)
    notes(unshown(pending, choice))
    if not arguments.dry_run:
        show_prompt(bench.workspace, pending, choice, as_json=arguments.json)
        return
    dry_run(bench.workspace, pending, choice, as_json=arguments.json)
    computed = count_to_compute(bench, choice, pending.cells)
    if computed:
        those = those_to_compute(arguments, bench.workspace, computed)
        say(f"Computing {those} would ask nobody.")
    rest = describe_left_out(bench.workspace, choice)
    if rest and choice.name != "recorded":  # which labels came is known once they are taken
        say(rest)


# -- the prompt -----------------------------------------------------------------------------------


def show_prompt(
    workspace: Workspace, pending: PendingCells, choice: JudgeChoice, *, as_json: bool
) -> None:
    """Prints the first request about the next cell, to each model that would get it."""
    if not choice.members:
        say(_SENDS_NOTHING.format(choice.name))
        return
    number = next(pending.numbers(), None)
    if number is None:
        say(_NONE_SENT.format(none_waits(workspace)))
        return
    question = pending.question(number)
    wording = (
        f"Cell {number}, trace {name_of(*question.trace.key)}, trait {question.subject.trait.name}"
    )
    if question.briefing.examples:
        wording += f"; shown as examples: {', '.join(question.briefing.shown)}"
    say(f"{wording}. Nothing is sent.")
    # by the text below: what several are asked alike is shown once
    heads: dict[str, list[str]] = {}
    try:
        prompt = next(question.dialogue())
    except Unreadable as nothing:
        say(f"No model is asked about it: {nothing.reason}")
        return
    for judge in choice.members:
        body = judge.request(prompt)
        if as_json:
            show(json.dumps(body))
        else:
            heads.setdefault("\n".join(_text(body)), []).append(_head(judge, body))
    if not as_json:
        parts: list[str] = []
        for text, asked in heads.items():
            parts += "\n\n".join(dict.fromkeys(asked)), text
        show_lines(parts)


def _head(judge: OpenAIJudge, body: Mapping[str, Any]) -> str:
    """Where a request goes, and the parameters that are not long."""
    lines = [f"POST {access(judge.endpoint, keyless=True).url}{judge.path}"]
    for key, value in body.items():
        if _is_short(key, value):
            lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join(lines)


def _text(body: Mapping[str, Any]) -> Iterator[str]:
    """The messages of a request, and its format."""
    for name, text in _texts(body):
        yield from ("", f"── {name} ──", text)
    for name, value in body.items():
        if name not in _MESSAGES and not _is_short(name, value):
            yield from ("", f"── {name} ──", json.dumps(value, ensure_ascii=False))
    yield ""


def _is_short(key: str, value: Any) -> bool:
    return key not in _MESSAGES and not isinstance(value, dict | list)


def _texts(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if body.get("instructions"):
        yield "instructions", body["instructions"]
    messages = body.get("messages", body.get("input", ()))
    if isinstance(messages, str):
        messages = [{"role": "input", "content": messages}]
    for message in messages:
        content = message["content"]
        if not isinstance(content, str):
            content = json.dumps(content, ensure_ascii=False)
        yield message["role"], content


# -- what it takes --------------------------------------------------------------------------------


def dry_run(
    workspace: Workspace, pending: PendingCells, choice: JudgeChoice, *, as_json: bool
) -> None:
    """Prints what judging pending cells would take."""
    found = forecast(workspace, pending, choice)
    long = lengths(workspace, pending, found.asked)
    if as_json:
        totals = {
            "requests": found.requests,
            "tokens_in": found.tokens_in,
            "tokens_out": found.tokens_out,
        }
        more = {"shared": found.shared.total, "shared_by": to_builtins(found.shared)}
        more["lengths"] = _lengths_table(long)
        show(json.dumps({**to_builtins(found), **totals, "cost": found.cost, **more}))
    elif not choice.members:
        show(f"{many(found.cells, 'cell')}, {many(found.requests, 'request')}. Nothing was sent.")
        say(_SENDS_NOTHING.format(choice.name))
    elif found.cells:
        show("\n".join([*_lines(found), *_length_lines(found, long)]))
    else:
        show(_NONE_SENT.format(none_waits(workspace)))


def _lines(forecast: Forecast) -> Iterator[str]:
    amount = f"{many(forecast.cells, 'cell')}, {many(forecast.requests, 'request')}"
    few, most = forecast.examples
    if few < most:
        amount += f" with {few} to {many(most, 'example')} each"
    elif most:
        amount += f" with {many(most, 'example')} each"
    yield f"{amount}. Nothing was sent."
    for one, times in Counter(forecast.asked).items():
        each = f" {times} times, each" if times > 1 else ""
        yield f"{one.model} at {one.host}{each}: {amounts(one)} ({_source(one)})"
    if len(forecast.asked) > 1:
        yield f"together: {amounts(forecast)}"
    if forecast.cost is None:
        yield (
            "The cost is not known: a profile in config.toml can say what a million tokens cost"
            " (prices)."
        )
    yield _shared_text(forecast.shared)
    yield from _example_lines(forecast)
    if forecast.sampled < forecast.cells:
        yield f"Counted in {forecast.sampled} of the prompts."


def _shared_text(shared: SharedPrefixes) -> str:
    """What share of requests is in common beginnings, and with which requests."""
    text = f"About {shared.total:.0%} of what is sent is in beginnings that prompts share"
    parts: list[tuple[float, str]] = []
    for share, name in (
        (shared.rules, "the rules"),
        (shared.traits, "what a trait asks of all traces"),
        (shared.traces, "a trace that several traits read"),
    ):
        if round(share, 2):
            parts.append((share, name))
    if len(parts) == 1:
        return f"{text}: {parts[0][1]}."
    if not parts:
        return f"{text}."
    return f"{text}: {', '.join(f'{name} {share:.0%}' for share, name in parts)}."


def _example_lines(forecast: Forecast) -> Iterator[str]:
    shown = forecast.shown
    if not shown.octets:
        return
    tokens = forecast.asked[0].tokens(shown.octets)
    yield (
        f"Examples are about {shown.share:.0%} of what is sent; the longest, {shown.longest},"
        f" is about {_thousands(tokens)} tokens."
    )
    if shown.has_conversations:
        yield "Of a conversation an example shows the steps with evidence and two around them."


_NAMED = 5
"""So many requests that are too long are named."""
_SMALL = 4000
"""Tokens that any model takes: a shorter request is too long for none."""


def _length_lines(forecast: Forecast, lengths: Lengths) -> Iterator[str]:
    """The longest requests, and those that are too long for a model."""
    if not lengths.longest:
        return
    first = forecast.asked[0]
    longest = ", ".join(_named(request, first) for request in lengths.longest)
    yield f"The longest requests: {longest}."
    for too_long in lengths.too_long:
        yield _too_long_text(too_long, lengths.measured)
    unknown = [model.model for model in forecast.asked if model.context is None]
    if unknown and first.tokens(lengths.longest[0].octets) > _SMALL:
        names = ", ".join(dict.fromkeys(unknown))
        yield f"How much {names} takes is not known: a profile in config.toml can say it (context)."
    if lengths.measured < forecast.cells:
        yield f"Lengths are of the {lengths.measured:,} requests about the longest traces."


def _too_long_text(too_long: TooLong, measured: int) -> str:
    model = too_long.asked
    fits = f"{model.model}'s context of {model.context:,} tokens"
    requests = too_long.requests
    if not requests:
        return f"All fit into {fits}."
    names = [_named(request, model) for request in requests[:_NAMED]]
    if len(requests) > _NAMED:
        names.append(f"and {len(requests) - _NAMED:,} more")
    count = f"{len(requests):,} of {many(measured, 'request')}"
    do = "do" if len(requests) > 1 else "does"
    return f"{count} {do} not fit into {fits}, with the reply, and would fail: {', '.join(names)}."


def _named(request: RequestLength, model: ModelEstimate) -> str:
    tokens = _thousands(model.tokens(request.octets))
    return f"{request.trace} · {request.trait} (about {tokens} tokens)"


def _lengths_table(lengths: Lengths) -> dict[str, Any]:
    """The lengths as `--json` has them; of requests that are too long, all."""
    too_long = []
    for found in lengths.too_long:
        rows = [_length_row(request, found.asked) for request in found.requests]
        of = {"model": found.asked.model, "host": found.asked.host, "context": found.asked.context}
        too_long.append({**of, "requests": rows})
    longest = [to_builtins(request) for request in lengths.longest]
    return {"measured": lengths.measured, "longest": longest, "too_long": too_long}


def _length_row(request: RequestLength, model: ModelEstimate) -> dict[str, Any]:
    return {**to_builtins(request), "tokens": model.tokens(request.octets)}


def amounts(of: ModelEstimate | Forecast) -> str:
    """Tokens and cost, about."""
    text = f"about {_thousands(of.tokens_in)} tokens in, {_thousands(of.tokens_out)} out"
    if of.cost is None:
        return text
    return f"{text}, cost about {of.cost:.2f}"


def _thousands(tokens: int) -> str:
    """Three digits, as exact as an estimate is."""
    return f"{round(tokens, 3 - len(str(tokens))):,}"


def _source(one: ModelEstimate) -> str:
    if not one.learnt:
        return "without what the model may think first"
    return f"going by {many(one.learnt, 'judgment')} of it here"
