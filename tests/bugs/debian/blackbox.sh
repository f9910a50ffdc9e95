# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's blackbox exporter (Go), which asks a name server where what it tries is. Sourced by start.sh.

# The name server is slow, or it is not.
server_blackbox() {
	local late=1
	[ "$name" != blind8-blackbox-names ] || late=25
	name_server "$late"
	printf '%s\n' modules: '  tcp:' '    prober: tcp' '    timeout: 5s' '    tcp:' '      preferred_ip_protocol: ip4' >"$work/blackbox.yml"
	"${with_names[@]}" "$program" --config.file="$work/blackbox.yml" --web.listen-address="127.0.0.1:$port" --log.level=error >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	start_names
}
