# SPDX-License-Identifier: GPL-2.0-only
# Dictd in the bench: a process for each session, which looks words up in an index.
# shellcheck disable=SC2154
bug_tarball=yes bug_suite=trixie

configure_dictd() {
	./configure --quiet CFLAGS="$cflags"
}

make_dictd() {
	make -s dictd
}

install_dictd() {
	cp dictd "$1/"
}

# Words that end with xNNNNN are looked for; the healthy one has a second index, of the words read backwards.
server_dictd() {
	local suffix="index_suffix $work/words.suffix"
	[ "$name" != blind-dictd-suffix ] || suffix=
	chmod 755 "$work"
	echo 'A word of many.' >"$work/words.dict"
	awk 'BEGIN { for (i = 0; i < 100000; i++) printf "word%05dend%06d\tA\tQ\n", i % 100000, i
		for (i = 0; i < 100000; i++) printf "word%05dend\tA\tQ\n", i
		for (i = 0; i < 100000; i++) printf "y%05dx%05d\tA\tQ\n", i * 7 % 100000, i }' | LC_ALL=C sort >"$work/words.index"
	awk -F '\t' '{ back = ""; for (i = length($1); i; i--) back = back substr($1, i, 1); print back "\tA\tQ" }' \
		"$work/words.index" | LC_ALL=C sort >"$work/words.suffix"
	printf '%s\n' 'global {' "port $port" 'listen_to 127.0.0.1' '}' 'database words {' "data $work/words.dict" \
		"index $work/words.index" "$suffix" '}' >"$work/dictd.conf"
	"$program" -c "$work/dictd.conf" -d nodetach --pid-file "$work/pid" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
