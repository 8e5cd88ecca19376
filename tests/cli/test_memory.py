"""An audit file of 10,000 traces is read in 250 MiB, whatever is done with it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from appellate.core.deciding import Flag
from cells import RESPONSE, bench, place, proposal, trace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux",
        reason="only Linux bounds what memory is used",
    ),
]
MIB = 1 << 20
TRACES = 10_000
WITHIN = """
import resource, sys
resource.setrlimit(getattr(resource, sys.argv[1]), (int(sys.argv[2]), int(sys.argv[2])))
from appellate.cli import main
sys.exit(main(sys.argv[3:]))
"""


def ended(limit: str, most: int, *words: str) -> subprocess.CompletedProcess[str]:
    """A command that ran with a limit of the system, such as RLIMIT_DATA, of so many bytes."""
    program = [sys.executable, "-c", WITHIN, limit, str(most), *words]
    return subprocess.run(program, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """The file alone of an audit whose every response is long, and judged, and signed off."""
    folder = tmp_path_factory.mktemp("large")
    with bench(folder, trace("t0", RESPONSE + " It says more." * 50)) as at:
        at.receive(1, proposal())
        at.do(1, Flag(on=True))
        at.sign_off(1)
        at.save()
    place(folder).workspace.unlink()
    head, _, part = place(folder).audit.read_text("utf-8").partition("\n[[traces]]\n")
    numbers = re.findall(r"^n = (\d+)$", part, re.MULTILINE)
    assert len(numbers) == 3
    path = folder / "large.audit.toml"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(head)
        for number in range(TRACES):
            text = part.replace('"t0"', f'"t{number}"')
            text = re.sub(
                r"^n = (\d+)$",
                lambda found, by=3 * number: f"n = {int(found[1]) + by}",
                text,
                flags=re.MULTILINE,
            )
            file.write(f"\n[[traces]]\n{text}")
    assert path.stat().st_size > 30 * MIB
    return path


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("metrics", "10,000 of 10,000"),
        ("check", "10,000 traces"),
        ("gate", "random sample"),
    ],
)
def test_a_large_audit_file_is_read_within_250_mib(large, tmp_path, command, said):
    (tmp_path / large.name).hardlink_to(large)  # `gate` makes a workspace beside it
    words = [command, str(tmp_path / large.name)]
    if command == "gate":
        words.append("f1>=.5")
    done = ended("RLIMIT_DATA", 250 * MIB, *words)
    assert "MemoryError" not in done.stderr
    assert said in done.stdout + done.stderr


def test_a_file_that_has_no_room_among_temporary_files_is_told(tmp_path):
    with bench(tmp_path, trace("t0", "It says more. " * 30_000)) as at:
        at.do(1, Flag(on=True))
        at.save()
    place(tmp_path).workspace.unlink()
    head, _, part = place(tmp_path).audit.read_text("utf-8").partition("\n[[traces]]\n")
    before_judgments = part.partition("\n[[traces.judgments]]")[0]
    parts = [head]
    for number in range(200):
        parts.append(before_judgments.replace('"t0"', f'"t{number}"') + "\n")
    place(tmp_path).audit.write_text("\n[[traces]]\n".join(parts), "utf-8")
    done = ended("RLIMIT_FSIZE", 0, "log", str(place(tmp_path).audit))
    assert "does not fit into a temporary file: the disk refuses" in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize("to", ["csv", "rows"])
def test_an_export_of_many_rows_takes_no_more_memory_than_one_of_few(
    tmp_path,
    monkeypatch,
    to,
):
    monkeypatch.chdir(tmp_path)
    rows = [
        f'{{"id": "t{n}", "response": "{"It is so. " * 50}", "good": "yes"}}'
        for n in range(9999)
    ]
    Path("a.jsonl").write_text("\n".join(rows), "utf-8")
    mapped = "verdict.Good=good,person.Good=good"
    most = 1 << 40
    assert (
        ended("RLIMIT_DATA", most, "import", "a.jsonl", "--map", mapped).returncode == 0
    )
    done = ended(
        "RLIMIT_DATA",
        60 * MIB,
        "export",
        "a.audit.toml",
        "--to",
        to,
        "-o",
        "out",
    )
    assert done.returncode == 0, done.stderr
    assert "9,999 ruled cells" in done.stderr
