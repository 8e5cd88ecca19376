"""The one way the core says no."""


class Refused(Exception):
    """A request that cannot be met now; the message says what to do instead."""
