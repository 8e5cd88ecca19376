"""Replies that were paid for once, kept so that asking the same again costs nothing.

One table in an SQLite file: the workspace's own, or one that several audits share.
"""

from pathlib import Path
from typing import Any, Protocol


class Cache(Protocol):
    """Bodies of answers by the hash of what was asked."""

    def get(self, key: str) -> bytes | None:
        """The body of the answer to the same request, if one is known."""

    def put(self, replies: dict[str, bytes]) -> None:
        """Keeps the answers of a talk that ended well; a disk that refuses is no reason to fail."""

    def abilities(self, server: str) -> dict[str, Any]:
        """What a server (URL and model) turned out to be able to do."""

    def learn(self, server: str, abilities: dict[str, Any]) -> None:
        """Keeps that."""


def opened(path: Path) -> Cache:
    """The cache in a file, which is made where there is none."""
    raise NotImplementedError
