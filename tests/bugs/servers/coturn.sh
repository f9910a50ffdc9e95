# SPDX-License-Identifier: GPL-2.0-only
# Coturn in the bench: threads with an event loop each.
# shellcheck disable=SC2154
bug_tarball=yes

# What OpenSSL 3 no longer has is left out, as Debian does.
configure_coturn() {
	sed -i "s/FIPS_mode()/0/" src/client/ns_turn_msg.c
	TURN_NO_PROMETHEUS=1 CFLAGS="$cflags" ./configure
}

make_coturn() {
	make -s -j"$jobs" bin/turnserver
}

install_coturn() {
	cp bin/turnserver "$1/coturn"
}

# Networks of peers that are denied, which are compared one by one.
server_coturn() {
	local many=20
	[ "$name" != blind5-coturn-denied ] || many=40000
	awk -v many="$many" 'BEGIN { for (i = 0; i < many; i++)
		printf "denied-peer-ip=%d.%d.%d.0-%d.%d.%d.255\n", 11 + int(i / 65536), int(i / 256) % 256, i % 256, 11 + int(i / 65536), int(i / 256) % 256, i % 256 }' \
		>"$work/turn.conf"
	printf '%s\n' "listening-port=$port" listening-ip=127.0.0.1 relay-ip=127.0.0.1 relay-threads=2 no-auth no-cli no-tls no-dtls \
		"log-file=$work/turn.log" simple-log "userdb=$work/people" "pidfile=$work/pid" >>"$work/turn.conf"
	"$program" -c "$work/turn.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
