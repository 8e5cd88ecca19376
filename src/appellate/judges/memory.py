"""What a judge remembers of a server from one session to the next: its replies, and what it can do."""

import asyncio
from collections.abc import Collection, Mapping
from typing import Any

from appellate.judges.abilities import Abilities, asked_by, recalled
from appellate.judges.cache import Cache, key
from appellate.judges.completion import Completion
from appellate.judges.endpoint import Endpoint
from appellate.judges.request import PATHS, Request, read_reply


class Memory:
    """The cache as one judge uses it; without a cache it knows nothing."""

    def __init__(self, cache: Cache | None, endpoint: Endpoint, url: str, sample: int) -> None:
        self._cache = cache
        self._endpoint = endpoint
        self._url = url
        self._sample = sample
        self._kept: dict[str, Any] | None = None
        self._known: set[str] | None = None
        self._unwritten: dict[str, bytes] = {}
        self._writing = asyncio.Lock()

    @property
    def blank(self) -> bool:
        """Whether there is nothing to look into."""
        return self._cache is None

    @property
    def fresh(self) -> bool:
        """Whether nobody has looked yet what is known about the server."""
        return self._kept is None

    def abilities(self) -> Abilities:
        """What the server can do, as far as an earlier session learnt it."""
        self._kept = self._cache.abilities(self._server) if self._cache else {}
        return recalled(self._kept, self._endpoint.api) if self._kept else asked_by(self._endpoint.api)

    def reply(self, asked: Request) -> Completion | None:
        """The answer that is kept: looked for in the file only where it was there at first, or came since."""
        if self._cache is None:
            return None
        if self._known is None:
            self._known = self._cache.keys()
        key = self._key(asked)
        body = self._cache.get(key) if key in self._known else None
        completion = read_reply(body, {}, asked.api) if body else None
        return completion if isinstance(completion, Completion) else None

    def entry(self, asked: Request, body: bytes) -> dict[str, bytes]:
        """A reply as it is kept."""
        return {self._key(asked): body} if self._cache else {}

    async def keep(self, replies: Mapping[str, bytes]) -> None:
        """Keeps what was paid for before anything else is done with it; those who come at once share a write.

        In a thread: a file may be slow, or somebody else's for the moment.
        """
        if self._cache is None:
            return
        self._unwritten |= replies
        async with self._writing:
            waiting, self._unwritten = self._unwritten, {}
            if waiting:
                await asyncio.to_thread(self._cache.put, waiting)
                if self._known is not None:
                    self._known.update(waiting)

    async def drop(self, replies: Collection[str]) -> None:
        """Forgets the replies of a talk that led nowhere: it is had anew."""
        if self._cache and replies:
            await asyncio.to_thread(self._cache.drop, list(replies))

    async def learn(self, able: Abilities) -> None:
        """Keeps what the server can do."""
        learnt = able.to_keep()
        if self._cache and learnt != self._kept:
            self._kept = learnt
            await asyncio.to_thread(self._cache.learn, self._server, learnt)

    async def close(self) -> None:
        """Keeps what those who were stopped had received; another event loop may come."""
        self._writing = asyncio.Lock()
        await self.keep({})

    def _key(self, asked: Request) -> str:
        return key(self._url + PATHS[asked.api], asked.body, self._sample)

    @property
    def _server(self) -> str:
        return f"{self._endpoint.api} {self._url} {self._endpoint.model}"
