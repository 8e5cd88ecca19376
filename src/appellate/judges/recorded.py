"""Labels that came with the traces: they need no model."""

from appellate.core.briefing import UNBRIEFED, Briefing
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.judge import JudgeRecord, NotRecorded, Proposal

_LISTS = ("tp", "fn", "fp", "tn", "items")
_KNOWN = ("parameters", "prompt_sha256", "tokens_in", "tokens_out", "cost", "latency")


class Recorded:
    """Proposes `trace.judgments`, with what it says about the model behind them."""

    name = "recorded"

    async def judge(self, subject: Subject, trace: Trace, briefing: Briefing = UNBRIEFED) -> Proposal:  # noqa: ARG002
        return self.proposal(subject, trace)

    def proposal(self, subject: Subject, trace: Trace) -> Proposal:
        """What the trace brought for the cell's trait; raises NotRecorded where that is nothing."""
        name = subject.trait.name
        table = trace.judgments.get(name)
        if table is None:
            raise NotRecorded(f"Trace {trace.id} brought no labels for {name}.")
        known = {key: table[key] for key in _KNOWN if key in table}
        record = JudgeRecord(self.name, model=table.get("model") or table.get("name"), **known)
        return Proposal({key: table.get(key, []) for key in _LISTS}, record)

    async def close(self) -> None:
        """Holds nothing."""
