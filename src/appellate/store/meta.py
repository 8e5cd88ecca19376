"""The keys under which the workspace's table `meta` keeps small values; all of them are here."""

RUBRIC = "rubric"  # the rubric, JSON as in its file
REVISION = "revision"  # how often the rubric was changed
VERSION = "version"  # of the program that made the workspace
EXTRA = "extra"  # TOML of the audit's keys that this version does not know
RECORDED = "recorded"  # "yes" where traces came with labels of their own
HOLDER = "holder"  # JSON: the process that writes
SETTLED = "settled"  # the last fact that surely is on the disk
WRITTEN = "written"  # JSON: what the audit file was when it was last written or read
WRITING = "writing"  # JSON: what it is about to be
PARTS = "parts"  # JSON: how many bytes its head and each trace take
RUBRIC_FILE = "rubric_file"  # JSON: where the rubric was read, and its stamp
INPUTS = "inputs"  # JSON: the files given, with their stamps
MAP = "map"  # JSON: what columns and values of another tool's table mean, as --map says it
JUDGE = "judge"  # the judge that was chosen last
ROUND = "round"  # JSON: the open round of judging
BATCHES = "batches"  # JSON: the batches that were submitted
CONTESTED = "contested"  # JSON: which cells are, and the revision they are of
START = "start"  # the cell that is open first


def position(reviewer: str) -> str:
    """Return the key of where a reviewer was last, which is kept as JSON."""
    return f"position:{reviewer}"


def queue(reviewer: str) -> str:
    """Return the key of the filter and order that a reviewer had last, which are kept as JSON."""
    return f"queue:{reviewer}"


def batch(tag: str) -> str:
    """Return the key of what the requests of a batch were made with, which is kept as JSON."""
    return f"batch:{tag}"


def person(name: str) -> str:
    """Return the key of whether somebody said that a reviewer with a model's name is a person.

    It is kept as "yes".
    """
    return f"person:{name}"
