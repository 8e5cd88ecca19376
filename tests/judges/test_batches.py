"""A server's files and batches: what is downloaded is as large as it is, what goes wrong is a sentence."""

import pytest

from appellate.judges.batches import BatchServer, NotDone
from appellate.judges.endpoint import Endpoint, access
from appellate.judges.size_limit import LARGEST
from batch_stage import batch_api
from loopback import Answer


async def test_a_file_of_answers_may_be_larger_than_any_single_answer(tmp_path):
    with batch_api() as api:
        api.files["file-1"] = b"x" * (LARGEST + 1)
        async with BatchServer(access(Endpoint("m", api.url))) as server:
            await server.download("file-1", tmp_path / "answers.jsonl")
    assert (tmp_path / "answers.jsonl").stat().st_size == LARGEST + 1


async def test_a_file_that_cannot_be_written_is_told_of(tmp_path):
    with batch_api() as api:
        api.files["file-1"] = b"{}"
        async with BatchServer(access(Endpoint("m", api.url))) as server:
            with pytest.raises(NotDone, match="could not be read or written"):
                await server.download("file-1", tmp_path / "absent" / "answers.jsonl")


@pytest.mark.parametrize("status", [200, 404])
async def test_a_word_without_end_is_read_no_further(status):
    with batch_api() as api:
        api.faults.append(lambda method, path: Answer(b"x" * (LARGEST + 1), status))
        async with BatchServer(access(Endpoint("m", api.url))) as server:
            with pytest.raises(NotDone):
                await server.look("batch_1")


async def test_an_environment_that_allows_of_no_client_is_told_of(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://u:pw@x")
    with pytest.raises(NotDone, match=r"no way to example.invalid .* environment") as refusal:
        async with BatchServer(access(Endpoint("m", "https://example.invalid/v1"))):
            pass
    assert "pw" not in str(refusal.value)
