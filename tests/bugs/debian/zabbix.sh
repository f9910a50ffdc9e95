# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Zabbix agent, processes that answer one question after the other. Sourced by start.sh.

# The files of a directory are counted, of which there are many or few; a name server that is asked is slow, or not there.
server_zabbix() {
	local many=20
	[ "$name" != blind5-zabbix-count ] || many=3000
	mkdir -m 755 "$work/parts"
	chmod a+rx "$work"
	(cd "$work/parts" && seq -f 'part-%05g' 1 "$many" | xargs touch)
	name_server 30
	printf '%s\n' Server=127.0.0.1 ListenIP=127.0.0.1 "ListenPort=$port" StartAgents=3 LogType=console User=nobody AllowRoot=0 \
		"Alias=counted:vfs.dir.count[$work/parts]" "Alias=known[*]:net.dns[$names_at,far.test,A,1,1]" >"$work/agent.conf"
	"$program" -f -c "$work/agent.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	[ "$name" != blind5-zabbix-names ] || start_names
}
