"""Keeps what runs of pytest in this process need, which pytester would import for each anew."""

import numpy as np
import scipy.optimize
import xdist.plugin

import pytest_toolsandbox.items
import pytest_toolsandbox.session
import pytest_toolsandbox.worlds.phone

KEPT = (np, scipy.optimize, xdist.plugin, pytest_toolsandbox)
