"""The column that is read: the prompt, the response, and what is docked below it, each as high as
it needs to be as far as there is room.
"""

from textual.containers import Vertical
from textual.events import Resize

from appellate.ui.docked import DockedText
from appellate.ui.prompt_pane import PromptPane
from appellate.ui.text_view import ResponseView, TextView

PROMPT = 3  # the prompt has at most one row in three, and more where the response needs fewer
TIGHT = 15  # rows below which the material takes the prompt's place
LEAST = 4  # rows that the response has in any case, its frame included


def shared(room: int, prompt: int, response: int, material: int, least: int) -> tuple[int, int]:
    """The rows of the prompt and of the material, where the response has the rest.

    What each would need, frames included; the material has `least` rows in any case, but never more
    than half. No row stays empty in one of them while another is cut.
    """
    low = min(prompt, room // PROMPT)
    docked = min(least, (room - low) // 2)
    if least:
        docked = max(docked, min(material, room - low - response))
    low = max(low, min(prompt, room - docked - max(response, LEAST)))
    return low, docked


def _rows(view: TextView, most: int) -> int:
    """The rows that a text takes, counted no further than `most`."""
    view.page.rows.extend_rows(most)
    return min(len(view.page.rows.starts), most)


class ReadingColumn(Vertical):
    """Prompt, response and material."""

    def __init__(
        self, asked: PromptPane, response: ResponseView, material: DockedText, *, rows: int
    ) -> None:
        super().__init__(asked, response, material, id="reading")
        self._asked = asked
        self._response = response
        self._material = material
        self.material_rows = rows

    def share(self) -> None:
        """Shares the rows that there are."""
        room = self.size.height
        if not room:
            return
        self._asked.display = room >= TIGHT or not self._material.is_open
        frame = self._asked.gutter.height
        prompt = material = least = 0
        if self._asked.display:
            prompt = self._asked.rows_wanted + frame
        if self._material.is_open:
            least = self.material_rows
            material = _rows(self._material, room) + self._material.gutter.height
        response = _rows(self._response, room) + self._response.gutter.height
        low, docked = shared(room, prompt, response, material, least)
        self._asked.styles.max_height = max(low, frame + 1)
        self._material.styles.height = docked

    def on_resize(self, _: Resize) -> None:
        """Once the texts in it were wrapped for another width."""
        self.call_after_refresh(self.share)
