from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from model_server import KEY, Answer, ModelServer, Request, Response, body, fault

from pytest_toolsandbox.matchers import read
from pytest_toolsandbox.matchers.embedding import EmbedderError, using
from pytest_toolsandbox.models.embedders import EmbeddingModel, resolve_embedder

# Not pytest.importorskip: a bare import of litellm fetches a file from the network.
needs_litellm = pytest.mark.skipif(find_spec("litellm") is None, reason="needs litellm")


WANTED = "an embedder takes a list of texts, and a factory, which makes one, nothing"
SERVER = "check the model server, and the base URL if you set one"
NETWORK = "check the network, and the base URL if you set one"
EMBEDDERS = """
import functools

def lengths(texts):
    return [[len(text), 1] for text in texts]

def tuned(texts, *, scale=2):
    return [[len(text), scale] for text in texts]

def lenient(texts=()):
    return lengths(texts)

def scaled(scale, sentences):
    return [[len(text), scale] for text in sentences]

partial = functools.partial(scaled, 3)

class Model:
    def __init__(self, name="small"):
        self.name = name

    def __call__(self, texts):
        return [[len(text), len(self.name)] for text in texts]

    def encode(self, sentences, batch_size=32):
        return self(sentences)

model = Model("a large one")

def build(name="medium"):
    return Model(name)

number = 5
nothing = None

def two(first, second):
    return []

def makes_nothing():
    return None

def makes_two():
    return two

def breaks():
    raise RuntimeError("no\\nmodel")

async def later():
    return lengths
"""


@pytest.fixture
def embedders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder, the current one, with the module ``own_embedders``."""
    (tmp_path / "own_embedders.py").write_text(EMBEDDERS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    importlib.invalidate_caches()
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith(("own_", "broken", "lacks")):
            del sys.modules[name]


def problem(text: str) -> str:
    with pytest.raises(EmbedderError) as caught:
        resolve_embedder(text)
    return str(caught.value)


@pytest.mark.usefixtures("embedders")
@pytest.mark.parametrize(
    ("attribute", "vector"),
    [
        ("lengths", [2, 1]),
        ("tuned", [2, 2]),
        ("lenient", [2, 1]),
        ("partial", [2, 3]),
        ("model", [2, 11]),
        ("model.encode", [2, 11]),
        ("Model", [2, 5]),
        ("build", [2, 6]),
    ],
)
def test_a_custom_embedder(attribute: str, vector: list[float]) -> None:
    assert resolve_embedder(f"own_embedders:{attribute}")(["ab"]) == [vector]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("own_embedders:number", f"is an int, which cannot be called; {WANTED}"),
        ("own_embedders:nothing", f"is None, which cannot be called; {WANTED}"),
        ("own_embedders:two", f"takes (first, second); {WANTED}"),
        ("own_embedders:makes_nothing", f"returned None, which cannot be called; {WANTED}"),
        ("own_embedders:makes_two", f"returned what takes (first, second); {WANTED}"),
        ("own_embedders:breaks", "raised RuntimeError: no model (own_embedders.py:46)"),
        ("own_embedders:later", "is async; make it a plain function"),
    ],
)
def test_an_attribute_that_is_not_an_embedder(embedders: Path, text: str, line: str) -> None:
    assert embedders.exists()
    assert problem(text) == f"{text} {line}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("own_embedders:length", "own_embedders has no 'length'; did you mean 'lengths'?"),
        ("own_embedders:model.xyz", "own_embedders.model has no 'xyz'"),
        (
            "own_embeders:lengths",
            "there is no module own_embeders, neither installed nor in the current directory",
        ),
        ("lacks:embed", "lacks imports nowhere_to_be_found, which is not installed"),
        ("broken:embed", "importing broken raised ValueError: a key: *** (broken.py:1)"),
    ],
)
def test_a_module_that_cannot_be_imported(embedders: Path, text: str, line: str) -> None:
    (embedders / "lacks.py").write_text("import nowhere_to_be_found")
    (embedders / "broken.py").write_text(f"raise ValueError('a key: {KEY}')")
    path = list(sys.path)
    assert problem(text) == f"{text}: {line}"
    assert sys.path in (path, [str(embedders), *path])


@pytest.mark.parametrize(
    "text", ["", "embed", "claude", "openai/", "sentence-transformers", "module:", ":embed"]
)
def test_a_name_that_is_not_an_embedder(text: str) -> None:
    assert problem(text) == (
        f"{text!r} names no embedder; write module:attribute, provider/model or "
        "sentence-transformers/NAME"
    )


def test_a_model_is_asked_when_it_is_needed() -> None:
    assert resolve_embedder("openai/stub") == EmbeddingModel("openai/stub")
    assert resolve_embedder("ollama/nomic-embed-text:latest") == EmbeddingModel(
        "ollama/nomic-embed-text:latest"
    )


# Models of providers; test_model_agent.py tests what they share with agents


def embeddings(*vectors: Any, start: int = 0, step: int = 1) -> Response:
    data = [
        {"object": "embedding", "index": start + step * number, "embedding": vector}
        for number, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 7, "total_tokens": 7}
    return body({"object": "list", "data": data, "model": "stub", "usage": usage})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as server:
        server.replace_openai(monkeypatch)
        yield server


@pytest.fixture
def stub(client: str) -> EmbeddingModel:
    return EmbeddingModel(f"{client}openai/stub")


def fault_of(stub: EmbeddingModel, texts: list[str]) -> str:
    with pytest.raises(EmbedderError) as caught:
        stub(texts)
    return str(caught.value).removeprefix("litellm/")


def test_texts_are_embedded_in_one_request(server: ModelServer, stub: EmbeddingModel) -> None:
    server.will(embeddings([1, 0], [0.5, 0.25]))
    assert stub(["a", "b"]) == [[1, 0], [0.5, 0.25]]
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {"model": "stub", "input": ["a", "b"]}
    # Vectors come in the order of the texts.
    server.will(embeddings([1], [2], start=1, step=-1), embeddings([1], [2], start=1))
    assert stub(["a", "b"]) == [[2], [1]]
    assert stub(["a", "b"]) == [[1], [2]]


def test_meanings_are_compared_by_a_model(server: ModelServer, stub: EmbeddingModel) -> None:
    server.will(embeddings([3, 4], [4, 3]))
    expected = read({"semantic": "The keys are under the pot"})
    with using(stub):
        assert expected.similarity("Look below the pot") == pytest.approx(0.96)
        assert expected.similarity("Look below the pot") == pytest.approx(0.96)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (
            fault(400, "This is a chat completion model"),
            (
                "the provider rejects the request (400): This is a chat completion model; "
                "check that it is an embedding model"
            ),
        ),
        (
            fault(400, "At most 8192 tokens, not 9000", "context_length_exceeded"),
            (
                "a text is longer than the model's context window: "
                "At most 8192 tokens, not 9000; use a model with a larger one"
            ),
        ),
        *(
            (answer, f"the reply has {count} for 2 texts; check that it is an embedding model")
            for answer, count in (
                (embeddings(), "0 embeddings"),
                (embeddings([1.0]), "1 embedding"),
                (body({"data": None}), "0 embeddings"),
            )
        ),
    ],
    ids=lambda value: str(getattr(value, "status", "")) if not isinstance(value, str) else "",
)
def test_fault(server: ModelServer, stub: EmbeddingModel, answer: Answer, line: str) -> None:
    server.will(answer)
    assert fault_of(stub, ["a", "b"]) == f"openai/stub: {line}"
    assert len(server.requests) == 1


def test_a_reply_without_embeddings(server: ModelServer, stub: EmbeddingModel) -> None:
    """What stands in the middle is litellm's, and another version's may be others."""
    server.will(body([1, 2]))
    line = fault_of(stub, ["a"])
    assert line.startswith("openai/stub: the reply is not a list of embeddings")
    assert line.endswith(f"; {SERVER}")
    assert "\n" not in line


def test_a_missing_vector(server: ModelServer, stub: EmbeddingModel) -> None:
    server.will(embeddings([1.0], None))
    with (
        using(stub),
        pytest.raises(EmbedderError, match=r"^the embedder returned nothing in place of a vector;"),
    ):
        read({"semantic": "a"}).similarity("b")


@needs_litellm
def test_a_model_of_another_api() -> None:
    def answer(request: Request) -> Answer:
        if request.path != "/api/embed":
            return fault(404, "litellm asks what the model can do")
        vectors = [[float(len(text))] for text in request.body["input"]]
        return body({"model": "stub", "embeddings": vectors, "prompt_eval_count": 3})

    with ModelServer(answer) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OLLAMA_API_BASE", server.url.removesuffix("/v1"))
        patch.setenv("NO_PROXY", "127.0.0.1")
        assert EmbeddingModel("ollama/stub")(["a", "bc"]) == [[1.0], [2.0]]
        asked = [each.body["input"] for each in server.requests if each.path == "/api/embed"]
        assert asked == [["a", "bc"]]


# A model on this machine


class Encoder:
    """Stands in for ``sentence_transformers.SentenceTransformer``."""

    loaded: list[str] = []  # noqa: RUF012  # one list for all of them is meant

    def __init__(self, name: str) -> None:
        warnings.warn("torch has something to say", UserWarning, stacklevel=2)
        if name == "nobody":
            raise OSError("nobody is not a\nlocal folder.")
        self.loaded.append(name)

    def encode(self, sentences: list[str], *, show_progress_bar: bool) -> Sequence[Sequence[float]]:
        assert not show_progress_bar
        return [[float(len(sentence)), 1.0] for sentence in sentences]


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> type[Encoder]:
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = Encoder  # type: ignore[attr-defined]  # that is how modules are
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    monkeypatch.setattr(Encoder, "loaded", [])
    return Encoder


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "BAAI/bge-small-en-v1.5", "./models/own"])
def test_a_model_on_this_machine_is_loaded_once_when_needed(
    encoder: type[Encoder], name: str
) -> None:
    embed = resolve_embedder(f"sentence-transformers/{name}")
    assert encoder.loaded == []
    assert embed(["a", "bc"]) == [[1, 1], [2, 1]]
    assert embed(["abc"]) == [[3, 1]]
    assert encoder.loaded == [name]


@pytest.mark.usefixtures("encoder")
def test_a_model_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    load = resolve_embedder("sentence-transformers/nobody")
    with pytest.raises(EmbedderError) as caught:
        load(["a"])
    assert str(caught.value) == (
        "sentence-transformers/nobody cannot be loaded: OSError: nobody is not a local folder; "
        "check its name, and the network if it is not on this machine yet"
    )
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderError) as caught:
        resolve_embedder("sentence-transformers/nobody")(["a"])
    assert str(caught.value) == (
        "sentence-transformers/nobody needs a package that is not installed: "
        "pip install sentence-transformers"
    )
