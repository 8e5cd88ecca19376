"""The settings of the screen, as commands that open it take them."""

import argparse


def describe(command: argparse.ArgumentParser) -> None:
    """The settings of the screen.

    Each left out is None, so that the environment and config.toml are asked.
    """
    group = command.add_argument_group(
        "the screen", "saved for good with `appellate config KEY VALUE`"
    )
    group.add_argument(
        "--theme", metavar="NAME", help="a bundled theme or one of your themes folder"
    )
    group.add_argument("--keymap", metavar="KEYS", help="your keys: a preset (azerty) or a file")
    group.add_argument("--view", metavar="VIEW", help="buckets or checklist")
    group.add_argument("--markdown", metavar="FACE", help="rendered or raw")
    group.add_argument(
        "--order", metavar="ORDER", help="of the queue: loaded, unreviewed, failed, lowest, random…"
    )
    group.add_argument("--seed", type=int, metavar="N", help="which random order")
    _switch(group, "--ascii", "marks of plain ASCII")
    _switch(group, "--plain", "for screen readers and slow lines: one column, no frames")
    _switch(group, "--reduced-motion", "nothing moves or blinks")
    _switch(group, "--mouse", "listen to the mouse, or leave it to the terminal")


def _switch(group: argparse._ArgumentGroup, name: str, text: str) -> None:
    group.add_argument(name, action=argparse.BooleanOptionalAction, default=None, help=text)
