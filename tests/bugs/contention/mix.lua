-- SPDX-License-Identifier: GPL-2.0-only
-- Send statements that read ten rows of a database, or write one, or keep a lock, through sysbench.
-- Environment: ROWS (of the table), WRITES (1: write), HOLD (statements that keep the lock, separated by ";"; empty: none)
local rows = tonumber(os.getenv("ROWS"))
local writes = os.getenv("WRITES") == "1"
local hold = {}
for statement in (os.getenv("HOLD") or ""):gmatch("[^;]+") do
	hold[#hold + 1] = statement:match("^%s*(.-)%s*$")
end

local function some_rows()
	local ids = {}
	for i = 1, 10 do
		ids[i] = sysbench.rand.uniform(1, rows)
	end
	return table.concat(ids, ", ")
end

function thread_init()
	connection = sysbench.sql.driver():connect()
end

function event()
	if #hold > 0 then
		for _, statement in ipairs(hold) do
			connection:query(statement)
		end
	elseif writes then
		connection:query("UPDATE stock SET n = n + 1 WHERE id = " .. sysbench.rand.uniform(1, rows))
	else
		connection:query("SELECT body FROM stock WHERE id IN (" .. some_rows() .. ")")
	end
end

function thread_done()
	connection:disconnect()
end
