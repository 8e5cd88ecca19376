"""`appellate batch`: has missing cells judged in bulk: by files, by an engine, by a Batch API.

by files         batch export, then batch import
by an engine     batch run answers an exported file; batch job prints a script that does
by a server      batch submit, batch status, batch fetch
"""

import argparse
import asyncio
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

from filelock import Timeout
from msgspec.structs import replace

from appellate.cli.judge_options import begin_round, check_where, why_none_waits
from appellate.cli.opening import at_bench, save, unless_stopped
from appellate.cli.outcome import Ended, Exit, command, say, show, show_json, telling
from appellate.core.problem import Problem, Refused, Unusable, many, quoted
from appellate.core.step_progress import OnProgress
from appellate.interop.batch_worker import Part, Terms, id_of, parts
from appellate.interop.batches import (
    ENGINES,
    SHAPES,
    any_row,
    check_requests,
    outcomes,
    script,
)
from appellate.judges.batches import BatchServer, NotDone
from appellate.judges.endpoint import Access, Endpoint, access
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import Question
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
)
from appellate.judging.choice import JudgeChoice, choose
from appellate.judging.run import BrokenDown, compute
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.database import WITHOUT_LOCKS, file_lock
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable
from appellate.store.samples.sampling import count_judged

_MOST_REASONS = 3
"""Reasons of failures that are told."""
_POLL_SECONDS = 0.3
"""Seconds between two counts of what an engine has answered."""
_RESULTS = {
    "judged": "judged",
    "failed": "failed",
    "known": "there already",
    "unasked": "not asked before the batch ended",
    "strange": "about no cell of this audit",
    "broken": "unreadable",
}
"""What can become of an answer, by its name in the counts, in words."""


def batch(arguments: argparse.Namespace) -> None:
    """Carry out the action of `appellate batch` that the command line names.

    `status` and `job` print on standard output; all else is said on standard error. `import` and
    `fetch` raise Ended in any case. Ended with FAILED (1) is raised if a server does not do its
    part, computing breaks down, something could not be saved or standard output fails, after that
    was said. Raises Unusable for what the person can put right, also instead of Refused, and
    OSError for a file that cannot be read or written.
    """
    with unless_stopped("batch"):
        try:
            _ACTIONS[arguments.action](arguments)
        except (NotDone, BrokenDown) as error:
            say(error)
            raise Ended(Exit.FAILED) from error


def _chosen(
    arguments: argparse.Namespace,
    bench: Workbench,
    *,
    sending: bool,
) -> tuple[JudgeChoice, OpenAIJudge]:
    """Choose the one model that is asked, save it as the judge of this audit, and return it.

    It is returned as a choice and as a judge; the name of the choice is saved in the workspace.
    With `sending` this command sends requests itself, so that a key is needed. Raises Refused for a
    judge that is not exactly one model, Refused or Unusable for a model that cannot be asked, and
    NotKept if its name cannot be saved.
    """
    path = bench.workspace.path
    choice = choose(
        vars(arguments),
        bench.workspace.meta,
        workspace=path,
        sending=sending,
    )
    if not choice.members:
        raise Refused(
            "A batch asks a model: name it with --model, or a profile with --judge.",
        )
    if len(choice.members) > 1:
        raise Refused("A batch asks one model: name only one.")
    bench.workspace.set_meta(meta.JUDGE, choice.name)
    return choice, choice.members[0]


# -- by files -------------------------------------------------------------------------------------


def _export(arguments: argparse.Namespace) -> None:
    """Write the requests about missing cells into new files, and write the audit file.

    The first file has the name that -o gives, further ones have numbers in it; --shape says in
    whose form requests are. How many there are is said on standard error. With --again a round
    begins, and cells that were judged before are asked about. If no cell waits, no file of requests
    is written, and that is said. If the audit's file and workspace disagree, the person is asked at
    a terminal unless --take is given.

    Raises Unusable for options or files that cannot be used, also for a file that exists already.
    Raises Refused if the judge is not one model that can be asked, OSError for a file that cannot
    be written, NotKept if the round cannot be saved, and Ended with FAILED if the audit cannot be
    written.
    """
    check_where(arguments)
    with (
        Shards(Path(arguments.output)) as shards,
        at_bench(arguments, may_read=False) as bench,
    ):
        choice, judge = _chosen(arguments, bench, sending=False)
        questions = _asked_once(begin_round(arguments, bench, choice).questions())
        written = export(
            questions,
            judge,
            bench.workspace,
            shards,
            SHAPES[arguments.shape],
        )
        if written:
            name = written[0].file.name
            if len(written) > 1:
                name = f"{len(written)} files, {name} to {written[-1].file.name}"
            say(
                f"{_requests(written, judge)} in {name}.",
                f"`{command('batch', 'import', bench.audit)} ANSWERS…` takes the answers in.",
            )
        else:
            say(f"{why_none_waits(bench.workspace)}: there is nothing to ask.")
        save(bench)


def _asked_once(questions: Iterable[Question]) -> Iterator[Question]:
    """Yield the questions that a single request answers, in their order.

    Those that take several requests are left out. How many these are is said on standard error
    after the last question, if there are any.
    """
    left_out = 0
    for question in questions:
        if question.requests > 1:
            left_out += 1
        else:
            yield question
    if left_out:
        cells = many(left_out, "cell takes", "cells take")
        say(
            f"{cells} several requests each, so no batch asks about them: `appellate judge` does.",
        )


def _requests(shards: Sequence[Shard], judge: OpenAIJudge) -> str:
    """Return how many requests files have in all, and to which model: "12 requests to gpt-4o"."""
    lines = sum(shard.lines for shard in shards)
    return f"{many(lines, 'request')} to {judge.name}"


def _import(arguments: argparse.Namespace) -> None:
    """Save the answers in the files and folders that are named, and write the audit.

    What became of them is said on standard error. If the audit's file and workspace disagree, the
    person is asked at a terminal unless --take is given. Always raises Ended if nothing else is
    raised: with the exit code of `_finish_import`, DONE (0), FAILED (1) or UNUSABLE (2).

    Raises Unusable for names that are no file and for an audit that cannot be opened, OSError for a
    file that cannot be read, NotKept for answers that cannot be saved, Refused for saved
    settings that cannot be used, and BrokenDown if computing stops with an error.
    """
    files = _result_files(arguments.files)
    with at_bench(arguments, may_read=False) as bench:
        raise Ended(_finish_import(bench, import_results(bench, files, any_row)))


# -- on engines -----------------------------------------------------------------------------------


def _run(arguments: argparse.Namespace) -> None:
    """Have an engine answer the requests of a file that have no answer in the folder of -o yet.

    The answers are written into that folder, which is made if it is missing; --workers is how many
    workers share them. Lines of it that are errors or cut short are removed first. Progress, how
    many of the requests have an answer now, and at most `_MOST_REASONS` reasons why others failed
    are told on standard error. If all had one before, only that is said.

    Raises Ended with FAILED (1) if some remain without an answer. Raises Unusable for a --base-url
    that is not http, a missing or wrong file of requests, and without --address for a variable of
    --api-key-env that is not set. Raises Refused without the engine and while another run writes to
    the folder, and OSError for a folder or file that cannot be made, read or written.
    """
    terms = _server_terms(arguments)
    folder = Path(arguments.output)
    variable = terms.key_env
    if variable and not arguments.address and variable not in os.environ:
        raise unusable("--api-key-env", f"the environment has no {variable}")
    requests = Path(arguments.requests)
    if not requests.is_file():
        right = "`batch export` makes one"
        raise unusable(str(requests), "there is no such file of requests", right)
    check_requests(requests)
    atomic.make_folder(folder)
    with _alone_in(folder):
        _answer(arguments, requests, terms)


def _answer(arguments: argparse.Namespace, requests: Path, terms: Terms) -> None:
    """Have an engine answer what has no answer in the folder of -o, and tell what came of it.

    Raises Ended with FAILED (1) if some requests remain without an answer, Refused without the
    engine, and OSError for a file that cannot be read or written.
    """
    folder = Path(arguments.output)
    with atomic.naming(folder):
        todo = parts(str(requests), str(folder), arguments.workers)
    if not todo:
        say(f"Every request in {requests} has an answer in {folder}.")
        return
    request_ids = {id_of(line) for part in todo for line in part.lines}
    count = len(request_ids)
    with (
        telling(f"Answering {many(count, 'request')}", count) as on_progress,
        _counting_answers(folder, on_progress),
    ):
        _engage(arguments, todo, terms)
    answered, failed = outcomes(folder)
    unanswered = len(request_ids - answered)
    answers = many(count - unanswered, "answer")
    take_in = command("batch", "import", "AUDIT", folder)
    say(f"{answers} in {folder}: `{take_in}`")
    if not unanswered:
        return
    say(
        f"{many(unanswered, 'request')} without an answer: the same command asks again.",
    )
    for reason, times in failed.most_common(_MOST_REASONS):
        say(f"{many(times, 'time')}: {reason}")
    raise Ended(Exit.FAILED)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder in the block, so that no other `batch run` writes answers there.

    Files of answers are cleaned when a run begins, and what another run is writing to them then
    would be lost. Raises Refused if another run holds the lock. Where the file system has no locks,
    none is held. Raises OSError if no lock file can be made.
    """
    lock = file_lock(folder / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise Refused(
            f"Another batch run is writing answers to {folder}:"
            " wait for its end, or name another folder with -o.",
        ) from None
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise
    try:
        yield
    finally:
        lock.release()


def _engage(arguments: argparse.Namespace, todo: Sequence[Part], terms: Terms) -> None:
    """Have the engine of --engine answer parts of the requests, and return once it has ended.

    It runs here, or at the address of --address. An error of the engine itself is not raised: its
    last line is said on standard error. Raises Refused if the engine is not installed.
    """
    engine = arguments.engine
    try:
        ENGINES[engine](todo, terms, arguments.address)
    except ImportError:
        text = f"{engine.capitalize()} is not installed: install appellate[{engine}]."
        raise Refused(text) from None
    except Exception as error:  # noqa: BLE001 - an engine raises errors of its own
        lines = str(error).strip().splitlines() or [type(error).__name__]
        say(f"{engine.capitalize()} ended: {lines[-1]}")


@contextmanager
def _counting_answers(folder: Path, on_progress: OnProgress) -> Iterator[None]:
    """Call `on_progress` from a thread, during the block, with how many lines files have got in it.

    The files are `part-*.jsonl` in `folder`. The calls come every `_POLL_SECONDS`, with the lines
    that were added since the block began, and None. Those of the last interval may go unreported.
    Yields nothing to use.
    """
    read_until = {part: part.stat().st_size for part in folder.glob("part-*.jsonl")}
    ended = Event()

    def count() -> None:
        """Call `on_progress` every `_POLL_SECONDS` with the lines added since the block began.

        It ends when the block does, without a last call.
        """
        lines = 0
        while not ended.wait(_POLL_SECONDS):
            for part in folder.glob("part-*.jsonl"):
                with part.open("rb") as file:
                    file.seek(read_until.get(part, 0))
                    lines += file.read().count(b"\n")
                    read_until[part] = file.tell()
            on_progress(lines, None)

    thread = Thread(target=count, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _script(arguments: argparse.Namespace) -> None:
    """Print on standard output a script that runs a file of requests on an engine.

    The options of the command line are written into it. It is for another machine: nothing is run,
    and the file need not exist here. Raises Unusable for a --base-url that is not http, and Ended
    if standard output fails.
    """
    text = script(
        arguments.engine,
        arguments.requests,
        arguments.output,
        arguments.workers,
        _server_terms(arguments),
        arguments.address,
    )
    show(text)


def _server_terms(arguments: argparse.Namespace) -> Terms:
    """Return how an engine asks the server: what --base-url, --concurrency and --timeout say.

    The name of the key's variable is that of --api-key-env, "" without that option: then no key is
    sent. Raises Unusable for an address that begins with neither http:// nor https://.
    """
    url = arguments.base_url
    if not url.startswith(("http://", "https://")):
        raise unusable("--base-url", f"{quoted(url)} is not an http address")
    variable = getattr(arguments, "api_key_env", None) or ""
    return Terms(url, variable, arguments.concurrency, arguments.timeout)


def _result_files(names: Sequence[str]) -> list[Path]:
    """Return the files of these names in their order; a folder gives its `.jsonl` files by name.

    Files in folders below it do not count, and a folder without such files gives none. Raises
    Unusable with a problem for every file that does not exist or is no regular file.
    """
    files = list[Path]()
    absent = []
    for path in map(Path, names):
        if path.is_dir():
            files += sorted(path.glob("*.jsonl"))
        else:
            files.append(path)
    for path in files:
        if path.exists() and not path.is_file():
            absent.append(Problem(str(path), "", "this is not a file"))
        elif not path.exists():
            absent.append(Problem(str(path), "", "there is no such file"))
    if absent:
        raise Unusable(absent)
    return files


def _finish_import(bench: Workbench, result: ImportOutcome) -> Exit:
    """Say what became of answers, compute cells that need none, and write the audit.

    All is said on standard error: the first `MOST_FAULTS` faults, how many more there are, and
    counts. Cells are computed whatever the answers were. Returns the exit code: FAILED (1) if some
    lines could not be used, if a cell of the audit failed or if the audit could not be written,
    else DONE (0). If there were lines and none could be used, it is UNUSABLE (2) and the audit is
    not written.

    Raises NotKept if computed labels cannot be saved, and BrokenDown if computing stops with an
    error.
    """
    faulty = result.counts["strange"] + result.counts["broken"]
    say(*result.faults)
    if faulty > MOST_FAULTS:
        say(f"… and {faulty - MOST_FAULTS} more.")
    asyncio.run(compute(bench))
    counts = []
    for name, words in _RESULTS.items():
        if result.counts[name]:
            counts.append(f"{result.counts[name]} {words}")
    line = f"{bench.audit.name}: {', '.join(counts) or 'no answers'}."
    missing = bench.workspace.count_missing()
    if missing:
        line += f" {many(missing, 'cell')} missing."
    say(line)
    drawn, judged = count_judged(bench.workspace.path)
    if drawn:
        share = f"{judged:,} ({judged / drawn:.0%})"
        say(f"Of {drawn:,} in the sample, {share} can be reviewed now.")
    if faulty and faulty == result.counts.total():
        return Exit.UNUSABLE
    try:
        save(bench)
    except Ended:  # the workspace has the answers anyway
        return Exit.FAILED
    if faulty or bench.workspace.totals().get("state:failed"):
        return Exit.FAILED
    return Exit.DONE


# -- by the Batch API -----------------------------------------------------------------------------


def _submit(arguments: argparse.Namespace) -> None:
    """Submit the requests about missing cells to a server as batches, and say how far they are.

    With --again a round begins, and cells that were judged before are asked about. If nothing is to
    be asked, that is said. All is said on standard error; the audit file is not written. If it and
    the workspace disagree, the person is asked at a terminal unless --take is given.

    Raises Refused if an earlier batch may still be answered, or if the judge is not one model that
    can be asked, as without its key. Raises Unusable for an audit that cannot be opened, and for
    --where without --again or one that finds no cell. Raises NotKept if something cannot be saved,
    NotDone if no client can be made, and Ended with FAILED if a batch cannot be submitted.
    """
    check_where(arguments)
    with at_bench(arguments, may_read=False) as bench, TemporaryDirectory() as folder:
        batches.refuse_second_payment(bench.workspace, bench.audit)
        choice, judge = _chosen(arguments, bench, sending=True)
        server_access = access(judge.endpoint)
        with Shards(Path(folder, "requests.jsonl")) as shards:
            questions = _asked_once(begin_round(arguments, bench, choice).questions())
            url = server_access.url
            written = export(questions, judge, bench.workspace, shards, sent_to=url)
        if written:
            asyncio.run(_submit_files(bench, judge, server_access, written))
        else:
            say(f"{why_none_waits(bench.workspace)}: there is nothing to ask.")


async def _submit_files(
    bench: Workbench,
    judge: OpenAIJudge,
    access: Access,
    shards: Sequence[Shard],
) -> None:
    """Upload files of requests, start a batch of each in turn, and save it in the workspace.

    How far each is is said on standard error, and after the last one how to fetch the answers. If
    the server refuses one or cannot be reached, that is said and Ended is raised with FAILED; what
    was submitted before stays submitted. Raises NotDone if no client can be made, and NotKept if a
    batch cannot be saved.
    """
    batches_text = many(len(shards), "batch", "batches")
    say(f"Submitting {_requests(shards, judge)} at {judge.host} in {batches_text}.")
    async with BatchServer(access) as server:
        for shard in shards:
            try:
                status = await batches.submit(
                    server,
                    bench.workspace,
                    shard,
                    judge,
                    access.url,
                )
            except Refused as refusal:
                say(
                    refusal,
                    "What was submitted before is under way; `appellate batch status` shows how"
                    " far it is.",
                )
                raise Ended(Exit.FAILED) from refusal
            say(_status_text(status))
    say(
        f"Answers come within 24 hours: `{command('batch', 'fetch', bench.audit)}` takes them in.",
    )


BATCHES_FORMAT = "appellate-batches/1"


def _status_text(status: EntryStatus) -> str:
    """Return one line on how far a submitted batch is, with its model and server.

    It is as "batch_1: in_progress, 3 of 10 done, 1 failed (cells to gpt-4o at https://…)", with the
    server's message after the state if there is one, and without failures if none failed. Requests
    are counted. If the server does not know the batch, the line has its id, or the name of its
    file, and says how many cells are missing.
    """
    entry, batch = status
    if batch is None:
        unknown = f"{entry.id or entry.file}: {entry.url} knows of no such batch"
        cells_are = many(entry.cells, "cell is", "cells are")
        return f"{unknown}; its {cells_are} missing."
    line = f"{batch.id}: {batch.state}"
    if batch.message:
        line += f": {batch.message}"
    line += f", {batch.done} of {batch.total or entry.cells} done"
    if batch.failed:
        line += f", {batch.failed} failed"
    return f"{line} (cells to {entry.model} at {entry.url})"


def _old_probe_text(entry: SubmittedFile) -> str:
    """Return a text on a probe that an earlier version submitted, whose answers nothing fetches.

    It names the batch, its questions, model and server, and says that `appellate probe` asks again.
    """
    questions = many(entry.cells, "question")
    return (
        f"{entry.id or entry.file}: {questions} of a probe to {entry.model} at {entry.url}. Probes"
        " are asked directly now, so their answers stay there: `appellate probe` asks again."
    )


def _status(arguments: argparse.Namespace) -> None:
    """Print on standard output how far each batch is, and which old probes are not fetched.

    It is a line for each. With --json it is one object with format, batches and in_words, which has
    the same lines; `batches` lacks the old probes. Without any, the text says so, and both lists
    are empty. No batch is forgotten. If the audit's file and workspace disagree, the person is
    asked at a terminal unless --take is given.

    Raises Unusable for an audit that cannot be opened, NotDone if a server cannot be asked, and
    Refused if the settings lead to another server than that of a batch or its key is missing. It
    prints nothing then. Raises Ended if standard output fails.
    """
    with at_bench(arguments, may_read=True) as bench:
        lines: list[str] = []
        rows: list[dict[str, Any]] = []
        for entry in batches.outstanding_files(bench.workspace):
            status, _ = asyncio.run(_look_at(entry))
            lines.append(_status_text(status))
            rows.append(_status_row(status))
        for entry in batches.outstanding_probe_files(bench.workspace):
            lines.append(_old_probe_text(entry))
        if arguments.json:
            show_json({"format": BATCHES_FORMAT, "batches": rows, "in_words": lines})
        else:
            show("\n".join(lines) or "No batch is under way.")


def _status_row(status: EntryStatus) -> dict[str, Any]:
    """Return how far a submitted batch is, as an entry of the list that `status --json` prints.

    The keys are id, state, model, url, cells, done, failed and message; done and failed count
    requests. The state is "missing" if its server does not know it, and then the last three are
    left out. An id or a message that is empty is None.
    """
    entry, batch = status
    row: dict[str, Any] = {"model": entry.model, "url": entry.url, "cells": entry.cells}
    if batch is None:
        return {"id": entry.id or None, "state": "missing", **row}
    told = {
        "done": batch.done,
        "failed": batch.failed,
        "message": batch.message or None,
    }
    return {"id": batch.id, "state": batch.state, **row, **told}


async def _look_at(
    entry: SubmittedFile,
    folder: Path | None = None,
) -> tuple[EntryStatus, list[Path]]:
    """Ask the server how far a batch is, and download its files into a folder if it has ended.

    Returns the status, and the paths of the files: none without a folder, while the batch goes on,
    and if the server does not know it. The batch of the status is None in the last case. An entry
    without an id has that of its batch in the status, which is found by its file. Raises NotDone if
    a request fails, and Refused if the settings lead to another server or its key is missing.
    """
    paths: list[Path] = []
    async with BatchServer(_access_to(entry)) as server:
        status = await batches.current_status(server, entry)
        if folder and status.batch and status.batch.ended:
            for file in status.batch.files:
                path = folder / f"{len(paths)}.jsonl"
                await server.download(file, path)
                paths.append(path)
    return status, paths


def _access_to(entry: SubmittedFile) -> Access:
    """Return the address and the key with which the server of a batch is asked.

    They are made anew of the current settings. Raises Refused if these lead to another server than
    the batch went to, or if the key is missing or cannot be used.
    """
    server_access = access(Endpoint(entry.model, entry.base_url, entry.api_key_env))
    if server_access.url != entry.url:
        raise Refused(
            f"The batch was submitted to {entry.url}: set OPENAI_BASE_URL as it was then.",
        )
    return server_access


def _fetch(arguments: argparse.Namespace) -> None:
    """Save the answers of all ended batches and write the audit; raises Ended with the exit code.

    That is the worst of all batches: UNUSABLE (2), FAILED (1) or DONE (0). A batch whose server
    cannot be reached is told, counts as FAILED, and the others are fetched. Old probes are told,
    and forgotten. All is said on standard error. If no batch brings answers, the audit is not
    written. If its file and workspace disagree, the person is asked at a terminal unless --take is
    given.

    What ends it before the other batches are fetched: Refused if the settings lead to another
    server or a key is missing, NotKept and OSError for what cannot be saved, and BrokenDown if
    computing stops with an error. Raises Unusable for an audit that cannot be opened.
    """
    with at_bench(arguments, may_read=False) as bench:
        code = Exit.DONE
        entries = batches.outstanding_files(bench.workspace)
        for probe_entry in batches.outstanding_probe_files(bench.workspace):
            say(_old_probe_text(probe_entry))
            batches.keep_submitted(bench.workspace, replace(probe_entry, over=True))
        if not entries:
            say("No batch is under way.")
        for entry in entries:
            try:
                code = max(code, _fetch_one(bench, entry))
            except NotDone as error:  # the other batches may be reached
                say(error)
                code = max(code, Exit.FAILED)
        raise Ended(code)


def _fetch_one(bench: Workbench, entry: SubmittedFile) -> Exit:
    """Save the answers of one batch into the audit if it has ended, and return the exit code.

    How far it is is said on standard error. While it goes on it stays in the list of batches, and
    the code is DONE. Otherwise it is taken off the list, also with another code: UNUSABLE if no
    line of its answers could be used, FAILED if it has no answers, the server does not know it,
    some lines or cells failed or the audit could not be written, else DONE.

    Raises NotDone if the server cannot be asked, Refused if the settings lead to another server or
    the key is missing, NotKept or OSError for what cannot be saved, and BrokenDown if computing
    stops with an error. The batch then stays in the list.
    """
    with TemporaryDirectory() as folder:
        status, files = asyncio.run(_look_at(entry, Path(folder)))
        say(_status_text(status))
        if status.batch and not status.batch.ended:
            batches.keep_submitted(bench.workspace, status.entry)
            return Exit.DONE
        code = Exit.FAILED
        if files:
            code = _import_downloaded(bench, files)
    batches.keep_submitted(bench.workspace, replace(status.entry, over=True))
    return code


def _import_downloaded(bench: Workbench, files: list[Path]) -> Exit:
    """Save downloaded answers and finish the import; return the exit code of `_finish_import`.

    If lines are about no cell of this audit or cannot be read, all files are copied to new names
    next to it before, which is said on standard error. Raises NotKept for judgments that cannot be
    saved, Refused for saved settings that cannot be used, BrokenDown if computing stops with an
    error, and OSError for a file that cannot be read or copied.
    """
    result = import_results(bench, files)
    if result.counts["strange"] or result.counts["broken"]:
        copied_names = []
        for file in files:
            copy = _free_path(bench.audit)
            with atomic.replacing(copy) as temporary:
                shutil.copyfile(file, temporary)
            copied_names.append(copy.name)
        again = "`appellate batch import` reads it again."
        say(f"What could not be used is saved in {', '.join(copied_names)}. {again}")
    return _finish_import(bench, result)


def _free_path(audit: Path) -> Path:
    """Return a path next to an audit at which there is no file; nothing is created.

    For x.audit.toml it is x.audit.batch-1.jsonl, or the first higher number that is free.
    """
    number = 1
    while True:
        path = audit.with_suffix(f".batch-{number}.jsonl")
        if not path.exists():
            return path
        number += 1


_ACTIONS: dict[str, Callable[[argparse.Namespace], None]] = {
    "export": _export,
    "import": _import,
    "submit": _submit,
    "status": _status,
    "fetch": _fetch,
    "run": _run,
    "job": _script,
}
