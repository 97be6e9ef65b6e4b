"""Cases with the scores of ToolSandbox's own evaluation, and how this one agrees with them."""
