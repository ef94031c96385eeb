"""The table of credentials that are recognisable by their own form, wherever they stand.

A row is looked at only if one of its needles occurs in the text, so that its expression hardly ever
runs. Every expression is linear: no nested quantifiers, bounded look-behind, distinctive start.
Where an expression has a group named `secret`, only that group is replaced.
Source of each form: the documentation named in the row, or the issuer's own examples.
"""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a text that is to be replaced, the kind it is of, and what takes its place."""

    start: int
    end: int
    kind: str
    text: str


def secret_span(start: int, end: int, kind: str) -> Span:
    """Return the span of a secret; a placeholder with its kind takes its place."""
    return Span(start, end, kind, f"<redacted:{kind}>")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of credential: needles that must occur, its form, and what else must hold."""

    kind: str
    needles: tuple[str, ...]
    form: re.Pattern[str]
    source: str
    holds: Callable[[str], bool] | None = None


_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
_END = r"(?![A-Za-z0-9_-])"


def _word(literal: str) -> str:
    """Return an expression for `literal` at the start of a word.

    A word may also follow an escaped line break (`\\nsk-...`), in text that is JSON inside JSON.
    The literal comes first, so that the engine can search for it instead of trying every place.
    """
    escaped = re.escape(literal)
    return rf"{escaped}(?:(?<![A-Za-z0-9_-]{escaped})|(?<=\\[nrt]{escaped}))"


def is_mixed(token: str) -> bool:
    """Say whether a token has a digit and letters of both cases, as drawn ones have."""
    return bool(
        re.search(r"\d", token) and re.search(r"[a-z]", token) and re.search(r"[A-Z]", token)
    )


def has_digit_and_letter(token: str) -> bool:
    """Say whether a token has a digit and a letter, as lower-case drawn ones have."""
    return bool(re.search(r"\d", token) and re.search(r"[A-Za-z]", token))


def is_basic_pair(token: str) -> bool:
    """Say whether a token is base64 of printable `user:password`."""
    try:
        plain = b64decode(token + "=" * (-len(token) % 4), validate=True)
    except (Base64Error, ValueError):
        return False
    return b":" in plain and plain.isascii() and plain.decode().isprintable()


def _starts_with_number(token: str) -> bool:
    """Say whether the first part of a token is base64 of a number (a Discord user id)."""
    head = token.partition(".")[0]
    try:
        return b64decode(head + "=" * (-len(head) % 4)).isdigit()
    except (Base64Error, ValueError):
        return False


def _row(
    kind: str, needles: str, form: str, source: str, holds: Callable[[str], bool] | None = None
) -> Pattern:
    return Pattern(kind, tuple(needles.split()), re.compile(form), source, holds)


PATTERNS: tuple[Pattern, ...] = (
    _row(
        "aws-secret-key",
        "AKIA ASIA",
        r"(?:AKIA|ASIA)[A-Z0-9]{16}[\s,:;|\"']{1,12}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        "docs.aws.amazon.com IAM: credentials file and CSV, key and secret side by side",
        is_mixed,
    ),
    _row(
        "aws-access-key",
        "AKIA ASIA ABIA ACCA",
        r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        "docs.aws.amazon.com IAM: unique identifier prefixes",
        has_digit_and_letter,
    ),
    _row(
        "gcp-api-key",
        "AIza",
        r"AIza[0-9A-Za-z_-]{35}",
        "cloud.google.com/docs/authentication/api-keys",
    ),
    _row(
        "google-oauth",
        "ya29. GOCSPX- 1//0",
        r"ya29\.[0-9A-Za-z_-]{20,2048}|GOCSPX-[0-9A-Za-z_-]{20,64}|1//0[0-9A-Za-z_-]{40,256}",
        "developers.google.com/identity/protocols/oauth2",
    ),
    _row(
        "azure-storage-key",
        "AccountKey= SharedAccessKey=",
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,90}={0,2})",
        "learn.microsoft.com: storage connection strings",
    ),
    _row(
        "azure-client-secret",
        "Q~",
        _START + r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}" + _END,
        "learn.microsoft.com: Entra application credentials",
    ),
    _row(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{22,255}",
        "docs.github.com: token formats",
        has_digit_and_letter,
    ),
    _row(
        "gitlab-token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- GR1348941",
        r"(?:gl(?:pat|dt|rtr?|cbt|ptt|ft|soat|imt|agent|oas)-|GR1348941)[A-Za-z0-9_.-]{20,300}",
        "docs.gitlab.com/security/tokens: token prefixes",
    ),
    _row(
        "slack-token",
        "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xapp-",
        r"xox[abcdeoprs][.-][A-Za-z0-9%-]{10,400}|xapp-\d-[A-Za-z0-9-]{10,400}",
        "api.slack.com/authentication/token-types",
        has_digit_and_letter,
    ),
    _row(
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_]{20,200})",
        "api.slack.com/messaging/webhooks",
    ),
    _row(
        "stripe-key",
        "k_live_ k_test_ whsec_",
        _START + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/=]{24,100}",
        "docs.stripe.com/keys",
    ),
    _row(
        "anthropic-key",
        "sk-ant-",
        r"sk-ant-[A-Za-z0-9_-]{20,300}",
        "docs.anthropic.com: API keys",
        has_digit_and_letter,
    ),
    _row(
        "openai-key",
        "sk-",
        _word("sk-")
        + r"(?:proj-|svcacct-|admin-|None-|or-v1-|lf-)?[A-Za-z0-9_]{4}[A-Za-z0-9_-]{16,300}"
        + _END,
        "platform.openai.com/docs/api-reference/authentication, and those who copy its form",
        has_digit_and_letter,
    ),
    _row(
        "huggingface-token",
        "hf_ api_org_",
        _START + r"(?:hf_|api_org_)[A-Za-z0-9]{30,60}",
        "huggingface.co/docs/hub/security-tokens",
    ),
    _row("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}", "docs.npmjs.com: access tokens"),
    _row(
        "pypi-token",
        "pypi-Ag",
        r"pypi-Ag[A-Za-z0-9_-]{50,1000}",
        "pypi.org/help: API tokens are macaroons",
    ),
    _row(
        "docker-token",
        "dckr_pat_ dckr_oat_",
        r"dckr_[po]at_[A-Za-z0-9_-]{20,100}",
        "docs.docker.com/security/access-tokens",
    ),
    _row(
        "docker-auth",
        '"auth',
        r"\\{0,3}\"auth\\{0,3}\"\s{0,4}:\s{0,4}\\{0,3}\"(?P<secret>[A-Za-z0-9+/]{8,2000}={0,2})\\{0,3}\"",
        "docs.docker.com: config.json auths",
        is_basic_pair,
    ),
    _row(
        "digitalocean-token",
        "dop_v1_ doo_v1_ dor_v1_",
        r"do[opr]_v1_[a-f0-9]{64}",
        "docs.digitalocean.com/reference/api",
    ),
    _row(
        "twilio-key",
        "SK",
        _word("SK") + r"[0-9a-f]{32}(?![A-Za-z0-9])",
        "twilio.com/docs/iam/api-keys",
        has_digit_and_letter,
    ),
    _row(
        "sendgrid-key",
        "SG.",
        _word("SG.") + r"[\w-]{16,32}\.[\w-]{30,64}",
        "twilio.com/docs/sendgrid: API keys",
    ),
    _row(
        "telegram-token",
        ":AA",
        r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,36}",
        "core.telegram.org/bots/api#authorizing-your-bot",
    ),
    _row(
        "discord-webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/\d{15,22}/(?P<secret>[\w-]{40,100})",
        "discord.com/developers/docs/resources/webhook",
    ),
    _row(
        "discord-token",
        "MT Mj Mz ND NT Nj Nz OD OT",
        r"(?:M[Tjz]|N[DTjz]|O[DT])[\w-]{22,26}\.[\w-]{6}\.[\w-]{27,40}",
        "discord.com/developers/docs/reference#authentication",
        _starts_with_number,
    ),
    _row(
        "square-token",
        "sq0 EAAA",
        r"sq0(?:atp|csp|idp)-[\w-]{22,60}|(?<![\w+/=-])EAAA[\w-]{60}(?![\w+/=-])",
        "developer.squareup.com/docs/build-basics/access-tokens",
        has_digit_and_letter,
    ),
    _row(
        "shopify-token",
        "shpat_ shpca_ shppa_ shpss_",
        r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
        "shopify.dev/docs/apps/auth",
    ),
    _row(
        "databricks-token",
        "dapi",
        _word("dapi") + r"[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])",
        "docs.databricks.com: personal access tokens",
        has_digit_and_letter,
    ),
    _row(
        "vault-token",
        "hvs. hvb. hvr.",
        _START + r"hv[sbr]\.[A-Za-z0-9_-]{24,300}",
        "developer.hashicorp.com/vault/docs/concepts/tokens",
        has_digit_and_letter,
    ),
    _row(
        "vault-token",
        "s.",
        _word("s.") + r"[A-Za-z0-9]{24}(?![A-Za-z0-9_.(-])",
        "developer.hashicorp.com/vault/docs/concepts/tokens: before 1.10",
        is_mixed,
    ),
    _row(
        "age-key",
        "AGE-SECRET-KEY-",
        r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,2000}",
        "github.com/FiloSottile/age",
    ),
    _row(
        "private-key",
        "b3BlbnNzaC1rZXktdjE",
        r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{20,8000}",
        "PROTOCOL.key of OpenSSH: base64 of its magic",
    ),
    _row(
        "jwt",
        "eyJ",
        _word("eyJ")
        + r"[A-Za-z0-9_-]{8,8000}\.eyJ[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,8000})?",
        "RFC 7519",
    ),
    _row(
        "other-token",
        "glsa_ glc_ lin_api_ ntn_ figd_ sbp_ nfp_ NRAK- PMAK- dp.pt. pscale_ pplx- gsk_ xai- r8_ "
        "lsv2_ sntrys_ rubygems_ tskey- bkua_ tvly- ops_eyJ ATATT3 pul- HRKU- LTAI .atlasv1. "
        "phc_ phx_ AKCp dt0c01. shippo_",
        _START + r"(?:glsa_[\w]{32,60}|glc_[A-Za-z0-9+/=]{32,400}|lin_api_[A-Za-z0-9]{32,48}"
        r"|ntn_[A-Za-z0-9]{40,60}|figd_[\w-]{36,60}|sbp_[a-f0-9]{40}|nfp_[A-Za-z0-9]{36,60}"
        r"|NRAK-[A-Z0-9]{27}|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|dp\.pt\.[A-Za-z0-9]{40,44}"
        r"|pscale_(?:tkn|pw|oauth)_[\w.-]{32,64}|pplx-[A-Za-z0-9]{40,60}|gsk_[A-Za-z0-9]{40,60}"
        r"|xai-[A-Za-z0-9]{60,100}|r8_[A-Za-z0-9]{36,40}|lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"
        r"|sntrys_[A-Za-z0-9+/=_]{60,300}|rubygems_[a-f0-9]{48}|tskey-[a-z]{3,12}-[A-Za-z0-9-]{20,80}"
        r"|bkua_[a-f0-9]{40}|tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,60}|ops_eyJ[A-Za-z0-9+/=]{100,2000}"
        r"|ATATT3[\w=-]{60,300}|pul-[a-f0-9]{40}|HRKU-[\w-]{36,64}|LTAI[A-Za-z0-9]{20}"
        r"|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}|ph[cx]_[A-Za-z0-9]{40,48}"
        r"|AKCp[A-Za-z0-9]{69}|dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}|shippo_(?:live|test)_[a-f0-9]{40})"
        + _END,
        "the issuers' documentation; prefixes as published for secret scanning",
        has_digit_and_letter,
    ),
    _row("mailgun-key", "key-", _word("key-") + r"[a-f0-9]{32}" + _END, "mailgun.com: API keys"),
    _row(
        "mailchimp-key",
        "-us1 -us2 -us3 -us4 -us5 -us6 -us7 -us8 -us9",
        r"[a-f0-9]{32}-us\d{1,2}" + _END,
        "mailchimp.com/developer: API keys",
    ),
    _row("crates-token", "cio", _word("cio") + r"[A-Za-z0-9]{32}" + _END, "crates.io", is_mixed),
    _row(
        "signature",
        "X-Amz-Signature X-Amz-Credential X-Amz-Security-Token X-Goog-Signature X-Goog-Credential",
        r"X-(?:Amz|Goog)-(?:Signature|Credential|Security-Token)=(?P<secret>[\w%/+=.-]{16,4000})",
        "docs.aws.amazon.com: query string authentication; cloud.google.com: signed URLs",
    ),
    _row(
        "signature",
        "sig= signature= Signature= hmac=",
        r"[?&;, ](?:sig|[Ss]ignature|hmac)=(?P<secret>[\w%/+=.~-]{24,1000})",
        "learn.microsoft.com: shared access signatures; CloudFront signed URLs",
        has_digit_and_letter,
    ),
)
