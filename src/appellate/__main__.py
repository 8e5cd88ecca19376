"""`python -m appellate`."""

from appellate.cli import run

run()
