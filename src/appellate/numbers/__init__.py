"""What an audit and its sample say of the judge and of everything that was judged: estimates,
looks, decisions; and the report that tells it to others.
"""
