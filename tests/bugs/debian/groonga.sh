# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Groonga with memos, asked by HTTP. Sourced by start.sh.

# A program that ended too early may leave a table locked, which the case's load does.
server_groonga() {
	{
		echo table_create Memos TABLE_HASH_KEY ShortText
		echo column_create Memos words COLUMN_SCALAR Text
		echo load --table Memos
		awk 'BEGIN { printf "["; for (i = 0; i < 2000; i++) printf "%s{\"_key\":\"k%d\",\"words\":\"some words %d\"}", i ? "," : "", i, i; print "]" }'
	} | "$program" -n "$work/memos" >"$work/made.log"
	[ "$name" != blind4-groonga-locked ] || touch "$work/locked"
	"$program" -s --protocol http --port "$port" --bind-address 127.0.0.1 --max-threads 6 --log-path "$work/groonga.log" \
		"$work/memos" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
