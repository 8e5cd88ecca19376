"""Every test here sits down at a screen without the settings of whoever runs it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from review_stage import ROOMY, Scene, Sitting, bcl2, sitting

from golden import golden

__all__ = ["golden"]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "no-settings"))


@pytest.fixture
def scene() -> Scene:
    """What the audit of `at` is; a module has its own where most of its tests need another."""
    return bcl2()


@pytest.fixture
def size() -> tuple[int, int]:
    return ROOMY


@pytest.fixture
def cell() -> int | None:
    """The cell that `at` begins with: the worked example with all four buckets."""
    return 2


@pytest.fixture
async def at(
    tmp_path: Path,
    scene: Scene,
    size: tuple[int, int],
    cell: int | None,
) -> AsyncIterator[Sitting]:
    """Somebody at the screen."""
    async with sitting(tmp_path, scene, size=size, at=cell) as sat:
        yield sat
