# SPDX-License-Identifier: GPL-2.0-only
# Pages by WEBrick, and a check of words that are sent to it. Usage: pages.rb PORT [bad]    bad: by a pattern that backtracks
require 'digest'
require 'webrick'

WORDS = ARGV[1] ? /\A(\w+\s?)*\z/ : /\A[\w\s]*\z/

def words?(text)
  WORDS.match?(text)
end

def page(number)
  (0...40).map { |line| Digest::MD5.hexdigest("#{number}.#{line}") }.join("\n")
end

server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ARGV[0].to_i, AccessLog: [],
                                 Logger: WEBrick::Log.new(File::NULL), MaxClients: 100)
server.mount_proc('/check') { |ask, answer| answer.body = words?(ask.query['words'].to_s) ? "yes\n" : "no\n" }
server.mount_proc('/page') { |ask, answer| answer.body = page(ask.query['number'].to_i) }
trap('TERM') { server.shutdown }
server.start
