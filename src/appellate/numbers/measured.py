"""The numbers of an audit, trait by trait, as `metrics` tells them and `report` sets them out."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from appellate.core.agreement import FULL_NAMES, Agreement, Rates
from appellate.core.breakdown import Breakdown, BreakdownSums, GroupFigures, InstructionFigures
from appellate.core.cell import Cell
from appellate.core.design_facts import reasons_of, sample_of
from appellate.core.panel_agreement import PanelAgreement
from appellate.store.audits.audit import Audit
from appellate.store.breakdowns import words_of

FORMAT = "appellate-metrics/2"
REDUCERS = ("mean",)

Table = dict[str, Any]


def measured(audit: Audit, by: str = "", reducers: Sequence[str] = REDUCERS) -> Table:
    """The document of `metrics --json` (SPEC 12)."""
    return document(by, broken_down(audit, by, reducers))


def document(by: str, traits: Sequence[Breakdown]) -> Table:
    """The same of traits that are broken down."""
    return {"format": FORMAT, "by": by or None, "traits": list(map(trait_table, traits))}


def broken_down(audit: Audit, by: str = "", reducers: Sequence[str] = REDUCERS) -> list[Breakdown]:
    """Each trait name, over every question that has a trait of this name and kind."""
    found: dict[tuple[str, str], BreakdownSums] = {}
    reasons = reasons_of(sample_of(audit.design))
    for audited in audit.cells:
        trait, kind = audited.cell.subject.trait, audited.cell.subject.kind
        key = trait.name, kind.name
        if key not in found:
            found[key] = BreakdownSums(kind, by, reducers, reasons)
        found[key].add(audited.cell, words_of(audited.trace, by))
    return [sums.breakdown() for sums in found.values()]


def by_trait(audit: Audit) -> list[list[Cell]]:
    """The cells of each trait name, in the order of `broken_down`."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for audited in audit.cells:
        subject = audited.cell.subject
        found.setdefault((subject.trait.name, subject.kind.name), []).append(audited.cell)
    return list(found.values())


# -- as JSON --------------------------------------------------------------------------------------


def trait_table(trait: Breakdown) -> Table:
    """One trait in `metrics --json`; None is what is undefined, or of too few."""
    head = {"name": trait.trait, "kind": trait.kind.name}
    instructions = list(map(instruction_table, trait.instructions))
    table = {**head, **figures_table(trait.whole), "instructions": instructions}
    if trait.panel is not None:
        table["panel"] = panel_table(trait.panel)
    if trait.kind.aside_words:
        table["asides"] = asides_of(trait)
    if trait.by:
        table["groups"] = [
            {"name": group.name or None, **figures_table(group)} for group in trait.groups
        ]
    return table


def asides_of(trait: Breakdown) -> dict[str, dict[str, int]]:
    """How many instructions each aside of the kind is said of, by side."""
    found: dict[str, dict[str, int]] = {}
    for word in trait.kind.aside_words:
        for side, counts in trait.whole.counts.items():
            found.setdefault(word, {})[side] = counts.get(word, 0)
    return found


def figures_table(group: GroupFigures) -> Table:
    """The cells of a trait, or of one of its groups."""
    epochs = {one.reducer: _sides(one.sides) for one in group.epochs}
    return {
        "cells": group.cells,
        "reviewed": group.signed,
        "traces": group.traces,
        "overruled": group.overruled,
        "metrics": _sides(group.sides),
        "agreement": agreement_table(group.agreement),
        "blind_agreement": agreement_table(group.blind),
        "between": {name: to_builtins(figures) for name, figures in group.between.items()},
        "epochs": epochs,
    }


def _sides(sides: Mapping[str, Mapping[str, Any]]) -> Table:
    """Figures by measure and side."""
    return {
        name: {side: to_builtins(figures) for side, figures in by_side.items()}
        for name, by_side in sides.items()
    }


def agreement_table(agreement: Agreement) -> Table:
    """The judge against the person: the coefficients with their intervals, the rates of the
    positive answers, those of each answer, and how many there are of each pair.
    """
    known = {name: agreement.known(name) for name in FULL_NAMES}
    bounded = {name: agreement.known(name).bounds for name in (*FULL_NAMES, *Rates._fields)}
    pairs = [
        {"judge": judge, "person": person, "answers": count}
        for (judge, person), count in agreement.counts.items()
    ]
    reason = {"reason": agreement.reason} if agreement.reason else {}
    return {
        **reason,
        "compared": agreement.n,
        "agreed": agreement.agreed,
        "clusters": agreement.traces,
        **{name: one.value for name, one in known.items()},
        "intervals": {name: [one.low, one.high] for name, one in bounded.items() if one},
        "positive": [word for word in agreement.words if word in agreement.positives],
        **agreement.rates._asdict(),
        "by_answer": {word: agreement.rates_of(word)._asdict() for word in agreement.words},
        "pairs": pairs,
    }


def panel_table(panel: PanelAgreement) -> Table:
    """A panel's members against each other and against the person, and the votes they are worth."""
    fields: Table = {"members": list(panel.members), "answers": panel.n, "compared": panel.compared}
    if panel.reason:
        fields["reason"] = panel.reason
    for name, known in ("alpha", panel.alpha), ("ac1", panel.ac1):
        fields[name] = known.value
        fields[f"{name}_interval"] = known.bounds and list(known.bounds[:2])
    between: list[Table] = []
    for pair, one in panel.between.items():
        figures = {"agreed": one.agreed, "kappa": one.kappa, "ac1": one.ac1}
        between.append({"members": list(pair), **figures})
    return {
        **fields,
        "effective_votes": panel.votes and panel.votes._asdict(),
        "blind": panel.blind,
        "by_member": list(map(agreement_table, panel.against)),
        "by_pair": between,
    }


def instruction_table(one: InstructionFigures) -> Table:
    """One instruction over all cells, and the judge against the person there."""
    return {
        "of": one.stats.of,
        "instruction": one.stats.instruction,
        "answers": dict(one.stats.answers),
        "overruled": one.stats.overruled,
        "cells": one.stats.cells,
        "asides": dict(one.stats.asides),
        "agreement": agreement_table(one.agreement),
        "blind_agreement": agreement_table(one.blind),
    }
