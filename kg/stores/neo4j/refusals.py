"""What a server or the driver refused, in a sentence and with the next step."""

import ssl
from collections.abc import Iterator
from typing import Final

from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    DriverError,
    Forbidden,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
    UnsupportedServerProduct,
)

from ...errors import StoreError
from .address import Address

_AGAIN: Final = (
    "Nothing of this batch was kept; what was written before is. Run the same command again."
)

_CREDENTIALS: Final = (
    "Set NEO4J_USERNAME and NEO4J_PASSWORD, or write both into the address: "
    "neo4j://user:password@host:7687"
)

_UNAUTHORIZED: Final = "Neo.ClientError.Security.Unauthorized"

_BY_CODE: Final = {
    _UNAUTHORIZED: (
        "The server {address} refused the user {user!r} or the password.",
        _CREDENTIALS,
    ),
    "Neo.ClientError.Security.AuthenticationRateLimit": (
        "The server {address} takes no password for a while: too many were wrong.",
        "Wait a few seconds, then try the right one.",
    ),
    "Neo.ClientError.Security.CredentialsExpired": (
        "The password of {user!r} on {address} must be changed before it can be used.",
        "Change it in Neo4j Browser, or with: ALTER CURRENT USER SET PASSWORD FROM 'old' TO 'new'",
    ),
    "Neo.ClientError.Database.DatabaseNotFound": (
        "The server {address} has no database of this name.",
        "Leave the name out to take the default one, or make it with: CREATE DATABASE name",
    ),
    "Neo.TransientError.Database.DatabaseUnavailable": (
        "The database {address} is not available now.",
        "Start it with: START DATABASE name",
    ),
    "Neo.ClientError.Schema.ConstraintValidationFailed": (
        "The database {address} holds a node that stands in the way. Neo4j: {message}",
        "Somebody changed it by hand; remove that node, then do the same again.",
    ),
}


def as_store_error(error: DriverError | Neo4jError, address: Address) -> StoreError:
    """Say what could not be done, and what to do about it. Credentials are never in it."""
    message, hint = _sentences(error, address)
    told = (error.message or str(error)) if isinstance(error, Neo4jError) else str(error)
    values = {"address": address.shown, "user": address.user, "message": told.strip()}
    return StoreError(message.format(**values), hint=hint)


def unreachable_members(address: Address) -> StoreError:
    """The error where a server answers and the driver reaches none that it names."""
    return StoreError(
        f"The server {address.shown} answers, but the addresses it gives for its database do not.",
        hint=f"Ask it alone, with {address.direct}, or let it advertise addresses you can reach.",
    )


def _sentences(error: DriverError | Neo4jError, address: Address) -> tuple[str, str]:
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    if code == _UNAUTHORIZED and not address.user:
        return "The server {address} asks for a user and a password.", _CREDENTIALS
    if code in _BY_CODE:
        return _BY_CODE[code]
    if isinstance(error, AuthError):
        return "The server {address} refused the user {user!r}. Neo4j: {message}", _CREDENTIALS
    if isinstance(error, Forbidden):
        return (
            "The user {user!r} may not do this on {address}. Neo4j: {message}",
            "Ask for the right to write data and to change the schema of this database.",
        )
    if isinstance(error, IncompleteCommit):
        return (
            "The server {address} went away while it kept a batch, so that nobody knows whether "
            "it did.",
            "Do the same again once it answers: what is there already is not written twice.",
        )
    if isinstance(error, UnsupportedServerProduct | ConfigurationError):
        return "The server {address} cannot be used. Driver: {message}", ""
    if isinstance(error, ServiceUnavailable | SessionExpired):
        return _unanswered(error, address)
    if isinstance(error, TransientError):
        return "The server {address} did not manage it in time. Neo4j: {message}", _AGAIN
    return "The server {address} failed. Neo4j: {message}", ""


def _unanswered(error: BaseException, address: Address) -> tuple[str, str]:
    causes = list(_causes(error))
    if any(isinstance(e, ssl.SSLError) for e in causes):
        if any(isinstance(e, ssl.SSLCertVerificationError) for e in causes):
            return (
                "The certificate of {address} is not one this machine trusts.",
                "Let it be signed by a known authority, or take it as it is with the scheme "
                "neo4j+ssc://",
            )
        return (
            "The server {address} does not speak TLS.",
            f"Leave the encryption out: {address.twin}",
        )
    if any("HTTP" in str(e) for e in causes):
        return (
            "At {address} a web server answers and not Bolt.",
            "Give the Bolt port, which is 7687 where nobody changed it.",
        )
    if any("incomplete handshake" in str(e) or "bytes left" in str(e) for e in causes):
        return (
            "The server {address} broke off before it said anything.",
            f"Where it wants encryption, ask for it: {address.twin}",
        )
    return (
        "The server {address} does not answer.",
        "Check that it runs and that the address is right. What was written before is kept: once "
        "it answers, run the same command again.",
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [one.__cause__, one.__context__]
