-- SPDX-License-Identifier: GPL-2.0-only
-- Send a seeded mix of requests through wrk, each connection with pauses between two of them.
-- Environment: MIX_SEED, MIX_PATHS (paths, by spaces), MIX_BODY (where it is set: what to POST), MIX_DELAY_MS (mean pause).
local paths, body = {}, os.getenv("MIX_BODY")
local delay_ms = tonumber(os.getenv("MIX_DELAY_MS")) or 10

init = function()
	math.randomseed(tonumber(os.getenv("MIX_SEED")) or 1)
	for path in (os.getenv("MIX_PATHS") or "/"):gmatch("%S+") do
		paths[#paths + 1] = path
	end
end

request = function()
	return wrk.format(body and "POST" or "GET", paths[math.random(#paths)], nil, body)
end

delay = function()
	return math.floor(math.random() * 2 * delay_ms + 0.5)
end
