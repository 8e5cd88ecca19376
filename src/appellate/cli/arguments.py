"""The command line: every command, its arguments and what they mean."""

import argparse
from collections.abc import Callable, Sequence

from appellate.cli import compare_arguments, probe_arguments, sample_arguments, screen_arguments
from appellate.cli.outcome import show
from appellate.cli.sample_arguments import file_name, positive
from appellate.manual import PAGE_OF_COMMAND
from appellate.version import running

MOST_PORTS = 65535
DESCRIPTION = "Check an LLM judge item by item, in a terminal. Begin with: appellate demo"
OLD_NAMES = {"again": "second-pass", "sentinels": "plant"}
"""What commands were called once, and can still be called."""


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """What a command line says."""
    name, *rest = arguments
    return parser().parse_args([OLD_NAMES.get(name, name), *rest])


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
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
        parser_class=argparse.ArgumentParser,
    )
    for group in _GROUPS.values():
        for name, (text, describe) in group.items():
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
        return f"{self.format_usage()}\n{self.description}\n\n{_listed()}\n"


def _listed() -> str:
    lines = []
    for title, group in _GROUPS.items():
        heads = [title, *[""] * (len(group) - 1)]
        lines += [
            f"{head:9}{name:13}{text}"
            for head, (name, (text, _)) in zip(heads, group.items(), strict=True)
        ]
    return "\n".join(lines)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        show(f"appellate {running()}")
        parser.exit()


def _demo(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--folder", metavar="DIR", help="keep the demo there (default: a temporary folder)"
    )
    command.add_argument("--tour", action="store_true", help="be walked through one correction")
    _lines(command)
    _reviewer(command)
    screen_arguments.describe(command)


def _review(command: argparse.ArgumentParser) -> None:
    _paths(command)
    command.add_argument(
        "--at", metavar="ID[/TRAIT]", help="open on this cell: bcl2-2, bcl2-2#2/Accuracy, …"
    )
    _lines(command)
    _revise(command)
    _judge_options(command)
    _reviewer(command)
    screen_arguments.describe(command)


def _lines(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--lines",
        action="store_true",
        help="line by line, for screen readers, slow lines and pipes: no screen is drawn",
    )


def _judge(command: argparse.ArgumentParser) -> None:
    _paths(command)
    _revise(command)
    _judge_options(command)
    group = command.add_argument_group("what is judged, and how it is shown")
    _again(group)
    group.add_argument(
        "--show-prompt", action="store_true", help="print what would be sent for the next cell"
    )
    group.add_argument(
        "--dry-run", action="store_true", help="count cells, tokens and cost; send nothing"
    )
    group.add_argument(
        "--json", action="store_true", help="progress and result as JSON Lines on standard output"
    )


def _check(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a rubric, traces (held against it), an audit; - is standard input",
    )
    command.add_argument(
        "--lint", action="store_true", help="say what makes the rubric weak, and exit 1 if anything"
    )


def _metrics(command: argparse.ArgumentParser) -> None:
    command.add_argument("audit", metavar="AUDIT", help="an audit file")
    _grouped(command)
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON (appellate-metrics/2)")
    form.add_argument("--csv", action="store_true", help="as CSV: a row for each metric and side")


def _sample(command: argparse.ArgumentParser) -> None:
    _audit(command)
    sample_arguments.describe(command)
    _reviewer(command)


def _grouped(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--by",
        metavar="WHAT",
        help="also by group: model, question, cluster, epoch, or meta.KEY of the metadata",
    )
    command.add_argument(
        "--reducer",
        action="append",
        metavar="NAME",
        help="how epochs become one value: mean (the default), median, mode, max, majority,"
        " at_least_2, pass_at_2, pass_k_2 (from a value on: pass_at_2>=0.5); again for several",
    )


def _gate(command: argparse.ArgumentParser) -> None:
    _audit(command)
    command.add_argument(
        "bars",
        nargs="+",
        metavar="BAR",
        help="on what people would say of the responses: f1>=.8 of all traits together,"
        " TRAIT:f1>=.8 of one, <= for at most; on the judge: judge.kappa>=.6, judge.agreement,"
        " judge.sensitivity, judge.precision, judge.bias; exits with 0 (reached), 1 (not reached)"
        " or 3 (undecided), of several bars with the worst",
    )
    command.add_argument(
        "--plan",
        metavar="N,N…",
        help="plan looks after so many audits (40,60,80), before the first verdict",
    )
    command.add_argument("--json", action="store_true", help="as JSON (appellate-gate/1)")
    _reviewer(command)


def _log(command: argparse.ArgumentParser) -> None:
    command.add_argument("audit", metavar="AUDIT", help="an audit file")
    command.add_argument("--today", action="store_true", help="only what was done today")


def _compare(command: argparse.ArgumentParser) -> None:
    compare_arguments.describe(command)
    _lines(command)
    _reviewer(command)
    screen_arguments.describe(command)


def _report(command: argparse.ArgumentParser) -> None:
    command.add_argument("audit", metavar="AUDIT", help="an audit file")
    forms = ("md", "html", "json", "csv")
    command.add_argument(
        "--format", choices=forms, help="the form (default: by the ending of -o, else md)"
    )
    command.add_argument(
        "-o",
        "--output",
        type=file_name,
        metavar="FILE",
        help="write it there (default: standard output)",
    )
    command.add_argument("--force", action="store_true", help="write over a file that is no report")
    _grouped(command)


def _probe(command: argparse.ArgumentParser) -> None:
    _audit(command)
    probe_arguments.describe(command)
    _judge_options(command, code=False)


def _serve(command: argparse.ArgumentParser) -> None:
    _paths(command, "*")
    command.add_argument(
        "--demo",
        action="store_true",
        help="the samples in a temporary folder, in place of an audit",
    )
    group = command.add_argument_group("the browser")
    group.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address to listen at (127.0.0.1: this machine only)",
    )
    group.add_argument(
        "--port", type=_port, default=8420, metavar="N", help="the port (8420; 0 takes a free one)"
    )
    _judge_options(command)
    _reviewer(command)
    screen_arguments.describe(command)


def _schema(command: argparse.ArgumentParser) -> None:
    command.add_argument("of", choices=("rubric", "traces", "audit"), help="which file")


def _completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")


def _help(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "topic", nargs="?", metavar="PAGE", help="a page, a command, or a word to look for"
    )


def _batch(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (text, describe) in _BATCHES.items():
        action = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        describe(action)


def _batch_export(command: argparse.ArgumentParser) -> None:
    _paths(command, audit=("--audit",))
    command.add_argument(
        "-o",
        "--output",
        type=file_name,
        metavar="FILE",
        required=True,
        help="the file of requests (JSON Lines)",
    )
    _model_options(command.add_argument_group("the judge"))
    _again(command.add_argument_group("what is judged"))


def _batch_import(command: argparse.ArgumentParser) -> None:
    _audit(command)
    command.add_argument(
        "files", nargs="+", metavar="FILE", help="result and error files, in any order"
    )


def _batch_submit(command: argparse.ArgumentParser) -> None:
    _audit(command)
    _model_options(command.add_argument_group("the judge"))
    _again(command.add_argument_group("what is judged"))


def _audit(command: argparse.ArgumentParser) -> None:
    command.add_argument("audit", metavar="AUDIT", help="an audit file")
    command.add_argument(
        "--workspace",
        type=file_name,
        metavar="PATH",
        help="the working file (default: beside the audit)",
    )
    command.add_argument(
        "--take", choices=("file", "workspace"), help="which to go on with when both were changed"
    )


def _second_pass(command: argparse.ArgumentParser) -> None:
    _audit(command)
    command.add_argument(
        "-o",
        "--output",
        type=file_name,
        metavar="FILE",
        help="the audit of the second pass (default: x.again.audit.toml beside x.audit.toml)",
    )
    command.add_argument(
        "--share",
        type=positive,
        default=10,
        metavar="PERCENT",
        help="so many of a hundred traces that you signed off (10)",
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="which ones (1)")
    _reviewer(command)


def _plant(command: argparse.ArgumentParser) -> None:
    _audit(command)
    command.add_argument(
        "-n",
        type=positive,
        metavar="N",
        help="plant so many known errors in proposals that nobody has touched, outside of the"
        " sample (default: say what came of those that were planted)",
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="which ones (1)")
    _reviewer(command)


def _paths(
    command: argparse.ArgumentParser, nargs: str = "+", audit: tuple[str, ...] = ("-o", "--audit")
) -> None:
    command.add_argument(
        "paths",
        nargs=nargs,
        metavar="FILE",
        help="RUBRIC TRACES…, or one AUDIT to go on with; - reads JSON Lines from standard input",
    )
    command.add_argument(
        *audit,
        type=file_name,
        metavar="AUDIT",
        help="the audit file (default: first traces' name + .audit.toml, here)",
    )
    command.add_argument(
        "--workspace", metavar="PATH", help="the working file (default: beside the audit)"
    )
    command.add_argument(
        "--take", choices=("file", "workspace"), help="which to go on with when both were changed"
    )
    command.add_argument(
        "--skip-bad", action="store_true", help="leave bad traces out instead of refusing"
    )


def _revise(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--revise", metavar="RUBRIC", help="with AUDIT: take this rubric in place of the audit's"
    )


def _judge_options(command: argparse.ArgumentParser, *, code: bool = True) -> None:
    group = command.add_argument_group("the judge")
    group.add_argument(
        "--judge",
        action="append",
        metavar="NAME",
        help="openai, lexical, recorded or a profile of config.toml; several make a panel"
        " (default: openai with --model, else recorded labels, else lexical)",
    )
    group.add_argument(
        "--model",
        action="append",
        metavar="MODEL",
        help="the model to ask, by sending requests; several make a panel",
    )
    group.add_argument(
        "--times", type=positive, metavar="N", help="ask each model N times: a panel of one"
    )
    _request_options(group)
    group.add_argument(
        "--concurrency", type=positive, metavar="N", help="requests at once, at most (8)"
    )
    group.add_argument("--rpm", type=positive, metavar="N", help="requests per minute, at most")
    group.add_argument("--tpm", type=positive, metavar="N", help="tokens per minute, at most")
    group.add_argument("--timeout", type=positive, metavar="S", help="seconds for a request (120)")
    group.add_argument(
        "--patience",
        metavar="TIME",
        help="how long a server may answer nobody, as 90s or 2h, before it is given up (10m)",
    )
    group.add_argument(
        "--cache", metavar="FILE", help="keep replies in this shared file (default: the workspace)"
    )
    group.add_argument("--no-cache", action="store_true", help="ask again what was asked before")
    if code:
        group.add_argument(
            "--allow-code",
            action="store_true",
            help="run the functions that callable traits name, which are the rubric's code",
        )


def _model_options(group: argparse._ArgumentGroup) -> None:
    """For a batch: one model a file, and no pace of our own."""
    group.add_argument("--judge", action="append", metavar="NAME", help="a profile of config.toml")
    group.add_argument("--model", action="append", metavar="MODEL", help="the model to ask")
    _request_options(group)


def _again(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--again", action="store_true", help="judge what is judged already, in a new round"
    )
    group.add_argument(
        "--where", metavar="QUERY", help="with --again: only the cells that a query finds"
    )


def _request_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--base-url", metavar="URL", help="any OpenAI-compatible endpoint")
    group.add_argument(
        "--api-key-env",
        metavar="NAME",
        help="the environment variable with the key (OPENAI_API_KEY, which goes to OpenAI's server"
        " alone: another --base-url takes a name here, or no key)",
    )
    group.add_argument(
        "--prompt", metavar="FILE", help="a prompt template (TOML) in place of the shipped one"
    )
    group.add_argument(
        "--few-shot",
        type=positive,
        metavar="K",
        help="show the model K signed cells of other traces",
    )


def _reviewer(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--reviewer", metavar="NAME", help="who reviews (default: APPELLATE_REVIEWER, git, login)"
    )


def _config(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "key", nargs="?", metavar="KEY", help="print one setting; judges: your own judges"
    )
    command.add_argument("value", nargs="*", metavar="VALUE", help="keep it so in config.toml")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument(
        "--path", action="store_true", help="print where config.toml is, or would be"
    )
    shown.add_argument(
        "--keys", action="store_true", help="print every binding and its keys, as a keymap file"
    )
    shown.add_argument(
        "--prompt", action="store_true", help="print the shipped prompts, to change parts of them"
    )
    shown.add_argument("--themes", action="store_true", help="print every theme there is")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_PORTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to {MOST_PORTS}")
    return int(text)


_BATCHES: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "export": (
        "Write the missing cells as files of requests for a batch engine: no key, no network.",
        _batch_export,
    ),
    "import": (
        "Take in what a batch engine answered, in any order and as often as you like.",
        _batch_import,
    ),
    "submit": ("Upload the missing cells to a server's Batch API.", _batch_submit),
    "status": ("Say how far the submitted batches are.", _audit),
    "fetch": ("Download what ended and take it in.", _audit),
}
_GROUPS: dict[str, dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]]] = {
    "start": {
        "demo": ("Try it on a copy of the samples: no key, no network.", _demo),
        "review": ("Review an audit: a new one, or one you began.", _review),
    },
    "judge": {
        "judge": ("Ask a judge about every cell without an answer.", _judge),
        "batch": ("Judge through a batch engine or a Batch API.", _batch),
        "check": ("Find every problem of rubrics, traces and audits.", _check),
        "probe": ("Ask the judge in other ways: do its answers stay?", _probe),
    },
    "numbers": {
        "metrics": ("Show the numbers of an audit.", _metrics),
        "sample": ("Draw traces at random, to be ruled on blind.", _sample),
        "gate": ("Test on the sample whether the judge reaches a bar.", _gate),
        "compare": ("Compare two reviewers; a third may decide.", _compare),
        "report": ("Make a report to send: numbers and corrections.", _report),
        "log": ("List what people changed in an audit.", _log),
    },
    "more": {
        "second-pass": ("Rule again, blind, on a tenth of what you signed off.", _second_pass),
        "plant": ("Plant known errors, to see whether reviewers find them.", _plant),
        "serve": ("Open the screen in a browser.", _serve),
        "config": ("Show settings, or change one.", _config),
        "schema": ("Print a file format as JSON Schema.", _schema),
        "completion": ("Print what completes commands in your shell.", _completion),
        "help": ("Show a page of the manual.", _help),
    },
}
