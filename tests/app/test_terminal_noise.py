"""What a terminal sends beside keys, at the real screen: nothing is written, nothing ends, the next key acts."""

import pytest
from review_stage import LEAST, Sitting, sitting

from appellate.ui.terminal_input import TerminalInput
from terminal_sequences import SEQUENCES, cuts


class Hands:
    """A terminal before the screen, on a clock of its own."""

    def __init__(self, at: Sitting) -> None:
        self.at = at
        self.now = 100.0
        self._input = TerminalInput(lambda: self.now)

    async def send(self, data: bytes, after: float) -> None:
        """What is read so many seconds later, once all that was decided until then is done."""
        until = self.now + after
        while self.now + (seconds := self._input.seconds_to_tick(1_000)) <= until:
            self.now += seconds
            await self._post(self._input.tick())
        self.now = until
        await self._post(self._input.feed(data))

    async def _post(self, events) -> None:
        app = self.at.app
        for event in events:
            app.post_message(event)
        await self.at.until(
            lambda: not app.message_queue_size and app.key_queue.is_empty,
        )
        await self.at.pilot.pause()

    async def back(self) -> None:
        """To the bench, from whatever a key has opened."""
        while (
            self.at.app.screen is not self.at.screen
            or self.at.app.screen.focused is None
        ):
            await self.send(b"\x1b", 2.0)
            await self.send(b"", 2.0)


async def test_a_sequence_in_parts_writes_nothing_and_the_next_key_acts(tmp_path):
    async with sitting(tmp_path, at=2, size=LEAST) as at:
        hands, before = Hands(at), at.facts
        await hands.send(b"\x1b", 0)
        await hands.send(b"[<35;21;13M", 0.3)
        await hands.send(b"\x1b[>41;390;0c\x1bP1+r544e\x1b\\", 0.3)
        assert at.facts == before
        await hands.send(b"2", 0.3)
        assert at.facts == before + 1


async def test_lines_that_are_pasted_into_a_comment_are_its_words_and_no_keys(tmp_path):
    async with sitting(tmp_path, at=2) as at:
        hands, before = Hands(at), at.facts
        await hands.send(b"c", 1)
        await hands.send(b"the judge was too kind\r1 2 3 and a once more\r", 1)
        assert at.facts == before
        await hands.send(b"\r", 1)
        (comment,) = at.cell.comments
        assert (
            comment.what.text.strip() == "the judge was too kind 1 2 3 and a once more"
        )


async def test_lines_that_are_pasted_beside_a_box_go_nowhere_and_it_is_said(tmp_path):
    async with sitting(tmp_path, at=2) as at:
        hands, before = Hands(at), at.facts
        await hands.send(b"1 2 3 a 1 2 3 a\r1 2 3 a 1 2 3 a\r", 1)
        await hands.send(b"\x1b[200~1 2 3 a\r\x1b[31m1 2 3 a\x1b[201~", 1)
        assert at.facts == before
        assert at.said == "Nothing takes a paste here: press c to comment first."


async def test_lines_that_are_pasted_into_a_line_are_parted_by_blanks(tmp_path):
    async with sitting(tmp_path, at=2) as at:
        hands = Hands(at)
        await hands.send(b"/", 1)
        await hands.send(b"\x1b[200~helps\r\ncells\x1b[201~", 1)
        assert at.app.screen.focused.value == "helps cells"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["reply", "mouse", "key", "paste"])
async def test_nothing_that_a_terminal_sends_beside_keys_writes_a_fact_however_it_is_cut(
    tmp_path,
    kind,
):
    async with sitting(tmp_path, at=2, size=LEAST) as at:
        hands = Hands(at)
        for name in [name for name in SEQUENCES if name.startswith(kind)]:
            before = at.facts
            for reads in cuts(name):
                for gap, data in reads:
                    await hands.send(data, gap)
                await hands.send(b"", 2.0)
                assert at.facts == before, (name, reads)
            await hands.back()
            await hands.send(b"F", 2.0)
            assert at.facts == before + 1, name
