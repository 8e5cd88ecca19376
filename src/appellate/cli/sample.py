"""`appellate sample`: draws traces at random to be audited, and tells how many are done."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from textwrap import wrap
from typing import Any

from appellate.cli.opening import at_bench, save, unless_refused
from appellate.cli.outcome import (
    Ended,
    Exit,
    can_ask,
    command,
    is_confirmed,
    say,
    show_json,
    show_lines,
)
from appellate.cli.text_table import WIDTH, sentence_lines, text_lines
from appellate.core.design_facts import Sample, Withdrawn, wave_name, withdrawn_text
from appellate.core.problem import Refused, Unusable, many, quoted
from appellate.numbers.bars import hold_in_range, number_of, plans
from appellate.numbers.blocks import ReportTable
from appellate.numbers.data import waves_under
from appellate.numbers.digests import digest_text
from appellate.numbers.estimates import estimated_traits
from appellate.numbers.formatting import cut, figure, percent
from appellate.numbers.samples import hand_edits_at, sample_at, sample_numbers
from appellate.query.language import META, is_grouping
from appellate.session.workbench import Workbench
from appellate.stats.looks import TrustBar
from appellate.store.files.text_file import unusable
from appellate.store.samples.sample_plans import (
    DISAGREEMENT,
    GROUPINGS,
    HALF_HELP,
    STANDING_OUT,
    USUAL,
    USUAL_SEED,
    PlannedDraw,
    SampleWish,
    count_new,
    draw_command,
    expected_of,
    plan,
    read_frame,
    setting,
    standing_out_text,
    usual_seed,
    usual_size,
)
from appellate.store.samples.sampling import SampleProgress, progress

NOTHING = "No judge has said anything yet, so nothing can be expected of a sample: judge first."
EXPECTED = (
    "This is computed from the judge's labels of all traces: if people's labels vary more than the"
    " judge's, more audits are needed. “no help” is for a judge that is none; “half” is for a judge"
    " that explains half of what people say."
)

AUDITED = "“as audited” is computed from people's labels so far, with the judge's help as measured."


def power(bench: Workbench, half: float, wish: SampleWish) -> Iterator[str]:
    """Yield the lines on how many units must be audited for an interval of ± `half`, as a table.

    The table has a row for each number that can be estimated. `half` is in units of that number,
    mostly from 0 to 1. The figures are computed from the judge's labels, and from people's as far
    as there is an audited sample; of a sample in waves only the last wave counts. Without a sample,
    the largest units are all ruled on if `wish` asks for it.

    What the columns mean, and how many units are drawn already, stands below. If no judge has
    labelled anything, one sentence says so. Raises Refused if no units can be ruled on whole as
    `wish` asks.
    """
    path = bench.workspace.path
    sample = bench.workspace.design.sample()
    frame, widths = expected_of(path, sample, wish=wish)
    if not widths:
        yield NOTHING
        return
    count = many(len(frame.units), frame.word)
    yield f"Audits for an interval of ± {half:g} (95 %), of {count} that could be drawn:"
    yield ""

    audits_so_far: dict[tuple[str, str], str] = {}
    audited_sample = sample_at(path)
    if audited_sample:
        for worth in sample_numbers(audited_sample.last_wave).worths:
            if worth.estimate is not None:
                own = worth.estimate.n + worth.estimate.needed(half)
                total = audits_of_all(own, worth.part.frame, len(frame.units))
                audits_so_far[worth.trait.name, worth.measure.name] = f"{total:,}"

    headers: tuple[str, ...] = ("trait", "number", "no help", "half")
    if audits_so_far:
        headers = (*headers, "as audited")
    rows = []
    for width in widths:
        without_help = width.audits(half)
        with_half = width.audits(half, HALF_HELP)
        as_audited = audits_so_far.get((width.trait, width.measure), "–")
        row = (
            cut(width.trait),
            width.measure,
            f"{without_help:,}",
            f"{with_half:,}",
            as_audited,
        )
        rows.append(row[: len(headers)])
    yield from text_lines(ReportTable(headers, rows, 2), indent=2)
    yield ""
    yield from sentence_lines(EXPECTED, indent=0)
    if audits_so_far:
        yield from sentence_lines(AUDITED, indent=0)
    if sample is None and wish.giants is not None:
        yield WITH_GIANTS
    if sample is not None:
        yield f"{len(sample.waves[-1]):,} are drawn already."


WITH_GIANTS = "The largest are ruled whole and counted in."


CHANCES = (
    "This is the chance that the bar is decided at any look by then, if people's number is what the"
    " judge's labels come to: each column has how often it is above the bar and how often below."
    " “no help” is for a judge that is none; “half” is for one that explains half of what people"
    " say."
)
USUAL_LOOKS = (20, 40, 60, 80, 100)
"""Audits at which the chance of a decision is told where no look is planned."""


def audits_of_all(own: int, part: int, units: int) -> int:
    """Return how many of all `units` to draw so that `own` of them are expected in a part of them.

    Units are drawn by chance. `part` is how many units the part has: at least one and at least
    `own`. As 10 in a part of 50 of 100 take 20. The result is rounded up, so it is at most `units`.
    """
    return (own * units + part - 1) // part


def power_of_bar(bench: Workbench, bar: TrustBar, wish: SampleWish) -> Iterator[str]:
    """Yield the chance that a bar is decided at each look, as lines of a table.

    A look is how many units are audited when the bar is tested: those planned for it, else
    `USUAL_LOOKS` as far as there are more units. There is a chance for above and for below the bar,
    each without and with half of the judge's help. Without a sample, the largest units are all
    ruled on if `wish` asks for it. If no judge has labelled anything, one sentence says so. Raises
    Refused for a bar on the judge, out of its range, of an unknown number, of several traits, or
    without an exact interval, and if no units can be ruled on whole as `wish` asks.
    """
    traits = estimated_traits(bench.workspace.rubric.every_trait())
    hold_in_range(traits, bar)
    trait, measure = number_of(traits, bar)
    sample = bench.workspace.design.sample()
    if bar.is_on_judge:
        raise Refused(
            f"{bar} is on the judge; the chance is known for bars on the responses.",
        )
    frame, widths = expected_of(bench.workspace.path, sample, measure.name, wish)
    own = [width for width in widths if width.trait in trait.names]
    if not own:
        yield NOTHING
        return
    if len(own) > 1:
        raise Refused(f"{bar} is of {len(own)} traits: write TRAIT:{bar.condition}.")
    (width,) = own
    if width.bets is None:
        raise Refused(
            f"{bar} has no exact interval, so its chance is not known: see `gate`.",
        )

    most = width.bets.frame
    looks = [look for look in USUAL_LOOKS if look < most] or [most]
    for bar_plan in plans(bench.workspace.design.facts()):
        if bar_plan.bar == bar:
            looks = list(bar_plan.looks) or looks
    without_help = width.bets.decided(bar.value, looks, helped=False)
    with_half = width.bets.decided(bar.value, looks, helped=True)
    count = many(len(frame.units), frame.word)
    value = figure(width.bets.judge_only)
    yield f"{bar}, of {count} that could be drawn; by the judge's labels it is {value}."
    yield ""
    rows = []
    for look, unhelped, helped in zip(looks, without_help, with_half, strict=True):
        row = [f"{look:,}"]
        for chance in (unhelped, helped):
            row += [percent(round(chance.above, 2)), percent(round(chance.below, 2))]
        rows.append(tuple(row))
    headers = ("audits", "no help: above", "below", "half: above", "below")
    yield from text_lines(ReportTable(headers, rows, 0), indent=2)
    yield ""
    yield from sentence_lines(CHANCES, indent=0)


LONGEST_NAME = 60
"""Characters of the name of a wave."""
_FIRST = ("seed", "by", "sighted", "giants", "wave")
"""Options of the first draw of a wave, or of the only one, which hold for all that is added."""


def sample(arguments: argparse.Namespace) -> None:
    """Draw a sample (-n), add to it (--add), withdraw it (--withdraw), or print how far it is.

    With --power nothing is drawn: it prints how many units to audit for an interval, or for a bar
    the chance that it is decided. A sample that was drawn by the same options already is only
    printed. All is printed on standard output; that something was drawn, was drawn already, or was
    withdrawn is said on standard error. With --json how far it is is one object; the rest is always
    text.

    The person is asked at a terminal before a blind draw sets sign-offs aside, unless --yes is
    given, and without --take if file and workspace disagree. Raises Unusable for options that
    cannot be used, for a draw beside another sample, and for what cannot be drawn or withdrawn.
    Raises Ended with FAILED if the audit cannot be written, and with DONE if the person answers no.
    """
    _check_options(arguments)
    draws = bool(arguments.n or arguments.add)
    reads = not draws and not arguments.withdraw
    with at_bench(arguments, may_read=reads) as bench:
        if isinstance(arguments.power, TrustBar):
            with unless_refused(str(bench.audit)):
                show_lines(
                    power_of_bar(bench, arguments.power, _usual_draw(arguments)),
                )
        elif arguments.power:
            with unless_refused(str(bench.audit)):
                show_lines(power(bench, arguments.power, _usual_draw(arguments)))
        elif draws:
            if arguments.n and _is_drawn_already(bench, arguments):
                say("This is drawn already: nothing was drawn. --add N draws more.")
                show_lines(_sample_lines(bench))
            else:
                _draw(bench, arguments)
        elif arguments.withdraw:
            _withdraw(bench)
        elif arguments.json:
            show_json(_sample_table(bench))
        else:
            show_lines(_sample_lines(bench))


def _check_options(arguments: argparse.Namespace) -> None:
    """Raise Unusable for options that do not go together or cannot be taken.

    These are groupings that are unknown or do not go together, and a wave's name that is blank,
    longer than `LONGEST_NAME`, or has line breaks or control characters. The options of the first
    draw (`_FIRST`) go only with -n, so not with --add; only --giants goes with --power, too.
    """
    _check_groupings(arguments)
    wave = arguments.wave
    is_name = bool(wave) and bool(wave.strip())
    if is_name:
        is_name = wave.isprintable() and len(wave) <= LONGEST_NAME
    if wave is not None and not is_name:
        wrong = f"a wave needs a name, in one line of at most {LONGEST_NAME} characters"
        raise unusable("--wave", wrong, 'give one, as --wave "week 48"')
    if arguments.n:
        return
    wrong = "goes with -n, which says how many to draw"
    if arguments.add:
        wrong = "is said with the first draw (-n), and holds for what is added"
    for name in _FIRST:
        if name == "giants" and arguments.power:
            continue
        value = getattr(arguments, name)
        if value is not None and value is not False:
            raise unusable(f"--{name}", wrong)


def _check_groupings(arguments: argparse.Namespace) -> None:
    """Raise Unusable for groupings of --by that are unknown or do not go together.

    Known are the names in `GROUPINGS`, and META with a key of the metadata. Strata by disagreement
    go with no other grouping, and --giants with none at all.
    """
    by = _by(arguments)
    for grouping in by:
        if not is_grouping(grouping, GROUPINGS):
            right = f"it would be {', '.join(GROUPINGS)}, or a key of the metadata as {META}site"
            raise unusable("--by", f"there are no strata by {quoted(grouping)}", right)
    if len(by) > 1 and DISAGREEMENT in by:
        raise unusable(
            "--by",
            f"{DISAGREEMENT} cannot be combined with other groupings",
            "give it alone",
        )
    if by and arguments.giants is not None:
        raise unusable(
            "--giants",
            "cannot be combined with --by",
            "give one of them: both make strata",
        )


def _by(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return what --by names for strata, in the order of the options, each once; () for none."""
    return tuple(dict.fromkeys(arguments.by or ()))


def _requested_draw(
    arguments: argparse.Namespace,
    existing: Sample | None,
) -> SampleWish:
    """Return the draw that the command line asks for: how many units, by what, blind or not.

    The number is that of -n, or else of --add. Without --seed the seed is that of the last wave, if
    --wave names that one. For another --wave it is one that no wave of `existing` has, and without
    --wave it is `USUAL_SEED`. It is blind unless --sighted is given. --giants says how many of the
    largest units are ruled on whole: `STANDING_OUT` without a number, None without the option.
    Nothing is drawn.
    """
    seed = arguments.seed
    wave = arguments.wave or ""
    if seed is None:
        seed = USUAL_SEED
        if wave:
            seed = usual_seed(existing)
        if existing is not None and wave and wave == wave_name(existing.last):
            seed = existing.last.seed
    n = arguments.n or arguments.add
    return SampleWish(
        n,
        seed,
        _by(arguments),
        blind=not arguments.sighted,
        giants=arguments.giants,
        wave=wave,
    )


def _usual_draw(arguments: argparse.Namespace) -> SampleWish:
    """Return the usual draw, with the largest units whole if the command line asks for that."""
    return SampleWish(USUAL, giants=arguments.giants)


def _is_drawn_already(bench: Workbench, arguments: argparse.Namespace) -> bool:
    """Return whether the sample or wave that -n asks for was drawn before.

    It was if number, seed, strata, blindness and design are those of the last draw. If --giants has
    a number, that must also be how many of the largest units were drawn whole. Returns False
    without any sample, and for a wave of another name than the last. Raises Unusable if a sample,
    or the wave of this name, was drawn by other options; the sentence says what can be done
    instead.
    """
    existing = bench.workspace.design.sample()
    if existing is None:
        return False

    wish = _requested_draw(arguments, existing)
    if wish.wave and wish.wave != wave_name(existing.last):
        return False
    requested = wish.n, wish.seed, list(wish.by), wish.blind, wish.design
    last = existing.last
    drawn = len(existing.waves[-1])
    existing_wish = drawn, last.seed, list(last.strata_by), last.blind, last.design
    whole = existing.waves[-1].strata[0].units
    if requested == existing_wish and wish.giants in (None, STANDING_OUT, whole):
        return True
    raise _another_is_drawn(bench, existing, wish)


def _another_is_drawn(bench: Workbench, existing: Sample, wish: SampleWish) -> Unusable:
    """Return the error that another sample or wave than `wish` was drawn before; it is not raised.

    Its hint tells what the `existing` sample allows instead: to add to it or to the wave, to
    withdraw it, or to draw a wave from traces that are new.
    """
    file = str(bench.audit)
    drawn = len(existing.waves[-1])
    right = (
        "an audit has one sample; --add 40 draws 40 more into it, and --withdraw takes it back as"
        " long as nothing in it is ruled on"
    )
    if count_new(bench.workspace.path, existing):
        right += "; --wave NAME draws from the traces that are new"
    if wish.wave:
        right = (
            f"--add 40 draws 40 more into {quoted(wish.wave)}, and --withdraw takes that wave back"
            " as long as nothing in it is ruled on"
        )
        return unusable(
            file,
            f"there is a wave {quoted(wish.wave)} of {drawn:,} already",
            right,
        )
    if existing.has_own_chances:
        right = (
            "an audit has one sample; nothing can be added to this one, and --withdraw takes it"
            " back as long as nothing in it is ruled on"
        )
    return unusable(file, f"there is a sample of {len(existing):,} already", right)


def _draw(bench: Workbench, arguments: argparse.Namespace) -> None:
    """Draw or, with --add, add to the sample, save the audit, and print what was drawn.

    How many were drawn is said on standard error, with a note if the sample is too small for an
    estimate; how far the sample is is printed on standard output. If a blind draw sets sign-offs
    aside the person is asked first, unless --yes is given or there is no terminal, where it is
    drawn without asking. Raises Unusable if the sample cannot be drawn, and for --add without a
    sample. Raises Ended with DONE if the person answers no, with nothing drawn, or with FAILED if
    the audit cannot be written.
    """
    existing = bench.workspace.design.sample()
    file = str(bench.audit)
    if arguments.add and existing is None:
        raise unusable(file, "there is no sample to add to", "draw one with -n")
    with unless_refused(file):
        planned = plan(
            bench.workspace.path,
            _requested_draw(arguments, existing),
            existing,
        )
        _confirm_setting_aside(planned, asks=not arguments.yes)
        bench.draw(planned.what)
    save(bench)
    more = " more" if arguments.add else ""
    say(f"Drew {len(planned.what.drawn):,}{more} at random.", *planned.describe())
    show_lines(_sample_lines(bench))


def _confirm_setting_aside(planned: PlannedDraw, *, asks: bool) -> None:
    """Ask the person at the terminal whether a blind draw may set sign-offs aside; return if so.

    What is asked is said on standard error. After a no it is said that nothing was drawn, and Ended
    is raised with DONE. Nothing is asked if the draw is in sight or meets no sign-off, if `asks` is
    false, or if nobody can be asked: it returns then, and the draw is made.
    """
    if not (planned.signed and planned.what.blind and asks and can_ask()):
        return
    signed = many(
        planned.signed,
        "trace that is signed off is",
        "traces that are signed off are",
    )
    say(
        f"{signed} drawn. Blind, their labels are set aside and are in no number until people rule"
        " on them again. --sighted keeps them. They stay in the history either way.",
    )
    if planned.of_census:
        say(
            "All traces are signed off: their numbers are known without an estimate, and"
            " `appellate metrics` has them.",
        )
    if not is_confirmed("Draw them?"):
        say("Nothing was drawn.")
        raise Ended(Exit.DONE)


def _withdraw(bench: Workbench) -> None:
    """Withdraw the sample, save the audit, and say on standard error what that changed.

    If the sample is in waves, only the last wave is withdrawn. Its cells that were begun blind lose
    their labels, which is said. What remains is printed on standard output. Raises Unusable if
    there is no sample or something in it is ruled on or signed off, and Ended with FAILED if the
    audit cannot be written.
    """
    with unless_refused(str(bench.audit)):
        event = bench.withdraw().what
    save(bench)
    remaining = bench.workspace.design.sample()
    texts = ["Withdrew the sample, and the looks that were planned for it."]
    if remaining is not None:
        texts = ["Withdrew the last wave, and the looks that were planned for it."]
    if isinstance(event, Withdrawn) and event.begun:
        begun = many(event.begun, "cell was", "cells were")
        texts.append(
            f"{begun} begun blind: those labels were removed, and stay in the history.",
        )
    say(*texts)
    show_lines(_sample_lines(bench))


def _sample_lines(bench: Workbench) -> Iterator[str]:
    """Yield the lines about the sample: what it is, its strata, how far it is, and its digest.

    New traces that a wave could draw are told before the digest. Without a sample the lines say how
    many units could be drawn and by which command. Earlier samples that were withdrawn are told
    either way.
    """
    sample = bench.workspace.design.sample()
    name = bench.audit
    if sample is None:
        frame = read_frame(bench.workspace.path)
        units = len(frame.units)
        yield f"{name} has no sample yet. {many(units, frame.word)} could be drawn."
        effect = f"draws {usual_size(units)} of them at random, to be ruled on blind."
        yield f"`{draw_command(units, quote(str(name)))}` {effect}"
        standing_out = setting(bench.workspace.path).standing_out
        if standing_out:
            yield from sentence_lines(
                standing_out_text(standing_out, frame.word),
                indent=0,
            )
        yield from withdrawn_text(bench.workspace.design.facts())
        return
    counts = progress(bench.workspace.path, len(sample.strata))
    yield f"{name}: {sample.describe}."
    yield from withdrawn_text(bench.workspace.design.facts())
    yield ""
    yield from _strata_lines(sample, counts)
    yield ""
    text = _progress_text(sample, counts, name)
    yield from wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    yield from sentence_lines(
        new_traces_text(bench.workspace.path, sample, name),
        indent=0,
    )
    yield ""
    digests = hand_edits_at(bench.workspace.db).digests
    yield from sentence_lines(digest_text(digests, quote(str(name))), indent=0)


def new_traces_text(workspace: Path, sample: Sample, audit: Path) -> str:
    """Return a sentence on how many traces are new since the draw, with a command to draw a wave.

    Returns "" if there are none, and for a sample in which units have chances of their own, which
    cannot get a wave. `workspace` is the file of the audit's workspace. The command names the file
    `audit`, NAME for the wave and the usual size of it.
    """
    new = count_new(workspace, sample)
    if not new or sample.has_own_chances:
        return ""
    traces = many(new, "trace is new since the draw", "traces are new since the draw")
    wave = command("sample", audit, "--wave", "NAME", "-n", str(usual_size(new)))
    return f"{traces} and in no number of it: `{wave}` draws from them, as a wave of their own."


SAMPLE_FORMAT = "appellate-sample/1"


def _sample_table(bench: Workbench) -> dict[str, Any]:
    """Return how far the sample is as the object that --json prints.

    Its keys are format, audit and sample. Without a sample `sample` is None, `unit` is the
    word for what is drawn, and `frame` is how many units could be drawn.

    With one `sample` is a table of design, blind, seed, frame, drawn, done, next, strata,
    new_traces and digest, and of `waves` if it was drawn in waves. In it `frame`, `drawn`
    and `done` count units. Each of `strata` has name, units, drawn and done. `next` names
    the next trace in the draw that awaits a ruling, and `digest` is the latest; both are
    None if there is none.
    """
    table: dict[str, Any] = {
        "format": SAMPLE_FORMAT,
        "audit": str(bench.audit),
        "sample": None,
    }
    sample = bench.workspace.design.sample()
    if sample is None:
        frame = read_frame(bench.workspace.path)
        return {**table, "unit": frame.word, "frame": len(frame.units)}
    counts = progress(bench.workspace.path, len(sample.strata))
    strata = []
    for stratum, done in zip(sample.strata, counts.done, strict=True):
        row = {
            "name": stratum.name,
            "units": stratum.units,
            "drawn": stratum.drawn,
            "done": done,
        }
        strata.append(row)
    digests = hand_edits_at(bench.workspace.db).digests
    table["sample"] = {
        "design": sample.last.design,
        "blind": sample.last.blind,
        "seed": sample.last.seed,
        "frame": sample.frame,
        "drawn": len(sample),
        "done": sum(counts.done),
        "next": counts.next or None,
        "strata": strata,
        **waves_under(sample),
        "new_traces": count_new(bench.workspace.path, sample),
        "digest": digests[-1].letters if digests else None,
    }
    return table


def _strata_lines(sample: Sample, counts: SampleProgress) -> Iterator[str]:
    """Yield a table of strata as lines: units, how many are drawn and done, and the chance of each.

    There is a row for each stratum. If there are several, or units have chances of their own, a
    last row "all" has the totals, without a chance.
    """
    rows = []
    for stratum, done in zip(sample.strata, counts.done, strict=True):
        row = (
            cut(stratum.name),
            f"{stratum.units:,}",
            f"{stratum.drawn:,}",
            f"{stratum.chance:.3f}",
            f"{done:,}",
        )
        rows.append(row)
    if sample.has_own_chances or len(sample.strata) > 1:
        total_done = sum(counts.done)
        rows.append(
            ("all", f"{sample.frame:,}", f"{len(sample):,}", "", f"{total_done:,}"),
        )
    headers = ("stratum", "in all", "drawn", "chance", sample.done_word)
    yield from text_lines(ReportTable(headers, rows, 1), indent=2)


def _progress_text(sample: Sample, counts: SampleProgress, name: Path) -> str:
    """Return in sentences how many units are done, which trace is next, and the command to go on.

    If all are done, the text says only that. Units that were ruled on do not count if what was read
    was changed afterwards. If only such units are left, the text says so and how to find them,
    without a command. `name` is the audit's file, for the command.
    """
    done = sum(counts.done)
    total = len(sample)
    if done == total:
        return f"All {total:,} are {sample.done_word}."
    if not counts.next:
        others = many(total - done, "other does", "others do")
        return (
            f"{done:,} of {total:,} are {sample.done_word}. {others} not count, as what was read"
            " was changed since: the filter `is:unsettled` and `appellate metrics` name them."
        )
    text = f"{done:,} of {total:,} are {sample.done_word}; next is {counts.next}."
    review = command("review", name, "--order", "sample")
    return f"{text} `{review}` goes through them in draw order."
