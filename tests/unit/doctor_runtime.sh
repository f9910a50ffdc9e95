#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `scope doctor -p` prints what a language's runtime needs so that functions have names: for Node with and without a
# perf map, for Python, and for programs that Go's linker stripped. Run by scripts/check.sh; root.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
scope=${BUILD:-$root/build}/user/scope
work=$(mktemp -d)
pids=()
trap '[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT
failed=0

says() {	# NAME PATTERN COMMAND...
	local name=$1 pattern=$2 pid
	shift 2
	"$@" >/dev/null 2>&1 & pid=$!
	pids+=("$pid")
	sleep 1
	if "$scope" doctor -p "$pid" >"$work/said" 2>&1 </dev/null; grep -qE "$pattern" "$work/said"; then
		echo "ok doctor_runtime $name"
	else
		echo "not ok doctor_runtime $name: no line with '$pattern' in: $(cat "$work/said")"
		failed=1
	fi
}

printf 'int pause(void); int main(void) { return pause(); }\n' >"$work/a.c"
${CC:-gcc} -s -o "$work/plain" "$work/a.c" && printf x >"$work/x" &&
	objcopy --add-section .go.buildinfo="$work/x" "$work/plain" "$work/go" || exit 77
says 'of a stripped program' 'install the -dbgsym or -debuginfo package of .*/plain' "$work/plain"
says 'of one of Go without its table' "functions of .*/go will have no names: its table .* build it without -ldflags" \
	"$work/go"
if command -v go >/dev/null; then
	printf 'package main\n\nimport "time"\n\nfunc main() { time.Sleep(time.Minute) }\n' >"$work/main.go"
	GOCACHE=$work/cache GO111MODULE=off go build -ldflags '-s -w' -o "$work/stripped" "$work/main.go" >"$work/said" 2>&1 ||
		cat "$work/said"
	says 'of one of Go that is stripped' 'ok .* the functions of its program and libraries have names \(1 files' "$work/stripped"
fi
if command -v node >/dev/null; then
	says 'of Node' 'ok .* runs Node: a capture reads the names of its functions' \
		node -e 'setTimeout(() => {}, 20000)'
fi
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
[ -z "$python" ] || says 'of Python' 'ok .* runs Python 3\.[0-9]*: a capture reads the names of its functions' \
	"$python" -c 'import time; time.sleep(20)'
! command -v php >/dev/null || says 'of PHP' 'ok .* runs PHP 8\.[0-9]*: a capture reads the names of its functions' \
	php -r 'sleep(20);'
! command -v ruby >/dev/null || says 'of Ruby' 'ok .* runs Ruby [23]\.[0-9]*: a capture reads the names of its functions' \
	ruby -e 'sleep 20'
! command -v perl >/dev/null || says 'of Perl' 'ok .* runs Perl 5\.[0-9]*: a capture reads the names of its functions' \
	perl -e 'sleep 20'
# A program that has an interpreter as a library, and does not start it.
printf 'int used(void) { return 0; }\n' >"$work/l.c"
printf 'int used(void); int pause(void); int main(void) { return used() + pause(); }\n' >"$work/b.c"
${CC:-gcc} -shared -o "$work/libperl.so.5.99" -Wl,-soname,libperl.so.5.99 "$work/l.c" &&
	${CC:-gcc} -o "$work/agent" "$work/b.c" "$work/libperl.so.5.99" -Wl,-rpath,"$work" || exit 77
says 'of one that has Perl as a library' 'process' "$work/agent"
if grep -q 'runs Perl' "$work/said"; then
	echo "not ok doctor_runtime of one that has Perl as a library: $(grep 'runs Perl' "$work/said")"
	failed=1
fi
# A program that has the name of an interpreter, and not its state.
cp "$work/plain" "$work/python3.99"
says 'of a Python that is not known' 'hint .* runs Python, .* later ones: start it with -X perf' "$work/python3.99"
exit $failed
