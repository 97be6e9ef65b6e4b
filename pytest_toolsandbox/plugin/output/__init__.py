"""What becomes of a session: its files, its summary, its verdict."""
