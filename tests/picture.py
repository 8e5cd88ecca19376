"""Draws README's moving picture with the program itself: `python tests/picture.py` after a change of
the screen.

The demo at bcl2-2, BCL2 Accuracy, where the judge took a true sentence for a false claim: one
correction, from reading to signing off.
"""

import asyncio
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

from appellate.app.application import AppellateApp
from appellate.judging.choice import choose
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles, create
from demo_workspace import samples

PICTURE = Path(__file__).parents[1] / ".github" / "review.svg"
SIZE = (112, 27)


class Frame(NamedTuple):
    """Keys to press, what is written below the screen then, and for how many seconds."""

    keys: tuple[str, ...]
    caption: str
    seconds: int


FRAMES = (
    Frame((*"..",), "The judge's labels beside the response: F1 is .75", 3),
    Frame(("l", "l"), "l l  to what it called wrong, a sentence that is true", 3),
    Frame(("1",), "1  put it into TP; the missing instruction is proposed", 3),
    Frame(("enter",), "Enter  takes it: every number moves, and it is saved", 4),
    Frame(("a",), "a  signs the cell off and goes to the next", 3),
)


async def screenshots(folder: Path) -> list[str]:
    place = AuditFiles.of(folder / "demo.audit.toml")
    with create(place, *samples(), "0").workspace as workspace:
        workspace.set_meta("start", "2")
        bench = Workbench(workspace, place.audit, "ada")
        app = AppellateApp(bench, choose({"judge": "recorded"}, workspace.meta))
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            while app.screen_of_review.objects.judge_run.is_on:
                await pilot.pause()
            await pilot.press("escape")  # the card of a first run
            drawn = []
            for frame in FRAMES:
                await pilot.press(*frame.keys)
                await pilot.pause()
                drawn.append(app.export_screenshot(title="appellate review"))
            return drawn


def moving(screens: list[str]) -> str:
    """The screens one after the other, for ever; the last alone for who wants no motion."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', screens[0])
    width, height = float(box[1]), float(box[2])
    whole = sum(frame.seconds for frame in FRAMES)
    styles, parts, begin = [], [], 0
    for number, (frame, screen) in enumerate(zip(FRAMES, screens, strict=True)):
        end = begin + frame.seconds
        styles.append(shown(number, 100 * begin / whole, 100 * end / whole))
        parts.append(
            f'<g class="frame f{number}" style="animation: f{number} {whole}s step-end infinite">'
            f'{sized(screen, width, height)}<text class="caption" x="{width / 2}"'
            f' y="{height + 34}">{frame.caption}</text></g>',
        )
        begin = end
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 50}">'
        f"<style>{STYLE}{''.join(styles)}</style>{''.join(parts)}</svg>\n"
    )


STYLE = (
    ".frame { visibility: hidden }"
    " .caption { font: 24px monospace; fill: #808890; text-anchor: middle }"
    f" @media (prefers-reduced-motion) {{ .frame {{ animation: none !important }}"
    f" .f{len(FRAMES) - 2} {{ visibility: visible }} }}"
)


def shown(number: int, begin: float, end: float) -> str:
    """When a frame is visible, in percent of the whole."""
    return (
        f"@keyframes f{number} {{ 0% {{ visibility: hidden }} {begin:.2f}% {{ visibility: visible }}"
        f" {end:.2f}% {{ visibility: hidden }} }}"
    )


def sized(screen: str, width: float, height: float) -> str:
    """A screenshot as a part of a larger picture, without fonts from elsewhere."""
    screen = re.sub(r"@font-face \{.*?\}\s*", "", screen, flags=re.DOTALL)
    return screen.replace("<svg ", f'<svg width="{width}" height="{height}" ', 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        PICTURE.write_text(moving(asyncio.run(screenshots(Path(name)))))
    print(PICTURE)
