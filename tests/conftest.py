"""What every test may ask for: the shared reference files, and hypothesis without a stopwatch."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip(f"the reference files are not beside the project: no folder {SHARED.name}/")
    return SHARED
