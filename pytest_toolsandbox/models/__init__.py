"""What talks to providers of models."""
