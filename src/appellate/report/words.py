"""What stands in every form of the report alike: texts made inert, cut to a length; moments; numbers.

Unlike `ui.text`, which keeps offsets, a stand-in here may be longer than what it stands for and says which
codepoint it was: whoever reads a report has no other way to find out.
"""

import unicodedata

TABLE = 160
"""Characters of a text in a table."""
LIST = 2000
"""Characters of a text in the list of corrections."""
_QUIET = "\n\t\u00ad\u200c\u200d"  # a soft hyphen, and what Persian words and emoji are joined with


def inert(text: str) -> str:
    """The text with `⟨U+202E⟩` for whatever acts or hides; new lines and tabs stay."""
    if text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char.isprintable() or char in _QUIET:
        return char
    return " " if unicodedata.category(char) == "Zs" else f"⟨U+{ord(char):04X}⟩"


def cut(text: str, room: int = TABLE) -> str:
    """The text inert, on one line, with `…` where it was longer than `room`."""
    kept = text if len(text) <= room else text[: room - 1].rstrip() + "…"
    return " ".join(inert(kept).split())


def whole(text: str) -> str:
    """The text inert with its lines; what is beyond `LIST` characters is left out and that is said."""
    if len(text) <= LIST:
        return inert(text)
    return f"{inert(text[:LIST])}… [{LIST:,} of {len(text):,} characters; --format json has them all]"


def when(at: str | None) -> str:
    """A moment as facts keep it, to the minute."""
    return f"{at[:10]} {at[11:16]} UTC" if at else "never"


def number(figure: float | None) -> str:
    return "0/0" if figure is None else f"{figure:.3f}"


def mean(figure: float | None, cells: int) -> str:
    """A number over cells; a dash where there is no cell to have it."""
    return number(figure) if cells else "–"


def change(figure: float | None) -> str:
    """A difference with its sign; nothing where one side is 0/0."""
    if figure is None:
        return "–"
    return "0" if round(figure, 3) == 0 else f"{figure:+.3f}".replace("-", "−")


def many(count: int, one: str, several: str = "") -> str:
    """`1 cell`, `2 cells`, `1,000 cells`."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"
