"""A package of its own may read a format, and write it: by an entry point.

The package is the example of the manual.
"""

import sys
from pathlib import Path

import pytest
from foreign_files import counts, taken

from appellate.cli import main
from appellate.core.problem import Unusable
from appellate.interop import recognise
from appellate.session.workbench import Workbench
from manual_words import code_after

READER = code_after("<!-- reader -->", "other-tools")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package with such a reader."""
    folder = tmp_path / "site"
    info = folder / "notes_reader-1.dist-info"
    info.mkdir(parents=True)
    (folder / "notes_reader.py").write_text(READER, "utf-8")
    (info / "METADATA").write_text("Name: notes-reader\nVersion: 1\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[appellate.formats]\nnotes = notes_reader:READ\n",
        "utf-8",
    )
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    return folder


def test_its_reader_is_asked_first(package, tmp_path):
    path = Path(tmp_path / "x.csv")
    path.write_text("%notes\na|An answer|good|\nb|Another|bad|\n", "utf-8")
    with taken(tmp_path, path) as found:
        assert counts(found)[:2] == (2, 2)
        assert [known.trait.name for known in found.traits] == ["Good"]


def test_a_judges_and_a_persons_verdict_come_in(package, tmp_path):
    path = Path(tmp_path / "x.csv")
    path.write_text("%notes\na|An answer|good|bad\n", "utf-8")
    with taken(tmp_path, path) as found:
        cell = found.workspace.cell(1)[1]
        assert (cell.judge_labels.value, cell.labels.value) == (True, False)
        assert cell.signed.by == "ada"


def test_a_file_of_a_shape_of_its_own_is_asked_about(
    package,
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("notes_reader", None)
    Path("x.notes").write_text("%notes\na|An answer|good|bad\n", "utf-8")
    assert main(["check", "x.notes"]) == 0
    assert main(["import", "x.notes"]) == 0
    assert Path("x.audit.toml").exists()
    Path("other.notes").write_text("of nobody\n", "utf-8")
    assert main(["import", "other.notes"]) == 2
    assert "this is not a file of another tool" in capsys.readouterr().err


def test_what_people_ruled_goes_back_by_its_writer(
    package,
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("notes_reader", None)
    path = Path(tmp_path / "x.csv")
    path.write_text("%notes\na|An answer|good|\nb|Another|bad|\n", "utf-8")
    with taken(tmp_path, path) as found:
        bench = Workbench(found.workspace, tmp_path / "x.audit.toml", "ada")
        bench.sign_off(1)
        bench.save()
    assert main(["export", "x.audit.toml", "--to", "notes"]) == 0
    said = capsys.readouterr()
    assert said.out == "%notes\na|An answer|good|good\n"
    assert "1 ruled cell. Not in it: why, and when." in said.err
    monkeypatch.setattr("notes_reader.READ.lost", "")
    assert main(["export", "x.audit.toml", "--to", "notes"]) == 0
    assert capsys.readouterr().err == "1 ruled cell.\n"
    with pytest.raises(SystemExit) as ended:
        main(["export", "x.audit.toml", "--to", "nothing"])
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import nothing_of_the_kind", "ModuleNotFoundError: No module named"),
        ("READ = None", "AttributeError: 'NoneType' object has no attribute 'knows'"),
    ],
)
def test_one_that_fails_is_named_with_its_package(package, tmp_path, code, why):
    sys.modules.pop("notes_reader", None)
    (package / "notes_reader.py").write_text(code, "utf-8")
    path = tmp_path / "x.csv"
    path.write_text("id,response\n", "utf-8")
    with pytest.raises(Unusable) as raised:
        recognise.read([path])
    (problem,) = raised.value.problems
    assert problem.file == "package notes-reader"
    assert why in problem.wrong
    assert problem.right == "mend the package, or uninstall it"
