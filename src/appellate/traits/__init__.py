"""What can be labelled: one folder per kind of trait, and the rubric that holds the traits."""
