"""Missing cells out to batch engines as files of requests, and their answers back in.

The id of a request says which cell it asks about and what it said, so that answers may come in any
order, from several files, and more than once. An answer goes through the checks of a live judgment.
"""
