"""The record of a trial: written, read, summed up. Every report is made from it."""
