"""Commands, their keys, and the help that lists them."""
