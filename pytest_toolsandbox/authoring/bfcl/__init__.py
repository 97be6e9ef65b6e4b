"""The multi-turn categories of BFCL (Berkeley Function-Calling Leaderboard) as scenarios."""
