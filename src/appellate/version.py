"""The version that is running, from the package's own metadata."""

from importlib.metadata import version

VERSION = version("appellate")
