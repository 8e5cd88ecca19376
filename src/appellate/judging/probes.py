"""The probes of a judge: the same cells asked about otherwise, and what should become of answers.

Nothing here asks anybody. A probe makes questions of a cell that was asked about plainly; how the
answers to both differ is told by `probe_outcome`.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.asked_otherwise import Reworded, Rewording
from appellate.core.kind import Instruction
from appellate.core.trace import Trace, name_of
from appellate.judging.jobs import Job

PADDING = (
    "Thank you for reading as far as this. If anything above is unclear, or if it would be of more "
    "use in another form, longer, shorter or in other words, please say so at any time. It is a "
    "pleasure to be of help, and every further question is welcome. Take all the time that is "
    "needed, and have a good day."
)
"""Words below a response that answer nothing."""


class ProbeTerms(Struct, frozen=True):
    """What a person may say of probes: the seed, the words of `padding`, and those that ask for the
    `contrary` of what stands behind them; "" for the words there are.
    """

    seed: int = 0
    padding: str = ""
    contrary: str = ""

    def words(self, probe: str) -> str:
        """The words of a probe where they are a person's own, else ""."""
        return {"padding": self.padding, "negated": self.contrary}.get(probe, "")


class PlainAnswers(Struct, frozen=True):
    """A cell that was asked about plainly: its labels, and how they answer each instruction.

    Before it was asked about there are none. `person` has the answers of whoever signed it off.
    """

    job: Job
    labels: Any = None
    answers: Mapping[Instruction, str] = field(default_factory=dict)
    person: Mapping[Instruction, str] = field(default_factory=dict)

    @property
    def found(self) -> list[Instruction]:
        """The instructions that are answered by saying that it is there."""
        positives = self.job.subject.kind.positives
        return [one for one, answer in self.answers.items() if answer in positives]


class ProbeQuestion(NamedTuple):
    """What is asked about a cell in a probe.

    `meant` has the instructions that those of a reworded trait stand for, None where they are the
    same. `about` are those whose answers are compared. `anew` where an answer that is kept will not
    do. `vague` where what will be asked rests on plain answers, which are not there yet.
    """

    job: Job
    meant: Mapping[tuple[str, int], Instruction] | None
    about: Sequence[Instruction]
    anew: bool = False
    vague: bool = False


class NotProbed(Exception):
    """A cell is left out of a probe; the message says why."""


class Probe(Struct, frozen=True):
    """One probe: what is done, in words, and whether found answers should `turn` or all stay.

    `questions` raises NotProbed where the cell cannot be asked about so. Before there are answers
    it makes what they would be at most, about nothing.
    """

    name: str
    description: str
    turn: bool
    questions: Callable[[PlainAnswers, ProbeTerms], Sequence[ProbeQuestion]]

    @property
    def expected(self) -> str:
        if self.turn:
            return "found answers should turn"
        return "answers should stay"


# -- what each asks -------------------------------------------------------------------------------


def _order(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:
    chance = _chance(plain.job, terms.seed)

    def other(count: int) -> list[int]:
        places = list(range(count))
        chance.shuffle(places)
        if places == sorted(places):
            places.reverse()
        return places

    made = _reworded(
        plain, lambda of, it: of.reordered(it, other), "nothing to put in another order"
    )
    return [_asking(plain, one, list(plain.answers)) for one in made]


def _again(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:  # noqa: ARG001
    return [ProbeQuestion(plain.job, None, list(plain.answers), anew=True)]


def _padding(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:
    padded = f"{plain.job.trace.response.rstrip()}\n\n{terms.padding or PADDING}"
    return [ProbeQuestion(responding(plain.job, padded), None, list(plain.answers))]


def _evidence(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:  # noqa: ARG001
    subject = plain.job.subject
    answering = subject.kind.answering
    if answering is None or not subject.kind.positives:
        raise NotProbed(f"{_form(plain)}: no excerpts that answers rest on one by one")
    if plain.labels is None:  # as long as it may be, and as nobody ever asked
        longest = responding(plain.job, f"{plain.job.trace.response} .")
        return [ProbeQuestion(longest, None, (), vague=True)]
    spans: list[tuple[int, int]] = []
    about: list[Instruction] = []
    for one in plain.found:
        grounds = answering.grounds(subject.trait, plain.labels, one)
        if grounds.spans and not grounds.loose:
            spans += grounds.spans
            about.append(one)
    if not about:
        raise NotProbed("nothing found that rests on words of the response")
    left = _without(plain.job.trace.response, spans)
    if not left.strip():
        raise NotProbed("nothing left of the response without its evidence")
    return [ProbeQuestion(responding(plain.job, left), None, about)]


def _negated(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:
    made = _reworded(plain, lambda of, it: of.negated(it, terms.contrary), "no contrary to ask for")
    if plain.answers and not plain.found:
        raise NotProbed("nothing found whose contrary could be asked for")
    return [_asking(plain, one, plain.found) for one in made]


def _single(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:  # noqa: ARG001
    made = _reworded(plain, lambda of, it: of.alone(it), "nothing to ask one by one")
    return [_asking(plain, one, list(one.meant.values())) for one in made]


PROBES: Mapping[str, Probe] = {
    probe.name: probe
    for probe in (
        Probe("order", "the instructions in another order", False, _order),
        Probe("again", "asked again", False, _again),
        Probe("padding", "words below the response that say nothing", False, _padding),
        Probe("evidence", "the evidence cut out of the response", True, _evidence),
        Probe("negated", "the contrary of each instruction", True, _negated),
        Probe("single", "each instruction in a prompt of its own", False, _single),
    )
}


# -- how they are made ----------------------------------------------------------------------------


def responding(job: Job, response: str) -> Job:
    """The same job about another response."""

    def other(trace: Trace) -> Trace:
        return trace.model_copy(update={"response": response})

    subject = replace(job.subject, trace=other(job.subject.trace))
    return replace(job, subject=subject, trace=other(job.trace))


def _reworded(
    plain: PlainAnswers,
    otherwise: Callable[[Rewording[Any], Any], Sequence[Reworded[Any]]],
    lacking: str,
) -> Sequence[Reworded[Any]]:
    """The traits that the cell's own becomes `otherwise`; raises NotProbed where there are none."""
    subject = plain.job.subject
    made: Sequence[Reworded[Any]] = ()
    if subject.kind.rewording:
        made = otherwise(subject.kind.rewording, subject.trait)
    if not made:
        raise NotProbed(f"{_form(plain)}: {lacking}")
    return made


def _asking(
    plain: PlainAnswers, made: Reworded[Any], about: Sequence[Instruction]
) -> ProbeQuestion:
    subject = replace(plain.job.subject, trait=made.trait)
    return ProbeQuestion(replace(plain.job, subject=subject), made.meant, about)


def _without(response: str, spans: Sequence[tuple[int, int]]) -> str:
    """The response without these parts of it, which may overlap."""
    kept, at = [], 0
    for start, end in sorted(spans):
        kept.append(response[at : max(at, start)])
        at = max(at, end)
    return "".join([*kept, response[at:]])


def _form(plain: PlainAnswers) -> str:
    """What sort of trait it is, in words: "llm trait (score)"."""
    subject = plain.job.subject
    text = subject.kind.form(subject.trait)
    if text:
        return f"{subject.kind.name} trait ({text})"
    return f"{subject.kind.name} trait"


def _chance(job: Job, seed: int) -> Random:
    """The same for the same cell and seed, whatever else is asked."""
    whole = "\0".join((str(seed), job.subject.trait.name, name_of(*job.trace.key)))
    return Random(hashlib.sha256(whole.encode()).digest())  # noqa: S311 - no secret
