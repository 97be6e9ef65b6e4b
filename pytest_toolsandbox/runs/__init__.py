"""Everything between an item of pytest and a conversation; nothing here knows pytest."""
