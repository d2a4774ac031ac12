#!/usr/bin/env bash
# Makes .venv/bin/floorscope: system libraries, a virtual environment, the locked packages, this checkout.
#
#   packaging/setup.sh [run|test]
#
# The argument names the set of system libraries (packaging/system-libraries.sh). Packages come from whatever index
# this machine's pip is set up for, and each has to match its hash in requirements.lock. A second run finds the stamp of
# the first and ends at once.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
wanted_set=${1:-run}
environment=.venv
stamp=$environment/floorscope-setup

fail() {
    echo "Set-up stopped: $1" >&2
    exit 1
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

choose_python() {
    local candidate
    # requirements.lock was resolved for 3.11, so that one is taken where several are installed.
    for candidate in ${PYTHON:+"$PYTHON"} python3.11 python3; do
        if is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    fail "Floorscope needs Python 3.11 or newer, and neither python3.11 nor python3 is one. On Debian 12: apt-get install python3"
}

key() {
    # The folder is part of it: an environment that was moved or copied along with its checkout does not work.
    { pwd -P && cat requirements.lock pyproject.toml packaging/setup.sh; } | sha256sum | cut -d ' ' -f 1
}

is_done() {
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(key)" ] && [ -x "$environment/bin/floorscope" ] &&
        "$environment/bin/python" -c '' 2>/dev/null
}

python=$(choose_python)
PYTHON=$python packaging/system-libraries.sh "$wanted_set" || fail "essential system libraries are missing (see above)."

if is_done; then exit 0; fi

free_mb=$(($(df -Pk . | awk 'NR == 2 { print $4 }') / 1024))
echo "Setting up Floorscope in $environment: about 210 MB to fetch, 750 MB on disk ($free_mb MB are free)."
if [ "$free_mb" -lt 850 ]; then fail "$free_mb MB are too little here. Free some space, or move the checkout to a larger disk."; fi

rm -f "$stamp"
if ! "$environment/bin/python" -c 'import pip' >/dev/null 2>&1; then
    "$python" -m venv --clear "$environment"
fi
pip=("$environment/bin/python" -m pip --disable-pip-version-check --no-input)
# The lock names every package, so nothing is resolved again: pip takes a requirement with an extra (coverage[toml]) for
# another one than the locked package and would look for a newer version of it, which then has no hash here.
"${pip[@]}" install --require-hashes --no-deps -r requirements.lock
# setuptools is one of the locked packages, so nothing unlocked is fetched to build the checkout's own entry.
"${pip[@]}" install --no-deps --no-build-isolation --no-index --editable .
key >"$stamp"
echo "Ready: $environment/bin/floorscope"
