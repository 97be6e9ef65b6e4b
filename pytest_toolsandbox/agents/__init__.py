"""Who takes part in a conversation: agents under test, and users."""
