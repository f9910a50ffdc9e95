# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Samba, a process for each client, with a share of many files. Sourced by start.sh.

# A name that is not there is looked for in the whole directory, whatever its case; the healthy one has names as they are.
server_smbd() {
	rate_of=100
	local exact=yes
	[ "$name" != blind5-smbd-names ] || exact=no
	mkdir -m 777 "$work/parts" "$work/state"
	chmod a+rx "$work"
	(cd "$work/parts" && seq -f 'part-%05g' 1 20000 | xargs touch)
	cat >"$work/smb.conf" <<-CONF
	[global]
	server role = standalone server
	map to guest = bad user
	guest account = nobody
	bind interfaces only = yes
	interfaces = 127.0.0.1
	smb ports = $port
	disable netbios = yes
	load printers = no
	disable spoolss = yes
	lock directory = $work/state
	state directory = $work/state
	cache directory = $work/state
	pid directory = $work/state
	private dir = $work/state
	ncalrpc dir = $work/state/ncalrpc
	log file = $work/smbd.log
	[parts]
	path = $work/parts
	guest ok = yes
	read only = yes
	case sensitive = $exact
	CONF
	"$program" -F -s "$work/smb.conf" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
