"""Which judge a command line or an earlier session asks for, and what asking it takes."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from appellate.core.problem import Refused, Unusable
from appellate.session import settings
from appellate.store import meta
from appellate.traits.prompts import Prompts, faults

if TYPE_CHECKING:
    from appellate.judges.openai import OpenAIJudge
    from appellate.judges.proposal import Judge
    from appellate.judging.planning import Plan


OFFLINE = ("lexical", "recorded")
"""Judges that send nothing."""
AT_ONCE = 4
"""Cells that are compared or computed at once, so that some are under way while others are kept."""
LEAST = 0.01
"""The least cost that is given as a number."""


class JudgeChoice(Struct, frozen=True):
    """Which judge, None where none may be asked unasked, and what asking it takes.

    `concurrency` is cells at once, `members` the models that are sent requests, `prompts` go
    before a rubric's, `plan` lets another process make the same choice, `code` are the folders
    in which other people's code is looked for, None where none may run.
    """

    name: str
    judge: "Judge | None"
    concurrency: int = 8
    members: "tuple[OpenAIJudge, ...]" = ()
    prompts: Prompts = field(default_factory=dict)
    few_shot: int = 0
    plan: "Plan | None" = None
    code: tuple[str, ...] | None = None

    @property
    def host(self) -> str:
        return ", ".join(dict.fromkeys(member.host for member in self.members))

    @property
    def model(self) -> str:
        return times_each(member.name for member in self.members)

    @property
    def known_prompts(self) -> list[Prompts]:
        """Parts of prompts that a cell of a rubric may be judged with, those in force first."""
        configured = configured_prompts()
        if self.members:
            return [self.prompts, configured]
        return [self.prompts or configured, configured]

    @property
    def sends(self) -> bool:
        """Whether it sends requests over a network."""
        return bool(self.members)

    @property
    def is_free(self) -> bool:
        """Whether there is a judge, which sends nothing."""
        return self.judge is not None and not self.sends

    @property
    def who(self) -> str:
        """Who is asked, in words: `gpt-5-mini at api.openai.com`."""
        if not self.members:
            return self.name
        models: dict[str, list[str]] = {}
        for member in self.members:
            models.setdefault(member.host, []).append(member.name)
        return " and ".join(f"{times_each(asked)} at {host}" for host, asked in models.items())

    def requests(self, cells: int) -> int:
        """How many requests so many cells are, where every first reply will do."""
        return cells * max(1, len(self.members))

    def question(self, cells: int, cost: float | None = None, too_long: str = "") -> str:
        """What a person is asked before anything is sent.

        `cost` is of all the cells, `too_long` how many of them no model takes, in words.
        """
        text = "this cell" if cells == 1 else f"{cells} cells"
        more = []
        if self.requests(cells) > cells:
            more.append(f"{self.requests(cells)} requests")
        if cost is not None and cost < LEAST:
            more.append(f"less than {LEAST} by your prices")
        elif cost is not None:
            more.append(f"about {cost:.2f} by your prices")
        if too_long:
            more.append(f"{too_long} too long")
        if more:
            text += f" ({', '.join(more)})"
        return f"Ask {self.who} about {text}?"


def configured_prompts() -> Prompts:
    """Return the parts of prompts of `config.toml`; none where there is no such file, or a broken
    one, of which others tell.
    """
    with suppress(Unusable):
        given: Prompts = settings.config().get("prompts", {})
        if given and not list(faults(given)):
            return given
    return {}


def local(name: str) -> "Judge":
    """A judge that sends nothing."""
    from appellate.judges.offline import Lexical, Recorded

    if name == "recorded":
        return Recorded()
    return Lexical()


def times_each(names: Iterable[str]) -> str:
    """Names, each once: `a, b (3 times)`."""
    texts = []
    for name, times in Counter(names).items():
        texts.append(f"{name} ({times} times)" if times > 1 else name)
    return ", ".join(texts)


# -- choosing -------------------------------------------------------------------------------------


_FOR_MODELS = ("times", "base_url", "api_key_env", "rpm", "tpm", "prompt", "few_shot")
"""Options that mean nothing where no model is asked."""


def choose(
    given: Mapping[str, Any],
    workspace_meta: Callable[[str], str | None],
    *,
    workspace: Path | None = None,
    sending: bool = True,
) -> JudgeChoice:
    """The judge of a command line, else of the workspace, else by what the traces allow.

    A workspace whose judge sent requests gets none on reopening: that takes words on the command
    line. Without `sending`, no key is needed and nothing is sent. Raises Refused or Unusable.
    """
    names = _texts(given.get("judge"))
    models = _texts(given.get("model"))
    if names_a_model(given):
        from appellate.judging import planning  # servers, keys and profiles

        return planning.asked(names, models, given, workspace, sending=sending)
    for key in _FOR_MODELS:
        if given.get(key) is not None:
            option = key.replace("_", "-")
            raise Refused(f"--{option} is for a model: name one with --model or --judge.")
    if len(names) > 1:
        raise Refused("A panel has a model on it: name one with --model or --judge.")
    if names:
        return _offline(names[0])
    before = workspace_meta(meta.JUDGE)
    if before and before not in OFFLINE:
        return JudgeChoice(before, None)
    if not before and workspace_meta(meta.RECORDED):
        before = "recorded"
    return _offline(before or "lexical")


def names_a_model(given: Mapping[str, Any]) -> bool:
    """Whether a command line has a model asked."""
    return bool(_texts(given.get("model")) or set(_texts(given.get("judge"))) - set(OFFLINE))


def _texts(value: str | Sequence[str] | None) -> list[str]:
    """An option that may be repeated, each thing once or more."""
    if isinstance(value, str):
        return [value]
    return list(value or ())


def _offline(name: str) -> JudgeChoice:
    return JudgeChoice(name, local(name), concurrency=AT_ONCE)
