"""The record of a trial: its types, how it is written, read back, merged and compared.

Also what the trials of an item say together. Tables and pages of records are in ``output``, the
statistics over them in ``gate``.
"""
