"""The shipped folders are found in a wheel and in a checkout, and nowhere that they do not belong."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from appellate import installed
from appellate.core.problem import Unusable

ROOT = Path(__file__).resolve().parents[1]


def package_in(folder: Path) -> Path:
    package = folder / "appellate"
    package.mkdir(parents=True)
    return package


INSIDE = "site-packages/appellate/_themes"


@pytest.mark.parametrize(
    ("parent", "folders", "found"),
    [
        ("src", ["themes"], "themes"),
        ("site-packages", [INSIDE], INSIDE),
        ("src", ["src/appellate/_themes", "themes"], "src/appellate/_themes"),
    ],
    ids=["checkout", "wheel", "both"],
)
def test_a_folder_is_inside_the_package_or_else_beside_src(
    tmp_path,
    parent,
    folders,
    found,
):
    package = package_in(tmp_path / parent)
    for folder in folders:
        (tmp_path / folder).mkdir()
    assert installed.shipped("themes", package) == tmp_path / found


def test_a_folder_of_that_name_near_an_installed_package_is_a_stranger_and_a_file_is_none(
    tmp_path,
):
    (tmp_path / "themes").write_text("not a folder")
    (tmp_path / "lib" / "themes").mkdir(parents=True)
    for parent in ("src", "lib/site-packages"):
        with pytest.raises(Unusable):
            installed.shipped("themes", package_in(tmp_path / parent))


def test_where_nothing_was_shipped_the_error_says_where_it_looked(tmp_path: Path):
    package = package_in(tmp_path / "src")
    with pytest.raises(Unusable) as refusal:
        installed.shipped("sample_rubrics", package)
    told = str(refusal.value)
    assert str(package / "_sample_rubrics") in told
    assert str(tmp_path / "sample_rubrics") in told
    assert "install Appellate again" in told


def test_this_installation_has_both_folders():
    assert (installed.themes() / "dark.toml").is_file()
    assert (installed.shipped("sample_rubrics") / "bcl2.rubric.toml").is_file()


def test_the_built_wheel_holds_both_folders(tmp_path: Path):
    pytest.importorskip(
        "hatchling",
        reason="building a wheel needs hatchling, which is not installed",
    )
    target = ["-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    built = subprocess.run(
        [sys.executable, *target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    for folder in ("themes", "sample_rubrics"):
        expected = {
            f"appellate/_{folder}/{path.name}"
            for path in (ROOT / folder).glob("*.toml")
        }
        assert expected
        assert expected <= names
