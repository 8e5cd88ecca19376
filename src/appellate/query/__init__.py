"""The query language: what a person may ask of cells, and how it is read. No I/O."""
