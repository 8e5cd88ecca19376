"""A gold set: labels by people that are frozen, and that a judge must pass before it may score.

    module       what it does
    gold_file    the file `x.gold.toml`: reading, writing, its digest
    freezing     makes a gold set of audits
    replies      recorded replies, from which a check is answered without key and network
    asking       asks judges about exactly the cells of a gold set, or reads their labels
    checking     holds each judge's labels against the gold: numbers, bars, flips, verdict
    choosing     the verdict of several judges together
    flip_queue   the cells with flips, as two judgments of each
    telling      a check as lines for a person and as JSON
    junit        a check as JUnit XML
    annotations  a check as annotations of GitHub Actions
    pytest_plugin  a check as tests, for `pytest --appellate-gold`

`cli/gold.py` calls them.
"""

import shlex
from pathlib import Path

from appellate.core.inert import in_unicode
from appellate.core.problem import first_texts

ENDING = ".gold.toml"
_LONGEST_HEAD = 4_096
"""Bytes of a gold set that are read for what it was made of."""
_MOST_NAMED = 3
"""The largest number of gold sets that a sentence names."""


_FIRST_WORDS = b'format = "appellate-gold/'
"""What the beginning of a gold set of any version has."""
_BEGINNING = 400
"""Bytes among which these words are."""


def is_gold(path: Path) -> bool:
    """Return whether a file is a gold set, by its first 400 bytes; False if it cannot be read.

    They must have `format = "appellate-gold/`, so a gold set of an unknown version is one, too.
    Nothing else of the file is checked.
    """
    try:
        with path.open("rb") as file:
            return _FIRST_WORDS in file.read(_BEGINNING)
    except OSError:
        return False


def gold_sets_of(audit: Path) -> list[Path]:
    """Return the gold sets in the folder of an audit that were made of it, sorted by name.

    Their names end in `ENDING`. One was made of the audit if its head names the audit's file, with
    U+FFFD for bytes that are no UTF-8; an audit that was renamed since has none. Only the head of
    each is read; one that cannot be read is left out. Returns [] for a folder that cannot be read.
    """
    try:
        paths = sorted(audit.parent.glob(f"*{ENDING}"))
    except OSError:
        return []
    name = in_unicode(audit.name)
    made_of_audit: list[Path] = []
    for path in paths:
        # a name may have a comma itself
        if f", {name}, " in f", {_sources(path)}, ":
            made_of_audit.append(path)
    return made_of_audit


def _sources(path: Path) -> str:
    """Return the names of the audits that a gold set was made of, joined by ", ".

    They are the key "source" among the first 4,096 bytes of the file. Returns "" if it is not
    there, for a file that is no gold set, and for one that cannot be read.
    """
    import tomli  # not before there is a gold set

    try:
        with path.open("rb") as file:
            beginning = file.read(_LONGEST_HEAD)
        if _FIRST_WORDS not in beginning[:_BEGINNING]:
            return ""
        head, _, _ = beginning.partition(b"\n[")
        keys = tomli.loads(head.decode("utf-8"))
    except (OSError, ValueError):
        return ""
    source = keys.get("source")
    if not isinstance(source, str):
        return ""
    return source


def gold_sets_text(audit: Path) -> str:
    """Return in two sentences which gold sets were made of an audit, and how to test judges on one.

    Sets are named by their files, at most three. The command for the test has the first one's name,
    quoted for a shell. "" without a gold set of this audit.
    """
    names = [path.name for path in gold_sets_of(audit)]
    if not names:
        return ""
    names_text = first_texts(names, _MOST_NAMED)
    first_gold_set = shlex.quote(names[0])
    command = f"appellate gold check {first_gold_set} --judge NAME"
    return (
        f"Frozen as gold: {names_text}. `{command}` tests judges on these cells alone."
    )
