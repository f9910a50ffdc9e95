# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's dnsmasq, one loop, with the names of a list of hosts. Sourced by start.sh.

# Who has an address is found by walking all that is known of addresses; the list has many hosts, or few.
server_dnsmasq() {
	local many=500
	[ "$name" != blind6-dnsmasq-reverse ] || many=60000
	udp=yes
	pick rate_of 300 500
	export SIZE=$many
	awk -v many="$many" 'BEGIN {
		for (i = 0; i < many; i++) printf "10.%d.%d.%d h%d.test\n", int(i / 65536), int(i / 256) % 256, i % 256, i
		for (i = 0; i < 20; i++) printf "192.0.2.%d many.test\n", i + 1 }' >"$work/hosts"
	"$program" --keep-in-foreground --conf-file=/dev/null --port="$port" --listen-address=127.0.0.1 --bind-interfaces --no-resolv --no-hosts \
		--addn-hosts="$work/hosts" --user="$(id -un)" --log-facility="$work/dnsmasq.log" --pid-file="$work/pid" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
