# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Thin (Ruby), one event loop, with an application that reads feeds by REXML. Sourced by start.sh.

# The healthy one refuses numbers that begin with many zeros.
server_thin() {
	local refused='text.match?(/&#0{8}/)'
	[ "$name" != blind5-thin-feed ] || refused=false
	cat >"$work/config.ru" <<-RUBY
	require "rexml/document"
	require "rexml/streamlistener"

	class Feed
	  include REXML::StreamListener
	  attr_reader :words
	  def text(words)
	    @words = words
	  end
	end

	run lambda { |env|
	  text, feed = env["rack.input"].read, Feed.new
	  REXML::Document.parse_stream(text, feed) unless $refused
	  body = "read #{feed.words.to_s.size}\n"
	  [200, { "Content-Type" => "text/plain", "Content-Length" => body.bytesize.to_s }, [body]]
	}
	RUBY
	(cd "$work" && exec "$program" /usr/bin/thin -e none -a 127.0.0.1 -p "$port" -R "$work/config.ru" start) >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
