"""What a person wants done, carried out or refused with a sentence."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from appellate.app.dialogs import Dialogs
from appellate.core.problem import Refused, wording
from appellate.session.acts import READS, Acts
from appellate.session.workbench import Workbench
from appellate.store.database import NotKept

Done = TypeVar("Done")
Given = ParamSpec("Given")


class Standing:
    """What could not be kept or written; it stays on screen until it is dealt with."""

    def __init__(self, bench: Workbench, *, turned: Callable[[], object]) -> None:
        """`turned` shows anew what the header says of it."""
        self._bench = bench
        self._turned = turned
        self.refused = ""
        """Why what was done last could not be kept."""
        self.unwritten = ""
        """Why the audit file could not be written, by itself or when a person asked for it."""
        self._failed_save = ""
        """The same, of the last time that a person asked for it."""

    def not_kept(self, why: str) -> None:
        """Notes why nothing can be kept; "" where it can be again."""
        self.refused = why
        self._turned()

    def written(self, why_not: str, *, asked: bool) -> None:
        """Notes that the audit was written, or why not; `asked` where a person asked for it."""
        self.unwritten = why_not
        if asked or not why_not:
            self._failed_save = why_not
        self._turned()

    @property
    def trouble(self) -> str:
        """The sentence that stays on screen; "" where all is kept and written."""
        if not self.refused:
            return self._failed_save
        out = "Make room and do it again"
        if self._bench.lost:
            out = "Ctrl+S saves everything elsewhere"
        return f"NOT SAVED: {self.refused}. {out}; nothing was changed."


class Requests:
    """The way of every change to the workbench."""

    def __init__(
        self, bench: Workbench, dialogs: Dialogs, standing: Standing, *, why_not: Callable[[], str]
    ) -> None:
        """`why_not` says why nothing can be done just now, or ""."""
        self._bench = bench
        self._dialogs = dialogs
        self._standing = standing
        self._why_not = why_not
        self.acts = Acts(bench)

    def do(
        self, work: Callable[Given, Done], *given: Given.args, **named: Given.kwargs
    ) -> Done | None:
        """Carry out some work with these arguments, or say why not and return None."""
        why_not = self._why_not()
        if why_not:
            self._dialogs.say(why_not)
            return None
        try:
            done = work(*given, **named)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return None
        except NotKept as refusal:
            self.not_kept(str(refusal))
            return None
        if self._standing.refused:
            self.not_kept("")
        return done

    def not_kept(self, why: str) -> None:
        """Show why nothing can be kept, until it is dealt with; "" where it can be again."""
        self._standing.not_kept(why)
        self._dialogs.say(self._standing.trouble)

    def may_change(self) -> bool:
        """Return whether this session may change anything; say so if not."""
        if self._bench.readonly:
            self._dialogs.say(READS)
        return not self._bench.readonly
