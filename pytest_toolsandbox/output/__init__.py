"""Reports made from records: pages of failed scenarios, the terminal summary, JUnit properties."""
