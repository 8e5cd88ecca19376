"""Runs functions of other people in a process that is not ours, one at a time, within limits.

The process is Python without the settings of the environment (`-I`), with a handful of harmless
variables: no keys, no tokens, no proxies. It inherits no file of ours. Its memory and the time that
it computes are bounded by the kernel; the clock ends what only waits. On Windows the clock is all
there is. What this does not do: it is the same user on the same machine, so a function can read and
write what that user can. It is run because a person allowed it.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from appellate.core.kind import NotComputed
from appellate.core.problem import signal_name
from appellate.core.trace import Trace
from appellate.traits.worker_process import WorkerProcess

if TYPE_CHECKING:
    from appellate.core.transcript import Step

STRIKES = 3
"""The number of responses on which a function may take too long before it is given up."""
KEPT_VARIABLES = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SYSTEMROOT",
)
"""The variables of the environment that the process gets."""
# of `code_worker.py`
ANSWERS = frozenset({"value", "type", "large", "raised", "missing"})
_WORKER = Path(__file__).with_name("code_worker.py")
_LATER = 5.0
"""Seconds after which the kernel ends a call that this program, which may be gone, did not end."""
_TIMER = getattr(signal, "SIGPROF", None)
"""The signal that ends the process when a function computes too long; None on Windows."""


class CodeLimits(NamedTuple):
    """The limits of one call."""

    computing: float = 10.0
    """Seconds of computing."""
    waiting: float = 30.0
    """Seconds by the clock."""
    loading: float = 60.0
    """Further seconds, of both, to load a module."""
    memory: int = 4096
    """Megabytes."""


class CodeRunner:
    """Runs one function at a time, from any thread; a process begins with the first call."""

    def __init__(
        self,
        folders: Sequence[str],
        limits: CodeLimits | None = None,
    ) -> None:
        """Prepare to run functions of modules that are looked for in `folders` first.

        No process is started yet. `limits` None stands for the defaults of `CodeLimits`.
        """
        self._folders = folders
        self._limits = limits or CodeLimits()
        self._lock = threading.Lock()
        self._process: WorkerProcess | None = None
        self._loaded: set[str] = set()  # modules that the process has
        self._is_closed = False
        self._slow: dict[str, int] = {}

    def table(
        self,
        function: str,
        trace: Trace,
        read: Callable[[object], dict[str, Any]],
    ) -> dict[str, Any]:
        """Return the judge's table of a response: what `read` makes of the function's value.

        The function gets the trace's keys without judgments, and the text that is judged as
        "response". For a conversation that is its whole text, and "steps" has its steps. `read`
        raises ValueError for a value that is no verdict, in words that follow the function's name
        ("returned 7, not a number from 1 to 5"). Raises NotComputed, with the reason, then and if
        there is no value.
        """
        trace_table = trace.model_dump(mode="json", exclude={"judgments"})
        trace_table["response"] = trace.text
        if trace.transcript is not None:
            trace_table["steps"] = [
                _step_table(step) for step in trace.transcript.steps
            ]
        try:
            return read(self.run(function, trace_table))
        except ValueError as wrong:
            raise NotComputed(f"{function} {wrong}.") from None

    def run(self, function: str, trace: Mapping[str, Any]) -> object:
        """Run a function ("package.module:function") on a trace, and return its value.

        `trace` is JSON by key and has "response". The value is true or false, a number, a text or
        a dictionary of such and None. Waits for other calls to end. Raises NotComputed with the
        reason if it returns nothing usable, raises an error, takes too long, or took too long on
        `STRIKES` responses before. It does too once `close` was called.
        """
        with self._lock:
            if self._is_closed:
                raise NotComputed(f"{function} was not run: running was stopped.")
            if self._slow.get(function, 0) >= STRIKES:
                text = f"{function} took too long on {STRIKES} other responses"
                raise NotComputed(f"{text}, so it was not run on this one.")
            process = self._running_process()
            module, _, name = function.partition(":")
            patience = self._limits.waiting
            if module not in self._loaded:
                patience += self._limits.loading
                self._loaded.add(module)
            limits = (self._limits.loading, self._limits.computing, patience + _LATER)
            request = json.dumps([module, name, trace, *limits])
            line = process.line(patience, request.encode() + b"\n")
            if not line:
                raise NotComputed(self._end_unanswered(process, function, patience))
            fields = _received(line)
            if not fields:
                self._process = (
                    None  # else what it answers yet would be the next call's
                )
                process.end()
                raise NotComputed(
                    f"{function} wrote among the answers here and was ended.",
                )
        return _value_in(fields, function)

    @property
    def process_id(self) -> int | None:
        """The id of the process, or None if there is none."""
        return None if self._process is None else self._process.id

    def close(self) -> None:
        """End the process and a call that is running, at once, from any thread.

        That call, and any later one, raises NotComputed.
        """
        self._is_closed = True
        process = self._process
        if process is not None:
            process.kill()
        with self._lock:
            if self._process is not None:
                self._process.end()
            self._process = None

    def _running_process(self) -> WorkerProcess:
        """Return the process, started if there is none; a new one has loaded no modules yet.

        It is killed at once if `close` was called in the meantime, and returned anyway. The caller
        must hold the lock.
        """
        if self._process is None:
            command = [
                sys.executable,
                "-I",
                "-B",
                str(_WORKER),
                str(self._limits.memory),
            ]
            variables = {
                name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ
            }
            self._process = WorkerProcess(
                *command,
                *self._folders,
                name="code",
                environ=variables,
            )
            self._loaded.clear()
        if self._is_closed:  # who closed it saw no process yet
            self._process.kill()
        return self._process

    def _end_unanswered(
        self,
        process: WorkerProcess,
        function: str,
        patience: float,
    ) -> str:
        """End and forget a process that gave no answer to a call, and return why in a sentence.

        If the function took too long, that is counted as one of its `STRIKES`. `patience` is how
        many seconds an answer was waited for; it is named only if that time passed. Other sentences
        name the limit of computing, or the signal or exit code.
        """
        self._process = None
        code = process.end()
        if process.is_stuck or -code == _TIMER:
            self._slow[function] = self._slow.get(function, 0) + 1
            limit = f"computed for longer than {self._limits.computing:g} s"
            if process.is_stuck:
                limit = f"gave no value for {patience:g} s"
            return f"{function} {limit} and was ended."
        end = signal_name(-code)
        if code >= 0:
            end = f"exit code {code}"
        return f"{function} ended its process ({end})."


def _step_table(step: "Step") -> dict[str, Any]:
    """Return a step of a conversation as functions get it, by key.

    The keys are "no", the step's number; "role" and "name" of who speaks; "does", what the step
    does; and "text", as it was recorded.
    """
    turn = step.turn
    return {
        "no": step.no,
        "role": turn.role,
        "name": turn.name,
        "does": turn.does,
        "text": turn.text,
    }


def _received(line: bytes) -> dict[str, Any]:
    """Return an answer of the process, such as {"value": 0.5}, with text that can be stored.

    Its one key is among `ANSWERS`. Returns {} for a line that is no answer, because a function
    wrote it. Lone surrogates are replaced, also in a dictionary's keys and entries.
    """
    # nothing before the first paint needs it
    from appellate.talk.dialogue import readable

    fields = None
    with suppress(ValueError):
        fields = json.loads(line)
    if not isinstance(fields, dict) or len(fields) != 1:
        return {}
    if not ANSWERS.issuperset(fields):
        return {}
    cleaned: dict[str, Any] = {}
    for key, value in fields.items():
        cleaned[key] = value
        if isinstance(value, str):
            cleaned[key] = readable(value)
        if isinstance(value, dict):
            cleaned[key] = {}
            for name, entry in value.items():
                text = readable(entry) if isinstance(entry, str) else entry
                cleaned[key][readable(name)] = text
    return cleaned


def _value_in(fields: Mapping[str, Any], function: str) -> object:
    """Return the value in an answer of the process, which has exactly one of the keys `ANSWERS`.

    For example True for {"value": True}. Raises NotComputed, with a sentence, for any other key:
    "missing" (it is the sentence), "raised" (an error in words), "large" (how many bits a whole
    number has) or "type" (of a value that is no verdict). The last three sentences begin with
    `function`.
    """
    if "missing" in fields:
        raise NotComputed(str(fields["missing"]))
    if "raised" in fields:
        raise NotComputed(f"{function} raised {fields['raised']}")
    if "large" in fields:
        bits = f"{fields['large']} bits"
        raise NotComputed(
            f"{function} returned a whole number of {bits}, which is too large.",
        )
    if "type" in fields:
        returned = f"a value of type {fields['type']}"
        raise NotComputed(f"{function} returned {returned}, which is no verdict.")
    value: object = fields["value"]
    return value
