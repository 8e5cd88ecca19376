"""Fills the manual's tables from the program: `python tests/manual_tables.py` after a change of a key,
an option, a setting, a query field, a metric or a command.

A table is between `<!-- table: NAME -->` and `<!-- end -->` in a page.
"""

import argparse
import re
from collections.abc import Callable, Iterable, Iterator

import tomli_w

from appellate.app.keys.bindings import pane_of
from appellate.cli.arguments import parser
from appellate.core.kind import Measure
from appellate.interop.table_map import FIELDS, TRAIT_KEYS
from appellate.linear.linear_session import BESIDES
from appellate.manual import FOLDER, TOPICS
from appellate.query.language import Vocabulary, fields
from appellate.session import settings
from appellate.traits import metric
from appellate.traits.grounding import measures as grounding
from appellate.traits.kinds import kinds
from appellate.traits.pairwise.spec import PairwiseRubricTrait
from appellate.traits.steps import measures as steps
from appellate.traits.verdict.kind import MEASURES
from appellate.traits.verdict.pane_verdict import VerdictPane
from appellate.ui.commands import KEYS
from appellate.ui.key import Key

KINDS = {
    "metric": "Metric",
    "llm": "LLM",
    "callable": "Callable",
    "regex": "Regex",
    "scorer": "Scorer",
    "grounding": "Grounding",
    "steps": "Steps",
    "pairwise": "Pairwise",
}
SCORE = Measure("score", "Score", higher_is_better=None)
MEASURED = {
    "metric": metric._MEASURES.values(),
    "llm": MEASURES.values(),
    "callable": MEASURES.values(),
    "regex": [MEASURES["boolean"]],
    "scorer": [SCORE],
    "grounding": grounding._MEASURES["guide"],
    "steps": steps.MEASURES.values(),
    "pairwise": kinds()["pairwise"].measures(PairwiseRubricTrait(name="better")),
}
"""The measures of each kind, whatever a trait asks for."""
TABLE = re.compile(r"(<!-- table: (.+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def filled(page: str) -> str:
    """A page with its tables as the program has them now."""
    return TABLE.sub(lambda found: found[1] + table(found[2]) + found[4], page)


def table(name: str) -> str:
    """A table by its name: "commands", "options judge", "keys Items" …"""
    what, _, of = name.partition(" ")
    lines = list(TABLES[what](of))
    return "\n".join(lines) + "\n"


def rows(heads: Iterable[str], cells: Iterable[Iterable[str]]) -> Iterator[str]:
    heads = list(heads)
    yield f"| {' | '.join(heads)} |"
    yield f"| {' | '.join('---' for _ in heads)} |"
    for row in cells:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def subcommands(command: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def commands(_: str) -> Iterator[str]:
    found = subcommands(parser()).items()
    yield from rows(
        ("command", "what it does"),
        ((f"`{name}`", one.description) for name, one in found),
    )


def options(of: str) -> Iterator[str]:
    command = parser()
    for name in of.split():
        command = subcommands(command)[name]
    known = [
        one for one in command._actions if one.option_strings and one.dest != "help"
    ]
    yield from rows(
        ("option", "meaning"),
        ((spelled(one), meaning(one)) for one in known),
    )


def spelled(option: argparse.Action) -> str:
    names = ", ".join(f"`{name}`" for name in option.option_strings)
    if option.choices:
        return f"{names} `{'`, `'.join(map(str, option.choices))}`"
    if option.nargs == 0:
        return names
    return f"{names} {option.metavar or option.dest.upper()}"


def meaning(option: argparse.Action) -> str:
    return (option.help or "").replace("%%", "%")


def sections() -> dict[str, list[Key]]:
    """The keys of the product by where they act: a kind of trait, or a group of the screen's."""
    found: dict[str, list[Key]] = {}
    for name in KINDS:
        own = list(pane_of(name).KEYS)
        if VerdictPane.KEYS[0] in own:
            found["verdict"] = list(VerdictPane.KEYS)
        own = [key for key in own if key not in VerdictPane.KEYS]
        if own:
            found[name] = own
    for key in KEYS:
        found.setdefault(key.group, []).append(key)
    return found


def keys(section: str) -> Iterator[str]:
    if section:
        yield from of_keys(sections()[section])
        return
    for name, several in sections().items():
        title = name
        if name in KINDS:
            title = f"{KINDS[name]} traits"
        if name == "verdict":
            title = "LLM, callable, regex and scorer traits"
        elif name in ("llm", "scorer", "pairwise"):
            title += ", beside these"
        yield from (f"## {title}", "", *of_keys(several), "")


def of_keys(several: Iterable[Key]) -> Iterator[str]:
    on_keys = [key for key in several if key.keys]
    yield from rows(
        ("key", "what it does"),
        ((f"`{key.shown}`", does(key)) for key in on_keys),
    )


def on_no_key(_: str) -> Iterator[str]:
    """What can be done by name only: in lists and behind the key for every command."""
    found = [key for several in sections().values() for key in several if not key.keys]
    yield from rows(
        ("command", "what it does", "name in a keymap"),
        ((key.label, does(key), f"`{key.id}`") for key in found),
    )


def does(key: Key) -> str:
    """What a key does, without the kind that help names before it."""
    return key.help.partition(" trait: ")[2] or key.help


def shown_settings(_: str) -> Iterator[str]:
    yield "```toml"
    for name, field in settings.Settings.model_fields.items():
        value = (
            list(field.default) if isinstance(field.default, tuple) else field.default
        )
        yield f"# {field.description}"
        yield tomli_w.dumps({name: value}, multiline_strings=False).rstrip()
    yield "```"


def query_fields(_: str) -> Iterator[str]:
    vocabulary = Vocabulary(
        fields=tuple(field for name in KINDS for field in kinds()[name].fields),
    )
    known = fields(vocabulary).values()
    yield from rows(
        ("field", "finds cells by"),
        ((f"`{one.name}`", one.meaning) for one in known),
    )


def metrics(_: str) -> Iterator[str]:
    found = []
    for name in KINDS:
        for one in MEASURED[name]:
            better = {True: "higher", False: "lower", None: "as the trait says"}[
                one.higher_is_better
            ]
            found.append((f"`{one.name}`", name, better))
    yield from rows(("metric", "kind", "better"), found)


def line_keys(_: str) -> Iterator[str]:
    """What keys do line by line and nowhere else, or do otherwise there."""
    own = [key for key in KEYS if key.lines not in ("", key.help)]
    yield from rows(
        ("key", "what it does"),
        ((f"`{key.shown}`", key.lines) for key in (*BESIDES, *own) if key.keys),
    )


def map_entries(_: str) -> Iterator[str]:
    """Every field and key that `--map` knows."""
    entries = [(f"`{field}`", text) for field, text in FIELDS.items()]
    entries += [(f"`{key}.TRAIT`", text) for key, text in TRAIT_KEYS.items()]
    yield from rows(("entry of `--map`", "says"), entries)


TABLES: dict[str, Callable[[str], Iterator[str]]] = {
    "commands": commands,
    "options": options,
    "keys": keys,
    "on-no-key": on_no_key,
    "line-keys": line_keys,
    "settings": shown_settings,
    "query-fields": query_fields,
    "metrics": metrics,
    "map-entries": map_entries,
}

if __name__ == "__main__":
    for topic in TOPICS:
        path = FOLDER / f"{topic}.md"
        if path.exists():
            path.write_text(filled(path.read_text("utf-8")), encoding="utf-8")
