"""The commands that are no test run."""
