"""The cells one came through, to go back and forward as in a browser."""

LONGEST = 500


class VisitHistory:
    """Cells behind and ahead of the one in sight, nearest last."""

    def __init__(self) -> None:
        self._behind: list[int] = []
        self._ahead: list[int] = []

    def left(self, number: int) -> None:
        """A cell was left for one that was not ahead."""
        self._behind = [*self._behind[-LONGEST:], number]
        self._ahead.clear()

    def back(self, here: int) -> int | None:
        return _moved(self._behind, self._ahead, here)

    def forward(self, here: int) -> int | None:
        return _moved(self._ahead, self._behind, here)


def _moved(source: list[int], target: list[int], here: int) -> int | None:
    if not source:
        return None
    target.append(here)
    return source.pop()
