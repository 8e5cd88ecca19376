"""The command line: every command, its arguments and what they mean."""

import argparse
from collections.abc import Callable, Sequence
from math import inf

from appellate.cli.outcome import show
from appellate.installed import running
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
        parser_class=argparse.ArgumentParser,
    )
    for group in _GROUPS.values():
        for name, (text, describe) in group.items():
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
        return f"{self.format_usage()}\n{self.description}\n\n{_listed()}\n"


def _listed() -> str:
    lines = []
    for title, group in _GROUPS.items():
        if title == LESSER:
            lines.append(f"{title:9}{', '.join(group)}")
            continue
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


Options = argparse.ArgumentParser | argparse._ArgumentGroup  # noqa: SLF001 - what takes options


def _flag(to: Options, name: str, text: str) -> None:
    to.add_argument(name, action="store_true", help=text)


def _text(to: Options, name: str, metavar: str, text: str) -> None:
    to.add_argument(name, metavar=metavar, help=text)


def _several(to: Options, name: str, metavar: str, text: str) -> None:
    """An option that may be given more than once."""
    to.add_argument(name, action="append", metavar=metavar, help=text)


def _count(
    to: Options, name: str, text: str, *, metavar: str = "N", default: int | None = None
) -> None:
    to.add_argument(name, type=positive, metavar=metavar, default=default, help=text)


def _output(to: Options, metavar: str, text: str, *, required: bool = False) -> None:
    to.add_argument("-o", "--output", type=file_name, metavar=metavar, required=required, help=text)


def _audit_file(command: argparse.ArgumentParser) -> None:
    _text(command, "audit", "AUDIT", "an audit file")


def _demo(command: argparse.ArgumentParser) -> None:
    _text(command, "--folder", "DIR", "keep the demo there (default: a temporary folder)")
    _flag(command, "--tour", "be walked through one correction")
    _lines(command)
    _reviewer(command)
    _screen_options(command)


def _review(command: argparse.ArgumentParser) -> None:
    _paths(command)
    _text(command, "--at", "ID[/TRAIT]", "open on this cell: bcl2-2, bcl2-2#2/Accuracy, …")
    _lines(command)
    _revise(command)
    _judge_options(command)
    _reviewer(command)
    _screen_options(command)


def _lines(command: argparse.ArgumentParser) -> None:
    _flag(
        command,
        "--lines",
        "line by line, for screen readers, slow lines and pipes: no screen is drawn",
    )


def _judge(command: argparse.ArgumentParser) -> None:
    _paths(command)
    _revise(command)
    _judge_options(command)
    group = command.add_argument_group("what is judged, and how it is shown")
    _again(group)
    _flag(group, "--show-prompt", "print what would be sent for the next cell")
    _flag(group, "--dry-run", "count cells, tokens and cost; send nothing")
    _flag(group, "--json", "progress and result as JSON Lines on standard output")


def _check(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a rubric, traces (held against it), an audit; - is standard input",
    )
    _flag(command, "--lint", "say what makes the rubric weak, and exit 1 if anything")


def _metrics(command: argparse.ArgumentParser) -> None:
    _audit_file(command)
    _grouped(command)
    form = command.add_mutually_exclusive_group()
    _flag(form, "--json", "as JSON (appellate-metrics/2)")
    _flag(form, "--csv", "as CSV: a row for each metric and side")


def _import(command: argparse.ArgumentParser) -> None:
    _paths(command)
    _flag(command, "--dry-run", "say what was recognised; write nothing")


def _new(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder", metavar="FOLDER", type=file_name, help="where rubric and traces are written"
    )
    _text(command, "--name", "NAME", "the rubric's name (default: the folder's)")
    _text(
        command,
        "--criteria",
        "FILE",
        "what a good answer states: one a line (- of input), or CSV (FILE:COLUMN of several)",
    )
    _several(command, "--criterion", "TEXT", "one of them (again for several)")
    _several(command, "--avoid", "TEXT", "what it must not state (again)")
    _text(command, "--questions", "FILE", "what is asked, as --criteria has its texts")
    _several(command, "--question", "TEXT", "one of them (again for several)")


def _export(command: argparse.ArgumentParser) -> None:
    _audit_file(command)
    forms = ("rows", "csv", "inspect", "promptfoo", "karenina")
    command.add_argument("--to", choices=forms, required=True, help="for which tool")
    command.add_argument(
        "--as",
        dest="form",
        choices=("langfuse", "phoenix", "mlflow", "langsmith"),
        help="with --to rows: in the names of this tool (default: OpenTelemetry's)",
    )
    _text(command, "--source", "FILE", "the file that was imported, of which a copy is written")
    _output(command, "FILE", "write it there; for csv a folder (default: standard output)")


def _sample(command: argparse.ArgumentParser) -> None:
    _audit(command)
    group = command.add_argument_group("what is drawn (nothing: says what the sample is)")
    size = group.add_mutually_exclusive_group()
    _count(size, "-n", "draw N traces at random")
    _count(size, "--add", "draw N more into the sample, by its design")
    size.add_argument(
        "--power",
        type=_half_width,
        metavar="H",
        help="draw nothing: say how many audits give an interval of ± H (0.04)",
    )
    _flag(
        size,
        "--withdraw",
        "take the sample back, while nothing in it is ruled on; the log keeps what it was",
    )
    group.add_argument(
        "--seed", type=_seed, metavar="N", help="what all chance comes from: the same, the same (1)"
    )
    _several(
        group,
        "--by",
        "WHAT",
        "so many of each model, question or meta.KEY of the metadata (again: of each"
        " combination), or most where the members of a panel disagree: disagreement",
    )
    _flag(
        group,
        "--active",
        "chances that go by the panel's disagreement, half of each the same for all",
    )
    _flag(
        group,
        "--sighted",
        "show the judge's labels from the start, in place of hiding them until one has ruled",
    )
    _reviewer(command)


def _grouped(command: argparse.ArgumentParser) -> None:
    _text(
        command,
        "--by",
        "WHAT",
        "also by group: model, question, cluster, epoch, or meta.KEY of the metadata",
    )
    _several(
        command,
        "--reducer",
        "NAME",
        "how epochs become one value: mean (the default), median, mode, max, majority,"
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
    _text(
        command,
        "--plan",
        "N,N…",
        "plan looks after so many audits (40,60,80), before the first verdict",
    )
    _flag(command, "--json", "as JSON (appellate-gate/1)")
    _reviewer(command)


def _log(command: argparse.ArgumentParser) -> None:
    _audit_file(command)
    _flag(command, "--today", "only what was done today")


def _compare(command: argparse.ArgumentParser) -> None:
    _text(command, "one", "A", "the audit of one reviewer")
    _text(command, "other", "B", "another reviewer's audit of the same rubric and traces")
    _flag(command, "--json", "as JSON (appellate-compare/1)")
    _text(
        command,
        "--third",
        "C",
        "a third reviewer's audit of the same, for the alternative annotator test",
    )
    command.add_argument(
        "--epsilon",
        type=float,
        default=0.2,
        metavar="E",
        help="what it is worth that a judge is cheap: .2 beside experts (default), .15 beside"
        " skilled people, .1 beside hired ones",
    )
    group = command.add_argument_group("ruling on what they differ in")
    _flag(
        group,
        "--adjudicate",
        "make an audit of both, where a third rules on what differs without knowing whose"
        " labels they are, and open it",
    )
    _output(group, "AUDIT", "with --adjudicate: the third audit")
    group.add_argument(
        "--shuffle", type=int, metavar="N", help="shuffles whose labels are shown first (a seed)"
    )
    _lines(command)
    _reviewer(command)
    _screen_options(command)


def _report(command: argparse.ArgumentParser) -> None:
    _audit_file(command)
    forms = ("md", "html", "json", "csv")
    command.add_argument(
        "--format", choices=forms, help="the form (default: by the ending of -o, else md)"
    )
    _output(command, "FILE", "write it there (default: standard output)")
    _flag(command, "--force", "write over a file that is no report")
    _grouped(command)


def _probe(command: argparse.ArgumentParser) -> None:
    _audit(command)
    group = command.add_argument_group("what is asked")
    group.add_argument(
        "--probe",
        action="append",
        choices=("order", "again", "padding", "evidence", "negated", "single"),
        help="one probe; again for several (default: all of them)",
    )
    group.add_argument(
        "-n",
        "--traces",
        type=positive,
        default=20,
        metavar="N",
        help="how many traces, drawn at random; all their cells are asked about (20)",
    )
    group.add_argument("--seed", type=int, default=0, metavar="N", help="which random traces (0)")
    group.add_argument(
        "--padding",
        type=_words,
        metavar="TEXT",
        help="words that say nothing, in your language (default: English)",
    )
    group.add_argument(
        "--contrary",
        type=_words,
        metavar="TEXT",
        help="words before an instruction that ask for its contrary (default: English)",
    )
    _flag(group, "--yes", "send requests without being asked first")
    _flag(group, "--json", "as JSON (appellate-probes/1)")
    _probe_by_batch(command)
    _judge_options(command, code=False)


def _probe_by_batch(command: argparse.ArgumentParser) -> None:
    batch = command.add_argument_group("by a batch engine, file after file")
    ways = batch.add_mutually_exclusive_group()
    _text(
        ways, "--batch", "FILE", "write the open requests there, if there are any; nothing is sent"
    )
    _flag(
        ways,
        "--submit",
        "send the open requests to the server's Batch API; `batch fetch` has the answers",
    )
    _several(
        batch,
        "--answers",
        "FILE",
        "first take in what the engine answered to --batch; again for several files",
    )


def _serve(command: argparse.ArgumentParser) -> None:
    _paths(command, "*")
    _flag(command, "--demo", "the samples in a temporary folder, in place of an audit")
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
    _screen_options(command)


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
    _output(command, "FILE", "the file of requests (JSON Lines)", required=True)
    shapes = ("openai", "anthropic")
    command.add_argument("--shape", choices=shapes, default="openai", help="for whom (openai)")
    _model_options(command.add_argument_group("the judge"))
    _again(command.add_argument_group("what is judged"))


def _batch_run(command: argparse.ArgumentParser) -> None:
    _job(command)
    command.add_argument(
        "--engine", choices=("ray", "daft"), required=True, help="what runs the workers"
    )
    _text(
        command,
        "--api-key-env",
        "NAME",
        "the environment variable with the endpoint's key (default: no key is sent)",
    )


def _batch_job(command: argparse.ArgumentParser) -> None:
    _job(command)
    engines = ("vllm", "slurm", "ray", "daft")
    command.add_argument(
        "--for", dest="engine", choices=engines, required=True, help="for which engine"
    )


def _job(command: argparse.ArgumentParser) -> None:
    _text(command, "requests", "REQUESTS", "a file of `batch export`")
    _output(command, "FOLDER", "the answers' folder", required=True)
    command.add_argument(
        "--base-url",
        metavar="URL",
        default="http://localhost:8000/v1",
        help="any OpenAI-compatible endpoint, as the workers see it (http://localhost:8000/v1)",
    )
    command.add_argument("--address", metavar="ADDRESS", default="", help="of a Ray cluster")
    _count(command, "--workers", "so many (2)", default=2)
    _count(command, "--concurrency", "requests of a worker at once (16)", default=16)
    _count(command, "--timeout", "seconds for a request (600)", metavar="S", default=600)


def _batch_import(command: argparse.ArgumentParser) -> None:
    _audit(command)
    command.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="result and error files, or folders of them, in any order",
    )


def _batch_submit(command: argparse.ArgumentParser) -> None:
    _audit(command)
    _model_options(command.add_argument_group("the judge"))
    _again(command.add_argument_group("what is judged"))


def _audit(command: argparse.ArgumentParser) -> None:
    _audit_file(command)
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
    _output(
        command,
        "FILE",
        "the audit of the second pass (default: x.again.audit.toml beside x.audit.toml)",
    )
    _count(
        command,
        "--share",
        "so many of a hundred traces that you signed off (10)",
        metavar="PERCENT",
        default=10,
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="which ones (1)")
    _reviewer(command)


def _plant(command: argparse.ArgumentParser) -> None:
    _audit(command)
    _count(
        command,
        "-n",
        "plant so many known errors in proposals that nobody has touched, outside of the"
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
        help="RUBRIC TRACES…, one AUDIT to go on with, or another tool's FILE (promptfoo, Inspect,"
        " CSV, …); - reads JSON Lines from standard input",
    )
    command.add_argument(
        *audit,
        type=file_name,
        metavar="AUDIT",
        help="the audit file (default: first traces' name + .audit.toml, here)",
    )
    _text(command, "--workspace", "PATH", "the working file (default: beside the audit)")
    command.add_argument(
        "--take", choices=("file", "workspace"), help="which to go on with when both were changed"
    )
    _flag(command, "--skip-bad", "leave bad traces out instead of refusing")
    _several(
        command,
        "--map",
        "FIELD=COLUMN",
        "of a table: which column is the response, id, question, verdict.NAME, …",
    )


def _revise(command: argparse.ArgumentParser) -> None:
    _text(command, "--revise", "RUBRIC", "with AUDIT: take this rubric in place of the audit's")


def _judge_options(command: argparse.ArgumentParser, *, code: bool = True) -> None:
    group = command.add_argument_group("the judge")
    _several(
        group,
        "--judge",
        "NAME",
        "openai, lexical, recorded or a profile of config.toml; several make a panel"
        " (default: openai with --model, else recorded labels, else lexical)",
    )
    _several(
        group, "--model", "MODEL", "the model to ask, by sending requests; several make a panel"
    )
    _count(group, "--times", "ask each model N times: a panel of one")
    _request_options(group)
    _count(group, "--concurrency", "requests at once, at most (8)")
    _count(group, "--rpm", "requests per minute, at most")
    _count(group, "--tpm", "tokens per minute, at most")
    _count(group, "--timeout", "seconds for a request (120)", metavar="S")
    _text(
        group,
        "--patience",
        "TIME",
        "how long a server may answer nobody, as 90s or 2h, before it is given up (10m)",
    )
    _text(group, "--cache", "FILE", "keep replies in this shared file (default: the workspace)")
    _flag(group, "--no-cache", "ask again what was asked before")
    if code:
        _flag(
            group,
            "--allow-code",
            "run the functions that callable traits name, which are the rubric's code",
        )


def _model_options(group: argparse._ArgumentGroup) -> None:
    """For a batch: one model a file, and no pace of our own."""
    _several(group, "--judge", "NAME", "a profile of config.toml")
    _several(group, "--model", "MODEL", "the model to ask")
    _request_options(group)


def _again(group: argparse._ArgumentGroup) -> None:
    _flag(group, "--again", "judge what is judged already, in a new round")
    _text(group, "--where", "QUERY", "with --again: only the cells that a query finds")


def _request_options(group: argparse._ArgumentGroup) -> None:
    _text(group, "--base-url", "URL", "any OpenAI-compatible endpoint")
    _text(
        group,
        "--api-key-env",
        "NAME",
        "the environment variable with the key (OPENAI_API_KEY, which goes to OpenAI's server"
        " alone: another --base-url takes a name here, or no key)",
    )
    _text(group, "--prompt", "FILE", "a prompt template (TOML) in place of the shipped one")
    _count(group, "--few-shot", "show the model K signed cells of other traces", metavar="K")


def _reviewer(command: argparse.ArgumentParser) -> None:
    _text(command, "--reviewer", "NAME", "who reviews (default: APPELLATE_REVIEWER, git, login)")


def _config(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "key", nargs="?", metavar="KEY", help="print one setting; judges: your own judges"
    )
    command.add_argument("value", nargs="*", metavar="VALUE", help="keep it so in config.toml")
    shown = command.add_mutually_exclusive_group()
    _flag(shown, "--path", "print where config.toml is, or would be")
    _flag(shown, "--keys", "print every binding and its keys, as a keymap file")
    _flag(shown, "--prompt", "print the shipped prompts, to change parts of them")
    _flag(shown, "--themes", "print every theme there is")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST_PORTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to {MOST_PORTS}")
    return int(text)


def _words(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("there are no words in it")
    return text.strip()


def _screen_options(command: argparse.ArgumentParser) -> None:
    """The settings of the screen.

    Each left out is None, so that the environment and config.toml are asked.
    """
    group = command.add_argument_group(
        "the screen", "saved for good with `appellate config KEY VALUE`"
    )
    _text(group, "--theme", "NAME", "a bundled theme or one of your themes folder")
    _text(group, "--keymap", "KEYS", "your keys: a preset (azerty) or a file")
    _text(group, "--view", "VIEW", "buckets or checklist")
    _text(group, "--markdown", "FACE", "rendered or raw")
    _text(group, "--order", "ORDER", "of the queue: loaded, unreviewed, failed, lowest, random…")
    group.add_argument("--seed", type=int, metavar="N", help="which random order")
    _switch(group, "--ascii", "marks of plain ASCII")
    _switch(group, "--plain", "for screen readers and slow lines: one column, no frames")
    _switch(group, "--reduced-motion", "nothing moves or blinks")
    _switch(group, "--mouse", "listen to the mouse, or leave it to the terminal")


def _switch(group: argparse._ArgumentGroup, name: str, text: str) -> None:
    group.add_argument(name, action=argparse.BooleanOptionalAction, default=None, help=text)


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


_BATCHES: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "export": (
        "Write the missing cells as files of requests for a batch engine: no key, no network.",
        _batch_export,
    ),
    "import": (
        "Take in what a batch engine answered, in any order and as often as you like.",
        _batch_import,
    ),
    "run": ("Answer a file of requests on Ray or Daft, and go on where that stopped.", _batch_run),
    "job": ("Print the script that does so, for whoever submits it.", _batch_job),
    "submit": ("Upload the missing cells to a server's Batch API.", _batch_submit),
    "status": ("Say how far the submitted batches are.", _audit),
    "fetch": ("Download what ended and take it in.", _audit),
}
_GROUPS: dict[str, dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]]] = {
    "start": {
        "demo": ("Try it on a copy of the samples: no key, no network.", _demo),
        "review": ("Review an audit: a new one, or one you began.", _review),
        "import": ("Make an audit of another tool's file.", _import),
        "new": ("Write a rubric from criteria in words.", _new),
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
        "export": ("Give what people ruled back to another tool.", _export),
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
