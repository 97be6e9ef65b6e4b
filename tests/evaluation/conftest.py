from __future__ import annotations

from hypothesis import settings

# No deadlines, and the same examples in every run: nothing may depend on time or on chance.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")
