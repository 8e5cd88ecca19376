"""`appellate import`: makes an audit of another tool's file, without opening the screen.

A file in which several people ruled on the same cells becomes an audit for each of them.
"""

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

from appellate.cli.acting import is_named_like_model
from appellate.cli.opening import (
    audit_files_of,
    foreign_files,
    labelled_files,
    open_audit,
    save,
    stem_of,
    table_map_of,
)
from appellate.cli.outcome import command, notes, say, show_lines
from appellate.core.problem import many, quoted
from appellate.session.workbench import Workbench
from appellate.store.files import atomic
from appellate.store.files.rubric_file import load_rubric
from appellate.store.files.text_file import opened, unusable
from appellate.traits.rubric import Rubric

ENDING = ".audit.toml"
LONGEST = 40
"""Letters of a person's name in the name of a file."""


def import_file(arguments: argparse.Namespace) -> None:
    """Make an audit of the files that are named, or with --dry-run show what it would hold.

    The files are another tool's. A rubric may be named before them, and their verdicts then label
    its traits. If several people ruled on the same cells, each gets an audit, and the command that
    compares them is said. If the files have an audit already, it is continued: traces that it lacks
    are added. If its file and workspace disagree, the person is asked at a terminal unless --take
    is given. The audit file is written, and it is said on standard error how many cells it holds
    and what comes next.

    With --dry-run the preview is printed on standard output, and nothing is made but the file of
    --write-map. Raises Unusable for files that are missing, cannot be read or are not another
    tool's, and for rows that cannot be used or a wrong --map. It is raised as well for --write-map
    without --dry-run or with a file that exists, and for --workspace if each person gets an audit.
    Raises Ended if printing fails, and with FAILED if an audit file cannot be written.
    """
    for path in arguments.paths:
        if not Path(path).exists():
            raise unusable(path, "there is no such file")
    paths = foreign_files(arguments.paths)
    rubric = None
    labelled = labelled_files(arguments)
    if labelled is not None:
        rubric = load_rubric(labelled[0])
        paths = labelled[1]
    if not paths:
        for path in filter(os.path.isfile, arguments.paths):
            with opened(path):  # raises if that is why nobody can tell
                pass
        right = "JSON, JSON Lines, CSV, TSV, Excel, Parquet, or an Inspect log"
        raise unusable(arguments.paths[0], "this is not a file of another tool", right)
    if arguments.dry_run:
        _preview_import(arguments, paths, rubric)
        return
    if arguments.write_map:
        raise unusable(
            "--write-map",
            "goes with --dry-run",
            "add --dry-run, or leave it out",
        )
    people = _sharing_people(arguments, paths)
    if people:
        _import_each_person(arguments, people)
        return
    audit = _import_audit(arguments)
    say(f"Next: {command('review', audit)}")


def _preview_import(
    arguments: argparse.Namespace,
    paths: list[Path],
    rubric: Rubric | None,
) -> None:
    """Print on standard output what would be imported; no audit is made.

    It is said on standard error which audits people who ruled on the same cells would get. With
    --skip-bad rows that cannot be used are left out. With --write-map the map is written into a new
    file, too. Raises Unusable for files that cannot be taken in, and, once all was printed, for a
    map's file that is there already or cannot be written. Raises OSError for a file that cannot be
    read, and Ended if printing fails.
    """
    from appellate.interop.taking_in import examined, preview

    examination = examined(
        paths,
        table_map_of(arguments),
        skip_bad=arguments.skip_bad,
        rubric=rubric,
    )
    show_lines([preview(examination)])
    people = _sharing_people(arguments, paths)
    audits = audits_of_people(audit_files_of(arguments).audit, people)
    for name, audit in zip(people, audits, strict=True):
        say(f"{name}: an audit of their own, {audit.name}")
    if arguments.write_map:
        _write_map(Path(arguments.write_map), examination.map_text)


def _import_each_person(arguments: argparse.Namespace, people: Sequence[str]) -> None:
    """Make or continue an audit of each person, and say how two of them are compared.

    What is said goes to standard error. If file and workspace of an audit disagree, the person is
    asked at a terminal unless --take is given. Raises Unusable if --workspace is given, and for
    files that cannot be used. Raises Ended with FAILED if an audit file cannot be written. Audits
    of earlier people stay then.
    """
    if arguments.workspace:
        wrong = f"is one file, and {many(len(people), 'person', 'people')} ruled on the same cells"
        raise unusable("--workspace", wrong, "leave it out")
    audits = audits_of_people(audit_files_of(arguments).audit, people)
    say(
        f"{many(len(people), 'person', 'people')} ruled on the same cells: an audit of each.",
    )
    for name, audit in zip(people, audits, strict=True):
        say(f"{name}:")
        options = {**vars(arguments), "audit": str(audit), "person": name}
        _import_audit(argparse.Namespace(**options))
    say(f"Next, of any two: {command('compare', *audits[:2])}")


def _sharing_people(arguments: argparse.Namespace, paths: list[Path]) -> list[str]:
    """Return the names of all people in the files if any two of them ruled on the same cell.

    They are in the order in which the files first name them. Else the list is empty. A plain table
    has several people only if the map names a column of them: without that it is not gone through,
    and the list is empty. Nothing is written. Raises Unusable for files that are not another tool's
    or have a wrong row, and for a wrong map. Raises OSError for a file that cannot be read.
    """
    from appellate.interop import recognise, tables
    from appellate.interop.taking_in import sharing_people

    table_map = table_map_of(arguments)
    file = recognise.read(paths, table_map)
    if file.form.startswith(tables.PLAIN) and not table_map.has_several_people:
        return []
    return sharing_people(file)


def _import_audit(arguments: argparse.Namespace) -> Path:
    """Make an audit or continue it, write it, say how many cells it holds, and return its path.

    Notes are said, too, one for each person whose name is that of a model; all on standard error.
    If file and workspace of an audit disagree, the person is asked at a terminal unless --take is
    given. Raises Unusable for files that cannot be used, and Ended with FAILED if the audit file
    cannot be written.
    """
    with open_audit(arguments, may_read=False) as opened:
        notes(opened.notes)
        save(Workbench(opened.workspace, opened.place.audit, ""))
        cells = many(opened.workspace.cells.count(), "cell")
        say(f"{opened.place.audit.name}: {cells}.")
        notes(
            map(
                _model_name_doubt,
                filter(is_named_like_model, opened.workspace.facts.reviewers()),
            ),
        )
        return opened.place.audit


def _model_name_doubt(name: str) -> str:
    """Return a sentence of doubt about a person whose `name` is that of a model or an agent.

    Their labels came in as a person's. The sentence says how to import them as a judge's.
    """
    return (
        f"{quoted(name)} is the name of a model or an agent, and the labels came in as a person's:"
        " if it is none, import that column as a judge's verdict."
    )


def _write_map(path: Path, text: str) -> None:
    """Write the text of a map into a new file, and say on standard error how it is used.

    Raises Unusable for a path where something is already, which somebody may have corrected, and
    for one that cannot be written.
    """
    if path.exists():
        raise unusable(str(path), "this file is there already", "choose another name")
    try:
        atomic.write(path, [text.encode()])
    except OSError as error:
        raise unusable(
            str(path),
            f"it cannot be written: {error.strerror or error}",
        ) from error
    say(
        f"{path}: the map. Correct it, then: appellate import … --map {quote(str(path))}",
    )


def audits_of_people(audit: Path, people: Sequence[str]) -> list[Path]:
    """Return the path of each person's audit, in their order, in the folder of `audit`.

    For x.audit.toml it is `x.anna.audit.toml`. In the name runs of anything but letters, digits,
    dots, `@`, `-` and `_` become one `-`. It is then cut to `LONGEST` letters and loses the `-` and
    dots at its ends; if nothing is left, it is "person". Names that would be alike are numbered
    from 2. Nothing is written.
    """
    stem = stem_of(audit)
    paths: list[Path] = []
    for name in people:
        short = re.sub(r"[^\w.@-]+", "-", name)[:LONGEST].strip("-.") or "person"
        path = audit.with_name(f"{stem}.{short}{ENDING}")
        number = 2
        while path in paths:
            path = audit.with_name(f"{stem}.{short}-{number}{ENDING}")
            number += 1
        paths.append(path)
    return paths
