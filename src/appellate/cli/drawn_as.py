"""The option --drawn-as: a digest that `sample` or `gate --plan` printed once."""

import argparse

from appellate.core.problem import quoted
from appellate.store.files.text_file import unusable
from appellate.store.samples.drawn_as import read_digest


def drawn_as(arguments: argparse.Namespace) -> str:
    """Return the letters of the digest that --drawn-as names, "" without it; raises Unusable."""
    text = arguments.drawn_as
    if text is None:
        return ""
    try:
        return read_digest(text)
    except ValueError as error:
        wrong = f"{quoted(text)} is not a digest: {error}"
        raise unusable("--drawn-as", wrong, "sample and gate --plan print it") from error
