"""The scenario language: YAML files, the models of their keys, and the checked scenarios.

Also the interface that every protocol implements. Nothing here plays or scores a scenario.
"""
