"""What there is to know of an item, or of a line of the checklist, whole: the lines below the rows."""

from typing import NamedTuple

from appellate.traits.metric.checklist import STANDS, ChecklistEntry
from appellate.traits.metric.labels import EXCERPTS
from appellate.traits.metric.ledger import buckets_of
from appellate.traits.metric.panel import PanelLabels
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.metric.telling import explained
from appellate.traits.metric.view import ItemRow


class Said(NamedTuple):
    """One line, in a colour of the theme or in none."""

    text: str
    colour: str = ""


def of_item(trait: MetricRubricTrait, row: ItemRow, room: int) -> list[Said]:
    """An item's text where its row cuts it, its instruction, and what is amiss."""
    parts = [Said(row.item.text)] if len(row.item.text) > room else []
    if row.item.link and row.bucket in EXCERPTS:
        of, number = row.item.link
        parts.append(Said(f"{row.mark} {trait.instructions(of)[number - 1]}"))
    return parts + _more(row)


def of_entry(entry: ChecklistEntry, room: int, *, beside: bool) -> list[Said]:
    """An instruction where its row cuts it, the excerpts that do not stand whole beside it, and what is amiss."""
    parts = [Said(entry.text)] if len(entry.text) > room else []
    whole = beside and bool(entry.excerpts) and len(entry.excerpts[0].item.text) <= room
    parts += [Said(f"“{row.item.text}”", f"bucket-{row.bucket}") for row in entry.excerpts[whole:]]
    return parts + [said for row in entry.items for said in _more(row)]


def _more(row: ItemRow) -> list[Said]:
    judged = [Said(f"judge: {row.item.rationale}")] if row.item.rationale else []
    return judged + ([Said(explained(row.note), "state-failed")] if row.note else [])


def of_votes(panel: PanelLabels, thing: ItemRow | ChecklistEntry) -> list[Said]:
    """Which members of the panel say what of an instruction, or of an item that answers none."""
    if isinstance(thing, ItemRow) and not panel.answers(thing.bucket, thing.item):
        held = panel.backers(thing.bucket, thing.item)
        told = {"so": held, "not so": tuple(n for n in range(len(panel.members)) if n not in held)}
    else:
        of, number = (
            (thing.of, thing.number)
            if isinstance(thing, ChecklistEntry)
            else thing.item.link or ("tp", 0)
        )
        found, missing = (STANDS[bucket] for bucket in buckets_of(of))
        told = dict(zip((found, missing, "unclear"), panel.votes[of, number], strict=True))
    parts = [
        f"{words}: {', '.join(panel.names[n] for n in held)}"
        for words, held in told.items()
        if held
    ]
    return [Said(f"panel: {'; '.join(parts)}", "state-flag" if len(parts) > 1 else "")]


def of_breaches(amiss: list[str], mark: str) -> list[Said]:
    """The first breach of the ledger, and how many more there are."""
    more = f" (and {len(amiss) - 1} more)" if len(amiss) > 1 else ""
    return [Said(f"{mark} {amiss[0]}{more}", "state-failed")] if amiss else []
