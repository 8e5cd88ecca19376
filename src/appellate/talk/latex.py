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
    r"""Return a text in which a tab and "heta" is `\theta` again, where `quoted` has that.

    It undoes what a JSON reader made of LaTeX, in texts that were read by others.
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
