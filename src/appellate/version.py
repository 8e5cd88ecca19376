"""The version that is running, from the package's own metadata, which takes a while to load."""


def running() -> str:
    from importlib.metadata import version

    return version("appellate")
