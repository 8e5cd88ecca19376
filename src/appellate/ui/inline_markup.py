"""Emphasis, code and links inside a block of Markdown, found in the source from the parser's account of them.

The parser says what follows what, not where; so each part is met where the one before it ended, and checked there.
"""

import re
from collections.abc import Sequence

from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.token import Token

from appellate.ui.markdown_source import MarkdownSource, Place

_BREAK = re.compile(r"[ \t]*(\\?)\n[ \t]*")
_BLANKS = re.compile(r"[ \t\n]*")
_STYLES = {"em": "em", "strong": "strong", "s": "strike"}
_NBSP = "\xa0"


def phrased(source: MarkdownSource, content: str, children: Sequence[Token], place: Place) -> None:
    """Edits the source for all parts of a block's text, up to the first that is not where it should be."""
    at: int | None = 0
    begun: list[int] = []
    for child in children:
        if at is None:
            return
        at = _met(source, content, child, at, place, begun)


def _met(source: MarkdownSource, content: str, child: Token, at: int, place: Place, begun: list[int]) -> int | None:
    """Where a part ends that begins at an offset of the content; None if it is not there."""
    match child.type:
        case "text":
            return at + len(child.content) if content.startswith(child.content, at) else None
        case "text_special":
            return _special(source, content, child, at, place)
        case "softbreak" | "hardbreak":
            return _broken(source, content, at, place)
        case "code_inline":
            return _code(source, content, child, at, place)
        case "link_open" | "em_open" | "strong_open" | "s_open":
            return _opened(source, content, child.markup or "[", at, place, begun)
        case "link_close":
            return _linked(source, content, at, place, begun)
        case "em_close" | "strong_close" | "s_close":
            return _closed(source, content, child, at, place, begun)
    return None


def _special(source: MarkdownSource, content: str, child: Token, at: int, place: Place) -> int | None:
    """An escaped character, or an entity, which is shown as what it stands for if that can be seen."""
    end = at + len(child.markup)
    if not content.startswith(child.markup, at):
        return None
    start = place.at(at)
    said = child.content.replace(_NBSP, " ")
    if child.info == "escape":
        source.hide(start, start + 1)
    elif said.isprintable():
        source.say(start, start + end - at, said)
    return end


def _broken(source: MarkdownSource, content: str, at: int, place: Place) -> int | None:
    found = _BREAK.match(content, at)
    if found and found[1]:
        source.hide(place.at(found.start(1)), place.at(found.start(1)) + 1)
    return found.end() if found else None


def _code(source: MarkdownSource, content: str, child: Token, at: int, place: Place) -> int | None:
    """Code with as many backticks around it, and a blank inside them or none."""
    long = len(child.markup)
    for blank in (0, 1):
        inner = at + long + blank
        outer = inner + len(child.content) + blank
        if not content.startswith(child.markup, at) or not content.startswith(child.markup, outer):
            continue
        if content[inner : outer - blank].replace("\n", " ") == child.content:
            source.hide(place.at(at), place.at(at) + long + blank)
            source.hide(place.at(outer - blank), place.at(outer - blank) + blank + long)
            source.wear(place.at(inner), place.at(outer - blank), "code")
            return outer + long
    return None


def _opened(source: MarkdownSource, content: str, markup: str, at: int, place: Place, begun: list[int]) -> int | None:
    if not content.startswith(markup, at):
        return None
    source.hide(place.at(at), place.at(at) + len(markup))
    begun.append(place.at(at))
    return at + len(markup)


def _closed(source: MarkdownSource, content: str, child: Token, at: int, place: Place, begun: list[int]) -> int | None:
    if not begun or not content.startswith(child.markup, at):
        return None
    here = place.at(at)
    source.hide(here, here + len(child.markup))
    source.wear(begun.pop(), here, _STYLES[child.tag])
    return at + len(child.markup)


def _linked(source: MarkdownSource, content: str, at: int, place: Place, begun: list[int]) -> int | None:
    """The end of a link: its target stays in sight, apart from its text."""
    end = _target_end(content, at + 2) if content.startswith("](", at) else None
    if end is None or not begun:
        return None
    here = place.at(at)
    source.show(here, here + 2, " (")
    source.wear(begun.pop(), here, "link")
    source.wear(here, place.at(end - 1) + 1, "target")
    return end


def _target_end(content: str, at: int) -> int | None:
    """Behind the bracket that ends a link's target, as the parser finds it."""
    at = _blanks(content, at)
    target = parseLinkDestination(content, at, len(content))
    if target.ok:
        start = target.pos
        at = _blanks(content, start)
        title = parseLinkTitle(content, at, len(content))
        at = _blanks(content, title.pos) if title.ok and at > start else at
    return at + 1 if content.startswith(")", at) else None


def _blanks(content: str, at: int) -> int:
    found = _BLANKS.match(content, at)
    return found.end() if found else at
