"""From files to items: which scenarios there are, and which of them are played."""
