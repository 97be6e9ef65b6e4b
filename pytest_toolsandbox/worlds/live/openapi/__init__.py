"""Worlds whose tools an OpenAPI document describes: services over HTTP."""
