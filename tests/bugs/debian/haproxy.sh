# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's HAProxy with one thread, and a rule in Lua for some requests. Sourced by start.sh.

# The rule asks a program, or reads a file.
server_haproxy() {
	local ask="io.open('$work/policy')"
	[ "$name" != blind6-haproxy-lua ] || ask="io.popen('sleep 0.012; echo yes')"
	echo yes >"$work/policy"
	cat >"$work/policy.lua" <<-LUA
	local function ask_policy()
	  local answer = $ask
	  local word = answer:read("l")
	  answer:close()
	  return word
	end

	local function check_policy(txn)
	  txn:set_var("txn.allowed", ask_policy())
	end

	core.register_action("check_policy", { "http-req" }, check_policy)
	LUA
	cat >"$work/haproxy.cfg" <<-CFG
	global
	  nbthread 1
	  lua-load $work/policy.lua
	  insecure-fork-wanted
	defaults
	  mode http
	  timeout client 60s
	  timeout connect 5s
	  timeout server 60s
	frontend web
	  bind 127.0.0.1:$port
	  http-request lua.check_policy if { path_beg /far }
	  http-request set-header X-Long %[req.hdrs,sha2(256),hex] if { path_beg /mid }
	  http-request return status 200 content-type text/plain string "page"
	CFG
	"$program" -f "$work/haproxy.cfg" -db >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
