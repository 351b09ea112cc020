"""A model behind any OpenAI-compatible chat completions service, hosted or local."""

from __future__ import annotations

import ipaddress
import json
import logging
import os
import re
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import openai

from proactmem.errors import BackboneError, ConfigError
from proactmem.llm.backbone import Reply, Request
from proactmem.llm.completion import STRUCTURES, Manners, Structure, chat_body, read_completion
from proactmem.llm.service_errors import (
    GaveUpError,
    MalformedAnswerError,
    NoSuchApiError,
    content_refused,
    context_exceeded,
    explain_status,
    masked,
    model_unknown,
    one_line,
    quota_used_up,
)

__all__ = ["OpenAIBackbone"]

_LOG = logging.getLogger(__name__)
_MAX_BODY = 16_000_000
_STRUCTURE_WORDS = re.compile(r"response_format|json_schema|json_object|structured output|grammar|\bschema\b", re.IGNORECASE)
_UNSUPPORTED = re.compile(r"unsupported|not supported|unrecognized|unknown|unexpected|not permitted|extra", re.IGNORECASE)
# The client is built on httpx2 or, in its older releases, httpx: whichever it loaded names what breaks in mid-answer.
_TRANSPORT_ERRORS: tuple[type[Exception], ...] = tuple(
    sys.modules[name].HTTPError for name in ("httpx2", "httpx") if name in sys.modules
)


@dataclass(frozen=True)
class _Failure:
    """One attempt that gave no reply."""

    cause: str
    """One masked line."""
    retry: bool
    """Whether asking again may help."""
    status: int = 0
    """HTTP status; 0 where there was none."""
    code: str = ""
    param: str = ""
    wait: float | None = None
    """Seconds the service asks to wait."""
    final: BackboneError | None = None
    """The error to raise where the status alone does not say it."""


class OpenAIBackbone:
    """Asks a chat completions service through the `openai` package; learns from named errors what the service accepts.

    Args:
        model: Model name.
        base_url: Service address; OPENAI_BASE_URL, else OpenAI's own. A user and password in it are sent as basic
            authentication and never shown.
        api_key: OPENAI_API_KEY when None; a service on this machine needs none.
        name: Name for manifests.
        timeout: Seconds for one attempt, from sending to the answer's last byte.
        attempts: Attempts at one request, the first included.
        first_delay: Seconds before the second attempt; doubled each time.
        longest_delay: Limit of that doubling, in seconds.
        longest_wait: Longest Retry-After, in seconds, that is waited for.
        sleep: Waits between attempts.
        timer: Measures seconds.

    Raises:
        ConfigError: No key for a service elsewhere, or an address that is none.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        name: str = "openai",
        timeout: float = 180.0,
        attempts: int = 6,
        first_delay: float = 1.0,
        longest_delay: float = 60.0,
        longest_wait: float = 600.0,
        sleep: Callable[[float], None] = time.sleep,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        given = base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
        self._url, login, local = _address(given)
        key = (api_key if api_key is not None else os.environ.get("OPENAI_API_KEY", "")).strip()
        if not key and not local and not login:
            raise ConfigError(
                f"{self._url} needs an API key and OPENAI_API_KEY is not set.",
                remedy="Set OPENAI_API_KEY, or give the base URL of a service on this machine.",
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ConfigError(
                f"The API key for {self._url} holds blanks or characters that no key has ({len(key)} characters).",
                remedy="Copy the key again, without quotes or line breaks.",
            )
        self._secrets = tuple(part for part in (key, *login) if part)
        self._model, self._name = model, name
        self._timeout, self._attempts = timeout, max(1, attempts)
        self._first_delay, self._longest_delay, self._longest_wait = first_delay, longest_delay, longest_wait
        self._sleep, self._timer = sleep, timer
        basic = b64encode(":".join(login).encode()).decode()
        self._client = openai.OpenAI(
            api_key=key or "not-needed",
            base_url=self._url,
            timeout=timeout,
            max_retries=0,
            default_headers={"Authorization": f"Basic {basic}"} if login else None,
            # A proxy set for the internet must not stand between this process and a service beside it.
            http_client=openai.DefaultHttpxClient(trust_env=False) if local else None,
        )
        self._lock = threading.Lock()
        self._manners = Manners()
        self._structures: dict[str, Structure] = {}

    @property
    def name(self) -> str:
        """Name for manifests and captions."""
        return self._name

    @property
    def model(self) -> str:
        """The model name that requests carry."""
        return self._model

    @property
    def base_url(self) -> str:
        """The service's address without credentials."""
        return self._url

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def complete(self, request: Request) -> Reply:
        """Ask the service, again where that may help, and return whatever it says.

        Raises:
            BackboneError: Of the kind `service_errors` names: rejected key, unknown model, no such API, refused access,
                context exceeded, quota used up, rejected request, malformed answer, or gave up after all attempts.
        """
        with self._lock:
            manners, known = (
                self._manners,
                None if request.reply_schema is None else self._structures.get(request.reply_schema.name),
            )
        learnt: dict[str, Any] = {}
        structure = known or STRUCTURES[0]
        attempt, adapted = 1, {(manners, structure)}
        while True:
            started = self._timer()
            outcome = self._attempt(chat_body(request, manners, structure))
            if isinstance(outcome, Reply):
                self._remember(request, learnt, structure)
                return outcome.model_copy(update={"seconds": self._timer() - started})
            change = _adaptation(outcome, request, manners)
            if not change and request.reply_schema is not None and _blames_structure(outcome, known is not None, attempt):
                weaker = STRUCTURES[STRUCTURES.index(structure) + 1 :]
                structure = weaker[0] if weaker else structure
            manners = replace(manners, **change)
            if (manners, structure) not in adapted:
                adapted.add((manners, structure))
                learnt |= change
                continue
            if not outcome.retry:
                raise outcome.final or explain_status(
                    outcome.status, outcome.code, outcome.cause, url=self._url, model=request.model
                )
            self._wait(outcome, attempt)
            attempt += 1

    def _remember(self, request: Request, learnt: Mapping[str, Any], structure: Structure) -> None:
        with self._lock:
            self._manners = replace(self._manners, **learnt)
            if request.reply_schema is not None:
                self._structures[request.reply_schema.name] = structure

    def _wait(self, failure: _Failure, attempt: int) -> None:
        delay = min(self._longest_delay, self._first_delay * 2.0 ** min(attempt - 1, 60))
        asked = failure.wait
        if attempt < self._attempts and (asked is None or asked <= self._longest_wait):
            _LOG.info("%s: %s; attempt %d of %d", self._url, failure.cause, attempt + 1, self._attempts)
            self._sleep(delay if asked is None else asked)
            return
        times = f"{attempt} attempt{'s' if attempt > 1 else ''}"
        if failure.final is not None:
            raise failure.final
        patience = f", and asks to wait {asked:.0f} s" if attempt < self._attempts else ""
        raise GaveUpError(
            f"{self._url} gave no reply in {times}; last: {failure.cause}{patience}.",
            attempts=attempt, cause=failure.cause,
            remedy="Check the service, then run the same command again: replies so far are kept.",
        )  # fmt: skip

    def _said(self, text: object) -> str:
        return one_line(masked(str(text)[:2000], self._secrets)).rstrip(".")

    def _attempt(self, body: dict[str, Any]) -> Reply | _Failure:
        deadline = self._timer() + self._timeout
        raw = bytearray()
        try:
            with self._client.chat.completions.with_streaming_response.create(**body) as response:
                for chunk in response.iter_bytes():
                    raw += chunk
                    if len(raw) > _MAX_BODY:
                        return self._malformed(f"more than {_MAX_BODY // 1_000_000} MB")
                    if self._timer() > deadline:
                        return _Failure(f"the answer was not complete after {self._timeout:.0f} s", retry=True)
        except openai.APITimeoutError:
            return _Failure(f"no answer within {self._timeout:.0f} s", retry=True)
        except openai.APIConnectionError as error:
            return _Failure(f"no connection ({self._said(error.__cause__ or error)})", retry=True)
        except openai.APIStatusError as error:
            return self._status(error)
        except _TRANSPORT_ERRORS as error:
            return _Failure(f"the connection broke in mid-answer ({self._said(error)})", retry=True)
        found = read_completion(bytes(raw))
        if isinstance(found, Reply):
            return found
        if found.kind == "html":
            remedy = "Check the base URL; it usually ends in /v1."
            answer = NoSuchApiError(f"{self._url} answers with an HTML page, expected a chat completion.", remedy=remedy)
            return _Failure("an HTML page", retry=False, final=answer)
        return self._malformed(self._said(found.detail))

    def _malformed(self, what: str) -> _Failure:
        answer = MalformedAnswerError(
            f"{self._url} answered with {what}, expected a chat completion ({self._attempts} attempts).",
            remedy="Check that the base URL names a chat completions service, then run the same command again.",
        )
        return _Failure(what, retry=True, final=answer)

    def _status(self, error: openai.APIStatusError) -> Reply | _Failure:
        details = error.body if isinstance(error.body, Mapping) else {}
        said = details.get("message") or details.get("detail") or error.body or ""
        text = said if isinstance(said, str) else json.dumps(said)
        if text.lstrip()[:1] == "<":
            text = "an HTML page"
        code, status = self._said(error.code or ""), error.status_code
        if status == 400 and content_refused(code):
            return Reply(text="", finish_reason="refused")
        quota = isinstance(error, openai.RateLimitError) and quota_used_up(code, text)
        retry = isinstance(error, openai.RateLimitError | openai.InternalServerError) and not quota
        cause = self._said(text)
        return _Failure(
            f"status {status}{f' ({cause})' if cause else ''}" if retry else cause,
            retry=retry, status=status, code=code, param=self._said(error.param or ""),
            wait=_retry_after(error.response.headers),
        )  # fmt: skip


def _address(given: str) -> tuple[str, tuple[str, ...], bool]:
    """An address without its credentials, the credentials, and whether it is on this machine."""
    try:
        parts = urlsplit(given.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise ConfigError(
            f"The base URL is no service address (scheme {parts.scheme!r}, host {host!r}).",
            remedy="Give it as http(s)://host[:port]/v1, without a query.",
        )
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port is None else f"{shown}:{port}"
    url = urlunsplit((parts.scheme, netloc, parts.path.rstrip("/"), "", ""))
    named = parts.username is not None
    login = (unquote(parts.username or ""), unquote(parts.password or "")) if named else ()
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    return url, login, local


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header; a date counts from the answer's own Date header."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", value):
        return float(value)
    try:
        until, now = parsedate_to_datetime(value), parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def _names(failure: _Failure, word: str) -> bool:
    if failure.param:
        return failure.param.split(".")[0] == word
    return re.search(rf"\b{word}\b", failure.cause) is not None


def _adaptation(failure: _Failure, request: Request, manners: Manners) -> dict[str, Any]:
    """What to send differently, where the service named a setting it does not accept."""
    if failure.status not in (400, 422) or context_exceeded(failure.code, failure.cause):
        return {}
    if manners.limit_field == "max_tokens" and "max_completion_tokens" in failure.cause:
        return {"limit_field": "max_completion_tokens"}
    if _names(failure, manners.limit_field) and _UNSUPPORTED.search(failure.cause):
        other = "max_tokens" if manners.limit_field == "max_completion_tokens" else "max_completion_tokens"
        return {"limit_field": other}
    if manners.temperature and _names(failure, "temperature"):
        return {"temperature": False}
    if manners.seed and request.seed is not None and _names(failure, "seed"):
        return {"seed": False}
    return {}


def _blames_structure(failure: _Failure, proven: bool, attempt: int) -> bool:
    """Whether the form of the reply schema is the cause: named, or unexplained while it never worked here."""
    if context_exceeded(failure.code, failure.cause) or model_unknown(failure.code, failure.cause):
        return False
    if failure.status in (400, 404, 422, 500, 501) and _STRUCTURE_WORDS.search(f"{failure.param} {failure.cause}"):
        return True
    if proven or failure.param:
        return False
    return failure.status in (400, 422) or (failure.status == 500 and attempt >= 2)
