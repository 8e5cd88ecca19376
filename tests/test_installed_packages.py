"""What installed packages add is found wherever Python finds packages, and only looked for if named."""

import sys
import zipfile
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from appellate.installed import entry_points

POINTS = "[appellate.kinds]\nmine = mine.kinds\n"
METADATA = "Metadata-Version: 2.1\nName: mine\nVersion: 1\n"


def names(group):
    return [point.name for point in entry_points(group)]


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Whatever is put on the path there is no other package on."""

    def put(folder):
        monkeypatch.setattr(sys, "path", [str(folder)])
        monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
        return folder

    return put


@pytest.mark.parametrize("suffix", [".dist-info", ".egg-info"])
def test_a_package_that_names_a_group_is_found_for_this_group_alone(
    tmp_path,
    path,
    suffix,
):
    info = path(tmp_path) / f"mine-1{suffix}"
    info.mkdir()
    (info / ("METADATA" if suffix == ".dist-info" else "PKG-INFO")).write_text(
        METADATA,
        "utf-8",
    )
    assert names("appellate.kinds") == []
    (info / "entry_points.txt").write_text(POINTS, "utf-8")
    assert names("appellate.kinds") == ["mine"]
    assert names("appellate.formats") == []


def test_a_package_in_an_archive_is_found(tmp_path, path):
    archive = tmp_path / "mine.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("mine-1.dist-info/METADATA", METADATA)
        file.writestr("mine-1.dist-info/entry_points.txt", POINTS)
    path(archive)
    assert names("appellate.kinds") == ["mine"]


def test_a_package_that_another_finder_knows_is_found(tmp_path, path):
    path(tmp_path / "gone")
    assert names("appellate.kinds") == []

    class Point:
        name = "mine"

    point = EntryPoint("mine", "mine.kinds", "appellate.kinds")
    package = SimpleNamespace(
        metadata={"Name": "mine"},
        _normalized_name="mine",
        entry_points=[point],
    )

    class Finder:
        @staticmethod
        def find_spec(*_):
            return None

        @staticmethod
        def find_distributions(_context):
            return [package]

    sys.meta_path.append(Finder)
    assert names("appellate.kinds") == ["mine"]
