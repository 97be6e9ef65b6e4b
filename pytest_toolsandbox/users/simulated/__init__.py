"""Users that a model plays: two prompts, rules that check each utterance, and a reviewer.

``toolsandbox_prompt.py`` is the published prompt; ``tool_calling_prompt.py`` is the default.
"""
