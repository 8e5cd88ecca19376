"""Prints to, and reads from, the terminal or the pipe that line mode runs at.

`Printing` makes lines of paragraphs, `inert` makes them harmless for a terminal, and `Console`
prints them, waits for keys and lines, and hears signals while it waits.
"""

import codecs
import contextlib
import os
import re
import select
import shutil
import signal
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO, TextIOWrapper
from time import monotonic
from typing import Any, NoReturn, TextIO

from msgspec import Struct

from appellate.core.inert import STACK, STRAY, stand_ins
from appellate.core.problem import USUAL, KeyNames, many, with_keys
from appellate.ui.conversation import Left
from appellate.ui.kind_lines import Paragraph
from appellate.ui.marks import Marks, in_quotes, spelt

try:
    import termios
except ImportError:  # Windows
    termios = None  # type: ignore[assignment]

# -- paragraphs as lines ---------------------------------------------------------------------------


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
"""The code of the terminal's colour for each style; a style without one is plain."""
NARROWEST = 20
"""Columns that a line has at least, on a terminal that is narrower, too."""
_TABS = 4
"""Columns between tab stops."""
_COLOUR = re.compile(
    "|".join(re.escape(f"\x1b[{code}m") for code in {"0", *SGR.values()}),
)
"""Our own colour codes, the only control sequences that may reach the terminal."""


def inert(text: str) -> str:
    """Return a text with a stand-in for each character that acts on a terminal or misleads readers.

    Those are control characters, and others that hide or turn text; most stand-ins are visible.
    Newlines, tabs and the codes of our own colours stay, but no other line ends. Everything that
    line mode prints passes through here, whoever wrote it.
    """
    parts = []
    start = 0
    for colour in _COLOUR.finditer(text):
        before = text[start : colour.start()]
        parts.append(stand_ins(before))
        parts.append(colour[0])
        start = colour.end()
    rest = text[start:]
    parts.append(stand_ins(rest))
    return "".join(parts)


class Printing(Struct, frozen=True):
    """How paragraphs are turned into lines."""

    marks: Marks
    width: int | None = None
    """Columns of a line; None does not wrap lines."""
    colours: bool = False

    def lines(self, paragraph: Paragraph) -> Iterator[str]:
        """Yield the lines of a paragraph, indented, without line ends; its mark comes first.

        Characters that act on a terminal or mislead are replaced by stand-ins, and tabs by blanks.
        Lines are wrapped between words to the width, but never to less than `NARROWEST`, and what
        is wrapped is indented by `hang` more. Without a width they are not wrapped. Our own marks
        are spelt in ASCII if `marks` are so, but not in a text that is `quoted` or `in_quotes`; the
        latter gets quotation marks. With `colours` the mark has the colour of the style, or without
        a mark each line. An empty paragraph is one empty line.
        """
        mark = spelt(stand_ins(paragraph.mark), self.marks)
        mark = mark.replace("−", self.marks.minus)
        text = _unstacked(stand_ins(paragraph.text))
        text = text.expandtabs(_TABS)
        if not (paragraph.quoted or paragraph.in_quotes):
            text = spelt(text, self.marks)
        if paragraph.in_quotes:
            text = in_quotes(text, self.marks)

        width = None
        if self.width is not None:
            width = max(self.width - paragraph.indent, NARROWEST)
        lead = f"{mark} " if mark else ""
        code = SGR.get(paragraph.style) if self.colours else None
        margin = " " * paragraph.indent
        coloured_mark = lead.rstrip()
        for index, line in enumerate(_wrapped(lead + text, width, paragraph.hang)):
            if code is None:
                yield margin + line
            elif not coloured_mark:
                yield f"{margin}\x1b[{code}m{line}\x1b[0m"
            elif index == 0 and line.startswith(coloured_mark):
                after_mark = line.removeprefix(coloured_mark)
                yield f"{margin}\x1b[{code}m{coloured_mark}\x1b[0m{after_mark}"
            else:
                yield margin + line


def _unstacked(text: str) -> str:
    """Return a text with at most `STACK` combining marks in a row.

    `STRAY` stands for each further one, so that no letter grows over the lines above it.
    """
    if text.isascii():
        return text
    marks = ""
    for char in set(text):
        if unicodedata.category(char) in ("Mn", "Me"):
            marks += char
    if not marks:
        return text
    mark = f"[{re.escape(marks)}]"
    allowed_marks = mark * STACK
    return re.sub(f"(?<={allowed_marks}){mark}", STRAY, text)


def width_in_columns(text: str) -> int:
    """Return the width of a text in columns, by the widths that terminals agree about."""
    return sum(map(_char_width, text))


def _char_width(char: str) -> int:
    """Return the width of a character in columns: 0, 1 or 2.

    It is 2 for wide ones, as in Chinese, and 0 for marks that take no place, as accents and vowel
    signs of Thai. It is 1 for every ASCII character, control characters included.
    """
    if char.isascii():
        return 1
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _wrapped(text: str, width: int | None, hang: int) -> Iterator[str]:
    """Yield the lines of a text, each wrapped between words to `width` columns.

    The continuation of a wrapped line is indented by `hang` columns. A `width` of None wraps
    nothing. Blanks at the right end of lines are left out. A word longer than the width is cut. An
    empty text is one empty line.
    """
    for line in map(str.rstrip, text.split("\n")):
        start = 0
        indent = ""
        while width is not None:
            end = _wrap_offset(line, start, width - len(indent))
            if end >= len(line):
                break
            yield (indent + line[start:end]).rstrip()
            start = end
            indent = " " * hang
        yield (indent + line[start:]).rstrip()


def _wrap_offset(line: str, start: int, width: int) -> int:
    """Return the offset in `line` up to which the line that begins at `start` fits `width` columns.

    It is after the blanks of the last word that fits, or within a word that is longer than the
    width. It is the end of `line` if all the rest fits. At least one character is taken.
    """
    used = 0
    after_last_word = 0
    has_word = False
    for offset in range(start, len(line)):
        is_blank = line[offset] == " "
        used += _char_width(line[offset])
        if used > width and not is_blank:
            return after_last_word or max(offset, start + 1)
        has_word = has_word or not is_blank
        if is_blank and has_word:
            after_last_word = offset + 1
    return len(line)


# -- keys and lines --------------------------------------------------------------------------------


ENTER = "\r"
ESCAPE = "\x1b"
TAB = "\t"
_END = "\x04"
BACKSPACE = "\x7f"
_DELETE_ALL = "\x15"
_DELETE_WORD = "\x17"
UP = "\x1b[A"
DOWN = "\x1b[B"
RIGHT = "\x1b[C"
LEFT = "\x1b[D"
_ARROWS = (UP, DOWN, RIGHT, LEFT)
_NO_KEY = "\0"
"""Stands for a key that sends a sequence which line mode does not know."""
_SEQUENCE_SECONDS = 0.1
"""The remaining bytes of an arrow key arrive within this time, over a slow line, too."""
_NAMES = {ENTER: "Enter", ESCAPE: "Esc", TAB: "Tab", " ": "Space", _NO_KEY: "That key"}
_NAMES |= {UP: "Up", DOWN: "Down", RIGHT: "Right", LEFT: "Left", BACKSPACE: "Backspace"}
_CHARACTERS = {
    "enter": ENTER,
    "escape": ESCAPE,
    "tab": TAB,
    "space": " ",
    "backspace": BACKSPACE,
}
_TAKEN_BY_TERMINAL = ("ctrl+c", "ctrl+d", "ctrl+y", "ctrl+z")
"""Keys that never call a command: they interrupt, end the input, or stop the program."""
_UNICODE_NAMES = {
    "at": "commercial at",
    "backslash": "reverse solidus",
    "greater_than_sign": "greater-than sign",
    "less_than_sign": "less-than sign",
    "minus": "hyphen-minus",
    "plus": "plus sign",
    "slash": "solidus",
    "underscore": "low line",
}
"""Unicode's names of signs that keys have another name for."""
_PAGE = 24
_WIDTH = 80
"""The size of a terminal that does not tell its own."""


def sent_by(keys: str) -> list[str]:
    """Return the characters that a terminal sends for the keys of a binding, as `slash,backspace`.

    They are in the order of the keys. Keys that send no single character, such as arrows and
    function keys, are left out. So are Ctrl+C, Ctrl+D, Ctrl+Y and Ctrl+Z, which never call a
    command. The list may be empty.
    """
    characters = []
    for key in keys.split(","):
        if len(key) == 1:
            characters.append(key)
        elif key in _CHARACTERS:
            characters.append(_CHARACTERS[key])
        elif (
            key.startswith("ctrl+")
            and len(key) == len("ctrl+s")
            and key not in _TAKEN_BY_TERMINAL
        ):
            code = ord(key[-1]) & 0x1F  # that of one of ASCII's control characters
            characters.append(chr(code))
        else:
            name = _UNICODE_NAMES.get(key, key.replace("_", " "))
            with contextlib.suppress(KeyError):
                character = unicodedata.lookup(name)
                # "delete" is a name of what Backspace sends
                if character.isprintable():
                    characters.append(character)
    return characters


def name_of_key(sent: str) -> str:
    """Return the name of a key by what it sends, for sentences: `Enter`, `Up`, `Ctrl+S`, `a`.

    `sent` is a single character, an arrow's sequence such as `UP`, or `_NO_KEY`, which is "That
    key". Raises TypeError for "" and for a sequence after Esc that no key of ours sends.
    """
    if sent in _NAMES:
        return _NAMES[sent]
    if sent < " ":
        letter = chr(ord(sent) | 0x40)
        return f"Ctrl+{letter}"
    return sent


class AskedToLeave(Exception):
    """The person, a signal or the end of the terminal asked the program to leave.

    `number` is the signal's, and 0 without one.
    """

    def __init__(self, number: int = 0) -> None:
        super().__init__(number)
        self.number = number


class Console:
    """The terminal or pipe at which a person reads and answers.

    A terminal sends keys one by one. A pipe sends lines: the first character of a line is a key,
    and the rest of it answers what that key asks. A terminal in Emacs, or on a system without
    termios, sends lines, too, and is read as a pipe (`by_keys`).
    """

    def __init__(
        self,
        marks: Marks,
        *,
        colours: bool,
        given: TextIO | None = None,
        out: TextIO | None = None,
    ) -> None:
        """Read from the standard input, or `given`, and print to the standard output, or `out`.

        Nothing is read, printed or changed on the terminal yet. From now on these streams replace
        what cannot be encoded or decoded. Raises UnsupportedOperation if the input was read from
        before and does not replace yet. `colours` are used only if the output is a terminal.
        """
        self.marks = marks
        self.key_arrived_at = 0.0
        """When the latest key of a terminal was read, in seconds of a monotonic clock."""
        self.names: KeyNames = USUAL
        """The names of the person's keys, by the ids that sentences have."""
        self._in = given or sys.stdin or StringIO()
        self._out = out or sys.stdout
        for stream in (self._in, self._out):
            # once a line was read, as the answer to a question, this can only be left as it is
            if isinstance(stream, TextIOWrapper) and stream.errors != "replace":
                stream.reconfigure(errors="replace")
        self._is_terminal = self._out.isatty()
        """Whether the output is a terminal: only then lines are wrapped and may have colours."""
        self._colours = colours and self._is_terminal
        in_emacs = "INSIDE_EMACS" in os.environ  # sends lines, on a terminal
        self.by_keys = bool(termios and self._in.isatty() and not in_emacs)
        """Whether keys arrive one by one, instead of lines.

        False for a pipe, for a terminal in Emacs, and on a system without termios.
        """
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._typed: list[str] = []
        """Characters that were typed and not read yet."""
        self._rest_of_line = ""
        """What followed the key on its line, until a question takes it as its answer."""
        self._is_waiting = False
        """Whether an answer is being waited for; then signals act at once."""
        self._signals: list[int] = []
        """Signals that came while something was being done."""
        self._modes: list[Any] = []
        """The terminal's modes from before the session; empty until they were changed."""

    # -- opening and closing ----------------------------------------------------------------------

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Read keys one by one, and hear signals only at questions, until the block ends.

        The signals are SIGINT, SIGTERM and SIGHUP, also from a pipe. SIGCONT is heard at once, and
        sets the terminal's modes again. From a pipe lines are read as before. The terminal's modes
        and the signals' handlers are put back at the end, also after an error. A signal that no
        question has acted on by then is forgotten.
        """
        handlers = {}
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGCONT"):
            number = getattr(signal, name, None)
            if number is not None:
                handlers[number] = signal.signal(number, self._on_signal)
        self._set_modes()
        try:
            yield
        finally:
            if self._modes:
                # the terminal may be gone
                with contextlib.suppress(termios.error, OSError):
                    termios.tcsetattr(self._in.fileno(), termios.TCSADRAIN, self._modes)
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def _set_modes(self) -> None:
        """Have the terminal send each key at once, without echo, and Ctrl+S and Ctrl+Q as keys.

        The first call remembers the modes that it had before, for the end of the session. Does
        nothing for a pipe, for a terminal that sends lines (`by_keys`), or if the terminal is gone.
        """
        if not self.by_keys:
            return
        descriptor = self._in.fileno()
        with contextlib.suppress(termios.error, OSError):  # the terminal is gone
            modes = termios.tcgetattr(descriptor)
            self._modes = self._modes or modes
            modes = [*modes]
            modes[0] &= ~termios.IXON  # else Ctrl+S stops the output until Ctrl+Q
            modes[3] &= ~(termios.ICANON | termios.ECHO)
            termios.tcsetattr(descriptor, termios.TCSADRAIN, modes)

    def _on_signal(self, number: int, _: object) -> None:
        """Act on signal `number` at once if an answer is being waited for, else only remember it.

        It acts by ending the wait (`_is_waiting`) and raising KeyboardInterrupt for Ctrl+C,
        AskedToLeave for any other. A remembered one (`_signals`) stops printing, and acts at the
        next question. SIGCONT, the signal after the program was stopped, does neither: it only sets
        the terminal's modes again.
        """
        if number == getattr(signal, "SIGCONT", None):
            self._set_modes()  # the shell had the terminal in the meantime
            return
        if self._is_waiting:
            self._is_waiting = False
            _raise_for(number)
        self._signals.append(number)

    # -- out --------------------------------------------------------------------------------------

    def show(self, *paragraphs: Paragraph) -> None:
        """Print paragraphs as they are: no key names are put in, as in `say`.

        Before each line it looks for a signal that no question has acted on (`_signals`). Once
        there is one, nothing more is printed, not even the rest of a paragraph; the signal stays
        for the next question. Raises AskedToLeave if the terminal or pipe was closed.
        """
        printing = Printing(self.marks, self._line_width, self._colours)
        for paragraph in paragraphs:
            self._print_lines(printing.lines(paragraph))

    def _print_lines(self, lines: Iterable[str]) -> None:
        """Print each line, up to a signal that no question has acted on: nothing after it.

        Raises AskedToLeave if the terminal or pipe was closed.
        """
        for line in lines:
            if self._signals:
                return
            self._write(f"{line}\n")

    @property
    def has_waiting_signal(self) -> bool:
        """Whether a signal, Ctrl+C or another, came that no question has acted on yet."""
        return bool(self._signals)

    def forget_interrupts(self) -> None:
        """Forget each Ctrl+C that no question has acted on, because it stopped something else.

        Printing goes on then, unless another signal waits; those stay for the next question.
        """
        self._signals = [number for number in self._signals if number != signal.SIGINT]

    def say(self, text: str) -> None:
        """Print a sentence of ours, in which the person's key replaces `{id:usual key}`.

        A sentence or hint that names a command without a key is left out, as in `with_keys`; a
        sentence that would leave nothing of its part, between two ` · `, stays and says "(no key)".
        Words of others belong in “quotes”, where nothing is replaced. Nothing is printed while a
        signal waits for the next question. Raises AskedToLeave if the terminal or pipe was closed.
        """
        self.show(Paragraph(with_keys(text, self.names)))

    def page(self, paragraph: Paragraph) -> None:
        """Print a long paragraph a page at a time, on a terminal and in a pipe.

        A page has the lines of the terminal less two, but at least one. After each page but the
        last it asks for a key: Space or Enter prints the next page, any other key, Esc too, ends
        it. That key's line takes the place of the last one for `take_rest_of_line`. Nothing more is
        printed once a signal came that no question has acted on. Raises EOFError at the end of the
        input and at Ctrl+D, KeyboardInterrupt at Ctrl+C, or AskedToLeave.
        """
        printing = Printing(self.marks, self._line_width, self._colours)
        lines = list(printing.lines(paragraph))
        terminal_lines = shutil.get_terminal_size((_WIDTH, _PAGE)).lines
        page_size = max(terminal_lines - 2, 1)
        for start in range(0, len(lines), page_size):
            end = start + page_size
            self._print_lines(lines[start:end])
            remaining = len(lines) - end
            if remaining <= 0:
                return
            key = self.key(f"{many(remaining, 'more line')}, Space continues> ")
            if key not in (" ", ENTER):
                return

    def _print_prompt(self, prompt: str) -> None:
        """Print a question, wrapped between words, with one blank after it and no line end.

        The answer is typed there. No key names are put in. Raises AskedToLeave if the terminal or
        pipe was closed.
        """
        printing = Printing(self.marks, self._line_width, colours=False)
        lines = printing.lines(Paragraph(prompt))
        text = "\n".join(lines)
        self._write(f"{text} ")

    @property
    def _line_width(self) -> int | None:
        """Columns that a line may have: those of the terminal, less one.

        None for a pipe, whose lines are not wrapped.
        """
        if not self._is_terminal:
            return None
        columns = shutil.get_terminal_size((_WIDTH, _PAGE)).columns
        return max(columns - 1, 1)

    def _write(self, text: str) -> None:
        """Print a text with stand-ins for what could act on the terminal, and no line end after it.

        Raises AskedToLeave if the terminal or pipe was closed.
        """
        self._send(inert(text))

    def _send(self, text: str) -> None:
        """Print a text as it is, at once, also while a signal waits for the next question.

        Raises AskedToLeave if the terminal or pipe was closed. Later texts for a closed terminal
        are dropped silently; for a closed pipe it raises each time.
        """
        try:
            self._out.write(text)
            self._out.flush()
        except OSError as gone:
            # the terminal was closed: what else is printed goes nowhere
            if self._is_terminal:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._out.fileno())
            raise AskedToLeave from gone

    # -- in ---------------------------------------------------------------------------------------

    def key(self, prompt: str) -> str:
        """Print a prompt, wait for a key, and return what it sends, also at Esc.

        From a terminal that sends keys (`by_keys`) its name is printed after the prompt; for a
        sequence that line mode does not know it is `_NO_KEY`. From a pipe, or a terminal that sends
        lines, it is the first character of a line, and `ENTER` for an empty line. The rest of that
        line, without the blanks around it, answers the next `ask`, or is taken by
        `take_rest_of_line`; the rest of an earlier line is forgotten. Raises EOFError at the end of
        the input and at a terminal's Ctrl+D, KeyboardInterrupt at Ctrl+C, or AskedToLeave.
        """
        self._rest_of_line = ""
        self._print_prompt(prompt)
        if self.by_keys:
            key = self._key()
            self._write(f"{name_of_key(key)}\n")
            return key
        line = self._line()
        if not line:
            return ENTER
        self._rest_of_line = line[1:].strip()
        return line[0]

    def ask(self, prompt: str, instant: str = "", typed: str = "") -> str:
        """Print a prompt, wait for a line, and return it as typed.

        `typed` is the beginning of the line: at a terminal it is shown and can be changed, and
        otherwise it is put before what comes. `instant` are a terminal's keys, each one character,
        that answer at once and are returned alone if nothing was typed before. What followed the
        last key on its line of a pipe is the answer, after `typed`: then no prompt is printed,
        nothing is waited for, and blanks around it are left out. Raises Left at Esc, EOFError at
        the end of the input and at a terminal's Ctrl+D, KeyboardInterrupt at Ctrl+C, or
        AskedToLeave.
        """
        line = self.take_rest_of_line()
        if not line:
            self._print_prompt(prompt)
            if self.by_keys:
                return self._edited(instant, typed)
            line = self._line()
        if line == ESCAPE:
            raise Left
        return typed + line

    def take_rest_of_line(self) -> str:
        """Return what followed the last key on its line of a pipe, and forget it.

        It has no blanks around it. It is "" if nothing followed, if a question took it, and if keys
        come one by one (`by_keys`). A terminal that sends lines, as in Emacs, is read as a pipe.
        """
        rest = self._rest_of_line
        self._rest_of_line = ""
        return rest

    def is_followed_by(self, text: str) -> bool:
        """Return whether just `text` followed the last key on its line of a pipe; if so, forget it.

        Blanks around what followed do not count. Nothing follows a key if keys come one by one
        (`by_keys`). A terminal that sends lines, as in Emacs, is read as a pipe. Anything else that
        followed stays for the next question.
        """
        if self._rest_of_line != text:
            return False
        self._rest_of_line = ""
        return True

    def _edited(self, instant: str, typed: str) -> str:
        """Return a line that is typed at a terminal, with Backspace, Ctrl+U and Ctrl+W.

        `typed` is printed as its beginning and may be deleted. While nothing is typed, a key of
        `instant` is returned at once, alone. Arrows and other keys that are no text do nothing.
        Raises Left at Esc, EOFError at Ctrl+D and at the end of the input, KeyboardInterrupt at
        Ctrl+C, or AskedToLeave.
        """
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
            if key.isprintable():
                typed += key
                self._write(key)
                continue
            kept = typed
            if key == BACKSPACE:
                kept = typed[:-1]
            elif key == _DELETE_ALL:
                kept = ""
            elif key == _DELETE_WORD:
                last_word = typed.rstrip().rfind(" ") + 1
                kept = typed[:last_word]
            self._erase(typed[len(kept) :])
            typed = kept

    def _erase(self, text: str) -> None:
        """Erase the end of the line on the terminal, as wide as `text`, which was typed there last.

        Raises AskedToLeave if the terminal was closed.
        """
        self._send("\b \b" * width_in_columns(text))

    def _key(self) -> str:
        """Wait for a terminal's key and return what it sends.

        That is a character, an arrow's sequence, or `_NO_KEY` for any other sequence, of a function
        key for example. Enter is always `ENTER`, Backspace `BACKSPACE`, and Esc alone `ESCAPE`.
        Nothing is printed. Raises EOFError at Ctrl+D and at the end of the input, KeyboardInterrupt
        at Ctrl+C, or AskedToLeave.
        """
        char = self._char()
        if char == "\n":
            return ENTER
        if char == "\x08":
            return BACKSPACE
        if char != ESCAPE:
            return char
        if not self._has_more():
            return ESCAPE
        char = self._char()
        if char not in ("[", "O"):
            self._typed.insert(0, char)
            return ESCAPE
        char = self._char()
        while not char.isalpha() and char != "~":
            char = self._char()
        arrow = f"{ESCAPE}[{char}"
        return arrow if arrow in _ARROWS else _NO_KEY

    def _has_more(self) -> bool:
        """Return whether a terminal's character was typed ahead or comes in a moment.

        So the rest of an arrow's sequence comes after its Esc. It waits for `_SEQUENCE_SECONDS` at
        most, and reads nothing. At the end of the input it is True. A signal in that time is
        remembered for the next question.
        """
        if self._typed:
            return True
        descriptors = [self._in.fileno()]
        ready, _, _ = select.select(descriptors, [], [], _SEQUENCE_SECONDS)
        return bool(ready)

    def _char(self) -> str:
        """Wait for a character of a terminal and return it; nothing is printed.

        Characters that were typed ahead (`_typed`) are returned first, in order, without waiting.
        When others come, `key_arrived_at` is set. Raises EOFError at the end of the input and at
        Ctrl+D, KeyboardInterrupt at Ctrl+C, and AskedToLeave.
        """
        while not self._typed:
            with self._hearing_signals():
                received = os.read(self._in.fileno(), 1024)
            self.key_arrived_at = monotonic()
            if not received:
                raise EOFError
            self._typed = list(self._decode(received))
        char = self._typed.pop(0)
        if char == _END:
            raise EOFError
        return char

    def _line(self) -> str:
        """Wait for the next line of a pipe, and return it without its line end, otherwise as it is.

        A terminal that sends lines, as in Emacs, is read so, too. A line end is printed, because a
        pipe does not echo the answer. Raises EOFError at the end of the input, KeyboardInterrupt at
        Ctrl+C, or AskedToLeave.
        """
        with self._hearing_signals():
            line = self._in.readline()
        if not line:
            raise EOFError
        self._write("\n")
        return line.rstrip("\r\n")

    @contextlib.contextmanager
    def _hearing_signals(self) -> Iterator[None]:
        """Let signals act while the block waits for input; one that came before acts first.

        To act is to raise KeyboardInterrupt for Ctrl+C, and AskedToLeave for any other signal. The
        one that came first is taken out of `_signals` for it; the others stay for later questions.
        Raises AskedToLeave also if the terminal was closed.
        """
        # before one looks for those that came: what comes in between acts, too
        self._is_waiting = True
        try:
            if self._signals:
                _raise_for(self._signals.pop(0))
            yield
        except OSError as gone:  # the terminal was closed
            raise AskedToLeave from gone
        finally:
            self._is_waiting = False


def _raise_for(number: int) -> NoReturn:
    """Raise what a signal means: KeyboardInterrupt for Ctrl+C, AskedToLeave for any other."""
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise AskedToLeave(number)
