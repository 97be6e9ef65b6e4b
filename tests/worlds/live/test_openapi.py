"""Operations of OpenAPI documents as tools: their arguments, requests and answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.openapi.connection import request_of
from pytest_toolsandbox.worlds.live.openapi.document import read_document
from pytest_toolsandbox.worlds.live.openapi.operations import Operations, operations_of


def made(method: str = "post", path: str = "/things", **described: Any) -> Operations:
    components = described.pop("components", {})
    document = {"openapi": "3.1.0", "paths": {path: {method: described}}, "components": components}
    return operations_of(document, "shop")


def request(arguments: dict[str, Any], **described: Any) -> tuple[str, dict[str, str], Any]:
    operations = made(**described)
    (tool,) = operations.tools
    (operation,) = operations.by_name.values()
    return request_of(operation, tool.bind(arguments))


def parameter(name: str, place: str = "query", **more: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "schema": {}, **more}


def body(schema: Any, media: str = "application/json", **more: Any) -> dict[str, Any]:
    return {"content": {media: {"schema": schema}}, **more}


@pytest.mark.parametrize(
    ("parameters", "arguments", "expected"),
    [
        ([parameter("q")], {"q": "a b&c"}, "?q=a+b%26c"),
        ([parameter("q")], {"q": True}, "?q=true"),
        ([parameter("q")], {"q": None}, ""),
        ([parameter("q")], {}, ""),
        ([parameter("q")], {"q": [1, "x"]}, "?q=1&q=x"),
        ([parameter("q", explode=False)], {"q": [1, "x"]}, "?q=1%2Cx"),
        ([parameter("q", style="pipeDelimited", explode=False)], {"q": [1, 2]}, "?q=1%7C2"),
        ([parameter("q", style="deepObject")], {"q": {"a": 1}}, "?q%5Ba%5D=1"),
        ([parameter("q")], {"q": {"a": 1, "b": "x"}}, "?a=1&b=x"),
        ([parameter("q", explode=False)], {"q": {"a": 1}}, "?q=a%2C1"),
        ([parameter("q", content={"application/json": {}})], {"q": {"a": 1}}, "?q=%7B%22a%22"),
        ([parameter("filter[name]")], {"filter_name_": "x"}, "?filter%5Bname%5D=x"),
    ],
)
def test_parameters_of_the_query(parameters: Any, arguments: Any, expected: str) -> None:
    path, _, _ = request(arguments, parameters=parameters)
    assert path.removeprefix("/things").startswith(expected)
    assert bool(expected) == ("?" in path)


def test_parameters_of_path_and_headers() -> None:
    described: dict[str, Any] = {
        "path": "/things/{id}/{tag}",
        "parameters": [
            parameter("id", "path"),
            parameter("tag", "path"),
            parameter("X-Trace", "header"),
            parameter("Authorization", "header", required=True),
            parameter("session", "cookie"),
        ],
    }
    arguments = {"id": "a/b", "tag": [1, 2], "X-Trace": 5}
    assert request(arguments, **described) == ("/things/a%2Fb/1%2C2", {"X-Trace": "5"}, None)
    (tool,) = made(**described).tools
    assert [name for name, p in tool.parameters.items() if p.required] == ["id", "tag"]


NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
TAGGED = {"properties": {"tag": {}, "id": {"readOnly": True}}, "required": ["tag"]}


@pytest.mark.parametrize(
    ("described", "arguments", "expected"),
    [
        ({"requestBody": body(NAMED, required=True)}, {"name": "x"}, b'{"name": "x"}'),
        ({"requestBody": body(NAMED)}, {}, None),
        ({"requestBody": body({"type": "array"}, required=True)}, {"body": [1]}, b"[1]"),
        ({"requestBody": body({"oneOf": [NAMED, TAGGED]})}, {"body": {"tag": 1}}, b'{"tag": 1}'),
        (
            {"requestBody": body({"allOf": [NAMED, TAGGED]}, required=True)},
            {"name": "x", "tag": 1},
            b'{"name": "x", "tag": 1}',
        ),
        (
            {"requestBody": body({"$ref": "#/components/N"}), "components": {"N": NAMED}},
            {"name": "x"},
            b'{"name": "x"}',
        ),
        (
            {"requestBody": body({**NAMED, "additionalProperties": True})},
            {"other": 1},
            b'{"other": 1}',
        ),
        (
            {"requestBody": body(NAMED, "application/x-www-form-urlencoded")},
            {"name": "a b"},
            b"name=a+b",
        ),
        (
            {"parameters": [parameter("name")], "requestBody": body(NAMED)},
            {"name": "q", "body_name": "b"},
            b'{"name": "b"}',
        ),
        (
            {"requestBody": body({"type": "object", "properties": {}}, required=True)},
            {"body": {}},
            b"{}",
        ),
    ],
)
def test_bodies(described: Any, arguments: Any, expected: bytes | None) -> None:
    _, headers, sent = request(arguments, **described)
    assert sent == expected
    assert ("Content-Type" in headers) == (expected is not None)


def test_read_only_properties_are_no_arguments() -> None:
    (tool,) = made(requestBody=body(TAGGED, required=True)).tools
    assert [*tool.parameters] == ["tag"]
    with pytest.raises(TypeError, match="unexpected keyword argument 'id'"):
        tool.bind({"tag": 1, "id": 2})


@pytest.mark.parametrize(
    ("described", "remark"),
    [
        ({"requestBody": body({}, "multipart/form-data", required=True)}, "its body is multipart"),
        ({"parameters": [parameter("s", "cookie", required=True)]}, "its parameter 's' is in cook"),
    ],
)
def test_what_cannot_be_sent_is_left_out_and_said(described: Any, remark: str) -> None:
    operations = made(**described)
    assert operations.tools == []
    assert operations.remarks[0].startswith(f"POST /things is left out: {remark}")


def test_references_may_go_in_circles() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/Node"}}}
    circle = {"$ref": "#/components/A"}
    operations = made(
        requestBody=body({"$ref": "#/components/Node"}),
        parameters=[parameter("q", schema=circle)],
        components={"Node": node, "A": circle},
    )
    (tool,) = operations.tools
    assert tool.bind({"next": {"next": {}}, "q": 1})
    with pytest.raises(TypeError, match="1 is not of type 'object'"):
        tool.bind({"next": {"next": 1}})
    assert operations.remarks == ["#/components/A leads nowhere: any value fits it"]


def test_names_and_descriptions_of_operations() -> None:
    operations = made("get", "/things/{id}", description="Shows a thing.")
    (tool,) = operations.tools
    assert (tool.name, tool.original_name) == ("get_things__id_", "get/things/{id}")
    assert tool.description == "Shows a thing."
    assert operations.reads == ["get_things__id_"]
    (tool,) = made(operationId="things.find").tools
    assert (tool.name, tool.original_name) == ("things_find", "things.find")


def test_documents_may_be_yaml_with_the_types_of_json(tmp_path: Path) -> None:
    text = "openapi: 3.0.3\npaths:\n  on: {x: 2024-01-01, y: [yes, true, 1.5]}\n"
    Path(tmp_path, "shop.yaml").write_text(text)
    content = read_document("shop.yaml", tmp_path, {})
    assert content["paths"] == {"on": {"x": "2024-01-01", "y": ["yes", True, 1.5]}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("swagger: '2.0'", "the document shop.yaml has swagger 2.0; expected OpenAPI 3.0 or 3.1"),
        ("[1]", "has no openapi: 3"),
        ("{", "is neither JSON nor YAML: while parsing"),
        ("!!python/object:os.system {}", "is neither JSON nor YAML: could not determine"),
    ],
)
def test_what_is_no_document(text: str, problem: str, tmp_path: Path) -> None:
    Path(tmp_path, "shop.yaml").write_text(text)
    with pytest.raises(WorldError) as caught:
        read_document("shop.yaml", tmp_path, {})
    assert problem in str(caught.value)
