# SPDX-License-Identifier: GPL-2.0-only
# Start Debian's Unicorn (Ruby), three forked workers, with a small application that keeps votes in a PStore. Sourced by start.sh.

server_unicorn() {
	local many=20
	[ "$name" != blind5-unicorn-store ] || many=8000
	cat >"$work/config.ru" <<-RUBY
	require "pstore"

	votes = PStore.new("$work/votes")
	votes.transaction { $many.times { |number| votes["part#{number}"] = { "votes" => 1, "last" => "guest#{number}" } } }

	run lambda { |env|
	  if env["PATH_INFO"].start_with?("/vote/")
	    part = "part" + env["PATH_INFO"].delete_prefix("/vote/")
	    count = votes.transaction { votes[part] = { "votes" => votes[part]["votes"] + 1, "last" => "guest" }; votes[part]["votes"] }
	    body = "votes #{count}\n"
	  else
	    body = "page #{env["PATH_INFO"].size}\n"
	  end
	  [200, { "Content-Type" => "text/plain", "Content-Length" => body.bytesize.to_s }, [body]]
	}
	RUBY
	printf '%s\n' 'worker_processes 3' 'preload_app true' >"$work/unicorn.rb"
	"$program" /usr/bin/unicorn -E none -c "$work/unicorn.rb" -l "127.0.0.1:$port" "$work/config.ru" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
