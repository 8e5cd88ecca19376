"""Asks judges about exactly the cells of a gold set, or reads in an audit what a judge said.

Judges are asked as everywhere (`judges.proposal.answer_all`), or answered from recorded replies. No
cell is asked about whose text, question or trait is another than it was when people ruled on it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.kind import Briefing, Subject
from appellate.core.problem import Problem
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.gold.gold_file import Gold, GoldCell
from appellate.gold.replies import ReplyFile
from appellate.judges.closing import to_the_end
from appellate.judges.openai import NotSaved, OpenAIJudge
from appellate.judges.panel import Panel
from appellate.judges.proposal import (
    Answered,
    Judge,
    JudgeRecord,
    JudgmentFailed,
    NoLabels,
    Outcome,
    Proposal,
    Question,
    answer_all,
)
from appellate.judging.choice import JudgeChoice
from appellate.judging.questions import is_asked_about
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.audit import AuditedCell, CellKey
from appellate.store.audits.open_audit import differences
from appellate.traits.prompts import Prompts, over
from appellate.traits.rubric import Rubric


class JudgeAnswers(Struct, frozen=True):
    """What one judge says of the cells of a gold set."""

    name: str
    outcomes: Mapping[CellKey, Outcome]
    """By cell; a stale cell has none."""
    missing: Sequence[str] = ()
    """The names of cells about which no reply is recorded."""
    stale: Sequence["Stale"] = ()
    """The cells that decide nothing for this judge."""
    notes: Sequence[str] = ()
    """What a person should know of how it was asked, in sentences."""
    again: str = ""
    """The name of the same judge, if that was asked before and this is to tell how steady it is."""
    is_replayed: bool = False
    """Whether recorded replies answered in place of its models, all or some of its panel."""


def told_apart(
    asked: Sequence[JudgeAnswers],
    in_audits: Sequence[JudgeAnswers],
) -> list[JudgeAnswers]:
    """Return the answers of all judges, each with a name of its own: a second one is `name #2`.

    The number is the first from 2 on that gives a name which none before has. Those of `asked` come
    first, then those `in_audits`, each in their order. A judge of `asked` whose name came before
    has that name in `again`, as it is the same judge once more. All others have "" there, since
    audits of one name may have different judges. The answers passed in are not changed.
    """
    asked_names: set[str] = set()
    names_in_use: set[str] = set()
    result: list[JudgeAnswers] = []
    for number, answers in enumerate((*asked, *in_audits)):
        own_name = answers.name
        repeat = 1
        while own_name in names_in_use:
            repeat += 1
            own_name = f"{answers.name} #{repeat}"
        names_in_use.add(own_name)

        again = ""
        if number < len(asked):
            again = answers.name if answers.name in asked_names else ""
            asked_names.add(answers.name)
        result.append(replace(answers, name=own_name, again=again))
    return result


# -- what is stale ---------------------------------------------------------------------------------


ChangedPart = Literal[
    "the rubric, which has no such trait",
    "the trait",
    "the text",
    "the question or its reference",
]


class Stale(Struct, frozen=True):
    """A cell that reads otherwise than it did when people ruled on it."""

    cell: GoldCell
    what: ChangedPart
    """What is another, as a part of a sentence."""
    details: Sequence[str] = field(default_factory=tuple)
    """How it differs, as far as that can be told, in parts of a sentence."""


def staleness(cell: GoldCell, subject: Subject | None) -> Stale | None:
    """Return how a subject differs from what people ruled on; None if it reads the same.

    `subject` is the trait and trace as they are now; it is None if the trait was removed, and the
    cell is stale then, too. Only the first difference is given: of the trait, then of the text,
    then of the question or its reference. The details name the key paths of the trait that differ
    or its new kind, or the first character of the text that differs. There are none for a question
    or a trait that was removed.
    """
    if subject is None:
        return Stale(cell, "the rubric, which has no such trait")
    trait_sha256 = subject.trait.sha256()
    if trait_sha256 != cell.trait_sha256:
        if subject.kind is not cell.subject.kind:
            detail = f"it is of the kind {subject.kind.name} now"
            return Stale(cell, "the trait", (detail,))
        old = cell.subject.trait.to_file()
        new = subject.trait.to_file()
        keys = tuple(differences(old, new, cell.trait))
        return Stale(cell, "the trait", keys)
    if subject.text_sha256 != cell.text_sha256:
        detail = _first_difference(cell.subject.text, subject.text)
        return Stale(cell, "the text", (detail,))
    if subject.read_sha256(trait_sha256) != cell.read_sha256:
        return Stale(cell, "the question or its reference")
    return None


def _first_difference(old: str, new: str) -> str:
    """Return where two texts begin to differ, as "from character 12 on", counted from 1.

    If one text begins with the whole other, it is the character after that, as for equal texts.
    Thousands have commas.
    """
    alike_count = 0
    for old_char, new_char in zip(old, new, strict=False):
        if old_char != new_char:
            break
        alike_count += 1
    return f"from character {alike_count + 1:,} on"


def stale_under(rubric: Rubric, gold: Gold) -> list[Stale]:
    """Return the cells of a gold set that would read differently under another rubric.

    They are in the gold's order, each with the first thing that differs: its trait, or the question
    or reference that the rubric asks with. A cell whose trait the rubric lacks for its trace is
    among them.
    """
    traces = {trace.key: trace for trace in gold.traces}
    stale_cells: list[Stale] = []
    for cell in gold.cells:
        subject = rubric.subject(cell.trait, traces[cell.trace.key])
        stale = staleness(cell, subject)
        if stale is not None:
            stale_cells.append(stale)
    return stale_cells


# -- asking ----------------------------------------------------------------------------------------


class Replaying:
    """A model whose recorded replies answer; nothing is sent."""

    def __init__(self, judge: OpenAIJudge, replies: ReplyFile) -> None:
        """Answer in place of `judge`, under its name, from `replies`; nothing is missing yet."""
        self._judge = judge
        self._replies = replies
        self.name = judge.name
        self.missing: set[int] = set()
        """The numbers of the questions about which a reply is missing."""

    async def judge(self, question: Question) -> Proposal:
        """Return the labels in the recorded replies to a question; nothing is sent.

        Raises JudgmentFailed if the recorded replies hold no judgment, if the trace lacks what its
        trait asks about, or, with the recorded reason, if only a failure was recorded. If nothing
        was recorded, adds the question's number to `missing` and raises NotSaved, which is a
        JudgmentFailed, too.
        """
        try:
            return self._judge.from_recorded(question)
        except NotSaved:
            prompt = next(question.dialogue())
            for as_lists in (False, True):
                prompt_sha256 = prompt.sha256(as_lists=as_lists)
                reason = self._replies.failure(self.name, prompt_sha256)
                if reason:
                    raise JudgmentFailed(reason) from None
            self.missing.add(question.cell)
            raise

    async def close(self) -> None:
        """Do nothing: nothing was opened."""


class RecordingFailures:
    """A model that is asked; recorded replies get why it gave no judgment."""

    def __init__(self, judge: OpenAIJudge, replies: ReplyFile) -> None:
        """Ask `judge`, under its name, and record its failures in `replies`."""
        self._judge = judge
        self._replies = replies
        self.name = judge.name

    async def judge(self, question: Question) -> Proposal:
        """Return the model's labels, and forget why it gave none on this prompt in earlier checks.

        Raises JudgmentFailed as the model does, once the reason is recorded under the model and the
        hash of its prompt. A final failure, as of access or of a server that is not there, says
        nothing about the model: it is not recorded, and one of earlier checks is forgotten.
        Without the hash of a prompt nothing is recorded or forgotten.
        """
        try:
            proposal = await self._judge.judge(question)
        except JudgmentFailed as failed:
            failure = failed.failure
            if failure.record is not None and failure.record.prompt_sha256:
                prompt_sha256 = failure.record.prompt_sha256
                if failure.final:
                    self._replies.forget_failure(self.name, prompt_sha256)
                else:
                    self._replies.fail(self.name, prompt_sha256, failure.full_reason)
            raise
        if proposal.record.prompt_sha256:
            self._replies.forget_failure(self.name, proposal.record.prompt_sha256)
        return proposal

    async def close(self) -> None:
        """Release the model's connections."""
        await self._judge.close()


NO_EXAMPLES = "A check shows the judge no examples: a gold set has none to spare."


def _outcomes_of_unjudged(
    cells: Iterable[GoldCell],
    choice: JudgeChoice,
) -> dict[CellKey, Outcome]:
    """Return NoLabels for each cell whose kind of trait this judge cannot judge, by the cell's key.

    Its reason is a sentence with the names of judge and kind. Cells that can be judged are not in
    the result.
    """
    outcomes: dict[CellKey, Outcome] = {}
    for cell in cells:
        if not is_asked_about(cell.subject, choice):
            reason = f"{choice.name} cannot judge a {cell.subject.kind.name} trait."
            outcomes[cell.key] = NoLabels(reason)
    return outcomes


def _questions(cells: Sequence[GoldCell], parts: Prompts) -> list[Question]:
    """Return a judge's questions about cells, numbered from 0 in their order.

    Each has those parts of the prompt that `parts` gives for the kind of its trait, none if it
    gives none there, and no examples.
    """
    questions: list[Question] = []
    for number, cell in enumerate(cells):
        subject = cell.subject
        parts_of_kind = parts.get(subject.kind.name, {})
        briefing = Briefing(parts_of_kind, ())
        question = Question(subject, subject.asked, briefing, number)
        questions.append(question)
    return questions


async def ask(
    choice: JudgeChoice,
    name: str,
    gold: Gold,
    stale: Sequence[Stale] = (),
    prompts: Prompts | None = None,
    *,
    answered_from: ReplyFile | None = None,
    failures_into: ReplyFile | None = None,
    on_progress: OnProgress = ignore_progress,
) -> JudgeAnswers:
    """Ask a judge about the cells of a gold set that are not stale, and return what it says.

    - `name`: what people call the judge.
    - `stale`: cells that are not asked about; they are kept in the result.
    - `prompts`: those of another rubric than the gold's, None for the gold's. The judge's own parts
      go before them.
    - `answered_from`: recorded replies, which answer in place of each model; no model is sent
      anything. A judge or a panel's member that is no model, as code, answers itself.
    - `failures_into`: gets why a model, also a panel's member, gave no judgment. A judgment, and a
      failure of access or of a server, make it forget what it had of earlier checks. It gets no
      answers: the judge of `choice` saves those.
    - `on_progress`: is called after each cell that is asked about, with the number of cells that
      have an outcome and their share of those that are not stale.

    `outcomes` has each cell that is not stale. One whose trait this judge cannot judge has NoLabels
    with a sentence and is not asked about. A failure of a cell is its outcome and is not raised. So
    is a reply that is not recorded, and the cell is named in `missing`, too. After several failures
    in a row that every further cell would have, the cells that are left get the same failure
    without being asked about. No examples are shown; if the judge wants some, a note says so. The
    judge is closed at the end, also after an error. `choice.judge` must not be None.
    """
    if prompts is None:
        prompts = gold.rubric.prompts
    parts = over(prompts, choice.prompts)
    stale_keys = {stale_cell.cell.key for stale_cell in stale}
    fresh_cells = [cell for cell in gold.cells if cell.key not in stale_keys]
    outcomes = _outcomes_of_unjudged(fresh_cells, choice)
    asked_cells = [cell for cell in fresh_cells if cell.key not in outcomes]
    questions = _questions(asked_cells, parts)

    async def take(result: Answered) -> None:
        """Keep the outcome of a question under its cell, and report progress."""
        cell = asked_cells[result.cell]
        outcomes[cell.key] = result.outcome
        done_count = len(outcomes)
        on_progress(done_count, done_count / len(fresh_cells))

    judge = choice.judge
    assert judge is not None  # noqa: S101 - a check names its judges
    replays: list[Replaying] = []
    if answered_from is not None:
        judge, replays = _replaying(judge, answered_from)
    if failures_into is not None:
        judge = _with_models(judge, partial(RecordingFailures, replies=failures_into))
    try:
        await answer_all(judge, questions, choice.concurrency, take)
    finally:
        await to_the_end(judge.close())
    missing: set[int] = set()
    for replay in replays:
        missing |= replay.missing
    names = [asked_cells[number].name for number in sorted(missing)]
    notes = [NO_EXAMPLES] if choice.few_shot else []
    return JudgeAnswers(name, outcomes, names, stale, notes, is_replayed=bool(replays))


def _with_models(judge: Judge, replaced: Callable[[OpenAIJudge], Judge]) -> Judge:
    """Return a judge in which `replaced` has put another judge in the place of each model.

    The models are the judge itself, or members of its panel; a panel keeps its name and order. What
    is no model, as code, stays as it is. `judge` is not changed.
    """
    if isinstance(judge, OpenAIJudge):
        return replaced(judge)
    if not isinstance(judge, Panel):
        return judge
    members: list[Judge] = []
    for member in judge.members:
        members.append(replaced(member) if isinstance(member, OpenAIJudge) else member)
    return Panel(members, judge.name)


def _replaying(judge: Judge, replies: ReplyFile) -> tuple[Judge, list[Replaying]]:
    """Return a judge whose models answer from recorded replies, and what replays each of them.

    The models are the judge itself or members of its panel, in the order of the panel; the list is
    empty without any. What is no model, as code, stays as it is. `judge` is not changed.
    """
    replays: list[Replaying] = []

    def replay_of(model: OpenAIJudge) -> Judge:
        """Return what replays a model, and add it to `replays`."""
        replay = Replaying(model, replies)
        replays.append(replay)
        return replay

    return _with_models(judge, replay_of), replays


def in_audit(audit: AnyAudit, name: str, gold: Gold) -> JudgeAnswers:
    """Return what the judge of an audit said of the cells of a gold set.

    A cell that the audit lacks, that is not judged there, or whose judge is hidden until somebody
    rules, has NoLabels with a reason in `outcomes`. A cell that reads otherwise in the audit is
    only among `stale`, and has no outcome. No cell is `missing`. `name` is what people call the
    judge. Nothing is asked and nothing changed.
    """
    cells = {audited.key: audited for audited in audit.cells}
    outcomes: dict[CellKey, Outcome] = {}
    stale: list[Stale] = []
    for cell in gold.cells:
        audited = cells.get(cell.key)
        if audited is None:
            outcomes[cell.key] = NoLabels(f"{name} has no such cell.")
            continue
        changed = staleness(cell, audited.cell.subject)
        if changed is not None:
            stale.append(changed)
            continue
        outcomes[cell.key] = _outcome_in(audited, name)
    return JudgeAnswers(name, outcomes, (), stale)


def _outcome_in(audited: AuditedCell, name: str) -> Outcome:
    """Return what the judge of an audit said of a cell, as far as a reviewer may see it.

    It is the labels with the judge's record. It is NoLabels for a cell without a judgment, also
    because that failed, and for one whose judge is hidden until somebody rules. The reason is then
    the same sentence for both, with `name`, which is what people call the audit. Keys of the
    judge's record that `JudgeRecord` does not have are left out.
    """
    proposed = audited.cell.shown.judge
    if proposed is None:
        return NoLabels(f"It is not judged in {name}, or its judge is still hidden.")
    field_names = JudgeRecord.__struct_fields__
    fields = {key: value for key, value in proposed.judge.items() if key in field_names}
    fields.setdefault("name", "")
    return Proposal(proposed.table, JudgeRecord(**fields))


def unusable_rubric(gold: Gold, rubric: Rubric, file: str) -> Iterable[Problem]:
    """Yield a problem if a rubric has none of the traits of a gold set; else nothing.

    Traits are compared by name. `file` is the rubric's name in the problem.
    """
    gold_traits = {cell.trait for cell in gold.cells}
    if gold_traits.isdisjoint(rubric.trait_names()):
        yield Problem(file, "", "has none of the traits of the gold set")
