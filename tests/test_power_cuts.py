"""Nothing that was told as kept is lost where the power goes, or the disk fails once, at any write, sync or rename.

A run takes a sample, by a seed that is printed. TESTS_SEED plays the same again; TESTS_CUTS says how many
cuts there are of each deed, or `all`.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from forgetful_folder import why_not
from power_cuts import DEEDS

pytestmark = pytest.mark.slow

SEED = os.environ.get("TESTS_SEED") or str(random.randrange(100_000))
CUTS = os.environ.get("TESTS_CUTS") or "10"
PLAYER = Path(__file__).parent / "power_cuts.py"


@pytest.fixture(scope="module", autouse=True)
def _forgetful(tmp_path_factory):
    if why := why_not(tmp_path_factory.mktemp("forgetful")):
        pytest.skip(why)


@pytest.mark.parametrize("deed", DEEDS)
def test_what_was_told_as_kept_is_there_whenever_the_power_goes_or_the_disk_fails(deed):
    most = ["--all"] if CUTS == "all" else ["--most", CUTS]
    played = subprocess.run(
        [sys.executable, PLAYER, deed, "--seed", SEED, *most],
        env={**os.environ, "PYTHONPATH": str(PLAYER.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert played.returncode == 0, f"seed {SEED}\n{played.stdout}{played.stderr}"
