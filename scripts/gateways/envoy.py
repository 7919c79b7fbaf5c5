"""Envoy with envoy/envoy.yaml of deploy/, or of what became of it."""

import http.client
import json
import os
import subprocess

import yaml

from . import waiting


class Envoy:
    """One process. Of the configuration, only ports, hosts and certificates are others, and what a check
    says: `upstreams` are ports to reach instead of a service, by the name of the cluster, `routes` come
    before all others, and `change` does the rest."""

    def __init__(self, stage, name, port, admin_port, upstreams=None, routes=(), change=None):
        self.name = name
        self.port = port
        self.admin_port = admin_port
        self.log_file = stage.folder / f"{name}.log"
        configuration = yaml.safe_load((stage.deploy / "envoy/envoy.yaml").read_text())
        self._place(configuration, stage, upstreams or {}, list(routes))
        self.cluster_count = len(configuration["static_resources"]["clusters"])
        if change:
            change(configuration)
        # Every YAML parser reads JSON, and nothing is lost on the way.
        file = stage.folder / f"{name}.json"
        file.write_text(json.dumps(configuration))
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(
                [stage.envoy_program, "-c", file, "--concurrency", "1", "--disable-hot-restart", "--log-level",
                 "warning", "--file-flush-interval-msec", "20"], stdout=log, stderr=log)

    def _place(self, configuration, stage, upstreams, routes):
        configuration["admin"]["address"]["socket_address"]["port_value"] = self.admin_port
        resources = configuration["static_resources"]
        listener = resources["listeners"][0]
        listener["address"]["socket_address"] = {"address": "127.0.0.1", "port_value": self.port}
        chain = listener["filter_chains"][0]
        self._place_files(configuration, stage)
        manager = chain["filters"][0]["typed_config"]
        host = manager["route_config"]["virtual_hosts"][0]
        host["routes"][0:0] = routes
        pages = host["typed_per_filter_config"]["envoy.filters.http.cors"]["allow_origin_string_match"]
        pages[:] = [{"exact": stage.page_origin}]
        for cluster in resources["clusters"]:
            endpoints = cluster["load_assignment"]["endpoints"][0]
            service = endpoints["lb_endpoints"][0]["endpoint"]["address"]["socket_address"]["address"]
            ports = upstreams.get(cluster["name"], [stage.services.ports[service]])
            endpoints["lb_endpoints"] = [
                {"endpoint": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": port}}}}
                for port in ports]

    def _place_files(self, part, stage):
        """Secrets and certificates are in folders of this run."""
        for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            self._place_files(value, stage)
        if isinstance(part, dict) and "filename" in part:
            name = part["filename"].rsplit("/", 1)[1]
            own = {"gateway.pem": stage.certificate, "gateway.key": stage.key}
            part["filename"] = str(own.get(name, stage.folder / "keys" / name))

    def wait(self):
        """Until it serves, and has found every server of every cluster healthy."""
        waiting.until(f"{self.name} is ready", lambda: self._require_running() and all(
            flags == "healthy" for flags in self.hosts().values()) and self._ask("/ready").startswith("LIVE"))

    def hosts(self):
        """What it says of each server: by cluster and port, `healthy` or why it is not."""
        found = {}
        for line in self._ask("/clusters").splitlines():
            parts = line.split("::")
            if len(parts) == 4 and parts[2] == "health_flags":
                found[parts[0], int(parts[1].rsplit(":", 1)[1])] = parts[3]
        return found or {None: "unknown"}

    def log(self):
        """Its access log."""
        return [json.loads(line) for line in self.log_file.read_text().splitlines() if line.startswith("{")]

    def logged(self, request_id):
        """What the access log has of a request."""
        return waiting.until(f"{request_id} is in the log of {self.name}", lambda: next(
            (line for line in self.log() if line["request_id"] == request_id), None))

    def stop(self):
        self.process.kill()
        self.process.wait()

    def _require_running(self):
        waiting.require(self.process.poll() is None, f"{self.name} ended; {self.log_file.read_text()}")
        return True

    def _ask(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=5)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        except OSError:
            return ""
        finally:
            connection.close()
