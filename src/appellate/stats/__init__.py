"""Statistics: numbers in, numbers out. Imports nothing from the other rooms."""
