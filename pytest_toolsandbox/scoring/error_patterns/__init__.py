"""SpecTool's seven error patterns in a conversation."""
