# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's nbd-server, a process with threads for each client of a block device. Sourced by start.sh.

# What is written is synced each time, or not.
server_nbd() {
	local sync=false
	[ "$name" != blind6-nbd-sync ] || sync=true
	truncate -s 2G "$work/disk"
	chmod a+rwx "$work"
	printf '%s\n' '[generic]' "port = $port" 'listenaddr = 127.0.0.1' '[parts]' "exportname = $work/disk" "sync = $sync" >"$work/nbd.conf"
	"$program" -C "$work/nbd.conf" -p "$work/pid" >"$work/server.log" 2>&1 </dev/null
	until [ -s "$work/pid" ]; do sleep 0.1; done
	read -r server_pid <"$work/pid"
}
