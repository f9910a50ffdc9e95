#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# If the module cannot be built, or the features of the kernel cannot be found out, the build stops with a message that says why.
# Run by scripts/check.sh; needs no kernel headers: make reads what the build reads, and the compiler is a script.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
result() {	# NAME CONDITION-STATUS
	if [ "$2" -eq 0 ]; then echo "ok kmod_limits $1"; else echo "not ok kmod_limits $1: $(cat "$work/said")"; failed=1; fi
}

requires() {	# VARIABLE...; what a kernel's makefile would say of require.mk
	printf 'include %s/kmod/compat/require.mk\nall:\n\t@echo builds\n' "$root" >"$work/Makefile"
	env -u MAKEFLAGS -u MFLAGS make -s -f "$work/Makefile" "$@" >"$work/said" 2>&1
}

for version in '2 6' '3 0' '3 9'; do
	read -r major minor <<<"$version"
	! requires "VERSION=$major" "PATCHLEVEL=$minor" CONFIG_MODULES=y CONFIG_TRACEPOINTS=y &&
		grep -q "scope: kernel $major.$minor is older than 3.10" "$work/said"
	result "refuses $major.$minor" $?
done
for version in '3 10' '3 19' '4 3' '20 6'; do
	read -r major minor <<<"$version"
	requires "VERSION=$major" "PATCHLEVEL=$minor" CONFIG_MODULES=y CONFIG_TRACEPOINTS=y && grep -qx builds "$work/said"
	result "takes $major.$minor" $?
done
! requires VERSION=6 PATCHLEVEL=1 CONFIG_MODULES=y && grep -q 'scope: this kernel has no tracepoints' "$work/said"
result "refuses a kernel without tracepoints" $?
requires VERSION=3 PATCHLEVEL=9 && grep -qx builds "$work/said"
result "cleans up without a configuration" $?

# Compiles every program, but those that hold a word of $REFUSED.
cat >"$work/cc" <<'CC'
#!/bin/sh
for program; do :; done
[ -z "${REFUSED:-}" ] || ! grep -qE "$REFUSED" "$program"
CC
# Says of each such row of a program that an error is in it, and of each such header.
cat >"$work/cc-rows" <<'CC'
#!/bin/sh
for program; do :; done
echo "$program" >> "$CALLS"
[ -n "${REFUSED:-}" ] || exit 0
awk -v refused="$REFUSED" '
	/^#line/ { row = $3; gsub("\"", "", row); next }
	$0 ~ refused { print (row ? row : "x.h") ":1:1: error: refused"; wrong = 1 }
	END { exit wrong }' "$program"
CC
chmod +x "$work/cc" "$work/cc-rows"

features() {	# REFUSED
	rm -f "$work/features.h"
	REFUSED=$1 sh "$root/kmod/compat/features.sh" "$work/features.h" "$work/cc" >"$work/said" 2>&1
}

# All rows at once find what each alone finds, in a few programs: by a compiler that says in which row an error is.
by_rows() {	# OUTPUT [VARIABLE=VALUE]
	: > "$work/calls"
	env REFUSED='hrtimer_setup|swapin_delay|kvzalloc|direct_reclaim' CALLS="$work/calls" "${@:2}" \
		sh "$root/kmod/compat/features.sh" "$work/$1" "$work/cc-rows" >"$work/said" 2>&1
}
by_rows each.h SCOPE_FEATURES_EACH=1 && [ "$(wc -l < "$work/calls")" -gt 60 ] &&
	by_rows features.h && [ "$(wc -l < "$work/calls")" -lt 10 ] && cmp "$work/each.h" "$work/features.h" >"$work/said" 2>&1
result "finds by all rows at once what each alone has" $?

features '' && grep -q 'SCOPE_HAVE_HRTIMER_SETUP 1' "$work/features.h"
result "finds a new spelling" $?
features 'hrtimer_setup' && ! grep -q SCOPE_HAVE_HRTIMER_SETUP "$work/features.h"
result "finds an old spelling" $?
! features 'hrtimer_setup|hrtimer_init' && [ ! -e "$work/features.h" ] &&
	grep -q 'scope: this kernel fits neither .* of HRTIMER_SETUP' "$work/said"
result "stops where neither compiles" $?
! features 'linux/poll.h' && [ ! -e "$work/features.h" ] && grep -q 'scope: this kernel fits neither .* of POLL_T' "$work/said"
result "stops where the headers of a probe do not compile" $?
! features 'trace/events/syscalls.h' && grep -q 'scope: these kernel headers do not compile' "$work/said"
result "stops where no headers compile" $?
exit $failed
