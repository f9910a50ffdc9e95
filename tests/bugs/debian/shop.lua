-- SPDX-License-Identifier: GPL-2.0-only
-- Send a seeded mix of short queries, and a few that a case is about, through sysbench.
-- Environment: MIX_SHARE (of the case's statements among all), MIX_RARE (these, separated by ";"),
-- MIX_USUAL (every tenth of the usual ones, if not empty), MIX_IDS (rows that the case's statements
-- choose from). @ID@ is a row of the same one in all statements of a request; "sleep N" is N ms of the client's own.
local ffi = require("ffi")
ffi.cdef("int usleep(unsigned int);")

local share = tonumber(os.getenv("MIX_SHARE"))
local ids = tonumber(os.getenv("MIX_IDS"))
local tenth = os.getenv("MIX_USUAL") or ""
local rare = {}
for statement in os.getenv("MIX_RARE"):gmatch("[^;]+") do
	rare[#rare + 1] = statement:match("^%s*(.-)%s*$")
end

local function send(statement, id)
	local pause = statement:match("^sleep (%d+)$")
	if pause then
		ffi.C.usleep(1000 * tonumber(pause))
	else
		connection:query((statement:gsub("@ID@", tostring(id))))
	end
end

function thread_init()
	connection = sysbench.sql.driver():connect()
end

function event()
	local draw = sysbench.rand.uniform_double()
	if draw < share then
		local id = sysbench.rand.uniform(1, ids)
		for _, statement in ipairs(rare) do
			send(statement, id)
		end
	elseif tenth ~= "" and draw > 0.9 then
		send(tenth, sysbench.rand.uniform(1, 100))
	elseif draw > 0.5 then
		send("SELECT title, body FROM page WHERE id = @ID@", sysbench.rand.uniform(1, 1000))
	else
		send("SELECT name FROM customer WHERE id = @ID@", sysbench.rand.uniform(1, 5000))
	end
end

function thread_done()
	connection:disconnect()
end
