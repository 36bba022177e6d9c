#!/usr/bin/env python3
"""Looks at a folder in the form of a Maven repository as a public repository does before it takes it:
fields of each POM, jars of sources and documentation, signatures, checksums, and what is in the jars.

usage: check-published.py DIR

Prints each fault on a line of its own, and ends with 1 where there is one.
"""
import hashlib
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

NAMESPACE = {"m": "http://maven.apache.org/POM/4.0.0"}
# Each of them with something in it, in each POM or in its parent.
FIELDS = (
    "name description url licenses/license/name licenses/license/url developers/developer/name"
    " scm/url scm/connection scm/developerConnection"
).split()
faults = []


def fault(path, what):
    faults.append(f"{path}: {what}")


def text(pom, field):
    path = "/".join(f"m:{part}" for part in field.split("/"))
    return (pom.findtext(path, namespaces=NAMESPACE) or "").strip()


def check_file(path):
    """A signature that is right, and checksums that are."""
    signature = path.with_name(path.name + ".asc")
    if not signature.exists():
        fault(path, "no signature")
    elif subprocess.run(["gpg", "--batch", "--verify", signature, path], capture_output=True).returncode:
        fault(path, "the signature is not right")
    for algorithm in "md5", "sha1":
        beside = path.with_name(f"{path.name}.{algorithm}")
        want = hashlib.new(algorithm, path.read_bytes()).hexdigest()
        if not beside.exists() or beside.read_text().split()[:1] != [want]:
            fault(path, f"no {algorithm} checksum, or a wrong one")


def manifest(jar):
    lines = jar.read("META-INF/MANIFEST.MF").decode().replace("\r\n", "\n").replace("\n ", "")
    return dict(line.split(": ", 1) for line in lines.splitlines() if ": " in line)


def check_jar(path, suffix):
    with zipfile.ZipFile(path) as jar:
        names = set(jar.namelist())
        for name in "META-INF/LICENSE", "META-INF/NOTICE":
            if name not in names:
                fault(path, f"no {name}")
        endings = {"": ".class", "-sources": ".java", "-javadoc": ".html"}
        if not any(name.endswith(endings[suffix]) for name in names):
            fault(path, f"nothing that ends with {endings[suffix]}")
        if not suffix:
            entries = manifest(jar)
            for key in "Automatic-Module-Name", "Bundle-SymbolicName", "Export-Package":
                if key not in entries:
                    fault(path, f"no {key} in its manifest")


def check_module(path, parents):
    pom = ElementTree.parse(path).getroot()
    parent = parents.get(text(pom, "parent/artifactId"))
    for field in FIELDS:
        own = text(pom, field)
        if not own and (parent is None or not text(parent, field)):
            fault(path, f"no {field}")
    version = text(pom, "version") or text(pom, "parent/version")
    if version.endswith("-SNAPSHOT"):
        fault(path, "the version is a snapshot")
    if f"{text(pom, 'artifactId')}-{version}.pom" != path.name or path.parent.name != version:
        fault(path, "the name of the file is not that of its contents")
    if parent is not None:
        # what children inherit must not have their names behind it
        for key in "child.project.url.inherit.append.path", "child.scm.url.inherit.append.path":
            found = parent.attrib.get(key) or parent.find("m:scm", NAMESPACE).attrib.get(key)
            if found != "false":
                fault(path, f"{key} of its parent is not false")
    check_file(path)
    if text(pom, "packaging") == "pom":
        return
    for suffix in "", "-sources", "-javadoc":
        jar = path.with_name(f"{path.stem}{suffix}.jar")
        if not jar.exists():
            fault(jar, "missing")
            continue
        check_file(jar)
        check_jar(jar, suffix)


def main():
    root = pathlib.Path(sys.argv[1])
    poms = sorted(root.rglob("*.pom"))
    trees = [ElementTree.parse(path).getroot() for path in poms]
    parents = {text(tree, "artifactId"): tree for tree in trees if text(tree, "packaging") == "pom"}
    for path in poms:
        check_module(path, parents)
    if not poms:
        fault(root, "nothing is published")
    for line in faults:
        print(line)
    print(f"{len(poms)} modules, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
