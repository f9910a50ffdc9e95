#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Count false alarms on healthy servers of which no rule was made: as Debian ships them, in eight languages.
#
# Usage: tests/bugs/strangers.sh [-n RUNS] [SERVER...]      default: one run of each
#        tests/bugs/strangers.sh -l                         list the servers
# Environment: OUT (build/strangers), SECONDS_EACH (6), SEED (1), SCOPE (the program), BESIDE (0; number of
#   programs that run beside it and use all the processor time they get)
# Each run starts the server on loopback in a folder of its own, gives it a load with pauses,
# reports, and leaves trace, report.txt, report.json and verdict in OUT/SERVER-RUN. What is there already is not run
# again. Prints a line for each run: server, verdict, confidence, requests, first function; and the count.
# Exit status: 0 no alarm; 1 some; 2 a run without a report.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${OUT:-$root/build/strangers}
scope=${SCOPE:-$root/build/user/scope}
seconds=${SECONDS_EACH:-6}
servers=(apache lighttpd nginx-php nginx-tls haproxy haproxy-tls squid caddy etcd nats prometheus gunicorn uwsgi python puma node java
	unbound dnsmasq mosquitto beanstalkd redis)

die() { echo "${0##*/}: $*" >&2; exit 2; }

work= server= port=
started=()
begin() { "$@" >> "$work/log" 2>&1 & started+=($!); }	# COMMAND...: beside this script, until stop
main() { begin "$@"; server=${started[-1]}; }	# the same, the one to be looked at
stop() {
	local pid
	for pid in "${started[@]}"; do
		pkill -KILL -P "$pid" 2> /dev/null
		kill -KILL "$pid" 2> /dev/null
		wait "$pid" 2> /dev/null
	done
	started=()
}

web() {	# PATH...: a load by HTTP, or by the scheme in SCHEME
	MIX_PATHS="$*" begin wrk -t 1 -c 8 -d 60 -s "$here/paths.lua" "${SCHEME:-http}://127.0.0.1:$port/"
}
certificate() {	# in $work/both.pem, with its key
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 2 \
		-subj /CN=localhost 2>> "$work/log"
	cat "$work/cert.pem" "$work/key.pem" > "$work/both.pem"
}
pages() {
	local i
	mkdir -p "$work/www"
	for i in 1 2 3 4 5 6 7 8; do head -c $((i * 700)) /dev/urandom | base64 > "$work/www/page$i.html"; done
	paths=(/page{1..8}.html /none.html)
}

run_apache() {
	pages
	printf '%s\n' "ServerRoot $work" "PidFile $work/pid" "Listen 127.0.0.1:$port" "DocumentRoot $work/www" \
		"ErrorLog $work/errors" 'ServerName localhost' 'User www-data' \
		'LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so' \
		'LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so' > "$work/conf"
	main apache2 -X -f "$work/conf"
	load() { web "${paths[@]}"; }
}
run_lighttpd() {
	pages
	printf 'server.%s\n' "document-root = \"$work/www\"" "port = $port" 'bind = "127.0.0.1"' > "$work/conf"
	main lighttpd -D -f "$work/conf"
	load() { web "${paths[@]}"; }
}
run_nginx-php() {
	mkdir -p "$work/www"
	cat > "$work/www/index.php" <<-'PHP'
	<?php $words = []; for ($i = 0; $i < 300; $i++) $words[] = md5((string)($i * ($_GET['n'] ?? 1)));
	sort($words); header('Content-Type: text/plain'); echo implode("\n", array_slice($words, 0, 20));
	PHP
	printf '%s\n' '[global]' "error_log = $work/fpm" '[www]' 'user = www-data' "listen = 127.0.0.1:$((port + 1))" \
		'pm = static' 'pm.max_children = 4' > "$work/fpm.conf"
	cat > "$work/conf" <<-CONF
	pid $work/pid; error_log $work/errors; events {} http { access_log off; server { listen 127.0.0.1:$port; location / {
	fastcgi_pass 127.0.0.1:$((port + 1)); fastcgi_param SCRIPT_FILENAME $work/www/index.php;
	fastcgi_param QUERY_STRING \$query_string; fastcgi_param REQUEST_METHOD GET; } } }
	CONF
	begin nginx -c "$work/conf" -g 'daemon off;'
	main php-fpm8.2 -F -y "$work/fpm.conf"
	load() { web '/?n='{1..9}; }
}
# Connections begin with a handshake, and end after twenty requests.
run_nginx-tls() {
	pages
	certificate
	cat > "$work/conf" <<-CONF
	pid $work/pid; error_log $work/errors; events {} http { access_log off; keepalive_requests 20; ssl_session_cache off;
	ssl_session_tickets off; server { listen 127.0.0.1:$port ssl; root $work/www; ssl_certificate $work/both.pem;
	ssl_certificate_key $work/both.pem; } }
	CONF
	main nginx -c "$work/conf" -g 'daemon off; master_process off;'
	load() { SCHEME=https web "${paths[@]}"; }
}
# Each request has a connection, and a handshake, of its own.
run_haproxy-tls() {
	pages
	certificate
	begin python3 -m http.server --directory "$work/www" -b 127.0.0.1 $((port + 1))
	cat > "$work/conf" <<-CONF
	defaults
	 mode http
	 option httpclose
	 timeout connect 5s
	 timeout client 50s
	 timeout server 50s
	listen in
	 bind 127.0.0.1:$port ssl crt $work/both.pem
	 server one 127.0.0.1:$((port + 1))
	CONF
	main haproxy -db -f "$work/conf"
	load() { SCHEME=https web "${paths[@]}"; }
}
run_haproxy() {
	pages
	begin python3 -m http.server --directory "$work/www" -b 127.0.0.1 $((port + 1))
	cat > "$work/conf" <<-CONF
	defaults
	 mode http
	 timeout connect 5s
	 timeout client 50s
	 timeout server 50s
	listen in
	 bind 127.0.0.1:$port
	 server one 127.0.0.1:$((port + 1))
	CONF
	main haproxy -db -f "$work/conf"
	load() { web "${paths[@]}"; }
}
run_squid() {
	pages
	begin python3 -m http.server --directory "$work/www" -b 127.0.0.1 $((port + 1))
	printf '%s\n' "http_port 127.0.0.1:$port accel defaultsite=localhost" \
		"cache_peer 127.0.0.1 parent $((port + 1)) 0 no-query originserver" 'http_access allow all' \
		"pid_filename $work/pid" "cache_log $work/cache.log" "access_log none" 'visible_hostname localhost' \
		'refresh_pattern . 1 100% 10 override-expire ignore-reload' > "$work/conf"
	main squid -N -f "$work/conf"
	load() { web "${paths[@]}"; }
}
run_caddy() {
	pages
	main env HOME="$work" caddy file-server --root "$work/www" --listen "127.0.0.1:$port"
	load() { web "${paths[@]}"; }
}
run_etcd() {
	main etcd --data-dir "$work/data" --listen-client-urls "http://127.0.0.1:$port" \
		--advertise-client-urls "http://127.0.0.1:$port" --listen-peer-urls "http://127.0.0.1:$((port + 1))" \
		--unsafe-no-fsync
	load() { MIX_BODY='{"key":"Zm9v","value":"YmFy"}' web /v3/kv/put /v3/kv/range; }
}
run_nats() {
	main nats-server -a 127.0.0.1 -p "$port" -m "$((port + 1))"
	load() { begin python3 "$here/strangers.py" nats "$port" "$seed"; }
}
run_prometheus() {
	printf '%s\n' 'global: {scrape_interval: 1s}' 'scrape_configs:' '- job_name: own' '  static_configs:' \
		"  - targets: ['127.0.0.1:$port']" > "$work/conf"
	main prometheus --config.file="$work/conf" --storage.tsdb.path="$work/data" --web.listen-address="127.0.0.1:$port"
	load() { web '/api/v1/query?query=up' '/api/v1/query?query=sum(rate(go_gc_duration_seconds_count[1m]))' /metrics; }
}
run_gunicorn() {
	cp "$here/strangers.py" "$work/app.py"
	main gunicorn --chdir "$work" -w 2 --threads 4 -b "127.0.0.1:$port" app:application
	load() { web '/?n='{1..9}; }
}
run_uwsgi() {
	cp "$here/strangers.py" "$work/app.py"
	main uwsgi --plugin python3 --http-socket "127.0.0.1:$port" --chdir "$work" --wsgi app --processes 2 --threads 2
	load() { web '/?n='{1..9}; }
}
run_python() {
	pages
	main python3 -m http.server --directory "$work/www" -b 127.0.0.1 "$port"
	load() { web "${paths[@]}"; }
}
run_puma() {
	echo 'run ->(env) { [200, {"content-type" => "text/plain"}, [(1..400).map { |i| (i * 7919 % 1009).to_s }.sort.join(" ")]] }' \
		> "$work/config.ru"
	main env HOME="$work" puma -t 4:4 -b "tcp://127.0.0.1:$port" "$work/config.ru"
	load() { web '/?n='{1..9}; }
}
run_node() {
	cat > "$work/app.js" <<-'JS'
	require('http').createServer((req, res) => {
		const words = Array.from({ length: 300 }, (_, i) => (i * 7919) % 1009).sort();
		res.end(JSON.stringify(words.slice(0, 50)));
	}).listen(+process.argv[2], '127.0.0.1');
	JS
	main node --perf-basic-prof "$work/app.js" "$port"
	load() { web '/?n='{1..9}; }
}
run_java() {
	cat > "$work/App.java" <<-'JAVA'
	import com.sun.net.httpserver.HttpServer;
	import java.net.InetSocketAddress;
	import java.util.concurrent.Executors;
	public class App {
		public static void main(String[] of) throws Exception {
			HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(of[0])), 0);
			server.createContext("/", exchange -> {
				int[] words = new int[400];
				for (int i = 0; i < words.length; i++) words[i] = i * 7919 % 1009;
				java.util.Arrays.sort(words);
				byte[] body = java.util.Arrays.toString(words).getBytes();
				exchange.sendResponseHeaders(200, body.length);
				exchange.getResponseBody().write(body);
				exchange.close();
			});
			server.setExecutor(Executors.newFixedThreadPool(4));
			server.start();
		}
	}
	JAVA
	javac -d "$work" "$work/App.java"
	main java -XX:+PreserveFramePointer -cp "$work" App "$port"
	load() { web '/?n='{1..9}; }
}
names() { for i in {1..200}; do echo "host$i.example A"; done > "$work/queries"; }
run_unbound() {
	printf '%s\n' 'server:' " interface: 127.0.0.1" " port: $port" ' do-daemonize: no' ' chroot: ""' " pidfile: $work/pid" \
		' use-syslog: no' ' username: ""' ' local-zone: "example." redirect' ' local-data: "example. A 10.0.0.1"' > "$work/conf"
	names
	main unbound -c "$work/conf"
	load() { begin dnsperf -s 127.0.0.1 -p "$port" -d "$work/queries" -l 60 -Q 600; }
}
run_dnsmasq() {
	names
	main dnsmasq -k -C /dev/null -p "$port" -a 127.0.0.1 --bind-interfaces --no-resolv --no-hosts --address=/example/10.0.0.1 -u root
	load() { begin dnsperf -s 127.0.0.1 -p "$port" -d "$work/queries" -l 60 -Q 600; }
}
run_mosquitto() {
	printf '%s\n' "listener $port 127.0.0.1" 'allow_anonymous true' "user root" > "$work/conf"
	main mosquitto -c "$work/conf"
	load() {
		begin mosquitto_sub -p "$port" -t 'a/#'
		begin python3 "$here/strangers.py" mqtt "$port" "$seed"
	}
}
run_beanstalkd() {
	main beanstalkd -l 127.0.0.1 -p "$port"
	load() { begin python3 "$here/strangers.py" beanstalk "$port" "$seed"; }
}
run_redis() {
	main redis-server --port "$port" --bind 127.0.0.1 --save '' --dir "$work"
	load() { begin python3 "$here/strangers.py" redis "$port" "$seed"; }
}

answers() { (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null || [[ $1 =~ unbound|dnsmasq ]]; }	# SERVER

one() {	# SERVER SEED DIR
	local dir=$3 i beside
	work=$(mktemp -d /tmp/stranger.XXXXXX) seed=$2
	chmod 755 "$work"
	port=$((20000 + (RANDOM % 2000) * 5))
	export MIX_SEED=$seed
	"run_$1"
	for ((i = 0; i < 300; i++)); do answers "$1" && break; sleep 0.1; done
	load
	for ((i = 0; i < ${BESIDE:-0}; i++)); do begin bash -c 'while :; do :; done'; done
	sleep 3
	"$scope" report -p "$server" -d "$seconds" --source perf --save "$dir/trace" -v -o "$dir/report.txt" >> "$dir/log" 2>&1 &&
		"$scope" report -i "$dir/trace" --format json -o "$dir/report.json" >> "$dir/log" 2>&1
	i=$?
	cat "$work/log" >> "$dir/log"
	stop
	rm -rf "$work"
	return "$i"
}

runs=1
while getopts ln: option; do
	case $option in
	l) printf '%s\n' "${servers[@]}"; exit ;;
	n) runs=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
"$root/scripts/setup.sh" strangers
[ $# -gt 0 ] || set -- "${servers[@]}"
trap stop EXIT
broken=0
for ((run = 1; run <= runs; run++)); do
	for name; do
		dir=$out/$name-$run
		[ ! -e "$dir/report.json" ] || continue
		rm -rf "$dir"
		mkdir -p "$dir"
		one "$name" $((${SEED:-1} + run)) "$dir" || { echo "$name-$run: no report: see $dir/log"; broken=1; }
	done
done
PYTHONDONTWRITEBYTECODE=1 python3 "$here/strangers.py" count "$out"
status=$?
[ "$broken" -eq 0 ] || exit 2
exit "$status"
