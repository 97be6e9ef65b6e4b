"""The record of a trial, written and read back. Every report is made from it."""
