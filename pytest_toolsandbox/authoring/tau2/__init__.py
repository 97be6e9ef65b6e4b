"""The domains of tau2-bench as worlds, and its tasks as scenarios."""
