"""`appellate gate`: tells whether a bar is reached, by its exit code for continuous integration."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import NoReturn

from appellate.cli.acting import acting
from appellate.cli.drawn_as import drawn_as
from appellate.cli.opening import open_audit, reading_audit, save, unless_refused
from appellate.cli.outcome import (
    Ended,
    Exit,
    notes,
    say,
    show_json,
    show_lines,
    telling,
)
from appellate.cli.text_table import sentence_lines, text_lines
from appellate.core.design_facts import sample_of
from appellate.core.problem import Refused, many, quoted
from appellate.numbers.bars import Gate, keep_looks, no_sample
from appellate.numbers.census import Census, census_gates, census_of, census_texts
from appellate.numbers.data import (
    GATE_FORMAT,
    census_gates_table,
    digest_table,
    gates_table,
)
from appellate.numbers.digests import DigestCheck, check_digest, digest_text
from appellate.numbers.estimates import DISAGREES, AuditedSample
from appellate.numbers.formatting import capital
from appellate.numbers.look_history import (
    TakenLook,
    history_rows,
    history_table,
    look_history,
)
from appellate.numbers.planning import planned
from appellate.numbers.samples import gates, hand_edits_at, sample_at, sample_in
from appellate.numbers.sentences import (
    decides_text,
    gate_texts,
    plan_text,
    sample_text,
    too_small,
    unsettled_text,
)
from appellate.numbers.wave_history import (
    WaveStanding,
    standing_rows,
    standings_table,
    wave_standings,
)
from appellate.session.workbench import Workbench
from appellate.stats.look_plans import LookPlan, read_look_plan
from appellate.stats.looks import Decision, TrustBar, read_bar
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.database import reading
from appellate.store.files.text_file import unusable


def gate(arguments: argparse.Namespace) -> None:
    """Decide bars by the sample as far as it is audited, print the decisions, and save the looks.

    A look is how many units are audited when a bar is decided. New looks are saved in the audit,
    whose file is written. Without a sample a census decides, if every cell is signed off; then
    nothing is saved. A sample that is not the one of --drawn-as decides nothing. With --plan looks
    are only planned, which is said on standard error; with --history those that were taken are only
    printed.

    All is text on standard output, or with --json one object. If the audit's file and workspace
    disagree, the person is asked at a terminal unless --take is given. Returns if every bar is
    reached, and after --plan and --history. Raises Ended with FAILED (1) if one is not reached, or
    else with UNDECIDED (3) if one is not decided, or none. Raises Unusable for no bar, a wrong bar
    or plan, without a sample or census, for an audit, an agent or settings that cannot be used, and
    if a look cannot be saved.
    """
    if arguments.history:
        _tell_history(arguments)
        return
    if not arguments.bars:
        raise unusable(
            "gate",
            "there is no bar to test",
            "name one, as f1>=.8, or --history",
        )
    bars = list(dict.fromkeys(map(_bar, arguments.bars)))
    look_plan = _requested_looks(arguments)
    options = {"paths": [arguments.audit]} | vars(arguments)
    letters = drawn_as(arguments)
    with open_audit(
        argparse.Namespace(**options),
        may_read=look_plan is None,
    ) as opened:
        notes(opened.notes)
        actor = acting(arguments)
        bench = Workbench(
            opened.workspace,
            opened.place.audit,
            actor.name,
            as_agent=actor.as_agent,
        )
        with unless_refused(str(bench.audit)):
            if look_plan is not None:
                _plan(bench, bars, look_plan)
                return
            census = None if letters else _complete_census(bench)
            if census is not None:
                _tell_census(census, bars, as_json=arguments.json)
                return
            sample = _audited_sample(bench)
            digest = check_digest(sample.digests, letters) if letters else None
            if digest is not None and not digest.holds:
                _end_for_other_sample(digest, as_json=arguments.json)
            decided_gates = _decide(bench, bars, sample, opened.held)

    if arguments.json:
        show_json(gates_table(sample, decided_gates, digest))
    else:
        _show_gates(sample, decided_gates, digest)
    _end_unless_reached([decided.standing.decision for decided in decided_gates])


def _requested_looks(arguments: argparse.Namespace) -> LookPlan | None:
    """Return the looks of --plan, such as "40,60,80" or "any", or None without that option.

    Raises Unusable for a text that is no plan, "" too. Nothing is saved.
    """
    if arguments.plan is None:
        return None
    try:
        return read_look_plan(arguments.plan)
    except ValueError as error:
        raise unusable("--plan", f"{quoted(arguments.plan)} {error}") from error


HISTORY_FORMAT = "appellate-gate-history/1"


def _tell_history(arguments: argparse.Namespace) -> None:
    """Print every look that was taken in an audit, oldest first, on standard output.

    If there is none, that is said on standard error, where progress is shown, too. For a sample in
    waves, what disagrees in the file and how each wave is now are printed first. With --json it is
    one object with format and looks, and for a sample in waves also `waves` and `faults`. It is
    printed without any look, too, and nothing is said then. Raises Unusable for an audit that
    cannot be read, and Ended if printing fails.
    """
    standings: list[WaveStanding] = []
    faults: Sequence[str] = ()
    with reading_audit(Path(arguments.audit)) as audit:
        looks = look_history(audit.design)
        sample = sample_of(audit.design)
        if sample is not None and sample.is_in_waves:
            with telling("Counting") as on_progress:
                audited = sample_in(audit, on_progress=on_progress)
            if audited is not None:
                standings = wave_standings(audited)
                faults = audited.faults
    if arguments.json:
        table: dict[str, object] = {
            "format": HISTORY_FORMAT,
            "looks": list(history_rows(looks)),
        }
        if sample is not None and sample.is_in_waves:
            table["waves"] = list(standing_rows(standings))
            table["faults"] = list(faults)
        show_json(table)
        return
    lines = _history_lines(looks, standings, faults)
    if lines:
        show_lines(lines)
    if not looks:
        say("No bar was decided yet.")


def _history_lines(
    looks: Sequence[TakenLook],
    standings: Sequence[WaveStanding],
    faults: Sequence[str],
) -> list[str]:
    """Return what disagrees in the file, each wave as it is now, and the looks, as lines.

    An empty line separates the looks from what is before them. Each of the three is left out if
    there is nothing of it.
    """
    lines: list[str] = []
    if faults:
        fault_text = "; ".join(faults)
        lines += sentence_lines(f"{capital(DISAGREES)}: {fault_text}.", indent=0)
    if standings:
        lines += text_lines(standings_table(standings), indent=0)
    if lines and looks:
        lines.append("")
    if looks:
        lines += text_lines(history_table(looks), indent=0)
    return lines


def _end_unless_reached(decisions: Sequence[Decision]) -> None:
    """Raise Ended with FAILED if a bar is not reached, or else with UNDECIDED if one is open.

    Returns without an effect if all are reached, and for no decision.
    """
    if "not reached" in decisions:
        raise Ended(Exit.FAILED)
    if "undecided" in decisions:
        raise Ended(Exit.UNDECIDED)


def _complete_census(bench: Workbench) -> Census | None:
    """Return the audit as a census if it has no sample and every cell is signed off, else None.

    None as well without any cell, if a cell is to be ruled on blind, and for a file that was edited
    by hand, since a sample may have been cut out of it.
    """
    if bench.workspace.design.sample() is not None:
        return None
    with reading(bench.workspace.path) as db:
        if hand_edits_at(db).faults:
            return None
        return census_of(WorkspaceAudit(db))


def _tell_census(census: Census, bars: Sequence[TrustBar], *, as_json: bool) -> None:
    """Decide bars on the judge by a census, for further responses, and print it.

    It is text on standard output, or with `as_json` one object. Returns if every bar is reached.
    Raises Ended with FAILED if one is not reached, or else with UNDECIDED if one is open, and also
    if printing fails. Raises Refused, before anything is printed, for a bar that a census does not
    decide: one on the responses, on the judge's bias or on a number that the audit lacks, or one
    out of its range.
    """
    decided_gates = census_gates(census, bars)
    if as_json:
        show_json(census_gates_table(census, decided_gates))
    else:
        text = (
            f"All {many(census.cells, 'cell')} are signed off, without a random sample."
        )
        lines = list(sentence_lines(text, indent=0))
        for decided in decided_gates:
            heading, *texts = census_texts(decided)
            lines.append("")
            lines += sentence_lines(heading, indent=0)
            lines += sentence_lines(*texts)
        show_lines(lines)
    _end_unless_reached([decided.decision for decided in decided_gates])


def _end_for_other_sample(digest: DigestCheck, *, as_json: bool) -> NoReturn:
    """Print that no bar is decided, as the sample is not that of the digest; raise Ended.

    It is a sentence on standard output, or with `as_json` one object. The code of Ended is
    UNDECIDED (3), or that of printing if that fails.
    """
    if as_json:
        show_json({"format": GATE_FORMAT, "drawn_as": digest_table(digest), "bars": []})
    else:
        show_lines(sentence_lines(f"{digest.text} No bar is decided.", indent=0))
    raise Ended(Exit.UNDECIDED)


def _plan(bench: Workbench, bars: Sequence[TrustBar], look_plan: LookPlan) -> None:
    """Save when each bar will be decided as `look_plan` says, and say it on standard error.

    A plan replaces the one that is saved for its bar. If both are the same, that is said, and
    nothing is changed. The digest of the sample is said, too. If any plan is new, the audit file is
    written. Raises Refused if any bar cannot be planned, as after the first verdict, and then saves
    no plan. Raises NotKept if a plan cannot be saved, and Ended if the file cannot be written.
    """
    for bar in bars:  # refuses before any is kept
        planned(bench.workspace, bar, look_plan)
    is_new = False
    for bar in bars:
        plan = planned(bench.workspace, bar, look_plan)
        if plan.is_new:
            bench.record(plan.what)
            is_new = True
        say(plan_text(plan))
    if is_new:
        save(bench)
    say(digest_text(hand_edits_at(bench.workspace.db).digests, quote(str(bench.audit))))


def _audited_sample(bench: Workbench) -> AuditedSample:
    """Return the sample of the workspace as far as it is audited.

    Progress is shown on standard error at a terminal. Raises Refused without a sample, with a
    sentence that says why. If the file was edited by hand, the sentence says that instead.
    """
    with telling("Counting") as on_progress:
        sample = sample_at(bench.workspace.path, on_progress)
    if sample is None:
        edits = hand_edits_at(bench.workspace.db)
        if edits.faults:
            text = (
                "No bar is decided, since the file was edited by hand:"
                f" {'; '.join(edits.faults)}"
            )
            raise Refused(f"{text}.")
        raise no_sample(bench.workspace.path)
    return sample


def _show_gates(
    sample: AuditedSample,
    decided_gates: Sequence[Gate],
    digest: DigestCheck | None,
) -> None:
    """Print on standard output how the digest, the sample and each decided bar stand.

    `digest` is None without --drawn-as. A line comes between them; the bars are in their order.
    Raises Ended if printing fails.
    """
    lines: list[str] = []
    if digest is not None:
        lines += sentence_lines(digest.text, indent=0)
        lines.append("")
    lines.append(sample_text(sample))
    if sample.waves:
        lines += sentence_lines(decides_text(sample), indent=0)
    lines += sentence_lines(too_small(sample.last_wave), indent=0)
    lines += sentence_lines(unsettled_text(sample), *sample.doubts, indent=0)
    for heading, *texts in gate_texts(decided_gates, sample.unit):
        lines.append("")
        lines += sentence_lines(heading, indent=0)
        lines += sentence_lines(*texts)
    show_lines(lines)


def _decide(
    bench: Workbench,
    bars: Sequence[TrustBar],
    sample: AuditedSample,
    held_elsewhere: str,
) -> Sequence[Gate]:
    """Return the decision on each bar, in their order, and save the looks taken now.

    `held_elsewhere` is a sentence on who has the audit open, or "". If it is open elsewhere, looks
    are not saved, which is said on standard error if there are new ones. If any are saved, the
    audit file is written. That it cannot be written is said, too, and not raised: the exit code
    says how the bars are decided. Raises Refused for a bar that the sample cannot decide, as one of
    an unknown number, and NotKept if a look cannot be saved.
    """
    decided_gates = gates(sample, bars)
    if held_elsewhere and any(
        decided.standing.unsaved_looks for decided in decided_gates
    ):
        say(
            f"note: looks are not saved, since this audit is open elsewhere. {held_elsewhere}",
        )
    if keep_looks(bench, decided_gates):
        with suppress(Ended):  # the exit code says how the bar is decided
            save(bench)
    return decided_gates


def _bar(text: str) -> TrustBar:
    """Return the bar that a text such as `f1>=.8` or `TRAIT:accuracy >= 0.9` names.

    Blanks around its parts are dropped, and case is kept. Raises Unusable for a text that is no
    bar. Whether the audit has such a trait or number is not looked at.
    """
    try:
        return read_bar(text)
    except ValueError as error:
        raise unusable(quoted(text), str(error)) from error
