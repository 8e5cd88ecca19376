"""One process has the lock of a file, until it gives it back, lets go of it or is gone."""

import subprocess
import sys

import pytest

from appellate.store.file_lock import FileLock, Taken

HOLDER = """
import sys
from pathlib import Path
from appellate.store.file_lock import FileLock
lock = FileLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_it_is_had_once_and_free_again_when_it_was_given_back(tmp_path):
    path = tmp_path / "x.lock"
    lock = FileLock(path)
    with pytest.raises(Taken):
        FileLock(path)
    lock.release()
    lock.release()
    FileLock(path).release()
    assert path.read_bytes() == b""


def test_nobody_who_refers_to_it_holds_it_any_more(tmp_path):
    FileLock(tmp_path / "x.lock")
    FileLock(tmp_path / "x.lock").release()


def test_a_process_that_is_killed_loses_it(tmp_path):
    path = tmp_path / "x.lock"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Taken):
            FileLock(path)
        holder.kill()
        holder.wait()
        FileLock(path).release()


def test_folders_that_are_missing_are_made_and_a_file_in_their_place_is_told(tmp_path):
    FileLock(tmp_path / "new" / "folder" / "x.lock").release()
    with pytest.raises(NotADirectoryError):
        FileLock(tmp_path / "new" / "folder" / "x.lock" / "y.lock")
