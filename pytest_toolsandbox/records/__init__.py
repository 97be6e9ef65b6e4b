"""The record of a trial: its types, and how it is written, read, merged and compared.

Also the outcome of an item by its trials. Tables and pages of records are in ``output``, statistics
over them in ``gate``.
"""
