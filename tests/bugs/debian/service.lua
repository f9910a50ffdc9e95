-- SPDX-License-Identifier: GPL-2.0-only
-- Send a seeded mix of pages, and a few requests that a case is about, through wrk.
-- Environment: MIX_SEED, MIX_RARE (path of the case's requests; @ID@ is a number), MIX_SHARE (of these
-- among all), MIX_PAGE (path of a page likewise), MIX_DELAY_MS (mean pause of a connection between two).
local seed = tonumber(os.getenv("MIX_SEED"))
local share = tonumber(os.getenv("MIX_SHARE"))
local rare, page = os.getenv("MIX_RARE"), os.getenv("MIX_PAGE")
local delay_ms = tonumber(os.getenv("MIX_DELAY_MS"))

init = function(args)
	math.randomseed(seed)
end

request = function()
	local path = math.random() < share and rare or page
	return wrk.format("GET", (path:gsub("@ID@", tostring(math.random(1, 40)))))
end

if delay_ms > 0 then
	delay = function()
		return math.floor(math.random() * 2 * delay_ms + 0.5)
	end
end
