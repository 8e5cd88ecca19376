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
        """The servers of the models, each once, with commas in between; "" if no model is asked."""
        return ", ".join(dict.fromkeys(member.host for member in self.members))

    @property
    def model(self) -> str:
        """The names of the models, as `names_with_counts` gives them; "" if no model is asked."""
        return names_with_counts(member.name for member in self.members)

    @property
    def known_prompts(self) -> list[Prompts]:
        """The parts of prompts that a cell may have been judged with, the likelier set first.

        The last set has those of `config.toml`, as `configured_prompts` reads them now. If this
        choice asks a model, its own parts come before them.
        """
        configured = configured_prompts()
        if self.members:
            return [self.prompts, configured]
        return [configured]

    @property
    def sends(self) -> bool:
        """Whether asking the judge sends requests over a network; False also without a judge."""
        return bool(self.members)

    @property
    def is_free(self) -> bool:
        """Whether there is a judge that sends nothing."""
        return self.judge is not None and not self.sends

    @property
    def who(self) -> str:
        """The judge in words, such as `gpt-5-mini at api.openai.com`.

        Models at one host are named together, with how often each is asked, and hosts are joined by
        "and": `a, b (2 times) at x.org and c at y.org`. A judge that asks no model is its name
        only, such as `lexical`.
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

    def question(
        self,
        cells: int,
        *,
        requests_to_each: int,
        cost: float | None = None,
        too_long: str = "",
    ) -> str:
        """Return the question to a person before this judge is asked about `cells` cells.

        An example is `Ask a, b at x.org about 3 cells (6 requests, about 0.20 by your prices, 2 too
        long)?`; one cell is called "this cell". `requests_to_each` is the number of requests that
        each model gets about all these cells. That of all requests is in the question only if it is
        larger than `cells`. `cost` is that of all the cells, in the user's currency, or None if not
        known. `too_long` is the number of requests that are too long for a model, as text such as
        "50 or more", or "".
        """
        about = "this cell" if cells == 1 else f"{cells} cells"
        details = []
        requests = requests_to_each * len(self.members)
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
    """Return the parts of prompts in `config.toml`, or {} if they cannot be used.

    That is so if there is no such file, or if the file or a part has errors, which other commands
    report.
    """
    with suppress(Unusable):
        parts: Prompts = settings.config().get("prompts", {})
        if parts and not list(faults(parts)):
            return parts
    return {}


def sends_nothing(name: str) -> bool:
    """Return whether a judge of this name sends nothing.

    Such names are "lexical", "recorded", and "lexical:" with a share of words above 0 and up to 1,
    as in "lexical:0.5". Any other name is that of a model or a profile.
    """
    return name in OFFLINE or _share_in(name) is not None


def _share_in(name: str) -> float | None:
    """Return the share of words in a name such as "lexical:0.5", or None for any other name.

    It is above 0 and at most 1. A name with another number, as "lexical:0" or "lexical:2", has
    none.
    """
    setting = _LEXICAL_SHARE.fullmatch(name)
    if setting is None or not float(setting[1]):
        return None
    return float(setting[1])


def offline_judge(name: str) -> "Judge":
    """Return the judge of this name that sends nothing.

    For "recorded" it looks up recorded labels, and for any other name it compares words. The share
    of words that must be found is the one in the name, above 0 and at most 1, as in "lexical:0.5".
    By a name without such a number, as "lexical" or "lexical:2", it is the share that each kind
    has.
    """
    from appellate.judges.offline import Lexical, Recorded

    if name == "recorded":
        return Recorded()
    return Lexical(_share_in(name))


def names_with_counts(names: Iterable[str]) -> str:
    """Return names as one text with commas, each once, such as `a, b (3 times)`.

    They are in the order in which they first come. The text is "" for no names.
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
    its key. Without either judge it is recorded labels if the traces have any, or else word
    overlap. If the workspace's judge is a model, `judge` is None: it is asked again only if the
    command line names it. `workspace` is the file in which a model's replies are saved, unless the
    options or settings name another or none. No key is needed without `sending`. Raises Refused for
    options that do not go together, and Refused or Unusable for a model that cannot be asked.
    """
    names = _option_values(options.get("judge"))
    models = _option_values(options.get("model"))
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
    """Return whether the options of a command line name a model, or a judge that asks one.

    Any judge does that `sends_nothing` does not know, also one that does not exist. Options without
    a model and a judge name none.
    """
    if _option_values(options.get("model")):
        return True
    return not all(map(sends_nothing, _option_values(options.get("judge"))))


def _option_values(value: str | Sequence[str] | None) -> list[str]:
    """Return the values of an option that may be repeated, or [] if it was not given.

    One text is a list with that text.
    """
    if isinstance(value, str):
        return [value]
    return list(value or ())


def _offline(name: str) -> JudgeChoice:
    """Return the choice of a judge that sends nothing, by its name as `offline_judge` takes it."""
    return JudgeChoice(name, offline_judge(name), concurrency=AT_ONCE)
