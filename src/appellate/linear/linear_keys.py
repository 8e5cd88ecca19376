"""The keys of a session line by line, beside those of the kinds."""

from collections.abc import Iterable

from appellate.ui.contract import KeyLine, Paragraph

KEYS = (
    KeyLine("Enter j", "the next item"),
    KeyLine("k", "the item before"),
    KeyLine("g", "an item by its number"),
    KeyLine("t", "every item, short"),
    KeyLine("v", "take words of the response, for the next verdict or bucket"),
    KeyLine("r", "say why the last correction here was made"),
    KeyLine("c C", "comment on the cell; its comments and history"),
    KeyLine("F", "set the flag or take it down"),
    KeyLine("u U", "take back your last act, wherever it was; do it again"),
    KeyLine("a", "sign off, and on to the next cell that is not"),
    KeyLine(". ,", "the next cell, the cell before"),
    KeyLine("> <", "the next trace, the trace before"),
    KeyLine("n N", "the next cell that is not signed off, the one before"),
    KeyLine(":", "go to a trace by its id, its number or a part of it"),
    KeyLine("B '", "bookmark the cell, or take the bookmark away; the bookmarks, to go to one"),
    KeyLine("H", "what you did last, newest first, to go there"),
    KeyLine("f", "which cells are gone through: state:proposed f1<0.5 …; nothing: all"),
    KeyLine("p", "the prompt and the response once more, a page at a time"),
    KeyLine("s", "the cell once more"),
    KeyLine("o", "the words of the item in the response"),
    KeyLine(
        "/", "find words: prints the lines of the response, and of what K shows, that hold them"
    ),
    KeyLine("K", "conversation, reference, choices, documents, metadata"),
    KeyLine("J", "have this cell judged"),
    KeyLine("V", "where two reviewers differ: what each says, and rule on it"),
    KeyLine("S", "progress, pace, what each trait comes to, and what the judge is worth"),
    KeyLine("w", "export the audit file now (Ctrl+S)"),
    KeyLine("?", "this list"),
    KeyLine("q", "export the audit and quit"),
)


def describe(kinds: Iterable[Iterable[KeyLine]]) -> list[Paragraph]:
    """Every key and what it does, a line each."""
    lines: dict[KeyLine, None] = {}
    for keys in kinds:
        lines |= dict.fromkeys(keys)
    lines |= dict.fromkeys(KEYS)
    return [Paragraph(one.help, f"{one.key:<8}", "key", hang=9) for one in lines]
