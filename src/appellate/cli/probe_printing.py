"""What probes take and what came of them, in lines of a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Any

from appellate.cli.prompting import amounts
from appellate.core.design_facts import Probed
from appellate.core.problem import many
from appellate.judging.probe_run import ProbeCost, ProbeRun
from appellate.judging.probes import PROBES
from appellate.numbers.formatting import cut, figure

if TYPE_CHECKING:
    from appellate.judging.probe_batch import ProbeAnswers, RequestsWritten

WORST = 8
"""Instructions that are told of each trait: those farthest from what is expected."""
TRAITS = 12
"""Traits that are told, likewise."""
REASONS = 3
"""Reasons that are told why judgments failed."""
_WIDTH = 80
_FIGURES = 46  # characters of the figures before a name


def cost_lines(cost: ProbeCost) -> Iterator[str]:
    """What will be sent, by probe, and what it will take."""
    for name, asked in cost.asked.items():
        text = PROBES[name].description if name else "the plain question"
        known = cost.known[name]
        line = f"  {asked:>6,} {name or 'plain':9} {text}"
        if not asked:
            line += " (nothing can be asked so)"
        elif known == asked:
            line += " (all known already)"
        elif known:
            line += f" ({known:,} known already)"
        yield line
    if not cost.requests:
        yield "Nothing needs to be sent."
        return
    yield f"At most {many(cost.requests, 'request')} to send."
    for one in cost.models:
        yield f"  {one.model} at {one.host}: {amounts(one)}"
    if cost.cost is None:
        yield "  The cost is not known: a profile of config.toml can have prices."


def probed_text(probed: Probed) -> str:
    """What came of one probe: all answers, those of each trait, and the worst instructions."""
    return "\n".join(_lines(probed))


def _lines(probed: Probed) -> Iterator[str]:
    outcome, probe = probed.outcome, PROBES[probed.probe]
    yield from wrap(f"{probe.name}: {probe.description}. {probe.expected.capitalize()}.", _WIDTH)
    if outcome.get("words"):
        yield from _wrapped(f"In words of your own: {outcome['words']}")
    if outcome["answers"]:
        yield f"{'turned':>6}{'answers':>8}{'units':>7}{'share':>7}  95 % interval"
        if len(outcome["traits"]) > 1:
            yield _line(outcome, f"all traits, {many(probed.cells, 'cell')}")
        yield from _traits(outcome)
        yield from _signed(outcome)
    for one in outcome["left_out"]:
        yield from _wrapped(f"Left out: {many(one['cells'], 'cell')}: {one['why']}.")
    if outcome["failed"]:
        yield f"  {many(outcome['failed'], 'question')} failed."


def _signed(outcome: Mapping[str, Any]) -> Iterator[str]:
    """How far either question comes to what a person signed off."""
    signed = outcome["signed"]
    if outcome["expected"] == "stay" and signed["answers"]:
        of = many(signed["answers"], "answer")
        text = f"Of {of} that a person signed off, the judge gave {signed['plain']:,} alike to the"
        yield from _wrapped(f"{text} plain question and {signed['probe']:,} to this one.")


def spent_lines(run: ProbeRun) -> Iterator[str]:
    """What was asked, what it took, and what failed."""
    spent = run.spent
    if run.choice.sends:
        text = f"{many(spent.asked, 'question')}, {spent.cached:,} of them answered before"
        if spent.tokens_in is not None:
            text += f"; {spent.tokens_in:,} tokens in, {spent.tokens_out or 0:,} out"
        if spent.cost:
            text += f"; cost {spent.cost:.2f}"
        yield f"{text}."
    if run.failed:
        yield f"{many(run.failed, 'cell')} could not be asked about plainly and are in no probe."
    for reason, count in spent.failures.most_common(REASONS):
        yield f"{many(count, 'question')} failed: {reason}"


def written_lines(written: "RequestsWritten") -> Iterator[str]:
    """What is in the files of requests, and what is not yet."""
    if written.further:
        yield f"{many(written.further, 'request')} of these ask once more what was answered badly."
    if written.waiting:
        text = many(written.waiting, "question")
        yield f"{text}, at most, rest on these answers and are asked once they are in."


def answer_lines(taken: int, known: int, found: "ProbeAnswers") -> Iterator[str]:
    """What became of the answers of a batch engine."""
    texts = [f"{taken:,} taken in"]
    if known:
        texts.append(f"{known:,} there already")
    strange = len(found.replies) - taken - known
    if strange:
        texts.append(f"{strange:,} to no question that is open here")
    yield f"Answers: {', '.join(texts)}."
    yield from trouble_lines(found)


def trouble_lines(found: "ProbeAnswers") -> Iterator[str]:
    """Why lines of a batch engine are no answers."""
    for reason, count in found.troubles.most_common(REASONS):
        yield f"{many(count, 'line')} without an answer: {reason}"


def _traits(outcome: Mapping[str, Any]) -> Iterator[str]:
    turn = outcome["expected"] == "turn"
    traits = _worst(outcome["traits"], turn)
    for trait in traits[:TRAITS]:
        yield _line(trait, cut(trait["trait"]))
        known = [one for one in trait["instructions"] if "share" in one]
        if len(trait["instructions"]) == 1:  # the line of the trait says it
            continue
        for one in _worst(known, turn)[:WORST]:
            yield _line(one, f"  {one['of']} {one['number']} {cut(one['text'])}")
        if len(known) > WORST:
            yield f"{'':{_FIGURES}}  and {len(known) - WORST:,} more, nearer to what is expected"
    if len(traits) > TRAITS:
        yield f"{'':{_FIGURES}}and {many(len(traits) - TRAITS, 'trait')} more (--json)"
    few = 0
    for trait in traits:
        for one in trait["instructions"]:
            few += "share" not in one
    if few:
        are = "instruction is" if few == 1 else "instructions are"
        text = f"{few:,} {are} in fewer than {outcome['floor']} units: no share is told of them"
        yield from _wrapped(f"{text} (--json has the counts).")


def _worst(rows: Sequence[Mapping[str, Any]], turn: bool) -> list[Mapping[str, Any]]:
    """Those farthest from what is expected first; those of which too little is known last."""

    def key(row: Mapping[str, Any]) -> tuple[bool, float]:
        share: float = row["turned"] / row["answers"]
        return "share" not in row, share if turn else -share

    return sorted(rows, key=key)


def _line(row: Mapping[str, Any], name: str) -> str:
    """Figures before a name, which takes two lines at most."""
    interval = "–"
    if "share" in row:
        interval = f"{row['low']:.3f} to {row['high']:.3f}"
    share = figure(row.get("share"))
    figures = (
        f"{row['turned']:>6,}{row['answers']:>8,}{row['units']:>7,}{share:>7}  {interval:14}  "
    )
    indent = name[: len(name) - len(name.lstrip())]
    below = f"{'':{_FIGURES}}{indent}  "
    return fill(
        name.strip(),
        _WIDTH,
        initial_indent=f"{figures:{_FIGURES}}{indent}",
        subsequent_indent=below,
        max_lines=2,
        placeholder=" …",
    )


def _wrapped(text: str) -> list[str]:
    return wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
