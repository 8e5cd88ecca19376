"""Every test here sits down at a screen without the settings of whoever runs it."""

from pathlib import Path

import pytest

from golden import golden

__all__ = ["golden"]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "no-settings"))
    monkeypatch.delenv("NO_COLOR", raising=False)
