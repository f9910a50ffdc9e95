# SPDX-License-Identifier: GPL-2.0-only
# The server of interpreter_work.py in Ruby. With the argument "forks" four processes take clients, each in its main thread.
require 'socket'

LOCK = Mutex.new

# A request is a letter.
class Work
  def self.little
    (0...200).sum { |i| i * i }
  end

  def burn
    ending = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + 0.05
    total = 0
    total += 3 while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < ending
  end

  def doze
    sleep 0.03
  end

  def hold
    LOCK.synchronize { sleep 0.03 }
  end

  def handle(kind)
    Work.little
    LOCK.synchronize { Work.little }
    case kind
    when 'c' then burn
    when 's' then doze
    when 'l' then hold
    end
  end
end

def serve(connection)
  while (kind = connection.read(1))
    Work.new.handle(kind)
    connection.write(kind)
  end
end

listener = TCPServer.new('127.0.0.1', 0)
$stdout.sync = true
puts "port #{Process.pid}"
$stdin.gets
puts listener.addr[1]
if ARGV[0] == 'forks'
  workers = Array.new(4) { fork { loop { serve(listener.accept) } } }
  trap('TERM') do
    workers.each { |pid| Process.kill('KILL', pid) }
    exit!
  end
  Process.waitall
end
loop { Thread.new(listener.accept) { |connection| serve(connection) } }
