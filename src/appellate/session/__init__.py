"""One session at the bench, for screen and lines: its cells, corrections and settings."""
