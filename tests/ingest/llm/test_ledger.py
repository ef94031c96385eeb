"""The cap, the ledger and the cache, with eight threads and a server that misbehaves at random."""

import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from pydantic import BaseModel, ConfigDict

from stepladder.ingest.llm.answer import schema_of
from stepladder.ingest.llm.asker import Asker
from stepladder.ingest.llm.client import OpenAIModel
from stepladder.ingest.llm.ledger import CapError, Entry, Ledger, Usual, beside
from stepladder.ingest.llm.model import CallError, Prompt, Reply
from stepladder.ingest.llm.prices import FREE, Price, parse_price, price_of, to_nano
from stepladder.ingest.llm.tokens import at_most
from stepladder.kg.errors import UsageError

LISTED = date(2026, 9, 13)
MINI = Price(input_nano=250_000_000, output_nano=2_000_000_000)


class Word(BaseModel):
    model_config = ConfigDict(extra="forbid")

    word: str


def prompt(user: str = "Say yes.", *, version: str = "test 1", output: int = 50) -> Prompt:
    return Prompt(
        version=version,
        system="Answer.",
        user=user,
        form="word",
        schema=schema_of(Word),
        max_output_tokens=output,
    )


def opened(
    folder: Path, *, price: Price = MINI, cap: str | None = None, model: str = "small"
) -> Ledger:
    return Ledger(
        folder / "memory.llm.db",
        model=model,
        price=price,
        cap_nano=None if cap is None else to_nano(cap),
    )


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with opened(tmp_path) as made:
        yield made


@pytest.fixture
def asker(server: Any, ledger: Ledger, waits: list[float]) -> Asker:
    model = OpenAIModel("small", server.url, api_key="none")
    return Asker(model, ledger, sleep=waits.append)


def told(entries: list[Entry]) -> list[tuple[Any, ...]]:
    return [(e.state, e.input_tokens, e.output_tokens, e.usd_nano, e.counted) for e in entries]


# --- money ---------------------------------------------------------------------------------------


def test_a_price_is_taken_from_the_table_or_from_the_user_and_counted_exactly() -> None:
    assert price_of("gpt-5-mini", today=LISTED) == MINI
    assert price_of("nobody-knows", today=LISTED) is None
    assert price_of("gpt-5-mini", today=LISTED + timedelta(days=181)) is None
    assert parse_price("0.25, 2") == MINI
    assert MINI.of(input_tokens=3, output_tokens=1) == 2750
    assert Price(input_nano=1, output_nano=0).of(input_tokens=1, output_tokens=0) == 1


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "nan,1", "inf,1"])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="Not a price"):
        parse_price(text)


def test_a_call_that_does_not_fit_under_the_cap_is_not_begun(tmp_path: Path) -> None:
    with opened(tmp_path, cap="0.0002") as ledger:
        with pytest.raises(CapError, match="cap"):
            ledger.reserve("a", prompt="p", input_tokens=1, output_tokens=100)
        held = ledger.reserve("a", prompt="p", input_tokens=400, output_tokens=50)
        ledger.settle(held, prompt="p", input_tokens=4, output_tokens=5)
        assert ledger.spent_nano == 11_000
        assert told(ledger.entries()) == [("failed", 4, 5, 11_000, True)]


def test_a_call_whose_end_is_not_known_stands_with_all_it_can_cost(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        ledger.reserve("a", prompt="p", input_tokens=400, output_tokens=50)
    with opened(tmp_path) as ledger:
        assert told(ledger.entries()) == [("open", 400, 50, 200_000, False)]


def test_the_ledger_stands_beside_the_store(tmp_path: Path) -> None:
    assert beside(str(tmp_path / "memory.db")) == tmp_path / "memory.llm.db"
    assert beside(f"sqlite://{tmp_path / 'm.db'}") == tmp_path / "m.llm.db"
    assert beside("neo4j://user:word@host").name == "llm.db"


def test_a_ledger_of_an_earlier_version_is_brought_up_to_date(tmp_path: Path) -> None:
    file = apsw.Connection(str(tmp_path / "memory.llm.db"))
    file.execute(
        """
        CREATE TABLE calls (
            id INTEGER PRIMARY KEY, hash TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL,
            state TEXT NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
            usd_nano INTEGER NOT NULL, counted INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE answers (
            hash TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL,
            fits INTEGER NOT NULL, text TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO calls VALUES (1, 'a', 'small', 'p', 'answered', 4, 5, 11000, 1);
        INSERT INTO answers VALUES ('a', 'small', 'p', 1, '{}');
        PRAGMA user_version = 1;
        """
    )
    file.close()
    with opened(tmp_path) as ledger:
        assert told(ledger.entries()) == [("answered", 4, 5, 11_000, True)]
        assert ledger.kept("a") == "{}"
        ledger.reserve("b", prompt="p", input_tokens=1, output_tokens=1, estimated=1)


def test_what_calls_took_is_known_after_a_few(tmp_path: Path) -> None:
    with opened(tmp_path) as ledger:
        for number in range(3):
            assert ledger.usual() is None
            held = ledger.reserve(
                f"{number}", prompt="p", input_tokens=400, output_tokens=90, estimated=100
            )
            ledger.settle(
                held, prompt="p", input_tokens=120, output_tokens=40 + number, text="x", fits=True
            )
        assert ledger.usual() == Usual(input_ratio=1.2, output_tokens={"p": 41.0})
    with opened(tmp_path, model="other") as ledger:
        assert ledger.usual() is None


# --- answers -------------------------------------------------------------------------------------


def test_the_same_question_is_asked_once(server: Any, asker: Asker, ledger: Ledger) -> None:
    assert asker.ask(prompt(), Word) == Word(word="yes")
    assert asker.ask(prompt(), Word) == Word(word="yes")
    assert len(server.requests) == 1
    assert told(ledger.entries()) == [
        ("answered", 10, 5, 12_500, True),
        ("cached", 0, 0, 0, True),
    ]
    assert asker.endings == Counter(answered=1, cached=1)


def test_another_version_of_the_instructions_is_another_question(server: Any, asker: Asker) -> None:
    asker.ask(prompt(), Word)
    asker.ask(prompt(version="test 2"), Word)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        "no JSON at all",
        '{"word": "yes"',
        '{"word": 3}',
        '{"other": "yes"}',
        '{"word": "no", "word": "yes"}',
        '{"word": NaN}',
        "[" * 100_000,
        '{"word": ' * 100_000 + "}",
    ],
)
def test_an_answer_that_does_not_fit_is_repaired_once(
    server: Any, say: Any, asker: Asker, ledger: Ledger, wrong: str
) -> None:
    server.script = lambda request, number: say(wrong if number == 0 else '{"word": "yes"}')
    assert asker.ask(prompt(), Word) == Word(word="yes")
    assert len(server.requests) == 2
    assert asker.ask(prompt(), Word) == Word(word="yes")
    assert len(server.requests) == 2
    assert [e.state for e in ledger.entries()] == ["failed", "answered", "cached"]


def test_an_answer_that_never_fits_is_given_up_and_counted(
    server: Any, say: Any, asker: Asker, ledger: Ledger
) -> None:
    server.script = lambda request, number: say('{"word": 3}')
    assert asker.ask(prompt(), Word) is None
    assert asker.ask(prompt(), Word) is None
    assert len(server.requests) == 2
    assert asker.endings == Counter({"misfit": 1, "not asked": 1})
    assert not asker.is_kept(prompt())


@pytest.mark.parametrize(
    "dressed",
    [
        '```json\n{"word": "yes"}\n```',
        'Here it is: {"word": "yes"} Bye.',
        '<think>{"word": "no"}</think>\n{"word": "yes"}',
    ],
)
def test_words_around_an_answer_do_no_harm(
    server: Any, say: Any, asker: Asker, dressed: str
) -> None:
    server.script = lambda request, number: say(dressed)
    assert asker.ask(prompt(), Word) == Word(word="yes")
    assert len(server.requests) == 1


def test_a_secret_in_an_answer_is_not_kept(
    tmp_path: Path, server: Any, say: Any, asker: Asker
) -> None:
    secret = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    server.script = lambda request, number: say(
        f'{{"word": "use {secret}"}}' if number else f"the key is {secret}"
    )
    assert asker.ask(prompt(), Word) == Word(word="use <redacted:github-token>")
    kept = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert secret.encode() not in kept


# --- another try ---------------------------------------------------------------------------------


def test_a_busy_server_is_asked_again_when_it_says(
    server: Any, say: Any, asker: Asker, ledger: Ledger, waits: list[float]
) -> None:
    answers = [
        say(status=429, headers={"Retry-After": "7"}),
        say(status=503),
        say(status=500),
        say(),
    ]
    server.script = lambda request, number: answers[number]
    assert asker.ask(prompt(), Word) == Word(word="yes")
    assert waits == [7.0, 4.0, 8.0]
    assert [e.state for e in ledger.entries()] == ["failed", "failed", "failed", "answered"]


def test_a_server_that_asks_for_an_hour_is_left_alone(
    server: Any, say: Any, asker: Asker, waits: list[float]
) -> None:
    server.script = lambda request, number: say(status=429, headers={"Retry-After": "3600"})
    assert asker.ask(prompt(), Word) is None
    assert (len(server.requests), waits) == (1, [])


def test_after_a_refused_key_nothing_more_is_asked(server: Any, say: Any, asker: Asker) -> None:
    server.script = lambda request, number: say(status=401)
    assert [asker.ask(prompt(str(n)), Word) for n in range(5)] == [None] * 5
    assert len(server.requests) == 1
    assert asker.endings == Counter({"failed": 1, "not asked": 4})
    assert asker.stopped is not None
    assert "--api-key-env" in asker.stopped.hint


def test_after_three_failures_in_a_row_nothing_more_is_asked(
    server: Any, say: Any, asker: Asker
) -> None:
    server.script = lambda request, number: say(status=500)
    assert [asker.ask(prompt(str(n)), Word) for n in range(9)] == [None] * 9
    assert len(server.requests) == 12


def test_refused_answers_do_not_keep_the_next_question_from_being_asked(
    server: Any, say: Any, asker: Asker
) -> None:
    server.script = lambda request, number: say() if number == 5 else say(finish="length")
    found = [asker.ask(prompt(str(n)), Word) for n in range(6)]
    assert found == [None] * 5 + [Word(word="yes")]


def test_eight_threads_that_ask_the_same_ask_once(server: Any, asker: Asker) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: asker.ask(prompt(), Word), range(24)))
    assert found == [Word(word="yes")] * 24
    assert len(server.requests) == 1


# --- what must always hold -----------------------------------------------------------------------


class Provider:
    """A model that charges what it likes within the limits of a call, and fails as it likes."""

    name = "small"
    schema_told = False

    def __init__(self, seed: int, price: Price) -> None:
        self.seed = seed
        self.price = price
        self.charged: list[tuple[int, int, int]] = []

    def send(self, prompt: Prompt) -> Reply:
        chance = random.Random(f"{self.seed} {prompt.user} {len(self.charged)}")
        most = at_most(prompt.system, prompt.user)
        used = (chance.randint(1, most), chance.randint(0, prompt.max_output_tokens))
        way = chance.choice(["good"] * 4 + ["uncounted", "misfit", "busy", "broken", "silent"])
        if way == "busy":
            self._charge((0, 0))
            raise CallError("busy", kind="rate limit", again=True, after_s=0.0)
        if way == "broken":
            self._charge((0, 0))
            raise CallError("broken", kind="request")
        self._charge(used)
        if way == "silent":
            raise CallError("silent", kind="time-out", again=True, billed=True)
        counted = (None, None) if way == "uncounted" else used
        text = '{"word": 1}' if way == "misfit" else '{"word": "yes"}'
        return Reply(text=text, input_tokens=counted[0], output_tokens=counted[1])

    def _charge(self, used: tuple[int, int]) -> None:
        self.charged.append((*used, self.price.of(input_tokens=used[0], output_tokens=used[1])))


@pytest.mark.parametrize("block", range(8))
def test_the_cap_is_never_exceeded_and_the_ledger_never_says_less_than_was_charged(
    tmp_path: Path, block: int
) -> None:
    for seed in range(block * 25, block * 25 + 25):
        _holds(tmp_path / str(seed), seed)


def _holds(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    price = Price(input_nano=chance.randrange(1, 10**10), output_nano=chance.randrange(1, 10**11))
    once = price.of(input_tokens=1000, output_tokens=50)
    cap = chance.randrange(0, 12) * once
    provider = Provider(seed, price)
    path = folder / "memory.llm.db"
    with Ledger(path, model="small", price=price, cap_nano=cap) as ledger:
        asker = Asker(provider, ledger, sleep=lambda _: None)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda n: asker.ask(prompt(f"{n}"), Word), range(16)))
        entries = ledger.entries()
        spent = ledger.spent_nano
    real = sum(usd for _, _, usd in provider.charged)
    assert real <= spent <= cap
    assert len(entries) == len(provider.charged)
    assert spent == sum(e.usd_nano for e in entries)
    assert {e.state for e in entries} <= {"answered", "failed"}
    seen = Counter(provider.charged)
    counted = Counter((e.input_tokens, e.output_tokens, e.usd_nano) for e in entries if e.counted)
    assert not counted - seen
    assert sum(a is not None for a in answers) == sum(e.state == "answered" for e in entries)


def test_the_ledger_is_equal_to_what_the_server_saw(
    server: Any, say: Any, asker: Asker, ledger: Ledger
) -> None:
    chance = random.Random(1)
    server.script = lambda request, number: say(
        status=chance.choice([200, 200, 200, 429, 503]),
        usage=(chance.randint(1, 300), chance.randint(0, 50)),
    )
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: asker.ask(prompt(f"{n}"), Word), range(40)))
    charged = Counter(
        (e.input_tokens, e.output_tokens) for e in ledger.entries() if e.state == "answered"
    )
    assert charged == Counter(server.billed)
    assert len(ledger.entries()) == len(server.requests)


def test_free_calls_fit_under_any_cap(tmp_path: Path) -> None:
    with opened(tmp_path, price=FREE, cap="0") as ledger:
        held = ledger.reserve("a", prompt="p", input_tokens=10**6, output_tokens=10**6)
        ledger.settle(held, prompt="p", input_tokens=None, output_tokens=None)
        assert ledger.spent_nano == 0
