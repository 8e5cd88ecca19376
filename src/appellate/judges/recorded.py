"""Labels that came with the traces: they need no model."""

from typing import Any

from appellate.core.trace import Trace
from appellate.judges.judge import JudgeRecord, NotRecorded, Proposal

_LISTS = ("tp", "fn", "fp", "tn", "items")
_ASIDE = (*_LISTS, "name", "model")


class Recorded:
    """Proposes `trace.judgments`; what else stands there (model, tokens …) is kept in the record."""

    name = "recorded"

    async def judge(self, trait: Any, trace: Trace) -> Proposal:
        table = trace.judgments.get(trait.name)
        if table is None:
            raise NotRecorded(f"Trace {trace.id} brought no labels for {trait.name}.")
        aside = {key: value for key, value in table.items() if key not in _ASIDE}
        record = JudgeRecord(self.name, model=table.get("model") or table.get("name"), parameters=aside)
        return Proposal({key: table.get(key, []) for key in _LISTS}, record)

    async def close(self) -> None:
        """Holds nothing."""
