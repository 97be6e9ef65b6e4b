"""How items come by their trials."""
