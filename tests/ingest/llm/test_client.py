"""The client against a real server on this machine that misbehaves in every way."""

import json
import sys
from email.utils import formatdate
from typing import Any

import pytest

from stepladder.ingest.llm.client import OpenAIModel
from stepladder.ingest.llm.command import CommandModel
from stepladder.ingest.llm.model import CallError, Prompt, Reply
from stepladder.kg.errors import UsageError

SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
PROMPT = Prompt(
    version="test 1",
    system="Answer.",
    user="Say yes.",
    form="answer",
    schema=SCHEMA,
    max_output_tokens=50,
)
NOW = 1_800_000_000.0


def model(server: Any, **options: Any) -> OpenAIModel:
    options = {"api_key": "none", "clock": lambda: NOW, **options}
    return OpenAIModel("small", server.url, **options)


def fault(server: Any, **options: Any) -> CallError:
    with pytest.raises(CallError) as caught:
        model(server, **options).send(PROMPT)
    return caught.value


def facts(error: CallError) -> tuple[Any, ...]:
    return (error.kind, error.again, error.after_s, error.billed, error.stops)


def test_an_answer_is_asked_by_schema_and_comes_with_its_tokens(server: Any) -> None:
    assert model(server).send(PROMPT) == Reply(
        text='{"word": "yes"}', input_tokens=10, output_tokens=5
    )
    assert server.requests == [
        {
            "model": "small",
            "messages": [
                {"role": "system", "content": "Answer."},
                {"role": "user", "content": "Say yes."},
            ],
            "max_tokens": 50,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
            },
        }
    ]


def test_what_a_server_cannot_do_is_learnt_and_not_tried_again(server: Any, say: Any) -> None:
    def only_text(request: dict[str, Any], number: int) -> Any:
        if "max_tokens" in request:
            told = {"error": {"message": "Use 'max_completion_tokens' instead."}}
            return say(status=400, body=json.dumps(told).encode())
        if "response_format" in request:
            told = {"error": {"message": "response_format is not supported"}}
            return say(status=400, body=json.dumps(told).encode())
        return say()

    server.script = only_text
    asked = model(server)
    for _ in range(3):
        with pytest.raises(CallError) as caught:
            asked.send(PROMPT)
        assert facts(caught.value) == ("request", True, 0.0, False, False)
    asked.send(PROMPT)
    asked.send(PROMPT)
    assert [r.get("response_format", {}).get("type", "text") for r in server.requests] == [
        "json_schema", "json_schema", "json_object", "text", "text",
    ]  # fmt: skip
    assert json.dumps(SCHEMA) in server.requests[-1]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"status": 429, "headers": {"Retry-After": "7"}}, ("rate limit", True, 7.0, False, False)),
        (
            {"status": 429, "headers": {"Retry-After": formatdate(NOW + 30, usegmt=True)}},
            ("rate limit", True, 30.0, False, False),
        ),
        (
            {"status": 429, "headers": {"Retry-After": "soon"}},
            ("rate limit", True, None, False, False),
        ),
        ({"status": 500}, ("server", True, None, True, False)),
        ({"status": 503}, ("server", True, None, False, False)),
        ({"status": 400}, ("request", False, None, False, False)),
        ({"status": 401}, ("not allowed", False, None, False, True)),
        ({"status": 404}, ("not allowed", False, None, False, True)),
        (
            {"status": 307, "headers": {"Location": "http://127.0.0.1:9/"}},
            ("request", False, None, False, True),
        ),
        ({"cut": True}, ("cut off", True, None, True, False)),
        ({"body": b"<html>hello</html>"}, ("unreadable", True, None, True, False)),
        ({"body": b"[" * 200_000}, ("unreadable", True, None, True, False)),
        ({"body": b'{"choices": []}'}, ("empty", False, None, True, False)),
        ({"body": b'["no", "object"]'}, ("empty", False, None, True, False)),
        ({"content": None}, ("empty", False, None, True, False)),
        ({"content": " "}, ("empty", False, None, True, False)),
        ({"message": {"refusal": "No."}, "content": None}, ("refused", False, None, True, False)),
        ({"finish": "content_filter"}, ("refused", False, None, True, False)),
        ({"finish": "length"}, ("cut off", False, None, True, False)),
        ({"content": "x" * 10 * 2**20}, ("too long", False, None, True, False)),
    ],
)
def test_every_fault_becomes_one_error_that_says_what_to_do(
    server: Any, say: Any, told: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    server.script = lambda request, number: say(**told)
    assert facts(fault(server)) == expected
    assert len(server.requests) == 1


def test_a_silent_server_is_a_time_out(server: Any, say: Any) -> None:
    server.script = lambda request, number: say(silent=True)
    error = fault(server, timeout_s=0.2)
    assert facts(error) == ("time-out", True, None, True, False)


def test_a_server_that_is_not_there_has_charged_nothing(server: Any) -> None:
    absent = OpenAIModel("small", "http://127.0.0.1:9/v1", api_key="none")
    with pytest.raises(CallError) as caught:
        absent.send(PROMPT)
    assert facts(caught.value) == ("connection", True, None, False, False)
    assert caught.value.hint == "Check that the base URL is right and the server is running."


def test_a_refusal_still_says_what_it_took(server: Any, say: Any) -> None:
    server.script = lambda request, number: say(finish="content_filter", usage=(7, 3))
    error = fault(server)
    assert (error.input_tokens, error.output_tokens) == (7, 3)


@pytest.mark.parametrize("usage", [(-1, 5), ("many", "few"), (True, 1.5)])
def test_tokens_that_are_no_count_are_not_believed(server: Any, say: Any, usage: Any) -> None:
    server.script = lambda request, number: say(usage=usage)
    reply = model(server).send(PROMPT)
    assert reply.input_tokens is None
    assert reply.output_tokens == (5 if usage[1] == 5 else None)


# --- a program instead of a server ---------------------------------------------------------------


def command(code: str, **options: Any) -> CommandModel:
    return CommandModel(f'"{sys.executable}" -c "{code}"', **options)


def test_a_program_gets_the_prompt_on_its_input_and_answers_on_its_output() -> None:
    reply = command("import sys; t = sys.stdin.read(); print(len(t), 'Say yes.' in t)").send(PROMPT)
    length, found = reply.text.split()
    assert int(length) > 100
    assert found == "True"
    assert reply.input_tokens is None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import sys; sys.exit(3)", ("server", True, None, True, False)),
        ("pass", ("empty", False, None, True, False)),
        ("print('x' * 100000)", ("too long", False, None, True, False)),
        ("import time; time.sleep(60)", ("time-out", True, None, True, False)),
    ],
)
def test_every_fault_of_a_program_becomes_the_same_error(
    code: str, expected: tuple[Any, ...]
) -> None:
    asked = command(code, max_reply_bytes=90_000, timeout_s=1.0)
    with pytest.raises(CallError) as caught:
        asked.send(PROMPT)
    assert facts(caught.value) == expected


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(CallError, match="no-such-program"):
        CommandModel("no-such-program -p").send(PROMPT)
    with pytest.raises(UsageError):
        CommandModel("  ")


def test_a_key_in_a_command_is_not_in_its_name() -> None:
    assert "secret" not in CommandModel("asker --key secret").name
