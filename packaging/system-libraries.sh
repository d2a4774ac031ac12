#!/usr/bin/env bash
# Installs the system libraries that are missing, or says which they are.
#
#   packaging/system-libraries.sh [run|test]
#
# "run" is what the window and the sound need, "test" is that and what the checks need beside it. Debian's apt-get is
# called as root or through a sudo that asks no password; anywhere else the line to run is printed. Exit 0 when
# nothing essential is missing in the end, 1 otherwise.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
wanted_set=${1:-run}
table=resources/system-libraries.tsv
python=${PYTHON:-python3}

case "$wanted_set" in
    run | test) ;;
    *)
        echo "packaging/system-libraries.sh: \"$wanted_set\" is neither \"run\" nor \"test\"." >&2
        exit 2
        ;;
esac

is_present() { # KIND EVIDENCE
    case "$1" in
        library) grep -qF -- "	$2 " <<<"$loadable" ;;
        command) command -v "$2" >/dev/null 2>&1 ;;
        file) [ -e "$2" ] ;;
        python) "$python" -c "import $2" >/dev/null 2>&1 ;;
    esac
}

packages=()   # Debian's names of all that is missing
evidence=()   # the same as the system itself names it
essentials=() # what nothing starts without

look() {
    packages=() evidence=() essentials=()
    hash -r # forgets the commands that were not there before
    # Libraries are looked for by the name that the linker looks for: packages are renamed between releases.
    local loadable
    loadable=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null || true)
    local set need kind wanted package
    while IFS=$'\t' read -r set need kind wanted package; do
        case "$set" in
            run) ;;
            test) [ "$wanted_set" = test ] || continue ;;
            *) continue ;;
        esac
        if ! is_present "$kind" "$wanted"; then
            packages+=("$package")
            evidence+=("$wanted")
            if [ "$need" = essential ]; then essentials+=("$package"); fi
        fi
    done <"$table"
}

install_with() { # PREFIX… (nothing, or sudo -n)
    local options=(-y -q --no-install-recommends -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0)
    echo "Installing system libraries: ${packages[*]}"
    # The package lists of a new machine are empty and those of an old one name files that are gone: then they are
    # fetched and the same line is tried once more.
    "$@" env DEBIAN_FRONTEND=noninteractive apt-get install "${options[@]}" "${packages[@]}" </dev/null ||
        {
            echo "Fetching the package lists first."
            "$@" env DEBIAN_FRONTEND=noninteractive apt-get update -q </dev/null &&
                "$@" env DEBIAN_FRONTEND=noninteractive apt-get install "${options[@]}" "${packages[@]}" </dev/null
        }
}

look
if [ ${#packages[@]} -eq 0 ]; then exit 0; fi

if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" -eq 0 ]; then
        install_with || true
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        install_with sudo -n || true
    fi
    look
    if [ ${#packages[@]} -eq 0 ]; then exit 0; fi
    as_root=
    if command -v sudo >/dev/null 2>&1; then as_root="sudo "; fi
    echo "Some system libraries are missing. To install them, run (as root):" >&2
    echo "    ${as_root}apt-get update && ${as_root}apt-get install --no-install-recommends ${packages[*]}" >&2
else
    echo "This system has no apt-get, so nothing was installed. Missing here: ${evidence[*]}" >&2
    echo "(on Debian they come with the packages ${packages[*]})." >&2
fi

if [ ${#essentials[@]} -gt 0 ]; then
    echo "Nothing can start without ${essentials[*]}." >&2
    exit 1
fi
echo "Going on without them." >&2
