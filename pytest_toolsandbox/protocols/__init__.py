"""Protocols: each puts together how its scenarios are read, played, judged, reported and proved."""
