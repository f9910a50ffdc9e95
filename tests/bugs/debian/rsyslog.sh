# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's rsyslog, which acknowledges lines of logs as soon as they are written. Sourced by start.sh.

# A log that is full is compressed, or put aside as it is.
server_rsyslog() {
	pick rate_of 300 500
	local aside="exec mv $work/kept.log $work/kept.old"
	[ "$name" != blind7-rsyslog-full ] || aside="gzip -9 -c $work/kept.log >$work/kept.gz && exec mv $work/kept.log $work/kept.old"
	printf '%s\n' '#!/bin/sh' "$aside" >"$work/aside"
	chmod +x "$work/aside"
	cat >"$work/rsyslog.conf" <<-CONF
	global(workDirectory="$work")
	module(load="imrelp")
	\$outchannel kept,$work/kept.log,3000000,$work/aside
	ruleset(name="keep" queue.type="Direct") {
	  :omfile:\$kept
	}
	input(type="imrelp" address="127.0.0.1" port="$port" ruleset="keep")
	CONF
	"$program" -n -f "$work/rsyslog.conf" -i "$work/pid" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
