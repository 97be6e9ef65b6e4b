"""The page of an item that did not pass."""
