"""The shipped folders are found in a wheel and in a checkout, and nowhere that they do not belong."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from appellate import resources
from appellate.core.problem import Unusable

ROOT = Path(__file__).resolve().parents[1]


def package_in(folder: Path) -> Path:
    package = folder / "appellate"
    package.mkdir(parents=True)
    return package


def test_a_checkout_has_the_folders_beside_src(tmp_path: Path):
    package = package_in(tmp_path / "src")
    (tmp_path / "themes").mkdir()
    assert resources.shipped("themes", package) == tmp_path / "themes"


def test_a_wheel_has_the_folders_inside_the_package(tmp_path: Path):
    package = package_in(tmp_path / "site-packages")
    (package / "_themes").mkdir()
    assert resources.shipped("themes", package) == package / "_themes"


def test_a_wheel_goes_before_whatever_lies_beside(tmp_path: Path):
    package = package_in(tmp_path / "src")
    (package / "_themes").mkdir()
    (tmp_path / "themes").mkdir()
    assert resources.shipped("themes", package) == package / "_themes"


def test_a_folder_of_that_name_near_an_installed_package_is_a_stranger(tmp_path: Path):
    package = package_in(tmp_path / "lib" / "site-packages")
    (tmp_path / "lib" / "themes").mkdir()
    with pytest.raises(Unusable):
        resources.shipped("themes", package)


def test_a_file_is_no_folder(tmp_path: Path):
    package = package_in(tmp_path / "src")
    (tmp_path / "themes").write_text("not a folder")
    with pytest.raises(Unusable):
        resources.shipped("themes", package)


def test_where_nothing_was_shipped_the_error_says_where_it_looked(tmp_path: Path):
    package = package_in(tmp_path / "src")
    with pytest.raises(Unusable) as refusal:
        resources.shipped("sample_rubrics", package)
    told = str(refusal.value)
    assert str(package / "_sample_rubrics") in told
    assert str(tmp_path / "sample_rubrics") in told
    assert "install Appellate again" in told


def test_this_installation_has_both_folders():
    assert (resources.themes() / "dark.toml").is_file()
    assert (resources.shipped("sample_rubrics") / "bcl2.rubric.toml").is_file()


def test_the_built_wheel_holds_both_folders(tmp_path: Path):
    pytest.importorskip(
        "hatchling", reason="building a wheel needs hatchling, which is not installed"
    )
    target = ["-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    built = subprocess.run(
        [sys.executable, *target], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    for folder in ("themes", "sample_rubrics"):
        expected = {f"appellate/_{folder}/{path.name}" for path in (ROOT / folder).glob("*.toml")}
        assert expected
        assert expected <= names
