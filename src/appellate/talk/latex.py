r"""Keep LaTeX commands in JSON: a model copies `\theta`, and JSON reads it as a tab and "heta".

`with_backslashes()` prepares a reply before JSON is read, `with_commands()` mends text after it.
"""

import re

_COMMAND = re.compile(r"\\([bfnrt][A-Za-z]+)")
"""A command that JSON would read as a control character and letters."""
_ESCAPED = re.compile(r"(?<!\\)(?P<before>(?:\\\\)*+)\\(?P<command>[bfnrt][A-Za-z]+)")
"""Such a command after an even number of backslashes, which is undoubled."""
_CONTROL = re.compile(r"(?P<control>[\b\f\n\r\t])(?P<letters>[A-Za-z]+)")
"""A real control character and the letters after it."""
_ESCAPE_LETTERS = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}


def with_backslashes(reply: str, quoted: str) -> str:
    """Return a JSON reply with LaTeX commands from `quoted` that have a single backslash doubled.

    `quoted` is the text that the model copied from. Only commands that begin with b, f, n, r or t
    are meant: JSON would read their beginning as a control character. A command that `quoted` also
    has after a real tab or line break may mean either, so it is left unchanged.
    """
    commands = _commands_in(quoted)
    if not commands:
        return reply

    def with_doubled_backslash(match: re.Match[str]) -> str:
        """Return a backslash and a command with one more backslash if the command is from `quoted`.

        Any other is returned unchanged.
        """
        if match["command"] not in commands:
            return match[0]
        return f"{match['before']}\\\\{match['command']}"

    return _ESCAPED.sub(with_doubled_backslash, reply)


def with_commands(text: str, quoted: str) -> str:
    r"""Return a text that was read from JSON, in which a tab followed by "heta" is `\theta` again.

    A JSON reader turns an undoubled backslash into that, and does so with b, f, n and r too. Only
    commands that occur in `quoted`, the response that was copied from, are put back, and only if
    `quoted` does not also have them after a real tab or line break.
    """
    commands = _commands_in(quoted)

    def as_command(match: re.Match[str]) -> str:
        """Return a control character and letters as a LaTeX command if `quoted` has that command.

        It begins with a backslash then. Any others are returned unchanged.
        """
        command = _ESCAPE_LETTERS[match["control"]] + match["letters"]
        if command not in commands:
            return match[0]
        return f"\\{command}"

    return _CONTROL.sub(as_command, text)


def _commands_in(quoted: str) -> set[str]:
    """Return the LaTeX commands of `quoted` that begin with b, f, n, r or t, without backslashes.

    JSON would read a backslash with such a letter as a control character. A command whose letters
    also stand after that real control character, as "heta" after a tab, is left out: it is
    ambiguous.
    """
    if "\\" not in quoted:
        return set()
    commands = set(_COMMAND.findall(quoted))
    for control, letters in _CONTROL.findall(quoted):
        ambiguous = _ESCAPE_LETTERS[control] + letters
        commands.discard(ambiguous)
    return commands
