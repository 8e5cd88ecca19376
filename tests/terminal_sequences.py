"""What terminals send beside letters: replies, the mouse, special keys and pastes, and none that may write a verdict.

Sources: XTerm's ctlseqs, kitty's keyboard protocol, rxvt-unicode's and the Linux console's tables, and what real
terminals answered.
"""

REPLIES = {
    "DA1 of a VT100": b"\x1b[?1;2c",
    "DA1 of xterm": b"\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c",
    "DA2 of xterm": b"\x1b[>41;390;0c",
    "DA2 of tmux": b"\x1b[>84;0;0c",
    "DA3": b"\x1bP!|7E565445\x1b\\",
    "DSR, all is well": b"\x1b[0n",
    "DSR of the printer": b"\x1b[?13n",
    "colour scheme": b"\x1b[?997;1n",
    "cursor position": b"\x1b[24;80R",
    "cursor position on the first row": b"\x1b[1;1R",
    "cursor position with its page": b"\x1b[?24;80;1R",
    "DECRPM of synchronized output": b"\x1b[?2026;2$y",
    "DECRPM of an unknown mode": b"\x1b[?2048;0$y",
    "DECRPM of an ANSI mode": b"\x1b[4;2$y",
    "OSC 4, a colour": b"\x1b]4;1;rgb:cdcd/0000/0000\x1b\\",
    "OSC 10, foreground": b"\x1b]10;rgb:d3d3/d7d7/cfcf\x07",
    "OSC 11, background": b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
    "OSC 52, the clipboard": b"\x1b]52;c;MTIzNCBhIFRQ\x1b\\",
    "OSC 99, a notification": b"\x1b]99;i=1:p=close;\x1b\\",
    "OSC of shells": b"\x1b]133;A\x07",
    "XTGETTCAP, known": b"\x1bP1+r544e=787465726d2d323536636f6c6f72\x1b\\",
    "XTGETTCAP, unknown": b"\x1bP0+r\x1b\\",
    "DECRQSS": b"\x1bP1$r0;1;31m\x1b\\",
    "XTVERSION": b"\x1bP>|XTerm(390)\x1b\\",
    "kitty graphics": b"\x1b_Gi=31;OK\x1b\\",
    "kitty graphics, a fault": b"\x1b_Gi=31;ENOENT:1 2 3 a\x1b\\",
    "kitty keyboard flags": b"\x1b[?25u",
    "window size in cells": b"\x1b[8;24;80t",
    "window size in pixels": b"\x1b[4;600;800t",
    "window title": b"\x1b]lP R 1 a\x1b\\",
    "in-band resize": b"\x1b[48;24;80;480;800t",
    "in-band resize without pixels": b"\x1b[48;24;80;0;0t",
    "focus in": b"\x1b[I",
    "focus out": b"\x1b[O",
    "termios of the locator": b"\x1b[1;2;3;4;5&w",
    "privacy message": b"\x1b^1 2 3 a\x1b\\",
    "start of string": b"\x1bX1 2 3 a\x1b\\",
    "DA1 in eight bits": b"\x9b?1;2c",
    "OSC in eight bits": b"\x9d11;rgb:1e1e/1e1e/1e1e\x9c",
    "CSI as a character": b"\xc2\x9b?1;2c",
    "a string that is called off": b"\x1bP1+r544e\x18",
}
MOUSE = {
    "X10, a click": b"\x1b[M !!",
    "X10, far to the right": b"\x1b[M#\xc3\xa1",
    "X10, beyond UTF-8": b"\x1b[MC\xff\xfe",
    "SGR, a move": b"\x1b[<35;21;13M",
    "SGR, a release": b"\x1b[<0;1;1m",
    "SGR, the wheel": b"\x1b[<65;21;13M",
    "SGR, a button for the way back": b"\x1b[<128;21;13M",
    "SGR, outside the window": b"\x1b[<35;-4;13M",
    "urxvt": b"\x1b[35;21;13M",
    "pixels": b"\x1b[<35;1021;613M",
    "no number that is one": b"\x1b[<35;99999999999999999999;1M",
}
KEYS = {
    "up": b"\x1b[A",
    "down in application mode": b"\x1bOB",
    "home of tmux": b"\x1b[1~",
    "end of rxvt": b"\x1b[8~",
    "shift and up of rxvt": b"\x1b[a",
    "shift and home of rxvt": b"\x1b[7$",
    "control and end of rxvt": b"\x1b[8^",
    "control and right": b"\x1b[1;5C",
    "F3 of the keypad": b"\x1bOR",
    "F3 with shift, as of old": b"\x1bO2R",
    "F5": b"\x1b[15~",
    "F20": b"\x1b[34~",
    "F5 of the Linux console": b"\x1b[[E",
    "Caps Lock and up": b"\x1b[1;65A",
    "Num Lock and F4": b"\x1b[1;129S",
    "keypad's middle": b"\x1b[E",
    "Caps Lock of kitty": b"\x1b[57358u",
    "Caps Lock of kitty, on": b"\x1b[57358;65u",
    "Num Lock of kitty": b"\x1b[57360;129u",
    "left Shift of kitty": b"\x1b[57441;2u",
    "volume of kitty": b"\x1b[57438u",
    "a key nobody knows": b"\x1b[57499u",
    "Esc of kitty": b"\x1b[27u",
    "up of kitty with its event": b"\x1b[1;1:1A",
    "up of kitty, let go": b"\x1b[1;1:3A",
    "a letter of kitty with its event": b"\x1b[97;1:1u",
    "a letter of kitty, let go": b"\x1b[97;1:3u",
    "a letter of kitty with alternates": b"\x1b[97:65:113;2u",
    "a letter of kitty with everything": b"\x1b[97:65;2:2;65u",
    "a number beyond Unicode": b"\x1b[1114112u",
    "a text beyond Unicode": b"\x1b[0;;1114112u",
    "a surrogate": b"\x1b[55296u",
    "nothing but colons": b"\x1b[::;:;:u",
    "thirty digits": b"\x1b[" + b"1" * 30 + b"u",
    "Caps Lock of modifyOtherKeys": b"\x1b[27;1;65509~",
    "Num Lock of modifyOtherKeys": b"\x1b[27;1;65407~",
    "control and a letter of modifyOtherKeys": b"\x1b[27;5;105~",
    "win32-input-mode": b"\x1b[65;30;97;1;0;1_",
}
PASTES = {
    "of one line": b"\x1b[200~1 2 3 a\x1b[201~",
    "of three lines": b"\x1b[200~1\r2\r\n3 a\x1b[201~",
    "with colours": b"\x1b[200~\x1b[31m1 2 \x1b[1;32m3 a\x1b[0m\x1b[201~",
    "with an escape": b"\x1b[200~1 2 \x1b 3 a\x1b[201~",
    "of other alphabets": "\x1b[200~1 α 2 字 3 🙂\x1b[201~".encode(),
    "beyond UTF-8": b"\x1b[200~1 \xfc 2 \xc3 3\x1b[201~",
    "without its end": b"\x1b[200~1 2 3 a",
    "with half of its end": b"\x1b[200~1 2 3 a\x1b[20",
    "without Esc": b"[200~1 2 3 a\x1b[201~",
    "of which the begin is half gone": b"00~1 2 3 a\x1b[201~",
    "of which the begin is gone": b"1 2 3\ra\r\x1b[201~",
}
NEEDS_ONE_READ = (
    "paste: without Esc",
    "paste: of which the begin is half gone",
    "paste: of which the begin is gone",
)
"""Of these nothing but their end, in the same read, tells that they were pasted."""
SEQUENCES = {
    f"{kind}: {name}": sequence
    for kind, table in (
        ("reply", REPLIES),
        ("mouse", MOUSE),
        ("key", KEYS),
        ("paste", PASTES),
    )
    for name, sequence in table.items()
}
GAPS = (0.15, 0.3)
"""Seconds between two parts of a sequence."""

Read = tuple[float, bytes]
"""Seconds since the read before, and what was read."""


def cuts(name: str) -> list[list[Read]]:
    """Return every way in which a sequence arrives: whole, and in two parts with each gap."""
    sequence = SEQUENCES[name]
    ways: list[list[Read]] = [[(2.0, sequence)]]
    if name in NEEDS_ONE_READ:
        return ways
    for position in range(1, len(sequence)):
        for gap in GAPS:
            ways.append([(2.0, sequence[:position]), (gap, sequence[position:])])
    return ways
