"""Statistics: numbers in, numbers out. Imports nothing of the other rooms."""
