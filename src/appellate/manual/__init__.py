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
    """The text of a page, as Markdown."""
    return _MARKER.sub("", (FOLDER / f"{topic}.md").read_text("utf-8"))


def summary(topic: str) -> str:
    """What a page is for: its first line of text."""
    return page(topic).split("\n\n")[1]


def mentions(word: str) -> list[Mention]:
    """The places where a word is, in any case, in the order of the pages; raises Unusable where it
    is nowhere.
    """
    found: list[Mention] = []
    for topic in TOPICS:
        heading = ""
        for line in page(topic).splitlines():
            if is_heading := _HEADING.fullmatch(line):
                heading = is_heading[1]
            if word.casefold() in line.casefold():
                found.append(Mention(topic, heading))
    if not found:
        right = f"pages: {', '.join(TOPICS)}"
        if meant := closest(word, TOPICS):
            right = f"did you mean {meant}?"
        raise Unusable(
            [Problem("help", "", f"nothing is known of {quoted(word)}", right)]
        )
    return list(dict.fromkeys(found))
