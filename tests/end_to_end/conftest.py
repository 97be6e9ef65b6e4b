"""Keeps what runs of pytest in this process need, which pytester would import for each anew."""

import importlib

KEPT = [
    importlib.import_module(name)
    for name in (
        "numpy",
        "pytest_toolsandbox.items",
        "pytest_toolsandbox.session",
        "pytest_toolsandbox.worlds.phone",
        "scipy.optimize",
        "xdist.plugin",
    )
]
