#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Check the output of scope model for servers whose kind is known, as Debian ships them, and for five of our own: every
# field of the network model, the processes and the listeners. The model is the call in which a thread waits for
# requests, also if it has one connection only (MariaDB: poll; PostgreSQL: epoll).
#
# Usage: tests/bench/models.sh [-n SEEDS] [SERVER...]      default: 10 seeds of each
#        tests/bench/models.sh -l                          list the servers
# Environment: OUT (build/models), SCOPE (the program), FIRST (1; the first seed)
# The seed varies the number of connections, and of threads or processes where the server has an option for them. Each run
# leaves trace, truth, model.json and verdict in OUT/SERVER-SEED. A trace that is there already is not taken again.
# Prints a line for each run, and the count. Exit status: 0 all fields of all are right; 1 not; 2 a run without a model.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${OUT:-$root/build/models}
scope=${SCOPE:-$root/build/user/scope}
own=(epoll_level thread_each prefork pool pool_connections)
servers=(redis memcached nginx httpd-prefork httpd-event mariadb postgres tomcat node "${own[@]}")

die() { echo "${0##*/}: $*" >&2; exit 2; }

work= server= port= seed= truth= connections= threads=
started=()
begin() { "$@" >> "$work/log" 2>&1 < /dev/null & started+=($!); }	# COMMAND...: beside this script, until stop
main() { begin "$@"; server=${started[-1]}; }
descendants() { local child; for child in $(pgrep -P "$1"); do descendants "$child"; echo "$child"; done; }
stop() {
	local pid
	for pid in "${started[@]}"; do
		# shellcheck disable=SC2046
		kill -KILL $(descendants "$pid") "$pid" 2> /dev/null
		wait "$pid" 2> /dev/null
	done
	started=()
}
as_nobody() { chown -R nobody "$work"; setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }
load_by() { timeout 60 python3 "$here/models.py" load "$1" "$port" "$connections" 3 "$seed" >> "$work/log" 2>&1; }
load_sql() {	# mysql|pgsql OPTION...
	local kind=$1
	shift
	timeout 60 sysbench oltp_point_select "--db-driver=$kind" --tables=1 --table-size=1000 "--$kind-host=127.0.0.1" \
		"--$kind-port=$port" "--$kind-db=shop" --threads="$connections" --time=3 --rate=300 --db-ps-mode=disable "$@" run \
		>> "$work/log" 2>&1
}
pages() { local i; mkdir -p "$work/www"; for i in {0..8}; do head -c $((i * 700 + 10)) /dev/zero > "$work/www/$i"; done; }

run_redis() {
	main redis-server --port "$port" --bind 127.0.0.1 --save '' --dir "$work"
	truth='model=epoll accept_dispatch=false network_dispatch=false accept_pool=1 network_pool=1 processes=1 listeners=1'
	load() { load_by redis; }
}
run_memcached() {
	main memcached -l 127.0.0.1 -p "$port" -U 0 -t "$threads" -u root
	truth="model=epoll accept_dispatch=true network_dispatch=false accept_pool=1 network_pool=$threads processes=1 listeners=1"
	load() { load_by memcached; }
}
# Each worker has a listening socket of its own. The kernel chooses by the client's port; 32 connections and more meet all of them.
run_nginx() {
	pages
	connections=$((connections * 8))
	cat > "$work/conf" <<-CONF
	pid $work/pid; error_log $work/errors; worker_processes $threads; events {} http { access_log off;
	server { listen 127.0.0.1:$port reuseport; root $work/www; } }
	CONF
	main nginx -c "$work/conf" -g 'daemon off;'
	truth="model=epoll accept_dispatch=false network_dispatch=false accept_pool=$threads network_pool=$threads"
	truth+=" processes=$((threads + 1)) listeners=$threads"
	load() { load_by http; }
}
httpd() {	# MPM LINE...
	local mpm=$1
	shift
	pages
	printf '%s\n' "ServerRoot $work" "PidFile $work/pid" "Listen 127.0.0.1:$port" "DocumentRoot $work/www" \
		"ErrorLog $work/errors" 'ServerName localhost' 'User www-data' 'MaxKeepAliveRequests 0' \
		"LoadModule mpm_${mpm}_module /usr/lib/apache2/modules/mod_mpm_$mpm.so" \
		'LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so' "$@" > "$work/conf"
	main apache2 -DFOREGROUND -f "$work/conf"
}
# A process takes a connection and serves it to its end. As many as there are connections have work.
run_httpd-prefork() {
	httpd prefork "StartServers $threads" "MinSpareServers 1" "MaxSpareServers $((threads + 1))" "MaxRequestWorkers $threads"
	connections=$threads
	truth="model=blocking accept_dispatch=false network_dispatch=false accept_pool=$threads network_pool=$threads"
	truth+=" processes=$((threads + 1)) listeners=1"
	load() { load_by http; }
}
# A listener accepts, and waits for connections that are kept alive; threads read requests and answer.
run_httpd-event() {
	httpd event 'StartServers 1' 'ServerLimit 1' "ThreadsPerChild $threads" "MaxRequestWorkers $threads" \
		'MinSpareThreads 1' "MaxSpareThreads $((threads + 1))"
	connections=$((threads * 3))
	truth="model=epoll accept_dispatch=true network_dispatch=false accept_pool=1 network_pool=$threads processes=2 listeners=1"
	load() { PAUSE_MS=40 load_by http; }
}
run_mariadb() {
	as_nobody mariadb-install-db --no-defaults --datadir="$work/data" --skip-test-db --skip-name-resolve \
		--auth-root-authentication-method=normal --innodb-log-file-size=8M >> "$work/log" 2>&1
	main setpriv --reuid nobody --regid nogroup --clear-groups mariadbd --no-defaults --datadir="$work/data" \
		--bind-address=127.0.0.1 --port="$port" --socket="$work/data/socket" --skip-name-resolve \
		--innodb-log-file-size=8M --innodb-buffer-pool-size=64M
	answers
	mariadb --no-defaults -h 127.0.0.1 -P "$port" -u root -e 'CREATE DATABASE shop' >> "$work/log" 2>&1
	sysbench oltp_point_select --db-driver=mysql --tables=1 --table-size=1000 --mysql-host=127.0.0.1 --mysql-port="$port" \
		--mysql-user=root --mysql-db=shop prepare >> "$work/log" 2>&1
	truth="model=poll accept_dispatch=true network_dispatch=false accept_pool=1 network_pool=$connections processes=1 listeners=2"
	load() { load_sql mysql --mysql-user=root; }
}
run_postgres() {
	local bin=/usr/lib/postgresql/15/bin
	as_nobody "$bin/initdb" -D "$work/data" -U shop -A trust -N >> "$work/log" 2>&1
	main setpriv --reuid nobody --regid nogroup --clear-groups "$bin/postgres" -D "$work/data" -h 127.0.0.1 -p "$port" -k "$work"
	local i
	for i in {1..300}; do "$bin/pg_isready" -q -h 127.0.0.1 -p "$port" && break; sleep 0.1; done
	"$bin/createdb" -h 127.0.0.1 -p "$port" -U shop shop >> "$work/log" 2>&1
	sysbench oltp_point_select --db-driver=pgsql --tables=1 --table-size=1000 --pgsql-host=127.0.0.1 --pgsql-port="$port" \
		--pgsql-user=shop --pgsql-db=shop prepare >> "$work/log" 2>&1
	truth="model=epoll accept_dispatch=true network_dispatch=false accept_pool=1 network_pool=$connections listeners=2"
	load() { load_sql pgsql --pgsql-user=shop; }
}
run_tomcat() {
	local home=/usr/share/tomcat10 base=$work/base
	pages
	mkdir -p "$base/conf" "$base/webapps" "$base/temp" "$base/logs"
	cp -r "$work/www" "$base/webapps/ROOT"
	cp "$root/tests/bugs/debian/tomcat/web.xml" "$base/conf/"
	cat > "$base/conf/server.xml" <<-XML
	<Server port="-1"><Service name="Catalina"><Connector port="$port" address="127.0.0.1" minSpareThreads="$threads"
	maxThreads="$threads"/><Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps"/>
	</Engine></Service></Server>
	XML
	main java -Xmx256m -XX:+UseSerialGC -Dcatalina.home="$home" -Dcatalina.base="$base" -Djava.io.tmpdir="$base/temp" \
		-cp "$home/bin/bootstrap.jar:$home/bin/tomcat-juli.jar" org.apache.catalina.startup.Bootstrap start
	connections=$((threads * 3))
	# Its socket listens long before it has started; then most of its code is not compiled yet.
	local i
	for ((i = 0; i < 300; i++)); do grep -q 'Server startup' "$work/log" && break; sleep 0.1; done
	load_by http
	truth="model=epoll accept_dispatch=true network_dispatch=false accept_pool=1 network_pool=$threads processes=1 listeners=1"
	load() { PAUSE_MS=40 load_by http; }
}
run_node() {
	cat > "$work/app.js" <<-'JS'
	require('http').createServer((req, res) => res.end('hello')).listen(+process.argv[2], '127.0.0.1');
	JS
	main node "$work/app.js" "$port"
	truth='model=epoll accept_dispatch=false network_dispatch=false accept_pool=1 network_pool=1 processes=1 listeners=1'
	load() { load_by http; }
}

answers() {
	local i
	for ((i = 0; i < 300; i++)); do
		(exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null && return
		sleep 0.1
	done
	return 1
}

# Traces the server from before the first connection of the load to after the last.
trace_server() {	# DIR
	local i
	"$scope" record -p "$server" --source perf --subbuf-count 64 -d 600 -o "$1/trace" >> "$1/log" 2>&1 &
	recorder=$!
	for ((i = 0; i < 600; i++)); do
		[ "$("$scope" dump "$1/trace.part" 2> /dev/null | grep -cm 1 '^[0-9]* [0-9]* state ')" -eq 0 ] || break
		kill -0 "$recorder" 2> /dev/null || return 1
		sleep 0.05
	done
	load
	sleep 0.1
	kill -INT "$recorder"
	wait "$recorder"
}

# Our own are those of tests/unit/model_live.sh, which says what their numbers are.
run_own() {	# SHAPE
	local word requests=$((400 + 40 * seed))
	case $1 in
	epoll_level) truth='model=epoll accept_dispatch=false network_dispatch=false accept_pool=1 network_pool=1 processes=1' ;;
	thread_each) truth="model=blocking accept_dispatch=true network_dispatch=false accept_pool=1 network_pool=$connections processes=1" ;;
	prefork) truth='model=blocking accept_dispatch=false network_dispatch=false accept_pool=3 network_pool=3 processes=3' ;;
	pool) truth='model=epoll accept_dispatch=false network_dispatch=true accept_pool=1 network_pool=1 processes=1' ;;
	pool_connections) truth='model=blocking accept_dispatch=true network_dispatch=false accept_pool=1 network_pool=3 processes=1' ;;
	esac
	truth+=' listeners=1'
	coproc WORK { exec "$work/units" "$1" "$requests" "$connections"; }
	started+=("$WORK_PID")
	read -r word server <&"${WORK[0]}"
	load() { echo go >&"${WORK[1]}"; read -r word <&"${WORK[0]}"; }
}

one() {	# SERVER SEED DIR
	local dir=$3
	work=$(mktemp -d "${TMPDIR:-/tmp}/model.XXXXXX") seed=$2 threads=$((2 + $2 % 4)) connections=$((4 + $2 % 7))
	chmod 755 "$work"
	port=$((20000 + (RANDOM % 2000) * 5))
	if [[ " ${own[*]} " == *" $1 "* ]]; then
		cp "$out/units" "$work/" && run_own "$1"
	else
		[ "$1" = memcached ] && connections=$((threads * 2))
		"run_$1" && answers && sleep 1
	fi && trace_server "$dir"
	local status=$?
	cat "$work/log" >> "$dir/log" 2> /dev/null
	stop
	rm -rf "$work"
	return "$status"
}

seeds=10
while getopts ln: option; do
	case $option in
	l) printf '%s\n' "${servers[@]}"; exit ;;
	n) seeds=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- "${servers[@]}"
for name; do [[ " ${servers[*]} " == *" $name "* ]] || die "no server $name (-l lists them)"; done
trap stop EXIT
mkdir -p "$out"
gcc -O1 -pthread -o "$out/units" "$root"/tests/unit/units_{work,loops,pools}.c || exit 2
broken=0 right=0 runs=0
for ((run = ${FIRST:-1}; run < ${FIRST:-1} + seeds; run++)); do
	for name; do
		dir=$out/$name-$run
		if [ ! -e "$dir/truth" ]; then
			rm -rf "$dir"
			mkdir -p "$dir"
			one "$name" "$run" "$dir" || { echo "$name-$run: no trace: see $dir/log"; broken=1; continue; }
			echo "$truth" > "$dir/truth"
		fi
		"$scope" model -i "$dir/trace" --format json -o "$dir/model.json" 2>> "$dir/log" ||
			{ echo "$name-$run: no model: see $dir/log"; broken=1; continue; }
		PYTHONDONTWRITEBYTECODE=1 python3 "$here/models.py" check "$dir/model.json" "$(cat "$dir/truth")" > "$dir/verdict"
		runs=$((runs + 1))
		if [ -n "$(cat "$dir/verdict")" ]; then
			echo "$name-$run: $(cat "$dir/verdict")"
		else
			right=$((right + 1))
			echo "$name-$run: right: $(sed -n 's/^ "sentence": //p' "$dir/model.json")"
		fi
	done
done
echo "$right of $runs right in every field"
[ "$broken" -eq 0 ] || exit 2
[ "$right" -eq "$runs" ]
