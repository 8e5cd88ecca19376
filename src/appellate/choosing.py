"""Which judge a command line, a profile or an earlier session asks for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from appellate.core.refused import Refused
from appellate.judges.endpoint import Endpoint
from appellate.judges.judge import Judge


@dataclass(frozen=True, slots=True)
class Choice:
    """Which judge, and what asking it takes; `judge` is None where none may be asked unasked."""

    name: str
    judge: Judge | None
    host: str = ""
    model: str = ""
    concurrency: int = 8

    @property
    def sends(self) -> bool:
        """Whether it sends requests over a network."""
        return bool(self.host)


def choose(given: Mapping[str, Any], workspace_meta: Callable[[str], str | None]) -> Choice:
    """The judge that a command line asks for, else the one this workspace had, else what the traces allow.

    A workspace whose judge sent requests gets no judge on reopening: that takes words on the command
    line. Raises Refused where the endpoint cannot be used.
    """
    given = {key: value[0] if isinstance(value, list) else value for key, value in given.items()}
    name = given.get("judge") or ("openai" if given.get("model") else None)
    if name is None:
        before = workspace_meta("judge")
        if before == "openai":
            return Choice("openai", None)
        name = before or ("recorded" if workspace_meta("recorded") else "lexical")
    return _openai(given) if name == "openai" else Choice(name, _offline(name), concurrency=1)


def _offline(name: str) -> Judge:
    if name == "recorded":
        from appellate.judges.recorded import Recorded

        return Recorded()
    from appellate.judges.lexical import Lexical

    return Lexical()


def _openai(given: Mapping[str, Any]) -> Choice:
    from appellate.judges.openai import OpenAIJudge

    if not given.get("model"):
        raise Refused("Which model? Name it with --model.")
    endpoint = Endpoint(given["model"], given.get("base_url"), given.get("api_key_env"), float(given.get("timeout") or 120))
    judge = OpenAIJudge(endpoint)
    return Choice("openai", judge, judge.host, endpoint.model, int(given.get("concurrency") or 8))
