# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Supervisor (Python), whose one loop answers questions about programs. Sourced by start.sh.

# There are no more open files than it has, and clients that want more.
server_supervisor() {
	local at
	SPARE=0
	[ "$name" != blind7-supervisor-files ] || SPARE=20
	export SPARE
	{
		printf '%s\n' '[inet_http_server]' "port=127.0.0.1:$port" '[supervisord]' nodaemon=true "logfile=$work/supervisord.log" "pidfile=$work/pid" "childlogdir=$work" user=root minfds=100 \
			'[rpcinterface:supervisor]' 'supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface'
		for at in {0..9}; do
			printf '%s\n' "[program:parts$at]" 'command=sleep 1000' "stdout_logfile=$work/parts$at.log"
		done
	} >"$work/supervisord.conf"
	"$program" /usr/bin/supervisord -n -c "$work/supervisord.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
