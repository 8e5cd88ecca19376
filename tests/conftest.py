"""What every test may ask for: the shared reference files, and hypothesis without a stopwatch."""

import compileall
import gc
import os
import shutil
import signal
import sys
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import appellate.traits
import left_open
import quick
from terminal import NO_SETTINGS

KINDS = Path(__file__).parent / "kinds"
# the tests' own kind, before anybody asks for all of them
appellate.traits.__path__.append(str(KINDS))
sys.path.append(str(KINDS))  # and in the processes that a run of a judge starts

os.environ["TERM"] = "xterm-256color"  # whatever the tests are run from
for name in ("TMUX", "STY", "NO_COLOR"):
    os.environ.pop(name, None)
for setting in [name for name in os.environ if name.startswith("APPELLATE_")]:
    del os.environ[setting]  # settings of whoever runs the tests
os.environ["APPELLATE_CONFIG"] = NO_SETTINGS
# Tests are compiled once, and so is what hundreds of processes load; but not by these: on a full disk
# Python leaves half a file.
sys.dont_write_bytecode = False
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
if "PYTEST_XDIST_WORKER" not in os.environ:
    compileall.compile_dir(Path(appellate.traits.__file__).parents[1], quiet=2)
MEMORY, ENOUGH = Path("/dev/shm"), 2**31  # noqa: S108 - only the folder in which pytest makes its own
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH:
    # every correction is synced to the disk before it is shown: here a disk that needs no waiting for
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
# what a shell starts behind it ignores it, as do its children
signal.signal(signal.SIGINT, signal.default_int_handler)
quick.everything()

NO_STOPWATCH = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# `.ci/run` gives a seed: whether a change passes is no matter of chance. Other runs try new examples.
settings.register_profile(
    "unhurried",
    max_examples=40,
    derandomize="TESTS_SEED" in os.environ,
    **NO_STOPWATCH,
)
settings.register_profile("measured", max_examples=25, derandomize=True, **NO_STOPWATCH)
settings.load_profile("unhurried")

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_configure(config: pytest.Config) -> None:
    with suppress(ImportError, AttributeError):
        quick.rewrite_asserts(config)


def pytest_collection() -> None:
    gc.disable()  # thousands of tests are made, and none is garbage: a sixth of the time in each worker


def pytest_collection_finish() -> None:
    quick.keep_what_is_loaded()


OPEN_BEFORE = pytest.StashKey[int]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[OPEN_BEFORE] = left_open.open_files()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Fail the test that left something open, in place of the one in which Python finds it."""
    yield
    complaints = left_open.complaints_since(item.stash[OPEN_BEFORE])
    assert not complaints, f"the test left open: {', '.join(complaints)}"


@pytest.fixture(scope="session")
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip(
            f"the reference files are not beside the project: no folder {SHARED.name}/",
        )
    return SHARED


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half again as many as there are cores: screens and servers wait for each other much of the time."""
    return (os.cpu_count() or 2) * 3 // 2
