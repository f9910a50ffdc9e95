# SPDX-License-Identifier: GPL-2.0-only
# A web server in Ruby, a thread for each client, of which each path but / is a bug of its own: see languages.py.
require 'json'
require 'open3'
require 'openssl'
require 'socket'
require 'time'
require 'zlib'

# A server of ../frameworks/ requires this file, and has the rest in its environment.
PORT, PEER, FOLDER = ENV['SERVE'] ? ENV['SERVE'].split : ARGV
WORDS = 'the quick brown fox jumps over the lazy dog ' * 3000
LEDGER = Mutex.new
ORDERS = Queue.new
VISITS = []
$flag = false

def usual
  LEDGER.synchronize { (0...2000).sum { |i| i * i } }
end

# The paths of the server.
module Kinds
  class << self
    def countWords
      n = 0
      WORDS.each_char { |letter| n += 1 if letter == ' ' }
      n
    end

    def matchRules
      /^(a+)+$/.match?("#{'a' * 20}b") ? 1 : 0
    end

    def packReport
      (0...20_000).map { |i| { 'a' => i, 'b' => i.to_s } }.to_json.size
    end

    def sortPrices
      (0...40_000).map { |i| i * 7919 % 40_009 }.sort { |one, other| other <=> one }.first
    end

    def writeLedger
      LEDGER.synchronize { sleep 0.02 }
      0
    end

    def takeNap
      sleep 0.02
      0
    end

    def readPages
      (0...800).sum { File.read('/etc/passwd').size }
    end

    def runHook
      system('sleep', '0.02') ? 0 : 1
    end

    def ask(what)
      host, port = PEER.split(':')
      TCPSocket.open(host, port.to_i) do |peer|
        peer.write(what)
        peer.gets.to_s.size
      end
    end

    def askPeer
      ask("slow\n")
    end

    def makeCopies
      text = ''
      600.times { text += WORDS[0, 1000] }
      text.size
    end

    def saveNote
      File.open("#{FOLDER}/note", 'w') do |note|
        20.times do
          note.write("note\n")
          note.fsync
        end
      end
      0
    end

    def askPacker
      answer = Queue.new
      ORDERS << answer
      answer.pop
    end

    def packOrders
      loop do
        answer = ORDERS.pop
        sleep 0.02
        answer << 1
      end
    end

    def hashParts
      OpenSSL::KDF.pbkdf2_hmac('secret', salt: 'salt', iterations: 20_000, length: 32, hash: 'sha256').size
    end

    def parseOrders
      JSON.parse("[#{'{"name":"a book","price":12,"tags":["x","y"]},' * 20_000}{}]").size
    end

    def packFiles
      Zlib.deflate(WORDS * 24, 9).size
    end

    def formatRows
      (0...6000).sum { |i| "#{Time.at(i).utc.strftime('%Y-%m-%d %H:%M:%S')}#{format('%10.2f', i)}".size }
    end

    # Holds the lock while it writes; others wait for it.
    def writeBook
      LEDGER.synchronize do
        File.open("#{FOLDER}/book", 'w') do |book|
          20.times do
            book.write("page\n")
            book.fsync
          end
        end
      end
      0
    end

    def statPaths
      (0...10_000).count { File.exist?('/usr/share/none') }
    end

    def raiseErrors
      n = 0
      15_000.times do |i|
        {}.fetch(i)
      rescue KeyError
        n += 1
      end
      n
    end

    def pollAnswer
      answer = []
      Thread.new do
        sleep 0.02
        answer << 1
      end
      nil while answer.empty?
      answer.first
    end

    def sweepHeap
      4.times { GC.start }
      0
    end

    def makeGarbage
      (0...60_000).map { |i| [i, i.to_s] }.size
    end

    def copyOrders
      Marshal.load(Marshal.dump((0...20_000).map { |i| { 'a' => i, 'b' => i.to_s } })).size
    end

    def findVisit
      VISITS.concat((VISITS.size...VISITS.size + 400).to_a)
      VISITS.include?(-1) ? 1 : 0
    end

    def readJournal
      File.open("#{FOLDER}/journal", 'a+') do |journal|
        journal.write("a visit\n" * 20)
        journal.rewind
        journal.each_line.sum(&:size)
      end
    end

    def takeLock
      lock = Mutex.new
      Thread.new { lock.synchronize { sleep } }
      Thread.pass until lock.locked?
      lock.lock
    end

    def takeShared
      lock = Mutex.new
      lock.synchronize { ConditionVariable.new.wait(lock) }
    end

    def waitAnswer
      Queue.new.pop
    end

    def waitAny
      IO.select([UNIXSocket.pair.first])
    end

    def waitGroup
      Thread.new { sleep }.join
    end

    def sendOrder
      full = SizedQueue.new(1)
      2.times { full << 1 }
    end

    def waitChild
      Open3.capture2('sleep', '1000')
    end

    def readPeer
      ask("never\n")
    end

    def spinOn
      nil until $flag
    end

    def awaitFlag
      sleep 0.02 until $flag
    end

    def readFifo
      File.mkfifo("#{FOLDER}/fifo")
      File.read("#{FOLDER}/fifo")
    end
  end
end

def run(path)
  n = usual
  n += Kinds.public_send(path).to_i unless path.empty?
  "#{n}\n"
end

def answer(client, path)
  body = run(path)
  client.write("HTTP/1.1 200 OK\r\nContent-Length: #{body.size}\r\n\r\n#{body}")
end

def serveClient(client)
  client.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
  while (line = client.gets)
    nil until client.gets.to_s.strip.empty?
    answer(client, line.split[1].delete_prefix('/'))
  end
rescue SystemCallError
  nil
ensure
  client.close
end

def begin_kinds
  Thread.new { Kinds.packOrders }
end

return if ENV['SERVE']

begin_kinds
listener = TCPServer.new('127.0.0.1', PORT.to_i)
loop { Thread.new(listener.accept) { |client| serveClient(client) } }
