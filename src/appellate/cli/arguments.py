"""The command line: every command, its arguments and what they mean."""

import argparse
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from appellate.cli.outcome import show
from appellate.installed import plugin_names, running
from appellate.interop import FORMATS
from appellate.manual import PAGE_OF_COMMAND

MOST_PORTS = 65535
_DIGITS = 10
LESSER = "more"
"""The group whose commands are only named, so that the help fits a screen of 24 rows."""
DESCRIPTION = "Check an LLM judge item by item, in a terminal. Begin with: appellate demo"
OLD_NAMES = {"again": "second-pass", "sentinels": "plant"}
"""What commands were called once, and can still be called."""


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """What a command line says."""
    given, *rest = arguments
    name = OLD_NAMES.get(given, given)
    return parser(*{name} & PAGE_OF_COMMAND.keys()).parse_args([name, *rest])


def parser(*only: str) -> argparse.ArgumentParser:
    """The whole command line, or with these commands alone."""
    root = _CommandLine(
        prog="appellate",
        usage="appellate [--version] [--help] COMMAND [--help] …",
        description=DESCRIPTION,
        allow_abbrev=False,
    )
    root.add_argument("--version", action=_Version, nargs=0, help="show the version and leave")
    commands = root.add_subparsers(
        dest="command",
        metavar="COMMAND",
        prog="appellate",
        required=True,
        parser_class=_Command,
    )
    for name, (_, text, describe) in _COMMANDS.items():
        if only and name not in only:
            continue
        command = commands.add_parser(
            name,
            help=text,
            description=text,
            epilog=f"more: appellate help {PAGE_OF_COMMAND[name]}",
            allow_abbrev=False,
        )
        describe(command)
    return root


class _CommandLine(argparse.ArgumentParser):
    def format_help(self) -> str:
        """Every command in its group, a line each, which argparse has no way to say."""
        lines, lesser, title = [], [], ""
        for name, (group, text, _) in _COMMANDS.items():
            if group == LESSER:
                lesser.append(name)
                continue
            head = ""
            if group != title:
                head = title = group
            lines.append(f"{head:9}{name:13}{text}")
        lines.append(f"{LESSER:9}{', '.join(lesser)}")
        return "\n".join([self.format_usage(), f"{self.description}\n", *lines, ""])


class _Command(argparse.ArgumentParser):
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuses what a command does not know with its own usage, not that of all commands."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        show(f"appellate {running()}")
        parser.exit()


Options = argparse.ArgumentParser | argparse._ArgumentGroup  # noqa: SLF001 - what takes options
Describe = Callable[[argparse.ArgumentParser], None]


_COMMANDS: dict[str, tuple[str, str, Describe]] = {}
"""Of each its group, what it does, and what describes its arguments."""
_BATCH = "batch"
_ACTIONS: dict[str, tuple[str, str, Describe]] = {}
"""The same of what `batch` does."""


def _command(group: str, name: str, text: str) -> Callable[[Describe], Describe]:
    """Makes a command, or an action of `batch`, of what describes its arguments."""
    table = _COMMANDS
    if group == _BATCH:
        table = _ACTIONS

    def known(describe: Describe) -> Describe:
        table[name] = group, text, describe
        return describe

    return known


def _add(to: Options, names: str, text: str, **more: Any) -> None:
    """An argument by its names and what stands for its value, as in `-o --output FILE`; an option
    by its names alone is a flag.
    """
    *flags, last = names.split()
    if not last.startswith("-"):
        more["metavar"] = last
    else:
        flags.append(last)
        if "choices" not in more:
            more.setdefault("action", "store_true")
    to.add_argument(*flags, help=text, **more)


# -- what values may be ----------------------------------------------------------------------------


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_PORTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to {MOST_PORTS}")
    return int(text)


def _words(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("there are no words in it")
    return text.strip()


def _seed(text: str) -> int:
    if not text.isdecimal() or len(text) > _DIGITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at most ten digits")
    return int(text)


def _half_width(text: str) -> float:
    try:
        half = float(text)
    except ValueError:
        half = 0.0
    if not 0 < half < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0, as 0.04")
    return half


def file_name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("names no file")
    return text


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


# -- what several commands take --------------------------------------------------------------------


def _audit_file(command: argparse.ArgumentParser) -> None:
    _add(command, "audit AUDIT", "an audit file")


def _where_kept(command: argparse.ArgumentParser, **more: Any) -> None:
    _add(command, "--workspace PATH", "the working file (default: beside the audit)", **more)
    text = "which to go on with when both were changed"
    _add(command, "--take", text, choices=("file", "workspace"))


def _audit(command: argparse.ArgumentParser) -> None:
    _audit_file(command)
    _where_kept(command, type=file_name)


def _paths(command: argparse.ArgumentParser, nargs: str = "+", audit: str = "-o --audit") -> None:
    _add(
        command,
        "paths FILE",
        "RUBRIC TRACES…, one AUDIT to go on with, or another tool's FILE (promptfoo, Inspect,"
        " CSV, …); - reads JSON Lines from standard input",
        nargs=nargs,
    )
    text = "the audit file (default: first traces' name + .audit.toml, here)"
    _add(command, f"{audit} AUDIT", text, type=file_name)
    _where_kept(command)
    _add(command, "--skip-bad", "leave bad traces out instead of refusing")
    text = "of a table: which column is the response, id, question, verdict.NAME, …"
    _add(command, "--map FIELD=COLUMN", text, action="append")


def _lines(command: argparse.ArgumentParser) -> None:
    text = "line by line, for screen readers, slow lines and pipes: no screen is drawn"
    _add(command, "--lines", text)


def _revise(command: argparse.ArgumentParser) -> None:
    _add(command, "--revise RUBRIC", "with AUDIT: take this rubric in place of the audit's")


def _judge_options(command: argparse.ArgumentParser, *, code: bool = True) -> None:
    group = command.add_argument_group("the judge")
    _add(
        group,
        "--judge NAME",
        "openai, lexical, recorded or a profile of config.toml; several make a panel"
        " (default: openai with --model, else recorded labels, else lexical)",
        action="append",
    )
    text = "the model to ask, by sending requests; several make a panel"
    _add(group, "--model MODEL", text, action="append")
    _add(group, "--times N", "ask each model N times: a panel of one", type=positive)
    _request_options(group)
    _add(group, "--concurrency N", "requests at once, at most (8)", type=positive)
    _add(group, "--rpm N", "requests per minute, at most", type=positive)
    _add(group, "--tpm N", "tokens per minute, at most", type=positive)
    _add(group, "--timeout S", "seconds for a request (120)", type=positive)
    text = "how long a server may answer nobody, as 90s or 2h, before it is given up (10m)"
    _add(group, "--patience TIME", text)
    _add(group, "--cache FILE", "keep replies in this shared file (default: the workspace)")
    _add(group, "--no-cache", "ask again what was asked before")
    if code:
        text = "run the functions that callable traits name, which are the rubric's code"
        _add(group, "--allow-code", text)


def _batch_options(command: argparse.ArgumentParser) -> None:
    """Of a batch: one model a file, and no pace of our own."""
    group = command.add_argument_group("the judge")
    _add(group, "--judge NAME", "a profile of config.toml", action="append")
    _add(group, "--model MODEL", "the model to ask", action="append")
    _request_options(group)
    _again(command.add_argument_group("what is judged"))


def _again(group: argparse._ArgumentGroup) -> None:
    _add(group, "--again", "judge what is judged already, in a new round")
    _add(group, "--where QUERY", "with --again: only the cells that a query finds")


def _request_options(group: argparse._ArgumentGroup) -> None:
    _add(group, "--base-url URL", "any OpenAI-compatible endpoint")
    _add(
        group,
        "--api-key-env NAME",
        "the environment variable with the key (OPENAI_API_KEY, which goes to OpenAI's server"
        " alone: another --base-url takes a name here, or no key)",
    )
    _add(group, "--prompt FILE", "a prompt template (TOML) in place of the shipped one")
    _add(group, "--few-shot K", "show the model K signed cells of other traces", type=positive)


def _reviewer(command: argparse.ArgumentParser) -> None:
    _add(command, "--reviewer NAME", "who reviews (default: APPELLATE_REVIEWER, git, login)")


def _screen_options(command: argparse.ArgumentParser) -> None:
    """The settings of the screen.

    Each left out is None, so that the environment and config.toml are asked.
    """
    group = command.add_argument_group(
        "the screen", "saved for good with `appellate config KEY VALUE`"
    )
    _add(group, "--theme NAME", "a bundled theme or one of your themes folder")
    _add(group, "--keymap KEYS", "your keys: a preset (azerty) or a file")
    _add(group, "--view VIEW", "buckets or checklist")
    _add(group, "--markdown FACE", "rendered or raw")
    _add(group, "--order ORDER", "of the queue: loaded, unreviewed, failed, lowest, random…")
    _add(group, "--seed N", "which random order", type=int)
    for name, text in (
        ("--ascii", "marks of plain ASCII"),
        ("--plain", "for screen readers and slow lines: one column, no frames"),
        ("--reduced-motion", "nothing moves or blinks"),
        ("--mouse", "listen to the mouse, or leave it to the terminal"),
    ):
        _add(group, name, text, action=argparse.BooleanOptionalAction, default=None)


def _grouped(command: argparse.ArgumentParser) -> None:
    text = "also by group: model, question, cluster, epoch, or meta.KEY of the metadata"
    _add(command, "--by WHAT", text)
    _add(
        command,
        "--reducer NAME",
        "how epochs become one value: mean (the default), median, mode, max, majority,"
        " at_least_2, pass_at_2, pass_k_2 (from a value on: pass_at_2>=0.5); again for several",
        action="append",
    )


# -- to start --------------------------------------------------------------------------------------


@_command("start", "demo", "Try it on a copy of the samples: no key, no network.")
def _demo(command: argparse.ArgumentParser) -> None:
    _add(command, "--folder DIR", "keep the demo there (default: a temporary folder)")
    _add(command, "--tour", "be walked through one correction")
    _lines(command)
    _reviewer(command)
    _screen_options(command)


@_command("start", "review", "Review an audit: a new one, or one you began.")
def _review(command: argparse.ArgumentParser) -> None:
    _paths(command)
    _add(command, "--at ID[/TRAIT]", "open on this cell: bcl2-2, bcl2-2#2/Accuracy, …")
    _lines(command)
    _revise(command)
    _judge_options(command)
    _reviewer(command)
    _screen_options(command)


@_command("start", "import", "Make an audit of another tool's file.")
def _import(command: argparse.ArgumentParser) -> None:
    _paths(command)
    _add(command, "--dry-run", "say what was recognised; write nothing")


@_command("start", "new", "Write a rubric from criteria in words.")
def _new(command: argparse.ArgumentParser) -> None:
    _add(command, "folder FOLDER", "where rubric and traces are written", type=file_name)
    _add(command, "--name NAME", "the rubric's name (default: the folder's)")
    text = "what a good answer states: one a line (- of input), or CSV (FILE:COLUMN of several)"
    _add(command, "--criteria FILE", text)
    _add(command, "--criterion TEXT", "one of them (again for several)", action="append")
    _add(command, "--avoid TEXT", "what it must not state (again)", action="append")
    _add(command, "--questions FILE", "what is asked, as --criteria has its texts")
    _add(command, "--question TEXT", "one of them (again for several)", action="append")


# -- to judge --------------------------------------------------------------------------------------


@_command("judge", "judge", "Ask a judge about every cell without an answer.")
def _judge(command: argparse.ArgumentParser) -> None:
    _paths(command)
    _revise(command)
    _judge_options(command)
    group = command.add_argument_group("what is judged, and how it is shown")
    _again(group)
    _add(group, "--show-prompt", "print what would be sent for the next cell")
    _add(group, "--dry-run", "count cells, tokens and cost; send nothing")
    _add(group, "--json", "progress and result as JSON Lines on standard output")


@_command("judge", _BATCH, "Judge through a batch engine or a Batch API.")
def _batch(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (_, text, describe) in _ACTIONS.items():
        action = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        describe(action)


@_command(
    _BATCH,
    "export",
    "Write the missing cells as files of requests for a batch engine: no key, no network.",
)
def _batch_export(command: argparse.ArgumentParser) -> None:
    _paths(command, audit="--audit")
    text = "the file of requests (JSON Lines)"
    _add(command, "-o --output FILE", text, type=file_name, required=True)
    shapes = ("openai", "anthropic")
    _add(command, "--shape", "for whom (openai)", choices=shapes, default="openai")
    _batch_options(command)


@_command(
    _BATCH, "import", "Take in what a batch engine answered, in any order and as often as you like."
)
def _batch_import(command: argparse.ArgumentParser) -> None:
    _audit(command)
    text = "result and error files, or folders of them, in any order"
    _add(command, "files FILE", text, nargs="+")


@_command(_BATCH, "run", "Answer a file of requests on Ray or Daft, and go on where that stopped.")
def _batch_run(command: argparse.ArgumentParser) -> None:
    _job(command)
    _add(command, "--engine", "what runs the workers", choices=("ray", "daft"), required=True)
    text = "the environment variable with the endpoint's key (default: no key is sent)"
    _add(command, "--api-key-env NAME", text)


@_command(_BATCH, "job", "Print the script that does so, for whoever submits it.")
def _batch_job(command: argparse.ArgumentParser) -> None:
    _job(command)
    engines = ("vllm", "slurm", "ray", "daft")
    _add(command, "--for", "for which engine", dest="engine", choices=engines, required=True)


def _job(command: argparse.ArgumentParser) -> None:
    _add(command, "requests REQUESTS", "a file of `batch export`")
    _add(command, "-o --output FOLDER", "the answers' folder", type=file_name, required=True)
    _add(
        command,
        "--base-url URL",
        "any OpenAI-compatible endpoint, as the workers see it (http://localhost:8000/v1)",
        default="http://localhost:8000/v1",
    )
    _add(command, "--address ADDRESS", "of a Ray cluster", default="")
    _add(command, "--workers N", "so many (2)", type=positive, default=2)
    _add(command, "--concurrency N", "requests of a worker at once (16)", type=positive, default=16)
    _add(command, "--timeout S", "seconds for a request (600)", type=positive, default=600)


@_command(_BATCH, "submit", "Upload the missing cells to a server's Batch API.")
def _batch_submit(command: argparse.ArgumentParser) -> None:
    _audit(command)
    _batch_options(command)


_command(_BATCH, "status", "Say how far the submitted batches are.")(_audit)
_command(_BATCH, "fetch", "Download what ended and take it in.")(_audit)


@_command("judge", "check", "Find every problem of rubrics, traces and audits.")
def _check(command: argparse.ArgumentParser) -> None:
    text = "a rubric, traces (held against it), an audit, another tool's; - is standard input"
    _add(command, "files FILE", text, nargs="+")
    _add(command, "--lint", "say what makes the rubric weak, and exit 1 if anything")


@_command("judge", "probe", "Ask the judge in other ways: do its answers stay?")
def _probe(command: argparse.ArgumentParser) -> None:
    _audit(command)
    group = command.add_argument_group("what is asked")
    _add(
        group,
        "--probe",
        "one probe; again for several (default: all of them)",
        action="append",
        choices=("order", "again", "padding", "evidence", "negated", "single"),
    )
    text = "how many traces, drawn at random; all their cells are asked about (20)"
    _add(group, "-n --traces N", text, type=positive, default=20)
    _add(group, "--seed N", "which random traces (0)", type=int, default=0)
    text = "words that say nothing, in your language (default: English)"
    _add(group, "--padding TEXT", text, type=_words)
    text = "words before an instruction that ask for its contrary (default: English)"
    _add(group, "--contrary TEXT", text, type=_words)
    _add(group, "--yes", "send requests without being asked first")
    _add(group, "--json", "as JSON (appellate-probes/1)")
    batch = command.add_argument_group("by a batch engine, file after file")
    ways = batch.add_mutually_exclusive_group()
    text = "write the open requests there, if there are any; nothing is sent"
    _add(ways, "--batch FILE", text)
    text = "send the open requests to the server's Batch API; `batch fetch` has the answers"
    _add(ways, "--submit", text)
    text = "first take in what the engine answered to --batch; again for several files"
    _add(batch, "--answers FILE", text, action="append")
    _judge_options(command, code=False)


# -- numbers ---------------------------------------------------------------------------------------


@_command("numbers", "metrics", "Show the numbers of an audit.")
def _metrics(command: argparse.ArgumentParser) -> None:
    _audit_file(command)
    _grouped(command)
    form = command.add_mutually_exclusive_group()
    _add(form, "--json", "as JSON (appellate-metrics/2)")
    _add(form, "--csv", "as CSV: a row for each metric and side")


@_command("numbers", "sample", "Draw traces at random, to be ruled on blind.")
def _sample(command: argparse.ArgumentParser) -> None:
    _audit(command)
    group = command.add_argument_group("what is drawn (nothing: says what the sample is)")
    size = group.add_mutually_exclusive_group()
    _add(size, "-n N", "draw N traces at random", type=positive)
    _add(size, "--add N", "draw N more into the sample, by its design", type=positive)
    text = "draw nothing: say how many audits give an interval of ± H (0.04)"
    _add(size, "--power H", text, type=_half_width)
    text = "take the sample back, while nothing in it is ruled on; the log keeps what it was"
    _add(size, "--withdraw", text)
    text = "what all chance comes from: the same, the same (1)"
    _add(group, "--seed N", text, type=_seed)
    _add(
        group,
        "--by WHAT",
        "so many of each model, question or meta.KEY of the metadata (again: of each"
        " combination), or most where the members of a panel disagree: disagreement",
        action="append",
    )
    text = "chances that go by the panel's disagreement, half of each the same for all"
    _add(group, "--active", text)
    text = "show the judge's labels from the start, in place of hiding them until one has ruled"
    _add(group, "--sighted", text)
    _reviewer(command)


@_command("numbers", "gate", "Test on the sample whether the judge reaches a bar.")
def _gate(command: argparse.ArgumentParser) -> None:
    _audit(command)
    _add(
        command,
        "bars BAR",
        "on what people would say of the responses: f1>=.8 of all traits together,"
        " TRAIT:f1>=.8 of one, <= for at most; on the judge: judge.kappa>=.6, judge.agreement,"
        " judge.sensitivity, judge.precision, judge.bias; exits with 0 (reached), 1 (not reached)"
        " or 3 (undecided), of several bars with the worst",
        nargs="+",
    )
    text = "plan looks after so many audits (40,60,80), before the first verdict"
    _add(command, "--plan N,N…", text)
    _add(command, "--json", "as JSON (appellate-gate/1)")
    _reviewer(command)


@_command("numbers", "compare", "Compare two reviewers; a third may decide.")
def _compare(command: argparse.ArgumentParser) -> None:
    _add(command, "one A", "the audit of one reviewer")
    _add(command, "other B", "another reviewer's audit of the same rubric and traces")
    _add(command, "--json", "as JSON (appellate-compare/1)")
    text = "a third reviewer's audit of the same, for the alternative annotator test"
    _add(command, "--third C", text)
    _add(
        command,
        "--epsilon E",
        "what it is worth that a judge is cheap: .2 beside experts (default), .15 beside"
        " skilled people, .1 beside hired ones",
        type=float,
        default=0.2,
    )
    group = command.add_argument_group("ruling on what they differ in")
    _add(
        group,
        "--adjudicate",
        "make an audit of both, where a third rules on what differs without knowing whose"
        " labels they are, and open it",
    )
    _add(group, "-o --output AUDIT", "with --adjudicate: the third audit", type=file_name)
    _add(group, "--shuffle N", "shuffles whose labels are shown first (a seed)", type=int)
    _lines(command)
    _reviewer(command)
    _screen_options(command)


@_command("numbers", "report", "Make a report to send: numbers and corrections.")
def _report(command: argparse.ArgumentParser) -> None:
    _audit_file(command)
    text = "the form (default: by the ending of -o, else md)"
    _add(command, "--format", text, choices=("md", "html", "json", "csv"))
    _add(command, "-o --output FILE", "write it there (default: standard output)", type=file_name)
    _add(command, "--force", "write over a file that is no report")
    _grouped(command)


@_command("numbers", "log", "List what people changed in an audit.")
def _log(command: argparse.ArgumentParser) -> None:
    _audit_file(command)
    _add(command, "--today", "only what was done today")


@_command("numbers", "export", "Give what people ruled back to another tool.")
def _export(command: argparse.ArgumentParser) -> None:
    _audit_file(command)
    forms = ("rows", "csv", "inspect", "promptfoo", "karenina", *sorted(plugin_names(FORMATS)))
    _add(command, "--to", "for which tool", choices=forms, required=True)
    tools = ("langfuse", "phoenix", "mlflow", "langsmith")
    text = "with --to rows: in the names of this tool (default: OpenTelemetry's)"
    _add(command, "--as", text, dest="form", choices=tools)
    _add(command, "--source FILE", "the file that was imported, of which a copy is written")
    text = "write it there; for csv a folder (default: standard output)"
    _add(command, "-o --output FILE", text, type=file_name)


# -- more ------------------------------------------------------------------------------------------


@_command(LESSER, "second-pass", "Rule again, blind, on a tenth of what you signed off.")
def _second_pass(command: argparse.ArgumentParser) -> None:
    _audit(command)
    text = "the audit of the second pass (default: x.again.audit.toml beside x.audit.toml)"
    _add(command, "-o --output FILE", text, type=file_name)
    text = "so many of a hundred traces that you signed off (10)"
    _add(command, "--share PERCENT", text, type=positive, default=10)
    _add(command, "--seed N", "which ones (1)", type=int, default=1)
    _reviewer(command)


@_command(LESSER, "plant", "Plant known errors, to see whether reviewers find them.")
def _plant(command: argparse.ArgumentParser) -> None:
    _audit(command)
    _add(
        command,
        "-n N",
        "plant so many known errors in proposals that nobody has touched, outside of the"
        " sample (default: say what came of those that were planted)",
        type=positive,
    )
    _add(command, "--seed N", "which ones (1)", type=int, default=1)
    _reviewer(command)


@_command(LESSER, "serve", "Open the screen in a browser.")
def _serve(command: argparse.ArgumentParser) -> None:
    _paths(command, "*")
    _add(command, "--demo", "the samples in a temporary folder, in place of an audit")
    group = command.add_argument_group("the browser")
    text = "the address to listen at (127.0.0.1: this machine only)"
    group.add_argument("--host", default="127.0.0.1", help=text)
    _add(group, "--port N", "the port (8420; 0 takes a free one)", type=_port, default=8420)
    _judge_options(command)
    _reviewer(command)
    _screen_options(command)


@_command(LESSER, "config", "Show settings, or change one.")
def _config(command: argparse.ArgumentParser) -> None:
    _add(command, "key KEY", "print one setting; judges: your own judges", nargs="?")
    _add(command, "value VALUE", "keep it so in config.toml", nargs="*")
    shown = command.add_mutually_exclusive_group()
    _add(shown, "--path", "print where config.toml is, or would be")
    _add(shown, "--keys", "print every binding and its keys, as a keymap file")
    _add(shown, "--prompt", "print the shipped prompts, to change parts of them")
    _add(shown, "--themes", "print every theme there is")


@_command(LESSER, "schema", "Print a file format as JSON Schema.")
def _schema(command: argparse.ArgumentParser) -> None:
    command.add_argument("of", choices=("rubric", "traces", "audit"), help="which file")


@_command(LESSER, "completion", "Print what completes commands in your shell.")
def _completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")


@_command(LESSER, "help", "Show a page of the manual.")
def _help(command: argparse.ArgumentParser) -> None:
    _add(command, "topic PAGE", "a page, a command, or a word to look for", nargs="?")
