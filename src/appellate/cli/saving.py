"""Writing the audit at the end of a command."""

from appellate.cli.outcome import say, telling
from appellate.session.workbench import Workbench
from appellate.store.audits.audit_sync import NotWritten


def is_saved(bench: Workbench) -> bool:
    """Writes the audit file; says so where it cannot be, and how things stand then."""
    try:
        with telling("Writing the audit") as on_progress:
            bench.save(on_progress)
    except NotWritten as refusal:
        say(refusal, bench.standing)
        return False
    return True
