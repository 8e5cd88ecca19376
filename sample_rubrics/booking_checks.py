"""The functions of booking.rubric.toml. Each gets the text of a response; the last one, by the names
of its parameters, the reference of the question, too.

They are run only with --allow-code, in a process of their own. Read what you allow.
"""

import re
from calendar import day_name, month_name
from datetime import date

DAYS, MONTHS = list(day_name), list(month_name)[1:]
_DATE = re.compile(rf"({'|'.join(DAYS)}),? (\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})")
_MONEY = re.compile(r"€ ?(\d+(?:\.\d\d)?)")


def weekdays_are_right(response: str) -> bool:
    """Whether every "Friday, 4 December 2026" is a Friday; dates in other words it does not see."""
    for name, day, month, year in _DATE.findall(response):
        meant = date(int(year), MONTHS.index(month) + 1, int(day))
        if DAYS[meant.weekday()] != name:
            return False
    return True


def sentence_length(response: str) -> float:
    """Words in a sentence, on average."""
    sentences = [
        part for part in re.split(r"[.!?]+\s", response.strip()) if part.strip()
    ]
    return round(len(response.split()) / len(sentences), 1)


def tone(response: str) -> str:
    """How the guest is spoken to, by a few words that tell it."""
    words = set(re.findall(r"[a-z']+", response.lower()))
    if words & {"hey", "hi", "cool", "awesome"}:
        return "familiar"
    if words & {"hereby", "aforementioned", "pursuant"}:
        return "stiff"
    return "friendly"


def total_agrees(response: str, reference: str) -> bool:
    """Whether the dearest sum in the response is the total that the reference names."""
    named = [float(amount) for amount in _MONEY.findall(response)]
    return bool(named) and max(named) == float(_MONEY.findall(reference)[-1])
