# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Varnish before one backend. Sourced by start.sh.

# Bans of the healthy one name what an object keeps, so that the lurker can test them beside the requests.
server_varnish() {
	local what=obj.http.x-url
	backend=$((port + 10000)) backend_kind=cached
	[ "$name" != history-bans ] || what=req.url
	[ "$name" != history-variants ] || export SIZE=12000
	cat >"$work/cache.vcl" <<-VCL
	vcl 4.1;
	backend default { .host = "127.0.0.1"; .port = "$backend"; }
	sub vcl_recv {
		if (req.http.x-ban) { ban("$what ~ ^" + req.url + "\$"); return (synth(200, "banned")); }
		return (hash);
	}
	sub vcl_backend_response { set beresp.ttl = 1h; set beresp.http.x-url = bereq.url; }
	VCL
	"$program" -F -n "$work/varnish" -a "127.0.0.1:$port" -f "$work/cache.vcl" -s malloc,300m -j none \
		-p ban_lurker_age=0.1 -p thread_pool_min=20 >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
