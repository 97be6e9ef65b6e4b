"""Reports: records, the page of a failed scenario, the terminal summary, JUnit properties."""
