"""Who acts by a command: the reviewer of the settings, or an agent that `--agent` names.

Nothing is told by a guess. Only a reviewer whose name is that of a model or an agent is asked
about, once for each workspace.
"""

import argparse
import re
import shlex

from msgspec import Struct

from appellate.cli.outcome import can_ask, is_confirmed
from appellate.core.inert import in_unicode
from appellate.core.problem import quoted
from appellate.session import settings
from appellate.store import meta
from appellate.store.files.text_file import unusable
from appellate.store.workspace import Workspace

_OF_MODELS = re.compile(
    r"(?i)(?:chat)?gpt\b|claude\b|codex\b|command-r|copilot\b|cursor\b|deepseek|devin\b|gemini\b"
    r"|gemma\b|glm\b|grok\b|kimi\b|llama|mi[sx]tral|o[1-9]\b|phi-?\d|qwen",
)
_AGENTS = re.compile(
    r"(?i)\b(?:agent|assistant|bot|judge|llm|model)s?\b"
    r"|(?:auto|chat|check|code|eval|judge|review|test)bot\b",
)


class Actor(Struct, frozen=True):
    """Who acts by a command."""

    name: str
    """The name that facts are by; "" where a command has no reviewer."""
    as_agent: bool = False
    """Whether it is an agent, and no person."""


def acting(arguments: argparse.Namespace) -> Actor:
    """Return who acts by the options of a command.

    It is the agent that --agent names, with single spaces in the name. Else it is the reviewer of
    the settings, whose name is "" for a command that has no option --reviewer. Raises Unusable for
    an agent without a name, for both options at once, and for settings that cannot be read.
    """
    agent = getattr(arguments, "agent", None)
    if agent is not None:
        if getattr(arguments, "reviewer", None):
            raise unusable(
                "--agent",
                "is given beside --reviewer",
                "one of them acts: leave one",
            )
        name = " ".join(in_unicode(agent).split())
        if not name:
            raise unusable("--agent", "has no name", "name the agent: --agent claude")
        return Actor(name, as_agent=True)
    if "reviewer" not in arguments:
        return Actor("")
    return Actor(settings.load(vars(arguments)).settings.reviewer)


def person(arguments: argparse.Namespace, does: str) -> Actor:
    """Return the reviewer of the settings, who acts by a command that agents may not give.

    Their name is "" for a command that has no option --reviewer. Raises Unusable if --agent names
    an agent, with a sentence that only a person does what `does` says: "rules blind". Raises
    Unusable also for --agent beside --reviewer, and for settings that cannot be read.
    """
    actor = acting(arguments)
    if actor.as_agent:
        wrong = f"only a person {does}"
        raise unusable("--agent", wrong, "leave --agent out, and let a person do it")
    return actor


def is_named_like_model(name: str) -> bool:
    """Return whether a name begins like that of a model, or has a word such as "agent" or "bot".

    "GPT-4", "claude" and "review bot" are such names, "Bob" and "Claudette" are none. Case and
    blanks around it do not count. It may be a person's name anyway, as Claude is.
    """
    return bool(_OF_MODELS.match(name.strip()) or _AGENTS.search(name))


def check_is_person(actor: Actor, workspace: Workspace) -> None:
    """Ask whether a reviewer with the name of a model or an agent is a person, once a workspace.

    Returns without a question for any other name, for an agent, in a workspace that is only read,
    and if the answer was yes before. The question is asked at the terminal, and the answer yes is
    saved in the workspace; raises NotKept if that fails. Raises Unusable for any other answer,
    which is not saved, and if nobody can be asked.
    """
    if actor.as_agent or workspace.readonly or not is_named_like_model(actor.name):
        return
    if workspace.meta(meta.person(actor.name)) == "yes":
        return
    name = quoted(actor.name)
    question = f"{name} is the name of a model or an agent. Is a person of this name reviewing?"
    if can_ask() and is_confirmed(question):
        workspace.set_meta(meta.person(actor.name), "yes")
        return
    wrong = (
        f"{name} is the name of a model or an agent, and nobody said that a person acts"
    )
    agent = shlex.quote(actor.name)
    right = (
        f"for an agent: --lines --agent {agent}; a person is asked once, at a terminal"
    )
    raise unusable("--reviewer", wrong, right)
