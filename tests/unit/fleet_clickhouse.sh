#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Summaries in ClickHouse, a server of Debian's that this test starts: the report equals that over the files, summaries that are sent twice count once,
# and no summary is lost if the server does not run, or refuses.
#
# Exit status: 0 passed; 1 failed; 77 clickhouse-server is not installed, or this scope has no libcurl.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

. tests/unit/fleet.bash
command -v clickhouse-server > /dev/null || { echo "skipped: clickhouse-server is not installed (scripts/setup.sh test)"; exit 77; }
! "$scope" fleet report --clickhouse http://127.0.0.1:1 2>&1 | grep -q 'without libcurl\|libcurl.so' || { echo "skipped: this scope has no libcurl"; exit 77; }
server=
trap '[ -z "$server" ] || { kill -9 "$server"; wait "$server"; } 2> /dev/null; rm -rf "$work"' EXIT

read -r http tcp https < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(s.getsockname()[1] for s in sockets))')
url=http://127.0.0.1:$http
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
	-keyout "$work/key" -out "$work/ca" 2> /dev/null
mkdir "$work"/{data,tmp,files,hosts}
cat > "$work/config.xml" <<XML
<yandex>
<logger><level>warning</level><log>$work/log</log><errorlog>$work/errors</errorlog></logger>
<http_port>$http</http_port><tcp_port>$tcp</tcp_port><https_port>$https</https_port><listen_host>127.0.0.1</listen_host>
<openSSL><server><certificateFile>$work/ca</certificateFile><privateKeyFile>$work/key</privateKeyFile>
<verificationMode>none</verificationMode></server></openSSL>
<path>$work/data/</path><tmp_path>$work/tmp/</tmp_path><user_files_path>$work/files/</user_files_path>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size><timezone>UTC</timezone>
</yandex>
XML
cat > "$work/users.xml" <<'XML'
<yandex><profiles><default></default></profiles><quotas><default></default></quotas>
<users><scope><password>se cret</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></scope></users>
</yandex>
XML
printf '# of this test\nuser = scope\npassword = se cret\n' > "$work/settings"
chmod 600 "$work/settings"
settings=(--settings "$work/settings")
ask() { curl -s -u 'scope:se cret' "$url/" --data-binary "$1"; }

start() {
	clickhouse-server --config-file="$work/config.xml" > "$work/out" 2>&1 &
	server=$!
	for _ in $(seq 600); do
		[ "$(ask 'SELECT 1')" != 1 ] || return 0
		kill -0 "$server" 2> /dev/null || break
		sleep 0.1
	done
	echo "# clickhouse-server does not start"
	tail -5 "$work/out" "$work/errors"
	exit 1
}
stop() {
	kill -9 "$server" && wait "$server"
	server=
} 2> /dev/null

for host in web-1:three_bugs web-2:healthy web-3:hang; do
	trace "${host%:*}" "${host#*:}"
	"$scope" fleet summarize "$work/${host%:*}.trace" -o "$work/hosts/${host%:*}.scopesum" --label rack="b'7 x" --label "zone=${host%:*}"
done
pair
mv "$work/pair/client.scopesum" "$work/hosts/front.scopesum"
mv "$work/pair/server.scopesum" "$work/hosts/web-1.scopesum"
"$scope" fleet report "$work/hosts" --format json > "$work/files.json"
part='[d["answer"], d["members"], d["groups"], d["functions"], d["out_of_line"], d["excess_ms"], d["outside_ms"], d["connections"], d["not_matched_ms"]]'

# Nobody there: it says so, and a file stays.
cp "$work/hosts/web-1.scopesum" "$work/one"
"$scope" fleet send "$work/one" --consume --clickhouse "$url" "${settings[@]}" > "$work/said" 2>&1 && { echo "not ok - a dead server is an error"; bad=1; }
says "a dead server is named" "$url does not answer" "$work/said"
same "the file stays" "$(cmp "$work/one" "$work/hosts/web-1.scopesum" && echo there)" there

start
"$scope" fleet send "$work/hosts" --clickhouse "$url" "${settings[@]}" > "$work/said" 2>&1
says "four summaries are sent" '^sent 4 summaries, [0-9]+ rows; 0 were there, 0 overlap' "$work/said"
"$scope" fleet report --clickhouse "$url" "${settings[@]}" --format json > "$work/server.json"
same "the report is that over the files" "$(field "$work/server.json" "$part")" "$(field "$work/files.json" "$part")"
python3 tests/unit/schema.py docs/schema/commands.schema.json "$work"/{server,files}.json && echo "ok - the schema holds" || bad=1

"$scope" fleet send "$work/hosts" --clickhouse "$url" "${settings[@]}" > "$work/said" 2>&1
says "what is there is not sent again" '^sent 0 summaries, 0 rows; 4 were there' "$work/said"
for table in summary second minute excess finding link exchange; do
	ask "INSERT INTO scope_$table SELECT * FROM scope_$table"
done
"$scope" fleet report --clickhouse "$url" "${settings[@]}" --format json > "$work/twice.json"
same "rows that came twice count once" "$(field "$work/twice.json" "$part")" "$(field "$work/files.json" "$part")"
"$scope" fleet report --clickhouse "$url" "${settings[@]}" --since 1h --format json > "$work/since.json"
same "what came in the last hour is all" "$(field "$work/since.json" "$part")" "$(field "$work/files.json" "$part")"

# The server dies after the rows, before the summary is there: it is sent again, and counts once.
ask "DROP TABLE scope_summary"
ask "DROP TABLE scope_schema"
"$scope" fleet send "$work/hosts" --clickhouse "$url" "${settings[@]}" > "$work/said" 2>&1
says "summaries that are missing are sent again" '^sent 4 summaries' "$work/said"
"$scope" fleet report --clickhouse "$url" "${settings[@]}" --format json > "$work/again.json"
same "and count once" "$(field "$work/again.json" "$part")" "$(field "$work/files.json" "$part")"
# One that is slow is waited for.
kill -STOP "$server"
{ sleep 2; kill -CONT "$server"; } &
"$scope" fleet report --clickhouse "$url" "${settings[@]}" --format json > "$work/slow.json"
same "a slow server is waited for" "$(field "$work/slow.json" "$part")" "$(field "$work/files.json" "$part")"
stop
start
"$scope" fleet report --clickhouse "$url" "${settings[@]}" --format json > "$work/killed.json"
same "a killed server has all that it took" "$(field "$work/killed.json" "$part")" "$(field "$work/files.json" "$part")"

# --consume removes what it has sent, and nothing else.
cp "$work/web-1.trace" "$work/notes"
printf 'SCOPEsum\t\0\0\0\t\0\0\0 of a later version' > "$work/later"
: > "$work/nothing"
for name in notes later nothing absent; do
	"$scope" fleet send "$work/$name" --consume --clickhouse "$url" "${settings[@]}" > "$work/said.$name" 2>&1
	echo $? >> "$work/said.$name"
done
says "a file that is no summary is refused" 'notes is no file of summaries.*; it stays' "$work/said.notes"
same "and stays" "$(cmp "$work/notes" "$work/web-1.trace" && echo there)" there
says "so is one of a newer format" 'later is a summary of format 9.*; it stays' "$work/said.later"
same "and stays, too" "$(ls "$work"/later*)" "$work/later"
same "an empty one has nothing yet" "$(tail -1 "$work/said.nothing") $(ls "$work"/nothing*)" "0 $work/nothing"
same "nor has one that is not there" "$(tail -1 "$work/said.absent")" 0
cp "$work/later" "$work/one.sending"
"$scope" fleet send "$work/one" --consume --clickhouse "$url" "${settings[@]}" > "$work/said" 2>&1
says "what a newer version began to send is not replaced" 'one.sending is a summary of format 9.*until it is moved away' "$work/said"
same "and both stay" "$(cmp "$work/later" "$work/one.sending" && cmp "$work/one" "$work/hosts/web-1.scopesum" && echo there)" there
rm "$work/one.sending"
"$scope" fleet send "$work/one" --consume --clickhouse "$url" "${settings[@]}" > "$work/said" 2>&1
same "a file that is there is removed" "$(ls "$work"/one* 2> /dev/null)" ""
printf 'user = scope\npassword = se cret\nca = %s\n' "$work/ca" > "$work/tls"
chmod 600 "$work/tls"
"$scope" fleet report --clickhouse "https://127.0.0.1:$https" --settings "$work/tls" --format json > "$work/tls.json" 2> "$work/said"
same "the same by TLS" "$(field "$work/tls.json" "$part")" "$(field "$work/files.json" "$part")"
"$scope" fleet report --clickhouse "https://127.0.0.1:$https" "${settings[@]}" > "$work/said" 2>&1 && { echo "not ok - any certificate is taken"; bad=1; }
says "a certificate of nobody is refused" 'does not answer: .*(certificate|SSL)' "$work/said"

"$scope" fleet report --clickhouse "$url" > "$work/said" 2>&1
says "the server's refusal is said" 'answered with status [45][0-9]+: Code' "$work/said"
chmod 644 "$work/settings"
"$scope" fleet report --clickhouse "$url" "${settings[@]}" > "$work/said" 2>&1
says "a password that others may read is refused" 'chmod 600' "$work/said"
chmod 600 "$work/settings"
ask "INSERT INTO scope_schema (version) VALUES (9)"
"$scope" fleet report --clickhouse "$url" "${settings[@]}" > "$work/said" 2>&1
says "newer tables are refused" 'version 9, this program knows 2' "$work/said"
exit $bad
