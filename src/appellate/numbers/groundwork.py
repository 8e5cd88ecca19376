"""What the numbers of an audit rest on: its sample and what that says, who judged with which
prompt, why people corrected, and what else happened to the audit as a whole.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from msgspec import Struct, field

from appellate.core.describe import judge_name, members
from appellate.core.design_facts import DesignFact, to_body
from appellate.core.kind import Table
from appellate.numbers.sample_numbers import SampleNumbers, sample_numbers
from appellate.numbers.samples import drawable_units, sample_in
from appellate.store.audits.audit import Audit

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
    text = files("appellate.numbers").joinpath("references.bib").read_text("utf-8")
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


ENOUGH_AUDITS = 60
"""Audits from which 95 % intervals hold the truth in 93 to 97 of 100 (simulated)."""


class JudgeUsed(Struct):
    """One judge with one prompt, as it judged `cells`; `prompts` are the fingerprints of what was
    sent first, `members` those of a panel.
    """

    name: str
    template_sha256: str
    parameters: Mapping[str, Any]
    members: Sequence[str]
    cells: int = 0
    prompts: dict[str, None] = field(default_factory=dict)
    shown: int = 0


class Groundwork(Struct, frozen=True):
    """All of it; `numbers` is None where nothing was drawn at random of the `drawable`."""

    numbers: SampleNumbers | None
    happened: Sequence[DesignFact]
    judges: Sequence[JudgeUsed]
    reasons: Sequence[tuple[str, int]]
    reviewers: Sequence[str]
    drawable: int

    @property
    def references(self) -> list[Reference]:
        """The works that the methods in use are from."""
        used = list(AGREEMENT)
        if self.numbers is not None:
            used += ESTIMATES
            if self.numbers.at.sample.last.strata_by:
                used += STRATA
            if self.numbers.at.sample.last.design == "active":
                used += CHANCES
            if self.numbers.gates:
                used += LOOKS
        return references(used)


def groundwork(audit: Audit, by: str, reasons: Sequence[str]) -> Groundwork:
    """What an audit rests on; `reasons` are those of the corrections that stand."""
    at = sample_in(audit, by)
    people: dict[str, None] = {}
    for audited in audit.cells:
        cell = audited.cell
        if cell.signed is not None:
            people[cell.signed.by] = None
    return Groundwork(
        None if at is None else sample_numbers(at),
        audit.design,
        _judges(audit),
        Counter(reasons).most_common(),
        list(people),
        drawable_units(audit),
    )


def _judges(audit: Audit) -> list[JudgeUsed]:
    """Who judged, in the order of the cells, by everything that makes judges different."""
    found: dict[str, JudgeUsed] = {}
    for audited in audit.cells:
        if audited.cell.judge is None:
            continue
        record = audited.cell.judge.judge
        used = _used(record)
        key = json.dumps([used.name, used.template_sha256, used.parameters, used.members])
        used = found.setdefault(key, used)
        used.cells += 1
        used.shown = max(used.shown, len(record.get("examples", ())))
        prompt = record.get("prompt_sha256")
        if prompt:
            used.prompts[str(prompt)] = None
    return list(found.values())


def _used(record: Table) -> JudgeUsed:
    parameters = dict(sorted(record.get("parameters", {}).items()))
    voices = [voice.name for voice in members(record)]
    name = judge_name(record)
    if voices:
        name = str(record.get("name") or "panel")
    return JudgeUsed(name, str(record.get("template_sha256") or ""), parameters, voices)


def design_table(fact: DesignFact) -> dict[str, Any]:
    """What happened to the audit, for programs."""
    act, body = to_body(fact.what)
    return {"n": fact.n, "at": fact.at, "by": fact.by, "act": act, **body}
