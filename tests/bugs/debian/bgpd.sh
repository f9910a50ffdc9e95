# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's bgpd of FRR, one loop, asked by its terminal. Sourced by start.sh.

# Routes are looked for by a pattern of their paths, in a table of many, or of few.
server_bgpd() {
	local many=200
	[ "$name" != blind6-bgpd-regexp ] || many=20000
	{
		printf '%s\n' 'hostname peer' 'line vty' ' no login' 'router bgp 65001' ' bgp router-id 192.0.2.1' ' no bgp network import-check' \
			' address-family ipv4 unicast'
		awk -v many="$many" 'BEGIN { for (i = 0; i < many; i++) printf "  network 10.%d.%d.0/24\n", int(i / 256), i % 256 }'
	} >"$work/bgpd.conf"
	"$program" -f "$work/bgpd.conf" -S -Z -p 0 -A 127.0.0.1 -P "$port" -i "$work/pid" --vty_socket "$work" --log "file:$work/bgpd.log" \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
