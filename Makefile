# Two commands: `make run` opens the demo, `make test` runs every check. Both set up first what is missing.

.PHONY: run test setup

run: setup
	.venv/bin/floorscope demo

test:
	bash .ci/run

setup:
	bash packaging/setup.sh
