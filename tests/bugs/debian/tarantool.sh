# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Tarantool with orders in memory, asked by a text protocol. Sourced by start.sh.

server_tarantool() {
	local many=50
	[ "$name" != blind3-tarantool-count ] || many=150000
	cat >"$work/orders.lua" <<-LUA
	box.cfg{listen = nil, work_dir = '$work', wal_mode = 'none', memtx_memory = 256 * 1024 * 1024, log_level = 2}
	local orders = box.schema.space.create('orders')
	orders:create_index('id', {parts = {1, 'unsigned'}})
	orders:create_index('state', {parts = {2, 'string'}, unique = false})
	for i = 1, 160000 do orders:insert{i, i > $many and 'closed' or 'open', 'Order ' .. i} end
	local function answer(peer)
	    while true do
	        local line = peer:read('\n')
	        if not line or line == '' then return end
	        local id = line:match('^get (%d+)')
	        if id then
	            peer:write(orders.index.id:get(tonumber(id))[3] .. '\n')
	        else
	            peer:write(orders.index.state:count('open') .. '\n')
	        end
	    end
	end
	require('socket').tcp_server('127.0.0.1', $port, answer)
	LUA
	"$program" "$work/orders.lua" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
