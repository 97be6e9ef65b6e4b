"""Evaluation: a trajectory and a scenario in, a result out."""
