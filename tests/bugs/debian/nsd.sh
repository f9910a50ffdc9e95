# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's NSD, a process for each who answers, with a zone whose names are hashed to deny those that are not there. Sourced by start.sh.

# The names are hashed 2,501 times, or once; the signatures are no real ones, which does not matter to the server.
server_nsd() {
	local times=0
	[ "$name" != blind7-nsd-denied ] || times=2500
	udp=yes
	pick rate_of 300 500
	python3 - "$times" >"$work/near.zone" <<-PY
	import base64
	import hashlib
	import sys

	times = int(sys.argv[1])
	letters = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789ABCDEFGHIJKLMNOPQRSTUV")
	salt = bytes.fromhex("a1b2c3d4")
	sign = " RRSIG %%s 8 %%d 3600 20400101000000 20200101000000 1 near.test. %s" % base64.b64encode(b"s" * 256).decode()


	def hashed(name):
	    wire = b"".join(bytes([len(one)]) + one for one in name.encode().split(b".")) + b"\0"
	    for _ in range(times + 1):
	        wire = hashlib.sha1(wire + salt).digest()
	    return base64.b32encode(wire).translate(letters).decode()


	names = ["near.test"] + ["h%d.near.test" % number for number in range(200)]
	print("\$TTL 3600\nnear.test. SOA a.test. b.test. 1 3600 600 86400 60\nnear.test." + sign % ("SOA", 2))
	print("near.test. NS h0.near.test.\nnear.test." + sign % ("NS", 2))
	print("near.test. NSEC3PARAM 1 0 %d a1b2c3d4\nnear.test.%s" % (times, sign % ("NSEC3PARAM", 2)))
	for name in names[1:]:
	    print("%s. A 10.0.0.1\n%s.%s" % (name, name, sign % ("A", 3)))
	for number in range(20):
	    print("many.near.test. A 10.1.0.%d" % number)
	print("many.near.test." + sign % ("A", 3))
	chain = sorted((hashed(name), name == "near.test") for name in names + ["many.near.test"])
	for at, (mark, top) in enumerate(chain):
	    kinds = "NS SOA RRSIG NSEC3PARAM" if top else "A RRSIG"
	    print("%s.near.test. NSEC3 1 0 %d a1b2c3d4 %s %s" % (mark, times, chain[(at + 1) % len(chain)][0], kinds))
	    print("%s.near.test.%s" % (mark, sign % ("NSEC3", 3)))
	PY
	printf '%s\n' server: "  ip-address: 127.0.0.1@$port" '  server-count: 1' '  username: ""' '  chroot: ""' "  zonesdir: \"$work\"" "  database: \"\"" \
		"  pidfile: \"$work/pid\"" "  xfrdfile: \"$work/xfrd\"" "  xfrdir: \"$work\"" "  zonelistfile: \"$work/zones\"" '  rrl-ratelimit: 0' 'remote-control:' '  control-enable: no' \
		zone: '  name: near.test' "  zonefile: near.zone" >"$work/nsd.conf"
	"$program" -d -c "$work/nsd.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
