"""The page of a record: its parts, how values are worded, its messages, and the page as text.

The sections of one protocol alone are in ``protocols``. ``output/html`` shows the same page.
"""
