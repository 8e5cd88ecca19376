"""The manual: a page for each topic, shown by `appellate help` and `?`."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

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
    "other-tools",
    "audit",
    "checking",
    "judges",
    "bulk",
    "probes",
    "samples",
    "numbers",
    "gate",
    "reviewers",
    "report",
    "settings",
    "keys",
    "terminals",
    "python",
)
"""In the order in which they are listed."""
PAGE_OF_COMMAND: Mapping[str, str] = MappingProxyType(
    {
        "demo": "start",
        "review": "audit",
        "import": "other-tools",
        "new": "rubrics",
        "export": "other-tools",
        "judge": "judges",
        "batch": "bulk",
        "check": "checking",
        "probe": "probes",
        "metrics": "numbers",
        "sample": "samples",
        "gate": "gate",
        "compare": "reviewers",
        "report": "report",
        "log": "audit",
        "second-pass": "reviewers",
        "plant": "reviewers",
        "config": "settings",
        "serve": "terminals",
        "schema": "checking",
        "completion": "terminals",
        "help": "start",
    }
)
_MARKER = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
_HEADING = re.compile(r"#+ (.*)")


class Mention(NamedTuple):
    """Where a word is: a page, and the heading that it is under."""

    topic: str
    heading: str


def topic_of(word: str) -> str | None:
    """The page of a topic or a command; None where there is none of that name."""
    name = PAGE_OF_COMMAND.get(word, word.casefold())
    return name if name in TOPICS else None


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
        raise Unusable([Problem("help", "", f"nothing is known of {quoted(word)}", right)])
    return list(dict.fromkeys(found))
