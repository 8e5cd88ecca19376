"""Lists in which digits mean nothing else: they say how often the next key is meant (`3j`)."""

from dataclasses import dataclass

from textual.events import Key
from textual.message import Message

from appellate.ui.lines import Lines

DIGITS = "0123456789"
MOST_DIGITS = 6
HINT = "{} × the next key: j k PgUp PgDn · Esc drops it"


class CountedLines(Lines):
    """A list whose keys may be counted; `typed` is the count as far as it is typed."""

    @dataclass
    class Counting(Message):
        """A count is being typed, or is there no more."""

        lines: "CountedLines"
        typed: str

    typed = ""
    _times = 1

    def on_key(self, event: Key) -> None:
        """A digit belongs to the count, Esc drops it, any other key is meant so often."""
        before = self.typed
        if event.key in DIGITS and (before or event.key != "0"):
            self.typed = (before + event.key)[:MOST_DIGITS]
        else:
            self._times, self.typed = int(before or 1), ""
        is_dropped = bool(before) and event.key == "escape"
        if is_dropped:
            self._times = 1
        if self.typed or is_dropped:
            event.stop()
            event.prevent_default()
        if self.typed != before:
            self.post_message(self.Counting(self, self.typed))

    def take_times(self) -> int:
        """How often the key that was just pressed is meant; once from then on."""
        times, self._times = self._times, 1
        return times

    def action_move(self, by: int) -> None:
        super().action_move(by * self.take_times())

    def action_page(self, by: int) -> None:
        for _ in range(min(self.take_times(), len(self.sections[self.cursor.section].rows))):
            before = self.cursor, self.scroll_offset
            super().action_page(by)
            if (self.cursor, self.scroll_offset) == before:
                return
