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
    """Run the command of this process and exit with its code, by raising SystemExit.

    A code other than 0 of the command goes before a failure to write its output. Characters that
    standard output lacks are noted. Ctrl+C while the command is being loaded ends it without a
    message.
    """
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
        loss = narrow_output.loss()
        if loss:
            notes([loss])
        if "daft" in sys.modules and "ray" not in sys.modules:
            _end_at_once(code)
        sys.exit(code)
    except KeyboardInterrupt:
        sys.exit(130)


def _end_at_once(code: int) -> None:
    """End the process without the interpreter's own end, with all that was printed written out.

    Threads of Daft outlive its work, and one that asks for Python while Python ends aborts the
    process: a run that has all its answers would end by a signal.
    """
    sys.stdout.flush()  # it was delivered already, so that this cannot fail
    sys.stderr.flush()
    os._exit(code)


def main(arguments: "Sequence[str]") -> int:
    """Run one command and return its exit code.

    A mistake of the person, Ctrl+C, or a disk that refuses something becomes a sentence on standard
    error. Any other error is raised, and so is SystemExit of the help or a wrong command line.
    """
    from appellate.cli.outcome import Ended, Exit, say
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
    return Exit.DONE


def _refused_by_disk(error: Exception) -> str:
    """Return the sentence about a disk that refused something, and what is saved all the same.

    It is "" for any other error. Such errors are those of writing the audit file and of the
    workspace.
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
    """Import the module of a command and call its function; without arguments print the help.

    Garbage is not collected during the import, and seldom afterwards. Raises whatever the command
    raises, and SystemExit for a command line that cannot be read.
    """
    from importlib import import_module

    from appellate.cli import arguments as command_line

    if not arguments:
        command_line.parser().print_help()
        return
    options = command_line.parsed(arguments)
    # else the first model looks for plugins in whatever is installed
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.disable()  # importing makes no garbage, and the collector would look for some a dozen times
    name = _NAMES.get(options.command) or options.command.replace("-", "_")
    module = import_module(f"appellate.cli.{name}")
    gc.freeze()  # what is imported stays
    gc.set_threshold(_GARBAGE)
    gc.enable()
    getattr(module, name)(options)
