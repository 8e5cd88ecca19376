"""Counts the words of the manual: `python tests/manual_words.py` lists them by page.

Tables that the program fills and blocks of code are not counted, nor are the bars and dashes of
other tables: a word has a letter or a digit. `code_after` has an example for a test that runs it.
"""

import re

from appellate.manual import FOLDER, TOPICS
from manual_tables import TABLE

_CODE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"\S*\w\S*")


def words_of(page: str) -> int:
    """Return the number of words that a person wrote for people, of a page as its file has it."""
    return len(_WORD.findall(_CODE.sub("", TABLE.sub("", page))))


def words_by_topic() -> dict[str, int]:
    """Return the number of words of every page."""
    return {
        topic: words_of((FOLDER / f"{topic}.md").read_text("utf-8")) for topic in TOPICS
    }


def code_after(mark: str, topic: str) -> str:
    """Return the block of code that follows a comment of a page."""
    page = (FOLDER / f"{topic}.md").read_text("utf-8")
    _, _, block = page.partition(f"{mark}\n```python\n")
    return block.partition("```\n")[0]


if __name__ == "__main__":
    counts = words_by_topic()
    for topic, count in counts.items():
        print(f"{count:6} {topic}")
    print(f"{sum(counts.values()):6}")
