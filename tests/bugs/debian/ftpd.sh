# SPDX-License-Identifier: GPL-2.0-only
# Start a server on Debian's pyftpdlib (Python), one loop, which lists a directory of many files, or of few. Sourced by start.sh.

server_ftpd() {
	local many=10
	[ "$name" != blind6-ftpd-list ] || many=600
	mkdir -p "$work/home/parts" "$work/home/few"
	(cd "$work/home/parts" && seq -f 'part-%05g' 1 "$many" | xargs touch)
	(cd "$work/home/few" && seq -f 'part-%05g' 1 5 | xargs touch)
	echo page >"$work/home/page"
	cat >"$work/server.py" <<-PY
	import logging
	from pyftpdlib.authorizers import DummyAuthorizer
	from pyftpdlib.handlers import FTPHandler
	from pyftpdlib.servers import FTPServer

	logging.basicConfig(level=logging.ERROR)
	people = DummyAuthorizer()
	people.add_anonymous("$work/home")
	FTPHandler.authorizer = people
	FTPServer(("127.0.0.1", $port), FTPHandler).serve_forever()
	PY
	"$program" "$work/server.py" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
