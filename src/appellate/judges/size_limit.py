"""A bound to what a server may send for an answer: nobody has to hold in memory what never ends."""

from collections.abc import AsyncIterator

from httpx2 import AsyncByteStream, Response

LARGEST = 16 * 2**20
"""Bytes of one answer; a judgment with all that a model thought takes a hundredth."""
_PACKED = LARGEST // 64
"""Of one that is sent packed: unpacked, it may be a thousand times as large."""


class TooLarge(Exception):
    """The answer is larger than any judgment is."""


class _Bounded(AsyncByteStream):
    """The same stream, as far as the bound."""

    def __init__(self, stream: AsyncByteStream, largest: int) -> None:
        self._stream = stream
        self._largest = largest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > self._largest:
                raise TooLarge(f"an answer of more than {self._largest / 2**20:g} MB")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def bound(response: Response) -> None:
    """Bounds an answer before its body is read; a file that is downloaded may be of any size."""
    if isinstance(response.stream, AsyncByteStream) and not response.request.url.path.endswith(
        "/content"
    ):
        packed = response.headers.get("content-encoding", "identity") != "identity"
        response.stream = _Bounded(response.stream, _PACKED if packed else LARGEST)
