# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Net-SNMP agent, which runs scripts for some of its values. Sourced by start.sh.

server_snmpd() {
	local pause=0 work_of_script=
	# shellcheck disable=SC2034
	udp=yes
	[ "$name" != history-extend ] || pause=1.2
	[ "$name" != history-pass ] || work_of_script='for i in 1 2 3 4 5; do /bin/true; done'
	printf '%s\n' '#!/bin/sh' "sleep $pause" 'echo 1' >"$work/slow"
	printf '%s\n' '#!/bin/sh' "$work_of_script" 'echo "$2"; echo integer; echo 7' >"$work/passed"
	chmod +x "$work/slow" "$work/passed"
	printf '%s\n' "agentAddress udp:127.0.0.1:$port" 'rocommunity public 127.0.0.1' "extend slow $work/slow" >"$work/snmpd.conf"
	if [ "$name" = history-pass ]; then
		echo "pass .1.3.6.1.4.1.99999 $work/passed" >>"$work/snmpd.conf"
	fi
	SNMP_PERSISTENT_DIR=$work/kept "$program" -f -Lf "$work/agent.log" -C -c "$work/snmpd.conf" -p "$work/pid" \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
