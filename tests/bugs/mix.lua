-- SPDX-License-Identifier: GPL-2.0-only
-- Send a seeded mix of small pages, missing pages and long percent-encoded URLs through wrk.
-- Environment: MIX_SEED, MIX_PAGES (pages in the tree), MIX_URLS (file of the long URLs),
-- MIX_LONG and MIX_MISS (shares of the requests), MIX_DELAY_MS (mean pause of a connection between
-- two requests, 0 for none), MIX_HEADER (a header line that those with long URLs have).
local seed = tonumber(os.getenv("MIX_SEED")) or 1
local pages = tonumber(os.getenv("MIX_PAGES")) or 20
local long_share = tonumber(os.getenv("MIX_LONG")) or 0.06
local miss_share = tonumber(os.getenv("MIX_MISS")) or 0.02
local delay_ms = tonumber(os.getenv("MIX_DELAY_MS")) or 20
local long_urls = {}

init = function(args)
	math.randomseed(seed)
	local name, value = (os.getenv("MIX_HEADER") or ""):match("^(.-): (.*)$")
	local headers = name and { [name] = value, Host = "localhost" } or nil
	for url in io.lines(os.getenv("MIX_URLS")) do
		long_urls[#long_urls + 1] = wrk.format("GET", url, headers)
	end
end

request = function()
	local draw = math.random()
	if draw < long_share then
		return long_urls[math.random(#long_urls)]
	end
	if draw < long_share + miss_share then
		return wrk.format("GET", "/missing/" .. math.random(1000000) .. ".html")
	end
	return wrk.format("GET", "/page" .. math.random(pages) .. ".html")
end

if delay_ms > 0 then
	delay = function()
		return math.floor(math.random() * 2 * delay_ms + 0.5)
	end
end
