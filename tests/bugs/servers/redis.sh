# SPDX-License-Identifier: GPL-2.0-only
# Redis in the bench: built with what its source package bundles, and what each case sets and sends.
# shellcheck disable=SC2154
# (case_name is the case whose load is sent, name what runs: for a healthy twin they differ.)

configure_redis() { :; }

make_redis() {
	make -s -j"$jobs" -C src redis-server MALLOC=libc OPTIMIZATION=-O2 REDIS_CFLAGS=-g
}

install_redis() {
	cp src/redis-server "$1/redis"
}

redis_settings() {	# CASE
	case "$1" in
	redis-listpack) echo 'hash-max-listpack-entries 100000' ;;
	redis-fsync) printf '%s\n' 'appendonly yes' 'appendfsync always' ;;
	redis-expire) echo 'lazyfree-lazy-expire no' ;;
	none-redis) printf '%s\n' 'appendonly yes' 'appendfsync everysec' 'lazyfree-lazy-expire yes' ;;
	esac
}

server_redis() {
	{
		printf '%s\n' 'bind 127.0.0.1' "port $port" "dir $work" 'save ""'
		redis_settings "$name"
	} >"$work/redis.conf"
	"$program" "$work/redis.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}

# Commands that are there before the load begins: ordinary keys, and what the case needs.
redis_setup() {	# CASE
	awk -v keys="$keys" -v kind="$1" '
	function hash(key, fields,	i, line) {
		for (i = 0; i < fields; i++) {
			line = line " field:" i " value-" i
			if (i % 500 == 499) { print "HSET " key line; line = "" }
		}
	}
	BEGIN {
		for (i = 0; i < keys; i++)
			print "SET key:" i " value-of-" i
		if (kind == "redis-listpack")
			hash("catalogue", 20000)
		if (kind == "redis-match")
			for (i = 0; i < 4000; i++)
				print "SET note:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:" i " text"
		if (kind == "redis-expire") {
			hash("basket", 10000)
			for (i = 0; i < 120; i++) {
				print "COPY basket basket:" i
				print "PEXPIRE basket:" i " " 4000 + 150 * i
			}
		}
	}'
}

# What a few per cent of the commands are.
redis_special() {	# CASE
	case "$1" in
	redis-listpack) echo 'HGET catalogue other:{20000}' ;;
	redis-match) echo 'SCAN {16384} MATCH note:*a*a*a*a*b* COUNT 10' ;;
	*) echo 'INCR counter:{100}' ;;
	esac
}

load_redis() {
	local conns rate keys sets longs large
	pick conns 6 12
	pick rate 300 500
	pick keys 3000 5000
	pick sets 15 30
	pick longs 4 8
	pick large 300 600
	redis_setup "$case_name" >"$work/setup"
	{
		printf '%d\t%s\n' "$longs" "$(redis_special "$case_name")"
		printf '%d\tSET key:{%d} {64-%d}\n' "$sets" "$keys" "$large"
		printf '%d\tGET key:{%d}\n' $((100 - sets - longs)) "$keys"
	} >"$work/mix"
	nice -n 5 python3 "$bugs_dir/respload.py" "$port" "$work/setup" "$work/mix" "$conns" "$rate" \
		"$duration" "$seed" >"$work/load.log" 2>&1 </dev/null &
	load_pid=$!
	wait_for 90 grep -q warm "$work/load.log" || die "the keys were not stored: see $work/load.log"
}
