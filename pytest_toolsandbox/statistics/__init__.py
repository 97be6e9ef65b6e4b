"""What a suite of scenarios is made of."""
