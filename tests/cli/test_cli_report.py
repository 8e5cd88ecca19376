"""`appellate report`: which form, where to, and what it will not write over."""

import json
from pathlib import Path

import pytest

from appellate.cli import main
from appellate.core.deciding import Receive
from cells import bench, place, proposal, said


@pytest.fixture
def audit(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with bench(tmp_path) as desk:
        desk.do(1, Receive(proposal()))
        desk.save()
    return place(tmp_path).audit


def test_markdown_goes_to_standard_output_by_default(audit, cli):
    told = cli("report x.audit.toml")
    assert told.out.startswith("<!-- appellate-report/2 -->\n\n# Audit of BCL2\n")
    assert told.err == ""


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("r.md", "<!-- appellate-report/2 -->"),
        ("r.html", "<!doctype html>"),
        ("r.HTM", "<!doctype html>"),
        ("r.json", '{\n  "format": "appellate-report/2"'),
        ("r.csv", "trace,epoch,trait"),
        ("r", "<!-- appellate-report/2 -->"),
    ],
)
def test_the_ending_tells_the_form(audit, capsys, name, begins):
    assert main(["report", "x.audit.toml", "-o", name]) == 0
    assert Path(name).read_text().startswith(begins)
    assert capsys.readouterr().out == ""


def test_the_form_asked_for_goes_before_the_ending(audit):
    assert main(["report", "x.audit.toml", "--format", "json", "-o", "r.txt"]) == 0
    assert json.loads(Path("r.txt").read_text())["format"] == "appellate-report/2"


@pytest.mark.parametrize("name", ["r.pdf", "r.docx", "r.md.txt"])
def test_an_ending_that_no_report_has_is_refused_with_those_there_are(audit, capsys, name):
    assert main(["report", "x.audit.toml", "-o", name]) == 2
    ending = Path(name).suffix
    told = f'no report is written as "{ending}"; name it .md, .html, .json, .csv, or choose with --format'
    assert f"{name}: {told}" in capsys.readouterr().err
    assert not Path(name).exists()


def test_a_form_that_contradicts_the_ending_is_written_as_asked_and_said(audit, cli):
    assert (
        "r.html: this is json, as --format says, whatever the ending .html tells"
        in cli("report x.audit.toml --format json -o r.html").err
    )
    assert json.loads(Path("r.html").read_text())["format"] == "appellate-report/2"


def test_a_hyphen_is_standard_output(audit, cli):
    assert cli("report x.audit.toml --format csv -o -").out.startswith("trace,epoch")
    assert not Path("-").exists()


@pytest.mark.parametrize("name", ["r.md", "r.html", "r.json", "r.csv"])
def test_a_report_is_written_over_by_a_report_of_any_form(audit, name):
    for form in ("md", "html", "json", "csv"):
        assert main(["report", "x.audit.toml", "--format", form, "-o", name]) == 0


def test_a_report_of_an_older_version_is_written_over_too(audit):
    head = "trace,epoch,trait,question_id,model,judged_by,round,state,flagged,signed_by"
    Path("r.csv").write_text(f"{head}\n")
    assert main(["report", "x.audit.toml", "-o", "r.csv"]) == 0
    assert (
        Path("r.csv")
        .read_text()
        .startswith("trace,epoch,trait,question_id,model,judged_by,round,state,signed")
    )


def test_another_file_is_left_alone_unless_forced(audit, capsys):
    Path("notes.md").write_text("mine")
    assert main(["report", "x.audit.toml", "-o", "notes.md"]) == 2
    assert Path("notes.md").read_text() == "mine"
    assert (
        "notes.md: there is a file of this name, and it is no report; --force"
        in capsys.readouterr().err
    )
    assert main(["report", "x.audit.toml", "-o", "notes.md", "--force"]) == 0
    assert Path("notes.md").read_text().startswith("<!-- appellate-report/2 -->")


@pytest.mark.parametrize("name", ["x.audit.toml", "x.audit.db", "link.md"])
def test_the_audit_and_its_workspace_are_never_written_over(audit, capsys, name):
    Path("link.md").symlink_to(audit)
    before = Path(name).read_bytes()
    assert main(["report", "x.audit.toml", "-o", name, "--force"]) == 2
    assert Path(name).read_bytes() == before
    assert "the audit that the report is about" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("nowhere/r.md", "there is no folder nowhere; make it first"),
        (".", "this is a folder; name a file in it"),
        ("/dev/null", "this is not a file; leave -o out to print the report"),
    ],
)
def test_a_place_where_no_report_can_be_is_told(audit, cli, path, told):
    assert told in cli("report x.audit.toml -o", path, code=2).err


@pytest.mark.parametrize("name", ["missing.toml", "broken.toml", "other.toml"])
def test_what_is_no_audit_is_a_sentence(audit, cli, name):
    Path("broken.toml").write_text("x = = 1")
    Path("other.toml").write_text("x = 1")
    told = cli("report", name, "-o", "r.md", code=2).err
    assert told.startswith(name)
    assert "Traceback" not in told
    assert not Path("r.md").exists()


def test_a_disk_that_refuses_is_told(audit, cli, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    assert (
        "r.md could not be written: No space left on device"
        in cli("report x.audit.toml -o r.md", code=1).err
    )
    assert not Path("r.md").exists()


def test_a_report_needs_no_screen_and_no_model(audit):
    code = "import json, sys; from appellate.cli import main; main(['report', sys.argv[1], '-o', 'r.html']);"
    loaded = said(code + "print(json.dumps(sorted(sys.modules)))", audit)
    assert not set(loaded) & {"textual", "rich", "openai"}
