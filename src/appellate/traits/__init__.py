"""The kinds of traits, a folder each, and what several of them share."""
