"""Where copied words go: the clipboard of the terminal, the buffer of tmux or GNU screen, a file.

A terminal is only asked to take words (OSC 52): whether it did, nobody answers. tmux with its
defaults and GNU screen keep the question to themselves, but have a buffer of their own, which a
command of theirs fills. Where no such way is sure the words are kept in a file, too.
"""

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from platformdirs import user_state_path

from appellate.core.problem import many

SECONDS = 2.0
"""How long tmux or GNU screen may take to answer."""
PRIVATE = 0o600
LONG = 75_000
"""Characters beyond which many terminals refuse what is copied."""
TMUX = (("tmux", "load-buffer", "-w", "-"), ("tmux", "load-buffer", "-"))
"""The commands that fill tmux' buffer; `-w`, from 3.2 on, sends it on to the terminal, too."""


def kept_file() -> Path:
    """Return where words are kept that perhaps reach no clipboard."""
    return user_state_path("appellate") / "copied.txt"


class Clipboard:
    """Hands words on; `send` asks the terminal, `environment` tells what one sits in."""

    def __init__(
        self,
        send: Callable[[str], object],
        environment: Mapping[str, str],
    ) -> None:
        """Keep `send`, which gives a text to the terminal, and the environment variables.

        They tell whether this is tmux, GNU screen, or a console without a clipboard.
        """
        self._send = send
        self._environment = environment

    async def copy(self, label: str, text: str) -> str:
        """Copy a text, and return a sentence that says where it is, or who may have taken it.

        `label` names the text in that sentence. tmux and GNU screen fill their own buffer, and
        other terminals are asked to take the text, if they can. It is also written into a file if a
        buffer cannot be filled, if the console has no clipboard, and if a terminal was asked to
        take more than `LONG` characters. Raises nothing.
        """
        size = many(len(text), "character")
        if self._environment.get("TMUX"):
            self._send(text)
            for command in TMUX:
                if await _succeeds(command, text):
                    return (
                        f"Copied {label}: {size}. tmux has it (prefix ] pastes) and was asked to "
                        "send it on."
                    )
            return _with_file(
                f"Sent {label} to the terminal: {size}. tmux lets it pass only with "
                "set-clipboard on.",
                text,
            )
        screen_session = self._environment.get("STY")
        if screen_session:
            return await self._copy_in_screen(screen_session, label, text)
        if self._environment.get("TERM") == "linux":
            return _with_file(f"This console has no clipboard for {label}.", text)
        self._send(text)
        sentence = f"Sent {label} to the terminal: {size}."
        if len(text) > LONG:
            sentence = _with_file(f"{sentence} Many take no more than 75 kB.", text)
        return sentence

    async def _copy_in_screen(self, session_name: str, label: str, text: str) -> str:
        """Copy a text into the buffer of the GNU screen session of this name, and say so.

        The buffer is read from the file for copied texts, which stays. If that fails, the terminal
        is asked to take the text, and the sentence names the file if it could be written. `label`
        names the text.
        """
        path = _write_copied(text)
        if path is not None:
            command = (
                "screen",
                "-S",
                session_name,
                "-X",
                "readbuf",
                "-e",
                "UTF-8",
                str(path),
            )
            if await _succeeds(command, ""):
                size = many(len(text), "character")
                return f"Copied {label}: {size}. C-a ] pastes in GNU screen."
        self._send(text)
        return _with_file(f"GNU screen keeps {label} from the terminal.", text)


def _with_file(sentence: str, text: str) -> str:
    """Write a text into the file for copied texts; return the sentence with its path.

    The path follows after " The words are in ". If the file cannot be written, return the sentence
    as it is.
    """
    path = _write_copied(text)
    return f"{sentence} The words are in {path}" if path else sentence


def _write_copied(text: str) -> Path | None:
    """Write a text into the file for copied texts and return its path; None if that fails.

    The file is new, replaces that of the last text, and can be read by nobody else.
    """
    try:
        path = kept_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
        with os.fdopen(
            opened,
            "w",
            encoding="utf-8",
            errors="replace",
            newline="",
        ) as file:
            file.write(text)
    except (OSError, RuntimeError):  # there is no home, too
        return None
    return path


async def _succeeds(command: tuple[str, ...], text: str) -> bool:
    """Run a command with a text as its input; return whether it is there and succeeded in time.

    It is stopped after `SECONDS`. Its output is dropped. Raises nothing if it cannot be run.
    """
    program = shutil.which(command[0])
    if program is None:
        return False
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            *command[1:],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:  # it may not be run
        return False
    try:
        await asyncio.wait_for(
            process.communicate(text.encode("utf-8", "replace")),
            SECONDS,
        )
    except TimeoutError:
        process.kill()
        await process.wait()
        return False
    except (BrokenPipeError, ConnectionResetError):
        pass
    return await process.wait() == 0
