"""How texts are put: cut, counted, redacted; nearest names; what import strings name."""
