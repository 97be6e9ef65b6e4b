from __future__ import annotations

import re
from unittest.mock import patch

from pytest_toolsandbox.text.late_pattern import late_pattern


def test_it_is_compiled_once_when_it_is_used() -> None:
    pattern = late_pattern(r" a (b) ", re.VERBOSE | re.IGNORECASE)
    with patch.object(re, "compile", wraps=re.compile) as compiled:
        assert pattern.pattern == r" a (b) "
        compiled.assert_not_called()
        assert pattern.search("xAB") is not None
        assert pattern.search("x") is None
        assert pattern.sub(r"\1", "abc") == "bc"
        assert pattern.groups == 1
        assert compiled.call_count == 1
