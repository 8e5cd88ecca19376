"""What a server may send for an answer: so much, and nothing behind it.

Nobody has to hold in memory what never ends, or what is small only while it is packed.
"""

from collections.abc import AsyncIterator

from httpx2 import AsyncByteStream, Response

LARGEST = 16 * 2**20
"""Bytes of one answer, unpacked; a judgment with all that a model thought takes a hundredth."""


_PACKED = 2**20
"""Bytes of one that comes packed: to unpack what holds nothing takes long."""


class TooLarge(Exception):
    """The answer is larger than any judgment is."""


async def bound(response: Response) -> None:
    """Bounds an answer before its body is read; a file that is downloaded may be of any size."""
    stream = response.stream
    if not isinstance(stream, AsyncByteStream):
        return
    alone = _Alone(response, stream)
    response.stream = alone
    if response.request.url.path.endswith("/content"):
        return
    if response.headers.get("content-encoding", "identity") == "identity":
        response.stream = _Bounded(alone, LARGEST)
        return
    # a second response unpacks, piece by piece, what comes by the first
    packed = _Bounded(alone, _PACKED)
    unpacking = Response(response.status_code, headers=response.headers, stream=packed)
    response.stream = _Bounded(_Unpacked(unpacking), LARGEST)
    del response.headers["content-encoding"]


class _Alone(AsyncByteStream):
    """The same stream; where more comes behind the answer, its connection is closed.

    What nobody asked for would be taken for the answer to the next request on that connection.
    """

    def __init__(self, response: Response, stream: AsyncByteStream) -> None:
        self._network = response.extensions.get("network_stream")
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part
        if self._network is not None and _has_more(self._stream):
            await self._network.aclose()

    async def aclose(self) -> None:
        await self._stream.aclose()


_WAY_TO_H11 = ("_stream", "_httpcore_stream", "_stream", "_connection", "_h11_state")
"""From the stream of an answer to who takes its connection apart: there is no public way."""


def _has_more(stream: AsyncByteStream) -> bool:
    """Whether the server has sent more than the answer that was just read."""
    found: object = stream
    for name in _WAY_TO_H11:
        found = getattr(found, name, None)
    trailing, _ = getattr(found, "trailing_data", (b"", False))
    return bool(trailing)


class _Unpacked(AsyncByteStream):
    """What a response holds, unpacked."""

    def __init__(self, response: Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._response.aiter_bytes():
            yield part

    async def aclose(self) -> None:
        await self._response.aclose()


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
