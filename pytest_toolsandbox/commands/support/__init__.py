"""What commands share: their registration, found scenarios, the files that they read and write.

Nothing in here is a command.
"""
