"""Every mark that the screen draws: none means two things, each has an ASCII twin."""

from functools import cache
from typing import NamedTuple

_RAISED = str.maketrans(
    "0123456789−-+abcdefghijklmnoprstuvwxyzRU", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴿᵁ"
)  # there is no raised q


class Marks(NamedTuple):
    """The marks of one kind of terminal; `ASCII` is for those that draw `▸` or `²` double."""

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
    marked: str = "■"
    moved: str = "↑"
    changed: str = "✎"
    added: str = "✚"
    open: str = "○"
    denied: str = "¬"
    omission: str = "∅"
    split: str = "≠"
    partly: str = "½"
    apart: str = "⇄"
    linked: str = "◂"
    plea: str = "‼"
    hasty: str = "»"
    cursor: str = "▸"
    ellipsis: str = "…"
    arrow: str = "→"
    dot: str = "·"
    none: str = "–"
    minus: str = "−"
    full: str = "▓"
    empty: str = "░"
    rising: str = "▁▂▃▄▅▆▇█"
    growing: str = "▏▎▍▌▋▊▉█"
    bullet: str = "•"
    quote: str = "┃"
    column: str = "│"
    rule: str = "─"
    crossing: str = "┼"
    raises: bool = True
    bars: bool = True


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
"""For plain output: what is read aloud or sent over a slow line has no bars."""


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
    }
)


def spelt(text: str, marks: Marks = UNICODE) -> str:
    """A sentence of ours in letters that the terminal surely draws."""
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
    """Return what stands for marks and signs of ours in a stream that cannot write them."""
    found: dict[str, str] = {}
    for mark, written in zip(UNICODE, ASCII, strict=True):
        if isinstance(mark, str) and isinstance(written, str) and len(mark) == 1:
            found.setdefault(mark, written)
    for code, written in _SPELT.items():
        found[chr(code)] = written
    return found | _SIGNS


def in_quotes(text: str, marks: Marks) -> str:
    """Words of a text between quotation marks that the terminal surely draws."""
    return f"“{text}”" if marks.raises else f'"{text}"'


def raised(label: str, marks: Marks = UNICODE) -> str:
    """A label as it is behind evidence: `12` as `¹²`, `0b` as `⁰ᵇ`; in ASCII `^12`, `^0b`."""
    if not label:
        return ""
    if marks.raises:
        return label.translate(_RAISED)
    return "^" + label.replace("−", "-")


def progress(done: int, total: int, width: int, marks: Marks = UNICODE) -> str:
    """A bar of `width` cells, or none; full only when all is done, not empty once something is."""
    if not marks.bars:
        return ""
    if total <= 0 or width <= 0:
        return marks.empty * max(width, 0)
    filled = min(done * width // total, width)
    if done > 0:
        filled = max(filled, 1)
    return marks.full * filled + marks.empty * (width - filled)


def marks_for(*, plain: bool, ascii_only: bool) -> Marks:
    """Those that a person's settings ask for."""
    if plain:
        return PLAIN
    return ASCII if ascii_only else UNICODE


class MarkHelp(NamedTuple):
    """A mark that a pane draws, what it means, and the style of a row in which it is shown."""

    mark: str
    meaning: str
    style: str = ""


STEP_MARKS = (
    MarkHelp("[19]", "the step of a conversation that the words are in", "muted"),
    MarkHelp("[2] user's words", "nothing that the assistant said or did", "flag"),
    MarkHelp("[9] judge: step 21", "found in another step than the judge named", "flag"),
)
"""What stands at the right of a row whose words are of a conversation."""


def helps_in(table: str, **marks: str) -> list[MarkHelp]:
    """The marks of a table, a line each: the style or `-`, what it means, and the mark, two blanks
    between; `{names}` are those of `Marks`, or given.
    """
    found = []
    for line in table.splitlines():
        style, meaning, mark = line.split("  ", 2)
        found.append(MarkHelp(mark.format(**marks), meaning, style.strip("-")))
    return found
