"""A module for each protocol: how its scenarios are read, played, judged, reported and proved.

Which protocols there are stands in ``language/protocol.py``.
"""
