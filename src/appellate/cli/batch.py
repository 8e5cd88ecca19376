"""`appellate batch`: missing cells judged by a batch engine, by files or a server's Batch API."""

import argparse
import asyncio
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from msgspec.structs import replace

from appellate.cli.judge_options import begun, check, none_waits
from appellate.cli.opening import at_bench, save, unless_stopped
from appellate.cli.outcome import Ended, Exit, say, show, telling
from appellate.core.problem import Problem, Refused, Unusable, many, quoted
from appellate.core.step_progress import OnProgress
from appellate.interop.batch_worker import Part, Terms, id_of, parts
from appellate.interop.batches import ENGINES, SHAPES, any_row, check_requests, outcomes, script
from appellate.judges.batches import BatchServer, NotDone
from appellate.judges.endpoint import Access, Endpoint, access
from appellate.judges.openai import OpenAIJudge
from appellate.judging import batches
from appellate.judging.batches import (
    MOST_FAULTS,
    EntryStatus,
    ImportOutcome,
    Shard,
    Shards,
    SubmittedFile,
    export,
    import_results,
    path_of,
)
from appellate.judging.choice import JudgeChoice, choose
from appellate.judging.run import compute
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable
from appellate.store.samples.sampling import count_judged

_MOST_REASONS = 3
_EVERY = 0.3
"""Seconds between two looks at what an engine has answered."""
_SORTS = {
    "judged": "judged",
    "failed": "failed",
    "known": "there already",
    "unasked": "not asked before the batch ended",
    "strange": "about no cell of this audit",
    "broken": "unreadable",
}


def batch(arguments: argparse.Namespace) -> None:
    with unless_stopped("batch"):
        try:
            _ACTIONS[arguments.action](arguments)
        except NotDone as trouble:
            say(trouble)
            raise Ended(Exit.FAILED) from trouble


def _chosen(
    arguments: argparse.Namespace, bench: Workbench, *, sending: bool
) -> tuple[JudgeChoice, OpenAIJudge]:
    """The one model that is asked; it is this audit's judge from now on."""
    path = bench.workspace.path
    choice = choose(vars(arguments), bench.workspace.meta, workspace=path, sending=sending)
    if not choice.members:
        raise Refused("A batch asks a model: name it with --model, or a profile with --judge.")
    if len(choice.members) > 1:
        raise Refused("A batch asks one model: name only one.")
    bench.workspace.set_meta(meta.JUDGE, choice.name)
    return choice, choice.members[0]


# -- by files -------------------------------------------------------------------------------------


def _export(arguments: argparse.Namespace) -> None:
    check(arguments)
    with Shards(Path(arguments.output)) as shards, at_bench(arguments, may_read=False) as bench:
        choice, judge = _chosen(arguments, bench, sending=False)
        questions = begun(arguments, bench, choice).questions()
        made = export(questions, judge, bench.workspace, shards, SHAPES[arguments.shape])
        if made:
            name = made[0].file.name
            if len(made) > 1:
                name = f"{len(made)} files, {name} to {made[-1].file.name}"
            say(
                f"{_requests(made, judge)} in {name}.",
                f"`appellate batch import {bench.audit} ANSWERS…` takes the answers in.",
            )
        else:
            say(f"{none_waits(bench.workspace)}: there is nothing to ask.")
        save(bench)


def _requests(made: list[Shard], judge: OpenAIJudge) -> str:
    lines = sum(shard.lines for shard in made)
    return f"{many(lines, 'request')} to {judge.name}"


def _import(arguments: argparse.Namespace) -> None:
    files = _result_files(arguments.files)
    with at_bench(arguments, may_read=False) as bench:
        raise Ended(_took(bench, import_results(bench, files, any_row)))


# -- on engines -----------------------------------------------------------------------------------


def _run(arguments: argparse.Namespace) -> None:
    """Answers a file of requests on an engine; what is answered already is not asked again."""
    terms = _terms(arguments)
    folder = Path(arguments.output)
    named = terms.key_env
    if named and not arguments.address and named not in os.environ:
        raise unusable("--api-key-env", f"the environment has no {named}")
    requests = Path(arguments.requests)
    if not requests.is_file():
        right = "`batch export` makes one"
        raise unusable(str(requests), "there is no such file of requests", right)
    check_requests(requests)
    atomic.make_folder(folder)
    with atomic.naming(folder):
        todo = parts(str(requests), str(folder), arguments.workers)
    if not todo:
        say(f"Every request in {requests} has an answer in {folder}.")
        return
    asked = {id_of(line) for part in todo for line in part.lines}
    count = len(asked)
    with (
        telling(f"Answering {many(count, 'request')}", count) as on_progress,
        _watching(folder, on_progress),
    ):
        _engage(arguments, todo, terms)
    answered, failed = outcomes(folder)
    left = len(asked - answered)
    say(f"{many(count - left, 'answer')} in {folder}: `appellate batch import AUDIT {folder}`")
    if not left:
        return
    say(f"{many(left, 'request')} without an answer: the same command asks again.")
    say(*(f"{many(times, 'time')}: {why}" for why, times in failed.most_common(_MOST_REASONS)))
    raise Ended(Exit.FAILED)


def _engage(arguments: argparse.Namespace, todo: Sequence[Part], terms: Terms) -> None:
    """Has an engine answer parts; raises Refused where it is not there, and says why it ended."""
    engine = arguments.engine
    try:
        ENGINES[engine](todo, terms, arguments.address)
    except ImportError:
        text = f"{engine.capitalize()} is not installed: install appellate[{engine}]."
        raise Refused(text) from None
    except Exception as error:  # noqa: BLE001 - an engine's own, of many sorts
        lines = str(error).strip().splitlines() or [type(error).__name__]
        say(f"{engine.capitalize()} ended: {lines[-1]}")


@contextmanager
def _watching(folder: Path, on_progress: OnProgress) -> Iterator[None]:
    """Meanwhile counts the lines that come into the parts in a folder."""
    places = {part: part.stat().st_size for part in folder.glob("part-*.jsonl")}
    ended = Event()

    def count() -> None:
        lines = 0
        while not ended.wait(_EVERY):
            for part in folder.glob("part-*.jsonl"):
                with part.open("rb") as file:
                    file.seek(places.get(part, 0))
                    lines += file.read().count(b"\n")
                    places[part] = file.tell()
            on_progress(lines, None)

    thread = Thread(target=count, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _script(arguments: argparse.Namespace) -> None:
    terms = _terms(arguments)
    given = arguments.requests, arguments.output, arguments.workers, terms, arguments.address
    show(script(arguments.engine, *given))


def _terms(arguments: argparse.Namespace) -> Terms:
    given = vars(arguments)
    url = given["base_url"]
    if not url.startswith(("http://", "https://")):
        raise unusable("--base-url", f"{quoted(url)} is no http address")
    named = given.get("api_key_env") or ""
    return Terms(url, named, given["concurrency"], given["timeout"])


def _result_files(names: Sequence[str]) -> list[Path]:
    """The files of these names; raises Unusable where some are none."""
    files = list[Path]()
    absent = []
    for path in map(Path, names):
        if path.is_dir():
            files += sorted(path.glob("*.jsonl"))
        else:
            files.append(path)
    for path in files:
        if path.exists() and not path.is_file():
            absent.append(Problem(str(path), "", "this is no file"))
        elif not path.exists():
            absent.append(Problem(str(path), "", "there is no such file"))
    if absent:
        raise Unusable(absent)
    return files


def _took(bench: Workbench, taken: ImportOutcome) -> Exit:
    """Says what became of the answers, computes what needs none, and writes the audit."""
    faulty = taken.counts["strange"] + taken.counts["broken"]
    say(*taken.faults)
    if faulty > MOST_FAULTS:
        say(f"… and {faulty - MOST_FAULTS} more.")
    asyncio.run(compute(bench))
    came = [(taken.counts[sort], words) for sort, words in _SORTS.items()]
    parts = [f"{count} {words}" for count, words in came if count]
    line = f"{bench.audit.name}: {', '.join(parts) or 'no answers'}."
    missing = bench.workspace.count_missing()
    if missing:
        line += f" {many(missing, 'cell')} missing."
    say(line)
    drawn, judged = count_judged(bench.workspace.path)
    if drawn:
        say(f"Of {drawn:,} in the sample, {judged:,} ({judged / drawn:.0%}) can be reviewed now.")
    if faulty and faulty == taken.counts.total():
        return Exit.UNUSABLE
    if faulty or bench.workspace.totals().get("state:failed"):
        return _saved(bench, Exit.FAILED)
    return _saved(bench, Exit.DONE)


def _saved(bench: Workbench, ended: Exit) -> Exit:
    try:
        save(bench)
    except Ended:  # the answers are taken in all the same
        return Exit.FAILED
    return ended


# -- by the Batch API -----------------------------------------------------------------------------


def _submit(arguments: argparse.Namespace) -> None:
    check(arguments)
    with at_bench(arguments, may_read=False) as bench, TemporaryDirectory() as folder:
        batches.refuse_twice(bench.workspace, bench.audit.name)
        choice, judge = _chosen(arguments, bench, sending=True)
        way = access(judge.endpoint)
        with Shards(Path(folder, "requests.jsonl")) as shards:
            questions = begun(arguments, bench, choice).questions()
            made = export(questions, judge, bench.workspace, shards, sent_to=way.url)
        if made:
            _send(bench, judge, way, made)
        else:
            say(f"{none_waits(bench.workspace)}: there is nothing to ask.")


def _send(bench: Workbench, judge: OpenAIJudge, way: Access, made: list[Shard]) -> None:
    """Uploads files of requests and starts their batches."""
    batches = many(len(made), "batch", "batches")
    say(f"Submitting {_requests(made, judge)} at {judge.host} in {batches}.")
    endpoint = judge.endpoint
    about = SubmittedFile("", way.url, endpoint.model, 0, endpoint.base_url, endpoint.api_key_env)
    asyncio.run(_submit_files(bench, judge, way, made, about))


async def _submit_files(
    bench: Workbench, judge: OpenAIJudge, way: Access, made: list[Shard], about: SubmittedFile
) -> None:
    async with BatchServer(way) as server:
        for shard in made:
            try:
                standing = await batches.submit(
                    server, bench.workspace, shard, about, path_of(judge)
                )
            except Refused as refusal:
                say(
                    refusal,
                    "What was submitted before is under way; `appellate batch status` shows how"
                    " far it is.",
                )
                raise Ended(Exit.FAILED) from refusal
            say(_standing(standing))
    say(f"Answers come within 24 hours: `appellate batch fetch {bench.audit.name}` takes them in.")


def _standing(standing: EntryStatus) -> str:
    entry, found = standing
    if found is None:
        unknown = f"{entry.id or entry.file}: {entry.url} knows of no such batch"
        return f"{unknown}; its {entry.cells} cells are missing."
    line = f"{found.id}: {found.state}"
    if found.message:
        line += f": {found.message}"
    line += f", {found.done} of {found.total or entry.cells} done"
    if found.failed:
        line += f", {found.failed} failed"
    return f"{line} (cells to {entry.model} at {entry.url})"


def _left_text(entry: SubmittedFile) -> str:
    """That answers to a probe, which an earlier version submitted, are not taken in."""
    questions = many(entry.cells, "question")
    return (
        f"{entry.id or entry.file}: {questions} of a probe to {entry.model} at {entry.url}. Probes"
        " are asked directly now, so their answers stay there: `appellate probe` asks again."
    )


def _status(arguments: argparse.Namespace) -> None:
    with at_bench(arguments, may_read=True) as bench:
        entries = batches.entries(bench.workspace)
        lines = [_standing(asyncio.run(_looked(entry))[0]) for entry in entries]
        lines += map(_left_text, batches.probe_entries(bench.workspace))
        show("\n".join(lines) or "No batch is under way.")


async def _looked(
    entry: SubmittedFile, folder: Path | None = None
) -> tuple[EntryStatus, list[Path]]:
    """How far a batch is, and its files in the folder once it has ended."""
    paths: list[Path] = []
    async with BatchServer(_way(entry)) as server:
        standing = await batches.look_at(server, entry)
        if folder and standing.batch and standing.batch.ended:
            for file in standing.batch.files:
                path = folder / f"{len(paths)}.jsonl"
                await server.download(file, path)
                paths.append(path)
    return standing, paths


def _way(entry: SubmittedFile) -> Access:
    way = access(Endpoint(entry.model, entry.base_url, entry.api_key_env))
    if way.url != entry.url:
        raise Refused(
            f"The batch was submitted to {entry.url}: set OPENAI_BASE_URL as it was then."
        )
    return way


def _fetch(arguments: argparse.Namespace) -> None:
    with at_bench(arguments, may_read=False) as bench:
        ended = Exit.DONE
        entries = batches.entries(bench.workspace)
        for left in batches.probe_entries(bench.workspace):
            say(_left_text(left))
            batches.keep_submitted(bench.workspace, replace(left, over=True))
        if not entries:
            say("No batch is under way.")
        for entry in entries:
            try:
                ended = max(ended, _fetched(bench, entry))
            except NotDone as trouble:  # the others may be there
                say(trouble)
                ended = max(ended, Exit.FAILED)
        raise Ended(ended)


def _fetched(bench: Workbench, entry: SubmittedFile) -> Exit:
    """Takes one batch's answers in, if it has ended; then it is over."""
    with TemporaryDirectory() as folder:
        standing, files = asyncio.run(_looked(entry, Path(folder)))
        say(_standing(standing))
        if standing.batch and not standing.batch.ended:
            batches.keep_submitted(bench.workspace, standing.entry)
            return Exit.DONE
        ended = Exit.FAILED
        if files:
            ended = _taken(bench, files)
    batches.keep_submitted(bench.workspace, replace(standing.entry, over=True))
    return ended


def _taken(bench: Workbench, files: list[Path]) -> Exit:
    """Takes downloaded answers in; files that hold more than could be used are kept."""
    taken = import_results(bench, files)
    if taken.counts["strange"] or taken.counts["broken"]:
        kept = []
        number = 1
        for file in files:
            while (to := bench.audit.with_suffix(f".batch-{number}.jsonl")).exists():
                number += 1
            with atomic.replacing(to) as beside:
                shutil.copyfile(file, beside)
            kept.append(to.name)
        again = "`appellate batch import` reads it again."
        say(f"What could not be used is saved in {', '.join(kept)}. {again}")
    return _took(bench, taken)


_ACTIONS: dict[str, Callable[[argparse.Namespace], None]] = {
    "export": _export,
    "import": _import,
    "submit": _submit,
    "status": _status,
    "fetch": _fetch,
    "run": _run,
    "job": _script,
}
