"""The API is as it describes itself: each operation of a real daemon, asked with what its description allows.

What is allowed is answered with the declared type or a declared error; what is not is refused. The daemon
runs in a process of its own with a crawl in it, and is alive and unharmed in the end.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spiderd.api.interrupts import Closing
from spiderd.api.operations import OPERATIONS, Operation
from spiderd.api.routes import build_app
from spiderd.demo.server import serving
from spiderd.protocol import ErrorReply
from tests.api.sample import SampleCrawl
from tests.crawl.harness import daemon_process, wait_until
from tests.fuzzing import fuzz

ENDLESS = {"/v1/events/stream"}
ENDING = {"/v1/stop"}
ASKED = [one for one in OPERATIONS if one.path not in ENDLESS | ENDING]
REFUSALS = {400, 404, 409, 413, 422}
LIVE = [
    "crawl.max_depth",
    "scope.exclude",
    "politeness.delay",
    "log.level",
    "crawl.processes",
    "crawl.thread",
]


def test_every_route_is_described_and_every_description_has_a_route():
    routes = {
        (method.lower(), route.path)
        for route in build_app(SampleCrawl(), Closing()).routes
        for method in route.methods - {"HEAD"}
    }
    assert routes == {(one.method, one.path) for one in OPERATIONS}


@pytest.fixture(scope="module")
def http():
    with tempfile.TemporaryDirectory(prefix="spiderd-") as folder, serving(0) as site:
        data = Path(folder)
        quick = ("--delay", "0", "--processes", "0", "--threads", "2", "--log-level", "error")
        with daemon_process(data, site, *quick) as process:
            transport = httpx.HTTPTransport(uds=str(data / "spiderd.sock"))
            with httpx.Client(transport=transport, base_url="http://spiderd", timeout=30) as client:
                wait_until((data / "spiderd.sock").is_socket, process)
                wait_until(lambda: client.get("/v1/status").json()["state"] == "complete", process)
                yield client
                assert client.get("/v1/").json()["pid"] == process.pid
                assert client.post("/v1/stop").status_code == 200
            assert process.wait(30) == 0


@pytest.fixture(scope="module")
def document(http):
    answer = http.get("/v1/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def test_the_description_is_whole(document):
    """Every reference leads somewhere, every operation has a name of its own, an answer and an error."""
    assert document["openapi"].startswith("3.1")
    schemas = document["components"]["schemas"]
    references = set(_references(document))
    assert references <= {f"#/components/schemas/{name}" for name in schemas}
    operations = [one for path in document["paths"].values() for one in path.values()]
    assert len({one["operationId"] for one in operations}) == len(operations) == len(OPERATIONS)
    assert all({"200", "default"} == set(one["responses"]) for one in operations)


def _references(value: Any):
    if isinstance(value, dict):
        yield from [value["$ref"]] if "$ref" in value else []
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


class Values:
    """Strategies for what a schema of the description allows."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._schemas = document["components"]["schemas"]

    def of(self, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
        if "$ref" in schema:
            return self.of(self._schemas[schema["$ref"].rpartition("/")[2]])
        if "anyOf" in schema:
            return st.one_of([self.of(inner) for inner in schema["anyOf"]])
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        low, high = schema.get("minimum"), schema.get("maximum")
        match schema.get("type"):
            case "integer":
                return st.integers(low, high)
            case "number":
                return st.floats(low, 1e6 if high is None else high, allow_nan=False)
            case "string":
                return st.text(min_size=schema.get("minLength", 0), max_size=40)
            case "boolean":
                return st.booleans()
            case "null":
                return st.none()
            case "array":
                return st.lists(self.of(schema["items"]), max_size=5)
            case "object":
                required = set(schema.get("required", ()))
                fields = {name: self.of(inner) for name, inner in schema["properties"].items()}
                return st.fixed_dictionaries(
                    {name: value for name, value in fields.items() if name in required},
                    optional={name: value for name, value in fields.items() if name not in required},
                )
        raise AssertionError(f"the description has a schema that this test does not know: {schema}")


def queries(values: Values, described: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    parameters = {one["name"]: values.of(one["schema"]) for one in described["parameters"]}
    if "wait" in parameters:
        parameters["wait"] = st.floats(0, 0.01)
    required = {one["name"] for one in described["parameters"] if one["required"]}
    return st.fixed_dictionaries(
        {name: value for name, value in parameters.items() if name in required},
        optional={name: value for name, value in parameters.items() if name not in required},
    )


def bodies(values: Values, described: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "requestBody" not in described:
        return st.none()
    found = values.of(described["requestBody"]["content"]["application/json"]["schema"])
    if described["operationId"] == "post /v1/settings":
        return _keyed(found)
    return found


def _keyed(whole: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Bodies of settings, half of them with a key that there is."""
    return st.builds(
        lambda body, key: {**body, "key": key or body["key"]}, whole, st.sampled_from(["", *LIVE])
    )


def ask(http, one: Operation, query: dict[str, Any], body: Any) -> httpx.Response:
    texts = {name: _as_query(value) for name, value in query.items() if value is not None}
    content = None if body is None else json.dumps(body).encode(errors="surrogatepass")
    return http.request(one.method.upper(), one.path, params=texts, content=content)


def _as_query(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def judge(one: Operation, answer: httpx.Response) -> None:
    if answer.status_code == 200:
        if one.answer is not None:
            msgspec.json.decode(answer.content, type=one.answer)  # raises where it is not as declared
        return
    error = msgspec.json.decode(answer.content, type=ErrorReply).error
    assert answer.status_code in REFUSALS or error.code == "unavailable", (answer.status_code, error)
    assert error.code.isidentifier()
    assert error.message


@pytest.mark.parametrize("one", ASKED, ids=lambda one: f"{one.method} {one.path}")
@fuzz(12)
@given(data=st.data())
def test_what_the_description_allows_is_answered_as_it_says(http, document, one, data):
    values, described = Values(document), document["paths"][one.path][one.method]
    query, body = data.draw(queries(values, described)), data.draw(bodies(values, described))
    judge(one, ask(http, one, query, body))


WRONG = st.one_of(st.none(), st.booleans(), st.floats(), st.lists(st.none(), max_size=2), st.text(max_size=5))


@pytest.mark.parametrize("one", ASKED, ids=lambda one: f"{one.method} {one.path}")
@fuzz(4)
@given(data=st.data())
def test_what_it_does_not_know_is_refused(http, document, one, data):
    values, described = Values(document), document["paths"][one.path][one.method]
    query, body = data.draw(queries(values, described)), data.draw(bodies(values, described))
    name = data.draw(st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=1))
    assume(name not in {parameter["name"] for parameter in described["parameters"]})
    answer = ask(http, one, {**query, name: "1"}, body)
    assert answer.status_code == 422
    if one.body is not None:
        answer = http.request(one.method.upper(), one.path, content=json.dumps(data.draw(WRONG)))
        assert answer.status_code in {400, 422}
