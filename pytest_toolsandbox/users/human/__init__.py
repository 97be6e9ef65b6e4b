"""People who take part at a terminal."""
