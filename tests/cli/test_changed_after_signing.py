"""What was changed after a person signed off is told by every command that reads an audit."""

import json

import pytest

from appellate.cli import main
from cells import RESPONSE, bench, proposal, trace
from sampled import order_of, sampled


@pytest.fixture
def tell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def told(*arguments):
        code = main(list(arguments))
        out, err = capsys.readouterr()
        return code, " ".join(out.split()), " ".join(err.split())

    return told


@pytest.fixture
def edited(tmp_path):
    """An audit of one signed cell, whose reference was then changed by hand in the file."""
    with bench(tmp_path, trace("bcl2", reference="18q21")) as at:
        at.receive(1, proposal())
        at.sign_off(1, 2.0)
        at.save()
        text = at.audit.read_text(encoding="utf-8")
    (tmp_path / "x.audit.db").unlink()
    (tmp_path / "x.audit.toml").write_text(
        text.replace("18q21", "8q24"),
        encoding="utf-8",
    )


SAID = "the reference was changed after ada signed it off"


def test_check_names_the_cell_and_what_was_changed(edited, tell):
    code, out, _ = tell("check", "x.audit.toml")
    assert code == 0
    assert f"x.audit.toml: bcl2 · Accuracy: {SAID}; put that back" in out


def test_check_refuses_a_response_that_is_not_the_one_that_was_judged(
    tmp_path,
    edited,
    tell,
):
    path = tmp_path / "x.audit.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace(f'"{RESPONSE}"', f'"{RESPONSE} Yes."', 1),
        encoding="utf-8",
    )
    code, _, err = tell("check", "x.audit.toml")
    assert code == 2
    assert "the response was changed after it was judged" in err


def test_the_log_says_that_the_sign_off_does_not_count(edited, tell):
    _, out, _ = tell("log", "x.audit.toml")
    assert "signed off [does not count: the reference was changed since]" in out


def test_metrics_count_no_such_cell_and_say_so(edited, tell):
    _, out, err = tell("metrics", "x.audit.toml", "--all")
    assert "Accuracy 0 of 1 cells signed off" in out
    assert (
        f"1 sign-off or ruling does not count any more: bcl2 · Accuracy ({SAID})."
        in err
    )
    _, out, _ = tell("metrics", "x.audit.toml", "--json")
    (row,) = json.loads(out)["unsettled"]
    assert row == {"trace": "bcl2", "epoch": 1, "trait": "Accuracy", "changed": SAID}


def test_the_report_lists_it(edited, tell):
    _, out, _ = tell("report", "x.audit.toml")
    assert "Changed after it was read" in out
    assert SAID in out


def test_a_review_in_lines_says_it_of_the_cell(edited, tell):
    code, out, err = tell("review", "x.audit.toml", "--lines")
    assert code == 0
    assert "1 sign-off does not count any more" in out + err
    assert SAID in out


def test_a_gate_does_not_count_rulings_over_what_was_changed_and_names_them(
    tmp_path,
    tell,
):
    with sampled(tmp_path, 60, 40, ruled=40) as at:
        at.save()
        third = f"t{order_of(at)[2]}"
        text = at.audit.read_text(encoding="utf-8")
    (tmp_path / "x.audit.db").unlink()
    start = f'id = "{third}"\nepoch = 1\n'
    changed = text.replace(start, f'{start}reference = "8q24"\n')
    (tmp_path / "x.audit.toml").write_text(changed, encoding="utf-8")
    said = f"{third} · Polite: the reference was changed after ada ruled on it"
    code, out, _ = tell("gate", "x.audit.toml", "Polite:yes>=.2")
    assert code == 3
    assert "2 cells of the sample do not count: " in out
    assert said in out
    made = json.loads(tell("gate", "x.audit.toml", "Polite:yes>=.2", "--json")[1])
    assert said in made["sample"]["unsettled"]
    assert (
        "39 of 40 are ruled on. 1 other does not count"
        in tell("sample", "x.audit.toml")[1]
    )
    out = tell("metrics", "x.audit.toml", "--all")[1]
    assert "2 cells of the sample do not count: " in out
    assert "Number 3 of the draw was passed over" in out
    assert "2 cells of the sample do not count: " in tell("report", "x.audit.toml")[1]
