"""The proposals of a cell as rows to look at: who made them, their numbers, what they differ in."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import Cell, at_hand, labels_of, proposals, round_of
from appellate.core.describe import judge_name, members
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import Figures, Instruction, Measure
from appellate.core.problem import Refused
from appellate.ui.lines import ListRow
from appellate.ui.measures_bar import number
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import clip

_ROUND, _NUMBER, _WORD, _APART = 7, 5, 12, 10  # cells of the list's columns


class ProposalRow(Struct, frozen=True):
    """One proposal, or what a member of its panel said; `why` there are no labels to adopt."""

    fact: Fact
    member: int | None
    name: str
    table: Mapping[str, Any]
    labels: Any = None
    why: str = ""

    @property
    def round(self) -> int:
        return round_of(self.fact.what) if isinstance(self.fact.what, Proposed) else 1


def offers(cell: Cell) -> list[ProposalRow]:
    """Every proposal, the latest round first, each with the members of its panel below it."""
    found: list[ProposalRow] = []
    for fact in reversed(proposals(cell)):
        if isinstance(fact.what, Proposed):
            judge = fact.what.judge
            whole = ProposalRow(fact, None, judge_name(judge), fact.what.table)
            found.append(_with_labels(cell, whole))
            for one in members(judge):
                part = ProposalRow(fact, one.place, one.name, one.table, why=one.error)
                found.append(_with_labels(cell, part))
    return found


def _with_labels(cell: Cell, offer: ProposalRow) -> ProposalRow:
    if offer.why:
        return offer
    try:
        return replace(offer, labels=labels_of(cell, offer.fact.n, offer.member))
    except Refused as refusal:
        return replace(offer, why=str(refusal))


class Difference(NamedTuple):
    """An instruction that a proposal answers otherwise than the labels that stand."""

    instruction: Instruction
    there: str
    now: str


def differences(cell: Cell, offer: ProposalRow) -> list[Difference]:
    """What a proposal answers otherwise, instruction by instruction."""
    kind, trait = cell.subject.kind, cell.subject.trait
    there, now = kind.answers(trait, offer.labels), kind.answers(trait, at_hand(cell))
    found = []
    for instruction, answer in there.items():
        if now.get(instruction) != answer:
            found.append(Difference(instruction, answer, now.get(instruction, "")))
    return found


def describe_offer(cell: Cell, offer: ProposalRow | None, joint: str = "; ") -> str:
    """In what a proposal differs from what stands, or why there is nothing to see of it."""
    if offer is None:
        return "The labels now, corrections and all."
    if offer.why:
        return f"{offer.name}: {offer.why}"
    apart = differences(cell, offer)
    if not apart:
        return f"{offer.name} answers every instruction as the labels now."
    texts = [f"{one.there} here, {one.now} now: {one.instruction.text}" for one in apart]
    return joint.join([f"{offer.name} differs in {len(apart)} of its answers", *texts])


def looked_at(cell: Cell, offer: ProposalRow) -> Cell:
    """The cell as a pane shows it with the proposal's labels in it."""
    what, judged = offer.fact.what, None
    if isinstance(what, Proposed):
        judged = replace(offer.fact, what=replace(what, table=offer.table))
    return replace(
        cell, labels=offer.labels, judged=judged, base=judged, edits=frozenset(), signed=None
    )


# -- as lines of a list --------------------------------------------------------------------------


def headed(cell: Cell) -> ListRow:
    """What the columns of the list are."""
    names = ""
    for measure in _measures(cell):
        names += f" {measure.word or measure.short:>{_width(measure) - 1}}"
    left = (StyledText(f"{'round':{_ROUND}}", "muted"),)
    return ListRow("proposed by", left, (StyledText(f"{names}{'':{_APART}}"),), style="muted")


def drawn(cell: Cell, offer: ProposalRow | None) -> ListRow:
    """A proposal as a line: its round, who it is by, its numbers, how much differs; None is what
    stands.
    """
    blank = (StyledText(" " * _ROUND, "muted"),)
    if offer is None:
        figures = cell.measure()
        numbers = _numbers(cell, figures) if figures else ""
        return ListRow("the labels now", blank, (StyledText(f"{numbers}{'':{_APART}}"),))
    name, left = f"  {offer.name}", blank
    if offer.member is None:
        name, left = offer.name, (StyledText(f"{offer.round:>5}  ", "muted"),)
    if offer.why:
        return ListRow(name, left, (StyledText("no labels ", "failed"),), dim=True)
    figures = cell.subject.kind.measure(cell.subject.trait, offer.labels)
    return ListRow(name, left, (StyledText(_numbers(cell, figures)), _apart(cell, offer)))


def _measures(cell: Cell) -> Sequence[Measure]:
    return cell.subject.kind.measures(cell.subject.trait)


def _width(measure: Measure) -> int:
    """The cells of a measure's column: more where it is told in words."""
    return _WORD if measure.word else _NUMBER


def _numbers(cell: Cell, figures: Figures) -> str:
    """Each value, 0/0, or the word for it, in its column."""
    text = ""
    for measure in _measures(cell):
        value = clip(figures.words.get(measure.word, ""), _WORD - 1)
        if measure.name in figures.undefined:
            value = "0/0"
        elif not value:
            value = number(figures.values[measure.name])
        text += f" {value:>{_width(measure) - 1}}"
    return text


def _apart(cell: Cell, offer: ProposalRow) -> StyledText:
    """How much a proposal differs from what stands."""
    differing = len(differences(cell, offer))
    if differing:
        return StyledText(f"{f'{differing} differ':>{_APART - 1}} ", "flag")
    same = "same" if offer.labels == cell.labels else "reworded"
    return StyledText(f"{same:>{_APART - 1}} ", "muted")
