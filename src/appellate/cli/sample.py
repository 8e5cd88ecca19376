"""`appellate sample`: draws traces at random to be audited, and says how far that is."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from textwrap import wrap

from appellate.cli.opening import at_bench, save, unless_refused
from appellate.cli.outcome import command, say, show_lines
from appellate.cli.text_table import WIDTH, sentence_lines, text_lines
from appellate.core.design_facts import Sample, Withdrawn, withdrawn_text
from appellate.core.problem import many, quoted
from appellate.numbers.blocks import ReportTable
from appellate.numbers.formatting import cut
from appellate.numbers.samples import sample_at, sample_numbers
from appellate.query.language import META, is_grouping
from appellate.session.workbench import Workbench
from appellate.stats.looks import FEWEST
from appellate.store.files.text_file import unusable
from appellate.store.samples.sample_plans import (
    DISAGREEMENT,
    GROUPINGS,
    HALF_HELP,
    SampleWish,
    draw_command,
    expected_of,
    plan,
    read_frame,
    usual_size,
)
from appellate.store.samples.sampling import SampleProgress, progress

NOTHING = "No judge has said anything yet, so nothing can be expected of a sample: judge first."
EXPECTED = (
    "This is by what the judge says of every trace: where people's labels vary more than the"
    " judge's, it takes more. No help is what people alone would give; half is a judge that"
    " explains half of what people say."
)

AUDITED = "As audited is by what people said so far, with the help that the judge was of."


def power(bench: Workbench, half: float) -> Iterator[str]:
    """A line for each trait, and what they rest on."""
    path = bench.workspace.path
    sample = bench.workspace.design.sample()
    frame, widths = expected_of(path, sample)
    if not widths:
        yield NOTHING
        return
    count = many(len(frame.units), frame.word)
    yield f"Audits for an interval of ± {half:g} (95 %), of {count} that could be drawn:"
    yield ""
    audited: dict[tuple[str, str], str] = {}
    if at := sample_at(path):
        for one in sample_numbers(at).worths:
            if one.estimate is not None:
                total = one.estimate.n + one.estimate.needed(half)
                audited[one.trait.name, one.measure.name] = f"{total:,}"
    heads: tuple[str, ...] = ("trait", "number", "no help", "half")
    if audited:
        heads = (*heads, "as audited")
    rows = []
    for width in widths:
        alone = width.audits(half)
        helped = width.audits(half, HALF_HELP)
        by_people = audited.get((width.trait, width.measure), "–")
        row = (cut(width.trait), width.measure, f"{alone:,}", f"{helped:,}", by_people)
        rows.append(row[: len(heads)])
    yield from text_lines(ReportTable(heads, rows, 2), indent=2)
    yield ""
    yield from sentence_lines(EXPECTED, indent=0)
    if audited:
        yield from sentence_lines(AUDITED, indent=0)
    if sample is not None:
        yield f"{len(sample):,} are drawn already."


USUAL_SEED = 1
_FIRST = "seed", "by", "sighted"
"""Options of the first draw, which hold for all."""


def sample(arguments: argparse.Namespace) -> None:
    _check(arguments)
    draws = bool(arguments.n or arguments.add)
    reads = not draws and not arguments.withdraw
    with at_bench(arguments, may_read=reads) as bench:
        if arguments.power:
            show_lines(power(bench, arguments.power))
        elif draws and not _is_drawn_so(bench, arguments):
            _draw(bench, arguments)
        elif arguments.withdraw:
            _withdraw(bench)
        else:
            show_lines(_standing(bench))


def _check(arguments: argparse.Namespace) -> None:
    """Refuses what does not go together: raises Unusable."""
    by = _by(arguments)
    for one in by:
        if not is_grouping(one, GROUPINGS):
            right = f"it would be {', '.join(GROUPINGS)}, or a key of the metadata as {META}site"
            raise unusable("--by", f"no strata go by {quoted(one)}", right)
    if len(by) > 1 and DISAGREEMENT in by:
        raise unusable("--by", f"{DISAGREEMENT} makes strata of its own", "give it alone")
    if arguments.n:
        return
    wrong = "goes with -n, which says how many to draw"
    if arguments.add:
        wrong = "is said with the first draw (-n), and holds for what is added"
    for name in _FIRST:
        if getattr(arguments, name) not in (None, False):
            raise unusable(f"--{name}", wrong)


def _by(arguments: argparse.Namespace) -> tuple[str, ...]:
    return tuple(dict.fromkeys(arguments.by or ()))


def _wish(arguments: argparse.Namespace) -> SampleWish:
    seed = arguments.seed
    if seed is None:
        seed = USUAL_SEED
    n = arguments.n or arguments.add
    return SampleWish(n, seed, _by(arguments), blind=not arguments.sighted)


def _is_drawn_so(bench: Workbench, arguments: argparse.Namespace) -> bool:
    """Whether the sample that is asked for is there; raises Unusable where there is another."""
    there = bench.workspace.design.sample()
    file = str(bench.audit)
    if arguments.add:
        if there is None:
            raise unusable(file, "there is no sample to add to", "draw one with -n")
        return False
    if there is None:
        return False
    wish = _wish(arguments)
    asked = wish.n, wish.seed, list(wish.by), wish.blind, wish.design
    last = there.last
    if asked == (len(there), last.seed, list(last.strata_by), last.blind, last.design):
        return True
    right = (
        "an audit has one sample; --add 40 draws 40 more into it, and --withdraw takes it back as"
        " long as nothing in it is ruled on"
    )
    if there.has_own_chances:
        right = (
            "an audit has one sample; nothing can be added to this one, and --withdraw takes it"
            " back as long as nothing in it is ruled on"
        )
    raise unusable(file, f"there is a sample of {len(there):,} already", right)


def _draw(bench: Workbench, arguments: argparse.Namespace) -> None:
    there = bench.workspace.design.sample()
    with unless_refused(str(bench.audit)):
        planned = plan(bench.workspace.path, _wish(arguments), there)
        bench.draw(planned.what)
    save(bench)
    more = " more" if there else ""
    say(f"Drew {len(planned.what.drawn):,}{more} at random.", *planned.describe())
    show_lines(_standing(bench))
    drawn = bench.workspace.design.sample()
    if drawn is not None and len(drawn) < FEWEST:
        rest = f"; --add {FEWEST - len(drawn)} makes it {FEWEST}"
        if drawn.last.frame < FEWEST:
            rest = f", and no more than {drawn.last.frame} can be drawn"
        say(f"note: no estimate is shown and no bar is decided before {FEWEST} are audited{rest}.")


def _withdraw(bench: Workbench) -> None:
    with unless_refused(str(bench.audit)):
        gone = bench.withdraw().what
    save(bench)
    texts = ["Withdrew the sample, and the looks that were planned for it."]
    if isinstance(gone, Withdrawn) and gone.begun:
        begun = many(gone.begun, "cell was", "cells were")
        texts.append(f"{begun} begun blind: that is out of the labels, and stays in the history.")
    say(*texts)
    show_lines(_standing(bench))


def _standing(bench: Workbench) -> Iterator[str]:
    """What the sample is, and how far it is worked through."""
    there = bench.workspace.design.sample()
    name = bench.audit
    if there is None:
        frame = read_frame(bench.workspace.path)
        units = len(frame.units)
        yield f"{name} has no sample yet. {many(units, frame.word)} could be drawn."
        n = usual_size(units)
        draws = f"draws {n} of them at random, to be ruled on blind."
        yield f"`{draw_command(units, quote(str(name)))}` {draws}"
        yield from withdrawn_text(bench.workspace.design.facts())
        return
    far = progress(bench.workspace.path, len(there.strata))
    yield f"{name}: {there.describe}."
    yield from withdrawn_text(bench.workspace.design.facts())
    yield ""
    yield from _table(there, far)
    yield ""
    yield from wrap(_far(there, far, name), WIDTH, break_long_words=False, break_on_hyphens=False)


def _table(sample: Sample, far: SampleProgress) -> Iterator[str]:
    rows = []
    for one, done in zip(sample.strata, far.done, strict=True):
        counts = f"{one.units:,}", f"{one.drawn:,}", f"{one.chance:.3f}", f"{done:,}"
        rows.append((cut(one.name), *counts))
    if sample.has_own_chances or len(sample.strata) > 1:
        counts = f"{sample.last.frame:,}", f"{len(sample):,}", "", f"{sum(far.done):,}"
        rows.append(("all", *counts))
    heads = ("stratum", "in all", "drawn", "chance", sample.done_word)
    yield from text_lines(ReportTable(heads, rows, 1), indent=2)


def _far(sample: Sample, far: SampleProgress, name: Path) -> str:
    done = sum(far.done)
    count = len(sample)
    if done == count:
        return f"All {count:,} are {sample.done_word}."
    if not far.next:
        left = many(count - done, "other does", "others do")
        return (
            f"{done:,} of {count:,} are {sample.done_word}. {left} not count, as what was read was"
            " changed since: the filter `is:unsettled` and `appellate metrics` name them."
        )
    text = f"{done:,} of {count:,} are {sample.done_word}; next is {far.next}."
    follow = command("review", name, "--order", "sample")
    return f"{text} `{follow}` goes through them in draw order."
