"""`appellate compare`: how far two reviewers agree; a third audit, to rule on the rest."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from secrets import randbelow

from appellate.cli.opening import openable, read_audit, resumed, writable
from appellate.cli.outcome import Ended, ProgressLine, command, say, show_json, show_lines
from appellate.cli.text_table import figure_lines, sentence_lines, text_lines
from appellate.core.agreement import Agreement
from appellate.core.problem import many
from appellate.numbers.blocks import ReportTable
from appellate.numbers.formatting import cut
from appellate.numbers.judge_page import coefficients
from appellate.numbers.sentences import agreement_text
from appellate.numbers.two_reviewers import (
    QuestionAgreement,
    ReviewersAgreement,
    StandIn,
    by_trait,
    comparison_document,
    stand_in_table,
    stand_in_text,
    stand_ins,
)
from appellate.session.acts import sentence
from appellate.session.workbench import Workbench, now
from appellate.store import meta
from appellate.store.audits.adjudication import (
    begin,
    is_joined_of,
    joined_of,
    not_ruled,
)
from appellate.store.audits.audit_sync import digest
from appellate.store.audits.open_audit import AuditFiles, Opened
from appellate.store.audits.two_audits import TwoAudits, beside
from appellate.store.files.text_file import unusable
from appellate.store.files.toml import stamp

SEEDS = 10**6
NO_JUDGE = {"judge": "recorded", "model": None}
WORDS = 12
"""Answers that a table of pairs has room for."""
SHOWN = 10
"""Traces that are shown of a question; --json has them all."""


def compare(arguments: argparse.Namespace) -> None:
    if arguments.output and not arguments.adjudicate:
        raise unusable("-o", "names the third audit", "add --adjudicate")
    two = _two(Path(arguments.one), Path(arguments.other))
    if arguments.adjudicate:
        _adjudicate(arguments, two)
        return
    if not 0 <= arguments.epsilon < 1:
        raise unusable("--epsilon", f"{arguments.epsilon:g} is no share", "0 to below 1, as .2")
    third = None
    if arguments.third:
        third = _two(Path(arguments.one), Path(arguments.third))
        if Path(arguments.third).resolve() == Path(arguments.other).resolve():
            raise unusable(arguments.third, "this is the second audit again", "name a third")
    traits = by_trait(two.pairs, two.reason)
    tests = stand_ins(two, third, arguments.epsilon)
    if arguments.json:
        document = comparison_document(two, traits)
        document["alternative_annotator"] = list(map(stand_in_table, tests))
        show_json(document)
    else:
        show_lines(_describe(two, traits, tests))


def _two(one: Path, other: Path) -> TwoAudits:
    """Both audits; raises Unusable where they are one, or have nothing in common."""
    first = read_audit(one)
    if one.resolve() == other.resolve():
        raise unusable(str(other), "this is the first audit again", "name that of another reviewer")
    return beside((one, first), (other, read_audit(other)))


def _adjudicate(arguments: argparse.Namespace, two: TwoAudits) -> None:
    """Makes the third audit, or goes on with it, and opens it where there is a terminal."""
    from appellate.cli.review import has_screen, sit
    from appellate.session import settings

    if not arguments.output:
        raise unusable("--adjudicate", "makes a third audit", "name it with -o")
    ProgressLine.in_lines = arguments.lines
    preferred = settings.load(vars(arguments))
    place = AuditFiles.of(Path(arguments.output))
    if place.audit.resolve() in (two.one.path.resolve(), two.other.path.resolve()):
        raise unusable(str(place.audit), "this is one of the two audits", "name another file")
    reviewer = preferred.settings.reviewer
    with openable(place):
        if place.exists:
            opened = _resumed(place, two)
        else:
            writable(place)
            seed = arguments.shuffle
            if seed is None:
                seed = randbelow(SEEDS)
            opened = begin(place, two, seed, stamp(now()), reviewer)
    if joined := joined_of(opened.workspace):
        opened.notes.append(sentence(str(joined)))
    if any(reviewer in side.audit.reviewers for side in two.sides):
        wording = f"{reviewer} is one of the two: better let somebody else rule (--reviewer)."
        opened.notes.append(wording)
    with opened.workspace as workspace:
        left = not_ruled(workspace)
        if left and not workspace.readonly:  # begins with those, wherever one was last
            workspace.set_meta(meta.START, str(left[0]))
            workspace.set_meta(meta.position(reviewer), "")
        if arguments.lines or has_screen():
            asked = argparse.Namespace(**vars(arguments), **NO_JUDGE)
            raise Ended(sit(opened, asked, preferred))
        say(*opened.notes)
        Workbench(workspace, place.audit, reviewer).save()
    say(f"{place.audit}: made; {command('review', place.audit)} opens it.")


def _resumed(place: AuditFiles, two: TwoAudits) -> Opened:
    """The third audit where it was left; raises Unusable where it is none of these two."""
    opened = resumed(place)
    joined = joined_of(opened.workspace)
    if joined is None or not is_joined_of(joined, two):
        opened.workspace.close()
        text = "there is an audit of this name, which was not made of these two"
        raise unusable(str(place.audit), text, "name another with -o")
    for side, known in zip(two.sides, joined.sides, strict=True):
        if known.get("sha256") != digest(side.path):
            text = "was changed since this audit was made of it: that is not in here"
            opened.notes.append(f"{side.path.name} {text}.")
    return opened


def _describe(
    two: TwoAudits, traits: list[ReviewersAgreement], tests: list[StandIn]
) -> Iterator[str]:
    names = " and ".join(f"{side.name} ({side.path.name})" for side in two.sides)
    counts = f"{many(len(two.pairs), 'cell')} signed off by both, of {two.cells:,} in both audits"
    text = f"{names}: {counts} ({two.signed[0]:,} and {two.signed[1]:,})."
    yield from sentence_lines(text, indent=0)
    yield from sentence_lines(*two.notes)
    for trait in traits:
        yield ""
        yield from _trait(two, trait)
    if tests:
        yield ""
        yield "The judge in place of one of them:"
    for test in tests:
        yield f"  {cut(test.trait)}{', all blind' * test.is_blind}"
        yield from sentence_lines(*stand_in_text(test), indent=4)


def _trait(two: TwoAudits, trait: ReviewersAgreement) -> Iterator[str]:
    sort = ", both blind" if trait.is_blind else ""
    yield f"{cut(trait.trait)}{sort}   {many(trait.cells, 'cell')}"
    found = trait.agreement
    yield from sentence_lines(agreement_text(found))
    if trait.untold:
        cells = many(trait.untold, "cell")
        text = f"In {cells} one of them cannot tell: these are in no agreement."
        yield from sentence_lines(text)
    if found.n and len(found.words) <= WORDS:
        yield from text_lines(_pairs(two, found))
    if found.is_shown:
        yield ""
        yield from figure_lines(coefficients(found, right=f"what {two.other.name} says"))
    differing = [one for one in trait.questions if one.differing]
    if not differing:
        return
    yield ""
    yield f"  Where they differ ({two.one.name}, {two.other.name}):"
    for one in sorted(differing, key=lambda one: -len(one.differing)):
        yield from _question(trait, one)


def _pairs(two: TwoAudits, found: Agreement) -> ReportTable:
    """A row for each answer of the first, a column for each of the second."""
    rows = []
    for one in found.words:
        counts = [found.counts.get((one, other), 0) for other in found.words]
        rows.append((cut(one), *map("{:,}".format, (*counts, sum(counts)))))
    columns = (f"{two.other.name}: {cut(word)}" for word in found.words)
    return ReportTable((two.one.name, *columns, "all"), rows, 1)


def _question(trait: ReviewersAgreement, one: QuestionAgreement) -> Iterator[str]:
    of, number, text = one.question
    place = f"{trait.kind.spelled.get(of, of)} {number} " if of else ""
    head = f"{len(one.differing):,} of {one.agreement.n:,}: {place}{cut(text)}"
    yield from sentence_lines(head, indent=4, hanging=8)
    for item in one.differing[:SHOWN]:
        wording = f"{cut(item.trace)}: {', '.join(map(cut, item.answers))}"
        yield from sentence_lines(wording, indent=8, hanging=2)
    rest = len(one.differing) - SHOWN
    if rest > 0:
        yield f"{'':8}and {rest:,} more (--json has them all)"
