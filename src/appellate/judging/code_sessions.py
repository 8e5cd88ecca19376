"""The code of other people that one run executes, where a person allowed it."""

import threading
from collections.abc import Sequence
from typing import Any

from appellate.core.foreign_code import Code, CodeSession


class CodeSessions:
    """A session for each kind that runs any, begun when it is first needed.

    Each run has its own, so that a function that was changed is loaded anew by the next.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = folders
        self._lock = threading.Lock()
        self._begun: dict[Code[Any], CodeSession[Any]] = {}
        self._is_closed = False

    def of(self, code: Code[Any]) -> CodeSession[Any]:
        """The session of a kind's code; a closed one once this is closed."""
        with self._lock:
            if code not in self._begun:
                self._begun[code] = code.begin(self._folders)
            if self._is_closed:
                self._begun[code].close()
            return self._begun[code]

    def close(self) -> None:
        """Ends all of them, from any thread, also in the midst of a computation."""
        with self._lock:
            self._is_closed = True
            begun = list(self._begun.values())
        for session in begun:
            session.close()
