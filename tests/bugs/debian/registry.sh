# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's registry of container images (Go). Sourced by start.sh.

# A list of repositories is asked for: of few, or of many.
server_registry() {
	local many=5 one=$work/store/docker/registry/v2/repositories
	[ "$name" != blind3-registry-catalog ] || many=400
	for ((i = 0; i < many; i++)); do
		mkdir -p "$one/part$i"/{_layers,_manifests/tags/latest,_uploads}
	done
	cat >"$work/registry.yml" <<-CONF
	version: 0.1
	log:
	  accesslog:
	    disabled: true
	  level: error
	storage:
	  filesystem:
	    rootdirectory: $work/store
	http:
	  addr: 127.0.0.1:$port
	CONF
	"$program" serve "$work/registry.yml" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
