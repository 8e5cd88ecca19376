"""The program of the process in which code of other people runs: one function at a time, and its
value.

It is run as a script, not imported. Its arguments are the folders in which modules are looked for
first. Each line of its input is one request, a JSON list: module, function, the keys of the trace,
the seconds of computing that loading the module may take and the function, and those by the clock
for both. Its answer is one line, an object with one key:
`value` (a dictionary's entries are such values, or null), or what there was instead of one: `type`
(of another thing), `large` (the bits of a whole number that has too many), `raised` or `missing`
(sentences).

What the function prints, reads or leaves open is not ours: it has no standard input, its output
goes nowhere, and our pipes have other numbers, are not inherited and are closed in a fork. Python's
own connections are refused. That keeps honest code from mistakes; it is no wall against code that
means harm.
"""

import builtins
import importlib
import inspect
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_LONGEST = 500
"""Characters of a text, or of an error, that are sent."""
_NETWORK = frozenset(
    {
        *("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"),
        *("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"),
    },
)
_BITS = 64
_MOST = 100
"""The largest number of entries of a dictionary that are sent."""


class NoFunction(Exception):
    """Raised if there is no such function, with a sentence that says why."""


def answer(line: bytes) -> bytes:
    """Run the function of one request, and return the answer as a line of JSON.

    A request is a JSON list such as ["rules", "polite", {"response": "Hi."}, 60, 10, 35]: module,
    function, trace, seconds of computing for loading and for the call, and seconds by the clock for
    each. The answer is such as {"value": true}, or {"raised": "KeyError: 'tone'"}: whatever the
    function raises is in it. The kernel ends the process if a limit is passed.
    """
    module, function, trace, loading, computing, waiting = json.loads(line)
    try:
        _end_after(loading, waiting)
        function_there = function_of(module, function)
        _end_after(computing, waiting)
        fields = valued(call(function_there, trace))
    except NoFunction as missing:
        fields = {"missing": str(missing)}
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the function's
        fields = {"raised": described(error)}
    finally:
        _end_after(0, 0)
    return json.dumps(fields).encode() + b"\n"


def function_of(module: str, name: str) -> Callable[..., Any]:
    """Return the function of that name, which may have dots, after importing its module.

    Raises NoFunction if there is no such module or function, if the module cannot be loaded, and
    for what cannot be called.
    """
    try:
        target: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(f"{error.name}.")):
            places = ", ".join(sys.argv[1:])
            searched = f"it was looked for in {places} and among what is installed"
            raise NoFunction(f"There is no module {module}: {searched}.") from None
        raise NoFunction(
            f"The module {module} cannot be loaded: {described(error)}.",
        ) from None
    except BaseException as error:  # noqa: BLE001 - of code that is not ours
        raise NoFunction(
            f"The module {module} cannot be loaded: {described(error)}.",
        ) from None
    for part in name.split("."):
        target = getattr(target, part, None)
    if target is None:
        raise NoFunction(f"The module {module} has no function {name}.")
    if not builtins.callable(target):
        raise NoFunction(
            f"{module}:{name} is no function, but a {type(target).__name__}.",
        )
    function: Callable[..., Any] = target
    return function


def call(function: Callable[..., Any], trace: dict[str, Any]) -> object:
    """Return what a function returns for a response, or raise what it raises.

    It gets `trace["response"]` first, and each key of the trace that is the name of another of its
    parameters, by name. A parameter of any other name gets nothing, also `**names`. A function that
    does not tell its parameters gets only the response.
    """
    try:
        _, *parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # of C, or without any: the call itself will tell
        parameters = []
    extra_arguments = {key: trace[key] for key in parameters if key in trace}
    return function(trace["response"], **extra_arguments)


def valued(value: object) -> dict[str, Any]:
    """Return a function's value as the answer has it, as {"value": 3} or {"value": {"a": None}}.

    Texts are cut at 500 characters. For a whole number of 64 bits or more, return how many bits it
    has, as {"large": 70}; for another type, its name, as {"type": "list"}. A dictionary with such
    an entry, with another dictionary in it, with keys that are no short texts or with more than 100
    entries is refused the same way: {"type": "dict with a value of type list"}.
    """
    if isinstance(value, bool):
        return {"value": value}
    if isinstance(value, str):
        return {"value": str(value)[:_LONGEST]}
    if isinstance(value, float):
        return {"value": float(value)}
    if isinstance(value, int) and value.bit_length() < _BITS:
        return {"value": int(value)}
    if isinstance(value, int):
        return {"large": value.bit_length()}
    if isinstance(value, dict):
        return _valued_entries(value)
    return {"type": _type_name(type(value))}


def _valued_entries(table: dict[Any, Any]) -> dict[str, Any]:
    """Return a dictionary's values by key as the answer has them, under "value".

    Values are as `valued` returns them, and None stays. For any other dictionary return what is
    wrong instead: a number's bits under "large", or words on it under "type", such as "dict with a
    value of type list". A dictionary with more than 100 entries, a key that is no text of at most
    500 characters, and another dictionary as a value are wrong, too.
    """
    if len(table) > _MOST:
        return {"type": f"dict with {len(table)} entries"}
    sent: dict[str, Any] = {}
    for key, value in table.items():
        if not isinstance(key, str) or len(key) > _LONGEST:
            return {"type": "dict with a key that is no short text"}
        if value is None:
            sent[str(key)] = None
            continue
        fields = {"type": "dict"}
        if not isinstance(value, dict):
            fields = valued(value)
        if "large" in fields:
            return fields
        if "type" in fields:
            return {"type": f"dict with a value of type {fields['type']}"}
        sent[str(key)] = fields["value"]
    return {"value": sent}


def described(error: BaseException) -> str:
    """Return an error's type and message, as "KeyError: 'tone'", without a line of its code.

    The message is cut at 500 characters. An error whose message is empty, or cannot be made, is its
    type alone; only a MemoryError is then given words.
    """
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - its words are its own code
        message = ""
    text = _type_name(type(error))
    if isinstance(error, MemoryError) and not message:
        message = "it took more memory than it may"
    if message:
        text += f": {message[:_LONGEST]}"
    return text


def _type_name(kind: type) -> str:
    """Return the name of a type, with its module unless it is built in.

    For example "list" or "json.decoder.JSONDecodeError".
    """
    if kind.__module__ == "builtins":
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


# -- what the process may --------------------------------------------------------------------------


def _end_after(  # pragma: no cover - in a process of its own
    computing: float,
    waiting: float,
) -> None:
    """Let the kernel end the process after so many seconds; 0 takes that back.

    `computing` counts the time that the process computes, `waiting` the clock. On Windows nothing
    is done.
    """
    if sys.platform != "win32":  # Windows has no such timers
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, computing)
        signal.setitimer(signal.ITIMER_REAL, waiting)


def limit(megabytes: int) -> None:  # pragma: no cover - in a process of its own
    """Limit the memory of the process, if the system can, and leave no core file behind.

    On Windows nothing is done.
    """
    if sys.platform == "win32":  # Windows has no such limits
        return
    import resource

    size = megabytes * 1024 * 1024
    for resource_kind, maximum in (
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # macOS refuses the first
            resource.setrlimit(resource_kind, (maximum, maximum))


def refuse_network(event: str, _: tuple[Any, ...]) -> None:
    """Raise PermissionError for an event by which Python uses the network.

    Such are connecting, binding, sending and looking up a host. It is an audit hook of this
    process; other events pass.
    """
    if event in _NETWORK:
        raise PermissionError("a callable trait's function has no network here")


def main() -> None:  # pragma: no cover - in a process of its own
    """Answer requests from standard input until it ends, within the limits.

    What functions print or read goes nowhere. The arguments of the program are the megabytes of
    memory and the folders of modules.
    """
    # our input and output under other numbers, with nothing in their old places
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    # a child that outlives us would hold our output open
    if hasattr(os, "register_at_fork"):
        first, last = sorted((requests.fileno(), answers.fileno()))
        os.register_at_fork(after_in_child=lambda: os.closerange(first, last + 1))
    megabytes, *folders = sys.argv[1:]
    limit(int(megabytes))  # before modules of those folders can stand for any of ours
    sys.argv[1:] = folders
    sys.path[:0] = folders
    sys.addaudithook(refuse_network)
    for line in requests:
        answers.write(answer(line))
        answers.flush()


if __name__ == "__main__":  # pragma: no cover - in a process of its own
    main()
