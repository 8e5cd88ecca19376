"""What somebody kept beside an audit: the digest of --drawn-as, and the check of --gold."""

import argparse

from appellate.core.problem import quoted
from appellate.numbers.gold_verdict import GoldVerdict, read_gold_verdict
from appellate.store.files.text_file import text_of, unusable
from appellate.store.samples.drawn_as import read_digest


def drawn_as(arguments: argparse.Namespace) -> str:
    """Return the letters of the digest that --drawn-as names, or "" without that option.

    The option may have the digest in upper case, with blanks and hyphens; it is returned in lower
    case without them. It is not compared with the sample. Raises Unusable for a text that is no
    digest.
    """
    text = arguments.drawn_as
    if text is None:
        return ""
    try:
        return read_digest(text)
    except ValueError as error:
        wrong = f"{quoted(text)} is not a digest: {error}"
        raise unusable(
            "--drawn-as",
            wrong,
            "sample and gate --plan print it",
        ) from error


_LARGEST = 100_000_000
"""Bytes that the check of a gold set may have."""


def gold_verdict(arguments: argparse.Namespace) -> GoldVerdict | None:
    """Return the verdict in the file that --gold names, or None without that option.

    The file is the JSON that `gold check -o` writes, and no gold set. Raises Unusable for a file
    that cannot be read, is too large or has no such verdict.
    """
    if arguments.gold is None:
        return None
    try:
        return read_gold_verdict(text_of(arguments.gold, _LARGEST))
    except ValueError as error:
        right = "appellate gold check GOLD --model MODEL -o FILE writes one"
        raise unusable(arguments.gold, str(error), right) from error
