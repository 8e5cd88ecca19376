"""Writes the man page from the table of commands: `python tests/man_page.py` after a change of one."""

import argparse
from collections.abc import Iterator

from appellate.cli.arguments import DESCRIPTION, parser
from appellate.manual import FOLDER, TOPICS, summary
from manual_tables import meaning, subcommands

PAGE = FOLDER / "appellate.1"
HEAD = r""".TH APPELLATE 1 "" appellate "User Commands"
.SH NAME
appellate \- check an LLM judge item by item
.SH SYNOPSIS
.B appellate
.I COMMAND
.RI [ OPTION ]...
.SH DESCRIPTION
"""
FOOT = r""".SH EXIT STATUS
.TP
0
done
.TP
1
done, but something failed
.TP
2
unusable input or arguments
.TP
130
interrupted
.PP
.B appellate gate
ends with 0 (reached), 1 (not reached) or 3 (undecided).
.SH ENVIRONMENT
.TP
.B OPENAI_API_KEY
the key for OpenAI's server
.TP
.B APPELLATE_CONFIG
the folder of config.toml
.TP
.B APPELLATE_REVIEWER
who reviews; every other setting likewise
.TP
.B NO_COLOR
no colours
"""


def page() -> str:
    """The man page, as roff."""
    lines = [HEAD + roff(DESCRIPTION), ".SH COMMANDS"]
    lines += commands("appellate", parser())
    lines += [".SH MANUAL", "Pages that", ".B appellate help", ".I PAGE", "shows:"]
    for topic in TOPICS:
        lines += [".TP", rf"\fB{topic}\fR", roff(summary(topic))]
    return "\n".join(lines) + "\n" + FOOT


def commands(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    for called, below in subcommands(command).items():
        whole = f"{name} {called}"
        yield from (f".SS {roff(whole)}", roff(below.description or ""))
        for option in below._actions:
            if option.dest in ("help", "action"):
                continue
            yield from (".TP", spelled(option), roff(meaning(option)))
        yield from commands(whole, below)


def spelled(option: argparse.Action) -> str:
    names = ", ".join(rf"\fB{roff(name)}\fR" for name in option.option_strings)
    value = (
        "|".join(map(str, option.choices or ()))
        or option.metavar
        or option.dest.upper()
    )
    if option.nargs == 0:
        return names
    return rf"{names} \fI{roff(str(value))}\fR".strip()


def roff(text: str) -> str:
    """Text with what roff would take for its own escaped."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
