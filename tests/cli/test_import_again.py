"""What comes to an audit of a table later is held against the map that it was made with."""

from pathlib import Path

import pytest

from appellate.store.audits.audit import load_audit

AUDIT = Path("x.audit.toml")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The folder of the test, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def values():
    return [
        cell.cell.labels and cell.cell.labels.value for cell in load_audit(AUDIT).cells
    ]


def write(*rows):
    Path("t.csv").write_text("\n".join(["id,response,judge", *rows]) + "\n", "utf-8")


def test_a_new_value_inside_the_map_comes_in_without_saying_the_map_again(cli):
    write("1,a,good", "2,b,poor")
    cli("import t.csv -o x.audit.toml --map verdict.V=judge,positive.V=good")
    write("1,a,good", "2,b,poor", "3,c,Good", "4,d,odd")
    cli("import t.csv -o x.audit.toml")
    assert values() == [True, False, True, None]


def test_numbers_beyond_those_seen_come_in(cli):
    write("1,a,3", "2,b,4")
    cli("import t.csv -o x.audit.toml --map verdict.V=judge")
    write("1,a,3", "2,b,4", "3,c,70")
    assert "1 new trace added" in cli("import t.csv -o x.audit.toml").err


def test_a_class_that_is_new_fails_its_cell_and_refuses_nothing(cli):
    write("1,a,formal", "2,b,casual")
    cli("import t.csv -o x.audit.toml --map verdict.V=judge")
    write("1,a,formal", "2,b,casual", "3,c,rude", "4,d,formal")
    cli("import t.csv -o x.audit.toml --map verdict.V=judge")
    assert values() == [1, 0, None, 1]


def test_a_map_that_says_otherwise_is_refused(cli):
    write("1,a,good", "2,b,poor")
    cli("import t.csv -o x.audit.toml --map verdict.V=judge,positive.V=good")
    write("1,a,good", "2,b,poor", "3,c,good")
    wrong = cli(
        "import t.csv -o x.audit.toml --map verdict.V=judge,positive.V=poor",
        code=2,
    ).err
    assert "positive.V is not what this audit was made with" in wrong
