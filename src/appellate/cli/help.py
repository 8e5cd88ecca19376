"""`appellate help`: shows a page of the manual, or where the manual mentions something."""

import argparse
import os
import pydoc
import sys

from appellate import manual
from appellate.cli.arguments import PAGES
from appellate.cli.outcome import say, show

_WIDEST = 100
"""Columns of a page at most: longer lines are hard to read."""


def help(arguments: argparse.Namespace) -> None:  # noqa: A001 - the name of the command
    """Show a page of the manual, the list of pages, or where the manual has the words.

    The words in `arguments.topic`, joined by blanks, name a page or a command, in any case, whose
    page is shown. Else they are looked for as one phrase, as `manual.mentions` does. Places are
    printed on standard output, and a hint how to show a page on standard error. Without words it is
    the list. On a terminal a page is shown in a pager, else printed as Markdown. Raises Unusable
    for a phrase that is nowhere in the manual, and Ended if printing fails.
    """
    word = " ".join(arguments.topic)
    if not word:
        lines = [f"  {topic:14}{manual.summary(topic)}" for topic in manual.TOPICS]
        show("\n".join(["appellate help PAGE, or words to look for:", "", *lines]))
        return
    name = word.casefold()
    topic = PAGES.get(name, name)
    if topic not in manual.TOPICS:
        lines = []
        for mention in manual.mentions(word):
            lines.append(f"{mention.topic:12}{mention.heading}")
        show("\n".join(lines))
        say("A page is shown by: appellate help PAGE")
    elif sys.stdout.isatty():
        _show_in_pager(manual.page(topic))
    else:
        show(manual.page(topic))


def _show_in_pager(text: str) -> None:
    """Show Markdown, formatted for a terminal, in the person's pager, and wait until they leave it.

    Lines have at most `_WIDEST` columns. The variable LESS of this process is set unless it is
    already.
    """
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(no_color="NO_COLOR" in os.environ or None)
    os.environ.setdefault("LESS", "-FRX")
    with console.capture() as captured:
        console.print(Markdown(text), width=min(console.width, _WIDEST))
    pydoc.pager(captured.get())
