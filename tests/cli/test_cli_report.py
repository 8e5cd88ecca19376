"""`appellate report`: which form, where to, and what it will not write over."""

from pathlib import Path

import pytest

from appellate.core.deciding import Receive
from cells import bench, place, proposal


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


REPORT, DATA = "<!-- appellate-report/2 -->", '{\n  "format": "appellate-report/2"'


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        ("-o r.md", REPORT),
        ("-o r.html", "<!doctype html>"),
        ("-o r.HTM", "<!doctype html>"),
        ("-o r.json", DATA),
        ("-o r.csv", "trace,epoch,trait"),
        ("-o r", REPORT),
        ("-o r.txt --format json", DATA),
        ("-o r.html --format json", DATA),
        ("-o notes.md --force", REPORT),
    ],
)
def test_the_ending_tells_the_form_and_what_is_asked_for_goes_before_it(
    audit,
    cli,
    options,
    begins,
):
    Path("notes.md").write_text("mine")
    told = cli(f"report x.audit.toml {options}")
    assert Path(options.split()[1]).read_text().startswith(begins)
    contrary = "r.html: this is json, as --format says, whatever the ending .html tells"
    assert (contrary in told.err) == (options == "-o r.html --format json")
    assert told.out == ""


def test_a_hyphen_is_standard_output(audit, cli):
    assert cli("report x.audit.toml --format csv -o -").out.startswith("trace,epoch")
    assert not Path("-").exists()


@pytest.mark.parametrize("name", ["r.md", "r.html", "r.json", "r.csv"])
def test_a_report_is_written_over_by_a_report_of_any_form(audit, cli, name):
    for form in ("md", "html", "json", "csv"):
        written = cli(f"report x.audit.toml --format {form} -o {name}").err
        assert f"Wrote {name}: the report of x.audit.toml as " in written


def test_a_report_of_an_older_version_is_written_over_too(audit, cli):
    head = "trace,epoch,trait,question_id,model,judged_by,round,state"
    Path("r.csv").write_text(f"{head},flagged,signed_by\n")
    cli("report x.audit.toml -o r.csv")
    assert Path("r.csv").read_text().startswith(f"{head},signed")


FORMS = "name it .md, .html, .json, .csv, or choose with --format"
OURS = "the audit that the report is about"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("-o r.pdf", f'r.pdf: a report cannot be written as ".pdf"; {FORMS}'),
        ("-o r.docx", f'r.docx: a report cannot be written as ".docx"; {FORMS}'),
        ("-o r.md.txt", f'r.md.txt: a report cannot be written as ".txt"; {FORMS}'),
        ("-o nowhere/r.md", "there is no folder nowhere; make it first"),
        ("-o .", "this is a folder; name a file in it"),
        ("-o /dev/null", "this is not a file; leave -o out to print the report"),
        (
            "-o notes.md",
            "notes.md: there is a file of this name, and it is not a report; --force",
        ),
        ("-o x.audit.toml --force", OURS),
        ("-o x.audit.db --force", OURS),
        ("-o link.md --force", OURS),
        (
            "-o y.audit.toml --force",
            "y.audit.toml: this is an audit; name another file",
        ),
    ],
)
def test_where_no_report_can_be_it_is_told_and_nothing_is_written(
    audit,
    cli,
    options,
    told,
):
    Path("notes.md").write_text("mine")
    Path("link.md").symlink_to(audit)
    Path("y.audit.toml").write_bytes(audit.read_bytes())

    def files():
        return {path.name: path.read_bytes() for path in audit.parent.iterdir()}

    before = files()
    assert told in cli(f"report x.audit.toml {options}", code=2).err
    assert files() == before


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
