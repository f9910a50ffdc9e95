# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's OpenDKIM, a thread for each connection, which signs letters by a table of senders. Sourced by start.sh.

# Who is in the table is found by patterns, of which there are many or few.
server_opendkim() {
	local many=50
	[ "$name" != blind7-opendkim-senders ] || many=5000
	openssl genrsa -out "$work/key" 1024 2>/dev/null
	chmod 600 "$work/key"
	echo "near near.test:s:$work/key" >"$work/keys"
	awk -v many="$many" 'BEGIN { print "*@first.test near"; for (i = 0; i < many; i++) printf "*@h%d.far.test near\n", i }' >"$work/senders"
	printf '%s\n' "Socket inet:$port@127.0.0.1" 'Mode s' "KeyTable file:$work/keys" "SigningTable refile:$work/senders" 'InternalHosts 0.0.0.0/0' "PidFile $work/pid" 'Background no' 'Syslog no' \
		'UserID root' 'AutoRestart no' 'OversignHeaders From' 'RequireSafeKeys no' >"$work/opendkim.conf"
	"$program" -f -x "$work/opendkim.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
