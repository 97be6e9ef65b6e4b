"""A package and data in the form of BFCL's, small and of our own: a shelf, and a calculator."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]

CATEGORIES = ("base", "miss_func", "miss_param", "long_context")
MORE = "Now there is more that you can call."
CONFIG = """
MULTI_TURN_FUNC_DOC_FILE_MAPPING = {"Shelf": "shelf.json", "MathAPI": "math_api.json"}
CLASS_FILE_PATH_MAPPING = {
    "Shelf": "bfcl_eval.shelf",
    "MathAPI": "bfcl_eval.shelf",
    "MemoryAPI_kv": "bfcl_eval.absent",
    "WebSearchAPI": "bfcl_eval.absent",
}
STATELESS_CLASSES = ["MathAPI"]
"""
PROMPTS = f"DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC = {MORE!r}\n"
CLASSES = '''
import random


class Book:
    def __init__(self, content):
        self.name, self.content, self._read_at = "book", content, random.random()

    def __eq__(self, other):
        return self.content == other.content


class Shelf:
    """One shelf; which board is looked at is hidden."""

    def __init__(self):
        self.boards, self.owner, self.seen, self._board = {}, None, set(), None

    def _load_scenario(self, scenario, long_context=False):
        boards = {"extra": "A long book."} if long_context else {}
        boards |= scenario.get("boards", {"top": "A default book."})
        self.boards = {name: Book(text) for name, text in boards.items()}
        self._board = next(iter(self.boards))

    def go(self, board):
        if board not in self.boards:
            return {"error": f"There is no board {board}."}
        self._board = board
        return {"board": board}

    def read(self):
        self.seen.add(self._board)
        return {"text": self.boards[self._board].content}

    def write(self, text, board=None):
        self.boards[board or self._board].content = text
        return {1: "written"}

    def break_down(self):
        raise RuntimeError("It broke.")


class MathAPI:
    def add(self, a, b):
        return {"result": a + b}
'''


def tool(name: str, required: list[str], **types: Any) -> Json:
    properties = {key: {"type": kind, "description": f"The {key}."} for key, kind in types.items()}
    parameters = {"type": "dict", "properties": properties, "required": required}
    return {"name": name, "description": f"This is to {name}.", "parameters": parameters}


DOCUMENTS: Mapping[str, list[Json]] = {
    "shelf.json": [
        tool("go", ["board"], board="string"),
        tool("read", []),
        tool("write", ["text"], text="string", board="string"),
        tool("break_down", []),
    ],
    "math_api.json": [tool("add", ["a", "b"], a="float", b="any")],
}
LOW = {"Shelf": {"boards": {"top": "Tea.", "low": "Rice."}}}


def entry(
    number: int, turns: list[str | None], truth: list[list[str]], **more: Any
) -> tuple[Json, Json]:
    """Return an entry and its answer, without the ids."""
    question = [[{"role": "user", "content": text}] if text else [] for text in turns]
    about = {"involved_classes": ["Shelf"], "initial_config": LOW, **more}
    return {"number": number, "question": question, **about}, {"ground_truth": truth}


ENTRIES: Mapping[str, list[tuple[Json, Json]]] = {
    "base": [
        entry(
            0,
            ["Go to the low board.", "What is there?", "Write 'Salt.' there."],
            [["go('low')"], ["read()"], ["write('Salt.')"]],
        ),
        entry(
            4,
            ["Add two and three."],
            [["add(a=2, b=3)"]],
            involved_classes=["MathAPI"],
            initial_config={},
        ),
    ],
    "miss_func": [
        entry(
            0,
            ["Write 'Salt.' on the low board.", None],
            [[], ["write(text='Salt.', board='low')"]],
            missed_function={"1": ["write"]},
        ),
        entry(
            1,
            ["Write 'Salt.'.", "Go on.", None],
            [["write('Salt.')"], ["read()"], ["go('low')"]],
            missed_function={"2": ["write", "read", "go"]},
        ),
    ],
    "miss_param": [
        entry(0, ["Write 'Salt.'.", "On the low board."], [[], ["write('Salt.', board='low')"]])
    ],
    "long_context": [
        entry(0, ["Read the extra board."], [["go(board='extra')", "read()"]]),
    ],
}


def write_package(folder: Path) -> Path:
    """Write the package ``bfcl_eval`` into a folder, and return that of its data."""
    package = folder / "bfcl_eval"
    files = {
        "__init__.py": "",
        "shelf.py": CLASSES,
        "constants/__init__.py": "",
        "constants/executable_backend_config.py": CONFIG,
        "constants/default_prompts.py": PROMPTS,
    }
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    return write_data(package / "data", ENTRIES)


def write_data(data: Path, entries: Mapping[str, list[tuple[Json, Json]]]) -> Path:
    for folder in ("possible_answer", "multi_turn_func_doc"):
        (data / folder).mkdir(parents=True, exist_ok=True)
    for name, documents in DOCUMENTS.items():
        write_lines(data / "multi_turn_func_doc" / name, documents)
    for category, of_category in entries.items():
        named = [
            ({"id": f"multi_turn_{category}_{question['number']}"}, question, answer)
            for question, answer in of_category
        ]
        file = f"BFCL_v4_multi_turn_{category}.json"
        write_lines(data / file, [{**question, **name} for name, question, _ in named])
        write_lines(data / "possible_answer" / file, [{**name, **a} for name, _, a in named])
    return data


def write_lines(file: Path, values: list[Json]) -> None:
    file.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
