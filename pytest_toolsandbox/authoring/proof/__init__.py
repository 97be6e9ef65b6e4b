"""A scenario's own proof: that it can be solved, and that wrong ways fail."""
