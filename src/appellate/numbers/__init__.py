"""What an audit and its sample say of the judge and of all it judged, and the report of it."""
