"""What a pane does where its kind says nothing else."""

from appellate.ui.marks import UNICODE
from appellate.ui.pane import KindPane, Looking
from ui.ui_stage import Stage


async def test_a_pane_with_nothing_in_it_that_can_have_the_focus_has_it_itself():
    looking = Looking(UNICODE, looked=list, say=print)
    stage = Stage(lambda: [KindPane(looking)])
    async with stage.run_test() as pilot:
        pane = stage.query_one(KindPane)
        assert stage.focused is None
        pane.take_focus()
        await pilot.pause()
        assert stage.focused is pane
