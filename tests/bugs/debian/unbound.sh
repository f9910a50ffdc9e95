# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Unbound, one loop, which answers from its cache. Sourced by start.sh.

# The cache has many names or few, and all of them are looked at when a zone is to be forgotten.
server_unbound() {
	local many=500
	[ "$name" != blind6-unbound-flush ] || many=250000
	udp=yes
	pick rate_of 300 500
	export SIZE=$many
	cat >"$work/unbound.conf" <<-CONF
	server:
	  interface: 127.0.0.1@$port
	  num-threads: 1
	  chroot: ""
	  username: ""
	  directory: "$work"
	  pidfile: "$work/pid"
	  use-syslog: no
	  do-ip6: no
	  module-config: "iterator"
	  rrset-cache-size: 300m
	  msg-cache-size: 300m
	remote-control:
	  control-enable: yes
	  control-interface: "$work/control"
	forward-zone:
	  name: "."
	  forward-addr: 127.0.0.1@9
	CONF
	"$program" -d -c "$work/unbound.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
