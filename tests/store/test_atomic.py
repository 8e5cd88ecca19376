"""A file is written whole or not at all."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from appellate.store.files import atomic
from cells import said

FULL_DISK = """
import json, resource, sys
from pathlib import Path
from appellate.store.files import atomic
path = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    atomic.write(path, [b"x" * 600] * 3)
    told = ""
except OSError as error:
    told = error.strerror
print(json.dumps([told, path.read_text(), sorted(p.name for p in path.parent.iterdir())]))
"""


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def calls(monkeypatch) -> list[tuple[str, str]]:
    """What is asked of the system, in order: whose words are to be on the disk, which name becomes which."""
    recorded = []
    sync, rename = os.fsync, os.replace

    def fsync(handle):
        recorded.append(("sync", Path(f"/proc/self/fd/{handle}").resolve().name))
        sync(handle)

    def replace(old, new):
        recorded.append(("rename", Path(new).name))
        rename(old, new)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    return recorded


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="names of open files are asked of /proc",
)
@pytest.mark.parametrize("links", [True, False])
def test_words_are_on_the_disk_before_their_name_and_the_name_before_it_is_done(
    tmp_path,
    calls,
    monkeypatch,
    links,
):
    def unable(*_: object) -> None:
        raise OSError("no hard links here")

    if not links:
        monkeypatch.setattr(os, "link", unable)
    path = tmp_path / "a.toml"
    atomic.write(path, [b"1"])
    (words, temporary), name, folder = calls
    assert (words, temporary.startswith(".a.toml.")) == ("sync", True)
    assert name == ("rename", "a.toml")
    assert folder == ("sync", tmp_path.name)
    calls.clear()
    atomic.write(path, [b"2"])
    kinds = [
        kind if kind == "rename" else name.partition(".tmp")[0] for kind, name in calls
    ]
    backup_is_synced = [] if links else ["a.toml.bak"]
    assert kinds[1:] == [*backup_is_synced, "rename", "rename", tmp_path.name]
    assert [name for kind, name in calls if kind == "rename"] == [
        "a.toml.bak",
        "a.toml",
    ]


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="names of open files are asked of /proc",
)
def test_folders_that_are_made_are_on_the_disk_up_to_the_first_that_was_there(
    tmp_path,
    calls,
):
    folder = tmp_path / "a" / "b"
    atomic.make_folder(folder, parents=True)
    assert folder.is_dir()
    assert calls == [("sync", "a"), ("sync", tmp_path.name)]
    calls.clear()
    atomic.make_folder(folder)
    assert calls == []


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="names of open files are asked of /proc",
)
def test_what_another_writer_wrote_is_on_the_disk_before_it_takes_its_place(
    tmp_path,
    calls,
):
    path = tmp_path / "log.json"
    path.write_bytes(b"old")
    path.chmod(0o644)
    with atomic.replacing(path) as beside:
        assert beside.suffix == ".json"
        beside.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert [kind for kind, _ in calls] == ["sync", "rename", "sync"]
    assert calls[1:] == [("rename", "log.json"), ("sync", tmp_path.name)]
    assert (path.read_bytes(), mode(path)) == (b"new", 0o644)


def test_another_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "log.json"
    path.write_bytes(b"old")

    def write_half() -> None:
        with atomic.replacing(path) as beside:
            beside.write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["log.json"]


@pytest.fixture
def folders_fail_with(monkeypatch):
    """Has every sync of a folder fail with the number of an error."""
    sync = os.fsync

    def fail(number):
        def fsync(handle):
            if stat.S_ISDIR(os.fstat(handle).st_mode):
                raise OSError(number, os.strerror(number))
            sync(handle)

        monkeypatch.setattr(os, "fsync", fsync)

    return fail


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_name_that_the_disk_did_not_take_is_not_told_as_written(
    tmp_path,
    folders_fail_with,
    number,
):
    folders_fail_with(number)
    with pytest.raises(OSError, match=os.strerror(number)):
        atomic.write(tmp_path / "a.toml", [b"1"])


def test_a_system_that_syncs_no_folders_keeps_nobody_from_writing(
    tmp_path,
    folders_fail_with,
):
    folders_fail_with(errno.EINVAL)
    atomic.write(tmp_path / "a.toml", [b"1"])
    assert names(tmp_path) == ["a.toml"]


def test_a_file_is_written_whole_and_private(tmp_path):
    path = tmp_path / "a.toml"
    atomic.write(path, [b"one", b"two"])
    assert path.read_bytes() == b"onetwo"
    assert mode(path) == 0o600
    assert names(tmp_path) == ["a.toml"]


def test_the_previous_file_is_kept_once(tmp_path):
    path = tmp_path / "a.toml"
    for text in (b"1", b"2", b"3"):
        atomic.write(path, [text])
    assert path.read_bytes() == b"3"
    assert (tmp_path / "a.toml.bak").read_bytes() == b"2"
    assert mode(tmp_path / "a.toml.bak") == 0o600
    assert names(tmp_path) == ["a.toml", "a.toml.bak"]


def test_a_file_that_others_may_read_stays_so(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b"old")
    path.chmod(0o644)
    atomic.write(path, [b"new"])
    assert mode(path) == 0o644


def test_where_files_have_one_name_only_the_backup_is_a_private_copy(
    tmp_path,
    monkeypatch,
):
    def unable(*_: object) -> None:
        raise OSError("no hard links here")

    monkeypatch.setattr(os, "link", unable)
    path = tmp_path / "a.toml"
    path.write_bytes(b"old")
    path.chmod(0o644)
    atomic.write(path, [b"new"])
    assert (tmp_path / "a.toml.bak").read_bytes() == b"old"
    assert mode(tmp_path / "a.toml.bak") == 0o600


def test_a_backup_that_finds_no_room_leaves_no_half_of_itself_and_was_never_public(
    tmp_path,
    monkeypatch,
):
    modes = []

    def unable(*_: object) -> None:
        raise OSError("no hard links here")

    def full(copy: Path) -> None:
        modes.append(mode(copy))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "link", unable)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    monkeypatch.setattr(atomic, "sync_path", full)
    path = tmp_path / "a.toml"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="No space") as refusal:
        atomic.write(path, [b"new"])
    assert refusal.value.filename == str(path)
    assert modes == [0o600]
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.toml"]


def test_what_fails_on_the_way_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b"old")

    def chunks():
        yield b"half"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        atomic.write(path, chunks())
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.toml"]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text("old")
    told, text, left = said(FULL_DISK, path)
    assert told == os.strerror(27)  # file too large: the limit's way to say it
    assert (text, left) == ("old", ["a.toml"])


def test_what_was_left_beside_a_file_by_who_was_killed_is_swept_away_and_nothing_else(
    tmp_path,
):
    path = tmp_path / "x.audit.toml"
    for name in (
        ".x.audit.toml.abc123.tmp",
        ".y.audit.toml.abc123.tmp",
        "x.audit.toml",
        "x.tmp",
    ):
        (tmp_path / name).write_text("left")
    atomic.sweep(path)
    assert names(tmp_path) == [".y.audit.toml.abc123.tmp", "x.audit.toml", "x.tmp"]


def test_what_cannot_be_swept_keeps_nobody_from_writing(tmp_path):
    path = tmp_path / "x.audit.toml"
    (tmp_path / ".x.audit.toml.abc123.tmp").mkdir()  # as a file of another user's is
    atomic.sweep(path)
    atomic.write(path, [b"new"])
    assert path.read_bytes() == b"new"


def test_a_link_to_itself_is_refused_by_name_and_stays(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="symbolic links") as refusal:
        atomic.write(loop, [b"new"])
    assert refusal.value.filename == str(loop)
    with pytest.raises(OSError, match="symbolic links"), atomic.replacing(loop):
        pass
    assert list(tmp_path.iterdir()) == [loop]
