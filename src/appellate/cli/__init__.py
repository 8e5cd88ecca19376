"""The command `appellate`: arguments in, an exit code out; no command loads more than it needs.

Nothing is imported before `run` that Python has not loaded itself: Ctrl+C would show a traceback.
"""

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = {"import": "import_file"}
"""Commands whose names are words of Python."""
_GARBAGE = 50_000
"""Objects after which the collector looks: at Python's 700 it took a sixth of a long command."""


def run() -> None:
    """The console script. Ctrl+C while it is being loaded ends it without a word."""
    try:
        from appellate.cli import narrow_output
        from appellate.cli.outcome import Ended, deliver, notes

        # a stream that the caller has closed: the next file that is opened would take its place
        sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
        sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
        narrow_output.accept_every_text()
        try:
            code = main(sys.argv[1:])
        except SystemExit as left:  # argparse's, with a number
            code = int(left.code or 0)
        try:
            deliver()
        except Ended as ended:
            code = code or ended.code
        if lost := narrow_output.loss():
            notes([lost])
        sys.exit(code)
    except KeyboardInterrupt:
        sys.exit(130)


def main(arguments: "Sequence[str]") -> int:
    """Runs one command; a person's mistake is a sentence, never a traceback."""
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
        # a name too long, say, that nobody looked for
        say(f"{error.filename}: cannot be used: {error.strerror}")
        return Exit.UNUSABLE
    except Exception as error:
        told = _refused_by_disk(error)
        if not told:
            raise
        say(told)
        return Exit.FAILED
    return Exit.DONE


def _refused_by_disk(error: Exception) -> str:
    """Return the sentence about a disk that refused something, or "" for any other error."""
    from appellate.store.audits.audit_sync import NotWritten
    from appellate.store.database import NotKept, refusal_of

    if isinstance(error, NotWritten):
        return f"{error}. {NotKept.standing}"
    if refusal := refusal_of(error):
        return f"Not saved: {refusal}. {refusal.standing}"
    return ""


def _run(arguments: "Sequence[str]") -> None:
    from importlib import import_module

    from appellate.cli import arguments as known

    if not arguments:
        known.parser().print_help()
        return
    given = known.parsed(arguments)
    # else the first model looks for plugins in whatever is installed
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.disable()  # importing makes no garbage, and the collector would look for some a dozen times
    name = _NAMES.get(given.command) or given.command.replace("-", "_")
    module = import_module(f"appellate.cli.{name}")
    gc.freeze()  # what is imported stays
    gc.set_threshold(_GARBAGE)
    gc.enable()
    getattr(module, name)(given)
