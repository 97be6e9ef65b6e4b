"""Play trials and judge stored ones again: jobs, pools, shards, cassettes, captured output.

Nothing here knows pytest; its items and workers are in ``plugin``.
"""
