# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Radicale, with a program that it runs after each change while it holds the lock of its files. Sourced by start.sh.

server_radicale() {
	local hook='true'
	# shellcheck disable=SC2034
	rate_of=80
	[ "$name" != blind2-radicale-hook ] || hook='sleep 0.03'
	[ "$name" != blind2-radicale-stuck ] || hook='test ! -e stuck || exec cat pipe'
	cat >"$work/radicale.conf" <<-CONF
	[server]
	hosts = 127.0.0.1:$port
	max_connections = 50
	[auth]
	type = none
	[rights]
	type = authenticated
	[storage]
	filesystem_folder = $work/store
	hook = $hook
	[web]
	type = none
	[logging]
	level = error
	CONF
	mkdir "$work/store"
	mkfifo "$work/store/pipe"
	"$program" /usr/bin/radicale --config "$work/radicale.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
