# SPDX-License-Identifier: GPL-2.0-only
# The functions of ../languages/serve.rb as jobs of a queue in Redis: see ../workers.py.
require 'socket'
require_relative '../languages/serve'

# The broker begins later.
def connected
  TCPSocket.new('127.0.0.1', PORT.to_i)
rescue SystemCallError
  sleep 0.02
  retry
end

# What Redis answers, a list of texts, or one.
def ask(broker, *words)
  broker.write("*#{words.size}\r\n" + words.map { |word| "$#{word.bytesize}\r\n#{word}\r\n" }.join)
  head = broker.gets or exit!
  return head unless head.start_with?('*')

  Array.new(head[1..].to_i) { broker.read(broker.gets[1..].to_i + 2).chomp }
end

def process_job(kind)
  run(kind)
end

def work
  broker = connected
  loop do
    process_job(ask(broker, 'BLPOP', 'jobs', '0')[1].strip)
    ask(broker, 'INCR', 'done')
  end
end

begin_kinds
Array.new(4) { Thread.new { work } }.each(&:join)
