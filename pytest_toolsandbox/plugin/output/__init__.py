"""The outputs of a session: files, summary, progress, gate and verdict. It plays no trials."""
