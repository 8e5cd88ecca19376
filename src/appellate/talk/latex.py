r"""LaTeX commands in JSON: `\theta` is read as a tab and "heta"."""

import re

_COMMAND = re.compile(r"\\([bfnrt][A-Za-z]+)")
_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*+)\\([bfnrt][A-Za-z]+)")
_REAL = re.compile(r"([\b\f\n\r\t])([A-Za-z]+)")
_NAMES = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}


def with_backslashes(reply: str, quoted: str) -> str:
    r"""Return a JSON reply with the backslashes of LaTeX doubled, where `quoted` has them.

    Models copy `\theta` as it stands, which JSON reads as a tab and "heta". What `quoted` has both
    with a backslash and after a real tab or line break may mean either, and stays as it is.
    """
    commands = _commands_in(quoted)
    if not commands:
        return reply

    def put_back(match: re.Match[str]) -> str:
        if match[2] not in commands:
            return match[0]
        return f"{match[1]}\\\\{match[2]}"

    return _ESCAPED.sub(put_back, reply)


def with_commands(text: str, quoted: str) -> str:
    r"""Return a text in which a tab followed by "heta" is `\theta` again.

    A JSON reader makes that of an undoubled backslash, likewise with b, f, n and r. Only commands
    that occur somewhere in `quoted`, the response that was copied from, are put back.
    """
    commands = _commands_in(quoted)

    def put_back(match: re.Match[str]) -> str:
        command = _NAMES[match[1]] + match[2]
        if command not in commands:
            return match[0]
        return f"\\{command}"

    return _REAL.sub(put_back, text)


def _commands_in(quoted: str) -> set[str]:
    """Return the LaTeX commands of a text that JSON would read as a control and letters."""
    commands: set[str] = set()
    if "\\" in quoted:
        commands = set(_COMMAND.findall(quoted))
        for control, letters in _REAL.findall(quoted):
            commands.discard(_NAMES[control] + letters)
    return commands
