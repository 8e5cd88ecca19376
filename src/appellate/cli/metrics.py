"""`appellate metrics`: the numbers of an audit by trait; for people, as JSON or as CSV."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import to_builtins

from appellate import installed
from appellate.cli.opening import read_audit
from appellate.cli.outcome import say, show, show_json, show_lines
from appellate.cli.text_table import block_lines
from appellate.core.breakdown import Breakdown, Reducer, reduced
from appellate.core.figures import Sentence
from appellate.core.problem import quoted
from appellate.installed import names, reducer
from appellate.numbers.data import document, figures_csv, numbers_table, suspicions_table
from appellate.numbers.figures_page import trait_page
from appellate.numbers.judge_page import TraitNumbers
from appellate.numbers.readings import mixed_readings
from appellate.numbers.report import USUAL_REDUCERS, broken_down
from appellate.numbers.samples import sampled_in
from appellate.numbers.sentences import HEADING, estimate_page, sample_text, uncounted_texts
from appellate.numbers.suspicions import suspicions
from appellate.query.language import META, is_grouping
from appellate.stats.aggregates import REDUCERS, NamedReducer
from appellate.store.audits.audit import Audit
from appellate.store.breakdowns import BY
from appellate.store.files.text_file import unusable

WORST = 10
"""Instructions of a trait: those overruled most."""


def grouping(given: str | None) -> str:
    """What is grouped by, "" for nothing; raises Unusable."""
    if given is None or is_grouping(given, BY):
        return given or ""
    right = f"it would be {', '.join(BY)}, or a key of the metadata as {META}site"
    raise unusable("--by", f"traces cannot be grouped by {quoted(given)}", right)


def reducers(given: Sequence[str] | None) -> Sequence[Reducer]:
    """How epochs are reduced, by built-in names and those of other packages; raises Unusable."""
    found: list[Reducer] = []
    for name in given or ():
        try:
            reduced(name, ())
        except ValueError:
            found.append(_added_reducer(name))
        else:
            found.append(name)
    return found or USUAL_REDUCERS


def _added_reducer(name: str) -> NamedReducer:
    """The reducer of another package; raises Unusable where none has that name."""
    reduce = reducer(name)
    if isinstance(reduce, str):
        known = ", ".join((*REDUCERS, *names(installed.REDUCERS)))
        right = f"it would be one of {known}, where K is a number from 1"
        raise unusable("--reducer", f"{quoted(name)} reduces no epochs", right)
    return NamedReducer(name, reduce)


def metrics(arguments: argparse.Namespace) -> None:
    by = grouping(arguments.by)
    wanted = reducers(arguments.reducer)
    audit = read_audit(Path(arguments.audit))
    traits = broken_down(audit, by, wanted)
    sampled = sampled_in(audit, by or "model")
    suspicious = suspicions(audit.cells)
    mixed = mixed_readings(audit.cells)
    if arguments.json:
        table = document(by, traits) | suspicions_table(suspicious)
        if mixed:
            table["mixed_readings"] = list(map(to_builtins, mixed))
        if sampled:
            table["worth"] = numbers_table(sampled)
        show_json(table)
    elif arguments.csv:
        show(figures_csv(traits, sampled).rstrip("\n"))
    else:
        lines: list[str] = []
        if sampled:
            page = [Sentence(sample_text(sampled.at)), *estimate_page(sampled)]
            lines += [HEADING, *block_lines(page), ""]
        for trait in traits:
            whole = trait.whole
            lines.append(f"{trait.trait}   {whole.signed} of {whole.cells} cells signed off")
            lines += [*block_lines(trait_page(TraitNumbers(trait), WORST)), ""]
        show_lines(lines or ["This audit has no cells."])
    read = [one.describe for one in mixed]
    say(*_left_out(arguments, audit, traits), *read, *suspicious.texts)


def _left_out(
    arguments: argparse.Namespace, audit: Audit, traits: Sequence[Breakdown]
) -> Iterator[str]:
    """What was asked for and is not there, and cells that count in no number."""
    for trait in traits:
        if arguments.by and not any(group.name for group in trait.groups):
            wrong = f"no trace says anything of {arguments.by}, so there are no groups"
            yield f"{trait.trait}: {wrong}."
    if arguments.reducer and not any(trait.epochs for trait in traits):
        yield "--reducer: no trace was answered more than once by a model, so nothing was reduced."
    bare = sum(one.cell.labels is None and not one.cell.hidden for one in audit.cells)
    yield from uncounted_texts(len(audit.cells), bare, sum(one.cell.hidden for one in audit.cells))
