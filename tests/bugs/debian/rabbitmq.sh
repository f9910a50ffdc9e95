# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's RabbitMQ (Erlang), whose letters go to who wants what their headers say. Sourced by start.sh.

# Many want something of a letter, or few. Its port mapper is one of its own, and ends with it.
server_rabbitmq() {
	export SIZE=20 ERL_EPMD_PORT=$((port + 20000)) HOME=$work
	[ "$name" != blind7-rabbitmq-headers ] || SIZE=7000
	epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 >"$work/epmd.log" 2>&1 </dev/null &
	local mapper=$!
	echo '[].' >"$work/plugins"
	printf '%s\n' "listeners.tcp.default = 127.0.0.1:$port" 'log.console.level = error' 'log.file = false' 'log.console = true' >"$work/rabbitmq.conf"
	RABBITMQ_NODENAME=parts$port@localhost RABBITMQ_CONFIG_FILE=$work/rabbitmq.conf RABBITMQ_MNESIA_BASE=$work/data RABBITMQ_LOG_BASE=$work RABBITMQ_ENABLED_PLUGINS_FILE=$work/plugins \
		RABBITMQ_DIST_PORT=$((port + 10000)) RABBITMQ_CONF_ENV_FILE=/dev/null RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="+JPperf true" RUNNING_UNDER_SYSTEMD=true \
		/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	end_with_server "$mapper"
	wait_for 90 answers "$port"
}
