#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of test_kinds.sh that runs in the guest.
#
# Usage: kinds_guest.sh SCOPE SCOPE_KO WORK      WORK: a folder with kinds_work, and a database in data/ perhaps
set -uo pipefail

scope=$1 module=$2 work=$3
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d /dev/shm/kinds.XXXXXX)
. "$here/guest.bash"
cd "$dir" || exit 1
server= client=

ip link set lo up
insmod "$module" || exit 1
listens() { (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; }
start() { port=$1; shift; "$@" > "$dir/server.log" 2>&1 < /dev/null & server=$!; until_true listens; }
stop() { kill -KILL "$server" $client 2> /dev/null; wait "$server" $client 2> /dev/null; client=; }
ask() {
	: > "$dir/client.log"
	python3 "$here/kinds_client.py" "$1" "$port" 600 > "$dir/client.log" 2>&1 &
	client=$!
	until_true test -s "$dir/client.log"
}
is_traced() { "$scope" status | grep -q 'session .* running'; }
# The kinds in JSON, one a line, after some seconds of the load: longer where the machine is slow.
kinds() {	# WHAT
	local seconds
	for seconds in 4 20; do
		rm -f a.trace "$dir/r.json"
		"$scope" report -p "$server" -d "$seconds" --kind-by "$1" --save a.trace --format json -o "$dir/r.json" || return 1
		python3 -c 'import json, sys
for name in sorted(one["name"] for one in json.load(open(sys.argv[1]))["requests"]):
    print(name)' "$dir/r.json" > "$dir/kinds" || return 1
		[ ! -s "$dir/kinds" ] || return 0
	done
	return 0
}
# CLIENT WHAT KIND...: exactly these kinds; the trace has no key and no value.
has() {
	ask "$1"
	kinds "$2" || return 1
	shift 2
	printf '%s\n' "$@" | sort > "$dir/wanted"
	diff "$dir/wanted" "$dir/kinds" || return 1
	"$scope" dump a.trace > "$dir/dump" || return 1
	! grep -q 'secret-7c1f' a.trace "$dir/dump"
}
# CLIENT WHAT: the server speaks another protocol. A report comes all the same, with no kind, and says so.
has_none() {
	ask "$1"
	kinds "$2" || return 1
	[ ! -s "$dir/kinds" ] || { echo "kinds:"; cat "$dir/kinds"; return 1; }
	says 0 "no request began as --kind-by $2 expects" report -i a.trace
}
dies() {
	( until_true is_traced; sleep 5; kill -KILL "$server" ) &
	says 1 '^  GET ' report -p "$server" -d 60 --kind-by redis -v
}

if command -v redis-server > /dev/null; then
	start 7001 redis-server --port 7001 --bind 127.0.0.1 --save '' --dir "$dir"
	pass "redis" has redis redis GET INCR
	pass "redis, by another protocol" has_none redis http
	stop
	start 7001 redis-server --port 7001 --bind 127.0.0.1 --save '' --dir "$dir"
	ask redis
	pass "a server that ends during the capture" dies
	stop
else
	echo "skipped: redis"
fi
if command -v memcached > /dev/null; then
	start 7002 memcached -l 127.0.0.1 -p 7002 -U 0 -u root
	pass "memcached, keys of any bytes" has memcached memcached get set
	kill "$client"
	pass "memcached, binary" has binary memcached get noop
	kill "$client"
	pass "memcached, by another protocol" has_none memcached sql
	stop
else
	echo "skipped: memcached"
fi
if command -v nginx > /dev/null; then
	printf '%s\n' "pid $dir/pid; error_log $dir/errors; user root; events {} http { access_log off; server {" \
		"listen 127.0.0.1:7003; location / { return 200 hello; } } }" > "$dir/conf"
	start 7003 nginx -c "$dir/conf" -g 'daemon off;'
	pass "nginx" has http http 'GET /items/*' 'GET /search'
	kill "$client"
	pass "nginx, by another protocol" has_none http redis
	stop
	pkill -KILL -P "$server" nginx 2> /dev/null
else
	echo "skipped: nginx"
fi
sql() { while :; do mariadb --no-defaults -h 127.0.0.1 -P 7004 -u root -N < "$dir/sql"; done; }
by_sql() {
	{ for i in {1..200}; do echo "SELECT COUNT(*) FROM mysql.user WHERE user = 'secret-7c1f' AND $i > 0; SELECT $i + 1;"; done; } > "$dir/sql"
	sql > "$dir/client.log" 2>&1 &
	client=$!
	kinds sql || return 1
	grep -Fq 'SELECT COUNT(*) FROM mysql.user WHERE user' "$dir/kinds" && grep -Fq 'SELECT ? + ?' "$dir/kinds" && [ "$(wc -l < "$dir/kinds")" -le 6 ] || { cat "$dir/kinds"; return 1; }
	! grep -q 'secret-7c1f' a.trace
}
if [ -d "$work/data" ]; then
	start 7004 mariadbd --no-defaults --user=root --datadir="$work/data" --bind-address=127.0.0.1 --port=7004 \
		--socket="$dir/socket" --skip-name-resolve --innodb-log-file-size=8M --innodb-buffer-pool-size=16M
	pass "MariaDB" by_sql
	stop
else
	echo "skipped: MariaDB"
fi

# The argument of a function: kind 2 alone takes long.
"$work/kinds_work" > "$dir/work" &
server=$!
until_true test -s "$dir/work"
read -r _ server port < "$dir/work"
pass "an argument of a function" has work "u:$work/kinds_work:serve:arg1" 'serve arg1=0' 'serve arg1=1' 'serve arg1=2'
pass "its hits are no records" eval '! grep -q " probe " "$dir/dump"'
slowest() { python3 -c 'import json, sys
one = {row["name"]: row["p50_ns"] for row in json.load(open(sys.argv[1]))["requests"]}
sys.exit(not one["serve arg1=2"] > 4 * max(one["serve arg1=0"], one["serve arg1=1"]))' "$dir/r.json"; }
pass "kind 2 takes longest" slowest
pass "a function that is not there" says 1 'has no function nowhere' report -p "$server" -d 1 --kind-by "u:$work/kinds_work:nowhere:arg1"
pass "a place that nobody comes to" says 0 'no request came to the function of --kind-by' report -p "$server" -d 1 \
	--kind-by "u:$work/kinds_work:0x3:arg1"
stop
exit $((failures > 0))
