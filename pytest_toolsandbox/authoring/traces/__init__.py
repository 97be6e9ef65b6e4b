"""Conversations that other programs wrote down, as records that scenarios can judge."""
