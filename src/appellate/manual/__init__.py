"""The manual: a page for each topic, shown by `appellate help` and `?`."""

import re
from pathlib import Path

from msgspec import Struct

from appellate.core.problem import Problem, Unusable, closest, quoted

FOLDER = Path(__file__).parent
TOPICS = (
    "start",
    "reading",
    "correcting",
    "kinds",
    "comparing",
    "queries",
    "rubrics",
    "traces",
    "conversations",
    "other-tools",
    "audit",
    "checking",
    "judges",
    "bulk",
    "probes",
    "samples",
    "numbers",
    "gate",
    "gold",
    "reviewers",
    "agents",
    "report",
    "settings",
    "keys",
    "terminals",
    "python",
)
"""In the order in which they are listed."""
_MARKER = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
_HEADING = re.compile(r"#+ (.*)")


class Mention(Struct, frozen=True):
    """Where a word is: a page, and the heading that it is under."""

    topic: str
    heading: str


def page(topic: str) -> str:
    """Return the text of a page of the manual, as Markdown, without the markers of generated parts.

    `topic` is one of `TOPICS`. Raises FileNotFoundError for any other.
    """
    return _MARKER.sub("", (FOLDER / f"{topic}.md").read_text("utf-8"))


def summary(topic: str) -> str:
    """Return what a page is for: its first paragraph below the title."""
    return page(topic).split("\n\n")[1]


def mentions(word: str) -> list[Mention]:
    """Return where a word or phrase is in the manual: each page and heading once, in the manual's
    order.

    A phrase must be in one line as it is written. Case does not count, and it is also found within
    other words. Raises Unusable if it is nowhere, with the closest page or all pages.
    """
    places: list[Mention] = []
    for topic in TOPICS:
        heading = ""
        for line in page(topic).splitlines():
            heading_line = _HEADING.fullmatch(line)
            if heading_line:
                heading = heading_line[1]
            if word.casefold() in line.casefold():
                places.append(Mention(topic, heading))

    if not places:
        wrong = f"nothing is known of {quoted(word)}"
        right = f"pages: {', '.join(TOPICS)}"
        suggestion = closest(word, TOPICS)
        if suggestion:
            right = f"did you mean {suggestion}?"
        raise Unusable([Problem("help", "", wrong, right)])
    return list(dict.fromkeys(places))
