"""One HTML file that shows the records of one run or several, and needs nothing else."""
