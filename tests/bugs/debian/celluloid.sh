# SPDX-License-Identifier: GPL-2.0-only
# Start a service of lines on Debian's Celluloid::IO (Ruby), actors, each of which does one thing after the other. Sourced by start.sh.

# What is sold is written down by the clerk, whom all ask, and who waits for the disk, or does not.
server_celluloid() {
	local sync=flush
	[ "$name" != blind8-celluloid-clerk ] || sync=fdatasync
	cat >"$work/shop.rb" <<-RUBY
	require "celluloid/autostart"
	require "celluloid/io"
	require "digest"

	class Clerk
	  include Celluloid

	  def initialize
	    @journal = File.open("$work/journal", "a")
	    @stock = Hash.new(7)
	  end

	  def sell(part)
	    12.times do |at|
	      @journal.puts("sold #{part} #{at}")
	      @journal.$sync
	    end
	    "sold"
	  end

	  def stock(part)
	    "stock #{@stock[part]}"
	  end
	end

	class Shop
	  include Celluloid::IO
	  finalizer :shutdown

	  def initialize(port, clerk)
	    @server = Celluloid::IO::TCPServer.new("127.0.0.1", port)
	    @clerk = clerk
	    async.run
	  end

	  def shutdown
	    @server.close if @server
	  end

	  def run
	    loop { async.serve(@server.accept) }
	  end

	  def digest(text)
	    400.times { text = Digest::SHA256.hexdigest(text) }
	    text
	  end

	  def answer(kind, part)
	    case kind
	    when "sell" then @clerk.sell(part)
	    when "digest" then digest(part)
	    else @clerk.stock(part)
	    end
	  end

	  def serve(socket)
	    loop do
	      kind, part = socket.readline.split
	      socket.write(answer(kind, part) + "\n")
	    end
	  rescue EOFError
	    socket.close
	  end
	end

	Celluloid.logger = nil
	Shop.new($port, Clerk.new)
	sleep
	RUBY
	"$program" "$work/shop.rb" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
