"""Secrets and people leave a text, everything else stays; canaries are put together at run time."""

import base64
import hashlib
import json
import random
import string
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepladder.ingest.redact import Redactor, redact
from stepladder.ingest.redact.people import email_addresses

RANDOM = random.Random(20260401)
HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits


def drawn(alphabet: str, length: int) -> str:
    """Draw a string that holds a digit, a lower-case and, where it can, an upper-case letter."""
    while True:
        text = "".join(RANDOM.choice(alphabet) for _ in range(length))
        kinds = [any(map(test, text)) for test in (str.isdigit, str.islower, str.isupper)]
        wanted = [any(map(test, alphabet)) for test in (str.isdigit, str.islower, str.isupper)]
        if kinds == wanted:
            return text


def encoded(value: object) -> str:
    """Encode as the parts of a JSON web token are."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def armour(label: str, line_break: str = "\n") -> str:
    lines = [drawn(ALNUM + "+/", 64) for _ in range(6)] + [drawn(ALNUM + "+/", 30) + "=="]
    return line_break.join(["-----BEGIN " + label + "-----", *lines, "-----END " + label + "-----"])


JWT = ".".join([encoded({"alg": "HS256"}), encoded({"sub": drawn(ALNUM, 12)}), drawn(ALNUM, 43)])

# Tokens that are known by their form, wherever they stand.
TOKENS = {
    "aws-access-key": "AK" + "IA" + drawn(string.ascii_uppercase, 12) + "2345",
    "gcp-api-key": "AI" + "za" + drawn(ALNUM, 35),
    "google-oauth": "ya" + "29." + drawn(ALNUM, 60),
    "google-client": "GOC" + "SPX-" + drawn(ALNUM, 28),
    "github-classic": "gh" + "p_" + drawn(ALNUM, 36),
    "github-fine": "github" + "_pat_" + drawn(ALNUM, 22) + "_" + drawn(ALNUM, 59),
    "gitlab": "gl" + "pat-" + drawn(ALNUM, 20),
    "slack": "xo" + "xb-" + "123456789012-" + drawn(ALNUM, 24),
    "stripe": "sk" + "_live_" + drawn(ALNUM, 24),
    "stripe-hook": "wh" + "sec_" + drawn(ALNUM, 32),
    "openai-old": "s" + "k-" + drawn(ALNUM, 48),
    "openai-project": "s" + "k-proj-" + drawn(ALNUM + "_-", 60) + "9a",
    "anthropic": "sk" + "-ant-api03-" + drawn(ALNUM + "_", 93) + "AA",
    "huggingface": "h" + "f_" + drawn(ALNUM, 34),
    "npm": "np" + "m_" + drawn(ALNUM, 36),
    "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + drawn(ALNUM, 80),
    "docker": "dckr" + "_pat_" + drawn(ALNUM, 27),
    "digitalocean": "do" + "p_v1_" + drawn(HEX, 64),
    "twilio": "S" + "K" + drawn(HEX, 32),
    "sendgrid": "S" + "G." + drawn(ALNUM, 22) + "." + drawn(ALNUM, 43),
    "telegram": "1234567890" + ":A" + "A" + drawn(ALNUM, 33),
    "discord": base64.b64encode(b"123456789012345678").decode()
    + "."
    + drawn(ALNUM, 6)
    + "."
    + drawn(ALNUM, 38),
    "square": "sq" + "0atp-" + drawn(ALNUM, 22),
    "shopify": "sh" + "pat_" + drawn(HEX, 32),
    "databricks": "da" + "pi" + drawn(HEX, 32),
    "vault": "hv" + "s." + drawn(ALNUM, 90),
    "vault-old": "s" + "." + drawn(ALNUM, 24),
    "age": "AGE-SECRET" + "-KEY-1" + drawn(string.ascii_uppercase + string.digits, 58),
    "jwt": JWT,
    "groq": "gs" + "k_" + drawn(ALNUM, 52),
    "grafana": "gl" + "sa_" + drawn(ALNUM, 32) + "_" + drawn(HEX, 8),
    "mailchimp": drawn(HEX, 32) + "-u" + "s12",
}

# Secrets that are known by where they stand; `{}` is the secret.
NAMED = {
    "aws-secret": ("aws_secret_access_key = {}", drawn(ALNUM + "/+", 40)),
    "aws-pair": ("AK" + "IAQWERTYUIOPLKJH23,{}", drawn(ALNUM + "/+", 40)),
    "azure-storage": ("AccountName=x;Account" + "Key={};EndpointSuffix=y", drawn(ALNUM, 86) + "=="),
    "azure-sas": ("https://x.blob.core.windows.net/c?sv=1&sig={}&se=2", drawn(ALNUM, 43) + "%3D"),
    "slack-hook": ("https://hooks." + "slack.com/services/{}", "T0AB/B0CD/" + drawn(ALNUM, 24)),
    "discord-hook": (
        "https://discord.com/api/" + "webhooks/123456789012345678/{}",
        drawn(ALNUM, 68),
    ),
    "presigned": (
        "https://b.s3.amazonaws.com/k?X-Amz-Expires=9&X-Amz-Signature={}",
        drawn(HEX, 64),
    ),
    "url-password": ("postgres://bob:{}@db.internal:5432/x", drawn(ALNUM, 12)),
    "url-short": ("redis://u:{}@h", "p9"),
    "bearer": ("curl -H 'Authorization: Bearer {}' x", drawn(ALNUM, 32)),
    "basic": (
        'Authorization: "Basic {}"',
        base64.b64encode(("bob:" + drawn(ALNUM, 9)).encode()).decode(),
    ),
    "env": ("DB_PASSWORD={}", "correcthorse"),
    "export": ("export API_TOKEN={}", drawn(ALNUM, 20)),
    "yaml": ("db:\n  password: {}\n  port: 1", "tr0ub4dor"),
    "json": ('{{"client_secret": "{}"}}', drawn(ALNUM + "-_", 30) + "7"),
    "python": ("API_KEY: str = '{}'", drawn(ALNUM, 24)),
    "environ": ("os.environ['SECRET_KEY'] = \"{}\"", drawn(ALNUM, 24)),
    "flag": ("mysqldump --password={} db", "hunter2"),
    "flag-space": ("tool --api-key {} run", drawn(ALNUM, 24)),
    "xml": ("<password>{}</password>", "hunter2"),
    "prose": ("the password is {} by the way", "hunter2"),
    "curl-user": ("curl -sS -u bob:{} https://x", "hunter2"),
    "sshpass": ("sshpass -p {} ssh x", "hunter2"),
    "netrc": ("machine x.org login bob password {}", "hunter2"),
    "netrc-lines": ("machine x.org\n  login bob\n  password {}\n", "hunter2"),
    "pgpass": ("localhost:5432:db:bob:{}", "hunter2"),
    "cookie": ("Cookie: sessionid={}; theme=dark", drawn(ALNUM, 32)),
    "session": ("curl -b 'PHPSESSID={}' x", drawn(ALNUM, 26)),
    "docker-auth": (
        '{{"auths": {{"ghcr.io": {{"auth": "{}"}}}}}}',
        base64.b64encode(("bob:" + drawn(ALNUM, 9)).encode()).decode(),
    ),
    "npmrc": ("//registry.npmjs.org/:_authToken={}", drawn(ALNUM, 36)),
    "toml": ('[registry]\ntoken = "{}"', drawn(ALNUM, 32)),
    "header": ("curl -H 'X-Api-Key: {}' x", drawn(ALNUM, 24)),
    "set-cookie": ("Set-Cookie: sid={}; Path=/; HttpOnly", drawn(ALNUM, 24)),
    "query": ("https://x.org/cb?a=1&access_token={}&b=2", drawn(ALNUM, 24)),
    "remote": ("git remote add o https://x-access-token:{}@x.org/r.git", drawn(ALNUM, 24)),
    "session-token": ("AWS_SESSION_TOKEN={}", drawn(ALNUM + "/+", 300) + "=="),
    "compose": ("environment:\n  - POSTGRES_PASSWORD={}\n", "correcthorse"),
    "docker-run": ("docker run -e MYSQL_PWD={} mysql", "correcthorse"),
    "powershell": ("$env:API_KEY = '{}'", drawn(ALNUM, 24)),
    "properties": ("spring.datasource.password={}", "tr0ub4dor"),
    "connection": ("Server=x;User=sa;Password={};", "tr0ub4dor"),
    "escaped-json": ('{{"a": "{{\\"password\\": \\"{}\\"}}"}}', "correcthorse"),
    "torn-json": ('{{"b": 1, "password": "{}', "swordfi-7"),
    "go": ('cfg := Config{{ApiKey: "{}"}}', drawn(ALNUM, 24)),
    "hash-rocket": (":client_secret => '{}'", drawn(ALNUM, 24)),
    "private-key": ("ssh:\n{}\nend", armour("RSA PRIVATE " + "KEY")),
    "openssh-key": ("{}", armour("OPENSSH PRIVATE " + "KEY")),
    "pgp-key": ("{}", armour("PGP PRIVATE " + "KEY BLOCK")),
    "service-account": ('{{"private_key": "{}\\n"}}', armour("PRIVATE " + "KEY", "\\n")),
    "torn-key": ("{}", armour("EC PRIVATE " + "KEY").rpartition("\n")[0]),
    "tail-of-key": ("{}", armour("PRIVATE " + "KEY").partition("\n")[2]),
    "email": ("mail {} now", "jane.doe+x" + "@" + "mail.example.co.uk"),
    "email-in-json": ('{{"a": "x\\n{}"}}', "jane" + "@" + "example.com"),
}


def in_prose(secret: str) -> str:
    return f"I used {secret}, and it worked."


def in_json(secret: str) -> str:
    return json.dumps({"output": f"line\n{secret}\nline", "n": 1})


def in_nested_json(secret: str) -> str:
    return json.dumps({"arguments": json.dumps({"command": f"echo '{secret}'\necho {secret}"})})


def in_shell(secret: str) -> str:
    return f"export X={secret}\ncurl -H 'X-Y: {secret}' \"https://x/?q={secret}&r=1\" | jq ."


def in_yaml(secret: str) -> str:
    return f"items:\n  - {secret}\n  - name: '{secret}'\n"


def in_url(secret: str) -> str:
    return f"https://bot:{secret}@example.org/path?x={secret}"


def in_diff(secret: str) -> str:
    return f"@@ -1 +1 @@\n-old\n+{secret}\n"


PLACES = [in_prose, in_json, in_nested_json, in_shell, in_yaml, in_url, in_diff]


@pytest.mark.parametrize("place", PLACES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", TOKENS)
def test_a_token_with_a_form_of_its_own_is_found_anywhere(
    name: str, place: Callable[[str], str]
) -> None:
    clean, counts = redact(place(TOKENS[name]))
    assert TOKENS[name] not in clean
    assert "<redacted:" in clean
    assert counts.total() > 0


def everything_of(secret: str) -> list[str]:
    """Return the parts of a secret that must not survive: its lines, if it is a key."""
    return [line for line in secret.replace("\\n", "\n").split("\n") if "-----" not in line]


@pytest.mark.parametrize("wrap", [str, lambda t: json.dumps({"out": t}), lambda t: f"$ x\n{t}\n"])
@pytest.mark.parametrize("name", NAMED)
def test_a_secret_is_found_by_where_it_stands(name: str, wrap: Callable[[str], str]) -> None:
    frame, secret = NAMED[name]
    clean, counts = redact(wrap(frame.format(secret)))
    assert [part for part in everything_of(secret) if part in clean] == []
    assert counts.total() >= 1


def test_the_placeholder_tells_the_kind_and_the_counts_add_up() -> None:
    text = f"a {TOKENS['github-classic']} b {TOKENS['npm']} c jane@example.com PASSWORD=hunter2"
    assert redact(text) == (
        "a <redacted:github-token> b <redacted:npm-token> c <email> PASSWORD=<redacted:password>",
        Counter({"github-token": 1, "npm-token": 1, "email": 1, "password": 1}),
    )


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("cd /home/bob/code && ls", "cd ~/code && ls"),
        ("/Users/bob", "~"),
        ("file:///Users/bob/a.py:3", "file://~/a.py:3"),
        ("PATH=/usr/bin:/home/bob/bin", "PATH=/usr/bin:~/bin"),
        (r"C:\Users\bob\x.txt", r"~\x.txt"),
        (r"C:\\Users\\Bob Smith\\AppData", r"~\\AppData"),
        ("C:/Users/bob/x", "~/x"),
        ("/mnt/c/Users/bob/x", "~/x"),
        (r"line\n/home/bob/x", r"line\n~/x"),
        ("~/.claude/projects/-Users-bob-code-x/a.jsonl", "~/.claude/projects/-~-code-x/a.jsonl"),
        ("projects/-home-bob-x", "projects/-~-x"),
        ("projects/C--Users-bob-x", "projects/-~-x"),
        ("/home/user/x is the home of user", "~/x is the home of user"),
        ("/home/bob/x by bob, for bobby (bob@host)", "~/x by <user>, for bobby (<user>@host)"),
        ("https://x.org/home/page src/Users/list.tsx app/home/views", None),
        ("/Users/Shared/x /home/$USER/x /home/<name>/x", None),
        ("react-home-page --home-dir x", None),
    ],
)
def test_home_folders_lose_the_account_name(text: str, clean: str | None) -> None:
    assert redact(text)[0] == (text if clean is None else clean)


def test_a_name_learnt_from_a_path_goes_from_later_texts_of_the_run() -> None:
    redactor = Redactor()
    assert redactor.text("jdoe pushed") == "jdoe pushed"
    assert redactor.text("cwd /Users/jdoe/x") == "cwd ~/x"
    assert redactor.text("github.com/jdoe/x") == "github.com/<user>/x"
    assert redactor.counts == Counter({"home": 1, "user": 2 - 1})


def test_names_can_be_given() -> None:
    clean = redact("ask jdoe or root", home_names=frozenset({"jdoe", "root"}))[0]
    assert clean == "ask <user> or root"


def test_a_dashed_folder_of_a_known_name_with_a_dot_goes_whole() -> None:
    text = "/home/john.doe/x and projects/-home-john-doe-x"
    assert redact(text)[0] == "~/x and projects/-~-x"


@pytest.mark.parametrize(
    "text",
    [
        "@pytest.fixture\n@app.route('/x')\n\\n@pytest.mark.slow",
        "git@github.com:org/repo.git",
        "git clone ssh://git@github.com/org/repo",
        "scp deploy@build.example.com:/srv/x .",
        "npm i left-pad@1.3.0 react@17.0.2-beta.rc @types/node@20.1.0",
        "uses: actions/checkout@v4.1.com",
        "icon@2x.png C = a@b.shape W@x.dot(y)",
        "python@3.11 user@host image@sha256:abc",
    ],
)
def test_what_only_looks_like_an_address_stays(text: str) -> None:
    assert redact(text) == (text, Counter())


@pytest.mark.parametrize(
    "text",
    [
        "token = tokenizer.next()",
        "token = next(tokens)",
        "password = getpass()",
        "password = self.cleaned_data['password']",
        "api_key = os.environ['API_KEY']",
        'api_key=os.getenv("API_KEY")',
        "const secret = process.env.CLIENT_SECRET;",
        "PASSWORD=$DB_PASSWORD",
        "password: ${{ secrets.NPM_TOKEN_2024x }}",
        "password: {{ vault_password_1 }}",
        "API_KEY=<your-key>",
        "token: xxxxxxxxxxxxxxxx",
        'SECRET_KEY = "your-secret-key-here"',
        'api_key="example-key-1234567890"',
        "AWS_ACCESS_KEY_ID=AK" + "IAIOSFODNN7EXAMPLE",
        "def login(username: str, password: str) -> Token: ...",
        "max_tokens: 4096, total_tokens=182736, token_count = 12345678901234567890",
        "next_page_token: CAUQAA8f7d9a1b2c3d4e",
        "password_validators = 'django.contrib.auth.password_validation'",
        "raise ValueError('password must have 8 characters')",
        "https://user:password@example.com/x http://localhost:8080/a@b",
        "http://$USER:$PASS@host {user}:{password}@host",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "bearer token authentication",
        "assert token == 'abc'",
        "public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8dYk7Vq'",
        '"session_id": "0f8fad5b-d9cb-469f-a165-70867728950e"',
        '"sessionID": "ses_3f9a8b7c6d5e4f3a2b1c"',
        "cache_key = 'a1b2c3d4e5f6a7b8c9d0'",
        "if text.startswith('-----BEGIN PRIVATE " + "KEY-----'):",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        "PWD=/repo/src OLDPWD=/repo",
        "use --password to be asked for it, -p 8080",
        "docker run -u 1000:1000 x; curl -u $USER:$PASS y",
        "sk-learn-contrib task-1234567890abcdefghij risk-assessment-2024",
        "hf_model_name = npm_config_registry; s.split(); SG.x",
    ],
)
def test_code_placeholders_and_counts_stay(text: str) -> None:
    assert redact(text) == (text, Counter())


def lookalikes() -> list[str]:
    """Return 200 lines with hashes, ids and encoded data that are no secrets."""
    chance = random.Random(11)

    def digest(name: str) -> Any:
        return hashlib.new(name, chance.randbytes(8))

    def b64(size: int) -> str:
        return base64.b64encode(chance.randbytes(size)).decode()

    makers: list[Callable[[], str]] = [
        lambda: f"commit {digest('sha1').hexdigest()}",
        lambda: f"index {digest('sha1').hexdigest()[:7]}..{digest('sha1').hexdigest()[:7]} 100644",
        lambda: f"100644 blob {digest('sha1').hexdigest()}\tsrc/a.py",
        lambda: str(uuid.UUID(bytes=chance.randbytes(16))),
        lambda: f'"integrity": "sha512-{base64.b64encode(digest("sha512").digest()).decode()}"',
        lambda: f"x==1.0 --hash=sha256:{digest('sha256').hexdigest()}",
        lambda: f'{{file = "x-1.0.whl", hash = "sha256:{digest("sha256").hexdigest()}"}},',
        lambda: (
            f"golang.org/x/net v0.1.0 h1:{base64.b64encode(digest('sha256').digest()).decode()}"
        ),
        lambda: f'checksum = "{digest("sha256").hexdigest()}"',
        lambda: f"data:image/png;base64,iVBORw0KGgo{b64(120)}",
        lambda: f"payload = '{b64(90)}'",
        lambda: f'"id": "toolu_{drawn(ALNUM, 22)}", "key": "{digest("md5").hexdigest()}"',
        lambda: f"image@sha256:{digest('sha256').hexdigest()}",
        lambda: f"{digest('md5').hexdigest()}  dist/x.tar.gz",
        lambda: f'resolved "https://registry.npmjs.org/x/-/x-1.tgz#{digest("sha1").hexdigest()}"',
        lambda: f'"etag": "W/{digest("md5").hexdigest()}", "signature": "{b64(60)}"',
        lambda: (
            f"pack-{digest('sha1').hexdigest()}.idx {chance.random()} 0x{chance.getrandbits(64):x}"
        ),
        lambda: f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB{b64(120)} x",
        lambda: f"trace_id={chance.getrandbits(128):032x} span={chance.getrandbits(64):016x}",
        lambda: f"AAAAEAAA{b64(60)}",
    ]
    return [makers[number % len(makers)]() for number in range(200)]


def test_of_200_lookalikes_at_most_2_are_taken() -> None:
    lines = lookalikes()
    assert len(set(lines)) == 200
    changed = [line for line in lines if redact(line)[0] != line]
    assert len(changed) <= 2, changed


def test_json_values_are_redacted_with_their_keys_in_mind() -> None:
    token = TOKENS["gitlab"]
    value = {
        "password": "hunter2",
        "nested": [{"api_key": "k" + drawn(ALNUM, 20), "max_tokens": 5}, None, 1.5, True],
        "argv": ["tool", "--password", "hunter2", token],
        "env": [{"name": "DB_PASSWORD", "value": "hunter2"}, {"name": "MODE", "value": "hunter2"}],
        "jane@example.com": "a",
        "joe@example.com": "b",
        "late": "jdoe",
        "cwd": "/home/jdoe/x",
        "session_id": "0f8fad5b-d9cb-469f-a165-70867728950e",
    }
    redactor = Redactor()
    assert redactor.value(value) == {
        "password": "<redacted:password>",
        "nested": [{"api_key": "<redacted:key>", "max_tokens": 5}, None, 1.5, True],
        "argv": ["tool", "--password", "<redacted:password>", "<redacted:gitlab-token>"],
        "env": [
            {"name": "DB_PASSWORD", "value": "<redacted:password>"},
            {"name": "MODE", "value": "hunter2"},
        ],
        "<email>": "a",
        "<email>'": "b",
        "late": "<user>",
        "cwd": "~/x",
        "session_id": "0f8fad5b-d9cb-469f-a165-70867728950e",
    }
    assert redactor.counts == Counter(
        {"password": 3, "key": 1, "gitlab-token": 1, "email": 2, "user": 1, "home": 1}
    )
    assert value["password"] == "hunter2"


def test_a_very_deep_value_is_walked() -> None:
    value: Any = "jane@example.com"
    for _ in range(5000):
        value = [value]
    clean = Redactor().value(value)
    for _ in range(5000):
        clean = clean[0]
    assert clean == "<email>"


PIECES = [
    *TOKENS.values(),
    *(frame.format(secret) for frame, secret in NAMED.values()),
    *(
        "password=",
        "token: ",
        '"',
        "'",
        "\\n",
        "\n",
        " ",
        "/home/",
        "/Users/",
        "bob",
        "/",
        "~",
        "@",
    ),
    *("x.com", "C:\\Users\\", "<", ">", ":", "=", "-", "-Users-", "Bearer ", "://", "é", "\ud800"),
    *("-----BEGIN PRIVATE " + "KEY-----", "-----END PRIVATE " + "KEY-----", "Authorization: "),
]


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)[0]
    assert redact(once) == (once, Counter())


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_a_value_keeps_its_shape(value: Any) -> None:
    def shape(item: Any) -> Any:
        if isinstance(item, dict):
            return [shape(inner) for inner in item.values()]
        return [shape(inner) for inner in item] if isinstance(item, list) else type(item)

    assert shape(Redactor().value(value)) == shape(value)


HOSTILE = [
    "password=",
    "password: '",
    "-----BEGIN PRIVATE " + "KEY-----\n",
    "eyJ",
    "eyJa.eyJ",
    "@a.b",
]
HOSTILE += ["a@", "/home/a", "://a:", "cookie: a=b; a=", "machine x login y ", "sk-", "token", "\\"]
HOSTILE += [
    "curl ",
    "A",
    "Ab1/",
    "authorization: ",
    "-Users-a",
    "C:\\Users\\a b",
    "secret\"'",
    "a.",
    " ",
]
HOSTILE += [
    "-----END PRIVATE " + "KEY-----\n",
    "x=1;",
    "MTa.",
    "key-",
    "SK0",
    "bearer ",
    "\n1234:AA",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_megabyte_of_anything_is_read_to_its_end(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    redact(text)


def test_addresses_are_found_between_other_text() -> None:
    text = "a@b c@d.com, <e.f@g.co.uk> git@x.org:y"
    spans = [(span.start, span.end) for span in email_addresses(text)]
    assert [text[a:b] for a, b in spans] == ["c@d.com", "e.f@g.co.uk"]
