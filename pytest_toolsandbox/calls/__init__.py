"""What a tool call is: its arguments, its faults, how it is written in a text."""
