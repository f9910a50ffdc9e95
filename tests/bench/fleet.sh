#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Measure the cost of a report about many hosts: from files of 100 hosts, and by ClickHouse for increasing numbers of
# hosts. ClickHouse, of Debian, is started here. Its hosts beyond 100 are copies of these, made in it: other names,
# captures and times.
#
# Usage: tests/bench/fleet.sh [HOSTS...]      hosts of an hour in ClickHouse, default 100 1000 10000
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- 100 1000 10000

make -s user build/user/bench/fleet_hosts
scope=build/user/scope
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || { kill -9 "$server"; wait "$server" || true; } 2> /dev/null; rm -rf "$work"' EXIT

took() {	# NAME COMMAND...: its time, and that of a CPU
	local TIMEFORMAT="%R s, %U s of a CPU"
	printf '%s: ' "$1"
	{ time "${@:2}" > "$work/out" 2> "$work/errors"; } 2>&1
	cat "$work/errors" >&2
}

build/user/bench/fleet_hosts 100 300 "$work/hosts"
echo "100 hosts of 300 s: $(($(cat "$work"/hosts/*.scopesum | wc -c) / 30000)) bytes a second and host"
took "report over their files" $scope fleet report "$work/hosts"

command -v clickhouse-server > /dev/null || { echo "clickhouse-server is not installed: no figures of it"; exit 0; }
read -r http tcp < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(s.getsockname()[1] for s in sockets))')
url=http://127.0.0.1:$http
mkdir "$work"/{data,tmp,files}
cat > "$work/config.xml" <<XML
<yandex><logger><level>warning</level><log>$work/log</log><errorlog>$work/log.errors</errorlog></logger>
<http_port>$http</http_port><tcp_port>$tcp</tcp_port><listen_host>127.0.0.1</listen_host>
<path>$work/data/</path><tmp_path>$work/tmp/</tmp_path><user_files_path>$work/files/</user_files_path>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size><timezone>UTC</timezone></yandex>
XML
cat > "$work/users.xml" <<'XML'
<yandex><profiles><default></default></profiles><quotas><default></default></quotas>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
</yandex>
XML
clickhouse-server --config-file="$work/config.xml" > "$work/said" 2>&1 &
server=$!
for _ in $(seq 600); do
	[ "$(curl -s "$url/" --data-binary 'SELECT 1')" != 1 ] || break
	sleep 0.1
done
ask() { curl -sf "$url/" --data-binary "$1"; }

# What the server spends on it, in seconds of a CPU.
spent() { awk '{ sub(/.*\) /, ""); print ($12 + $13) / '"$(getconf CLK_TCK)"' }' "/proc/$server/stat"; }
costs() {	# NAME COMMAND...
	local before
	before=$(spent)
	took "$@"
	awk -v a="$before" -v b="$(spent)" 'BEGIN { printf "  of the server: %.2f s of a CPU\n", b - a }'
}

costs "send 100 hosts of 300 s" $scope fleet send "$work/hosts" --clickhouse "$url"
cat "$work/out"
for table in minute summary excess finding; do
	ask "CREATE TABLE first_$table AS scope_$table"
	ask "INSERT INTO first_$table SELECT * FROM scope_$table"
done
# 300 s to the hour: 12 times; each copy of a host has captures and a name of its own.
for hosts in "$@"; do
	for table in minute summary excess finding; do
		columns=$(ask "SELECT name FROM system.columns WHERE database = 'default' AND table = 'first_$table'" | grep -v '^received$' | paste -sd,)
		as=$(sed 's/capture1/capture1 + intDiv(n, 12) AS capture1/; s/,number,/,number + 5 * (n % 12) AS number,/; s/host/concat(host, toString(intDiv(n, 12))) AS host/;
			s/\bat\b/at + 300 * (n % 12) AS at/; s/from_us/from_us + 300000000 * (n % 12) AS from_us/; s/to_us/to_us + 300000000 * (n % 12) AS to_us/' <<< "$columns")
		ask "TRUNCATE TABLE scope_$table"
		ask "INSERT INTO scope_$table ($columns) SELECT $as FROM first_$table CROSS JOIN (SELECT number AS n FROM system.numbers LIMIT $((hosts / 100 * 12)))"
	done
	echo "$hosts hosts of an hour: $(ask 'SELECT count() FROM scope_minute') rows of minutes"
	costs "report over $hosts hosts by ClickHouse" $scope fleet report --clickhouse "$url"
	sed -n 1,4p "$work/out"
done
