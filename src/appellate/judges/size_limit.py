"""A limit on what a server may send as an answer.

An answer that never ends, or that is small only as long as it is compressed, would fill the memory.
`limit_size()` is a hook of the HTTP client that `client.py` sets.
"""

from collections.abc import AsyncIterator

from httpx2 import AsyncByteStream, Response

LARGEST = 16 * 2**20
"""Bytes of one uncompressed answer. A judgment with all thoughts takes a hundredth of this."""
_LARGEST_COMPRESSED = 2**20
"""Bytes of one compressed answer: uncompressing more takes long, whatever it holds."""


class TooLarge(Exception):
    """Raised for an answer that is larger than any judgment is."""


async def limit_size(response: Response) -> None:
    """Limit the size of an answer before its body is read; changes its stream and its headers.

    Reading a larger one raises TooLarge. A compressed answer is limited before and after it is
    uncompressed, and loses its header content-encoding. The download of a file, whose path ends
    with `/content`, is not limited. Bytes that follow the answer close its connection.
    """
    stream = response.stream
    if not isinstance(stream, AsyncByteStream):
        return
    answer_only = _AnswerOnly(response, stream)
    response.stream = answer_only
    if response.request.url.path.endswith("/content"):
        return
    if response.headers.get("content-encoding", "identity") == "identity":
        response.stream = _Limited(answer_only, LARGEST)
        return

    # a second response uncompresses, piece by piece, what the first one receives
    compressed = _Limited(answer_only, _LARGEST_COMPRESSED)
    uncompressing = Response(
        response.status_code,
        headers=response.headers,
        stream=compressed,
    )
    response.stream = _Limited(_Uncompressed(uncompressing), LARGEST)
    del response.headers["content-encoding"]


class _AnswerOnly(AsyncByteStream):
    """The stream of an answer, which closes the connection if more bytes follow the answer.

    They would be read as the answer to the next request on that connection.
    """

    def __init__(self, response: Response, stream: AsyncByteStream) -> None:
        self._network = response.extensions.get("network_stream")
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces of the answer, then close the connection if more bytes follow it.

        Errors of reading are raised as they are.
        """
        async for piece in self._stream:
            yield piece
        if self._network is not None and _has_more(self._stream):
            await self._network.aclose()

    async def aclose(self) -> None:
        await self._stream.aclose()


_PATH_TO_H11 = ("_stream", "_httpcore_stream", "_stream", "_connection", "_h11_state")
"""Attributes from the stream of an answer to the parser of its connection; none is public."""


def _has_more(stream: AsyncByteStream) -> bool:
    """Return whether bytes follow the answer that was just read, in its connection.

    False if that cannot be found out.
    """
    parser: object = stream
    for name in _PATH_TO_H11:
        parser = getattr(parser, name, None)
    trailing, _ = getattr(parser, "trailing_data", (b"", False))
    return bool(trailing)


class _Uncompressed(AsyncByteStream):
    """The body of a response, uncompressed."""

    def __init__(self, response: Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._response.aiter_bytes():
            yield piece

    async def aclose(self) -> None:
        await self._response.aclose()


class _Limited(AsyncByteStream):
    """A stream that raises TooLarge instead of giving more than `largest` bytes."""

    def __init__(self, stream: AsyncByteStream, largest: int) -> None:
        self._stream = stream
        self._largest = largest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces of the stream; raises TooLarge instead of the piece that is too much."""
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > self._largest:
                raise TooLarge(f"an answer of more than {self._largest / 2**20:g} MB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
