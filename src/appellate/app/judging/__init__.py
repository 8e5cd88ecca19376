"""The judge's run, and what it proposed."""
