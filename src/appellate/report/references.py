"""The papers that the methods of a report are from, as BibTeX (`references.bib`)."""

import re
from collections.abc import Iterable
from importlib.resources import files

from msgspec import Struct

_USED_FOR = {
    "sarndal1992": "the difference estimate: the judge on all, corrected by people on the sample",
    "angelopoulos2023ppi": "the same with what a model says",
    "angelopoulos2023ppiplus": "the weight of the judge",
    "johnson1978": "intervals moved by the skewness of the residuals",
    "agresti1998": "pseudo-observations, so that agreement throughout has an interval",
    "neyman1934": "how many are drawn of each stratum",
    "zrnic2024": "chances of being drawn that go by the judges' disagreement",
    "dunn1961": "the level divided among the looks",
    "cohen1960": "kappa",
    "gwet2008": "AC1",
}
ESTIMATES = tuple(_USED_FOR)[:5]
STRATA, CHANCES, LOOKS = ("neyman1934",), ("zrnic2024",), ("dunn1961",)
AGREEMENT = ("cohen1960", "gwet2008")
_KEY = re.compile(r"@\w+\{(\w+),")


class Reference(Struct, frozen=True):
    """One work: its key in BibTeX, what of it is used here, and the entry."""

    key: str
    used_for: str
    entry: str


def references(wanted: Iterable[str]) -> list[Reference]:
    """The works of these keys, in an order of ours."""
    text = files("appellate.report").joinpath("references.bib").read_text("utf-8")
    entries: dict[str, str] = {}
    for entry in text.strip().split("\n\n"):
        key = _KEY.match(entry)
        if key:
            entries[key[1]] = entry
    known = set(wanted)
    return [
        Reference(key, used_for, entries[key])
        for key, used_for in _USED_FOR.items()
        if key in known
    ]
