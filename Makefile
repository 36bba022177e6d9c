# The two commands to start with are `make demo` and `make test`.
# Everything here is one line that calls cargo or a script; the scripts can be run by hand.
# CHECK=1 is the short form of what measures: seconds, to see that it works, and nothing of docs/ is written.

.PHONY: help setup build test nightly test-kernels test-systemd check-metrics demo java packages wheel fleet-test cross lint fmt gen bench bench-java bench-recorder bench-watch-all bench-live remedies accuracy faults kill-trials keep-trials fuzz web clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## make two pauses happen, explain them, and make them go away (about two minutes after the build); beside others with ON_THIS_HOST=1
	@scripts/demo.sh $(if $(ON_THIS_HOST),--on-this-host)

test: ## install what is missing, then run every check and every test
	@scripts/test.sh

nightly: ## run everything that `make test` does not, and write docs/nightly.md (some hours, in pieces of 35 minutes)
	@scripts/nightly.sh

test-kernels: ## boot Debian's kernels in QEMU and check the program on them: KERNELS='6.1 6.12 newest'
	@scripts/test-kernels.sh $(if $(PAGE),--page) $(KERNELS)

test-systemd: ## boot Debian with systemd in QEMU and check what `whypause fix` does through it (ten minutes)
	@scripts/test-systemd.sh

check-metrics: ## have a real Prometheus scrape a watched JVM, and compare what it stores with what the JVM logged (half a minute)
	@scripts/check-metrics.sh

setup: ## install what is missing, after saying what that is
	@scripts/setup.sh

build: ## build the program: target/release/whypause
	@scripts/build.sh

java: ## build and test the Java libraries, with each JDK that is found
	@scripts/java.sh

packages: ## make .deb, .rpm and container image in target/packages/, and try them in a clean system
	@scripts/packages.sh --check

wheel: ## make the library for Python in target/wheels/, and try it with each Python that is found
	@scripts/wheel.sh $(if $(CHECK),--check)

fleet-test: ## have Spark with two workers read logs through the library for Python, and ClickHouse its tables (five minutes)
	@scripts/fleet-test.sh $(if $(CHECK),--check)
	@scripts/fleet-s3.sh
	@scripts/fleet-page.sh
	@scripts/fleet-clickhouse.sh

cross: ## check that the whole workspace compiles for arm64
	@scripts/cross/check.sh

lint: ## check the format, the lints and the scripts
	@scripts/lint.sh

fmt: ## format the code
	@cargo fmt --all

gen: ## write again what is generated: pages of causes, man pages, completions
	@cargo xtask gen

bench: ## measure how fast logs are read, as a table; with BIG=1 also the memory for 10 GB
	@scripts/bench-logs.sh $(if $(BIG),--big) $(if $(CHECK),--check)

fuzz: ## fuzz every reader of what others wrote for a minute, or for SECONDS=n each; goes on where it was cut
	@scripts/fuzz.sh all $(or $(SECONDS),60)

faults: ## kill recorders and JVMs hundreds of times, fill disks: every recording must open (20 minutes; goes on where it was cut)
	@scripts/faults.sh $(if $(CHECK),--check)

kill-trials: ## kill the lab, cargo test and make test ten times each, and look at what is left (an hour)
	@for what in $(or $(WHAT),lab tests make); do scripts/kill-trials.sh $$what $(if $(CHECK),1,10) || exit 1; done

keep-trials: ## the black box: 1,000 pauses, 50 kills, bounds, and what keeping costs (15 minutes); CHECK=1 its short form
	@$(if $(CHECK),KILLS=3 PAUSES=100 PAIRS=1) scripts/keep-trials.sh

web: ## build the page's front end anew, into web/dist
	@npm --prefix web ci --no-progress && npm --prefix web run -s check && npm --prefix web run -s build

accuracy: ## measure how often the answers are right, into docs/accuracy.md (an hour and more, in pieces of 35 minutes)
	@scripts/accuracy.sh $(if $(CHECK),--check) $(if $(ON_THIS_HOST),--on-this-host)

remedies: ## apply remedies to the faults that they are for, and write before and after into docs/remedies.md (ten minutes)
	@scripts/remedies.sh $(if $(CHECK),--check)

bench-java: ## measure the Java libraries: appenders beside those of the frameworks, a Kafka broker, mappings (15 minutes)
	@scripts/bench-java.sh jmh $(if $(CHECK),--check)
	@scripts/bench-java.sh kafka $(if $(CHECK),--check)
	@scripts/bench-java.sh access $(if $(CHECK),--check)

bench-recorder: ## measure what recording costs, as a table
	@scripts/bench-recorder.sh $(if $(CHECK),--check)

bench-watch-all: ## measure what it takes to watch 1, 10 and 50 JVMs at once, as a table (five minutes)
	@scripts/bench-watch-all.sh $(if $(CHECK),--check)

bench-live: ## measure how long after its end a pause is on the page of `watch --serve`, as a table (two minutes)
	@scripts/bench-live.sh $(if $(CHECK),--check)

clean: ## remove everything that was built
	@cargo clean
