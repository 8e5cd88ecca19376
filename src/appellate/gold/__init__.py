"""A gold set: labels by people that are frozen, and that a judge must pass before it may score.

    module       what it does
    gold_file    the file `x.gold.toml`: reading, writing, its digest
    freezing     makes a gold set of audits
    replies      recorded replies, from which a check is answered without key and network
    asking       asks judges about exactly the cells of a gold set, or reads their labels
    checking     holds each judge's labels against the gold: numbers, bars, flips, verdict
    choosing     which of several judges, and how sure that is
    telling      a check as lines for a person and as JSON
    junit        a check as JUnit XML
    annotations  a check as annotations of GitHub Actions
    pytest_plugin  a check as tests, for `pytest --appellate-gold`

`cli/gold.py` calls them.
"""

from pathlib import Path


def is_gold(path: Path) -> bool:
    """Return whether a file is a gold set, by its first 400 bytes; False if it cannot be read.

    They must have `format = "appellate-gold/`, so a gold set of an unknown version is one, too.
    Nothing else of the file is checked.
    """
    try:
        with path.open("rb") as file:
            return b'format = "appellate-gold/' in file.read(400)
    except OSError:
        return False
