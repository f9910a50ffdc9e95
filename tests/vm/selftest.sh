#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Show that the VM harness reports what happens in its guest.
#
# Usage: tests/vm/selftest.sh [-k KEY]      kernel as for run.sh (6.1)
# Prints "ok NAME" or "not ok NAME" for each test; exits 1 if any failed. Writes below build/ only.
set -euo pipefail

kernel=6.1
while getopts k: option; do
	case $option in
	k) kernel=$OPTARG ;;
	*) sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2 ;;
	esac
done

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
"$root/scripts/setup.sh" build vm
unpacked=$("$root/scripts/kernel.sh" "$kernel")
build=${BUILD:-$root/build}
mkdir -p "$build/vm"
work=$(mktemp -d "$build/vm/selftest.XXXXXX")
work=$(cd "$work" && pwd)
background=''
end() {
	[ -z "$background" ] || kill "$background" 2>/dev/null || true
	rm -rf "$work"
}
trap end EXIT
trap 'exit 143' INT TERM HUP

vm() { "$here/run.sh" -k "$kernel" -t 300 "$@"; }

# Run in the guest; what it printed is in $work/stdout, what the harness said in $work/stderr.
gives() {	# STATUS RUN-ARGUMENTS...
	local want=$1 got=0
	shift
	vm "$@" >"$work/stdout" 2>"$work/stderr" || got=$?
	[ "$got" -eq "$want" ] || { echo "exit status $got, expected $want"; return 1; }
}

passes_exit_status() { gives 37 -- sh -c 'exit 37' && gives 143 -- sh -c 'kill $$'; }

says_what_cannot_run() { gives 127 -- no-such-command && grep -q 'no-such-command' "$work/stdout"; }

keeps_arguments() {
	gives 0 -- printf '<%s>' 'a b' '' '*' "it's" $'two\nlines' &&
		[ "$(cat "$work/stdout")" = $'<a b><><*><it\'s><two\nlines>' ]
}

keeps_output() {	# whole, in order, both streams, nothing of the kernel's
	# shellcheck disable=SC2016 # for the guest's shell
	gives 0 -- sh -c 'seq 100000; echo to stderr >&2; echo reopened >/dev/stdout' &&
		{ seq 100000; echo to stderr; echo reopened; } | cmp - "$work/stdout"
}

# The guest continues only after its first line was seen here.
streams_output() {
	mkdir "$work/stream"
	# shellcheck disable=SC2016
	vm -o "$work/stream" -- sh -c \
		'echo first; until [ -e "$VM_OUT/go" ]; do sleep 0.1; done; echo last' |
		while read -r line; do
			[ "$line" != first ] || touch "$work/stream/go"
			echo "$line"
		done >"$work/stdout"
	[ "$(xargs <"$work/stdout")" = 'first last' ]
}

brings_out_files() {
	# shellcheck disable=SC2016
	gives 0 -o "$work/files" -- sh -c 'mkdir $VM_OUT/sub && seq 50000 >$VM_OUT/sub/numbers' &&
		seq 50000 | cmp - "$work/files/sub/numbers" &&
		[ "$(cat "$work/files/status")" = 0 ] &&
		grep -q 'Linux version' "$work/files/dmesg"
}

leaves_host_alone() {
	mkdir "$work/shared"
	echo host | tee "$work/shared/kept" >"$work/shared/changed"
	gives 0 -- sh -c "cd $work/shared && rm kept && echo guest >changed && cat *" &&
		[ "$(cat "$work/stdout")" = guest ] && [ "$(cat "$work"/shared/*)" = $'host\nhost' ]
}

fails_on_logged_warning() {
	gives 70 -- sh -c 'echo "WARNING: CPU: 0 PID: 1 at kernel/x.c:1 x+0x1/0x2" >/dev/kmsg' &&
		grep -q 'at kernel/x.c:1' "$work/stderr"
}

fails_on_panic() { gives 70 -- sh -c 'echo c >/proc/sysrq-trigger' && grep -q 'Kernel panic' "$work/stderr"; }

fails_on_reset() { gives 71 -- sh -c 'echo b >/proc/sysrq-trigger'; }

times_out() { gives 124 -t 45 -- sleep 1000 && grep -q 'command starts' "$work/stderr"; }

builds_and_loads_module() {
	mkdir "$work/module"
	cp "$here/selftest_module.c" "$work/module/"
	echo 'obj-m := selftest_module.o' >"$work/module/Kbuild"
	"$root/scripts/kernel.sh" -x "$kernel" make -s -C "$unpacked/headers" M="$work/module" \
		CC="$(cat "$unpacked/cc")" modules >"$work/stderr" 2>&1 &&
		gives 0 -o "$work/module/out" -- \
			sh -c "insmod $work/module/selftest_module.ko && rmmod selftest_module" &&
		grep -q 'selftest: unloaded' "$work/module/out/dmesg"
}

fails_on_module_warning() {
	gives 70 -- insmod "$work/module/selftest_module.ko" warn=1 &&
		grep -q 'selftest: asked to warn' "$work/stderr"
}

finds_kernel_modules() { gives 0 -- sh -c 'modprobe dummy numdummies=1 && [ -e /sys/class/net/dummy0 ]'; }

counts_instructions() {
	gives 0 -i -- sh -c 'nproc; sleep 5' && [ "$(cat "$work/stdout")" = 1 ]
}

descendants() {	# PID
	local child
	for child in $(pgrep -P "$1"); do
		echo "$child"
		descendants "$child"
	done
}

leaves_no_process() {
	local pids pid
	mkdir "$work/ended"
	"$here/run.sh" -k "$kernel" -o "$work/ended" -- sh -c 'echo up; sleep 1000' >"$work/stdout" 2>&1 &
	background=$!
	timeout 300 tail -q -s 0.1 -n +1 -F "$work/stdout" 2>/dev/null | grep -q -m1 up
	pids=$(descendants "$background")
	[ -n "$pids" ] || return 1
	kill "$background"
	wait "$background" || true
	background=''
	for pid in $pids; do
		[ ! -e "/proc/$pid" ] || { echo "still there: $(tr '\0' ' ' <"/proc/$pid/cmdline")"; return 1; }
	done
}

failed=0
for name in passes_exit_status says_what_cannot_run keeps_arguments keeps_output streams_output \
	brings_out_files leaves_host_alone fails_on_logged_warning fails_on_panic fails_on_reset \
	times_out builds_and_loads_module fails_on_module_warning finds_kernel_modules \
	counts_instructions leaves_no_process; do
	: >"$work/stderr"
	if "$name" >"$work/said"; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' "$work/said" "$work/stderr"
		failed=1
	fi
done
exit $failed
