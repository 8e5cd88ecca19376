"""What an audit of a sample says of the judge, and of everything that was judged: estimates, looks,
decisions.
"""
