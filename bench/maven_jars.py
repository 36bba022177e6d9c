"""Jars of Maven's repository, for measurements: downloaded by Maven, kept below `target/`."""

import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>io.github.whypause</groupId><artifactId>whypause-bench-jars</artifactId><version>0</version>
  <packaging>pom</packaging>
  <dependencies>{dependencies}</dependencies>
</project>
"""
DEPENDENCY = """
    <dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"""


class NotThere(Exception):
    """Why they cannot be had."""


def jars(name, *artifacts):
    """The class path of artifacts `GROUP:ARTIFACT:VERSION` and of what they need."""
    at = ROOT / "target/bench-jars" / name
    if not (at / "complete").is_file():
        shutil.rmtree(at, ignore_errors=True)
        at.mkdir(parents=True)
        pom = at / "pom.xml"
        pom.write_text(POM.format(dependencies="".join(DEPENDENCY.format(*it.split(":")) for it in artifacts)))
        copy(pom, at)
        (at / "complete").touch()
    return f"{at}/*"


def kafka(version):
    """The class path of a Kafka broker, the one that `scripts/bench-java.sh kafka` uses."""
    at = ROOT / f"java/benchmarks/target/kafka-{version}"
    if not any(at.glob("kafka-tools-*.jar")):
        copy(ROOT / "java/benchmarks/kafka/pom.xml", at, f"-Dkafka.version={version}")
    return f"{at}/*"


def copy(pom, at, *more):
    if not shutil.which("mvn"):
        raise NotThere("there is no Maven (`mvn`)")
    done = subprocess.run(["mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", "-DincludeScope=runtime",
                           f"-DoutputDirectory={at}", *more],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        raise NotThere(f"{pom.parent.name}: jars cannot be downloaded: {(done.stdout + done.stderr).strip()[:400]}")
