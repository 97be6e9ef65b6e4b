"""Tool calls: their arguments, their faults, and calls in the text of a reply.

What executes calls is in ``conversation``; how calls are judged is in ``scoring``.
"""
