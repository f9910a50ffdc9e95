# SPDX-License-Identifier: GPL-2.0-only
# Give the scripts of this folder the table of bugs and the places of what is built from it.
bugs_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
servers_dir=${BUILD:-$(cd "$bugs_dir/../.." && pwd)/build}/servers

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

bug_names() {
	awk -F '\t' '!/^#/ && NF { print $1 }' "$bugs_dir/bugs.tsv"
}

# bug_row NAME: sets bug_server, bug_patch, bug_kind, bug_expect, bug_module and bug_load.
bug_row() {
	local row
	row=$(awk -F '\t' -v name="$1" '!/^#/ && $1 == name' "$bugs_dir/bugs.tsv")
	[ -n "$row" ] || die "unknown bug '$1'; known are: $(bug_names | tr '\n' ' ')"
	IFS=$'\t' read -r _ bug_server bug_patch bug_kind bug_expect bug_module bug_load _ <<<"$row"
}

# What is special to a server, where it has a file: configure_, make_ and install_ for build.sh, server_
# and load_ for start.sh; bug_tarball where Debian's changes to it are left out, and bug_suite where it is of
# another suite of Debian than the system.
bug_recipe() {	# SERVER
	bug_tarball= bug_suite=
	# shellcheck disable=SC1090
	[ ! -e "$bugs_dir/servers/$1.sh" ] || . "$bugs_dir/servers/$1.sh"
}

# The cases of the bench: those with a bug.
bug_cases() {
	awk -F '\t' '!/^#/ && NF && $4 != "none" { print $1 }' "$bugs_dir/bugs.tsv"
}

# bug_twin NAME: the healthy server of the same kind, under the same kind of load.
bug_twin() {
	awk -F '\t' -v name="$1" '!/^#/ && NF { row[++n] = $0; if ($1 == name) { server = $2; load = $7 } }
		END { for (i = 1; i <= n; i++) { split(row[i], of, "\t")
			if (of[2] == server && of[7] == load && of[4] == "none") { print of[1]; exit } } }' \
		"$bugs_dir/bugs.tsv"
}

# bug_packaged: of the row that bug_row() read, whether its server runs as Debian ships it; sets
# bug_program.
bug_packaged() {
	case "$bug_server" in
	mariadb) bug_program=/usr/sbin/mariadbd ;;
	postgres) bug_program=/usr/lib/postgresql/15/bin/postgres ;;
	node) bug_program=/usr/bin/node ;;
	tomcat) bug_program=/usr/bin/java ;;
	varnish) bug_program=/usr/sbin/varnishd ;;
	pdns) bug_program=/usr/sbin/pdns_server ;;
	dnsdist | webhook) bug_program=/usr/bin/$bug_server ;;
	pushgateway) bug_program=/usr/bin/prometheus-pushgateway ;;
	twisted | xmlrpc) bug_program=/usr/bin/python3 ;;
	named) bug_program=/usr/sbin/$bug_server ;;
	proftpd) bug_program=/usr/sbin/proftpd ;;
	svnserve) bug_program=/usr/bin/svnserve ;;
	alertmanager) bug_program=/usr/bin/prometheus-alertmanager ;;
	phpserver) bug_program=/usr/bin/php8.2 ;;
	webrick) bug_program=/usr/bin/ruby ;;
	starman) bug_program=/usr/bin/perl ;;
	inets) bug_program=$(echo /usr/lib/erlang/erts-*/bin/beam.smp) ;;
	radicale) bug_program=/usr/bin/python3 ;;
	trafficserver) bug_program=/usr/bin/traffic_server ;;
	registry) bug_program=/usr/bin/docker-registry ;;
	knot) bug_program=/usr/sbin/knotd ;;
	clamd | dovecot) bug_program=/usr/sbin/$bug_server ;;
	tarantool) bug_program=/usr/bin/tarantool ;;
	influxdb) bug_program=/usr/bin/influxd ;;
	kea) bug_program=/usr/sbin/kea-dhcp4 ;;
	aria2) bug_program=/usr/bin/aria2c ;;
	carbon | starlette | tornado) bug_program=/usr/bin/python3 ;;
	groonga) bug_program=/usr/bin/groonga ;;
	zookeeper) bug_program=/usr/bin/java ;;
	exporter) bug_program=/usr/bin/prometheus-node-exporter ;;
	express) bug_program=/usr/bin/node ;;
	hg) bug_program=/usr/bin/hg ;;
	prosody) bug_program=/usr/bin/prosody ;;
	cherrypy) bug_program=/usr/bin/python3 ;;
	postgrey | smbd) bug_program=/usr/sbin/$bug_server ;;
	unicorn | thin) bug_program=/usr/bin/ruby ;;
	rclone) bug_program=/usr/bin/rclone ;;
	zabbix) bug_program=/usr/sbin/zabbix_agentd ;;
	activemq) bug_program=/usr/bin/java ;;
	dnsmasq | unbound | mosquitto | haproxy) bug_program=/usr/sbin/$bug_server ;;
	beanstalkd | etcd) bug_program=/usr/bin/$bug_server ;;
	nats) bug_program=/usr/sbin/nats-server ;;
	nbd) bug_program=/usr/bin/nbd-server ;;
	bgpd) bug_program=/usr/lib/frr/bgpd ;;
	gitd) bug_program=/usr/lib/git-core/git-daemon ;;
	caddy) bug_program=/usr/bin/caddy ;;
	jetty) bug_program=/usr/bin/java ;;
	mojo) bug_program=/usr/bin/perl ;;
	puma) bug_program=/usr/bin/ruby ;;
	gunicorn | aiohttp | ftpd) bug_program=/usr/bin/python3 ;;
	jdkweb) bug_program=/usr/bin/java ;;
	mpd) bug_program=/usr/bin/mpd ;;
	transmission) bug_program=/usr/bin/transmission-daemon ;;
	nsd | opendkim) bug_program=/usr/sbin/$bug_server ;;
	rsyslog) bug_program=/usr/sbin/rsyslogd ;;
	fossil | chasquid) bug_program=/usr/bin/$bug_server ;;
	spamd) bug_program=/usr/bin/perl ;;
	h2) bug_program=/usr/bin/java ;;
	rabbitmq) bug_program=/usr/sbin/rabbitmq-server ;;
	waitress | aiosmtpd) bug_program=/usr/bin/python3 ;;
	httpcore) bug_program=/usr/bin/java ;;
	h2o) bug_program=/usr/bin/h2o ;;
	ocsigen) bug_program=/usr/bin/ocsigenserver.opt ;;
	victoria) bug_program=/usr/bin/victoria-metrics ;;
	kresd) bug_program=/usr/sbin/kresd ;;
	sphinx) bug_program=/usr/bin/searchd ;;
	supervisor) bug_program=/usr/bin/python3 ;;
	webfs) bug_program=/usr/bin/webfsd ;;
	fcgiwrap) bug_program=/usr/sbin/fcgiwrap ;;
	hypercorn | eventlet | websockets) bug_program=/usr/bin/python3 ;;
	koa | nodews) bug_program=/usr/bin/node ;;
	fasthttp | godns) bug_program=/usr/bin/go ;;
	blackbox) bug_program=/usr/bin/prometheus-blackbox-exporter ;;
	mina | simple) bug_program=/usr/bin/java ;;
	celluloid | asynchttp) bug_program=/usr/bin/ruby ;;
	twiggy) bug_program=/usr/bin/twiggy ;;
	phpfpm) bug_program=/usr/sbin/php-fpm8.2 ;;
	fastify) bug_program=/usr/bin/node ;;
	gin) bug_program=/usr/bin/go ;;
	fastapi | gevent) bug_program=/usr/bin/python3 ;;
	slapd | snmpd | kamailio | freeradius | inspircd) bug_program=/usr/sbin/$bug_server ;;
	*) return 1 ;;
	esac
}

# bug_own: of the row that bug_row() read, a server of our own: sets own_sources and own_flags, the bugs
# named in the column of patches as macros; 1 where it is none of ours.
bug_own() {
	local bug
	[ -e "$bugs_dir/own/$bug_server.c" ] || return 1
	own_sources=("$bugs_dir/own/$bug_server.c" "$bugs_dir"/own/{work,parts,more}.c)
	own_flags=()
	for bug in ${bug_patch//,/ }; do
		[ "$bug" = - ] || own_flags+=("-DBUG_$bug")
	done
	[ "$bug_server" != pool ] || own_flags+=(-DWITH_INDEX)
}

# A process and its descendants: other tracers follow none that were there before.
bug_family() {	# PID
	local child
	printf %s "$1"
	for child in $(cat "/proc/$1/task"/*/children); do
		printf ,
		bug_family "$child"
	done
}

# The first screen of a run's trace, and the same report as JSON, for summary.py to check.
bug_screen() {	# SCOPE DIR
	local scope
	scope=$(realpath "$1")
	(
		cd "$2" || exit 1
		COLUMNS=80 LC_ALL=C.UTF-8 "$scope" report -i trace >trace.screen &&
			"$scope" report -i trace --format json >trace.json
	)
}
