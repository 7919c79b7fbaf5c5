"""nginx with deploy/nginx/nginx.conf."""

import json
import re
import socket
import subprocess

from . import waiting


class Nginx:
    """One process with its workers. Only ports, hosts and places of files are others; `ports` are those to
    reach instead of a service, by its name."""

    def __init__(self, stage, name, port, application_port, ports):
        self.port = port
        folder = stage.folder / name
        folder.mkdir(exist_ok=True)
        self.log_file = folder / "access.log"
        text = (stage.root / "deploy/nginx/nginx.conf").read_text()
        text = text.replace("/etc/nginx/tls/gateway.pem", str(stage.certificate))
        text = text.replace("/etc/nginx/tls/gateway.key", str(stage.key))
        text = text.replace("/var/log/nginx", str(folder)).replace("/run", str(folder))
        text = text.replace("listen 8444", f"listen 127.0.0.1:{port}")
        text = text.replace("http://127.0.0.1:8080", f"http://127.0.0.1:{application_port}")
        text = re.sub(r"server (auth|tenancy|entitlement):\d+([^;]*;)", lambda match: " ".join(
            f"server 127.0.0.1:{port}{match[2]}" for port in ports.get(match[1], [stage.services.ports[match[1]]])), text)
        (folder / "nginx.conf").write_text(text)
        self.process = subprocess.Popen(
            [stage.nginx_program, "-p", folder, "-c", folder / "nginx.conf", "-g", "daemon off;"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait(self):
        """Until it takes connections."""
        def answers():
            waiting.require(self.process.poll() is None, f"nginx ended; {self.log_file.parent} has its log")
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0
        waiting.until("nginx is ready", answers)

    def logged(self, request_id):
        """What the access log has of a request."""
        def find():
            lines = self.log_file.read_text().splitlines() if self.log_file.exists() else []
            return next((line for line in map(json.loads, lines) if line["request_id"] == request_id), None)
        return waiting.until(f"{request_id} is in the log of nginx", find)

    def stop(self):
        self.process.terminate()
        self.process.wait()
