import re
import resource
import sys

import pytest

from appellate.cli.arguments import parser
from appellate.cli.demo import WELCOME, _open_for_review
from appellate.core.problem import Unusable
from appellate.session.workbench import Position, Workbench
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.cell_names import cell_called
from appellate.store.database import NotKept
from appellate.store.workspace import Workspace
from demo_workspace import READY, content, make
from manual_tables import subcommands


def test_what_the_demo_copies_is_what_the_samples_make_today(tmp_path):
    made = list(content(make(tmp_path)))
    assert made == list(content(READY)), "run: python tests/demo_workspace.py"


def test_the_cells_that_help_names_are_cells_of_the_demo(tmp_path):
    options = subcommands(parser())["review"]._option_string_actions
    names = re.findall(r"bcl2-2[^ ,']*(?: [^,']+(?='))?", options["--at"].help)
    assert len(names) == 2
    opened = _open_for_review(AuditFiles.of(tmp_path / "demo.audit.toml"))
    with opened.workspace as workspace:
        for name in names:
            assert cell_called(workspace, name)


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="limits of file sizes are Linux's here",
)
def test_a_demo_that_a_full_disk_stopped_can_be_opened_once_there_is_room(tmp_path):
    files = AuditFiles.of(tmp_path / "demo.audit.toml")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(Unusable):
            _open_for_review(files)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with _open_for_review(files).workspace as workspace:
        assert cell_called(workspace, "1")


def test_the_demo_leads_round_only_when_asked():
    assert not parser().parse_args(["demo"]).tour
    assert parser().parse_args(["demo", "--tour"]).tour


def test_a_tour_begins_where_the_demo_does_and_does_its_own_talking(tmp_path):
    place = AuditFiles.of(tmp_path / "demo.audit.toml")
    opened = _open_for_review(place)
    with opened.workspace:
        bench = Workbench(opened.workspace, place.audit, "ada")
        first = bench.position()
        bench.keep_position(Position(first.cell + 3, "fp", 1))
        assert WELCOME in opened.notes
    opened = _open_for_review(place, "ada")
    with opened.workspace:
        assert Workbench(opened.workspace, place.audit, "ada").position() == first
        assert opened.workspace.cells.row(first.cell).trait == "BCL2 Accuracy"
        assert WELCOME not in opened.notes


def test_a_tour_that_cannot_be_saved_leaves_no_workspace_open(tmp_path, monkeypatch):
    place = AuditFiles.of(tmp_path / "demo.audit.toml")
    _open_for_review(place).workspace.close()

    def refuse(*_):
        raise NotKept("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Workspace, "set_meta", refuse)
        with pytest.raises(NotKept):
            _open_for_review(place, "ada")
    with _open_for_review(place, "ada").workspace as workspace:
        assert not workspace.readonly


@pytest.mark.parametrize(
    ("name", "told"),
    [("file", "file: this is a file; name a folder"), ("file/x", "cannot be used")],
)
def test_a_folder_that_can_be_none_is_told(tmp_path, monkeypatch, cli, name, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    assert told in cli("demo --folder", name, code=2).err
    assert (tmp_path / "file").read_text() == "mine"
