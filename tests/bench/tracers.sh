# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # the scripts that source it use what it sets
# Scripts that run in a guest source this file: it has the preparations that other tracers need.

# Enters and exits of all system calls, switches, wakings: for perf and for trace-cmd.
events='-e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -e sched:sched_switch -e sched:sched_waking'

prepare_tracers() {	# LTTNG_MODULES, or '' without them
	local place
	mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true
	[ -n "$1" ] || return 0
	place=/lib/modules/$(uname -r)/updates/lttng
	mkdir -p "$place"
	find "$1" -name '*.ko' ! -name '*test*' -exec cp {} "$place/" \;
	depmod -a
}

start_lttng_daemon() { lttng-sessiond --daemonize --no-ust 2>/dev/null || lttng-sessiond --daemonize; }

# The same events; of one process alone, where that is given.
start_lttng() {	# DIRECTORY [PID]
	lttng create bench --output="$1"
	lttng enable-channel --kernel --subbuf-size=4M --num-subbuf=8 all
	lttng enable-event --kernel --channel=all --syscall --all
	lttng enable-event --kernel --channel=all sched_switch,sched_waking
	[ $# -lt 2 ] || lttng track --kernel --vpid="$2"
	lttng start
}

end_lttng() {
	lttng stop
	lttng destroy
}

# Until its first session has shown that probes fire, the module has one more probe on each call, which must not be
# measured.
load_scope() {	# SCOPE.KO CALLS
	insmod "$1"
	until grep -q 'system calls fire' /sys/module/scope/parameters/selftest; do
		"$2" plain getppid >/dev/null
	done
}
