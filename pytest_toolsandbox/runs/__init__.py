"""Plays a trial, or judges a stored one again; nothing here knows pytest."""
