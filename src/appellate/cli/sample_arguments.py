"""The arguments of `appellate sample`."""

import argparse
from math import inf

_DIGITS = 10


def describe(command: argparse.ArgumentParser) -> None:
    """Adds what can be said of a draw."""
    group = command.add_argument_group("what is drawn (nothing: says what the sample is)")
    size = group.add_mutually_exclusive_group()
    size.add_argument("-n", type=positive, metavar="N", help="draw N traces at random")
    size.add_argument(
        "--add", type=positive, metavar="N", help="draw N more into the sample, by its design"
    )
    size.add_argument(
        "--power",
        type=_half_width,
        metavar="H",
        help="draw nothing: say how many audits give an interval of ± H (0.04)",
    )
    size.add_argument(
        "--withdraw",
        action="store_true",
        help="take the sample back, while nothing in it is ruled on; the log keeps what it was",
    )
    group.add_argument(
        "--seed", type=_seed, metavar="N", help="what all chance comes from: the same, the same (1)"
    )
    group.add_argument(
        "--by",
        action="append",
        metavar="WHAT",
        help="so many of each model, question or meta.KEY of the metadata (again: of each"
        " combination), or most where the members of a panel disagree: disagreement",
    )
    group.add_argument(
        "--active",
        action="store_true",
        help="chances that go by the panel's disagreement, half of each the same for all",
    )
    group.add_argument(
        "--sighted",
        action="store_true",
        help="show the judge's labels from the start, in place of hiding them until one has ruled",
    )


def _seed(text: str) -> int:
    if not text.isdecimal() or len(text) > _DIGITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at most ten digits")
    return int(text)


def _half_width(text: str) -> float:
    try:
        half = float(text)
    except ValueError:
        half = 0.0
    if not 0 < half < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0, as 0.04")
    return half


def file_name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("names no file")
    return text


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)
