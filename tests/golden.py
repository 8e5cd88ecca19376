"""What the screen shows, compared as text with a file under `golden/` beside the test that asks.

`UPDATE_GOLDEN=1 pytest …` writes the files anew; read the difference before committing it.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App

Golden = Callable[[str, str], None]


def shown(app: App[object]) -> str:
    """The text of the whole screen, a line a row, without the blanks at the ends."""
    rows = app.screen._compositor.render_strips()
    return "\n".join(row.text.rstrip() for row in rows) + "\n"


def compare(path: Path, text: str) -> None:
    """Fails with both texts where they differ; writes the file where that is asked for."""
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if not path.exists():
        pytest.fail(f"There is no golden {path.name} yet: run with UPDATE_GOLDEN=1.")
    assert text == path.read_text(encoding="utf-8")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden(name, text)` compares a text with `golden/name.txt`."""
    folder = request.path.parent / "golden"
    return lambda name, text: compare(folder / f"{name}.txt", text)
