"""A workspace of which the first cell cannot be read ends the program with a sentence."""

import sqlite3
from contextlib import closing

from review_stage import NARROW, NOBODY, bcl2, played

from appellate.app.application import AppellateApp
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import create
from cells import place


async def test_the_program_ends_and_says_what_is_wrong_and_what_to_do(tmp_path):
    of, traces, happened = bcl2()
    opened = create(place(tmp_path), of, traces, "0.1.0")
    played(opened.workspace, tmp_path, happened)
    with opened.workspace as workspace:
        with closing(sqlite3.connect(workspace.path)) as other:
            other.execute("DROP TABLE drawn")
        program = AppellateApp(
            Workbench(workspace, place(tmp_path).audit, "ada"),
            NOBODY,
        )
        async with program.run_test(size=NARROW) as pilot:
            await pilot.pause()
        assert program.return_code == 1
        (told,) = program.parting
        assert told.startswith(
            f"{workspace.path} cannot be read: no such table: drawn.",
        )
        assert "the audit file makes a new one" in told
