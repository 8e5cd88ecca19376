"""`appellate import`: an audit of another tool's file, without opening it."""

import argparse
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from appellate.cli.opening import foreign_files, is_saved, mapped, open_audit
from appellate.cli.outcome import Exit, notes, say, show
from appellate.core.inert import visible
from appellate.core.problem import many
from appellate.installed import running
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.files.text_file import unusable

if TYPE_CHECKING:
    from appellate.interop.foreign import ForeignFile


def import_file(arguments: argparse.Namespace) -> Exit:
    paths = foreign_files(arguments)
    absent = [path for path in arguments.paths if not Path(path).exists()]
    if absent:
        raise unusable(absent[0], "there is no such file")
    if not paths:
        right = "JSON, JSON Lines, CSV, TSV, Parquet, or an Inspect log"
        raise unusable(arguments.paths[0], "this is no file of another tool", right)
    if arguments.dry_run:
        return _preview(paths, mapped(arguments), skip_bad=arguments.skip_bad)
    with open_audit(arguments, may_read=False) as opened:
        notes(opened.notes)
        bench = Workbench(opened.workspace, opened.place.audit, "")
        if not is_saved(bench):
            return Exit.FAILED
        cells = many(opened.workspace.cells.count(), "cell")
        say(f"{opened.place.audit.name}: {cells}. Next: appellate review {opened.place.audit}")
    return Exit.DONE


def _preview(paths: list[Path], given: dict[str, str], *, skip_bad: bool) -> Exit:
    """Says what was recognised, what became of it, and how the first trace would look."""
    file, lines, traits = examined(paths, given, skip_bad=skip_bad)
    lines += [f"traits: {len(traits)}", *(f"  {trait}" for trait in traits), "first trace:"]
    trace = next(file.traces())
    verdicts = [
        {"trait": one.trait, "value": one.value, "reason": one.reason, "failed": one.failed}
        for one in trace.judged
    ]
    people = [
        {"trait": one.trait, "value": one.value, "reason": one.reason, "by": one.by}
        for one in trace.people
    ]
    first = trace.record | {"verdicts": verdicts} | ({"people": people} if people else {})
    lines.append(json.dumps(first, ensure_ascii=False, indent=2, default=str))
    show(visible("\n".join(lines)))
    return Exit.DONE


def examined(
    paths: list[Path], given: dict[str, str], *, skip_bad: bool
) -> "tuple[ForeignFile, list[str], list[str]]":
    """What files of another tool hold: in our terms, in three lines, and as traits with their kinds.

    Raises Unusable for whatever an import would refuse.
    """
    from appellate.interop import recognise
    from appellate.interop.taking_in import summary, take_in

    file, name = recognise.read(paths, given), str(paths[-1])
    with tempfile.TemporaryDirectory(prefix="appellate-import-") as folder:
        place = AuditFiles.of(Path(folder) / "preview.audit.toml")
        taken = take_in(file, name, place, running(), skip_bad=skip_bad)
        taken.workspace.close()
    notes(taken.notes)
    traits = [f"{known.kind.name}: {known.trait.name}" for known in taken.traits]
    return file, summary(taken, file, paths[-1].name), traits
