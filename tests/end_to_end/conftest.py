"""Keeps what runs of pytest in this process need, which pytester would import for each anew."""

import importlib

KEPT = [
    importlib.import_module(name)
    for name in (
        "numpy",
        "pytest_toolsandbox.plugin.playing.items",
        "pytest_toolsandbox.plugin.reporting.session",
        "pytest_toolsandbox.builtin.phone",
        "scipy.optimize",
        "xdist.plugin",
    )
]
