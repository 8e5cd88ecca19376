"""The judge that a command line or an earlier session asks for, and what asking it involves.

`choose()` is called by each command that may judge. Models are planned in `planning`, which is
imported only for them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from appellate.core.describe import LEXICAL
from appellate.core.problem import Refused, Unusable
from appellate.session import settings
from appellate.store import meta
from appellate.traits.prompts import Prompts, faults

if TYPE_CHECKING:
    from appellate.judges.openai import OpenAIJudge
    from appellate.judges.proposal import Judge
    from appellate.judging.planning import Plan


OFFLINE = (LEXICAL, "recorded")
"""Judges that send nothing, by their names without settings."""
_LEXICAL_SHARE = re.compile(rf"{LEXICAL}:(0?\.\d+|1(?:\.0+)?)", re.ASCII)
"""The name of the judge that compares words, with the share of them that must be found."""
AT_ONCE = 4
"""Cells that are compared or computed at once: some go on while the labels of others are saved."""
LEAST = 0.01
"""The smallest cost that is shown as a number, in the user's currency."""


class JudgeChoice(Struct, frozen=True):
    """The judge of a session or a command, and what asking it involves."""

    name: str
    judge: "Judge | None"
    """None if an earlier session asked a model, and this one was not told to ask it."""
    concurrency: int = 8
    """Cells that are asked about at once."""
    members: "tuple[OpenAIJudge, ...]" = ()
    """The models that are sent requests."""
    prompts: Prompts = field(default_factory=dict)
    """Parts of prompts, which have precedence over those of a rubric."""
    few_shot: int = 0
    """Examples in each prompt."""
    plan: "Plan | None" = None
    """Lets another process make the same choice; None if no model is asked."""
    code: tuple[str, ...] | None = None
    """Folders in which other people's code is searched; None if it may not run."""

    @property
    def host(self) -> str:
        """The servers of the models, each once."""
        return ", ".join(dict.fromkeys(member.host for member in self.members))

    @property
    def model(self) -> str:
        """The names of the models, each once."""
        return names_with_counts(member.name for member in self.members)

    @property
    def known_prompts(self) -> list[Prompts]:
        """Parts of prompts that a cell may have been judged with, the current ones first.

        Those of `config.toml` come second. They are first, too, if this choice asks no model and
        has no parts.
        """
        configured = configured_prompts()
        if self.members:
            return [self.prompts, configured]
        return [self.prompts or configured, configured]

    @property
    def sends(self) -> bool:
        """Whether the judge sends requests over a network."""
        return bool(self.members)

    @property
    def is_free(self) -> bool:
        """Whether there is a judge that sends nothing."""
        return self.judge is not None and not self.sends

    @property
    def who(self) -> str:
        """The judge in words, such as `gpt-5-mini at api.openai.com`.

        Models at one host are named together, and hosts are joined by "and". A judge that asks no
        model is its name only.
        """
        if not self.members:
            return self.name
        models_by_host: dict[str, list[str]] = {}
        for member in self.members:
            models_by_host.setdefault(member.host, []).append(member.name)
        texts = [
            f"{names_with_counts(models)} at {host}"
            for host, models in models_by_host.items()
        ]
        return " and ".join(texts)

    def requests(self, cells: int) -> int:
        """Return the number of requests about so many cells, if every first reply can be used."""
        return cells * max(1, len(self.members))

    def question(
        self,
        cells: int,
        cost: float | None = None,
        too_long: str = "",
    ) -> str:
        """Return the question to a person before anything is sent about `cells` cells.

        `cost` is that of all the cells, or None if not known. It is mentioned if it is known, and
        the number of requests if there are more of them than cells. `too_long` says in words how
        many requests no model takes, or is "".
        """
        about = "this cell" if cells == 1 else f"{cells} cells"
        details = []
        requests = self.requests(cells)
        if requests > cells:
            details.append(f"{requests} requests")
        if cost is not None:
            cost_text = f"less than {LEAST}" if cost < LEAST else f"about {cost:.2f}"
            details.append(f"{cost_text} by your prices")
        if too_long:
            details.append(f"{too_long} too long")
        if details:
            details_text = ", ".join(details)
            about += f" ({details_text})"
        return f"Ask {self.who} about {about}?"


def configured_prompts() -> Prompts:
    """Return the parts of prompts in `config.toml`.

    They are none if there is no such file, or if it has errors, which other commands report.
    """
    with suppress(Unusable):
        parts: Prompts = settings.config().get("prompts", {})
        if parts and not list(faults(parts)):
            return parts
    return {}


def sends_nothing(name: str) -> bool:
    """Return whether a judge of this name sends nothing: one of `OFFLINE`, or as "lexical:0.5"."""
    return name in OFFLINE or _share_in(name) is not None


def _share_in(name: str) -> float | None:
    """Return the share of words in a name such as "lexical:0.5"; None for any other name.

    It is above 0 and at most 1.
    """
    setting = _LEXICAL_SHARE.fullmatch(name)
    if setting is None or not float(setting[1]):
        return None
    return float(setting[1])


def local(name: str) -> "Judge":
    """Return the judge of this name that sends nothing.

    It is recorded labels for "recorded", and word overlap for any other name: with the share of
    words that it says, as "lexical:0.5" does, else with that of each kind.
    """
    from appellate.judges.offline import Lexical, Recorded

    if name == "recorded":
        return Recorded()
    return Lexical(_share_in(name))


def names_with_counts(names: Iterable[str]) -> str:
    """Return names in one text, each once, such as `a, b (3 times)`.

    They are in the order in which they first come; "" for none.
    """
    texts: list[str] = []
    for name, times in Counter(names).items():
        text = name
        if times > 1:
            text = f"{name} ({times} times)"
        texts.append(text)
    return ", ".join(texts)


# -- choosing -------------------------------------------------------------------------------------


_FOR_MODELS = ("times", "base_url", "api_key_env", "rpm", "tpm", "prompt", "few_shot")
"""Options that are only for models."""


def choose(
    options: Mapping[str, Any],
    workspace_meta: Callable[[str], str | None],
    *,
    workspace: Path | None = None,
    sending: bool = True,
) -> JudgeChoice:
    """Return the judge that a command line names, or else the one of the workspace.

    `options` are those of the command line, and `workspace_meta` reads a value of the workspace by
    its key. Without either judge the traces decide: recorded labels if they have any, or else word
    overlap. If the workspace's judge is a model, it is not asked again: `judge` is None until the
    command line names it.

    `workspace` is the file in which replies are saved, if no option names another. Without
    `sending` no key is needed. Raises Refused for options that do not go together, among them those
    of models without a model. Raises Refused or Unusable for a model that cannot be asked.
    """
    names = _texts(options.get("judge"))
    models = _texts(options.get("model"))
    if names_a_model(options):
        from appellate.judging import planning  # servers, keys and profiles

        return planning.choice_of_models(
            names,
            models,
            options,
            workspace,
            sending=sending,
        )
    for option in _FOR_MODELS:
        if options.get(option) is not None:
            option_text = option.replace("_", "-")
            raise Refused(
                f"--{option_text} needs a model: name one with --model or --judge.",
            )
    if len(names) > 1:
        raise Refused("A panel needs a model: name one with --model or --judge.")
    if names:
        return _offline(names[0])
    saved_name = workspace_meta(meta.JUDGE)
    if saved_name and not sends_nothing(saved_name):
        return JudgeChoice(saved_name, None)
    if not saved_name and workspace_meta(meta.RECORDED):
        saved_name = "recorded"
    return _offline(saved_name or "lexical")


def names_a_model(options: Mapping[str, Any]) -> bool:
    """Return whether the options of a command line name a model, or a judge that asks one."""
    if _texts(options.get("model")):
        return True
    return not all(map(sends_nothing, _texts(options.get("judge"))))


def _texts(value: str | Sequence[str] | None) -> list[str]:
    """Return the values of an option that may be repeated; [] if it was not given."""
    if isinstance(value, str):
        return [value]
    return list(value or ())


def _offline(name: str) -> JudgeChoice:
    """Return the choice of a judge that sends nothing."""
    return JudgeChoice(name, local(name), concurrency=AT_ONCE)
