"""The options of `appellate probe`."""

import argparse

from appellate.cli.sample_arguments import positive


def describe(command: argparse.ArgumentParser) -> None:
    """What is asked, of how many traces, and in which form it is told."""
    group = command.add_argument_group("what is asked")
    group.add_argument(
        "--probe",
        action="append",
        choices=("order", "again", "padding", "evidence", "negated", "single"),
        help="one probe; again for several (default: all of them)",
    )
    group.add_argument(
        "-n",
        "--traces",
        type=positive,
        default=20,
        metavar="N",
        help="how many traces, drawn at random; all their cells are asked about (20)",
    )
    group.add_argument("--seed", type=int, default=0, metavar="N", help="which random traces (0)")
    group.add_argument(
        "--padding",
        type=_words,
        metavar="TEXT",
        help="words that say nothing, in your language (default: English)",
    )
    group.add_argument(
        "--contrary",
        type=_words,
        metavar="TEXT",
        help="words before an instruction that ask for its contrary (default: English)",
    )
    group.add_argument("--yes", action="store_true", help="send requests without being asked first")
    group.add_argument("--json", action="store_true", help="as JSON (appellate-probes/1)")
    batch = command.add_argument_group("by a batch engine, file after file")
    ways = batch.add_mutually_exclusive_group()
    ways.add_argument(
        "--batch",
        metavar="FILE",
        help="write the open requests there, if there are any; nothing is sent",
    )
    ways.add_argument(
        "--submit",
        action="store_true",
        help="send the open requests to the server's Batch API; `batch fetch` has the answers",
    )
    batch.add_argument(
        "--answers",
        action="append",
        metavar="FILE",
        help="first take in what the engine answered to --batch; again for several files",
    )


def _words(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("there are no words in it")
    return text.strip()
