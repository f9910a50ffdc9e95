# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Tomcat with three pages of our own, and have it write down the names of compiled code.
# Sourced by start.sh.
. "$bugs_dir/debian/service.sh"

server_tomcat() {
	local bug=none base=$work/base home=/usr/share/tomcat10
	page=/page.jsp?id=@ID@
	case "${TRIGGER:-$name}" in
	tomcat-matches) rare='/search.jsp?q=aaaaaaaaaaaaaaa!' ;;
	tomcat-ledger) rare='/ledger.jsp?add=@ID@' page=/ledger.jsp?id=@ID@ ;;
	*) rare=$page ;;
	esac
	[ "$bug_kind" = none ] || bug=${name#tomcat-}
	[ -e "$home/bin/bootstrap.jar" ] || die "Tomcat is missing: run scripts/setup.sh bugs"
	mkdir -p "$base/conf" "$base/webapps/ROOT" "$base/temp" "$base/logs"
	cp "$bugs_dir"/debian/tomcat/*.xml "$base/conf/"
	cp "$bugs_dir"/debian/tomcat/*.jsp "$base/webapps/ROOT/"
	"$program" -XX:+PreserveFramePointer -XX:TieredStopAtLevel=1 -Xmx256m -Dcatalina.home="$home" -Dcatalina.base="$base" \
		-Djava.io.tmpdir="$base/temp" -Dbug="$bug" -Dbug.port="$port" \
		-cp "$home/bin/bootstrap.jar:$home/bin/tomcat-juli.jar" \
		org.apache.catalina.startup.Bootstrap start >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}

# Code has names once it is compiled, for which it must have run some hundred times; the second compiler
# would compile it again without a word in the map, and is left out.
load_warm() {
	MIX_SEED=$seed MIX_RARE=$rare MIX_PAGE=$page MIX_SHARE=0.3 MIX_DELAY_MS=2 \
		wrk -t 1 -c 4 -d 8s -s "$bugs_dir/debian/service.lua" "http://127.0.0.1:$port/" \
		>"$work/warm.log" 2>&1 </dev/null
	load_service
	sleep 2
	jcmd "$server_pid" Compiler.perfmap >"$work/jcmd.log" 2>&1 ||
		die "no names of compiled code: see $work/jcmd.log"
}
