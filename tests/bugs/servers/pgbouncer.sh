# SPDX-License-Identifier: GPL-2.0-only
# PgBouncer in the bench: one event loop before a database; some users log in by PAM.
# shellcheck disable=SC2154
bug_tarball=yes

configure_pgbouncer() {
	./configure --quiet --without-openssl --without-cares --with-pam CFLAGS="$cflags"
}

make_pgbouncer() {
	make -s -j"$jobs" pgbouncer
}

install_pgbouncer() {
	cp pgbouncer "$1/"
}

server_pgbouncer() {
	local run
	# shellcheck disable=SC2034
	backend=$((port + 10000)) backend_kind=database
	# Who logs in is looked up by a program, which is slow in the bad case; a mount of our own has it in /etc/pam.d.
	mkdir "$work/pam"
	printf '%s\n' '#!/bin/sh' '[ "$PAM_USER" = app ] || sleep 1.5' >"$work/look-up"
	[ "$name" = history-logins ] || printf '%s\n' '#!/bin/sh' >"$work/look-up"
	chmod 755 "$work" "$work/look-up"
	printf '%s\n' "auth required pam_exec.so $work/look-up" 'account required pam_permit.so' >"$work/pam/pgbouncer"
	cp "$work/pam/pgbouncer" "$work/pam/other"
	run=(unshare -m sh -c 'mount --bind "$0" /etc/pam.d && exec "$@"' "$work/pam")
	printf '%s\n' '[databases]' "shop = host=127.0.0.1 port=$backend user=app" '[pgbouncer]' 'listen_addr = 127.0.0.1' \
		"listen_port = $port" 'auth_type = pam' 'pool_mode = transaction' \
		'max_client_conn = 500' 'unix_socket_dir =' 'user = nobody' >"$work/pgbouncer.ini"
	"${run[@]}" "$program" "$work/pgbouncer.ini" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
