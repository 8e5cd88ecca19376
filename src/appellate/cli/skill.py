"""`appellate skill`: prints what an agent has to know to work with audits."""

import argparse
from importlib.resources import files

from appellate.cli.outcome import show


def skill(_: argparse.Namespace) -> None:
    """Print the instructions, which are Markdown, on standard output; raises Ended if it fails."""
    show(files("appellate").joinpath("skill.md").read_text("utf-8"))
