# SPDX-License-Identifier: GPL-2.0-only
# Rinetd in the bench: one loop that passes connections on, from one port as they come, from the next by rules.
# shellcheck disable=SC2154
bug_tarball=yes

configure_rinetd() {
	./configure --quiet CFLAGS="$cflags"
}

make_rinetd() {
	make -s
}

install_rinetd() {
	cp rinetd "$1/"
}

server_rinetd() {
	local rules=20
	backend=$((port + 10000))
	[ "$name" != blind-rinetd-rules ] || rules=60000
	# A rule for all comes first: those of a port are found from the second on.
	{
		echo 'deny 10.0.0.9'
		echo "127.0.0.1 $port 127.0.0.1 $backend"
		echo "127.0.0.1 $((port + 1)) 127.0.0.1 $backend"
		awk -v rules="$rules" 'BEGIN { for (i = 0; i < rules; i++)
			printf "deny *.%d.%d.%d\n", i % 250 + 2, int(i / 250) % 250, i % 199 + 2 }'
	} >"$work/rinetd.conf"
	unset SPARE
	[ "$name" != blind-rinetd-files ] || export SPARE=9
	# What it writes of each failure would fill the disk.
	"$program" -f -c "$work/rinetd.conf" >/dev/null 2>&1 </dev/null &
	server_pid=$!
}
