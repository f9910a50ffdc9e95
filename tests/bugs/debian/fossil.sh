# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Fossil, a process for each request, with a file of which there are many versions or few. Nobody may change it. Sourced by start.sh.

server_fossil() {
	local versions=3 at
	[ "$name" != blind7-fossil-annotate ] || versions=100
	rate_of=60
	export HOME=$work USER=ann
	(
		mkdir "$work/parts"
		cd "$work/parts" || exit
		fossil init "$work/parts.fossil"
		fossil user capabilities nobody ghjorz -R "$work/parts.fossil"
		fossil open "$work/parts.fossil"
		fossil settings autosync off
		fossil settings mtime-changes off
		fossil settings backoffice-disable on
		for ((at = 0; at < versions; at++)); do
			awk -v at="$at" 'BEGIN { for (i = 0; i < 400; i++) printf "part %d of %d\n", i, i % 4 == at % 4 ? at : -1 }' >parts.txt
			echo "words $at" >words.txt
			fossil addremove
			fossil commit -m "change $at" --no-warnings --no-prompt
		done
	) >"$work/made.log" 2>&1 </dev/null
	chown nobody "$work/parts.fossil"
	chmod 444 "$work/parts.fossil"
	chmod a+rx "$work"
	awk '/^project-id:/ { print "fossil-cc-" substr($2, 1, 10) "=1" }' "$work/made.log" >"$work/human"
	"$program" server --localhost --port "$port" "$work/parts.fossil" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
