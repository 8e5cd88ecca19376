"""`appellate second-pass`: ruling once more, blind, on a tenth of what one signed off."""

import argparse
from collections.abc import Iterator
from contextlib import closing
from math import ceil
from pathlib import Path

from appellate.cli.opening import at_bench, openable, resumed, writable
from appellate.cli.outcome import command, say, show_lines
from appellate.cli.text_table import figure_lines, sentence_lines
from appellate.core.design_facts import SecondPass
from appellate.core.problem import many, quoted
from appellate.numbers.formatting import cut
from appellate.numbers.judge_page import coefficients
from appellate.numbers.sentences import agreement_text
from appellate.session.review_session import DAY, span
from appellate.session.workbench import Workbench, now
from appellate.store.audits.audit import Audit, load_audit
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.audits.second_pass import (
    SecondPassFound,
    SelfAgreement,
    begin,
    signed_by,
)
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import stamp

ENDING = ".audit.toml"
SHOWN = 20
_FIRST = {False: "with the judge in sight the first time", True: "blind both times"}


def second_pass(arguments: argparse.Namespace) -> None:
    with at_bench(arguments, may_read=False) as bench:
        if not bench.is_written:
            bench.save()
        audit = load_audit(bench.audit)
        place = AuditFiles.of(_beside(arguments, bench.audit))
        if place.exists:
            _compare(bench, audit, place)
        else:
            _begin(arguments, bench, audit, place)


def _beside(arguments: argparse.Namespace, audit: Path) -> Path:
    """The file of the second pass; raises Unusable where that is the audit itself."""
    if not arguments.output:
        return audit.with_name(f"{audit.name.removesuffix(ENDING)}.again{ENDING}")
    path = Path(arguments.output)
    if path.resolve() == audit.resolve():
        raise unusable(str(path), "this is the audit itself", "name another file")
    return path


def _begin(
    arguments: argparse.Namespace, bench: Workbench, audit: Audit, place: AuditFiles
) -> None:
    found = signed_by(audit, bench.reviewer)
    if not found:
        others = ", ".join(audit.reviewers) or "nobody has"
        text = f"{quoted(bench.reviewer)} has signed nothing off in it"
        raise unusable(bench.audit.name, text, f"name who has with --reviewer ({others})")
    count = max(ceil(len(found) * arguments.share / 100), 1)
    seed = arguments.seed
    at = stamp(now())
    with openable(place):
        writable(place)
        opened = begin(place, audit, bench.reviewer, traces=count, seed=seed, at=at)
    with opened.workspace as workspace:
        Workbench(workspace, place.audit, bench.reviewer).save()
    say(
        f"Drew {many(count, 'trace')} of the {len(found):,} that {bench.reviewer} signed off, to be"
        " ruled on blind.",
        f"`{command('review', place.audit)}` goes through them; then"
        f" `{command('second-pass', bench.audit)}` shows how far you agree with yourself.",
    )


def _compare(bench: Workbench, audit: Audit, place: AuditFiles) -> None:
    with openable(place), closing(resumed(place).workspace) as workspace:
        other = Workbench(workspace, place.audit, bench.reviewer)
        if not other.is_written:
            other.save()
    found = SecondPassFound(audit, load_audit(place.audit), bench.reviewer)
    if not found.drawn:
        text = f"it has no cell that {quoted(bench.reviewer)} signed off in {bench.audit.name}"
        raise unusable(str(place.audit), text, "name another file with -o")
    if found.ruled < found.drawn:
        say(
            f"{found.ruled:,} of {many(found.drawn, 'cell')} ruled on a second time. How far they"
            f" agree is shown when all are: `{command('review', place.audit)}`."
        )
        return
    what = SecondPass(bench.reviewer, found.ruled, found.outcome())
    design = bench.workspace.design
    if all(fact.what != what for fact in design.facts()):
        design.append(what, stamp(now()), bench.reviewer)
        bench.save()
    show_lines(_describe(found, bench.reviewer))


def _describe(found: SecondPassFound, reviewer: str) -> Iterator[str]:
    text = f"{cut(reviewer)}, a second time: {many(found.ruled, 'cell')}"
    if found.gap is not None:
        text += f", {span(found.gap)} after the first (median)"
    yield from sentence_lines(f"{text}.", indent=0)
    if found.gap is not None and found.gap < DAY:
        yield "After less than a day one may remember what one said: agreement looks better then."
    if found.others:
        yield f"{many(found.others, 'cell')} not compared: the trait was changed since."
    for part in found.parts:
        yield ""
        yield f"{cut(part.trait)}, {_FIRST[part.is_blind]}: {many(part.cells, 'cell')}"
        yield from sentence_lines(agreement_text(part.agreement))
        if part.agreement.is_shown:
            yield from figure_lines(coefficients(part.agreement, right="the second answers"))
        yield from _changes(part)


def _changes(part: SelfAgreement) -> Iterator[str]:
    """Which answers changed, and whether towards the judge's or away from them."""
    if not part.changed:
        return
    if not part.is_blind:
        are = "is" if part.joined == 1 else "are"
        wording = (
            f"Of {many(len(part.changed), 'changed answer')}, {part.left:,} had been the judge's"
            f" the first time, and {part.joined:,} {are} now."
        )
        if part.left > 2 * part.joined:
            wording += " What was there may have been taken over."
        yield from sentence_lines(wording)
    for one in part.changed[:SHOWN]:
        text = f"{cut(one.trace)}: {one.answers[0]}, now {one.answers[1]}: {cut(one.question.text)}"
        yield from sentence_lines(text, indent=4, hanging=2)
    rest = len(part.changed) - SHOWN
    if rest > 0:
        yield f"    and {rest:,} more"
