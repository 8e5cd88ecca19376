"""Carries out what a reviewer asks for, or says why it cannot be done.

Every change of the review screen goes through `Requests.do`. `Standing` keeps the errors that stay
on screen until they are dealt with.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from appellate.app.dialogs import Dialogs
from appellate.core.problem import KeyNames, Refused, with_keys, wording
from appellate.session.acts import READS, Acts
from appellate.session.workbench import Workbench
from appellate.store.database import NotKept

Done = TypeVar("Done")
Given = ParamSpec("Given")


class Standing:
    """The errors of saving that stay on screen until they are dealt with."""

    def __init__(
        self,
        bench: Workbench,
        *,
        turned: Callable[[], object],
        key_names: Callable[[], KeyNames],
    ) -> None:
        """Begin without an error.

        `turned` is called after each change, to draw the header. `key_names` returns what the
        reviewer calls the keys, by their ids.
        """
        self._bench = bench
        self._key_names = key_names
        self._turned = turned
        self.refused = ""
        """Why the latest act could not be saved in the workspace; "" if it was saved."""
        self.unwritten = ""
        """Why the audit file could not be written the last time; "" if it was written."""
        self._failed_save = ""
        """Why the audit file could not be written when a person last asked for it, or ""."""

    def not_kept(self, reason: str) -> None:
        """Note why nothing can be saved in the workspace, or "" once saving works again.

        The header is drawn again.
        """
        self.refused = reason
        self._turned()

    def written(self, why_not: str, *, was_asked_for: bool) -> None:
        """Note why the audit could not be written, or "" if it was; the header is drawn again.

        `was_asked_for` says that a person asked for it: only then is a failure kept in `trouble`,
        which stays on the screen. A success clears a failure that is there in any case.
        """
        self.unwritten = why_not
        if was_asked_for or not why_not:
            self._failed_save = why_not
        self._turned()

    @property
    def trouble(self) -> str:
        """The sentence that stays on screen; "" if everything is saved and written.

        That the workspace cannot be written comes before a failure to write the audit file. The
        file's failure is told only if a person had asked for it.
        """
        if not self.refused:
            return self._failed_save
        remedy = "Make room and do it again"
        if self._bench.lost:
            saves = "{save:Ctrl+S} saves everything elsewhere"
            remedy = with_keys(saves, self._key_names()) or "Save everything elsewhere"
        return f"NOT SAVED: {self.refused}. {remedy}; nothing was changed."


class Requests:
    """Carries out acts on the workbench, and turns what is refused into a sentence on screen."""

    def __init__(
        self,
        bench: Workbench,
        dialogs: Dialogs,
        standing: Standing,
        *,
        why_not: Callable[[], str],
    ) -> None:
        """Keep the objects that make changes and say what came of them.

        `why_not` returns a sentence why nothing can be done at the moment, or "".
        """
        self._bench = bench
        self._dialogs = dialogs
        self._standing = standing
        self._why_not = why_not
        self.acts = Acts(bench)

    def do(
        self,
        work: Callable[Given, Done],
        *args: Given.args,
        **kwargs: Given.kwargs,
    ) -> Done | None:
        """Call `work` with the arguments that follow it, and return its result.

        If nothing can be done now, or `work` raises Refused or NotKept, say why and return None.
        NotKept leaves an error on the screen, which the next success clears. Other exceptions go
        on.
        """
        why_not = self._why_not()
        if why_not:
            self._dialogs.say(why_not)
            return None
        try:
            result = work(*args, **kwargs)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return None
        except NotKept as refusal:
            self.not_kept(str(refusal))
            return None
        if self._standing.refused:
            self.not_kept("")
        return result

    def not_kept(self, reason: str) -> None:
        """Keep and say why nothing can be saved in the workspace; "" says that saving works again.

        The reason is kept in the header. What is said is the trouble that stays on screen, which is
        "" if there is none.
        """
        self._standing.not_kept(reason)
        self._dialogs.say(self._standing.trouble)

    def may_change(self) -> bool:
        """Return whether this session may change anything; say so if not."""
        if self._bench.readonly:
            self._dialogs.say(READS)
        return not self._bench.readonly
