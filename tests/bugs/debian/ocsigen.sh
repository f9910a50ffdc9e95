# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Ocsigen server (OCaml), one loop of Lwt, which sends some visitors elsewhere. Sourced by start.sh.

# Who is sent elsewhere is found by a pattern that tries all ways to divide a name, or one.
server_ocsigen() {
	local pattern='moved/[a-z]+[0-9]' at
	[ "$name" != blind7-ocsigen-moved ] || pattern='moved/([a-z]+)+[0-9]'
	mkdir "$work/www" "$work/log" "$work/data"
	for at in {1..9}; do
		echo "page $at" >"$work/www/page$at.html"
	done
	seq 3000 >"$work/www/numbers.html"
	cat >"$work/ocsigen.conf" <<-CONF
	<ocsigen>
	  <server>
	    <port>127.0.0.1:$port</port>
	    <logdir>$work/log</logdir>
	    <datadir>$work/data</datadir>
	    <commandpipe>$work/command</commandpipe>
	    <charset>utf-8</charset>
	    <findlib path="/usr/lib/ocaml"/>
	    <extension findlib-package="ocsigenserver.ext.redirectmod"/>
	    <extension findlib-package="ocsigenserver.ext.staticmod"/>
	    <host charset="utf-8" hostfilter="*">
	      <redirect suburl="$pattern" dest="http://127.0.0.1:$port/page1.html"/>
	      <static dir="$work/www"/>
	    </host>
	  </server>
	</ocsigen>
	CONF
	"$program" -c "$work/ocsigen.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
