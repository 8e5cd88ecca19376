"""What a terminal sends, parted into keys, sequences and pastes before anything can act on it.

A terminal sends more than keys: mouse reports, answers to questions that other programs asked,
pasted text. Over a bad line they come in parts, and a part read by itself looks like letters, which
rule on verdicts here. The gate therefore keeps to three rules:

- A sequence that has begun (`ESC [`, `ESC O`, `ESC P`, `ESC ]`, `ESC _`, `ESC ^`, `ESC X`, or the
  control character that stands for one) is swallowed to its end, however it is cut, until nothing
  of it has come for a second. The first byte that cannot continue it ends it.
- Esc acts after a tenth of a second. What then comes within a second, as several bytes of one read
  that would continue a sequence, is the rest of one. A single `[`, `O` or `P` is a key.
- Pasted text is one paste. Where the terminal does not say what is pasted, two runs of eight or
  more printable characters with a line's end between them in one read are: no hand types them.

It knows no clock: who feeds it says when bytes arrived, and calls `tick` at its `deadline`.
"""

import re
from codecs import getincrementaldecoder
from enum import Enum, auto
from typing import NamedTuple

ESCAPE_SECONDS = 0.1
"""How long an Esc waits for what would make it the begin of a sequence; reads that follow each
other as fast belong together.
"""
TAIL_SECONDS = 1.0
"""How long a sequence or a paste that has begun waits for what is missing."""
PAUSE_SECONDS = 10.0
"""How long after a paste that never ended a read of several bytes still belongs to it."""
LONGEST = 128
"""Bytes of a sequence that are looked at; a longer one is swallowed, and none that is known."""

ESC = 0x1B
BELL = 0x07
STRING_TERMINATOR = 0x9C
"""`ESC \\` as one control character."""
CONTROLS_FROM_0X80 = range(0x80, 0xA0)
"""Control characters that stand for Esc and the letter 0x40 below them."""
PRINTABLE = range(0x20, 0x7F)
PARAMETERS = range(0x20, 0x40)
"""What may stand between the begin of a CSI sequence and its last byte."""
CANCELS = (0x18, 0x1A)
"""The control characters that call a sequence off."""
STRING_STARTS = b"P]_^X"
"""What makes Esc the begin of a text for the terminal's owner: DCS, OSC, APC, PM, SOS."""
PASTE_START = "\x1b[200~"
PASTE_END = "\x1b[201~"
_PASTE_END = PASTE_END.encode()

_OSC_STARTS = "0123456789lL"
"""How replies begin behind `ESC ]`: with a number, or the window's title."""

_BURST = re.compile(r"[^\x00-\x1f\x7f]{8}\t?[\r\n]\s*[^\x00-\x1f\x7f]{8}")
_LINE_END = re.compile(r"\r\n|\r|\n")
_PASTED_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b",
)
_BEGUN_AT_END = re.compile(
    rb"(?:\x1b(?:\[[0-?]*[ -/]*)?"
    rb"|[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z",
)
"""The beginning of a control sequence, or of a character in UTF-8, at the end of some bytes."""
_LONGEST_BEGUN = 32
"""Bytes in which such a beginning is looked for; a longer one is nothing that ends."""
_HEADLESS_PASTE = re.compile(rb"\[?200~")
_HEADLESS_REPORT = re.compile(rb"(?:\[?<\d+;\d+;\d+[Mm]|\[[?>][\d;]+(?:\$y|[cnu]))+")
_REST_OF_PASTE_START = re.compile(r"\[?2?0{0,2}~")
_ONE_KEY = re.compile(
    rb"\x1b?(?:[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*)|\x1b(?:\[[0-?]*|O)[@-~]",
)


class Typed(NamedTuple):
    """Characters that were typed, each a key."""

    text: str


class Escape(NamedTuple):
    """The key Esc."""


class Alt(NamedTuple):
    """A key with Alt, or Esc and that key in one read, which terminals send alike."""

    character: str


class Sequence(NamedTuple):
    """A whole sequence: a special key, the mouse, a reply, or what nobody knows."""

    text: str


class Pasted(NamedTuple):
    """Text that was pasted."""

    text: str


Piece = Typed | Escape | Alt | Sequence | Pasted


class _State(Enum):
    """What the next byte is a part of."""

    GROUND = auto()
    """Nothing that has begun."""
    ESCAPE = auto()
    """Esc has come, and may be a key or the begin of a sequence."""
    CSI = auto()
    """After `ESC [`."""
    SS3 = auto()
    """After `ESC O`."""
    STRING = auto()
    """In a text that ends with BEL or `ESC \\`."""
    STRING_ESCAPE = auto()
    """In such a text, after an Esc."""
    MOUSE_BYTES = auto()
    """In the three bytes behind `ESC [ M`."""
    PASTE = auto()
    """In pasted text."""
    PAUSED_PASTE = auto()
    """In pasted text whose end did not come."""


_BEGUN = (
    _State.CSI,
    _State.SS3,
    _State.STRING,
    _State.STRING_ESCAPE,
    _State.MOUSE_BYTES,
)
_STATE_OF_START = {ord("["): _State.CSI, ord("O"): _State.SS3} | dict.fromkeys(
    STRING_STARTS,
    _State.STRING,
)


class InputGate:
    """Parts the bytes of a terminal; `feed` and `tick` return what they turned out to be."""

    def __init__(self, escape_seconds: float = ESCAPE_SECONDS) -> None:
        """Make a gate that waits `escape_seconds` after an Esc for what may follow it."""
        self._escape_seconds = escape_seconds
        self._state = _State.GROUND
        self._held = bytearray()
        """The sequence so far, in its form with Esc."""
        self._is_orphan = False
        """Whether the Esc of the sequence was pressed as a key, so that the rest means nothing."""
        self._came_alone = False
        """Whether the second byte of the sequence was a read by itself, as from a hand."""
        self._is_eight_bit = False
        """Whether the sequence began with a raw control character from 0x80 on."""
        self._since = 0.0
        """When the latest byte came that the deadline counts from."""
        self._mouse_bytes_left = 0
        self._paste = bytearray()
        self._is_after_return = False
        """Whether the paste goes on after a pause, and what came before it ended with CR."""
        self._pressed_head = b""
        """Esc, or Esc and the letter behind it, as long as what follows may be their tail."""
        self._pressed_at = 0.0
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._text = ""
        """What was typed since the latest piece."""
        self._pieces: list[Piece] = []
        self._is_single = False
        """Whether the read that is looked at has only one byte."""
        self._burst_ended = float("-inf")
        """When the latest read came that was a paste without its terminal saying so."""

    @property
    def deadline(self) -> float | None:
        """The time at which `tick` has something to do, in the caller's seconds; None for never.

        An Esc waits for the seconds that the gate was made with. A sequence whose second byte was a
        read by itself waits as long, since a hand may have typed it. Any other sequence, a paste
        and half of a character wait `TAIL_SECONDS`. A paste whose end did not come then waits
        `PAUSE_SECONDS`.
        """
        match self._state:
            case _State.GROUND:
                return self._since + TAIL_SECONDS if self._half_character else None
            case _State.ESCAPE:
                return self._since + self._escape_seconds
            case _State.PAUSED_PASTE:
                return self._since + PAUSE_SECONDS
            case _:
                waits = self._escape_seconds if self._came_alone else TAIL_SECONDS
                return self._since + waits

    def tick(self, now: float) -> list[Piece]:
        """Return what is decided now that time has passed, in order; `now` is in seconds.

        Before the deadline that is nothing. At the deadline an Esc that waited becomes a key, and
        an Esc and a letter that came one by one become two. Another sequence that never ended is
        dropped, and half of a character becomes U+FFFD. What has come of a paste is handed on. Its
        rest is waited for again, and then forgotten.
        """
        deadline = self.deadline
        if deadline is None or now < deadline:
            return []

        match self._state:
            case _State.GROUND:
                self._text += self._decoder.decode(b"", final=True)
            case _State.ESCAPE:
                self._press_escape(b"\x1b")
            case _State.PASTE:
                self._pause_paste()
                return self._take_pieces() + self.tick(now)
            case _State.PAUSED_PASTE:
                self._paste.clear()
                self._is_after_return = False
            case _ if self._came_alone:
                self._press_head()
        self._end_sequence()
        return self._take_pieces()

    def feed(self, data: bytes, arrived: float) -> list[Piece]:
        """Return what one read of bytes turned out to be, with what was still undecided before.

        What may be the beginning of something longer is kept. A read that looks pasted becomes one
        paste, even if the terminal does not say that it is one. `arrived` is in seconds of any
        clock, the one that is also used for `tick`.
        """
        pieces = self.tick(arrived)
        if not data:
            return pieces

        self._is_single = len(data) == 1
        data = self._without_known_tails(data, arrived)
        self._restart_wait(arrived)
        position = 0
        while position < len(data):
            if self._state in (_State.PASTE, _State.PAUSED_PASTE):
                position = self._take_pasted(data, position)
                continue
            is_used = self._take_byte(data[position], arrived)
            if is_used:
                position += 1
        return pieces + self._with_burst(self._take_pieces(), arrived)

    # -- what came before this read ---------------------------------------------------------------

    def _without_known_tails(self, data: bytes, arrived: float) -> bytes:
        """Return the bytes of one read that are still to be parted, without known tails.

        A terminal's report that comes without its Esc is left out. If an Esc was pressed as a key
        less than `TAIL_SECONDS` ago, bytes that continue it begin a sequence that will mean
        nothing. A read that begins as the head of a paste without its Esc begins a paste. Both
        change the gate's state. A single key ends a paste that is paused, unless it continues the
        end of the paste. Within a sequence all bytes are returned. `arrived` is in seconds.
        """
        if self._state is _State.PAUSED_PASTE and _ONE_KEY.fullmatch(data):
            is_end = bool(self._paste) and _PASTE_END.startswith(
                bytes(self._paste) + data,
            )
            if not is_end:
                self._paste.clear()
                self._state = _State.GROUND
        if self._state is not _State.GROUND:
            return data

        head = self._pressed_head
        self._pressed_head = b""
        if head and arrived - self._pressed_at <= TAIL_SECONDS:
            if not self._is_single and _continues(head + data):
                begun = head
                if len(head) == 1:
                    begun = head + data[:1]
                self._begin_sequence(begun)
                self._is_orphan = True
                return data[2 - len(head) :]
            if self._is_single and len(head) == 1 and data[0] in _STATE_OF_START:
                self._pressed_head = head + data
        if report := _HEADLESS_REPORT.match(data):
            return data[report.end() :]
        if paste := _HEADLESS_PASTE.match(data):
            self._state = _State.PASTE
            return data[paste.end() :]
        return data

    def _restart_wait(self, arrived: float) -> None:
        """Let the time until the deadline begin again at this read, at `arrived` seconds.

        It does not begin again after an Esc. Nor does it while a sequence is open, if a single byte
        comes so late that a hand may have typed it.
        """
        is_quick = arrived - self._since <= self._escape_seconds
        if self._state is _State.ESCAPE:
            return
        if self._state not in _BEGUN or is_quick or not self._is_single:
            self._since = arrived

    # -- byte by byte -----------------------------------------------------------------------------

    def _take_byte(self, byte: int, arrived: float) -> bool:
        """Take a byte as the state says; returns False if it has to be looked at again.

        A byte has to be looked at again if it cannot continue a sequence and therefore ends it. A
        control character that cancels ends any sequence, except the three bytes of an old mouse
        report. `arrived` is in seconds.
        """
        match self._state:
            case _State.GROUND:
                return self._take_on_ground(byte, arrived)
            case _State.ESCAPE:
                return self._take_after_escape(byte, arrived)
            case _State.MOUSE_BYTES:
                self._mouse_bytes_left -= 1
                if not self._mouse_bytes_left:
                    self._end_sequence()
                return True
            case _ if byte in CANCELS:
                self._end_sequence()
                return True
            case _State.STRING:
                return self._take_in_string(byte, arrived)
            case _State.STRING_ESCAPE:
                self._end_sequence()
                if byte != ord("\\"):
                    self._begin_escape(arrived)
                    return False
                return True
            case _:
                return self._take_in_sequence(byte)

    def _take_on_ground(self, byte: int, arrived: float) -> bool:
        """Take a byte outside of any sequence: typed text, or what begins a sequence; returns True.

        An Esc and a control character from 0x80 on may begin one. Such a character comes as one
        byte, or in UTF-8 after 0xC2. One that begins no sequence is typed as U+FFFD if it came as
        one byte, and else dropped. `arrived` is in seconds.
        """
        half = self._half_character
        if byte == ESC:
            self._text += self._decoder.decode(b"", final=True)
            self._begin_escape(arrived)
            return True
        # such a control character comes as one byte, or as two in UTF-8
        if byte in CONTROLS_FROM_0X80 and half in (b"", b"\xc2"):
            self._decoder.reset()
            start = byte - 0x40
            if start in _STATE_OF_START:
                self._begin_sequence(bytes((ESC, start)))
                self._is_eight_bit = True
                self._came_alone = self._is_single
            elif not half:
                self._text += "\ufffd"
            return True
        self._text += self._decoder.decode(bytes((byte,)))
        return True

    def _take_after_escape(self, byte: int, arrived: float) -> bool:
        """Take the byte after an Esc: it begins a sequence, or is a key with Alt.

        A second Esc makes the first one a key. A backslash is dropped: with Esc it ends a control
        string that was forgotten. Returns False for a byte from 0x80 on, which has to be looked at
        again: the Esc was a key. `arrived` is in seconds.
        """
        if byte == ESC:
            self._press_escape(b"")
            self._begin_escape(arrived)
            return True
        if byte in _STATE_OF_START:
            self._begin_sequence(bytes((ESC, byte)))
            self._came_alone = self._is_single
            self._since = arrived
            return True
        self._state = _State.GROUND
        if byte == ord("\\"):  # the end of a text that has gone
            return True
        if byte >= CONTROLS_FROM_0X80.start:
            self._press_escape(b"")
            return False
        self._add(Alt(chr(byte)))
        return True

    def _take_in_string(self, byte: int, arrived: float) -> bool:
        """Take a byte of a control string (DCS, OSC, APC, PM or SOS), and keep nothing of it.

        The string ends with BEL, the string terminator, or a control character that was a read by
        itself. Returns False for the last of these, to have it looked at again. An Esc may begin
        the terminator; one that comes late and by itself is a key. `arrived` is in seconds.
        """
        if byte == ESC:
            is_late = arrived - self._since > self._escape_seconds
            if self._is_single and is_late:  # a hand's
                self._end_sequence()
                self._begin_escape(arrived)
                return True
            self._state = _State.STRING_ESCAPE
            self._came_alone = False
            return True
        is_end = byte == BELL or (byte == STRING_TERMINATOR and self._may_end_string)
        if is_end:
            self._end_sequence()
            return True
        if byte < PRINTABLE.start and self._is_single:
            self._end_sequence()
            return False
        self._came_alone = False
        self._held[2:] = bytes((byte,))
        return True

    @property
    def _may_end_string(self) -> bool:
        """Whether the string terminator as one control character can stand here."""
        return self._is_eight_bit or self._held.endswith(b"\xc2")

    def _take_in_sequence(self, byte: int) -> bool:
        """Take a byte of a CSI or SS3 sequence, and hand the sequence on if it is whole.

        Returns True for a byte that was taken. The first byte that cannot be a part of a sequence
        ends it: False is returned, to have that byte looked at again. A sequence of more than
        `LONGEST` bytes is dropped at its end. After `ESC [ M` three bytes of a mouse report follow.
        """
        if byte not in PRINTABLE:
            self._end_sequence()
            return False
        self._came_alone = False
        if len(self._held) < LONGEST:
            self._held.append(byte)
        held = bytes(self._held)
        if self._state is _State.SS3:
            is_whole = chr(byte) not in "0123456789;"
        elif held == b"\x1b[M":
            self._state = _State.MOUSE_BYTES
            self._mouse_bytes_left = 3
            return True
        else:
            is_whole = _ends_csi(held, byte)
        if is_whole and len(held) < LONGEST:
            self._finish_sequence(held.decode("ascii"))
        elif is_whole:
            self._finish_sequence("")
        return True

    # -- sequences --------------------------------------------------------------------------------

    def _begin_escape(self, arrived: float) -> None:
        """Remember that an Esc has come, and that it came at `arrived`, in seconds."""
        self._state = _State.ESCAPE
        self._since = arrived

    def _begin_sequence(self, head: bytes) -> None:
        """Begin the sequence that two bytes, Esc and the letter after it, announce.

        Raises KeyError for a letter that begins none. All that is known of an earlier sequence is
        forgotten: callers set afterwards what is unusual about this one.
        """
        self._state = _STATE_OF_START[head[1]]
        self._held = bytearray(head)
        self._is_orphan = False
        self._came_alone = False
        self._is_eight_bit = False

    def _finish_sequence(self, sequence: str) -> None:
        """Add a whole sequence to the pieces, or begin or end the paste that it announces.

        "" and a sequence whose Esc was pressed as a key are dropped.
        """
        is_orphan = self._is_orphan
        self._end_sequence()
        if sequence == PASTE_START:
            self._state = _State.PASTE
        elif sequence == PASTE_END:
            self._make_paste()
        elif sequence and not is_orphan:
            self._add(Sequence(sequence))

    def _end_sequence(self) -> None:
        """Forget the sequence so far, or the Esc that waits: the next byte belongs to neither.

        The pieces stay, and what was typed.
        """
        self._state = _State.GROUND
        self._held.clear()
        self._is_orphan = False
        self._came_alone = False

    def _press_escape(self, head: bytes) -> None:
        """Add the key Esc to the pieces, and remember `head` in case its tail comes later.

        `head` is Esc, Esc with a letter, or b"" for nothing that may have a tail. It counts as
        pressed when the Esc came. The state of the gate stays: the caller sets the next.
        """
        self._add(Escape())
        self._pressed_head = head
        self._pressed_at = self._since

    def _press_head(self) -> None:
        """Add Esc and the letter that came after it by itself, as two keys, to the pieces.

        A control character from 0x80 on is an unknown character instead. The tail of either may
        still come.
        """
        head = bytes(self._held)
        if self._is_eight_bit:  # a letter of Windows' code pages, perhaps
            self._text += "\ufffd"
            self._pressed_head = head
            self._pressed_at = self._since
            return
        self._press_escape(head)
        self._text += head[1:].decode("ascii")

    # -- pastes -----------------------------------------------------------------------------------

    def _take_pasted(self, data: bytes, position: int) -> int:
        """Take pasted bytes of `data` from `position` to the paste's end, and add the paste.

        Returns the position in `data` after the end. If the end did not come, all bytes are kept
        for the paste, nothing is added, and the length of `data` is returned.
        """
        self._state = _State.PASTE
        before = len(self._paste)
        self._paste += data[position:]
        first_place = max(before - len(_PASTE_END), 0)
        end = self._paste.find(_PASTE_END, first_place)
        if end < 0:
            return len(data)
        behind = len(self._paste) - end - len(_PASTE_END)
        del self._paste[end:]
        self._add_paste()
        self._state = _State.GROUND
        return len(data) - behind

    def _pause_paste(self) -> None:
        """Add what has come of a paste to the pieces; the rest, if it comes, is another paste.

        If it ends with half of a character or of a control sequence, such as the one that ends a
        paste, that is kept for the rest. After a carriage return a line feed at the beginning of
        the rest is no line end of its own.
        """
        begun = _BEGUN_AT_END.search(
            self._paste,
            max(len(self._paste) - _LONGEST_BEGUN, 0),
        )
        rest = begun[0] if begun else b""
        del self._paste[len(self._paste) - len(rest) :]
        is_after_return = self._paste.endswith(b"\r")
        self._add_paste()
        self._is_after_return = is_after_return
        self._paste += rest
        self._state = _State.PAUSED_PASTE

    def _add_paste(self) -> None:
        """Add what was pasted to the pieces, unless nothing is left of it.

        Control sequences and NULs are taken out, and each line's end is a newline.
        """
        text = self._paste.decode("utf-8", "replace")
        self._paste.clear()
        if self._is_after_return:
            text = text.removeprefix("\n")
        self._is_after_return = False
        text = _PASTED_SEQUENCE.sub("", text)
        text = text.replace("\x00", "")
        text = _LINE_END.sub("\n", text)
        if text:
            self._add(Pasted(text))

    def _make_paste(self) -> None:
        """Make what this read has typed so far a paste, because the end of a paste has come.

        The begin of the paste was lost, and what remains of it is taken out. Keys and sequences of
        this read that type nothing are dropped. Nothing typed makes no paste.
        """
        text = _text_of(self._take_pieces())
        text = _REST_OF_PASTE_START.sub("", text, count=1)
        if text:
            self._add(Pasted(_LINE_END.sub("\n", text)))

    def _with_burst(self, pieces: list[Piece], arrived: float) -> list[Piece]:
        """Return the pieces of one read, or a paste if the terminal did not say that it is one.

        A read is a paste if eight printable characters end a line of it and eight begin the next
        text after that. A read right after such a one is a part of it if it types at least two
        characters. The paste has one line, with blanks between its lines: in a box that takes one
        line, Enter would end it, and the rest would act. Keys and sequences in it are dropped.
        Pastes that the terminal did announce come before it. `arrived` is in seconds.
        """
        pasted: list[Piece] = []
        typed: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, Pasted):
                pasted.append(piece)
            else:
                typed.append(piece)
        text = _text_of(typed)

        is_right_after_burst = arrived - self._burst_ended <= self._escape_seconds
        is_rest = is_right_after_burst and len(text) > 1
        if not is_rest and not _BURST.search(text):
            return pieces
        self._burst_ended = arrived
        return [*pasted, Pasted(_LINE_END.sub(" ", text))]

    # -- pieces -----------------------------------------------------------------------------------

    @property
    def _half_character(self) -> bytes:
        """The bytes of a character whose remaining bytes are still to come."""
        return self._decoder.getstate()[0]

    def _add(self, piece: Piece) -> None:
        self._add_text()
        self._pieces.append(piece)

    def _add_text(self) -> None:
        """Add what was typed since the latest piece to the pieces, if anything was."""
        if self._text:
            self._pieces.append(Typed(self._text))
            self._text = ""

    def _take_pieces(self) -> list[Piece]:
        """Return the pieces since the last call, with what was typed last, and start a new list."""
        self._add_text()
        pieces = self._pieces
        self._pieces = []
        return pieces


def _continues(sequence: bytes) -> bool:
    """Return whether bytes are the begin of a sequence: the third byte can follow the first two.

    There must be three bytes or more. An OSC (`ESC ]`) must begin as a terminal's replies do. False
    if the second byte begins no sequence.
    """
    start = sequence[1]
    if start not in _STATE_OF_START:
        return False
    third = sequence[2]
    match chr(start):
        case "]":
            return chr(third) in _OSC_STARTS
        case "P":
            return third in PARAMETERS
        case _:
            return third in PRINTABLE


def _ends_csi(held: bytes, byte: int) -> bool:
    """Return whether a CSI sequence, `held`, is whole with its latest byte, `byte`.

    The first byte that is no parameter ends it. But `ESC [ [` waits for one more, and a `$` ends it
    only after digits alone.
    """
    # a function key of the Linux console, whose letter is to come
    if held == b"\x1b[[":
        return False
    if byte == ord("$"):  # rxvt's Shift; in replies parameters stand before it
        return held[2:-1].isdigit()
    return byte not in PARAMETERS


def _text_of(pieces: list[Piece]) -> str:
    """Return the text that pieces would type or paste, the characters of Alt with it.

    Esc and sequences are left out.
    """
    text = ""
    for piece in pieces:
        match piece:
            case Typed() | Pasted():
                text += piece.text
            case Alt():
                text += piece.character
    return text
