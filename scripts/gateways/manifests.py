"""The manifests of deploy/kubernetes, against the schemas of Kubernetes, the settings and the commands of the docs."""

import glob
import json
import os
import re
import sys

import kubernetes_validate
import yaml

SERVICES = ("auth", "tenancy", "entitlement")
# Beside the trees in memory a TenancyService needs what it starts with, and room for calls.
MEMORY_BESIDE_TREES_MIB = 256


class Form:
    """One way to run the services: a folder of manifests with settings for them, and the page whose commands use them."""

    def __init__(self, folder, settings, pages):
        self.folder, self.settings_folder = folder, settings
        self.problems, self.kinds = [], {}
        self.settings = {name: json.load(open(f"{settings}/{name}.json", encoding="utf-8")) for name in SERVICES}
        for path in sorted(glob.glob(f"{folder}/*.yaml")):
            self._load(path)
        self.pages, self.made = pages, {}

    @property
    def deployments(self):
        return self.kinds.get("Deployment", {})

    def add(self, text):
        self.problems.append(text)

    def _load(self, path):
        with open(path, encoding="utf-8") as file:
            for manifest in yaml.safe_load_all(file):
                name = f"{manifest['kind']}/{manifest['metadata']['name']}"
                try:
                    kubernetes_validate.validate(manifest, "1.34", strict=True)
                except Exception as error:
                    self.add(f"{path}: {name}: {getattr(error, 'message', error)}")
                self.kinds.setdefault(manifest["kind"], {})[manifest["metadata"]["name"]] = manifest

    def _read_commands(self, path):
        """What `kubectl create` makes by a page: (kind, name) to names of files; later pages replace it."""
        with open(path, encoding="utf-8") as file:
            page = file.read().replace("\\\n", " ")
        for kind, name, rest in re.findall(r"^kubectl create (configmap|secret generic) (\S+)(.*)$", page, re.M):
            files = set()
            for file in re.findall(r"--from-file=(\S+)", rest):
                target, _, source = file.rpartition("=")
                if source.startswith(("deploy/", "policies/", "tiers/")) and not os.path.exists(source):
                    self.add(f"{path}: there is no {source}")
                files.add(target or source.rsplit("/", 1)[-1])
            self.made["configMap" if kind == "configmap" else "secret", name] = files

    def check(self, names):
        for page in self.pages:
            self._read_commands(page)
        for name in names:
            for kind in ("Deployment", "Service", "PodDisruptionBudget"):
                if name not in self.kinds.get(kind, {}):
                    self.add(f"{self.folder}: there is no {kind} {name}")
        for name, deployment in self.deployments.items():
            self._check_pod(name, deployment)
            self._check_mounts(name, deployment)
            if name in SERVICES:
                self._check_service(name, deployment)
                self.check_replicas(name, deployment)

    def _check_pod(self, name, deployment):
        """What holds for every Deployment."""
        where = f"{self.folder}: {name}"
        pod = deployment["spec"]["template"]["spec"]
        container = pod["containers"][0]
        selector = deployment["spec"]["selector"]["matchLabels"]
        if not selector.items() <= deployment["spec"]["template"]["metadata"]["labels"].items():
            self.add(f"{where}: the Deployment does not select its own pods")
        for kind in ("Service", "PodDisruptionBudget"):
            found = self.kinds.get(kind, {}).get(name, {"spec": {}})["spec"].get("selector", {})
            if found.get("matchLabels", found) != selector:
                self.add(f"{where}: the {kind} selects other pods")
        if "preStop" not in container.get("lifecycle", {}):
            self.add(f"{where}: nothing is done before it stops")
        if "readinessProbe" not in container or "livenessProbe" not in container:
            self.add(f"{where}: a probe is missing")
        if pod.get("automountServiceAccountToken") is not False:
            self.add(f"{where}: it is given a token of the cluster")
        for one in [*pod.get("initContainers", []), container]:
            if one["image"].endswith(":latest") and one.get("imagePullPolicy") != "IfNotPresent":
                self.add(f"{where}: an image that was built on the node is looked for elsewhere at each start")
            for variable in one.get("env", []):
                if "secretKeyRef" in variable.get("valueFrom", {}):
                    self.add(f"{where}: a secret is in the environment")

    def _check_mounts(self, name, deployment):
        """Everything that is mounted comes from an object that the commands of a page make."""
        where = f"{self.folder}: {name}"
        pod = deployment["spec"]["template"]["spec"]
        mounted = set()
        for volume in pod["volumes"]:
            kind, source = next(((kind, volume[kind]) for kind in ("secret", "configMap") if kind in volume), (None, None))
            if kind is None:
                continue
            object_name = source.get("secretName", source.get("name"))
            files = self.made.get((kind, object_name))
            if files is None:
                self.add(f"{self.pages[-1]}: no command makes the {kind} {object_name}")
                continue
            for mount in pod["containers"][0]["volumeMounts"]:
                if mount["name"] == volume["name"] and mount.get("subPath", next(iter(files))) not in files:
                    self.add(f"{self.pages[-1]}: {object_name} is made without {mount['subPath']}")
                if mount["name"] == volume["name"] and "subPath" not in mount:
                    mounted.update(f"{mount['mountPath']}/{file}" for file in files)
                elif mount["name"] == volume["name"]:
                    mounted.add(mount["mountPath"])
        mounted |= self.copied(pod, mounted)
        if name in SERVICES:
            wanted, source = json.dumps(self.settings[name]), f"{self.settings_folder}/{name}.json"
            files = re.findall(r'(?<=["=])(/(?:etc|run)/[^"&]+)', wanted)
        else:
            source = "deploy/envoy/envoy.yaml"
            with open(source, encoding="utf-8") as file:
                files = re.findall(r"/etc/envoy/(?:tls|secrets)/[\w.]+", file.read())
        for file in files:
            if file not in mounted:
                self.add(f"{where}: {file} of {source} is mounted nowhere")

    def copied(self, pod, mounted):
        """Files that pods make themselves, before the service starts."""
        return set()

    def _check_service(self, name, deployment):
        """What holds for the three services."""
        where = f"{self.folder}: {name}"
        pod, settings = deployment["spec"]["template"]["spec"], self.settings[name]
        container = pod["containers"][0]
        ports = {port["containerPort"] for port in container["ports"]}
        port = int(settings["listen"][0].rsplit(":", 1)[1])
        believed = {variable["name"]: variable.get("value") for variable in container.get("env", [])}
        if not json.loads(believed.get("GATEHOUSE_HTTP__TRUSTED_PROXIES", "[]")):
            self.add(f"{where}: all clients of the gateway are one source")
        selector = deployment["spec"]["selector"]["matchLabels"]
        policy = self.kinds.get("NetworkPolicy", {}).get(name, {"spec": {}})["spec"]
        if policy.get("podSelector", {}).get("matchLabels") != selector or not policy.get("ingress"):
            self.add(f"{where}: every pod may say which client a request is from")
        for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
            if container.get(probe, {}).get("grpc", {}).get("port") != port:
                self.add(f"{where}: {probe} does not ask the port of calls by gRPC")
        if port not in ports:
            self.add(f"{where}: its port is not the one in {self.settings_folder}/{name}.json")
        drain = settings.get("drain_timeout", 30) + settings.get("drain_delay", 0)
        pause = int(container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", [0, 0])[1])
        if pod["terminationGracePeriodSeconds"] <= drain + pause:
            self.add(f"{where}: it is killed while it drains")


class OnFiles(Form):
    """One pod for each service, with its store in a file."""

    def check_replicas(self, name, deployment):
        if deployment["spec"]["replicas"] != 1 or deployment["spec"]["strategy"]["type"] != "Recreate":
            self.add(f"{self.folder}: {name}: two processes would open one store")


class OnPostgreSQL(Form):
    """Several pods for each service, with one store on a server of PostgreSQL."""

    # What these settings may have otherwise than those for one pod.
    OWN = {"database", "store", "drain_delay", "memory_limit_mib"}

    def copied(self, pod, mounted):
        """`install -m MODE FROM TO` of the first container, from what is mounted to what the service sees too."""
        found = set()
        for one in pod.get("initContainers", []):
            program, option, mode, source, target = one["command"]
            # libpq takes no file of passwords that others can read.
            if (program, option) == ("install", "-m") and int(mode, 8) & 0o077 == 0 and source in mounted:
                found.add(target)
        return found

    def check_replicas(self, name, deployment):
        where, spec = f"{self.folder}: {name}", deployment["spec"]
        pod, settings = spec["template"]["spec"], self.settings[name]
        if spec["replicas"] < 2:
            self.add(f"{where}: nobody answers while its only pod is away")
        update = spec["strategy"].get("rollingUpdate", {})
        if (spec["strategy"]["type"], update.get("maxUnavailable")) != ("RollingUpdate", 0):
            self.add(f"{where}: an update takes a pod away before there is another one")
        if any("persistentVolumeClaim" in volume for volume in pod["volumes"]):
            self.add(f"{where}: a volume ties its pods to one node")
        if not any(one["topologyKey"] == "kubernetes.io/hostname" and one["labelSelector"] == spec["selector"]
                   and one["whenUnsatisfiable"] == "DoNotSchedule" for one in pod.get("topologySpreadConstraints", [])):
            self.add(f"{where}: one node can have all its pods")
        if self.kinds.get("Service", {}).get(name, {"spec": {}})["spec"].get("clusterIP") != "None":
            self.add(f"{where}: its name does not have the addresses of all pods")
        if self.kinds.get("PodDisruptionBudget", {}).get(name, {"spec": {}})["spec"].get("maxUnavailable") != 1:
            self.add(f"{where}: several of its pods may be moved at a time")
        if settings.get("drain_delay", 0) < 3:
            self.add(f"{where}: Envoy has not noticed by its health that it drains when it takes no more calls")
        limit = pod["containers"][0]["resources"].get("limits", {}).get("memory", "0Mi")
        trees = settings.get("memory_limit_mib", 1024) if name == "tenancy" else 0
        if int(limit.removesuffix("Mi")) < trees + MEMORY_BESIDE_TREES_MIB:
            self.add(f"{where}: it may take more memory than its limit of {limit}")
        self._check_settings(name, pod)

    def _check_settings(self, name, pod):
        path, settings = f"{self.settings_folder}/{name}.json", self.settings[name]
        with open(f"deploy/{name}.json", encoding="utf-8") as file:
            of_one = json.load(file)
        for key in sorted(settings.keys() | of_one.keys()):
            if key not in self.OWN and settings.get(key) != of_one.get(key):
                self.add(f"{path}: {key} is not that of deploy/{name}.json")
        store = settings.get("store", "")
        if not store.startswith("postgresql://") or f"search_path%3D{name}&" not in store:
            self.add(f"{path}: its store is not in a schema of its own on a server")
        if re.search(r"//[^/@]*:[^/@]*@|[?&]password=", store) or "sslmode=verify-full" not in store:
            self.add(f"{path}: its store has a password in its address, or is not sure which server it talks to")
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        for mount in pod["containers"][0]["volumeMounts"]:
            if mount["mountPath"] == f"/etc/gatehouse/{name}.json" and "secret" not in volumes[mount["name"]]:
                self.add(f"{self.folder}: {name}: the address of its store is in no secret")


def main():
    forms = [OnFiles("deploy/kubernetes", "deploy", ["docs/operations/gateways.md"]),
             OnPostgreSQL("deploy/kubernetes/postgresql", "deploy/postgresql",
                          ["docs/operations/gateways.md", "docs/operations/postgresql.md"])]
    # What is none of Kubernetes' manifests cannot be compared with anything.
    if not any(form.problems for form in forms):
        forms[0].check([*SERVICES, "gateway"])
        forms[1].check(SERVICES)
    problems = [problem for form in forms for problem in form.problems]
    for problem in problems:
        print(f"checks/gateways: {problem}", file=sys.stderr)
    if not problems:
        count = sum(len(found) for form in forms for found in form.kinds.values())
        print(f"checks/gateways: {count} manifests are as the schemas, the settings and the pages say")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
