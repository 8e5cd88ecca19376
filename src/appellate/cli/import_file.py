"""`appellate import`: makes an audit of another tool's file, without opening the screen."""

import argparse
from pathlib import Path

from appellate.cli.opening import (
    foreign_files,
    labelled_files,
    mapped,
    open_audit,
    save,
)
from appellate.cli.outcome import command, notes, say, show_lines
from appellate.core.problem import many
from appellate.session.workbench import Workbench
from appellate.store.files import atomic
from appellate.store.files.rubric_file import load_rubric
from appellate.store.files.text_file import unusable


def import_file(arguments: argparse.Namespace) -> None:
    """Make an audit of the files that are named, or with --dry-run show what it would hold.

    If these files have an audit already, it is continued: traces that it lacks are added. The audit
    file is written, and it is said how many cells it holds. Raises Unusable for files that are
    missing or not another tool's, and Ended if the audit file cannot be written.
    """
    for path in arguments.paths:
        if not Path(path).exists():
            raise unusable(path, "there is no such file")
    paths = foreign_files(arguments)
    rubric = None
    labelled = labelled_files(arguments)
    if labelled is not None:
        rubric = load_rubric(labelled[0])
        paths = labelled[1]
    if not paths:
        right = "JSON, JSON Lines, CSV, TSV, Excel, Parquet, or an Inspect log"
        raise unusable(arguments.paths[0], "this is not a file of another tool", right)
    if arguments.dry_run:
        from appellate.interop.taking_in import examined, preview

        table_map = mapped(arguments)
        found = examined(paths, table_map, skip_bad=arguments.skip_bad, rubric=rubric)
        show_lines([preview(found)])
        if arguments.write_map:
            _write_map(Path(arguments.write_map), found.map_text)
        return
    if arguments.write_map:
        raise unusable("--write-map", "goes with --dry-run", "add --dry-run, or leave it out")
    with open_audit(arguments, may_read=False) as opened:
        notes(opened.notes)
        save(Workbench(opened.workspace, opened.place.audit, ""))
        cells = many(opened.workspace.cells.count(), "cell")
        say(f"{opened.place.audit.name}: {cells}. Next: {command('review', opened.place.audit)}")


def _write_map(path: Path, text: str) -> None:
    """Write a map for --map, and say so.

    Raises Unusable for a file that is there already, which somebody may have corrected, and for one
    that cannot be written.
    """
    if path.exists():
        raise unusable(str(path), "this file is there already", "choose another name")
    try:
        atomic.write(path, [text.encode()])
    except OSError as error:
        raise unusable(str(path), f"it cannot be written: {error.strerror or error}") from error
    say(f"{path}: the map. Correct it, then: {command('import', '…')} --map {path}")
