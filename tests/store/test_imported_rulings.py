"""A ruling that came in with a file keeps when it was made and what its importer claims."""

import tomllib

import pytest

from appellate import load_audit
from appellate.core.deciding import SignOff
from appellate.core.describe import describe
from appellate.core.problem import Unusable
from cells import bench, from_file_alone, place, proposal, trace

WHEN = "2025-03-01T10:00:00.000000Z"


@pytest.fixture
def made(tmp_path):
    """Three signed cells: claimed to be blind, imported without a claim, and signed off here."""
    with bench(tmp_path, trace("t1"), trace("t2"), trace("t3")) as at:
        for number in (1, 2, 3):
            at.receive(number, proposal())
        at.do(1, SignOff("0" * 64, said_at=WHEN, said_blind=True))
        at.do(2, SignOff("0" * 64, said_blind=False))
        at.do(3, SignOff("0" * 64))
        at.save()
        yield at


def test_the_claim_and_the_time_of_the_source_are_in_the_workspace_and_in_the_file(
    made,
    tmp_path,
):
    def claims(workspace):
        cells = [workspace.cell(number)[1] for number in (1, 2, 3)]
        return [(cell.is_imported, cell.is_claimed_blind) for cell in cells]

    expected = [(True, True), (True, False), (False, False)]
    assert claims(made.workspace) == expected
    with from_file_alone(made) as workspace:
        assert claims(workspace) == expected
        assert workspace.cell(1)[1].signed.what.said_at == WHEN
    document = tomllib.loads(place(tmp_path).audit.read_text("utf-8"))
    signed = [row["judgments"][0]["signed"] for row in document["traces"]]
    assert [one.get("said_at") for one in signed] == [WHEN, None, None]
    assert [one.get("said_blind") for one in signed] == [True, False, None]
    assert signed[0]["at"].isoformat() > WHEN


def test_an_imported_ruling_is_no_blind_verdict(made):
    assert not made.workspace.cell(1)[1].ruled_blind


def test_its_words_say_where_it_came_from(made):
    cells = [made.workspace.cell(number)[1] for number in (1, 2, 3)]
    assert [describe(cell, cell.signed) for cell in cells] == [
        f"signed off (imported, made {WHEN}, blind by the importer's claim)",
        "signed off (imported)",
        "signed off",
    ]


@pytest.mark.parametrize(
    "line",
    ['said_blind = "yes"', "said_at = 2025-03-01T10:00:00Z"],
)
def test_a_file_with_a_claim_of_another_type_is_refused(made, tmp_path, line):
    path = place(tmp_path).audit
    key = line.partition(" ")[0]
    lines = path.read_text("utf-8").splitlines()
    changed = [line if one.startswith(f"{key} = ") else one for one in lines]
    path.write_text("\n".join(changed), "utf-8")
    assert changed != lines
    with pytest.raises(Unusable):
        load_audit(path)
