"""What a person prefers: the command line, then the environment, then `config.toml`, then the machine."""

import getpass
import os
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from appellate.core.problem import Problem, Unusable

KEYS = ("reviewer", "theme")


def folder() -> Path:
    """Where `config.toml` and `themes/` are looked for: `APPELLATE_CONFIG`, else the system's place."""
    told = os.environ.get("APPELLATE_CONFIG")
    return Path(told) if told else user_config_path("appellate")


def config(path: Path | None = None) -> dict[str, Any]:
    """The config file's settings, {} where there is none; raises Unusable where it is wrong."""
    path = path or folder() / "config.toml"
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Unusable([Problem(str(path), "", f"cannot be read: {error}")]) from error
    wrong = [
        Problem(str(path), key, "is not a setting", f"known are {', '.join(KEYS)}") for key in found if key not in KEYS
    ]
    wrong += [Problem(str(path), key, "is not a text") for key in KEYS if not isinstance(found.get(key, ""), str)]
    if wrong:
        raise Unusable(wrong)
    return found


def reviewer(given: str | None, settings: Mapping[str, Any]) -> str:
    """Who reviews: as given, `APPELLATE_REVIEWER`, the config file, git's user.name, the login name."""
    sources: Iterator[Callable[[], str]] = iter(
        [
            lambda: given or "",
            lambda: os.environ.get("APPELLATE_REVIEWER", ""),
            lambda: settings.get("reviewer", ""),
            _git_name,
            _login,
        ]
    )
    return next((name for source in sources if (name := _clean(source()))), "reviewer")


def _clean(name: str) -> str:
    """A name on one line, without bytes that were no UTF-8 in the environment."""
    return " ".join(name.encode(errors="replace").decode().split())


def _git_name() -> str:
    try:
        told = subprocess.run(
            ["git", "config", "user.name"],  # noqa: S607 - the person's own git
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=2,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
