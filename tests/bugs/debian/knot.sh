# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Knot DNS, with a signed zone that is changed by its clients. Sourced by start.sh.

server_knot() {
	local iterations=0 journal=asynchronous
	# shellcheck disable=SC2034
	udp=yes
	[ "$name" != blind3-knot-hashes ] || iterations=10000
	[ "$name" != blind3-knot-journal ] || journal=robust
	mkdir "$work/db" "$work/run"
	printf '%s\n' '@ 60 SOA a a 1 1 1 1 60' '@ 60 NS a' 'a 60 A 10.0.0.1' >"$work/x.test.zone"
	cp "$work/x.test.zone" "$work/y.test.zone"
	for ((i = 0; i < 20; i++)); do
		echo "h$i 60 A 10.0.0.$i" | tee -a "$work/x.test.zone" "$work/y.test.zone"
	done >/dev/null
	cat >"$work/knot.conf" <<-CONF
	server:
	    rundir: "$work/run"
	    user: $(id -un):$(id -gn)
	    udp-workers: 2
	    tcp-workers: 1
	    background-workers: 1
	    listen: 127.0.0.1@$port
	database:
	    storage: "$work/db"
	    journal-db-mode: $journal
	policy:
	  - id: hashed
	    algorithm: ecdsap256sha256
	    nsec3: on
	    nsec3-iterations: $iterations
    nsec3-salt-length: 255
	acl:
	  - id: changes
	    address: 127.0.0.1
	    action: update
	zone:
	  - domain: x.test
	    storage: "$work"
	    file: x.test.zone
	    dnssec-signing: on
	    dnssec-policy: hashed
	  - domain: y.test
	    storage: "$work"
	    file: y.test.zone
	    acl: changes
	    zonefile-sync: -1
	    journal-content: changes
	CONF
	"$program" -c "$work/knot.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
