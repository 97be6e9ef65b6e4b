"""Requests to models: over HTTP or through litellm, with retries, limits and usage; embedders.

Errors of models and of agents' own clients are explained here. Agents, users and judges that ask
models are not here.
"""
