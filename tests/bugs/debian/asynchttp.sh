# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Async::HTTP (Ruby), fibers on one loop. Sourced by start.sh.

# A name is matched by a pattern that tries all ways to divide it, or one; a report takes a place for each part while it has one itself, or gives it back before.
server_asynchttp() {
	local pattern='\A[a-z0-9.-]+@[a-z0-9.-]+\z' count='@places.release
	    count = count_part(name)
	    @places.acquire'
	[ "$name" != blind8-asynchttp-address ] || pattern='\A([a-z0-9]+[.-]?)+@([a-z0-9]+[.-]?)+\z'
	[ "$name" != blind8-asynchttp-report ] || count='count = count_part(name)'
	cat >"$work/shop.rb" <<-RUBY
	require "async"
	require "async/semaphore"
	require "async/http/server"
	require "async/http/endpoint"
	require "digest"

	class Shop
	  def initialize
	    @places = Async::Semaphore.new(2)
	  end

	  def check_address(address)
	    address.match?(/$pattern/) ? "good" : "bad"
	  end

	  def count_part(name)
	    @places.acquire
	    name.length
	  ensure
	    @places.release
	  end

	  def make_report(name)
	    @places.acquire
	    Async::Task.current.sleep(0.05)
	    $count
	    @places.release
	    "report of #{count}"
	  end

	  def digest(text)
	    400.times { text = Digest::SHA256.hexdigest(text) }
	    text
	  end

	  def answer(kind, rest)
	    case kind
	    when "address" then check_address(rest)
	    when "report" then make_report(rest)
	    when "digest" then digest(rest)
	    else "page #{rest}"
	    end
	  end

	  def call(request)
	    _, kind, rest = request.path.split("/")
	    Protocol::HTTP::Response[200, {}, [answer(kind, rest)]]
	  end
	end

	shop = Shop.new
	endpoint = Async::HTTP::Endpoint.parse("http://127.0.0.1:$port")
	Async { Async::HTTP::Server.for(endpoint) { |request| shop.call(request) }.run }
	RUBY
	"$program" "$work/shop.rb" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
