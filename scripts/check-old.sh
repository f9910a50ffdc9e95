#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Compile the module against whole kernel trees, old or new, let no warning pass, and show a table.
#
# Usage: [BOOT=1] scripts/check-old.sh KDIR...
# KDIR is clean sources, which are prepared for modules in a folder of their own, or a tree (or its O= folder)
# on which `make modules_prepare` was run; docs/kernels.md lists the options. No kernel image is built
# there, so nothing links the module: that every function it calls is exported is looked up in the sources
# instead. Each header is compiled as the only one of a file, too (scripts/check-alone.sh).
# With BOOT=1 KDIR is clean sources: a small kernel is built of each, and boots with the module's tests
# (scripts/boot-old.sh).
# CC= another compiler than what scripts/old-gcc.sh says.
# Exit status: 0 all ok; 1 not so; 2 usage.
set -uo pipefail
. "$(dirname "$0")/private-dev.bash"

[ $# -ge 1 ] || { sed -n '/^# Usage/,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)

show() { echo "$1"; column -t -s '|' -o '|'; }

if [ -n "${BOOT:-}" ]; then
	"$root/scripts/boot-old.sh" "$@" |
		show 'kernel | compiled | booted | passed | failed | skipped, and why'
	exit "${PIPESTATUS[0]}"
fi
export CC=${CC:-$("$root/scripts/old-gcc.sh" -m)}
export BUILD=${BUILD:-$root/build}/check-old
mkdir -p "$BUILD"
failed=0

# Functions and variables that the module takes from the kernel, and the sources do not export.
unexported() {	# KDIR MODULE
	local source=$1
	[ ! -e "$1/source" ] || source=$1/source
	# Macros make the exports of static calls and of thunks: their names are in no source.
	nm -u "$2" | awk '$2 !~ /^__(SCT|SCK|x86_indirect_thunk)_/ { print $2 }' | sort -u >"$BUILD/wanted"
	grep -rhoE '\b(EXPORT_[A-Z_]*SYMBOL[A-Z_]*|EXPORT_[A-Z]*TRACEPOINT_SYMBOL[A-Z_]*|SYM_FUNC_EXPORT|_ASM_EXPORT_SYMBOL) *\([a-zA-Z0-9_]+' \
		--include='*.[chS]' "$source"/{kernel,mm,lib,net/core,net/netlink,net/socket.c,fs,block,drivers/base,drivers/char,init,security} \
		"$source"/arch/x86/{kernel,lib,mm,entry,include} "$source"/arch/arm64 "$source/include" 2>/dev/null |
		sed 's/.*(//' | sort -u >"$BUILD/exported"
	comm -23 "$BUILD/wanted" "$BUILD/exported"
}

# Prints the folder to compile against; what was prepared once is taken again.
prepare() {	# KDIR
	local key headers
	if [ ! -e "$1/Kbuild" ] || [ -e "$1/include/generated/utsrelease.h" ]; then
		echo "$1"
		return
	fi
	key=$(basename "$1" | tr -c 'A-Za-z0-9.+\n' - | cut -c1-30)
	headers=$BUILD/kernels/$key/headers
	if [ "$(cat "$BUILD/kernels/$key/tree" 2>/dev/null)" != "$1" ] &&
		! "$root/scripts/own-kernel.sh" -p "$1" "$key" >"$BUILD/prepare-$key.log" 2>&1; then
		echo "$BUILD/prepare-$key.log"
		return 1
	fi
	echo "$headers"
}

# Prints the row.
compile() {	# KDIR
	local version log module status warnings missing alone tree headers
	tree=$(cd "$1" && pwd) || return 1
	headers=$(prepare "$tree") || { echo "$tree | - | it cannot be prepared ($headers)"; return 1; }
	set -- "$headers"
	version=$(sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' "$1/include/generated/utsrelease.h" 2>/dev/null)
	log=$BUILD/${version:-unknown}.log
	module=$("$root/scripts/kmod.sh" "$1" -k KBUILD_MODPOST_WARN=1 2>"$log")
	status=$?
	# Without a kernel image modpost and the tree's makefile warn. Those warnings say nothing about the module.
	warnings=$(grep -E 'warning:|error:' "$log" | grep -cE '\.[chS]:[0-9]')
	missing=$([ $status -ne 0 ] || unexported "$1" "$module" | xargs)
	alone=$([ $status -ne 0 ] || "$root/scripts/check-alone.sh" "$1" "$(dirname "$module")" 2>>"$log")
	if [ $status -eq 0 ] && [ "$warnings" -eq 0 ] && [ -z "$missing" ] && [ -z "$alone" ]; then
		echo "${version:-$1} | yes, no warning, all symbols exported | yes"
	else
		echo "${version:-$1} | no: status $status, $warnings warnings${missing:+, not exported: $missing} ($log)" \
			"| ${alone:-yes}"
		return 1
	fi
}

"$root/scripts/check-needs.py" || failed=1
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
for kdir in "$@"; do
	compile "$kdir" >>"$rows" || failed=1
	tail -n 1 "$rows" >&2
done
show 'kernel | compiled | each header alone' <"$rows"
exit $failed
