#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Check that the lists of docs/howto.md are complete: make each addition in a copy of the tree, with only the files of
# its list. The result must build, work, and agree with the documents.
#
# Usage: tests/howto/check.sh [KIND...]     of tests/howto/additions.py; default: all
set -euo pipefail
cd "$(dirname "$0")/../.."

root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo "line $LINENO: what it says does not hold"' ERR
export PYTHONDONTWRITEBYTECODE=1
[ -d .git ] || [ -f .git ] || { echo "skipped: no git repository to copy from"; exit 77; }

# Objects go with the sources, so that only what the additions touch is compiled.
mkdir "$work/tree"
git ls-files -z | xargs -0 cp -a --parents -t "$work/tree"
mkdir -p "$work/tree/build"
for directory in build/user build/gen; do
	[ ! -d "$directory" ] || cp -a "$directory" "$work/tree/build/"
done
cd "$work/tree"
git init -q . && git add -A

kinds=("$@")
[ $# -gt 0 ] || kinds=(record command option section golden probe listener metric kernel)
for kind in "${kinds[@]}"; do
	python3 tests/howto/additions.py "$kind" . > "$work/touched"
	# The files of its list, with the addition's name in place of NAME.
	sed -n "/<!-- add $kind -->/,/<!-- \/add $kind -->/s/^| \`\([^\`]*\)\` .*/\1/p" docs/howto.md |
		sed 's/NAME/motto/g' | sort > "$work/listed"
	diff "$work/listed" "$work/touched" > "$work/difference" || {
		echo "docs/howto.md, adding $kind: < is listed and was not needed, > was needed and is not listed"
		cat "$work/difference"
		exit 1
	}
	echo "# $kind: $(wc -l < "$work/touched") files"
done

has() { printf '%s\n' "${kinds[@]}" | grep -qx "$1"; }

# A record is in a header of all: compiling without optimising takes half the time. Golden tests follow the trace as it
# is written, by a program of the unit tests.
quick=CFLAGS="-O0 -Wno-error=format-truncation" # the compiler only guesses these when it does not optimise
make -s -j2 "$quick" user build/user/tests/test_stream > "$work/said" 2>&1 || { tail -n 20 "$work/said"; exit 1; }
make -s "$quick" docs > "$work/said" 2>&1 || { cat "$work/said"; exit 1; }
scope=$PWD/build/user/scope
if has record; then
	printf '%s\n' 'meta target 100' '100 0 switch 0 100 runnable' '200 0 mark 100 7 value=18446744073709551615' > "$work/text"
	"$scope" dump --reverse "$work/text" -o "$work/trace"
	"$scope" dump "$work/trace" > "$work/lines"
	grep -qx '200 0 mark 100 7 value=18446744073709551615' "$work/lines"
	# By the format's page alone, and in frames of columns.
	for python in /usr/bin/python3 python3; do
		"$python" -c 'import zstandard' 2> /dev/null || continue
		"$python" tests/unit/random_trace.py 3000 > "$work/random.text"
		"$scope" dump --reverse "$work/random.text" -o "$work/random"
		"$scope" dump "$work/random" > "$work/first"
		scripts/syscall-table.sh > "$work/syscalls"
		"$python" tests/unit/second_reader.py "$work/random" "$work/syscalls" > "$work/second"
		cmp "$work/first" "$work/second"
		[ "$(grep -c ' mark ' "$work/second")" -ge 10 ]
		break
	done
	gcc -Iinclude -Wall -Werror -c tests/abi/layout.c -o "$work/layout.o"
fi
if has command; then
	[ "$("$scope" motto)" = "an motto" ]
	"$scope" --help > "$work/help"
	grep -q '^  motto      say that it is there$' "$work/help"
fi
if has option; then
	"$scope" status --help > "$work/help"
	grep -qE -- '--motto FILE +is taken' "$work/help"
fi
! has command || ! has option || SCOPE=$scope tests/unit/completion.sh
if has golden; then
	SCOPE=$scope tests/golden/run.sh -u motto > "$work/said"
	SCOPE=$scope tests/golden/run.sh motto > "$work/said"
fi
! has section || ! has golden || grep -q '^  an motto: three findings$' tests/golden/motto.report
# A server whose threads sleep and wait for a lock.
if has listener || has metric; then
	python3 tests/golden/lock.py > "$work/text"
	"$scope" dump --reverse "$work/text" -o "$work/slept"
	"$scope" metrics -i "$work/slept" --format json > "$work/metrics" 2> "$work/counted"
fi
! has listener || grep -qE '^an motto: [1-9][0-9]* sleeps$' "$work/counted"
! has metric || grep -q '"motto_wakes"' "$work/metrics"
! has kernel || scripts/kernel.sh -l | tr ' ' '\n' | grep -qx motto
# The module as well, where headers of a kernel are there.
headers=$root/build/kernels/6.1/headers
if { has probe || has record; } && [ -e "$headers/Makefile" ]; then
	scripts/kmod.sh "$headers" > "$work/said" 2>&1 || { tail -n 20 "$work/said"; exit 1; }
fi
