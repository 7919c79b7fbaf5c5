"""The same as drain, over TLS."""

from .drain import LONGER, SERVICE, STOP_AFTER_SECONDS, STOPS, attack  # noqa: F401

TLS = True
