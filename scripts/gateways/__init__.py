"""Sends requests through the gateways of deploy/ to services that run, for scripts/checks/gateways."""
