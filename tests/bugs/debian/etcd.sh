# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's etcd (Go), asked by JSON, whose store is written again each five seconds. Sourced by start.sh.

# The store is large, or small.
server_etcd() {
	export SIZE=1
	[ "$name" != blind6-etcd-defrag ] || SIZE=100
	"$program" --data-dir "$work/store" --listen-client-urls "http://127.0.0.1:$port" --advertise-client-urls "http://127.0.0.1:$port" \
		--listen-peer-urls "http://127.0.0.1:$((port + 1))" --initial-advertise-peer-urls "http://127.0.0.1:$((port + 1))" \
		--initial-cluster "default=http://127.0.0.1:$((port + 1))" --max-request-bytes 4000000 --logger zap >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
