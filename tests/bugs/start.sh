#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Start one demo server with its load, and print what the caller needs as shell assignments.
#
# Usage: eval "$(DURATION=120 tests/bugs/start.sh NAME SEED)"; later tests/bugs/stop.sh
# Prints SERVER_PID, LOAD_PID, EXPECT (function names separated by |), KIND, MODULE, PORT and
# WORK_DIR (logs). The seed varies connections, rate, request mix and payload sizes. A hang is
# triggered before this returns; the load ends by itself after DURATION seconds. PROGRAM= is a command
# that runs a server of our own instead of the one that was built.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# -eq 2 ] || die "usage: start.sh NAME SEED"
name=$1
seed=$2
duration=${DURATION:-120}
# Whose load is sent: a healthy twin gets that of the case.
# shellcheck disable=SC2034
case_name=${TRIGGER:-$name}
bug_row "$name"
bug_recipe "$bug_server"
program=$servers_dir/$name/$bug_server
! bug_packaged || program=$bug_program
[ -x "$program" ] || die "$program is missing: run scripts/setup.sh bugs histories sealed or tests/bugs/build.sh $name"
program=${PROGRAM:-$program}

work=$(mktemp -d "${TMPDIR:-/tmp}/scope-bug-$name.XXXXXX")
: >"$work/load.log"
server_pid=
load_pid=
# What did not come up must not stay.
cleanup() {
	[ -z "$load_pid" ] || kill "$load_pid" 2>/dev/null || true
	[ -z "$server_pid" ] || kill -9 "$server_pid" 2>/dev/null || true
}
trap cleanup EXIT

# A generator of its own (Park and Miller), so that one seed means one load in every bash.
rand_state=$((seed % 2147483646 + 1))
pick() {
	rand_state=$((rand_state * 48271 % 2147483647))
	printf -v "$1" %d $(($2 + rand_state / 7 % ($3 - $2 + 1)))
}

answers() {
	(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

free_port() {
	local port
	for port in $(seq $((21000 + $$ % 9000)) $((21100 + $$ % 9000))); do
		answers "$port" || { echo "$port"; return 0; }
	done
	return 1
}

# wait_for SECONDS COMMAND...: retries until it succeeds or the server is gone.
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		kill -0 "$server_pid" 2>/dev/null || die "$name ended: see $work/server.log"
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

server_memcached() {
	local user=()
	[ "$(id -u)" -ne 0 ] || user=(-u root)
	"$program" -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 128 "${user[@]}" \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}

# A page under directories with Cyrillic names, and its URL as a client that escapes all but letters, in lower-case hex,
# sends it: about 1,550 bytes; to lighttpd, which takes longer ones than our own servers, 2,900.
long_page() {
	local segment letter path="$work/www/catalogue-ru" url="/catalogue%2dru" escapes segments=3 letters=85
	[ "$bug_server" != lighttpd ] || segments=4 letters=120
	for ((segment = 0; segment < segments; segment++)); do
		escapes=
		for ((letter = 0; letter < letters; letter++)); do
			pick code 144 175
			printf -v escapes '%s%%d0%%%02x' "$escapes" "$code"
		done
		url+=/$escapes
		printf -v path '%s/%b' "$path" "${escapes//%/\\x}"
	done
	long_paths+=("$path")
	echo "$url" >>"$work/long.urls"
}

# Pages of the seed's sizes, some with long names, one page that includes another file, and a FIFO
# beside them.
document_tree() {
	local i bytes code long_paths=()
	mkdir "$work/www"
	for ((i = 1; i <= pages; i++)); do
		pick bytes 200 "$page_bytes"
		printf '%*s' "$bytes" '' >"$work/www/page$i.html"
	done
	for ((i = 1; i <= 8; i++)); do
		long_page
	done
	mkdir -p "${long_paths[@]%/*}"
	for i in "${long_paths[@]}"; do
		printf '%*s' "$page_bytes" '' >"$i"
	done
	mkfifo "$work/www/status.fifo"
	echo 'load: <!--#include file="status.fifo" -->' >"$work/www/status.shtml"
}

# A directory of many files and a ready index of them, asked for in place of the long URLs.
large_directory() {	# FILES
	local i
	mkdir "$work/www/files"
	(cd "$work/www/files" && seq -f 'part-%05g.tar' 1 "$1" | xargs touch)
	(cd "$work/www/files" && printf '<a href="%s">%s</a>\n' $(ls | sed p)) >"$work/index.html"
	mv "$work/index.html" "$work/www/files/"
	for i in {1..8}; do
		echo /files/
	done >"$work/long.urls"
}

server_lighttpd() {
	pick pages 10 40
	pick page_bytes 2000 30000
	document_tree
	cat >"$work/lighttpd.conf" <<-EOF
	server.document-root = "$work/www"
	server.bind = "127.0.0.1"
	server.port = $port
	server.errorlog = "$work/error.log"
	server.max-worker = 0
	server.max-keep-alive-requests = 1000000
	server.modules = ("mod_access", "mod_ssi")
	url.access-deny = ("~", ".inc")
	ssi.extension = (".shtml")
	mimetype.assign = (".html" => "text/html", ".shtml" => "text/html")
	EOF
	"$program" -D -f "$work/lighttpd.conf" -m "${program%/*}" \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}

! bug_packaged || . "$bugs_dir/debian/$bug_server.sh"

# A server of our own, with what runs beside it: perconn asks a backend; one case has a busy neighbour.
server_own() {
	local options=() share=0 backend seed_of_backend cpu=0
	pick pages 10 40
	pick page_bytes 2000 30000
	pick seed_of_backend 1 1000000
	document_tree
	if [ "$bug_server" = perconn ]; then
		backend=$((port + 10000))
		options=(-b "$backend")
	fi
	[ "$name" != own-starve ] || program="taskset -c $cpu nice -n 19 $program"
	# shellcheck disable=SC2086
	$program -p "$port" -d "$work/www" -l "$work/access.log" "${options[@]}" \
		>"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	[ "$name" != own-backend ] || share=4
	if [ "$bug_server" = perconn ]; then
		"$servers_dir/helper" backend "$backend" "$server_pid" "$seed_of_backend" "$share" 15 \
			>"$work/backend.log" 2>&1 </dev/null &
	fi
	if [ "$name" = own-starve ]; then
		"$servers_dir/helper" hog "$cpu" "$server_pid" </dev/null >/dev/null 2>&1 &
	fi
}

# A program that runs beside the server ends with it.
end_with_server() {	# PID
	local pid=$server_pid
	(while kill -0 "$pid" 2>/dev/null; do sleep 0.5; done; kill "$1" 2>/dev/null) </dev/null >/dev/null 2>&1 &
}

load_cache() {
	local conns rate keys sets longs large
	pick conns 6 12
	pick rate 300 500
	pick keys 3000 5000
	pick sets 15 30
	pick longs 5 9
	pick large 300 600
	nice -n 5 "$servers_dir/mcload" -p "$port" -c "$conns" -t "$duration" -r "$rate" -k "$keys" \
		-K 8000 -s "0.$sets" -l "0.0$longs" -v "64-$large" -S "$seed" \
		>"$work/load.log" 2>&1 </dev/null &
	load_pid=$!
	wait_for 90 grep -q warm "$work/load.log" || die "the keys were not stored: see $work/load.log"
}

load_http() {
	local conns rate longs misses delay
	pick conns 8 20
	pick rate 300 500
	pick longs 4 8
	pick misses 1 5
	delay=$((conns * 1000 / rate))
	MIX_SEED=$seed MIX_PAGES=$pages MIX_URLS=$work/long.urls MIX_DELAY_MS=$delay \
		MIX_HEADER=${long_header:-} MIX_LONG=0.0$longs MIX_MISS=0.0$misses nice -n 5 \
		wrk -t 1 -c "$conns" -d "${duration}s" --timeout 30s --latency \
		-s "$bugs_dir/mix.lua" "http://127.0.0.1:$port/" \
		>"$work/load.log" 2>&1 </dev/null &
	load_pid=$!
}

# Cases from public histories: what is asked, by how many and how often, and what is done once that runs.
load_history() {
	local load=plain conns rate rare
	pick conns 6 12
	pick rate 150 250
	pick rare 4 8
	unset HOLD
	case "$case_name" in
	history-acl) load=acl ;;
	history-filter) load=filter ;;
	history-fd-limit) load=socks ;;
	history-accept) load=keep ;;
	history-psk) load=psk conns=4 rate=100 ;;
	history-resolve) load=shards ;;
	history-bans) load=tail ;;
	history-variants) load=variants ;;
	history-index) load=directory ;;
	history-group) load=group ;;
	history-extend) load=watched rate=100 ;;
	history-pass) load=passed ;;
	history-far) load=calls ;;
	history-users) load=login ;;
	history-detail) load=account ;;
	history-patterns) load=chat ;;
	history-members) load=members rate=100 ;;
	history-listener) load=chat rare=0 ;;
	history-logins) load=query ;;
	esac
	# No more files than it has, and clients that want more.
	case "$name" in
	history-fd-limit | history-accept | history-listener)
		export HOLD=60
		(sleep 1.5; prlimit --pid "$server_pid" --nofile=$(($(ls "/proc/$server_pid/fd" | wc -l) + 8))) \
			>>"$work/trigger.log" 2>&1 </dev/null &
		;;
	esac
	[ -z "${backend:-}" ] || {
		python3 "$bugs_dir/historyload.py" backend "$backend" "$server_pid" "${backend_kind:-plain}" \
			>"$work/backend.log" 2>&1 </dev/null &
		[ "${backend_kind:-}" = calls ] || wait_for 20 answers "$backend"
	}
	nice -n 5 python3 "$bugs_dir/historyload.py" "$load" "$port" "${backend:-0}" "$conns" "$rate" "$rare" "$duration" \
		"$seed" >"$work/load.log" 2>&1 </dev/null &
	load_pid=$!
	wait_for 60 grep -q warm "$work/load.log" || die "the load did not begin: see $work/load.log"
	sleep 2
}

# Sealed cases: what their servers ask for is in sealed.py; its backend, where there is one, is that of historyload.py.
load_sealed() {
	local conns rate rare
	pick conns 6 12
	pick rate 150 250
	pick rare 4 8
	[ -z "${backend:-}" ] || {
		python3 "$bugs_dir/historyload.py" backend "$backend" "$server_pid" "${backend_kind:-plain}" \
			>"$work/backend.log" 2>&1 </dev/null &
		wait_for 20 answers "$backend"
	}
	SERVER=$server_pid nice -n 5 python3 "$bugs_dir/sealed.py" "${case_name#blind*-}" "$port" "${backend:-0}" "$conns" "${rate_of:-$rate}" \
		"$rare" "$duration" "$seed" >"$work/load.log" 2>&1 </dev/null &
	load_pid=$!
	wait_for 120 grep -q warm "$work/load.log" || die "the load did not begin: see $work/load.log"
	sleep 2
}

# A name server of this run's own, that knows nothing: name_server MILLISECONDS sets with_names, which a server is started
# by; once it runs, start_names starts the other.
name_server() {
	names_at=127.1.$((port / 256)).$((port % 256)) names_late=$1
	printf '%s\n' "nameserver $names_at" 'options timeout:1 attempts:1' >"$work/resolv.conf"
	# shellcheck disable=SC2016
	with_names=(unshare -m sh -c 'mount --bind "$0" /etc/resolv.conf && exec "$@"' "$work/resolv.conf")
}

start_names() {
	python3 "$bugs_dir/sealed.py" names "$names_at" "$server_pid" "$names_late" >"$work/names.log" 2>&1 </dev/null &
}

# npm_module NAME VERSION: sets npm_modules, where that module of the npm registry is, installed once.
npm_module() {
	local home=$servers_dir/npm-$1-$2
	npm_modules=$home/node_modules
	[ -e "$npm_modules/$1" ] || npm install --prefix "$home" --no-audit --no-fund --silent "$1@$2" >"$work/npm.log" 2>&1 || die "npm does not install $1: see $work/npm.log"
}

# go_program NAME: makes that program in WORK_DIR of its main.go and Debian's packages of Go.
go_program() {
	GO111MODULE=off GOPATH=/usr/share/gocode GOFLAGS=-p=2 GOCACHE=$servers_dir/go-cache "$program" build -o "$work/$1" "$work/main.go" >"$work/go.log" 2>&1 || die "$1 is not built: see $work/go.log"
}

# ask LINES...: sends them to the server on one connection; the answer, if any, goes to a log.
ask() {
	exec 3<>"/dev/tcp/127.0.0.1/$port"
	printf '%s\r\n' "$@" >&3
	timeout 1 cat <&3 >>"$work/trigger.log" || true
	exec 3>&-
}

big_item() {
	head -c 400000 /dev/zero | tr '\0' b
}

# Every hang takes one request; the healthy server answers the same request at once.
trigger() {
	case "$1" in
	hang) ask 'lru_crawler disable' ;;
	hang-moved)
		for key in 1 2 3; do
			ask "set big$key 0 0 400000" "$(big_item)"
		done
		ask 'slabs reassign -1 0' ;;
	hang-fifo | own-wakeup | sealed-deadlock | sealed-spin) ask 'GET /status.shtml HTTP/1.1' 'Host: localhost' 'Connection: close' '' ;;
	esac
}

port=$(free_port) || die "no free port between 21000 and 30100"
if declare -F "server_$bug_server" >/dev/null; then "server_$bug_server"; else server_own; fi
[ -z "${udp:-}" ] || sleep 2
[ -n "${udp:-}" ] || wait_for 30 answers "$port" || die "$name does not listen on port $port: see $work/server.log"
"load_$bug_load"
sleep 1
kill -0 "$load_pid" 2>/dev/null || die "the load ended at once: see $work/load.log"
trigger "$case_name"
trap - EXIT
[ "$bug_expect" != - ] || bug_expect=
cat <<EOF
SERVER_PID=$server_pid
LOAD_PID=$load_pid
EXPECT='$bug_expect'
KIND=$bug_kind
MODULE='$bug_module'
PORT=$port
WORK_DIR='$work'
EOF
