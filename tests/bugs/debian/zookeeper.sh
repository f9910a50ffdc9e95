# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's ZooKeeper (Java), and have it write down the names of compiled code. Sourced by start.sh.

server_zookeeper() {
	export SIZE=20
	[ "$name" != blind4-zookeeper-watches ] || SIZE=20000
	mkdir "$work/data"
	printf '%s\n' tickTime=20000 "dataDir=$work/data" "clientPort=$port" clientPortAddress=127.0.0.1 maxClientCnxns=0 \
		admin.enableServer=false '4lw.commands.whitelist=*' >"$work/zoo.cfg"
	"$program" -XX:+PreserveFramePointer -XX:TieredStopAtLevel=1 -Xmx256m -cp "/usr/share/java/zookeeper.jar" \
		org.apache.zookeeper.server.quorum.QuorumPeerMain "$work/zoo.cfg" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}

# Code has names once it is compiled, for which it must have run some hundred times.
load_sealed_java() {
	load_sealed
	sleep 10
	jcmd "$server_pid" Compiler.perfmap >"$work/jcmd.log" 2>&1 || die "no names of compiled code: see $work/jcmd.log"
}
