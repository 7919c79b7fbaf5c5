"""What clients believe when the services speak TLS."""

import functools
import ssl


@functools.cache
def context(certificate):
    """Believes one certificate; None, which means plaintext, when there is none."""
    if certificate is None:
        return None
    made = ssl.create_default_context(cafile=certificate)
    made.set_alpn_protocols(["ttrpc"])
    return made
