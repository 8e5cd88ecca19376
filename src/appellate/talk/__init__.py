"""What is asked of a model, and how its replies are read.

Dialogues, JSON as models write it, the shapes of replies.
"""
