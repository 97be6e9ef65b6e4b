"""What an answer tells of the facts that are asked for."""
