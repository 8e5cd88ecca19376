"""Where copied words go: a terminal that takes them, tmux and GNU screen with their defaults, a file."""

import os
import shutil
import subprocess

import pytest
from review_stage import sitting

from appellate.app.clipboard import LONG, Clipboard, kept_file
from terminal import APPELLATE, Terminal

WORDS = "“two lines”;\n\x1b]0;$(id) 'and' `more`\x07 测试"


@pytest.fixture(autouse=True)
def _own_places(tmp_path, monkeypatch):
    """Programs and kept words of this test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "bin").mkdir()
    for name in ("TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)


def program(tmp_path, name, body):
    path = tmp_path / "bin" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


async def copied(**environment):
    """What is said of copied words, and what the terminal was sent."""
    sent = []
    said = await Clipboard(sent.append, {"TERM": "xterm", **environment}).copy(
        "the item",
        WORDS,
    )
    return said, sent


async def test_a_terminal_is_sent_the_words_and_nobody_says_that_it_took_them():
    said, sent = await copied()
    assert said == f"Sent the item to the terminal: {len(WORDS)} characters."
    assert sent == [WORDS]
    assert not kept_file().exists()


async def test_tmux_gets_the_words_as_they_are_in_its_buffer_and_is_asked_to_send_them_on(
    tmp_path,
):
    program(tmp_path, "tmux", f'echo "$@" > {tmp_path}/asked; cat > {tmp_path}/got')
    said, _ = await copied(TMUX="default,1,0")
    assert said == (
        f"Copied the item: {len(WORDS)} characters. tmux has it (prefix ] pastes) and was asked to "
        "send it on."
    )
    assert (tmp_path / "got").read_text() == WORDS
    assert (tmp_path / "asked").read_text() == "load-buffer -w -\n"


async def test_an_old_tmux_that_sends_nothing_on_gets_them_all_the_same(tmp_path):
    program(tmp_path, "tmux", f'[ "$2" = -w ] && exit 1; cat > {tmp_path}/got')
    assert (await copied(TMUX="x"))[0].startswith("Copied the item")
    assert (tmp_path / "got").read_text() == WORDS


@pytest.mark.parametrize("body", ["exit 1", None])
async def test_where_tmux_takes_nothing_the_words_are_in_a_file_of_ones_own(
    tmp_path,
    body,
):
    program(tmp_path, "tmux", body or "")
    if body is None:
        (tmp_path / "bin" / "tmux").write_bytes(b"\x7fELF no program")
    said, sent = await copied(TMUX="x")
    assert said == (
        f"Sent the item to the terminal: {len(WORDS)} characters. tmux lets it pass only with "
        f"set-clipboard on. The words are in {kept_file()}"
    )
    assert sent == [WORDS]
    assert kept_file().read_text() == WORDS
    assert kept_file().stat().st_mode & 0o777 == 0o600


async def test_gnu_screen_reads_the_words_from_the_file(tmp_path):
    program(tmp_path, "screen", f'echo "$@" > {tmp_path}/asked')
    said, _ = await copied(STY="12.tty.host")
    assert (
        said == f"Copied the item: {len(WORDS)} characters. C-a ] pastes in GNU screen."
    )
    asked = f"-S 12.tty.host -X readbuf -e UTF-8 {kept_file()}\n"
    assert (tmp_path / "asked").read_text() == asked
    assert kept_file().read_text() == WORDS
    program(tmp_path, "screen", "exit 1")
    said, _ = await copied(STY="12.tty.host")
    assert said == (
        f"GNU screen keeps the item from the terminal. The words are in {kept_file()}"
    )


async def test_a_console_without_a_clipboard_and_words_that_are_too_long_are_kept_in_the_file():
    said, sent = await copied(TERM="linux")
    assert (
        said
        == f"This console has no clipboard for the item. The words are in {kept_file()}"
    )
    assert not sent
    said = await Clipboard(sent.append, {}).copy("the item", "x" * (LONG + 1))
    assert said.endswith(
        f"Many take no more than 75 kB. The words are in {kept_file()}",
    )


async def test_where_no_file_can_be_written_nothing_is_said_of_one(tmp_path):
    (tmp_path / "state").write_text("no folder")
    assert (await copied(TERM="linux"))[
        0
    ] == "This console has no clipboard for the item."


async def test_the_key_says_where_the_words_are(tmp_path, monkeypatch):
    program(tmp_path, "tmux", f"cat > {tmp_path}/got")
    monkeypatch.setenv("TMUX", "x")
    async with sitting(tmp_path, at=2) as at:
        await at.press("y", "enter")
        await at.until(
            lambda: at.said.startswith("Copied the item: 30 characters. tmux has it"),
        )
    assert (tmp_path / "got").read_text() == "BCL2 is an anti-apoptotic gene"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here")
def test_words_copied_in_a_real_tmux_with_its_defaults_are_in_its_buffer(tmp_path):
    tmux = ["tmux", "-L", "copying", "-f", "/dev/null"]
    env = {**os.environ, "TMUX_TMPDIR": str(tmp_path)}
    try:
        with Terminal(
            [*tmux, "new-session", *APPELLATE, "demo", "--folder", tmp_path],
            env=env,
        ) as at:
            at.wait("reviewed 0/")
            at.send("y")
            at.wait("Enter takes it")
            at.send("enter")
            at.wait("tmux has it")
            shown = subprocess.run(
                [*tmux, "show-buffer"],
                env=env,
                capture_output=True,
                check=True,
            )
        assert shown.stdout == b"BCL2 is an anti-apoptotic gene"
    finally:
        subprocess.run(
            [*tmux, "kill-server"],
            env=env,
            capture_output=True,
            check=False,
        )
