"""Predicted calls against those of the ground truth (ToolTalk, section 3)."""
