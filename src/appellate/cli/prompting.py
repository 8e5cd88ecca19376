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
    chosen,
    count_to_compute,
    meant,
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
from appellate.judging.estimate import Forecast, ModelEstimate, forecast, unshown
from appellate.judging.questions import PendingCells, left_out
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
    pending = meant(arguments, bench, choice)
    notes(unshown(pending, choice))
    if not arguments.dry_run:
        show_prompt(bench.workspace, pending, choice, as_json=arguments.json)
        return
    dry_run(bench.workspace, pending, choice, as_json=arguments.json)
    computed = count_to_compute(bench, choice, pending.cells)
    if computed:
        those = those_to_compute(arguments, bench.workspace, computed)
        say(f"Computing {those} would ask nobody.")
    rest = left_out(bench.workspace, choice)
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
    if as_json:
        totals = {
            "requests": found.requests,
            "tokens_in": found.tokens_in,
            "tokens_out": found.tokens_out,
        }
        show(json.dumps({**to_builtins(found), **totals, "cost": found.cost}))
    elif not choice.members:
        show(f"{many(found.cells, 'cell')}, {many(found.requests, 'request')}. Nothing was sent.")
        say(_SENDS_NOTHING.format(choice.name))
    elif found.cells:
        show("\n".join(_lines(found)))
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
    yield f"About {forecast.shared:.0%} of what is sent is in beginnings that prompts share."
    if forecast.sampled < forecast.cells:
        yield f"Counted in {forecast.sampled} of the prompts."


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
