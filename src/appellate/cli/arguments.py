"""The command line: every command, its arguments and what they mean."""

import argparse
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import Any

from msgspec import Struct

from appellate.cli.outcome import show
from appellate.core.inert import in_unicode
from appellate.core.problem import closest, quoted
from appellate.installed import names as names_of
from appellate.installed import running
from appellate.interop import FORMATS

DESCRIPTION = (
    "Check an LLM judge item by item, in a terminal. Begin with: appellate demo"
)
OLD_NAMES = {"again": "second-pass"}
"""What commands were called once, and can still be called."""
_DIRECTLY = (
    "probes are asked directly, which takes no file and no batch. Leave it out; replies that came"
    " before are kept, so that nothing is asked twice"
)
_TO_CHECK_YOURSELF = (
    "to check your own care, rule again on some of what you signed off: appellate"
    " second-pass AUDIT"
)
_GONE = {
    "appellate plant": _TO_CHECK_YOURSELF,
    "appellate sentinels": _TO_CHECK_YOURSELF,
    "appellate sample --active": "it needed more audits than a simple sample for the same interval."
    " Where a panel judged, --by disagreement draws most where its members disagree; --by model"
    " draws of each model its share",
    "appellate probe --batch": _DIRECTLY,
    "appellate probe --answers": _DIRECTLY,
    "appellate probe --submit": _DIRECTLY,
}
"""Commands and options that there were once: what to use in their place, perhaps why they went."""

_TABLE = """\
+ audit-file
  audit AUDIT  an audit file
+ take
  --take {file,workspace}  which to go on with when both were changed
+ audit
  + audit-file
  --workspace PATH  file  the working file (default: beside the audit)
  + take
+ gold
  --gold FILE  say first what `gold check -o FILE` came to
+ drawn-as
  --drawn-as DIGEST  say whether the sample is still that of this digest (sample and gate --plan \
print it)
+ kept
  [the files]
    --workspace PATH  the working file (default: beside the audit)
    + take
    --skip-bad  leave bad traces out instead of refusing
    --sheet NAME  of a spreadsheet: the sheet that has the rows
    --join COLUMN  of several tables: the key by which rows belong together, id or id=text_id
  --map FIELD=COLUMN  action=append  of a table: which column is what, and what its values mean \
(see the help of import), or a TOML file that says so
+ paths
  paths FILE  nargs=+  RUBRIC TRACES…, one AUDIT to go on with, or another tool's FILE (promptfoo, \
Inspect, CSV, …); - reads JSON Lines from standard input
+ files
  + paths
  -o --audit AUDIT  file  the audit file (default: first traces' name + .audit.toml, here)
  + kept
+ lines
  --lines  line by line, for screen readers, slow lines and pipes: no screen is drawn
+ revise
  --revise RUBRIC  with AUDIT: take this rubric in place of the audit's
+ endpoint
  --base-url URL  any OpenAI-compatible endpoint
  --api-key-env NAME  the environment variable with the key (OPENAI_API_KEY, which goes to \
OpenAI's server alone: another --base-url takes a name here, or no key)
  --prompt FILE  a prompt template (TOML) in place of the shipped one
+ requests
  + endpoint
  --few-shot K  positive  show the model K signed cells of other traces
+ pace
  --concurrency N  positive  requests at once, at most (8)
  --rpm N  positive  requests per minute, at most
  --tpm N  positive  tokens per minute, at most
  --timeout S  positive  seconds for a request (120)
  --patience TIME  how long a server may answer nobody, as 90s or 2h, before it is given up (10m)
+ judge
  --judge NAME  action=append text  openai, lexical[:SHARE], recorded or a profile of config.toml; \
several make a panel (default: openai with --model, else recorded labels, else lexical)
  --model MODEL  action=append text  the model to ask, by sending requests; several make a panel
  --times N  positive  ask each model N times: a panel of one
  + requests
  + pace
  --cache FILE  keep replies in this shared file (default: the workspace)
  --no-cache  ask again what was asked before
+ judge-and-code
  [the judge]
    + judge
    --allow-code  run the functions that callable traits name, which are the rubric's code
+ again
  --again  judge again what has labels, a person's too, in a new round
  --where QUERY  with --again: only the cells that a query finds
+ batch-judge
  [the judge]
    --judge NAME  action=append text  a profile of config.toml
    --model MODEL  action=append text  the model to ask
    + requests
  [what is judged]
    + again
+ job
  requests REQUESTS  a file of `batch export`
  -o --output FOLDER  file required=yes  the answers' folder
  --base-url URL  default=http://localhost:8000/v1  any OpenAI-compatible endpoint, as the workers \
see it (http://localhost:8000/v1)
  --address ADDRESS  default=  of a Ray cluster
  --workers N  positive default=2  how many workers (2)
  --concurrency N  positive default=16  requests of a worker at once (16)
  --timeout S  positive default=600  seconds for a request (600)
+ reviewer
  --reviewer NAME  who reviews (default: APPELLATE_REVIEWER, git, login)
+ actor
  + reviewer
  --agent NAME  an agent of this name acts, and no person: it cannot sign off or rule
+ screen
  [the screen]  saved for good with `appellate config KEY VALUE`
    --theme NAME  a bundled theme or one of your themes folder
    --keymap KEYS  your keys: a preset (azerty) or a file
    --view VIEW  buckets or checklist
    --markdown FACE  rendered or raw
    --order ORDER  of the queue: loaded, unreviewed, failed, lowest, random…
    --seed N  int  which random order
    --[no-]ascii  marks of plain ASCII
    --[no-]plain  for screen readers and slow lines: one column, no frames
    --[no-]reduced-motion  nothing moves or blinks
    --[no-]mouse  listen to the mouse, or leave it to the terminal
+ grouped
  --by WHAT  also by group: model, question, cluster, epoch, or meta.KEY of the metadata
  --reducer NAME  action=append  how epochs become one value: mean (the default), median, mode, \
max, majority, at_least_2, pass_at_2, pass_k_2 (from a value on: pass_at_2>=0.5), or one of an \
installed package; again for several

start demo start  Try it on a copy of the samples: no key, no network.
  --folder DIR  keep the demo there (default: a temporary folder)
  --tour  be walked through one correction
  + lines
  + reviewer
  + screen
start review audit  Review an audit: a new one, or one you began.
  + files
  --at ID[/TRAIT]  text  open on this cell: bcl2-2, or 'bcl2-2#2/BCL2 Accuracy'
  + lines
  + revise
  + judge-and-code
  + actor
  + screen
start import other-tools  Make an audit of another tool's file.
  + files
  --blind  record your claim that people ruled without having seen the judge
  --dry-run  say what was recognised; write no audit
  --write-map FILE  file  with --dry-run: write there what --map takes, filled in, to be corrected
start new rubrics  Write a rubric from criteria in words.
  folder FOLDER  file  where rubric and traces are written
  --name NAME  the rubric's name (default: the folder's)
  --criteria FILE  what a good answer states: one a line (- of input), or CSV (FILE:COLUMN of \
several)
  --criterion TEXT  action=append text  one of them (again for several)
  --avoid TEXT  action=append text  what it must not state (again)
  --questions FILE  what is asked, as --criteria has its texts
  --question TEXT  action=append text  one of them (again for several)
judge judge judges  Ask a judge about every cell without an answer.
  + files
  + revise
  + judge-and-code
  [what is judged, and how it is shown]
    + again
    --show-prompt  print what would be sent for the next cell
    --dry-run  count cells, tokens and cost; send nothing
    --json  progress and result as JSON Lines on standard output
judge batch bulk  Judge through a batch engine or a Batch API.
batch export  Write the missing cells as files of requests for a batch engine: no key, no network.
  + paths
  --audit AUDIT  file  the audit file (default: first traces' name + .audit.toml, here)
  + kept
  -o --output FILE  file required=yes  the file of requests (JSON Lines)
  --shape {openai,anthropic}  default=openai  for whom (openai)
  + batch-judge
batch import  Take in what a batch engine answered, in any order and as often as you like.
  + audit
  files FILE  nargs=+  result and error files, or folders of them, in any order
batch run  Answer a file of requests on Ray or Daft, and go on where that stopped.
  + job
  --engine {ray,daft}  required=yes  what runs the workers
  --api-key-env NAME  the environment variable with the endpoint's key (default: no key is sent)
batch job  Print the script that does so, for whoever submits it.
  + job
  --for {vllm,slurm,ray,daft}  dest=engine required=yes  for which engine
batch submit  Upload the missing cells to a server's Batch API.
  + audit
  + batch-judge
batch status  Say how far the submitted batches are.
  + audit
  --json  as JSON (appellate-batches/1)
batch fetch  Download what ended and take it in.
  + audit
judge propose agents  Take in the labels that an agent gives, as a judge's.
  + audit
  file FILE  a line of JSON for each cell: id, trait and the labels; - is standard input
  --agent NAME  text  the agent's name
  --again  labels for cells that were judged before, in a new round
judge check checking  Find every problem of rubrics, traces and audits.
  files FILE  nargs=+  a rubric, traces (held against it), an audit, another tool's; - is standard \
input
  --lint  say what makes the rubric weak, and exit 1 if anything
  --try  say what each pattern of the rubric finds in the traces, and exit 1 if one is too slow
  + drawn-as
  --json  as JSON (appellate-check/1)
judge probe probes  Ask the judge in other ways: do its answers stay?
  + audit
  [what is asked]
    --probe {order,again,padding,evidence,negated,single}  action=append  one probe; again for \
several (default: all of them)
    -n --traces N  positive default=20  how many traces, drawn at random; all their cells are \
asked about (20)
    --seed N  int default=0  which random traces (0)
    --padding TEXT  words  words that say nothing, in your language (default: English)
    --contrary TEXT  words  words before an instruction that ask for its contrary (default: English)
    --yes  send requests without being asked first
    --json  as JSON (appellate-probes/1)
  [the judge]
    + judge
numbers metrics numbers  Show the numbers of an audit.
  + audit-file
  + gold
  + grouped
  | --all  every number, in tables (so do --by and --reducer)
  | --json  as JSON (appellate-metrics/2)
  | --csv  as CSV: a row for each metric and side
numbers sample samples  Draw traces at random, to be ruled on blind.
  + audit-file
  [the files]
    --workspace PATH  file  the working file (default: beside the audit)
    + take
  [what is drawn (nothing: says what the sample is)]
    | -n N  positive  draw N traces at random
    | --add N  positive  draw N more into the sample, by its design
    | --power WANTED  power  draw nothing: say how many audits give an interval of ± .04, or the \
chance that a bar is decided (f1>=.8)
    | --withdraw  take the sample back, while nothing in it is ruled on; the log keeps what it was
    --seed N  seed  what all chance comes from: the same, the same (1)
    --wave NAME  draw from the traces that came in since the last draw, as a wave of this name \
with a seed and numbers of its own
    --by WHAT  action=append  so many of each model, question or meta.KEY of the metadata (again: \
of each combination), or most where the members of a panel disagree: disagreement
    --giants K  giants nargs=? const=auto  rule on all of the K largest traces or clusters (as \
many as stand out), and draw the others at random
    --sighted  show the judge's labels from the start, in place of hiding them until one has ruled
    --json  how far the sample is, as JSON (appellate-sample/1)
    --yes  draw traces that are signed off without being asked first
  [who acts]
    + actor
numbers gate gate  Test a bar on the responses, or with judge. on the judge.
  + audit
  bars BAR  nargs=*  on what people would say of the responses: f1>=.8 of all traits together, \
TRAIT:f1>=.8 of one, <= for at most; on the judge: judge.kappa>=.6, judge.agreement, \
judge.sensitivity, judge.specificity, judge.precision, judge.bias, judge.weighted_kappa of \
scores; exits with 0 (reached), 1 (not reached) or 3 (undecided), of several bars with the worst
  --plan LOOKS  plan to decide at any look, or after so many audits (40,60,80), before the first \
verdict
  + drawn-as
  --history  every look that was taken, when and what it came to; of waves how each stands
  --json  as JSON (appellate-gate/1)
  + actor
numbers gold gold  Freeze labels by people as gold; test judges on it.
gold freeze  Keep what people ruled on or signed off, with the bars that a judge has to reach.
  audits AUDIT  nargs=+  an audit file; with --agree one of each reviewer
  -o --output FILE  file required=yes  the gold set, as x.gold.toml
  --where QUERY  only the cells that a query finds
  --bar BAR  action=append text  what a judge has to reach (again for several): judge.kappa>=.6, \
judge.agreement, judge.sensitivity, judge.specificity, judge.precision, judge.f1, judge.bias, \
judge.weighted_kappa of scores; TRAIT:judge.kappa>=.6 of one trait
  --agree K  positive  of several audits: only what K of them answer alike
  --agents-too  keep labels by agents, too, told apart; no bar counts them
gold check  Test judges on exactly the cells of a gold set; exits with 0 (passed), 1 (not) or 3 \
(undecided).
  gold GOLD  a gold set of `gold freeze`
  [the judges]  each is tested by itself
    --model MODEL  action=append text  a model to ask, by sending requests (again for several)
    --judge NAME  action=append text  lexical[:SHARE] or a profile of config.toml (again for \
several)
    --audit AUDIT  action=append  the labels that the judge of another audit gave (again)
    + endpoint
    + pace
    --cache FILE  keep replies in this file
  --rubric FILE  hold the gold against this rubric, and take its prompts
  --replies FILE  answer from recorded replies: no key, no network
  --record FILE  write all replies into this file, for --replies
  --restate  ask nobody: say what changed, and which cells need a person
  --review AUDIT  make an audit of what one judge says otherwise, and open it
  --any  exit by the best of several judges, not by the worst
  --json  as JSON (appellate-gold-check/1)
  -o --output FILE  file  write the JSON there
  --junit FILE  file  write JUnit XML there
gold drift  Tell the judge's drift from the system's, in two audits of the same traces.
  one A  the audit before
  other B  the audit since
  --json  as JSON (appellate-judge-shifts/1)
numbers compare reviewers  Compare two reviewers; a third may decide.
  one A  the audit of one reviewer
  other B  another reviewer's audit of the same rubric and traces
  --json  as JSON (appellate-compare/1)
  --third C  a third reviewer's audit of the same, for the alternative annotator test
  --epsilon E  float default=0.2  what it is worth that a judge is cheap: .2 beside experts \
(default), .15 beside skilled people, .1 beside hired ones
  --judges  what the judges of both say otherwise, without any sign-off
  --review AUDIT  with --judges: make an audit of what turned, and open it
  [ruling on what they differ in]
    --adjudicate  make an audit of both, where a third rules on what differs without knowing whose \
labels they are, and open it
    -o --output AUDIT  file  with --adjudicate: the third audit
    --shuffle N  int  shuffles whose labels are shown first (a seed)
  + lines
  + actor
  + screen
numbers report report  Make a report to send: numbers and corrections.
  + audit-file
  --format {md,html,json,csv}  the form (default: by the ending of -o, else md)
  -o --output FILE  file  write it there (default: standard output)
  --force  write over a file that is no report
  + drawn-as
  + gold
  + grouped
numbers status agents  Tell what is open in an audit, and what comes next.
  + audit-file
  --json  as JSON (appellate-status/1)
numbers log audit  List what people changed in an audit.
  + audit-file
  --today  only what was done today
  --json  as JSON Lines, an act a line
numbers export other-tools  Give what people ruled back to another tool.
  + audit-file
  --to {rows,csv,inspect,promptfoo,karenina,…}  required=yes  for which tool
  --as {langfuse,phoenix,mlflow,langsmith}  dest=form  with --to rows: in the names of this tool \
(default: OpenTelemetry's)
  --source FILE  the file that was imported, of which a copy is written
  -o --output FILE  file  write it there; for csv a folder (default: standard output)
more second-pass reviewers  Rule again, blind, on a tenth of what you signed off.
  + audit
  -o --output FILE  file  the audit of the second pass (default: x.again.audit.toml beside \
x.audit.toml)
  --share PERCENT  percent default=10  so many of a hundred traces that you signed off (10)
  --seed N  int default=1  which ones (1)
  + actor
more serve terminals  Open the screen in a browser.
  paths FILE  nargs=*  RUBRIC TRACES…, one AUDIT to go on with, or another tool's FILE (promptfoo, \
Inspect, CSV, …); - reads JSON Lines from standard input
  -o --audit AUDIT  file  the audit file (default: first traces' name + .audit.toml, here)
  + kept
  --demo  the samples in a temporary folder, in place of an audit
  [the browser]
    --host HOST  default=127.0.0.1  the address to listen at (127.0.0.1: this machine only)
    --port N  port default=8420  the port (8420; 0 takes a free one)
  + judge-and-code
  + reviewer
  + screen
more config settings  Show settings, or change one.
  key KEY  nargs=?  print one setting; judges: your own judges
  value VALUE  nargs=*  keep it so in config.toml
  | --path  print where config.toml is, or would be
  | --keys  print every binding and its keys, as a keymap file
  | --prompt  print the shipped prompts, to change parts of them
  | --themes  print every theme there is
more schema checking  Print a file format as JSON Schema.
  of {rubric,traces,audit}  which file
more completion terminals  Print what completes commands in your shell.
  shell {bash,zsh,fish}  which shell
more skill agents  Print instructions for an agent that works with audits.
more help start  Show a page of the manual.
  topic PAGE  nargs=*  a page, a command, or words to look for
"""
"""A command a line: its group, its name, its page of the manual, what it does; `+` is the group of
what several commands take, and stands where they take it.

Below are its arguments, two blanks between the columns: the names, with what stands for the value
or what it may be (`…` is what plugins add); what else argparse takes of it, and the type; the help.
An argument by its names alone is a flag. Brackets have the title of a group of the help, with its
arguments below it; of those behind a bar only one may be given. Settings have no default here, so
that the environment and config.toml are asked.
"""
_PARTS_OF_HELP = {
    "the judge": "judge",
    "the screen": "screen",
    "the files": "files",
    "who acts": "actor",
}
"""Groups of arguments that a long help leaves to `--help judge` and so on, by their titles."""
_ALL_OF_HELP = "all"
"""The word after `--help` for every option."""
_NEEDED = {"--judge", "--model", "--base-url", "--allow-code", "--order"}
"""Options of those groups that a new user needs, so a long help shows them nevertheless."""
_LONGEST_HELP = 12
"""Options. The help of a command with more of them is in parts."""
LESSER = "more"
_SHARED = "+"
_INSIDE = "    "
"""The groups of lesser commands and of what is shared; an inner margin."""
_WITH_ACTIONS = ("batch", "gold")
"""Commands that do several things, each of which is in a group of the command's name."""


class _Command(Struct, frozen=True):
    """What it does, its lines of the table, and its page of the manual."""

    text: str
    lines: list[str]
    page: str
    """Its name; "" without a page."""


def _commands_by_group(table: str) -> dict[str, dict[str, _Command]]:
    """Return the commands of a table like `_TABLE` by their group, then by name, in its order.

    A command's line has its group, its name, its page of the manual if it has one, else "" is its
    page, and after two blanks its help. Lines that begin with a blank belong to the command above
    them, and are kept with their blanks. Empty lines are left out.
    """
    commands: dict[str, dict[str, _Command]] = {}
    lines: list[str] = []
    for line in filter(None, table.splitlines()):
        if line.startswith(" "):
            lines.append(line)
            continue
        head, _, text = line.partition("  ")
        group, name, *page = head.split()
        lines = []
        commands.setdefault(group, {})[name] = _Command(text, lines, "".join(page))
    return commands


_COMMANDS = _commands_by_group(_TABLE)
_PARTS = _COMMANDS.pop(_SHARED)
_ACTIONS = {name: _COMMANDS.pop(name) for name in _WITH_ACTIONS}
PAGES = {
    name: known.page for group in _COMMANDS.values() for name, known in group.items()
}
"""The page of each command."""


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line, which has at least one word.

    A former name of a command is read as the current one. The option `words` is the command
    line with the current name. For --help and --version the text is printed on standard
    output, and SystemExit is raised with code 0. A wrong command line, or a command that
    was removed, gets a message on standard error and SystemExit with code 2.
    """
    first_word, *other_words = arguments
    why = _GONE.get(f"appellate {first_word}")
    if why:
        parser().error(f"{first_word} is no longer there: {why}")
    name = OLD_NAMES.get(first_word, first_word)
    is_command = name in PAGES
    if not is_command and name not in ("-h", "--help", "--version"):
        parser().error(_no_command(name))
    command_line = parser(name) if is_command else parser()
    words = [name, *other_words]
    options = command_line.parse_args(words)
    options.words = words
    return options


def _no_command(name: str) -> str:
    """Return a clause that says there is no command `name`, and what was probably meant.

    It is as 'there is no command "chek"; did you mean check?', with the closest command. If none is
    close, it advises `appellate review` for a name with a dot or slash, as that of a file, and
    otherwise --help.
    """
    wrong = f"there is no command {quoted(name)}"
    suggestion = closest(name, PAGES)
    if suggestion:
        return f"{wrong}; did you mean {suggestion}?"
    if "." in name or "/" in name:
        return f"{wrong}; a file is opened by: appellate review {shlex.quote(name)}"
    return f"{wrong}; appellate --help lists them"


def parser(*only: str) -> argparse.ArgumentParser:
    """Return a new parser of the whole command line, or of only the commands named in `only`.

    Names in `only` that are no command are ignored. In a command line a command must be given, and
    an action for a command that has actions. The parser has --help and --version in any case.
    """
    root = _CommandLine(
        prog="appellate",
        usage="appellate [--version] [--help] COMMAND [--help] …",
        description=DESCRIPTION,
        allow_abbrev=False,
    )
    root.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        help="show the version and leave",
    )
    commands = root.add_subparsers(
        dest="command",
        metavar="COMMAND",
        prog="appellate",
        required=True,
        parser_class=_CommandParser,
    )
    for group in _COMMANDS.values():
        for name, command_entry in group.items():
            if only and name not in only:
                continue
            epilog = f"the manual: appellate help {command_entry.page}"
            command = _add_command(commands, name, command_entry, epilog)
            command.lists_fields = name == "import"
            if name in _ACTIONS:
                actions = command.add_subparsers(
                    dest="action",
                    metavar="ACTION",
                    required=True,
                )
                for action, action_entry in _ACTIONS[name].items():
                    _add_command(actions, action, action_entry)
    return root


def _add_fields(formatter: argparse.HelpFormatter) -> None:
    """Add to the help of `import` what --map takes: fields of a trace, and keys of a trait.

    The rows are added to `formatter`, in two sections with a sentence below.
    """
    # no command but this help needs it
    from appellate.interop.table_map import FIELDS, TRAIT_KEYS

    formatter.start_section("--map FIELD=COLUMN, with commas between")
    for field, text in FIELDS.items():
        formatter.add_argument(_help_row(field, text))
    formatter.end_section()
    formatter.start_section("--map KEY.TRAIT=…, with a name of yours for the trait")
    for key, text in TRAIT_KEYS.items():
        formatter.add_argument(_help_row(f"{key}.TRAIT", text))
    formatter.end_section()
    formatter.add_text(
        'A name with , = | or < stands in quotes. The same as TOML: verdict.Safety = "label".',
    )


def _help_row(name: str, text: str) -> argparse.Action:
    """Return a row of a help that is no option: `name` at the left, `text` at the right."""
    return argparse.Action(option_strings=[], dest=name, metavar=name, help=text)


def _add_command(
    commands: Any,
    name: str,
    entry: _Command,
    epilog: str | None = None,
) -> Any:
    """Add a command, or an action of one, with its arguments to `commands`; return its parser.

    `commands` is what `add_subparsers` returned. `entry` has its help, and a line in the form of
    the table at the head of this module for each argument. `epilog` is printed below the help, None
    prints nothing. If the command has many options, its help is in parts (`part_long_help`).
    """
    command = commands.add_parser(
        name,
        help=entry.text,
        description=entry.text,
        epilog=epilog,
        allow_abbrev=False,
    )
    group: Any = None
    exclusive: Any = None
    for line in _expanded(entry.lines):
        names, *columns = line.strip().split("  ")
        if names.startswith("["):
            group = command.add_argument_group(names.strip("[]"), *columns)
            continue
        into = group if line.startswith(_INSIDE) else command
        if not names.startswith("| "):
            exclusive = None
        elif exclusive is None:
            exclusive = into.add_mutually_exclusive_group()
        _add_argument(exclusive or into, names.removeprefix("| ").split(), *columns)
    command.part_long_help()
    return command


def _expanded(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a table of arguments, with shared lines in place of each `+ NAME`.

    Shared lines are those of `_PARTS[NAME]`, and may contain `+ NAME` themselves. They are indented
    as far as the `+` was, less the two blanks that each line of a table begins with. Raises
    KeyError for a NAME without shared lines.
    """
    for line in lines:
        indent, shared, name = line.partition(_SHARED)
        if shared and not indent.strip():
            indent = indent.removeprefix("  ")
            for below in _expanded(_PARTS[name.strip()].lines):
                yield indent + below
        else:
            yield line


def _add_argument(holder: Any, names: Sequence[str], *columns: str) -> None:
    """Add an argument to `holder`, which is a command or a group of its arguments.

    `names` ends with what stands for the argument's value: a word, or the choices in braces; a flag
    has no such end. A choice `…` stands for the names of all installed formats. `--[no-]word` is an
    option for yes or no, None if neither is given. The last of `columns` is the help. Earlier
    columns have settings of argparse, `key=value` with the value kept as text, or the name of a
    type in `_TYPES`; an unknown type raises KeyError.
    """
    *type_words, text = columns
    settings: dict[str, Any] = {"help": text}
    *own_names, last = names
    if last.startswith("{"):
        settings["choices"] = last.strip("{}").split(",")
        if settings["choices"][-1] == "…":
            settings["choices"][-1:] = names_of(FORMATS)
    elif last.startswith("--[no-]"):
        own_names.append(last.replace("[no-]", ""))
        settings |= {"action": argparse.BooleanOptionalAction, "default": None}
    elif last.startswith("-"):
        own_names.append(last)
        settings["action"] = "store_true"
    else:
        settings["metavar"] = last
    for word in " ".join(type_words).split():
        key, is_given, value = word.partition("=")
        if is_given:
            settings[key] = value
        else:
            settings["type"] = _TYPES[key]
    holder.add_argument(*own_names, **settings)


class _CommandLine(argparse.ArgumentParser):
    def format_help(self) -> str:
        """Return the help of the program: its usage, its description, and a line for each command.

        Commands are in groups, the title of a group before its first command. Lesser commands share
        one line. Argparse has no way to say so.
        """
        lines = []
        for title, group in _COMMANDS.items():
            head = title
            if title == LESSER:
                lines.append(f"{head:9}{', '.join(group)}")
                continue
            for name, command in group.items():
                lines.append(f"{head:9}{name:13}{command.text}")
                head = ""
        return "\n".join([self.format_usage(), f"{self.description}\n", *lines, ""])


class _CommandParser(argparse.ArgumentParser):
    """A command, whose help shows at most a dozen options and the others on request."""

    lists_fields = False
    """Whether the help lists every field that --map knows."""

    def __init__(self, **settings: Any) -> None:
        """Make a parser with the --help of this program in place of that of argparse.

        `settings` are those of ArgumentParser.
        """
        super().__init__(add_help=False, **settings)
        self.help_option = self.add_argument(
            "-h",
            "--help",
            action=_Help,
            nargs=0,
            metavar="PART",
            help="show this help",
        )

    def part_long_help(self) -> None:
        """Let `--help` take the word of a part, if there are more options than a help shows.

        Changes only this parser's option --help: without the word, or for a command with few
        options, it stays as it is. It must be called once all arguments were added.
        """
        parts = self.parts_of_help()
        if parts:
            self.help_option.nargs = "?"
            self.help_option.choices = [*parts, _ALL_OF_HELP]
            self.help_option.help = (
                "show this help, or the part of it that a word names"
            )

    def parts_of_help(self) -> dict[str, list[argparse.Action]]:
        """Return all options of each part of a long help, by the part's word: "judge", "files".

        The parts are those groups of the command that `_PARTS_OF_HELP` names. Options that the help
        shows at first nevertheless (`_NEEDED`) are among them. The result is {} for a command with
        at most `_LONGEST_HELP` options, --help not counted.
        """
        options = [action for action in self._actions if action.option_strings]
        if len(options) - 1 <= _LONGEST_HELP:  # -h is not counted
            return {}
        by_title = {group.title: group for group in self._action_groups}
        parts: dict[str, list[argparse.Action]] = {}
        for title, word in _PARTS_OF_HELP.items():
            if title in by_title:
                group = by_title[title]
                parts[word] = group._group_actions  # noqa: SLF001 - argparse has no other list
        return parts

    def format_usage(self) -> str:
        """Return the usage, with a newline at its end.

        Options that a long help leaves out at first are not in it.
        """
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._needed(), self._mutually_exclusive_groups)
        return formatter.format_help()

    def format_help(self, part: str = "") -> str:
        """Return the help with the options that are needed first, one part of it, or all of it.

        `part` is the word of a part, "all", or "" for what is needed first, as is any other word.
        The help of a command without parts always has all of it. The usage, the description and the
        epilog are always there. A help in parts ends with a line that names the parts that are not
        shown.
        """
        parts = self.parts_of_help()
        shown = parts.get(part) or self._needed()
        if part == _ALL_OF_HELP:
            shown = self._actions

        formatter = self._get_formatter()
        formatter.add_usage(self.usage, shown, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for group in self._action_groups:
            in_group = group._group_actions  # noqa: SLF001 - argparse has no other list
            actions = [action for action in in_group if action in shown]
            if actions:
                formatter.start_section(group.title)
                formatter.add_text(group.description)
                formatter.add_arguments(actions)
                formatter.end_section()
        if self.lists_fields:
            _add_fields(formatter)
        if parts and part != _ALL_OF_HELP:
            others = [f"--help {word}" for word in parts if word != part]
            formatter.add_text(
                f"more options: {', '.join(others)}, --help {_ALL_OF_HELP}",
            )
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def _needed(self) -> list[argparse.Action]:
        """Return the arguments that the help shows at first, in the order in which they were added.

        Left out are the options of a part of a long help, except those in `_NEEDED`. For a short
        help these are all arguments.
        """
        left_out: list[argparse.Action] = []
        for options in self.parts_of_help().values():
            for option in options:
                if _NEEDED.isdisjoint(option.option_strings):
                    left_out.append(option)
        return [action for action in self._actions if action not in left_out]

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the options of a command line, and an empty list: unknown words end the program.

        A command refuses unknown words with its own usage, not that of all commands. For an option
        that there was once it says what to use instead. The message is on standard error, and
        SystemExit is raised with code 2.
        """
        options, unknown = super().parse_known_args(args, namespace)
        for word in unknown:
            option, _, _ = word.partition("=")
            why = _GONE.get(f"{self.prog} {option}")
            if why:
                self.error(f"{option} is no longer there: {why}")
        if unknown:
            self.error(self._unrecognized(unknown))
        return options, unknown

    def _unrecognized(self, words: Sequence[str]) -> str:
        """Return a clause on the words that the command does not know, and options probably meant.

        It is as "unrecognized arguments: --jugde=x y; did you mean --judge?". All words are named.
        Options are suggested for words that begin with `--`, by what comes before their `=`;
        without a similar one the clause ends with the words.
        """
        text = f"unrecognized arguments: {' '.join(words)}"
        suggestions: list[str] = []
        for word in words:
            option, _, _ = word.partition("=")
            if option.startswith("--"):
                suggestions.append(closest(option, self._option_string_actions, 0.75))
        likely = " or ".join(filter(None, dict.fromkeys(suggestions)))
        if likely:
            text += f"; did you mean {likely}?"
        return text


class _Help(argparse.Action):
    def __call__(self, parser: Any, _: object, part: Any, *__: object) -> None:
        show(parser.format_help(part or "").rstrip("\n"))
        parser.exit()


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        show(f"appellate {running()}")
        parser.exit()


# -- what values may be ----------------------------------------------------------------------------


def _whole(least: int, most: float, what: str) -> Callable[[str], int]:
    """Return a function that reads a whole number from `least` to `most`, both included.

    For any other text it raises ArgumentTypeError with the clause that the text "is not `what`".
    """

    def read(text: str) -> int:
        """Return the number that a text of digits, in any script, is if it is within the limits.

        Raises ArgumentTypeError for any other text, also for one with a sign or a blank, or of more
        than 18 digits.
        """
        from appellate.stats.whole_number import whole_number

        number = whole_number(text)
        if number is None or not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{quoted(text)} is not {what}")
        return number

    return read


def _half_width(text: str) -> float:
    """Return the finite number above 0 that a text is; raises ArgumentTypeError for any other."""
    try:
        half = float(text)
    except ValueError:
        half = 0.0
    if not 0 < half < inf:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a number above 0, as 0.04",
        )
    return half


def _power(text: str) -> Any:
    """Return the bar, or the half-width of an interval, that the text of --power asks for.

    A text with <, >, ≤ or ≥ in it is a bar such as `f1>=.8`, returned as a `TrustBar`. Any other is
    a half-width, returned as a finite float above 0. Raises ArgumentTypeError for a text that is
    neither.
    """
    if not {"<", ">", "≤", "≥"}.intersection(text):
        return _half_width(text)
    from appellate.stats.looks import read_bar

    try:
        return read_bar(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{quoted(text)} {error}") from error


def _giants(text: str) -> int:
    """Return how many of the largest units are all to be ruled on, as the text of --giants says.

    "auto" gives 0, which stands for as many as stand out. Raises ArgumentTypeError for any text
    that is neither that nor a whole number from 1 on.
    """
    if text == "auto":
        return 0
    whole: int = _whole(1, inf, "a whole number from 1 on, or nothing")(text)
    return whole


def file_name(text: str) -> str:
    """Return the name of a file as it is; raises ArgumentTypeError for "".

    Whether there is such a file is not looked at, and blanks are a name.
    """
    if not text:
        raise argparse.ArgumentTypeError("names no file")
    return text


def _stripped_text(text: str) -> str:
    """Return a text without white space around it; raises ArgumentTypeError if nothing is left.

    White space within it stays. Bytes that are not UTF-8 are replaced.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("there are no words in it")
    return in_unicode(text.strip())


_TYPES: dict[str, Callable[[str], Any]] = {
    "file": file_name,
    "float": float,
    "giants": _giants,
    "percent": _whole(1, 100, "a whole number from 1 to 100"),
    "power": _power,
    "int": int,
    "port": _whole(0, 65535, "a port from 0 to 65535"),
    "positive": _whole(1, inf, "a whole number from 1 on"),
    "text": in_unicode,
    "seed": _whole(0, 10**10 - 1, "a whole number of at most ten digits"),
    "words": _stripped_text,
}
