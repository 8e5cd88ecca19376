"""A workspace that somebody deletes while a review is open: what is open still holds everything."""

import pytest

from app.review_stage import sitting


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        (["f", "x"], "The workspace cannot be searched now"),
        (["O"], "random"),
        (["percent_sign"], "The workspace cannot be read now"),
        (["@", *"Says who", "enter"], "Says who"),
    ],
)
async def test_what_reads_the_file_says_that_it_cannot_and_the_review_goes_on(
    tmp_path,
    keys,
    sentence,
):
    async with sitting(tmp_path) as at:
        for file in tmp_path.glob("*.db*"):
            file.unlink()
        await at.press(*keys)
        await at.until(lambda: sentence in at.text)
        await at.pilot.pause()
        await at.press("escape")
        target = tmp_path / "other.audit.toml"
        at.bench.move(target)
        assert at.bench.workspace.path.exists()
