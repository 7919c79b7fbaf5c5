"""Tokens and signatures that attackers bring, made with openssl."""

import base64
import hashlib
import json
import os
import subprocess
import time
from pathlib import Path


def base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def segment(value):
    return base64url(json.dumps(value, separators=(",", ":")).encode())


def raw_signature(der):
    """r and s, 32 bytes each, of a signature in DER (RFC 7518, section 3.4)."""
    offset, numbers = 2, []
    for _ in range(2):
        length = der[offset + 1]
        numbers.append(int.from_bytes(der[offset + 2:offset + 2 + length]))
        offset += 2 + length
    return b"".join(number.to_bytes(32) for number in numbers)


def service_token(keys, service, audience):
    """What `service` shows to `audience`; needs its private key."""
    key = os.path.join(keys, f"{service}.private.pem")
    public = subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"],
                            check=True, capture_output=True).stdout
    thumbprint = hashlib.sha256(json.dumps(
        {"crv": "P-256", "kty": "EC", "x": base64url(public[-64:-32]), "y": base64url(public[-32:])},
        separators=(",", ":")).encode()).digest()
    header = {"alg": "ES256", "kid": base64url(thumbprint), "typ": "svc+jwt"}
    now = int(time.time())
    claims = {"iss": service, "sub": service, "aud": audience, "iat": now, "exp": now + 60,
              "jti": base64url(os.urandom(16))}
    signed = f"{segment(header)}.{segment(claims)}"
    signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=signed.encode(),
                               check=True, capture_output=True).stdout
    return f"{signed}.{base64url(raw_signature(signature))}"


def costly_notification(authority):
    """A notification that takes two P-384 signatures to refuse.

    The intermediate is genuine (Apple's is public), the leaf has its name below it and a signature
    that nobody made. Each leaf is another one, so that remembering it helps nobody.
    """
    leaf, intermediate, root = (
        Path(authority, f"{name}.der").read_bytes() for name in ("leaf", "intermediate", "root"))
    leaf = leaf[:-8] + os.urandom(8)
    chain = [base64.b64encode(der).decode() for der in (leaf, intermediate, root)]
    payload = {"notificationType": "TEST", "signedDate": int(time.time() * 1000)}
    return (f"{segment({'alg': 'ES256', 'x5c': chain})}.{segment(payload)}."
            f"{base64url(os.urandom(64))}")
