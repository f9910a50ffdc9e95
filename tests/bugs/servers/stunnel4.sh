# SPDX-License-Identifier: GPL-2.0-only
# Stunnel in the bench: it ends TLS with a key of each client's own, for 600,000 clients; those that connect do it by a
# stunnel of their own.
# shellcheck disable=SC2154
bug_tarball=yes

configure_stunnel4() {
	./configure --quiet --disable-libwrap --disable-systemd --disable-fips CFLAGS="$cflags"
}

make_stunnel4() {
	make -s -j"$jobs" -C src stunnel
}

install_stunnel4() {
	cp src/stunnel "$1/stunnel4"
}

server_stunnel4() {
	local i common="foreground = yes
	debug = warning
	socket = l:TCP_NODELAY=1
	socket = r:TCP_NODELAY=1
	sslVersion = TLSv1.2
	options = NO_TICKET
	sessionResume = no"
	backend=$((port + 10000))
	awk 'BEGIN { for (i = 0; i < 600000; i++) printf "client%06d:%032x\n", i, 7919 * i + 1 }' >"$work/keys"
	printf '%s\n' "pid =" "$common" '[in]' "accept = 127.0.0.1:$port" "connect = 127.0.0.1:$backend" 'ciphers = PSK' \
		"PSKsecrets = $work/keys" >"$work/server.conf"
	# A port for a client with a usual key, the next for one with a late key.
	for i in 0 1; do
		sed -n "$((i ? 599990 : 50))p" "$work/keys" >"$work/key$i"
		printf '%s\n' "[out$i]" 'client = yes' "accept = 127.0.0.1:$((port + 1 + i))" "connect = 127.0.0.1:$port" \
			'ciphers = PSK' "PSKsecrets = $work/key$i"
	done >"$work/out"
	printf '%s\n' "pid =" "$common" | cat - "$work/out" >"$work/client.conf"
	"$program" "$work/server.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	"$servers_dir/none-stunnel4/stunnel4" "$work/client.conf" >"$work/client.log" 2>&1 </dev/null &
	end_with_server $!
}
