"""The gate: whether an agent got worse, told from two samples of trials with known error rates."""
