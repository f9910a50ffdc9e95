# SPDX-License-Identifier: GPL-2.0-only
# Start Twisted's DNS server: one loop, a zone in memory, and a file of hosts for what is not in it. Sourced by start.sh.

server_twisted() {
	local hosts=30
	# shellcheck disable=SC2034
	udp=yes
	[ "$name" != blind-twisted-hosts ] || hosts=6000
	awk -v hosts="$hosts" 'BEGIN { for (i = 0; i < hosts; i++) printf "192.0.2.%d h%d.far.test h%d\n", i % 250 + 1, i, i
		print "192.0.2.1 far.test" }' >"$work/hosts"
	{
		printf '%s\n' 'zone = [' 'SOA("near.test", mname="ns.near.test", rname="a.near.test", serial=1, refresh=3600, retry=600, expire=86400, minimum=60),'
		for ((i = 0; i < 20; i++)); do echo "A('h$i.near.test', '192.0.2.2'),"; done
		echo ']'
	} >"$work/near.test"
	"$program" /usr/bin/twistd3 -n --pidfile= -l "$work/twistd.log" dns -p "$port" -i 127.0.0.1 --hosts-file "$work/hosts" \
		--pyzone "$work/near.test" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
