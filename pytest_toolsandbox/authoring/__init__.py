"""Published data of others as scenario files."""
