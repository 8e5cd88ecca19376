"""The terminal, or the pipe, that the person sits at: lines out, keys and lines in."""

import codecs
import contextlib
import os
import re
import select
import shutil
import signal
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from io import StringIO, TextIOWrapper
from time import monotonic
from typing import Any, NoReturn, TextIO

from msgspec import Struct

from appellate.core.inert import STACK, STRAY, stand_ins
from appellate.core.problem import USUAL, KeyNames, with_keys
from appellate.ui.contract import Paragraph
from appellate.ui.conversation import Left
from appellate.ui.marks import Marks, spelt

try:
    import termios
except ImportError:  # Windows
    termios = None  # type: ignore[assignment]

# -- paragraphs as lines, wrapped between words, coloured by SGR alone, inert ---------------------


SGR: Mapping[str, str] = {
    "strong": "1",
    "muted": "2",
    "tp": "32",
    "fn": "33",
    "fp": "31",
    "tn": "36",
    "evidence": "4",
    "bad": "31",
    "flag": "31",
    "failed": "31",
    "denied": "33",
    "corrected": "1",
    "key": "1",
}
NARROWEST = 20
_TABS = 4
_COLOUR = re.compile("|".join(re.escape(f"\x1b[{code}m") for code in {"0", *SGR.values()}))
"""A colour of ours: all that may act on the terminal in what is printed."""


def inert(text: str) -> str:
    """Return what may be written to the terminal: all that acts has a stand-in, but our colours.

    This is the one gate that everything passes which line mode prints, whoever made it.
    """
    written = []
    start = 0
    for colour in _COLOUR.finditer(text):
        written += [stand_ins(text[start : colour.start()]), colour[0]]
        start = colour.end()
    written.append(stand_ins(text[start:]))
    return "".join(written)


class Printing(Struct, frozen=True):
    """How paragraphs are printed; `width` is None where lines are as long as they are."""

    marks: Marks
    width: int | None = None
    colours: bool = False

    def lines(self, paragraph: Paragraph) -> Iterator[str]:
        """The lines of a paragraph, its mark before the first."""
        mark = spelt(stand_ins(paragraph.mark), self.marks)
        text = _unstacked(stand_ins(paragraph.text)).expandtabs(_TABS)
        if not (paragraph.quoted or paragraph.in_quotes):
            text = spelt(text, self.marks)
        if paragraph.in_quotes:
            quotes = spelt("“”", self.marks)
            text = f"{quotes[0]}{text}{quotes[1]}"
        mark = mark.replace("−", self.marks.minus)
        left = " " * paragraph.indent
        lead = f"{mark} " if mark else ""
        room = None
        if self.width is not None:
            room = max(self.width - paragraph.indent, NARROWEST)
        for number, line in enumerate(_wrapped(lead + text, room, paragraph.hang)):
            yield left + self._styled(line, lead.rstrip(), paragraph.style, first=not number)

    def _styled(self, line: str, lead: str, style: str, *, first: bool) -> str:
        """A line in its colour: the mark alone where there is one."""
        code = SGR.get(style)
        if not self.colours or code is None:
            return line
        if not lead:
            return f"\x1b[{code}m{line}\x1b[0m"
        if first and line.startswith(lead):
            return f"\x1b[{code}m{lead}\x1b[0m{line[len(lead) :]}"
        return line


def _unstacked(text: str) -> str:
    """The text with at most so many marks on a letter; each further one stands on its own."""
    if text.isascii():
        return text
    marks = [char for char in set(text) if unicodedata.category(char) in ("Mn", "Me")]
    if not marks:
        return text
    mark = f"[{re.escape(''.join(marks))}]"
    return re.sub(f"(?<={mark * STACK}){mark}", STRAY, text)


def cells(text: str) -> int:
    """The columns of a text, by the widths that terminals agree about."""
    return sum(map(_width, text))


def _width(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _wrapped(text: str, room: int | None, hang: int) -> Iterator[str]:
    """Lines with room for so many columns; what is left of a line stands that far in."""
    for line in map(str.rstrip, text.split("\n")):
        start = 0
        indent = ""
        while room is not None and (end := _end(line, start, room - len(indent))) < len(line):
            yield (indent + line[start:end]).rstrip()
            start = end
            indent = " " * hang
        yield (indent + line[start:]).rstrip()


def _end(line: str, start: int, room: int) -> int:
    """Where so many columns of a line end: after a word's blanks, or within a longer word."""
    used = words = 0
    has_word = False
    for place in range(start, len(line)):
        is_blank = line[place] == " "
        used += _width(line[place])
        if used > room and not is_blank:
            return words or max(place, start + 1)
        has_word = has_word or not is_blank
        if is_blank and has_word:
            words = place + 1
    return len(line)


# -- keys and lines --------------------------------------------------------------------------------


ENTER = "\r"
ESCAPE = "\x1b"
TAB = "\t"
END = "\x04"
_RUBOUT = ("\x7f", "\x08")
_ALL = "\x15"
_WORD = "\x17"
UP, DOWN, RIGHT, LEFT = _ARROWS = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
_NO_KEY = "\0"
_REST = 0.1  # seconds within which the rest of an arrow's bytes arrive over a slow line
_NAMES = {ENTER: "Enter", ESCAPE: "Esc", TAB: "Tab", " ": "Space", _NO_KEY: "That key"}
_NAMES |= {UP: "Up", DOWN: "Down", RIGHT: "Right", LEFT: "Left"}
_SENT = {"enter": ENTER, "escape": ESCAPE, "tab": TAB, "space": " "}
_KEPT = ("ctrl+c", "ctrl+q", "ctrl+y", "ctrl+z")  # by the terminal, for itself
_SIGNS = {  # that keys do not have the name of
    "at": "commercial at",
    "backslash": "reverse solidus",
    "greater_than_sign": "greater-than sign",
    "less_than_sign": "less-than sign",
    "minus": "hyphen-minus",
    "plus": "plus sign",
    "slash": "solidus",
    "underscore": "low line",
}
_PAGE = 24
_WIDTH = 80


def sent_by(keys: str) -> list[str]:
    """What arrives here of keys as bindings name them; nothing of those that send no character."""
    found = []
    for key in keys.split(","):
        if len(key) == 1:
            found.append(key)
        elif key in _SENT:
            found.append(_SENT[key])
        elif key.startswith("ctrl+") and len(key) == len("ctrl+s") and key not in _KEPT:
            found.append(chr(ord(key[-1]) & 0x1F))  # ASCII's control characters
        else:
            with contextlib.suppress(KeyError):
                found.append(unicodedata.lookup(_SIGNS.get(key, key.replace("_", " "))))
    return found


def name_of_key(sent: str) -> str:
    """What a key is called that arrived."""
    if sent in _NAMES:
        return _NAMES[sent]
    return f"Ctrl+{chr(ord(sent) | 0x40)}" if sent < " " else sent


class AskedToLeave(Exception):
    """A signal asked the program to leave; or the person did, or the terminal is gone (0)."""

    def __init__(self, number: int = 0) -> None:
        super().__init__(number)
        self.number = number


class Console:
    """Prints and asks: a terminal gives keys, a pipe a key a line, and what it asks for."""

    def __init__(
        self, marks: Marks, *, colours: bool, given: TextIO | None = None, out: TextIO | None = None
    ) -> None:
        self.marks = marks
        self.arrived = 0.0
        """When the latest key of a terminal was read, in seconds of a monotonic clock."""
        self.names: KeyNames = USUAL
        self._in = given or sys.stdin or StringIO()
        self._out = out or sys.stdout
        for stream in (self._in, self._out):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")
        is_tty = self._out.isatty()
        self._colours = colours and is_tty
        self._wraps = is_tty
        in_emacs = "INSIDE_EMACS" in os.environ  # sends lines, on a terminal
        self.by_keys = bool(termios and self._in.isatty() and not in_emacs)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._typed: list[str] = []  # characters that were typed ahead
        self._rest = ""  # what was behind the key on its line
        self._reading = False
        self._text: list[int] = []  # signals that came while something was being done
        self._modes: list[Any] = []

    # -- coming and going -------------------------------------------------------------------------

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Takes keys one by one, and signals at questions alone; gives all of it back."""
        before = {}
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGCONT"):
            number = getattr(signal, name, None)
            if number is not None:
                before[number] = signal.signal(number, self._signalled)
        self._take_keys()
        try:
            yield
        finally:
            self._give_back()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _take_keys(self) -> None:
        if not self.by_keys:
            return
        descriptor = self._in.fileno()
        with contextlib.suppress(termios.error, OSError):  # the terminal is gone
            modes = termios.tcgetattr(descriptor)
            self._modes = self._modes or modes
            modes = [*modes]
            modes[3] &= ~(termios.ICANON | termios.ECHO)
            termios.tcsetattr(descriptor, termios.TCSADRAIN, modes)

    def _give_back(self) -> None:
        if self._modes:
            with contextlib.suppress(termios.error, OSError):  # the terminal is gone
                termios.tcsetattr(self._in.fileno(), termios.TCSADRAIN, self._modes)

    def _signalled(self, number: int, _: object) -> None:
        """Nothing is broken off in the middle: a signal is heard at the next question."""
        if number == getattr(signal, "SIGCONT", None):
            self._take_keys()  # the shell had the terminal meanwhile
            return
        if self._reading:
            self._reading = False
            _received(number)
        self._text.append(number)

    # -- out --------------------------------------------------------------------------------------

    def show(self, *paragraphs: Paragraph) -> None:
        """Prints paragraphs; Ctrl+C stops that."""
        printing = Printing(self.marks, self._width, self._colours)
        for paragraph in paragraphs:
            for line in printing.lines(paragraph):
                if self._text:
                    return
                self._write(line + "\n")

    @property
    def interrupted(self) -> bool:
        """Whether a signal came that was not heard yet."""
        return bool(self._text)

    def say(self, text: str) -> None:
        """Says a sentence of ours, with the person's keys."""
        self.show(Paragraph(with_keys(text, self.names)))

    def page(self, paragraph: Paragraph) -> None:
        """Prints a long paragraph a page at a time: Space goes on, another key leaves."""
        lines = list(Printing(self.marks, self._width, self._colours).lines(paragraph))
        step = shutil.get_terminal_size((_WIDTH, _PAGE)).lines - 2
        for start in range(0, len(lines), step):
            self._write("\n".join(lines[start : start + step]) + "\n")
            left = len(lines) - start - step
            if left > 0 and self.key(f"{left} more lines, Space goes on> ") not in (" ", ENTER):
                return

    def _prompt(self, prompt: str) -> None:
        """Prints a question, wrapped between words; what is typed is behind it."""
        printing = Printing(self.marks, self._width, colours=False)
        self._write("\n".join(printing.lines(Paragraph(prompt))) + " ")

    @property
    def _width(self) -> int | None:
        if not self._wraps:
            return None
        return max(shutil.get_terminal_size((_WIDTH, _PAGE)).columns - 1, 1)

    def _write(self, text: str) -> None:
        self._send(inert(text))

    def _send(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except OSError as gone:
            if self._wraps:  # a terminal is gone: what is left for it goes nowhere
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())
            raise AskedToLeave from gone

    # -- in ---------------------------------------------------------------------------------------

    def key(self, prompt: str) -> str:
        """Waits for a key. From a pipe what is behind it on its line is for what it asks."""
        self._rest = ""
        self._prompt(prompt)
        if self.by_keys:
            key = self._key()
            self._write(f"{name_of_key(key)}\n")
            return key
        line = self._line()
        if not line:
            return ENTER
        self._rest = line[1:].strip()
        return line[0]

    def ask(self, prompt: str, instant: str = "", typed: str = "") -> str:
        """Waits for a line after `typed`, or for an `instant` key; raises Left at Esc."""
        if self._rest:
            answer = self._rest
            self._rest = ""
            return typed + answer
        self._prompt(prompt)
        if self.by_keys:
            return self._edited(instant, typed)
        line = self._line()
        if line == ESCAPE:
            raise Left
        if not (line or typed) and ENTER in instant:
            return ENTER
        return typed + line

    def unasked(self) -> str:
        """What was behind a key that asked for nothing."""
        rest = self._rest
        self._rest = ""
        return rest

    def _edited(self, instant: str, typed: str) -> str:
        """A line typed at a terminal: rubbed out as terminals do it, from its end."""
        self._write(typed)
        while True:
            key = self._key()
            if not typed and key in instant:
                self._write(f"{name_of_key(key)}\n")
                return key
            if key in (ENTER, ESCAPE):
                self._write("\n")
                if key == ESCAPE:
                    raise Left
                return typed
            if key in _RUBOUT:
                typed = self._rubbed_out(typed, len(typed) - 1)
            elif key == _ALL:
                typed = self._rubbed_out(typed, 0)
            elif key == _WORD:
                typed = self._rubbed_out(typed, typed.rstrip().rfind(" ") + 1)
            elif key.isprintable():
                typed += key
                self._write(key)

    def _rubbed_out(self, typed: str, end: int) -> str:
        kept = typed[: max(end, 0)]
        self._send("\b \b" * cells(typed[len(kept) :]))
        return kept

    def _key(self) -> str:
        """The next key, an arrow with all that is sent of it."""
        char = self._char()
        if char == "\n":
            return ENTER
        if char != ESCAPE:
            return char
        if not self._waits():
            return ESCAPE
        char = self._char()
        if char not in ("[", "O"):
            self._typed.insert(0, char)
            return ESCAPE
        while not (char := self._char()).isalpha() and char != "~":
            pass
        arrow = f"{ESCAPE}[{char}"
        return arrow if arrow in _ARROWS else _NO_KEY

    def _waits(self) -> bool:
        if self._typed:
            return True
        ready, _, _ = select.select([self._in.fileno()], [], [], _REST)
        return bool(ready)

    def _char(self) -> str:
        while not self._typed:
            with self._hearing():
                given = os.read(self._in.fileno(), 1024)
            self.arrived = monotonic()
            if not given:
                raise EOFError
            self._typed = list(self._decode(given))
        char = self._typed.pop(0)
        if char == END:
            raise EOFError
        return char

    def _line(self) -> str:
        with self._hearing():
            line = self._in.readline()
        if not line:
            raise EOFError
        self._write("\n")
        return line.rstrip("\r\n")

    @contextlib.contextmanager
    def _hearing(self) -> Iterator[None]:
        """Signals are heard here: those that came before first."""
        if self._text:
            _received(self._text.pop(0))
        self._reading = True
        try:
            yield
        except OSError as gone:  # the terminal was closed
            raise AskedToLeave from gone
        finally:
            self._reading = False


def _received(number: int) -> NoReturn:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise AskedToLeave(number)
