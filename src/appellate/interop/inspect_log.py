"""Logs of Inspect: `.eval` (a zip of JSON, deflate or zstd) and `.json`.

Nothing of inspect_ai is needed, and nothing that a log names is imported or run.
"""

import csv
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from appellate.core.inert import inert_json
from appellate.core.kind import CANNOT_TELL_COUNT
from appellate.core.problem import Unusable, many
from appellate.interop.cell_values import as_written
from appellate.interop.foreign import (
    UNSCORED,
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    JudgeVerdict,
    PersonVerdict,
    Row,
    text_of_parts,
    trait_name,
)
from appellate.interop.ruled import RuledCell
from appellate.interop.said_times import said_time
from appellate.numbers.data import entry
from appellate.store.database import from_json
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable
from appellate.traits.scorer.spec import SETTINGS

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalResults, EvalSample, EvalSpec
    from inspect_ai.scorer import Score

FORM = "Inspect log"
LARGEST = 1 << 30
"""Bytes that one member of a log may have unpacked: a zip of zeros is refused."""
MAPPING = {
    "id": "id",
    "epoch": "epoch",
    "question": "input (its last user message)",
    "messages": "messages",
    "response": "output.completion",
    "reference": "target",
    "choices": "choices",
    "model": "eval.model",
    "metadata": "metadata, uuid",
    "verdicts": "scores.NAME.value",
    "reasons": "scores.NAME.explanation",
    "answers": "scores.NAME.answer",
    "people": "scores.NAME.history[] with an author",
}
_NO_GRADE = "grade not found in model output"
"""How Inspect's graders begin the explanation where they read no grade. Early versions gave such an
answer an `I`; later ones leave it unscored.
"""
UNCHANGED = "UNCHANGED"
UUID = "uuid"
"""Where the metadata has the name by which Scout knows a sample."""
EVIDENCE = "evidence"
"""Where the metadata have the words that a verdict rests on, and their places."""
ATTACHED = "attachment://"


def is_log(document: object) -> bool:
    """Return whether a JSON document is a log of Inspect: it has `eval`, `status` and `version`."""
    return (
        isinstance(document, dict) and {"eval", "status", "version"} <= document.keys()
    )


def read_json(document: Row, name: str) -> ForeignFile:
    """Return what a `.json` log of Inspect holds, which is loaded already.

    Raises Unusable for a log of a run that has not ended; `name` is the file's in that message.
    """
    samples = document.get("samples") or []
    return _foreign_file(document, lambda: samples, name)


def read_eval(path: Path) -> ForeignFile:
    """Return what an `.eval` log of Inspect holds, which is a zip with one file for each sample.

    The header is read now, and the samples one at a time at each pass over the traces. Raises
    Unusable for a zip that is no Inspect log or has no header, for a run that has not ended, and
    for a file that cannot be read.
    """
    with zipped(path) as log:
        members = sorted(log.namelist())
        if not any(
            name.startswith(("_journal/", "samples/", "header.json"))
            for name in members
        ):
            right = "unpack it, and give the table or JSON that is in it"
            raise unusable(str(path), "this zip is no Inspect log", right)
        if "header.json" not in members:
            right = "run `inspect log recover` on it"
            raise unusable(
                str(path),
                "this log was never finished: it has no header",
                right,
            )
        header = _json_member(log, "header.json", path)

    def samples() -> Iterator[Row]:
        """Yield the samples of Inspect's log one at a time, sorted by their names in the zip.

        Opens the zip anew at each call. Raises Unusable for a sample that cannot be read.
        """
        with zipped(path) as again:
            for name in members:
                if name.startswith("samples/") and name.endswith(".json"):
                    yield _json_member(again, name, path)

    return _foreign_file(header, samples, str(path))


def zipped(path: Path) -> Any:
    """Return the zip at a path, as an Inspect log is, opened for reading as a `ZipFile`.

    Its members may be packed with zstd. The caller closes it. Raises Unusable if it is no zip or
    cannot be opened.
    """
    if sys.version_info >= (3, 14):
        import zipfile
    else:
        from backports.zstd import zipfile
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise unusable(str(path), f"this zip cannot be read: {error}") from error


def _json_member(log: Any, name: str, path: Path) -> Row:
    """Return the JSON object in one file of an Inspect log's zip.

    `name` is the file's in the zip, and `path` the log's own for messages. Raises Unusable for a
    file over 1 GiB, one that cannot be read, and one that is no JSON object. KeyError if there is
    no such file.
    """
    if log.getinfo(name).file_size > LARGEST:
        raise unusable(str(path), f"{name} has more than 1 GiB")
    try:
        file: IO[bytes]
        with log.open(name) as file:
            data = file.read(LARGEST + 1)
        table = from_json(data)
    except Unusable:
        raise
    except Exception as error:
        raise unusable(str(path), f"{name} cannot be read: {error}") from error
    if not isinstance(table, dict):
        raise unusable(str(path), f"{name} is no table")
    return table


def _foreign_file(
    header: Row,
    samples: Callable[[], Iterable[Row]],
    name: str,
) -> ForeignFile:
    """Return what a log of Inspect holds, from its header and its samples.

    Each score becomes a trait. If the header names scorers, traits are added to the file as
    its traces are read; otherwise all samples are read once here to find the scores.
    `samples` returns the samples from the first at each call, and `name` is the file's.
    Raises Unusable for a run that has not ended.
    """
    if header.get("status") == "started":
        raise unusable(
            name,
            "this log is still being written",
            "wait for the end of the run",
        )
    evaluated = header.get("eval") or {}
    scorers = {
        scorer["name"]: scorer
        for scorer in evaluated.get("scorers") or []
        if isinstance(scorer, dict) and isinstance(scorer.get("name"), str)
    }
    traits: dict[str, ForeignTrait] = {}
    for sample in () if scorers else samples():
        for key in sample.get("scores") or {}:
            traits.setdefault(trait_name(key), _trait_of_scorer(key, {}))
    names = list(scorers or traits)
    model = str(evaluated.get("model") or "")

    def traces() -> Iterator[ForeignTrace]:
        """Yield the trace of each sample of an Inspect log, in order, with its scores as verdicts.

        The first version of a score is the judge's, and later ones are edits of people. A sample
        that failed has a failed verdict for each scorer without a score. Adds a trait to the file's
        traits for a score that has none. Reads the samples anew.
        """
        for sample in samples():
            for key in sample.get("scores") or {}:
                traits.setdefault(
                    trait_name(key),
                    _trait_of_scorer(key, scorers.get(key, {})),
                )
            yield _trace(sample, model, names)

    lost = ["events, usage, the scores' own metadata"]
    version = as_written(header.get("version")) or "unknown"
    form = f"{FORM}, version {version}"
    return ForeignFile(form, traces, MAPPING, traits, lost)


def _trait_of_scorer(name: str, scorer: Row) -> ForeignTrait:
    """Return the trait that a scorer of Inspect becomes.

    `name` is the score's, and `scorer` its entry in the log's header, {} if there is none. A scorer
    in `_WITH_RULES`, as `match`, becomes a scorer trait with those of its settings that are texts
    or bools, so that Appellate can score by its rule. Any other is known by name only. A package
    before the scorer's name is left out.
    """
    kind = str(scorer.get("name", name)).rpartition("/")[2]
    trait = ForeignTrait(trait_name(name), scorer=kind or "recorded")
    options = scorer.get("options") or {}
    names_of_settings = SETTINGS.get(kind, ())  # type: ignore[call-overload]
    settings = {
        key: options[key]
        for key in names_of_settings
        if isinstance(options.get(key), str | bool)
    }
    if kind in _WITH_RULES:
        trait.key = "scorer_traits"
        trait.table = {"scorer": kind} | settings
    return trait


_WITH_RULES = (
    "match",
    "includes",
    "f1",
    "exact",
    "model_graded_qa",
    "model_graded_fact",
)


def _trace(sample: Row, model: str, names: list[str]) -> ForeignTrace:
    """Return the trace of a sample of Inspect, with its scores as verdicts.

    The first version of a score is the judge's ("inspect NAME"), and later ones are edits
    of people. A score that is null gives a failed verdict. If the sample failed, each of
    `names` without a score gives a failed verdict, too. Texts that the log keeps as
    attachments are put in. `model` is the one that was evaluated.
    """
    attached = sample.get("attachments") or {}
    record = _with_attachments(_record(sample, model), attached)
    scores = sample.get("scores") or {}
    failed = _failure_of_sample(sample)
    judged: list[JudgeVerdict] = []
    people: list[PersonVerdict] = []
    for name in dict.fromkeys([*scores, *(names if failed else ())]):
        trait = trait_name(name)
        judge = f"inspect {name}"
        score = scores.get(name)
        if not score:
            judged.append(
                JudgeVerdict(trait, judge=judge, failed=failed or "No score."),
            )
            continue
        first, *edits = _versions_of_score(_with_attachments(score, attached))
        response = str(record.get("response") or "")
        judged.append(_judge_verdict(trait, judge, first, failed, response))
        for number, edit in enumerate(edits):
            people.append(_person_verdict(trait, edit, replaces=number > 0))
    return ForeignTrace(record, judged, people, failed)


def _record(sample: Row, model: str) -> Row:
    """Return the trace record of a sample of Inspect.

    The id is the sample's, else its `uuid`, else "". The epoch is 1 if the sample has none. The
    question is the input itself if that is a text, else the user's last message in it, or "". There
    is no "response" if the output has neither a completion nor a choice, or if the sample has an
    error and its answer is empty. Reference, choices, messages, model and metadata are left out if
    they are empty. The metadata is the sample's, with its `uuid`. `model` is the one that was
    evaluated, or "".
    """
    sample_input = sample.get("input")
    record: Row = {
        "id": as_written(sample.get("id")) or as_written(sample.get("uuid")),
        "epoch": sample.get("epoch") or 1,
        "question": sample_input
        if isinstance(sample_input, str)
        else _last_user(sample_input),
    }
    metadata = dict(sample.get("metadata") or {})
    if sample.get("uuid"):
        metadata.setdefault(UUID, sample["uuid"])
    response = _completion(sample.get("output") or {})
    if response is not None and (response or not sample.get("error")):
        record["response"] = response
    optional = {
        "reference": sample.get("target"),
        "choices": sample.get("choices"),
        "messages": sample.get("messages"),
        "model": model,
        "metadata": metadata,
    }
    return record | {key: value for key, value in optional.items() if value}


def _completion(output: Row) -> str | None:
    """Return the answer in an Inspect sample's `output`: its `completion`, else the first choice's
    text.

    A completion of "" is an answer without words, and no choice is looked at. None if there is
    neither.
    """
    if isinstance(output.get("completion"), str):
        return str(output["completion"])
    for choice in output.get("choices") or []:
        return _text((choice.get("message") or {}).get("content"))
    return None


def _last_user(messages: object) -> str:
    """Return the text of the user's last message in an Inspect sample's input, or "".

    "" if no message has the role "user", and for anything but a list.
    """
    if not isinstance(messages, list):
        return ""
    user_messages = [message for message in messages if message.get("role") == "user"]
    if user_messages:
        return _text(user_messages[-1].get("content"))
    return ""


def _text(content: object) -> str:
    """Return the text of an Inspect message's content: a text itself, or its text parts on lines.

    Parts that are pictures and the like are left out; "" without any text.
    """
    return content if isinstance(content, str) else text_of_parts(content)


def _with_attachments(value: Any, attached: Mapping[str, str]) -> Any:
    """Return a value in which each `attachment://KEY` is replaced by the text in Inspect's log.

    `attached` has the texts by their keys. Lists and tables are copied and searched, too. A
    reference without a text stays. Without any texts the value itself is returned.
    """
    if not attached:
        return value
    if isinstance(value, str) and value.startswith(ATTACHED):
        return attached.get(value.removeprefix(ATTACHED), value)
    if isinstance(value, list):
        return [_with_attachments(below, attached) for below in value]
    if isinstance(value, dict):
        return {key: _with_attachments(below, attached) for key, below in value.items()}
    return value


def _failure_of_sample(sample: Row) -> str:
    """Return why an Inspect sample failed: "The sample failed: " and its error's first line; or "".

    "" for a sample without an error. An error without words has "no reason" in place of its line.
    """
    error = sample.get("error")
    if not error:
        return ""
    message = error.get("message") if isinstance(error, dict) else error
    lines = str(message or "").strip().splitlines()
    return f"The sample failed: {lines[0] if lines else 'no reason'}"


def _versions_of_score(score: Row) -> list[Row]:
    """Return the versions of a score of Inspect in order: the scorer's, then each person's edit.

    Each has all keys, although an edit in the log has only what it changes. Without a `history` it
    is the score alone. If a person added the score, the first version is {}: no scorer gave one.
    """
    versions: list[Row] = []
    history = [
        version for version in score.get("history") or [] if isinstance(version, dict)
    ]
    for version in history or [score]:
        previous = versions[-1] if versions else {}
        changed_keys = {
            key: value for key, value in version.items() if value != UNCHANGED
        }
        versions.append({**previous, **changed_keys})
    # a score that a person added: nobody else gave one
    if versions[0].get("provenance"):
        versions.insert(0, {})
    return versions


def _judge_verdict(
    trait: str,
    judge: str,
    score: Row,
    failed: str,
    response: str,
) -> JudgeVerdict:
    """Return the scorer's version of an Inspect score as a judge's verdict.

    It is a failed verdict if the score has no value. The reason is then `failed`, why the
    sample failed, or that the scorer gave none if `failed` is "". It is a failed verdict,
    too, if the explanation says that no grade was found. `answer`, what the scorer read, is
    left out if it is the whole `response`, in any case of letters. `judge` is what the
    scorer is called.
    """
    value = _value_of_score(score)
    answer = str(score.get("answer") or "")
    if answer.strip().casefold() == response.strip().casefold():
        answer = ""
    if value is None:
        return JudgeVerdict(
            trait,
            judge=judge,
            failed=failed or "The scorer gave no value.",
        )
    reason = str(score.get("explanation") or "")
    if value != UNSCORED and reason.lstrip().casefold().startswith(_NO_GRADE):
        return JudgeVerdict(trait, judge=judge, failed=reason)
    return JudgeVerdict(trait, value, reason, judge, answer=answer)


def _person_verdict(trait: str, score: Row, *, replaces: bool) -> PersonVerdict:
    """Return a person's edit of an Inspect score as its author's verdict, with reason and time.

    The author is "inspect" if none is named. Its value may be None. `replaces` says that another
    edit came before.
    """
    provenance = score.get("provenance") or {}
    author = str(provenance.get("author") or "inspect")
    reason = str(provenance.get("reason") or "")
    timestamp = said_time(provenance.get("timestamp"))
    return PersonVerdict(
        trait,
        _value_of_score(score),
        author,
        reason,
        at=timestamp,
        replaces=replaces,
    )


def _value_of_score(score: Row) -> Any:
    """Return an Inspect score's value: a list as `{"value_1": …, "value_2": …}`, NaN as `UNSCORED`.

    Any other value is returned as it is; None if there is none.
    """
    value = score.get("value")
    if isinstance(value, list):
        return {f"value_{number}": element for number, element in enumerate(value, 1)}
    if isinstance(value, float) and isnan(value):
        return UNSCORED
    return value


# -- back -----------------------------------------------------------------------------------------


def by_scorer(
    cells: Iterable[RuledCell],
    output: str | None,
) -> tuple[dict[str, Iterator[str]], str]:
    """Return people's verdicts for Inspect: each file's lines by its path, and what is lost.

    `output` is what the person named, with "-" for standard output; the path is "" if it is None.
    With an `output` ending in ".csv" the lines are Scout's validation CSV, else JSON Lines for
    Inspect's scorer `precomputed_scores`. One scorer is written to `output`, and each of several to
    a file with the scorer's name added. Nothing is written here. Raises Unusable if there are
    several scorers, or none, and no file is named.
    """
    ruled: dict[str, list[RuledCell]] = {}
    for cell in cells:
        ruled.setdefault(cell.trait, []).append(cell)
    form = precomputed
    lost = "the history: with --source LOG and the extra inspect it is kept"
    path = Path(output or "-")
    if path.suffix == ".csv":
        form = validation
        lost = "who ruled, when and why, and the judge"
    if len(ruled) == 1:
        (cells_of_scorer,) = ruled.values()
        return {output or "": form(cells_of_scorer)}, lost
    if output in (None, "-"):
        wrong = f"is missing: people ruled on {many(len(ruled), 'scorer')}, each has its own file"
        raise unusable(
            "-o",
            wrong,
            "name a file, and each scorer's name is added to it",
        )
    files: dict[str, Iterator[str]] = {}
    for name, cells_of_scorer in ruled.items():
        scorer_name = re.sub(r"[^\w-]+", "-", name).strip("-")
        path_of_scorer = path.with_name(f"{path.stem}-{scorer_name}{path.suffix}")
        number = 1
        while str(path_of_scorer).casefold() in map(str.casefold, files):
            number += 1
            file_name = f"{path.stem}-{scorer_name}-{number}{path.suffix}"
            path_of_scorer = path.with_name(file_name)
        files[str(path_of_scorer)] = form(cells_of_scorer)
    return files, lost


def precomputed(cells: Iterable[RuledCell]) -> Iterator[str]:
    """Yield a JSON line for each cell, for Inspect's scorer `precomputed_scores`.

    The value is the person's verdict, NaN where it cannot be told. The explanation is why they
    ruled so, or the judge's reason if they agreed without words. The metadata has the scorer, the
    author, the time and the judge's value, that it cannot be told, and the evidence if there is
    any. A score's history is lost.
    """
    for cell in cells:
        is_judges = cell.value == cell.judge_value
        row = {
            "id": cell.trace.id,
            "epoch": cell.trace.epoch,
            "value": _verdict_as_score(cell),
            "explanation": cell.why or (cell.judge_reason if is_judges else ""),
            "metadata": {
                "scorer": cell.trait,
                "author": cell.by,
                "at": cell.at,
                "judge": cell.judge_value,
            },
        }
        if cell.is_untold:
            row["metadata"][CANNOT_TELL_COUNT] = True
        if cell.evidence:
            row["metadata"][EVIDENCE] = cell.evidence
        yield inert_json(row) + "\n"


def validation(cells: Iterable[RuledCell]) -> Iterator[str]:
    """Yield the lines of Scout's validation CSV: the header `id,target`, then one for each cell.

    The id is the uuid of Inspect's sample, or else the trace's. The target is the person's verdict:
    a bool as "True" or "False", and a text that a spreadsheet would read as a formula with a mark
    before it. Cells that cannot be told are left out.
    """
    yield "id,target\n"
    for cell in cells:
        if cell.is_untold:
            continue
        name = (cell.trace.metadata or {}).get(UUID, cell.trace.id)
        value = cell.value
        target = str(value) if isinstance(value, bool) else entry(value)
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([entry(str(name)), target])
        yield line.getvalue()


def _read_by_inspect(path: Path) -> "EvalLog":
    """Return the log in a file as Inspect reads it, or raise Unusable if it cannot.

    The extra `inspect` is installed.
    """
    from inspect_ai.log import read_eval_log

    try:
        return read_eval_log(str(path))
    except Exception as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        wrong = f"Inspect cannot read it: {lines[0]}"
        raise unusable(str(path), wrong, "name the log that was imported") from error


def edited(source: Path, cells: Sequence[RuledCell], target: Path) -> tuple[int, str]:
    """Write a copy of an Inspect log with people's verdicts as edits of its scores.

    Returns how many edits were added, and a text on what is lost: "nothing" if nothing is. Left out
    are cells of a sample that the log lacks, or of a scorer that scored none of its samples, and
    edits that it has already; the copy is written also if none is left. A sample without this score
    gets it. Metrics are computed anew if Inspect alone can do so. `source` is not changed, and
    `target` is replaced in one step. Raises Unusable if `target` is the log itself, for a log that
    Inspect cannot read, and without the extra `inspect`.
    """
    if target.exists() and target.samefile(source):
        raise unusable(str(target), "this is the log itself", "name another file")
    try:
        from inspect_ai.log import (
            ProvenanceData,
            edit_score,
            write_eval_log,
        )
        from inspect_ai.scorer import ScoreEdit
    except ImportError:
        right = (
            "install appellate[inspect], or leave --source out for precomputed scores"
        )
        raise unusable(
            str(source),
            "a new log takes the extra inspect",
            right,
        ) from None
    log = _read_by_inspect(source)
    can_recompute = _can_recompute(log)
    samples: dict[tuple[str, int], EvalSample] = {}
    for sample in log.samples or []:
        samples[str(sample.id), sample.epoch] = sample
    names = _names_of_traits(samples.values())
    count = 0
    for cell in cells:
        name = names.get(cell.trait)
        sample = samples.get(cell.trace.key)
        if name is None or sample is None or _has_edit_already(sample, name, cell):
            continue
        provenance = ProvenanceData(
            author=cell.by,
            reason=cell.why or None,
            timestamp=cell.at,
            metadata={EVIDENCE: cell.evidence} if cell.steps else {},
        )
        value = _new_score_value((sample.scores or {}).get(name), cell)
        edit = ScoreEdit(value=value, provenance=provenance)
        edit_score(
            log,
            sample.id,
            name,
            edit,
            recompute_metrics=False,
            epoch=sample.epoch,
        )
        count += 1
    lost = []
    if count and not (can_recompute and _recompute(log)):
        lost.append(
            "metrics of the new scores: those in the log are old, `inspect score` mends them",
        )
    if count < len(cells):
        verdicts_left = many(len(cells) - count, "verdict")
        lost.append(f"{verdicts_left} that the log has already, or no score for")
    with atomic.replacing(target) as temporary_path:
        write_eval_log(log, str(temporary_path))
    return count, "; ".join(lost) or "nothing"


def _can_recompute(log: "EvalLog") -> bool:
    """Return whether Inspect by itself computes a log's metrics as they are in the log.

    False if a metric or reducer is of another package, since its code would be loaded, and if the
    log has no results. The metrics are computed for it, but the log has its old results afterwards.
    """
    if not all(map(_is_inspects_own, _metric_and_reducer_names(log.eval))):
        return False
    results = log.results
    reductions = log.reductions
    is_alike = (
        results is not None
        and _recompute(log)
        and _metric_values(log.results) == _metric_values(results)
    )
    log.results = results
    log.reductions = reductions
    return is_alike


def _recompute(log: "EvalLog") -> bool:
    """Compute an Inspect log's metrics anew, which changes it; False if a metric raised an error.

    Returns True otherwise. The log's task file is hidden meanwhile, so that Inspect does not import
    it, and put back.
    """
    from inspect_ai.log import recompute_metrics

    task_file = log.eval.task_file
    log.eval.task_file = None
    try:
        recompute_metrics(log)
    except Exception:  # noqa: BLE001 - whatever a metric raises over scores it was not made for
        return False
    finally:
        log.eval.task_file = task_file
    return True


def _metric_and_reducer_names(evaluated: "EvalSpec") -> Iterator[str]:
    """Yield the names of all metrics and reducers that an Inspect log's `eval` part names.

    A name can come several times.
    """
    yield from _metric_names(evaluated.metrics)
    for scorer in evaluated.scorers or []:
        yield from _metric_names(scorer.metrics)
    reducers = evaluated.config.epochs_reducer or []
    yield from [reducers] if isinstance(reducers, str) else reducers


def _metric_names(metrics: Any) -> Iterator[str]:
    """Yield the names of Inspect's metrics in a list or a table of lists, at any depth.

    Nothing for None. Each metric is an object with a `name`.
    """
    if isinstance(metrics, dict):
        metrics = list(metrics.values())
    for metric in metrics or []:
        if isinstance(metric, list | dict):
            yield from _metric_names(metric)
        else:
            yield metric.name


def _is_inspects_own(name: str) -> bool:
    """Return whether a metric's name is Inspect's own: without a package or with `inspect_ai/`.

    Any other package would have to be loaded for its metric.
    """
    return name.rpartition("/")[0] in ("", "inspect_ai")


def _metric_values(results: "EvalResults") -> dict[tuple[str, str], str]:
    """Return the metrics in an Inspect log's results, as text with nine digits, by (scorer,
    metric).

    `{("match", "accuracy"): "0.5"}`, so that they can be compared. Those of bootstrapping are left
    out, since they are random.
    """
    metrics: dict[tuple[str, str], str] = {}
    for score in results.scores:
        for name, metric in score.metrics.items():
            if "bootstrap" in name:
                continue
            value = metric.value
            metrics[score.name, name] = f"{value:.9g}"
    return metrics


def _names_of_traits(samples: Iterable["EvalSample"]) -> dict[str, str]:
    """Return the names of the scores in Inspect's samples, by the names of our traits for them.

    If two scores make one trait name, the later score's name is kept. Empty without scores.
    """
    names: dict[str, str] = {}
    for sample in samples:
        names |= {trait_name(name): name for name in sample.scores or {}}
    return names


def _has_edit_already(sample: "EvalSample", name: str, cell: RuledCell) -> bool:
    """Return whether the last edit of a score in the log is this cell's verdict by this person.

    `sample` is Inspect's, and `name` the score's in it. False if the score was never edited or does
    not exist. Two verdicts that cannot be told count as the same.
    """
    score = (sample.scores or {}).get(name)
    if not score or not score.history:
        return False
    last = score.history[-1].provenance
    if not last or last.author != cell.by:
        return False
    value = _value_of_score({"value": score.value})
    if value == UNSCORED:  # a NaN, which is equal to nothing
        return cell.is_untold or cell.value in (UNSCORED, None)
    return bool(score.value == _new_score_value(score, cell))


def _new_score_value(score: "Score | None", cell: RuledCell) -> Any:
    """Return a person's verdict as the new value of a score of Inspect.

    A verdict of several values becomes a list if the present value is one. `score` may be None. NaN
    if it cannot be told.
    """
    value = _verdict_as_score(cell)
    if score is not None and isinstance(score.value, list) and isinstance(value, dict):
        return list(value.values())
    return value


def _verdict_as_score(cell: RuledCell) -> Any:
    """Return a person's verdict as the value of a score of Inspect: as it is in our trait, or NaN.

    A letter, a bool, a number or a table stays. NaN stands for none, and for one that cannot be
    told: Inspect would count an unknown word as 0.
    """
    value = cell.value
    if cell.is_untold or value in (UNSCORED, None):
        return float("nan")
    return value
