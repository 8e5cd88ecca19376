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


def _demo(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--folder", metavar="DIR", help="keep the demo there (default: a temporary folder)"
    )
    command.add_argument("--tour", action="store_true", help="be walked through one correction")
    _lines(command)
    _reviewer(command)
    _screen_options(command)


def _review(command: argparse.ArgumentParser) -> None:
    _paths(command)
    command.add_argument(
        "--at", metavar="ID[/TRAIT]", help="open on this cell: bcl2-2, bcl2-2#2/Accuracy, …"
    )
    _lines(command)
    _revise(command)
    _judge_options(command)
    _reviewer(command)
    _screen_options(command)


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


def _import(command: argparse.ArgumentParser) -> None:
    _paths(command)
    command.add_argument(
        "--dry-run", action="store_true", help="say what was recognised; write nothing"
    )


def _new(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", metavar="FOLDER", help="where rubric and traces are written")
    command.add_argument("--name", metavar="NAME", help="the rubric's name (default: the folder's)")
    command.add_argument(
        "--criteria",
        metavar="FILE",
        help="what a good answer states: one a line, or CSV (FILE:COLUMN of several columns)",
    )
    command.add_argument(
        "--criterion", action="append", metavar="TEXT", help="one of them (again for several)"
    )
    command.add_argument(
        "--avoid", action="append", metavar="TEXT", help="what it must not state (again)"
    )


def _export(command: argparse.ArgumentParser) -> None:
    command.add_argument("audit", metavar="AUDIT", help="an audit file")
    forms = ("rows", "csv", "inspect", "promptfoo", "karenina")
    command.add_argument("--to", choices=forms, required=True, help="for which tool")
    command.add_argument(
        "--as",
        dest="form",
        choices=("langfuse", "phoenix", "mlflow", "langsmith"),
        help="with --to rows: in the names of this tool (default: OpenTelemetry's)",
    )
    command.add_argument(
        "--source", metavar="FILE", help="the file that was imported, of which a copy is written"
    )
    command.add_argument(
        "-o",
        "--output",
        type=file_name,
        metavar="FILE",
        help="write it there; for csv a folder (default: standard output)",
    )


def _sample(command: argparse.ArgumentParser) -> None:
    _audit(command)
    _drawn(command)
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
    _compared(command)
    _lines(command)
    _reviewer(command)
    _screen_options(command)


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
    _probed(command)
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
    command.add_argument(
        "-o",
        "--output",
        type=file_name,
        metavar="FILE",
        required=True,
        help="the file of requests (JSON Lines)",
    )
    shapes = ("openai", "anthropic")
    command.add_argument("--shape", choices=shapes, default="openai", help="for whom (openai)")
    _model_options(command.add_argument_group("the judge"))
    _again(command.add_argument_group("what is judged"))


def _batch_run(command: argparse.ArgumentParser) -> None:
    _job(command)
    command.add_argument(
        "--engine", choices=("ray", "daft"), required=True, help="what runs the workers"
    )
    command.add_argument(
        "--api-key-env",
        metavar="NAME",
        help="the environment variable with the endpoint's key (default: no key is sent)",
    )


def _batch_job(command: argparse.ArgumentParser) -> None:
    _job(command)
    engines = ("vllm", "slurm", "ray", "daft")
    command.add_argument(
        "--for", dest="engine", choices=engines, required=True, help="for which engine"
    )


def _job(command: argparse.ArgumentParser) -> None:
    command.add_argument("requests", metavar="REQUESTS", help="a file of `batch export`")
    command.add_argument(
        "-o",
        "--output",
        type=file_name,
        metavar="FOLDER",
        required=True,
        help="the answers' folder",
    )
    command.add_argument(
        "--base-url",
        metavar="URL",
        default="http://localhost:8000/v1",
        help="any OpenAI-compatible endpoint, as the workers see it (http://localhost:8000/v1)",
    )
    command.add_argument("--address", metavar="ADDRESS", default="", help="of a Ray cluster")
    command.add_argument("--workers", type=positive, default=2, metavar="N", help="so many (2)")
    command.add_argument(
        "--concurrency",
        type=positive,
        default=16,
        metavar="N",
        help="requests of a worker at once (16)",
    )
    command.add_argument(
        "--timeout", type=positive, default=600, metavar="S", help="seconds for a request (600)"
    )


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
        help="RUBRIC TRACES…, one AUDIT to go on with, or another tool's FILE (promptfoo, Inspect,"
        " CSV, …); - reads JSON Lines from standard input",
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
    command.add_argument(
        "--map",
        action="append",
        metavar="FIELD=COLUMN",
        help="of a table: which column is the response, id, question, verdict.NAME, …",
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


def _compared(command: argparse.ArgumentParser) -> None:
    """Adds which audits are compared, and what is made of them."""
    command.add_argument("one", metavar="A", help="the audit of one reviewer")
    command.add_argument(
        "other", metavar="B", help="another reviewer's audit of the same rubric and traces"
    )
    command.add_argument("--json", action="store_true", help="as JSON (appellate-compare/1)")
    command.add_argument(
        "--third",
        metavar="C",
        help="a third reviewer's audit of the same, for the alternative annotator test",
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
    group.add_argument(
        "--adjudicate",
        action="store_true",
        help="make an audit of both, where a third rules on what differs without knowing whose"
        " labels they are, and open it",
    )
    group.add_argument(
        "-o",
        "--output",
        type=file_name,
        metavar="AUDIT",
        help="with --adjudicate: the third audit",
    )
    group.add_argument(
        "--shuffle", type=int, metavar="N", help="shuffles whose labels are shown first (a seed)"
    )


def _probed(command: argparse.ArgumentParser) -> None:
    """What is asked, of how many traces, and in which form."""
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
    group.add_argument("--yes", action="store_true", help="send requests without being asked first")
    group.add_argument("--json", action="store_true", help="as JSON (appellate-probes/1)")
    batch = command.add_argument_group("by a batch engine, file after file")
    ways = batch.add_mutually_exclusive_group()
    ways.add_argument(
        "--batch",
        metavar="FILE",
        help="write the open requests there, if there are any; nothing is sent",
    )
    ways.add_argument(
        "--submit",
        action="store_true",
        help="send the open requests to the server's Batch API; `batch fetch` has the answers",
    )
    batch.add_argument(
        "--answers",
        action="append",
        metavar="FILE",
        help="first take in what the engine answered to --batch; again for several files",
    )


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
    group.add_argument(
        "--theme", metavar="NAME", help="a bundled theme or one of your themes folder"
    )
    group.add_argument("--keymap", metavar="KEYS", help="your keys: a preset (azerty) or a file")
    group.add_argument("--view", metavar="VIEW", help="buckets or checklist")
    group.add_argument("--markdown", metavar="FACE", help="rendered or raw")
    group.add_argument(
        "--order", metavar="ORDER", help="of the queue: loaded, unreviewed, failed, lowest, random…"
    )
    group.add_argument("--seed", type=int, metavar="N", help="which random order")
    _switch(group, "--ascii", "marks of plain ASCII")
    _switch(group, "--plain", "for screen readers and slow lines: one column, no frames")
    _switch(group, "--reduced-motion", "nothing moves or blinks")
    _switch(group, "--mouse", "listen to the mouse, or leave it to the terminal")


def _switch(group: argparse._ArgumentGroup, name: str, text: str) -> None:
    group.add_argument(name, action=argparse.BooleanOptionalAction, default=None, help=text)


def _drawn(command: argparse.ArgumentParser) -> None:
    """Adds what can be said of a draw."""
    group = command.add_argument_group("what is drawn (nothing: says what the sample is)")
    size = group.add_mutually_exclusive_group()
    size.add_argument("-n", type=positive, metavar="N", help="draw N traces at random")
    size.add_argument(
        "--add", type=positive, metavar="N", help="draw N more into the sample, by its design"
    )
    size.add_argument(
        "--power",
        type=_half_width,
        metavar="H",
        help="draw nothing: say how many audits give an interval of ± H (0.04)",
    )
    size.add_argument(
        "--withdraw",
        action="store_true",
        help="take the sample back, while nothing in it is ruled on; the log keeps what it was",
    )
    group.add_argument(
        "--seed", type=_seed, metavar="N", help="what all chance comes from: the same, the same (1)"
    )
    group.add_argument(
        "--by",
        action="append",
        metavar="WHAT",
        help="so many of each model, question or meta.KEY of the metadata (again: of each"
        " combination), or most where the members of a panel disagree: disagreement",
    )
    group.add_argument(
        "--active",
        action="store_true",
        help="chances that go by the panel's disagreement, half of each the same for all",
    )
    group.add_argument(
        "--sighted",
        action="store_true",
        help="show the judge's labels from the start, in place of hiding them until one has ruled",
    )


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
