"""Answers `judge --show-prompt` and `--dry-run`: what would be sent, and what it would cost.

Both work on a copy of the workspace and send nothing.
"""

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
    cells_to_judge,
    chosen_judge,
    count_to_compute,
    text_of_cells_to_compute,
    why_none_waits,
)
from appellate.cli.opening import audit_files_of
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
    missing_examples_warning,
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
    """Yield the options with a copy in place of the workspace, so that looking changes nothing.

    Their `workspace` is the path of the copy, in a temporary folder that is deleted after the
    block; nothing is there if there was no workspace yet. `arguments` stay as they are. Raises
    Unusable for a workspace that cannot be read.
    """
    workspace = audit_files_of(arguments).workspace
    with TemporaryDirectory(prefix="appellate-") as folder:
        copy = Path(folder, workspace.name)
        if is_begun(workspace):
            try:
                with (
                    reading(workspace) as source,
                    closing(sqlite3.connect(copy)) as target,
                ):
                    source.backup(target)
            except sqlite3.Error as error:
                wrong = f"cannot be read ({error})"
                raise unusable(str(workspace), wrong, "move it away") from error
        yield argparse.Namespace(**{**vars(arguments), "workspace": str(copy)})


def preview(arguments: argparse.Namespace, bench: Workbench) -> None:
    """Print the first prompt (--show-prompt), or with --dry-run what judging would take.

    It is printed on standard output, with --json as JSON. Standard error tells if --few-shot found
    no example, and without --dry-run also why there is no prompt: no cell waits, the judge sends
    nothing, or the trace cannot be asked about. With --dry-run it tells which cells need no model
    and which the judge leaves unjudged, and without --json that a judge sends nothing. No key is
    needed, nothing is sent and no round is begun.

    Raises Unusable for a judge that cannot be used, if the audit was judged by a model that is not
    named, and for a wrong --where. Raises Ended if printing fails.
    """
    lacking = ": say which one is meant, by --model or --judge"
    choice = chosen_judge(arguments, bench.workspace, sending=False, lacking=lacking)
    pending = cells_to_judge(arguments, bench, choice)
    notes(missing_examples_warning(pending, choice))
    if not arguments.dry_run:
        show_prompt(bench.workspace, pending, choice, as_json=arguments.json)
        return
    dry_run(bench.workspace, pending, choice, as_json=arguments.json)
    computed = count_to_compute(bench, choice, pending.cells)
    if computed:
        cells = text_of_cells_to_compute(arguments, bench.workspace, computed)
        say(f"Computing {cells} needs no model.")
    left_out = describe_left_out(bench.workspace, choice)
    # which labels came with the traces is known only once they are used
    if left_out and choice.name != "recorded":
        say(left_out)


# -- the prompt -----------------------------------------------------------------------------------


def show_prompt(
    workspace: Workspace,
    pending: PendingCells,
    choice: JudgeChoice,
    *,
    as_json: bool,
) -> None:
    """Print the first request about the next cell on standard output, for each model that gets it.

    Which cell it is is said on standard error. As text, requests that read the same are printed
    once, below the headings of all their models; with `as_json` the body for each model is a line
    of JSON. If the judge sends nothing, no cell waits, or the trace cannot be asked about, that is
    said on standard error and nothing is printed. Raises Ended if the output cannot be written.
    """
    if not choice.members:
        say(_SENDS_NOTHING.format(choice.name))
        return
    number = next(pending.numbers(), None)
    if number is None:
        say(_NONE_SENT.format(why_none_waits(workspace)))
        return
    question = pending.question(number)
    trace_name = name_of(*question.trace.key)
    cell_text = (
        f"Cell {number}, trace {trace_name}, trait {question.subject.trait.name}"
    )
    if question.briefing.examples:
        cell_text += f"; shown as examples: {', '.join(question.briefing.shown)}"
    say(f"{cell_text}. Nothing is sent.")
    try:
        prompt = next(question.dialogue())
    except Unreadable as error:
        say(f"No model is asked about it: {error.reason}")
        return

    headings_by_text: dict[str, list[str]] = {}
    for judge in choice.members:
        body = judge.request(prompt)
        if as_json:
            show(json.dumps(body))
        else:
            text = "\n".join(_body_lines(body))
            headings_by_text.setdefault(text, []).append(_request_heading(judge, body))
    if not as_json:
        lines: list[str] = []
        for text, headings in headings_by_text.items():
            lines.append("\n\n".join(dict.fromkeys(headings)))
            lines.append(text)
        show_lines(lines)


def _request_heading(judge: OpenAIJudge, body: Mapping[str, Any]) -> str:
    """Return "POST" and the address of a request, then a line "key = JSON" for each short
    parameter.

    Messages, and parameters that are tables or lists, are left out. No key is needed.
    """
    lines = [f"POST {access(judge.endpoint, keyless=True).url}{judge.path}"]
    for key, value in body.items():
        if _fits_in_a_line(key, value):
            lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join(lines)


def _body_lines(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield the messages of a request, then its parameters that are tables or lists as JSON.

    Each is preceded by an empty line and by its name, as "── user ──". A message is yielded as one
    text, which may hold line breaks. An empty line ends them.
    """
    for name, text in _messages(body):
        yield from ("", f"── {name} ──", text)
    for name, value in body.items():
        if name not in _MESSAGES and not _fits_in_a_line(name, value):
            yield from ("", f"── {name} ──", json.dumps(value, ensure_ascii=False))
    yield ""


def _fits_in_a_line(key: str, value: Any) -> bool:
    """Return whether a parameter of a request is shown on one line: its value is no table or list.

    Always False for the keys that hold the messages: messages, instructions and input.
    """
    return key not in _MESSAGES and not isinstance(value, dict | list)


def _messages(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the role and the text of each message of a request, of either API, in their order.

    The "instructions", if they are there and not empty, come first with that as their role. The
    role of an `input` that is a text is "input". Content that is no text is given as JSON on one
    line.
    """
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
    workspace: Workspace,
    pending: PendingCells,
    choice: JudgeChoice,
    *,
    as_json: bool,
) -> None:
    """Print on standard output how many requests judging takes, with their tokens and cost.

    They are those about the pending cells. All are estimates, and nothing is sent. With `as_json`
    it is always one object and nothing else: the totals `requests`, `tokens_in`, `tokens_out` and
    `cost`, the share in `shared` beginnings, `lengths`, and what was estimated for each model
    (`asked`). As text, control characters in names are made visible; only the counts are printed
    for a judge that sends nothing, which is said on standard error; and if no cell is left for a
    model, only that is printed. Raises Ended if the output cannot be written.
    """
    estimate = forecast(workspace, pending, choice)
    request_lengths = lengths(workspace, pending, estimate.asked)
    if as_json:
        table = to_builtins(estimate)
        table["requests"] = estimate.requests
        table["tokens_in"] = estimate.tokens_in
        table["tokens_out"] = estimate.tokens_out
        table["cost"] = estimate.cost
        table["shared"] = estimate.shared.total
        table["shared_by"] = to_builtins(estimate.shared)
        table["lengths"] = _lengths_table(request_lengths)
        show(json.dumps(table))
    elif not choice.members:
        amount = f"{many(estimate.cells, 'cell')}, {many(estimate.requests, 'request')}"
        show(f"{amount}. Nothing was sent.")
        say(_SENDS_NOTHING.format(choice.name))
    elif estimate.cells:
        lines = list(_forecast_lines(estimate))
        lines += _length_lines(estimate, request_lengths)
        show_lines(lines)
    else:
        show(_NONE_SENT.format(why_none_waits(workspace)))


def _forecast_lines(forecast: Forecast) -> Iterator[str]:
    """Yield the lines that say what judging takes, if a model is asked.

    They tell cells, requests and examples in each; tokens and cost of each model by its name and
    host, and of all together if there are several; that the cost is not known; the share of shared
    beginnings; how much is examples and how long the longest is, if there are any; and how many
    prompts were counted, if not all. Names are not escaped. Without a model (`forecast.asked` is
    empty) there must be no examples.
    """
    amount = f"{many(forecast.cells, 'cell')}, {many(forecast.requests, 'request')}"
    few, most = forecast.examples
    if few < most:
        amount += f" with {few} to {many(most, 'example')} each"
    elif most:
        amount += f" with {many(most, 'example')} each"
    yield f"{amount}. Nothing was sent."
    for model, times in Counter(forecast.asked).items():
        each = f" {times} times, each" if times > 1 else ""
        yield f"{model.model} at {model.host}{each}: {amounts(model)} ({_basis_of_replies(model)})"
    if len(forecast.asked) > 1:
        yield f"together: {amounts(forecast)}"
    if forecast.cost is None:
        yield (
            "The cost is not known: a profile in config.toml can say what a million tokens cost"
            " (prices)."
        )
    yield _shared_text(forecast.shared)
    examples = forecast.shown
    if examples.octets:
        tokens = forecast.asked[0].tokens(examples.octets)
        yield (
            f"Examples are about {examples.share:.0%} of what is sent; the longest,"
            f" {examples.longest}, is about {_thousands(tokens)} tokens."
        )
        if examples.has_conversations:
            yield "Of a conversation an example shows the steps with evidence and two around them."
    if forecast.sampled < forecast.cells:
        yield f"Counted in {forecast.sampled} of the prompts."


def _shared_text(shared: SharedPrefixes) -> str:
    """Return a sentence on which share of what is sent is in beginnings that several requests have.

    It names these beginnings, and gives the share of each if there are several. Those with less
    than half a percent are not named; without any other it tells only the total.
    """
    text = (
        f"About {shared.total:.0%} of what is sent is in beginnings that prompts share"
    )
    shares: list[tuple[float, str]] = []
    for share, name in (
        (shared.rules, "the rules"),
        (shared.traits, "what a trait asks of all traces"),
        (shared.traces, "a trace that several traits read"),
    ):
        if round(share, 2):
            shares.append((share, name))
    if len(shares) == 1:
        return f"{text}: {shares[0][1]}."
    if not shares:
        return f"{text}."
    names = ", ".join(f"{name} {share:.0%}" for share, name in shares)
    return f"{text}: {names}."


_NAMED = 5
"""Requests that are too long and are named."""
_SMALL = 4000
"""Tokens that any model takes: a shorter request is not too long for any."""


def _length_lines(forecast: Forecast, lengths: Lengths) -> Iterator[str]:
    """Yield sentences on the longest requests, and on those that are too long for a model.

    Nothing if no request was measured. For each model whose context is known it is said which
    requests do not fit, or that all do. The others are named if the longest request has more than
    `_SMALL` tokens. The last says if only the requests about the longest traces were measured.
    Names are not escaped.
    """
    if not lengths.longest:
        return
    first = forecast.asked[0]
    longest = ", ".join(_request_text(request, first) for request in lengths.longest)
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
    """Return a sentence on which of the `measured` requests do not fit into a model's context.

    A request must fit together with its reply. The first `_NAMED` are named, and the others
    counted; if there is none, it says that all fit. The context of the model is known, as of every
    model in `Lengths.too_long`. Names are not escaped.
    """
    model = too_long.asked
    fits = f"{model.model}'s context of {model.context:,} tokens"
    requests = too_long.requests
    if not requests:
        return f"All fit into {fits}."
    names = [_request_text(request, model) for request in requests[:_NAMED]]
    if len(requests) > _NAMED:
        names.append(f"and {len(requests) - _NAMED:,} more")
    count = f"{len(requests):,} of {many(measured, 'request')}"
    do = "do" if len(requests) > 1 else "does"
    return f"{count} {do} not fit into {fits}, with the reply, and would fail: {', '.join(names)}."


def _request_text(request: RequestLength, model: ModelEstimate) -> str:
    """Return trace, trait and length of a request, as "a1 · Accuracy (about 1,200 tokens)".

    The tokens are those of `model`. Names are as they are, neither in quotes nor escaped.
    """
    tokens = _thousands(model.tokens(request.octets))
    return f"{request.trace} · {request.trait} (about {tokens} tokens)"


def _lengths_table(lengths: Lengths) -> dict[str, Any]:
    """Return the lengths of requests as the object that --json prints.

    `measured` is how many requests were measured, and `longest` lists the few longest of
    them. Each has cell, trace, trait, octets (bytes) and usual, the tokens that a reply
    usually takes. `too_long` lists each model whose context is known, with model, host,
    context and requests: all that are too long for it, the longest first. Each of these has
    `tokens` as well, its own for that model.
    """
    too_long = []
    for requests_of_model in lengths.too_long:
        model = requests_of_model.asked
        too_long.append(
            {
                "model": model.model,
                "host": model.host,
                "context": model.context,
                "requests": [
                    _length_row(request, model)
                    for request in requests_of_model.requests
                ],
            },
        )
    longest = [to_builtins(request) for request in lengths.longest]
    return {"measured": lengths.measured, "longest": longest, "too_long": too_long}


def _length_row(request: RequestLength, model: ModelEstimate) -> dict[str, Any]:
    return {**to_builtins(request), "tokens": model.tokens(request.octets)}


def amounts(estimate: ModelEstimate | Forecast) -> str:
    """Return the estimated tokens and cost as "about 1,230 tokens in, 400 out, cost about 0.46".

    The cost is left out if it is not known. Tokens have three digits that are not 0, and the cost
    two decimals, without a currency.
    """
    tokens_in = _thousands(estimate.tokens_in)
    text = f"about {tokens_in} tokens in, {_thousands(estimate.tokens_out)} out"
    if estimate.cost is None:
        return text
    return f"{text}, cost about {estimate.cost:.2f}"


def _thousands(tokens: int) -> str:
    """Return a number of tokens with commas, rounded to three digits that are not 0: `12,300`."""
    return f"{round(tokens, 3 - len(str(tokens))):,}"


def _basis_of_replies(model: ModelEstimate) -> str:
    """Return a clause on what the estimate of a model's replies is based on.

    It is "going by 3 judgments of it here", of this audit. Without any it says that what the model
    may think is left out.
    """
    if not model.learnt:
        return "without what the model may think before it answers"
    return f"going by {many(model.learnt, 'judgment')} of it here"
