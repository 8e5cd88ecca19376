"""The application: screens that compose panes, and the keys that reach them."""
