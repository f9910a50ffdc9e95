# SPDX-License-Identifier: GPL-2.0-only
# Twemproxy in the bench: one event loop before two Redis servers and, at its second port, a third that is far away.
# shellcheck disable=SC2154
bug_tarball=yes

configure_nutcracker() { :; }

# Without its configure, which wants the libyaml that Debian leaves out.
make_nutcracker() {
	# shellcheck disable=SC2086
	cc $cflags -D_GNU_SOURCE -DHAVE_LITTLE_ENDIAN=1 -DHAVE_EPOLL=1 -DHAVE_STATS=1 -DNC_VERSION_STRING='"0.5.0"' \
		-Isrc -Isrc/hashkit -Isrc/proto -Isrc/event -o nutcracker src/nc*.c src/*/*.c -lyaml -lm -pthread
}

install_nutcracker() {
	cp nutcracker "$1/"
}

# The name server of the bad case takes queries and answers none; a mount of our own has it in resolv.conf.
server_nutcracker() {
	local i far="127.0.0.1:$((port + 10001))" run=()
	backend=$((port + 10000))
	if [ "$name" = history-resolve ]; then
		far=cache3.example.com:6379
		printf '%s\n' 'nameserver 127.0.0.63' 'options timeout:1 attempts:1' >"$work/resolv.conf"
		# shellcheck disable=SC2016
		run=(unshare -m sh -c 'mount --bind "$0" /etc/resolv.conf && exec "$@"' "$work/resolv.conf")
	fi
	{
		for ((i = 0; i < 2; i++)); do
			printf '%s\n' "pool$i:" "  listen: 127.0.0.1:$((port + i))" '  hash: fnv1a_64' '  redis: true' \
				'  timeout: 2000' '  server_retry_timeout: 500' '  servers:'
			[ "$i" = 1 ] && echo "   - $far:1" || printf '   - 127.0.0.1:%d:1\n' "$backend" $((backend + 1))
		done
	} >"$work/nutcracker.yml"
	"${run[@]}" "$program" -c "$work/nutcracker.yml" -s $((port + 2)) -i 60000 >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
