"""Themes and the sizes of the panes."""
