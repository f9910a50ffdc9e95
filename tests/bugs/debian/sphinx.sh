# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Sphinx, a thread for each client, who speaks the protocol of MySQL. Sourced by start.sh.

# There are many documents or few.
server_sphinx() {
	export SIZE=3000
	[ "$name" != blind7-sphinx-words ] || SIZE=60000
	pick rate_of 300 500
	mkdir "$work/data"
	cat >"$work/sphinx.conf" <<-CONF
	index parts {
	  type = rt
	  path = $work/data/parts
	  rt_field = words
	  rt_attr_uint = state
	  rt_mem_limit = 512M
	}
	searchd {
	  listen = 127.0.0.1:$port:mysql41
	  workers = threads
	  binlog_path =
	  pid_file = $work/pid
	  log = $work/searchd.log
	}
	CONF
	"$program" --nodetach -c "$work/sphinx.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
