"""The arguments of `appellate compare`."""

import argparse

from appellate.cli.sample_arguments import file_name


def describe(command: argparse.ArgumentParser) -> None:
    """Adds which audits are compared, and what is made of them."""
    command.add_argument("one", metavar="A", help="the audit of one reviewer")
    command.add_argument(
        "other", metavar="B", help="another reviewer's audit of the same rubric and traces"
    )
    command.add_argument("--json", action="store_true", help="as JSON (appellate-compare/1)")
    command.add_argument(
        "--third",
        metavar="C",
        help="a third reviewer's audit of the same, for the alternative annotator test",
    )
    command.add_argument(
        "--epsilon",
        type=float,
        default=0.2,
        metavar="E",
        help="what it is worth that a judge is cheap: .2 beside experts (default), .15 beside"
        " skilled people, .1 beside hired ones",
    )
    group = command.add_argument_group("ruling on what they differ in")
    group.add_argument(
        "--adjudicate",
        action="store_true",
        help="make an audit of both, where a third rules on what differs without knowing whose"
        " labels they are, and open it",
    )
    group.add_argument(
        "-o",
        "--output",
        type=file_name,
        metavar="AUDIT",
        help="with --adjudicate: the third audit",
    )
    group.add_argument(
        "--shuffle", type=int, metavar="N", help="shuffles whose labels are shown first (a seed)"
    )
