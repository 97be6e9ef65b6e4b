"""What a text states, clause by clause: whether something is said to be so, not so, or asked.

English alone is read, by rules: no grammar of the whole language, but of the ways in which agents
report, deny, refuse and ask. Every pattern takes time linear in the text.
"""
