"""Draws README's picture with the program itself: `python tests/picture.py` after a change of the screen.

The demo after one correction: bcl2-2, BCL2 Accuracy, where the judge took a true sentence for a false claim.
"""

import asyncio
import re
import tempfile
from pathlib import Path

from appellate.app.application import AppellateApp
from appellate.cli.demo import samples
from appellate.judging.choice import choose
from appellate.store.open_audit import AuditFiles, create
from appellate.workbench import Workbench

PICTURE = Path(__file__).parents[1] / ".github" / "review.svg"
KEYS = (*".", ".", "l", "l", "1", "enter")


async def drawn(folder: Path) -> str:
    place = AuditFiles.of(folder / "demo.audit.toml")
    with create(place, *samples(), "0").workspace as workspace:
        workspace.set_meta("start", "2")
        bench = Workbench(workspace, place.audit, "ada")
        app = AppellateApp(bench, choose({"judge": "recorded"}, workspace.meta))
        async with app.run_test(size=(130, 34)) as pilot:
            await pilot.pause()
            while app.screen_of_review.at.judge_run.is_on:
                await pilot.pause()
            await pilot.press(*KEYS)
            await pilot.pause()
            return app.export_screenshot(title="appellate review")


def without_fonts_from_elsewhere(svg: str) -> str:
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        PICTURE.write_text(without_fonts_from_elsewhere(asyncio.run(drawn(Path(name)))))
    print(PICTURE)
