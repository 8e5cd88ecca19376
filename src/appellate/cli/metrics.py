"""`appellate metrics`: prints the numbers of an audit by trait, as text, JSON or CSV.

`grouping` and `reducers` check options that `report` has, too.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import to_builtins

from appellate import installed
from appellate.cli.drawn_as import gold_verdict
from appellate.cli.opening import reading_audit
from appellate.cli.outcome import say, show, show_json_parts, show_lines
from appellate.cli.text_table import block_lines, sentence_lines
from appellate.core.breakdown import Breakdown, Reducer, reduced
from appellate.core.figures import Sentence
from appellate.core.problem import quoted
from appellate.installed import reducer
from appellate.numbers.data import (
    document,
    figures_csv,
    gold_under,
    numbers_table,
    suspicions_table,
)
from appellate.numbers.figures_page import trait_page
from appellate.numbers.first_sentence import first_sentences
from appellate.numbers.formatting import capital
from appellate.numbers.judge_page import TraitNumbers
from appellate.numbers.readings import MixedReading, ReadingCounts
from appellate.numbers.report import USUAL_REDUCERS
from appellate.numbers.samples import (
    SampleCount,
    SampleNumbers,
    hand_edits_in,
    sample_numbers,
)
from appellate.numbers.sentences import (
    HEADING,
    estimate_page,
    sample_text,
    uncounted_texts,
)
from appellate.numbers.suspicions import Suspicions, SuspicionSearch
from appellate.query.language import META, is_grouping
from appellate.stats.aggregates import REDUCERS, NamedReducer
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.breakdowns import BY, BreakdownCount
from appellate.store.files.text_file import unusable

WORST = 10
"""Instructions that are printed of each trait: those that people overruled most."""


def grouping(name: str | None) -> str:
    """Return the name of the grouping in --by, as it is, or "" for None.

    It may be model, question, cluster, epoch, or a key of the metadata such as `meta.site`. Whether
    any trace has that key is not looked at. Raises Unusable for any other name, "" too.
    """
    if name is None or is_grouping(name, BY):
        return name or ""
    right = f"it would be {', '.join(BY)}, or a key of the metadata as {META}site"
    raise unusable("--by", f"traces cannot be grouped by {quoted(name)}", right)


def reducers(names: Sequence[str] | None) -> Sequence[Reducer]:
    """Return how the epochs of a trace are reduced to one value, in the order of `names`.

    Without names, for None or an empty list, these are the usual ways. A built-in name, such as
    mean or pass_at_3, is returned as it is; any other is taken from another package. Raises
    Unusable for an unknown name, and for a package's function that cannot be used.
    """
    named: list[Reducer] = []
    for name in names or ():
        try:
            reduced(name, ())
        except ValueError:
            named.append(_added_reducer(name))
        else:
            named.append(name)
    return named or USUAL_REDUCERS


def _added_reducer(name: str) -> NamedReducer:
    """Return the reducer that another package has under a name, together with that name.

    Raises Unusable if no package has it, with the names that are known, and if the package's
    function cannot be used.
    """
    reduce = reducer(name)
    if isinstance(reduce, str):
        known_names = ", ".join((*REDUCERS, *installed.names(installed.REDUCERS)))
        right = f"it would be one of {known_names}, where K is a number from 1"
        raise unusable(
            "--reducer",
            f"{quoted(name)} is not a way to reduce epochs",
            right,
        )
    return NamedReducer(name, reduce)


def metrics(arguments: argparse.Namespace) -> None:
    """Print the numbers of an audit on standard output, and notes on them on standard error.

    They are a few sentences. With --all, --by or --reducer tables follow as text. With --json or
    --csv the numbers come in that form instead, and --gold is told except in CSV. The notes are on
    cells that no number counts, options without effect, and what is suspicious. Raises Unusable for
    an audit that cannot be read and for options that cannot be used, and Ended if printing fails.
    """
    by = grouping(arguments.by)
    epoch_reducers = reducers(arguments.reducer)
    gold = gold_verdict(arguments)
    with reading_audit(Path(arguments.audit)) as audit:
        counted = _count_cells(audit, by, epoch_reducers)
    traits = counted.traits
    sampled = counted.sample
    suspicious = counted.suspicions
    mixed = counted.mixed
    sound = None if sampled is None or sampled.audit.wanting else sampled
    sentences = first_sentences(traits, sound)
    if arguments.json:
        table = document(by, traits, sentences) | suspicions_table(suspicious)
        if mixed:
            table["mixed_readings"] = map(to_builtins, mixed)
        if sampled:
            table["worth"] = numbers_table(sampled)
        show_json_parts(table | gold_under(gold))
    elif arguments.csv:
        show(figures_csv(traits, sampled).rstrip("\n"))
    else:
        if gold is not None:
            sentences = [*gold.describe(), *sentences]
        show_lines(_number_lines(arguments, traits, sampled, sentences))
    say(*_without_effect(arguments, traits), *counted.uncounted)
    say(*(reading.describe for reading in mixed), *suspicious.texts)


class _Counted(NamedTuple):
    """All that is told of an audit."""

    traits: Sequence[Breakdown]
    sample: SampleNumbers | None
    """None if nothing was drawn at random."""
    suspicions: Suspicions
    mixed: Sequence[MixedReading]
    uncounted: Sequence[str]
    """Sentences about the cells that no number counts."""


def _count_cells(
    audit: AnyAudit,
    by: str,
    epoch_reducers: Sequence[Reducer],
) -> _Counted:
    """Go through the cells of an audit once, and return its numbers and what is to be noted.

    These are the numbers of each trait, those of the sample, or None without one, what is
    suspicious, mixed readings, and sentences on the cells that no number counts. A cell counts as
    hidden if its judge is, and else as unlabelled if it has no labels; both are searched for what
    is suspicious, too. `by` is what traces are grouped by, "" for nothing; `epoch_reducers` say how
    the epochs of a trace become one value.
    """
    numbers = BreakdownCount(audit, by, epoch_reducers)
    sample_count = SampleCount(audit, by or "model")
    suspicions = SuspicionSearch()
    readings = ReadingCounts()
    cells = 0
    unlabelled = 0
    hidden = 0
    for audited in audit.cells:
        numbers.add(audited)
        sample_count.add(audited)
        suspicions.add(audited)
        readings.add(audited)
        cells += 1
        if audited.cell.hidden:
            hidden += 1
        elif audited.cell.labels is None:
            unlabelled += 1
    sample = sample_count.audited_sample()
    edits: Sequence[str] = ()
    if sample is None:
        edits = hand_edits_in(audit).faults
    return _Counted(
        numbers.breakdowns(),
        sample_numbers(sample) if sample else None,
        suspicions.gathered(edits),
        readings.mixed(),
        list(uncounted_texts(cells, unlabelled, hidden)),
    )


def _number_lines(
    arguments: argparse.Namespace,
    traits: Sequence[Breakdown],
    sampled: SampleNumbers | None,
    sentences: Sequence[str],
) -> Iterator[str]:
    """Yield the numbers of an audit as lines: its first sentences, then tables if asked for.

    Tables come with --all, --by and --reducer; else a last line says how to get them. If the file
    contradicts itself on the sample, so that nothing is estimated, that is said after the
    sentences. Without any trait the only line says that the audit has no cells.
    """
    if not traits:
        yield "This audit has no cells."
        return
    yield from sentence_lines(*sentences)
    if sampled is not None and sampled.audit.wanting:
        yield from sentence_lines(f"{capital(sampled.audit.wanting)}.")
    yield ""
    if arguments.all or arguments.by or arguments.reducer:
        yield from _table_lines(traits, sampled)
    else:
        yield "All numbers are in the tables of --all."


def _table_lines(
    traits: Sequence[Breakdown],
    sampled: SampleNumbers | None,
) -> Iterator[str]:
    """Yield the lines of all tables: those of the sample, if there is one, then of each trait.

    An empty line ends each of them.
    """
    if sampled is not None:
        page = [Sentence(sample_text(sampled.audit)), *estimate_page(sampled)]
        yield HEADING
        yield from block_lines(page)
        yield ""
    for trait in traits:
        total = trait.whole
        yield f"{trait.trait}   {total.signed} of {total.cells} cells signed off"
        yield from block_lines(trait_page(TraitNumbers(trait), WORST))
        yield ""


def _without_effect(
    arguments: argparse.Namespace,
    traits: Sequence[Breakdown],
) -> Iterator[str]:
    """Yield sentences about the options --by and --reducer if they had no effect.

    For --by there is one for each trait of which no trace has a value. For --reducer there is one
    if no trait was reduced. Nothing for options that were not given.
    """
    for trait in traits:
        if arguments.by and not any(group.name for group in trait.groups):
            wrong = f"no trace has a value for {arguments.by}, so there are no groups"
            yield f"{trait.trait}: {wrong}."
    if arguments.reducer and not any(trait.epochs for trait in traits):
        yield "--reducer: no trace was answered more than once by a model, so nothing was reduced."
