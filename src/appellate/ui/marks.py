"""Every mark that the screen draws, and its ASCII twin. No mark means two things."""

from functools import cache
from typing import NamedTuple

# there is no raised q
_RAISED = str.maketrans(
    "0123456789−-+abcdefghijklmnoprstuvwxyzRU",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴿᵁ",
)


class Marks(NamedTuple):
    """The marks for one kind of terminal: `UNICODE`, or `ASCII` for one that draws `▸` or `²`
    wrongly.
    """

    tp: str = "+"
    fn: str = "−"
    fp: str = "!"
    tn: str = "~"
    reviewed: str = "✓"
    proposed: str = "●"
    corrected: str = "◐"
    failed: str = "✗"
    pending: str = "·"
    flag: str = "⚑"
    bookmark: str = "◆"
    comment: str = "¶"
    doubt: str = "?"
    """A cell or item about which something is doubtful."""
    marked: str = "■"
    """A row that the person marked."""
    moved: str = "↑"
    """What a person changed: an item that was moved, a verdict."""
    changed: str = "✎"
    added: str = "✚"
    open: str = "○"
    denied: str = "¬"
    """Words of the response that deny an instruction."""
    omission: str = "∅"
    """An instruction that is met by what the response leaves out."""
    split: str = "≠"
    """Where judges, or the answers that are compared, differ."""
    partly: str = "½"
    apart: str = "⇄"
    """Where the judge's labels differ."""
    linked: str = "◂"
    plea: str = "‼"
    """Words that seem to address the judge."""
    hasty: str = "»"
    """A sign-off that was too quick to have read the response."""
    cursor: str = "▸"
    ellipsis: str = "…"
    arrow: str = "→"
    dot: str = "·"
    none: str = "–"
    """Stands for a value that is missing."""
    minus: str = "−"
    full: str = "▓"
    """A part of a progress bar that is done; `empty` is a part that is not."""
    empty: str = "░"
    rising: str = "▁▂▃▄▅▆▇█"
    """Bars that grow upwards, the lowest first."""
    growing: str = "▏▎▍▌▋▊▉█"
    """Bars that grow to the right, the shortest first."""
    bullet: str = "•"
    quote: str = "┃"
    column: str = "│"
    rule: str = "─"
    crossing: str = "┼"
    raises: bool = True
    """Whether the terminal draws raised digits and letters, and other signs outside ASCII."""
    bars: bool = True
    """Whether progress bars are drawn."""


UNICODE = Marks()
ASCII = Marks(
    fn="-",
    reviewed="v",
    proposed="*",
    corrected="%",
    failed="x",
    pending=".",
    flag="P",
    bookmark="@",
    comment='"',
    marked="&",
    moved="^",
    changed="/",
    added="A",
    open="o",
    denied="!=",
    omission="(/)",
    split="<>",
    partly="1/2",
    apart="><",
    linked="<",
    plea="!!",
    hasty=">>",
    cursor=">",
    ellipsis="~",
    arrow="->",
    dot="|",
    none="-",
    minus="-",
    full="#",
    empty=".",
    rising=".:=#",
    growing="#",
    bullet="-",
    quote=">",
    column="|",
    rule="-",
    crossing="+",
    raises=False,
)
PLAIN = ASCII._replace(bars=False)
"""Marks for plain output. What is read aloud or sent over a slow line has no bars."""


_SPELT = str.maketrans(
    {
        "·": "|",
        "→": "->",
        "←": "<-",
        "↑": "Up",
        "↓": "Down",
        "−": "-",
        "–": "-",
        "±": "+/-",
        "…": "~",
        "×": "x",
        "⇄": "<->",
        "“": '"',
        "”": '"',
    },
)


def spelt(text: str, marks: Marks = UNICODE) -> str:
    """Return a sentence of the program in letters that the terminal can draw.

    With `UNICODE` that is the sentence itself. With other marks arrows, dashes and the like become
    ASCII, and some of them become longer.
    """
    if marks.raises:
        return text
    return text.translate(_SPELT)


_SIGNS = {
    "…": "...",  # no line is fitted into columns where this is used
    "≤": "<=",
    "≥": ">=",
    "↔": "<->",
    "⟨": "<",
    "⟩": ">",
    "—": "-",
    "‐": "-",
    "‑": "-",
    "█": "#",
    "‘": "'",
    "’": "'",
    "“": "'",  # ends no field of CSV and no string of TOML
    "”": "'",
    "„": "'",
}


@cache
def twins() -> dict[str, str]:
    """Return the ASCII text for each mark and sign of the program, for a stream without Unicode.

    Keys are one character each; marks of several characters are left out. Of two marks with one
    sign, the first of `Marks` counts; `_SIGNS` goes before all. The dict is kept, and must not be
    changed.
    """
    ascii_twins: dict[str, str] = {}
    for mark, written in zip(UNICODE, ASCII, strict=True):
        if not isinstance(mark, str) or not isinstance(written, str):
            continue
        if len(mark) == 1:
            ascii_twins.setdefault(mark, written)
    for code, written in _SPELT.items():
        ascii_twins[chr(code)] = written
    return ascii_twins | _SIGNS


def in_quotes(text: str, marks: Marks) -> str:
    """Return a text between quotation marks that the terminal can draw; the text stays as it is.

    They are curly, or straight ones with the marks `ASCII` and `PLAIN`. Quotation marks within the
    text are not escaped.
    """
    if marks.raises:
        return f"“{text}”"
    return f'"{text}"'


def raised(label: str, marks: Marks = UNICODE) -> str:
    """Return a label as it stands after evidence: `12` as `¹²`, `0b` as `⁰ᵇ`; in ASCII `^12`.

    "" stays "". Letters that no raised form exists for stay as they are.
    """
    if not label:
        return ""
    if marks.raises:
        return label.translate(_RAISED)
    return "^" + label.replace("−", "-")


def progress(done: int, total: int, width: int, marks: Marks = UNICODE) -> str:
    """Return a progress bar of `width` cells for `done` of `total`.

    It is full only if all is done, and has at least one full cell once anything is done. All its
    cells are empty for a `total` of 0. It is "" if the marks have no bars, and for no width.
    """
    if not marks.bars:
        return ""
    if total <= 0 or width <= 0:
        return marks.empty * max(width, 0)
    filled = min(done * width // total, width)
    if done > 0:
        filled = max(filled, 1)
    remaining = width - filled
    return marks.full * filled + marks.empty * remaining


def marks_for(*, plain: bool, ascii_only: bool) -> Marks:
    """Return the marks for a person's settings: `PLAIN`, `ASCII` or `UNICODE`.

    `plain` goes before `ascii_only`.
    """
    if plain:
        return PLAIN
    return ASCII if ascii_only else UNICODE


class MarkHelp(NamedTuple):
    """A mark that a pane draws, and what it means."""

    mark: str
    meaning: str
    style: str = ""
    """The style of a row in which the mark is drawn; "" for the usual one."""


STEP_MARKS = (
    MarkHelp("[19]", "the step of a conversation that the words are in", "muted"),
    MarkHelp("[2] user's words", "nothing that the assistant said or did", "flag"),
    MarkHelp(
        "[9] judge: step 21",
        "found in another step than the judge named",
        "flag",
    ),
)
"""Marks at the right end of a row whose words are from a conversation."""


def helps_in(table: str, **marks: str) -> list[MarkHelp]:
    """Return the marks that a table explains, one on each line, in its order.

    A line has the style or `-` for none, the meaning and the mark, with two spaces between.
    `{name}` in the last stands for the mark of that name in `marks`. Raises ValueError for a line
    with fewer than three parts, also an empty one, and KeyError for a name that `marks` lacks.
    """
    helps = []
    for line in table.splitlines():
        style, meaning, pattern = line.split("  ", 2)
        mark = pattern.format(**marks)
        helps.append(MarkHelp(mark, meaning, style.strip("-")))
    return helps
