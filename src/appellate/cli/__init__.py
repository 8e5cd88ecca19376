"""Runs the command `appellate`: takes its arguments and ends with an exit code.

Each command is a module of this package, and only that module is imported. Nothing is imported
before `run` that Python has not loaded itself: else Ctrl+C would show a traceback.
"""

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = {"import": "import_file"}
"""The modules of commands whose names are keywords of Python."""
_GARBAGE = 50_000
"""New objects after which garbage is collected. Python's 700 cost a sixth of a long command."""


def run() -> None:
    """Run the command of `sys.argv` and end the process with its exit code; never returns.

    The code is that of the command, or 1 (FAILED) if the command succeeded and its output could not
    be written; a reader that has gone, as `head` does, changes nothing. Ctrl+C before or after the
    command itself ends with 130 and without a message. An error that `main` raises passes through.
    Letters that standard output could not show are noted on standard error.

    Standard streams that the caller closed are replaced, and both get error handlers. The process
    ends by SystemExit, or at once if Daft was loaded (`_end_at_once`).
    """
    gc.disable()  # importing makes no garbage, and the collector would look for some a dozen times
    try:
        from appellate.cli import narrow_output
        from appellate.cli.outcome import Ended, deliver, notes

        # a stream that the caller has closed: the next file that is opened would take its place
        sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
        sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
        narrow_output.accept_every_text()
        try:
            code = main(sys.argv[1:])
        except SystemExit as exit_of_argparse:
            code = int(exit_of_argparse.code or 0)
        try:
            deliver()
        except Ended as ended:
            code = code or ended.code
        loss = narrow_output.loss_note()
        if loss:
            notes([loss])
        if "daft" in sys.modules and "ray" not in sys.modules:
            _end_at_once(code)
        sys.exit(code)
    except KeyboardInterrupt:
        sys.exit(130)


def _end_at_once(code: int) -> None:
    """Flush both standard streams and end the process with a code; never returns.

    What is on standard output must have been delivered. Python's own end is left out: no exit
    handlers run. Threads of Daft outlive its work, and one that asks for Python while Python ends
    aborts the process. A run that has all its answers would end by a signal.
    """
    sys.stdout.flush()  # it was delivered already, so that this cannot fail
    sys.stderr.flush()
    os._exit(code)


def main(arguments: "Sequence[str]") -> int:
    """Run one command and return its exit code; `arguments` are the words after the program's name.

    What goes wrong becomes a sentence on standard error and a code: 2 (UNUSABLE) for an
    OSError that names a file and for Unusable, with the number of its problems below them
    if there are several, 130 for Ctrl+C, and 1 (FAILED) for a disk that refuses to save.
    For Ended its code is returned and nothing is said. Any other error is raised, and so is
    SystemExit of the help and of a wrong command line.
    """
    from appellate.cli.outcome import Ended, Exit, ProgressLine, say
    from appellate.core.problem import Unusable

    try:
        _run(arguments)
    except Ended as ended:
        return ended.code
    except Unusable as error:
        say(*error.problems)
        if len(error.problems) > 1:
            say(f"{len(error.problems)} problems.")
        return Exit.UNUSABLE
    except KeyboardInterrupt:
        say("Interrupted.")
        return Exit.INTERRUPTED
    except OSError as error:
        if error.filename is None:
            raise
        # a name that is too long, for example, which no command looks for
        say(f"{error.filename}: cannot be used: {error.strerror}")
        return Exit.UNUSABLE
    except Exception as error:
        text = _refused_by_disk(error)
        if not text:
            raise
        say(text)
        return Exit.FAILED
    finally:
        ProgressLine.in_lines = False  # the next command of this process draws as usual
    return Exit.DONE


def _refused_by_disk(error: Exception) -> str:
    """Return what to say about a disk that refused to save, and what is saved anyway.

    The disk refused if the audit file or the workspace could not be written. Returns "" for
    any other error.
    """
    from appellate.store.audits.audit_sync import NotWritten
    from appellate.store.database import NotKept, refusal_of

    if isinstance(error, NotWritten):
        return f"{error}. {NotKept.standing}"
    refusal = refusal_of(error)
    if refusal:
        return f"Not saved: {refusal}. {refusal.standing}"
    return ""


def _run(arguments: "Sequence[str]") -> None:
    """Import the module of a command and call its function with the options.

    Without arguments the help is printed on standard output instead. Garbage is collected once the
    module is imported, but seldom. An environment variable, unless it is set, is set so that
    pydantic loads no plugins. Raises whatever the command raises, and SystemExit for the help and
    for a command line that cannot be read.
    """
    from importlib import import_module

    from appellate.cli import arguments as command_line

    if not arguments:
        command_line.parser().print_help()
        return
    options = command_line.parsed(arguments)
    # else the first model looks for plugins in whatever is installed
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    name = _NAMES.get(options.command) or options.command.replace("-", "_")
    module = import_module(f"appellate.cli.{name}")
    gc.freeze()  # what is imported stays
    gc.set_threshold(_GARBAGE)
    gc.enable()
    getattr(module, name)(options)
