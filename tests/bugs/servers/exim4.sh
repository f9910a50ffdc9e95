# SPDX-License-Identifier: GPL-2.0-only
# Exim in the bench: a process for each connection.
# shellcheck disable=SC2154
bug_tarball=yes

configure_exim4() {
	mkdir -p Local
	printf '%s\n' 'BIN_DIRECTORY=/usr/sbin' 'CONFIGURE_FILE=/etc/exim4/none' 'EXIM_USER=nobody' 'EXIM_GROUP=nogroup' \
		'SPOOL_DIRECTORY=/var/spool/exim4' 'LOOKUP_LSEARCH=yes' 'LOOKUP_DNSDB=yes' 'ROUTER_ACCEPT=yes' 'TRANSPORT_APPENDFILE=yes' \
		'PCRE2_CONFIG=yes' 'DISABLE_TLS=yes' 'FIXED_NEVER_USERS=daemon' 'USE_DB=yes' 'DBMLIB=-ldb' "CFLAGS=$cflags" \
		>Local/Makefile
}

make_exim4() {
	make -s -j"$jobs" FULLECHO='' exim
}

install_exim4() {
	cp build-*/exim "$1/exim4"
}

# Whom mail is taken for is looked up in a file, line by line; who the client's user is, is asked of the client's host.
server_exim4() {
	local people=50 ident=
	[ "$name" != blind3-exim-lsearch ] || people=120000
	[ "$name" != blind3-exim-ident ] || ident='*'
	mkdir "$work/spool"
	chmod a+rx "$work"
	chmod a+rwx "$work" "$work/spool"
	echo 'ann: yes' >"$work/near"
	awk -v people="$people" 'BEGIN { for (i = 0; i < people; i++) printf "person%d: yes\n", i; print "ann: yes" }' >"$work/far"
	cat >"$work/exim.conf" <<-CONF
	keep_environment =
	spool_directory = $work/spool
	log_file_path = $work/%slog
	pid_file_path = $work/pid
	primary_hostname = x.test
	daemon_smtp_ports = $port
	local_interfaces = 127.0.0.1
	disable_ipv6 = true
	smtp_accept_max = 300
	smtp_accept_queue_per_connection = 0
	host_lookup =
	rfc1413_hosts = $ident
	rfc1413_query_timeout = 5s
	never_users =
	acl_smtp_rcpt = rcpt
	begin acl
	rcpt:
	  accept domains = near.test
	         local_parts = lsearch;$work/near
	  accept domains = far.test
	         local_parts = lsearch;$work/far
	  deny
	begin routers
	begin transports
	CONF
	"$program" -C "$work/exim.conf" -bdf >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
