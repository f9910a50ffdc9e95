# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Kea (DHCPv4), with two networks that a relay asks for: one with addresses for its clients, and one whose first
# subnet is full, or almost empty. Sourced by start.sh.

server_kea() {
	local leased=100
	# shellcheck disable=SC2034
	udp=yes backend=
	[ "$name" != blind4-kea-full ] || leased=8192
	{
		echo address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context
		awk -v leased="$leased" 'BEGIN { for (i = 0; i < leased; i++)
			printf "10.2.%d.%d,02:00:00:00:%02x:%02x,,864000,4000000000,2,0,0,,0,\n", i / 256, i % 256, i / 256, i % 256 }'
	} >"$work/leases.csv"
	cat >"$work/kea.conf" <<-CONF
	{"Dhcp4": {"interfaces-config": {"interfaces": ["lo"], "dhcp-socket-type": "udp"},
	  "lease-database": {"type": "memfile", "name": "$work/leases.csv", "lfc-interval": 0},
	  "valid-lifetime": 36000,
	  "subnet4": [{"subnet": "10.1.0.0/16", "id": 1, "pools": [{"pool": "10.1.0.1 - 10.1.255.250"}]}],
	  "shared-networks": [{"name": "other", "subnet4": [
	    {"subnet": "10.2.0.0/16", "id": 2, "client-class": "ALL", "pools": [{"pool": "10.2.0.0 - 10.2.31.255"}]},
	    {"subnet": "10.3.0.0/16", "id": 3, "pools": [{"pool": "10.3.0.0 - 10.3.255.255"}]}]}],
	  "loggers": [{"name": "kea-dhcp4", "severity": "WARN", "output_options": [{"output": "$work/kea.log"}]}]}}
	CONF
	mkdir -p "$work/run"
	KEA_PIDFILE_DIR=$work/run KEA_LOCKFILE_DIR=none "$program" -c "$work/kea.conf" -p "$port" -P $((port + 1)) \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
