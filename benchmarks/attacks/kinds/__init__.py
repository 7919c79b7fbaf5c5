"""The attacks, one in each file.

A file says in its first line what happens, names the SERVICE that is attacked, and has a function
`attack` that does it until its scene is over. What the attack itself met is counted in the scene. With
PROCESSES several do the same, with LONGER it takes so many times the usual time, `prepare` makes what it
needs before anything is measured, with STOPS the service gets that signal after STOP_AFTER_SECONDS and is
started again, with TLS everybody speaks it.
"""

import importlib

NAMES = (
    "quiet", "health_streams", "health_streams_spread", "health_names", "user_streams",
    "service_streams", "unfinished_frames", "idle_connections", "idle_connections_spread",
    "wrong_passwords", "one_account", "notifications", "audit_growth", "audit_growth_auth",
    "small_documents", "small_profiles", "small_entities", "sorted_lists",
    "unread_answers", "unread_large_answers", "http2_fields", "http2_large_fields",
    "unread_documents", "unread_documents_http1", "idle_http2", "half_handshakes", "silent_admin",
    "connect_reset", "garbage", "drain", "drain_tls", "kill",
)
# Those that together take little more than a minute and show each kind of bound once.
QUICK = (
    "quiet", "health_streams", "health_names", "unfinished_frames", "idle_connections",
    "one_account", "notifications", "audit_growth", "unread_large_answers", "http2_fields",
    "unread_documents", "half_handshakes", "silent_admin", "garbage",
)


def load(name):
    return importlib.import_module(f".{name}", __package__)


def title(kind):
    """The first line of its documentation."""
    return kind.__doc__.splitlines()[0].rstrip(".")


def stops(kind):
    """Whether the attacked service is stopped and started again."""
    return hasattr(kind, "STOPS")
