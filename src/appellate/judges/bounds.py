"""A bound to what a server may send for an answer: nobody has to hold in memory what never ends."""

from collections.abc import AsyncIterator

from httpx2 import AsyncByteStream, Response

LARGEST = 16 * 2**20
"""Bytes of one answer; a judgment with all that a model thought takes a hundredth."""


class TooLarge(Exception):
    """The answer is larger than any judgment is."""


class _Bounded(AsyncByteStream):
    """The same stream, as far as the bound."""

    def __init__(self, stream: AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > LARGEST:
                raise TooLarge(f"an answer of more than {LARGEST // 2**20} MB")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def bound(response: Response) -> None:
    """Hears of each answer before its body is read; a file that is downloaded goes to the disk, however large."""
    if isinstance(response.stream, AsyncByteStream) and not response.request.url.path.endswith("/content"):
        response.stream = _Bounded(response.stream)
