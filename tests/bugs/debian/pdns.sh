# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's PowerDNS, with a database or a program that it asks. Sourced by start.sh.

pdns_database() {
	/usr/bin/python3 - "$work/names.db" /usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql "$1" <<-'PYTHON'
	import sqlite3
	import sys
	names = sqlite3.connect(sys.argv[1])
	with open(sys.argv[2]) as schema:
	    names.executescript(schema.read())
	names.execute("INSERT INTO domains (id, name, type) VALUES (1, 'x.test', 'NATIVE')")
	rows = [("x.test", "SOA", "ns.x.test a.x.test 1 3600 600 86400 60"), ("x.test", "NS", "ns.x.test")]
	rows += [(f"h{i}.x.test", "A", "192.0.2.1") for i in range(20000)]
	names.executemany("INSERT INTO records (domain_id, name, type, content, ttl, disabled, auth) VALUES (1, ?, ?, ?, 60, 0, 1)", rows)
	if sys.argv[3] == "no":
	    for one in names.execute("SELECT name FROM sqlite_master WHERE type='index' AND tbl_name='records' AND sql NOT NULL").fetchall():
	        names.execute(f"DROP INDEX {one[0]}")
	names.commit()
	PYTHON
}

# The program's answers for names that begin with far take 20 ms in the bad case.
pdns_program() {	# MILLISECONDS
	cat >"$work/program" <<-PYTHON
	#!/usr/bin/python3
	import sys
	import time
	print("OK", sys.stdin.readline()[:0], sep="", flush=True)
	for line in sys.stdin:
	    part = line.rstrip("\n").split("\t")
	    if part[0] == "Q":
	        name, kind = part[1].lower(), part[3]
	        if name.startswith("far"):
	            time.sleep($1 / 1000)
	        if name == "x.test" and kind in ("SOA", "ANY"):
	            print("DATA", "x.test", "IN", "SOA", 60, 1, "ns.x.test a.x.test 1 3600 600 86400 60", sep="\t")
	        elif name.endswith(".x.test") and kind in ("A", "ANY"):
	            print("DATA", part[1], "IN", "A", 60, 1, "192.0.2.1", sep="\t")
	    print("END", flush=True)
	PYTHON
	chmod +x "$work/program"
}

server_pdns() {
	local late=0 index=yes
	# shellcheck disable=SC2034
	udp=yes
	[ "$name" != blind-pdns-pipe ] || late=20
	[ "$name" != blind-pdns-index ] || index=no
	printf '%s\n' "local-address=127.0.0.1" "local-port=$port" "socket-dir=$work" 'distributor-threads=3' \
		'zone-cache-refresh-interval=0' 'disable-syslog=yes' 'write-pid=no' >"$work/pdns.conf"
	if [ "$case_name" = blind-pdns-pipe ]; then
		pdns_program "$late"
		printf '%s\n' 'launch=pipe' "pipe-command=$work/program" 'pipe-timeout=5000' 'cache-ttl=0' 'query-cache-ttl=0' \
			'negquery-cache-ttl=0' 'module-dir=/usr/lib/x86_64-linux-gnu/pdns' >>"$work/pdns.conf"
	else
		pdns_database "$index"
		printf '%s\n' 'launch=gsqlite3' "gsqlite3-database=$work/names.db" 'cache-ttl=600' 'query-cache-ttl=600' >>"$work/pdns.conf"
	fi
	"$program" --config-dir="$work" --daemon=no --guardian=no >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
