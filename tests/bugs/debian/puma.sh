# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Puma (Ruby) with threads, and an application that asks for names. Sourced by start.sh.

# All requests run under one lock, and the name server is slow; or neither.
server_puma() {
	local lock=
	[ "$name" != blind6-puma-lock ] || lock="use Rack::Lock"
	name_server 12
	cat >"$work/config.ru" <<-RUBY
	require "digest"
	require "rack"
	require "socket"

	def known_host(name)
	  IPSocket.getaddress(name)
	rescue SocketError
	  "unknown"
	end

	$lock
	run lambda { |env|
	  path = env["PATH_INFO"]
	  if path.start_with?("/known/")
	    body = known_host(path.delete_prefix("/known/"))
	  elsif path.start_with?("/digest/")
	    body = (1..200).reduce(path) { |text, _| Digest::SHA256.hexdigest(text) }
	  else
	    body = "page #{path.size}\n"
	  end
	  [200, { "Content-Type" => "text/plain", "Content-Length" => body.bytesize.to_s }, [body]]
	}
	RUBY
	"${with_names[@]}" "$program" /usr/bin/puma -e none -t 8:8 -b "tcp://127.0.0.1:$port" "$work/config.ru" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	[ "$name" != blind6-puma-lock ] || start_names
}
