"""Puts the tests' own kind beside those that ship, in every Python that is started with this folder
on its path.
"""

from pathlib import Path

import appellate.traits

_HERE = str(Path(__file__).parent)
if _HERE not in appellate.traits.__path__:
    appellate.traits.__path__.append(_HERE)
