"""The worlds that come with the package."""
