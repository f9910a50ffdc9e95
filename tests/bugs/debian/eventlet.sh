# SPDX-License-Identifier: GPL-2.0-only
# Start a service on Debian's Eventlet (Python), one loop of green threads. Sourced by start.sh.

# Friends are found one by one, or all at once; who waits for a change sleeps for no time, or for some; an old log is compressed by the loop, or beside it.
server_eventlet() {
	local find='return [user for user in users if user[0] in wanted]' pause=0.05 pack='eventlet.tpool.execute(gzip.compress, kept, 9)'
	[ "$name" != blind8-eventlet-friends ] || find='found = []
    for number in wanted:
        found.append(find_user(number))
    return found'
	[ "$name" != blind8-eventlet-changes ] || pause=0
	[ "$name" != blind8-eventlet-log ] || pack='gzip.compress(kept, 9)'
	cat >"$work/people.py" <<-PY
	import gzip
	import hashlib
	import time
	import eventlet
	import eventlet.tpool
	from eventlet import wsgi

	users = [(number, "user %d" % number) for number in range(3000)]
	lines, changes = [], []


	def find_user(number):
	    for user in users:
	        if user[0] == number:
	            return user
	    return None


	def list_friends(first):
	    wanted = set(range(first, first + 150))
	    $find


	def wait_change():
	    while not changes:
	        eventlet.sleep($pause)
	    return b"changed"


	def rotate_log():
	    kept = ("".join(lines) * 100)[:6000000].encode()
	    lines.clear()
	    $pack


	def keep_log():
	    while True:
	        eventlet.sleep(3)
	        rotate_log()


	def digest(text):
	    return hashlib.pbkdf2_hmac("sha256", text.encode(), b"salt", 2000).hex().encode()


	def answer(kind, rest):
	    if kind == "friends":
	        return b"%d friends" % len(list_friends(int(rest)))
	    if kind == "change":
	        return wait_change()
	    return digest(rest) if kind == "digest" else find_user(int(rest))[1].encode()


	def application(environ, start_response):
	    kind, _, rest = environ["PATH_INFO"][1:].partition("/")
	    lines.append("%s %s %f %s\n" % (environ["REMOTE_ADDR"], environ["PATH_INFO"], time.time(), hashlib.sha256(rest.encode()).hexdigest()))
	    body = answer(kind, rest)
	    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
	    return [body]


	eventlet.spawn(keep_log)
	wsgi.server(eventlet.listen(("127.0.0.1", $port)), application, log_output=False)
	PY
	"$program" "$work/people.py" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
}
