#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Install the Debian packages that a group of make targets needs.
#
# Usage: scripts/setup.sh GROUP...      groups: build test vm servers bugs histories sealed strangers mutants fuzz browser jit libraries frameworks workers dkms deb rpm kernel arm64 bench style
# browser is for the test of pages with pictures, tests/unit/report_html.sh.
# bugs are the servers that the bug bench takes as Debian ships them; of these postgresql-15 makes a
# database of its own and starts it where a service manager runs. jit is large, and left to those who
# want the tests of tests/unit/names_live.sh and runtimes_live.sh that need it.
# histories are the servers of the cases from public histories; of these slapd, snmpd, freeradius, kamailio and inspircd
# start by themselves where a service manager runs; so do prometheus-pushgateway, dnsdist, pdns-server, bind9,
# docker-registry, knot, clamav-daemon, dovecot-imapd, influxdb, kea-dhcp4-server, graphite-carbon, prometheus-node-exporter,
# postgrey, samba, zabbix-agent, prosody, unbound, mosquitto, beanstalkd, etcd-server, nats-server, frr, nbd-server, haproxy, caddy, mpd, transmission-daemon, nsd,
# opendkim, rsyslog, spamd, chasquid, rabbitmq-server, h2o, webfs, fcgiwrap, victoria-metrics, sphinxsearch, supervisor, prometheus-blackbox-exporter and php8.2-fpm of sealed, the servers of the sealed cases.
# libraries is for tests/bugs/libraries.py, frameworks for tests/bugs/frameworks.py, workers for tests/bugs/workers.py, mutants for tests/bugs/mutants.py, whose servers are in the other groups.
# A second run finds everything in place and takes no noticeable time.
set -euo pipefail

packages_of() {
	case "$1" in
	build) echo build-essential pkg-config libnl-3-dev libnl-genl-3-dev libelf-dev libdw-dev \
		libunwind-dev libzstd-dev libdeflate-dev zlib1g-dev libjansson-dev libsqlite3-dev \
		libbabeltrace2-dev libmicrohttpd-dev libcurl4-openssl-dev libcapstone-dev libiberty-dev ;;
	test) echo libcmocka-dev libdebuginfod1 musl-tools less tmux xz-utils babeltrace2 protobuf-compiler python3 python3-jsonschema python3-scipy python3-fastcluster python3-zstandard clickhouse-server prometheus openssl iproute2 ;;
	vm) echo qemu-system-x86 cpio kmod xz-utils zstd gcc-12 libc6-dev make pahole procps \
		mmdebstrap stress-ng ;;
	servers) echo build-essential dpkg-dev libevent-dev libapr1-dev libaprutil1-dev libpcre2-dev zlib1g-dev libssl-dev libyaml-dev wrk gdb \
		strace python3 ;;
	browser) echo chromium ;;
	jit) echo nodejs default-jdk-headless golang-go php-cli ruby perl cargo librust-tokio-dev ;;
	libraries) echo gcc g++ pkg-config libevent-dev libuv1-dev libev-dev libglib2.0-dev liburing-dev libboost-dev libboost-system-dev libmicrohttpd-dev libpoco-dev libcpprest-dev libssl-dev zlib1g-dev libzmq3-dev libsoup-3.0-dev libgrpc++-dev python3 python3-grpcio ;;
	frameworks) echo gunicorn python3-flask python3-gevent python3-django uwsgi-core uwsgi-plugin-python3 apache2-bin libapache2-mod-wsgi-py3 libapache2-mod-php uvicorn python3-starlette python3-aiohttp puma unicorn ruby-sinatra default-jdk-headless libtomcat10-java libtomcat10-embed-java libjetty9-java libnetty-java nodejs node-express ;;
	workers) echo redis-server php-cli ruby default-jdk-headless util-linux python3 ;;
	bugs) echo mariadb-server-core mariadb-client-core postgresql-15 sysbench wrk nodejs \
		default-jdk-headless tomcat10-common ;;
	histories) echo varnish slapd snmpd kamailio freeradius inspircd libpam0g-dev libevent-dev libpcre2-dev python3 ;;
	sealed) echo build-essential autoconf automake libtool-bin bison flex zlib1g-dev libmaa-dev libpcre2-dev libssl-dev \
		webhook prometheus-pushgateway dnsdist python3-twisted pdns-server pdns-backend-sqlite3 pdns-backend-pipe bind9 proftpd-core subversion prometheus-alertmanager php8.2-cli ruby-webrick starman \
		erlang-base erlang-inets radicale trafficserver docker-registry knot clamav-daemon dovecot-imapd libdb-dev tarantool influxdb \
		kea-dhcp4-server aria2 graphite-carbon zookeeper prometheus-node-exporter node-express python3-uvicorn python3-starlette python3-multipart \
		python3-tornado groonga-bin libxslt1-dev libvorbis-dev libcurl4-openssl-dev python3 \
		mercurial python3-cherrypy3 postgrey unicorn thin activemq rclone samba smbclient zabbix-agent prosody libevent-dev libglib2.0-dev libxml2-dev \
		dnsmasq-base unbound mosquitto beanstalkd etcd-server nats-server frr nbd-server haproxy git caddy \
		libjetty9-java libcommons-pool2-java libmojolicious-perl puma gunicorn python3-flask \
		python3-aiohttp python3-pyftpdlib mpd default-jdk-headless liblog4j1.2-java \
		transmission-daemon nsd opendkim rsyslog rsyslog-relp fossil spamd chasquid libh2-java rabbitmq-server openssl \
		python3-waitress python3-aiosmtpd libhttpcore-java h2o webfs fcgiwrap victoria-metrics knot-resolver sphinxsearch supervisor \
		ocsigenserver libocsigenserver-ocaml-dev \
		python3-hypercorn python3-eventlet python3-websockets libmina2-java libsimple-http-java libhsqldb-java libslf4j-java \
		golang-go golang-github-valyala-fasthttp-dev golang-github-miekg-dns-dev prometheus-blackbox-exporter \
		ruby-celluloid-io ruby-async-http twiggy libltdl-dev util-linux \
		php8.2-fpm golang-github-gin-gonic-gin-dev python3-fastapi python3-gevent python3-bottle cmake pkg-config libpcap-dev libexpat1-dev \
		libboost-program-options-dev libboost-dev uuid-dev gperf
		# The package of Node may have npm in it, and does not go together with Debian's then.
		command -v npm >/dev/null || echo npm ;;
	strangers) echo apache2-bin lighttpd nginx-light php8.2-fpm haproxy squid caddy etcd-server nats-server prometheus \
		gunicorn uwsgi-core uwsgi-plugin-python3 puma nodejs default-jdk-headless unbound dnsmasq-base dnsperf \
		mosquitto mosquitto-clients beanstalkd redis-server wrk python3 procps ;;
	mutants) echo python3 python3-capstone binutils gcc ;;
	fuzz) echo clang libclang-rt-14-dev ;;
	style) echo clang-format-14 ;;
	dkms) echo dkms ;;
	deb) echo debhelper dh-dkms lintian dpkg-dev fakeroot mmdebstrap ;;
	rpm) echo rpm ;;
	kernel) echo gcc-12 make bc bison flex libelf-dev libssl-dev xz-utils lz4 kmod ;;
	bench) echo linux-perf trace-cmd lttng-tools liblttng-ust1 coz-profiler bpftrace redis-tools memcached ;;
	arm64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm pkg-config ;;
	*) echo "setup.sh: unknown group '$1' (build test vm servers bugs histories sealed strangers fuzz browser jit libraries frameworks workers dkms deb rpm kernel arm64 bench style)" >&2; exit 2 ;;
	esac
}

[ $# -gt 0 ] || { echo "usage: scripts/setup.sh GROUP..." >&2; exit 2; }

missing=()
for group in "$@"; do
	for package in $(packages_of "$group"); do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
		[ "$status" = installed ] || missing+=("$package")
	done
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
	echo "setup.sh: missing packages; as root run: apt-get install ${missing[*]}" >&2
	exit 1
fi
echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# Lists may be absent or stale on a new machine: refresh them only when the first try fails.
apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 && exit 0
apt-get update >/dev/null
apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null
