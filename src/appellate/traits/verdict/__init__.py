"""What the kinds with one verdict share (llm, regex, callable): a value on a scale, which a person
gives or overrules. What the scorer has in common with them is here, too.
"""
