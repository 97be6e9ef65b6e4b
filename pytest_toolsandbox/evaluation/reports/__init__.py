"""What agents tell and write of what they did, and whether it is so."""
