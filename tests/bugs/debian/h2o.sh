# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's H2O, one loop, which compresses pages as it sends them. Sourced by start.sh.

# Pages are made as small as can be, or quickly.
server_h2o() {
	local quality=1 at
	[ "$name" != blind7-h2o-brotli ] || quality=11
	mkdir "$work/www"
	for at in {1..9}; do
		echo "page $at" >"$work/www/page$at.html"
	done
	awk 'BEGIN { srand(1); for (i = 0; i < 120; i++) printf "<li>part %d of %d %s</li>\n", i, int(rand() * 10000), i % 3 ? "is new" : "is gone" }' >"$work/www/parts.html"
	awk 'BEGIN { for (i = 0; i < 5000; i++) printf "words " }' >"$work/www/words.bin"
	chmod -R a+rX "$work"
	cat >"$work/h2o.conf" <<-CONF
	num-threads: 1
	hosts:
	  default:
	    listen:
	      host: 127.0.0.1
	      port: $port
	    paths:
	      /:
	        file.dir: $work/www
	compress:
	  br: $quality
	CONF
	"$program" -c "$work/h2o.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
