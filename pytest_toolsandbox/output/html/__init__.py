"""The HTML report: one file for the records of one run or several, with its templates.

What is said of a record comes from ``output/pages``, figures from the tables in ``output``.
"""
