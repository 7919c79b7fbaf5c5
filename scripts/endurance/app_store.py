"""Stands in for the App Store: signs purchases with an authority of the run's own, which EntitlementService trusts."""

import os
import subprocess

from .programs import ROOT

COMMAND = ROOT / "scripts/test-store"
APPLICATION = "com.example.app"


class AppStore:
    def __init__(self, folder):
        self.folder = folder
        self._run("authority", folder)
        # As EntitlementService has them.
        self.settings = {"apple": {"bundle_id": APPLICATION, "test_roots": [str(folder / "root.der")]}}

    def transaction(self, product, number, *, is_refunded=False):
        """A purchase of a product, or its refund, as a device hands it in; its number is nobody else's."""
        return self._run("transaction", self.folder, product, str(number), *(["--refunded"] if is_refunded else []))

    def _run(self, *arguments):
        return subprocess.run([COMMAND, *arguments], check=True, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=os.environ | {"BUNDLE_ID": APPLICATION}).stdout.strip()
