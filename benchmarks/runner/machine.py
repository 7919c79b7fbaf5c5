"""What the figures were measured on: without it they mean nothing."""

import os
import platform
import re
import subprocess

from . import peers

PACKAGES = ("golang-github-containerd-ttrpc-dev", "golang-google-grpc-dev", "libgrpc++-dev",
            "libprotobuf-dev", "libprotobuf-c-dev", "nghttp2-client")


def output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
        return done.stdout if done.returncode == 0 else ""
    except OSError:
        return ""


def first_match(pattern, text):
    found = re.search(pattern, text)
    return found.group(1).strip() if found else "unknown"


def describe():
    commit = output("git", "-C", str(peers.REPOSITORY), "rev-parse", "--short=12", "HEAD").strip()
    changed = output("git", "-C", str(peers.REPOSITORY), "status", "--porcelain", "--", "Sources")
    versions = {
        "Swift": first_match(r"Swift version (\S+)", output("swift", "--version")),
        "Go": first_match(r"go version go(\S+)", output("go", "version")),
        "g++": first_match(r"(\d+\.\d+\.\d+)", output("g++", "--version")),
    }
    for package in PACKAGES:
        version = output("dpkg-query", "-W", "-f=${Version}", package)
        if version:
            versions[package] = version
    return {
        "processor": first_match(r"Model name:\s*(.*)", output("lscpu")),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "system": first_match(r'PRETTY_NAME="(.*)"', open("/etc/os-release").read()),
        "commit": (commit or "unknown") + (" with local changes" if changed else ""),
        "versions": versions,
    }
