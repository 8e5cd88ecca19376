"""One audit told to people who were not there: numbers, pictures and every correction with its
reason.
"""
