# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Transmission, whose one loop answers questions about files that it shares, of which there are many or few. Sourced by start.sh.

server_transmission() {
	local many=500
	[ "$name" != blind7-transmission-ids ] || many=6000
	export SIZE=$many
	mkdir -p "$work/torrents" "$work/shared"
	python3 - "$work/torrents" "$many" <<-PY
	import sys
	for number in range(int(sys.argv[2])):
	    name = b"part%05d" % number
	    with open("%s/%05d.torrent" % (sys.argv[1], number), "wb") as out:
	        out.write(b"d4:infod6:lengthi16384e4:name%d:%s12:piece lengthi16384e6:pieces20:%s7:privatei1eee" % (len(name), name, b"%020d" % number))
	PY
	HOME=$work "$program" -f --paused -g "$work" -w "$work/shared" -r 127.0.0.1 -p "$port" -P $((port + 10000)) -T -O -Y --no-utp -M >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
